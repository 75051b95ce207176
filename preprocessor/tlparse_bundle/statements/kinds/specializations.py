"""Symbols for dynamic sizes that became constants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tlparse_bundle.base.wording import code, first_line, listed, plural, times
from tlparse_bundle.statements.facts import Facts, FunctionKey
from tlparse_bundle.statements.failure_groups import export_count
from tlparse_bundle.statements.finding import Finding, Remedy
from tlparse_bundle.statements.guard_changes import SIZE, Specialization, noun_of, specializations
from tlparse_bundle.statements.source_places import is_generated

KINDS = ("specialization",)


def findings(facts: Facts) -> Iterator[Finding]:
    for function, rows in facts.once(specializations).items():
        if is_generated(function[0]):
            continue  # what compiled autograd generates has many, by design
        yield _finding(facts, function, rows)


def _remedies(rows: Sequence[Specialization]) -> list[Remedy]:
    size = next(
        (match for row in rows for source in row["sources"] if (match := SIZE.fullmatch(source or ""))), None
    )
    if size is None:
        return []
    return [
        Remedy(
            "If it has to stay dynamic, mark it: torch then raises an error that says what in the program"
            " makes it a constant.",
            f"torch._dynamo.mark_dynamic({size[1]}, {size[2]})",
        )
    ]


def _finding(facts: Facts, function: FunctionKey, rows: Sequence[Specialization]) -> Finding:
    file, name, line = function
    failed = all(facts.compiles[facts.number_of(row)]["failure_type"] is not None for row in rows)
    noun = noun_of(rows)
    exported = function[1] is None and export_count(facts) > 0
    again = (
        ""
        if failed
        else (
            f": the exported program takes no other {noun}"
            if exported
            else f": another {noun} compiles again"
            if len(rows) == 1
            else f": other {noun}s compile again"
        )
    )
    where = f" in {code(name)}" if name else ""
    sizes = list(
        dict.fromkeys(
            f"{listed([code(source) for source in row['sources']]) or 'a symbol'} = {row['value']}"
            for row in rows
        )
    )
    if len(sizes) == 1:
        often = f", {times(len(rows))}" if len(rows) > 1 else ""
        title = f"{sizes[0].replace(' = ', ' became the constant ')}{where}{often}{again}"
    else:
        title = f"{plural(len(sizes), noun)} became constants{where}{again}"
    at = facts.innermost(rows[0]["user_stack"])
    reasons = list(dict.fromkeys(row["reason"].replace("_", " ") for row in rows if row["reason"]))
    texts = [
        f"They are {listed(sizes, 8)}." if len(sizes) > 1 else None,
        f"torch says why: {listed(reasons)}." if reasons else None,
        (
            f"{'The first one is at' if len(sizes) > 1 else 'At'}"
            f" {code(facts.short.place(at['file'], at['line']) or 'an unknown place')}:"
            f" {code(first_line(at['code']))}."
            if at and at["code"]
            else None
        ),
    ]
    return Finding(
        "specialization",
        "info",
        title,
        sizes,
        "\n\n".join(filter(None, texts)),
        (
            (at["function"], at["file"] and facts.short(at["file"]), at["line"])
            if at
            else (name, file and facts.short(file), line)
        ),
        [facts.number_of(row) for row in rows],
        [row["event"] for row in rows],
        count=len(rows),
        remedies=[] if failed or exported else _remedies(rows),
        key=("specialization", *function),
        details={
            "sizes": [
                {"sources": row["sources"], "value": row["value"], "reason": row["reason"]}
                for row in rows[:100]
            ]
        },
    )
