"""Writes the redacted tables of one log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.diagnostics import CODES
from tlparse_bundle.bundle.json_codec import dumps
from tlparse_bundle.bundle.layout import blob_path, log_path
from tlparse_bundle.bundle.reader import Log
from tlparse_bundle.bundle.schemas import row_tables, schema
from tlparse_bundle.log.events.kind import Kind
from tlparse_bundle.log.events.registry import FAMILIES
from tlparse_bundle.model.compiles import ASKED, CANDIDATES, EXPORT_RECORDS
from tlparse_bundle.pipeline.file_writer import FileSink, encoded_pieces
from tlparse_bundle.pipeline.log_writer import LogSummary
from tlparse_bundle.pipeline.written_log import MEMORY_BYTES, RowMemory, WrittenLog
from tlparse_bundle.redact.fields import Fields
from tlparse_bundle.redact.names import Names
from tlparse_bundle.redact.policy import Policy
from tlparse_bundle.redact.pseudonyms import Pseudonyms
from tlparse_bundle.redact.sentences import findings_of_log, headline_of
from tlparse_bundle.statements.facts import STREAMED, Facts
from tlparse_bundle.statements.registry import NAME as FINDINGS
from tlparse_bundle.statements.source_places import Shortener, is_of_program
from tlparse_bundle.tables.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Callable

_IN_FILES = ("events", "metadata")  # tables whose files say which event is their first
_GENERIC = {
    f"artifact:*{language}": Kind(f"artifact:*{language}", "artifact", "other", language, "")
    for language in ("json", "text")
}


def new_ids(logs: Sequence[Log], pseudonyms: Pseudonyms) -> dict[str, str]:
    """Return the id of each log in the redacted bundle: its rank, and a pseudonym of its name.

    Logs of one rank have a number, so that they keep their order.
    """
    counts = Counter(log.rank for log in logs)
    numbers: Counter[int | None] = Counter()
    ids = {}
    for log in logs:
        rank = "log" if log.rank is None else f"rank_{log.rank}"
        number = f"_{numbers[log.rank]:04d}" if counts[log.rank] > 1 else ""
        numbers[log.rank] += 1
        ids[log.id] = f"{rank}{number}_{pseudonyms.tag(log.id)}"
    return ids


def write_log(
    log: Log, sink: FileSink, pseudonyms: Pseudonyms, log_id: Callable[[str], str], policy: Policy
) -> tuple[LogSummary, dict[str, Any]]:
    """Write the redacted files of a log, with all tables. Return its data for the manifest and its
    directory.
    """
    names = Names(pseudonyms)
    new = log_id(log.id)
    blobs = _blobs(log, new, sink, pseudonyms, policy)
    fields = Fields(
        names, policy.kept, blob=blobs.__getitem__, log=log_id, keeps_hashes="payloads" not in policy.dropped
    )
    directory = _directory(log, fields, new)
    sink.keep, sink.kept = STREAMED, {}
    tables = {
        name: _write(log, sink, fields, name, new)
        for name in sorted(log.directory["tables"])
        if row_tables().get(name) == "log" and name not in (FINDINGS, *policy.always_left_out)
    }
    directory["tables"] = {name: entry for name, entry in tables.items() if entry["rows"]}
    memory = RowMemory(MEMORY_BYTES)
    unwritten = _unwritten(directory, sink, memory)
    facts = Facts(WrittenLog(sink, directory, _last_epoch_us(log), unwritten, memory))
    names.files = _shortened(log)
    row, findings = _statements(log, fields, facts)
    if findings:
        directory["tables"][FINDINGS] = sink.put_rows(new, FINDINGS, Rows(findings))
    sink.keep, sink.kept = frozenset(), {}
    directory["tables"] = dict(sorted(directory["tables"].items()))
    for path in log.blobs if "payloads" not in policy.dropped else ():
        if not (sink.root / blobs[path]).exists():
            log.blob(path)  # raises BundleError when it is not what the table says
            sink.put_stored(blobs[path], log.bundle.raw(path))
    row |= {key: directory[key] for key in ("id", "rank", "source", "event_count")}
    row["path"] = sink.put(log_path(new, "log.json", sink.codec), dumps(directory))
    log.forget()
    log.bundle.forget()
    return LogSummary(row, _kinds(directory), list(findings[:3])), directory


def leave_out(directory: dict[str, Any], sink: FileSink, policy: Policy) -> None:
    """Remove the tables that the policy leaves out, when no sentence needs them any more."""
    left_out = policy.tables_left_out()
    for name in left_out & set(directory["tables"]):
        sink.remove(directory["tables"].pop(name))
    directory["left_out"] = sorted(left_out)
    sink.put(log_path(directory["id"], "log.json", sink.codec), dumps(directory))


def _directory(log: Log, fields: Fields, new: str) -> dict[str, Any]:
    directory = fields.row("log", {**log.directory, "tables": {}, "verbatim": [], "left_out": []})
    return {**directory, "id": new, "source": {**directory["source"], "name": f"{new}.log"}}


def _statements(log: Log, fields: Fields, facts: Facts) -> tuple[dict[str, Any], list[Any]]:
    """Return the log's row of the manifest and its findings, in our words about the redacted tables."""
    original: list[Any] = [] if log.is_missing(FINDINGS) else log.table(FINDINGS)
    findings, statements = findings_of_log(original, fields, facts)
    manifest_row = fields.row("manifest", {"logs": [{k: v for k, v in log.row.items() if k != "path"}]})[
        "logs"
    ][0]
    manifest_row["diagnostics"] = {
        code: count for code, count in manifest_row["diagnostics"].items() if code in CODES
    }
    numbers = manifest_row["summary"]
    manifest_row["summary"] = {
        "text": headline_of(facts, numbers, statements),
        **{k: v for k, v in numbers.items() if k != "text"},
    }
    return manifest_row, findings


