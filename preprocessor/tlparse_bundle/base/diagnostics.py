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
        "warning", "The file is empty. The process wrote no record, or was killed before it could."
    ),
    "not-a-record": Code(
        "warning",
        "Lines that are neither a record nor its payload. Only the verbatim chunks keep them.",
    ),
    "too-large": Code(
        "warning",
        "A line of more than 16 MiB, which was not read as a record, or a record of more than 256 MiB, whose"
        " payload was left out. The verbatim chunks keep all bytes.",
    ),
    "blank-line": Code("info", "Empty lines between records. They contain no data."),
    "byte-order-mark": Code("info", "The file starts with a UTF-8 byte order mark, which was skipped."),
    "json-syntax": Code(
        "warning",
        "The text after the record prefix is not a JSON object. The event has the type damaged_record, and"
        " the metadata keeps its text.",
    ),
    "record-cut": Code(
        "warning",
        "The last record is incomplete: its JSON and its line end are cut off. The process was killed, or the"
        " file was truncated.",
    ),
    "payload-md5": Code(
        "warning",
        "The MD5 of the payload differs from has_payload, so the payload changed after it was written. It is"
        " kept as found.",
    ),
    "payload-missing": Code("warning", "The record announces a payload, but no payload line follows."),
    "payload-unannounced": Code(
        "warning", "Payload lines follow a record that announces no payload. They are kept as its payload."
    ),
    "payload-blank-lines": Code(
        "warning", "The payload has empty lines between its lines. They were left out."
    ),
    "payload-line-ends": Code(
        "info", "The lines of the payload end in CR LF, but its MD5 shows that torch wrote LF."
    ),
    "guard-disagreement": Code(
        "warning",
        "torch says that a guard failed before a recompile, but the guard holds for what the log records of"
        " the call. The fixes of that function may be wrong.",
    ),
    "string-redefined": Code(
        "warning",
        "An interned string id was defined twice, with different text. Later records use the newer"
        " definition.",
    ),
    "string-undefined": Code(
        "info",
        "A stack refers to an interned string id that the log does not define, for example because a forked"
        " child uses ids of its parent. The file name of the frame is unknown.",
    ),
    "string-invalid": Code("warning", "A 'str' record is not [text, id]."),
    "stack-invalid": Code(
        "warning",
        "A stack is not a list of frames with file, line and name. It stays in the metadata unchanged.",
    ),
    "frame-fields": Code(
        "info",
        "Frames of a stack have fields without a column in the frame table. Only the verbatim chunks keep"
        " them.",
    ),
    "text-invalid": Code(
        "warning",
        "The record contains invalid UTF-8 or half of a surrogate pair, replaced by U+FFFD in the metadata.",
    ),
    "compile-id-invalid": Code(
        "warning",
        "A part of the compile id is not a non-negative integer. The event has no compile id, and its"
        " metadata keeps the value.",
    ),
    "rank-invalid": Code(
        "warning",
        "The rank is not a non-negative integer. It was ignored, and the metadata keeps the value.",
    ),
    "rank-mixed": Code(
        "info",
        "The log has records of several ranks. It counts as the rank in the file name, or else as the first"
        " one.",
    ),
    "rank-differs": Code(
        "warning",
        "The file name and the records disagree about the rank. The file name counts.",
    ),
    "time-invalid": Code(
        "warning", "The record prefix has no valid time. The event has the time of the previous record."
    ),
    "year-unknown": Code(
        "info",
        "The log has no chromium events or metrics to derive the year and time zone from. Times are relative"
        " to its first record.",
    ),
    "clock-inferred": Code(
        "info",
        "The log has local times without year and time zone. Both were derived from the first chromium"
        " event.",
    ),
    "timeline-invalid": Code(
        "warning",
        "The payload of a chromium event is not a trace event. It is kept, but is not part of the timeline.",
    ),
    "timeline-misnested": Code(
        "info",
        "Timeline spans overlap without being nested, because several threads share one thread id. The spans"
        " table puts them on separate lanes.",
    ),
    "timeline-unended": Code(
        "info", "Timeline spans have no end, because the process was killed or an exception was raised."
    ),
    "timeline-backwards": Code(
        "info",
        "Timeline spans end before they begin, because the clock was set back. Their duration is 0.",
    ),
    "timeline-unbegun": Code(
        "info", "Timeline events end a span that never began. They are not in the spans table."
    ),
    "timeline-invalid-time": Code(
        "info", "Timeline events have an impossible time. They are not in the spans table."
    ),
    "timeline-other-phase": Code(
        "info",
        "Timeline events have a phase that torch does not write. They are not in the spans table.",
    ),
    "table-parse": Code(
        "warning",
        "An event does not have the format that its kind has. A table has it as text, in part, or not at all."
        " The event itself is complete.",
    ),
    "kernel-unlisted": Code(
        "warning",
        "Generated code calls kernels that neither torch's provenance map nor a comment of the code names."
        " The provenance tables lack them.",
    ),
    "flight-recorder-unreadable": Code(
        "warning",
        "A file that --flight-recorder names is not a Flight Recorder dump that can be read. The bundle lacks"
        " its calls.",
    ),
    "flight-recorder-partly": Code(
        "warning", "Entries of a Flight Recorder dump do not have the format of torch and were left out."
    ),
    "flight-recorder-repeated": Code(
        "info", "A rank has several Flight Recorder dumps. The one with the newest call was read."
    ),
    "flight-recorder-unmatched": Code("info", "Ranks have only a log or only a Flight Recorder dump."),
    "profile-unreadable": Code(
        "warning",
        "A file that --profile or add-profile names is not a trace of torch.profiler that can be read. The"
        " bundle lacks its times.",
    ),
    "profile-partly": Code(
        "warning", "A profiler trace is damaged, cut off or too large. The bundle has the times of a part."
    ),
    "profile-unassigned": Code(
        "warning",
        "Which log a profiler trace belongs to cannot be decided from its rank, process and names. The bundle"
        " lacks its times.",
    ),
    "plugin-failed": Code(
        "warning",
        "A plug-in failed, so the bundle lacks what it adds. Everything else is complete. The message names"
        " its package and entry point.",
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
