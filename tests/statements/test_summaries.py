"""The headline of real logs: true for the program, and nothing else.

Older torch versions log less, and the headline mentions it.
"""

import pytest
import traces

FIXTURES = {
    "basic_inference": "1 compile of 1 function in ",
    "train_step": "1 compile of 1 function in ",
    "graph_breaks": "14 compiles of 7 functions in 647 ms: 6 graph breaks at 5 places.",
    "recompiles": (
        "11 compiles of 4 functions in 695 ms: 1 function at the recompile limit and 7 recompiles for 4"
        " reasons."
    ),
    "failures": "4 compiles of 4 functions in 143 ms: 5 failures.",
    "killed": "2 compiles of 2 functions in 73.3 ms: 1 did not end.",
    "aoti": "1 ahead-of-time compile in 21 s: no failures, graph breaks or recompiles.",
    "compiled_autograd": (
        "3 compiles of 1 function and code that torch generated in 1.81 s: 1 graph break at 1 place."
    ),
    "dynamic_shapes": "4 compiles of 4 functions in 561 ms: 1 size that became constant.",
    "nonascii": "2 compiles of 1 function in 153 ms: 1 graph break at 1 place.",
}
VERSIONS = {
    "2.4.1/recompiles": (
        "19 compiles of 8 functions in 3.41 s: 2 restarts. This version of torch does not write graph breaks,"
        " nor why it compiles again. 1 place where a graph ends can be told from names of the functions that"
        " go on there."
    ),
    "2.6.0/recompiles": (
        "19 compiles of 8 functions in 2.89 s: 1 function at the recompile limit, 2 graph breaks at 1 place"
        " and 10 recompiles for 8 reasons."
    ),
    "2.8.0/recompiles": (
        "19 compiles of 8 functions in 7.4 s: 1 function at the recompile limit, 2 graph breaks at 1 place"
        " and 10 recompiles for 8 reasons."
    ),
    "2.15.0/recompiles": (
        "19 compiles of 8 functions in 1.55 s: 1 function at the recompile limit, 2 graph breaks at 1 place"
        " and 10 recompiles for 8 reasons."
    ),
    "2.4.1/breaks": (
        "17 compiles of 9 functions in 600 ms: 6 restarts. This version of torch does not write graph breaks,"
        " nor why it compiles again. 7 places where a graph ends can be told from names of the functions that"
        " go on there."
    ),
    "2.6.0/breaks": "17 compiles of 9 functions in 451 ms: 8 graph breaks at 6 places.",
    "2.15.0/breaks": "17 compiles of 9 functions in 651 ms: 8 graph breaks at 6 places.",
    "2.6.0/killed": "2 compiles of 2 functions in 35.5 ms: 1 did not end.",
    "2.15.0/draft_export": "1 export: 1 export problem and 1 assumption.",
}


@pytest.mark.parametrize("name", FIXTURES)
def test_headline_of_a_fixture(built, root, name):
    (log,) = built(root / "fixtures" / name / "trace").logs
    assert log.summary["text"].startswith(FIXTURES[name])


@pytest.mark.parametrize("name", VERSIONS)
def test_headline_of_another_torch(built, root, name):
    (log,) = built(root / "fixtures" / "versions" / f"{name}.log.zst").logs
    assert log.summary["text"] == VERSIONS[name]


@pytest.mark.parametrize(
    "name", ["basic_inference", "train_step", "transformer", "fork_children", "ranks_healthy", "wrappers"]
)
def test_a_healthy_log_has_nothing_wrong(built, root, name):
    for log in built(root / "fixtures" / name / "trace").logs:
        assert log.summary["text"].endswith(": no failures, graph breaks or recompiles.")
        assert {row["severity"] for row in log.findings()} <= {"info"}


@pytest.mark.parametrize("name", traces.FIXTURES)
def test_the_manifest_has_the_summary(built, root, name):
    bundle = built(root / "fixtures" / name / "trace")
    for log in bundle.logs:
        assert log.row["summary"] == log.summary


@pytest.mark.parametrize("name", traces.FIXTURES)
def test_numbers_agree_with_the_tables(built, root, name):
    """Each number is counted a second time, by other means where possible."""
    for log in built(root / "fixtures" / name / "trace").logs:
        numbers = log.summary
        rows = log.table("graph_breaks")
        assert (
            numbers["graph_break_count"]
            == len(list(log.events(name="dynamo_graph_break_reason")))
            == sum(row["count"] for row in rows)
            == len(log.table("graph_break_records"))
        )
        assert numbers["compile_count"] == numbers["frame_count"] + numbers["ahead_of_time_count"]
        assert numbers["frame_count"] == len({event.compile for event in log.events(type="dynamo_start")})
        assert numbers["start_epoch_us"] == log.directory["clock"]["origin_epoch_us"]
        for cache, counts in numbers["cache_counts"].items():
            asked = [row["outcome"] for row in log.table("caches") if row["cache"] == cache]
            assert counts == {outcome: asked.count(outcome) for outcome in ("hit", "miss", "bypass")} and any(
                counts.values()
            )
        if numbers["phase_times_us"] is not None and not any(
            compile.row["compiled_autograd_id"] is not None for compile in log.compiles
        ):
            assert sum(numbers["phase_times_us"].values()) == pytest.approx(
                numbers["compile_us"], rel=0.2, abs=20_000
            )
        if numbers["wall_us"] is not None:
            assert 0 < numbers["compile_us"] <= numbers["wall_us"]


def test_backward_compiles_are_part_of_the_time(built, root):
    (log,) = built(root / "fixtures" / "train_step" / "trace").logs
    (compile,) = log.compiles
    assert compile.row["backward_us"] > 0
    assert abs(log.summary["compile_us"] - compile.row["total_us"]) < 50_000
