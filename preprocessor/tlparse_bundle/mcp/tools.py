"""The tools for language models: each returns an object of limited size, with links and evidence.

The docstring of a tool is its description for the model. Nothing here depends on the protocol.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import BoundedSemaphore
from typing import Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.find import find
from tlparse_bundle.bundle.reader import Log
from tlparse_bundle.bundle.row_objects import Compile
from tlparse_bundle.bundle.sql.confined import Limits
from tlparse_bundle.bundle.sql.confined import answer as sql_answer
from tlparse_bundle.guards.history import history
from tlparse_bundle.guards.values import parse_call
from tlparse_bundle.mcp.answers import answer, cut, matches, span_sums
from tlparse_bundle.mcp.open_bundles import Opened
from tlparse_bundle.render.info import status_now, statuses
from tlparse_bundle.render.running import still_growing
from tlparse_bundle.statements.runs.compare.document import compare as compared

_MOST_LINES = 400  # of an artifact per call
_MOST_QUERIES = 2  # at once
_QUERY = Limits(seconds=20, rows=200, cell_characters=2000, answer_bytes=1 << 20)
_TIMES = ("total_us", "dynamo_us", "aot_us", "inductor_us", "backward_us", "restart_us")
_PLACE = ("function", "file", "line")
_FINDING = ("kind", "severity", "title", "text", *_PLACE, "count", "cost_us", "cost_of")
_CHANGE = ("kind", "change", "severity", "title", "text", *_PLACE, "cost_us")
_RANK_FINDING = ("kind", "severity", "title", "text", "ranks", "others", *_PLACE, "cost_us", "cost_of")
_COUNTS = ("graph_op_count", "graph_input_count", "guard_count", "graph_break_count")


class Tools:
    """The tools: all methods without a leading underscore."""

    def __init__(self, opened: Opened):
        self._opened = opened
        self._slots = BoundedSemaphore(_MOST_QUERIES)

    def overview(self, bundle: str | None = None) -> dict[str, Any]:
        """Summary of each log and of all ranks. Call this first. Without 'bundle': all bundles."""
        if bundle is None and len(self._opened.places) > 1:
            rows = (
                {"bundle": name, "says": [_headline(log) for log in self._opened.bundle(name)[1].logs[:3]]}
                for name in self._opened.places
            )
            return answer(
                {"next": "Call overview(bundle) for one, or compare(base, new) for two."},
                "bundles",
                rows,
                total=len(self._opened.places),
            )
        name, opened = self._opened.bundle(bundle)
        head = {
            "bundle": name,
            "label": opened.manifest.get("label"),
            "commit": opened.manifest.get("commit"),
            "growing": still_growing(opened.manifest),
            "ranks_together": opened.job and opened.job["text"],
            "diagnostics": opened.manifest.get("diagnostics"),
            "page": self._opened.link(name),
        }
        return answer(head, "logs", map(_log_row, opened.logs), total=len(opened.logs))

    def findings(
        self, bundle: str | None = None, log: str | None = None, kind: str | None = None, offset: int = 0
    ) -> dict[str, Any]:
        """What went wrong in one log, most important first: cause, place, cost and fixes.

        'log': id or rank (default: the log with the weightiest findings). 'kind': such as recompile,
        graph-break.
        """
        name, opened = self._opened.log(bundle, log)
        chosen = [row for row in opened.findings() if kind is None or row["kind"] == kind]
        rows = (
            _fields(row, _FINDING)
            | {"remedies": [remedy["text"] for remedy in row["remedies"]], "compiles": row["compiles"]}
            for row in chosen[max(0, offset) :]
        )
        return answer(
            self._head(name, opened, view="overview", says=_headline(opened)),
            "findings",
            rows,
            total=len(chosen),
            offset=max(0, offset),
        )

    def compiles(
        self,
        bundle: str | None = None,
        log: str | None = None,
        status: str | None = None,
        function: str | None = None,
        by_time: bool = True,
        offset: int = 0,
    ) -> dict[str, Any]:
        """The compiles of a log, slowest first (by_time=false: in order of the log): function, place, status
        (ok, failed, skipped, empty, unfinished, running) and time per phase.
        """
        name, opened = self._opened.log(bundle, log)
        chosen = [
            one
            for one in opened.compiles
            if status in (None, status_now(one))
            and (function is None or function in (one.row["function"] or ""))
        ]
        if by_time:
            chosen.sort(key=lambda one: -(one.row["total_us"] or 0))
        rows = (_compile_row(one, _TIMES) for one in chosen[max(0, offset) :])
        return answer(
            self._head(name, opened, view="compiles"),
            "compiles",
            rows,
            total=len(chosen),
            offset=max(0, offset),
        )

    def compile(self, compile: str, bundle: str | None = None, log: str | None = None) -> dict[str, Any]:
        """One compile by its key, such as 0/1: times, counts, recompile and failure reasons, cache outcomes
        and artifact names.
        """
        name, opened = self._opened.log(bundle, log)
        one = opened.compile(compile)
        head = self._head(name, opened, view="compile", compile=compile)
        head |= _compile_row(one, (*_TIMES, *_COUNTS)) | {
            "recompile_reason": one.row["recompile_reason"],
            "restart_reasons": one.row["restart_reasons"] or None,
            "failure_type": one.row["failure_type"],
            "failure_reason": one.row["failure_reason"],
        }
        if not opened.is_missing("findings"):
            head["findings"] = [
                row["title"] for row in opened.findings() if one.key in row["compiles"]
            ] or None
        if not opened.is_missing("caches"):
            head["caches"] = [
                f"{row['cache']}: {row['outcome']}"
                for row in opened.table("caches")
                if row["compile"] == one.key
            ] or None
        rows = ({"name": artifact.name, "size_bytes": artifact.size_bytes} for artifact in one.artifacts)
        return answer(head, "artifacts", rows, total=len(one.artifacts))

    def artifact(
        self,
        compile: str,
        name: str,
        bundle: str | None = None,
        log: str | None = None,
        first_line: int = 1,
        line_count: int = 120,
    ) -> dict[str, Any]:
        """Lines of an artifact of a compile, such as inductor_output_code; NAME#2 is the second of that name.

        For more lines, pass first_line.
        """
        bundle_name, opened = self._opened.log(bundle, log)
        lines = find(opened.bundle, f"{opened.id}/{compile}/{name}").decode("utf-8", "replace").split("\n")
        first = max(1, first_line)
        chosen = lines[first - 1 : first - 1 + max(1, min(line_count, _MOST_LINES))]
        head = self._head(
            bundle_name, opened, view="compile", compile=compile, artifact=name.partition("#")[0]
        )
        out = answer(
            {**head, "line_count": len(lines), "first_line": first},
            "lines",
            (cut(line, 400) for line in chosen),
            total=len(lines),
            offset=first - 1,
        )
        if "next_offset" in out:
            out["next_first_line"] = out.pop("next_offset") + 1
        return out

    def search(
        self, text: str, bundle: str | None = None, log: str | None = None, artifact: str | None = None
    ) -> dict[str, Any]:
        """Lines that contain a text (exact, case-sensitive), in all artifacts of a log or those of one name;
        equal artifacts are searched once.
        """
        name, opened = self._opened.log(bundle, log)
        if not text:
            raise BundleError("'text' is empty", code="not-found")
        return answer(
            self._head(name, opened, view="search", q=text, **{"in": "text"}),
            "matches",
            matches(opened, text.encode(), artifact),
        )

    def compare(
        self, base: str, new: str, bundle: str | None = None, log: str | None = None
    ) -> dict[str, Any]:
        """Compare two bundles, or two compiles of one log, such as 0/0 and 0/1."""
        if base in self._opened.places and new in self._opened.places and bundle is None:
            document = compared([(base, self._opened.bundle(base)[1])], [(new, self._opened.bundle(new)[1])])
            changes = [change for log_pair in document["logs"] for change in log_pair["changes"]]
            return answer(
                {
                    "base": base,
                    "new": new,
                    "says": document["summary"]["text"],
                    "notes": document["summary"]["notes"] or None,
                },
                "changes",
                (_fields(row, _CHANGE) for row in changes),
                total=len(changes),
            )
        name, opened = self._opened.log(bundle, log)
        sides = [opened.compile(key) for key in (base, new)]
        rows: list[Mapping[str, Any]] = [side.row for side in sides]
        fields = ("status", "function", "file", "line", *_TIMES, *_COUNTS, "recompile_reason")
        different = {key: [row[key] for row in rows] for key in fields if rows[0][key] != rows[1][key]}
        texts: list[dict[str, list[str | None]]] = [{}, {}]
        for side, hashes in zip(sides, texts, strict=True):
            for artifact in side.artifacts:
                hashes.setdefault(artifact.name, []).append(artifact.sha256)
        rows = [
            {
                "artifact": key,
                "base": len(texts[0].get(key, ())),
                "new": len(texts[1].get(key, ())),
                "same": texts[0].get(key) == texts[1].get(key),
            }
            for key in dict.fromkeys((*texts[0], *texts[1]))
        ]
        head = self._head(
            name, opened, view="compare", left=f"{opened.id}/{base}", right=f"{opened.id}/{new}"
        )
        return answer({**head, "different": different}, "artifacts", rows, total=len(rows))

    def would_recompile(
        self, function: str, call: str, bundle: str | None = None, log: str | None = None
    ) -> dict[str, Any]:
        """Predict from the guards whether one more call of a function recompiles: the cache entry that it
        matches, or all guards that it fails, with expected and actual values.

        'function': a name, a place such as model.py:12, or a compile such as 0/1. 'call': its inputs, such as
        x=f32[8, 4], n=5, flag=True. 'certain' is false when 'not_evaluated' guards can change the answer.
        """
        name, opened = self._opened.log(bundle, log)
        prediction = history(opened, function).next_call(parse_call(call)).as_row()
        failed = prediction.pop("failed")
        head = self._head(name, opened, view="recompiles")
        return answer({**head, **prediction}, "failed", failed, total=len(failed))

    def ranks(self, bundle: str | None = None) -> dict[str, Any]:
        """Differences between the ranks of a job, and which ranks wait for which, most important first."""
        name, opened = self._opened.bundle(bundle)
        job = opened.job
        if job is None:
            raise BundleError(
                "the bundle does not have several ranks",
                hint="Call overview() to list its logs.",
                code="not-found",
            )
        head = {
            "bundle": name,
            "page": self._opened.link(name, viewer="multirank"),
            "says": job["text"],
            "growing": still_growing(opened.manifest),
            **_fields(job, ("ranks", "agreeing", "missing", "world_size")),
        }
        findings = opened.rank_table("rank_findings")
        return answer(
            head, "findings", (_fields(row, _RANK_FINDING) for row in findings), total=len(findings)
        )

    def timeline(
        self, bundle: str | None = None, log: str | None = None, compile: str | None = None
    ) -> dict[str, Any]:
        """Spans of a log or of one compile, by name: count, time with (total_us) and without (self_us) nested
        spans.
        """
        name, opened = self._opened.log(bundle, log)
        if compile is None:
            rows = sorted(
                (
                    {"span": row["name"], **_fields(row, ("count", "total_us", "self_us"))}
                    for row in opened.table("span_totals")
                ),
                key=lambda row: -row["self_us"],
            )
        else:
            rows = span_sums(opened.table("spans"), opened.compile(compile).key)
        return answer(
            self._head(name, opened, view="timeline", compile=compile), "spans", rows, total=len(rows)
        )

    def sql(self, query: str, bundle: str | None = None) -> dict[str, Any]:
        """Rows of one SQL query (DuckDB, read-only) over all tables of a bundle: logs, findings, compiles,
        graph_breaks, recompiles, failures, caches, kernels, span_totals and others, each with bundle, log and
        rank. Limits: 20 s, 2 GB of memory, 200 rows.

        Columns of a table: DESCRIBE compiles. All tables: SHOW TABLES.
        """
        name, opened = self._opened.bundle(bundle)
        if not self._slots.acquire(timeout=_QUERY.seconds):
            raise BundleError(
                f"{_MOST_QUERIES} other queries are running",
                hint="Wait for their answers, then ask again.",
                code="busy",
            )
        try:
            result = sql_answer([(name, opened)], query, _QUERY)
        finally:
            self._slots.release()
        first = f"only the first {len(result.rows):,} rows of the result: use LIMIT and OFFSET"
        return answer(
            {"bundle": name, "columns": result.columns, "truncated": first if result.more else None},
            "rows",
            result.rows,
            total=None if result.more else len(result.rows),
        )  # as many rows as fit

    def _head(self, name: str, log: Log, says: str | None = None, **place: str | None) -> dict[str, Any]:
        several = len(log.bundle.logs) > 1
        return {
            "bundle": name,
            "log": log.id,
            "rank": log.rank,
            "page": self._opened.link(name, {"log": log.id if several else None, **place}),
            "says": says,
            "growing": still_growing(log.bundle.manifest),
        }


def _headline(log: Log) -> str:
    text: str = log.summary["text"]
    return text


def _compile_row(one: Compile, numbers: tuple[str, ...]) -> dict[str, Any]:
    place = _fields(one.row, ("compile", "status", "function", "file", "line"))
    amounts = {key: value for key, value in _fields(one.row, numbers).items() if value is not None}
    return {**place, "status": status_now(one), **amounts}


def _log_row(log: Log) -> dict[str, Any]:
    return {
        "log": log.id,
        "rank": log.rank,
        "torch_version": log.row["torch_version"],
        "says": _headline(log),
        "compile_count": log.summary["compile_count"],
        "statuses": statuses(log),
        "compile_us": log.summary["compile_us"],
        "diagnostics": log.row["diagnostics"],
    }


def _fields(row: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: row[name] for name in names}
