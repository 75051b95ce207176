"""The overview of a bundle, finished or growing."""

import copy

import pytest
from tlparse_bundle.render import info
from tlparse_bundle.render.info import as_dict, as_text, headlines, status_now, statuses
from tlparse_bundle.render.running import compile_words, running_compiles, still_growing
from traces import ROOT

FIXTURES = ROOT / "fixtures"
NOW_US = 1_772_330_400_000_000  # 2026-03-01 02:00 UTC


@pytest.fixture
def one(built):
    return built(FIXTURES / "recompiles" / "trace")


@pytest.fixture
def ranks(built):
    return built(FIXTURES / "ranks4" / "trace")


def row(id, text="Nothing to fix.", error=0, warning=0, compile_us=1):
    summary = {
        "text": text,
        "findings": {"error": error, "warning": warning, "info": 0},
        "compile_us": compile_us,
    }
    return {"id": id, "summary": summary}


def test_headlines_begin_with_the_log_with_most_errors():
    assert headlines([row("a", "Text.")]) == ["Text."]
    rows = [row("a", warning=9), row("b", error=1), row("c", error=2), row("d", compile_us=5), row("e")]
    assert headlines(rows) == [f"{id}: Nothing to fix." for id in "cbade"]
    assert headlines([*rows, row("f", error=3)]) == [
        *(f"{id}: Nothing to fix." for id in "fcbad"),
        "… and 1 more log",
    ]


def test_one_log_has_a_table_of_its_compiles(one):
    (log,) = one.logs
    lines = as_text(one).split("\n")
    assert lines[0].startswith("format 2.0, built by tlparse-bundle ") and lines[0].endswith(", codec zstd")
    assert lines[1:3] == ["", log.summary["text"]]
    at = next(number for number, line in enumerate(lines) if line.startswith("log "))
    assert lines[at].split() == [
        "log",
        "rank",
        "torch",
        "events",
        "compiles",
        "compile",
        "time",
        "statuses",
        "diagnostics",
    ]
    cells = lines[at + 1].split()
    assert cells[:2] == [log.id, "-"] and f"{log.row['event_count']:,}" in cells
    assert lines[at + 2] == ""
    first = log.compiles[0]
    assert lines[at + 3].split() == ["compile", "status", "function", "at", "time", "attempts", "artifacts"]
    cells = lines[at + 4].split()
    assert cells[:4] == [
        first.key,
        first.status,
        first.row["function"],
        f"{first.row['file']}:{first.row['line']}",
    ]
    assert cells[-2:] == [str(first.row["attempt_count"]), str(first.row["artifact_count"])]
    shown = min(len(log.compiles), info._MAX_COMPILES)
    limits, captures = (len(log.table(name)) for name in ("limits", "captures"))
    assert limits == 1 and not captures
    assert lines[at + 4 + shown :] == ["", "Not counted as compiles: 1 refused compile."]


def test_compiles_and_logs_beyond_a_limit_are_counted(one, ranks, monkeypatch):
    count = len(one.logs[0].compiles)
    for most in (count, count - 1):
        monkeypatch.setattr(info, "_MAX_COMPILES", most)
        assert ("… 1 more compiles; --json prints all" in as_text(one)) == (most < count)
    for most in (4, 3):
        monkeypatch.setattr(info, "_MAX_LOGS", most)
        assert ("… 1 more logs; --json prints all" in as_text(ranks)) == (most < 4)


def test_several_logs_have_processes_times_and_totals(ranks):
    lines = as_text(ranks).split("\n")
    assert lines[2] == ranks.job["text"]
    at = next(number for number, line in enumerate(lines) if line.startswith("log "))
    assert "process  start (UTC)" in lines[at]
    for log, line in zip(ranks.logs, lines[at + 1 :], strict=False):
        assert line.split()[:3] == [log.id, str(log.rank), str(log.row["pid"])]
    total = lines[at + 5].split()
    assert total[:3] == [
        "total",
        f"{sum(log.row['event_count'] for log in ranks.logs):,}",
        f"{sum(log.summary['compile_count'] for log in ranks.logs):,}",
    ]
    assert len(lines) == at + 6  # no table of compiles


def test_all_of_it_for_programs(ranks):
    document = as_dict(ranks)
    assert (document["ok"], document["ranks"]) == (True, ranks.job)
    assert {id: len(rows) for id, rows in document["compiles"].items()} == {
        log.id: len(log.compiles) for log in ranks.logs
    }


