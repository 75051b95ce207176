"""Parses dynamo_graph_break_reason, the text about a graph break.

The forms: torch/_dynamo/symbolic_convert.py (log_graph_break), torch/_dynamo/convert_frame.py (a break
that skips the frame), torch/_dynamo/exc.py (unimplemented_with_warning: format_error_msg_verbose).
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import TYPE_CHECKING, TypedDict

from tlparse_bundle.tables.text.record_values import Frame, cut, exception_in, frames_in

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import GraphBreaksFollowedBy

    class ReasonFields(GraphBreaksFollowedBy):
        followed_by: list[GraphBreaksFollowedBy]

    class PlaceFields(TypedDict):
        file: str | None
        line: int | None
        function: str | None
        source_line: str | None
        user_traceback: str | None

    class BreakFields(ReasonFields, PlaceFields):
        pass


_PLACE = re.compile(r"Graph break in user code at (?P<file>.+):(?P<line>\d{1,9})$")
_REASON = re.compile(r"(?:Graph Break )?Reason: ")
# torch 2.13, and 2.6 to 2.8
_SKIP = re.compile(
    r"Graph break: (?:torch\.compile cannot properly resume from this graph break|skip: from user code at:)"
)
_OLD = re.compile(r"Graph break: (?P<reason>.*?),? from user code at:?\s*\n", re.DOTALL)
_WONT_CONVERT = re.compile(r"WON'T CONVERT (?P<function>.+?) (?P<file>\S.*) line (?P<line>\d{1,9}) ?$")
_PROCESSED = re.compile(
    r"^=+ The above exception occurred while processing the following code =+$", re.MULTILINE
)

_REASON_ENDS = re.compile(r"\n(?:Stack variable source attribution|User code traceback):\n")
_TRACEBACK_ENDS = re.compile(
    r"\n(?:Traceback \(most recent call last\):\n|NOTE: the most recent |NoneType: None\s*$)"
)
_TRACEBACK = re.compile(r"^User code traceback:\n", re.MULTILINE)
# torch/_dynamo/exc.py: unimplemented, format_graph_break_message, augment_exc_message
_ANOTHER = "\n*** While handling this graph break, another graph break occurred: ***\n"
_AUGMENTED = re.compile(
    r"\n\n?(?:from user code:\n|Set TORCH|Last frame execution written|Minifier script written|You can"
    r" suppress this exception)"
)
_SECTION = re.compile(
    r"^ {1,2}(?P<key>Explanation|Hint|Developer debug context|Higher Order Operator|"
    r"For more details about this graph break, please visit): ?",
    re.MULTILINE,
)
_GB_ID = re.compile(r"/gb/gb(\d{1,9})\.html")
_CLASS = "Unsupported: "  # of the exception, which torch 2.6 writes before the reason
_SKIPPED = "Failed to handle graph break gracefully"
_MAX_FIRST_LINE = 4000
_MAX_HINTS = 100  # of one break, and breaks in one record


class RepeatedBreaks:
    """Finds records that repeat the one before. Where a backend fails, torch logs its error, then a graph
    break with that error in the explanation (torch/_dynamo/output_graph.py, call_user_compiler). Where
    something else restarts a compile after its graph break, the next attempt comes to the same one, and
    torch 2.6 to 2.8 log it in another form if it cannot resume (torch/_dynamo/convert_frame.py).
    """

    def __init__(self) -> None:
        self._errors: dict[Hashable, str] = {}  # of the last record of an attempt, if it has one
        self._last: tuple[Hashable, ...] | None = None  # compile, reason and place of the last record

    def is_repeated(self, attempt: Hashable, compile: str | None, text: str) -> bool:
        """Whether a record describes the same break as the last one of the compile. ``text``: its payload."""
        error, last = self._errors.pop(attempt, None), self._last
        parsed = parse_break(text)
        if parsed is None or not parsed[0]["reason"]:
            self._last = compile, hash(text)
            return compile is not None and self._last == last
        fields = parsed[0]
        self._last = (
            *(compile, fields["reason"], fields["file"], fields["line"]),
            *(fields["explanation"], fields["debug_context"]),
        )
        if compile is not None and self._last == last:
            return True
        if _WONT_CONVERT.match(text[:_MAX_FIRST_LINE].partition("\n")[0]):
            self._errors[attempt] = fields["reason"]
            return False
        return error is not None and f" failed with {error}" in text


def without_advice(message: str) -> str:
    """Return the message of a Dynamo exception without user code and torch's advice."""
    match = _AUGMENTED.search(message)
    return message[: match.start()].rstrip() if match else message.strip()


