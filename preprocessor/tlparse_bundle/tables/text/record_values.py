"""Values of records as tables hold them: texts of a bounded size, numbers, payloads, tracebacks in texts."""

from __future__ import annotations

import re
from typing import Any, NamedTuple, overload

from tlparse_bundle.base.diagnostics import Diagnostics
from tlparse_bundle.bundle.json_codec import dumps
from tlparse_bundle.log.event import Event
from tlparse_bundle.log.json_text import parse_json

MAX_TEXT = 20_000  # characters of one text; the whole is in the payload or the metadata of its event
MAX_METADATA_TEXT = 2000  # the same of a text that is in the metadata

# What Python writes between an exception and the one raised because of it (Lib/traceback.py).
_CHAINED = re.compile(
    r"^(?:During handling of the above exception, another exception occurred|"
    r"The above exception was the direct cause of the following exception):\n\n(?=Traceback )",
    re.MULTILINE,
)
# Types of the exceptions of a recompile limit (torch/_dynamo/exc.py); before 2.6 it was the cache's.
RECOMPILE_LIMIT = re.compile(r"(?:Recompile|Cache)Limit")
_CLASS = re.compile(r"<class '(?:[^']*\.)?([^'.]+)'>")
_TRACEBACK = "Traceback (most recent call last):\n"
_FRAME = re.compile(r'^ *File "(?P<file>.*)", line (?P<line>\d{1,9})(?:, in (?P<function>.*))?$')
_TYPE = re.compile(r"(?P<type>[^\s:()'\"]+)(?::(?: |$)|$)", re.MULTILINE)


class Frame(NamedTuple):
    file: str
    line: int | None
    function: str | None
    source_line: str | None


@overload
def cut(text: str) -> str: ...
@overload
def cut(text: None) -> None: ...
@overload
def cut(text: str | None) -> str | None: ...
def cut(text: str | None) -> str | None:
    """Return a text, cut with '…' if too long."""
    return text if text is None or len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"


@overload
def text_of(value: str, limit: int = MAX_METADATA_TEXT) -> str: ...
@overload
def text_of(value: object, limit: int = MAX_METADATA_TEXT) -> str | None: ...
def text_of(value: object, limit: int = MAX_METADATA_TEXT) -> str | None:
    """Return a metadata value as text, cut with '…' if too long; None for null. Other values become JSON."""
    if value is None:
        return None
    text = value if type(value) is str else dumps(value).decode()
    return text if len(text) <= limit else text[: limit - 1] + "…"


def text_or_none(value: object) -> str | None:
    """Return a metadata value that should be text."""
    return cut(value) if type(value) is str else None


def as_text(value: object) -> str | None:
    """Return any value as Python writes it; None for None."""
    return None if value is None else cut(value if type(value) is str else str(value))


def number_or_none(value: object) -> float | None:
    """Return a value that should be a number."""
    return value if (type(value) is int or type(value) is float) and abs(value) < 2**53 else None


def count_or_none(value: object) -> int | None:
    """Return a value that should be a count."""
    return value if type(value) is int and 0 <= value < 2**53 else None


def microseconds(value: object, factor: float) -> int | None:
    """Return a duration in whole microseconds; None when it is not a number of 0 or more."""
    number = number_or_none(value)
    return None if number is None or not 0 <= number * factor < 2**53 else round(number * factor)


def payload_json(event: Event) -> Any:
    """Return the payload parsed as JSON; None when it is not JSON."""
    try:
        return parse_json(event.payload or b"")
    except ValueError:
        return None


def payload_text(event: Event) -> str:
    return (event.payload or b"").decode("utf-8", "replace")


def unexpected(diagnostics: Diagnostics, event: Event, what: str) -> None:
    name = event.type if event.name is None else f"{event.type} {event.name:.60}"
    diagnostics.add(
        "table-parse",
        f"{name}: {what}",
        line=event.line,
        byte_offset=event.byte_offset,
        event_index=event.index,
    )


def frames_in(text: str) -> list[Frame]:
    """Return the frames that traceback.format_list wrote, outermost first."""
    frames = []
    lines = text.split("\n")
    for number, line in enumerate(lines):
        match = _FRAME.match(line)
        if match is None:
            continue
        below = lines[number + 1] if number + 1 < len(lines) else ""
        code = cut(below.strip()) if below.startswith("    ") and _FRAME.match(below) is None else None
        function = match["function"]
        frames.append(Frame(cut(match["file"]), int(match["line"]), cut(function), code or None))
    return frames


def exception_in(text: str) -> tuple[str | None, str] | None:
    """Return (type, message) of the exception that a traceback ends with; None without a traceback.

    Of chained exceptions the last counts. A message may contain another traceback, as of a failed compile
    worker, so this takes the first traceback after the last link.
    """
    start = max((match.end() for match in _CHAINED.finditer(text)), default=0)
    start = text.find(_TRACEBACK, start)
    if start < 0:
        return None
    position = start + len(_TRACEBACK)
    while text.startswith(" ", position):  # frames, their lines and carets are all indented
        end = text.find("\n", position)
        position = len(text) if end < 0 else end + 1
    match = _TYPE.match(text, position)
    if match is None:
        return None, text[position:].strip()
    return match["type"], text[match.end() :].strip()


def class_name(text: str) -> str:
    """Return the name of an exception class; torch 2.4 wrote ``<class 'torch._dynamo.exc.Unsupported'>``."""
    match = _CLASS.fullmatch(text)
    return match[1] if match else text
