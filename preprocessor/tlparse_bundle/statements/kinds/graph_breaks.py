"""Graph breaks, one finding for each reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.wording import code, first_line, plural, shortened, times
from tlparse_bundle.model.functions import function_of, resume_function
from tlparse_bundle.statements.after_breaks import break_before
from tlparse_bundle.statements.break_groups import (
    BreakGroup,
    break_groups,
    break_key,
    exception_of,
    keys_by_line,
)
from tlparse_bundle.statements.facts import Facts, total
from tlparse_bundle.statements.failure_causes import FUNCTORCH
from tlparse_bundle.statements.failure_groups import break_attempts, breaks_by_frame, is_named, lost_us
from tlparse_bundle.statements.finding import Finding, KindReference
from tlparse_bundle.statements.known_causes import known_cause
from tlparse_bundle.statements.torch_messages import caution, torch_remedies
from tlparse_bundle.statements.user_code import (
    CodeLine,
    calling_place,
    inside_text,
    is_in_users_hands,
    own_place,
    package_of,
    user_place,
)

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import GraphBreaksRow

KINDS = ("graph-break",)
REFERENCE = {
    "graph-break": KindReference(
        title="Graph break",
        meaning="Dynamo could not trace the code at this line. It ends the graph and resumes after the "
        "line, or skips the whole function.",
        fix="Apply torch's hints, or move the code out of the compiled function. `fullgraph=True` "
        "turns a graph break into an error.",
        not_when="A break outside a hot loop, such as a `print` for debugging, costs little.",
    ),
}
_MOST_PLACES = 5
_INSERTED = "Call to `torch._dynamo.graph_break()`"  # its explanation says nothing more
_MARKED = "Attempted to call function marked as skipped"  # torch/_dynamo/variables/functions.py
_QUALIFIED = re.compile(r"module: ([\w.]+), qualname: ([\w.]+), skip reason: ")
_PROPAGATES = " Exception will propagate outside the compiled region."


def findings(facts: Facts) -> Iterator[Finding]:
    for cause, rows in facts.once(break_groups).items():
        yield _finding(facts, cause, rows)


def _finding(facts: Facts, cause: tuple[Any, ...], rows: Sequence[GraphBreaksRow]) -> Finding:
    group, rows = rows, sorted(rows, key=lambda row: -row["count"])
    first = rows[0]
    count = sum(row["count"] for row in rows)
    skipped = sum(row["skipped_frame_count"] for row in rows)
    counts: Counter[CodeLine] = Counter()
    for row in rows:
        counts.update(_places_of(facts, row))
    at, known = next(iter(counts)), known_cause(facts, rows)
    places = list(dict.fromkeys(_shown(facts, place) for place in counts))
    what = *map(first_line, exception_of(first)), *_skipped_function(rows)
    reason = ": ".join([first_line(first["reason"]), *what])
    if len(places) == 1:
        title = f"Graph break{_where(facts, rows, at)} {places[0]}, {times(count)}: {reason}"
    else:
        title = f"{plural(count, 'graph break')} at {plural(len(places), 'place')}: {reason}"
    texts = [
        f"{code(at.source_line)}" if at.source_line and len(places) == 1 else None,
        _places(facts, counts) if len(places) > 1 else None,
        inside_text(facts, own_place(first)) if len(set(map(own_place, rows))) == 1 else None,
        shortened(_explanation(rows)) if first["reason"] != _INSERTED else None,
        known.text if known else None,
        caution(first["hints"], _about(first)) if known is None else None,
        f"In the body of {code(first['higher_order_operator'])}." if first["higher_order_operator"] else None,
    ]
    cost = _cost(facts, rows)
    return Finding(
        "graph-break",
        "warning",
        title,
        cause,
        "\n\n".join(filter(None, texts)),
        (at.function, at.file and facts.short(at.file), at.line),
        [number for row in rows for number in facts.once(break_attempts)[row["id"]]],
        [event for row in rows for event in row["events"]],
        count=count,
        cost_us=cost,
        cost_of="time lost to restarts",
        remedies=known.remedies
        if known and known.remedies
        else torch_remedies(
            first["hints"], _about(first), is_in_users_hands=any(map(is_in_users_hands, rows))
        ),
        details={
            "reason": first["reason"],
            "gb_id": first["gb_id"],
            "link": first["link"],
            "skipped_frame_count": skipped,
            "places": [
                {
                    "function": row["function"],
                    "file": row["file"] and facts.short(row["file"]),
                    "line": row["line"],
                    "source_line": row["source_line"],
                    "count": row["count"],
                    "skipped_frame_count": row["skipped_frame_count"],
                }
                for row in rows[:100]
            ],
        },
        placed=False,
        key=break_key(group),
        because_of=_because(facts, rows),
    )


def _where(facts: Facts, rows: BreakGroup, at: CodeLine) -> str:
    """Return what precedes the place: the user's function, or that of a library where Dynamo compiled it."""
    numbers = [number for row in rows for number in facts.once(break_attempts)[row["id"]]]
    packages = {own_place(row).inside for row in rows}
    names = {function_of(row["function"]) or "" for row in rows}
    is_of_library = not any(package_of(facts.compiles[number]["file"]) is None for number in numbers)
    if at.inside is None and is_of_library and len(packages) == 1 and None not in packages:
        where = f"in {code(names.pop())} of" if len(names) == 1 else "inside"
        return f" {where} {packages.pop()}, called from"
    function = function_of(at.function)
    return f" in {code(function)} at" if function else " at"


