"""Where the program calls a collective: from the stacks of kernels that provenance tracking records (INDUCTOR_PROVENANCE=1)."""

from __future__ import annotations

import re

from tlparse_bundle.findings.places import is_of_program
from tlparse_bundle.ranks.frames import Frames


def source_of(frames: Frames, number: int, op: str) -> dict:
    """``file``, ``line`` and ``code`` of the only line of the program that calls a collective in a frame; {} when it is not known, or there are several."""
    table = frames.table("provenance")
    strings, sources, stacks = table["strings"], table["sources"], table["stacks"]
    name = re.compile(rf"c10d_functional.*\.{re.escape(op)}(_out|_)?\b")
    indexes = {compile.index for compile in frames.compiles[number]}
    found = set()
    for group in table["groups"]:
        if group["compile_index"] in indexes:
            for kernel, own in zip(group["kernels"]["name"], group["kernels"]["stacks"]):
                if name.search(strings[kernel]):
                    found |= {_innermost(stacks[stack], sources, strings) for stack in own}
    if len(found) != 1 or None in found:
        return {}
    (row,) = found
    code = sources["code"][row]
    return {"file": strings[sources["file"][row]], "line": sources["line"][row], "code": strings[code] if code >= 0 else None}


def _innermost(stack: list[int], sources: dict, strings: list[str]) -> int | None:
    """The innermost line of the program in a stack, whose outermost caller comes first."""
    return next((row for row in reversed(stack) if is_of_program(strings[sources["file"][row]])), None)
