"""Findings and tables of Flight Recorder dumps joined to logs: real jobs, and what NCCL records."""

import json

import pytest
from flight_recorder_jobs import JOBS, NAMES, as_nccl, built_with, changed_dump, dumps, found, joined  # noqa: F401
from tlparse_bundle.bundle.validate import validate
from tlparse_bundle.statements.ranks.rank_sets import ranks_in


@pytest.mark.parametrize("name", NAMES)
def test_a_job_is_joined(joined, name):
    truth = json.loads((JOBS / name / "truth.json").read_text())
    bundle = joined(name)
    assert validate(bundle) == []
    groups = bundle.rank_table("flight_recorder_groups")
    plain = [
        {key: ranks_in(row[key]) if type(row[key]) is list else row[key] for key in truth["groups"][0]}
        for row in groups
    ]
    for row, expected in zip(plain, truth["groups"], strict=True):
        if expected["waiting"] is None:
            row["waiting"] = None
    assert plain == truth["groups"]
    calls = bundle.rank_table("flight_recorder_calls")
    counts = {str(row["rank"]): row["call_count"] for row in bundle.rank_table("flight_recorder_dumps")}
    assert counts == truth["call_counts"]
    assert len(calls) == sum(counts.values())
    for number, expected in truth["calls"].items():
        rows = [row for row in calls if row["group"] == "0" and row["sequence"] == int(number)]
        assert rows and all({key: row[key] for key in expected} == expected for row in rows)
    assert [
        {"kind": row["kind"], "ranks": ranks_in(row["ranks"]), "others": ranks_in(row["others"])}
        for row in found(bundle)
    ] == truth["findings"]
    if truth["findings"]:
        assert bundle.rank_table("rank_findings")[0]["kind"] == truth["findings"][0]["kind"]


def test_every_recorded_call_of_the_jobs_has_an_origin(joined):
    """Dumps with stacks say of each call whether compiled code made it, and the compile is in the log."""
    for name in NAMES:
        bundle = joined(name)
        logs = {log.rank: {row["compile"] for row in log.table("compiles")} for log in bundle.logs}
        for row in bundle.rank_table("flight_recorder_calls"):
            assert row["origin"] in ("compiled", "eager")
            assert (row["compile"] is None) == (row["origin"] == "eager") == (row["joined_by"] is None)
            assert row["compile"] is None or row["compile"] in logs[row["rank"]]
            column = row["rank_compile"]
            assert column is None or row["function"] == bundle.rank_table("rank_compiles")[column]["function"]


def test_the_sentences_name_call_ranks_code_and_line(joined):
    titles = {name: [row["title"] for row in found(joined(name))] for name in NAMES}
    assert titles["missing_call"] == [
        "Rank 2 has not called `all_reduce` #5 of the default group; ranks 0, 1 and 3 wait in it, called by"
        " `sync` [0/0] at `program.py:36`"
    ]
    assert titles["recompiled"][0].endswith("called by `sync` [0/1] at `program.py:35`")
    assert titles["no_dump"] == [
        "Ranks 0, 1 and 3 wait in `all_reduce` #5 of the default group, called by `sync` [0/0] at"
        " `program.py:36`, and rank 2 has no Flight Recorder dump"
    ]
    assert titles["other_call"] == [
        "As call #2 of the default group, rank 1 calls `barrier`, ranks 0, 2 and 3 call `all_reduce`"
    ]
    assert titles["other_size"][0].endswith(
        "calls `all_reduce` of f32 (17, 8), ranks 0 and 3 call f32 (16, 8)"
    )
    order, *waits = found(joined("wrong_order"))
    assert order["title"] == (
        "Rank 1 calls `all_reduce` of the default group where ranks 0, 2 and 3 call `all_reduce` of group"
        " `mesh_tp`"
    )
    assert [row["because_of"] for row in waits] == [order["id"]] * 2
    assert joined("missing_call").job["text"].startswith("Rank 2 has not called `all_reduce` #5")
    (text,) = (row["text"] for row in found(joined("missing_call")))
    assert (
        text
        == "The last call of rank 2 in this group is `all_gather` #4 at `program.py:40`, which has finished."
    )


