"""Texts of the metadata, and things that are stored once."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from tlparse_bundle.bundle.json_codec import dumps

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
