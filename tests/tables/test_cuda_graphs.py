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
    assert finding["title"].endswith("without CUDA graphs: mutated inputs (2 instances)")
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


@pytest.fixture(scope="session")
def on_gpu(built, root):
    def open_log(name):
        (it,) = built(root / "fixtures" / "cuda" / f"{name}.log.zst").logs
        return it

    return open_log


def test_recordings_by_graph(on_gpu):
    """The docstring of the program has the truth, which torch's own log messages state."""
    it = on_gpu("cuda_graphs")
    rows = it.table("cuda_graphs")
    names = {row["compile"]: row["function"] for row in it.table("compiles")}
    assert {
        (names[row["compile"]], row["compile"]): (row["prepare_count"], row["record_count"])
        for row in rows
        if row["direction"] == "forward"
    } == {
        ("fixed", "0/0"): (1, 1),
        ("sizes", "1/0"): (6, 6),
        ("first", "2/0"): (1, 0),
        ("first", "2/1"): (4, 4),
        ("after", "3/0"): (1, 4),
        ("parts", "4/0"): (2, 2),
        ("changes", "5/0"): (1, 0),
        ("scaled", "6/0"): (None, 0),
        ("found", "7/0"): (None, 0),
        ("keeps", "8/0"): (1, 1),
        ("once", "9/0"): (1, 0),
        ("steps", "10/0"): (1, 1),
    }
    (backward,) = (row for row in rows if row["direction"] == "backward")
    assert (backward["compile"], backward["prepare_count"], backward["record_count"]) == ("10/0", 1, 1)
    assert all(row["record_us"] >= 500 * row["record_count"] for row in rows)
    assert all(len(row["record_events"]) == row["record_count"] for row in rows)


def test_why_a_graph_is_recorded_again(on_gpu):
    it = on_gpu("cuda_graphs")
    found = {row["function"]: row for row in the(it, "cudagraph-rerecord")}
    assert set(found) == {"sizes", "first", "after"}  # not `parts`, whose two parts are recorded once each
    for name in ("sizes", "first"):
        assert "each new set of its sizes and integers" in found[name]["text"]
        assert [remedy["code"] for remedy in found[name]["remedies"]] == [None]
    assert "The sizes did not change." in found["after"]["text"]
    assert [remedy["code"] for remedy in found["after"]["remedies"]] == [
        "torch.compiler.cudagraph_mark_step_begin()"
    ]
    (sizes,) = (row for row in it.table("cuda_graphs") if row["compile"] == "1/0")
    assert found["sizes"]["cost_us"] == sizes["record_us"] and "recorded 6 times" in found["sizes"]["title"]


def test_why_a_graph_is_not_recorded(on_gpu):
    """`keeps` changes its input, too: it is marked as static, which is the remedy. `once` ran once."""
    it = on_gpu("cuda_graphs")
    found = {row["function"]: row for row in the(it, "cudagraph-skip")}
    assert {name: row["title"] for name, row in found.items()} == {
        "scaled": "1 graph of `scaled` runs without CUDA graphs: cpu device (arg1_1)",
        "found": "1 graph of `found` runs without CUDA graphs: incompatible op aten.nonzero.default",
        "changes": "`changes` runs without CUDA graphs: it changes its input `x`",
    }
    assert [remedy["code"] for remedy in found["changes"]["remedies"]] == [
        None,
        "torch._dynamo.mark_static_address(x)",
    ]
    assert it.summary["cudagraph_skip_count"] == 3


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
