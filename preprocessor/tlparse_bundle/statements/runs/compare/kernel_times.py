"""Measured kernels of a run, and what identifies each of them in a different run."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

from tlparse_bundle.base.machine_text import tail
from tlparse_bundle.statements.profile.line_times import KernelLines, Line
from tlparse_bundle.statements.ranks.comparable_text import comparable
from tlparse_bundle.tables.provenance.kernels_in_code import CodeText

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import KernelCallsRow
    from tlparse_bundle.statements.runs.compare.run import Run

_NUMBER = re.compile(r"_\d+\Z")
_GRAPH_NUMBER = re.compile(rb"graph_\d+_")
_KERNEL_PATH = re.compile(rb"# kernel path: [^\n]*")


class LineKey(NamedTuple):
    """A line of the program without its number, which edits above it change."""

    file: str
    function: str | None
    code: str
    repetition: int  # of the same text in the function


class Kernel(NamedTuple):
    """A kernel of a compile with its times."""

    compile: str
    code_event: int | None
    direction: str | None
    name: str  # in the code; in the trace for one that is not joined
    is_generated: bool
    on_device: bool
    call_count: int
    total_us: float
    typical_us: float  # total if each call took the median time, which single slow calls don't change
    line_times: Mapping[LineKey, tuple[float, float]]  # total and typical time of its calls for each line

    @property
    def lines(self) -> tuple[LineKey, ...]:
        return tuple(self.line_times)

    def part(self, line: LineKey) -> Kernel:
        """Return the kernel with the times of its calls for one line."""
        total_us, typical_us = self.line_times[line]
        return self._replace(total_us=total_us, typical_us=typical_us)

    @property
    def family(self) -> str:
        """The name without the number that Inductor appends."""
        return _NUMBER.sub("", self.name) if self.is_generated else self.name

    @property
    def order(self) -> tuple[int, str]:
        match = _NUMBER.search(self.name)
        return (int(match[0][1:]) if match and len(match[0]) < 12 else 0), self.name


class RunKernels:
    """The measured kernels of a log."""

    def __init__(self, run: Run):
        self._run = run
        self._codes: dict[int, dict[str, str]] = {}

    def _rows(self, name: str) -> list[Any]:
        log = self._run.log
        return [] if log.is_missing(name) else log.table(name)

    @cached_property
    def is_measured(self) -> bool:
        return bool(self._rows("profiles"))

    @cached_property
    def _lines(self) -> KernelLines:
        return KernelLines(self._rows)

    @cached_property
    def line_keys(self) -> dict[Line, LineKey]:
        """The key of each line that a kernel computes."""
        seen: dict[tuple[str, str | None, str], int] = {}
        keys = {}
        for line in sorted(self._lines.every(), key=lambda line: (line.file, line.line, str(line))):
            text = tail(line.file), line.function, line.code or f"line {line.line}"
            seen[text] = seen.get(text, 0) + 1
            keys[line] = LineKey(*text, seen[text])
        return keys

    @cached_property
    def places(self) -> dict[LineKey, Line]:
        return {key: line for line, key in self.line_keys.items()}

    @cached_property
    def calls(self) -> dict[str, int]:
        """How often each compile was called in the traces; without those of which no call is recorded."""
        regions: dict[str, int] = {}
        graphs: dict[str, dict[str, int]] = {}
        for row in self._rows("region_calls"):
            compile = row["compile"]
            if compile is None:
                continue
            if row["kind"] == "region":
                regions[compile] = regions.get(compile, 0) + row["count"]
            else:
                own = graphs.setdefault(compile, {})
                own[row["key"]] = own.get(row["key"], 0) + row["count"]
        return {**{compile: max(counts.values()) for compile, counts in graphs.items()}, **regions}

    @cached_property
    def kernels(self) -> list[Kernel]:
        """The kernels in compiled code, summed over traces, devices and streams."""
        groups: dict[tuple[Any, ...], list[KernelCallsRow]] = {}
        for row in self._rows("kernel_calls"):
            if row["compile"] is not None and row["kind"] != "eager":
                key = row["compile"], row["code_event"], row["direction"], row["kernel"] or row["name"]
                groups.setdefault(key, []).append(row)
        return [self._kernel(rows) for rows in groups.values()]

    def _kernel(self, rows: list[KernelCallsRow]) -> Kernel:
        row = rows[0]
        times: dict[LineKey, tuple[float, float]] = {}
        for one in rows:
            for line in {self.line_keys[line] for line in self._lines.of(one)}:
                total_us, typical_us = times.get(line, (0.0, 0.0))
                times[line] = total_us + one["total_us"], typical_us + one["median_us"] * one["count"]
        return Kernel(
            row["compile"] or "",
            row["code_event"],
            row["direction"],
            row["kernel"] or row["name"],
            row["kind"] == "generated",
            row["on_device"],
            sum(row["count"] for row in rows),
            fsum(row["total_us"] for row in rows),
            fsum(row["median_us"] * row["count"] for row in rows),
            dict(sorted(times.items(), key=lambda item: str(item[0]))),
        )

    def content(self, kernel: Kernel) -> str | None:
        """Return a hash of the code of a kernel without its name; None when its code is not known."""
        if kernel.code_event is None or not kernel.is_generated:
            return None
        if kernel.code_event not in self._codes:
            self._codes[kernel.code_event] = _contents(self._run.payload(kernel.code_event))
        return self._codes[kernel.code_event].get(kernel.name)


def _contents(code: bytes) -> dict[str, str]:
    """Return a hash of each kernel that a code defines, by its name."""
    text = CodeText(code.decode("utf-8", "replace"))
    return {
        name: _hash(name, text.lines[first - 1 : last])
        for name, (first, last) in text.definitions.items()
        if last > first
    }


def _hash(name: str, lines: Iterable[str]) -> str:
    body = _KERNEL_PATH.sub(b"", "\n".join(lines).encode("utf-8", "replace"))
    body = _GRAPH_NUMBER.sub(b"", body)
    body = re.sub(re.escape(name.encode()) + rb"(?!\d)", b"kernel", body)
    return hashlib.sha256(comparable(body)).hexdigest()
