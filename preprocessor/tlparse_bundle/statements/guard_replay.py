"""Guards evaluated for the calls that compiled, and what fixes would save."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.diagnostics import Diagnostics
from tlparse_bundle.guards.code_history import CodeHistory
from tlparse_bundle.guards.fixes import SMALL_SIZES, Fix
from tlparse_bundle.guards.inputs import Input, input_of, is_argument, owners_of
from tlparse_bundle.guards.nearest import nearest_entry
from tlparse_bundle.guards.predicates import Predicate
from tlparse_bundle.guards.savings import Compiled, Place, graphs_of, without_firsts
from tlparse_bundle.guards.values import Tensor
from tlparse_bundle.guards.views import results_of, views_of
from tlparse_bundle.guards.what_if import WhatIf
from tlparse_bundle.model.compiles import compiling_us
from tlparse_bundle.model.functions import resume_function
from tlparse_bundle.statements.call_inputs import input_rows
from tlparse_bundle.statements.clearer_reasons import NOT_FOUND
from tlparse_bundle.statements.facts import Facts, FunctionKey
from tlparse_bundle.statements.named_guards import NamedGuards, checked_without_guard
from tlparse_bundle.statements.recompile_causes import differs_in_state, requested_recompiles
from tlparse_bundle.statements.rows_by_compile import (
    RowsByCompile,
    guard_trees_by_compile,
    symbols_by_compile,
    tensors_by_compile,
)
from tlparse_bundle.statements.settings import settings
from tlparse_bundle.statements.small_values import small_values
from tlparse_bundle.statements.tied_sizes import tied_sizes
from tlparse_bundle.tables.rows import Rows

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import CodeObjectsRow, RecompileReasonsRow

_MAX_CALLS = 1000  # of one code object that are compared with its entries
_MAX_ENTRIES = 64  # that a call is compared with, in torch's order
_MAX_SAVINGS_CALLS = 200  # of one code object for which fixes are tried
_SIZE = re.compile(r"(.+)\.size\(\)\[(\d{1,4})\]")


def guard_tables(facts: Facts, diagnostics: Diagnostics) -> Iterator[tuple[str, Rows[Any]]]:
    """Yield the tables ``call_inputs``, ``guard_failures`` and ``recompile_fixes`` of a log.

    A guard that torch names as a reason but that holds here is a diagnostic.
    """
    inputs: Rows[dict[str, Any]] = Rows()
    failures: Rows[dict[str, Any]] = Rows()
    fixes: Rows[dict[str, Any]] = Rows()
    replay = GuardReplay(facts)
    for code_object in facts.table("code_objects"):
        history = replay.history(code_object)
        for compiled in history.compiles:
            inputs.extend(input_rows(compiled))
        if len(set(code_object["compiles"])) > 1:  # torch can refuse all but the first
            failures.extend(replay.failures(code_object, history))
            for call, guard in history.disagreements:
                key, text = history.compiles[call].compile, history.guards[guard].text
                message = f"torch says that this guard failed in [{key}], but it holds: {text[:300]}"
                diagnostics.add("guard-disagreement", message)
            if len(history.compiles) <= _MAX_SAVINGS_CALLS:
                fixes.extend(replay.fixes(code_object, history, len(fixes)))
    yield "call_inputs", inputs
    yield "guard_failures", failures
    yield "recompile_fixes", fixes


class GuardReplay:
    """The cache entries and the inputs of the code objects of a log."""

    def __init__(self, facts: Facts):
        self._facts = facts
        self._tensors = facts.once(tensors_by_compile)
        self._symbols = facts.once(symbols_by_compile)
        self._firsts = _firsts(facts)
        self._trees = facts.once(guard_trees_by_compile)
        self._specializations = RowsByCompile(facts, "specializations")
        self._caches = RowsByCompile(facts, "caches")
        self._graph_breaks: dict[str | None, set[int]] = {}  # by compile
        for record in facts.table("graph_break_records"):
            self._graph_breaks.setdefault(record["compile"], set()).add(record["graph_break"])
        # A resume function has the arguments of its function as locals.
        self._resumed: dict[FunctionKey, list[str]] = {}  # its compiles, by function
        for code_object in facts.table("code_objects"):
            if resume_function(code_object["function"]) is not None:
                self._resumed.setdefault(self._function(code_object), []).extend(code_object["compiles"])
        self._recompiles = facts.once(requested_recompiles)
        self._numbers: dict[str | None, int] = {}  # of recompiles, by compile
        self._caused: dict[str, list[str]] = {}  # recompiles that certainly have its cause
        for number in range(len(self._recompiles)):
            row = self._recompiles.row(number)
            self._numbers[row["compile"]] = number
            leader = None if row["compile"] is None else self._numbers.get(row["follows"])
            if leader is not None and self._recompiles.has_same_cause(number, leader):
                self._caused.setdefault(row["follows"], []).append(row["compile"])
        self._guard = lru_cache(16_384)(self._read_guard)
        self._named = NamedGuards(self._guard)

    def _function(self, code_object: CodeObjectsRow) -> FunctionKey:
        """Return the key of the function of a code object, for a resume function that of its function."""
        frames = (self._facts.compiled.get((key,)) for key in code_object["compiles"])
        first = next((frame.rows[0] for frame in frames if frame is not None), None)
        own = code_object["file"], code_object["function"], None
        return own if first is None else self._facts.function_key(first)

    def _read_guard(self, number: int) -> Predicate:
        row = self._facts.table("guards")[number]
        type_name = row["expected"] if row["kind"] == "TYPE_MATCH" else None
        return Predicate(row["kind"], row["source"], row["text"], None, type_name)

    def history(self, code_object: CodeObjectsRow) -> CodeHistory:
        """Return the compiles of a code object, without those that torch refused."""
        facts = self._facts
        self._named.clear()
        compiles = []
        guards: dict[int, Predicate] = {}
        specialized: set[Place] = set()
        tied: set[Place] = set()
        for key in dict.fromkeys(code_object["compiles"]):
            frame = facts.compiled.get((key,))
            if frame is None:
                continue
            ids = dict.fromkeys(id_ for tree in self._trees.rows(key) for id_ in tree["guards"])
            own = {id_: self._guard(id_) for id_ in ids}
            guards |= own
            tensors = self._tensors.rows(key)
            input = input_of(tensors, self._symbols.rows(key), own.values()) if ids else None
            cost = self._cost_us(key)
            graphs = graphs_of(self._caches.rows(key))
            breaks = frozenset(self._graph_breaks.get(key, ()))
            numbers = list(_numbers(input)) if input is not None else []
            static = frozenset(
                place for place, value, is_static in numbers if is_static and value not in SMALL_SIZES
            )
            is_dynamic = not all(is_static for _, _, is_static in numbers)
            views, results = views_of(tensors), results_of(tensors)
            compiles.append(
                Compiled(key, ids, input, cost, cost, *graphs, breaks, static, is_dynamic, views, results)
            )
        rests = self._resumed.get(self._function(code_object), ())
        for key in (*code_object["compiles"], *rests):
            for row in filter(facts.is_of_last_attempt, self._specializations.rows(key)):
                if row["event"] in facts.once(small_values):
                    continue
                places = tied if row["event"] in facts.once(tied_sizes) else specialized
                places |= {_place(source) for source in row["sources"]}
        compiles = without_firsts(compiles, self._firsts)
        if len(compiles) > 1:
            last = facts.compiled.get((compiles[-1].compile,))
            assert last is not None
            if _is_automatic(facts, last.rows[-1]):
                specialized |= set(_kept_static(compiles)) - tied
            else:  # whether the code needs the value of a float is not logged
                specialized |= set(_floats(compiles))
        return CodeHistory(
            compiles,
            guards,
            frozenset(specialized),
            dict(self._named_guards(compiles)),
            tried=dict(self._tried(compiles)),
            tied=frozenset(tied - specialized),
            other_backends=frozenset(self._other_backends(compiles)),
            keeps_floats=facts.keeps_floats,
            rest_recompiled=any(not key.partition("@")[0].endswith("/0") for key in rests),
        )

    def _other_backends(self, compiles: Sequence[Compiled]) -> Iterator[tuple[int, int]]:
        """Yield each call with the entries that torch passes over for their backend."""
        for call, entry, reason in self._reasons_by_entry(compiles):
            if reason["change"] == "backend":
                yield call, entry

    def _reasons_by_entry(
        self, compiles: Sequence[Compiled]
    ) -> Iterator[tuple[int, int, RecompileReasonsRow]]:
        """Yield (call, earlier entry, reason why the call did not fit it)."""
        numbers = {compiled.compile: number for number, compiled in enumerate(compiles)}
        for call, compiled in enumerate(compiles[: _MAX_CALLS + 1]):
            for reason in self._reasons(compiled.compile)[:_MAX_ENTRIES]:
                entry = numbers.get(reason["entry"] or "", call)
                if entry < call:
                    yield call, entry, reason

    def _tried(self, compiles: Sequence[Compiled]) -> Iterator[tuple[int, list[int]]]:
        """Yield each call with the entries that torch tried, in that order."""
        numbers = {compiled.compile: number for number, compiled in enumerate(compiles)}
        for call, compiled in enumerate(compiles[: _MAX_CALLS + 1]):
            entries = [numbers.get(reason["entry"] or "") for reason in self._reasons(compiled.compile)]
            yield call, [entry for entry in entries if entry is not None]

    def _named_guards(self, compiles: Sequence[Compiled]) -> Iterator[tuple[tuple[int, int], int]]:
        """Yield (call, entry) with the guard that torch names, and note the items that it did not find."""
        for call, entry, reason in self._reasons_by_entry(compiles):
            guard = self._named.of(compiles[entry], reason)
            input = compiles[call].input
            if guard is not None and input is not None and reason["guard"].startswith(NOT_FOUND):
                input.add_missing(self._guard(guard).source or "")
            if guard is not None:
                yield (call, entry), guard

    def _reasons(self, compile: str) -> list[RecompileReasonsRow]:
        number = self._numbers.get(compile)
        return [] if number is None else self._recompiles.reasons(number)

    def _cost_us(self, key: str) -> int | None:
        """Return the time of a compile and of those that follow it for the same cause."""
        frames = (self._facts.compiled.get((one,)) for one in self.with_caused(key))
        return compiling_us(frame.row for frame in frames if frame is not None)

    def with_caused(self, key: str) -> list[str]:
        """Return a compile and those that follow it, directly or indirectly, for the same cause."""
        found: dict[str, None] = {}
        todo = [key]
        while todo:
            one = todo.pop()
            if one not in found:
                found[one] = None
                todo += self._caused.get(one, ())
        return list(found)

    def failures(self, code_object: CodeObjectsRow, history: CodeHistory) -> Iterator[dict[str, Any]]:
        """Yield a row of ``guard_failures`` for each entry that existed before each recompile."""
        numbers = {compiled.compile: number for number, compiled in enumerate(history.compiles)}
        for compile in list(dict.fromkeys(code_object["compiles"]))[: _MAX_CALLS + 1]:
            call = numbers.get(compile)
            is_known = call is not None and history.compiles[call].input is not None
            known = history if call is None or is_known else self._described(history, call)
            entries = {
                entry: reason
                for reason in self._reasons(compile)[:_MAX_ENTRIES]
                if (entry := numbers.get(reason["entry"] or "")) is not None
                and (call is None or entry < call)
            }
            containers = {
                entry: source
                for entry, reason in entries.items()
                if (call, entry) not in history.named and (source := checked_without_guard(reason))
            }
            of_others = {entry for entry in entries if (call, entry) in history.other_backends}
            nearest = (
                self._fewest_named(history, entries)
                if call is None
                else nearest_entry(known, call, list(entries), containers, of_others)
            )
            for entry, reason in entries.items():
                named = (
                    self._named.of(history.compiles[entry], reason)
                    if call is None
                    else history.named.get((call, entry))
                )
                failed = {} if call is None else known.failed(call, entry)
                guards = [id_ for id_, found in failed.items() if found]
                yield {
                    "event": reason["event"],
                    "compile": compile,
                    "position": reason["position"],
                    "entry": reason["entry"],
                    "guard": named,
                    "guards": [named] if named is not None and call is None else guards,
                    "not_evaluated": [id_ for id_, found in failed.items() if found is None],
                    "is_input_known": is_known,
                    "is_nearest": entry == nearest,
                }

    def _fewest_named(self, history: CodeHistory, entries: Mapping[int, RecompileReasonsRow]) -> int | None:
        """Return the entry that has the fewest of the guards that torch names for a call that it refused:
        each fails in all entries that have it; None where several have as few. torch checks the global state
        first, so of entries for another one it names nothing else.
        """
        named = {self._named.of(history.compiles[entry], reason) for entry, reason in entries.items()}
        if None in named:
            return None
        by_count: dict[int, list[int]] = {}
        for entry, reason in entries.items():
            if not differs_in_state(reason):
                by_count.setdefault(len(named & history.compiles[entry].guards.keys()), []).append(entry)
        fewest = by_count[min(by_count)] if by_count else []
        return fewest[0] if len(fewest) == 1 < len(entries) else None

    def _described(self, history: CodeHistory, call: int) -> CodeHistory:
        """Return the history with what the log describes of a call whose compile failed, so has no guards."""
        compiles = list(history.compiles)
        key = compiles[call].compile
        compiles[call] = replace(
            compiles[call], input=input_of(self._tensors.rows(key), self._symbols.rows(key), ())
        )
        return CodeHistory(compiles, history.guards, named=history.named)

    def fixes(
        self, code_object: CodeObjectsRow, history: CodeHistory, first_id: int
    ) -> Iterator[dict[str, Any]]:
        """Yield the rows of ``recompile_fixes`` of a code object."""
        ids: dict[Fix, int] = {}
        costs = [cost for compiled in history.compiles if (cost := compiled.cost_us) is not None]
        for number, saving in enumerate(WhatIf(history).savings(), first_id):
            single = saving.fixes[0] if len(saving.fixes) == 1 else None
            if single is not None:
                ids[single] = number
            avoided, undecided = (
                [history.compiles[place].compile for place in places]
                for places in (saving.avoided, saving.undecided)
            )
            yield {
                "id": number,
                "code_object": code_object["id"],
                "fix": None if single is None else single.kind,
                "source": None if single is None else single.source,
                "dimension": None if single is None else single.dimension,
                "combines": [] if single is not None else [ids[fix] for fix in saving.fixes],
                "compile_count": len(history.compiles),
                "remaining_count": len(history.compiles) - len(avoided),
                "avoided": avoided,
                "undecided": undecided,
                "is_minimum": saving.is_minimum(len(history.compiles)),
                "total_us": sum(costs) if costs else None,
                "saved_us": saving.saved_us(history.compiles),
            }


def _firsts(facts: Facts) -> frozenset[str]:
    """Return the first compile with a dynamic size, and the first with another dynamic number."""
    found: dict[bool, str] = {}
    for row in facts.table("symbols"):
        if row["compile"] is not None and row["source"] is not None:
            found.setdefault(_SIZE.fullmatch(row["source"]) is not None, row["compile"])
            if len(found) == 2:
                break
    return frozenset(found.values())


def _is_automatic(facts: Facts, attempt: int) -> bool:
    """Whether automatic dynamic shapes are on, as they are by default."""
    return facts.once(settings).value_at(attempt, "dynamo_config", "automatic_dynamic_shapes") is not False


def _place(source: str) -> Place:
    """Return source and dimension of a size; the source of another number."""
    size = _SIZE.fullmatch(source)
    return (size[1], int(size[2])) if size else (source, None)


def _kept_static(compiles: Sequence[Compiled]) -> Iterator[Place]:
    """Yield sizes and numbers that stayed constant in a compile although they had differed before it.

    Automatic dynamic shapes make them dynamic then (torch/_dynamo/variables/builder.py), unless the program
    asks for a constant.
    """
    earlier: dict[Place, float] = {}
    for compiled in compiles:
        if compiled.input is None:
            continue
        for place, value, is_static in _numbers(compiled.input):
            before = earlier.setdefault(place, value)
            if before != value and is_static and (place[1] is None or min(before, value) > 1):
                yield place


def _floats(compiles: Sequence[Compiled]) -> Iterator[Place]:
    for compiled in compiles:
        for source, value in compiled.input.values.items() if compiled.input is not None else ():
            if type(value) is float:
                yield source, None


def _numbers(input: Input) -> Iterator[tuple[Place, float, bool]]:
    """Yield sizes and numbers of the arguments of a call, and whether a guard fixes each."""
    for source, pattern in input.patterns.items():
        tensor = input.values.get(source)
        if isinstance(tensor, Tensor) and is_argument(source) and len(tensor.size) == len(pattern.size):
            for dimension, size in enumerate(tensor.size):
                yield (source, dimension), size, pattern.size[dimension] is not None
    for source, value in input.values.items():
        # An integer of a module is a constant by default, a float is not.
        is_number = type(value) is float or (
            type(value) is int and is_argument(source) and input.modules.isdisjoint(owners_of(source))
        )
        if is_number and _SIZE.fullmatch(source) is None:
            yield (source, None), value, ("EQUALS_MATCH", source, source) in input.guards
