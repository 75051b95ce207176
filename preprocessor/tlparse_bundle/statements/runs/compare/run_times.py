"""Measured run times of two runs: kernels and source lines that became slower or faster."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Literal, NamedTuple

from tlparse_bundle.base.machine_text import tail
from tlparse_bundle.base.wording import code, duration, function_name, listed
from tlparse_bundle.statements.runs.compare.change import (
    Change,
    ComparedLog,
    KernelTimeRow,
    LineTimeRow,
    RunTimeChange,
    RunTimeRow,
    Side,
)
from tlparse_bundle.statements.runs.compare.compile_pairs import SAME, Pairs
from tlparse_bundle.statements.runs.compare.kernel_times import Kernel, LineKey, RunKernels
from tlparse_bundle.statements.runs.compare.noise import ENOUGH, median

MAX_ROWS = 200  # of kernels, and of lines
_DEVICE_FACTOR, _HOST_FACTOR = 1.1, 1.4  # smaller changes of one kernel are noise
_LEAST_US = 100.0  # of a change; less is noise
_LEAST_SHARE = 0.01  # of all kernel time
_SPEED = 1.25  # a factor between unchanged kernels that a note reports
_MOST_NAMED = 3
_MOST_CHANGES = 10
MatchedBy = Literal["code", "lines", "name"]


class _Match(NamedTuple):
    pair: int | None  # the compiles
    base: Kernel | None
    new: Kernel | None
    matched_by: MatchedBy | None
    scale: float  # of the base time: calls of the compile in the new run for each call in base

    @property
    def base_us(self) -> float | None:
        return None if self.base is None else self.base.total_us * self.scale

    @property
    def new_us(self) -> float | None:
        return None if self.new is None else self.new.total_us

    @property
    def typical_us(self) -> tuple[float, float]:
        base = 0.0 if self.base is None else self.base.typical_us * self.scale
        return base, 0.0 if self.new is None else self.new.typical_us

    @property
    def difference_us(self) -> float:
        return (self.new_us or 0.0) - (self.base_us or 0.0)


class RunTimes:
    """The measured times of both logs of a pair."""

    def __init__(self, pairs: Pairs):
        self._pairs = pairs
        self._base, self._new = RunKernels(pairs.base.first), RunKernels(pairs.new.first)
        self._matches: list[_Match] = []
        self._speed = 1.0
        if self._base.is_measured and self._new.is_measured:
            self._matches = list(self._matched())
            self._speed = self._speed_of_unchanged()
        totals = _totals(self._matches)
        self._least_us = max(_LEAST_US, _LEAST_SHARE * max(totals))
        self._on_device = any(kernel.on_device for kernel in (*self._base.kernels, *self._new.kernels))

    def _matched(self) -> Iterator[_Match]:
        """Yield all kernels of both runs, matched within matched compiles and directions."""
        groups: dict[tuple[int | str, str | None], tuple[list[Kernel], list[Kernel]]] = {}
        numbers = (self._pairs.of_base, self._pairs.of_new)
        for side, run in enumerate((self._base, self._new)):
            for kernel in run.kernels:
                compile: int | str = numbers[side].get(kernel.compile, kernel.compile)
                groups.setdefault((compile, kernel.direction), ([], []))[side].append(kernel)
        for (place, _), (ours, theirs) in groups.items():
            number = place if isinstance(place, int) else None
            for base, new, by in self._kernels(number, ours, theirs):
                yield _Match(number, base, new, by, self._scale(number, base, new))

    def _kernels(
        self, number: int | None, ours: list[Kernel], theirs: list[Kernel]
    ) -> Iterator[tuple[Kernel | None, Kernel | None, MatchedBy | None]]:
        same_code = number is not None and self._pairs.rows[number].code == SAME
        base, new = self._base.content, self._new.content
        stages: tuple[tuple[MatchedBy, _Key, _Key], ...] = (
            ("code", base, new),
            ("lines", _lines_and_kind, _lines_and_kind),
            ("lines", _lines, _lines),
            ("name", _family, _family),
        )
        if same_code:
            stages = (("code", _name, _name),)
        for by, of_base, of_new in stages:
            waiting: dict[Hashable, tuple[list[Kernel], list[Kernel]]] = {}
            for side, kernels, key_of in ((0, ours, of_base), (1, theirs, of_new)):
                for kernel in sorted(kernels, key=lambda kernel: kernel.order):
                    if (key := key_of(kernel)) is not None:
                        waiting.setdefault(key, ([], []))[side].append(kernel)
            for mine, its in waiting.values():
                if len(mine) == len(its):  # otherwise it is unknown which of them is missing
                    for one, other in zip(mine, its, strict=True):
                        yield one, other, by
                        ours.remove(one)
                        theirs.remove(other)
        for kernel in ours:
            yield kernel, None, None
        for kernel in theirs:
            yield None, kernel, None

    def _scale(self, number: int | None, base: Kernel | None, new: Kernel | None) -> float:
        both = self._pairs.rows[number].both if number is not None else None
        if both is not None:
            before, now = self._base.calls.get(both[0].key), self._new.calls.get(both[1].key)
            if before and now:
                return now / before
        return new.call_count / base.call_count if base is not None and new is not None else 1.0

    def _speed_of_unchanged(self) -> float:
        """Return the median ratio of new to base times of kernels with the same code."""
        ratios = [
            match.new_us / match.base_us
            for match in self._matches
            if match.matched_by == "code" and match.base_us and match.new_us
        ]
        return median(ratios) if len(ratios) >= ENOUGH else 1.0

    def _change(self, matches: Sequence[_Match]) -> RunTimeChange:
        """Classify the difference of the times of some kernels, which must also hold for their medians."""
        base_us, new_us = _totals(matches)
        if abs(new_us - base_us) < self._least_us:
            return "same"
        if not base_us or not new_us:
            return "gone" if base_us else "new"
        before, now = (
            math.fsum(times) for times in zip(*(match.typical_us for match in matches), strict=True)
        )
        factor = math.log(_DEVICE_FACTOR if self._on_device else _HOST_FACTOR)
        ratios = [math.log(new_us / base_us), *([math.log(now / before)] if before and now else [])]
        changes = [ratio - offset for ratio in ratios for offset in (0.0, math.log(self._speed))]
        return "slower" if min(changes) > factor else "faster" if max(changes) < -factor else "same"

    def row(self) -> RunTimeRow | None:
        """Return the row of the document; None when neither run has a profiler trace."""
        sides = {"base": self._base.is_measured, "new": self._new.is_measured}
        if not any(sides.values()):
            return None
        missing: Side | None = None if all(sides.values()) else "new" if sides["base"] else "base"
        base_us, new_us = _totals(self._matches)
        matches = sorted(self._matches, key=lambda match: -abs(match.difference_us))
        lines = sorted(self._lines(), key=lambda row: -abs((row["new_us"] or 0) - (row["base_us"] or 0)))
        return {
            "missing": missing,
            "on_device": self._on_device,
            "base_us": round(base_us, 3),
            "new_us": round(new_us, 3),
            "speed": round(self._speed, 3),
            "kernels": [self._kernel_row(match) for match in matches[:MAX_ROWS]],
            "lines": lines[:MAX_ROWS],
        }

    def _kernel_row(self, match: _Match) -> KernelTimeRow:
        return {
            "pair_index": match.pair,
            "base_name": match.base and match.base.name,
            "new_name": match.new and match.new.name,
            "matched_by": match.matched_by,
            "base_us": _rounded(match.base_us),
            "new_us": _rounded(match.new_us),
            "base_count": match.base.call_count if match.base else 0,
            "new_count": match.new.call_count if match.new else 0,
            "change": self._change([match]),
        }

    def _lines(self) -> Iterator[LineTimeRow]:
        """Yield a row for each source line. A kernel of several lines counts for each of them."""
        parts: dict[LineKey, list[_Match]] = {}
        for match in self._matches:
            ours, theirs = (set(kernel.lines if kernel else ()) for kernel in (match.base, match.new))
            for key in ours | theirs:
                base = match.base.part(key) if match.base and key in ours else None
                new = match.new.part(key) if match.new and key in theirs else None
                parts.setdefault(key, []).append(match._replace(base=base, new=new))
        for key, own in parts.items():
            base_us, new_us = _totals(own)
            line = self._new.places.get(key) or self._base.places[key]
            yield {
                "file": line.file,
                "line": line.line,
                "function": line.function,
                "code": line.code,
                "base_us": _rounded(base_us or None),
                "new_us": _rounded(new_us or None),
                "change": self._change(own),
            }

    def changes(self, causes: Sequence[Change]) -> list[Change]:
        """Return the compiles whose kernels take more or less time in all, the largest difference first."""
        by_pair: dict[int, list[_Match]] = {}
        for match in self._matches:
            if match.pair is not None:
                by_pair.setdefault(match.pair, []).append(match)
        found = []
        for number, matches in by_pair.items():
            base_us, new_us = _totals(matches)
            if self._change(matches) in ("slower", "faster"):
                found.append((abs(new_us - base_us), self._compile(number, matches, causes)))
        found.sort(key=lambda one: -one[0])
        return [change for _, change in found[:_MOST_CHANGES]]

    def _compile(self, number: int, matches: Sequence[_Match], causes: Sequence[Change]) -> Change:
        row = self._pairs.rows[number]
        frame = row.pair.frame
        base_us, new_us = _totals(matches)
        calls = self._new.calls.get(frame.key) or 1
        parts = [
            _part(match, calls)
            for match in sorted(matches, key=lambda match: -abs(match.difference_us))
            if (match.difference_us > 0) == (new_us > base_us)
        ]
        cause = next((one for one in causes if number in one.pairs and one.kind in ("graph", "code")), None)
        per_call = " per call" if frame.key in self._new.calls else ""
        return Change(
            "run_time",
            "warning" if new_us > base_us else "info",
            f"Kernels of {function_name(frame.function)} [{frame.key}] take"
            f" {duration(new_us / calls)}{per_call}, were {duration(base_us / calls)}",
            text=f"Measured by the profiler: {listed(parts, _MOST_NAMED)}.",
            place=(frame.function, frame.filename and tail(frame.filename), frame.first_line),
            change="worse" if new_us > base_us else "better",
            pairs=[number],
            details={"base_us": round(base_us, 3), "new_us": round(new_us, 3), "calls": calls},
            key=("run_time", number),
            because_of=cause and cause.key,
        )


def _totals(matches: Sequence[_Match]) -> tuple[float, float]:
    return (
        math.fsum(match.base_us or 0.0 for match in matches),
        math.fsum(match.new_us or 0.0 for match in matches),
    )


_Key = Callable[[Kernel], Hashable]


def _name(kernel: Kernel) -> Hashable:
    return kernel.code_event is None, kernel.name


def _family(kernel: Kernel) -> Hashable:
    return kernel.code_event is None, kernel.family


def _lines(kernel: Kernel) -> Hashable:
    return kernel.lines or None


def _lines_and_kind(kernel: Kernel) -> Hashable:
    return (kernel.lines, kernel.is_generated) if kernel.lines else None


def _part(match: _Match, calls: int) -> str:
    kernel = match.new or match.base
    name = code(kernel.name if kernel else "")
    us = duration(abs(match.difference_us) / calls)
    if match.base is None or match.new is None:
        return f"{name} is {'new' if match.base is None else 'gone'} ({us})"
    return f"{name} is {us} {'slower' if match.difference_us > 0 else 'faster'}"


def _rounded(us: float | None) -> float | None:
    return None if us is None else round(us, 3)


def run_time_notes(both: Sequence[ComparedLog]) -> Iterator[str]:
    """Yield notes about measured times that cannot be compared, or only with care."""
    rows = [log["run_time"] for log in both if log["run_time"] is not None]
    sides: tuple[Side, ...] = ("base", "new")
    for side in sides:
        if any(row["missing"] == side for row in rows):
            yield (
                f"The {side} run has no profiler trace, so run times are not compared."
                " Add one with tlparse-bundle add-profile."
            )
    speeds = sorted(row["speed"] for row in rows if not 1 / _SPEED < row["speed"] < _SPEED)
    if speeds:
        speed = speeds[-1] if speeds[-1] > 1 else speeds[0]
        factor = f"{speed:.1f}× slower" if speed > 1 else f"{1 / speed:.1f}× faster"
        yield f"Kernels with the same code ran {factor}, so the machine probably differs."
