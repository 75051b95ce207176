"""What a kind of event means to a person: title, phase, language of the payload, one line of help."""

from __future__ import annotations

from typing import NamedTuple

# Of payloads; none: the kind has no payload.
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
    Phase("dynamo", "Dynamo", "TorchDynamo traces Python bytecode into an FX graph and makes guards."),
    Phase(
        "shapes", "Shapes", "Symbolic shapes: symbols, what is known of them, and the inputs they come from."
    ),
    Phase("export", "Export", "torch.export and draft export."),
    Phase("autograd", "Compiled autograd", "Compiled autograd captures the backward pass while it runs."),
    Phase("distributed", "Distributed", "Splitting of graphs for DDP, collectives, decisions across ranks."),
    Phase(
        "aot",
        "AOTAutograd",
        "AOTAutograd traces forward and backward, functionalises and partitions the graph.",
    ),
    Phase("inductor", "Inductor", "TorchInductor optimises the graph and generates code."),
    Phase("cache", "Caches", "What was found in which compile cache, and why not."),
    Phase(
        "runtime", "Metrics and run time", "Measurements of compiles, and what happened when the code ran."
    ),
    Phase("other", "Other", "Events that this version of the tool knows nothing about."),
)
