"""Compiles of torch's native operators in other languages, such as CuTeDSL (torch 2.15 and newer)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tlparse_bundle.log.event import Event
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.table import TableContext, place_of
from tlparse_bundle.tables.text.record_values import (
    count_or_none,
    microseconds,
    payload_json,
    text_of,
    unexpected,
)

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import NativeCompilesRow


class NativeCompiles:
    name = "native_compiles"
    types = frozenset(("artifact",))

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._rows: Rows[NativeCompilesRow] = Rows()

    @staticmethod
    def wants(event: Event) -> bool:
        return event.name == "native_dsl_compile"  # torch/_native/instrumentation.py

    reads = wants

    def observe(self, event: Event) -> None:
        if not self.wants(event):
            return
        call = payload_json(event)
        if type(call) is not dict:
            unexpected(self._diagnostics, event, "not a JSON object")
            return
        compiled = call.get("compiled")
        self._rows.append(
            {
                **place_of(event),
                "op": text_of(call.get("op")),
                "dsl": text_of(call.get("dsl")),
                "outcome": text_of(call.get("outcome")),
                "compiled": compiled if type(compiled) is bool else None,
                "duration_us": microseconds(call.get("wall_ms"), 1e3),
                "key": text_of(call.get("key")),
                "hit_count": count_or_none(call.get("hits")),
                "miss_count": count_or_none(call.get("misses")),
            }
        )

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        yield "native_compiles", self._rows
