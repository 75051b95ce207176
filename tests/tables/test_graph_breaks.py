"""The table of graph breaks: the fixture checked against its program, and forms of the text without a
fixture.

The hand-made texts follow torch/_dynamo/symbolic_convert.py (log_graph_break), torch/_dynamo/convert_frame.py
and torch/_dynamo/exc.py: breaks that skip a frame are logged under TORCH_LOGS=graph_breaks only, and the
older forms come from torch 2.6 to 2.8.
"""

import json

import pytest
from log_builder import log, record

BRANCH_HINT = "Use `torch.cond` to express dynamic control flow."


@pytest.fixture(scope="session")
def fixture_log(built, root):
    (it,) = built(root / "fixtures/graph_breaks/trace").logs
    return it


def breaks(it):
    return it.table("graph_breaks")


def records(it, row):
    return [record for record in it.table("graph_break_records") if record["graph_break"] == row["id"]]


def only(it):
    (row,) = breaks(it)
    return row


def payload(text, compile_id="0/0"):
    return record(f"artifact:dynamo_graph_break_reason {compile_id}", payload=text)


def test_the_breaks_of_the_program(fixture_log, root):
    (truth,) = json.loads((root / "fixtures/graph_breaks/truth.json").read_text())["logs"].values()
    rows = breaks(fixture_log)
    assert [(row["line"], row["function"], row["gb_id"], row["compiles"]) for row in rows] == [
        (17, "prints_once", "GB0059", ["1/0"]),
        (24, "prints_last", "GB0059", ["3/0"]),
        (30, "scales_by_item", "GB0124", ["5/0"]),
        (36, "branches_on_tensor", "GB0170", ["7/0"]),
        (
            43,
            "inner_prints",
            "GB0059",
            ["10/0", "11/0"],
        ),  # inlined into calls_inner, then compiled on its own
    ]
    assert (
        sum(row["count"] for row in rows)
        == len(fixture_log.table("graph_break_records"))
        == truth["facts"]["graph_breaks"]
    )
    assert [row["id"] for row in rows] == [*range(len(rows))]
    assert {row["file"] for row in rows} == {"/home/user/project/program.py"}
    lines = (root / "fixtures/graph_breaks/program.py").read_text().split("\n")
    assert [row["source_line"] for row in rows] == [lines[row["line"] - 1].strip() for row in rows]
    assert not any(record["skips_frame"] for record in fixture_log.table("graph_break_records")) and {
        row["skipped_frame_count"] for row in rows
    } == {0}


def test_the_records_of_a_break(fixture_log):
    events = {event.index: event for event in fixture_log.events(name="dynamo_graph_break_reason")}
    rows = fixture_log.table("graph_break_records")
    assert [row["event"] for row in rows] == sorted(events)
    assert [(row["compile"], row["attempt"]) for row in rows] == [
        (compile, 0) for compile in ("1/0", "3/0", "5/0", "7/0", "10/0", "11/0")
    ]
    for row in breaks(fixture_log):
        assert row["events"] == [record["event"] for record in records(fixture_log, row)]
        assert row["compiles"] == list(
            dict.fromkeys(record["compile"] for record in records(fixture_log, row))
        )


def test_what_torch_says_about_a_break(fixture_log):
    branch = breaks(fixture_log)[3]
    assert branch["reason"] == "Data-dependent branching"
    assert branch["explanation"].startswith(
        "Detected data-dependent branching (e.g. `if my_tensor.sum() > 0:`)."
    )
    assert branch["explanation"].endswith("gt = gt(sum_1, 0)")
    assert len(branch["hints"]) == 3 and branch["hints"][-1] == BRANCH_HINT
    assert branch["debug_context"] == "attempted to jump with TensorVariable()"
    assert branch["link"] == "https://meta-pytorch.github.io/compile-graph-break-site/gb/gb0170.html"
    assert (branch["situation"], branch["followed_by"], branch["text"]) == (None, [], None)
    printed = breaks(fixture_log)[0]
    assert (
        printed["situation"]
        == "Encountered graph break when attempting to trace CALL: a function call, e.g. f(x, y):"
    )
    assert printed["user_traceback"].split("\n")[-2:] == [
        '  File "/home/user/project/program.py", line 17, in prints_once',
        '    print("in the middle")',
    ]


