"""The timeline: spans that nest."""

import json
import random
from array import array
from itertools import pairwise

import pytest
import traces
from hypothesis import given
from hypothesis import strategies as st
from log_builder import log, record, span
from log_strategies import cases
from tlparse_bundle.base.diagnostics import Diagnostics
from tlparse_bundle.log.stacks import StackTable
from tlparse_bundle.model.compiles import forward_us
from tlparse_bundle.tables import spans
from tlparse_bundle.tables.spans import Spans
from tlparse_bundle.tables.table import TableContext
from tlparse_bundle.tables.tally import Tally

T0 = 1_795_246_200_000_000


def rows(it):
    return it.table("spans")


def tree(it):
    """Return {name of a span: name of its parent} of a log with unique names."""
    all_rows = rows(it)
    return {
        row["name"]: all_rows[row["parent"]]["name"] if row["parent"] is not None else None
        for row in all_rows
    }


def repairs(it):
    """Return {repair or omission: count} from the diagnostics."""
    return {
        row["code"].removeprefix("timeline-"): row["count"]
        for row in it.table("diagnostics")
        if row["code"].startswith("timeline-")
    }


def trace_event(name, phase, ts, compile_id="0/0", **fields):
    """Return a chromium event with a compile id, as torch writes it."""
    return record(
        f"chromium_event {compile_id}",
        payload=json.dumps(
            {"name": name, "ph": phase, "ts": ts, "args": {"compile_id": compile_id}, **fields}
        ),
    )


@pytest.mark.parametrize("path", traces.ALL_LOGS)
def test_spans_of_real_logs_agree_with_the_metrics(built, path):
    """torch measures a frame compile twice: the span entire_frame_compile, and
    dynamo_cumulative_compile_time_us.
    """
    (it,) = built(path).logs
    compiles = {row["compile"]: row for row in it.table("compiles")}
    for row in rows(it):
        compile = compiles.get(row["compile"])
        if row["name"] == "entire_frame_compile" and compile and compile["metrics_event"] is not None:
            measured = forward_us(compile)
            assert abs(row["duration_us"] - measured) <= 2
    check_nesting(it)


def check_nesting(it):
    """Check the schema's rules for lanes, parents and self times."""
    sums, all_rows = it.table("span_totals"), rows(it)
    assert [row["id"] for row in all_rows] == list(range(len(all_rows)))
    last = {}
    for row in all_rows:
        parent, start_us = row["parent"], row["start_epoch_us"]
        if parent is not None and row["duration_us"] is not None:
            above = all_rows[parent]
            assert above["lane"] == row["lane"] and above["start_epoch_us"] <= start_us
            if above["duration_us"] is not None:
                assert start_us + row["duration_us"] <= above["start_epoch_us"] + above["duration_us"]
        if row["duration_us"] is not None and row["repair"] != "backwards":
            last.setdefault((row["lane"], parent), []).append(
                (start_us, start_us + row["duration_us"], row["id"])
            )
    for siblings in last.values():
        siblings.sort()
        assert all(one[1] <= other[0] for one, other in pairwise(siblings))
    ended = [row for row in all_rows if row["duration_us"] is not None]
    outer = sum(row["duration_us"] for row in ended if not any_ended_above(all_rows, row))
    assert sum(row["self_us"] for row in sums) == outer
    assert sum(row["total_us"] for row in sums) == sum(row["duration_us"] for row in ended)
    assert sum(row["count"] for row in sums) == len(all_rows)
    assert [row["name"] for row in sums] == list(dict.fromkeys(row["name"] for row in all_rows))
    lanes = {row["lane"] for row in all_rows}
    assert lanes == set(range(len(lanes)))


def any_ended_above(all_rows, row):
    while row["parent"] is not None:
        row = all_rows[row["parent"]]
        if row["duration_us"] is not None:
            return True
    return False


def test_what_a_killed_process_left_open(built, root, found):
    """The backend ends the process inside the second compile's spans; the first compile is complete."""
    (it,) = built(root / "fixtures" / "killed" / "trace").logs
    unended = [row["name"] for row in rows(it) if row["duration_us"] is None]
    assert unended == ["dynamo", "entire_frame_compile", "compile_attempt_0", "backend_compile"]
    assert all(
        row["end_event"] is None and row["repair"] == "unended"
        for row in rows(it)
        if row["duration_us"] is None
    )
    second = {row["name"]: row for row in rows(it) if row["compile"] == "1/0"}
    assert second["bytecode_tracing"]["duration_us"] > 0
    names = [row["name"] for row in rows(it)]
    for inner, outer in (
        ("backend_compile", "compile_attempt_0"),
        ("compile_attempt_0", "entire_frame_compile"),
        ("entire_frame_compile", "dynamo"),
    ):
        assert rows(it)[second[inner]["parent"]]["name"] == outer, names
    assert repairs(it) == {"unended": 4}
    assert [row[0] for row in found(it)] == ["timeline-unended"]


