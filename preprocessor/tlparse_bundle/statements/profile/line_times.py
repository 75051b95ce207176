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
    lines_of = KernelLines(table)
    uses: dict[Line | None, list[_Use]] = {}
    for row in calls:
        lines = lines_of.of(row)
        for line in lines or (None,):
            uses.setdefault(line, []).append(_Use(row, len(lines) > 1))
    total = {line: fsum(use.row["total_us"] for use in own) for line, own in uses.items()}
    for line in sorted(uses, key=lambda line: (line is None, -total[line], str(line))):
        yield _row(line, uses[line], total[line], kernel_us)


def _row(line: Line | None, uses: list[_Use], total_us: float, kernel_us: float) -> LineTimesRow:
    file, number, function, code = line or (None,) * 4
    kernels: dict[str, list[float]] = {}
    for use in uses:
        if use.row["kernel"] is not None:
            kernels.setdefault(use.row["kernel"], []).append(use.row["total_us"])
    ordered = sorted(kernels, key=lambda kernel: (-fsum(kernels[kernel]), kernel))[:_MOST_NAMED]
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
        "kernels": ordered,
        "kernels_us": [round(fsum(kernels[kernel]), 3) for kernel in ordered],
        "compiles": list(compiles)[:_MOST_NAMED],
    }


class KernelLines:
    """The lines of the program that kernels compute."""

    def __init__(self, table: LogTable):
        groups = {row["id"]: row["code_event"] for row in table("provenance_groups")}
        sources = table("provenance_sources")
        self._of_kernel: dict[tuple[Any, Any], dict[Line, None]] = {}
        self._of_handle: dict[tuple[Any, Any, int], dict[Line, None]] = {}
        self._handles: dict[tuple[Any, Any, Any], int | None] = {
            (row["code_event"], row["name"], line): handle
            for row in table("kernels")
            for line, handle in zip(row["call_lines"], row["call_handles"], strict=True)
        }
        for row in table("provenance_kernels"):
            code_event = groups.get(row["group"])
            if code_event is None:
                continue
            found = (_innermost(sources, stack) for stack in row["sources"])
            lines = dict.fromkeys(_line(source) for source in found if source is not None)
            self._of_kernel.setdefault((code_event, row["name"]), {}).update(lines)
            if row["handle"] is not None:
                self._of_handle[code_event, row["name"], row["handle"]] = lines

    def of(self, row: KernelCallsRow) -> list[Line]:
        """Return the lines of measured calls: those of their debug handle, else of all calls."""
        kernel = row["code_event"], row["kernel"]
        every = self._of_kernel.get(kernel, {})
        handle = self._handles.get((*kernel, row["call_line"]))
        return list(every if handle is None else self._of_handle.get((*kernel, handle), every))

    def every(self) -> set[Line]:
        return {line for lines in self._of_kernel.values() for line in lines}


def _line(source: ProvenanceSourcesRow) -> Line:
    return Line(source["file"], source["line"], source["function"], source["code"])


def _innermost(sources: Sequence[ProvenanceSourcesRow], stack: Sequence[int]) -> ProvenanceSourcesRow | None:
    """Return the innermost line of the program; the innermost line of all if none is part of the program."""
    frames = [sources[number] for number in stack if 0 <= number < len(sources)]
    own = [frame for frame in frames if is_of_program(frame["file"])]
    return (own or frames)[-1] if frames else None
