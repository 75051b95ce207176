"""Build ``compiles``, ``limits``, ``captures``, ``recompiles`` and ``recompile_causes`` from other tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.key_numbers import KeyNumbers
from tlparse_bundle.guards.fixes import FLOAT
from tlparse_bundle.model.compiles import CANDIDATES, phase_times
from tlparse_bundle.statements.export_calls import ahead_of_time
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.recompile_causes import RequestedRecompile, cause_key, requested_recompiles
from tlparse_bundle.statements.timeline import Span
from tlparse_bundle.tables.rows import Rows

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import RecompileReasonsRow

_MAX_VALUES = 1000  # of one cause
_NO_REASON = {
    "source": None,
    "change": "other",
    "dimension": None,
    "expected": None,
    "actual": None,
    "guard": None,
}

_REMEDIES = {
    "rank": "same_rank",
    "dtype": "same_dtype",
    "device": "same_device",
    "requires_grad": "same_grad_mode",
    "dispatch_keys": "same_grad_mode",
    "flag": "few_values",
    "type": "same_type",
    "identity": "same_object",
    "length": "same_structure",
    "keys": "same_structure",
    "aliasing": "no_aliasing",
    "global_state": "same_global_state",
    "backend": "same_backend",
}


def compile_tables(facts: Facts) -> Iterator[tuple[str, Rows[Any]]]:
    """Yield the tables ``compiles``, ``limits`` and ``captures`` of a log.

    They have disjoint compile keys, which together are those of ``attempts`` and of ahead-of-time compiles.
    """
    refused = _keys(facts, facts.not_begun)
    skipped = _skipped(facts)
    ahead = facts.once(_ahead_of_time)
    compiles: Rows[dict[str, Any]] = Rows()
    limits: Rows[dict[str, Any]] = Rows()
    captures: Rows[dict[str, Any]] = Rows()
    # Those without a compile id, by their first event, as the candidates are.
    others = sorted(
        (row for key, row in ahead.items() if facts.compiles.compiles.get(key) is None),
        key=lambda row: row["first_event"],
        reverse=True,
    )
    for row in facts.table(CANDIDATES):
        key = row["compile"]
        while others and others[-1]["first_event"] < row["first_event"]:
            compiles.append(others.pop())
        if key in refused:
            limits.append(_limit(row))
        elif key in ahead:
            compiles.append({**row, **ahead[key]})
        elif facts.compiled.get((key,)) is not None:
            compiles.append({**row, "status": "skipped" if key in skipped else row["status"] or "failed"})
        else:
            captures.append(
                {
                    "compile": key,
                    "first_event": row["first_event"],
                    "function": row["function"],
                    "file": row["file"],
                    "line": row["line"],
                }
            )
    compiles.extend(reversed(others))
    yield "compiles", compiles
    yield "limits", limits
    yield "captures", captures


def _keys(facts: Facts, numbers: set[int]) -> set[str]:
    return {key for number in numbers if (key := facts.compiles[number]["compile"]) is not None}


def _limit(row: Mapping[str, Any]) -> dict[str, Any]:
    error = "RecompileError" in (row["failure_type"] or "")
    fields = (
        "compile",
        "first_event",
        "function",
        "file",
        "line",
        "stack",
        "recompile_reason",
        "failure_type",
        "failure_reason",
    )
    return {
        **{field: row[field] for field in fields},
        "kind": "error_on_recompile" if error else "recompile_limit",
    }


def _skipped(facts: Facts) -> set[str]:
    """Return the compiles that Dynamo skipped at a graph break it cannot resume after (they run eager)."""
    at = {
        (row["compile"], row["attempt"])
        for row in facts.table("graph_break_records")
        if row["compile"] is not None and row["skips_frame"]
    }
    compiles = {compile for compile, _ in at}
    last = {row["compile"]: row["attempt"] for row in facts.table("attempts") if row["compile"] in compiles}
    return {compile for compile, attempt in at if last.get(compile) == attempt}


def _ahead_of_time(facts: Facts) -> dict[str, dict[str, Any]]:
    """Return the cells of the ahead-of-time compiles by key: 'aot-1', 'aot-2' … without a compile id."""
    spans = facts.once(ahead_of_time)
    if not spans:
        return {}
    rows = {
        row["compile"]: row for row in facts.table(CANDIDATES) if facts.frame_of((row["compile"],)) is None
    }
    failed = [
        row["event"]
        for row in facts.table("failures")
        if row["kind"] in ("compile", "exception") and facts.frame_of((row["compile"],)) is None
    ]
    ahead: dict[str, dict[str, Any]] = {}
    number = 0
    for span in spans:
        begin, end = _events(facts, span)
        key = next(
            (key for key, row in rows.items() if key not in ahead and begin <= row["first_event"] <= end),
            None,
        )
        if key is None:
            number += 1
            key = f"aot-{number}"
        ahead[key] = _ahead_row(
            key, rows.get(key), span, begin, any(begin <= event <= end for event in failed)
        )
    return ahead


def _events(facts: Facts, span: Span) -> tuple[int, float]:
    """Return the first and last event of a span; infinity when it has no end."""
    row = facts.span_row(span)
    return row["begin_event"], math.inf if row["end_event"] is None else row["end_event"]


_AHEAD_FIELDS = (  # of a row of ``compiles``, before the times
    *("compile", "kind", "compiled_autograd_id", "frame_id", "frame_compile_id", "occurrence"),
    *("attempt_count", "status", "function", "file", "line", "stack", "start_epoch_us"),
)
_AHEAD_COUNTS = (  # after the times
    *("graph_op_count", "graph_node_count", "graph_input_count", "guard_count", "graph_break_count"),
    *("recompile_reason", "restart_reasons", "failure_type", "failure_reason", "failure_file"),
    *("failure_line", "metrics_event", "first_event", "event_count", "size_bytes", "artifact_count"),
)


def _ahead_row(
    key: str, row: dict[str, Any] | None, span: Span, begin: int, has_failed: bool
) -> dict[str, Any]:
    times = phase_times(
        forward_us=span.duration_us,
        backend_us=None,
        inductor_us=None,
        backward_us=None,
        restart_us=None,
        measured=False,
    )
    status = "failed" if has_failed else "unfinished" if span.duration_us is None else "ok"
    if row is not None:
        return {
            "kind": "ahead_of_time",
            "status": row["status"] or status,
            **({} if row["total_us"] is not None else times),
        }
    blank = dict.fromkeys((*_AHEAD_FIELDS, *times, *_AHEAD_COUNTS))
    own = {
        "compile": key,
        "kind": "ahead_of_time",
        "occurrence": 1,
        "attempt_count": 1,
        "status": status,
        "start_epoch_us": span.start_us,
        **times,
    }
    return blank | own | {"graph_break_count": 0, "restart_reasons": [], "first_event": begin}


def recompile_tables(facts: Facts) -> Iterator[tuple[str, Rows[Any]]]:
    """Yield the tables ``recompiles`` and ``recompile_causes``, without the compiles of ``limits``."""
    refused = {facts.key_of(number) for number in facts.not_begun} - {None}
    recompiles: Rows[dict[str, Any]] = Rows()
    causes: dict[tuple[Any, ...], dict[str, Any]] = {}
    causes_by_id: list[dict[str, Any]] = []
    of_compile = KeyNumbers()  # ids of causes
    for one in facts.once(requested_recompiles):
        row = one.row
        if row["compile"] in refused:
            continue
        leader = row["follows"]
        number = None if leader is None else of_compile.get(leader)
        if number is None:
            leader, cause = None, _add(causes, one)
        else:
            cause = causes_by_id[number]
            cause["follower_count"] += 1
        if cause["id"] == len(causes_by_id):
            causes_by_id.append(cause)
        if row["compile"] is not None:
            of_compile[row["compile"]] = cause["id"]
        who = {key: row[key] for key in ("event", "compile", "attempt", "code_object")}
        recompiles.append({**who, "follows": leader, "cause": cause["id"], "text": row["text"]})
    yield "recompiles", recompiles
    yield "recompile_causes", Rows(causes_by_id)


def _add(causes: dict[tuple[Any, ...], dict[str, Any]], one: RequestedRecompile) -> dict[str, Any]:
    """Add a recompile to its cause and return the cause.

    See ``RequestedRecompile.reason``.
    """
    reason = one.reason
    first = reason or _NO_REASON
    cause = causes.setdefault(
        cause_key(one.row["code_object"], reason),
        {
            "id": len(causes),
            "code_object": one.row["code_object"],
            **{field: first[field] for field in ("source", "change", "dimension", "guard")},
            "values": [],
            "count": 0,
            "follower_count": 0,
            "compiles": [],
            "remedy": reason and remedy(reason),
        },
    )
    cause["count"] += 1
    cause["compiles"].append(one.row["compile"])
    for value in (first["expected"], first["actual"]) if first["change"] == cause["change"] else ():
        if value is not None and cause["values"][-1:] != [value] and len(cause["values"]) < _MAX_VALUES:
            cause["values"].append(value)
    return cause


def remedy(reason: RecompileReasonsRow) -> str | None:
    """Return the key of the usual fix for recompiles of this reason (schema: recompile_causes), or None."""
    kind, expected = reason["change"], reason["expected"]
    text = f"{reason['guard']} {reason['comment'] or ''}"
    if kind in ("size", "stride", "shape"):
        if "Guard failed on a parameter" in text:
            return "force_parameter_static_shapes"
        if "duck sizing" in text:
            return "use_duck_shape"
        if "0/1 specialization" in text:
            return "mark_unbacked"
        return {"size": "mark_dynamic", "stride": "same_layout"}.get(kind)
    if kind == "value":
        if type(expected) is int:
            return "dynamic_int"
        if type(expected) is str and FLOAT.fullmatch(expected):
            return "tensor_argument"
        return "few_values"
    return _REMEDIES.get(kind)