@pytest.mark.parametrize(
    ("us", "expected"), [(None, "-"), (0, "1970-01-01 00:00:00"), (1_999_999, "1970-01-01 00:00:01")]
)
def test_moments(us, expected):
    assert info._moment(us) == expected


# ---- growing bundles


def running(compile="0/0", *spans, since_us=NOW_US - 5_000_000, **fields):
    return {
        "compile": compile,
        "attempt": 0,
        "function": "f",
        "file": "/p/model.py",
        "line": 12,
        "since_epoch_us": since_us,
        "spans": [{"name": name} for name in spans],
        **fields,
    }


def growing(*logs, ranks=None):
    rows = [
        {"id": f"log{number}", "rank": None if ranks is None else ranks[number]}
        for number in range(len(logs))
    ]
    live = [{"id": f"log{number}", "running": list(found)} for number, found in enumerate(logs)]
    return {"growing": True, "logs": rows, "live": {"written_epoch_us": NOW_US, "logs": live}}


READ = "The logs of this bundle are still being written. Last read: 2026-03-01 02:00:00 UTC."


def test_a_finished_bundle_is_not_growing():
    assert still_growing({"logs": []}) is None


def test_no_compile_is_running():
    assert still_growing(growing([])) == f"{READ} No compile is running."


def test_a_running_compile_of_one_log():
    assert still_growing(growing([running("0/0", "dynamo", "backend_compile")])) == (
        f"{READ} Running: 0/0 f (model.py:12) in `backend_compile` for 5 s (since 01:59:55 UTC)."
    )
    assert still_growing(growing([running(None, since_us=None, function=None, file=None)])) == (
        f"{READ} Running: an unnamed compile."
    )
    late = running(since_us=NOW_US + 3_000_000)
    assert "for 0 µs (since 02:00:03 UTC)" in still_growing(growing([late]))
    impossible = running(since_us=1 << 62)
    assert "(since an unknown time)" in still_growing(growing([impossible]))


def test_the_same_compile_on_several_ranks_is_named_once():
    made = growing([running(since_us=NOW_US - 1)], [running()], [running("0/1")], ranks=[0, 1, 2])
    first, second = running_compiles(
        {row["id"]: row for row in made["logs"]}, {row["id"]: row for row in made["live"]["logs"]}
    )
    assert (first.logs, first.who, first.since_us) == (("log0", "log1"), "ranks 0–1", NOW_US - 5_000_000)
    assert (second.logs, second.who, second.what) == (("log2",), "rank 2", "0/1 f (model.py:12)")
    assert "0/0 f (model.py:12) on ranks 0–1 for 5 s" in still_growing(made)


def test_compiles_are_listed_from_the_earliest_and_beyond_a_limit_counted():
    found = [running(f"{number}/0", since_us=NOW_US - number) for number in range(5)]
    unknown = running("9/0", since_us=None)
    text = still_growing(growing([unknown, *found]))
    assert text.index("4/0 f") < text.index("0/0 f") and "9/0" not in text
    assert text.endswith("; 1 more compile.")
    assert "more compile" not in still_growing(growing(found))


def test_names_of_running_compiles():
    assert compile_words(running("0/1", attempt=2)) == "0/1_2 f (model.py:12)"
    assert compile_words(running(file=None)) == "0/0 f"


def test_a_log_that_is_not_listed_yet_is_not_named():
    made = growing([running()])
    made["live"]["logs"].append({"id": "later", "running": [running("7/7")]})
    assert "7/7" not in still_growing(made)


def test_an_unfinished_compile_is_running_while_the_bundle_grows(built, monkeypatch):
    bundle = built(FIXTURES / "killed" / "trace")
    (log,) = bundle.logs
    last = log.compiles[-1]
    assert status_now(last) == "unfinished" and statuses(log) == log.summary["statuses"]
    made = copy.deepcopy(bundle.manifest)
    made |= growing([running(last.key)], ranks=[None]) | {"logs": made["logs"]}
    made["live"]["logs"][0]["id"] = log.id
    monkeypatch.setattr(bundle, "manifest", made)
    assert status_now(last) == "running" and status_now(log.compiles[0]) == log.compiles[0].status
    counts = {"ok": 1, "failed": 2}
    for unfinished, expected in ((1, {"running": 1}), (3, {"running": 1, "unfinished": 2})):
        monkeypatch.setitem(log.row["summary"], "statuses", {**counts, "unfinished": unfinished})
        assert statuses(log) == {**counts, **expected}
    made["live"]["logs"][0]["running"] = []
    assert statuses(log) == {**counts, "unfinished": 3}
