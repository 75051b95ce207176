"""Mappings between graph nodes and kernels that torch logs, all versions in one form.

torch/_inductor/debug.py. Version 1 names kernels only ("extern_kernels.mm"). Version 2 adds a debug handle
("extern_kernels.mm:3"), one per call. A lazy backward has no pre-grad graph: ``{"version": 2.0}``. torch 2.6
and 2.7 log the parts alone: inductor_post_to_pre_grad_nodes and inductor_triton_kernel_to_post_grad_nodes.
"""

from __future__ import annotations

import re
from typing import Any

from tlparse_bundle.tables.provenance.source_lines import Source, frames_of

MAX_PAIRS = 1_000_000  # of one table of one graph
_MAX_DEPTH = 100
_HANDLE = re.compile(r"(.+):(\d{1,9})\Z", re.DOTALL)


def split_handle(name: str) -> tuple[str, int | None]:
    """Split a kernel name and its handle at the last colon, since C++ names contain colons."""
    match = _HANDLE.match(name)
    return (match[1], int(match[2])) if match else (name, None)


class Mapping:
    """Distinct pairs of names, in log order."""

    def __init__(self) -> None:
        self.version: int | None = None
        self.pre_to_post: dict[tuple[str, str], None] = {}
        self.kernel_to_post: dict[tuple[str, str], None] = {}
        self.kernels: dict[str, None] = {}
        self.stacks: dict[str, list[tuple[Source, ...]]] = {}

    def add_nodes(self, value: Any) -> bool:
        """Add inductor_provenance_tracking_node_mappings; return False for other payloads."""
        if type(value) is not dict:
            return False
        version = value.get("version", 1)
        self.version = int(version) if type(version) in (int, float) and 0 <= version < 1000 else None
        _add_pairs(self.pre_to_post, value.get("preToPost"))
        _add_pairs(self.pre_to_post, value.get("postToPre"), swap=True)
        self.add_kernels(value.get("cppCodeToPost"))
        _add_pairs(self.kernel_to_post, value.get("postToCppCode"), swap=True)
        self.kernels.update(dict.fromkeys(kernel for kernel, _ in self.kernel_to_post))
        return True

    def add_kernels(self, value: Any) -> bool:
        """Add inductor_triton_kernel_to_post_grad_nodes: {kernel: [post-grad nodes]}."""
        if type(value) is not dict:
            return False
        self.kernels.update(dict.fromkeys(value))
        _add_pairs(self.kernel_to_post, value)
        return True

    def add_origins(self, value: Any, graph_id: int | None) -> bool:
        """Add inductor_post_to_pre_grad_nodes: {post-grad node: [origins]}, each with its graph and own
        origins.

        Reads it like create_mapping_pre_post_grad_nodes of torch/_inductor/debug.py.
        """
        if type(value) is not dict:
            return False
        if graph_id is None:
            return True
        for post, origins in value.items():
            level = origins if type(origins) is list else []
            for _ in range(_MAX_DEPTH):
                level = [origin for origin in level if type(origin) is dict]
                for origin in level:
                    if origin.get("graph_id") == graph_id and type(origin.get("name")) is str:
                        self.pre_to_post[origin["name"], post] = None
                level = [
                    inner
                    for origin in level
                    if type(origin.get("from_node")) is list
                    for inner in origin["from_node"]
                ]
                if not level or len(level) > MAX_PAIRS:
                    break
        return True

    def add_stacks(self, value: Any) -> bool:
        """Add inductor_provenance_tracking_kernel_stack_traces: {kernel: [stack, …]}."""
        if type(value) is not dict:
            return False
        for kernel, stacks in value.items():
            self.kernels.setdefault(kernel)
            distinct = (
                dict.fromkeys(frames_of(stack) for stack in stacks if type(stack) is str)
                if type(stacks) is list
                else {}
            )
            self.stacks[kernel] = [frames for frames in distinct if frames]
        return True


def _add_pairs(pairs: dict[tuple[str, str], None], table: Any, swap: bool = False) -> None:
    if type(table) is not dict:
        return
    for key, values in table.items():
        for value in values if type(values) is list else ():
            if type(value) is str and len(pairs) < MAX_PAIRS:
                pairs[(value, key) if swap else (key, value)] = None
