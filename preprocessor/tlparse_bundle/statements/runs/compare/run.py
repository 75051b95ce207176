"""One log of a bundle, with the data that comparisons use."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import cached_property
from itertools import compress
from operator import ne
from typing import TYPE_CHECKING, Any, NamedTuple

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.reader import Log
from tlparse_bundle.bundle.row_objects import Artifact
from tlparse_bundle.model.compiles import compiling_us, forward_us
from tlparse_bundle.statements.not_recorded import ends_early
from tlparse_bundle.statements.ranks.comparable_text import Contents, comparable, on_device
from tlparse_bundle.statements.ranks.frames import CAPTURED, Frame, FrameRow, Frames
from tlparse_bundle.statements.runs.compare.graph_structure import structure

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import (
        CachesRow,
        FindingsRow,
        MetricConfigsRow,
        VllmBackendsRow,
        VllmPiecesRow,
    )

_MOST_LINES = 100_000  # in the cache
_MOST_PAIRS = 100_000
_PLACE = re.compile(rb"(# File: [^\n]*?):\d+( in )")  # edits above change the line number
# torch/fx/experimental/symbolic_shapes.py: numbered up to torch 2.7, later named after their source.
_SYMBOL = re.compile(rb"\b[suz]\d+\b")
_KERNEL_FILE = b"# kernel path: "  # names a cache file: torch/_inductor/codegen/triton.py
GENERATED = ("inductor_output_code",)
_TRACED = {"aot_inference_graph": False, "aot_joint_graph": True, "aot_backward_graph": True}
_OF_INDUCTOR = ("aot_autograd", "fx_graph")  # caches that other backends do not use
_WANTED = frozenset((*CAPTURED, *GENERATED, *_TRACED))
PHASES = ("dynamo", "aot_autograd", "inductor", "backward")


class _Frames(Frames):
    """The frames of a log, with only the artifacts that are compared."""

    @cached_property
    def compared(self) -> dict[str | None, list[Artifact]]:
        """Compared artifacts by key of the compile. Does not keep the table, to save memory."""
        by_compile: dict[str | None, list[Artifact]] = {}
        rows: list[Any] = self.log.table("artifacts")
        for row in rows:
            if row["name"] in _WANTED:
                by_compile.setdefault(row["compile"], []).append(Artifact(self.log, row))
        return by_compile

    def artifacts(self, number: int) -> list[Artifact]:
        artifacts = self.compared.get(self.compiles[number]["compile"], [])
        last = max((artifact.row["attempt"] or 0 for artifact in artifacts), default=0)
        return [artifact for artifact in artifacts if (artifact.row["attempt"] or 0) == last]


class Pieces(NamedTuple):
    """Pieces that vLLM compiled; empty lists for a log without vLLM."""

    backends: list[VllmBackendsRow]
    pieces: list[VllmPiecesRow]


class Run:
    """A log of the bundle ``name``. Reads tables on first use."""

    def __init__(self, name: str, log: Log, texts: Texts):
        self.name = name
        self.log = log
        self.texts = texts
        self._structures: dict[str, str | None] = {}

    @cached_property
    def _frames(self) -> _Frames:
        return _Frames(self.log, self.texts)

    @cached_property
    def frames(self) -> list[Frame]:
        """Compiles in order."""
        return self._frames.rows()

    @cached_property
    def _number(self) -> dict[str, int]:
        return {frame.key: number for number, frame in enumerate(self.frames)}

    @property
    def payloads(self) -> set[str | None]:
        """Hashes of all compared payloads; None for an artifact without one."""
        return {artifact.sha256 for artifacts in self._frames.compared.values() for artifact in artifacts}

    def compile(self, frame: Frame) -> FrameRow:
        """Return the row of a frame in ``compiles``."""
        return self._frames.compiles[self._number[frame.key]]

    def frames_of(self, compiles: Collection[str]) -> list[Frame]:
        """Return the frames with these keys, in order."""
        numbers = {number for key in compiles if (number := self._frames.number(key)) is not None}
        return [self.frames[number] for number in sorted(numbers)]

    def time_us(self, frame: Frame) -> int | None:
        """Return the compile time, forward and backward; None: not recorded."""
        row = self.compile(frame)
        return row["backward_us"] if row["total_us"] is None else row["total_us"]

    def graph_text(self, frame: Frame) -> bytes:
        """Return the captured graph; empty if the log has none."""
        return next(
            (
                artifact.bytes() or b""
                for artifact in self._frames.artifacts(self._number[frame.key])
                if artifact.name in CAPTURED and not artifact.is_left_out
            ),
            b"",
        )

    def structure(self, frame: Frame) -> str | None:
        """Return a hash of the captured graph without names and places; None if the log has none."""
        if frame.key not in self._structures:
            self._structures[frame.key] = structure(self.graph_text(frame))
        return self._structures[frame.key]

    def is_training(self, frame: Frame) -> bool | None:
        """Return whether AOTAutograd built a backward graph; None: not recorded, as after a cache hit."""
        answers = {
            _TRACED[artifact.name]
            for artifact in self._frames.artifacts(self._number[frame.key])
            if artifact.name in _TRACED
        }
        return answers.pop() if len(answers) == 1 else None

    def together_us(self, frames: Iterable[Frame]) -> int:
        """Return the compile time of several frames; overlaps count once. 0 if not recorded."""
        return compiling_us(self.compile(frame) for frame in frames) or 0

    def generated(self, frame: Frame) -> list[Artifact]:
        """Return the code that Inductor generated; empty after a cache hit."""
        return [
            artifact
            for artifact in self._frames.artifacts(self._number[frame.key])
            if artifact.name in GENERATED
        ]

    def reached(self, frame: Frame) -> str | None:
        """Return the last step: 'inductor', 'aot_autograd' or 'dynamo'; None if it failed or is of vLLM."""
        row = self.compile(frame)
        if row["status"] != "ok" or self.pieces.backends or not row["graph_node_count"]:
            return None
        if (
            self.generated(frame)
            or row["inductor_us"] is not None
            or any(lookup["cache"] in _OF_INDUCTOR for lookup in self.lookups(frame))
        ):
            return "inductor"
        traced = any(artifact.name in _TRACED for artifact in self._frames.artifacts(self._number[frame.key]))
        return "aot_autograd" if traced else "dynamo"

    @cached_property
    def generated_count(self) -> int:
        """Number of code files that Inductor generated or a cache returned in the log."""
        return sum(
            artifact.name in GENERATED
            for artifacts in self._frames.compared.values()
            for artifact in artifacts
        )

    @cached_property
    def summary(self) -> dict[str, Any]:
        return self.log.summary

    @property
    def not_recorded(self) -> set[str]:
        """Topics that its torch version does not log (statements/not_recorded.py)."""
        return set(self.summary["not_recorded"])

    @cached_property
    def ends_early(self) -> str | None:
        """Why the log may be incomplete, in words; None if it is complete."""
        manifest = self.log.bundle.manifest
        own = ends_early(self.summary, self.findings, manifest.get("growing", False))
        if own is not None:
            return f"the log {own}" if self.log.rank is None else f"the log of rank {self.log.rank} {own}"
        others = (
            row for row in manifest["logs"] if row["rank"] is not None and self.log.rank is not None
        )  # the other ranks of a killed rank wait, then end
        return next(
            (
                f"the log of rank {row['rank']} {why}"
                for row in others
                if (why := ends_early(row["summary"], (), False))
            ),
            None,
        )

    @cached_property
    def findings(self) -> list[FindingsRow]:
        return self.log.findings()

    @cached_property
    def torch_version(self) -> str | None:
        version: str | None = self.log.row["torch_version"]
        return version

    def _rows(self, name: str) -> list[Any]:
        """Return the rows of a table; [] where it was left out of a redacted bundle."""
        return [] if self.log.is_missing(name) else self.log.table(name)

    @cached_property
    def configs(self) -> list[MetricConfigsRow]:
        """Torch configurations in the metrics."""
        return self._rows("metric_configs")

    @cached_property
    def _lookups(self) -> dict[int, list[CachesRow]]:
        by_compile: dict[int, list[CachesRow]] = {}
        for row in self._rows("caches"):
            number = self._frames.number_of(row)
            if number is not None:
                by_compile.setdefault(number, []).append(row)
        return by_compile

    def lookups(self, frame: Frame) -> list[CachesRow]:
        """Return the rows of ``caches`` for all attempts of a frame."""
        return self._lookups.get(self._number[frame.key], [])

    def payload(self, event_index: int) -> bytes:
        """Return the payload of an artifact; empty if redacted. Raise BundleError if it does not exist."""
        row = self._artifact_of.get(event_index)
        if row is None:
            raise BundleError(f"log {self.log.id} has no artifact {event_index}", code="not-found")
        return b"" if row.is_left_out else row.bytes() or b""

    @cached_property
    def _artifact_of(self) -> dict[int, Artifact]:
        return {artifact.event: artifact for artifact in self.log.artifacts}

    @cached_property
    def pieces(self) -> Pieces:
        """vLLM backends and pieces."""
        return Pieces(self._rows("vllm_backends"), self._rows("vllm_pieces"))

    @cached_property
    def spans(self) -> dict[str, tuple[int, int]]:
        """(Self time in microseconds, number of spans) by span name."""
        return {row["name"]: (row["self_us"], row["count"]) for row in self._rows("span_totals")}

    def durations_us(self, name: str) -> list[int]:
        """Return the total times of the finished spans of a name, in microseconds."""
        return [
            row["duration_us"]
            for row in self.log.table("spans")
            if row["name"] == name and row["duration_us"] is not None
        ]

    @cached_property
    def phases(self) -> dict[str, int | None]:
        """Microseconds by phase, from metrics: 0 if no compile reached it, None if metrics are missing."""
        rows = [row for row in map(self.compile, self.frames) if row["status"] is not None]
        times: dict[str, list[int]] = {phase: [] for phase in PHASES}
        for row in rows:
            dynamo_us = forward_us(row) if row["dynamo_us"] is None else row["dynamo_us"]
            if dynamo_us is not None:
                times["dynamo"].append(dynamo_us + (row["restart_us"] or 0))
            for phase, time_us in (
                ("aot_autograd", row["aot_us"]),
                ("inductor", row["inductor_us"]),
                ("backward", row["backward_us"]),
            ):
                if time_us is not None:
                    times[phase].append(time_us)
        complete = bool(rows) and all(row["total_us"] is not None for row in rows)
        return {phase: sum(measured) if measured or complete else None for phase, measured in times.items()}


class Texts(Contents):
    """Contents of the texts of two runs. ``common``: hashes of payloads of both runs, which are not read.

    Caches lines, since graphs and code repeat most of them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.common: set[str | None] = set()
        # Recompiles often generate the same code.
        self._same: dict[tuple[str | None, str | None], bool] = {}
        self._lines = {device: _Lines(device) for device in (False, True)}

    def __call__(self, artifact: Artifact) -> str | None:
        if artifact.sha256 in self.common:
            return artifact.sha256
        return None if artifact.is_left_out else super().__call__(artifact)

    def text(self, artifact: Artifact) -> bytes:
        text = artifact.bytes() or b""
        lines = b"\n".join(map(self._lines[on_device(text)].__getitem__, text.split(b"\n"))).rstrip(b"\n")
        if b"Sym(" not in lines:
            return lines
        names: dict[bytes, bytes] = {}
        return _SYMBOL.sub(lambda match: names.setdefault(match[0], b"s%d" % len(names)), lines)

    def same(self, one: Artifact, other: Artifact) -> bool:
        """Return whether two artifacts have equal contents, without hashing them."""
        if one.sha256 == other.sha256:
            return True
        pair = one.sha256, other.sha256
        if pair not in self._same:
            if len(self._same) >= _MOST_PAIRS:
                self._same.clear()
            self._same[pair] = self._alike(one, other)
        return self._same[pair]

    def _alike(self, one: Artifact, other: Artifact) -> bool:
        texts = [artifact.bytes() or b"" for artifact in (one, other)]
        ours, theirs = (text.split(b"\n") for text in texts)
        if len(ours) != len(theirs):
            return False
        different = list(compress(zip(ours, theirs, strict=True), map(ne, ours, theirs)))
        lines = self._lines[any(map(on_device, texts))]
        return all(lines[mine] == lines[its] for mine, its in different)


class _Lines(dict[bytes, bytes]):
    """The compared part of each line. ``device``: whether the text names a device."""

    def __init__(self, device: bool):
        super().__init__()
        self._device = device

    def __missing__(self, line: bytes) -> bytes:
        if len(self) >= _MOST_LINES:
            self.clear()
        if line.startswith(_KERNEL_FILE):
            part = _KERNEL_FILE
        else:
            part = comparable(line, self._device).rstrip()
            if b"# File: " in part:
                part = _PLACE.sub(
                    rb"\1\2", part
                ).lstrip()  # torch up to 2.8 writes another space, and spaces on empty lines
        self[line] = part
        return part
