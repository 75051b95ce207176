"""What made torch compile a function again: of all guards that failed, the one that says what changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tlparse_bundle.findings.facts import Facts

_OF_AN_OBJECT = frozenset(("type", "identity", "value", "attribute", "keys", "length"))  # several guards on one object are one cause
_TENSOR_CELLS = {"size": "size", "stride": "stride"}


@dataclass(slots=True)
class Cause:
    """Recompiles of one function for one reason. ``reason`` is None where no earlier result was near."""

    function: tuple  # see Facts.function_keys
    reason: dict | None
    rows: list[int] = field(default_factory=list)  # of the recompile table
    cascade: list[int] = field(default_factory=list)  # rows that these led to
    values: dict[Any, None] = field(default_factory=dict)  # expected and actual, in order
    asked: dict[Any, None] = field(default_factory=dict)  # the same of the rows that were refused
    open: bool = False  # torch wrote what was expected last, not what it was instead
    kinds: dict[str, None] = field(default_factory=dict)  # what changed, by the kinds of changes, in order
    refused: list[int] = field(default_factory=list)  # rows that the recompile limit refused for the same reason

    @property
    def change(self) -> dict:
        return self.reason["change"] if self.reason else {"kind": "other", "index": None, "expected": None, "actual": None}


def causes(facts: Facts) -> list[Cause]:
    """In order of first appearance."""
    rows = facts.table("recompiles")["recompiles"]
    known = _Known(facts, rows)
    roots: dict[int, Cause] = {}
    found: dict[tuple, Cause] = {}
    for number, row in enumerate(rows):
        leader, refused = row["caused_by"], row["compile_index"] in facts.refused
        if leader is not None and leader in roots and not refused:
            roots[number] = roots[leader]
            roots[number].cascade.append(number)
            continue
        if row["compile_index"] in facts.forbidden:
            continue  # a failure, and no recompile
        reason = known.near(row)
        function = facts.function_keys[row["compile_index"]]
        cause = found.setdefault(_key(function, row, reason), Cause(function, reason))
        (cause.refused if refused else cause.rows).append(number)
        roots[number] = cause
        if reason is not None:
            change = reason["change"]
            cause.kinds[change["kind"]] = None
            values = cause.asked if refused else cause.values
            if not refused or not cause.rows:
                cause.open = change["actual"] is None
            if change["kind"] == cause.change["kind"]:
                values.update((value, None) for value in (change["expected"], change["actual"]) if value is not None)
    return list(found.values())


def _key(function: tuple, row: dict, reason: dict | None) -> tuple:
    if reason is None:
        return (function, "nothing near" if row["reasons"] else "unknown")
    change, source = reason["change"], reason["source"]
    if source is not None and change["kind"] in _OF_AN_OBJECT:
        return function, source, "object"
    vague = reason["guard"] if source is None or change["kind"] in ("other", "shape") else None
    return function, source, change["kind"], change["index"], vague


class _Known:
    """What is known of the values that earlier results were compiled for, by (compile row, source, kind, dimension)."""

    def __init__(self, facts: Facts, rows: list[dict]):
        self._values: dict[tuple, Any] = {}
        for row in rows:
            for reason in row["reasons"]:
                change, source = reason["change"], reason["source"]
                if reason["failed_compile_index"] is not None and change["expected"] is not None:
                    self._values[(reason["failed_compile_index"], source, change["kind"], change["index"])] = change["expected"]
                if change["actual"] is not None:
                    self._values.setdefault((row["compile_index"], source, change["kind"], change["index"]), change["actual"])

    def near(self, row: dict) -> dict | None:
        """The reason of the newest earlier result that one guard alone kept from being used, as far as the log tells."""
        reasons = row["reasons"]
        if len(reasons) == 1:
            return reasons[0]
        asked = {_cell(reason): reason["change"]["actual"] for reason in reasons if reason["change"]["actual"] is not None}  # one call
        return next((reason for reason in reasons if not self._fails_otherwise(reason, asked)), None)

    def _fails_otherwise(self, reason: dict, asked: dict[tuple, Any]) -> bool:
        """Whether what other results were asked for would have failed this one, too."""
        entry, mine = reason["failed_compile_index"], _cell(reason)
        wanted = ((self._values.get((entry, *cell)), actual) for cell, actual in asked.items() if cell != mine)
        return any(value is not None and value != actual for value, actual in wanted)


def _cell(reason: dict) -> tuple:
    """What a reason is about, whatever the values."""
    return reason["source"], reason["change"]["kind"], reason["change"]["index"]
