"""Findings of fixtures/versions/programs/second_reasons.py, where the first record is not the whole truth. The
docstring of the program has the number of compiles with each fix.
"""

import pytest
from findings_of_programs import of, rows  # noqa: F401 - rows is a fixture
from tlparse_bundle.statements.recompile_savings import saved_sentence


@pytest.fixture
def found(rows):
    return rows("second_reasons")


def advice(row):
    return [(remedy["text"], remedy["code"]) for remedy in row["remedies"]]


@pytest.mark.parametrize(
    ("cause", "sentence"),
    [
        (
            "`ranked` recompiled once: `x.size(0)` changed from `4` to `6`",
            "`[0/0]`, failed only on this guard.",
        ),
        ("`summed` recompiled once: `list(item)[1]` changed", "`[1/0]`, failed on this guard."),
        ("`forward` recompiled once: `kept` changed from `3` to `5`", "`[23/0]`, failed only on this guard."),
    ],
)
def test_the_cause_is_that_of_the_nearest_entry(found, cause, sentence):
    """Where the newest one failed on the rank or the type, or on more than one thing."""
    assert f"The nearest cache entry, {sentence}" in of(found, cause)["text"]


def test_calls_of_one_length_can_differ_in_their_elements(found):
    """With the names of the program and one that fits in place of the missing one, one compile less."""
    (length,) = advice(of(found, "`len(names)` is no longer `1`"))
    assert length[0].endswith("The log does not show whether this would avoid a compile.")


def test_without_automatic_dynamic_shapes_a_mark_helps_from_the_first_compile(found):
    (fix,) = advice(of(found, "`fixed` recompiled twice"))
    assert fix[0].startswith("Automatic dynamic shapes are off, as with `torch.compile(dynamic=False)`")
    assert "Mark the dimension as dynamic before the call. This would avoid 2 of 3 compiles" in fix[0]
    assert fix[1] == "torch._dynamo.maybe_mark_dynamic(x, 0)"


def test_a_size_with_a_condition_is_not_marked_as_unbacked(found):
    assert advice(of(found, "`halved` recompiled once: `x.size(0)` changed from `1` to `0`")) == []


def test_a_function_whose_first_call_has_no_operation_runs_eager(found):
    row = of(found, "`warmed` runs eager: its first call, `[5/0]`, has no tensor operation")
    assert row["severity"] == "info"


def test_a_recompile_because_of_data_follows_from_the_break(found):
    rest = of(found, "`positive` recompiled once, in its resume function: `___stack0.size(0)`")
    assert rest["because_of"] == of(found, "Dynamic shape operator")["id"]
    before = of(found, "`positive` recompiled once: `x.size(0)`")
    assert before["details"]["follower_count"] == 0 and "In the same call" not in before["text"]


def test_a_condition_on_an_item_breaks_the_graph_also_with_the_setting(found):
    row = of(found, "Unsupported Tensor.item() call")
    assert "the graph breaks here even with the setting `capture_scalar_outputs`" in row["text"]
    ((text, _),) = advice(row)
    assert text.startswith("Use `torch.where` or `torch.cond`")


def test_a_print_of_a_size_cannot_be_moved(found):
    assert "reorderable" not in str(advice(of(found, "Graph break in `shown`")))


def test_a_guard_comes_from_the_line_of_the_program(found):
    text = of(found, "`slope` recompiled once")["text"]
    assert "The guard comes from `return torch.func.jacrev(lambda t: t.sin() * scale)(x)`." in text


def test_an_error_of_a_backend_is_one_break(found):
    row = of(found, "Graph break at ", "once: Backend compiler exception")
    assert row["text"].startswith("Backend compiler `refuse` failed with aten.masked_select.default.")


def test_keyword_arguments_are_no_container(found):
    row = of(found, "`options` recompiled once: `len(kwargs)`")
    ((text, _),) = advice(row)
    assert text.startswith("Pass the same keyword arguments in each call.") and "leads to" not in row["text"]


