"""What tables of columns are put together from: texts stored once, columns of small numbers.

Logs can have hundreds of thousands of such rows, so a cell takes four bytes at most while the log is read.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from tlparse_bundle.format.json_codec import dumps
from tlparse_bundle.tables.json_list import JsonList
from tlparse_bundle.tables.numbers import Numbers

MAX_TEXT = 2000  # characters of one text; the whole is in the metadata of its event


def text_of(value: Any, limit: int = MAX_TEXT) -> str | None:
    """A value of the metadata as text, '…' at the end when it was cut; None for null.

    What torch could not write as JSON it wrote as text anyway; so what is no text becomes its JSON.
    """
    if value is None:
        return None
    text = value if type(value) is str else dumps(value).decode()
    return text if len(text) <= limit else text[: limit - 1] + "…"


class Interner:
    """Stores things once, in order of first use, and hands out their positions; -1 for None."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._things: list = []

    def __call__(self, thing: Any, key: Hashable = None) -> int:
        """Position of a thing; ``key`` stands for it when it cannot be hashed."""
        if thing is None:
            return -1
        key = thing if key is None else key
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._things)
            self._things.append(thing)
        return number

    def __getitem__(self, number: int) -> Any:
        return self._things[number]

    def table(self) -> list:
        return self._things


class Strings(Interner):
    """Interned texts."""

    def text(self, value: Any) -> int:
        """Position of any value of the metadata as text (see text_of)."""
        return self(text_of(value))


class Columns:
    """Columns of equal length, of numbers."""

    def __init__(self, *names: str):
        self._columns = {name: Numbers("i") for name in names}
        self._count = 0

    def add(self, **cells: Any) -> int:
        """Add a row, a cell for each column; returns its position."""
        for name, column in self._columns.items():
            column.append(cells[name])
        self._count += 1
        return self._count - 1

    def __getitem__(self, name: str) -> Any:
        return self._columns[name]

    def __len__(self) -> int:
        return self._count

    def table(self) -> dict[str, JsonList]:
        return {name: JsonList(column) for name, column in self._columns.items()}
