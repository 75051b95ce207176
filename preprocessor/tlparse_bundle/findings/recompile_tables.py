"""The tables ``recompiles`` and ``recompile_causes``: what guards asked for and torch began."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tlparse_bundle.findings.causes import Asked, asked
from tlparse_bundle.findings.facts import Facts
from tlparse_bundle.tables.guard_text import remedy
from tlparse_bundle.tables.rows import Rows

_MAX_VALUES = 1000  # of one cause
_NO_REASON = {"source": None, "change": "other", "dimension": None, "expected": None, "actual": None, "guard": None}


def recompile_tables(facts: Facts) -> Iterator[tuple[str, Rows]]:
    """Yield the tables ``recompiles`` and ``recompile_causes`` of a log: without what is in ``limits``."""
    refused = {facts.key_of(number) for number in facts.not_begun} - {None}
    recompiles = Rows()
    causes: dict[tuple, dict] = {}
    of_compile: dict[str | None, dict] = {}
    for one in facts.once(asked):
        row = one.row
        if row["compile"] in refused:
            continue
        leader = row["caused_by"]
        cause = None if leader is None else of_compile.get(leader)
        if cause is None:
            leader, cause = None, _add(causes, one)
        else:
            cause["cascade_count"] += 1
        of_compile[row["compile"]] = cause
        who = {key: row[key] for key in ("event", "compile", "attempt", "code_object")}
        recompiles.append({**who, "caused_by": leader, "cause": cause["id"], "text": row["text"]})
    yield "recompiles", recompiles
    yield "recompile_causes", Rows(causes.values())


def _add(causes: dict[tuple, dict], one: Asked) -> dict[str, Any]:
    """Add a recompile to its cause; return that. The first reason is that of the newest cache entry: it says what changed since the last compile."""
    first = one.reasons[0] if one.reasons else _NO_REASON
    key = (one.row["code_object"], first["source"], first["change"], first["dimension"])
    if first["change"] == "other":
        key += (first["guard"],)
    cause = causes.setdefault(
        key,
        {
            "id": len(causes),
            "code_object": one.row["code_object"],
            **{field: first[field] for field in ("source", "change", "dimension", "guard")},
            "values": [],
            "count": 0,
            "cascade_count": 0,
            "compiles": [],
            "remedy": remedy(first) if one.reasons else None,
        },
    )
    cause["count"] += 1
    cause["compiles"].append(one.row["compile"])
    for value in (first["expected"], first["actual"]):
        if value is not None and cause["values"][-1:] != [value] and len(cause["values"]) < _MAX_VALUES:
            cause["values"].append(value)
    return cause
