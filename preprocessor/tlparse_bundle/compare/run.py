"""One run of a program, as far as it is compared: one log of a bundle."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property

from tlparse_bundle.compare.texts import Texts
from tlparse_bundle.errors import BundleError
from tlparse_bundle.findings.ends import ends_early
from tlparse_bundle.model.times import compiling_us, forward_us
from tlparse_bundle.ranks.frames import CAPTURED, Frame, Frames
from tlparse_bundle.read.reader import Log
from tlparse_bundle.read.rows import Artifact

GENERATED = ("inductor_output_code",)
_TRACED = {"aot_inference_graph": False, "aot_joint_graph": True, "aot_backward_graph": True}
_OF_INDUCTOR = ("aot_autograd", "fx_graph")  # caches that other backends do not use
_WANTED = frozenset((*CAPTURED, *GENERATED, *_TRACED))
PHASES = ("dynamo", "aot_autograd", "inductor", "backward")


class _Frames(Frames):
    """The frames of a log, of whose thousands of artifacts only those are made that are compared."""

    @cached_property
    def compared(self) -> dict[str | None, list[Artifact]]:
        """By the key of their compile. The table is let go of: its memory does for that of the other run."""
        found: dict[str | None, list[Artifact]] = {}
        for row in self.log.table("artifacts"):
            if row["name"] in _WANTED:
                found.setdefault(row["compile"], []).append(Artifact(self.log, row))
        return found

    def artifacts(self, number: int) -> list[Artifact]:
        artifacts = self.compared.get(self.compiles[number]["compile"], [])
        last = max((artifact.row["attempt"] for artifact in artifacts), default=0)
        return [artifact for artifact in artifacts if artifact.row["attempt"] == last]


class Run:
    """``name`` is that of the bundle. Tables are read when they are asked for."""

    def __init__(self, name: str, log: Log, texts: Texts):
        self.name = name
        self.log = log
        self.texts = texts

    @cached_property
    def _frames(self) -> _Frames:
        return _Frames(self.log, self.texts)

    @cached_property
    def frames(self) -> list[Frame]:
        """What was compiled, in order; attempts of one compile are one."""
        return self._frames.rows()

    @cached_property
    def _number(self) -> dict[str, int]:
        return {frame.key: number for number, frame in enumerate(self.frames)}

    @property
    def payloads(self) -> set[str | None]:
        """Hashes of all payloads that are compared; None among them where an artifact has none."""
        return {artifact.sha256 for artifacts in self._frames.compared.values() for artifact in artifacts}

    def compile(self, frame: Frame) -> dict:
        """The row of a frame in compiles."""
        return self._frames.compiles[self._number[frame.key]]

    def frames_of(self, compiles: Collection[str]) -> list[Frame]:
        """The frames with these keys."""
        numbers = {self._frames.number(key) for key in compiles} - {None}
        return [self.frames[number] for number in sorted(numbers)]

    def time_us(self, frame: Frame) -> int | None:
        """Forward and backward; None when unknown."""
        row = self.compile(frame)
        return row["backward_us"] if row["total_us"] is None else row["total_us"]

    def graph_text(self, frame: Frame) -> bytes:
        """The graph that Dynamo captured; empty when the log has none."""
        return next((artifact.bytes() or b"" for artifact in self._frames.artifacts(self._number[frame.key]) if artifact.name in CAPTURED and not artifact.is_left_out), b"")

    def is_training(self, frame: Frame) -> bool | None:
        """Whether AOTAutograd made a backward graph of it; None when the log does not tell, as of what a cache had."""
        made = {_TRACED[artifact.name] for artifact in self._frames.artifacts(self._number[frame.key]) if artifact.name in _TRACED}
        return made.pop() if len(made) == 1 else None

    def together_us(self, frames: Iterable[Frame]) -> int:
        """Of several, each moment once; 0 when no time is known."""
        return compiling_us(self.compile(frame) for frame in frames) or 0

    def generated(self, frame: Frame) -> list[Artifact]:
        """The code that Inductor made of it; empty when a cache had it."""
        return [artifact for artifact in self._frames.artifacts(self._number[frame.key]) if artifact.name in GENERATED]

    def reached(self, frame: Frame) -> str | None:
        """The last step of a compile: ``inductor``, ``aot_autograd`` or ``dynamo``, which tells backends apart; None when it did not succeed or vLLM compiled it in pieces."""
        row = self.compile(frame)
        if row["status"] != "ok" or self.pieces["backends"] or not row["graph_node_count"]:
            return None
        if self.generated(frame) or row["inductor_us"] is not None or any(lookup["cache"] in _OF_INDUCTOR for lookup in self.lookups(frame)):
            return "inductor"
        traced = any(artifact.name in _TRACED for artifact in self._frames.artifacts(self._number[frame.key]))
        return "aot_autograd" if traced else "dynamo"

    @cached_property
    def generated_count(self) -> int:
        """How many files of code Inductor generated, or a cache returned, in the whole log."""
        return sum(artifact.name in GENERATED for artifacts in self._frames.compared.values() for artifact in artifacts)

    @cached_property
    def summary(self) -> dict:
        return self.log.summary

    @property
    def untold(self) -> set[str]:
        """What its torch does not write (findings/untold.py)."""
        return set(self.summary["untold"])

    @cached_property
    def ends_early(self) -> str | None:
        """Why what the log lacks may come behind its end, in words; None when it is whole."""
        manifest = self.log.bundle.manifest
        own = ends_early(self.summary, self.findings, manifest.get("growing", False))
        if own is not None:
            return f"the log {own}" if self.log.rank is None else f"the log of rank {self.log.rank} {own}"
        others = (row for row in manifest["logs"] if row["rank"] is not None and self.log.rank is not None)  # when a rank is killed, the others wait for it, and end
        return next((f"the log of rank {row['rank']} {why}" for row in others if (why := ends_early(row["summary"], (), False))), None)

    @cached_property
    def findings(self) -> list[dict]:
        return self.log.findings()

    @cached_property
    def torch_version(self) -> str | None:
        return self.log.row["torch_version"]

    def _rows(self, name: str) -> list[dict]:
        """Return the rows of a table; [] where it was left out of a redacted bundle."""
        return [] if self.log.is_missing(name) else self.log.table(name)

    @cached_property
    def configs(self) -> list[dict]:
        """The configurations of torch that its metrics record."""
        return self._rows("metric_configs")

    @cached_property
    def _lookups(self) -> dict[int, list[dict]]:
        found: dict[int, list[dict]] = {}
        for row in self._rows("caches"):
            number = self._frames.number_of(row)
            if number is not None:
                found.setdefault(number, []).append(row)
        return found

    def lookups(self, frame: Frame) -> list[dict]:
        """Rows of the cache table, of all attempts of a frame."""
        return self._lookups.get(self._number[frame.key], [])

    def payload(self, event_index: int) -> bytes:
        """What the record of an artifact holds; nothing where the bundle is redacted. Raises BundleError when there is no such artifact."""
        row = self._artifact_of.get(event_index)
        if row is None:
            raise BundleError(f"log {self.log.id} has no artifact {event_index}", code="not-found")
        return b"" if row.is_left_out else row.bytes() or b""

    @cached_property
    def _artifact_of(self) -> dict[int, Artifact]:
        return {artifact.event: artifact for artifact in self.log.artifacts}

    @cached_property
    def pieces(self) -> dict[str, list[dict]]:
        """Backends of vLLM and their pieces."""
        return {"backends": self._rows("vllm_backends"), "pieces": self._rows("vllm_pieces")}

    @cached_property
    def spans(self) -> dict[str, tuple[int, int]]:
        """By name of span: microseconds without those of the spans within, and how often."""
        return {row["name"]: (row["self_us"], row["count"]) for row in self._rows("span_totals")}

    def durations_us(self, name: str) -> list[int]:
        """Of the spans of a name that ended, with those of the spans within."""
        return [row["duration_us"] for row in self.log.table("spans") if row["name"] == name and row["duration_us"] is not None]

    @cached_property
    def phases(self) -> dict[str, int | None]:
        """Microseconds by phase, from the metrics of the compiles: 0 for a phase that no compile reached, None where metrics are missing."""
        rows = [row for row in map(self.compile, self.frames) if row["status"] is not None]
        times: dict[str, list[int]] = {phase: [] for phase in PHASES}
        for row in rows:
            if row["dynamo_us"] is not None or row["total_us"] is not None:
                times["dynamo"].append((forward_us(row) if row["dynamo_us"] is None else row["dynamo_us"]) + (row["restart_us"] or 0))
            for phase, field in (("aot_autograd", "aot_us"), ("inductor", "inductor_us"), ("backward", "backward_us")):
                if row[field] is not None:
                    times[phase].append(row[field])
        complete = bool(rows) and all(row["total_us"] is not None for row in rows)
        return {phase: sum(measured) if measured or complete else None for phase, measured in times.items()}
