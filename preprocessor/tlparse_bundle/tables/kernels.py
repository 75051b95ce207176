"""Code that Inductor generated, its kernels and operations, and records about Triton kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from tlparse_bundle.log.event import Event
from tlparse_bundle.tables.fallbacks import Fallbacks
from tlparse_bundle.tables.kernel_lines import KernelLines
from tlparse_bundle.tables.memory.graph_text import GraphText
from tlparse_bundle.tables.memory.table import POST_GRAD, Memory
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.table import ParseCache, TableContext, place_of
from tlparse_bundle.tables.text.generated_code import Code, Kernel, direction_of, read_code
from tlparse_bundle.tables.text.record_values import (
    Frame,
    count_or_none,
    cut,
    number_or_none,
    payload_json,
    payload_text,
    text_or_none,
    unexpected,
)

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import GeneratedCodeRow, KernelsRow, TritonKernelsRow
    from tlparse_bundle.tables.text.generated_code import Direction, KernelKind

    _Role = Literal["output", "wrapper", "kernel", "header", "autotuning", "other"]

    class _CodeFields(TypedDict):
        aot_id: str | None
        direction: Direction | None
        line_count: int
        kernel_count: int
        cut: bool

    class _KernelFields(TypedDict):
        name: str
        kind: KernelKind
        line: int | None
        call_lines: list[int]
        call_handles: list[int | None]
        source_nodes: list[str]
        aten_ops: list[str]


MAX_INFOS = 5000  # Triton kernels of one triton_kernel_info

_CODE_ARTIFACTS: dict[str, _Role] = {"inductor_autotune_at_compile_time_code": "autotuning"}
_ARTIFACTS = ("triton_kernel_info", POST_GRAD)
_GRAPH = "dynamo_output_graph"
_DUMPS: tuple[_Role, ...] = ("wrapper", "kernel", "header")


class Kernels:
    name = "kernels"
    types = frozenset(("inductor_output_code", "graph_dump", "artifact", _GRAPH)) | Memory.types

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._codes: Rows[GeneratedCodeRow] = Rows()
        self._kernels: Rows[KernelsRow] = Rows()  # with null for the triton_kernel_info, logged later
        self._triton_kernels: Rows[TritonKernelsRow] = Rows()
        # By compile, attempt and name of the kernel.
        self._triton_events: dict[tuple[str | None, int | None, str], list[int]] = {}
        self._joined: Rows[KernelsRow] = Rows()  # as far as their triton_kernel_info is final
        self._read = ParseCache(_parse)
        self._fallbacks = Fallbacks()
        self._memory = Memory()
        self._lines = KernelLines()

    @staticmethod
    def wants(event: Event) -> bool:
        return event.type != "artifact" or event.name in _ARTIFACTS or event.name in _CODE_ARTIFACTS

    reads = wants

    def observe(self, event: Event) -> None:
        if event.type in Memory.types or event.name == POST_GRAD:
            self._memory.observe(event)
        elif event.type == "artifact":
            if event.name == "triton_kernel_info":
                self._observe_info(event)
            elif event.name in _CODE_ARTIFACTS:
                self._observe_code(event, _CODE_ARTIFACTS[event.name])
        elif event.type == _GRAPH:
            self._fallbacks.observe_graph(event)
        elif event.type == "inductor_output_code":
            self._observe_code(event, "output")
        else:
            name = event.name or ""
            self._observe_code(event, next((role for role in _DUMPS if f"_{role}_" in name), "other"))

    def _observe_code(self, event: Event, role: _Role) -> None:
        fields, kernels, computed = self._read(event.hash, event)
        value = event.value if type(event.value) is dict else {}
        subgraph = event.metadata.get("subgraph_name") if event.metadata else None
        place = place_of(event)
        self._kernels.extend(
            {
                "code_event": place["event"],
                "compile": place["compile"],
                "attempt": place["attempt"],
                **kernel,
                "triton_event": None,
            }
            for kernel in kernels
        )
        if role in ("output", "wrapper"):
            self._fallbacks.observe_code(place, kernels)
            graph = self._fallbacks.graph_of(event.compile)
            program = None if graph is None else GraphText(graph)
            results: dict[str, list[Frame]] = {}
            if role == "output":
                results = self._memory.observe_code(event, fields["direction"], kernels, program)
            # The comments of a backward have names of its own, which Dynamo's graph can have, too.
            named = program if fields["direction"] != "backward" else None
            self._lines.observe(event.index, computed, named, results)
        self._codes.append(
            {
                **place,
                "role": role,
                "filename": text_or_none(value.get("filename")),
                "subgraph_name": text_or_none(subgraph),
                **fields,
            }
        )

    def _observe_info(self, event: Event) -> None:
        kernels = payload_json(event)
        if type(kernels) is not dict:
            unexpected(self._diagnostics, event, "not an object of kernels")
            return
        for name, info in list(kernels.items())[:MAX_INFOS]:
            info = info if type(info) is dict else {}
            time_us = number_or_none(info.get("compile_time_us"))
            row: TritonKernelsRow = {
                **place_of(event),
                "name": cut(name),
                "compile_time_us": time_us if time_us is not None and time_us >= 0 else None,
                "config_count": count_or_none(info.get("num_configs")),
                "autotune_cache_state": text_or_none(info.get("autotune_cache_state")),
            }
            key = row["compile"], row["attempt"], row["name"]
            self._triton_events.setdefault(key, []).append(event.index)
            self._triton_kernels.append(row)

    def settle(self) -> None:
        """See Table: later records don't change a triton_kernel_info that follows the code."""
        if self._triton_events:
            self._join(at_end=False)

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        if self._triton_events:
            self._join(at_end=True)
        yield "generated_code", self._codes
        yield "kernels", self._joined if self._triton_events else self._kernels
        yield "triton_kernels", self._triton_kernels
        yield from self._lines.tables()
        yield from self._fallbacks.tables()
        yield from self._memory.tables()

    def _join(self, at_end: bool) -> None:
        """Set the triton_kernel_info of further kernels; before the end of the log, only those that can't
        change.
        """
        for kernel in self._kernels.since(len(self._joined)):
            event_index = None
            if kernel["kind"] == "triton":
                events = self._triton_events.get((kernel["compile"], kernel["attempt"], kernel["name"]), ())
                event_index, follows = _info_of(events, kernel["code_event"])
                if not (follows or at_end):
                    break
            kernel["triton_event"] = event_index
            self._joined.append(kernel)


