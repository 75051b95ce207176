"""The collectives that the code of a compile calls."""

from __future__ import annotations

from tlparse_bundle.ranks.calls import Call, calls_of_code, calls_of_graph
from tlparse_bundle.ranks.frames import Frames
from tlparse_bundle.ranks.stages import stage_artifacts
from tlparse_bundle.read.rows import Artifact

_MAX_KNOWN = 20_000
_known: dict[tuple, list[Call]] = {}  # by the hashes of code and graph: equal ranks have equal ones


def calls_of_frame(frames: Frames, number: int) -> tuple[list[Call] | None, int]:
    """(calls of a frame, number of its compiled graphs). A frame that did not end may lack some: None."""
    stages = stage_artifacts(frames, number)
    codes = [artifact for artifact in stages["code"] if artifact.language == "python"]
    graphs = stages["post_grad"] or stages["inference"] or [*stages["forward"], *stages["backward"]]
    if codes and len(codes) == len(stages["code"]):
        paired = stages["post_grad"] if len(stages["post_grad"]) == len(codes) else [None] * len(codes)
        return [call for code, graph in zip(codes, paired) for call in _read(code, graph)], len(codes)
    if frames.compiles[number]["status"] in (None, "unfinished", "failed"):
        return None, len(graphs)
    if graphs:
        return [call for graph in graphs for call in _read(None, graph)], len(graphs)
    return ([call for graph in stages["dynamo"] for call in _read(None, graph)] if stages["dynamo"] and not _hit(frames, number) else None), 1


def _hit(frames: Frames, number: int) -> bool:
    """Whether a cache gave the compiled code, so that later graphs are not in the log."""
    return any(row["outcome"] == "hit" and frames.number_of(row) == number for row in frames.table("caches"))


def _read(code: Artifact | None, graph: Artifact | None) -> list[Call]:
    key = code and code.sha256, graph and graph.sha256
    if key not in _known:
        if len(_known) >= _MAX_KNOWN:
            _known.clear()
        of_graph = calls_of_graph(graph.text() or "") if graph else []
        _known[key] = of_graph if code is None else calls_of_code(code.text() or "", of_graph)
    return _known[key]
