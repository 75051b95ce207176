"""Answers of limited size, with the number of rows left out, and rows computed for tools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from tlparse_bundle.bundle.json_codec import dumps
from tlparse_bundle.bundle.reader import Log

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import SpansRow

MOST_CHARACTERS = 12_000  # of an answer, as JSON: about 3,500 tokens
_ROOM = 200  # characters for 'left_out' and 'next_offset'
_CELL = 300  # most characters of a text in a row
_MOST_LISTED = 20  # most values of a list in a row
_SEARCHED_BYTES = 200_000_000  # of payloads per call


def cut(text: str, most: int = _CELL) -> str:
    """Cut a text that is too long, and append the number of missing characters."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most:,} more characters)"


def short(value: Any, most: int = _CELL) -> Any:
    """Cut the texts, lists and objects in a value, at any depth."""
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
    """Return the size as JSON in bytes, an upper bound of the characters."""
    return len(dumps(value))


def _fitting(value: Any, room: int, most: int = _CELL) -> Any:
    """Cut a value to at most ``room`` characters; return None if that is impossible."""
    for characters in (most, 80, 20):
        shortened = short(value, characters)
        if size_of(shortened) <= room:
            return shortened
    return None


def answer(
    head: dict[str, Any], name: str, rows: Iterable[Any], *, total: int | None = None, offset: int = 0
) -> dict[str, Any]:
    """Return ``head`` with as many rows as fit into ``MOST_CHARACTERS`` of JSON; ``total`` may be unknown."""
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


def matches(log: Log, text: bytes, name: str | None) -> Iterator[dict[str, Any]]:
    """Yield the lines that contain a text, in all artifacts of a log or in those of one name."""
    seen: set[str | None] = {None}
    left = _SEARCHED_BYTES
    for artifact in log.artifacts:
        if artifact.sha256 in seen or name not in (None, artifact.name):
            continue
        seen.add(artifact.sha256)
        left -= artifact.size_bytes
        if left < 0:
            yield {"note": f"Only the first {_SEARCHED_BYTES / 1e6:.0f} MB were searched. Pass 'artifact'."}
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
    """Return count, total time and self time of the spans of a compile by name."""
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
