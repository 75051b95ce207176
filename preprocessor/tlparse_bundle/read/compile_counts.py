"""What came of the compiles of a log, in numbers that add up to the number of its compiles.

The compile table has a row for each attempt, and rows that are not compiles of functions: tries that torch refused, captures,
exports. The number of compiles in the headline counts each compile once (schema: manifest, 'summary').
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from tlparse_bundle.errors import BundleError
from tlparse_bundle.findings.facts import Facts
from tlparse_bundle.format.schemas import row_tables
from tlparse_bundle.read.growing import running_in
from tlparse_bundle.read.reader import Log

RESTARTED, REFUSED, RUNNING, UNKNOWN = "restarted", "refused", "running", "unknown"


@dataclass(frozen=True)
class CompileCounts:
    """``compile_count``: as in the headline. ``statuses``: how many compiles have each, in all ``compile_count``; ``rows``: a status for each row of the compile table."""

    compile_count: int
    statuses: dict[str, int]
    rows: list[str | None]


def compile_counts(log: Log) -> CompileCounts:
    """Count the compiles of a log by status. A bundle older than format 1.2 counts the rows that have an id."""
    running = running_in(log.bundle.manifest, log.id)
    rows = [RUNNING if index in running else compile.status for index, compile in enumerate(log.compiles)]
    summary = log.row.get("summary")
    if summary is None:
        found = Counter(rows[compile.index] or UNKNOWN for compile in log.compiles if compile.id is not None)
        return CompileCounts(log.row["compile_count"], dict(sorted(found.items())), rows)
    facts = Facts(_Files(log))
    found = Counter(rows[frame.rows[-1]] or UNKNOWN for frame in facts.compiled)
    for frame in facts.frames:
        for index in frame.rows[:-1]:
            rows[index] = RESTARTED
    for index in facts.not_begun:
        rows[index] = REFUSED
    counts = dict(sorted(found.items()))
    counts |= {name: summary[key] for name, key in (("ahead-of-time", "ahead_of_time_count"), ("exported", "export_count")) if summary[key]}
    left = summary["compile_count"] - sum(counts.values())
    return CompileCounts(summary["compile_count"], counts if left == 0 else {**counts, UNKNOWN: counts.get(UNKNOWN, 0) + left} if left > 0 else {}, rows)


class _Files:
    """The tables of a bundle, as findings read them. In a redacted bundle some are not there: they say nothing."""

    def __init__(self, log: Log):
        self._log = log
        self.directory = log.directory

    def table(self, name: str) -> Any:
        try:
            return self._log.table(name)
        except BundleError as error:
            if error.code == "not-found":
                return [] if name in row_tables() else {name: []}
            raise

    def lists(self, name: str) -> dict | None:
        return None

    def last_epoch_us(self) -> int | None:
        return None
