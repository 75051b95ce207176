"""Items by number, kept compressed like rows, for what only some of the numbers have."""

from __future__ import annotations

from array import array
from typing import Any, Generic, TypeVar

from tlparse_bundle.tables.rows import JsonList

Item = TypeVar("Item")


class LatestItems(Generic[Item]):
    """The latest item, a JSON value, of each number from 0. Numbers without one take 4 bytes."""

    def __init__(self) -> None:
        self._places = array("i")
        self._items: JsonList[Any] = JsonList()

    def __setitem__(self, number: int, item: Item) -> None:
        missing = number + 1 - len(self._places)
        if missing > 0:
            self._places.extend([-1] * missing)
        self._places[number] = len(self._items)
        self._items.append(item)

    def __contains__(self, number: int) -> bool:
        return number < len(self._places) and self._places[number] >= 0

    def get(self, number: int) -> Item | None:
        """Return the item of a number; None without one."""
        if number not in self:
            return None
        item: Item = self._items[self._places[number]]
        return item
