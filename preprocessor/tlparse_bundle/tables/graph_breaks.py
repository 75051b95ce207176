"""The graph breaks: where Dynamo had to end a graph, each place and reason once."""

from __future__ import annotations

from tlparse_bundle.tables.break_text import parse_break, parse_reason
from tlparse_bundle.tables.table import TableContext
from tlparse_bundle.tables.texts import cut, payload_text, unexpected
from tlparse_bundle.trace.event import Event

_NO_PLACE = {"file": None, "line": None, "function": None, "source_line": None, "user_traceback": None}


class GraphBreaks:
    name = "graph_breaks"
    types = frozenset(("artifact", "compilation_metrics"))

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._rows: dict[tuple, dict] = {}
        self._unclear: list[tuple[tuple, dict]] = []  # occurrences whose text does not say that the frame is skipped, with their attempt
        self._without_graph: set[tuple] = set()  # last attempts of frame compiles that ended well, with nothing in their graph

    @staticmethod
    def wants(event: Event) -> bool:
        return event.name == "dynamo_graph_break_reason"

    reads = wants

    def observe(self, event: Event) -> None:
        if event.type == "compilation_metrics":
            if type(event.value) is dict and not event.value.get("graph_op_count") and event.value.get("fail_type") is None:
                self._without_graph.add((event.compile_id, event.occurrence))
            return
        if not self.wants(event):
            return
        text = payload_text(event)
        parsed = parse_break(text)
        if parsed is not None and parsed[0]["reason"]:
            cells, _, skips_frame = parsed
            cells = {**cells, "text": None}
        else:
            unexpected(self._diagnostics, event, "the text is none of the known forms of a graph break")
            first_line = text.strip().split("\n", 1)[0]
            cells = {**parse_reason(first_line), "followed_by": [], **_NO_PLACE, "text": cut(text)}
            skips_frame = None
        # The explanation is no part of the key: it can hold addresses. Resume functions and recompiles
        # come to the same line of the same file.
        key = (cells["reason"], cells["file"], cells["line"], cells["gb_id"])
        row = self._rows.setdefault(key, {**cells, "occurrences": []})
        occurrence = {"event_index": event.index, "compile_index": event.compile_index, "skips_frame": skips_frame}
        row["occurrences"].append(occurrence)
        if skips_frame is False and event.compile_id is not None:
            self._unclear.append(((event.compile_id, event.occurrence), occurrence))

    def table(self) -> dict:
        for attempt, occurrence in self._unclear:
            # Before 2.11 the text does not say it: Dynamo did not begin again at the break, and made no graph.
            occurrence["skips_frame"] = attempt in self._without_graph
        return {"graph_breaks": list(self._rows.values())}
