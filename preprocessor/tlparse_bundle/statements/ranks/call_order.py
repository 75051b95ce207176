"""In which order ranks call collectives, by process group, and the first call that cannot meet those of the
others.

Where the order in which graphs ran is recorded, that is the order. Otherwise it is that of the compiles, for
a graph runs when it was compiled: the first compiles of all functions, then the second ones of those that
every rank has. How often a graph ran is not known then, so that one more recompile of a function is no
difference. A function that is split at a graph break calls the same in parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from tlparse_bundle.bundle.row_objects import Artifact
from tlparse_bundle.statements.ranks.collective_calls import (
    WORLD,
    Call,
    calls_of_code,
    calls_of_graph,
    can_meet,
    fits,
)
from tlparse_bundle.statements.ranks.comparison import Comparison, RankTable, Tables
from tlparse_bundle.statements.ranks.frames import Frames, recorded_steps, stage_artifacts

_MAX_KNOWN = 20_000
_known: dict[tuple, list[Call]] = {}  # by the hashes of code and graph: equal ranks have equal ones


class _Step(NamedTuple):
    call: Call
    column: int


class _Whose(NamedTuple):
    """What members with the same digest and the same frames call, round by round."""

    members: list[int]
    rounds: list[
        dict[tuple, list[_Step]]
    ]  # function -> its calls; in the recorded order there is one, of no function
    unknown: bool


class _Group(NamedTuple):
    """Rows about one process group."""

    row: dict
    mismatches: list[dict]
    waits: list[dict]


class Order:
    name = "order"

    def digest(self, frames: Frames) -> dict:
        """``calls`` of the log; for each frame the numbers of its calls, None where it does not tell;
        ``ran``: frames in the order in which they ran, None without a record.
        """
        numbers: dict[Call, int] = {}
        found: list[list[int] | None] = []
        several = set()
        for number in range(len(frames)):
            calls, graph_count = calls_of_frame(frames, number)
            found.append(
                None if calls is None else [numbers.setdefault(call, len(numbers)) for call in calls]
            )
            if graph_count > 1:
                several.add(number)
        ran = [frame for frame, _ in recorded_steps(frames) or ()]
        # Of a frame with several graphs (forward, backward) the record does not say which of them ran.
        recorded = bool(ran) and None not in ran and not several.intersection(ran)
        return {"calls": [list(call) for call in numbers], "frames": found, "ran": ran if recorded else None}

    def tables(self, comparison: Comparison, digests: Sequence[dict], tables: Tables) -> Iterator[RankTable]:
        classes = comparison.alike(digests)
        recorded = all(
            digests[members[0]]["ran"] is not None
            for members in classes
            if any(digests[members[0]]["frames"])
        )
        usual = _usual(comparison, digests, classes)
        whose = [_whose(comparison, digests[members[0]], members, recorded, usual) for members in classes]
        calls: dict[Call, int] = {}
        names = dict.fromkeys(
            step.call.group
            for one in whose
            for functions in one.rounds
            for steps in functions.values()
            for step in steps
        )
        groups = [_group(comparison, name, whose, recorded, calls) for name in names]
        yield "process_groups", [group.row for group in groups]
        yield "collective_mismatches", [row for group in groups for row in group.mismatches]
        yield "collective_waits", [row for group in groups for row in group.waits]
        yield "group_splits", _split(comparison, digests, classes, calls)
        yield (
            "rank_compile_calls",
            [
                {
                    "rank_compile": column,
                    "collective_calls": [calls.setdefault(call, len(calls)) for call in found],
                }
                for column, found in sorted(usual.items())
                if found
            ],
        )
        yield "collective_calls", [{"id": number, **call._asdict()} for call, number in calls.items()]


def _usual(
    comparison: Comparison, digests: Sequence[dict], classes: list[list[int]]
) -> dict[int, list[Call]]:
    """Column -> what most members call there."""
    counts: dict[int, Counter] = {}
    for members in classes:
        digest = digests[members[0]]
        for frame, column in enumerate(comparison.orders[comparison.kind[members[0]]]):
            if digest["frames"][frame] is not None:
                counts.setdefault(column, Counter())[tuple(map(_call_of, _of(digest, frame)))] += len(members)
    return {column: list(counter.most_common(1)[0][0]) for column, counter in counts.items()}


def _of(digest: dict, frame: int) -> list[list]:
    return [digest["calls"][number] for number in digest["frames"][frame] or ()]


def _call_of(cells: Sequence[Any]) -> Call:
    """A call of a digest, in which JSON made the shape a list."""
    *first, shape = cells
    return Call(*first, None if shape is None else tuple(shape))


def _whose(
    comparison: Comparison, digest: dict, members: list[int], recorded: bool, usual: dict[int, list[Call]]
) -> _Whose:
    order = comparison.orders[comparison.kind[members[0]]]
    unknown = False
    rounds: list[dict[tuple, list[_Step]]] = [{}] if recorded else []
    compiled: Counter[tuple] = Counter()
    for frame in (digest["ran"] or ()) if recorded else range(len(order)):
        column = order[frame]
        told = digest["frames"][frame] is not None
        calls = list(map(_call_of, _of(digest, frame))) if told else usual.get(column, [])
        unknown |= not told and bool(calls)
        steps = [_Step(call, column) for call in calls]
        if recorded:
            rounds[0].setdefault((), []).extend(steps)
            continue
        code = comparison.columns[column].code
        if compiled[code] == len(rounds):
            rounds.append({})
        rounds[compiled[code]][code] = steps
        compiled[code] += 1
    return _Whose(members, rounds, unknown)


def _group(
    comparison: Comparison, name: str | None, whose: list[_Whose], recorded: bool, calls: dict[Call, int]
) -> _Group:
    own = [(one, [_of_group(functions, name) for functions in one.rounds]) for one in whose]
    callers = [
        (one, rounds)
        for one, rounds in own
        if any(steps for functions in rounds for steps in functions.values())
    ]
    # A rank that calls nothing in a group may be no member of it, but of the default group all are.
    taking_part = own if name == WORLD else callers
    sizes = {
        step.call.group_size
        for _, rounds in callers
        for functions in rounds
        for steps in functions.values()
        for step in steps
    } - {None}
    waits: list[dict] = []
    mismatches: list[dict] = []
    for sequences in _rounds(taking_part):
        ended, mismatches = _first_difference(comparison, name, sequences, calls)
        waits += ended
        if mismatches:
            break
    row = {
        "group": name,
        "size": max(sizes, default=None),
        "ranks": comparison.ranks(member for one, _ in callers for member in one.members),
        "recorded": recorded,
        "unknown": comparison.ranks(
            member for one, _ in taking_part if one.unknown for member in one.members
        ),
    }
    return _Group(row, mismatches, waits)


def _of_group(functions: dict[tuple, list[_Step]], name: str | None) -> dict[tuple, list[_Step]]:
    return {code: [step for step in steps if step.call.group == name] for code, steps in functions.items()}


def _rounds(taking_part: list[tuple[_Whose, list[dict]]]) -> Iterator[list[tuple[list[int], list[_Step]]]]:
    """(members, their calls) of each round.

    Of later rounds only what all have, for the others may run an older compile.
    """
    yield [
        (one.members, [step for steps in (rounds[0] if rounds else {}).values() for step in steps])
        for one, rounds in taking_part
    ]
    functions = [
        {code for code, steps in (rounds[0] if rounds else {}).items() if steps} for _, rounds in taking_part
    ]
    if any(found != functions[0] for found in functions):
        return  # split at graph breaks, as a rule: which parts belong together is not known
    for number in range(1, max((len(rounds) for _, rounds in taking_part), default=0)):
        common = set.intersection(
            *(set(rounds[number]) if number < len(rounds) else set() for _, rounds in taking_part)
        )
        if common:
            yield [
                (
                    one.members,
                    [step for code, steps in rounds[number].items() if code in common for step in steps],
                )
                for one, rounds in taking_part
            ]


def _first_difference(
    comparison: Comparison,
    group: str | None,
    sequences: list[tuple[list[int], list[_Step]]],
    calls: dict[Call, int],
) -> tuple[list[dict], list[dict]]:
    """(where ranks call nothing more and others do, the sides of the first calls that do not fit)."""
    waits: list[dict] = []
    for position in range(max((len(steps) for _, steps in sequences), default=0)):
        going_on = [(members, steps) for members, steps in sequences if len(steps) > position]
        ended = [member for members, steps in sequences if len(steps) == position for member in members]
        usual = max(going_on, key=lambda one: (len(one[0]), -one[0][0]))[1][position]
        if ended:
            others = comparison.ranks(m for members, _ in going_on for m in members)
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
        for members, steps in going_on:
            step = steps[position]
            # What fits stands with most, whatever else is not known of it.
            sides.setdefault(usual if fits(step.call, usual.call) else step, []).extend(members)
        if len(sides) > 1:
            rows = sorted(sides.items(), key=lambda side: (-len(side[1]), min(side[1])))
            effect = "wrong" if all(can_meet(step.call, usual.call) for step in sides) else "hang"
            return waits, [
                {
                    "group": group,
                    "position": position,
                    "effect": effect,
                    "ranks": comparison.ranks(members),
                    **_call(step, calls),
                }
                for step, members in rows
            ]
    return waits, []


def _call(step: _Step, calls: dict[Call, int]) -> dict:
    return {"rank_compile": step.column, "collective_call": calls.setdefault(step.call, len(calls))}


def _split(
    comparison: Comparison, digests: Sequence[dict], classes: list[list[int]], calls: dict[Call, int]
) -> list[dict]:
    """The first column in which ranks make the same call in groups of unequal numbers of callers.

    Ranks of one program have groups of their own, as in tensor parallel, but then equally many call each.
    """
    found: dict[tuple[int, int], dict[Call, list[int]]] = {}
    for members in classes:
        digest = digests[members[0]]
        for frame, column in enumerate(comparison.orders[comparison.kind[members[0]]]):
            for position, cells in enumerate(_of(digest, frame)):
                found.setdefault((column, position), {}).setdefault(_call_of(cells), []).extend(members)
    for (column, position), sides in sorted(found.items()):
        groups = {call.group for call in sides}
        if len(groups) < 2 or any(
            not fits(call._replace(group=None), other._replace(group=None))
            for call in sides
            for other in sides
        ):
            continue
        counts = {
            group: sum(len(members) for call, members in sides.items() if call.group == group)
            for group in groups
        }
        if len(set(counts.values())) > 1:
            rows = sorted(sides.items(), key=lambda side: (-len(side[1]), min(side[1])))
            return [
                {
                    "position": position,
                    "ranks": comparison.ranks(members),
                    **_call(_Step(call, column), calls),
                }
                for call, members in rows
            ]
    return []


def calls_of_frame(frames: Frames, number: int) -> tuple[list[Call] | None, int]:
    """(calls of a frame, number of its compiled graphs). A frame that did not end may lack some: None."""
    stages = stage_artifacts(frames, number)
    codes = [artifact for artifact in stages["code"] if artifact.language == "python"]
    graphs = stages["post_grad"] or stages["inference"] or [*stages["forward"], *stages["backward"]]
    if codes and len(codes) == len(stages["code"]):
        paired = stages["post_grad"] if len(stages["post_grad"]) == len(codes) else [None] * len(codes)
        return [call for code, graph in zip(codes, paired) for call in _read(code, graph)], len(codes)
    if frames.compiles[number]["status"] in (None, "unfinished", "failed"):
        return None, len(graphs)
    if graphs:
        return [call for graph in graphs for call in _read(None, graph)], len(graphs)
    return (
        [call for graph in stages["dynamo"] for call in _read(None, graph)]
        if stages["dynamo"] and not _hit(frames, number)
        else None
    ), 1


def _hit(frames: Frames, number: int) -> bool:
    """Whether a cache gave the compiled code, so that later graphs are not in the log."""
    return any(row["outcome"] == "hit" and frames.number_of(row) == number for row in frames.table("caches"))


def _read(code: Artifact | None, graph: Artifact | None) -> list[Call]:
    key = code and code.sha256, graph and graph.sha256
    if key not in _known:
        if len(_known) >= _MAX_KNOWN:
            _known.clear()
        of_graph = calls_of_graph(graph.text() or "") if graph else []
        _known[key] = of_graph if code is None else calls_of_code(code.text() or "", of_graph)
    return _known[key]
