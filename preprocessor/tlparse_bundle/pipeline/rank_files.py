"""Analyses across ranks, from the files of logs, never from raw logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.plugins import Guard, own_name
from tlparse_bundle.bundle import layout
from tlparse_bundle.bundle.codecs import CODECS
from tlparse_bundle.bundle.json_codec import dumps, loads
from tlparse_bundle.bundle.reader import Bundle
from tlparse_bundle.bundle.schemas import schema_names
from tlparse_bundle.bundle.store import open_store
from tlparse_bundle.pipeline.file_writer import encoded_pieces
from tlparse_bundle.pipeline.flight_recorder import Dumps, Problems
from tlparse_bundle.pipeline.target import Destination
from tlparse_bundle.pipeline.workers import Executor
from tlparse_bundle.statements.ranks.collective_calls import GROUP, Call
from tlparse_bundle.statements.ranks.comparable_text import Contents
from tlparse_bundle.statements.ranks.comparison import Comparison, Member
from tlparse_bundle.statements.ranks.findings import MAX_FINDINGS, findings, summary
from tlparse_bundle.statements.ranks.flight_recorder.analysis import flight_recorder_tables
from tlparse_bundle.statements.ranks.frames import Frame, Frames, code_of
from tlparse_bundle.statements.ranks.registry import PluginAnalysis, analyses, plugin_analyses
from tlparse_bundle.statements.ranks.roles import described, input_names, roles_of
from tlparse_bundle.statements.ranks.runs import RunOfLog, run_described, runs_of, to_compare
from tlparse_bundle.tables.rows import Rows

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import RankFindingsRow

# Among the names of the analyses: the frames of a log, what it records about its run, the inputs of its
# graphs, faults of plug-ins by name.
_FRAMES, _RUN, _INPUTS, _FAULTS = "", ".", "*", "!"


def digest_log(root: str | Path, codec: str, row: dict[str, Any]) -> dict[str, bytes]:
    """Return the data of a log that the analyses need, as JSON by analysis.

    ``root`` is the folder or URL of a bundle that may be incomplete.
    """
    frames = _frames(root, codec, row)
    by_analysis = {analysis.name: analysis.digest(frames) for analysis in analyses()}
    run = run_described(frames, (Call(*cells) for cells in by_analysis["order"]["calls"]))
    digests = {
        _FRAMES: dumps([list(frame) for frame in frames.rows()]),
        _RUN: dumps(run),
        _INPUTS: dumps(input_names(frames)),
        **{name: dumps(digest) for name, digest in by_analysis.items()},
    }
    faults = {}
    for plugin in plugin_analyses().plugins:
        guard, name = Guard(plugin), plugin.object.name
        digest = guard(_plugin_digest, plugin.object, frames)
        if guard.fault is None:
            digests[name] = digest
        else:
            faults[name] = guard.fault
    digests[_FAULTS] = dumps(faults)
    frames.log.bundle.forget()
    return digests


def _plugin_digest(analysis: PluginAnalysis, frames: Frames) -> bytes:
    return dumps(analysis.make().digest(frames))


def _frames(root: str | Path, codec: str, row: dict[str, Any]) -> Frames:
    return Frames(
        Bundle(open_store(root), {"codec": codec, "logs": [row]}, verify=False, trusted=True).logs[0],
        _contents(),
    )


@cache
def _contents() -> Contents:
    """Return the cache for all logs of a process, since equal ranks have equal payloads."""
    return Contents()


class RankFiles(NamedTuple):
    """Results of the analyses across ranks."""

    entries: dict[str, dict[str, Any]]  # by name of table (schema: manifest, 'rank_tables')
    job: dict[str, Any] | None  # schema: manifest, 'job'; None for less than two ranks
    findings: list[RankFindingsRow]
    faults: list[str]  # of plug-ins
    problems: Problems  # with Flight Recorder dumps

    def add_to(self, manifest: dict[str, Any]) -> None:
        """Add the tables and the job to a manifest."""
        if self.job is not None:
            manifest["job"] = self.job
            manifest["rank_tables"] = self.entries


def write_ranks(
    target: Destination,
    rows: Sequence[dict[str, Any]],
    codec: str,
    workers: Executor,
    run: int | None = None,
    below: str = "",
    dumps: Dumps | None = None,
) -> RankFiles:
    """Write the tables of the analyses, and those of Flight Recorder dumps.

    ``rows`` are the manifest's; ``run`` is the run to compare, from 1 in order of start; ``below`` is a
    path prefix as in the sink. Raises BundleError when there is no such run, or it has fewer than two
    ranks.
    """
    ranked = [row for row in rows if row["rank"] is not None]
    least = 2 if dumps is None else 1
    if len({row["rank"] for row in ranked}) < least:
        return _none(run, 0, dumps)
    parsed: dict[bytes, Any] = {}
    digests_of = {
        row["id"]: digest
        for row, digest in zip(
            ranked, workers.map(digest_log, [(target.root, codec, row) for row in ranked]), strict=True
        )
    }
    runs = runs_of([_run_of(row, digests_of[row["id"]]) for row in ranked])
    if run is not None and not 1 <= run <= len(runs):
        return _none(run, len(runs), dumps)
    number = to_compare(runs) if run is None else run - 1
    chosen = {log.log_id for log in runs[number].logs.values()}
    members = (
        sorted(
            (Member(row["rank"], row) for row in ranked if row["id"] in chosen),
            key=lambda member: member.rank,
        )
        if len(chosen) >= least
        else []
    )
    if not members:
        return _none(run, len(runs), dumps)
    digests: dict[str, list[Any]] = {}
    for member in members:
        for name, data in digests_of[member.row["id"]].items():
            if data not in parsed:
                parsed[data] = loads(data)
            digests.setdefault(name, []).append(parsed[data])
    frames_of = {id(digest): [Frame(*frame) for frame in digest] for digest in digests[_FRAMES]}
    frames = [frames_of[id(digest)] for digest in digests[_FRAMES]]
    roles = roles_of(
        [
            described(own, inputs, (call[GROUP] for call in order["calls"]))
            for own, inputs, order in zip(frames, digests[_INPUTS], digests["order"], strict=True)
        ]
    )
    comparison = Comparison(members, frames, rows, partial(_frames, target.root, codec), runs, number, roles)
    tables: dict[str, Sequence[Any]] = {}
    for analysis in analyses():
        for name, found_rows in analysis.tables(comparison, digests[analysis.name], tables):
            tables[name] = found_rows
    problems: Problems = {}
    if dumps is not None:
        tables |= dict(flight_recorder_tables(dumps.recorded, comparison, tables))
        problems = dumps.problems_with(member.rank for member in members)
    all_findings = findings(comparison, tables)
    tables["rank_findings"] = all_findings[:MAX_FINDINGS]
    job = summary(comparison, tables, all_findings)
    faults = [*plugin_analyses().faults]
    for plugin in plugin_analyses().plugins:
        guard, name = Guard(plugin), plugin.object.name
        failed = next((fault for known_faults in digests[_FAULTS] if (fault := known_faults.get(name))), None)
        plugin_tables = (
            guard(_plugin_tables, plugin.object, comparison, digests.get(name, []), tables)
            if failed is None
            else None
        )
        if plugin_tables is None:
            faults.append(failed or guard.fault or "")
        else:
            tables |= plugin_tables
    return RankFiles(
        write_tables(target, tables, codec, below), job, [*tables["rank_findings"]], faults, problems
    )


def _run_of(row: dict[str, Any], digests: Mapping[str, bytes]) -> RunOfLog:
    """Return the facts that decide which run a log belongs to."""
    world_size, start_epoch_us, last_epoch_us, pid = loads(digests[_RUN])
    frames = [Frame(*frame) for frame in loads(digests[_FRAMES])]
    return RunOfLog(
        row["id"],
        row["rank"],
        row["torch_version"],
        world_size,
        start_epoch_us,
        last_epoch_us,
        row["summary"]["compile_count"],
        row["event_count"],
        frozenset(map(code_of, frames)),
        frozenset(frame.graph for frame in frames if frame.graph is not None),
        pid,
    )


def write_tables(
    target: Destination, tables: Mapping[str, Sequence[Mapping[str, Any]]], codec: str, below: str = ""
) -> dict[str, dict[str, Any]]:
    """Write the tables that have rows. Return their entries in the manifest."""
    entries = {}
    for name, rows in sorted(tables.items()):
        files = [*Rows(rows).files()]
        paths = [
            below + layout.rank_path(name, number, len(files), CODECS[codec]) for number in range(len(files))
        ]
        for path, (_, pieces) in zip(paths, files, strict=True):
            target.write(path, b"".join(encoded_pieces(pieces, CODECS[codec])))
        if files:
            entries[name] = {
                "rows": len(rows),
                "files": [
                    {"path": path, "rows": count} for path, (count, _) in zip(paths, files, strict=True)
                ],
            }
    return entries


def _plugin_tables(
    analysis: PluginAnalysis,
    comparison: Comparison,
    digests: Sequence[Any],
    tables: Mapping[str, Sequence[dict[str, Any]]],
) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of a plug-in's tables by name. Raise an exception for invalid rows or a taken name."""
    if len(digests) < len(comparison.members):
        raise LookupError("a process that read a log does not have it")
    taken = {*schema_names(), *map(str.lower, tables)}
    rows_of = {}
    for name, rows in analysis.make().tables(comparison, digests, MappingProxyType(tables)):
        own_name(name, taken, lambda name: layout.is_own(f"ranks/{name}.jsonl"))
        rows_of[name] = loads(dumps([*rows]))
        if not all(type(row) is dict and [*row] == [*rows_of[name][0]] for row in rows_of[name]):
            raise TypeError(f"the rows of {name!r} are not objects with the same keys")
    return rows_of


def _none(run: int | None, count: int, dumps: Dumps | None) -> RankFiles:
    if run is not None:
        raise BundleError(
            f"run {run} with several ranks does not exist",
            hint=f"Pass a number from 1 to {count} to --run."
            if count
            else "All logs have the same rank. Leave out --run.",
            code="not-found",
        )
    return RankFiles({}, None, [], [], {} if dumps is None else dumps.problems_without_ranks())
