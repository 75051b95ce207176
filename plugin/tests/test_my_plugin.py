"""Build a bundle of a small log and check what the plug-in adds."""

import json

import pytest
from tlparse_bundle import Bundle, build, discover


def record(kind, value, **fields):
    """Return a line of a TORCH_TRACE log."""
    return f"V0401 12:00:00.000000 7 program.py:1] {json.dumps({kind: value, **fields})}\n"


@pytest.fixture
def bundle(tmp_path):
    for rank in range(2):
        log = tmp_path / f"dedicated_log_torch_trace_rank_{rank}_x.log"
        log.write_text(
            record("my_step", {"requests": 7}, rank=rank)
            + record("my_step", {"requests": 0}, rank=rank, frame_id=0, frame_compile_id=0, attempt=0)
        )
    build(discover([tmp_path]), tmp_path / "out", jobs=1)
    return Bundle.open(tmp_path / "out")


def test_the_plugin_works(bundle):
    for log in bundle.logs:
        assert [row for row in log.table("diagnostics") if row["code"] == "plugin-failed"] == []


def test_records_have_a_title(bundle):
    assert bundle.manifest["descriptors"]["my_step"]["title"] == "step"


def test_the_table_has_a_row_per_record(bundle):
    assert bundle.logs[0].table("my_steps") == [
        {"event": 0, "compile": None, "requests": 7},
        {"event": 1, "compile": "0/0", "requests": 0},
    ]


def test_the_finding_names_its_records(bundle):
    found = [row for row in bundle.logs[0].findings() if row["kind"] == "my-idle-steps"]
    assert [row["events"] for row in found] == [[1]]


def test_ranks_are_counted(bundle):
    assert bundle.rank_table("my_step_ranks") == [{"rank": 0, "steps": 2}, {"rank": 1, "steps": 2}]
