"""Causes of recompiles: the failing guard of the nearest cache entry."""

from __future__ import annotations

import re
from array import array
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.key_numbers import KeyNumbers
from tlparse_bundle.base.wording import code
from tlparse_bundle.guards.failing import CONTAINER
from tlparse_bundle.guards.fixes import is_float, is_int
from tlparse_bundle.guards.inputs import local_name
from tlparse_bundle.model.compiles import ASKED
from tlparse_bundle.model.functions import resume_function
from tlparse_bundle.statements.clearer_reasons import PARTS, clearer_reason
from tlparse_bundle.statements.facts import Facts, FunctionKey
from tlparse_bundle.statements.rows_by_compile import guards_of, symbols_by_compile, tensors_by_compile

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import RecompileReasonsRow

METADATA = "___check_metadata_"
UNEXPLAINED = "Unexpected recompilation"  # all guards passed when torch looked for the reason
_OF_AN_OBJECT = frozenset(
    ("type", "identity", "value", "attribute", "keys", "length")
)  # several guards on one object are one cause

_BEFORE_SIZES = ("global_state", "dispatch_keys", "dtype", "device", "requires_grad")
_NUMBER = re.compile(r"-?\d{1,15}")
_TYPES = {  # by 'kind' of call_inputs; that of a tensor can be a subclass
    "bool": "<class 'bool'>",
    "int": "<class 'int'>",
    "float": "<class 'float'>",
    "str": "<class 'str'>",
    "none": "<class 'NoneType'>",
}
TENSOR = "a tensor"  # in place of the value that a call has, as CONTAINER is
_CONSTANTS = {  # kinds of guards, with what those on one value share
    "EQUALS_MATCH": "value",
    "CONSTANT_MATCH": "value",
    "TRUE_MATCH": "flag",
    "FALSE_MATCH": "flag",
}
_ON_STACK = re.compile(r"___stack\d")
_ON_DATA = ("Dynamic shape operator", "Data dependent operator", "Unsupported Tensor.item() call")
# Of a dynamic dimension: torch specializes the sizes and strides 0 and 1.
AT_LEAST_TWO = re.compile(r"^2 <= (?P<source>\S+)\.(?P<what>size|stride)\(\)\[(?P<dimension>\d{1,4})\]$")


@dataclass(frozen=True, slots=True)
class RequestedRecompile:
    """A recompile that failed guards triggered, including one that the recompile limit refused.

    ``reason``: the one that a fix has to remove, that of the nearest cache entry, or else of the newest.
    torch checks the global state first: if that of the newest entry differs, the reason of an entry for the
    same state, or else of the one whose state differs least.
    """

    row: dict[str, Any]  # event, compile, attempt, code_object, follows, at_limit, text
    compile_index: int  # row of ``Facts.compiles``
    reason: RecompileReasonsRow | None
    number: int
    everything: RequestedRecompiles

    @property
    def reasons(self) -> list[RecompileReasonsRow]:
        """Its rows of 'recompile_reasons'. They are read again: a thousand recompiles can have a thousand."""
        return self.everything.reasons(self.number)


def _chosen(reasons: list[RecompileReasonsRow], nearest: int | None) -> int:
    """Return the number of the reason of the entry at a position, or of the best one where that is None."""
    numbers = range(len(reasons))
    for number in numbers:
        if reasons[number]["position"] == nearest:
            return number
    if not differs_in_state(reasons[0]):
        return 0
    in_state = next((number for number in numbers if not differs_in_state(reasons[number])), None)
    fewest = min(numbers, key=lambda number: len((reasons[number]["source"] or "").split()))
    return fewest if in_state is None else in_state


