"""Tables need only the payloads in their ``reads``, because a separate process gets no others."""

import copy

import pytest
import traces
from tlparse_bundle import build, discover
from tlparse_bundle.base.diagnostics import Diagnostics
from tlparse_bundle.log.stacks import StackTable
from tlparse_bundle.pipeline.log_tables import LogTables
from tlparse_bundle.tables.registry import TABLES, Tables
from tlparse_bundle.tables.table import TableContext
from tlparse_bundle.tables.tally import Tally

LOGS = (
    "vllm/llama-cold/*.log.zst",
    "caches/trace/cold/*.log",
    "provenance_graphs/trace/*.log",
    "recompiles/trace/*.log",
    "graph_breaks/trace/*.log",
    "failures/trace/*.log",
)


def rows_of(cls, batches, is_read):
    """Return rows of the tables of a class; events lose their payload unless it ``is_read``."""
    context = TableContext(StackTable(), Diagnostics(), Tally())
    tables = Tables([cls], context)
    for batch in batches:
        context.stacks.extend(batch.stacks)
        context.tally.origins += batch.origins
        context.tally.add(batch.kinds, batch.compiles, batch.rows)
        events = [copy.copy(event) for event in batch.events]
        for event in events:
            if not is_read(tables, event):
                event.payload = None
        tables.observe(events)
        tables.observe_spans(batch.spans)
    (table,) = tables
    return {name: list(rows) for name, rows in table.tables()}, context.diagnostics.rows()


@pytest.mark.parametrize("pattern", LOGS)
def test_the_payloads_that_are_read_suffice(pattern, monkeypatch, tmp_path):
    batches, feed = [], LogTables.feed

    def keep(tables, batch):
        batches.append(batch)
        feed(tables, batch)

    monkeypatch.setattr(LogTables, "feed", keep)
    path = next((traces.ROOT / "fixtures").glob(pattern))
    build(discover([path]), tmp_path / "out", jobs=1)
    assert any(event.payload is not None for batch in batches for event in batch.events)
    for cls in TABLES:
        with_all = rows_of(cls, batches, lambda tables, event: True)
        assert rows_of(cls, batches, Tables.read) == with_all, cls.name
