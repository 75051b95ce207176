"""Predict whether a call recompiles: the guards of each cache entry against what is known of the call.

torch tries the entries newest first; one that is hit moves to the front (torch/csrc/dynamo/extra_state.cpp,
lookup).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tlparse_bundle.guards.expressions import normalised
from tlparse_bundle.guards.predicates import Outcome, Predicate, check, stated

_ARGUMENT = re.compile(r"L\['(?!self'\])")  # a module is a circumstance, not an argument


@dataclass(frozen=True)
class Entry:
    """A cache entry: the compile that made it and its guards, in the order in which torch checks them."""

    compile: str
    predicates: tuple[Predicate, ...]


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


class Circumstances:
    """What surrounds calls: globals, modules, modes. It is as the last compile saw it."""

    def __init__(self) -> None:
        self._texts: dict[
            tuple[str, str | None], set[str]
        ] = {}  # of the guards of the latest entry with each source
        self.values: dict[str, Any] = {}

    def learn(self, entry: Entry) -> None:
        """Take over what a compile saw."""
        texts: dict[tuple[str, str | None], set[str]] = {}
        for predicate in entry.predicates:
            texts.setdefault((predicate.kind, predicate.source), set()).add(predicate.text)
            value = stated(predicate)
            if value is not None:
                self.values[value[0]] = value[1]
        self._texts.update(texts)

    def agrees(self, predicate: Predicate) -> bool | None:
        """Return whether a guard was met by the last compile that checked its source; None when none did."""
        texts = self._texts.get((predicate.kind, predicate.source))
        return None if texts is None else predicate.text in texts


def inputs(call: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a call by source. Names are arguments; other keys are sources as torch writes
    them, such as ``G['mode']`` or ``self.training``.
    """
    known = {}
    for name, value in call.items():
        if name.isidentifier():
            known[f"L['{name}']"] = value
        elif name.startswith(("L[", "G[")):
            known[normalised(name)] = value
        else:
            root, separator, rest = name.partition(".")
            known[normalised(f"L['{root}']{separator}{rest}")] = value
    return known


def predict(
    entries: Sequence[Entry],
    call: Mapping[str, Any],
    circumstances: Circumstances,
) -> Prediction:
    """Predict a call. ``entries``: in the order in which torch tries them."""
    given = inputs(call)
    known = {**_outside(circumstances.values), **given}
    result = Prediction(True, None)
    open_entries = []
    for entry in entries:
        failed, unknown, unchanged = _check(entry, known, given, circumstances)
        if failed:
            result.failed += failed
            continue
        result.not_evaluated += [(entry.compile, predicate) for predicate in unknown]
        result.unchanged += [(entry.compile, predicate) for predicate in unchanged]
        if unknown:
            open_entries.append(entry)
            continue
        return Prediction(
            False, entry.compile, result.failed, result.not_evaluated, result.unchanged, certain=True
        )
    if open_entries:
        result.recompiles, result.entry, result.certain = False, open_entries[0].compile, False
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
            agrees = circumstances.agrees(predicate)
            is_given = _is_of(predicate, given)
            is_argument = _ARGUMENT.match(predicate.source or predicate.text) is not None
            if agrees is False and not is_argument and not is_given:
                outcome = Outcome(False, predicate.text, "changed since the last compile")
            elif (predicate.can_be_evaluated and (is_argument or is_given)) or (
                agrees is False and not is_given
            ):
                unknown.append(predicate)
            else:
                unchanged.append(predicate)
        if outcome.holds is False:
            failed.append(Failure(entry.compile, predicate, outcome))
    return failed, unknown, unchanged


def _is_of(predicate: Predicate, given: Mapping[str, Any]) -> bool:
    """Return whether a guard checks something of the values that a call states."""
    return any(source in (predicate.source or "") or source in predicate.text for source in given)


class Replay:
    """A sequence of calls from the start of a run: an entry exists from the call that compiled it."""

    def __init__(self, entries: Iterable[Entry], limit: int):
        self._limit = limit
        self._to_come = list(entries)
        self._order: list[Entry] = []
        self._circumstances = Circumstances()

    def call(self, call: Mapping[str, Any]) -> Prediction:
        """Predict the next call, and take in the entry that it compiles."""
        prediction = predict(self._order, call, self._circumstances)
        if prediction.recompiles:
            if len(self._order) >= self._limit:
                return prediction.refused()
            if self._to_come:
                entry = self._to_come.pop(0)
                self._order.insert(0, entry)
                self._circumstances.learn(entry)
        else:
            entry = next(entry for entry in self._order if entry.compile == prediction.entry)
            self._order.remove(entry)
            self._order.insert(0, entry)
        return prediction
