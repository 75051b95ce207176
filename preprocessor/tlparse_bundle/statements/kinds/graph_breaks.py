"""Graph breaks, one finding for each reason."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.machine_text import normalised
from tlparse_bundle.base.wording import code, first_line, listed, plural, shortened, times
from tlparse_bundle.model.functions import function_of
from tlparse_bundle.statements.facts import Facts, total
from tlparse_bundle.statements.failure_groups import break_attempts, breaks_by_frame, lost_us
from tlparse_bundle.statements.finding import Finding, KindReference
from tlparse_bundle.statements.torch_messages import torch_remedies

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
_RAISED = re.compile(r"raised exception (.+)", re.DOTALL)


def findings(facts: Facts) -> Iterator[Finding]:
    groups: dict[tuple[Any, ...], list[GraphBreaksRow]] = {}
    for row in facts.table("graph_breaks"):
        groups.setdefault(
            (
                row["reason"],
                row["higher_order_operator"],
                normalised(first_line(row["explanation"])),
                *_exception(row),
            ),
            [],
        ).append(row)
    for cause, rows in groups.items():
        yield _finding(facts, cause, rows)


def _finding(facts: Facts, cause: tuple[Any, ...], rows: Sequence[GraphBreaksRow]) -> Finding:
    rows = sorted(rows, key=lambda row: -row["count"])
    first = rows[0]
    count = sum(row["count"] for row in rows)
    skipped = sum(row["skipped_frame_count"] for row in rows)
    places = list(
        dict.fromkeys((facts.short.place(row["file"], row["line"]) or "an unknown place") for row in rows)
    )
    function = function_of(first["function"])
    reason = ": ".join([first_line(first["reason"]), *map(first_line, _exception(first))])
    if len(places) == 1:
        where = f" in {code(function)}" if function else ""
        title = f"Graph break{where} at {code(places[0])}, {times(count)}: {reason}"
    else:
        title = f"{plural(count, 'graph break')} at {plural(len(places), 'place')}: {reason}"
    texts = [
        f"{code(first['source_line'])}" if first["source_line"] and len(places) == 1 else None,
        _places(facts, rows) if len(places) > 1 else None,
        shortened(_explanation(rows)),
        _uncompiled(rows, skipped, count),
        f"In the body of {code(first['higher_order_operator'])}." if first["higher_order_operator"] else None,
    ]
    cost = _cost(facts, rows)
    return Finding(
        "graph-break",
        "warning",
        title,
        cause,
        "\n\n".join(filter(None, texts)),
        (first["function"], first["file"] and facts.short(first["file"]), first["line"]),
        [number for row in rows for number in facts.once(break_attempts)[row["id"]]],
        [event for row in rows for event in row["events"]],
        count=count,
        cost_us=cost,
        cost_of="time lost to restarts",
        remedies=torch_remedies(first["hints"]),
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
    )


def _places(facts: Facts, rows: Sequence[GraphBreaksRow]) -> str:
    """Return a line for each place."""
    lines = []
    for row in rows[:_MOST_PLACES]:
        source = f": {code(row['source_line'])}" if row["source_line"] else ""
        count = row["count"]
        lines.append(
            f"At {code(facts.short.place(row['file'], row['line']) or 'an unknown place')}{source}"
            + (f", {times(count)}" if count > 1 else "")
        )
    if len(rows) > _MOST_PLACES:
        lines.append(f"and {len(rows) - _MOST_PLACES:,} more")
    return "\n".join(lines)


def _exception(row: GraphBreaksRow) -> tuple[str, ...]:
    """Return the exception of an "Observed exception" break, as a tuple of at most one text."""
    raised = _RAISED.match(row["debug_context"] or "") if row["reason"] == "Observed exception" else None
    return (normalised(raised[1]),) if raised else ()


def _explanation(rows: Sequence[GraphBreaksRow]) -> str | None:
    """Return torch's explanation; of several that differ, the first paragraph."""
    texts = {row["explanation"] for row in rows}
    first = rows[0]["explanation"]
    return first if len(texts) == 1 or first is None else first.partition("\n\n")[0]


def _uncompiled(rows: Sequence[GraphBreaksRow], skipped: int, count: int) -> str | None:
    if not skipped:
        return None
    how_often = "" if skipped == count else f" ({skipped:,} of {plural(count, 'break')})"
    why = list(dict.fromkeys(first_line(more["reason"]) for row in rows for more in row["followed_by"]))
    because = f" torch's reason: {listed(why)}." if why else ""
    return f"Dynamo skips the function{how_often}: all of it runs eager.{because}"


def _cost(facts: Facts, rows: Sequence[GraphBreaksRow]) -> int | None:
    """Return the restart time, in µs, of the compiles without other graph breaks; None if not recorded."""
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
        if (frame := facts.frame_of(key)) is not None and all(row["id"] in own for row in broken[key])
    )
    return total(lost_us(facts, frame) for frame in alone) or None