def _blobs(log: Log, new: str, sink: FileSink, pseudonyms: Pseudonyms, policy: Policy) -> Mapping[str, str]:
    """Return the new path of each blob. The hash of a payload would tell who has the same one."""
    kept = "payloads" not in policy.dropped
    paths: dict[str, str] = {}
    own = 0
    for path, row in log.blobs.items():
        if path.startswith("blobs/"):
            paths[path] = path if kept else blob_path(pseudonyms.hash(row["sha256"]), sink.codec)
        else:
            paths[path] = log_path(new, f"{row['kind']}/{own:04d}.json", sink.codec)
            own += 1
    return paths


def _write(log: Log, sink: FileSink, fields: Fields, name: str, new: str) -> dict[str, Any]:
    """Write a redacted table, and return its entry in the directory."""
    if name not in _IN_FILES:
        return sink.put_rows(new, name, Rows(_rows(log.stream(name), fields, name)))
    parts = []
    firsts = []
    for number, _ in enumerate(log.files(name)):
        lines = [dumps(row) + b"\n" for row in _rows(log.part(name, number), fields, name)]
        firsts.append(log.part(name, number)[0]["event"])
        parts.append((len(lines), encoded_pieces(lines, sink.codec)))
    entry = sink.put_row_files(new, name, parts)
    for file, first in zip(entry["files"], firsts, strict=True):
        file["first_event"] = first
    return entry


def _rows(
    rows: Iterator[dict[str, Any]] | list[dict[str, Any]], fields: Fields, name: str
) -> Iterator[dict[str, Any]]:
    for row in rows:
        if name != "diagnostics" or row["code"] in CODES:
            yield fields.row(name, row)


def _unwritten(directory: Mapping[str, Any], sink: FileSink, memory: RowMemory) -> dict[str, list[Any]]:
    """Return the tables that only a build has, as far as the tables of a bundle tell."""
    written = WrittenLog(sink, dict(directory), None, {}, memory)
    blank = dict.fromkeys(schema("compiles")["properties"]) | {"restart_reasons": [], "graph_break_count": 0}
    candidates = [
        {**blank, **row} for name in ("compiles", "limits", "captures") for row in written.table(name)
    ]
    limits = {row["compile"] for row in written.table("limits")}
    asked = [{**row, "at_limit": False} for row in written.table("recompiles")]
    attempts = {row["compile"]: row["attempt"] for row in written.table("attempts")}
    known = {row["event"] for row in asked}
    code_objects = {row["limit_compile"]: row["id"] for row in written.table("code_objects")}
    for row in written.table("recompile_reasons"):
        if row["event"] not in known and row["compile"] in limits and row["compile"] in attempts:
            known.add(row["event"])
            asked.append(
                {
                    **{key: row[key] for key in ("event", "compile", "attempt")},
                    "code_object": code_objects.get(row["compile"]),
                    "follows": None,
                    "text": None,
                    "at_limit": True,
                }
            )
    records = [
        {
            **{key: row[key] for key in ("compile", "attempt")},
            **{key: part[key] for key in ("start_event", "program_event")},
        }
        for row in written.table("exports")
        for part in (*row["conversions"], row)
        if part["start_event"] is not None or part["program_event"] is not None
    ]
    records.sort(key=lambda row: row["program_event"] if row["start_event"] is None else row["start_event"])
    return {
        CANDIDATES: candidates,
        ASKED: sorted(asked, key=lambda row: row["event"]),
        EXPORT_RECORDS: records,
    }


def _shortened(log: Log) -> dict[str, str]:
    """Return the path of each file by the short form that findings have of it."""
    files = {row[key] for name, key in (("compiles", "file"), ("stacks", "file")) for row in log.stream(name)}
    files |= {
        row["file"]
        for name in ("graph_breaks", "failures")
        if not log.is_missing(name)
        for row in log.stream(name)
    }
    paths = sorted(file for file in files if file)
    short = Shortener(file for file in paths if is_of_program(file))
    return {short(path): path for path in paths if len(path) <= 1000}


def _last_epoch_us(log: Log) -> int | None:
    origin, files = log.directory["clock"]["origin_epoch_us"], log.files("events")
    if origin is None or not files:
        return None
    return int(origin + max(row["time_us"] for row in log.part("events", len(files) - 1)))


def _kinds(directory: Mapping[str, Any]) -> dict[str, Kind]:
    ours = {kind.key: kind for family in FAMILIES for kind in family.KINDS}
    known = ours | _GENERIC
    return {
        key: known.get(key) or Kind(key, key, "other", "text", "")  # of an event type that nobody knows
        for key in (kind["descriptor"] for kind in directory["kinds"])
    }