def test_a_restart_keeps_its_outer_spans(built, root):
    """A graph break restarts the compile: its spans start in 1/0, those of the second attempt in 1/0_1."""
    (it,) = built(root / "fixtures" / "graph_breaks" / "trace").logs
    all_rows = rows(it)
    attempt = next(row for row in all_rows if row["name"] == "compile_attempt_1")
    frame = all_rows[attempt["parent"]]
    assert (frame["name"], frame["compile"], frame["attempt"], attempt["compile"], attempt["attempt"]) == (
        "entire_frame_compile",
        "1/0",
        0,
        "1/0",
        1,
    )
    assert repairs(it) == {}


def test_an_instant_has_its_own_place(built, root):
    (it,) = built(root / "fixtures" / "recompiles" / "trace").logs
    assert [(row["name"], row["compile"], row["attempt"]) for row in it.table("instants")] == [
        ("automatic_dynamic", "0/1", 0)
    ]
    assert not any(row["name"] == "automatic_dynamic" for row in it.table("span_totals"))


def test_threads_overlap(log_of, found):
    """Made after multi_rank_schedule of the public traces: workers compile files while the main thread waits
    for one.
    """
    it = log_of(
        trace_event("dynamo", "B", T0)
        + trace_event("compile_file", "B", T0 + 10)
        + trace_event("async_compile.wait", "B", T0 + 20)
        + trace_event("compile_file", "E", T0 + 30)
        + trace_event("async_compile.wait", "E", T0 + 50)
        + trace_event("dynamo", "E", T0 + 100)
    )
    assert [
        (
            row["name"],
            row["start_epoch_us"] - T0,
            row["duration_us"],
            row["lane"],
            row["parent"],
            row["repair"],
        )
        for row in rows(it)
    ] == [
        ("dynamo", 0, 100, 0, None, None),
        ("compile_file", 10, 20, 0, 0, None),
        ("async_compile.wait", 20, 30, 1, None, "misnested"),
    ]
    assert repairs(it) == {"misnested": 1}
    assert [tuple(row.values()) for row in it.table("span_totals")] == [
        ("dynamo", 1, 100, 80),
        ("compile_file", 1, 20, 20),
        ("async_compile.wait", 1, 30, 30),
    ]
    assert [row[0] for row in found(it)] == ["timeline-misnested"]


def test_an_end_belongs_to_its_own_compile(log_of):
    """An exception leaves 'backend_compile' of 0/0 open; the same name of 1/0 ends."""
    it = log_of(
        trace_event("dynamo", "B", T0, "0/0")
        + trace_event("backend_compile", "B", T0 + 10, "0/0")
        + trace_event("dynamo", "E", T0 + 20, "0/0")
        + trace_event("dynamo", "B", T0 + 30, "1/0")
        + trace_event("backend_compile", "B", T0 + 40, "1/0")
        + trace_event("backend_compile", "E", T0 + 50, "1/0")
        + trace_event("dynamo", "E", T0 + 60, "1/0")
    )
    assert [(row["duration_us"], row["parent"], row["lane"], row["repair"]) for row in rows(it)] == [
        (20, None, 0, None),
        (None, 0, 0, "unended"),
        (30, None, 0, None),
        (10, 2, 0, None),
    ]
    crossed = log_of(
        b"".join(
            trace_event("x", phase, T0 + ts, cid)
            for phase, ts, cid in (("B", 0, "0/0"), ("B", 5, "1/0"), ("E", 10, "0/0"), ("E", 20, "1/0"))
        )
    )
    assert [row["duration_us"] for row in rows(crossed)] == [10, 15]


def test_events_that_torch_does_not_write(log_of, found):
    """Hand-made events."""
    it = log_of(
        trace_event("no begin", "E", T0)
        + trace_event("backwards", "B", T0 + 9)
        + trace_event("backwards", "E", T0 + 3)
        + trace_event("complete", "X", T0 + 20, dur=7.5)
        + trace_event("half", "X", T0 + 30)
        + trace_event("flow", "s", T0 + 40)
        + trace_event("long ago", "B", -1)
        + trace_event("never", "B", 1e300)
    )
    assert [(row["name"], row["duration_us"], row["repair"]) for row in rows(it)] == [
        ("backwards", 0, "backwards"),
        ("complete", 7, None),
        ("half", None, "unended"),
    ]
    assert repairs(it) == {"unended": 1, "backwards": 1, "unbegun": 1, "invalid-time": 2, "other-phase": 1}
    assert {row[0] for row in found(it)} == {f"timeline-{what}" for what in repairs(it)}


