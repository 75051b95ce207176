"""Writes the tables of profiler traces into the logs of a bundle that is being written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tlparse_bundle.bundle.codecs import CODECS
from tlparse_bundle.bundle.json_codec import dumps
from tlparse_bundle.bundle.layout import log_path
from tlparse_bundle.bundle.reader import Bundle, Log
from tlparse_bundle.bundle.store import open_store
from tlparse_bundle.pipeline.file_writer import FileSink
from tlparse_bundle.pipeline.log_writer import LogSummary, first_causes
from tlparse_bundle.pipeline.profiles import Problems, Profile, profiles_of
from tlparse_bundle.pipeline.target import folder_of
from tlparse_bundle.statements.kinds.run_time import KINDS
from tlparse_bundle.statements.profile.findings import with_findings
from tlparse_bundle.statements.profile.line_times import line_rows
from tlparse_bundle.statements.profile.peaks import Peak
from tlparse_bundle.tables.rows import Rows

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import ProfilesRow

# The fields of a Profile after its row.
_TABLES = ("kernel_calls", "region_calls", "profile_remainder", "step_tree", "measured_memory")
_NUMBER = re.compile(r"#\d+\Z")


def join_profiles(
    root: str,
    codec: str,
    summaries: Sequence[LogSummary],
    paths: Sequence[Path],
    problems: Problems,
    peaks: Sequence[Peak] = (),
) -> None:
    """Join profiler traces with the logs of the bundle at ``root``, which has no manifest yet.

    Logs with traces get new rows and findings, and ``summaries`` their counts. Traces that belong to no log,
    and damaged ones, are added to ``problems``.
    """
    rows = [summary.row for summary in summaries]
    bundle = Bundle(open_store(root), {"codec": codec, "logs": rows}, verify=False, trusted=True)
    found: dict[str, list[Profile]] = {}
    for log_id, profile in profiles_of(paths, bundle.logs, problems, peaks):
        found.setdefault(log_id, []).append(profile)
    for summary, log in zip(summaries, bundle.logs, strict=True):
        if log.id in found:
            with folder_of(root) as folder:
                _write(FileSink(folder, CODECS[codec]), log, [*_earlier(log), *found[log.id]], summary)
    for messages in problems.values():
        messages[:] = sorted(set(messages))


def _earlier(log: Log) -> list[Profile]:
    """Return the traces that the log has already."""
    rows_of: dict[str, list[list[Any]]] = {
        row["profile"]: [[] for _ in _TABLES] for row in log.table("profiles")
    }
    for place, name in enumerate(_TABLES):
        for row in log.table(name):
            rows_of[row["profile"]][place].append(row)
    return [Profile(row, *rows_of[row["profile"]]) for row in log.table("profiles")]


def _write(sink: FileSink, log: Log, profiles: Sequence[Profile], summary: LogSummary) -> None:
    named = _named(profiles)
    tables: dict[str, Sequence[Any]] = {
        "profiles": [profile.row for profile in named],
        **{
            name: [row for profile in named for row in profile[place]]
            for place, name in enumerate(_TABLES, 1)
        },
    }
    kernel_us = fsum(profile.row["kernel_us"] for profile in named)
    tables["line_times"] = list(line_rows(log.table, tables["kernel_calls"], kernel_us))
    change = Counter[str]()
    change.subtract(_severities(log.table("findings")))
    findings = with_findings(log.table, tables)
    change.update(_severities(findings))
    tables["findings"] = findings
    entries = dict(log.directory["tables"])
    for name, rows in tables.items():
        if name in entries and (sink.root / entries[name]["files"][0]["path"]).exists():
            sink.remove(entries.pop(name))
        entries.pop(name, None)
        if rows:
            entries[name] = sink.put_rows(log.id, name, Rows(rows))
    directory = {**log.directory, "tables": dict(sorted(entries.items()))}
    sink.put(log_path(log.id, "log.json", sink.codec), dumps(directory))
    counts = {name: count + change[name] for name, count in log.row["summary"]["findings"].items()}
    summary.row = {**summary.row, "summary": {**summary.row["summary"], "findings": counts}}
    summary.findings = first_causes(findings)
    log.bundle.forget()


def _severities(findings: Iterable[Mapping[str, Any]]) -> Counter[str]:
    """Return how many findings about measured times each severity has."""
    return Counter(row["severity"] for row in findings if row["kind"] in KINDS)


def _named(profiles: Iterable[Profile]) -> list[Profile]:
    """Return different traces in order of their names, each with its own name in all rows."""
    by_content = {profile.row["sha256"]: profile for profile in profiles}
    ordered = sorted(
        by_content.values(), key=lambda one: (_NUMBER.sub("", one.row["profile"]), one.row["sha256"])
    )
    counts: dict[str, int] = {}
    named = []
    for profile in ordered:
        name = _NUMBER.sub("", profile.row["profile"])
        counts[name] = counts.get(name, 0) + 1
        key = name if counts[name] == 1 else f"{name}#{counts[name]}"
        row: ProfilesRow = {**profile.row, "profile": key}
        parts: list[list[Any]] = [[{**one, "profile": key} for one in rows] for rows in profile[1:]]
        named.append(Profile(row, *parts))
    return named
