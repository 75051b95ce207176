"""File names that another log of the same process defines."""

import pytest
import traces
from log_builder import record
from tlparse_bundle import Bundle, build, discover

NAME = "dedicated_log_torch_trace_{}.log"


def uses(number):
    return record(f'dynamo_start 0/0 {{"stack": [{{"line": 5, "name": "f", "filename": {number}}}]}}')


def defines(text, number):
    return record(f'str ["{text}", {number}]')


@pytest.fixture
def files(tmp_path):
    """Return files({name: data}, jobs): the file of the compile of each log that has one, and whether a name
    is missing.
    """

    def read(logs, jobs=1):
        for name, data in logs.items():
            (tmp_path / NAME.format(name)).write_bytes(data)
        bundle = build(discover([tmp_path]), tmp_path / "out", jobs=jobs, overwrite=True)
        opened = Bundle.open(bundle.path)
        return {
            log.id: [compile.row["file"], "string-undefined" in log.row["diagnostics"]]
            for log in opened.logs
            for compile in log.compiles
        }

    return read


@pytest.mark.parametrize("jobs", [1, 2])
def test_they_are_found(files, jobs):
    made = files({"a": defines("/p/a.py", 1) + uses(1), "b": uses(1), "c": uses(2)}, jobs)
    assert made == {"a": ["/p/a.py", False], "b": ["/p/a.py", False], "c": [None, True]}


def test_definitions_of_the_log_come_first(files):
    assert files({"a": defines("/p/a.py", 1), "b": defines("/p/b.py", 1) + uses(3) + uses(1)})["b"] == [
        "/p/b.py",
        True,
    ]


def test_contradicting_definitions_are_ignored(files):
    assert files({"a": defines("/p/a.py", 1), "b": defines("/p/b.py", 1), "c": uses(1)})["c"] == [None, True]


def test_another_rank_or_process_is_not_asked(files):
    pid = uses(1).split(b" ")[2]
    other = uses(1).replace(b" " + pid + b" ", b" 77 ", 1)
    assert other != uses(1)
    made = files(
        {"rank_0_a": defines("/p/a.py", 1), "rank_1_b": uses(1), "rank_0_c": other, "rank_0_d": uses(1)}
    )
    assert made == {"rank_1_b": [None, True], "rank_0_c": [None, True], "rank_0_d": ["/p/a.py", False]}


def test_a_real_one(tmp_path):
    """draft_export closes the log of its process and starts another one."""
    trace = traces.ROOT / "fixtures" / "export_dtrace" / "trace"
    both = Bundle.open(build(discover([trace]), tmp_path / "both", jobs=1).path)
    later = next(log for log in both.logs if log.id.endswith("1"))
    alone = Bundle.open(build(discover([trace / later.source]), tmp_path / "alone", jobs=1).path).logs[0]
    assert (
        "string-undefined" in alone.row["diagnostics"] and "string-undefined" not in later.row["diagnostics"]
    )
    assert [row["file"] for row in alone.findings() if row["kind"] == "export-assumption"] == [None]
    assert [row["file"] for row in later.findings() if row["kind"] == "export-assumption"] == ["program.py"]
    assert traces.restore(later) == (trace / later.source).read_bytes()
