"""The time that fixes save: that of the compiles that would not happen, with what that changes for others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median_low

from tlparse_bundle.guards.fixes import COUNTED, Fix, covers
from tlparse_bundle.guards.inputs import Input
from tlparse_bundle.guards.views import View

Place = tuple[str, int | None]  # of a size, or of a number, which has no dimension


@dataclass(frozen=True, slots=True)
class Compiled:
    """A compile of a code object. ``guards``: of its cache entry in torch's order, none when it left none;
    ``input``: None when the log does not tell. ``cost_us``: with those that follow for the same cause.
    ``saved_us``: what is saved when it does not happen. ``graphs``: keys of its lookups in the cache of
    Inductor; ``is_cached``: whether all of them are hits. ``graph_breaks``: their ids. ``static``: sizes
    and numbers that it has as constants; ``is_dynamic``: whether it has others as symbols. ``views``: its
    inputs that are views, by source; ``results``: those that autograd computed.
    """

    compile: str
    guards: dict[int, None]
    input: Input | None
    cost_us: int | None = None
    saved_us: int | None = None
    graphs: tuple[str, ...] = ()
    is_cached: bool = False
    graph_breaks: frozenset[int] = frozenset()
    static: frozenset[Place] = frozenset()
    is_dynamic: bool = False
    views: Mapping[str, View] = field(default_factory=dict)
    results: frozenset[str] = frozenset()


# What a compile with symbols takes more at least, as a part of the usual one: it fits best for 647 fixes of
# generated programs with torch 2.13 (tests/guards/measure_fixes.py).
_OF_SYMBOLS = 0.2


@dataclass(frozen=True, slots=True)
class Saving:
    """What fixes would save, together. ``avoided``: numbers of the compiles that would not happen;
    ``same_graphs``: those of Inductor's graphs that another compile would have instead, with its number.
    ``undecided``: numbers of the compiles that may not happen either, which the log does not decide.
    """

    fixes: tuple[Fix, ...]
    avoided: tuple[int, ...]
    same_graphs: tuple[tuple[int, int], ...] = ()
    undecided: tuple[int, ...] = ()

    def is_minimum(self, compile_count: int) -> bool:
        """Whether the fixes can avoid more than the log shows: not when only one compile is left of all."""
        is_exact = not self.undecided and all(fix.kind in COUNTED for fix in self.fixes)
        return not is_exact and len(self.avoided) < compile_count - 1

    def saved_us(self, compiles: Sequence[Compiled]) -> int | None:
        """Return the time that is saved; None when that of no avoided compile is recorded, and for more than
        one dynamic size: how much longer code takes with several symbols, the log does not show.
        """
        kinds = [fix.kind for fix in self.fixes]
        if "dynamic_true" in kinds or kinds.count("mark_dynamic") + kinds.count("mark_unbacked") > 1:
            return None
        costs = [cost for number in self.avoided if (cost := compiles[number].saved_us) is not None]
        return (
            max(sum(costs) + self._by_cache_us(compiles) - self._by_symbols_us(compiles), 0)
            if costs
            else None
        )

    def _by_symbols_us(self, compiles: Sequence[Compiled]) -> int:
        """Return what compiles that remain take more, since they then have symbols in place of constants."""
        avoided = frozenset(self.avoided)
        changed = sum(
            number not in avoided and not one.is_dynamic and self._makes_dynamic(one)
            for number, one in enumerate(compiles)
        )
        costs: dict[bool, list[int]] = {False: [], True: []}
        for one in compiles[1:]:  # the first one also takes longer, but for other reasons
            if one.saved_us is not None and not one.is_cached:
                costs[one.is_dynamic].append(one.saved_us)
        usual = [*costs[False], *costs[True]]
        if not changed or not usual:
            return 0
        more = median_low(costs[True]) - median_low(costs[False]) if all(costs.values()) else 0
        return max(more, int(_OF_SYMBOLS * median_low(usual))) * changed

    def _makes_dynamic(self, compiled: Compiled) -> bool:
        return any(
            covers(fix, Fix("mark_dynamic", *place)) for place in compiled.static for fix in self.fixes
        )

    def _by_cache_us(self, compiles: Sequence[Compiled]) -> int:
        """Return what compiles that remain take less, since the cache of Inductor then has their graph, or
        more (negative), since it then lacks it.
        """
        times: dict[tuple[tuple[str, ...], bool], int] = {}
        for one in compiles:
            if one.graphs and one.cost_us is not None:
                times.setdefault((one.graphs, one.is_cached), one.cost_us)
        instead: dict[int, set[tuple[str, ...]]] = {}
        for call, entry in self.same_graphs:
            instead.setdefault(entry, set()).add(compiles[call].graphs)
        found: set[tuple[str, ...]] = set()
        saved = 0
        avoided = frozenset(self.avoided)
        for number, one in enumerate(compiles):
            if number in avoided or not one.graphs or one.cost_us is None:
                continue
            own = {one.graphs, *instead.get(number, ())}
            is_cached = not own.isdisjoint(found)
            if is_cached != one.is_cached:
                saved += one.cost_us - min(
                    (times[graphs, is_cached] for graphs in own if (graphs, is_cached) in times),
                    default=one.cost_us,
                )
            found |= own
        return saved


def without_firsts(compiles: Sequence[Compiled], firsts: frozenset[str]) -> list[Compiled]:
    """Set what is saved of compiles that are the first ones of a process with dynamic sizes, or with dynamic
    numbers. They take longer, and without them the next one does: by what, the other recompiles of the
    function tell, or its first compile.
    """
    result = list(compiles)
    for number, one in enumerate(compiles):
        if one.compile in firsts and one.cost_us is not None:
            costs = [
                other.cost_us
                for other in compiles[1:]
                if other.compile not in firsts
                and other.cost_us is not None
                and other.is_cached == one.is_cached
            ]
            usual = median_low(costs) if costs else compiles[0].cost_us
            result[number] = replace(one, saved_us=one.cost_us if usual is None else min(one.cost_us, usual))
    return result


def graphs_of(lookups: Iterable[Mapping[str, object]]) -> tuple[tuple[str, ...], bool]:
    """Return the keys of lookups in the cache of Inductor, and whether there are some and all are hits."""
    rows = [row for row in lookups if row["cache"] == "fx_graph" and row["outcome"] in ("hit", "miss")]
    are_hits = bool(rows) and all(row["outcome"] == "hit" for row in rows)
    return tuple(str(row["key"]) for row in rows if row["key"]), are_hits
