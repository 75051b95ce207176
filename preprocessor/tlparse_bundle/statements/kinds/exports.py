"""What stood in the way of torch.export, and what draft_export assumed so that it could go on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tlparse_bundle.base.wording import code, first_line, listed, plural, times
from tlparse_bundle.statements.export_calls import export_around, graph_ends, stop_around
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.failure_groups import failures
from tlparse_bundle.statements.finding import Finding, Remedy
from tlparse_bundle.statements.guard_changes import source_name
from tlparse_bundle.statements.statement import SeverityName

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import ExportFailuresRow, ExportsRow

KINDS = ("export-failure", "export-assumption")


def findings(facts: Facts) -> Iterator[Finding]:
    exports = facts.table("exports")
    if exports:
        yield from _without_program(facts, exports)
    groups: dict[tuple[Any, ...], list[ExportFailuresRow]] = {}
    lines: dict[tuple[Any, ...], str | None] = {}  # of the program
    for row in facts.lists("export_failures"):
        if row["kind"] == "guard_evaluated" and not exports:
            continue  # an ordinary guard
        at = facts.innermost(row["user_stack"]) or _end_of_graph(facts, row)
        key = (
            row["kind"],
            row["expr"],
            row["result"],
            row["op"],
            row["reason"],
            at["file"],
            at["line"],
            at["function"],
        )
        groups.setdefault(key, []).append(row)
        lines.setdefault(key, at["code"])
    for key, rows in groups.items():
        yield _finding(facts, key, rows, lines[key])


def _end_of_graph(facts: Facts, row: ExportFailuresRow) -> Mapping[str, Any]:
    """Where the graph ends, for a record without a stack."""
    end = facts.once(graph_ends).get(row["event"])
    if end is None:
        return dict.fromkeys(("file", "line", "function", "code"))
    return {
        "file": end["file"],
        "line": end["line"],
        "function": end["function"],
        "code": end["source_line"],
    }


def _without_program(facts: Facts, exports: Sequence[ExportsRow]) -> Iterator[Finding]:
    """The exports that left no program and no record of why."""
    failed = {
        export_around(facts, failure.events[0])
        for failure in facts.once(failures)
        if failure.export is not None
    }
    without = []
    for row in exports:
        begin = row["start_event"]
        if (
            row["program_event"] is None
            and begin is not None
            and export_around(facts, begin) not in failed
            and stop_around(facts, begin) is None
        ):
            without.append(row)
    if without:
        yield Finding(
            "export-failure",
            "error",
            (
                f"{len(without):,} of {plural(len(exports), 'export')} left no program"
                if len(exports) > 1
                else "The export left no program"
            ),
            ("no program",),
            "An export began and no exported program followed: it failed, or the log ends in it.",
            compiles=[facts.number_of(row) for row in without],
            events=[row["start_event"] for row in without if row["start_event"] is not None],
            count=len(without),
            details={"problem": "no_program", "condition": None, "assumed": None, "operator": None},
        )


class _Problem(NamedTuple):
    """``title`` and ``example`` are templates; ``example`` is code."""

    severity: SeverityName
    title: str
    advice: str
    example: str | None = None


_PROBLEMS = {
    "missing_fake_kernel": _Problem(
        "error",
        "{op} cannot be exported: it has no fake kernel{often}",
        "Register a fake kernel that gives the shape and dtype of its result.",
        '@torch.library.register_fake("{name}")',
    ),
    "mismatched_fake_kernel": _Problem(
        "error",
        "{op} has a fake kernel that disagrees with the real one{often}: {reason}",
        "Let the fake kernel return what the real one returns: shape, strides, dtype and device.",
    ),
}
_STOPPED = _Problem(
    "error",
    "The export stopped at a condition that depends on data{often}: {condition}",
    "Tell torch what holds, for instance by `torch._check(…)`, or take the branch by `torch.cond`.",
)
_ASSUMED = _Problem(
    "warning",
    "The export assumes that {condition} {held}{often}",
    "If it holds for all inputs, say so in the program; otherwise the exported program is wrong for the"
    " others.",
)


def _finding(
    facts: Facts, key: tuple[Any, ...], rows: Sequence[ExportFailuresRow], source_line: str | None
) -> Finding:
    kind, expr, result, op, reason, file, line, function = key
    first = rows[0]
    symbols = {
        symbol: source_name(source)
        for row in rows
        for symbol, source in row["symbol_sources"].items()
        if source
    }
    where = facts.short.place(file, line)
    loc = source_line or first["loc"]
    stopped = kind == "data_dependent_error" and result is None
    problem = _PROBLEMS.get(kind, _STOPPED if stopped else _ASSUMED)
    title = problem.title.format(
        op=code(op or "?"),
        often=f", {times(len(rows))}" if len(rows) > 1 else "",
        reason=first_line(reason),
        condition=code(expr or "?"),
        held=f"is {result}" if result is not None else "holds",
    )
    name = (op or "").removesuffix(".default").replace(".", "::", 1)
    example = problem.example and problem.example.format(name=name)
    ends = first["event"] in facts.once(graph_ends) and first["user_stack"] is None
    texts = [
        (
            f"{'The graph that torch had made by then ends at' if ends else 'At'}"
            f" {code(where)}{f': {code(loc)}' if loc else ''}."
            if where
            else f"In {code(loc)}; the file is not known."
            if loc
            else None
        ),
        (
            "Where "
            + listed([f"{code(symbol)} is {code(source or '')}" for symbol, source in symbols.items()], 5)
            + "."
            if symbols
            else None
        ),
    ]
    return Finding(
        "export-assumption" if problem.severity == "warning" else "export-failure",
        problem.severity,
        title,
        (kind, expr, result, op, reason),
        "\n\n".join(filter(None, texts)),
        (function, file and facts.short(file), line),
        [facts.number_of(row) for row in rows],
        [*(row["event"] for row in rows), *(_events_of_stops(facts, rows) if stopped else ())],
        count=len(rows),
        remedies=[Remedy(problem.advice, example)],
        details={"problem": kind, "condition": expr, "assumed": result, "operator": op},
    )


def _events_of_stops(facts: Facts, rows: Sequence[ExportFailuresRow]) -> Iterator[int]:
    """More records of the exports that stopped there: where they began, and the graph that make_fx wrote."""
    for row in rows:
        if (stop := stop_around(facts, row["event"])) is not None:
            yield stop[0]
        if (end := facts.once(graph_ends).get(row["event"])) is not None:
            yield end["event"]
