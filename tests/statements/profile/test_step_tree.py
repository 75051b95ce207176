"""One step of a trace as a tree: each range is counted once, inside the range that made it."""

from collections import defaultdict
from math import fsum

import pytest
from profiled import PROGRAMS, built_with, events_of
from tlparse_bundle.log.profiler.recording import Name, Recording
from tlparse_bundle.statements.profile.step_tree import MAX_ROWS, step_rows

HOST = ("cpu_op", "user_annotation")


@pytest.mark.parametrize("name, step", [("steps", "ProfilerStep#"), ("lines", "truth:0/0")])
def test_each_range_of_the_step_is_counted_once(name, step, tmp_path):
    (log,) = built_with(name, tmp_path / "bundle").logs
    rows = log.table("step_tree")
    events = [
        event for event in events_of(PROGRAMS / name / "profiles" / f"{name}.json.gz") if event["cat"] in HOST
    ]
    steps = sorted(
        (event for event in events if event["name"].startswith(step)), key=lambda event: event["dur"]
    )
    chosen = steps[(len(steps) - 1) // 2] if name == "steps" else steps[-1]
    assert (rows[0]["kind"], rows[0]["name"], rows[0]["total_us"]) == ("step", chosen["name"], chosen["dur"])
    inside, found = defaultdict(list), defaultdict(list)
    for event in events:
        if event is not chosen and chosen["ts"] <= event["ts"] < chosen["ts"] + chosen["dur"]:
            inside[event["name"]].append(event["dur"])
    for row in rows:
        if row["kind"] == "range":
            found[row["name"]].append((row["count"], row["total_us"]))
    assert {name: sum(count for count, _ in rows) for name, rows in found.items()} == {
        name: len(durations) for name, durations in inside.items()
    }
    for name, durations in inside.items():
        assert fsum(us for _, us in found[name]) == pytest.approx(fsum(durations), abs=0.01)
    by_id = {row["id"]: row for row in rows}
    assert list(by_id) == list(range(len(rows)))
    for row in rows[1:]:
        assert row["parent"] < row["id"]
        if row["kind"] == "range":
            children = fsum(one["total_us"] for one in rows if one["parent"] == row["id"])
            assert row["self_us"] == pytest.approx(row["total_us"] - children, abs=0.01)


def test_a_large_step_keeps_the_largest_ranges_and_what_is_around_them():
    recording = Recording()
    recording.threads.append((1, 1))
    spans = recording.spans

    def add(name, start, duration):
        recording.names.append(Name(name))
        for array, value in (
            (spans.start, start),
            (spans.duration, duration),
            (spans.name, len(recording.names) - 1),
            (spans.thread, 0),
            (spans.external, -1),
        ):
            array.append(value)

    add("ProfilerStep#7", 0, 1e6)
    for number in range(5000):
        add(f"around {number}", 200 * number, 10 if number % 5 else 150)
        add(f"inside {number}", 200 * number + 1, 5 if number % 5 else 140)
    rows = list(step_rows(recording, "p"))
    assert len(rows) == MAX_ROWS
    ids = {row["id"] for row in rows}
    assert all(row["parent"] in ids for row in rows[1:])
    assert min(row["total_us"] for row in rows) == 140  # the short ones are left out
    assert list(step_rows(Recording(), "p")) == []
