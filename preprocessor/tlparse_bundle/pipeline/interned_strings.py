"""Names of files that another log of the same process defines.

torch writes the name of a file once, when a stack has it first, with the number that stands for it from then
on. A process that closes its log and begins another one (torch.export.draft_export does) goes on with its
numbers: the second log lacks the names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any

from tlparse_bundle.base.diagnostics import Diagnostics
from tlparse_bundle.log.envelope import EventDecoder
from tlparse_bundle.log.log_file import LogFile
from tlparse_bundle.pipeline.log_records import LogRecords
from tlparse_bundle.pipeline.log_writer import LogSummary

_CODE = "string-undefined"


def strings_from_others(
    logs: Sequence[LogFile],
    summaries: Sequence[LogSummary],
    map_: Callable[..., list[Any]],
    lacking: set[str] | None = None,
) -> dict[str, dict[int, str]]:
    """The strings that others define for the logs that lack some, by id of the log.

    ``map_``: as that of an executor. Others are logs of the same rank that name the same process ids. What
    two of them say differently is left out, and so is what comes from a process that merely got the number of
    an earlier one: it defines its own.
    ``lacking``: ids of logs that were found to lack some before, and got them; those that are found now are
    added.
    """
    lacking = set() if lacking is None else lacking
    lacking.update(summary.row["id"] for summary in summaries if _CODE in summary.row["diagnostics"])
    by_id = {log.id: log for log in logs}
    of_process: dict[tuple[int | None, int], set[str]] = {}
    for summary in summaries:
        for pid in summary.pids:
            of_process.setdefault((summary.row["rank"], pid), set()).add(summary.row["id"])
    others: dict[str, set[str]] = {}
    for summary in summaries:
        if summary.row["id"] in lacking:
            found = set().union(*(of_process[summary.row["rank"], pid] for pid in summary.pids)) - {
                summary.row["id"]
            }
            if found:
                others[summary.row["id"]] = found
    asked = sorted({log_id for ids in others.values() for log_id in ids})
    defined = dict(zip(asked, map_(_strings_of, [(by_id[log_id],) for log_id in asked]))) if asked else {}
    return {
        log_id: agreed
        for log_id, ids in others.items()
        if (agreed := _agreed([defined[other] for other in ids]))
    }


def _agreed(tables: Sequence[dict[int, str]]) -> dict[int, str]:
    found: dict[int, str | None] = {}
    for table in tables:
        for number, text in table.items():
            found[number] = text if found.get(number, text) == text else None
    return {number: text for number, text in found.items() if text is not None}


def _strings_of(log: LogFile) -> dict[int, str]:
    """The strings that a log defines."""
    decoder = EventDecoder(Diagnostics())
    with closing(LogRecords(log)) as records:
        for record in records:
            if record is not None and record.prefix is not None:
                decoder.decode(record)
    return decoder.stack_reader.strings
