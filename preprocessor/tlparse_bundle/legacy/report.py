"""The files that other tools read from a tlparse report, written from a bundle.

The pages that tlparse renders are not made again: where compile_directory.json lists one, its file
holds the data of the record as text. tlparse's index pages are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from tlparse_bundle.bundle.reader import Bundle, Log
from tlparse_bundle.bundle.restore import restored_bytes
from tlparse_bundle.errors import BundleError
from tlparse_bundle.legacy import rust_json
from tlparse_bundle.legacy.directory import Directory
from tlparse_bundle.legacy.export import GUARD_PAGE, failures, is_ignored
from tlparse_bundle.legacy.names import safe_path
from tlparse_bundle.legacy.outputs import JSON, PAYLOAD, outputs
from tlparse_bundle.legacy.records import Record, interned, records, string_table

_CHROMIUM = "chromium_event"


def write_legacy(bundle: Bundle, folder: Path, *, export: bool = False) -> list[Path]:
    """Write the report of each log of ``bundle`` and return their folders.

    One log goes into ``folder`` itself; several go into rank_<n> when each has a rank of its own,
    else into folders of their ids. ``export`` is tlparse's export mode. Raises BundleError when
    ``folder`` holds something already, or cannot be written.
    """
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise BundleError(f"{folder} exists already", hint="Choose an empty folder.", code="exists")
        targets = _targets(bundle, folder)
        for log, target in zip(bundle.logs, targets):
            target.mkdir(parents=True, exist_ok=True)
            (_write_export if export else _write_report)(log, Directory(target))
    except OSError as error:
        raise BundleError(f"{folder} cannot be written: {error.strerror or error}", code="unwritable") from error
    return targets


def _targets(bundle: Bundle, folder: Path) -> list[Path]:
    if len(bundle.logs) == 1:
        return [folder]
    ranks = [log.rank for log in bundle.logs]
    if None not in ranks and len(set(ranks)) == len(ranks):
        return [folder / f"rank_{int(rank)}" for rank in ranks]
    return [folder / safe_path(log.id).replace("/", "_") for log in bundle.logs]


def _write_report(log: Log, directory: Directory) -> None:
    with open(directory.folder / "raw.jsonl", "wb") as lines, open(directory.folder / "chromium_events.json", "wb") as timeline:
        _write_line(lines, {"string_table": string_table(log)}, {})
        separator = b"["
        for record, accepted in _of_one_rank(log, directory):
            if not accepted:
                _write_line(lines, record.envelope, record.prefix)
                continue
            path = _write_outputs(record, directory, export=False)
            if record.envelope.get(_CHROMIUM) is None:
                path = path or directory.write_payload(record)
                _write_line(lines, record.envelope, record.prefix | ({"payload_filename": path} if path else {}))
                continue
            try:
                event = rust_json.loads(record.payload)
            except ValueError:
                continue
            timeline.write(separator + b"\n  " + rust_json.pretty(event, 1).encode())
            separator = b","
        timeline.write(b"[]" if separator == b"[" else b"\n]")
    groups = {shown_id: {"artifacts": artifacts} for shown_id, artifacts in directory.groups.items()}
    directory.write("compile_directory.json", rust_json.pretty(groups).encode())
    with open(directory.folder / "raw.log", "wb") as copy:
        copy.writelines(restored_bytes(log))


def _write_export(log: Log, directory: Directory) -> None:
    rows: list[dict] = []
    for record, accepted in _of_one_rank(log, directory):
        if not accepted:
            continue
        path = _write_outputs(record, directory, export=True)
        if is_ignored(record):
            continue
        for key, row, has_page in failures(record):
            rows.append({**row, "page": directory.write_output(record, key, GUARD_PAGE) if has_page else None})
        if path is None and record.envelope.get(_CHROMIUM) is None:
            directory.write_payload(record)
    urls = (entry["url"] for entries in directory.groups.values() for entry in entries)
    program = next((url for url in urls if "exported_program" in url), None)
    directory.write("export_failures.json", rust_json.pretty({"failures": rows, "exported_program": program}).encode())


def _of_one_rank(log: Log, directory: Directory) -> Iterator[tuple[Record, bool]]:
    """The records but those that define strings, and whether each is accepted.

    As in tlparse the first rank that appears is the one of the report; it takes what comes before.
    """
    rank = None
    for record in records(log):
        if interned(record.envelope) is not None:
            continue
        accepted = rank is None or record.rank == rank
        if accepted:
            rank = record.rank
            directory.groups.setdefault(record.shown_id, [])
        yield record, accepted


def _write_outputs(record: Record, directory: Directory, *, export: bool) -> str | None:
    """Write what the record makes; returns the path of its payload, if that is among it."""
    payload_path = None
    for key, output in outputs(record, export=export):
        path = directory.write_output(record, key, output)
        if output.form in (PAYLOAD, JSON):
            payload_path = path
    return payload_path


def _write_line(lines: BinaryIO, envelope: dict, added: dict) -> None:
    """A line of raw.jsonl; none when the record has one of the added keys itself."""
    if envelope.keys().isdisjoint(added):
        lines.write(rust_json.dumps(envelope | added).encode() + b"\n")
