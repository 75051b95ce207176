"""Effects of other changes: more or fewer compiles, cache misses, different code, times."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from tlparse_bundle.base.machine_text import tail
from tlparse_bundle.base.wording import code, duration, function_name, listed, plural, times
from tlparse_bundle.model.functions import function_of
from tlparse_bundle.statements.ranks.frames import Frame
from tlparse_bundle.statements.runs.compare.cache_lookups import Lookup
from tlparse_bundle.statements.runs.compare.causes import is_rest_of
from tlparse_bundle.statements.runs.compare.change import Change
from tlparse_bundle.statements.runs.compare.compile_pairs import OTHER, Pairs
from tlparse_bundle.statements.runs.compare.net_result import OUTCOMES
from tlparse_bundle.statements.runs.compare.noise import ENOUGH, LEAST_SHARE, LEAST_US, median, noise
from tlparse_bundle.statements.runs.compare.run import Run
from tlparse_bundle.statements.torch_messages import CACHES

_LEAST_SPANS = 4  # of a name, to estimate noise
_FACTOR = 2  # between the upper quarter of one side and the lower quarter of the other
_BECAME = {"hit": "a hit", "miss": "a miss", "bypass": "a bypass"}  # of one lookup
_PARTS = {  # of the key of a cache
    "gm": "the graph",
    "example_inputs": "its inputs",
    "torch_version": "the torch version",
    "system_info": "the machine",
}


def compile_changes(pairs: Pairs, findings: Sequence[Change]) -> Iterator[Change]:
    """Yield compiles of one run only, by function, unless the other run has compiles without a name."""
    nameless = {
        row.pair.new is not None for row in pairs.rows if not row.both and row.pair.frame.function is None
    }
    # Only one of the logs records compiles at the recompile limit.
    refused = "recompile_reasons" in pairs.base.first.not_recorded ^ pairs.new.first.not_recorded
    groups: dict[tuple[str, str, bool], list[int]] = {}
    for number, row in enumerate(pairs.rows):
        frame = row.pair.frame
        if not row.both and frame.function is not None:
            key = (frame.function, tail(frame.filename or ""), row.pair.new is not None)
            groups.setdefault(key, []).append(number)
    for (function, file, is_new), numbers in groups.items():
        frame = pairs.rows[numbers[0]].pair.frame
        if (not is_new) in nameless or (pairs.base if is_new else pairs.new).first.ends_early:
            continue
        counts = [
            sum(one.function == function and tail(one.filename or "") == file for one in side.first.frames)
            for side in (pairs.base, pairs.new)
        ]
        if refused and all(counts):
            continue
        place = f" ({file}:{frame.first_line})" if file and frame.first_line is not None else ""
        cause = next((change for change in findings if _led_to(change, frame, numbers, is_new)), None)
        yield Change(
            "compile",
            "info",
            f"{function_name(function)}{place} {_compiled(*counts)}",
            place=(function, file or None, frame.first_line),
            change="new" if is_new else "gone",
            pairs=numbers,
            cost_us=pairs.cost_us(numbers),
            count=len(numbers),
            details={"base_count": counts[0], "new_count": counts[1]},
            key=("compile", function, file, is_new),
            because_of=cause and cause.key,
        )


def _compiled(before: int, now: int) -> str:
    """Return words for the numbers of compiles of a function, before and now."""
    if not before:
        return f"is now compiled{'' if now == 1 else ' ' + times(now)}"
    return f"is compiled {times(now)}, was {times(before)}" if now else "is no longer compiled"


def _led_to(finding: Change, frame: Frame, numbers: Sequence[int], is_new: bool) -> bool:
    """Return whether a finding can cause compiles that only one run has."""
    if (finding.change in ("new", "worse")) != is_new:
        return False
    function, file, _ = finding.place
    if finding.details["kind"] in ("graph-break", "failure"):
        return is_rest_of(frame, function) or set(numbers) <= set(finding.pairs)
    return (
        finding.details["kind"] in ("recompile", "recompile-limit")
        and function_of(function) == function_of(frame.function)
        and tail(file or "") == tail(frame.filename or "")
    )


def cache_changes(pairs: Pairs, causes: Sequence[Change]) -> list[Change]:
    """Return lookups with a different outcome, grouped by cache, outcomes and differing parts of keys.

    AOTAutograd cache entries contain FX graph cache entries, so a change of the latter can follow from one of
    the former.
    """
    changes = list(_cache_changes(pairs, causes))
    for number, change in enumerate(changes):
        if change.because_of is None:
            around = (
                other.key
                for place, other in enumerate(changes)
                if other.because_of is None and place != number and _holds(other, change, place < number)
            )
            change.because_of = next(around, None)
    return changes


def _holds(outer: Change, inner: Change, is_first: bool) -> bool:
    """Return whether ``inner`` follows from ``outer``: its compiles are a subset, or equal and later."""
    ours, theirs = set(inner.pairs), set(outer.pairs)
    return outer.change == inner.change and (ours < theirs or (ours == theirs and is_first))


def _cache_changes(pairs: Pairs, causes: Sequence[Change]) -> Iterator[Change]:
    groups: dict[tuple[str, str, str, tuple[str, ...] | None], list[tuple[int, Lookup]]] = {}
    for number, row in enumerate(pairs.rows):
        of_lookups = [_parts(lookup) for lookup in row.lookups]
        # The AOTAutograd key contains the FX graph key, and torch logs no parts for its hits.
        recorded = next(filter(None, of_lookups), None)
        for lookup, own in zip(row.lookups, of_lookups, strict=True):
            outcomes = lookup.base["outcome"], lookup.new["outcome"]
            key = (lookup.cache, *outcomes, recorded if own is None else own)
            groups.setdefault(key, []).append((number, lookup))
    for (cache, before, now, parts), members in groups.items():
        numbers = [number for number, _ in members]
        lookups = [lookup for _, lookup in members]
        became = _BECAME[now] if len(members) == 1 else OUTCOMES[now]
        what = f"{plural(len(members), before, OUTCOMES[before])} became {became}"
        why = "" if before != "hit" or now != "miss" else f": {_why(parts)}"
        yield Change(
            "cache",
            "info" if now == "hit" else "warning",
            f"{CACHES[cache]}: {what}{why}",
            text=_values(lookups),
            change="better" if now == "hit" else "worse",
            pairs=numbers,
            cost_us=_lookup_cost_us(pairs, numbers, lookups),
            count=len(members),
            details={
                "cache": cache,
                "base": before,
                "new": now,
                "parts": None if parts is None else list(parts),
            },
            key=("cache", cache, before, now, parts),
            because_of=_cause(parts, numbers, causes) if now == "miss" else None,
        )


def _lookup_cost_us(pairs: Pairs, numbers: Sequence[int], lookups: Sequence[Lookup]) -> int | None:
    """Return the difference of compile time; if unknown, the times that torch logs for misses or hits."""
    if pairs.base.first.pieces.backends or pairs.new.first.pieces.backends:
        return None  # one compile has the lookups of many pieces
    cost = pairs.cost_us(numbers)
    if cost is not None:
        return cost
    taken = [
        (
            lookup.new["time_taken_us"]
            if lookup.new["outcome"] == "miss"
            else lookup.new["time_saved_us"] and -lookup.new["time_saved_us"]
        )
        for lookup in lookups
    ]
    recorded = [us for us in taken if us is not None]
    return sum(recorded) if recorded else None


def _parts(lookup: Lookup) -> tuple[str, ...] | None:
    return (
        None
        if lookup.different is None
        else tuple(dict.fromkeys(_part_class(name) for name in lookup.different))
    )


def _part_class(name: str) -> str:
    """Return the name of a part, with one name for all inputs."""
    return "example_inputs" if name.startswith("example_inputs") else name


def _why(parts: tuple[str, ...] | None) -> str:
    if parts is None:
        return "the log does not record what differs in the keys"
    if not parts:
        return "the keys are equal, so the cache of the new run lacked the entry"
    return f"the key differs in {listed([_PARTS.get(part) or code(part) for part in parts], 4)}"


def _values(lookups: Sequence[Lookup]) -> str:
    """Return sentences about values of parts, except graphs and inputs."""
    values: dict[str, str] = {}
    for lookup in lookups:
        for name, (base, new) in (lookup.different or {}).items():
            if _part_class(name) not in ("gm", "example_inputs"):
                values.setdefault(
                    name,
                    f"{code(name)} is {'not set' if new is None else code(new.value)}, was"
                    f" {'not set' if base is None else code(base.value)}.",
                )
    return "\n".join(list(values.values())[:10])


def _cause(parts: tuple[str, ...] | None, numbers: Sequence[int], causes: Sequence[Change]) -> Hashable:
    """Return the key of the change that caused different keys; None if unknown."""
    for change in causes:
        if change.kind == "setting" and f"{change.details['config']}[{change.details['name']}]" in (
            parts or ()
        ):
            return change.key
        if change.kind == "torch" and "torch_version" in (parts or ()):
            return change.key
    for change in causes:
        if change.kind == "graph" and "gm" in (parts or ()) and not set(numbers).isdisjoint(change.pairs):
            return change.key
    return None


def code_changes(pairs: Pairs, causes: Sequence[Change]) -> Iterator[Change]:
    """Yield equal graphs with different generated code."""
    numbers = [number for number, row in enumerate(pairs.rows) if row.graph == "same" and row.code == OTHER]
    if not numbers:
        return
    names = list(dict.fromkeys(function_name(pairs.rows[number].pair.frame.function) for number in numbers))
    causing = [
        change
        for change in causes
        if change.kind == "torch"
        or (change.kind == "setting" and change.details["config"] == "inductor_config")
    ]
    cause = (
        causing[0] if len(causing) == 1 and causing[0].kind == "setting" else None
    )  # a different torch often means a different machine
    graphs = plural(len(numbers), "unchanged graph")
    yield Change(
        "code",
        "info",
        f"Inductor generated different code for {graphs}: {listed(names, 2)}",
        text="Settings, the torch version or the processor can cause this.",
        change="changed",
        pairs=numbers,
        count=len(numbers),
        key="code",
        because_of=cause and cause.key,
    )


def time_changes(pairs: Pairs, causes: Sequence[Change]) -> Iterator[Change]:
    """Yield compiler steps and compiles whose times differ by more than noise."""
    spans: list[Change] = []
    # Additional compiles take time in all spans.
    if pairs.timed_alike and not any(change.cost_us for change in causes):
        spans = list(span_changes(pairs.base.runs, pairs.new.runs))
    yield from spans
    # Cache changes first: a compile that a cache returned did not run.
    causes = sorted(causes, key=lambda change: change.kind != "cache")
    numbers = pairs.slower_or_faster()
    total_us = sum(pairs.rows[number].cost_us or 0 for number in numbers)
    step = next((change for change in spans if _explains(change, total_us)), None)
    for number in numbers:
        before, now = (round(median(pairs.times_us(side, number))) for side in (pairs.base, pairs.new))
        frame, slower = pairs.rows[number].pair.frame, now > before
        leading = (change for change in causes if number in change.pairs and _may_lead(change, slower))
        cause = next(leading, None) or (step if slower == (total_us > 0) else None)
        yield Change(
            "time",
            "warning" if slower else "info",
            f"{function_name(frame.function)} [{frame.key}] takes {duration(now)} to compile, was"
            f" {duration(before)}",
            place=(frame.function, frame.filename and tail(frame.filename), frame.first_line),
            change="worse" if slower else "better",
            pairs=[number],
            cost_us=now - before,
            details={"base_us": before, "new_us": now, "span": None},
            key=("time", number),
            because_of=cause and (cause.because_of or cause.key),
        )


def _explains(step: Change, total_us: int) -> bool:
    """Return whether a compiler step is most of the time difference of the compiles."""
    cost_us = step.cost_us or 0
    return 2 * abs(cost_us) > abs(total_us) and (cost_us > 0) == (total_us > 0)


def _may_lead(change: Change, slower: bool) -> bool:
    """Return whether a change can explain a slower, or faster, compile."""
    if change.kind in ("finding", "cache", "vllm"):
        return change.change in (("new", "worse") if slower else ("gone", "better"))
    return change.kind in ("graph", "code", "backend")


def span_changes(base: Sequence[Run], new: Sequence[Run]) -> Iterator[Change]:
    """Yield span names whose times differ by more than noise."""
    ours, theirs = base[0].spans, new[0].spans
    names = _by_runs(base, new) if len(base) > 1 and len(new) > 1 else _by_spans(base[0], new[0])
    for name in names:
        (before, count_before), (now, count) = ours.get(name, (0, 0)), theirs.get(name, (0, 0))
        before_count = f" (was {count_before:,})" if count != count_before else ""
        slower = now > before
        yield Change(
            "time",
            "warning" if slower else "info",
            f"{code(name)} takes {duration(now)} in total, was {duration(before)}",
            text=f"Self time, summed over {plural(count, 'span')}{before_count}.",
            change="worse" if slower else "better",
            cost_us=now - before,
            count=count,
            details={"base_us": before, "new_us": now, "span": name},
            key=("span", name),
        )


def _by_runs(base: Sequence[Run], new: Sequence[Run]) -> list[str]:
    """Return the span names that differ by more than the noise of several runs per side."""
    sides = [[{name: us for name, (us, _) in run.spans.items()} for run in side] for side in (base, new)]
    limits = noise(*sides)
    return [
        name
        for name in base[0].spans
        if name in new[0].spans
        and limits.is_exceeded(*([run.get(name, 0) for run in side] for side in sides))
    ]


def _by_spans(base: Run, new: Run) -> list[str]:
    """Return the span names with nearly all spans slower (or faster) than nearly all of the base run."""
    ours, theirs = base.spans, new.spans
    least_us = max(LEAST_US, LEAST_SHARE * sum(us for us, _ in ours.values()))
    often = [
        name
        for name in ours.keys() & theirs.keys()
        if min(ours[name][1], theirs[name][1]) >= _LEAST_SPANS and min(ours[name][0], theirs[name][0]) > 0
    ]
    if len(often) < ENOUGH:
        return []
    speed = median(theirs[name][0] / theirs[name][1] / (ours[name][0] / ours[name][1]) for name in often)
    names = []
    for name in often:
        difference = theirs[name][0] - ours[name][0]
        if abs(difference) < least_us or abs(theirs[name][0] - speed * ours[name][0]) < least_us:
            continue
        (low, high), (new_low, new_high) = (_quarters(run.durations_us(name)) for run in (base, new))
        if new_low > _FACTOR * max(speed, 1) * high or new_high * _FACTOR < min(speed, 1) * low:
            names.append(name)
    return sorted(names, key=lambda name: -abs(theirs[name][0] - ours[name][0]))


def _quarters(amounts: Sequence[int]) -> tuple[float, float]:
    from statistics import quantiles

    low, _, high = quantiles(amounts, n=4)
    return low, high
