"""Operators inside compiled regions for which Inductor generates no kernel."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tlparse_bundle.base.wording import code, function_name, listed, plural
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.finding import Finding, KindReference
from tlparse_bundle.statements.source_places import is_of_program
from tlparse_bundle.statements.statement import Place

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import FallbacksRow

KINDS = ("fallback",)
REFERENCE = {
    "fallback": KindReference(
        title="Fallback operator",
        meaning="Inductor has no kernel of its own for an operator, and calls the one that eager code uses. "
        "The operator is not fused with others: its inputs and outputs go through memory.",
        fix="If the operator matters for speed, replace it by operators that Inductor compiles, or move it "
        "out of the compiled function.",
        not_when="The kernel of the library is often as fast as it can be. Matrix products, convolutions, "
        "attention, Fourier transforms, linear algebra and random numbers are library calls by design, and "
        "not reported.",
    ),
}
# Operators for which the call of a library is the best that Inductor can do, those without a kernel, and
# random numbers: Inductor calls aten.randint itself, for the seeds of its own kernels.
_BY_DESIGN = re.compile(
    r"aten\.(?:rand\w*|\w*mm\w*|\w*conv\w*|\w*attention\w*|\w*rnn\w*|\w*lstm\w*|\w*gru\w*|_?linalg_\w+|_fft_\w+|mv|dot"
    r"|vdot|\w*cholesky\w*|lu_\w+|geqrf|ormqr|triangular_solve|view\w*|_?reshape\w*|resize\w*|set_\w*|copy_|as_strided\w*"
    r"|_local_scalar_dense|item|_assert\w*|sym_\w+|empty\w*|slice\w*|select\w*|_?to_copy|detach|alias)"
)
_MOST_PLACES = 3


def findings(facts: Facts) -> Iterator[Finding]:
    groups: dict[str, list[FallbacksRow]] = {}
    for row in facts.table("fallbacks"):
        if not _BY_DESIGN.fullmatch(row["operator"]):
            groups.setdefault(row["operator"], []).append(row)
    for operator, rows in groups.items():
        yield _finding(facts, operator, rows)


def _finding(facts: Facts, operator: str, rows: list[FallbacksRow]) -> Finding:
    numbers = [facts.number_of(row) for row in rows]
    functions = list(dict.fromkeys(facts.compiles[number]["function"] for number in numbers))
    places = list(dict.fromkeys(_place(facts, row) for row in rows))
    known = [place for place in places if place[2] is not None]
    names = listed([function_name(name) for name in functions])
    calls = sum(row["call_count"] for row in rows)
    return Finding(
        "fallback",
        "info",
        f"Inductor does not compile {code(operator)} in {names}",
        (operator,),
        f"The generated code calls the operator of eager code in {plural(calls, 'place')}, without fusing it"
        " with others." + _where(known),
        known[0] if known else facts.place_of(numbers[0]),
        numbers,
        [row["code_event"] for row in rows],
        count=calls,
        details={
            "operator": operator,
            "call_count": calls,
            "source_line": next((row["source_line"] for row in rows if row["source_line"] is not None), None),
        },
        placed=False,
    )


def _place(facts: Facts, row: FallbacksRow) -> Place:
    """Return the line of the operator; of one in a library, the function of the program that was compiled."""
    compiled = facts.compiles[facts.number_of(row)]["file"]
    if row["file"] is None or (
        not is_of_program(row["file"]) and compiled is not None and is_of_program(compiled)
    ):
        return (*facts.place_of(facts.number_of(row))[:2], None)
    return row["function"], facts.short(row["file"]), row["line"]


def _where(places: list[Place]) -> str:
    if len(places) < 2:
        return ""
    return f" Lines: {listed([code(f'{file}:{line}') for _, file, line in places], _MOST_PLACES)}."