def parse_reason(text: str) -> GraphBreaksFollowedBy:
    """Parse a graph break as written by format_graph_break_message; missing parts are null or empty."""
    sections: dict[str, list[str]] = {}
    marks = list(_SECTION.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    for mark, end in zip(marks, ends, strict=False):  # a text without marks has an end
        sections.setdefault(mark["key"], []).append(_unindented(text[mark.end() : end]))
    title = (text[: marks[0].start()] if marks else text).strip().removeprefix(_CLASS)
    situation = None
    before, gap, after = title.rpartition("\n\n")
    if gap and before.endswith(":"):  # what Dynamo was doing when it met the break
        situation, title = before, after
    links = sections.get("For more details about this graph break, please visit", [])
    link = links[0].split()[0] if links and links[0].split() else None
    number = _GB_ID.search(link or "")
    return {
        "reason": cut(title),
        "situation": cut(situation),
        "higher_order_operator": _first(sections, "Higher Order Operator"),
        "explanation": _first(sections, "Explanation"),
        "hints": [cut(hint) for hint in sections.get("Hint", [])[:_MAX_HINTS]],
        "debug_context": _first(sections, "Developer debug context"),
        "gb_id": f"GB{number[1]}" if number else None,
        "link": cut(link),
    }


def parse_break(text: str) -> tuple[BreakFields, list[Frame], bool] | None:
    """Return (fields of a row of graph_breaks, frames of the user's code, whether the frame is skipped).

    None when the text has none of the known forms.
    """
    first_line = text[:_MAX_FIRST_LINE].partition("\n")[0]
    match = _PLACE.match(first_line)
    if match:
        rest = _REASON.sub("", text[match.end() + 1 :], count=1)
        end = _REASON_ENDS.search(rest)
        reason = rest[: end.start()] if end else rest
        start = _TRACEBACK.search(rest)
        traceback = rest[start.end() :] if start else ""
        reasons = _reasons(reason)
        skips = (reasons["situation"] or "").startswith(_SKIPPED)
        return (
            _placed(reasons, traceback, match["file"], int(match["line"])),
            frames_in(_user_part(traceback)),
            skips,
        )
    if match := _WONT_CONVERT.match(first_line):
        processed = _PROCESSED.search(text)
        traceback = text[processed.end() :].strip("\n=") if processed else ""
        error = exception_in(text[: processed.start()] if processed else text)
        reasons = _reasons(without_advice(error[1]) if error else "")
        frames = frames_in(traceback)
        if not frames:
            placed = _placed(reasons, traceback, match["file"], int(match["line"]))
            placed["function"] = cut(match["function"])
            return placed, frames, True
        return _placed(reasons, traceback), frames, True
    skip, old = _SKIP.match(text), None
    if skip is None:
        old = _OLD.match(text)
        if old is None:
            return None
    first = text.find('  File "')
    traceback = text[first:] if first >= 0 else ""
    error = exception_in(text)
    reason = old["reason"] if old else without_advice(error[1]) if error else ""
    return _placed(_reasons(reason), traceback), frames_in(_user_part(traceback)), skip is not None


def _reasons(text: str) -> ReasonFields:
    first, *others = (parse_reason(part) for part in text.split(_ANOTHER)[:_MAX_HINTS])
    return {**first, "followed_by": others}


def _placed(
    reasons: ReasonFields, traceback: str, file: str | None = None, line: int | None = None
) -> BreakFields:
    """Add the place from the text, else from the innermost user frame."""
    traceback = _user_part(traceback)
    frames = frames_in(traceback)
    frame = next((f for f in reversed(frames) if file is None or (f.file, f.line) == (file, line)), None)
    if file is None and frame is not None:
        file, line = frame.file, frame.line
    return {
        **reasons,
        "file": cut(file),
        "line": line,
        "function": frame and frame.function,
        "source_line": frame and frame.source_line,
        "user_traceback": cut(traceback) or None,
    }


def _user_part(traceback: str) -> str:
    end = _TRACEBACK_ENDS.search(traceback)
    return (traceback[: end.start()] if end else traceback).rstrip()


def _first(sections: dict[str, list[str]], key: str) -> str | None:
    texts = sections.get(key)
    return (cut(texts[0]) or None) if texts else None


def _unindented(text: str) -> str:
    """Remove the four spaces that textwrap.indent put before lines after the first."""
    return "\n".join(line.removeprefix("    ") for line in text.rstrip().split("\n"))
