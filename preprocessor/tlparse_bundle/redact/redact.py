"""Redacts a bundle.

Its logs are rewritten with pseudonyms and rebuilt. Then payloads, tables and metadata that the policy
drops, and the verbatim log, are removed. Finally the result is searched for leaks.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.bundle.atomic.folder import temporary_folder
from tlparse_bundle.bundle.codecs import Codec
from tlparse_bundle.bundle.json_codec import dumps, dumps_indented
from tlparse_bundle.bundle.layout import FORMAT_MINOR, MANIFEST, guards
from tlparse_bundle.bundle.reader import Bundle, Log
from tlparse_bundle.bundle.schemas import row_tables
from tlparse_bundle.log.discover import discover
from tlparse_bundle.pipeline.build import build
from tlparse_bundle.pipeline.target import open_target
from tlparse_bundle.redact.leak_check import left_over
from tlparse_bundle.redact.log_rewriter import LogNames, Rewriter, collect
from tlparse_bundle.redact.policy import PARTS, RANK_PARTS, Policy
from tlparse_bundle.redact.text_rewriter import Text

_TORCH = "dedicated_log_torch_trace_"
_SHOWN = 5
_MEASURED = (
    "compilation_metrics",
    "bwd_compilation_metrics",
    "compilation_metrics_runtime",
    "bwd_compilation_metrics_runtime",
)


@dataclass
class Redacted:
    """Result of a redaction. ``changed``: differences in the number of findings, by kind."""

    folder: Path
    size_bytes: int
    source_bytes: int
    renamed: int
    lines: int
    changed: dict[str, int] = field(default_factory=dict)


class Words:
    """The pseudonyms for the words of several bundles, the same in all, so that results can be compared."""

    def __init__(self, bundles: Sequence[Bundle], policy: Policy):
        for bundle in bundles:
            check_source(bundle)
        self.log_names = look(*bundles)
        self.names = self.log_names.names() if "names" in policy.dropped else None
        self.source = self.log_names.source if "source" in policy.dropped else None
        self.text = Text(self.names, self.source, strings="strings" in policy.dropped)


def redact(
    bundle: Bundle,
    out: str | os.PathLike[str],
    policy: Policy,
    *,
    overwrite: bool = False,
    words: Words | None = None,
) -> Redacted:
    """Write a redacted copy of ``bundle`` to ``out``, or nothing when a name, path or source line leaks.

    Raises BundleError for a leak, for a redacted or growing bundle, and when ``out`` exists and may not
    be replaced, or is the bundle itself.
    """
    if Path(out).exists() and Path(bundle.location).exists() and os.path.samefile(out, bundle.location):
        raise BundleError(
            f"'{shown(out)}' is the bundle to redact",
            hint="Choose a different path for OUT.",
            code="exists",
        )
    target = open_target(out, overwrite=overwrite, sources=guards(bundle.location))
    with target, redacted_folder(bundle, policy, words=words) as redacted:
        paths = sorted(path for path in redacted.folder.rglob("*") if path.is_file())
        for path in sorted(paths, key=lambda path: path.name == MANIFEST):
            target.write(path.relative_to(redacted.folder).as_posix(), path.read_bytes())
    return redacted


@contextmanager
def redacted_folder(
    bundle: Bundle, policy: Policy, jobs: int | None = None, words: Words | None = None
) -> Iterator[Redacted]:
    """Redact a bundle into a temporary folder. ``jobs``: see build; ``words``: of this bundle and others.

    Raises BundleError as ``redact`` does.
    """
    words = words or Words([bundle], policy)
    names = words.names
    with temporary_folder() as work:
        (work / "logs").mkdir()
        for number, log in enumerate(bundle.logs):
            name = (
                _file_name(log, number)
                if names
                else log.source
                if _is_plain(log.source)
                else _file_name(log, number)
            )
            rewriter = Rewriter(words.text, names, source=words.source is not None)
            _write(work / "logs" / name, rewriter.pieces(log))
        kept = (
            {}
            if names
            else {key: bundle.manifest[key] for key in ("label", "commit") if key in bundle.manifest}
        )
        build(discover([work / "logs"]), work / "bundle", codec=bundle.manifest["codec"], jobs=jobs, **kept)
        shutil.rmtree(work / "logs")
        drop(Bundle.open(work / "bundle"), work / "bundle", policy)
        left = left_over(work / "bundle", words.log_names, policy)
        if left:
            some = ", ".join(shown(text[:80]) for text in left[:_SHOWN])
            raise BundleError(
                f"{len(left):,} names, paths or lines of the logs are still in the result, which was not"
                f" written: {some}",
                hint=(
                    "This is a bug in tlparse-bundle. Drop more, such as payloads or metadata, and report"
                    " the form in which they appear."
                ),
                code="not-redacted",
            )
        new = Bundle.open(work / "bundle")
        renamed = len(names.given()) if names else 0
        yield Redacted(
            work / "bundle",
            _size(work / "bundle"),
            _declared(bundle),
            renamed,
            len(words.source or ()),
            _changed(bundle, new, policy),
        )


def check_source(bundle: Bundle) -> None:
    """Raise BundleError unless the bundle can be redacted: it must hold its complete logs."""
    if "redacted" in bundle.manifest:
        raise BundleError(
            f"'{shown(bundle.location)}' is already redacted",
            hint="Redact the original bundle.",
            code="redacted",
        )
    if bundle.manifest.get("growing"):
        raise BundleError(
            f"'{shown(bundle.location)}' is still growing",
            hint="Redact it when it is finished.",
            code="growing",
        )


def look(*bundles: Bundle) -> LogNames:
    """Collect names that the logs of bundles use."""
    log_names = LogNames()
    for bundle in bundles:
        log_names.stacks(bundle.logs)
    for log in (log for bundle in bundles for log in bundle.logs):
        collect(log, log_names)
    return log_names


def _file_name(log: Log, number: int) -> str:
    """Return a file name that gives the log its rank and its place in the order."""
    rank = f"rank_{log.rank}_" if log.rank is not None and "rank_" in log.source else ""
    return f"{_TORCH}{rank}log{number:05}.log"


def _is_plain(name: str) -> bool:
    """Return whether a source name is safe as a file name: a crafted bundle may hold any."""
    return (
        name.startswith(_TORCH)
        and name.endswith(".log")
        and name.replace("_", "").replace(".", "").replace("-", "").isalnum()
        and len(name) < 200
    )


def _write(path: Path, pieces: Iterator[bytes]) -> None:
    with open(path, "xb") as stream:
        stream.writelines(pieces)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _declared(bundle: Bundle) -> int:
    """Return the stored bytes of all blobs, which are nearly all of a bundle."""
    return sum(
        {path: row["stored_size_bytes"] for log in bundle.logs for path, row in log.blobs.items()}.values()
    )


def _changed(old: Bundle, new: Bundle, policy: Policy) -> dict[str, int]:
    """Return by how much the number of findings of each kind differs, except expected ones."""
    gone = {part for part in ("findings", "ranks") if part in policy.dropped}
    before, after = (
        Counter(
            {
                kind: count
                for kind, count in _kinds(bundle).items()
                if not gone & {"findings", "ranks" if kind.startswith("ranks: ") else ""}
            }
        )
        for bundle in (old, new)
    )
    return {
        kind: after[kind] - before[kind] for kind in sorted({*before, *after}) if after[kind] != before[kind]
    }


def _kinds(bundle: Bundle) -> Counter[str]:
    """Return the number of findings by kind."""
    counts = Counter(
        row["kind"] for log in bundle.logs if not log.is_missing("findings") for row in log.findings()
    )
    return (
        counts + Counter(f"ranks: {row['kind']}" for row in bundle.rank_table("rank_findings"))
        if bundle.job
        else counts
    )


def drop(bundle: Bundle, folder: Path, policy: Policy) -> None:
    """Remove what the policy drops from ``bundle`` in ``folder``; the manifest lists it."""
    gone = {kind for kind in ("payloads", "timeline") if kind in policy.dropped}
    if gone:
        _drop_payloads(bundle, folder, gone)
    for log in bundle.logs:
        _drop_from_log(log, folder, policy.dropped, bundle.codec)
    manifest = _without_ranks({**bundle.manifest, "redacted": policy.as_row()}, folder, policy.dropped)
    manifest["format"] = {**manifest["format"], "minor": FORMAT_MINOR}
    (folder / MANIFEST).write_bytes(dumps_indented(manifest))


def _without_ranks(manifest: Mapping[str, Any], folder: Path, dropped: Collection[str]) -> dict[str, Any]:
    """Remove the files of dropped tables about several ranks. Return the manifest without them."""
    entries = manifest.get("rank_tables", {})
    gone = (
        {name for name, where in row_tables().items() if where == "ranks"} | set(entries)
        if "ranks" in dropped
        else {name for part in dropped for name in RANK_PARTS.get(part, ())}
    )
    for name in gone & set(entries):
        for file in entries[name]["files"]:
            (folder / file["path"]).unlink()
    changed = {
        **manifest,
        "rank_tables": {name: entry for name, entry in entries.items() if name not in gone},
    }
    if not changed["rank_tables"]:
        del changed["rank_tables"]
    if "rank_findings" in gone:
        changed.pop("job", None)  # its text is that of the first findings
    if gone:
        changed["redacted"] = {**changed["redacted"], "left_out": sorted(gone)}
    return changed


def _drop_payloads(bundle: Bundle, folder: Path, gone: Collection[str]) -> None:
    of_timeline: set[str] = set()
    others: set[str] = set()
    for log in bundle.logs:
        timeline = {path for path, row in log.blobs.items() if row["kind"] == "timeline"}
        of_timeline |= timeline
        others |= log.blobs.keys() - timeline
    kept = (set() if "timeline" in gone else of_timeline) | (set() if "payloads" in gone else others)
    for path in (of_timeline | others) - kept:
        (folder / path).unlink()


def _drop_from_log(log: Log, folder: Path, dropped: Collection[str], codec: Codec) -> None:
    directory = {**log.directory, "tables": dict(log.directory["tables"]), "left_out": []}
    for chunk in directory["verbatim"]:
        (folder / chunk["path"]).unlink()
    directory["verbatim"] = []
    for name in (table for part in dropped for table in PARTS.get(part, ())):
        entry = directory["tables"].pop(name, {"files": ()})
        for file in entry["files"]:
            (folder / file["path"]).unlink()
        directory["left_out"].append(name)
    if "metadata" in dropped:
        files = []
        for number, file in enumerate(log.files("metadata")):
            rows = [
                row
                for row in log.part("metadata", number)
                if any(key in row["metadata"] for key in _MEASURED)
            ]
            if not rows:
                (folder / file["path"]).unlink()
                continue
            (folder / file["path"]).write_bytes(codec.encode(b"".join(dumps(row) + b"\n" for row in rows)))
            files.append({"path": file["path"], "rows": len(rows), "first_event": rows[0]["event"]})
        directory["tables"].pop("metadata", None)
        if files:
            directory["tables"]["metadata"] = {"rows": sum(file["rows"] for file in files), "files": files}
    (folder / log.row["path"]).write_bytes(codec.encode(dumps(directory)))
