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

_MAX_WORLDS = 8
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
                or circumstances.leaves_open(entry, predicate, given)
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


@dataclass
class _World:
    """What may be the case in a replay: how many entries are compiled, in which order torch tries them."""

    order: list[Entry]
    circumstances: Circumstances


class Replay:
    """A sequence of calls from the start of a run: an entry exists from the call that compiled it. After a
    call that is not certain, all possible cases are followed until later calls rule out all but one.
    """

    def __init__(self, entries: Iterable[Entry], limit: int, *, checks_autocast: bool = False):
        self._limit = limit
        self._entries = list(entries)
        circumstances = Circumstances(self._entries, checks_autocast=checks_autocast)
        self._worlds = [_World([], circumstances)]  # the likeliest first

    def call(self, call: Mapping[str, Any]) -> Prediction:
        """Predict the next call, and take in the entry that it compiles."""
        given = inputs(call)
        worlds: list[_World] = []
        answers = []
        for world in self._worlds:
            prediction, possible = self._in_world(world, call, given)
            if possible:
                answers.append(prediction)
                worlds += possible
        if not answers:  # the calls are not those of the log
            first = self._worlds[0]
            self._worlds = [first]
            answer = predict(first.order, call, first.circumstances)
            return replace(answer, certain=False)
        self._worlds = list({len(world.order): world for world in reversed(worlds)}.values())[::-1][
            :_MAX_WORLDS
        ]
        are_agreed = len({(one.recompiles, one.runs_eager) for one in answers}) == 1
        return replace(answers[0], certain=are_agreed and all(one.certain for one in answers))

    def _in_world(
        self, world: _World, call: Mapping[str, Any], given: Mapping[str, Any]
    ) -> tuple[Prediction, list[_World]]:
        """Predict a call in a case. Return what may be the case after it, the likeliest first."""
        prediction = predict(world.order, call, world.circumstances)
        to_come = self._entries[len(world.order) :]
        is_refused = len(world.order) >= self._limit and not to_come
        can_compile = bool(to_come) and all(
            check(one, given).holds is not False for one in to_come[0].predicates
        )
        can_hit = not prediction.recompiles or not prediction.certain or is_refused
        if not prediction.certain and not can_compile and not is_refused:
            # The log has no compile that this call can have triggered.
            entry = prediction.entry or prediction.not_evaluated[0][0]
            prediction = replace(prediction, recompiles=False, entry=entry, certain=True)
        worlds = []
        if can_hit:
            worlds.append(_World(_hit(world.order, prediction.entry), world.circumstances))
        if can_compile and (prediction.recompiles or not prediction.certain):
            circumstances = world.circumstances.copy() if can_hit else world.circumstances
            circumstances.learn(to_come[0], given)
            worlds.insert(
                0 if prediction.recompiles else 1, _World([to_come[0], *world.order], circumstances)
            )
        if is_refused and (prediction.recompiles or not prediction.certain):
            prediction = replace(prediction.refused(), certain=True) if prediction.recompiles else prediction
        return prediction, worlds


def _hit(order: list[Entry], compile: str | None) -> list[Entry]:
    """Move the entry that is hit to the front."""
    return sorted(order, key=lambda entry: entry.compile != compile)
