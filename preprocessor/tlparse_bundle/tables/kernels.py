"""The kernel table: the code that Inductor generated, its kernels, and the operations that it calls."""

from __future__ import annotations

from collections.abc import Sequence

from tlparse_bundle.tables.code_text import Code, Kernel, read_code
from tlparse_bundle.tables.columns import Columns
from tlparse_bundle.tables.json_list import JsonList
from tlparse_bundle.tables.remembered import Remembered
from tlparse_bundle.tables.table import TableContext
from tlparse_bundle.tables.texts import payload_text, text_or_none, unexpected
from tlparse_bundle.trace.event import Event
from tlparse_bundle.trace.json_text import parse_json

MAX_INFOS = 5000  # Triton kernels of one triton_kernel_info

_CODE_ARTIFACTS = {"inductor_autotune_at_compile_time_code": "autotuning"}
_DUMPS = ("wrapper", "kernel", "header")
_DIRECTIONS = ("forward", "backward", "inference")


class Kernels:
    name = "kernels"
    types = frozenset(("inductor_output_code", "graph_dump", "artifact"))

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._codes = JsonList()
        self._code_places = Columns("compile_index", "event_index")
        self._kernels = JsonList()  # rows as if they had no Triton info, which is written later
        self._infos = JsonList()
        self._known: dict[tuple, list[tuple[int, int]]] = {}  # numbers and events of the infos, by compile and name
        self._rows = JsonList()  # the kernels, as far as it is known which info each has
        self._read = Remembered(_reading)

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
            self._observe_code(event, next((role for role in _DUMPS if f"_{role}_" in (event.name or "")), "other"))

    def _observe_code(self, event: Event, role: str) -> None:
        cells, kernels = self._read(event.hash, event)
        value = event.value if type(event.value) is dict else {}
        place = {
            "event_index": event.index,
            "compile_index": event.compile_index,
            "role": role,
            "filename": text_or_none(value.get("filename")),
            "subgraph_name": text_or_none(event.metadata.get("subgraph_name")) if event.metadata else None,
        }
        self._kernels.extend({"code_index": len(self._codes), **kernel, "triton_info_index": None} for kernel in kernels)
        self._codes.append(place | cells)
        self._code_places.add(compile_index=event.compile_index, event_index=event.index)

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
                "event_index": event.index,
                "compile_index": event.compile_index,
                "name": text_or_none(name),
                "compile_time_us": time_us if type(time_us) in (int, float) and 0 <= time_us < 2**53 else None,
                "config_count": count if type(count) is int and 0 <= count < 2**53 else None,
                "autotune_cache_state": text_or_none(info.get("autotune_cache_state")),
            }
            self._known.setdefault((event.compile_index, row["name"]), []).append((len(self._infos), event.index))
            self._infos.append(row)

    def settle(self) -> None:
        """See Table: an info that stands behind the code stays the one of its kernel."""
        if self._infos:
            self._join(at_end=False)

    def table(self) -> dict:
        if self._infos:
            self._join(at_end=True)
        return {"codes": self._codes, "kernels": self._rows if self._infos else self._kernels, "triton_infos": self._infos}

    def _join(self, at_end: bool) -> None:
        """Give the next kernels their infos; before the end only as far as these cannot change."""
        compiles, events = self._code_places["compile_index"].whole(), self._code_places["event_index"].whole()
        for kernel in self._kernels.since(len(self._rows)):
            number = None
            if kernel["kind"] == "triton":
                code = kernel["code_index"]
                infos = self._known.get((compiles[code], kernel["name"]), ())
                number, follows = _info_of(infos, events[code])
                if not (follows or at_end):
                    break
            self._rows.append(kernel | {"triton_info_index": number})


def _reading(event: Event) -> tuple[dict, list[dict]]:
    """(cells of the row of a code, rows of its kernels)."""
    code = read_code(payload_text(event))
    return _code_cells(code), [_kernel_cells(kernel) for kernel in code.kernels.values()]


def _info_of(infos: Sequence[tuple[int, int]], event_index: int) -> tuple[int | None, bool]:
    """Number of a kernel's info, and whether it stands behind the code. torch writes it when the code's kernels were
    compiled, after the code; forward and backward of one compile can have kernels of one name.
    """
    for number, info_event_index in infos:
        if info_event_index > event_index:
            return number, True
    return (infos[-1][0] if infos else None), False


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