class RequestedRecompiles:
    """The recompiles, including refused ones, in file order."""

    def __init__(self, facts: Facts):
        self._facts = facts
        self._rows, self._reasons = facts.table(ASKED), facts.table("recompile_reasons")
        self._reason = lru_cache(1024)(self._read_reason)
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
        row, reason = self.row(number), self._reason(number)
        return RequestedRecompile(row, self._facts.number_of(row), reason, number, self)

    def _read_reason(self, number: int) -> RecompileReasonsRow | None:
        place = self._facts.once(_chosen_places)[number]
        if place < 0:
            return None
        return clearer_reason(self._facts, self._rows[number]["compile"], self._reasons[place])

    def row(self, number: int) -> dict[str, Any]:
        """Return a recompile: event, compile, attempt, code_object, follows, at_limit, text."""
        row: dict[str, Any] = self._rows[number]
        first, end = self._ends[number], self._ends[number + 1]
        if row["follows"] is None or first == end or not _is_of_data(self._facts, row, self._reasons[first]):
            return row
        return {**row, "follows": None}

    def reasons(self, number: int) -> list[RecompileReasonsRow]:
        """Return the rows of 'recompile_reasons' of a recompile."""
        return [self._reasons[place] for place in range(self._ends[number], self._ends[number + 1])]

    def has_same_cause(self, number: int, leader: int) -> bool:
        """Whether a recompile that follows another certainly has its cause: a resume function failed on a
        local that failed the other, on a value that the graph break left on the stack, or only on what torch
        checks before sizes: the global state, or the dtype of a tensor.

        Whether a local of another name is computed from it or is another argument, torch does not log.
        """
        compile = self._facts.compiles[self._facts.number_of(self.row(number))]
        reasons = self.reasons(number)
        if resume_function(compile["function"]) is None or not reasons:
            return False
        sources = {local_name(reason["source"] or "") for reason in reasons}
        failed = {local_name(reason["source"] or "") for reason in self.reasons(leader)}
        early = [reason["entry"] for reason in reasons if reason["change"] in _BEFORE_SIZES]
        return all(source and (source in failed or _ON_STACK.match(source)) for source in sources) and (
            not early or any(self._is_like(entry, self.row(number)["compile"]) for entry in early)
        )

    def _is_like(self, entry: str | None, compile: str | None) -> bool:
        """Whether a compile has the values and the sizes of an entry, where those are constants."""
        if entry is None or compile is None:
            return False
        values = {
            (kind, row["source"]): row["id"]
            for row in guards_of(self._facts, compile)
            if (kind := _CONSTANTS.get(row["kind"] or "")) is not None
        }
        for row in guards_of(self._facts, entry):
            key = _CONSTANTS.get(row["kind"] or "", ""), row["source"]
            if values.get(key, row["id"]) != row["id"]:
                return False
        tensors = self._facts.once(tensors_by_compile)
        own = {row["sources"][0]: row["shape"] for row in tensors.rows(compile) if row["sources"]}
        dynamic = {symbol["source"] for symbol in self._facts.once(symbols_by_compile).rows(entry)}
        return all(
            size == own_size or f"{source}.size()[{dimension}]" in dynamic
            for row in tensors.rows(entry)
            for source in row["sources"][:1]
            for dimension, (size, own_size) in enumerate(
                zip(row["shape"] or (), own.get(source) or (), strict=False)
            )
        )

    def chosen_places(self, nearest: Mapping[str, int]) -> array[int]:
        """Return the row in 'recompile_reasons' of the reason of each recompile, -1 for one without any.

        ``nearest``: the positions of nearest cache entries, by compile.
        """
        places = array("i")
        for number, row in enumerate(self._rows):
            reasons = self.reasons(number)
            chosen = _chosen(reasons, nearest.get(row["compile"] or "")) if reasons else None
            places.append(-1 if chosen is None else self._ends[number] + chosen)
        return places


def _chosen_places(facts: Facts) -> array[int]:
    rows = facts.table("guard_failures")
    nearest = {row["compile"]: row["position"] for row in rows if row["is_nearest"]}
    return facts.once(requested_recompiles).chosen_places(nearest)


def requested_recompiles(facts: Facts) -> RequestedRecompiles:
    """Return the recompiles, including refused ones, in file order."""
    return RequestedRecompiles(facts)


