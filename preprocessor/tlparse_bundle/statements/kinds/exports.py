"""Failures of torch.export, and assumptions of draft_export."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tlparse_bundle.base.wording import code, first_line, listed, plural, times
from tlparse_bundle.model.compiles import EXPORT_RECORDS
from tlparse_bundle.statements.export_calls import conversion, graph_ends, stop_around
from tlparse_bundle.statements.export_table import export_calls
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.failure_causes import failure_key, failures_by_cause
from tlparse_bundle.statements.failure_groups import Failure, failures
from tlparse_bundle.statements.finding import Finding, Remedy
from tlparse_bundle.statements.guard_changes import source_name
from tlparse_bundle.statements.statement import KindReference, SeverityName

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import ExportFailuresRow, ExportsRow

KINDS = ("export-failure", "export-assumption", "export-attempt")
REFERENCE = {
    "export-failure": KindReference(
        title="Export failure",
        meaning="`torch.export` or `draft_export` could not produce a correct program. An operator has no "
        "fake kernel or a wrong one, the program branches on data, or the log does not record the reason.",
        fix="Register a fake kernel, or state what holds with `torch._check(…)`.",
        not_when="If the log ends inside an export, it may have succeeded later: the headline says that its "
        "outcome is not recorded.",
    ),
    "export-assumption": KindReference(
        title="Export assumption",
        meaning="The export assumed that a condition holds and continued.",
        fix="If the condition holds for all inputs, state it with `torch._check(…)`. Otherwise change "
        "the program.",
        not_when="If every input of the exported program satisfies the condition, the program is correct.",
    ),
    "export-attempt": KindReference(
        title="Attempt of an export",
        meaning="A function such as `torch.onnx.export` tries several ways to convert a program. One way "
        "failed, before one that succeeded or after one that failed too. The failure of a call counts once.",
        fix="If the call failed, fix its failure, which this finding belongs to.",
        not_when="The message of an attempt can show a second problem of the program.",
    ),
}


def findings(facts: Facts) -> Iterator[Finding]:
    exports = facts.table(EXPORT_RECORDS)
    yield from _without_program(facts.once(export_calls), facts)
    yield from _attempts(facts)
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
    """Return the place where the graph ends, for a record without a stack."""
    end = facts.once(graph_ends).get(row["event"])
    if end is None:
        return dict.fromkeys(("file", "line", "function", "code"))
    return {
        "file": end["file"],
        "line": end["line"],
        "function": end["function"],
        "code": end["source_line"],
    }


def _without_program(calls: Sequence[ExportsRow], facts: Facts) -> Iterator[Finding]:
    """Yield the calls that failed without a record of why."""
    without = [call for call in calls if call["outcome"] == "failed" and call["failure_event"] is None]
    if without:
        yield Finding(
            "export-failure",
            "error",
            (
                f"{len(without):,} of {plural(len(calls), 'export')} failed"
                if len(calls) > 1
                else "The export failed"
            )
            + ", and the log does not record why",
            ("no program",),
            "The log goes on after the call without its program. Some errors leave no record, such as a"
            " violated constraint.",
            compiles=[facts.number_of(call) for call in without],
            events=[call["event"] for call in without],
            count=len(without),
            details={"problem": "no_program", "condition": None, "assumed": None, "operator": None},
        )


def _attempts(facts: Facts) -> Iterator[Finding]:
    """Yield the attempts of conversions that failed: those after the first one, or before a good one."""
    for failure in facts.once(failures):
        if failure.recovery is not None:
            yield _attempt(failure, failure, 1, "failed, a later one succeeded", None)
    for group in facts.once(failures_by_cause):
        for failure in group:
            for number, attempt in enumerate(failure.attempts, 2):
                yield _attempt(failure, attempt, number, "failed too", failure_key(group))


def _attempt(
    root: Failure, attempt: Failure, number: int, outcome: str, because_of: tuple[str, int] | None
) -> Finding:
    message = first_line(attempt.cells["reason"])
    via = conversion(root.frames)
    return Finding(
        "export-attempt",
        "info",
        f"Attempt {number} of {code(via.name if via else 'torch.export')} {outcome}"
        f"{f': {message}' if message else ''}",
        (number, message),
        compiles=[attempt.compile_index],
        events=attempt.events,
        because_of=because_of,
        details={"attempt": number, "message": message or None},
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
        "Register a fake kernel that returns the shape and dtype of the result.",
        '@torch.library.register_fake("{name}")',
    ),
    "mismatched_fake_kernel": _Problem(
        "error",
        "The fake kernel of {op} does not match the real one{often}: {reason}",
        "Make the fake kernel return the same shape, strides, dtype and device as the real one.",
    ),
}
_STOPPED = _Problem(
    "error",
    "The export stopped at a data-dependent condition{often}: {condition}",
    "State what holds with `torch._check(…)`, or express the branch with `torch.cond`.",
)
_ASSUMED = _Problem(
    "warning",
    "The export assumes that {condition} {held}{often}",
    "If it holds for all inputs, state it with `torch._check(…)`. Otherwise the exported program is wrong for"
    " inputs where it does not hold.",
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
            f"{'The captured graph ends at' if ends else 'At'}"
            f" {code(where)}{f': {code(loc)}' if loc else ''}."
            if where
            else f"In {code(loc)} (file not recorded)."
            if loc
            else None
        ),
        (
            listed([f"{code(symbol)} is {code(source or '')}" for symbol, source in symbols.items()], 5) + "."
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
    """Yield more records of these exports: their begin, and the graph that make_fx logged."""
    for row in rows:
        if (stop := stop_around(facts, row["event"])) is not None:
            yield stop[0]
        if (end := facts.once(graph_ends).get(row["event"])) is not None:
            yield end["event"]
