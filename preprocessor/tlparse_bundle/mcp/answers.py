"""Answers of a bounded size: rows as long as there is room, texts cut, and what was left out is said; and the
rows that no table has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from tlparse_bundle.bundle.json_codec import dumps
from tlparse_bundle.bundle.reader import Log

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import SpansRow

MOST_CHARACTERS = 12_000  # of an answer, as JSON: about 3,500 tokens
_ROOM = 200  # for what is said about what was left out
_CELL = 300  # characters of a text in a row
_MOST_LISTED = 20  # values of a list in a row
_SEARCHED_BYTES = 200_000_000  # of payloads, in one question


def cut(text: str, most: int = _CELL) -> str:
    """A text that is too long, with the number of characters that it lacks."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most:,} more characters)"


def short(value: Any, most: int = _CELL) -> Any:
    """A value of a row, however large it was: texts and lists cut, in whatever they stand."""
    if isinstance(value, str):
        return cut(value, most)
    if isinstance(value, list):
        items = [short(item, most) for item in value[:_MOST_LISTED]]
        return [*items, f"… {len(value) - _MOST_LISTED:,} more"] if len(value) > _MOST_LISTED else items
    if isinstance(value, dict):
        fields = {cut(str(key), 100): short(item, most) for key, item in list(value.items())[:_MOST_LISTED]}
        return {**fields, "…": f"{len(value) - _MOST_LISTED:,} more"} if len(value) > _MOST_LISTED else fields
    return value


def size_of(value: Any) -> int:
    """Return the size as JSON in bytes, which is at least the number of characters."""
    return len(dumps(value))


def _fitting(value: Any, room: int, most: int = _CELL) -> Any:
    """The value, cut as much as is needed to take at most so many characters; None when nothing of it is
    left.
    """
    for characters in (most, 80, 20):
        shortened = short(value, characters)
        if size_of(shortened) <= room:
            return shortened
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


def query_cell(cell: Any) -> Any:
    """Return a value of a query as a JSON value."""
    return (
        cell
        if cell is None or isinstance(cell, bool | int | float | str | list | dict)
        else cell.hex()
        if isinstance(cell, bytes)
        else str(cell)
    )


def matches(log: Log, text: bytes, name: str | None) -> Iterator[dict[str, Any]]:
    """Lines of the artifacts of a log, or of those of one name, that hold a text."""
    seen: set[str | None] = {None}
    left = _SEARCHED_BYTES
    for artifact in log.artifacts:
        if artifact.sha256 in seen or name not in (None, artifact.name):
            continue
        seen.add(artifact.sha256)
        left -= artifact.size_bytes
        if left < 0:
            yield {"note": f"only {_SEARCHED_BYTES / 1e6:.0f} MB are searched; name an artifact"}
            return
        data = artifact.bytes() or b""
        start = 0
        while (at := data.find(text, start)) >= 0:
            begin, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
            start = len(data) if end < 0 else end + 1
            line = (
                data[max(begin, at - 120) : min(start, at + len(text) + 120)]
                .decode("utf-8", "replace")
                .rstrip("\n")
            )
            yield {
                "compile": artifact.row["compile"],
                "artifact": artifact.name,
                "line": data.count(b"\n", 0, at) + 1,
                "text": line,
            }


def span_sums(spans: Iterable[SpansRow], compile: str) -> list[dict[str, Any]]:
    """How often the spans of a compile occur, by name, and their time with and without the spans within."""
    spans = list(spans)
    within = [0] * len(spans)
    for span in spans:
        if span["parent"] is not None and span["duration_us"] is not None:
            within[span["parent"]] += span["duration_us"]
    sums: dict[str, tuple[int, int, int]] = {}
    for span in spans:
        duration = span["duration_us"]
        if span["compile"] == compile and duration is not None:
            count, total, own = sums.get(span["name"], (0, 0, 0))
            sums[span["name"]] = count + 1, total + duration, own + max(0, duration - within[span["id"]])
    rows: list[dict[str, Any]] = [
        {"span": name, "count": count, "total_us": total, "self_us": own}
        for name, (count, total, own) in sums.items()
    ]
    return sorted(rows, key=lambda row: -row["self_us"])
