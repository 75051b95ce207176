"""Fixes and hints that fit the program: logs of programs for which the usual ones do not."""

import pytest
from findings_of_programs import of, rows  # noqa: F401 - rows is a fixture

MARK = "torch._dynamo.maybe_mark_dynamic"


def fixes(row):
    return [(remedy["text"], remedy["code"]) for remedy in row["remedies"]]


def texts(row):
    return [text for text, _ in fixes(row)]


def test_a_function_that_vmap_calls_follows_from_its_break(rows):
    found = rows("transforms")
    assert [row for row in found if row["severity"] == "error"] == []  # Dynamo runs both functions eager
    for name in ("shown", "picked"):
        cause = of(found, f"Graph break in `{name}`")
        eager = of(found, f"`{name}` runs eager: `torch.func` calls it after the graph break")
        assert (eager["because_of"], eager["remedies"]) == (cause["id"], [])


def test_a_function_of_torch_that_a_break_leaves_follows_from_it(rows):
    found = rows("transforms")
    recompile = of(found, "`wrapped` of torch recompiled once: `func` is a different function")
    assert recompile["because_of"] == of(found, "Graph break in `picked`")["id"]


def test_no_setting_makes_vmap_accept_item(rows):
    row = of(rows("transforms"), "Unsupported Tensor.item() call")
    assert texts(row) == [
        "Use the tensor without `.item()`, and `torch.where` instead of a condition on its value."
    ]
    assert "so the call also fails in eager" in row["text"]


@pytest.mark.parametrize(
    ("words", "unfitting"),
    [
        ("Failed to trace builtin operator", "reorderable_logging_functions"),
        ("Unsupported context manager", "torch.set_grad_enabled"),
        ("`branch` failed to compile", "checkpoint"),
    ],
)
def test_hints_for_other_causes_are_left_out(rows, words, unfitting):
    assert unfitting not in " ".join(texts(of(rows("unfitting_hints"), words)))


def test_print_may_be_reordered(rows):
    row = of(rows("transforms"), "Failed to trace builtin operator")
    assert "reorderable_logging_functions" in " ".join(texts(row))


def test_a_builtin_of_python_is_no_extension(rows):
    row = of(rows("unfitting_hints"), "Graph break in `timed`")
    assert texts(row) == ["Move the call out of the compiled function."]


def test_operators_are_named(rows):
    found = rows("unfitting_hints")
    assert fixes(of(found, "fake tensors"))[0][1] == '@torch.library.register_fake("shop::tax")'
    assert fixes(of(found, "`trained` failed"))[0][1].startswith(
        'torch.library.register_autograd("shop::price"'
    )


def test_the_error_of_a_fake_call_is_in_the_title(rows):
    row = of(rows("unfitting_hints"), "`product` failed to compile: RuntimeError: a and b must have same")
    assert row["text"].startswith("Dynamo failed to run FX node with fake tensors")


@pytest.mark.parametrize(
    "words",
    ["`array` recompiled once: `a.size(0)`", "`wrapper` recompiled once: `args[0].size(0)`", "`bounded`"],
)
def test_only_tensors_with_a_name_are_marked(rows, words):
    assert [code for _, code in fixes(of(rows("reach"), words)) if code] == []


def test_a_numpy_array_is_not_marked(rows):
    (text,) = texts(of(rows("reach"), "`array`"))
    assert text.startswith("Use `torch.compile(dynamic=True)`") and MARK not in text


def test_a_bound_of_the_program_is_not_the_0_1_specialization(rows):
    row = of(rows("reach"), "`bounded`", "<= 16")
    assert texts(row) == ["Widen `min` and `max` of `torch._dynamo.mark_dynamic`, or leave them out."]
    assert "The bounds are those of `torch._dynamo.mark_dynamic`." in row["text"]


def test_a_wrapper_is_named_with_what_it_calls(rows):
    wrappers = [row for row in rows("reach") if "`wrapper` recompiled" in row["title"]]
    assert len(wrappers) == 3 and all("`wrapper` leads to `named`." in row["text"] for row in wrappers)
    assert of(wrappers, "the call has no `mask`")


def test_the_line_that_specializes_is_the_users(rows, root):
    source = (root / "fixtures/versions/programs/reach.py").read_text().split("\n")
    line = next(number for number, text in enumerate(source, 1) if "self.layers[:depth]" in text)
    (text,) = texts(of(rows("reach"), "`depth` had values"))
    assert f"the program specialized it at `program.py:{line}`" in text


def test_a_float_in_a_dict_may_be_dynamic(rows):
    (text,) = texts(of(rows("reach"), "`STATE['temperature']`"))
    assert text.startswith("Use `torch.compile(dynamic=True)`") and "avoid 1 of 2 compiles" in text


def test_global_states_are_listed(rows):
    assert of(rows("reach"), "`grads` recompiled once: grad mode was turned off and `default_dtype` changed")


def test_a_learning_rate_of_a_plain_optimizer_becomes_a_tensor(rows):
    assert fixes(of(rows("reach"), "['lr']` changed"))[0][1] == "lr=torch.tensor(0.01)"


def test_a_float_that_cannot_stay_dynamic_restarts_once(rows):
    row = of(rows("reach"), "Dynamo restarted `step` once: a Python float could not be an input")
    assert "Tensorify" not in row["title"] + row["text"]
    assert row["details"]["reason"].endswith("TensorifyScalarRestartAnalysis'>")
