"""Measured run times of a comparison, as sections for terminal and Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tlparse_bundle.base.machine_text import tail
from tlparse_bundle.base.wording import code, duration, first_line, plural

MOST_ROWS = 5
_MOST_CODE = 60  # characters


class TimeRow(NamedTuple):
    """A kernel or a line that changed."""

    change: str
    name: str
    times: str  # "1.2 ms → 1.9 ms"


class TimeSection(NamedTuple):
    title: str
    rows: Sequence[TimeRow]
    left_out: int


def time_sections(document: Mapping[str, Any]) -> Iterator[TimeSection]:
    """Yield the kernels and the lines that changed, of the log whose kernel time changed most."""
    logs = [log["run_time"] for log in document["logs"] if log["run_time"] is not None]
    logs = [log for log in logs if log["missing"] is None]
    if not logs:
        return
    log = max(logs, key=lambda log: abs(log["new_us"] - log["base_us"]))
    total = f"Measured kernel time: {duration(log['base_us'])} → {duration(log['new_us'])}"
    kernels = [_kernel(row) for row in log["kernels"] if row["change"] != "same"]
    lines = [_line(row) for row in log["lines"] if row["change"] != "same"]
    changed = f"{plural(len(kernels), 'kernel')} changed" if kernels else "no kernel changed beyond noise"
    yield TimeSection(f"{total}, {changed}", kernels[:MOST_ROWS], max(0, len(kernels) - MOST_ROWS))
    if lines:
        yield TimeSection("Source lines", lines[:MOST_ROWS], max(0, len(lines) - MOST_ROWS))


def _kernel(row: Mapping[str, Any]) -> TimeRow:
    names = dict.fromkeys(name for name in (row["base_name"], row["new_name"]) if name is not None)
    return TimeRow(row["change"], " → ".join(map(code, names)), _times(row))


def _line(row: Mapping[str, Any]) -> TimeRow:
    text = f"{code(first_line(row['code'], _MOST_CODE))} " if row["code"] else ""
    return TimeRow(row["change"], f"{text}({tail(row['file'])}:{row['line']})", _times(row))


def _times(row: Mapping[str, Any]) -> str:
    base, new = (None if row[key] is None else duration(row[key]) for key in ("base_us", "new_us"))
    return f"{base or '–'} → {new or '–'}"
