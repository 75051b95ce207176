"""The states of the process that torch compares before everything else, such as grad mode, in words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tlparse_bundle.base.wording import code
from tlparse_bundle.bundle.json_codec import loads
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.recompile_causes import Cause, requested_recompiles

_AGAINST = "___check_global_state() against "  # before the states as JSON, since torch 2.11
_AUTOCAST = re.compile(r"autocast\((\w+)\)_enabled")
_SWITCHES = {"grad_mode": "grad mode", "deterministic_algorithms": "the use of deterministic algorithms"}


def states_changed(facts: Facts, cause: Cause) -> str | None:
    """Return which states a cause is about, such as "grad mode was turned off"; None for other causes, and
    where the log does not show what each state was.
    """
    if cause.change != "global_state" or not cause.values:
        return None
    clauses = [_changed(facts, cause, name) for name in cause.values]
    return None if None in clauses else " and ".join(filter(None, clauses))


def _changed(facts: Facts, cause: Cause, name: str) -> str | None:
    switch = _switch(name)
    if switch is None:
        return f"{code(name)} changed"
    turned = set()
    requests, states = facts.once(requested_recompiles), facts.once(_states)
    for number in cause.rows:
        request = requests[number]
        if request.reason is not None and name in (request.reason["source"] or "").split():
            before = states.get(request.reason["entry"] or "")
            after = states.get(request.row["compile"] or "")
            turned.add(_direction(name, before, after))
    if None in turned or not turned:
        return None
    return f"{switch} was turned {' and '.join(sorted(filter(None, turned), reverse=True))}"


def _switch(name: str) -> str | None:
    """Return what a state is called that is on or off; None for others."""
    if (autocast := _AUTOCAST.fullmatch(name)) is not None:
        return f"autocast for {autocast[1].upper()}"
    return _SWITCHES.get(name)


def _direction(name: str, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> str | None:
    """Return "on" where a state is on in a call and off in an entry, or "off"; None where the log does not
    show it.
    """
    if before is None or after is None:
        return None
    old, new = _values(name, before), _values(name, after)
    changed = {now for then, now in zip(old, new, strict=False) if then != now}
    if len(old) != len(new) or len(changed) != 1:
        return None
    return "on" if changed.pop() else "off"


def _values(name: str, states: Mapping[str, Any]) -> list[bool]:
    """Return a state; for autocast that of all devices, which torch does not name."""
    if name in _SWITCHES:
        return [bool(states.get(name))]
    autocast = states.get("autocast_state")
    enabled = autocast.get("enabled") if isinstance(autocast, Mapping) else None
    return list(map(bool, enabled)) if isinstance(enabled, list) else []


def _states(facts: Facts) -> dict[str, Mapping[str, Any]]:
    """Return the states that the entry of each compile is for."""
    found = {}
    for row in facts.table("guards"):
        if row["kind"] == "GLOBAL_STATE" and row["text"].startswith(_AGAINST):
            try:
                found[row["id"]] = loads(row["text"].removeprefix(_AGAINST))
            except ValueError:
                continue
    trees = facts.table("guard_trees") if found else ()
    return {
        tree["compile"]: found[id_]
        for tree in trees
        for id_ in tree["guards"]
        if id_ in found and tree["compile"] is not None
    }
