"""Writes the redacted tables about several ranks, and the headline of the job."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.reader import Bundle
from tlparse_bundle.bundle.schemas import row_tables
from tlparse_bundle.bundle.store import open_store
from tlparse_bundle.redact.fields import Fields
from tlparse_bundle.redact.sentences import attempt, with_sentences
from tlparse_bundle.statements.ranks.comparable_text import Contents
from tlparse_bundle.statements.ranks.comparison import Comparison, Member
from tlparse_bundle.statements.ranks.findings import findings, job_text
from tlparse_bundle.statements.ranks.frames import Frame, Frames
from tlparse_bundle.statements.ranks.rank_sets import ranks_in
from tlparse_bundle.statements.ranks.runs import Run, RunOfLog
from tlparse_bundle.statements.source_places import Shortener

FINDINGS = "rank_findings"
Tables = dict[str, list[dict[str, Any]]]


def redacted_tables(
    bundle: Bundle, root: Path, rows: Sequence[dict[str, Any]], fields: Fields
) -> tuple[Tables, dict[str, Any] | None]:
    """Return the redacted tables about several ranks, and 'job' of the manifest; None without one.

    ``rows``: of the logs in the new manifest, in the order of the bundle.
    """
    tables: Tables = defaultdict(list)
    short = Shortener(())
    for name in bundle.manifest.get("rank_tables", {}):
        if row_tables().get(name) == "ranks" and name != FINDINGS:
            tables[name] = [fields.row(name, row) for row in bundle.rank_table(name)]
    compiles: list[Any] = bundle.rank_table("rank_compiles") if tables["rank_compiles"] else []
    old_short = Shortener(row["file"] for row in compiles)
    fields.names.files = {old_short(row["file"]): row["file"] for row in compiles if row["file"]}
    short = Shortener(row["file"] for row in tables["rank_compiles"])
    job = bundle.job
    if job is None:
        return tables, None
    comparison = attempt(lambda: _comparison(bundle, root, rows, fields, job), None)
    made = {} if comparison is None else _made(comparison, tables)
    new_rows: list[Any] = []
    for row in bundle.rank_table(FINDINGS):
        new = fields.row(FINDINGS, row)
        new["file"] = new["file"] and short(new["file"])
        same = made.get(_key(new))
        details = same[0]["details"] if same else {}
        new_rows.append(with_sentences(new, same) | {"details": details})
    tables[FINDINGS] = new_rows
    new_job = fields.row("manifest", {"job": job})["job"]
    columns = len(tables["rank_compiles"])
    new_job["text"] = attempt(lambda: job_text(new_job, new_rows, columns), "Several ranks")
    return tables, new_job


def _made(comparison: Comparison, tables: Tables) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    """Return the findings that the redacted tables give, by what identifies them."""
    made: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    rows: list[Any] = attempt(lambda: findings(comparison, tables), [])
    for row in rows:
        made.setdefault(_key(row), []).append(row)
    return made


def _key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["kind"], row["rank_compile"], str(row["ranks"]), str(row["others"])


def _comparison(
    bundle: Bundle, root: Path, rows: Sequence[dict[str, Any]], fields: Fields, job: Mapping[str, Any]
) -> Comparison | None:
    """Return the comparison of the original frames, with pseudonyms."""
    row_of = {log.id: row for log, row in zip(bundle.logs, rows, strict=True)}
    runs = [_run(run, row_of) for run in job["runs"]]
    chosen = [bundle.log(log_id) for log_id in job["runs"][job["run"] - 1]["logs"]]
    members = sorted((Member(row_of[log.id]["rank"], row_of[log.id]) for log in chosen), key=lambda m: m.rank)
    logs = {row_of[log.id]["id"]: log for log in chosen}
    contents = Contents()
    try:
        frames = []
        for member in members:
            log = logs[member.row["id"]]
            frames.append([_frame(frame, fields) for frame in Frames(log, contents).rows()])
            log.forget()
    except BundleError:
        return None
    own = {"codec": bundle.codec.name, "redacted": {"preset": None, "dropped": ["payloads", "timeline"]}}

    def opened(row: dict[str, Any]) -> Frames:
        return Frames(
            Bundle(open_store(root), {**own, "logs": [row]}, verify=False, trusted=True).logs[0], contents
        )

    place = {member.rank: number for number, member in enumerate(members)}
    roles = [[place[rank] for rank in ranks_in(row["ranks"])] for row in bundle.rank_table("rank_roles")]
    return Comparison(members, frames, rows, opened, runs, job["run"] - 1, roles)


def _frame(frame: Frame, fields: Fields) -> Frame:
    """Return a frame with the pseudonyms that the tables have."""
    file, function = fields.names.place(frame.filename, frame.function)
    graph = frame.graph and fields.names.pseudonyms.hash(frame.graph)
    return Frame(frame.key, function, file, frame.first_line, graph)


def _run(run: Mapping[str, Any], row_of: Mapping[str, dict[str, Any]]) -> Run:
    logs = {}
    for log_id in run["logs"]:
        row = row_of[log_id]
        logs[row["rank"]] = RunOfLog(
            row["id"], row["rank"], row["torch_version"], run["world_size"], run["start_epoch_us"], None
        )
    return Run(logs)
