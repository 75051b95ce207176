"""Code objects that Dynamo compiles, by number. All but those used last are kept as compressed JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from tlparse_bundle.log.compile_id import compile_key
from tlparse_bundle.log.event import Event
from tlparse_bundle.tables.latest_items import LatestItems

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import CodeObjectsRow

_MOST = 4096  # as objects; more than an event can use


class Recompile(NamedTuple):
    """A recompile. ``sort``, a JSON value, must be equal for a recompile and one that it follows.
    ``actual``: the values of the call that failed guards.
    """

    row: int
    sort: object
    actual: list[int | str]


class CodeObject:
    """A code object between two torch._dynamo.reset(), from which its row in 'code_objects' is built."""

    __slots__ = (
        "compiled_autograd_id",
        "file",
        "first_line",
        "frame_id",
        "function",
        "id",
        "limit",
        "occurrences",
        "recompiles",
        "resumes",
    )

    def __init__(self, id_: int, compiled_autograd_id: int | None, frame_id: int):
        self.id = id_
        self.compiled_autograd_id, self.frame_id = compiled_autograd_id, frame_id
        self.function: str | None = None
        self.file: str | None = None
        self.first_line: int | None = None
        self.resumes: int | None = None  # id of the code object that it continues
        self.limit: str | None = None  # key of the compile that the recompile limit refused
        self.occurrences: dict[int | None, int] = {}  # of its compiles, by frame_compile_id
        self.recompiles: dict[int | None, Recompile] = {}

    def compile(self, frame_compile_id: int | None) -> str | None:
        """Return the key of one of its compiles; None when there is none with this id."""
        occurrence = self.occurrences.get(frame_compile_id)
        return None if occurrence is None else self._key(frame_compile_id, occurrence)

    def _key(self, frame_compile_id: int | None, occurrence: int) -> str:
        return compile_key((self.compiled_autograd_id, self.frame_id, frame_compile_id), occurrence)

    def recompile_of(self, event: Event) -> Recompile | None:
        """Return the recompile of an event with this code object; None without one."""
        cid = event.compile_id
        return None if cid is None else self.recompiles.get(cid.frame_compile_id)

    def row(self, limit: str | None) -> CodeObjectsRow:
        return {
            "id": self.id,
            "compiled_autograd_id": self.compiled_autograd_id,
            "frame_id": self.frame_id,
            "function": self.function,
            "file": self.file,
            "first_line": self.first_line,
            "compiles": [self._key(*compile) for compile in self.occurrences.items()],
            "limit_compile": limit or self.limit,
            "resumes": self.resumes,
        }

    def to_json(self) -> dict[str, Any]:
        cells = {name: getattr(self, name) for name in self.__slots__}
        recompiles = [(key, *recompile) for key, recompile in self.recompiles.items()]
        return cells | {"occurrences": [*self.occurrences.items()], "recompiles": recompiles}

    @classmethod
    def from_json(cls, cells: dict[str, Any]) -> CodeObject:
        code = cls.__new__(cls)
        for name, value in cells.items():
            setattr(code, name, value)
        code.occurrences = dict(cells["occurrences"])
        code.recompiles = {key: Recompile(*recompile) for key, *recompile in cells["recompiles"]}
        return code


class CodeObjects:
    """Code objects, numbered in order of appearance."""

    def __init__(self) -> None:
        self._used: dict[int, CodeObject] = {}  # the last one at the end
        self._stored: LatestItems[dict[str, Any]] = LatestItems()
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, compiled_autograd_id: int | None, frame_id: int) -> CodeObject:
        """Add and return the next code object."""
        self._count += 1
        return self._use(CodeObject(self._count - 1, compiled_autograd_id, frame_id))

    def __getitem__(self, number: int) -> CodeObject:
        return self._use(self._used.pop(number) if number in self._used else self._restored(number))

    def __iter__(self) -> Iterator[CodeObject]:
        return (self._used.get(number) or self._restored(number) for number in range(self._count))

    def _restored(self, number: int) -> CodeObject:
        cells = self._stored.get(number)
        assert cells is not None  # it was used before
        return CodeObject.from_json(cells)

    def _use(self, code: CodeObject) -> CodeObject:
        self._used[code.id] = code
        if len(self._used) > _MOST:
            for number in sorted(list(self._used)[: _MOST // 2]):  # neighbors are read together
                self._stored[number] = self._used.pop(number).to_json()
        return code
