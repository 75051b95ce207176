"""Merges bundles of disjoint logs, with the same bytes as building them from all logs at once.

One exception: a log that lacks file names from a different log of its process is unchanged (see
build.strings_from_others).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.plugins import PLUGIN_FAILED
from tlparse_bundle.base.remote import is_url
from tlparse_bundle.bundle import layout
from tlparse_bundle.bundle.checks import check_slices, damaged
from tlparse_bundle.bundle.reader import Bundle, Log
from tlparse_bundle.bundle.restore import verbatim_bytes
from tlparse_bundle.bundle.schema_check import quoted
from tlparse_bundle.log.events.kind import Kind
from tlparse_bundle.pipeline.build import BuildResult, finish, first_findings, plugin_faults
from tlparse_bundle.pipeline.file_writer import FileSink
from tlparse_bundle.pipeline.log_writer import LogSummary, first_causes
from tlparse_bundle.pipeline.target import folder_of, open_target
from tlparse_bundle.pipeline.workers import Workers, core_count

if TYPE_CHECKING:
    from tlparse_bundle.pipeline.flight_recorder import Dumps
    from tlparse_bundle.statements.profile.peaks import Peak

_KIND_FIELDS = ("title", "phase", "language", "help")


def merge(
    bundles: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    jobs: int | None = None,
    verify: bool = True,
    run: int | None = None,
) -> BuildResult:
    """Merge ``bundles`` (folders or URLs) into ``out`` without reading raw logs.

    ``verify``: check blobs against their hashes. ``run``: as in ``build``. Raises BundleError when two
    bundles share a log name, formats or codecs differ, one is damaged, or ``out`` may not be written.
    """
    if str(out).rstrip("/") in (str(location).rstrip("/") for location in bundles):
        raise BundleError(
            f"'{out}' is one of the bundles to merge", hint="Choose a different path for OUT.", code="exists"
        )
    return _merge(bundles, out, overwrite, jobs, verify, run)


def add_profiles(
    bundle: str | os.PathLike[str], profiles: Sequence[str], peak: Sequence[str] = ()
) -> BuildResult:
    """Join profiler traces with the logs of a bundle, which is replaced by one with their times.

    ``profiles``: patterns of their names; ``peak``: see ``build``. It gets the same bytes as a
    build with all its traces. Raises BundleError for a URL, and when a pattern has no files.
    """
    if is_url(bundle):
        raise BundleError(
            f"profiler traces are not added to a bundle at a URL: {bundle}",
            hint="Copy it to this machine, or build it again with --profile.",
            code="bad-profiles",
            exit_code=2,
        )
    from tlparse_bundle.pipeline.profiles import find_profiles
    from tlparse_bundle.statements.profile.peaks import stated_peaks

    traces = find_profiles(profiles, "add-profile")
    return _merge([bundle], bundle, True, None, True, None, traces, stated_peaks(peak))


def _merge(
    bundles: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    overwrite: bool,
    jobs: int | None,
    verify: bool,
    run: int | None,
    traces: Sequence[Path] = (),
    peaks: Sequence[Peak] = (),
) -> BuildResult:
    """Write the logs of bundles to ``out``, with the times of ``traces``, which are profiler traces."""
    opened = [Bundle.open(location, verify=verify) for location in bundles]
    _check(opened, bundles)
    codec = opened[0].codec.name
    logs = [
        (str(location), log.id)
        for bundle, location in zip(opened, bundles, strict=True)
        for log in bundle.logs
    ]
    sources = [*(path for location in bundles for path in layout.guards(location)), *traces]
    problems = _profile_problems(opened)
    with (
        open_target(out, overwrite=overwrite, sources=sources) as target,
        Workers(min(jobs or core_count(), len(logs))) as workers,
    ):
        summaries = workers.map(_copy_log, [(*log, target.root, verify) for log in logs])
        try:
            if traces:
                from tlparse_bundle.pipeline.profile_tables import join_profiles

                join_profiles(target.root, codec, summaries, traces, problems, peaks)
            dumps = _dumps(opened)
            manifest, job_findings = finish(
                summaries, target, codec, workers, run, _common_fields(opened), dumps, problems
            )
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
            raise damaged(
                "one of the bundles", f"its logs cannot be compared ({type(error).__name__}: {error})"
            ) from error
    return BuildResult(
        str(out) if is_url(out) else Path(out),
        manifest,
        *target.size(),
        first_findings(summaries),
        job_findings,
        plugin_faults(summaries, manifest),
    )


def _check(opened: Sequence[Bundle], locations: Sequence[str | os.PathLike[str]]) -> None:
    own = {"name": layout.FORMAT_NAME, "major": layout.FORMAT_MAJOR, "minor": layout.FORMAT_MINOR}
    homes: dict[str, str | os.PathLike[str]] = {}
    for bundle, location in zip(opened, locations, strict=True):
        if bundle.manifest["format"] != own:
            version = "{major}.{minor}".format(**bundle.manifest["format"])
            hint = "Rebuild it from its logs. To get them: tlparse-bundle restore BUNDLE FOLDER"
            raise BundleError(
                f"{location} has format {version}, but this version writes {own['major']}.{own['minor']}",
                hint=hint,
                code="format-version",
            )
        if bundle.codec != opened[0].codec:
            raise BundleError(
                f"{locations[0]} has codec {opened[0].codec.name}, but {location} has {bundle.codec.name}",
                hint="Rebuild one of them with --codec.",
                code="codec",
            )
        for log in bundle.logs:
            other = homes.setdefault(log.id.lower(), location)
            if other is not location:
                raise BundleError(
                    f"two bundles have the same log {log.id}:\n  {other}\n  {location}",
                    hint="Merge only bundles of different logs.",
                    code="same-name",
                )


def _dumps(opened: Sequence[Bundle]) -> Dumps | None:
    """Return the Flight Recorder dumps of the bundles; None if they have none."""
    if not any({"rank_tables", "diagnostics"} & set(bundle.manifest) for bundle in opened):
        return None
    from tlparse_bundle.pipeline.flight_recorder import dumps_of_bundles

    return dumps_of_bundles(opened)


def _profile_problems(opened: Sequence[Bundle]) -> dict[str, list[str]]:
    """Return what the bundles say about profiler traces that they lack, by code."""
    found: dict[str, list[str]] = {}
    for bundle in opened:
        for code, messages in bundle.manifest.get("diagnostics", {}).items():
            if code.startswith("profile-"):
                found[code] = sorted({*found.get(code, ()), *messages})
    return found


def _common_fields(opened: Sequence[Bundle]) -> dict[str, Any]:
    """Return what the user says about the program, as far as all bundles have the same."""
    fields = {}
    for key in ("label", "commit", "source_links"):
        first: Any = opened[0].manifest.get(key)
        if first is not None and all(bundle.manifest.get(key) == first for bundle in opened):
            fields[key] = first
    return fields


def _copy_log(location: str, log_id: str, root: str, verify: bool) -> LogSummary:
    """Copy the files of a log to the bundle at ``root``; equal blobs become one file.

    Logs cannot mix: each has its own folder, and a blob is named by its content, as its writer has
    checked.
    """
    bundle = Bundle.open(location, verify=verify)
    log = bundle.log(log_id)
    paths = _own_files(log)
    check_log(log)
    with folder_of(root) as folder:
        sink = FileSink(folder, bundle.codec)
        for path in paths:
            sink.put_stored(path, bundle.raw(path))
        for path in log.blobs:
            if not (folder / path).exists():
                log.blob(path)  # raises BundleError when it is not what the table says
                sink.put_stored(path, bundle.raw(path))
    descriptors = bundle.manifest["descriptors"]
    keys = {kind["descriptor"] for kind in log.directory["kinds"]}
    kinds = {key: Kind(key, *(descriptors[key][field] for field in _KIND_FIELDS)) for key in keys}
    faults = (
        [row["message"] for row in log.table("diagnostics") if row["code"] == PLUGIN_FAILED]
        if PLUGIN_FAILED in log.row["diagnostics"]
        else []
    )
    findings: list[Any] = [] if log.is_missing("findings") else log.findings()
    return LogSummary(log.row, kinds, first_causes(findings), plugin_faults=faults)


def _own_files(log: Log) -> list[str]:
    """Yield the files of a log except blobs. Raise BundleError for one outside its folder."""
    directory = log.directory
    chunks = (chunk["path"] for chunk in directory["verbatim"])
    rows = (file["path"] for entry in directory["tables"].values() for file in entry["files"])
    paths = [log.row["path"], *rows, *chunks]
    own = (
        path for path, row in log.blobs.items() if path != layout.blob_path(row["sha256"], log.bundle.codec)
    )
    for path in (*paths, *own):
        if not layout.is_own(path) or not path.startswith(f"logs/{log.id}/"):
            raise damaged(f"log {log.id}", f"{quoted(path)} is not a path of one of its files")
    return paths


def check_log(log: Log) -> None:
    """Raise BundleError unless all tables of a log are valid. Blobs are not read."""
    directory, bundle = log.directory, log.bundle
    for key in ("id", "rank", "source", "event_count"):
        if directory[key] != log.row[key]:
            raise damaged(f"log {log.id}", f"{key} differs between manifest and log.json")
    for kind in directory["kinds"]:
        if kind["descriptor"] not in bundle.manifest["descriptors"]:
            raise damaged(f"log {log.id}", f"the manifest has no descriptor {quoted(kind['descriptor'])}")
    for name in directory["tables"]:
        log.table(name)
    check_slices(log.table("artifacts"), "size_bytes", log.blobs, f"log {log.id} artifacts")
    for name in ("events", "metadata"):
        for number, file in enumerate(log.files(name)):
            rows = log.part(name, number)
            if name == "events":
                check_slices(rows, "payload_size_bytes", log.blobs, bundle.where(file["path"]))
    for chunk in directory["verbatim"]:
        verbatim_bytes(log, chunk)
