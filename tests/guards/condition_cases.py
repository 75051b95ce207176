"""Guards and calls of fixtures with Python's answers, for its twin in JavaScript."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import traces
from tlparse_bundle.guards.predicates import Predicate, check
from tlparse_bundle.guards.replay import inputs
from tlparse_bundle.guards.values import JsonDict, JsonList, Named, Tensor, from_json

CALLS = traces.ROOT / "fixtures" / "calls"
FUNCTIONS = sorted(path.parent.name for path in CALLS.glob("*/calls.json"))


def predicate_of(row):
    """Return the guard of a row of 'guards'."""
    type_name = row["expected"] if row["kind"] == "TYPE_MATCH" else None
    return Predicate(row["kind"], row["source"], row["text"], None, type_name)


@cache
def calls_of(function):
    """Return the calls of a fixture as values by source."""
    calls = json.loads((CALLS / function / "calls.json").read_text())
    return [
        inputs(from_json({key: value for key, value in call.items() if key != "compiled"})) for call in calls
    ]


def value_of(row):
    """Return the value of a row of 'call_inputs'; raises ValueError when it is not stated as a literal."""
    import ast

    if row["kind"] == "tensor":
        stride = row["stride"] and tuple(row["stride"])
        return Tensor(tuple(row["shape"]), stride, row["dtype"], row["device"], row["requires_grad"])
    if row["kind"] == "named":
        return Named(row["value"])
    return ast.literal_eval(row["value"])


def tagged(value: Any) -> Any:
    """Return a value as JSON that keeps its type: TAGGED of test_web_guards reads it."""
    if isinstance(value, Tensor):
        return {
            "tensor": [value.size, value.stride, value.dtype, value.device, value.requires_grad, value.name]
        }
    if isinstance(value, JsonList):
        return {"items": [tagged(item) for item in value]}
    if isinstance(value, JsonDict):
        return {"pairs": [[key, tagged(item)] for key, item in value.items()]}
    return {"literal": value.name if isinstance(value, Named) else repr(value)}


def cases(guards, calls):
    """Return what the twin needs and Python's answers, for guards that have a condition."""
    rows = [row for row in guards if row["condition"] is not None]
    return {
        "guards": [[json.loads(row["condition"]), row["text"]] for row in rows],
        "calls": [[[source, tagged(value)] for source, value in call.items()] for call in calls],
        "answers": [[answer(check(predicate_of(row), call)) for row in rows] for call in calls],
    }


def answer(outcome):
    """Return whether a guard holds, and for one that fails what it asks for."""
    return [outcome.holds, outcome.expected if outcome.holds is False else None]
