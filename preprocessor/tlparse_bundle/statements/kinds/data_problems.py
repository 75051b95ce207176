"""Damaged logs, whose other findings can be wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tlparse_bundle.base.wording import plural
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.finding import Finding, KindReference

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import DiagnosticsRow

KINDS = ("data-problem",)
REFERENCE = {
    "data-problem": KindReference(
        title="Damaged log",
        meaning="Records or payloads of the log are missing or unreadable, so other findings can be wrong.",
        fix="Record the log again with one `TORCH_TRACE` folder per run and enough disk space.",
        not_when="If the process was killed, the end of its log is lost and everything before it is still "
        "valid.",
    ),
}
# Title and effect on findings of each diagnostic; other diagnostics do not affect findings.
_MEANS = {
    "empty-log": ("it is empty", "The process wrote no record, or was killed first."),
    "record-cut": (
        "the last record was cut",
        "The process was killed, or the file was cut. Later records are lost.",
    ),
    "json-syntax": ("{} could not be read", "Their data is missing, so counts may be too low."),
    "too-large": ("{} exceeded the size limit", "Their data is missing, so counts may be too low."),
    "not-a-record": (
        "{}",
        "Another writer uses the file, or part of it is lost, so counts may be too low.",
    ),
    "payload-missing": ("the payload of {} is missing", "Its data is missing here."),
    "payload-md5": (
        "the payload checksum of {} does not match",
        "Findings from these records may be wrong.",
    ),
}
_OF_THE_LAST = (
    "the payload checksum of the last record does not match",
    ("The process may have been killed, or the file cut, within this record. Later records are lost."),
)


def findings(facts: Facts) -> Iterator[Finding]:
    problems: dict[tuple[str, bool], list[DiagnosticsRow]] = {}
    last = facts.directory["event_count"] - 1
    for row in facts.table("diagnostics"):
        if row["code"] in _MEANS:
            problems.setdefault(
                (row["code"], row["code"] == "payload-md5" and row["event"] == last), []
            ).append(row)
    for (code, is_last), rows in problems.items():
        count = sum(row["count"] for row in rows)
        title, text = _OF_THE_LAST if is_last else _MEANS[code]
        noun = (
            ("line is not a TORCH_TRACE record", "lines are not TORCH_TRACE records")
            if code == "not-a-record"
            else ("record", "records")
        )
        yield Finding(
            "data-problem",
            "warning",
            f"The log is damaged: {title.format(plural(count, *noun))}",
            (code, "last") if is_last else (code,),
            text,
            events=[row["event"] for row in rows if row["event"] is not None],
            count=count,
            details={
                "code": code,
                "loses_records": is_last or code != "payload-md5",
                "lines": [row["line"] for row in rows if row["line"] is not None][:100],
            },
        )
