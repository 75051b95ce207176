"""Findings about vLLM's compiles, and forbidden ones."""

import json

import pytest
from log_builder import record, span


@pytest.fixture(scope="module")
def real(built, root):
    def of(name):
        (log,) = built(next((root / "fixtures" / "vllm" / name).glob("*.log.zst"))).logs
        return log.findings()

    return of


def of(rows, kind):
    return [row for row in rows if row["kind"] == kind]


def test_a_piece_that_a_warm_start_compiled_is_named_with_its_time(real):
    (row,) = of(real("llama-jit-warm"), "vllm-warm-compile")
    assert row["title"] == "Warm start compiled `submod_4` for 1–64 tokens in 3.61 s and loaded 10 pieces"
    assert (row["severity"], row["cost_us"], row["count"]) == ("warning", 3_614_766, 1)
    assert "same graph as `submod_2` for 1–64 tokens, which was loaded" in row["text"]
    assert not of(real("llama-warm"), "vllm-warm-compile")


def test_the_headline_of_a_start_that_compiles_nothing(built, root):
    (log,) = built(root / "fixtures" / "vllm" / "llama-warm").logs
    assert log.summary["text"] == "No compiles in this log. vLLM loaded 10 pieces from its cache."


def test_a_piece_with_an_equal_one_before_it(real):
    (row,) = of(real("llama-cold"), "vllm-reuse-failed")
    assert (
        row["title"]
        == "vLLM compiled `submod_4` for 8 tokens although `submod_2` for 8 tokens has an equal graph"
    )
    assert (
        row["cost_us"] == 1_097_112
        and "but those of these two differ." in row["text"]
        and "identical" in row["text"]
    )


def test_the_failed_piece_is_tied_to_the_failure(real):
    rows = real("llama-fail")
    (row,) = of(rows, "vllm-piece-failed")
    assert (
        row["title"].startswith("vLLM failed to compile `submod_0` for 1 token: AttributeError")
        and row["severity"] == "error"
    )
    assert rows[row["because_of"]]["kind"] == "failure"
    assert row["details"]["done_count"] == 0


def test_a_capture_that_takes_most_of_it(real):
    (row,) = of(real("llama-fail"), "vllm-capture")
    assert row["title"] == "Dynamo's capture of the model took 2.17 s of 3.26 s"
    assert row["cost_us"] is None and "stopped before it generated code" in row["text"]


def test_single_sizes(real):
    (row,) = of(real("llama-cold"), "vllm-sizes")
    assert row["title"] == "Compiling sizes 1 and 8 took 31.9 s of 42.9 s for all pieces"
    assert (
        "The compiled ranges include these sizes." in row["text"]
        and "`cudagraph_mode` is `NONE`" in row["text"]
    )
    assert row["cost_us"] == 31_851_145 - 14_552_635 and row["details"]["sizes"] == [1, 8]


def test_unknown_times_are_not_reported(log_of):
    """Without a timeline, pieces last from record to record, and these have one time."""
    said = {
        "submod_name": "submod_0",
        "compile_range_start": 8,
        "compile_range_end": 8,
        "is_single_size": True,
    }
    parts = [
        record("artifact:vllm_compilation_config", payload="{}"),
        record("artifact:vllm_piecewise_compile_start", payload=json.dumps(said)),
        record("inductor_output_code", payload="x"),
        record("artifact:vllm_execution_code", payload="x"),
    ]
    assert [row["kind"] for row in log_of(b"".join(parts)).findings() if row["kind"].startswith("vllm")] == []


@pytest.mark.parametrize(("capture_us", "said"), [(900_000, 0), (1_500_000, 1)])
def test_a_short_capture_is_not_reported(log_of, capture_us, said):
    parts = [
        span("fullgraph_capture", "B", 1), span("vllm_backend", "B", 1 + capture_us), record("artifact:vllm_compilation_config", payload="{}"),
        span("vllm_backend", "E", 1000 + capture_us), span("fullgraph_capture", "E", 2000 + capture_us),
    ]  # fmt: skip
    assert len(of(log_of(b"".join(parts)).findings(), "vllm-capture")) == said
