"""Graph breaks, once per place and reason, and their records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from tlparse_bundle.log.compile_id import CompileId
from tlparse_bundle.log.event import Event
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.table import TableContext
from tlparse_bundle.tables.text.breaks import RepeatedBreaks, parse_break, parse_reason
from tlparse_bundle.tables.text.record_values import cut, payload_text, unexpected

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import GraphBreakRecordsRow, GraphBreaksRow
    from tlparse_bundle.tables.text.breaks import BreakFields, PlaceFields

    class _BreakFields(BreakFields):
        text: str | None


_NO_PLACE: PlaceFields = {
    "file": None,
    "line": None,
    "function": None,
    "source_line": None,
    "user_traceback": None,
}
_Attempt = tuple[CompileId | None, int]  # compile id with its attempt, and which occurrence of it


class _Record(NamedTuple):
    event: int
    compile: str | None
    attempt: int | None
    graph_break: int
    skips_frame: bool | None
    skips_rest: bool


# torch/_dynamo/symbolic_convert.py: step_graph_break
_REST = "previous resumable state, then skipping the rest of the function"


class GraphBreaks:
    name = "graph_breaks"
    types = frozenset(("artifact", "compilation_metrics"))

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._breaks: list[_BreakFields] = []
        self._numbers: dict[tuple[str | int | None, ...], int] = {}
        self._records: list[_Record] = []
        self._repeated = RepeatedBreaks()
        self._last: dict[_Attempt, int] = {}  # position of the last record of each attempt
        # Attempts of records, by position, whose text does not say that the frame is skipped.
        self._unclear: dict[int, _Attempt] = {}
        # Last attempts of frame compiles that ended well, with nothing in their graph.
        self._without_graph: set[_Attempt] = set()

    @staticmethod
    def wants(event: Event) -> bool:
        return event.name == "dynamo_graph_break_reason"

    reads = wants

    def observe(self, event: Event) -> None:
        if event.type == "compilation_metrics":
            if (
                type(event.value) is dict
                and not event.value.get("graph_op_count")
                and event.value.get("fail_type") is None
            ):
                self._without_graph.add((event.compile_id, event.occurrence))
            return
        if not self.wants(event):
            return
        text = payload_text(event)
        skips_rest = _REST in text
        parsed = parse_break(text)
        if parsed is not None and parsed[0]["reason"]:
            fields, _, skips_frame = parsed
            row: _BreakFields = {**fields, "text": None}
        else:
            unexpected(self._diagnostics, event, "unknown format of a graph break")
            first_line = text.strip().split("\n", 1)[0]
            row = {**parse_reason(first_line), "followed_by": [], **_NO_PLACE, "text": cut(text)}
            skips_frame = None
        attempt = event.compile_id, event.occurrence
        if self._repeated.is_repeated(attempt, event.compile, text):
            self._add_to(self._last.get(attempt, len(self._records) - 1), row, skips_frame, skips_rest)
            return
        self._last[attempt] = len(self._records)
        # The explanation is not part of the key: it can hold addresses. Resume functions and recompiles
        # come to the same line of the same file.
        number = self._numbers.setdefault(_key(row), len(self._breaks))
        if number == len(self._breaks):
            self._breaks.append(row)
        if skips_frame is False and event.compile_id is not None:
            self._unclear[len(self._records)] = event.compile_id, event.occurrence
        self._records.append(
            _Record(event.index, event.compile, event.attempt, number, skips_frame, skips_rest)
        )

    def _add_to(self, number: int, row: _BreakFields, skips_frame: bool | None, skips_rest: bool) -> None:
        """Give the break of a record what the next record says of it, which is more."""
        record = self._records[number]
        self._breaks[record.graph_break] = row
        self._numbers.setdefault(_key(row), record.graph_break)
        self._records[number] = record._replace(
            skips_frame=record.skips_frame or skips_frame, skips_rest=record.skips_rest or skips_rest
        )
        if skips_frame:
            self._unclear.pop(number, None)

    def _record(self, number: int) -> _Record:
        """Return the row of a record.

        Before torch 2.11 the text does not say whether the frame is skipped; the attempt then has no
        graph.
        """
        record, attempt = self._records[number], self._unclear.get(number)
        return record if attempt is None else record._replace(skips_frame=attempt in self._without_graph)

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        records = [self._record(number) for number in range(len(self._records))]
        yield "graph_breaks", Rows(self._break_rows(records))
        yield "graph_break_records", Rows(_record_row(record) for record in records)

    def _break_rows(self, records: list[_Record]) -> Iterator[GraphBreaksRow]:
        records_of: list[list[_Record]] = [[] for _ in self._breaks]
        for record in records:
            records_of[record.graph_break].append(record)
        for number, (row, own) in enumerate(zip(self._breaks, records_of, strict=True)):
            compiles = dict.fromkeys(record.compile for record in own if record.compile is not None)
            yield {
                "id": number,
                "count": len(own),
                "skipped_frame_count": sum(record.skips_frame is True for record in own),
                "events": [record.event for record in own],
                "compiles": list(compiles),
                **row,
            }


def _key(row: _BreakFields) -> tuple[str | int | None, ...]:
    return row["reason"], row["file"], row["line"], row["gb_id"]


def _record_row(record: _Record) -> GraphBreakRecordsRow:
    return {
        "event": record.event,
        "compile": record.compile,
        "attempt": record.attempt,
        "graph_break": record.graph_break,
        "skips_frame": record.skips_frame,
        "skips_rest": record.skips_rest,
    }
