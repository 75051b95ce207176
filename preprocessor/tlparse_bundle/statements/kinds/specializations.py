"""Symbols that torch specialized to a constant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tlparse_bundle.base.wording import code, first_line, listed, plural, times
from tlparse_bundle.guards.inputs import local_name
from tlparse_bundle.statements.after_breaks import is_called_by_compiled_code
from tlparse_bundle.statements.export_table import export_calls
from tlparse_bundle.statements.facts import Facts, FunctionKey
from tlparse_bundle.statements.finding import Finding, Remedy
from tlparse_bundle.statements.guard_changes import SIZE, Specialization, noun_of, specializations
from tlparse_bundle.statements.recompile_savings import is_passed
from tlparse_bundle.statements.size_remedies import ALL_AND_PARAMETERS_DYNAMIC, stated_constants
from tlparse_bundle.statements.sizes import is_all_dynamic
from tlparse_bundle.statements.source_places import is_generated
from tlparse_bundle.statements.statement import KindReference
from tlparse_bundle.statements.tied_sizes import tied_sizes, tied_to_both, tied_to_parameters

KINDS = ("specialization",)
REFERENCE = {
    "specialization": KindReference(
        title="Specialization",
        meaning="The code needs a specific value of a symbolic size, so torch specialized the symbol to a "
        "constant. Or an operation combined the tensor with one that has the size as a constant.",
        fix="To keep the size dynamic, use `mark_dynamic` and change the code that the resulting "
        "error names, or mark both tensors.",
        not_when="If the size never varies, nothing needs to change.",
    ),
}


def findings(facts: Facts) -> Iterator[Finding]:
    for function, rows in facts.once(specializations).items():
        if is_generated(function[0]):
            continue  # compiled autograd specializes many sizes by design
        tied = facts.once(tied_sizes)
        own = [row for row in rows if row["event"] not in tied and not _is_stated(facts, function, row)]
        if own:
            yield _finding(facts, function, own, [])
        others = [row for row in rows if row["event"] in tied]
        if others:
            names = dict.fromkeys(name for row in others for name in tied[row["event"]])
            yield _finding(facts, function, others, list(names))


def _is_stated(facts: Facts, function: FunctionKey, row: Specialization) -> bool:
    """Whether a recompile says where a size or number was specialized."""
    stated = facts.once(stated_constants)
    sizes = ((source, SIZE.fullmatch(source)) for source in row["sources"] if source)
    return any(
        ((function, size[1], int(size[2])) if size else (function, source, None)) in stated
        for source, size in sizes
    )


def _are_needed(facts: Facts, rows: Sequence[Specialization], tied: Sequence[str]) -> bool:
    """Whether other code makes a size of a tensor in ``tied`` a constant in one of these compiles: so it does
    with dynamic=True.
    """
    compiles, known = {row["compile"] for row in rows}, facts.once(tied_sizes)
    others = (row for row in facts.table("specializations") if row["event"] not in known)
    sources = {
        local_name(source) for row in others if row["compile"] in compiles for source in row["sources"]
    }
    return any(source.startswith(f"{name}.size()") for name in tied for source in sources)


def _remedies(
    facts: Facts, function: FunctionKey, rows: Sequence[Specialization], tied: Sequence[str]
) -> list[Remedy]:
    are_of_parameters = all(row["event"] in facts.once(tied_to_parameters) for row in rows)
    # The parameters of one module do not vary, so no setting alone makes their sizes dynamic.
    if are_of_parameters or any(row["event"] in facts.once(tied_to_both) for row in rows):
        return [ALL_AND_PARAMETERS_DYNAMIC]
    if tied:
        if any(row["value"] in ("0", "1") or is_all_dynamic(facts, facts.number_of(row)) for row in rows):
            return []  # torch makes these sizes constants with dynamic=True, too
        if _are_needed(facts, rows, tied):
            return []
        sources = {*tied, *(source for row in rows for source in row["sources"])}
        are_passed = all(is_passed(facts, function, source or "") for source in sources)
        or_mark = f", or mark these and the matching sizes of {_named(tied)} as dynamic" if are_passed else ""
        return [Remedy(f"Use `torch.compile(dynamic=True)`{or_mark}.")]
    sizes = (SIZE.fullmatch(source or "") for row in rows for source in row["sources"])
    size = next((one for one in sizes if one and is_passed(facts, function, one[1])), None)
    # Dynamo raises for the mark itself where it traces the caller.
    if size is None or any(is_called_by_compiled_code(facts, facts.number_of(row)) for row in rows):
        return []
    return [
        Remedy(
            "If you mark it as dynamic, torch raises an error, which in recent versions can name the"
            " code that needs the constant.",
            f"torch._dynamo.mark_dynamic({size[1]}, {size[2]})",
        )
    ]


_ANOTHER = "another tensor"


def _named(tied: Sequence[str]) -> str:
    """Return the names of tensors, which values that a graph break left on the stack do not have."""
    return listed([code(name) for name in tied if not name.startswith("___")]) or _ANOTHER


def _shown(source: str | None) -> str:
    return SIZE.sub(r"\1.size(\2)", source or "a symbol")


def _finding(
    facts: Facts, function: FunctionKey, rows: Sequence[Specialization], tied: Sequence[str]
) -> Finding:
    """``tied``: the arguments that have the sizes as constants, where the program needs none."""
    file, name, line = function
    failed = all(facts.compiles[facts.number_of(row)]["failure_type"] is not None for row in rows)
    noun = noun_of(rows)
    exported = function[1] is None and bool(facts.once(export_calls))
    again = (
        ""
        if failed or tied
        else (
            f": the export accepts only {'this' if len(rows) == 1 else 'these'}"
            f" {noun}{'s' if len(rows) > 1 else ''}"
            if exported
            else f": a different {noun} needs its own compile"
            if len(rows) == 1
            else f": different {noun}s need their own compiles"
        )
    )
    where = f" in {code(name)}" if name else ""
    sizes = list(
        dict.fromkeys(
            f"{listed([code(_shown(source)) for source in row['sources']]) or 'a symbol'} = {row['value']}"
            for row in rows
        )
    )
    if len(sizes) == 1:
        often = f", {times(len(rows))}" if len(rows) > 1 else ""
        verb = " were specialized to " if len(rows[0]["sources"]) > 1 else " was specialized to "
        title = f"{sizes[0].replace(' = ', verb)}{where}{often}{again}"
    else:
        title = f"{plural(len(sizes), noun)} specialized{where}{again}"
    names = _named(tied)
    perhaps = f", perhaps {names}" if names != _ANOTHER else ""
    constant = (
        f"An operation combined its tensor with one that has this size as a constant{perhaps}."
        if len(sizes) == 1
        else f"since operations combined their tensors with one that has them as constants{perhaps}"
    )
    at = facts.innermost(rows[0]["user_stack"])
    reasons = list(dict.fromkeys(row["reason"].replace("_", " ") for row in rows if row["reason"]))
    texts = [
        f"Specialized: {listed(sizes, 8)}{f', {constant}' if tied else ''}." if len(sizes) > 1 else None,
        constant if tied and len(sizes) == 1 else None,
        f"torch's reason: {listed(reasons)}." if reasons else None,
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
        remedies=[] if failed or exported else _remedies(facts, function, rows, tied),
        key=("specialization", *function, *("tied",) * bool(tied)),
        details={
            "sizes": [
                {"sources": row["sources"], "value": row["value"], "reason": row["reason"]}
                for row in rows[:100]
            ]
        },
    )