def test_no_breaks_are_an_empty_table(built, root):
    (it,) = built(root / "fixtures/recompiles/trace").logs
    assert breaks(it) == []


LOOP = """\
Graph break in user code at a.py:11
Graph Break Reason: Failed to handle graph break gracefully. Skipping the function and falling back to eager. Graph break encountered:

Failed to trace builtin operator
  Higher Order Operator: torch.utils.checkpoint.checkpoint
  Explanation: Dynamo does not know how to trace `print`
  Hint: Avoid it.

  Developer debug context: builtin print

 For more details about this graph break, please visit: https://example.org/gb/gb0059.html

*** While handling this graph break, another graph break occurred: ***

graph break in loop
  Explanation: a break in a loop
  Hint: This may have been caused by an earlier one.

  Developer debug context: frame skipped: loop (a.py line 7)

 For more details about this graph break, please visit: https://example.org/gb/gb7000.html

Stack variable source attribution:
  RangeIteratorVariable() originated from:
  File "a.py", line 9
        for i in range(3):

User code traceback:
  File "a.py", line 13, in <module>
    loop(x)

========== most recent `torch.compile` tracing attempt started here ==========

  File "a.py", line 11, in loop
    print("q")
    ^^^^^^^^^^

NOTE: the most recent `torch.compile` tracing attempt might not be where you applied `torch.compile`!

Traceback (most recent call last):
  File "torch/_dynamo/exc.py", line 727, in unimplemented
    raise Unsupported(msg, gb_type, skip_frame)
torch._dynamo.exc.Unsupported: Failed to trace builtin operator"""


def test_a_break_while_handling_a_break(log_of):
    it = log_of(payload(LOOP))
    row = only(it)
    assert (row["reason"], row["higher_order_operator"]) == (
        "Failed to trace builtin operator",
        "torch.utils.checkpoint.checkpoint",
    )
    assert (row["explanation"], row["hints"], row["gb_id"]) == (
        "Dynamo does not know how to trace `print`",
        ["Avoid it."],
        "GB0059",
    )
    (second,) = row["followed_by"]
    assert (second["reason"], second["gb_id"], second["debug_context"]) == (
        "graph break in loop",
        "GB7000",
        "frame skipped: loop (a.py line 7)",
    )
    assert (row["file"], row["line"], row["function"], row["source_line"]) == (
        "a.py",
        11,
        "loop",
        'print("q")',
    )
    assert row["user_traceback"].endswith('    print("q")\n    ^^^^^^^^^^')
    assert [record["skips_frame"] for record in records(it, row)] == [True]


UNSUPPORTED = """\
Traceback (most recent call last):
  File "torch/_dynamo/symbolic_convert.py", line 834, in wrapper
    return inner_fn(self, inst)
torch._dynamo.exc.Unsupported: Data-dependent assertion failed
  Explanation: no partial graph
  Hint: This is fundamental.

  Developer debug context: value: x


from user code:
   File "a.py", line 3, in f
    assert x.any()

Set TORCHDYNAMO_VERBOSE=1 for the internal stack trace
"""
USER = '  File "b.py", line 9, in main\n    f(x)\n  File "a.py", line 3, in f\n    assert x.any()\n'

SKIPS = {
    "2.13": (
        "Graph break: torch.compile cannot properly resume from this graph break, which results in a skip.\n"
        "torch.compile will skip tracing the frame f (a.py line 1) and fall back to eager.\n"
        f"The graph break occurred in the following user code:\n{USER}\n{UNSUPPORTED}"
    ),
    "2.6": f"Graph break: skip: from user code at:\n{USER}\n{UNSUPPORTED}",
    "verbose": (
        "WON'T CONVERT f a.py line 1\n========== TorchDynamo Stack Trace"
        f" ==========\n{UNSUPPORTED}\n========== The above exception occurred while processing the following"
        f" code ==========\n\n{USER}\n=========="
    ),
}


