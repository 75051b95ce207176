"""Builds a bundle from logs, in parallel, beside the target, and puts it in place when complete."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tlparse_bundle import __version__
from tlparse_bundle.base.diagnostics import CODES, Diagnostics
from tlparse_bundle.base.plugins import PLUGIN_FAILED
from tlparse_bundle.base.remote import is_url
from tlparse_bundle.bundle import layout
from tlparse_bundle.bundle.codecs import CODECS
from tlparse_bundle.bundle.json_codec import dumps, dumps_indented
from tlparse_bundle.bundle.schemas import schema, schema_names
from tlparse_bundle.log.envelope import EventDecoder
from tlparse_bundle.log.events.kind import PHASES
from tlparse_bundle.log.log_file import LogFile
from tlparse_bundle.pipeline.log_records import LogRecords
from tlparse_bundle.pipeline.log_writer import LogSummary, write_log
from tlparse_bundle.pipeline.program import program_fields
from tlparse_bundle.pipeline.target import Destination, Target, folder_of, open_target
from tlparse_bundle.pipeline.workers import Executor, Workers, core_count
from tlparse_bundle.pipeline.written_log import MEMORY_BYTES
from tlparse_bundle.statements.totals import totals

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import FindingsRow, RankFindingsRow
    from tlparse_bundle.pipeline.flight_recorder import Dumps
    from tlparse_bundle.statements.profile.peaks import Peak

_UNDEFINED = "string-undefined"


@dataclass(slots=True)
class BuildResult:
    path: Path | str  # str for a URL
    manifest: dict[str, Any]
    file_count: int
    stored_bytes: int
    findings: dict[str, list[FindingsRow]]  # the first of each log (schema: findings), by its id
    # Rank findings (schema: rank_findings) written so far; empty for fewer than two ranks.
    job_findings: list[RankFindingsRow]
    plugin_faults: list[str]


def build(
    logs: Sequence[LogFile],
    out: str | os.PathLike[str],
    *,
    codec: str = "zstd",
    overwrite: bool = False,
    jobs: int | None = None,
    executor: Executor | None = None,
    run: int | None = None,
    label: str | None = None,
    commit: str | None = None,
    source_url: str | None = None,
    source_roots: Sequence[str] = (),
    memory_bytes: int = MEMORY_BYTES,
    flight_recorder: Sequence[str] = (),
    profile: Sequence[str] = (),
    peak: Sequence[str] = (),
    progress: Callable[[int], None] = lambda size_bytes: None,
) -> BuildResult:
    """Build the bundle of ``logs`` at ``out``.

    The bundle depends only on the content and names of the logs, not on their order, ``jobs`` (default:
    one worker per core) or ``executor`` (default: local processes). Nothing is left when the build fails
    or is interrupted. ``run`` is the run whose ranks are compared, from 1 in order of start (default: the
    newest attempt of the largest). ``label``, ``commit``, ``source_url`` and ``source_roots`` describe
    the program: see ``program_fields``. ``memory_bytes``: for the parsed rows of each log; larger
    tables are read in chunks.
    ``flight_recorder`` and ``profile``: patterns of the names of Flight Recorder dumps and profiler traces.
    ``peak``: peak rates of the device of these traces, such as 'GB/s=2039'; without them those of its name.

    Raises BundleError when ``out`` exists and may not be replaced, a log cannot be read, or there is no
    such run.
    """
    program = program_fields(label, commit, source_url, source_roots)
    jobs = jobs or core_count()
    paths: list[Path] = []
    if flight_recorder:
        from tlparse_bundle.pipeline.flight_recorder import find_dumps, read_dumps

        paths = find_dumps(flight_recorder)
    traces: list[Path] = []
    peaks: list[Peak] = []
    problems: dict[str, list[str]] = {}
    if profile:
        from tlparse_bundle.pipeline.profiles import find_profiles
        from tlparse_bundle.statements.profile.peaks import stated_peaks

        traces, peaks = find_profiles(profile), stated_peaks(peak)
    sources = [*(log.path for log in logs), *paths, *traces]
    target = open_target(out, overwrite=overwrite, sources=sources)
    if executor is not None:  # in another place a relative path is another file
        logs, jobs = (
            [
                replace(log, path=log.path.absolute(), folder=log.folder and log.folder.absolute())
                for log in logs
            ],
            1,
        )
    with target, executor or Workers(min(jobs, len(logs))) as workers:
        summaries = _write_logs(logs, target.root, codec, workers, jobs, memory_bytes, progress)
        if len(logs) > 1:
            summaries = _with_strings_of_others(logs, summaries, target.root, codec, workers, memory_bytes)
        if traces:
            from tlparse_bundle.pipeline.profile_tables import join_profiles

            join_profiles(target.root, codec, summaries, traces, problems, peaks)
        # Workers of a cluster do not have the files.
        dumps = read_dumps(paths, workers if executor is None else None) if paths else None
        manifest, job_findings = finish(summaries, target, codec, workers, run, program, dumps, problems)
    return BuildResult(
        str(out) if is_url(out) else Path(out),
        manifest,
        *target.size(),
        first_findings(summaries),
        job_findings,
        plugin_faults(summaries, manifest),
    )


def first_findings(summaries: Sequence[LogSummary]) -> dict[str, list[FindingsRow]]:
    return {summary.row["id"]: summary.findings for summary in summaries}


def plugin_faults(summaries: Sequence[LogSummary], manifest: dict[str, Any]) -> list[str]:
    """Return distinct faults of plug-ins in a build: first of logs, then of ranks."""
    faults = [
        *(fault for summary in summaries for fault in summary.plugin_faults),
        *manifest.get("diagnostics", {}).get(PLUGIN_FAILED, ()),
    ]
    return list(dict.fromkeys(faults))


def add_faults(
    manifest: dict[str, Any], faults: Sequence[str], problems: Mapping[str, Sequence[str]] = {}
) -> None:
    """Add to a manifest the faults of plug-ins when comparing ranks, and ``problems``: messages by code."""
    messages = {PLUGIN_FAILED: faults, **problems}
    found = {code: list(messages[code]) for code in sorted(messages) if messages[code]}
    if found:
        manifest["diagnostics"] = found
        manifest["diagnostic_codes"] |= _codes(found)


def finish(
    summaries: Sequence[LogSummary],
    target: Target,
    codec: str,
    workers: Executor,
    run: int | None = None,
    program: Mapping[str, Any] = {},
    dumps: Dumps | None = None,
    problems: Mapping[str, Sequence[str]] = {},
) -> tuple[dict[str, Any], list[RankFindingsRow]]:
    """Write the rest of a bundle beside its logs, the manifest last. Return the manifest and the rank
    findings.
    """
    manifest, job_findings = write_beside(summaries, target, codec, workers, run, program, dumps, problems)
    target.write(layout.MANIFEST, dumps_indented(manifest))
    return manifest, job_findings


def write_beside(
    summaries: Sequence[LogSummary],
    target: Destination,
    codec: str,
    workers: Executor,
    run: int | None = None,
    program: Mapping[str, Any] = {},
    dumps: Dumps | None = None,
    problems: Mapping[str, Sequence[str]] = {},
) -> tuple[dict[str, Any], list[RankFindingsRow]]:
    """Write analyses and schemas. Return the manifest, to be written last, and the rank findings.

    ``problems``: messages about profiler traces, by code.
    """
    manifest = make_manifest(summaries, codec, program)
    job_findings: list[RankFindingsRow] = []
    faults: list[str] = []
    if len(manifest["logs"]) > 1 or run is not None or dumps is not None:
        # Imports the modules of all analyses, which a single log does not need.
        from tlparse_bundle.pipeline.rank_files import write_ranks

        written = write_ranks(target, manifest["logs"], codec, workers, run, "", dumps)
        written.add_to(manifest)
        faults, problems = written.faults, {**written.problems, **problems}
        job_findings = written.findings
    add_faults(manifest, faults, problems)
    write_schemas(target, codec)
    return manifest, job_findings


def write_schemas(target: Destination, codec: str) -> None:
    target.write(_schemas_path(codec), _schemas_file(codec))


@cache
def _schemas_file(codec: str) -> bytes:
    """Write the schemas file, which is the same in every bundle of this process."""
    return CODECS[codec].encode(dumps({name: schema(name) for name in schema_names()}))


def _schemas_path(codec: str) -> str:
    return f"schemas.json{CODECS[codec].suffix}"


def make_manifest(
    summaries: Sequence[LogSummary], codec: str, program: Mapping[str, Any] = {}
) -> dict[str, Any]:
    """Return the manifest (schema: manifest) of a bundle of these logs. ``program``: see program_fields."""
    rows = sorted((s.row for s in summaries), key=_order)
    kinds = {key: kind for summary in summaries for key, kind in summary.kinds.items()}
    return {
        "format": {"name": layout.FORMAT_NAME, "major": layout.FORMAT_MAJOR, "minor": layout.FORMAT_MINOR},
        "producer": {"name": "tlparse-bundle", "version": __version__},
        "codec": codec,
        **program,
        "schemas": _schemas_path(codec),
        "logs": rows,
        **({"totals": totals(rows)} if len(rows) > 1 else {}),
        "phases": [phase._asdict() for phase in PHASES],
        "descriptors": {
            key: {"title": kind.title, "phase": kind.phase, "language": kind.language, "help": kind.help}
            for key, kind in sorted(kinds.items())
        },
        "diagnostic_codes": _codes(code for row in rows for code in row["diagnostics"]),
    }


def _order(row: dict[str, Any]) -> tuple[bool, int, float, str]:
    """Sort rows of logs by rank, then by start; unknown ones last."""
    start = row["summary"]["start_epoch_us"]
    return row["rank"] is None, row["rank"] or 0, math.inf if start is None else start, row["id"]


def _codes(codes: Iterable[str]) -> dict[str, dict[str, Any]]:
    return {
        code: {"severity": CODES[code].severity, "meaning": CODES[code].meaning}
        for code in sorted(set(codes))
    }


def _write_logs(
    logs: Sequence[LogFile],
    root: str,
    codec: str,
    workers: Executor,
    jobs: int,
    memory_bytes: int,
    progress: Callable[[int], None],
) -> list[LogSummary]:
    cores = max(1, jobs // max(1, len(logs)))
    write = partial(_write_log, cores=cores, one_of_many=len(logs) > 1, memory_bytes=memory_bytes)
    if min(workers.count, len(logs)) <= 1:
        return [write(log, root, codec, progress=progress) for log in logs]
    # The largest first, so that no worker is left with it at the end. The size on disk stands for
    # the progress of a whole log, since workers report once.
    order = sorted(logs, key=lambda log: log.size_bytes, reverse=True)
    return workers.map(
        write, [(log, root, codec) for log in order], lambda number: progress(order[number].size_bytes)
    )


def _with_strings_of_others(
    logs: Sequence[LogFile],
    summaries: list[LogSummary],
    root: str,
    codec: str,
    workers: Executor,
    memory_bytes: int,
) -> list[LogSummary]:
    """Rewrite logs that lack file names which a different log of their process defines."""
    strings = strings_from_others(logs, summaries, workers.map)
    if not strings:
        return summaries
    again = [log for log in logs if log.id in strings]
    rewritten = workers.map(
        partial(_write_log, one_of_many=True, memory_bytes=memory_bytes),
        [(log, root, codec, strings[log.id]) for log in again],
    )
    by_id = {summary.row["id"]: summary for summary in rewritten}
    return [by_id.get(summary.row["id"], summary) for summary in summaries]


def _write_log(
    log: LogFile,
    root: str,
    codec: str,
    strings: Mapping[int, str] = {},
    progress: Callable[[int], None] = lambda size_bytes: None,
    **how: Any,
) -> LogSummary:
    with folder_of(root) as folder:
        return write_log(log, folder, codec, progress, strings=strings, **how)


def strings_from_others(
    logs: Sequence[LogFile],
    summaries: Sequence[LogSummary],
    map_: Callable[..., list[Any]],
    lacking: set[str] | None = None,
) -> dict[str, dict[int, str]]:
    """Return strings that other logs of the same process define, by id of the log that lacks them.

    torch writes the name of a file once, with its number. A process that starts a second log (as
    torch.export.draft_export does) keeps its numbers, so the second log lacks the names.

    ``map_``: as that of an executor. Only logs of the same rank that name the same process ids count;
    contradictory strings, and those of an earlier process with the same id, are left out. ``lacking``:
    ids of logs that lacked strings before; new ones are added.
    """
    lacking = set() if lacking is None else lacking
    lacking.update(summary.row["id"] for summary in summaries if _UNDEFINED in summary.row["diagnostics"])
    by_id = {log.id: log for log in logs}
    of_process: dict[tuple[int | None, int], set[str]] = {}
    for summary in summaries:
        for pid in summary.pids:
            of_process.setdefault((summary.row["rank"], pid), set()).add(summary.row["id"])
    others: dict[str, set[str]] = {}
    for summary in summaries:
        if summary.row["id"] in lacking:
            same_process: set[str] = set()
            same_process.update(*(of_process[summary.row["rank"], pid] for pid in summary.pids))
            if same_process - {summary.row["id"]}:
                others[summary.row["id"]] = same_process - {summary.row["id"]}
    lenders = sorted({log_id for ids in others.values() for log_id in ids})
    defined = (
        dict(zip(lenders, map_(_strings_of, [(by_id[log_id],) for log_id in lenders]), strict=True))
        if lenders
        else {}
    )
    return {
        log_id: agreed
        for log_id, ids in others.items()
        if (agreed := _agreed([defined[other] for other in ids]))
    }


def _agreed(tables: Sequence[dict[int, str]]) -> dict[int, str]:
    agreed: dict[int, str | None] = {}
    for table in tables:
        for number, text in table.items():
            agreed[number] = text if agreed.get(number, text) == text else None
    return {number: text for number, text in agreed.items() if text is not None}


def _strings_of(log: LogFile) -> dict[int, str]:
    """Return the strings that a log defines."""
    decoder = EventDecoder(Diagnostics())
    with closing(LogRecords(log)) as records:
        for record in records:
            if record is not None and record.prefix:
                decoder.decode(record)
    return decoder.stack_reader.strings
