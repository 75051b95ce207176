"""Where the program calls a collective: from the stacks of kernels that provenance tracking records (INDUCTOR_PROVENANCE=1)."""

from __future__ import annotations

import re

from tlparse_bundle.findings.places import is_of_program
from tlparse_bundle.ranks.frames import Frames


def source_of(frames: Frames, number: int, op: str) -> dict:
    """``file``, ``line`` and ``code`` of the only line of the program that calls a collective in a frame; {} when it is not known, or there are several."""
    name = re.compile(rf"c10d_functional.*\.{re.escape(op)}(_out|_)?\b")
    groups = {group["id"] for group in frames.table("provenance_groups") if frames.number_of(group) == number}
    sources = frames.table("provenance_sources")
    found: set[int | None] = set()
    for kernel in frames.table("provenance_kernels"):
        if kernel["group"] in groups and name.search(kernel["name"]):
            found |= {_innermost(stack, sources) for stack in kernel["sources"]}
    (row,) = found if len(found) == 1 else (None,)
    return {} if row is None else {key: sources[row][key] for key in ("file", "line", "code")}


def _innermost(stack: list[int], sources: list[dict]) -> int | None:
    """Return the innermost line of the program in a stack, whose outermost caller comes first."""
    return next((row for row in reversed(stack) if is_of_program(sources[row]["file"])), None)
