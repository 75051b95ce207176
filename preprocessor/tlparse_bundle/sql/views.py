"""Views of the database: what people ask for first, with names in place of indexes and milliseconds in place of microseconds."""

from __future__ import annotations

from typing import NamedTuple


class View(NamedTuple):
    name: str
    help: str
    needs: frozenset[str]  # tables
    select: str


def _view(name: str, help: str, needs: str, select: str) -> View:
    return View(name, help, frozenset(needs.split()), select)


_COMPILE = "LEFT JOIN compiles AS c ON c.log_id = t.log_id AND c.row = t.compile_index"
_WHERE = "c.key AS compile, c.function AS function"
# Of rows that name a compile by its key and its attempt.
_OF_COMPILE = """LEFT JOIN (
            SELECT log_id, key, function, row, CASE WHEN id IS NOT NULL THEN CASE WHEN attempt > 0 THEN substr(id, 1, length(id) - length(attempt) - 1) ELSE id END
                || CASE WHEN occurrence > 1 THEN '@' || occurrence ELSE '' END END AS compile, CASE WHEN id IS NOT NULL THEN attempt END AS attempt FROM compiles
        ) AS c ON c.log_id = t.log_id AND c.compile IS t.compile AND c.attempt IS t.attempt"""

VIEWS = (
    _view(
        "v_findings", "What is wrong in the logs, most important first: kind, severity, title, place, cost.", "findings logs",
        """
        SELECT t.log_id, l.rank, t.kind, t.severity, t.title, t.text, t.function, t.file, t.line, t.count, t.cost_us / 1000.0 AS cost_ms, t.cost_of, t.fingerprint
        FROM findings AS t JOIN logs AS l USING (log_id) ORDER BY l.rank, t.log_id, t.row""",
    ),
    _view(
        "v_compiles", "Each compile: what, how it ended, how long each phase took.", "compiles logs",
        """
        SELECT t.log_id, l.rank, t.key AS compile, t.id, t.attempt, t.status, t.function, t.filename AS file, t.first_line AS line,
            t.compile_time_us / 1000.0 AS compile_ms, t.backend_time_us / 1000.0 AS backend_ms, t.inductor_time_us / 1000.0 AS inductor_ms,
            t.backward_time_us / 1000.0 AS backward_ms, t.graph_op_count, t.guard_count, t.graph_break_count, t.recompile_reason, t.row AS compile_index
        FROM compiles AS t JOIN logs AS l USING (log_id) ORDER BY l.rank, t.log_id, t.row""",
    ),
    _view(
        "v_artifacts", "Each artifact: of which compile, name, size, and what 'tlparse-bundle cat BUNDLE WHAT' prints it by.", "artifacts compiles",
        f"""
        SELECT t.log_id, {_WHERE}, t.name, t.size_bytes, t.sha256, t.event, t.log_id || '/' || c.key || '/' || t.name ||
            CASE WHEN count(*) OVER same > 1 THEN '#' || row_number() OVER same ELSE '' END AS what
        FROM artifacts AS t {_OF_COMPILE} WINDOW same AS (PARTITION BY t.log_id, c.row, t.name ORDER BY t.row ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
        ORDER BY t.log_id, t.row""",
    ),
    _view(
        "v_graph_breaks", "Each place at which a graph broke: how often, why, what torch advises.", "graph_breaks",
        """
        SELECT t.log_id, json_array_length(t.occurrences) AS count, t.reason, t.explanation, t.hints, t.file, t.line, t.function, t.source_line, t.gb_id, t.link
        FROM graph_breaks AS t ORDER BY count DESC""",
    ),
    _view(
        "v_recompiles", "Each recompile with its first reason: the guard that failed, and what changed.", "recompiles compiles",
        f"""
        SELECT t.log_id, {_WHERE}, t."limit" AS at_limit, json_extract(t.reasons, '$[0].guard') AS guard, json_extract(t.reasons, '$[0].source') AS source,
            json_extract(t.reasons, '$[0].change.kind') AS change, json_extract(t.reasons, '$[0].change.expected') AS expected,
            json_extract(t.reasons, '$[0].change.actual') AS actual, c.compile_time_us / 1000.0 AS compile_ms, t.text
        FROM recompiles AS t {_COMPILE} ORDER BY t.log_id, t.row""",
    ),
    _view(
        "v_failures", "Each failure: of which compile, what was raised, where.", "failures compiles",
        f"SELECT t.log_id, {_WHERE}, t.kind, t.type, t.reason, t.file, t.line, t.source_line FROM failures AS t {_OF_COMPILE} ORDER BY t.log_id, t.row",
    ),
    _view(
        "v_caches", "Each lookup of a cache: outcome, reason, time.", "caches compiles",
        f"""
        SELECT t.log_id, {_WHERE}, t.cache, t.outcome, t.remote, t.key, t.reason, t.detail, t.time_saved_us / 1000.0 AS saved_ms, t.time_taken_us / 1000.0 AS taken_ms
        FROM caches AS t {_COMPILE} ORDER BY t.log_id, t.row""",
    ),
    _view(
        "v_spans", "Each span of the timeline by name; duration_ms is empty for one that has no end.", "spans spans_names compiles",
        f"""
        SELECT t.log_id, n.value AS name, {_WHERE}, t.start_us / 1000.0 AS start_ms, t.duration_us / 1000.0 AS duration_ms, t.row AS span_index, t.parent_index
        FROM spans AS t JOIN spans_names AS n ON n.log_id = t.log_id AND n.row = t.name_index {_COMPILE} ORDER BY t.log_id, t.row""",
    ),
    _view(
        "v_span_sums", "Where the time went: the spans of each name, with and without those within.", "spans_by_name spans_names",
        """
        SELECT t.log_id, n.value AS name, t.count, t.total_us / 1000.0 AS total_ms, t.self_us / 1000.0 AS self_ms
        FROM spans_by_name AS t JOIN spans_names AS n ON n.log_id = t.log_id AND n.row = t.row ORDER BY t.self_us DESC""",
    ),
    _view(
        "v_kernels", "Each kernel: name, kind, the code that calls it.", "kernels kernels_codes compiles",
        """
        SELECT t.log_id, c.key AS compile, c.function AS function, t.name, t.kind, t.line, t.call_lines, t.source_nodes, t.aten_ops, k.role, k.filename AS file, k.event_index
        FROM kernels AS t JOIN kernels_codes AS k ON k.log_id = t.log_id AND k.row = t.code_index
        LEFT JOIN compiles AS c ON c.log_id = t.log_id AND c.row = k.compile_index ORDER BY t.log_id, t.row""",
    ),
    _view(
        "v_events", "Each record: line, kind, compile, size.", "events compiles",
        f"""
        SELECT t.log_id, t.event, t.type, t.name, {_WHERE}, t.rank, t.line, t.byte_offset, t.size_bytes, t.payload_size_bytes, t.time_us
        FROM events AS t {_OF_COMPILE} ORDER BY t.log_id, t.row""",
    ),
)  # fmt: skip