def test_functions_that_are_compiled_by_themselves_share_a_function_of_torch(found):
    of(found, "`ReLU` recompiled once: torch compiled `inner` for a function before")
    ((text, _),) = advice(of(found, "Attempted to call function marked as skipped"))
    assert text.startswith("Call `torch.compile` on `step` before you create the scheduler.")


def test_a_function_that_is_missing_is_no_longer_a_function(found):
    of(found, "`optional` recompiled once: `function` is no longer a function")


def test_a_size_that_the_code_compares_is_not_marked_alone(found):
    """``mark_dynamic`` raises ConstraintViolationError for it."""
    ((text, code),) = advice(of(found, "`squared` recompiled twice: `x.size(0)`"))
    assert text.startswith("Use `torch.compile(dynamic=True)`") and code is None


def test_the_nearest_entry_has_few_guards_that_failed_or_are_not_evaluated(found):
    """The entry `[21/0]` fails its guard on the key of an empty dict, which is not evaluated."""
    text = of(found, "`counted` recompiled once: `x.size(0)`")["text"]
    assert "The nearest cache entry, `[21/1]`, also failed on `threshold == 0.5`" in text


def test_a_guard_has_no_advice_about_sizes(found):
    text = of(found, "`Linear` recompiled once: `fn.weight.requires_grad`")["text"]
    assert text.endswith("requires_grad mismatch. expected requires_grad=1`.")


def test_a_value_that_an_entry_has_did_not_fail_it(found):
    """The name of the third call is that of the first: the dict is longer, which is not among the guards."""
    row = of(found, "`stored` recompiled once: `len(stats)` is no longer `0`")
    assert "The nearest cache entry, `[22/0]`, failed only on this guard." in row["text"]
    of(found, "`stored` recompiled once: `name` changed from `'loss'` to `'accuracy'`")


@pytest.mark.parametrize(("version", "names"), [("2.5.1", []), ("2.6.0", ["`f_none`"])])
def test_old_logs_do_not_record_why_a_function_is_skipped(built, root, version, names):
    """`f_loop` has a graph break in a loop, which torch 2.5 does not log; `f_none` has no operation."""
    (log,) = built(root / f"fixtures/versions/{version}/breaks.log.zst").logs
    titles = [row["title"] for row in log.findings() if "its first call" in row["title"]]
    assert [title.split()[0] for title in titles] == names


NOT_SHOWN = "The log does not show whether this would avoid a compile."


def test_a_fix_whose_number_the_log_does_not_decide_has_none(found):
    """Calls that hit `[0/2]`, which are not in the log, may have a different `x.size(1)`. With
    `dynamic=True`, it does not matter.
    """
    fix, everything = advice(of(found, "`ranked` recompiled once: `x.size(0)` changed from `4` to `6`"))
    assert everything[0].startswith("Use `torch.compile(dynamic=True)`") and "1 of 3" in everything[0]
    text = f"Mark the dimension as dynamic before the call. {NOT_SHOWN}"
    assert fix == (text, "torch._dynamo.maybe_mark_dynamic(x, 0)")


def test_a_fix_has_no_number_where_no_call_shows_its_path(found):
    """`[21/0]` shows the path of its mode for an empty dict, which the other calls do not have."""
    (fix,) = advice(of(found, "`counted` recompiled once: `mode` changed"))
    assert fix[0].endswith(f"move the code that depends on it out of the compiled function. {NOT_SHOWN}")


def test_a_fix_that_may_help_alone():
    row = {
        "fix": "same_layout",
        "avoided": [],
        "undecided": ["0/1"],
        "is_minimum": True,
        "compile_count": 3,
        "saved_us": None,
        "total_us": None,
    }
    both = {**row, "avoided": ["0/1"]}
    text = saved_sentence("This", row, (both, [row]), ["`dynamic=True`"], is_limited=False)
    assert text == (
        "Together with `dynamic=True`, this would avoid at least 1 of 3 compiles; alone, possibly this one."
    )
