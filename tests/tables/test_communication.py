"""The tables of communication: a fixture, and records that need several devices."""

import pytest
from log_builder import log


def test_fsdp_collectives_of_a_fixture(built, root):
    for it in built(root / "fixtures/overlap_scheduling/trace").logs:
        (report,) = it.table("collective_reports")
        assert report["values"]["group_size"] == "2"
        assert report["changes"] == {"all_gather": [1, 1], "reduce_scatter": [1, 1], "all_reduce": [1, 1]}


# From torch's sources (torch/_inductor/fx_passes, torch/_inductor/comms.py); no fixture has them.


def test_buckets_and_sizes(log_of):
    it = log_of(
        log("""
        artifact:fx_bucketing_passes_all_gather_buckets 0/0
            | [[all_gather_into_tensor, all_gather_into_tensor_1], [], [all_gather_into_tensor_2]]
        artifact:pre_bucketing_collective_sizes_after 0/0 {"encoding": "json"}
            | [{"type": "AG", "size_mb": 1.5, "name": "all_gather_into_tensor"}, {"size_mb": "?"}, 7]
        artifact:compiler_collective 0/0
            | L['x']: tensor size=[?, 3] stride=[3, 1]
            | L['n']: scalar dynamic
        artifact:inductor_fx_passes_overlap_bucketing 0/0
            | total_collectives=4, buckets=(2), all_gather 4->1
        artifact:sink_waits_iterative_info 0/0
            | Collective node    initial exposed
            | peak_memory_before=12.5
        """)
    )
    (buckets,), sizes = it.table("collective_buckets"), it.table("collective_sizes")
    assert buckets["buckets"] == [
        ["all_gather_into_tensor", "all_gather_into_tensor_1"],
        ["all_gather_into_tensor_2"],
    ]
    assert [(row["node"], row["type"], row["size_mb"]) for row in sizes] == [
        ("all_gather_into_tensor", "AG", 1.5),
        (None, None, None),
    ]
    assert {row["name"] for row in sizes} == {"pre_bucketing_collective_sizes_after"}
    collective, overlap, waits = it.table("collective_reports")
    assert collective["values"] == {"L['x']": "tensor size=[?, 3] stride=[3, 1]", "L['n']": "scalar dynamic"}
    assert (overlap["values"], overlap["changes"]) == ({"total_collectives": "4"}, {"all_gather": [4, 1]})
    assert (waits["line_count"], waits["values"]) == (2, {"peak_memory_before": "12.5"})


@pytest.mark.parametrize("text", ["", "a=[" * 100_000, "x" * 1_000_000, "[" * 100_000, "a -> " * 100_000])
def test_hostile_reports(log_of, found, text):
    it = log_of(
        log(f"""
        artifact:pre_bucketing_fsdp_collectives
            | {text}
        artifact:fx_bucketing_passes_all_gather_buckets
            | {text}
        artifact:pre_bucketing_collective_sizes
            | {text}
        artifact:compiler_collective
        """)
    )
    assert len(it.table("collective_reports")) == 2
    assert [code for code, *_ in found(it)] == ["table-parse"]
