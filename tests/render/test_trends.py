"""Jumps and the table of runs of a trend in the terminal, from a made document."""

from pathlib import Path
from types import SimpleNamespace

import click
import pytest
from made_runs import DAY_US, FIRST_US
from tlparse_bundle.render import json as as_json
from tlparse_bundle.render import terminal
from tlparse_bundle.statements.runs.trend.metrics import METRICS


def run(number, **fields):
    return {
        "name": f"run-{number}",
        "start_epoch_us": FIRST_US + number * DAY_US,
        "torch_versions": ["2.9.0"],
        "commit": f"{number}" * 20,
        "ends_early": False,
        **fields,
    }


def jump(run, *worse, base=0, series=0, text="compile time grew", **fields):
    changes = [{"is_worse": one} for one in worse]
    return {
        "series_index": series,
        "run_index": run,
        "base_run_index": base,
        "changes": changes,
        "text": text,
        **fields,
    }


def document(*runs, jumps=(), latest=(), **values):
    empty = dict.fromkeys(metric.key for metric in METRICS)
    return {
        "runs": list(runs),
        "series": [{"name": "train", "run_indexes": [*range(len(runs))]}],
        "jumps": list(jumps),
        "latest": list(latest),
        "values": {key: values.get(key, [None] * len(runs)) for key in empty},
    }


def printed(made, **options):
    text = terminal.trend(
        made, **{"last": 0, "command": lambda base, new: f"compare {base} {new}", **options}
    )
    return text, click.unstyle(text).split("\n")


def test_runs_without_a_jump():
    text, lines = printed(document(run(0), run(2)))
    assert lines == ["train: 2 runs, 2026-03-01 to 2026-03-03", "  no jumps"]
    assert click.style(lines[0], bold=True) in text


def test_runs_without_a_start_time_are_counted():
    _, lines = printed(document(run(0), run(1, start_epoch_us=None)))
    assert lines[0] == "train: 2 runs, 2026-03-01 to 2026-03-01"
    assert lines[1].startswith("  1 run left out: the start time is not recorded.")
    assert printed(document(run(0, start_epoch_us=None)))[1][0] == "train: 1 run"


@pytest.mark.parametrize(
    ("worse", "sign", "color"),
    [
        ((True, False), "▲", "red"),
        ((False, False), "▼", "green"),
        ((False, None), "•", "cyan"),
    ],
)
def test_a_jump_names_its_run_and_the_command_that_compares(worse, sign, color):
    text, lines = printed(document(run(0), run(1), jumps=[jump(1, *worse)]))
    assert lines[1:] == [
        f"  {sign} compile time grew.",
        f"    at 2026-03-02 02:00 (run-1, commit {'1' * 20})",
        "    compare 0 1",
    ]
    assert click.style(sign, fg=color) in text and click.style(lines[2], dim=True) in text


def test_a_jump_names_versions_of_torch_that_differ():
    def of(one, other):
        runs = run(0, torch_versions=one), run(1, torch_versions=other, commit=None)
        return printed(document(*runs, jumps=[jump(1, True)]))[1][2]

    assert of(["2.8.0"], ["2.9.0", "2.9.1"]).endswith(" (run-1, torch 2.8.0 → 2.9.0, 2.9.1)")
    assert of([], ["2.9.0"]).endswith(" (run-1, torch unknown → 2.9.0)")
    assert of(["2.9.0"], ["2.9.0"]).endswith(" (run-1)")


def test_a_long_jump_is_wrapped():
    _, lines = printed(document(run(0), run(1), jumps=[jump(1, True, text="word " * 9 + "end")]), width=34)
    assert lines[1:3] == ["  ▲ word word word word word word", "    word word word end."]


def test_jumps_beyond_a_limit_are_counted():
    for count in (20, 21):
        _, lines = printed(document(run(0), run(1), jumps=[jump(1, True)] * count))
        assert sum("▲" in line for line in lines) == 20
        assert lines[-1] == ("    compare 0 1" if count == 20 else "  1 more jump; --json has all")


def test_the_last_runs_may_be_outliers():
    made = document(run(0), run(1), latest=[jump(1, True, run_count=1), jump(1, True, run_count=2)])
    _, lines = printed(made)
    assert lines[1] == "  no jumps"
    assert lines[3].startswith("    in the last run; it may be an outlier (run-1")
    assert lines[6].startswith("    in the last 2 runs, too few to be sure (run-1")
    made["latest"][0]["series_index"] = 1
    assert sum("▲" in line for line in printed(made)[1]) == 1


def test_the_table_has_the_last_runs_and_the_recorded_metrics():
    runs = (run(0), run(1, ends_early=True, commit=None), run(2))
    made = document(*runs, compile_us=[1_000_000, 12_500_000, None], compile_count=[5, 10, 1234])
    text, lines = printed(made, last=2)
    assert lines[2:] == [
        "",
        "  started (UTC)     compile time  compiles  run                            commit",
        "  2026-03-02 02:00        12.5 s        10  run-1 (ends inside a compile)",
        "  2026-03-03 02:00             –     1,234  run-2                          222222222222",
        "  1 earlier run; --last N shows more",
    ]
    assert click.style(lines[3], dim=True) in text and click.style(lines[4], dim=True) not in text
    assert "earlier" not in printed(made, last=3)[0]


def test_each_series_has_its_own_jumps():
    made = document(run(0), run(1), jumps=[jump(1, True, series=1)])
    made["series"].append({"name": "test", "run_indexes": [1]})
    _, lines = printed(made)
    assert lines[:4] == [
        "train: 2 runs, 2026-03-01 to 2026-03-02",
        "  no jumps",
        "",
        "test: 1 run, 2026-03-02 to 2026-03-02",
    ]
    assert lines[4] == "  ▲ compile time grew."


def test_records_of_the_benchmark_database():
    values = dict.fromkeys(metric.key for metric in METRICS) | {"compile_us": 7, "compile_count": 0}
    known = SimpleNamespace(
        values=values,
        location=Path("/p/run-1"),
        start_epoch_us=FIRST_US,
        commit="abc",
        torch_versions=["2.8.0", "2.9.0"],
        log_count=2,
    )
    unknown = SimpleNamespace(**{**vars(known), "start_epoch_us": None, "commit": None, "torch_versions": []})
    first, second, other, _ = as_json.benchmark_records([("train", known), ("test", unknown)])
    assert (first["model"], first["metric"]["name"]) == ({"name": "train", "type": "program"}, "compile_us")
    assert [row["metric"]["benchmark_values"] for row in (first, second)] == [[7], [0]]
    assert first["benchmark"] == {
        "name": "torch.compile",
        "extra_info": {
            "run": "run-1",
            "started_utc": "2026-03-01 02:00",
            "commit": "abc",
            "torch_version": "2.8.0, 2.9.0",
            "log_count": "2",
        },
    }
    assert other["benchmark"]["extra_info"] == {"run": "run-1", "log_count": "2"}