def _parse(event: Event) -> tuple[_CodeFields, list[_KernelFields], dict[str, list[str]]]:
    """Return the fields of the row of the code, and of the rows of its kernels, and the nodes of each."""
    code = read_code(payload_text(event))
    kernels = code.kernels.values()
    return (
        _code_fields(code),
        [_kernel_fields(kernel) for kernel in kernels],
        {kernel.name: list(kernel.computed) for kernel in kernels},
    )


def _info_of(events: Sequence[int], code_event: int) -> tuple[int | None, bool]:
    """Return the event of a kernel's triton_kernel_info, and whether it comes after the code.

    torch logs it after the code; forward and backward of one compile can share kernel names.
    """
    for event_index in events:
        if event_index > code_event:
            return event_index, True
    return (events[-1] if events else None), False


def _code_fields(code: Code) -> _CodeFields:
    return {
        "aot_id": code.aot_id,
        "direction": direction_of(code.aot_id),
        "line_count": code.line_count,
        "kernel_count": len(code.kernels),
        "cut": code.cut,
    }


def _kernel_fields(kernel: Kernel) -> _KernelFields:
    return {
        "name": kernel.name,
        "kind": kernel.kind,
        "line": kernel.line,
        "call_lines": kernel.call_lines,
        "call_handles": kernel.call_handles,
        "source_nodes": list(kernel.source_nodes),
        "aten_ops": list(kernel.aten_ops),
    }
