"""Tables of communication: decisions of passes over collectives, and data that ranks exchanged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from tlparse_bundle.log.event import Event
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.table import TableContext, place_of
from tlparse_bundle.tables.text.record_values import (
    cut,
    number_or_none,
    payload_json,
    payload_text,
    text_or_none,
    unexpected,
)

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import (
        CollectiveBucketsRow,
        CollectiveReportsRow,
        CollectiveSizesRow,
    )
    from tlparse_bundle.tables.table import RecordPlace

    class _Place(RecordPlace):
        name: str


MAX_ENTRIES = 20_000  # collectives or nodes of one record
MAX_VALUES = 500  # of one report
MAX_BEGINNING = 2000  # characters of a report
_MAX_READ = 1_000_000  # characters of a report that are searched for values

_REPORTS = re.compile(
    r"(?:pre_bucketing_fsdp_collectives|inductor_fx_passes_overlap_bucketing|inductor_overlap_cyclic_extra_deps|"
    r"reorder_communication_preserving_peak_memory|sink_waits_iterative_info|scheduler_nodes_before_comm_overlap|"
    r"inductor_spmd_graph_mismatch|compiler_collective|.*_ITERATIVE_RECOMPUTE_ERROR)\Z",
    re.DOTALL,
)
_BUCKETS = re.compile(r"fx_bucketing_passes_\w+_buckets\Z")
_SIZES = re.compile(r"pre_bucketing_collective_sizes")
_VALUE = re.compile(r"\b([A-Za-z]\w{0,80})=(\[[^\[\]\n]{0,1000}\]|[^\s,;()\[\]{}]{1,200})")
_CHANGE = re.compile(r"\b([a-z]\w{0,80}) (\d{1,9}) ?-> ?(\d{1,9})\b")
_STATE = re.compile(
    r"^([^:\n]{1,500}): ([^\n]{1,1000})$", re.MULTILINE
)  # torch/_dynamo/pgo.py: source: state
_NAME = re.compile(r"[^\s,'\"\[\]()]{1,300}")


class Communication:
    name = "communication"
    types = frozenset(("artifact",))

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._reports: Rows[CollectiveReportsRow] = Rows()
        self._buckets: Rows[CollectiveBucketsRow] = Rows()
        self._sizes: Rows[CollectiveSizesRow] = Rows()

    @staticmethod
    def wants(event: Event) -> bool:
        return _form(event.name or "") is not None

    reads = wants

    def observe(self, event: Event) -> None:
        name = event.name or ""
        form = _form(name)
        if form is None:
            return
        place: _Place = {**place_of(event), "name": cut(name)}
        if form is _BUCKETS:
            self._buckets.append({**place, "buckets": _buckets(payload_text(event))})
        elif form is _SIZES:
            self._observe_sizes(event, place)
        else:
            text = payload_text(event)
            read = text[:_MAX_READ]
            values = _first(_STATE if name == "compiler_collective" else _VALUE, read)
            changes = _first(_CHANGE, read)
            lines = text.count("\n") + 1 if text else 0
            self._reports.append(
                {
                    **place,
                    "line_count": lines,
                    "values": {match[1]: match[2] for match in values},
                    "changes": {match[1]: [int(match[2]), int(match[3])] for match in changes},
                    "text": text[:MAX_BEGINNING],
                }
            )

    def _observe_sizes(self, event: Event, place: _Place) -> None:
        value = payload_json(event)
        if type(value) is not list:
            unexpected(self._diagnostics, event, "not a list of collectives")
            return
        self._sizes.extend(
            {
                **place,
                "node": text_or_none(row.get("name")),
                "type": text_or_none(row.get("type")),
                "size_mb": number_or_none(row.get("size_mb")),
            }
            for row in value[:MAX_ENTRIES]
            if type(row) is dict
        )

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        yield "collective_reports", self._reports
        yield "collective_buckets", self._buckets
        yield "collective_sizes", self._sizes


@lru_cache(256)
def _form(name: str) -> re.Pattern[str] | None:
    """Return the pattern that matches the name of an artifact."""
    return next((pattern for pattern in (_BUCKETS, _SIZES, _REPORTS) if pattern.match(name)), None)


def _first(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    return list(islice(pattern.finditer(text), MAX_VALUES))


def _buckets(text: str) -> list[list[str]]:
    """Parse ``[[a, b], [c]]``, the str of lists of nodes (torch/_inductor/fx_passes/bucketing.py)."""
    buckets, left = [], MAX_ENTRIES
    for part in text.split("]")[: MAX_ENTRIES + 1]:
        names = _NAME.findall(part.rpartition("[")[2])[:left]
        if names:
            buckets.append(names)
            left -= len(names)
    return buckets
