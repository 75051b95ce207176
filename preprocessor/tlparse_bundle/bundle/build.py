"""Logs to a bundle: in parallel, beside the target, put in place only when it is whole."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import orjson

from tlparse_bundle import __version__
from tlparse_bundle.bundle import layout
from tlparse_bundle.bundle.log_writer import LogSummary, write_log
from tlparse_bundle.bundle.rank_files import write_ranks
from tlparse_bundle.bundle.schemas import schema, schema_names
from tlparse_bundle.bundle.workers import Executor, Workers
from tlparse_bundle.diagnostics import CODES
from tlparse_bundle.errors import BundleError
from tlparse_bundle.events.kinds import PHASES
from tlparse_bundle.trace.discover import LogFile


@dataclass(slots=True)
class BuildResult:
    path: Path
    manifest: dict


def build(
    logs: Sequence[LogFile],
    out: str | os.PathLike,
    *,
    codec: str = "zstd",
    overwrite: bool = False,
    jobs: int | None = None,
    progress: Callable[[int], None] = lambda size_bytes: None,
) -> BuildResult:
    """Write the bundle of ``logs`` to ``out``.

    The bundle depends on the content and names of the logs alone, not on their order or ``jobs``
    (default: one worker per core). Nothing stays behind when the build fails or is interrupted.
    Raises BundleError when ``out`` exists and may not be replaced, or a log cannot be read.
    """
    out, jobs = Path(out), jobs or os.cpu_count() or 1
    check_target(out, overwrite)
    staging = out.parent / f".{out.name}.{os.getpid()}.partial"
    try:
        staging.mkdir(parents=True)
        with Workers(min(jobs, len(logs))) as workers:
            summaries = _write_logs(logs, staging, codec, workers, jobs, progress)
            manifest = finish(summaries, staging, codec, workers)
        _put_in_place(staging, out)
    except OSError as error:
        raise _unwritable(out, error) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return BuildResult(out, manifest)


def check_target(out: Path, overwrite: bool) -> None:
    """Raise BundleError unless a bundle may be written to ``out``."""
    try:
        if out.is_dir() and not any(out.iterdir()):
            return
        if not out.exists() and not out.is_symlink():
            return
    except OSError as error:
        raise _unwritable(out, error) from error
    if not is_bundle(out):
        raise BundleError(f"{out} exists and is not a bundle", hint="Choose another place; only bundles are ever replaced.", code="exists")
    if not overwrite:
        raise BundleError(f"{out} exists already", hint="Use --overwrite to replace it.", code="exists")
    files = (path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_symlink() or not path.is_dir())
    others = sorted(path for path in files if not layout.is_own(path))
    if others:
        raise BundleError(
            f"{out} holds more than a bundle: {', '.join(others[:5])}",
            hint="Move these away first; they would be lost.",
            code="exists",
        )


def _unwritable(out: Path, error: OSError) -> BundleError:
    where = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EACCES, errno.EROFS)
    hint = "Choose a place with enough room where you may write." if where else ""
    return BundleError(f"{out} cannot be written: {error.strerror or error}", hint=hint, code="unwritable")


def is_bundle(path: Path) -> bool:
    try:
        manifest = orjson.loads((path / layout.MANIFEST).read_bytes())
        return manifest["format"]["name"] == layout.FORMAT_NAME
    except (OSError, ValueError, TypeError, KeyError):
        return False


def finish(summaries: Sequence[LogSummary], root: Path, codec: str, workers: Executor) -> dict:
    """Write what stands beside the logs of a bundle at ``root``: analyses, schemas, manifest. Returns the manifest."""
    manifest = make_manifest(summaries, codec)
    ranks = write_ranks(root, manifest["logs"], codec, workers)
    if ranks:
        manifest["ranks"] = ranks
    schemas = {name: schema(name) for name in schema_names()}
    (root / manifest["schemas"]).write_bytes(layout.CODECS[codec].encode(layout.to_json(schemas)))
    (root / layout.MANIFEST).write_bytes(orjson.dumps(manifest, option=orjson.OPT_INDENT_2) + b"\n")
    return manifest


def make_manifest(summaries: Sequence[LogSummary], codec: str) -> dict:
    """The manifest (schema: manifest) of a bundle of these logs."""
    rows = sorted((s.row for s in summaries), key=lambda row: (row["rank"] is None, row["rank"] or 0, row["id"]))
    kinds = {key: kind for summary in summaries for key, kind in summary.kinds.items()}
    codes = sorted({code for row in rows for code in row["diagnostics"]})
    return {
        "format": {"name": layout.FORMAT_NAME, "major": layout.FORMAT_MAJOR, "minor": layout.FORMAT_MINOR},
        "producer": {"name": "tlparse-bundle", "version": __version__},
        "codec": codec,
        "schemas": f"schemas.json{layout.CODECS[codec].suffix}",
        "logs": rows,
        "phases": [phase._asdict() for phase in PHASES],
        "descriptors": {
            key: {"title": kind.title, "phase": kind.phase, "language": kind.language, "help": kind.help}
            for key, kind in sorted(kinds.items())
        },
        "diagnostic_codes": {code: {"severity": CODES[code].severity, "meaning": CODES[code].meaning} for code in codes},
    }


def _write_logs(
    logs: Sequence[LogFile], root: Path, codec: str, workers: Executor, jobs: int, progress: Callable[[int], None]
) -> list[LogSummary]:
    write = partial(write_log, processes=jobs // max(1, len(logs)))
    if min(workers.count, len(logs)) <= 1:
        return [write(log, root, codec, progress) for log in logs]
    # The largest first, so that no worker is left with it at the end. The size on disk stands for
    # the progress of a whole log, since workers report once.
    order = sorted(logs, key=lambda log: log.size_bytes, reverse=True)
    return workers.map(write, [(log, root, codec) for log in order], lambda number: progress(order[number].size_bytes))


def _put_in_place(staging: Path, out: Path) -> None:
    old = None
    if out.is_dir() and not out.is_symlink() and not any(out.iterdir()):
        out.rmdir()
    elif out.exists():
        old = out.parent / f".{out.name}.{os.getpid()}.old"
        out.rename(old)
    try:
        staging.rename(out)
    except BaseException:
        if old is not None:
            old.rename(out)
        raise
    if old is not None:
        if old.is_symlink():
            old.unlink()
        else:
            shutil.rmtree(old, ignore_errors=True)
