"""The code that Inductor generated, its kernels and the operations that it calls, and what torch logs about
Triton kernels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tlparse_bundle.log.event import Event
from tlparse_bundle.log.json_text import parse_json
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.table import ParseCache, TableContext
from tlparse_bundle.tables.text.generated_code import Code, Kernel, read_code
from tlparse_bundle.tables.text.record_values import payload_text, text_or_none, unexpected

MAX_INFOS = 5000  # Triton kernels of one triton_kernel_info

_CODE_ARTIFACTS = {"inductor_autotune_at_compile_time_code": "autotuning"}
_DUMPS = ("wrapper", "kernel", "header")
_DIRECTIONS = ("forward", "backward", "inference")


class Kernels:
    name = "kernels"
    types = frozenset(("inductor_output_code", "graph_dump", "artifact"))

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._codes = Rows()
        self._kernels = Rows()  # with null for the triton_kernel_info, which is logged later
        self._triton_kernels = Rows()
        self._triton_events: dict[tuple, list[int]] = {}  # by compile, attempt and name of the kernel
        self._joined = Rows()  # the kernels, as far as their triton_kernel_info is final
        self._read = ParseCache(_reading)

    @staticmethod
    def wants(event: Event) -> bool:
        return event.type != "artifact" or event.name == "triton_kernel_info" or event.name in _CODE_ARTIFACTS

    reads = wants

    def observe(self, event: Event) -> None:
        if event.type == "artifact":
            if event.name == "triton_kernel_info":
                self._observe_info(event)
            elif event.name in _CODE_ARTIFACTS:
                self._observe_code(event, _CODE_ARTIFACTS[event.name])
        elif event.type == "inductor_output_code":
            self._observe_code(event, "output")
        else:
            self._observe_code(
                event, next((role for role in _DUMPS if f"_{role}_" in (event.name or "")), "other")
            )

    def _observe_code(self, event: Event, role: str) -> None:
        cells, kernels = self._read(event.hash, event)
        value = event.value if type(event.value) is dict else {}
        place = {"compile": event.compile, "attempt": event.attempt}
        self._kernels.extend(
            {"code_event": event.index, **place, **kernel, "triton_event": None} for kernel in kernels
        )
        self._codes.append(
            {
                "event": event.index,
                **place,
                "role": role,
                "filename": text_or_none(value.get("filename")),
                "subgraph_name": text_or_none(event.metadata.get("subgraph_name"))
                if event.metadata
                else None,
                **cells,
            }
        )

    def _observe_info(self, event: Event) -> None:
        try:
            kernels = parse_json(event.payload or b"")
        except ValueError:
            kernels = None
        if type(kernels) is not dict:
            unexpected(self._diagnostics, event, "no object of kernels")
            return
        for name, info in list(kernels.items())[:MAX_INFOS]:
            info = info if type(info) is dict else {}
            time_us = info.get("compile_time_us")
            count = info.get("num_configs")
            row = {
                "event": event.index,
                "compile": event.compile,
                "attempt": event.attempt,
                "name": text_or_none(name),
                "compile_time_us": time_us
                if type(time_us) in (int, float) and 0 <= time_us < 2**53
                else None,
                "config_count": count if type(count) is int and 0 <= count < 2**53 else None,
                "autotune_cache_state": text_or_none(info.get("autotune_cache_state")),
            }
            self._triton_events.setdefault((event.compile, event.attempt, row["name"]), []).append(
                event.index
            )
            self._triton_kernels.append(row)

    def settle(self) -> None:
        """See Table: a triton_kernel_info after the code stays the one of its kernel."""
        if self._triton_events:
            self._join(at_end=False)

    def tables(self) -> Iterator[tuple[str, Rows]]:
        if self._triton_events:
            self._join(at_end=True)
        yield "generated_code", self._codes
        yield "kernels", self._joined if self._triton_events else self._kernels
        yield "triton_kernels", self._triton_kernels

    def _join(self, at_end: bool) -> None:
        """Give the next kernels the event of their triton_kernel_info; before the end only as far as these
        cannot change.
        """
        for kernel in self._kernels.since(len(self._joined)):
            event_index = None
            if kernel["kind"] == "triton":
                events = self._triton_events.get((kernel["compile"], kernel["attempt"], kernel["name"]), ())
                event_index, follows = _info_of(events, kernel["code_event"])
                if not (follows or at_end):
                    break
            self._joined.append(kernel | {"triton_event": event_index})


def _reading(event: Event) -> tuple[dict, list[dict]]:
    """Return the fields of the row of a code, and those of the rows of its kernels."""
    code = read_code(payload_text(event))
    return _code_cells(code), [_kernel_cells(kernel) for kernel in code.kernels.values()]


def _info_of(events: Sequence[int], code_event: int) -> tuple[int | None, bool]:
    """Return the event of a kernel's triton_kernel_info, and whether it comes after the code.

    torch logs it when the code's kernels were compiled, after the code; forward and backward of one compile
    can have kernels of one name.
    """
    for event_index in events:
        if event_index > code_event:
            return event_index, True
    return (events[-1] if events else None), False


def _code_cells(code: Code) -> dict:
    direction = code.aot_id.rpartition("_")[2] if code.aot_id else None
    return {
        "aot_id": code.aot_id,
        "direction": direction if direction in _DIRECTIONS else None,
        "line_count": code.line_count,
        "kernel_count": len(code.kernels),
        "cut": code.cut,
    }


def _kernel_cells(kernel: Kernel) -> dict:
    return {
        "name": kernel.name,
        "kind": kernel.kind,
        "line": kernel.line,
        "call_lines": kernel.call_lines,
        "call_handles": kernel.call_handles,
        "source_nodes": list(kernel.source_nodes),
        "aten_ops": list(kernel.aten_ops),
    }
