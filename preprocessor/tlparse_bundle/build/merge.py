"""Bundles of disjoint logs to one: the same bytes as building it from all the logs at once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from tlparse_bundle.build.build import BuildResult, finish, first_findings
from tlparse_bundle.build.log_writer import FIRST_FINDINGS, LogSummary
from tlparse_bundle.build.target import folder_of, open_target
from tlparse_bundle.build.workers import Workers, core_count
from tlparse_bundle.errors import BundleError
from tlparse_bundle.events.kinds import Kind
from tlparse_bundle.format import layout
from tlparse_bundle.read.reader import Bundle, Log
from tlparse_bundle.remote import is_url


def merge(bundles: Sequence[str | os.PathLike], out: str | os.PathLike, *, overwrite: bool = False, jobs: int | None = None) -> BuildResult:
    """Write the bundle of all logs of ``bundles`` to ``out``, without reading a raw log; folders or URLs.

    Raises BundleError when two bundles have a log of one name, when their formats or codecs differ, or
    when ``out`` may not be written.
    """
    opened = [Bundle.open(location) for location in bundles]
    _check(opened, bundles)
    codec = opened[0].codec.name
    if str(out).rstrip("/") in (str(location).rstrip("/") for location in bundles):
        raise BundleError(f"{out} is one of the bundles to merge", hint="Choose another place.", code="exists")
    logs = [(str(location), log.id) for bundle, location in zip(opened, bundles) for log in bundle.logs]
    sources = [Path(location) / name for location in bundles if not is_url(location) for name in ("", layout.MANIFEST)]
    with open_target(out, overwrite=overwrite, sources=sources) as target, Workers(min(jobs or core_count(), len(logs))) as workers:
        summaries = workers.map(_copy_log, [(*log, target.root) for log in logs])
        manifest = finish(summaries, target, codec, workers)
    return BuildResult(str(out) if is_url(out) else Path(out), manifest, *target.size(), first_findings(summaries))


def _check(opened: Sequence[Bundle], locations: Sequence[str | os.PathLike]) -> None:
    own = {"name": layout.FORMAT_NAME, "major": layout.FORMAT_MAJOR, "minor": layout.FORMAT_MINOR}
    homes: dict[str, str | os.PathLike] = {}
    for bundle, location in zip(opened, locations):
        if bundle.manifest["format"] != own:
            version = "{major}.{minor}".format(**bundle.manifest["format"])
            hint = "Build it again from its logs (tlparse-bundle restore writes them)."
            raise BundleError(
                f"{location} has the format {version}, this program writes {own['major']}.{own['minor']}", hint=hint, code="format-version"
            )
        if bundle.codec != opened[0].codec:
            raise BundleError(
                f"{locations[0]} is stored with codec {opened[0].codec.name}, {location} with {bundle.codec.name}",
                hint="Build one of them again with --codec.",
                code="codec",
            )
        for log in bundle.logs:
            other = homes.setdefault(log.id.lower(), location)
            if other is not location:
                raise BundleError(
                    f"two bundles have a log {log.id}:\n  {other}\n  {location}",
                    hint="Merge only bundles of different logs.",
                    code="same-name",
                )


def _copy_log(location: str, log_id: str, root: str) -> LogSummary:
    """Copy the files of a log to the bundle at ``root``; equal blobs of several logs are one file."""
    bundle = Bundle.open(location)
    log = bundle.log(log_id)
    with folder_of(root) as folder:
        for path in _files(log):
            if not layout.is_own(path):
                raise BundleError(f"{location}: {path!r} is no path of a bundle", code="bad-path")
            target = folder / path
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                partial = target.with_name(f"{target.name}.{os.getpid()}")
                partial.write_bytes(bundle.raw(path))
                partial.replace(target)
    descriptors = bundle.manifest["descriptors"]
    keys = {kind["descriptor"] for kind in log.directory["kinds"]}
    return LogSummary(log.row, {key: Kind(key, **descriptors[key]) for key in keys}, log.findings()["findings"][:FIRST_FINDINGS])


def _files(log: Log) -> list[str]:
    directory = log.directory
    chunks = (chunk["path"] for name in ("events", "metadata", "verbatim") for chunk in directory[name])
    return [log.row["path"], *directory["tables"].values(), *chunks, *(log.blob_path(row) for row in range(len(log.blobs["sha256"])))]