@pytest.mark.parametrize("state", ["scheduled", "started"])
def test_what_nccl_records(tmp_path, dumps, state):
    folder = dumps("missing_call")
    for path in folder.iterdir():
        changed_dump(path, as_nccl(state))
    bundle = built_with("missing_call", tmp_path / "out", folder)
    (group,) = bundle.rank_table("flight_recorder_groups")
    assert (group["ranks_from"], group["state"], group["missing"]) == ("recorded", "missing", [[2, 2]])
    positions = {row["rank"]: row for row in bundle.rank_table("flight_recorder_positions")}
    assert [positions[rank]["recorded_state"] for rank in range(4)] == [state, state, "completed", state]
    assert positions[0]["last_started"] == 5
    calls = bundle.rank_table("flight_recorder_calls")
    assert {row["backend"] for row in calls} == {"nccl"}
    assert {row["duration_us"] for row in calls} == {4, None}
    assert all(row["completed_epoch_us"] - row["started_epoch_us"] == 4 for row in calls if row["finished"])


def test_a_call_that_all_ranks_are_in_is_not_a_missing_rank(tmp_path, dumps):
    folder = dumps("healthy")

    def last_is_open(dump):
        as_nccl("started")(dump)
        dump["entries"] = dump["entries"][:5]
        dump["entries"][-1] |= {"state": "started", "retired": False, "time_discovered_completed_ns": None}

    for path in folder.iterdir():
        changed_dump(path, last_is_open)
    bundle = built_with("healthy", tmp_path / "out", folder)
    (row,) = found(bundle)
    assert (row["kind"], row["severity"], row["ranks"]) == ("collective-running", "info", [[0, 3]])
    assert "All ranks of the default group have called `all_reduce` #5" in row["title"]


def test_a_pending_receive_is_shown_and_blames_nobody(tmp_path, dumps):
    folder = dumps("healthy")

    def receives(dump):
        as_nccl("started")(dump)
        last = dump["entries"][-1]
        last |= {"profiling_name": "nccl:recv 0<-1", "is_p2p": True, "p2p_seq_id": 3, "state": "started"}
        last |= {"time_discovered_completed_ns": None, "retired": False}

    changed_dump(folder / "nccl_trace_rank_0", receives)
    bundle = built_with("healthy", tmp_path / "out", folder)
    position = bundle.rank_table("flight_recorder_positions")[0]
    assert (position["rank"], position["operation"], position["p2p"], position["state"]) == (
        0,
        "recv",
        True,
        "waiting",
    )
    call = next(row for row in bundle.rank_table("flight_recorder_calls") if row["p2p"])
    assert (call["source"], call["destination"], call["sequence"]) == (1, 0, 3)
    assert found(bundle) == []


def test_groups_of_one_name_with_different_ranks_are_different(tmp_path, dumps):
    """torch reuses names of groups that split_group creates."""
    folder = dumps("missing_call")
    for rank in range(4):
        members = "[0, 1]" if rank < 2 else "[2, 3]"
        changed_dump(folder / f"nccl_trace_rank_{rank}", as_nccl("started", members))
    bundle = built_with("missing_call", tmp_path / "out", folder)
    states = {str(row["ranks"]): row["state"] for row in bundle.rank_table("flight_recorder_groups")}
    assert states == {"[[0, 1]]": "waiting", "[[2, 3]]": "missing"}


def test_calls_after_the_one_that_differs_do_not_hide_it(tmp_path, dumps, joined):
    """Ranks that do not wait for a call go on: here all make the same third one, of which none finishes."""
    folder = dumps("other_call")

    def one_more(dump):
        last = dump["entries"][-1]
        later = {
            "record_id": last["record_id"] + 1,
            "collective_seq_id": last["collective_seq_id"] + 1,
            "profiling_name": "gloo:all_gather",
        }
        dump["entries"].append({**last, **later})

    for path in folder.iterdir():
        changed_dump(path, one_more)
    bundle = built_with("other_call", tmp_path / "out", folder)
    assert [(row["title"], row["ranks"]) for row in found(bundle)] == [
        (row["title"], row["ranks"]) for row in found(joined("other_call"))
    ]
