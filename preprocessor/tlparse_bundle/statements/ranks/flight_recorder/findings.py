"""Findings from Flight Recorder dumps: calls that ranks have not made, and calls that differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.wording import code, large
from tlparse_bundle.log.flight_recorder.dump import DEFAULT_GROUP
from tlparse_bundle.statements.ranks.flight_recorder.call_cycles import first_divergence, waiting_cycle
from tlparse_bundle.statements.ranks.flight_recorder.groups import UNDEFINED
from tlparse_bundle.statements.ranks.flight_recorder.recorded import CALLS, GROUPS, MAX_RANKS, POSITIONS
from tlparse_bundle.statements.ranks.flight_recorder.signatures import must_agree
from tlparse_bundle.statements.ranks.rank_finding import CallCells, Finder, RankFinding
from tlparse_bundle.statements.ranks.rank_sets import Ranges, grouped, ranges, ranks_in
from tlparse_bundle.statements.ranks.wording import Templates, Words, call_text, ranks_text, size
from tlparse_bundle.statements.statement import KindReference

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import FlightRecorderCallsRow, FlightRecorderGroupsRow

_MISMATCHES = ("collective-mismatch", "collective-order")  # found in the logs
_STOPS = ("failure", "unfinished-compile", "empty-log", "cut-log", "missing-rank")
CAUSES = ("recorded-order", "collective-hang")
_DTYPES = {  # as torch prints graphs
    "Float": "f32",
    "Double": "f64",
    "Half": "f16",
    "BFloat16": "bf16",
    "Long": "i64",
    "Int": "i32",
    "Short": "i16",
    "Char": "i8",
    "Byte": "u8",
    "Bool": "b8",
}


def findings(finder: Finder) -> Iterator[RankFinding]:
    if GROUPS not in finder.names:
        return
    groups = [group for group in finder.table(GROUPS) if _is_small(group)]
    calls: dict[int, list[FlightRecorderCallsRow]] = {}
    for call in finder.table(CALLS):
        if not call["p2p"]:
            calls.setdefault(call["rank"], []).append(call)
    cycle = waiting_cycle(groups)
    divergence = first_divergence(calls) if cycle else None
    if divergence is not None and cycle.issuperset(divergence.ranks):
        here, there = divergence.here, divergence.there
        yield finder.finding(
            "recorded-order",
            "error",
            ranges(divergence.ranks),
            CALLS,
            {"here": _cells(here), "others": _cells(there), **_source(here), "cycle": ranges(cycle)},
            others=ranges(divergence.others),
            column=here["rank_compile"],
            facts={"groups": (_group_text(here), _group_text(there))},
        )
    for group in groups:
        if group["state"] == "differs":
            yield from _difference(finder, group, calls)
        elif group["state"] != "finished":
            yield from _wait(finder, group, calls, cycle)


def _is_small(group: FlightRecorderGroupsRow) -> bool:
    """Return whether the ranks of a group can be listed; a dump may claim any."""
    return all(size(group[key]) <= MAX_RANKS for key in ("ranks", "waiting", "missing", "no_dump"))


def _wait(
    finder: Finder,
    group: FlightRecorderGroupsRow,
    calls: dict[int, list[FlightRecorderCallsRow]],
    cycle: set[int],
) -> Iterator[RankFinding]:
    call = next(
        (
            one
            for rank in ranks_in(group["waiting"])
            for one in calls.get(rank, ())
            if one["group"] == group["group"] and one["sequence"] == group["sequence"] and not one["finished"]
        ),
        None,
    )
    if call is None:
        return
    details: dict[str, Any] = {
        "call": _cells(call),
        "description": group["description"],
        "sequence": group["sequence"],
        **_source(call),
    }
    if group["state"] == "waiting":
        yield finder.finding(
            "collective-running",
            "info",
            group["waiting"],
            GROUPS,
            details,
            others=[],
            column=call["rank_compile"],
            facts={"group": _group_text(call)},
        )
        return
    is_missing = group["state"] == "missing"
    ranks = group["missing"] if is_missing else group["no_dump"]
    details["dump"] = is_missing
    details["cycle"] = is_missing and cycle.issuperset(ranks_in(ranks))
    details["no_dump"] = group["no_dump"] if is_missing else []
    lasts = [
        position
        for position in finder.table(POSITIONS)
        if position["group"] == group["id"] and position["rank"] in ranks_in(ranks)
    ]
    elsewhere = _elsewhere(finder, ranks)
    yield finder.finding(
        "collective-hang",
        "error" if is_missing else "warning",
        ranks,
        GROUPS,
        details,
        others=group["waiting"],
        column=call["rank_compile"],
        facts={
            "group": _group_text(call),
            "last": lasts[0] if lasts and lasts[0]["sequence"] is not None else None,
            "elsewhere": elsewhere,
        },
    )


def _elsewhere(finder: Finder, ranks: Ranges) -> str | None:
    """Return the call in a different group in which the first of some ranks waits."""
    first = ranks[0][0]
    for position in finder.table(POSITIONS):
        if position["rank"] == first and position["state"] == "waiting":
            row = finder.table(GROUPS)[position["group"]]
            return f"{_numbered(position['operation'] or '?', position['sequence'])} of {_group_text(row)}"
    return None


def _difference(
    finder: Finder, group: FlightRecorderGroupsRow, calls: dict[int, list[FlightRecorderCallsRow]]
) -> Iterator[RankFinding]:
    made = {
        rank: call
        for rank in ranks_in(group["ranks"])
        for call in calls.get(rank, ())
        if call["group"] == group["group"] and call["sequence"] == group["sequence"]
    }
    sides = grouped((must_agree(call), (rank,)) for rank, call in made.items())
    usual = sides[0][1]
    for _, ranks in sides[1:]:
        here, there = made[ranks[0]], made[usual[0]]
        details = {
            "here": _cells(here),
            "others": _cells(there),
            "description": group["description"],
            "sequence": group["sequence"],
            **_source(here),
        }
        yield finder.finding(
            "recorded-mismatch",
            "error",
            ranges(ranks),
            CALLS,
            details,
            others=ranges(usual),
            column=here["rank_compile"],
            facts={"group": _group_text(here), "waiting": group["waiting"], "there": _source(there)},
        )


def _cells(call: FlightRecorderCallsRow) -> CallCells:
    sizes: list[int | str] | None = [*call["input_sizes"][0]] if len(call["input_sizes"]) == 1 else None
    return {
        "op": call["operation"],
        "reduce_op": None,
        "group": call["group"],
        "group_size": None,
        "dtype": _DTYPES.get(call["input_dtypes"][0], call["input_dtypes"][0])
        if call["input_dtypes"]
        else None,
        "shape": sizes,
        "root": None,
    }


def _source(call: FlightRecorderCallsRow) -> dict[str, Any]:
    return {
        "origin": call["origin"],
        "function": call["function"],
        "file": call["file"],
        "line": call["line"],
        "code": None,
    }


def is_recorded(effect: RankFinding, cause: RankFinding) -> bool:
    """Return whether one of two findings is of these kinds."""
    return effect.kind in TEMPLATES or cause.kind in TEMPLATES


def is_effect(effect: RankFinding, cause: RankFinding) -> bool:
    """Return whether a finding is an effect of another one, if one of them is of these kinds."""
    ranks = set(ranks_in(effect.ranks))
    if cause.kind == "recorded-order":
        return effect.kind == "collective-hang" and bool(effect.details["cycle"])
    if cause.kind == "collective-hang":
        if effect.kind == "collective-hang":  # the ranks that it waits for wait themselves
            return not effect.details["cycle"] and ranks <= set(ranks_in(cause.others))
        return effect.kind in ("collective-waits", "never-began") and ranks <= set(ranks_in(cause.ranks))
    if cause.kind in _MISMATCHES:
        return effect.kind in ("recorded-order", "recorded-mismatch") and effect.ranks == cause.ranks
    return cause.kind in _STOPS and effect.kind == "collective-hang" and ranks <= set(ranks_in(cause.ranks))


def _group_text(row: FlightRecorderCallsRow | FlightRecorderGroupsRow) -> str:
    if row["description"] == DEFAULT_GROUP:
        return "the default group"
    known = row["group"] if row["description"] in (UNDEFINED, "") else row["description"]
    return f"group {code(known)}"


def _numbered(operation: str, sequence: int | None) -> str:
    return code(operation) if sequence is None else f"{code(operation)} #{sequence:,}"


def _at(place: Mapping[str, Any]) -> str:
    if place["file"] is None or place["line"] is None:
        return ""
    return f" at {code(place['file'] + ':' + str(place['line']))}"


def _called(words: Words, key: str | None, details: dict[str, Any]) -> str:
    """Return a sentence with the place of a call; empty if unknown."""
    column = words.finding.rank_compile
    if details["origin"] == "eager":
        return f"The call is outside compiled code, in {code(details['function'] or '?')}{_at(details)}."
    if column is not None:
        return f"The call is in the code of {words.compile(column, key)}{_at(details)}."
    if details["origin"] == "compiled":
        return f"The call is in compiled code of {code(details['function'] or '?')}{_at(details)}."
    return ""


def _hang(words: Words) -> tuple[str, str]:
    details, facts = words.details, words.facts
    call = _numbered(details["call"]["op"], details["sequence"])
    by = f", called by {words.theirs}" if words.finding.rank_compile is not None else ""
    place = f"{by}{_at(details)}"
    waits = words.others_verb("waits", "wait")
    called = "" if by else _called(words, words.finding.others_compile, details)
    if not details["dump"]:
        return (
            f"{words.others} {waits} in {call} of {facts['group']}{place}, and {words.ranks}"
            f" {words.verb('has', 'have')} no Flight Recorder dump",
            f"Without {words.verb('its dump', 'their dumps')}, it is unknown whether {words.ranks} made"
            f" the call. A process that was killed writes no dump. {called}".rstrip(),
        )
    last, elsewhere = facts["last"], facts["elsewhere"]
    parts = [called]
    if elsewhere:
        parts.append(f"{ranks_text(words.finding.ranks[:1])} waits in {elsewhere} instead.")
    elif last is None:
        parts.append(
            f"The {words.verb('dump', 'dumps')} of {words.ranks} {words.verb('has', 'have')} no call in this"
            " group."
        )
    else:
        where = f"{_numbered(last['operation'], last['sequence'])}{_at(last)}"
        parts.append(f"The last call of rank {last['rank']} in this group is {where}, which has finished.")
    if details["no_dump"]:
        parts.append(f"No dump covers {ranks_text(details['no_dump'])}.")
    return (
        f"{words.ranks} {words.verb('has', 'have')} not called {call} of {facts['group']};"
        f" {words.others} {waits} in it{place}",
        " ".join(large(part) for part in parts if part),
    )


def _running(words: Words) -> tuple[str, str]:
    details = words.details
    call = _numbered(details["call"]["op"], details["sequence"])
    return (
        f"All ranks of {words.facts['group']} have called {call}, which has not finished on {words.ranks}",
        "The dumps were written while the call ran, or it hangs below PyTorch: in the network, the driver or"
        f" a kernel before it. {_called(words, words.finding.compile, details)}",
    )


def _mismatch(words: Words) -> tuple[str, str]:
    details, facts = words.details, words.facts
    here, there = _side(details["here"], True), _side(details["others"], True)
    if details["here"]["op"] != details["others"]["op"]:
        here, there = code(details["here"]["op"]), code(details["others"]["op"])
    else:
        there = _side(details["others"], False) or there
    waiting = facts["waiting"]
    ends = (
        f"{ranks_text(waiting)} {'wait' if len(ranks_in(waiting)) > 1 else 'waits'} in this call."
        if waiting
        else ""
    )
    at = _at(facts["there"])
    return (
        f"As call #{details['sequence']:,} of {facts['group']}, {words.ranks}"
        f" {words.verb('calls', 'call')} {here}, {words.others} {words.others_verb('calls', 'call')} {there}",
        " ".join(
            filter(
                None,
                [
                    _called(words, words.finding.compile, details),
                    f"{large(words.others)} {words.others_verb('makes', 'make')} it{at}." if at else "",
                    large(ends),
                ],
            )
        ),
    )


def _side(call: CallCells, with_operation: bool) -> str:
    """Return a call without its group, and with or without its operation."""
    text = call_text(
        {
            "op": call["op"],
            "reduce_op": None,
            "group": None,
            "group_size": None,
            "dtype": call["dtype"],
            "shape": call["shape"],
            "root": None,
        }
    )
    return text if with_operation else text.removeprefix(f"{code(call['op'])} of ")


def _order(words: Words) -> tuple[str, str]:
    details, (here, there) = words.details, words.facts["groups"]
    cycle = ranks_text(details["cycle"])
    return (
        f"{words.ranks} {words.verb('calls', 'call')} {code(details['here']['op'])} of {here} where"
        f" {words.others} {words.others_verb('calls', 'call')} {code(details['others']['op'])} of {there}",
        f"{large(cycle)} wait for each other in different groups."
        f" {_called(words, words.finding.compile, details)}",
    )


TEMPLATES: Templates = {
    "recorded-order": _order,
    "collective-hang": _hang,
    "recorded-mismatch": _mismatch,
    "collective-running": _running,
}

REFERENCE: dict[str, KindReference] = {
    "recorded-order": KindReference(
        "Different order of groups",
        "Flight Recorder dumps show ranks that wait for each other in different process groups, because some "
        "call their groups in a different order than most.",
        "Use the groups in the same order on every rank.",
        "The order is compared by the descriptions of the groups. Without a majority, only the waits are "
        "reported.",
    ),
    "collective-hang": KindReference(
        "Ranks wait in a recorded call",
        "Flight Recorder dumps show ranks that wait in a collective which other ranks of the group have not "
        "called.",
        "Find out what the missing rank does instead: its last call and its findings are a start.",
        "A dump that is written while the job runs can show a rank shortly before its call. A rank without a "
        "dump may have made it.",
    ),
    "recorded-mismatch": KindReference(
        "Recorded calls differ",
        "Flight Recorder dumps show that ranks made different calls at the same place of a process group: a "
        "different operation, number of elements or data type.",
        "Make all ranks of the group call the same collectives in the same order, with the same sizes.",
        "Calls whose sizes may differ, such as `all_to_all`, are compared by their operation only.",
    ),
    "collective-running": KindReference(
        "A recorded call has not finished",
        "Flight Recorder dumps show that all ranks of a group made a call that has not finished.",
        "If the job hangs, look at the network, and at kernels that ran before the call.",
        "The dumps may have been written while the call ran.",
    ),
}
