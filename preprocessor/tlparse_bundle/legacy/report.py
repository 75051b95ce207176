"""Files that other tools read from a tlparse report, written from a bundle.

Pages that tlparse renders are not rebuilt: where compile_directory.json lists one, its file holds the
record's data as text. Index pages are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any, BinaryIO

from tlparse_bundle.bundle.atomic.folder import new_folder
from tlparse_bundle.bundle.layout import guards
from tlparse_bundle.bundle.reader import Bundle, Log
from tlparse_bundle.bundle.restore import check_whole, restored_bytes
from tlparse_bundle.legacy import rust_json
from tlparse_bundle.legacy.directory import JSON, PAGE, PAYLOAD, Directory, Output, outputs, safe_path
from tlparse_bundle.legacy.ranks import RankFiles
from tlparse_bundle.legacy.records import Record, interned, records, string_table

GUARD_PAGE = Output(PAGE, "symbolic_guard_information.html")

# Key of the envelope: type of the failure, its texts, and whether it has a page about its guard.
_FAILURES = {
    "guard_added": ("Guard Evaluated", ("expr",), True),
    "propagate_real_tensors_provenance": ("Data Dependent Error", ("expr", "result"), True),
    "missing_fake_kernel": ("Missing Fake Kernel", ("op",), False),
    "mismatched_fake_kernel": ("Mismatched Fake Kernel", ("op", "reason"), False),
}
_TIMELINE = "chromium_events.json"


def write_legacy(bundle: Bundle, folder: Path, *, export: bool = False) -> list[Path]:
    """Write the report of each log of ``bundle`` and return their folders.

    One log goes into ``folder`` itself; several go into rank_<n> when each has a rank of its own,
    with the timeline and the run times and schedules of all ranks beside them, else into folders of their
    ids. ``export`` is tlparse's export mode. Raises BundleError when ``folder`` holds something already, or
    cannot be written.
    """
    check_whole(bundle)
    with new_folder(folder, readers_of=guards(bundle.location)) as new:
        return [folder / target.relative_to(new) for target in _write(bundle.logs, new, export)]


def _write(logs: list[Log], folder: Path, export: bool) -> list[Path]:
    by_rank = len(logs) > 1 and len({log.rank for log in logs} - {None}) == len(logs)
    with open(folder / _TIMELINE, "wb") if by_rank and not export else nullcontext() as stream:
        everyone = None if stream is None else _JsonArray(stream)
        targets = []
        ranks = RankFiles()
        for log in logs:
            rank = log.rank if by_rank else None
            if len(logs) == 1:
                target = folder
            elif rank is not None:
                target = folder / f"rank_{int(rank)}"
            else:
                target = folder / safe_path(log.id).replace("/", "_")
            target.mkdir(exist_ok=target is folder)
            targets.append(target)
            directory = Directory(target)
            if export:
                _write_export(log, directory)
            else:
                _write_report(log, directory, everyone)
                if rank is not None:
                    ranks.add(rank, directory)
        if everyone is not None:
            everyone.close()
            ranks.write(folder)
    return targets


def _write_report(log: Log, directory: Directory, everyone: _JsonArray | None) -> None:
    """Write the report of a log. ``everyone`` is the timeline of all ranks, with rank as pid."""
    with (
        open(directory.folder / "raw.jsonl", "wb") as lines,
        open(directory.folder / _TIMELINE, "wb") as stream,
    ):
        timeline = _JsonArray(stream)
        _write_line(lines, {"string_table": string_table(log)}, {})
        for record, accepted in _of_one_rank(log, directory):
            if not accepted:
                _write_line(lines, record.envelope, record.prefix)
                continue
            path = _write_outputs(record, directory, export=False)
            if record.envelope.get("chromium_event") is None:
                path = path or directory.write_payload(record)
                _write_line(
                    lines, record.envelope, record.prefix | ({"payload_filename": path} if path else {})
                )
                continue
            try:
                event = rust_json.loads(record.payload)
            except ValueError:
                continue
            timeline.add(event)
            if everyone:
                everyone.add({**event, "pid": log.rank} if type(event) is dict else event)
        timeline.close()
    groups = {shown_id: {"artifacts": artifacts} for shown_id, artifacts in directory.groups.items()}
    directory.write("compile_directory.json", rust_json.pretty(groups).encode())
    with open(directory.folder / "raw.log", "wb") as copy:
        copy.writelines(restored_bytes(log))


def _write_export(log: Log, directory: Directory) -> None:
    rows: list[dict[str, Any]] = []
    for record, accepted in _of_one_rank(log, directory):
        if not accepted:
            continue
        path = _write_outputs(record, directory, export=True)
        if is_ignored(record):
            continue
        for key, row, has_page in failures(record):
            rows.append(
                {**row, "page": directory.write_output(record, key, GUARD_PAGE) if has_page else None}
            )
        if path is None and record.envelope.get("chromium_event") is None:
            directory.write_payload(record)
    urls = (entry["url"] for entries in directory.groups.values() for entry in entries)
    program = next((url for url in urls if "exported_program" in url), None)
    directory.write(
        "export_failures.json", rust_json.pretty({"failures": rows, "exported_program": program}).encode()
    )


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
    """Write the outputs of the record; return the path of its payload, if written."""
    payload_path = None
    for key, output in outputs(record, export=export):
        path = directory.write_output(record, key, output)
        if output.form in (PAYLOAD, JSON):
            payload_path = path
    return payload_path


def _write_line(lines: BinaryIO, envelope: dict[str, Any], added: dict[str, Any]) -> None:
    """Write a line of raw.jsonl, except for a record that already has one of the added keys."""
    if envelope.keys().isdisjoint(added):
        lines.write(rust_json.dumps(envelope | added).encode() + b"\n")


class _JsonArray:
    """A pretty-printed array that is written as values arrive."""

    def __init__(self, stream: BinaryIO):
        self._stream = stream
        self._before = b"[\n  "

    def add(self, value: Any) -> None:
        self._stream.write(self._before + rust_json.pretty(value, 1).encode())
        self._before = b",\n  "

    def close(self) -> None:
        self._stream.write(b"[]" if self._before.startswith(b"[") else b"\n]")


def failures(record: Record) -> list[tuple[str, dict[str, Any], bool]]:
    """(key of the envelope, row, has a page) of each failure that a record reports.

    tlparse ends with a panic when one of the texts is missing, and loses records whose
    ``frame_locals`` hold lists, as torch 2.13 writes them; here a text may be None.
    """
    reported = []
    for key, (failure, texts, has_page) in _FAILURES.items():
        metadata = record.metadata(key)
        if metadata is not None:
            row = {text: metadata.get(text) if type(metadata.get(text)) is str else None for text in texts}
            reported.append((key, {"type": failure, **row}, has_page))
    return reported


def is_ignored(record: Record) -> bool:
    """Return whether it is a guard that did not affect the export."""
    guard = record.metadata("guard_added")
    return guard is not None and guard.get("prefix") != "eval"
