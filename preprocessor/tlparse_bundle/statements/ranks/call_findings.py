"""Findings about the order of collective calls: mismatched calls, and ranks that others wait for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypedDict

from tlparse_bundle.base.wording import code, plural
from tlparse_bundle.statements.ranks.frames import Frames
from tlparse_bundle.statements.ranks.rank_finding import CallCells, Finder, RankFinding
from tlparse_bundle.statements.ranks.rank_sets import Ranges
from tlparse_bundle.statements.ranks.wording import Templates, Words, call_text, ranks_text
from tlparse_bundle.statements.source_places import is_of_program
from tlparse_bundle.statements.statement import KindReference

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import ProcessGroupsRow, ProvenanceSourcesRow


class Source(TypedDict, total=False):
    """The line of the program that calls a collective; empty if unknown."""

    file: str
    line: int
    code: str | None


def findings(finder: Finder) -> Iterator[RankFinding]:
    for group in finder.table("process_groups"):
        yield from _mismatches(finder, group)
        yield from _waits(finder, group)
    yield from _orders(finder)
    yield from _splits(finder)


def _mismatches(finder: Finder, group: ProcessGroupsRow) -> Iterator[RankFinding]:
    """Yield the calls that do not match the call of most ranks."""
    sides = [row for row in finder.table("collective_mismatches") if row["group"] == group["group"]]
    for side in sides[1:]:
        usual = sides[0]
        here = finder.call(side["collective_call"])
        details = {
            "group": group["group"],
            "position": side["position"],
            "effect": side["effect"],
            "recorded": group["recorded"],
            "unmatched": side["unmatched"],
            "here": here,
            "others": finder.call(usual["collective_call"]),
            "others_rank_compile": usual["rank_compile"],
            **_source(finder, side["ranks"], side["rank_compile"], here["op"]),
        }
        yield finder.finding(
            "collective-mismatch",
            "error",
            side["ranks"],
            "collective_mismatches",
            details,
            others=usual["ranks"],
            column=side["rank_compile"],
            facts={"elsewhere": usual["rank_compile"] != side["rank_compile"]},
        )


def _waits(finder: Finder, group: ProcessGroupsRow) -> Iterator[RankFinding]:
    """Yield the ranks that have no further call where others have one."""
    for wait in finder.table("collective_waits"):
        if wait["group"] == group["group"]:
            call = finder.call(wait["collective_call"])
            details = {
                "group": group["group"],
                "position": wait["position"],
                "recorded": group["recorded"],
                "call": call,
                **_source(finder, wait["others"], wait["rank_compile"], call["op"]),
            }
            yield finder.finding(
                "collective-waits",
                "error",
                wait["ranks"],
                "collective_waits",
                details,
                others=wait["others"],
                column=wait["rank_compile"],
            )


def _orders(finder: Finder) -> Iterator[RankFinding]:
    """Yield the ranks that call collectives of several groups in a different order than most."""
    sides = finder.table("group_orders")
    ranks_of = {row["group"]: row["ranks"] for row in finder.table("process_groups")}
    for side in sides[1:]:
        usual = sides[0]
        here, others = finder.call(side["collective_call"]), finder.call(usual["collective_call"])
        details = {
            "position": side["position"],
            "effect": side["effect"],
            "here": here,
            "here_ranks": ranks_of[here["group"]],
            "others": others,
            "others_ranks": ranks_of[others["group"]],
            "others_rank_compile": usual["rank_compile"],
            **_source(finder, side["ranks"], side["rank_compile"], here["op"]),
        }
        yield finder.finding(
            "collective-order",
            "error",
            side["ranks"],
            "group_orders",
            details,
            others=usual["ranks"],
            column=side["rank_compile"],
        )


def _splits(finder: Finder) -> Iterator[RankFinding]:
    """Yield the ranks that make a call in a different group than most."""
    sides = finder.table("group_splits")
    for side in sides[1:]:
        usual = sides[0]
        here = finder.call(side["collective_call"])
        details = {
            "here": here,
            "others": finder.call(usual["collective_call"]),
            **_source(finder, side["ranks"], side["rank_compile"], here["op"]),
        }
        yield finder.finding(
            "group-differs",
            "warning",
            side["ranks"],
            "group_splits",
            details,
            others=usual["ranks"],
            column=side["rank_compile"],
        )


def _source(finder: Finder, ranks: Ranges, column: int, op: str) -> Source:
    """Return the source of a call on the lowest of some ranks."""
    member = finder.member_of[ranks[0][0]]
    cell = finder.comparison.cells[member][column]
    return {} if cell < 0 else source_of(finder.comparison.opened(member), cell, op)


def source_of(frames: Frames, number: int, op: str) -> Source:
    """Return the line of the program that calls a collective in a frame; {} if there are several."""
    name = re.compile(rf"c10d_functional.*\.{re.escape(op)}(_out|_)?\b")
    groups = {group["id"] for group in frames.table("provenance_groups") if frames.number_of(group) == number}
    sources = frames.table("provenance_sources")
    rows: set[int | None] = set()
    for kernel in frames.table("provenance_kernels"):
        if kernel["group"] in groups and name.search(kernel["name"]):
            rows |= {_innermost(stack, sources) for stack in kernel["sources"]}
    (row,) = rows if len(rows) == 1 else (None,)
    if row is None:
        return {}
    return {"file": sources[row]["file"], "line": sources[row]["line"], "code": sources[row]["code"]}


def _innermost(stack: list[int], sources: list[ProvenanceSourcesRow]) -> int | None:
    """Return the innermost line of the program in a stack, whose outermost caller comes first."""
    return next((row for row in reversed(stack) if is_of_program(sources[row]["file"])), None)


_EFFECTS = {
    "hang": "Mismatched collectives: the ranks will hang or fail here.",
    "wrong": "The ranks continue, but their results are wrong or unequal.",
}


def _collective_mismatch(words: Words) -> tuple[str, str]:
    details = words.details
    if details["unmatched"] is not None:
        return _unmatched(words)
    here, others = _distinct_calls(details["here"], details["others"])
    order = "execution order" if details["recorded"] else "compile order (execution order is not recorded)"
    group = f" of group {code(details['group'])}" if details["group"] is not None else ""
    theirs = f"{words.others_verb('calls', 'call')} {others}"
    rest = others.removeprefix(f"{code(details['here']['op'])} ")
    if rest != others and not rest.startswith("("):  # the same operation with a different tensor or group
        theirs = rest
    calls: list[CallCells] = [details["here"], details["others"]]
    if group:
        calls = [{**call, "group": None} for call in calls]
    first = ", the first that differs," if details["position"] and group else ""
    elsewhere = f" in {words.compile(details['others_rank_compile'])}" if words.facts["elsewhere"] else ""
    if elsewhere and rest == others:  # a different operation, in a different compile
        theirs += elsewhere
    return (
        f"In {words.mine}, {words.ranks} {words.verb('calls', 'call')} {here}, {words.others} {theirs}",
        f"{_EFFECTS[details['effect']]} Call {details['position'] + 1}{group} in {order}{first} is"
        f" {call_text(calls[0])} on {words.ranks} and {call_text(calls[1])}{elsewhere} on"
        f" {words.others}.{_called(words)}",
    )


def _unmatched(words: Words) -> tuple[str, str]:
    details, pair = words.details, words.details["unmatched"]
    group = f" of group {code(details['group'])}" if details["group"] is not None else ""
    return (
        f"In {words.mine}, rank {pair['receiver']} expects {plural(pair['expected'], 'row')} from rank"
        f" {pair['sender']} in {code(details['here']['op'])}, which sends {pair['sent']:,}",
        f"{_EFFECTS['hang']} In call {details['position'] + 1}{group}, the sizes on {words.ranks} do not"
        f" match those on {words.others}.{_called(words)}",
    )


def _collective_order(words: Words) -> tuple[str, str]:
    details = words.details
    here, others = details["here"], details["others"]
    with_here, with_others = ranks_text(details["here_ranks"]), ranks_text(details["others_ranks"])
    will = (
        "The ranks will hang here: each waits in one group for a rank that waits in the other."
        if details["effect"] == "hang"
        else "The calls can match, but NCCL may hang: it needs one order on all ranks."
    )
    return (
        f"In {words.mine}, {words.ranks} {words.verb('calls', 'call')} collectives of two groups in a"
        f" different order",
        f"{will} Call {details['position'] + 1} is {code(here['op'])} with {with_here} (group"
        f" {code(here['group'] or '?')}) on {words.ranks}, and {code(others['op'])} with {with_others} (group"
        f" {code(others['group'] or '?')}) on {words.others}.{_called(words)}",
    )


def _distinct_calls(here: CallCells, others: CallCells) -> tuple[str, str]:
    """Return two different calls in as few words as distinguish them."""
    shown: set[str] = {"op"}
    if here["op"] == others["op"]:
        cells = ("reduce_op", "dtype", "shape", "root", "group", "group_size")
        shown |= {name for name in cells if here[name] != others[name]}  # type: ignore[literal-required]
    return _short_call(here, shown), _short_call(others, shown)


def _short_call(call: CallCells, shown: set[str]) -> str:
    """Return a call with only some of its cells."""
    size = f" of size {call['group_size']}" if "group_size" in shown and call["group_size"] else ""
    return (
        call_text(
            {
                **call,
                "reduce_op": call["reduce_op"] if "reduce_op" in shown else None,
                "dtype": call["dtype"] if "dtype" in shown else None,
                "shape": call["shape"] if "shape" in shown else None,
                "root": call["root"] if "root" in shown else None,
                "group": call["group"] if "group" in shown or size else None,
            }
        )
        + size
    )


def _collective_waits(words: Words) -> tuple[str, str]:
    details = words.details
    return (
        f"{words.others} {words.others_verb('calls', 'call')} {code(details['call']['op'])} in"
        f" {words.theirs}, but {words.ranks} {words.verb('has', 'have')} no matching call",
        f"{call_text(details['call'])} is call {details['position'] + 1} of the group; the"
        f" {words.verb('log', 'logs')} of {words.ranks} {words.verb('records', 'record')}"
        f" {plural(details['position'], 'call')}. The other ranks wait unless the call is made outside"
        f" compiled code.{_called(words)}",
    )


def _group_differs(words: Words) -> tuple[str, str]:
    here, others = words.details["here"], words.details["others"]
    group, others_group = code(here["group"] or "?"), code(others["group"] or "?")
    return (
        f"In {words.mine}, {words.ranks} {words.verb('calls', 'call')} {code(here['op'])} in group {group},"
        f" {words.others} in group {others_group}",
        f"No other rank makes this call in group {group}. If that group has more members, {words.ranks}"
        f" {words.verb('hangs', 'hang')} here; if {words.verb('it is', 'they are')} also in group"
        f" {others_group}, so do the other ranks.{_called(words)}",
    )


def _called(words: Words) -> str:
    """Return the sentence "Called at `train.py:12`: `all_reduce(x)`."; empty if unknown."""
    details = words.details
    if not details.get("file"):
        return ""
    return f" Called at {code(details['file'] + ':' + str(details['line']))}" + (
        f": {code(details['code'])}." if details["code"] else "."
    )


TEMPLATES: Templates = {
    "collective-mismatch": _collective_mismatch,
    "collective-order": _collective_order,
    "collective-waits": _collective_waits,
    "group-differs": _group_differs,
}

REFERENCE: dict[str, KindReference] = {
    "collective-mismatch": KindReference(
        "Mismatched collectives",
        "Ranks call different collectives at the same position of a process group. They hang or fail, "
        "or continue with wrong results if only the reduction differs.",
        "Make all ranks of the group call the same collectives in the same order, with the same shapes.",
        "Calls outside compiled code are not in the logs.",
    ),
    "collective-order": KindReference(
        "Different order across process groups",
        "Ranks call matching collectives, but in a different order across their process groups. Each then "
        "waits in one group for a rank that waits in another.",
        "Call the collectives of several groups in the same order on every rank.",
        "Where a wait in each group proves it, the finding says that the ranks will hang.",
    ),
    "collective-waits": KindReference(
        "Ranks wait for a collective",
        "Some ranks call a collective for which the others have no matching call in their logs.",
        "Make every rank of the group reach the call, or find out why a rank stopped before it.",
        "The missing call may be outside compiled code.",
    ),
    "group-differs": KindReference(
        "Different process group",
        "A rank makes the same call in a different process group than most ranks, and the groups have "
        "unequal numbers of callers.",
        "Pass the same group on every rank that takes part in the call.",
        "Groups with equal numbers of callers, as in tensor parallelism, are normal.",
    ),
}