def _skipped_function(rows: BreakGroup) -> tuple[str, ...]:
    """Return the function that Dynamo does not trace, as a tuple of at most one name."""
    found = {
        f"{match[1]}.{match[2]}"
        for row in rows
        if row["reason"] == _MARKED and (match := _QUALIFIED.match(row["debug_context"] or ""))
    }
    return (code(found.pop()),) if len(found) == 1 else ()


def _about(row: GraphBreaksRow) -> str:
    parts = row["explanation"], row["higher_order_operator"], row["debug_context"], row["function"]
    return " ".join(filter(None, parts))


def _places_of(facts: Facts, row: GraphBreaksRow) -> dict[CodeLine, int]:
    """Return the places in the user's code with the number of breaks at each. Breaks at one line of a library
    have one row, with the traceback of the first. Others are at the function that Dynamo compiles, or at the
    line that calls it.
    """
    place = user_place(row)
    numbers = facts.once(break_attempts)[row["id"]]
    if own_place(row).inside is None or (place.inside is None and len(numbers) < 2):
        return {place: row["count"]}
    places: Counter[CodeLine] = Counter()
    for number in numbers:
        compiled = facts.compiles[number]
        name = function_of(compiled["function"])
        if not compiled["file"] or package_of(compiled["file"]) is not None:
            calling = calling_place(facts, number)
            if calling is None or calling[1:3] == place[1:3] or _is_rest_of(calling, place):
                calling = place
            places[calling] += 1
        elif (place.file, function_of(place.function)) == (compiled["file"], name):
            places[place] += 1
        else:
            places[CodeLine(name, compiled["file"], None)] += 1
    return dict(places) if len(places) > 1 else {next(iter(places), place): row["count"]}


def _is_rest_of(calling: CodeLine, place: CodeLine) -> bool:
    """Whether a line is in a resume function of the function of a place: the stack of a compile can have an
    earlier line of it.
    """
    is_resumed = resume_function(calling.function) is not None
    return is_resumed and (calling.file, function_of(calling.function)) == (place.file, place.function)


def _places(facts: Facts, counts: Counter[CodeLine]) -> str:
    """Return a line for each place."""
    lines = []
    for place, count in counts.most_common(_MOST_PLACES):
        source = f": {code(place.source_line)}" if place.source_line else ""
        lines.append(
            f"{'In' if place.line is None else 'At'} {_shown(facts, place)}{source}"
            + (f", {times(count)}" if count > 1 else "")
        )
    if len(counts) > _MOST_PLACES:
        lines.append(f"and {len(counts) - _MOST_PLACES:,} more")
    return "\n".join(lines)


def _shown(facts: Facts, place: CodeLine) -> str:
    """Return a place, or the function where the line is not known."""
    shown = code(facts.short.place(place.file, place.line) or "an unknown place")
    return f"{code(place.function)} of {shown}" if place.line is None and place.function else shown


def _because(facts: Facts, rows: BreakGroup) -> tuple[str, int] | None:
    """Return the key of a break at the line of the user's code that led to these, all inside functions of a
    library that torch compiled on their own. It inlined others, whatever else broke at that line.
    """
    if all(row["reason"].startswith(FUNCTORCH) for row in rows):
        return break_before(facts, facts.once(break_attempts)[rows[0]["id"]][0])
    places = [place for row in rows for place in _places_of(facts, row)]
    causes = {facts.once(keys_by_line).get(place[1:3]) for place in places}
    compiled = (facts.compiles[number] for row in rows for number in facts.once(break_attempts)[row["id"]])
    if len(causes) != 1 or not all(own_place(row).inside for row in rows):
        return None
    files = {place.file for place in places}
    return causes.pop() if all(row["file"] not in files for row in compiled) else None


def _explanation(rows: Sequence[GraphBreaksRow]) -> str | None:
    """Return torch's explanation, without what a handler in the caller rules out; of several that differ, the
    first paragraph.
    """
    texts = {row["explanation"] for row in rows}
    first = rows[0]["explanation"] and rows[0]["explanation"].removesuffix(_PROPAGATES)
    return first if len(texts) == 1 or first is None else first.partition("\n\n")[0]


def _cost(facts: Facts, rows: Sequence[GraphBreaksRow]) -> int | None:
    """Return the restart time, in µs, of the compiles that nothing else restarted; None if not recorded."""
    broken = facts.once(breaks_by_frame)
    keys = {
        facts.frame_key(facts.compiles[number])
        for row in rows
        for number in facts.once(break_attempts)[row["id"]]
    }
    own = {row["id"] for row in rows}
    alone = (
        frame
        for key in keys
        if (frame := facts.frame_of(key)) is not None
        and all(row["id"] in own for row in broken[key])
        and not any(map(is_named, frame.row["restart_reasons"]))
    )
    return total(lost_us(facts, frame) for frame in alone) or None
