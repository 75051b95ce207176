"""Findings about small programs of fixtures/versions/programs: causes, consequences, places and fixes."""

import pytest
from findings_of_programs import of, rows  # noqa: F401 - rows is a fixture
from tlparse_bundle.statements.known_causes import known_cause
from tlparse_bundle.statements.torch_messages import caution, torch_remedies


def texts(row):
    return [remedy["text"] for remedy in row["remedies"]]


def lines(root, name, text):
    source = (root / f"fixtures/versions/programs/{name}.py").read_text().split("\n")
    return [number for number, line in enumerate(source, 1) if text in line]


def test_a_scheduler_wraps_the_step_of_an_optimizer(rows, root):
    found = rows("scheduler")
    step = of(found, "Attempted to call function marked as skipped")
    assert step["title"].endswith("Attempted to call function marked as skipped: `torch.optim.sgd.SGD.step`")
    assert "A learning rate scheduler wraps `SGD.step`" in step["text"]
    assert texts(step) == ["Call `step()` of the optimizer outside the compiled function."]
    inside = of(found, "Call to `torch._dynamo.graph_break()`")
    assert (inside["because_of"], inside["remedies"]) == (step["id"], [])
    assert [row["line"] for row in (step, inside)] == lines(root, "scheduler", "    opt.step()") * 2
    assert "Inside torch, at `torch/optim/optimizer.py:" in inside["text"]


def test_a_wrong_hint_of_torch_is_corrected(rows):
    (text,) = texts(of(rows("scheduler"), "Unsupported Tensor.backward() call"))
    assert text.startswith("Call `backward()` outside the compiled function")


def test_a_learning_rate_becomes_a_tensor(rows, root):
    row = of(rows("scheduler"), "`step` recompiled once")
    assert row["remedies"][0]["code"] == "lr=torch.tensor(0.01)"
    assert [row["line"]] == lines(root, "scheduler", "    opt.step()")  # not the line of torch/optim/sgd.py
    assert "`step` is inside torch, at `torch/optim/sgd.py:" in row["text"]


def test_modules_of_different_classes_are_no_repeated_block(rows):
    assert not [row for row in rows("scheduler") if row["kind"] == "slow-span"]


def test_an_operator_without_a_fake_kernel_is_named(rows):
    row = of(rows("no_fake_kernel"), "2 compiles of 2 functions failed: `mylib::scale` has no fake kernel")
    assert [remedy["code"] for remedy in row["remedies"]] == ['@torch.library.register_fake("mylib::scale")']


def test_skipped_and_disabled_functions_run_eager(rows):
    found = rows("skipped")
    eager = {row["title"].split("`")[1]: row for row in found if row["kind"] == "runs-eager"}
    assert {name: row["details"]["reason"] for name, row in eager.items()} == {
        "helper": "skipped",
        "guarded": "skipped",
        "slow": "disabled",
    }
    causes = {name: found[row["because_of"]]["title"] for name, row in eager.items()}
    assert "in `helper`" in causes["helper"] and "in `guarded`" in causes["guarded"]
    assert "`torch.compiler.disable()`d function" in causes["slow"]


def test_a_number_on_the_stack_of_a_resume_function_follows_from_its_break(rows):
    found = rows("skipped")
    row = of(found, "`net` recompiled", "`___stack")
    assert "in `net`" in found[row["because_of"]]["title"] and row["remedies"] == []


def test_guards_that_are_not_python_are_read(rows):
    found = rows("functions")
    assert len([row for row in found if "`flex_attention` recompiled" in row["title"]]) == 3
    assert of(found, "`score_mod` is no longer `None`")


def test_a_mark_explains_a_break(rows):
    row = of(rows("marked"), "Data-dependent branching")
    assert "`x.size(0)` is marked as unbacked, so torch cannot decide conditions on it." in row["text"]
    assert "mark_dynamic" in row["remedies"][0]["text"] and len(row["remedies"]) == 1


def test_a_specialization_that_made_a_compile_fail_is_said_once(rows):
    assert {row["kind"] for row in rows("marked")} == {"failure", "graph-break"}


@pytest.mark.parametrize(
    "words, remedy",
    [
        (("`fn` is a different object",), "Each different function that is passed as `fn`"),
        (("`fn` is a different function",), "Each different function that is passed as `fn`"),
        (("`mode` is a different object",), "Each different object that is passed as `mode`"),
        (("`scale['k']` had values",), "Pass `scale['k']` as an argument that is a tensor, if"),
        (("`a.dtype` changed from `Double` to `Float`",), "Pass inputs of the same dtype"),
        (("`d` now has the key `'b'`",), "Pass containers with the same length and keys."),
        (("`type(x)` changed from `Tensor` to `Sub`",), "Pass arguments of the same type."),
        (("`ids.size(0)` changed from `2` to `3`",), "Mark the dimension as dynamic before the call"),
    ],
)
def test_names_are_those_at_the_call(rows, words, remedy):
    assert texts(of(rows("arguments"), *words))[0].startswith(remedy)


def test_the_place_of_a_break_in_a_library_is_the_users(rows, root):
    found = rows("library_breaks")
    copied = of(found, "Attempted to copy.deepcopy a tensor")
    assert copied["line"] == lines(root, "library_breaks", "copy.deepcopy(x)")[0]
    assert "Inside Python, at `python3.11/copy.py:" in copied["text"]
    assert texts(copied)  # the program calls it, so the hint applies
    failed = of(found, "`branch` failed to compile")
    assert [failed["line"]] == lines(root, "library_breaks", "torch.cond(")
    assert texts(failed) == ["Replace `return input` with `return input.clone()` to avoid aliasing."]
    own = of(found, "Call to `torch._dynamo.graph_break()`")
    assert "Inside torch" in own["text"] and own["remedies"] == []


def test_a_cause_is_that_of_all_breaks_of_a_finding():
    """Two messages: the text names neither, and torch's hints stay."""

    def logged(message):
        return {
            "reason": "logging.Logger method not supported for non-export cases",
            "explanation": "logging.Logger methods are not supported for non-export cases.",
            "debug_context": f"method: <Logger x>.warning, args: [ConstantVariable(str: '{message}')]",
        }

    assert known_cause(None, [logged("one"), logged("one")]).text == "The message is `one`."
    assert known_cause(None, [logged("one"), logged("two")]) is None
    assert known_cause(None, [{**logged("one"), "debug_context": None}]) is None


def test_an_operator_of_unknown_shape_in_the_backward():
    """An operator that Dynamo does not trace breaks the graph in the backend."""
    row = {
        "reason": "Backend compiler exception",
        "explanation": "Backend compiler `aot_eager` failed with aten.bincount.default. Adding a graph break.",
        "debug_context": None,
    }
    cause = known_cause(None, [row])
    assert cause.text == "The shape of what `aten.bincount` returns depends on data."
    assert cause.remedies[0].code == "torch._dynamo.config.capture_dynamic_output_shape_ops = True"
    other = "Backend compiler `mine` failed with it is Monday. Adding a graph break."
    assert known_cause(None, [{**row, "explanation": other}]) is None


@pytest.mark.parametrize(("operator", "is_offered"), [("nonzero.default", True), ("_ctc_loss.Tensor", False)])
def test_tracing_of_dynamic_shapes_is_for_operators_that_have_a_kernel_for_it(operator, is_offered):
    hint = "Enable tracing of dynamic shape operators with `capture_dynamic_output_shape_ops = True`"
    about = f"Operator `aten.{operator}`'s output shape depends on input Tensor data."
    assert bool(torch_remedies([hint], about)) == is_offered
    assert bool(caution([hint], about)) == is_offered
