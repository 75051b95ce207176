"""One run of a program, as far as it is compared: one log."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tlparse_bundle.ranks.frames import Frame, Frames
from tlparse_bundle.ranks.identity import Contents
from tlparse_bundle.read.reader import Log
from tlparse_bundle.read.rows import Compile


@dataclass
class Run:
    """``bundle``: name of the bundle. Tables are read when they are asked for."""

    bundle: str
    log: Log
    contents: Contents

    @cached_property
    def _frames(self) -> Frames:
        return Frames(self.log, self.contents)

    @cached_property
    def frames(self) -> list[Frame]:
        """What was compiled, in order; attempts of one compile are one."""
        return self._frames.rows()

    @cached_property
    def _number(self) -> dict[str, int]:
        return {frame.key: number for number, frame in enumerate(self.frames)}

    def compile(self, frame: Frame) -> Compile:
        """The last attempt of a frame."""
        return self._frames.compiles[self._number[frame.key]][-1]

    def frame_of(self, compile_index: int) -> Frame | None:
        """The frame that a row of the compile table is an attempt of."""
        number = self._frames.number(compile_index)
        return None if number is None else self.frames[number]

    def time_us(self, frame: Frame) -> int | None:
        """Forward and backward; None when unknown."""
        row = self.compile(frame).row
        known = [row[name] for name in ("compile_time_us", "backward_time_us") if row[name] is not None]
        return sum(known) if known else None

    @cached_property
    def summary(self) -> dict:
        return self.log.row["summary"]

    @cached_property
    def findings(self) -> list[dict]:
        return self.log.findings()["findings"]

    @cached_property
    def spans(self) -> dict[str, int]:
        """Microseconds by name of span, without those of the spans within."""
        table = self.log.table("spans")
        return {name: us for name, us, count in zip(table["names"], table["by_name"]["self_us"], table["by_name"]["count"]) if count}

    @cached_property
    def span_counts(self) -> dict[str, int]:
        table = self.log.table("spans")
        return {name: count for name, count in zip(table["names"], table["by_name"]["count"]) if count}

    @cached_property
    def phases(self) -> dict[str, int]:
        """Microseconds by phase, of the compiles whose metrics tell them."""
        sums = {"dynamo": 0, "aot_autograd": 0, "inductor": 0, "backward": 0}
        for frame in self.frames:
            row = self.compile(frame).row
            whole, backend, inductor = (row[name] or 0 for name in ("compile_time_us", "backend_time_us", "inductor_time_us"))
            sums["dynamo"] += max(0, whole - backend)
            sums["aot_autograd"] += max(0, backend - inductor)
            sums["inductor"] += inductor
            sums["backward"] += row["backward_time_us"] or 0
        return sums