@pytest.mark.parametrize("form", SKIPS)
def test_breaks_that_skip_the_frame(form, log_of, found):
    it = log_of(payload(SKIPS[form]))
    row = only(it)
    assert (row["reason"], row["explanation"], row["hints"]) == (
        "Data-dependent assertion failed",
        "no partial graph",
        ["This is fundamental."],
    )
    assert row["debug_context"] == "value: x"
    assert (row["file"], row["line"], row["function"], row["source_line"]) == (
        "a.py",
        3,
        "f",
        "assert x.any()",
    )
    assert row["user_traceback"].strip("\n") == USER.strip("\n")
    assert [record["skips_frame"] for record in records(it, row)] == [True] and row[
        "skipped_frame_count"
    ] == 1
    assert found(it) == []


def test_wont_convert_without_a_stack_has_the_place_of_the_function(log_of):
    row = only(log_of(payload(f"WON'T CONVERT f a b.py line 1 \ndue to: \n{UNSUPPORTED}")))
    assert (row["reason"], row["file"], row["line"], row["function"]) == (
        "Data-dependent assertion failed",
        "a b.py",
        1,
        "f",
    )


BACKEND_FAILED = """WON'T CONVERT f a.py line 1
due to:
Traceback (most recent call last):
  File "torch/_dynamo/output_graph.py", line 3119, in _call_user_compiler
    compiled_fn = compiler_fn(gm, example_inputs)
UnsupportedOperatorException: aten.masked_select.default"""
BACKEND_BREAK = """Graph break in user code at a.py:1
Graph Break Reason: Failed to handle graph break gracefully. Skipping the function and falling back to eager. \
Graph break encountered:

Backend compiler exception
  Explanation: Backend compiler `aot_eager` failed with aten.masked_select.default. Adding a graph break.
  Hint: Report an issue to the backend compiler repo.
"""


def test_a_backend_that_fails_is_one_break_although_torch_logs_it_twice(log_of):
    """A second compile fails for the same reason; a break with a different error is a break of its own."""
    other = BACKEND_BREAK.replace("masked_select", "nonzero").replace("a.py:1", "a.py:5")
    records = (("0/0", BACKEND_FAILED), ("0/0", BACKEND_BREAK), ("1/0", BACKEND_FAILED))
    records += (("1/0", BACKEND_BREAK), ("1/0", other))
    starts = [
        record(f'dynamo_start {one} {{"stack": [{{"line": 1, "name": "f", "filename": 0}}]}}')
        for one in ("0/0", "1/0")
    ]
    texts = (payload(text, compile_id) for compile_id, text in records)
    it = log_of(b"".join((record('str ["a.py", 0]'), *starts, *texts)))
    first, second = breaks(it)
    assert (first["reason"], first["count"], first["skipped_frame_count"]) == (
        "Backend compiler exception",
        2,
        2,
    )
    assert first["explanation"].startswith("Backend compiler `aot_eager` failed with aten.masked_select")
    assert (second["line"], second["count"]) == (5, 1)
    assert [row["graph_break"] for row in it.table("graph_break_records")] == [0, 0, 1]
    counts = {row["compile"]: row["graph_break_count"] for row in it.table("attempts")}
    assert counts == {"0/0": 1, "1/0": 2}


