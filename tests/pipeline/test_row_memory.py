"""A log whose tables do not fit in memory gets the same bundle."""

import pytest
import traces
from hypothesis import given
from log_strategies import any_bytes, cases
from tlparse_bundle import build, discover
from tlparse_bundle.pipeline.written_log import RowMemory
from tlparse_bundle.tables import code_objects

FIXTURES = (
    *("recompiles", "graph_breaks", "failures", "transformer", "killed", "dynamo_reset", "caches"),
    *("compiled_autograd", "aoti", "export_dtrace", "dynamic_shapes", "ranks4"),
)


@pytest.mark.parametrize("fixture", FIXTURES)
def test_the_bundle_is_the_same_with_any_memory(fixture, root, built, tmp_path, monkeypatch):
    trace = root / "fixtures" / fixture / "trace"
    expected = traces.files(built(trace).folder)
    monkeypatch.setattr(code_objects, "_MOST", 2)
    build(discover([trace]), tmp_path / "little", jobs=1, memory_bytes=1)
    assert traces.files(tmp_path / "little") == expected


@cases(20)
@given(content=any_bytes())
def test_of_any_bytes(content, tmp_path_factory):
    folder = tmp_path_factory.mktemp("any")
    (folder / "dedicated_log_torch_trace_x.log").write_bytes(content)
    made = []
    for memory_bytes in (1, 10**9):
        build(discover([folder / "dedicated_log_torch_trace_x.log"]), folder / str(memory_bytes), jobs=1,
              memory_bytes=memory_bytes)  # fmt: skip
        made.append(traces.files(folder / str(memory_bytes)))
    assert made[0] == made[1]


def test_tables_share_the_memory_of_their_log():
    memory = RowMemory(6000)
    assert [memory.take(size_bytes) for size_bytes in (600, 500, 400, 1)] == [True, False, True, False]
