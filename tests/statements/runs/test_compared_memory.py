"""Compiles whose generated code needs more or less memory."""

import pytest
from log_builder import log
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.statements.runs.compare.document import compare


def run(folder, name, elements, more=""):
    path = folder / name / "dedicated_log_torch_trace_a.log"
    path.parent.mkdir()
    path.write_bytes(
        log(f"""
            str ["train.py", 0]
            dynamo_start 0/0 {{"stack": [{{"line": 1, "name": "step", "filename": 0}}]}}
            inductor_output_code 0/0 {{"filename": "/tmp/c.py"}}
                | def call(args):
                |     arg0_1, = args
                |     args.clear()
                |     buf0 = empty_strided_cuda(({elements}, ), (1, ), torch.float32){more}
                |     return (buf0, )
            compilation_metrics 0/0 {{"co_name": "step", "co_filename": "train.py", "co_firstlineno": 1}}
        """)
    )
    build(discover([path]), folder / f"{name}.bundle", jobs=1)
    return name, Bundle.open(folder / f"{name}.bundle")


def changes(base, new):
    (compared,) = compare([base], [new])["logs"]
    return [change for change in compared["changes"] if change["kind"] == "memory"]


def test_a_larger_peak_is_a_change(tmp_path):
    (change,) = changes(run(tmp_path, "base", 51_200_000), run(tmp_path, "new", 76_800_000))
    assert (change["change"], change["severity"], change["function"]) == ("worse", "warning", "step")
    assert "307.2 MB" in change["title"] and "was 204.8 MB" in change["title"]
    assert change["details"] == {"base_bytes": 204_800_000, "new_bytes": 307_200_000, "is_exact": True}


def test_a_smaller_peak_is_an_improvement(tmp_path):
    (change,) = changes(run(tmp_path, "base", 76_800_000), run(tmp_path, "new", 51_200_000))
    assert (change["change"], change["severity"]) == ("better", "info")


CUSTOM = "; torch.ops.mylib.custom.default(buf0)"


@pytest.mark.parametrize(
    ("base", "new"),
    [
        ((1_000, ""), (2_000, "")),  # small
        ((51_200_000, ""), (52_480_000, "")),  # less than 10 %
        ((51_200_000, ""), (76_800_000, CUSTOM)),  # only one is exact
    ],
)
def test_these_are_not_changes(tmp_path, base, new):
    assert changes(run(tmp_path, "base", *base), run(tmp_path, "new", *new)) == []


def test_lower_bounds_with_the_same_reason_are_compared(tmp_path):
    (change,) = changes(run(tmp_path, "base", 51_200_000, CUSTOM), run(tmp_path, "new", 76_800_000, CUSTOM))
    assert "at least 307.2 MB" in change["title"]
    assert change["details"]["is_exact"] is False
