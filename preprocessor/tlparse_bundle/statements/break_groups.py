"""Graph breaks grouped by their reason: each group is one finding."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.machine_text import normalised
from tlparse_bundle.base.wording import first_line
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.known_causes import cause_of_break
from tlparse_bundle.statements.user_code import own_place

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import GraphBreaksRow

BreakGroup = Sequence["GraphBreaksRow"]
_RAISED = re.compile(r"raised exception (.+)", re.DOTALL)


def break_groups(facts: Facts) -> dict[tuple[Any, ...], list[GraphBreaksRow]]:
    """Return the rows of ``graph_breaks`` by what they have in common, in order of first appearance."""
    groups: dict[tuple[Any, ...], list[GraphBreaksRow]] = {}
    for row in facts.table("graph_breaks"):
        cause = (
            row["reason"],
            row["higher_order_operator"],
            normalised(first_line(row["explanation"])),
            *exception_of(row),
            *_own_fixes(facts, row),
            own_place(row).inside,  # breaks inside a library follow those of the program
        )
        groups.setdefault(cause, []).append(row)
    return groups


def _own_fixes(facts: Facts, row: GraphBreaksRow) -> Iterator[str]:
    """Yield the fixes of a break that torch's hints do not have."""
    known = cause_of_break(facts, row)
    for remedy in known.remedies if known else ():
        yield remedy.code or remedy.text


def exception_of(row: GraphBreaksRow) -> tuple[str, ...]:
    """Return the exception of an "Observed exception" break, as a tuple of at most one text."""
    raised = _RAISED.match(row["debug_context"] or "") if row["reason"] == "Observed exception" else None
    return (normalised(raised[1]),) if raised else ()


def break_key(group: BreakGroup) -> tuple[str, int]:
    """Return the key of the finding of a group, for ``because_of`` of others."""
    return "graph-break", group[0]["id"]


def keys_by_line(facts: Facts) -> dict[tuple[str | None, int | None], tuple[str, int]]:
    """Return the key of the group that has a break at a line, by file and line: of the user's code, or of a
    library where only one group has breaks at that line.
    """
    keys: dict[tuple[str | None, int | None], tuple[str, int]] = {}
    inside: dict[tuple[str | None, int | None], set[tuple[str, int]]] = {}
    for group in facts.once(break_groups).values():
        for row in group:
            line = row["file"], row["line"]
            if own_place(row).inside is None:
                keys.setdefault(line, break_key(group))
            else:
                inside.setdefault(line, set()).add(break_key(group))
    for line, groups in inside.items():
        if len(groups) == 1:
            keys.setdefault(line, *groups)
    return keys


def key_before(facts: Facts, number: int, file: str | None, line: int | None) -> tuple[str, int] | None:
    """Return the key of the group with the break at a line that came last before a compile of a resume
    function: the resume function of its first break can break again there. Breaks in the function itself come
    after its start.
    """
    own = facts.compiles[number]["frame_id"]
    found = None
    for attempt, key in facts.once(_breaks_by_line).get((file, line), ()):
        if attempt < number and facts.compiles[attempt]["frame_id"] != own:
            found = key
    return found


def _breaks_by_line(
    facts: Facts,
) -> dict[tuple[str | None, int | None], list[tuple[int, tuple[str, int]]]]:
    """Return the breaks at each line in order: the first attempt of a compile, and the key of a group."""
    found: dict[tuple[str | None, int | None], list[tuple[int, tuple[str, int]]]] = {}
    for group in facts.once(break_groups).values():
        for row in group:
            frames = filter(None, (facts.compiled.get((compile,)) for compile in row["compiles"]))
            breaks = [(frame.rows[0], break_key(group)) for frame in frames]
            found.setdefault((row["file"], row["line"]), []).extend(breaks)
    return {line: sorted(breaks) for line, breaks in found.items()}
