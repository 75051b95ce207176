"""The table of failures: fixtures checked against their programs, and records without a fixture."""

import json

import pytest
from log_builder import log, record


def failures(it):
    return it.table("failures")


def the(it, *keys):
    return [tuple(row[key] for key in keys) for row in failures(it)]


@pytest.fixture(scope="session")
def fixture_log(built, root):
    (it,) = built(root / "fixtures/failures/trace").logs
    return it


def test_failures_of_the_program(fixture_log, root):
    (truth,) = json.loads((root / "fixtures/failures/truth.json").read_text())["logs"].values()
    keys = [key for (key,) in the(fixture_log, "compile")]
    kinds = [kind for (kind,) in the(fixture_log, "kind")]
    assert list(zip(keys, kinds, strict=True)) == [
        ("0/0", "exception"), ("0/0", "compile"), ("1/0", "exception"), ("1/0", "compile"), ("2/0", "exception"), ("2/0", "compile"),
        (None, "fx_interpreter"), (None, "make_fx"),
    ]  # fmt: skip
    types = {
        key: row["type"]
        for key, row in zip(keys, failures(fixture_log), strict=True)
        if row["kind"] == "compile"
    }
    assert types == truth["facts"]["fail_type"]
    assert all(
        row["type"] == "torch._dynamo.exc." + types[key]
        for key, row in zip(keys, failures(fixture_log), strict=True)
        if row["kind"] == "exception"
    )


def test_where_and_why(fixture_log, root):
    printed, printed_metrics, backend, _, shapes, _, interpreter, make_fx = failures(fixture_log)
    assert (printed["file"], printed["line"], printed["function"]) == (
        "/home/user/project/program.py",
        17,
        "prints_in_fullgraph",
    )
    assert printed["source_line"] == 'print("not allowed")'
    assert (printed_metrics["file"], printed_metrics["line"]) == ("/home/user/project/program.py", 17)
    assert printed["reason"] == printed_metrics["reason"]  # without the advice after it
    assert backend["reason"] == "backend='broken_backend' raised:\nRuntimeError: this backend always fails é"
    assert (backend["file"], backend["user_traceback"]) == (None, None)
    assert (shapes["line"], shapes["source_line"]) == (28, "return x @ y")
    assert interpreter["reason"].startswith(
        "shape '[5]' is invalid for input of size 2\n\nWhile executing %reshape"
    )
    assert fixture_log.stack(interpreter["stack"])[0]["function"] == "<module>"
    assert (make_fx["type"], make_fx["reason"]) == (None, None)
    assert fixture_log.stack(make_fx["stack"]) and printed["stack"] is None


def test_restarts(built, root):
    (it,) = built(root / "fixtures/graph_breaks/trace").logs
    (truth,) = json.loads((root / "fixtures/graph_breaks/truth.json").read_text())["logs"].values()
    rows = failures(it)
    assert len(rows) == truth["facts"]["restarts"] and {row["kind"] for row in rows} == {"restart"}
    assert [(row["compile"], row["attempt"]) for row in rows] == [
        ("1/0", 1),
        ("3/0", 1),
        ("5/0", 1),
        ("10/0", 1),
        ("11/0", 1),
    ]
    assert rows[2]["reason"].startswith("Unsupported Tensor.item() call")


def test_a_partial_graph_ends_at_its_last_line(built, root):
    rows = [row for it in built(root / "fixtures/export_dtrace/trace").logs for row in failures(it)]
    assert [(row["kind"], row["file"], row["line"], row["function"]) for row in rows] == [
        ("make_fx", "/home/user/project/program.py", 33, "forward")
    ]
    assert rows[0]["source_line"] == "return x + 1 if x.sum().item() > 0 else x"


def test_no_failures_are_an_empty_table(built, root):
    (it,) = built(root / "fixtures/train_step/trace").logs
    assert failures(it) == []


# Hand-made from here on, after torch/_dynamo/convert_frame.py and
# torch/_functorch/_aot_autograd/graph_compile.py.

CHAINED = """\
Traceback (most recent call last):
  File "a.py", line 1, in f
KeyError: 'first'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "torch/_inductor/compile_fx.py", line 5, in compile
    raise InductorError(e)
torch._inductor.exc.InductorError: SubprocException: An exception occurred in a subprocess:

Traceback (most recent call last):
  File "worker.py", line 3, in main
ValueError: in the worker"""


def test_the_last_exception_of_a_chain_counts_and_keeps_its_message(log_of):
    it = log_of(record("artifact:eager_compile_backwards_failure 0/0", payload=CHAINED))
    (row,) = failures(it)
    assert (row["kind"], row["type"]) == ("eager_backward", "torch._inductor.exc.InductorError")
    assert row["reason"].startswith("SubprocException: An exception occurred") and row["reason"].endswith(
        "ValueError: in the worker"
    )


def test_backward_failures(log_of):
    it = log_of(
        log('bwd_compilation_metrics 0/0 {"fail_type": "RuntimeError", "fail_reason": "no"}')
        + log('aot_autograd_backward_compilation_metrics 1/0 {"fail_type": "OldError", "fail_reason": null}')
    )
    assert the(it, "kind", "type", "reason") == [
        ("backward", "RuntimeError", "no"),
        ("backward", "OldError", None),
    ]


def test_the_original_traceback_of_a_node(log_of):
    text = (
        'bad\n\nWhile executing %relu\nOriginal traceback:\n  File "m.py", line 4, in forward\n    return'
        ' x.relu()\n\nGraphModule: class G:\n  File "no.py", line 1, in no'
    )
    (row,) = failures(log_of(record("artifact:fx_interpreter_error", payload=text)))
    assert (row["reason"], row["file"], row["line"], row["source_line"]) == (
        "bad\n\nWhile executing %relu",
        "m.py",
        4,
        "return x.relu()",
    )


def test_a_text_without_traceback_is_the_reason(log_of, found):
    it = log_of(log("artifact:dynamo_error 0/0\n | no traceback at all"))
    assert the(it, "type", "reason") == [(None, "no traceback at all")]
    assert [code for code, *_ in found(it)] == ["table-parse"]


@pytest.mark.parametrize("value", ["[]", "{}", "1", '"text"', '{"x": [null]}'])
def test_values_of_wrong_types_do_no_harm(value, log_of):
    it = log_of(
        log(
            'compilation_metrics 0/0 {"fail_type": %s, "fail_reason": %s, "fail_user_frame_filename": %s,'
            ' "fail_user_frame_lineno": %s}' % ((value,) * 4)
        )
    )
    (row,) = failures(it)
    assert row["kind"] == "compile" and type(row["type"]) is str
    it = log_of(log(f'compilation_metrics 0/0 {{"restart_reasons": [{value}, "why"]}}'))
    assert [row["reason"] for row in failures(it)][1] == "why"
    log_of(record("artifact:dynamo_error 0/0", payload="Traceback (most recent call last):\n" + value))


def test_metrics_that_are_not_an_object(log_of):
    assert failures(log_of(log("compilation_metrics 0/0 [1]"))) == []
