"""Graph breaks: those with one reason are one finding, however many places they have."""

from __future__ import annotations

from collections.abc import Iterator

from tlparse_bundle.findings.attempts import breaks_by_frame, lost_us
from tlparse_bundle.findings.facts import Facts, total
from tlparse_bundle.findings.finding import Finding
from tlparse_bundle.findings.places import function_of, normalised
from tlparse_bundle.findings.words import code, first_line, plural, shortened, times, torch_remedies

KINDS = ("graph-break",)
_MOST_PLACES = 5


def findings(facts: Facts) -> Iterator[Finding]:
    groups: dict[tuple, list[dict]] = {}
    for row in facts.table("graph_breaks")["graph_breaks"]:
        groups.setdefault((row["reason"], row["higher_order_operator"], normalised(first_line(row["explanation"]))), []).append(row)
    for cause, rows in groups.items():
        yield _finding(facts, cause, rows)


def _finding(facts: Facts, cause: tuple, rows: list[dict]) -> Finding:
    rows = sorted(rows, key=lambda row: -len(row["occurrences"]))
    first = rows[0]
    occurrences = [at for row in rows for at in row["occurrences"]]
    skipped = sum(at["skips_frame"] is True for at in occurrences)
    places = list(dict.fromkeys((facts.short.place(row["file"], row["line"]) or "an unknown place") for row in rows))
    function = function_of(first["function"])
    reason = first_line(first["reason"])
    if len(places) == 1:
        where = f" in {code(function)}" if function else ""
        title = f"Graph break{where} at {code(places[0])}, {times(len(occurrences))}: {reason}"
    else:
        title = f"{plural(len(occurrences), 'graph break')} at {plural(len(places), 'place')}: {reason}"
    texts = [
        f"{code(first['source_line'])}" if first["source_line"] and len(places) == 1 else None,
        _places(facts, rows) if len(places) > 1 else None,
        shortened(first["explanation"]),
        _uncompiled(skipped, len(occurrences)),
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
        [at["compile_index"] for at in occurrences],
        [at["event_index"] for at in occurrences],
        count=len(occurrences),
        cost_us=cost,
        cost_of="time of the attempts that were thrown away at the break",
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
                    "count": len(row["occurrences"]),
                    "skipped_frame_count": sum(at["skips_frame"] is True for at in row["occurrences"]),
                }
                for row in rows[:100]
            ],
        },
        placed=False,
    )


def _places(facts: Facts, rows: list[dict]) -> str:
    """A line for each."""
    lines = []
    for row in rows[:_MOST_PLACES]:
        source = f": {code(row['source_line'])}" if row["source_line"] else ""
        count = len(row["occurrences"])
        lines.append(f"At {code(facts.short.place(row['file'], row['line']) or 'an unknown place')}{source}" + (f", {times(count)}" if count > 1 else ""))
    if len(rows) > _MOST_PLACES:
        lines.append(f"and {len(rows) - _MOST_PLACES:,} more")
    return "\n".join(lines)


def _uncompiled(skipped: int, count: int) -> str | None:
    if not skipped:
        return None
    how_often = "" if skipped == count else f", {skipped:,} times of {count:,}"
    return f"No graph is made of the whole function{how_often}: it runs uncompiled."


def _cost(facts: Facts, rows: list[dict]) -> int | None:
    """Of the frame compiles in which nothing else broke: what other breaks took there cannot be told apart."""
    broken = facts.once(breaks_by_frame)
    keys = {facts.frame_key(facts.compiles[at["compile_index"]]) for row in rows for at in row["occurrences"]}
    mine = {id(row) for row in rows}
    alone = (key for key in keys if key in facts.frame_of and all(id(row) in mine for row in broken[key]))
    return total(lost_us(facts, facts.frame_of[key]) for key in alone) or None
