"""The tables ``recompiles`` and ``recompile_causes``: what guards asked for and torch began."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tlparse_bundle.findings.causes import OF_AN_OBJECT, Asked, asked
from tlparse_bundle.findings.facts import Facts

_FLOAT = re.compile(r"-?(?:\d+\.\d*|\d*\.\d+)(?:e[+-]?\d+)?|-?\d+e[+-]?\d+|-?inf|nan")
_MAX_VALUES = 1000  # of one cause
_NO_REASON = {"source": None, "change": "other", "dimension": None, "expected": None, "actual": None, "guard": None}


def recompile_tables(facts: Facts) -> Iterator[tuple[str, list[dict]]]:
    """Yield the tables ``recompiles`` and ``recompile_causes`` of a log: without what is in ``limits``."""
    refused = {facts.key_of(number) for number in facts.not_begun} - {None}
    recompiles: list[dict] = []
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
    yield "recompile_causes", list(causes.values())


def _add(causes: dict[tuple, dict], one: Asked) -> dict[str, Any]:
    """Add a recompile to its cause; return that. The first reason is that of the newest cache entry: it says what changed since the last compile."""
    first = one.reasons[0] if one.reasons else _NO_REASON
    of_an_object = first["source"] is not None and first["change"] in OF_AN_OBJECT
    key = (one.row["code_object"], first["source"], "object" if of_an_object else first["change"], first["dimension"])
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
    for value in (first["expected"], first["actual"]) if first["change"] == cause["change"] else ():
        if value is not None and cause["values"][-1:] != [value] and len(cause["values"]) < _MAX_VALUES:
            cause["values"].append(value)
    return cause


def remedy(reason: dict) -> str | None:
    """Return the key of what usually helps against recompiles of this reason (schema: recompile_causes), or None."""
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
        if type(expected) is str and _FLOAT.fullmatch(expected):
            return "tensor_argument"
        return "few_values"
    return _REMEDIES.get(kind)


_REMEDIES = {
    "rank": "same_rank", "dtype": "same_dtype", "device": "same_device", "requires_grad": "same_grad_mode", "dispatch_keys": "same_grad_mode",
    "flag": "few_values", "type": "same_type", "identity": "same_object", "length": "same_structure", "keys": "same_structure",
    "aliasing": "no_aliasing", "global_state": "same_global_state", "backend": "same_backend",
}  # fmt: skip
