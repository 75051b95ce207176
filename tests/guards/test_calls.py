"""Predictions for the calls of fixtures, compared with what torch did."""

import json
import os
import subprocess

import pytest
import traces
from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.guards.history import history
from tlparse_bundle.guards.values import Tensor, from_json, parse_call

CALLS = traces.ROOT / "fixtures" / "calls"
FUNCTIONS = sorted(path.parent.name for path in CALLS.glob("*/calls.json"))
TORCH = os.environ.get("TORCH_PYTHON")


def bundle_of(logs, out):
    build(discover([logs]), out, jobs=1)
    return Bundle.open(out).logs[0]


def judged(log, calls, function="0/0"):
    """Return [(call, its prediction)] of a replay."""
    inputs = [from_json({key: value for key, value in call.items() if key != "compiled"}) for call in calls]
    return list(zip(calls, history(log, function).replay(inputs), strict=True))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_call_is_predicted(tmp_path, function):
    calls = json.loads((CALLS / function / "calls.json").read_text())
    predictions = judged(bundle_of(CALLS / function, tmp_path / "out"), calls)
    wrong = [call for call, prediction in predictions if prediction.recompiles != bool(call["compiled"])]
    assert not wrong
    assert sum(prediction.certain for _, prediction in predictions) >= 0.8 * len(calls)
    assert any(call["compiled"] for call in calls)
    assert not all(call["compiled"] for call in calls)


def test_a_function_at_the_recompile_limit_runs_eager(tmp_path):
    log = bundle_of(CALLS / "dtypes_and_views", tmp_path / "out")
    past = history(log, "dtypes_and_views")
    assert len(past.entries) == past.limit == 16
    prediction = past.next_call(parse_call("x=c64[5, 7, 9]"))
    assert (prediction.recompiles, prediction.runs_eager, prediction.entry) == (False, True, None)
    assert {failure.entry for failure in prediction.failed} == {entry.compile for entry in past.entries}


def test_globals_are_as_the_last_compile_saw_them_unless_stated(tmp_path):
    calls = json.loads((CALLS / "global_state" / "calls.json").read_text())
    past = history(bundle_of(CALLS / "global_state", tmp_path / "out"), "global_state")
    *_, last = (call for call in calls if call["compiled"])
    del last["compiled"]
    call = from_json(last)
    arguments = {name: value for name, value in call.items() if name.isidentifier()}
    assert past.next_call(arguments).entry == past.next_call(call).entry == past.entries[-1].compile
    assert past.next_call({**call, "G['MODE']": "other"}).recompiles


def test_an_argument_that_is_not_stated_makes_the_answer_uncertain(tmp_path):
    past = history(bundle_of(CALLS / "loops", tmp_path / "out"), "loops")
    whole = past.next_call(parse_call("x=f32[3, 4], steps=3"))
    part = past.next_call(parse_call("x=f32[3, 4]"))
    assert whole.certain
    assert not part.certain
    assert any("L['steps']" in guard.text for _, guard in part.not_evaluated)


def test_each_entry_names_what_failed(tmp_path):
    past = history(bundle_of(CALLS / "loops", tmp_path / "out"), "loops")
    prediction = past.next_call(parse_call("x=f64[3, 4], steps=3"))
    assert prediction.recompiles
    assert {(failure.outcome.expected, failure.outcome.actual) for failure in prediction.failed} >= {
        ("torch.float32", "torch.float64")
    }
    assert {failure.entry for failure in prediction.failed} == {entry.compile for entry in past.entries}


def test_the_same_from_python(tmp_path):
    log = bundle_of(CALLS / "loops", tmp_path / "out")
    tensor = {"size": [3, 4], "dtype": "torch.float32", "requires_grad": False}
    assert not log.would_recompile("loops", {"x": tensor, "steps": 3}).recompiles
    assert log.would_recompile("loops", {"x": {**tensor, "dtype": "torch.float64"}, "steps": 3}).recompiles
    for size in ("3", [None], [3.5], [[3]]):
        with pytest.raises(BundleError, match="is not an input of a call"):
            log.would_recompile("loops", {"x": {**tensor, "size": size}, "steps": 3})
    with pytest.raises(BundleError, match="has no compiled function 'loop'"):
        log.would_recompile("loop", {})


def test_a_log_without_guards_has_no_prediction(tmp_path):
    log = bundle_of(traces.ROOT / "fixtures" / "killed" / "trace", tmp_path / "out")
    function = log.table("code_objects")[-1]["compiles"][-1]
    with pytest.raises(BundleError, match="has no guards of"):
        log.would_recompile(function, {})


@pytest.mark.skipif(TORCH is None, reason="TORCH_PYTHON names no Python with torch")
@pytest.mark.parametrize("function", FUNCTIONS)
def test_other_calls_are_predicted(tmp_path, function):
    trace = tmp_path / "trace"
    subprocess.run(
        [TORCH, CALLS / "program.py", function, tmp_path / "calls.json", "--seed", "7"],
        env={**os.environ, "TORCH_TRACE": str(trace)},
        check=True,
    )
    calls = json.loads((tmp_path / "calls.json").read_text())
    predictions = judged(bundle_of(trace, tmp_path / "out"), calls)
    certain = [(call, prediction) for call, prediction in predictions if prediction.certain]
    right = sum(prediction.recompiles == bool(call["compiled"]) for call, prediction in certain)
    assert right >= 0.995 * len(certain)


def test_a_dict_with_a_size_is_a_tensor_only_without_other_keys():
    call = from_json(
        {"x": {"size": [2, 3]}, "options": {"size": [2, 3], "layers": 4}, "other": {"layers": 4}}
    )
    assert isinstance(call["x"], Tensor) and call["x"].size == (2, 3)
    assert call["options"] == {"size": [2, 3], "layers": 4} and call["other"] == {"layers": 4}
