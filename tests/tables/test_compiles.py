"""The compile table: status, times, functions, reasons."""

import json

import pytest
from log_builder import log, record, span

START = (
    'str ["a.py", 0]\n dynamo_start 0/0 {"stack": [{"line": 3, "name": "main", "filename": 0, "loc": "f(x)"},'
    ' {"line": 1, "name": "f", "filename": 0}]}\n'
)


def metrics(**fields):
    return "compilation_metrics 0/0 " + json.dumps(fields) + "\n"


def row(log_of, text, key="0/0"):
    return log_of(log(text)).compile(key).row


def failure(row):
    return tuple(row[f"failure_{key}"] for key in ("type", "reason", "file", "line"))


@pytest.mark.parametrize(
    "fields,status",
    [
        ({"graph_op_count": 3, "restart_reasons": []}, "ok"),
        ({"graph_op_count": 3}, "ok"),  # old torch writes no restart_reasons: no break
        ({"graph_op_count": 3, "restart_reasons": None}, "ok"),
        ({"graph_op_count": 3, "restart_reasons": ["print"]}, "ok"),
        ({"graph_op_count": 0, "restart_reasons": ["print"]}, "empty"),
        ({"graph_op_count": None}, "empty"),
        ({}, "empty"),
        ({"fail_type": "Unsupported", "graph_op_count": 3, "restart_reasons": ["print"]}, "failed"),
        ({"fail_type": "Unsupported"}, "failed"),
        ({"fail_type": None, "graph_op_count": 1}, "ok"),
    ],
)
def test_status_by_metrics(fields, status, log_of):
    assert row(log_of, START + metrics(**fields))["status"] == status


def test_a_compile_that_started_and_left_no_metrics_is_unfinished(log_of):
    assert row(log_of, START)["status"] == "unfinished"


def test_an_id_without_records_is_not_a_compile(log_of):
    it = log_of(log("artifact:a 0/0\n | x"))
    assert it.compiles == [] and [attempt["status"] for attempt in it.table("attempts")] == [None]
    assert it.table("captures") == [
        {"compile": "0/0", "first_event": 0, "function": None, "file": None, "line": None}
    ]


def test_attempts_before_the_last_one_were_restarted(log_of):
    it = log_of(log(START + "artifact:dynamo_graph_break_reason 0/0\n | print\n dynamo_output_graph 0/0_1\n | graph\n"
                    'compilation_metrics 0/0_1 {"graph_op_count": 2, "restart_reasons": ["print"], "co_name": "f"}'))  # fmt: skip
    assert [
        (c.key, c.status, c.row["function"], c.row["graph_break_count"], c.row["attempt_count"])
        for c in it.compiles
    ] == [("0/0", "ok", "f", 1, 2)]
    attempts = [
        tuple(row[key] for key in ("compile", "attempt", "status", "restart_reason", "graph_break_count"))
        for row in it.table("attempts")
    ]
    assert attempts == [("0/0", 0, "restarted", "print", 1), ("0/0", 1, "ok", None, 0)]
    assert it.summary["statuses"]["ok"] == sum(it.summary["statuses"].values()) == 1
    assert it.compile("0/0").metrics == {"graph_op_count": 2, "restart_reasons": ["print"], "co_name": "f"}


def test_each_occurrence_has_its_own_status(log_of):
    it = log_of(
        log(
            START
            + metrics(graph_op_count=1)
            + START
            + metrics(
                fail_type="E", fail_reason="why", fail_user_frame_filename="a.py", fail_user_frame_lineno=4
            )
        )
    )
    assert [(c.key, c.status) for c in it.compiles] == [("0/0", "ok"), ("0/0@2", "failed")]
    assert failure(it.compile("0/0@2").row) == ("E", "why", "a.py", 4)
    assert failure(it.compile("0/0").row) == (None, None, None, None)


def test_a_failure_without_reason(log_of):
    assert failure(row(log_of, START + metrics(fail_type="E"))) == ("E", None, None, None)


# ---- functions and stacks


