"""Redacts a bundle: maps the rows of its tables field by field, and makes our sentences again."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.bundle.atomic.folder import temporary_folder
from tlparse_bundle.bundle.json_codec import dumps_indented
from tlparse_bundle.bundle.layout import MANIFEST, guards
from tlparse_bundle.bundle.reader import Bundle
from tlparse_bundle.pipeline.build import make_manifest, write_schemas
from tlparse_bundle.pipeline.file_writer import FileSink
from tlparse_bundle.pipeline.rank_files import write_tables
from tlparse_bundle.pipeline.target import open_target
from tlparse_bundle.redact.fields import Fields
from tlparse_bundle.redact.leak_search import check_for_leaks
from tlparse_bundle.redact.log_tables import leave_out, new_ids, write_log
from tlparse_bundle.redact.names import Names
from tlparse_bundle.redact.policy import Policy
from tlparse_bundle.redact.pseudonyms import Pseudonyms, new_key
from tlparse_bundle.redact.rank_tables import FINDINGS, redacted_tables


@dataclass
class Redacted:
    """Result of a redaction."""

    folder: Path
    size_bytes: int


class _Folder:
    """The destination of files of a bundle in a folder."""

    def __init__(self, root: Path):
        self.root = root

    def write(self, path: str, data: bytes) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def redact(
    bundle: Bundle,
    out: str | os.PathLike[str],
    policy: Policy,
    *,
    overwrite: bool = False,
    key: bytes | None = None,
    verify: bool = False,
) -> Redacted:
    """Write a redacted copy of ``bundle`` to ``out``. ``key``: see ``redacted_folder``.

    ``verify``: search the copy for text of the logs first. Raises BundleError when there is any; for a
    redacted or growing bundle, and when ``out`` exists and may not be replaced, or is the bundle itself.
    """
    if Path(out).exists() and Path(bundle.location).exists() and os.path.samefile(out, bundle.location):
        raise BundleError(
            f"'{shown(out)}' is the bundle to redact",
            hint="Choose a different path for OUT.",
            code="exists",
        )
    target = open_target(out, overwrite=overwrite, sources=guards(bundle.location))
    with target, redacted_folder(bundle, policy, key) as redacted:
        if verify:
            check_for_leaks(bundle, redacted.folder)
        paths = sorted(path for path in redacted.folder.rglob("*") if path.is_file())
        for path in sorted(paths, key=lambda path: path.name == MANIFEST):
            target.write(path.relative_to(redacted.folder).as_posix(), path.read_bytes())
    return redacted


@contextmanager
def redacted_folder(bundle: Bundle, policy: Policy, key: bytes | None = None) -> Iterator[Redacted]:
    """Redact a bundle into a temporary folder.

    ``key`` makes the pseudonyms: with one key they are the same in several bundles. The default is a new one,
    which nobody gets. Raises BundleError as ``redact`` does.
    """
    check_source(bundle)
    pseudonyms = Pseudonyms(key or new_key())
    ids = new_ids(bundle.logs, pseudonyms)

    def log_id(old: str) -> str:
        return ids.get(old) or f"log_{pseudonyms.tag(old)}"

    with temporary_folder() as work:
        folder = _Folder(work / "bundle")
        sink = FileSink(folder.root, bundle.codec)
        written = [write_log(log, sink, pseudonyms, log_id, policy) for log in bundle.logs]
        summaries = [summary for summary, _ in written]
        rows = [summary.row for summary in summaries]
        manifest = make_manifest(summaries, bundle.codec.name)
        manifest["redacted"] = policy.as_row()
        fields = Fields(Names(pseudonyms), policy.kept, log=log_id)
        _write_ranks(bundle, folder, manifest, rows, fields, policy)
        for _, directory in written:
            leave_out(directory, sink, policy)
        write_schemas(folder, bundle.codec.name)
        folder.write(MANIFEST, dumps_indented(manifest))
        yield Redacted(
            folder.root, sum(path.stat().st_size for path in folder.root.rglob("*") if path.is_file())
        )


def check_source(bundle: Bundle) -> None:
    """Raise BundleError unless the bundle can be redacted."""
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


def _write_ranks(
    bundle: Bundle,
    folder: _Folder,
    manifest: dict[str, Any],
    rows: list[dict[str, Any]],
    fields: Fields,
    policy: Policy,
) -> None:
    """Write the tables about several ranks, and add them to the manifest."""
    left_out = policy.tables_left_out("ranks")
    if bundle.manifest.get("rank_tables"):
        tables, job = redacted_tables(bundle, folder.root, rows, fields)
        kept = {name: table for name, table in tables.items() if table and name not in left_out}
        if entries := write_tables(folder, kept, bundle.codec.name):
            manifest["rank_tables"] = entries
        if job is not None and FINDINGS not in left_out:
            manifest["job"] = job
    elif bundle.job is not None:
        manifest["job"] = fields.row("manifest", {"job": bundle.job})["job"] | {"text": "Several ranks"}
    if left_out:
        manifest["redacted"]["left_out"] = sorted(left_out)
