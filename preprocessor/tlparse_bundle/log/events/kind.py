"""Kinds of events: title, phase, language of the payload, and a line of help."""

from __future__ import annotations

from typing import NamedTuple

# Languages of payloads. none: the kind has no payload.
LANGUAGES = ("fx", "python", "cpp", "json", "guards", "bytecode", "csv", "text", "none")


class Kind(NamedTuple):
    """``key`` is an event type, or ``artifact:`` and a name in which ``*`` stands for anything."""

    key: str
    title: str
    phase: str
    language: str  # one of LANGUAGES
    help: str


class Phase(NamedTuple):
    id: str
    title: str
    help: str


PHASES = (
    Phase("process", "Process", "About the process and the log itself."),
    Phase("dynamo", "Dynamo", "TorchDynamo traces Python bytecode into an FX graph and creates guards."),
    Phase("shapes", "Shapes", "Symbolic shapes: symbols, their guards, and the inputs they come from."),
    Phase("export", "Export", "torch.export and draft export."),
    Phase("autograd", "Compiled autograd", "Compiled autograd captures the backward pass while it runs."),
    Phase("distributed", "Distributed", "DDP graph splits, collectives, and decisions across ranks."),
    Phase(
        "aot",
        "AOTAutograd",
        "AOTAutograd traces forward and backward, functionalizes and partitions the graph.",
    ),
    Phase("inductor", "Inductor", "TorchInductor optimizes the graph and generates code."),
    Phase("cache", "Caches", "Lookups in compile caches, and reasons for misses."),
    Phase("runtime", "Metrics and run time", "Compile metrics, and events while compiled code ran."),
    Phase("other", "Other", "Events that this version does not recognize."),
)
