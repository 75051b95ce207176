"""Finds and reads Flight Recorder dumps for a build, and takes them from bundles for a merge."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.bundle.checks import damaged
from tlparse_bundle.bundle.reader import Bundle
from tlparse_bundle.log.flight_recorder.dump import BadDump, Dump, read_dump
from tlparse_bundle.pipeline.matching_files import matching_files
from tlparse_bundle.pipeline.workers import Executor
from tlparse_bundle.statements.ranks.flight_recorder.recorded import (
    DUMPS,
    TABLES,
    Recorded,
    dumps_of_tables,
    joined,
    most_calls,
)
from tlparse_bundle.statements.ranks.rank_sets import ranges
from tlparse_bundle.statements.ranks.wording import ranks_text

UNREADABLE, PARTLY = "flight-recorder-unreadable", "flight-recorder-partly"
REPEATED, UNMATCHED = "flight-recorder-repeated", "flight-recorder-unmatched"
Problems = dict[str, list[str]]  # messages by code


class Dumps(NamedTuple):
    """The dumps of a job, and problems in reading them."""

    recorded: Recorded
    problems: Problems

    def problems_with(self, ranks: Iterable[int]) -> Problems:
        """Return the problems, with those of ranks that only have a dump or only a log. ``ranks``: with a
        log.
        """
        without_log = [row["rank"] for row in self.recorded.dumps if row["log"] is None]
        without_dump = set(ranks).difference(row["rank"] for row in self.recorded.dumps)
        messages = []
        if without_log:
            messages.append(
                f"The bundle has no log of {ranks_text(ranges(without_log))}, so the compiles of the calls in"
                f" {'its dump' if len(without_log) == 1 else 'their dumps'} are unknown."
            )
        if without_dump:
            messages.append(f"No dump covers {ranks_text(ranges(without_dump))}.")
        return self._and(messages)

    def problems_without_ranks(self) -> Problems:
        """Return the problems of dumps whose job has no log with a rank."""
        return self._and(["No log has a rank, so the Flight Recorder dumps are not in the bundle."])

    def _and(self, messages: list[str]) -> Problems:
        found = {**self.problems, UNMATCHED: messages}
        return {code: sorted(set(messages)) for code, messages in found.items() if messages}


def find_dumps(patterns: Sequence[str]) -> list[Path]:
    """Return the files that match patterns; of a folder, all files in it. Raise BundleError for none."""
    return matching_files(
        patterns,
        option="--flight-recorder",
        files="dumps",
        code="dumps",
        example="/tmp/nccl_trace_rank_*",
    )


def read_dumps(paths: Sequence[Path], workers: Executor | None) -> Dumps:
    """Return the content of dumps, read by workers if there are any. One that cannot be read is a problem."""
    most = most_calls(len(paths))
    tasks = [(path, most) for path in paths]
    results = [_read(*task) for task in tasks] if workers is None else workers.map(_read, tasks)
    problems: Problems = {}
    dumps: dict[int, Dump] = {}
    for path, result in zip(paths, results, strict=True):
        if isinstance(result, str):
            problems.setdefault(UNREADABLE, []).append(f"{shown(path.name)}: {result}")
            continue
        for problem in result.problems:
            problems.setdefault(PARTLY, []).append(f"{shown(path.name)}: {problem}")
        _keep(dumps, result, problems)
    return Dumps(joined(dumps.values()), problems)


def _read(path: Path, most: int) -> Dump | str:
    """Return a dump, or why it cannot be read."""
    try:
        return read_dump(path, most)
    except BadDump as error:
        return str(error)
    except OSError as error:
        return error.strerror or str(error)


def _keep(dumps: dict[int, Dump], dump: Dump, problems: Problems) -> None:
    """Add a dump. Of two dumps of a rank, the one with the newer calls stays."""
    rank = dump.row["rank"]
    other = dumps.setdefault(rank, dump)
    if other is dump or _identity(other) == _identity(dump):
        return
    older, newer = sorted((other, dump), key=_newest)
    dumps[rank] = newer
    problems.setdefault(REPEATED, []).append(
        f"Of two dumps of rank {rank}, {shown(older.row['file'])} was left out because it is older."
    )


def _identity(dump: Dump) -> tuple[str, list[tuple[int, int | None]]]:
    """Return what two readings of one dump have in common."""
    return dump.row["file"], [(call["record"], call["created_epoch_us"]) for call in dump.calls]


def _newest(dump: Dump) -> tuple[int, str]:
    times = (call["created_epoch_us"] or 0 for call in dump.calls)
    return max(times, default=0), dump.row["file"]


def dumps_of_bundles(bundles: Iterable[Bundle]) -> Dumps | None:
    """Return the dumps in bundles to merge; None if there are none."""
    dumps: dict[int, Dump] = {}
    problems: Problems = {}
    has_dumps = False
    for bundle in bundles:
        for code in (UNREADABLE, PARTLY, REPEATED):
            problems.setdefault(code, []).extend(bundle.manifest.get("diagnostics", {}).get(code, ()))
        if DUMPS in bundle.manifest.get("rank_tables", {}):
            has_dumps = True
            try:
                of_bundle = dumps_of_tables({name: bundle.rank_table(name) for name in TABLES})
            except (LookupError, TypeError, ValueError) as error:
                raise damaged(
                    "one of the bundles", f"its Flight Recorder tables disagree ({error})"
                ) from error
            for dump in of_bundle:
                _keep(dumps, dump, problems)
    problems = {code: messages for code, messages in problems.items() if messages}
    return Dumps(joined(dumps.values()), problems) if has_dumps or problems else None
