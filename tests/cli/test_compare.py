"""The `compare` command for users."""

import json

import pytest
from log_builder import log
from warm_command import run_warm


@pytest.fixture
def run(tmp_path):
    def run_it(*arguments):
        done = run_warm(["compare", *arguments], tmp_path)
        done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
        assert "Traceback" not in done.stderr + done.stdout
        return done

    return run_it


@pytest.fixture
def pair(root):
    return [root / "fixtures" / "pairs" / "new_break" / side for side in ("base", "new")]


def test_traces_are_bundled_in_a_temporary_folder(run, pair, tmp_path):
    done = run(*pair)
    assert done.returncode == 0
    headline, total, empty, first, *_ = done.stdout.split("\n")
    assert headline.startswith(
        "Compile time within run-to-run noise. New: Graph break in `forward` at `program.py:14`"
    )
    assert (total, empty) == ("Total compile time: 59.3 s → 1 min 4 s.", "")
    assert first.startswith("new  Graph break") and first.endswith("+11.5 s")
    assert (
        "\n    new  `torch_dynamo_resume_in_forward_at_14` (program.py:14) is now compiled +11.5 s\n"
        in done.stdout
    )
    assert list(tmp_path.iterdir()) == []


def test_the_formats_agree(run, built, pair):
    bundles = [built(side).folder for side in pair]
    document = json.loads(run(*bundles, "--json").stdout)
    assert document == json.loads(run(*bundles, "--format", "json").stdout)
    assert [side[0]["name"] for side in (document["base"], document["new"])] == ["bundle", "bundle"]
    text = document["summary"]["text"]
    assert run(*bundles).stdout.startswith(text + "\n")
    markdown = run(*bundles, "--format", "markdown").stdout
    assert (
        markdown.startswith("**Compile time within run-to-run noise")
        and "New: Graph break in `forward`" in markdown.split("\n")[0]
        and "\n  - new: `torch_dynamo_resume" in markdown
    )
    annotations = run(*bundles, "--format", "github").stdout.splitlines()
    assert annotations[0] == f"::notice title=comparison::{text}"
    assert [line.partition("::new")[0] for line in annotations[1:]] == [
        "::warning file=program.py,line=14,title=finding"
    ]


def test_nothing_changed(run, root):
    folder = root / "fixtures" / "pairs" / "nothing_changed"
    done = run(folder / "base", folder / "new")
    assert done.returncode == 0
    assert done.stdout.startswith(
        "53.9 s less compile time: unchanged compiles ran 2× faster, so the machine probably differs. No other"
        " change.\nTotal compile time: 1 min 47 s → 53.5 s.\nCompare several runs per side to be sure."
    )


def test_several_runs_of_a_side(run, built, pair):
    base, new = (built(side).folder for side in pair)
    document = json.loads(run("--json", base, base, "--", new, new, new).stdout)
    assert (len(document["base"]), len(document["new"])) == (2, 3)


@pytest.mark.parametrize("arguments", [["a"], ["a", "b", "c"], ["a", "b", "--"]], ids=len)
def test_two_sides_are_needed(run, arguments):
    done = run(*arguments)
    assert (done.returncode == 2 and "BASE1 BASE2 -- NEW1 NEW2" in done.stderr) or arguments[-1] == "--"


def test_ranks_of_one_bundle(run, built, root):
    out = built(root / "fixtures" / "pairs" / "new_break_on_a_rank" / "new").folder
    assert ". New: Graph break in `embed`" in run(out, "--ranks", "0,1").stdout.split("\n")[0]
    assert ". Gone: Graph break in `embed`" in run(out, "--ranks", "1,0").stdout.split("\n")[0]
    done = run(out, "--ranks", "0,7")
    assert done.returncode == 1 and "no log of rank 7" in done.stderr and "Its ranks are: 0, 1" in done.stderr
    assert run(out, "--ranks", "0-7").returncode == 2


def test_an_argument_that_is_not_a_bundle_is_named(run, pair, tmp_path):
    (tmp_path / "notes.txt").write_text("hello")
    done = run(pair[0], tmp_path / "nothing")
    assert done.returncode == 1 and "nothing" in done.stderr and "does not exist" in done.stderr


def test_text_of_a_log_is_escaped(run, tmp_path):
    """Names from a log stay names."""
    for side, name in (("one", "f"), ("two", "\\u001b[31mred\\n::error::x")):
        text = (
            f'str ["a.py", 0]\n dynamo_start 0/0 {{"stack": [{{"line": 1, "name": "{name}", "filename":'
            " 0}]}\n artifact:x 0/0\n | y"
        )
        (tmp_path / side).mkdir()
        (tmp_path / side / "dedicated_log_torch_trace_x.log").write_bytes(log(text))
    for form in ("text", "markdown", "github"):
        done = run("one", "two", "--format", form)
        assert done.returncode == 0 and "\x1b" not in done.stdout
        assert [line for line in done.stdout.splitlines() if line.startswith("::error::")] == []


def test_changes_common_to_all_ranks_are_reported_once(run, built, root):
    fixtures = root / "fixtures"
    done = run(built(fixtures / "ranks4" / "trace").folder, built(fixtures / "again" / "ranks4").folder)
    assert done.stdout.count("Inductor generated different code for 3 unchanged graphs") == 1
    assert ", and the same of 3 other logs\n" in done.stdout
    assert (
        done.stdout.split("\n")[0]
        == "5 min 56 s more compile time, which no single change explains. Torch `2.13.0+cu130`, was `2.13.0+cpu`. 1 other change."
    )
