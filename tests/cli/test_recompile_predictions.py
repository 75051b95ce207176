"""The command recompiles."""

import json

import pytest
import traces
from click.testing import CliRunner
from tlparse_bundle import build, discover
from tlparse_bundle.cli.main import cli

CALLS = traces.ROOT / "fixtures" / "calls"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    out = tmp_path_factory.mktemp("bundle") / "out"
    build(discover([CALLS / "loops"]), out, jobs=1)
    return str(out)


def ran(*arguments, code=0):
    done = CliRunner().invoke(cli, ["recompiles", *arguments], standalone_mode=False)
    if code:
        assert done.exception is not None
        return done.exception
    assert done.exception is None, done.exception
    return done.stdout


def test_a_call_that_fits(bundle):
    assert "loops does not recompile: it matches cache entry 0/" in ran(
        bundle, "loops", "--call", "x=f32[3, 4], steps=3"
    )


def test_a_call_that_recompiles(bundle):
    text = ran(bundle, "0/1", "--call", "x=f64[3, 4], steps=3")
    assert text.startswith("loops recompiles.\n")
    assert "L['x']: expected torch.float32, got torch.float64" in text


def test_a_replay_in_json(bundle, tmp_path):
    calls = json.loads((CALLS / "loops" / "calls.json").read_text())
    inputs = [{key: value for key, value in call.items() if key != "compiled"} for call in calls]
    (tmp_path / "calls.json").write_text(json.dumps(inputs))
    lines = ran(bundle, "loops", "--calls", str(tmp_path / "calls.json"), "--replay", "--json").splitlines()
    predictions = [json.loads(line) for line in lines]
    assert [one["recompiles"] for one in predictions] == [bool(call["compiled"]) for call in calls]
    assert set(predictions[0]) == {"recompiles", "entry", "failed", "runs_eager", "certain", "not_evaluated"}
    failed = next(one["failed"] for one in predictions if one["failed"])
    assert set(failed[0]) == {"entry", "guard", "expected", "actual"}


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["loops"], "Give --call or --calls."),
        (["loops", "--call", "x"], "'x' is not an input of a call"),
        (["loops", "--call", "x=f32[3"], "'f32[3' is not an input of a call"),
        (["loops", "--call", "x=q7[3]"], "unknown dtype 'q7'"),
        (["loops", "--call", "x=f32[3][1, 1]"], "'f32[3][1, 1]' has 1 sizes and 2 strides"),
        (["loop", "--call", "x=1"], "has no compiled function 'loop'"),
    ],
)
def test_mistakes_are_explained(bundle, arguments, message):
    error = ran(bundle, *arguments, code=1)
    assert message in str(getattr(error, "message", error))


@pytest.mark.parametrize(
    "text, message", [("{", "is not JSON"), ('{"x": 1}', "is not a JSON list of objects")]
)
def test_a_file_of_calls_that_cannot_be_read(bundle, tmp_path, text, message):
    (tmp_path / "calls.json").write_text(text)
    assert message in ran(bundle, "loops", "--calls", str(tmp_path / "calls.json"), code=1).message
