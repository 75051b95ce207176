"""Two runs compared by measured time: kernels keep their identity when their names get different numbers."""

from math import fsum

import pytest
from faster_run import CALLS, PROFILE, SOFTMAX, TANH, write_faster_run
from profiled import PROGRAMS, built_with, encloses, events_of
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.render import markdown, terminal
from tlparse_bundle.statements.runs.compare.document import compare


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return built_with("lines", tmp_path_factory.mktemp("base") / "bundle")


@pytest.fixture(scope="module")
def new(tmp_path_factory):
    folder = tmp_path_factory.mktemp("new")
    write_faster_run(folder)
    logs, profile = discover([folder / "trace"]), [str(folder / "profiles")]
    return Bundle.open(build(logs, folder / "bundle", jobs=1, profile=profile).path)


def _compared(base, new):
    return compare([("base", base)], [("new", new)])


def test_kernels_are_matched_by_code_and_lines(base, new):
    document = _compared(base, new)
    (log,) = document["logs"]
    times = log["run_time"]
    assert times["missing"] is None and not times["on_device"]
    rows = {row["base_name"]: row for row in times["kernels"]}
    events = events_of(PROFILE)
    truths = sorted((e for e in events if e["name"].startswith("truth")), key=lambda e: e["ts"])

    def total(name, ranges):
        found = [e["dur"] for e in events if name in e["name"] and any(encloses(r, e) for r in ranges)]
        return fsum(found)

    softmax, tanh = rows[SOFTMAX], rows[TANH]
    assert (softmax["matched_by"], softmax["change"]) == ("lines", "faster")
    assert softmax["new_name"].endswith("fill_4")
    assert softmax["base_us"] == pytest.approx(total(SOFTMAX, truths) * CALLS / 5, abs=0.01)
    assert softmax["new_us"] == pytest.approx(total(SOFTMAX, truths[:CALLS]) / 4, abs=0.01)
    assert (tanh["matched_by"], tanh["new_name"]) == ("code", "cpp_fused_mul_slice_sum_t_tanh_0")
    assert (tanh["base_count"], tanh["new_count"]) == (5, CALLS)
    lines = {row["code"]: row for row in times["lines"]}
    line = lines["weights = scores.masked_fill(mask, -1e9).softmax(1)"]
    assert (line["change"], line["new_us"]) == ("faster", softmax["new_us"])
    (change,) = [change for change in log["changes"] if change["kind"] == "run_time"]
    assert change["change"] == "better" and "per call, were" in change["title"]
    assert log["changes"][change["because_of"]]["kind"] == "code"
    text = terminal.comparison(document)
    assert "Measured kernel time: " in text and f"`{SOFTMAX}` → `cpp_fused__softmax_masked_fill_4`" in text
    assert (tanh["change"], "gone" in text) == ("same", False)  # one call of base was slow
    assert "`weights = scores.masked_fill(mask, -1e9).softmax(1)` (program.py:280)" in text
    assert "- faster: " in markdown.comparison(document)
    (log,) = _compared(new, base)["logs"]  # the other way round
    (row,) = [row for row in log["run_time"]["kernels"] if row["new_name"] == SOFTMAX]
    assert (row["change"], row["base_name"]) == ("slower", softmax["new_name"])
    (change,) = [change for change in log["changes"] if change["kind"] == "run_time"]
    assert (change["change"], change["severity"]) == ("worse", "warning")


def test_equal_runs_have_no_change(base):
    document = _compared(base, base)
    (log,) = document["logs"]
    assert {row["change"] for row in log["run_time"]["kernels"]} == {"same"}
    assert {row["matched_by"] for row in log["run_time"]["kernels"]} == {"code"}
    assert log["changes"] == [] and document["summary"]["verdict"] == "same"
    assert "no kernel changed beyond noise" in terminal.comparison(document)


def test_a_trace_on_one_side_only_is_said_once(base, tmp_path):
    plain = Bundle.open(build(discover([PROGRAMS / "lines" / "trace"]), tmp_path / "plain", jobs=1).path)
    for sides, missing in (((base, plain), "new"), ((plain, base), "base")):
        document = _compared(*sides)
        (log,) = document["logs"]
        assert (log["run_time"]["missing"], log["changes"]) == (missing, [])
        notes = [note for note in document["summary"]["notes"] if "profiler trace" in note]
        assert notes == [
            f"The {missing} run has no profiler trace, so run times are not compared."
            " Add one with tlparse-bundle add-profile."
        ]
        assert "Measured" not in terminal.comparison(document)
    assert _compared(plain, plain)["logs"][0]["run_time"] is None