@dataclass(slots=True)
class Cause:
    """Recompiles of one function for one reason. ``reason`` is None when torch logged none."""

    function: FunctionKey  # see Facts.function_key
    reason: RecompileReasonsRow | None
    rows: list[int] = field(default_factory=list)  # of ``requested_recompiles``
    followers: list[int] = field(default_factory=list)  # recompiles that followed these in the same calls
    caused: list[int] = field(default_factory=list)  # those of ``followers`` that certainly have this cause
    values: dict[Any, None] = field(default_factory=dict)  # expected and actual, in order; global states
    refused_values: dict[Any, None] = field(default_factory=dict)  # the same for refused recompiles
    open: bool = False  # the last actual value is not recorded
    moves: set[tuple[Any, Any]] = field(default_factory=set)  # expected and actual of each recompile
    changes: dict[str, None] = field(default_factory=dict)  # what changed, in order: 'change' of the reasons
    refused: list[int] = field(default_factory=list)  # refused by the recompile limit, for the same reason
    is_resumed: bool = False  # of a resume function, whose locals are not arguments

    @property
    def change(self) -> str:
        return self.reason["change"] if self.reason else "other"

    @property
    def dimension(self) -> int | None:
        return self.reason["dimension"] if self.reason else None

    @property
    def instead_of_object(self) -> Any | None:
        """What calls have where a guard asks for one object: TENSOR, CONTAINER or a constant; None if it is
        another object, or not known.
        """
        return next(iter(self.values), None) if self.change == "identity" else None


def causes(facts: Facts) -> list[Cause]:
    """Return the causes of recompiles, in order of first appearance."""
    everything = facts.once(requested_recompiles)
    roots = KeyNumbers()  # the number of its cause, by the compile of a recompile
    numbers = KeyNumbers()  # of recompiles that certainly have that cause, by their compiles
    found: list[Cause] = []
    by_key: dict[tuple[Any, ...], int] = {}
    actuals = facts.once(actual_values)
    for number, one in enumerate(everything):
        leader, compile = one.row["follows"], one.row["compile"]
        refused = one.compile_index in facts.refused
        root = None if leader is None or refused else roots.get(leader)
        if root is not None:
            found[root].followers.append(number)
            before = numbers.get(leader)
            if before is not None and everything.has_same_cause(number, before):
                found[root].caused.append(number)
                if compile is not None:
                    numbers[compile] = number
            if compile is not None:
                roots[compile] = root
            continue
        if one.compile_index in facts.forbidden:
            continue  # a failure, not a recompile
        reason = one.reason
        function = facts.function_key(one.compile_index)
        root = by_key.setdefault(cause_key(function, reason), len(found))
        if root == len(found):
            found.append(Cause(function, reason))
        cause = found[root]
        (cause.refused if refused else cause.rows).append(number)
        if compile is not None:
            roots[compile] = root
            numbers[compile] = number
        name = facts.compiles[one.compile_index]["function"]
        cause.is_resumed = cause.is_resumed or resume_function(name) is not None
        if reason is not None:
            if not refused or not cause.rows:
                cause.changes[reason["change"]] = None
            values = cause.refused_values if refused else cause.values
            actual = actuals.get(number, reason["actual"])
            if not refused or not cause.rows:
                cause.open = actual is None
            if reason["change"] == "global_state":
                values.update(dict.fromkeys((reason["source"] or "").split()))
            elif reason["change"] == cause.change:
                values.update((value, None) for value in (reason["expected"], actual) if value is not None)
                if not refused:  # what a refused call has is not known
                    cause.moves.add((reason["expected"], actual))
    return found


def _is_of_data(facts: Facts, row: dict[str, Any], reason: RecompileReasonsRow) -> bool:
    """Whether a value changed that a graph break left for a resume function, and that depends on the data of
    a tensor: what made the function before the break recompile did not change it.
    """
    if _ON_STACK.match(local_name(reason["source"] or "")) is None:
        return False
    compile = facts.compiles[facts.number_of(row)]
    resumed = resume_function(compile["function"])
    return resumed is not None and (compile["file"], resumed.line) in facts.once(_breaks_on_data)


