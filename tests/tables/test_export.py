"""Exports and their problems."""

import json

import pytest
from log_builder import log, record


@pytest.fixture
def fixture(built, root):
    """Return fixture(id): a log of the scenario export_dtrace."""
    logs = {log.id: log for log in built(root / "fixtures" / "export_dtrace" / "trace").logs}
    return logs.__getitem__


def event_of(it, event_index):
    return next(event for event in it.events() if event.index == event_index)


def test_an_export_that_works_and_one_that_fails_on_data(fixture):
    it = fixture("fixture0")
    exports = it.table("exports")
    assert [event_of(it, row["start_event"]).type for row in exports] == ["export"] * 2
    program, nothing = (row["program_event"] for row in exports)
    assert event_of(it, program).type == "exported_program"
    assert nothing is None
    guard, error = it.table("export_failures")
    assert guard["event"] < program < error["event"]
    assert (guard["kind"], list(guard["symbol_sources"].values())) == (
        "guard_evaluated",
        ["L['x'].size()[0]"],
    )
    assert (error["kind"], error["result"]) == ("data_dependent_error", None)
    assert error["expr"].endswith(" > 0.0")


def test_a_draft_export_lists_all_it_found_in_the_order_of_the_log(fixture):
    it = fixture("fixture1")
    (export,) = it.table("exports")
    assert export["start_event"] is None
    assert event_of(it, export["program_event"]).type == "exported_program"
    data, missing, mismatched = it.table("export_failures")
    assert [data["kind"], missing["kind"], mismatched["kind"]] == [
        "data_dependent_error",
        "missing_fake_kernel",
        "mismatched_fake_kernel",
    ]
    assert missing["op"] == "fixture.no_fake.default"
    assert mismatched["op"] == "fixture.wrong_fake.default"
    assert {"torch.float64", "torch.float32"} <= set(mismatched["reason"].split())
    assert (data["result"], data["loc"]) == ("True", "if count > 2:")
    assert data["expr"] == f"{data['locals']['count'][0]} > 2"
    assert it.stack(data["user_stack"])[-1]["code"] == "if count > 2:"
    assert [row["result"] for row in it.table("expressions") if row["event"] == data["expression_event"]] == [
        data["expr"]
    ]


def test_the_public_export_log(built, shared_traces):
    """As in tlparse -e: one failure; the seven guards are not failures."""
    (it,) = built(shared_traces / "single" / "export.log").logs
    (failure,) = it.table("export_failures")
    assert (failure["kind"], failure["expr"], failure["result"]) == (
        "data_dependent_error",
        "Eq((((-u0)//3)) + 5, 0)",
        "False",
    )
    assert failure["locals"]["a"] == ["(((-u0)//3)) + 5"]
    assert failure["symbol_sources"] == {"s0": "L['args'][0][1].size()[0]"}
    assert len(it.table("exports")) == 1


# Records written by hand, from torch 2.13.


def test_only_guards_of_the_prefix_eval_are_failures(log_of):
    it = log_of(
        log("""
        guard_added {"expr": "s0 > 1", "prefix": "eval"}
        guard_added {"expr": "s0 > 2", "prefix": "runtime_assert"}
        guard_added {"expr": "s0 > 3"}
        guard_added {"expr": "s0 > 4", "prefix": "eval", "symbol_to_sources": {"s0": "a"}, "frame_locals": {"symbols": {"s0": "b", "s1": null}, "locals": {"x": [null, "s0"]}}}
        """)
    )  # fmt: skip
    first, second = it.table("export_failures")
    assert (first["expr"], first["locals"], first["loc"], first["expression_event"]) == (
        "s0 > 1",
        {},
        None,
        None,
    )
    assert (second["locals"], second["symbol_sources"]) == ({"x": [None, "s0"]}, {"s0": "b", "s1": None})


def test_starts_and_programs(log_of):
    it = log_of(
        record("export", "start!")
        + record("export", "start!")
        + record("exported_program", "program")
        + record("exported_program", "program again")
        + record("export", "start!")
    )
    rows = [(row["start_event"], row["program_event"]) for row in it.table("exports")]
    assert rows == [(0, None), (1, 2), (None, 3), (4, None)]


def test_an_expression_is_the_newest_before(log_of):
    it = log_of(
        log("""
        expression_created {"result": "a", "result_id": 5}
        propagate_real_tensors_provenance {"expr": "a", "expr_node_id": 5}
        expression_created {"result": "b", "result_id": 5}
        guard_on_data_dependent_error {"expr": "b", "expr_id": 5}
        guard_on_data_dependent_error {"expr": "b", "expr_id": null}
        """)
    )
    assert [row["expression_event"] for row in it.table("export_failures")] == [0, 2, None]


def test_values_of_the_wrong_kind_are_still_failures(log_of, found):
    it = log_of(
        log("""
        missing_fake_kernel {}
        missing_fake_kernel []
        mismatched_fake_kernel {"op": ["a"], "reason": 5}
        propagate_real_tensors_provenance 7/7 []
        """)
        + record("mismatched_fake_kernel " + json.dumps({"op": "o", "reason": "r" * 5000}))
    )
    rows = it.table("export_failures")
    assert [(row["op"], row["reason"]) for row in rows[:4]] == [
        (None, None),
        (None, None),
        ('["a"]', "5"),
        (None, None),
    ]
    assert (len(rows[4]["reason"]), rows[4]["reason"][-1]) == (2000, "…")
    assert [row[0] for row in found(it)] == ["table-parse"] * 4


def test_a_log_without_exports_has_empty_tables(log_of):
    it = log_of(log("dynamo_start 0/0"))
    assert it.table("exports") == it.table("export_failures") == []
