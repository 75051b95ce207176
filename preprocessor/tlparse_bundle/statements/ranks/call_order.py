"""The order in which ranks call collectives, by process group, and the first mismatched calls.

If the log records the order in which graphs ran, that order is compared. Otherwise it is the order of the
compiles, since a graph runs after it is compiled: the first compile of each function, then the second
compiles that every rank has. How often a graph ran is then unknown, so an extra recompile does not count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypedDict

from tlparse_bundle.statements.ranks.collective_calls import WORLD, Call, can_meet, fits, unequal_splits
from tlparse_bundle.statements.ranks.comparison import Comparison, RankTable, Tables
from tlparse_bundle.statements.ranks.frames import Code, Frames
from tlparse_bundle.statements.ranks.group_axes import axes_of, crossed, sequences_of
from tlparse_bundle.statements.ranks.rank_sets import ranks_in
from tlparse_bundle.statements.ranks.recorded_calls import CallsDigest, calls_in, recorded_calls

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import (
        CollectiveMismatchesRow,
        CollectiveMismatchesUnmatched,
        CollectiveWaitsRow,
        GroupSplitsRow,
        ProcessGroupsRow,
    )


class _Step(NamedTuple):
    call: Call
    column: int


Round = dict[Code, list[_Step]]  # code object -> its calls


class _Caller(NamedTuple):
    """The calls of members with the same digest and frames, by round."""

    members: list[int]
    rounds: list[Round]  # one round, without a code object, if the order is recorded
    unknown: bool


class _Group(NamedTuple):
    """Rows about one process group."""

    row: ProcessGroupsRow
    mismatches: list[CollectiveMismatchesRow]
    waits: list[CollectiveWaitsRow]


class _CallOfCompile(TypedDict):
    rank_compile: int
    collective_call: int


class Order:
    name = "order"

    def digest(self, frames: Frames) -> CallsDigest:
        return recorded_calls(frames)

    def tables(
        self, comparison: Comparison, digests: Sequence[CallsDigest], tables: Tables
    ) -> Iterator[RankTable]:
        classes = comparison.alike(digests)
        recorded = all(
            digests[members[0]]["ran"] is not None
            for members in classes
            if any(digests[members[0]]["frames"])
        )
        usual = _usual(comparison, digests, classes)
        callers = [_caller(comparison, digests[members[0]], members, recorded, usual) for members in classes]
        calls: dict[Call, int] = {}
        names = dict.fromkeys(
            step.call.group
            for caller in callers
            for round_ in caller.rounds
            for steps in round_.values()
            for step in steps
        )
        groups = [_group(comparison, name, callers, recorded, calls) for name in names]
        axes = axes_of({group.row["group"]: ranks_in(group.row["ranks"]) for group in groups})
        yield "process_groups", [{**group.row, "axis": axes[group.row["group"]]} for group in groups]
        yield "collective_mismatches", [row for group in groups for row in group.mismatches]
        yield "collective_waits", [row for group in groups for row in group.waits]
        matching = not any(group.mismatches or group.waits for group in groups)
        sequences = sequences_of(comparison, digests) if matching else []
        yield "group_orders", crossed(comparison, sequences, axes, calls)
        yield "group_splits", _split(comparison, digests, classes, axes, calls)
        yield (
            "rank_compile_calls",
            [
                {
                    "rank_compile": column,
                    "collective_calls": [calls.setdefault(call, len(calls)) for call in usual_calls],
                }
                for column, usual_calls in sorted(usual.items())
                if usual_calls
            ],
        )
        yield "collective_calls", [{"id": number, **call._asdict()} for call, number in calls.items()]


def _usual(
    comparison: Comparison, digests: Sequence[CallsDigest], classes: list[list[int]]
) -> dict[int, list[Call]]:
    """Return the calls of most members, by column."""
    counts: dict[int, Counter[tuple[Call, ...]]] = {}
    for members in classes:
        digest = digests[members[0]]
        for frame, column in enumerate(comparison.orders[comparison.kind[members[0]]]):
            if digest["frames"][frame] is not None:
                counts.setdefault(column, Counter())[tuple(calls_in(digest, frame))] += len(members)
    return {column: list(counter.most_common(1)[0][0]) for column, counter in counts.items()}


def _caller(
    comparison: Comparison,
    digest: CallsDigest,
    members: list[int],
    recorded: bool,
    usual: dict[int, list[Call]],
) -> _Caller:
    order = comparison.orders[comparison.kind[members[0]]]
    unknown = False
    rounds: list[Round] = [{}] if recorded else []
    compiled: Counter[Code] = Counter()
    for frame in (digest["ran"] or ()) if recorded else range(len(order)):
        column = order[frame]
        is_recorded = digest["frames"][frame] is not None
        calls = calls_in(digest, frame) if is_recorded else usual.get(column, [])
        unknown |= not is_recorded and bool(calls)
        steps = [_Step(call, column) for call in calls]
        if recorded:
            rounds[0].setdefault((), []).extend(steps)
            continue
        code = comparison.columns[column].code
        if compiled[code] == len(rounds):
            rounds.append({})
        rounds[compiled[code]][code] = steps
        compiled[code] += 1
    return _Caller(members, rounds, unknown)


def _group(
    comparison: Comparison,
    name: str | None,
    all_callers: list[_Caller],
    recorded: bool,
    calls: dict[Call, int],
) -> _Group:
    in_group = [
        caller._replace(rounds=[_of_group(round_, name) for round_ in caller.rounds])
        for caller in all_callers
    ]
    callers = [
        caller for caller in in_group if any(steps for round_ in caller.rounds for steps in round_.values())
    ]
    # Only the default group surely includes ranks that call nothing in it.
    taking_part = in_group if name == WORLD else callers
    sizes = {
        step.call.group_size
        for caller in callers
        for round_ in caller.rounds
        for steps in round_.values()
        for step in steps
        if step.call.group_size is not None
    }
    waits: list[CollectiveWaitsRow] = []
    mismatches: list[CollectiveMismatchesRow] = []
    for sequences in _rounds(taking_part):
        ended, mismatches = _first_difference(comparison, name, sequences, calls)
        waits += ended
        if mismatches:
            break
    row: ProcessGroupsRow = {
        "group": name,
        "size": max(sizes, default=None),
        "ranks": comparison.ranks(member for caller in callers for member in caller.members),
        "recorded": recorded,
        "axis": 0,
        "unknown": comparison.ranks(
            member for caller in taking_part if caller.unknown for member in caller.members
        ),
    }
    return _Group(row, mismatches, waits)


def _of_group(round_: Round, name: str | None) -> Round:
    return {code: [step for step in steps if step.call.group == name] for code, steps in round_.items()}


def _rounds(callers: list[_Caller]) -> Iterator[list[tuple[list[int], list[_Step]]]]:
    """Yield (members, their calls) for each round; for later rounds, only the code objects that all have.

    Ranks without a later compile may still run an older one.
    """
    firsts = [caller.rounds[0] if caller.rounds else {} for caller in callers]
    yield [
        (caller.members, [step for steps in first.values() for step in steps])
        for caller, first in zip(callers, firsts, strict=True)
    ]
    codes = [{code for code, steps in first.items() if steps} for first in firsts]
    if any(called != codes[0] for called in codes):
        return  # usually split at graph breaks, so the parts cannot be matched
    for number in range(1, max((len(caller.rounds) for caller in callers), default=0)):
        common = set.intersection(
            *(set(caller.rounds[number]) if number < len(caller.rounds) else set() for caller in callers)
        )
        if common:
            yield [
                (
                    caller.members,
                    [
                        step
                        for code, steps in caller.rounds[number].items()
                        if code in common
                        for step in steps
                    ],
                )
                for caller in callers
            ]


def _first_difference(
    comparison: Comparison,
    group: str | None,
    sequences: list[tuple[list[int], list[_Step]]],
    calls: dict[Call, int],
) -> tuple[list[CollectiveWaitsRow], list[CollectiveMismatchesRow]]:
    """Return (places where some ranks have no further call, sides of the first mismatched calls)."""
    waits: list[CollectiveWaitsRow] = []
    for position in range(max((len(steps) for _, steps in sequences), default=0)):
        calling = [(members, steps) for members, steps in sequences if len(steps) > position]
        ended = [member for members, steps in sequences if len(steps) == position for member in members]
        usual = max(calling, key=lambda one: (len(one[0]), -one[0][0]))[1][position]
        if ended:
            others = comparison.ranks(m for members, _ in calling for m in members)
            waits.append(
                {
                    "group": group,
                    "position": position,
                    "ranks": comparison.ranks(ended),
                    "others": others,
                    **_call(usual, calls),
                }
            )
        sides: dict[_Step, list[int]] = {}
        for members, steps in calling:
            step = steps[position]
            # A call that fits the usual one is on its side, even if some of its cells are not recorded.
            sides.setdefault(usual if fits(step.call, usual.call) else step, []).extend(members)
        if len(sides) > 1:
            rows = sorted(sides.items(), key=lambda side: (-len(side[1]), min(side[1])))
            effect: Literal["hang", "wrong"] = (
                "wrong" if all(can_meet(step.call, usual.call) for step in sides) else "hang"
            )
            return waits, [
                {
                    "group": group,
                    "position": position,
                    "effect": effect,
                    "unmatched": None,
                    "ranks": comparison.ranks(members),
                    **_call(step, calls),
                }
                for step, members in rows
            ]
        if not ended and (mismatches := _unequal(comparison, group, position, calling, calls)):
            return waits, mismatches
    return waits, []


def _unequal(
    comparison: Comparison,
    group: str | None,
    position: int,
    calling: list[tuple[list[int], list[_Step]]],
    calls: dict[Call, int],
) -> list[CollectiveMismatchesRow]:
    """Return the two sides of an all-to-all whose sizes do not match: most ranks, and those that differ."""
    step_of = {member: steps[position] for members, steps in calling for member in members}
    members = sorted(step_of)
    pairs = unequal_splits([step_of[member].call for member in members])
    if not pairs:
        return []
    counts = Counter(place for pair in pairs for place in {pair.sender, pair.receiver})
    most = max(counts.values())
    odd = [members[place] for place in sorted(counts) if counts[place] == most]
    rest = [member for member in members if member not in odd] or odd[:1]
    pair = next(pair for pair in pairs if members[pair.sender] in odd or members[pair.receiver] in odd)
    unmatched: CollectiveMismatchesUnmatched = {
        "sender": comparison.members[members[pair.sender]].rank,
        "receiver": comparison.members[members[pair.receiver]].rank,
        "sent": pair.sent,
        "expected": pair.expected,
    }
    return [
        {
            "group": group,
            "position": position,
            "effect": "hang",
            "unmatched": unmatched,
            "ranks": comparison.ranks(side),
            **_call(step_of[side[0]], calls),
        }
        for side in (rest, odd)
    ]


def _call(step: _Step, calls: dict[Call, int]) -> _CallOfCompile:
    return {"rank_compile": step.column, "collective_call": calls.setdefault(step.call, len(calls))}


def _split(
    comparison: Comparison,
    digests: Sequence[CallsDigest],
    classes: list[list[int]],
    axes: Mapping[str | None, int],
    calls: dict[Call, int],
) -> list[GroupSplitsRow]:
    """Return the first column in which ranks make the same call in groups of different axes with unequal
    numbers of callers.
    """
    by_place: dict[tuple[int, int], dict[Call, list[int]]] = {}  # by (column, position)
    for members in classes:
        digest = digests[members[0]]
        for frame, column in enumerate(comparison.orders[comparison.kind[members[0]]]):
            for position, call in enumerate(calls_in(digest, frame)):
                by_place.setdefault((column, position), {}).setdefault(call, []).extend(members)
    for (column, position), at_place in sorted(by_place.items()):
        first, *others = (call._replace(group=None) for call in at_place)
        if not all(fits(first, other) for other in others):
            continue
        sides: dict[int, list[int]] = {}
        for call, members in at_place.items():
            sides.setdefault(axes[call.group], []).extend(members)
        if len({len(members) for members in sides.values()}) > 1:
            call_of = {member: call for call, members in at_place.items() for member in members}
            return [
                {
                    "position": position,
                    "ranks": comparison.ranks(members),
                    **_call(_Step(call_of[min(members)], column), calls),
                }
                for members in sorted(sides.values(), key=lambda side: (-len(side), min(side)))
            ]
    return []