def test_the_function_comes_from_the_metrics_else_from_the_stack(log_of):
    known = row(log_of, START)
    assert (known["function"], known["file"], known["line"]) == ("f", "a.py", 1)
    told = row(log_of, START + metrics(co_name="g", co_filename="b.py", co_firstlineno=9))
    assert (told["function"], told["file"], told["line"]) == ("g", "b.py", 9)
    unknown = row(log_of, "dynamo_start 0/0")
    assert (unknown["function"], unknown["file"], unknown["line"]) == (None, None, None)


def test_a_recompile_that_fails_early_is_of_the_function_of_its_frame(log_of):
    it = log_of(
        log(
            START
            + metrics(co_name="f", graph_op_count=1)
            + 'compilation_metrics 0/1 {"fail_type": "RecompileLimitExceeded"}'
        )
    )
    assert [(row["compile"], row["function"]) for row in it.table("limits")] == [("0/1", "f")]


def test_the_function_of_another_compile_with_the_same_number_is_not_taken_over(log_of):
    """After torch._dynamo.reset() the number of a frame denotes a different code object."""
    it = log_of(
        log(
            START
            + metrics(co_name="before", graph_op_count=1)
            + 'dynamo_start 0/0\n compilation_metrics 0/0 {"fail_type": "E"}'
        )
    )
    assert [c.row["function"] for c in it.compiles] == ["before", None]


@pytest.mark.parametrize(
    "folder",
    ["torch/_dynamo", "/opt/venv/lib/python3.11/site-packages/torch/_dynamo", "C:\\\\py\\\\torch\\\\_dynamo"],
)
@pytest.mark.parametrize("name", ["_convert_frame", "catch_errors", "__call__", "_convert_frame_assert"])
def test_frames_of_frame_conversion_at_the_end_are_left_off(folder, name, log_of):
    path = folder + ("\\\\" if "\\" in folder else "/") + "convert_frame.py"
    it = log_of(log(f'str ["a.py", 0]\n str ["{path}", 1]\n dynamo_start 0/0 {{"stack": [{{"line": 1, "name": "f", "filename": 0}},'
                    f'{{"line": 2, "name": "{name}", "filename": 1}}, {{"line": 3, "name": "{name}", "filename": 1}}]}}'))  # fmt: skip
    assert [frame["function"] for frame in it.compile("0/0").stack] == ["f"]
    assert it.compile("0/0").row["function"] == "f"


def test_other_frames_at_the_end_stay(log_of):
    it = log_of(log('str ["my/convert_frame.py", 0]\n str ["torch/_dynamo/convert_frame.py", 1]\n'
                    'dynamo_start 0/0 {"stack": [{"line": 1, "name": "_convert_frame", "filename": 1}, {"line": 2, "name": "_convert_frame", "filename": 0}]}\n'
                    'dynamo_start 1/0 {"stack": [{"line": 2, "name": "user", "filename": 1}]}'))  # fmt: skip
    assert [len(it.compile(key).stack) for key in ("0/0", "1/0")] == [2, 1]


# ---- times and counts


def test_times_of_new_metrics(log_of):
    it = row(
        log_of,
        START
        + metrics(
            start_time_us=7,
            dynamo_cumulative_compile_time_us=50,
            aot_autograd_cumulative_compile_time_us=40,
            inductor_cumulative_compile_time_us=30,
        ),
    )
    assert [it[k] for k in ("start_epoch_us", "total_us", "dynamo_us", "aot_us", "inductor_us")] == [
        7,
        50,
        10,
        10,
        30,
    ]


def test_times_of_old_metrics_are_seconds(log_of):
    it = row(
        log_of,
        START
        + metrics(
            start_time=1.5,
            entire_frame_compile_time_s=2.25,
            backend_compile_time_s=1,
            inductor_compile_time_s=0.5,
        ),
    )
    assert [it[k] for k in ("start_epoch_us", "total_us", "dynamo_us", "aot_us", "inductor_us")] == [
        1_500_000,
        2_250_000,
        1_250_000,
        500_000,
        500_000,
    ]