def test_neighbors_are_not_children(log_of):
    """Spans shorter than a microsecond, one after another at one time."""
    it = log_of(b"".join(trace_event(name, phase, T0 + at) for name, phase, at in (
        ("outer", "B", 0), ("a", "B", 5.0), ("a", "E", 5.25), ("b", "B", 5.5), ("b", "E", 9), ("c", "B", 9.25), ("c", "E", 9.5), ("outer", "E", 20),
    )))  # fmt: skip
    tree_of = tree(it)
    assert (tree_of["outer"], tree_of["b"], tree_of["c"]) == (None, "outer", "outer")
    assert repairs(it) == {}


def test_a_log_without_a_timeline(log_of):
    it = log_of(log('str ["a.py", 0]'))
    assert [it.table(name) for name in ("spans", "instants", "span_totals")] == [[], [], []]


def test_arguments_of_any_shape(log_of):
    """None of these contains a compile id."""
    values = ("null", "[]", "1", '{"compile_id": {"a": []}}', '{"compile_id": [1]}')
    events = [
        record("chromium_event", payload=f'{{"name": "x", "ph": "{ph}", "ts": {T0 + n}, "args": {v}}}')
        for n, v in enumerate(values)
        for ph in "BE"
    ]
    assert len(rows(log_of(b"".join(events)))) == len(values)
    assert rows(log_of(span("y", "B", T0) + span("y", "E", T0 + 1)))[0]["duration_us"] == 1


@pytest.mark.parametrize("seed", range(40))
def test_any_timeline_nests(log_of, seed):
    """Random spans, some without an end: lanes nest, and no time is counted twice."""
    dice, events = random.Random(seed), []
    for _ in range(dice.randrange(1, 60)):
        name, cid, start = dice.choice("abcd"), dice.choice(("0/0", "0/0_1", "1/0")), dice.randrange(80) / 2
        events.append((start, trace_event(name, "B", T0 + start, cid)))
        if dice.random() < 0.9:
            end = start + dice.randrange(60) / 2
            events.append((end, trace_event(name, "E", T0 + end, cid)))
    events.sort(key=lambda event: event[0])
    it = log_of(b"".join(data for _, data in events))
    check_nesting(it)
    assert repairs(it).keys() <= {"misnested", "unended", "backwards", "unbegun"}
    assert len(rows(it)) == sum(b'"ph": "B"' in data for _, data in events)


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=80), st.integers(1, 10))
@cases(200)
def test_the_order_of_spans_is_that_of_one_sort(times, together):
    start, until = array("q", [time for time, _ in times]), array("q", [time for _, time in times])
    size = spans._SORTED_TOGETHER
    try:
        spans._SORTED_TOGETHER = together
        assert list(spans._by_start(start, until)) == sorted(
            range(len(times)), key=lambda row: (start[row], -until[row])
        )
    finally:
        spans._SORTED_TOGETHER = size


_TIMES = st.integers(0, 12)
_SPAN_EVENTS = st.tuples(
    st.sampled_from("abc"), st.sampled_from("BBBEEEEXi"), _TIMES, st.one_of(st.none(), _TIMES)
)


@given(st.lists(_SPAN_EVENTS, max_size=60), st.sets(st.integers(0, 60), max_size=8), st.booleans())
@cases(300)
def test_spans_that_are_nested_early_nest_the_same(events, moments, forward):
    """``settle`` at any time, as for a log that grows; times mostly increase."""
    settling, plain = (Spans(TableContext(StackTable(), Diagnostics(), Tally())) for _ in range(2))
    for table in (settling, plain):
        table._compiles.append(None, 1, 0, 0)
    now = 0
    for number, (name, phase, time_us, duration_us) in enumerate(events):
        now += time_us if forward else 0
        for table in (settling, plain):
            table.observe_span((number, 0, name, phase, now + time_us % 3, duration_us, None))
        if number in moments:
            settling.settle()
    assert lines_of(settling) == lines_of(plain)


def lines_of(table):
    return {name: [b"".join(pieces) for _, pieces in rows.files()] for name, rows in table.tables()}
