"""Predict whether a call recompiles: the guards of each cache entry against what is known of the call.

torch tries the entries newest first; one that is hit moves to the front (torch/csrc/dynamo/extra_state.cpp,
lookup).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tlparse_bundle.guards.evidence import Circumstances, Entry, inputs
from tlparse_bundle.guards.predicates import Outcome, Predicate, check

__all__ = ["Circumstances", "Entry", "Failure", "Prediction", "Replay", "inputs", "predict"]

_ARGUMENT = re.compile(r"L\['(?!self'\])")  # a module is a circumstance, not an argument


@dataclass(frozen=True)
class Failure:
    """A guard that a call does not meet."""

    entry: str
    predicate: Predicate
    outcome: Outcome


@dataclass
class Prediction:
    """Whether a call recompiles. ``entry``: the one that is hit. ``certain``: no guard that could not be
    evaluated can change ``recompiles``. ``unchanged``: guards taken to hold because nothing says otherwise.
    ``runs_eager``: no entry fits, and torch compiles no more, since the recompile limit is reached.
    """

    recompiles: bool
    entry: str | None
    failed: list[Failure] = field(default_factory=list)
    not_evaluated: list[tuple[str, Predicate]] = field(default_factory=list)
    unchanged: list[tuple[str, Predicate]] = field(default_factory=list)
    certain: bool = True
    runs_eager: bool = False

    def refused(self) -> Prediction:
        """Return the prediction for a function at the recompile limit."""
        return replace(self, recompiles=False, runs_eager=True)

    def as_row(self) -> dict[str, Any]:
        """Return the prediction as JSON."""
        return {
            "recompiles": self.recompiles,
            "entry": self.entry,
            "failed": [
                {
                    "entry": failure.entry,
                    "guard": failure.predicate.text,
                    "expected": failure.outcome.expected,
                    "actual": failure.outcome.actual,
                }
                for failure in self.failed
            ],
            "runs_eager": self.runs_eager,
            "certain": self.certain,
            "not_evaluated": [
                {"entry": entry, "guard": predicate.text or predicate.kind}
                for entry, predicate in self.not_evaluated
            ],
        }


def predict(
    entries: Sequence[Entry],
    call: Mapping[str, Any],
    circumstances: Circumstances,
) -> Prediction:
    """Predict a call. ``entries``: in the order in which torch tries them."""
    given = inputs(call)
    known = {**_outside(circumstances.values), **given}
    result = Prediction(True, None)
    likely = None  # the first entry that fits if nothing else changed
    for entry in entries:
        failed, unknown, unchanged = _check(entry, known, given, circumstances)
        if failed:
            result.failed += failed
            continue
        result.not_evaluated += [(entry.compile, predicate) for predicate in unknown]
        result.unchanged += [(entry.compile, predicate) for predicate in unchanged]
        if not unknown:
            return replace(result, recompiles=False, entry=entry.compile)
        if likely is None and all(circumstances.agrees(predicate) is not False for predicate in unknown):
            likely = entry.compile
    if result.not_evaluated:
        return replace(result, recompiles=likely is None, entry=likely, certain=False)
    return result


def _outside(values: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out arguments: a call that does not state one may pass anything."""
    return {source: value for source, value in values.items() if not _ARGUMENT.match(source)}


def _check(
    entry: Entry,
    known: Mapping[str, Any],
    given: Mapping[str, Any],
    circumstances: Circumstances,
) -> tuple[list[Failure], list[Predicate], list[Predicate]]:
    """Return the guards of an entry that fail, that cannot be evaluated, and that nothing contradicts."""
    failed, unknown, unchanged = [], [], []
    for predicate in entry.predicates:
        outcome = check(predicate, known)
        if outcome.holds is None:
            met = circumstances.from_calls(entry, predicate, given)
            if met is False:
                outcome = Outcome(False, predicate.text, "a different value")
            elif met or not (
                _is_left_open(predicate, given)
                or circumstances.leaves_open(predicate, given)
                or circumstances.varies(predicate)
            ):
                unchanged.append(predicate)
            else:
                unknown.append(predicate)
        if outcome.holds is False:
            failed.append(Failure(entry.compile, predicate, outcome))
    return failed, unknown, unchanged


def _is_left_open(predicate: Predicate, given: Mapping[str, Any]) -> bool:
    """Return whether a guard checks an argument that the call does not state."""
    is_argument = _ARGUMENT.match(predicate.source or predicate.text) is not None
    return is_argument and predicate.can_be_evaluated and not _is_of(predicate, given)


def _is_of(predicate: Predicate, given: Mapping[str, Any]) -> bool:
    """Return whether a guard checks something of the values that a call states."""
    return any(source in (predicate.source or "") or source in predicate.text for source in given)


class Replay:
    """A sequence of calls from the start of a run: an entry exists from the call that compiled it."""

    def __init__(self, entries: Iterable[Entry], limit: int):
        self._limit = limit
        self._to_come = list(entries)
        self._order: list[Entry] = []
        self._circumstances = Circumstances(self._to_come)
        self._is_aligned = True  # all answers are certain so far

    def call(self, call: Mapping[str, Any]) -> Prediction:
        """Predict the next call, and take in the entry that it compiles."""
        prediction = predict(self._order, call, self._circumstances)
        accepts = self._next_accepts(call)
        if not prediction.certain and not accepts and self._is_aligned:
            # The log has no compile that this call can have triggered.
            first = prediction.not_evaluated[0][0]
            prediction = replace(prediction, recompiles=False, entry=prediction.entry or first, certain=True)
        elif prediction.certain and prediction.recompiles and not accepts and len(self._order) < self._limit:
            prediction = replace(prediction, certain=False)
        self._is_aligned &= prediction.certain
        if prediction.recompiles:
            if len(self._order) >= self._limit and not self._to_come:
                return prediction.refused()
            if accepts:
                entry = self._to_come.pop(0)
                self._order.insert(0, entry)
                self._circumstances.learn(entry, inputs(call))
        else:
            entry = next(entry for entry in self._order if entry.compile == prediction.entry)
            self._order.remove(entry)
            self._order.insert(0, entry)
        return prediction

    def _next_accepts(self, call: Mapping[str, Any]) -> bool:
        """Return whether the next compile of the log can be that of a call."""
        if not self._to_come:
            return False
        given = inputs(call)
        return all(check(predicate, given).holds is not False for predicate in self._to_come[0].predicates)
