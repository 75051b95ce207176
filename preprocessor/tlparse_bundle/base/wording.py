"""Formats numbers, durations, sizes, lists and code for sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence

MOST_TEXT = 2000  # characters of a text that torch wrote
MOST_LINES = 12


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return a number and noun: "1 break", "2 breaks"."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count:,} times")


def duration(us: int | float | None) -> str:
    """Return a duration as in viewers (viewers/lib/page/format.js): "1.25 s", "12 min 5 s", "840 µs",
    "unknown".
    """
    if us is None:
        return "unknown"
    if us >= 60_000_000:
        minutes, seconds = divmod(round(us / 1e6), 60)
        return f"{minutes:,} min" + (f" {seconds} s" if seconds else "")
    if us >= 1_000_000:
        return f"{_digits(us / 1e6)} s"
    return f"{_digits(us / 1e3)} ms" if us >= 1000 else f"{_digits(us)} µs"


def size(size_bytes: int) -> str:
    """Return a size in decimal units: 1.2 MB."""
    value = float(size_bytes)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    raise AssertionError


def _digits(number: float) -> str:
    """Return three significant digits, with thousands in full."""
    from decimal import ROUND_HALF_UP, Decimal  # here, since many commands word no number

    step = "0.01" if number < 9.995 else "0.1" if number < 99.95 else "1"
    text = f"{Decimal(number).quantize(Decimal(step), ROUND_HALF_UP):,}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def listed(parts: Sequence[str], most: int = 3, joint: str = "and") -> str:
    """Return a list as "a, b and c" or "a, b, c and 4 more"."""
    shown = list(parts[:most])
    if len(parts) > most:
        shown.append(f"{len(parts) - most:,} more")
    return f" {joint} ".join(filter(None, [", ".join(shown[:-1]), shown[-1]])) if shown else ""


def code(text: str) -> str:
    """Return text as code in backticks, on one line."""
    return "`" + " ".join(text.replace("`", "'").split()) + "`"


def function_name(name: str | None) -> str:
    return code(name or "(unknown function)")


def length(text: str) -> int:
    """Return the number of characters of a sentence, at most 20 of each code span: names can be long."""
    return len(re.sub("`[^`]*`", lambda span: span[0][:20], text))


def first_line(text: str | None, most: int = 200) -> str:
    """Return the first non-empty line, with the next one when it ends in a colon."""
    lines = [line.strip() for line in (text or "").split("\n") if line.strip()][:2]
    line = " ".join(lines if lines and lines[0].endswith(":") else lines[:1])
    return line if len(line) <= most else line[: most - 1] + "…"


def shortened(text: str | None) -> str | None:
    """Return the first lines of a long text."""
    if text is None:
        return None
    lines = text.split("\n")
    kept = "\n".join(lines[:MOST_LINES])
    cut = kept if len(kept) <= MOST_TEXT else kept[:MOST_TEXT]
    return cut if cut == text else cut.rstrip() + " …"


def large(text: str) -> str:
    """Return text with a capital letter; names like vLLM are unchanged."""
    return text if text[1:2].isupper() else text[:1].upper() + text[1:]
