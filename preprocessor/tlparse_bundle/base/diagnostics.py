"""Diagnostics: parts of a log that were skipped, repaired, assumed or not understood.

Codes are registered here with severity and meaning, for the manifest, docs and viewers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypedDict

MAX_ROWS_PER_CODE = 1000


Severity = Literal["info", "warning"]


class DiagnosticRow(TypedDict):
    """A row of the table (schema: diagnostics)."""

    event: int | None
    code: str
    severity: Severity
    message: str
    line: int | None
    byte_offset: int | None
    count: int


@dataclass(frozen=True, slots=True)
class Code:
    severity: Severity
    meaning: str


CODES: dict[str, Code] = {
    "empty-log": Code(
        "warning", "The file has no bytes: the process created it and wrote no record, or was killed before."
    ),
    "not-a-record": Code(
        "warning",
        "Lines that are neither a record nor the payload of one. They are kept in the verbatim chunks only.",
    ),
    "too-large": Code(
        "warning",
        "A line of more than 16 MiB, which is taken for no record, or a record of more than 256 MiB, whose"
        " payload was left out. All bytes are in the verbatim chunks.",
    ),
    "blank-line": Code("info", "Empty lines between records; they carry nothing."),
    "byte-order-mark": Code("info", "The file starts with a UTF-8 byte order mark; it was skipped."),
    "json-syntax": Code(
        "warning",
        "The text after the record prefix is not a JSON object. The event has the type damaged_record; its"
        " text is in the metadata.",
    ),
    "record-cut": Code(
        "warning",
        "The last record has no line end and its JSON is incomplete: the process was killed, or the file was"
        " cut.",
    ),
    "payload-md5": Code(
        "warning",
        "The payload is not the one that was written: its MD5 differs from has_payload. The payload is kept"
        " as it was found.",
    ),
    "payload-missing": Code("warning", "The record announces a payload, but no payload line follows."),
    "payload-unannounced": Code(
        "warning", "Payload lines follow a record that announces none. They were kept as its payload."
    ),
    "payload-blank-lines": Code(
        "warning", "Empty lines stand between the lines of a payload; they were left out of it."
    ),
    "payload-line-ends": Code(
        "info", "The lines of the payload end in CR LF; the MD5 says that it was written with LF."
    ),
    "string-redefined": Code(
        "warning",
        "An interned string id was defined again with different text; the newest definition counts from"
        " then on.",
    ),
    "string-undefined": Code(
        "info",
        "A stack refers to an interned string id that the log does not define, as in a forked child, which"
        " uses ids of its parent. The file name of the frame is unknown.",
    ),
    "string-invalid": Code("warning", "A 'str' record does not define [text, id]."),
    "stack-invalid": Code(
        "warning",
        "A stack is not a list of frames with file, line and name; it was left in the metadata as it is.",
    ),
    "frame-fields": Code(
        "info",
        "The frames of a stack have fields that the frame table has no column for; they are in the verbatim"
        " chunks only.",
    ),
    "text-invalid": Code(
        "warning",
        "The record holds bytes that are not UTF-8, or half of a surrogate pair. In the metadata they became"
        " U+FFFD.",
    ),
    "compile-id-invalid": Code(
        "warning",
        "A part of the compile id is not a whole number of 0 or more. The event was filed without a compile"
        " id; the value is in its metadata.",
    ),
    "rank-invalid": Code(
        "warning",
        "The rank is not a whole number of 0 or more. It was ignored; the value is in the metadata.",
    ),
    "rank-mixed": Code(
        "info",
        "The log holds records of several ranks. It is filed under the rank of the file name, else under the"
        " first.",
    ),
    "rank-differs": Code(
        "warning",
        "The rank in the file name is not the one that the records carry. It is filed under that of the file"
        " name.",
    ),
    "time-invalid": Code(
        "warning", "The record prefix holds no valid time; the event has the time of the one before."
    ),
    "year-unknown": Code(
        "info",
        "The log has neither chromium events nor metrics to derive the year and the time zone from, so that"
        " times are known only relative to its first record.",
    ),
    "clock-inferred": Code(
        "info",
        "The log writes local time without year and zone; both were derived from the first chromium event.",
    ),
    "timeline-invalid": Code(
        "warning",
        "The payload of a chromium event is not a trace event. It is kept as a payload, but is not part of"
        " the timeline.",
    ),
    "timeline-misnested": Code(
        "info",
        "Spans of the timeline overlap without one lying in the other: several threads write under one thread"
        " id. The spans table puts them on lanes.",
    ),
    "timeline-unended": Code(
        "info", "Spans of the timeline have no end: the process was killed, or an exception left them."
    ),
    "timeline-backwards": Code(
        "info",
        "Spans of the timeline end before they begin: the clock was set back. Their duration was made 0.",
    ),
    "timeline-unbegun": Code(
        "info", "End events of the timeline without a begin; they are not in the spans table."
    ),
    "timeline-invalid-time": Code(
        "info", "Events of the timeline at an impossible time; they are not in the spans table."
    ),
    "timeline-other-phase": Code(
        "info",
        "Events of the timeline of a phase that torch does not write; they are not in the spans table.",
    ),
    "table-parse": Code(
        "warning",
        "The content of an event is not what its kind promises, so that a table has it as text, in part or"
        " not at all. The event itself is complete.",
    ),
    "plugin-failed": Code(
        "warning",
        "A plug-in failed. The bundle was built without what it adds; the rest is complete. The message names"
        " its package and its entry point.",
    ),
}


class Diagnostics:
    """Collects the diagnostics of one log, in file order.

    Consecutive lines with the same code become one row. After ``MAX_ROWS_PER_CODE`` rows of a code, the
    last row counts the rest.
    """

    def __init__(self) -> None:
        self._rows: list[DiagnosticRow] = []
        self._last_of_code: dict[str, DiagnosticRow] = {}
        self._rows_of_code: dict[str, int] = {}
        self._next_line: dict[str, int] = {}

    def add(
        self,
        code: str,
        message: str,
        *,
        line: int | None = None,
        byte_offset: int | None = None,
        event_index: int | None = None,
        count: int = 1,
    ) -> None:
        last = self._last_of_code.get(code)
        follows = line is not None and event_index is None and self._next_line.get(code) == line
        rows = self._rows_of_code.get(code, 0)
        if last is not None and (follows or rows >= MAX_ROWS_PER_CODE):
            last["count"] += count
        else:
            row: DiagnosticRow = {
                "event": event_index,
                "code": code,
                "severity": CODES[code].severity,
                "message": message,
                "line": line,
                "byte_offset": byte_offset,
                "count": count,
            }
            self._rows.append(row)
            self._last_of_code[code] = row
            self._rows_of_code[code] = rows + 1
        if line is not None:
            self._next_line[code] = line + count

    def merge(self, other: Diagnostics) -> None:
        """Add diagnostics of another reader of the same log."""
        for row in other._rows:
            self.add(
                row["code"],
                row["message"],
                line=row["line"],
                byte_offset=row["byte_offset"],
                event_index=row["event"],
                count=row["count"],
            )

    def messages(self, code: str) -> list[str]:
        """Return the messages of the rows with a code."""
        return [row["message"] for row in self._rows if row["code"] == code]

    def counts(self) -> dict[str, int]:
        """Return occurrences by code, sorted."""
        out: dict[str, int] = {}
        for row in self._rows:
            out[row["code"]] = out.get(row["code"], 0) + row["count"]
        return dict(sorted(out.items()))

    def rows(self) -> list[DiagnosticRow]:
        """Return the rows of the table (schema: diagnostics), in file order."""
        return sorted(self._rows, key=lambda r: (r["line"] or 0, r["byte_offset"] or 0))
