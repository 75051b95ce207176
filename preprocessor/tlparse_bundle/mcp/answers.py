"""Answers of a bounded size: rows as long as there is room, texts cut, and what was left out is said."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tlparse_bundle.bundle.json_codec import dumps

MOST_CHARACTERS = 12_000  # of an answer, as JSON: about 3,500 tokens
_ROOM = 200  # for what is said about what was left out
_CELL = 300  # characters of a text in a row
_MOST_LISTED = 20  # values of a list in a row


def cut(text: str, most: int = _CELL) -> str:
    """A text that is too long, with the number of characters that it lacks."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most:,} more characters)"


def short(value: Any, most: int = _CELL) -> Any:
    """A value of a row, however large it was: texts and lists cut, in whatever they stand."""
    if isinstance(value, str):
        return cut(value, most)
    if isinstance(value, list):
        found = [short(item, most) for item in value[:_MOST_LISTED]]
        return [*found, f"… {len(value) - _MOST_LISTED:,} more"] if len(value) > _MOST_LISTED else found
    if isinstance(value, dict):
        found = {cut(str(key), 100): short(item, most) for key, item in list(value.items())[:_MOST_LISTED]}
        return {**found, "…": f"{len(value) - _MOST_LISTED:,} more"} if len(value) > _MOST_LISTED else found
    return value


def size_of(value: Any) -> int:
    """Bytes as JSON; no text has more characters."""
    return len(dumps(value))


def _fitting(value: Any, room: int, most: int = _CELL) -> Any:
    """The value, cut as much as is needed to take at most so many characters; None when nothing of it is
    left.
    """
    for characters in (most, 80, 20):
        found = short(value, characters)
        if size_of(found) <= room:
            return found
    return None


def answer(
    head: dict[str, Any], name: str, rows: Iterable[Any], *, total: int | None = None, offset: int = 0
) -> dict[str, Any]:
    """``head`` with as many of the rows as there is room for; ``total``: how many there are in all, when that
    is known.

    The whole has at most ``MOST_CHARACTERS`` as JSON.
    """
    out: dict[str, Any] = {}
    room = MOST_CHARACTERS - _ROOM - len(name)
    for key, value in head.items():
        if value is not None and (fitting := _fitting(value, room // 3, 2000)) is not None:
            out[key] = fitting
            room -= size_of({key: fitting})
    kept: list[Any] = []
    more = False
    for row in rows:
        row = (
            {key: value for key, value in row.items() if value is not None} if isinstance(row, dict) else row
        )
        fitting = _fitting(row, room) if not kept else short(row)
        size = size_of(fitting) + 1
        if fitting is None or size > room:
            more = True
            break
        kept.append(fitting)
        room -= size
    out[name] = kept
    if more or (total is not None and offset + len(kept) < total):
        out["left_out"] = f"{total - offset - len(kept):,} more" if total is not None else "there are more"
        out["next_offset"] = offset + len(kept)
    return out
