"""Rows of line_times: measured time by source line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

from tlparse_bundle.statements.source_places import is_of_program

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import KernelCallsRow, LineTimesRow, LogTable, ProvenanceSourcesRow

_MOST_NAMED = 50


class Line(NamedTuple):
    """A line of the program."""

    file: str
    line: int
    function: str | None
    code: str | None


class _Use(NamedTuple):
    """A row of kernel_calls that computes a line."""

    row: KernelCallsRow
    is_shared: bool


def line_rows(table: LogTable, calls: Sequence[KernelCallsRow], kernel_us: float) -> Iterator[LineTimesRow]:
    """Yield the rows. ``calls``: rows of kernel_calls; ``kernel_us``: the time of all measured kernels."""
    lines_of = lines_of_kernels(table)
    uses: dict[Line | None, list[_Use]] = {}
    for row in calls:
        lines = lines_of.get((row["code_event"], row["kernel"])) if row["kernel"] is not None else None
        for line in lines or (None,):
            uses.setdefault(line, []).append(_Use(row, lines is not None and len(lines) > 1))
    total = {line: fsum(use.row["total_us"] for use in own) for line, own in uses.items()}
    for line in sorted(uses, key=lambda line: (line is None, -total[line], str(line))):
        yield _row(line, uses[line], total[line], kernel_us)


def _row(line: Line | None, uses: list[_Use], total_us: float, kernel_us: float) -> LineTimesRow:
    file, number, function, code = line or (None,) * 4
    kernels = dict.fromkeys(use.row["kernel"] for use in uses if use.row["kernel"] is not None)
    compiles = dict.fromkeys(use.row["compile"] for use in uses if use.row["compile"] is not None)
    return {
        "file": file,
        "line": number,
        "function": function,
        "code": code,
        "total_us": round(total_us, 3),
        "share": round(min(1.0, total_us / kernel_us), 6) if kernel_us else 0.0,
        "shared_us": round(fsum(use.row["total_us"] for use in uses if use.is_shared), 3),
        "count": sum(use.row["count"] for use in uses),
        "kernels": list(kernels)[:_MOST_NAMED],
        "compiles": list(compiles)[:_MOST_NAMED],
    }


def lines_of_kernels(table: LogTable) -> dict[tuple[Any, Any], list[Line]]:
    """Return the lines of the program that each kernel computes, by its code and name."""
    groups = {row["id"]: row["code_event"] for row in table("provenance_groups")}
    sources = table("provenance_sources")
    lines: dict[tuple[Any, Any], dict[Line, None]] = {}
    for row in table("provenance_kernels"):
        code_event = groups.get(row["group"])
        for stack in row["sources"] if code_event is not None else ():
            source = _innermost(sources, stack)
            if source is not None:
                line = Line(source["file"], source["line"], source["function"], source["code"])
                lines.setdefault((code_event, row["name"]), {})[line] = None
    return {kernel: list(own) for kernel, own in lines.items()}


def _innermost(sources: Sequence[ProvenanceSourcesRow], stack: Sequence[int]) -> ProvenanceSourcesRow | None:
    """Return the innermost line of the program; the innermost line of all if none is part of the program."""
    frames = [sources[number] for number in stack if 0 <= number < len(sources)]
    own = [frame for frame in frames if is_of_program(frame["file"])]
    return (own or frames)[-1] if frames else None