def _breaks_on_data(facts: Facts) -> set[tuple[str | None, int | None]]:
    """Return the lines of graph breaks at operators whose result depends on the data of a tensor."""
    rows = facts.table("graph_breaks")
    return {(row["file"], row["line"]) for row in rows if row["reason"].startswith(_ON_DATA)}


def differs_in_state(reason: RecompileReasonsRow) -> bool:
    """Whether torch compared nothing but the global state."""
    return reason["guard"].startswith("GLOBAL_STATE changed")


def actual_values(facts: Facts) -> dict[int, int | str]:
    """Return the value of each call where it failed its reason. torch records it for tensors only."""
    wanted: dict[str, list[tuple[int, str]]] = {}
    for number, one in enumerate(facts.once(requested_recompiles)):
        reason = one.reason
        if not reason or not reason["source"] or not one.row["compile"]:
            continue
        if reason["change"] in ("value", "flag", "identity", "type") or AT_LEAST_TWO.search(reason["guard"]):
            wanted.setdefault(one.row["compile"], []).append((number, local_name(reason["source"])))
    found: dict[int, int | str] = {}
    for row in facts.table("call_inputs") if wanted else ():
        for number, source in wanted.get(row["compile"], ()):
            reason = facts.once(requested_recompiles)[number].reason
            if reason and reason["change"] == "identity" and local_name(row["source"]) == f"len({source})":
                found[number] = CONTAINER
            if local_name(row["source"]) != source:
                continue
            if reason and reason["change"] == "type":
                if (type_ := _TYPES.get(row["kind"])) is not None:
                    found[number] = type_
                continue
            if row["value"] is not None:
                found[number] = int(row["value"]) if _NUMBER.fullmatch(row["value"]) else row["value"]
            if reason and row["kind"] == "tensor" and _becomes_tensor(reason):
                found[number] = TENSOR
            small = AT_LEAST_TWO.search(reason["guard"]) if reason else None
            sizes = row["stride" if small["what"] == "stride" else "shape"] if small else None
            if small and sizes and int(small["dimension"]) < len(sizes):
                found[number] = sizes[int(small["dimension"])]
    return found


def _becomes_tensor(reason: RecompileReasonsRow) -> bool:
    """Whether a guard on a number or on an object says nothing about a tensor that a call has there."""
    expected = reason["expected"]
    is_number = reason["change"] == "value" and (is_int(expected) or is_float(expected))
    return is_number or reason["change"] == "identity"


def shown_value(value: Any) -> str:
    """Return a value that a call has, for a sentence."""
    return str(value) if value in (TENSOR, CONTAINER, *PARTS) else code(str(value))


def compiles_of(facts: Facts, cause: Cause) -> Iterator[str]:
    """Yield the compiles of the code objects of a cause."""
    requests, code_objects = facts.once(requested_recompiles), facts.table("code_objects")
    for number in {requests.row(number)["code_object"] for number in cause.rows} - {None}:
        yield from code_objects[number]["compiles"]


def cause_key(owner: Hashable, reason: RecompileReasonsRow | None) -> tuple[Any, ...]:
    """Return a key that recompiles with the same cause share.

    ``owner``: the function or code object; ``reason``: see ``RequestedRecompile.reason``.
    """
    if reason is None:
        return owner, "unknown"
    change, source = reason["change"], reason["source"]
    if change == "global_state" and source is not None:  # the names of the states
        return owner, change
    if source is not None and change in _OF_AN_OBJECT:
        return owner, source, "object"
    return owner, source, change, reason["dimension"], guard_name(reason)


def guard_name(reason: RecompileReasonsRow) -> str | None:
    """Return the text of the guard where causes with the same source and change differ in it only; None for
    others.
    """
    if reason["source"] is not None and reason["change"] not in ("other", "shape"):
        return None
    return METADATA if is_of_metadata(reason["guard"]) else reason["guard"]


def is_of_metadata(guard: str) -> bool:
    """Whether a guard is on the metadata of a tensor subclass. Its text has a number in place of the source
    (torch/_dynamo/guards.py, TENSOR_SUBCLASS_METADATA_MATCH).
    """
    return guard.startswith(METADATA)
