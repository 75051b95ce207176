"""CUDA graphs: recordings, reasons for skipping them, and the line that torch names."""

import json

import pytest
from log_builder import log, record

T0 = 1_795_246_200_000_000
STACK = """skipping cudagraphs due to mutated inputs (2 instances). Found from :
   File "/home/user/project/train.py", line 8, in step
    return helper(x)
  File "/home/user/project/helpers.py", line 3, in helper
    x.add_(1)
  File "/opt/venv/lib/python3.11/site-packages/lib/inner.py", line 9, in inner
    return x
"""


@pytest.fixture(scope="session")
def program(built, root):
    def open_log(name):
        (it,) = built(root / "fixtures" / "versions" / "2.13.0" / f"{name}.log.zst").logs
        return it

    return open_log


def the(it, kind):
    return [row for row in it.findings() if row["kind"] == kind]


def test_a_skip_has_the_line_that_torch_names(program):
    it = program("cudagraphs")
    rows = it.table("cuda_graphs")
    assert [(row["compile"], row["function"], row["line"], row["source_line"]) for row in rows] == [
        ("0/0", "f", 8, "return x.sin()"), ("1/0", "g", 13, "return x.cos()"),
    ]  # fmt: skip
    assert all(row["file"].endswith("program.py") and row["record_count"] == 0 for row in rows)
    (finding,) = the(it, "cudagraph-skip")
    assert (finding["file"], finding["line"], finding["function"]) == ("program.py", 8, "f")
    assert "torch names 1 more line: `program.py:13`." in finding["text"]


def metrics(reason):
    value = json.dumps({"compilation_metrics": {"co_name": "step", "cudagraph_skip_reason": reason}})
    return log('dynamo_start 0/0 {"stack": []}') + record(
        f"compilation_metrics 0/0 {json.dumps(json.loads(value)['compilation_metrics'])}"
    )


def test_the_line_is_that_of_the_program_not_of_a_library(log_of):
    it = log_of(metrics(STACK))
    (finding,) = the(it, "cudagraph-skip")
    assert (finding["file"], finding["line"], finding["function"]) == (
        "/home/user/project/helpers.py",
        3,
        "helper",
    )
    assert finding["title"].endswith("skipping cudagraphs due to mutated inputs (2 instances)")
    assert it.table("cuda_graphs")[0]["function"] == "inner"  # the innermost, as torch writes it


def test_a_reason_without_a_colon_before_its_stack(log_of):
    reason = 'skipping cudagraphs due to disabling cudagraphs due to incompatible op aten.nonzero.default Found from   File "/home/user/project/a.py", line 4, in f\n    y = x.nonzero()\n'
    it = log_of(metrics(reason))
    (row,) = it.table("cuda_graphs")
    assert (row["file"], row["line"], row["source_line"]) == ("/home/user/project/a.py", 4, "y = x.nonzero()")
    assert the(it, "cudagraph-skip")[0]["title"].endswith("incompatible op aten.nonzero.default")


def test_a_reason_without_a_stack_has_the_function_as_its_place(log_of):
    it = log_of(metrics("skipping cudagraphs due to multiple devices: device('cpu')"))
    assert it.table("cuda_graphs")[0]["file"] is None
    assert the(it, "cudagraph-skip")[0]["function"] == "step"


def test_recordings_by_graph(program):
    it = program("cudagraph_records")
    rows = it.table("cuda_graphs")
    assert [(row["compile"], row["direction"], row["record_count"]) for row in rows] == [
        ("0/0", "forward", 5), ("1/0", "forward", 1), ("1/0", "backward", 1),
    ]  # fmt: skip
    assert all(row["record_us"] >= 10_000 * row["record_count"] for row in rows)
    assert len(rows[0]["record_events"]) == 5
    (finding,) = the(it, "cudagraph-rerecord")
    assert "`f` was recorded 5 times" in finding["title"] and finding["cost_us"] == rows[0]["record_us"]
    assert finding["compiles"] == ["0/0"]


def test_a_recording_of_an_unknown_compile_is_kept(log_of):
    events = b"".join(
        record(
            "chromium_event",
            payload=json.dumps({"name": "CUDAGraphNode.record", "ph": phase, "ts": T0 + us, "args": {"compile_id": "7/7"}}),
        )
        for phase, us in (("B", 0), ("E", 50), ("E", 70))
    )  # fmt: skip
    it = log_of(events)
    (row,) = it.table("cuda_graphs")
    assert (row["compile"], row["record_count"], row["record_us"]) == (None, 1, 50)
