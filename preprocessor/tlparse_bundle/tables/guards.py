"""Guards of each compile: kinds, sources, and the cost of one check."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict

from tlparse_bundle.bundle.json_codec import dumps
from tlparse_bundle.guards.predicates import MANAGER, NODE, SOURCE
from tlparse_bundle.log.event import Event
from tlparse_bundle.log.json_text import parse_json
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.table import ParseCache, TableContext, place_of
from tlparse_bundle.tables.text.record_values import payload_text, text_of, unexpected

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import GuardsRow, GuardTreesRow

    class _TreeFields(TypedDict):
        form: Literal["tree", "list"]
        guard_count: int
        latency_us: float | None
        list: int
        row_count: int
        manager_count: int
        counts: dict[str, int]


_MAX_ROWS = 5000  # guards of one list that get a row; all are counted
_MAX_LINE = 4000  # characters of a line in which kind, place and source are looked for
_MAX_REMEMBERED = 1000  # characters of a line that is remembered
_MAX_KINDS = 256  # torch has some fifty
_PLACE = re.compile(r"  # (?P<file>[^#]*?):(?P<line>\d{1,9}) in (?P<function>\S+)")
# At the beginning of a line, which '^' would look for at every character.
_LATENCY = re.compile(r"Guard latency = (?<![^\n]Guard latency = )(?P<us>\d{1,12}(?:\.\d{1,9})?) us")
# A row of 'guards' but its list. A log can have millions: they are put together from JSON that was written
# once.
_ROW = b',"payload_line":%d,"kind":%b,"source":%b,"depth":%d,%b}'
_NO_PLACE = b'"file":null,"line":null,"function":null'
_NULL = b"null"


class _Node(NamedTuple):
    """A line of a guard tree, with the JSON of its fields."""

    is_manager: bool
    kind: str
    kind_json: bytes
    depth: int
    json: bytes  # of a manager, its source, b"" when it names none; of a guard, the fields of its place


@lru_cache(4096)
def _node(line: str) -> _Node | None:
    """Parse a line of a guard tree; return None for other lines. Cached, since compiles of a function share
    most lines.
    """
    node = NODE.match(line)
    if node is None:
        return None
    kind, rest, depth = node["kind"].strip(), node["text"] or "", len(node["indent"]) // 2
    if MANAGER.match(kind):
        source = SOURCE.search(rest)
        return _Node(True, kind, b"", depth, dumps(text_of(source["source"])) if source else b"")
    place = _PLACE.search(rest)
    if place is None:
        return _Node(False, kind, dumps(kind), depth, _NO_PLACE)
    cells = {
        "file": text_of(place["file"]),
        "line": int(place["line"]),
        "function": text_of(place["function"]),
    }
    return _Node(False, kind, dumps(kind), depth, dumps(cells)[1:-1])


class _List(NamedTuple):
    """Guards of a payload."""

    rows: list[bytes]  # see _ROW
    guard_count: int
    manager_count: int
    counts: dict[str, int]


class Guards:
    name = "guards"
    types = frozenset(("dynamo_cpp_guards_str", "dynamo_guards"))

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._trees: Rows[GuardTreesRow] = Rows()
        self._guards: Rows[GuardsRow] = Rows()
        self._lists: dict[bytes, int] = {}
        self._read = ParseCache(self._parse)

    def observe(self, event: Event) -> None:
        if event.type == "dynamo_guards" and event.payload and event.payload.split() == [b"[", b"]"]:
            return  # torch 2.4 and 2.5 write it beside each tree
        fields, complaint = self._read(event.hash and (event.type, event.hash), event)
        if complaint is not None:
            unexpected(self._diagnostics, event, complaint)
        self._trees.append({**place_of(event), **fields})

    def _parse(self, event: Event) -> tuple[_TreeFields, str | None]:
        """Return the fields of a row of 'guard_trees', and the problem with the payload."""
        text, complaint, latency = payload_text(event), None, None
        if event.type == "dynamo_guards":
            guards = _guards(text)
            if guards is None:
                complaint = "not a list of guards"
            # torch writes each on a line, below a bracket, without kind and source.
            rows = [
                _ROW % (number + 1, _NULL, _NULL, 0, _NO_PLACE)
                for number in range(min(len(guards or ()), _MAX_ROWS))
            ]
            guard_list = _List(rows, len(guards or ()), 0, {})
        else:
            guard_list, latency = _tree(text), _LATENCY.search(text)
            if not guard_list.manager_count and not guard_list.counts:
                complaint = "not a tree of guards"
        fields: _TreeFields = {
            "form": "list" if event.type == "dynamo_guards" else "tree",
            "guard_count": guard_list.guard_count,
            "latency_us": float(latency["us"]) if latency else None,
            "list": self._intern(guard_list),
            "row_count": len(guard_list.rows),
            "manager_count": guard_list.manager_count,
            "counts": guard_list.counts,
        }
        return fields, complaint

    def _intern(self, guard_list: _List) -> int:
        """Return the id of a list. Equal lists, as of one function compiled for different sizes, share an
        id.
        """
        rows = b"\n".join(guard_list.rows)
        key = hashlib.sha256(dumps([guard_list.manager_count, guard_list.counts]) + rows).digest()
        number = self._lists.get(key)
        if number is None:
            number = self._lists[key] = len(self._lists)
            start = b'{"list":%d' % number
            self._guards.add_lines([start + row for row in guard_list.rows])
        return number

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        yield "guard_trees", self._trees
        yield "guards", self._guards


def _tree(text: str) -> _List:
    rows: list[bytes] = []
    counts: dict[str, int] = {}
    managers = 0
    sources: list[bytes] = []  # of the managers above, by depth
    for number, line in enumerate(text.split("\n")):
        node = _node(line) if len(line) <= _MAX_REMEMBERED else _node.__wrapped__(line[:_MAX_LINE])
        if node is None:
            continue
        is_manager, kind, kind_json, depth, json = node
        del sources[depth:]
        source = sources[-1] if sources else _NULL
        if is_manager:
            managers += 1
            sources += [source] * (depth - len(sources)) + [json or source]
            continue
        if kind not in counts and len(counts) >= _MAX_KINDS:
            kind, kind_json = "OTHER", b'"OTHER"'
        counts[kind] = counts.get(kind, 0) + 1
        if len(rows) < _MAX_ROWS:
            rows.append(_ROW % (number, kind_json, source, depth, json))
    return _List(rows, sum(counts.values()), managers, counts)


def _guards(text: str) -> list[Any] | None:
    """Return [{code, stack, user_stack}], which torch 2.13 writes for aliasing guards only; None for other
    payloads.
    """
    try:
        guards = parse_json(text)
    except ValueError:
        return None
    return guards if type(guards) is list else None
