"""The collective calls of each compile of a log, as a digest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from tlparse_bundle.bundle.row_objects import Artifact
from tlparse_bundle.statements.ranks.collective_calls import Call, Started, calls_of_code, calls_of_graph
from tlparse_bundle.statements.ranks.frames import Frames, recorded_steps, stage_artifacts

_MAX_KEPT = 20_000
_calls_of: dict[tuple[str | None, str | None], list[Started]] = {}  # by the hashes of code and graph


class CallsDigest(TypedDict):
    """Calls of a log. A frame of ``frames`` is None where the log may lack some of its calls."""

    calls: list[list[Any]]  # the cells of each distinct Call of the log
    frames: list[list[int] | None]  # the calls of each frame by number
    later: list[list[int | None]]  # for each of them, see Started.later
    ran: list[int] | None  # frames in the order in which they ran; None: not recorded


def recorded_calls(frames: Frames) -> CallsDigest:
    """Return the calls of a log, and the order in which its graphs ran."""
    numbers: dict[Call, int] = {}
    of_frames: list[list[int] | None] = []
    later: list[list[int | None]] = []
    several = set()
    for number in range(len(frames)):
        started, graph_count = calls_of_frame(frames, number)
        of_frames.append(
            None if started is None else [numbers.setdefault(one.call, len(numbers)) for one in started]
        )
        later.append([one.later for one in started or ()])
        if graph_count > 1:
            several.add(number)
    steps = [frame for frame, _ in recorded_steps(frames) or ()]
    ran = [frame for frame in steps if frame is not None]
    # The record does not say which graph of a frame (forward, backward) ran.
    is_recorded = bool(ran) and len(ran) == len(steps) and not several.intersection(ran)
    return {
        "calls": [list(call) for call in numbers],
        "frames": of_frames,
        "later": later,
        "ran": ran if is_recorded else None,
    }


def calls_in(digest: CallsDigest, frame: int) -> list[Call]:
    """Return the calls of a frame of a digest; none where they are not recorded."""
    return [call_of(digest["calls"][number]) for number in digest["frames"][frame] or ()]


def call_of(cells: Sequence[Any]) -> Call:
    """Return a call of a digest. JSON turned its tuples into lists."""
    return Call._make(tuple(cell) if type(cell) is list else cell for cell in cells)


def calls_of_frame(frames: Frames, number: int) -> tuple[list[Started] | None, int]:
    """Return (calls of a frame, or None if the log may lack some; number of its compiled graphs)."""
    stages = stage_artifacts(frames, number)
    codes = [artifact for artifact in stages["code"] if artifact.language == "python"]
    graphs = stages["post_grad"] or stages["inference"] or [*stages["forward"], *stages["backward"]]
    if codes and len(codes) == len(stages["code"]):
        post_grad = stages["post_grad"]
        paired: Sequence[Artifact | None] = post_grad if len(post_grad) == len(codes) else [None] * len(codes)
        pairs = zip(codes, paired, strict=True)
        return [call for code, graph in pairs for call in _read(code, graph)], len(codes)
    if frames.compiles[number]["status"] in (None, "unfinished", "failed"):
        return None, len(graphs)
    if graphs:
        return [call for graph in graphs for call in _read(None, graph)], len(graphs)
    return (
        [call for graph in stages["dynamo"] for call in _read(None, graph)]
        if stages["dynamo"] and not _hit(frames, number)
        else None
    ), 1


def _hit(frames: Frames, number: int) -> bool:
    """Return whether a cache had the compiled code, so the log lacks later graphs."""
    return any(row["outcome"] == "hit" and frames.number_of(row) == number for row in frames.table("caches"))


def _read(code: Artifact | None, graph: Artifact | None) -> list[Started]:
    """Return the calls of code and its graph, read once for equal contents."""
    key = code.sha256 if code else None, graph.sha256 if graph else None
    if key not in _calls_of:
        if len(_calls_of) >= _MAX_KEPT:
            _calls_of.clear()
        of_graph = calls_of_graph(graph.text() or "") if graph else []
        _calls_of[key] = of_graph if code is None else calls_of_code(code.text() or "", of_graph)
    return _calls_of[key]
