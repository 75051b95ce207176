"""The tables of partitions: fixtures checked against their programs, and records of several ranks."""

import json

import pytest
from log_builder import log


@pytest.fixture(scope="session")
def fixture_log(built, root):
    return lambda name: built(root / "fixtures" / name / "trace").logs[0]


def test_saved_values_fit_into_the_budget(fixture_log, root):
    (truth,) = json.loads((root / "fixtures/memory_budget/truth.json").read_text())["logs"].values()
    it = fixture_log("memory_budget")
    (row,), candidates = it.table("partitions"), it.table("partition_candidates")
    assert {candidate["partition_event"] for candidate in candidates} == {row["event"]}
    assert row["memory_budget"] == truth["facts"]["memory_budget"]
    assert [candidate["node"] for candidate in candidates] == truth["facts"]["candidates"]
    assert {candidate["memory_bytes"] for candidate in candidates} == {512 * 16 * 4}
    saved = [candidate["saved"] for candidate in candidates]
    assert saved.count(True) == 1
    assert [candidate["recomputed"] for candidate in candidates] == [not is_saved for is_saved in saved]
    assert (
        row["expected_runtime"] > 0
        and row["min_activation_gb"] < row["saved_activation_gb"] < row["max_activation_gb"]
    )


def test_inputs_and_outputs(fixture_log):
    plain, inner, counting = fixture_log("wrappers").table("aliasing")
    assert (plain["subclass"], plain["input_count"]) == (False, 1)
    assert (inner["subclass"], inner["input_count"], inner["output_count"]) == (
        True,
        2,
        2,
    )  # a TwoTensor holds two
    # x and the buffer are changed; the outputs are a view of x and the buffer, which Dynamo returns itself.
    assert (counting["mutated_input_count"], counting["output_types"]) == (2, {"alias_of_input": 1})
    (forward,) = fixture_log("train_step").table("aliasing")
    assert (forward["input_count"], forward["mutated_input_count"], forward["output_types"]) == (
        5,
        0,
        {"non_alias": 1},
    )


# From torch's sources (torch/_functorch/partitioners.py and others); no fixture has them.


def test_decisions_of_several_ranks(log_of):
    it = log_of(
        log("""
        artifact:aot_joint_graph_sync_decision_cross_ranks 0/0
            | picked_rank_idx=3, saved_nodes of current rank={'mm': 64, 'add_1': 8, 'total size': 72}
        artifact:min_cut_failed_edge_list 0/0
            | a -> b
            | b -> c
        artifact:invoke_subgraph_backward_duplicate 0/0 {"encoding": "json"}
            | {"forward_identifier": "fw_0", "backward_identifier": "bw_0", "new_variant_suffix": 1, "num_variants_for_identifier": 2,
            | "new_variant": {"backward_identifier": "bw_0_1", "tangents": [{"backward_input_name": "t", "shape": [2], "stride": [1], "dtype": "torch.float32", "device": "cpu"}, {"type": "int"}]},
            | "explanation": "e", "common_cause": "c", "suggested_action": "a"}
        """)
    )
    (decision,) = it.table("rank_decisions")
    assert (decision["picked_rank"], decision["total_size_bytes"]) == (3, 72)
    assert decision["saved_size_bytes"] == {"mm": 64, "add_1": 8}
    assert [(row["what"], row["line_count"]) for row in it.table("failed_partitions")] == [("edge_list", 2)]
    (duplicate,) = it.table("duplicate_backwards")
    assert (duplicate["variant_suffix"], duplicate["new_backward_identifier"]) == ("1", "bw_0_1")
    assert [(tangent["shape"], tangent["type"]) for tangent in duplicate["tangents"]] == [
        ("[2]", None),
        (None, "int"),
    ]


def test_hostile_records(log_of, found):
    digits, quotes = "9" * 40, "'" * 100_000
    it = log_of(
        log(f"""
        artifact:min_cut_information
            | {{"Joint Graph Size": "many", "Joint Graph Edges": [], "Memory Budget": NaN, "Joint Graph Node Information": {{"a": {{"recomputable_candidate_info": {{"memory": {digits}, "is_saved": 1}}}}, "b": []}}}}
        artifact:min_cut_information
            | []
        artifact:invoke_subgraph_backward_duplicate
            | {{"new_variant": 3}}
        artifact:aot_joint_graph_sync_decision_cross_ranks
            | {quotes}
        artifact:aot_forward_graph_fw_metadata
        """)
    )
    (row,) = it.table("partitions")
    assert (row["node_count"], row["memory_budget"], row["saved_values"]) == (None, None, [])
    assert [
        (candidate["node"], candidate["memory_bytes"], candidate["saved"])
        for candidate in it.table("partition_candidates")
    ] == [("a", None, None)]
    assert it.table("rank_decisions")[0]["picked_rank"] is None
    assert it.table("aliasing")[0]["input_count"] == 0
    assert [code for code, *_ in found(it)] == ["table-parse"] * 2
