"""Values of names in generated Python code, with Python's rule of when memory is freed."""

from __future__ import annotations

from collections.abc import Iterable

from tlparse_bundle.tables.memory.accounts import Accounts, Storage
from tlparse_bundle.tables.memory.sizes import Number

Sizes = tuple[Number, ...]


class Tensor:
    """A tensor object: a reference to a storage, with a type and sizes where they are known."""

    __slots__ = ("dtype", "ended", "references", "shape", "storage", "stride")

    def __init__(
        self,
        storage: Storage,
        dtype: str | None = None,
        shape: Sizes | None = None,
        stride: Sizes | None = None,
    ):
        self.storage, self.dtype, self.shape, self.stride = storage, dtype, shape, stride
        self.references = 0
        self.ended = False


class Group:
    """A list or tuple. ``operator``: the operator whose results it has, of which only some may be known."""

    __slots__ = ("ended", "items", "line", "operator", "references", "step")

    def __init__(self, items: dict[int, Value], operator: str | None = None, line: int = 0, step: int = 0):
        self.items, self.operator, self.line, self.step = items, operator, line, step
        self.references = 0
        self.ended = False


Value = Tensor | Group | Number | None  # None: of no interest, or unknown


class Values:
    """Creates values and counts the references to them. Memory is freed when the last reference ends."""

    def __init__(self, accounts: Accounts):
        self._accounts = accounts
        self._new: list[Tensor | Group] = []  # of the current statement

    def tensor(
        self,
        storage: Storage,
        dtype: str | None = None,
        shape: Sizes | None = None,
        stride: Sizes | None = None,
    ) -> Tensor:
        value = Tensor(storage, dtype, shape, stride)
        storage.references += 1
        self._new.append(value)
        return value

    def group(self, items: Iterable[Value], operator: str | None = None) -> Group:
        value = Group(dict(enumerate(items)), operator, self._accounts.line, self._accounts.step)
        for item in value.items.values():
            self.hold(item)
        self._new.append(value)
        return value

    def hold(self, value: Value) -> None:
        if isinstance(value, Tensor | Group):
            value.references += 1

    def give(self, value: Value) -> None:
        """Drop a value that the current statement may still give a name."""
        if isinstance(value, Tensor | Group):
            value.references -= 1
            self._new.append(value)

    def drop(self, value: Value) -> None:
        if isinstance(value, Tensor | Group):
            value.references -= 1
            if value.references <= 0:
                self._end(value)

    def set_item(self, group: Group, index: int, value: Value) -> None:
        self.hold(value)
        self.drop(group.items.get(index))
        group.items[index] = value

    def clear(self, group: Group) -> None:
        items, group.items = group.items, {}
        for item in items.values():
            self.drop(item)

    def end_statement(self) -> None:
        """End what the statement created without giving it a name."""
        new, self._new = self._new, []
        for value in new:
            if value.references <= 0:
                self._end(value)

    def _end(self, value: Tensor | Group) -> None:
        if value.ended:
            return
        value.ended = True
        if isinstance(value, Group):
            self.clear(value)
            return
        value.storage.references -= 1
        if value.storage.references == 0:
            self._accounts.free(value.storage)