def test_without_metrics_the_time_is_that_of_the_span(log_of):
    it = log_of(
        span("dynamo", "B", 100.0, "0/0")
        + log(START)
        + span("inner", "E", 120, "0/0")
        + span("dynamo", "E", 150.5, "0/0")
    )
    assert (it.compile("0/0").row["start_epoch_us"], it.compile("0/0").row["total_us"]) == (100, 50)


def test_attempts_are_counted_once_in_the_sum(log_of):
    it = log_of(
        log(
            START
            + "x 0/0_1\n"
            + metrics(start_time_us=7, dynamo_cumulative_compile_time_us=50)
            + 'compilation_metrics 1/0 {"co_name": "g", "start_time_us": 100,'
            ' "dynamo_cumulative_compile_time_us": 7}'
        )
    )
    assert it.summary["compile_us"] == 57


def test_times_of_backwards_add_up_apart(log_of):
    it = row(
        log_of,
        START
        + metrics(dynamo_cumulative_compile_time_us=50)
        + 'bwd_compilation_metrics 0/0 {"duration_us": 5}\n bwd_compilation_metrics 0/0'
        ' {"inductor_compile_time_s": 0.001}',
    )
    assert (it["total_us"], it["dynamo_us"], it["backward_us"], it["status"]) == (1055, 50, 1005, "empty")


def test_rows_add_up(log_of):
    data = log(
        'a\n artifact:b 0/0\n | text\n dynamo_start 0/0\n dynamo_output_graph 0/0_1\n | g\n link 0/0 {"name":'
        ' "n", "url": "u"}'
    )
    it = log_of(data)
    counts = ("event_count", "artifact_count", "first_event")
    assert [(c.key, *(c.row[count] for count in counts)) for c in it.compiles] == [("0/0", 4, 3, 1)]
    attempts = it.table("attempts")
    assert [(row["compile"], row["attempt"], *(row[count] for count in counts)) for row in attempts] == [
        ("0/0", 0, 3, 2, 1),
        ("0/0", 1, 1, 1, 3),
    ]
    outside = sum(row["size_bytes"] for row in it.table("events") if row["compile"] is None)
    assert (
        sum(row["size_bytes"] for row in attempts) == it.compiles[0].row["size_bytes"] == len(data) - outside
    )


# ---- reasons


def test_recompile_reasons(log_of):
    it = log_of(log('artifact:recompile_reasons 0/1\n | 0/0: size mismatch\n dynamo_start 0/1\n artifact:recompile_reasons 0/2\n | [\n | "one",\n | "two"\n | ]\n dynamo_start 0/2')
                + record('compilation_metrics 0/3 {"co_name": "f", "recompile_reason": "by metrics"}'))  # fmt: skip
    assert [it.compile(key).row["recompile_reason"] for key in ("0/1", "0/2", "0/3")] == [
        "0/0: size mismatch",
        "one\ntwo",
        "by metrics",
    ]


def test_artifacts_are_those_with_content(log_of):
    it = log_of(
        log("""
        dynamo_output_graph 0/0
            | graph
        artifact:without_payload 0/0
        dynamo_start 0/0
        chromium_event 0/0
            | {"name": "dynamo", "ph": "B", "ts": 1}
        compilation_metrics 0/0
        compilation_metrics_runtime 0/0
        link 0/0 {"name": "profile", "url": "https://example.org"}
        optimize_ddp_split_child 0/0 {"name": "submod_0"}
            | graph
        graph_dump 0/0 {"name": "wrapper"}
            | code
        brand_new 0/0
            | text
    """)
    )
    assert [a.name for a in it.artifacts] == [
        "dynamo_output_graph", "without_payload", "compilation_metrics", "compilation_metrics_runtime", "profile",
        "optimize_ddp_split_child_submod_0", "wrapper", "brand_new",
    ]  # fmt: skip
    assert it.artifacts[4].json() == {"name": "profile", "url": "https://example.org"}
