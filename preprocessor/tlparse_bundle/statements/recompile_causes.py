"""Causes of recompiles: of all guards that failed, the one that shows what changed."""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tlparse_bundle.model.compiles import ASKED
from tlparse_bundle.model.functions import resume_function
from tlparse_bundle.statements.facts import Facts, FunctionKey

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import RecompileReasonsRow

_OF_AN_OBJECT = frozenset(
    ("type", "identity", "value", "attribute", "keys", "length")
)  # several guards on one object are one cause

_Cell = tuple[str | None, str, int | None]  # source, change, dimension


@dataclass(frozen=True, slots=True)
class RequestedRecompile:
    """A recompile that failed guards triggered, including one that the recompile limit refused."""

    row: dict[str, Any]  # event, compile, attempt, code_object, caused_by, at_limit, text
    compile_index: int  # row of ``Facts.compiles``
    reasons: list[RecompileReasonsRow]  # its rows of 'recompile_reasons'


class RequestedRecompiles:
    """The recompiles, including refused ones, in file order."""

    def __init__(self, facts: Facts):
        self._facts = facts
        self._rows, self._reasons = facts.table(ASKED), facts.table("recompile_reasons")
        self._ends = array("i", [0])  # of the reasons of each; they come in the same order
        events = (row["event"] for row in self._reasons)
        count, event = 0, next(events, None)
        for row in self._rows:
            while event is not None and event <= row["event"]:
                count, event = count + 1, next(events, None)
            self._ends.append(count)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[RequestedRecompile]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, number: int) -> RequestedRecompile:
        row = self._rows[number]
        reasons = [self._reasons[place] for place in range(self._ends[number], self._ends[number + 1])]
        return RequestedRecompile(row, self._facts.number_of(row), reasons)


def requested_recompiles(facts: Facts) -> RequestedRecompiles:
    """Return the recompiles, including refused ones, in file order."""
    return RequestedRecompiles(facts)


@dataclass(slots=True)
class Cause:
    """Recompiles of one function for one reason. ``reason`` is None when no cache entry almost matched."""

    function: FunctionKey  # see Facts.function_key
    reason: RecompileReasonsRow | None
    rows: list[int] = field(default_factory=list)  # of ``requested_recompiles``
    cascade: list[int] = field(default_factory=list)  # recompiles that these triggered
    values: dict[Any, None] = field(default_factory=dict)  # expected and actual, in order
    refused_values: dict[Any, None] = field(default_factory=dict)  # the same for refused recompiles
    open: bool = False  # the last actual value is not recorded
    changes: dict[str, None] = field(default_factory=dict)  # what changed, in order: 'change' of the reasons
    refused: list[int] = field(default_factory=list)  # refused by the recompile limit, for the same reason
    is_resumed: bool = False  # of a resume function, whose locals are not arguments

    @property
    def change(self) -> str:
        return self.reason["change"] if self.reason else "other"

    @property
    def dimension(self) -> int | None:
        return self.reason["dimension"] if self.reason else None


def causes(facts: Facts) -> list[Cause]:
    """Return the causes of recompiles, in order of first appearance."""
    everything = facts.once(requested_recompiles)
    earlier = _EarlierValues(everything)
    numbers: dict[str, int] = {}  # by the compile
    roots: dict[int, Cause] = {}
    by_key: dict[tuple[Any, ...], Cause] = {}
    for number, one in enumerate(everything):
        leader, refused = numbers.get(one.row["caused_by"] or ""), one.compile_index in facts.refused
        if one.row["compile"] is not None:
            numbers[one.row["compile"]] = number
        if leader is not None and leader in roots and not refused:
            roots[number] = roots[leader]
            roots[number].cascade.append(number)
            continue
        if one.compile_index in facts.forbidden:
            continue  # a failure, not a recompile
        reason = earlier.near(one.reasons)
        function = facts.function_key(one.compile_index)
        cause = by_key.setdefault(cause_key(function, one.reasons, reason), Cause(function, reason))
        (cause.refused if refused else cause.rows).append(number)
        roots[number] = cause
        name = facts.compiles[one.compile_index]["function"]
        cause.is_resumed = cause.is_resumed or resume_function(name) is not None
        if reason is not None:
            cause.changes[reason["change"]] = None
            values = cause.refused_values if refused else cause.values
            if not refused or not cause.rows:
                cause.open = reason["actual"] is None
            if reason["change"] == cause.change:
                values.update(
                    (value, None) for value in (reason["expected"], reason["actual"]) if value is not None
                )
    return list(by_key.values())


def cause_key(
    owner: Hashable, reasons: list[RecompileReasonsRow], reason: RecompileReasonsRow | None
) -> tuple[Any, ...]:
    """Return a key that recompiles with the same cause share.

    ``owner``: the function or code object; ``reason``: the most telling one of ``reasons``.
    """
    if reason is None:
        return owner, "nothing near" if reasons else "unknown"
    change, source = reason["change"], reason["source"]
    if source is not None and change in _OF_AN_OBJECT:
        return owner, source, "object"
    vague = reason["guard"] if source is None or change in ("other", "shape") else None
    return owner, source, change, reason["dimension"], vague


class _EarlierValues:
    """Values that cache entries were compiled for, by (compile, source, change, dimension)."""

    def __init__(self, everything: Iterable[RequestedRecompile]):
        self._values: dict[tuple[Any, ...], Any] = {}
        for one in everything:
            for reason in one.reasons:
                cell = _cell(reason)
                if reason["entry"] is not None and reason["expected"] is not None:
                    self._values[(reason["entry"], *cell)] = reason["expected"]
                if reason["compile"] is not None and reason["actual"] is not None:
                    self._values.setdefault((reason["compile"], *cell), reason["actual"])

    def near(self, reasons: list[RecompileReasonsRow]) -> RecompileReasonsRow | None:
        """Return the reason of the newest cache entry with a single known guard failure, or None."""
        if len(reasons) == 1:
            return reasons[0]
        actual = {
            _cell(reason): reason["actual"] for reason in reasons if reason["actual"] is not None
        }  # all from one call
        return next((reason for reason in reasons if not self._fails_otherwise(reason, actual)), None)

    def _fails_otherwise(self, reason: RecompileReasonsRow, actual_values: dict[_Cell, Any]) -> bool:
        """Whether values of other guards would also have failed for this cache entry."""
        mine = _cell(reason)
        others = (
            (self._values.get((reason["entry"], *cell)), actual)
            for cell, actual in actual_values.items()
            if cell != mine
        )
        return any(value is not None and value != actual for value, actual in others)


def _cell(reason: RecompileReasonsRow) -> _Cell:
    """Return the source, change and dimension of a reason."""
    return reason["source"], reason["change"], reason["dimension"]