def test_a_break_that_torch_cannot_resume_is_one_although_torch_2_6_logs_it_in_two_forms(log_of):
    reason = "data dependent operator: aten._local_scalar_dense.default"
    first = f"Graph break in user code at a.py:3\nReason: Unsupported: {reason}\nUser code traceback:\n{USER}"
    error = f'Traceback (most recent call last):\n  File "x.py", line 1, in g\n    h()\n{{}}: {reason}'
    skip = f"Graph break: skip: from user code at:\n{USER}\n{error.format('torch._dynamo.exc.Unsupported')}"
    it = log_of(payload(first, "0/0_1") + payload(skip))
    row = only(it)
    assert (row["reason"], row["line"], row["count"], row["skipped_frame_count"]) == (reason, 3, 1, 1)
    assert row["function"] == "f"
    other = skip.replace("line 3", "line 4")  # at another line, the restarted compile met another break
    assert [row["count"] for row in breaks(log_of(payload(first, "0/0_1") + payload(other)))] == [1, 1]


def test_an_old_form_with_the_reason_first(log_of):
    row = only(log_of(payload(f"Graph break: call_function print from user code at:\n{USER}")))
    assert (row["reason"], row["line"], row["explanation"], row["hints"]) == (
        "call_function print",
        3,
        None,
        [],
    )
    row = only(
        log_of(
            payload(
                "Graph break in user code at a.py:3\nReason: Unsupported: builtin: print\nUser code"
                f" traceback:\n{USER}"
            )
        )
    )
    assert (row["reason"], row["line"], row["function"]) == ("builtin: print", 3, "f")


def test_equal_breaks_are_one_row_and_others_are_not(log_of):
    def text(line, reason, explanation):
        return (
            f"Graph break in user code at a.py:{line}\nGraph Break Reason: {reason}\n  Explanation:"
            f" {explanation}\n\n  Developer debug context: \n\nUser code traceback:\n"
        )

    it = log_of(
        payload(text(1, "one", "at 0x7f00"), "0/0") + payload(text(1, "one", "at 0x7f10"), "0/1")
        + payload(text(2, "one", "x"), "0/0") + payload(text(1, "two", "x"), "1/0")
    )  # fmt: skip
    assert [(row["line"], row["reason"], row["compiles"]) for row in breaks(it)] == [
        (1, "one", ["0/0", "0/1"]),
        (2, "one", ["0/0"]),
        (1, "two", ["1/0"]),
    ]
    assert breaks(it)[0]["explanation"] == "at 0x7f00"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "something else\nentirely",
        "Graph break in user code at nowhere",
        '{"reason": 1}',
        "\x00\ufffd" * 99,
    ],
)
def test_a_text_that_is_not_known_is_kept(text, log_of, found):
    it = log_of(payload(text))
    row = only(it)
    assert row["text"] == text
    assert (row["file"], row["line"], row["gb_id"], row["hints"]) == (None, None, None, [])
    assert [record["skips_frame"] for record in records(it, row)] == [None] and row[
        "skipped_frame_count"
    ] == 0
    assert [code for code, *_ in found(it)] == ["table-parse"]


def test_a_record_without_payload_is_a_break_too(log_of):
    assert only(log_of(log("artifact:dynamo_graph_break_reason 0/0")))["text"] == ""


def test_long_texts_are_cut(log_of):
    row = only(
        log_of(payload(LOOP.replace("a break in a loop", "x" * 50_000).replace("Avoid it.", "y" * 50_000)))
    )
    assert (len(row["hints"][0]), row["hints"][0][-2:]) == (20_000, "y…")
    assert len(row["followed_by"][0]["explanation"]) == 20_000


def test_a_break_that_a_restarted_compile_comes_to_again_is_one(log_of):
    """An attempt of another compile has one of its own."""
    text = "Graph break in user code at /home/user/model.py:4\nGraph Break Reason: print\n"
    it = log_of(payload(text, "0/0") + payload(text, "0/0_1") + payload(text, "0/1"))
    assert only(it)["count"] == 2
    assert [(row["compile"], row["attempt"]) for row in it.table("graph_break_records")] == [
        ("0/0", 0),
        ("0/1", 0),
    ]
    assert it.summary["graph_break_count"] == 2
