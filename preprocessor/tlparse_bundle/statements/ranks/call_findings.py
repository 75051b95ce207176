"""Findings about the order of collective calls: calls that cannot meet, ranks that others wait for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypedDict

from tlparse_bundle.base.wording import code, plural
from tlparse_bundle.bundle.row_types import ProcessGroupsRow, ProvenanceSourcesRow
from tlparse_bundle.statements.ranks.frames import Frames
from tlparse_bundle.statements.ranks.rank_finding import Finder, RankFinding
from tlparse_bundle.statements.ranks.rank_sets import Ranges
from tlparse_bundle.statements.ranks.wording import Templates, Words, call_text
from tlparse_bundle.statements.source_places import is_of_program


class Source(TypedDict, total=False):
    """The line of the program that calls a collective; empty where it is not known."""

    file: str
    line: int
    code: str | None


def findings(finder: Finder) -> Iterator[RankFinding]:
    for group in finder.table("process_groups"):
        yield from _mismatches(finder, group)
        yield from _waits(finder, group)
    yield from _splits(finder)


def _mismatches(finder: Finder, group: ProcessGroupsRow) -> Iterator[RankFinding]:
    """Yield the calls that cannot meet the usual one."""
    sides = [row for row in finder.table("collective_mismatches") if row["group"] == group["group"]]
    for side in sides[1:]:
        usual = sides[0]
        here = finder.call(side["collective_call"])
        details = {
            "group": group["group"],
            "position": side["position"],
            "effect": side["effect"],
            "recorded": group["recorded"],
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
    """Yield the ranks that call nothing more where others do."""
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


def _splits(finder: Finder) -> Iterator[RankFinding]:
    """Yield the ranks that make a call in another group than most."""
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
    """Return the only line of the program that calls a collective in a frame; {} when there are several."""
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
    "hang": "These calls cannot meet: the ranks hang there, or fail.",
    "wrong": "The ranks go on, with results that are wrong or not equal.",
}


def _collective_mismatch(words: Words) -> tuple[str, str]:
    details = words.details
    order = (
        "In the order in which the graphs ran"
        if details["recorded"]
        else "In the order of the compiles (the order of runs is not recorded)"
    )
    where = (
        f" in group {code(details['group'])}; the calls before it agree."
        if details["group"] is not None
        else "."
    )
    other = (
        f" On {words.others} it is in {words.compile(details['others_rank_compile'])}."
        if words.facts["elsewhere"]
        else ""
    )
    return (
        f"{words.ranks} {words.verb('calls', 'call')} {call_text(details['here'])} where {words.others}"
        f" {words.others_verb('calls', 'call')} {call_text(details['others'])}: {words.mine}",
        f"{_EFFECTS[details['effect']]} {order} it is call {details['position'] + 1}{where}{other}"
        + _called(words),
    )


def _collective_waits(words: Words) -> tuple[str, str]:
    details = words.details
    return (
        f"{words.others} {words.others_verb('calls', 'call')} {call_text(details['call'])} in {words.theirs},"
        f" for which {words.ranks} {words.verb('has', 'have')} no call",
        f"It is call {details['position'] + 1} in the group; {words.ranks} {words.verb('makes', 'make')}"
        f" {plural(details['position'], 'call')} there that {words.verb('its log knows', 'their logs know')}"
        f" of. The others cannot go on, unless it is called outside of compiled code.{_called(words)}",
    )


def _group_differs(words: Words) -> tuple[str, str]:
    here, others = words.details["here"], words.details["others"]
    group, others_group = code(here["group"] or "?"), code(others["group"] or "?")
    return (
        f"{words.ranks} {words.verb('calls', 'call')} {code(here['op'])} in group {group} where"
        f" {words.others} {words.others_verb('calls', 'call')} it in group {others_group}: {words.mine}",
        f"No other rank makes this call in group {group}. If the group has more members, they never meet:"
        f" {words.verb('it hangs', 'they hang')} there, and so do the others if {words.ranks}"
        f" {words.verb('is', 'are')} in group {others_group}.{_called(words)}",
    )


def _called(words: Words) -> str:
    """Return the sentence "It is called at `train.py:12`: `all_reduce(x)`."; empty where not known."""
    details = words.details
    if not details.get("file"):
        return ""
    return f" It is called at {code(details['file'] + ':' + str(details['line']))}" + (
        f": {code(details['code'])}." if details["code"] else "."
    )


TEMPLATES: Templates = {
    "collective-mismatch": _collective_mismatch,
    "collective-waits": _collective_waits,
    "group-differs": _group_differs,
}
