"""What the manifest of a bundle says of its logs together: order, sums, kinds of records and diagnostics."""

import json
from types import SimpleNamespace

import pytest
from log_builder import log, record
from tlparse_bundle import build, discover
from tlparse_bundle.pipeline.build import make_manifest
from tlparse_bundle.pipeline.log_writer import FIRST_FINDINGS, first_causes
from tlparse_bundle.statements.totals import totals


def built(folder, *logs):
    for name, data in logs:
        (folder / f"dedicated_log_torch_trace_{name}.log").write_bytes(data)
    build(discover([folder]), folder / "out", jobs=1)
    return json.loads((folder / "out" / "manifest.json").read_bytes())


def test_one_log_has_no_sums(tmp_path):
    assert "totals" not in built(tmp_path, ("x", log("dynamo_start 0/0")))


def test_several_logs_have_sums(tmp_path):
    data = log("dynamo_start 0/0"), log("dynamo_start 0/0\n dynamo_start 1/0\n artifact:a 0/0")
    manifest = built(tmp_path, ("rank_0_x", data[0]), ("rank_1_x", data[1]))
    assert manifest["totals"]["compile_count"] == 3 and manifest["totals"]["event_count"] == 4
    assert manifest["totals"]["size_bytes"] == sum(map(len, data))


def row(compile_us=None, **fields):
    counts = dict.fromkeys(("failure_count", "graph_break_count", "recompile_count"))
    summary = {"compile_count": 1, "compile_us": compile_us, **counts, "cache_counts": {}, **fields}
    return {"summary": summary, "event_count": 5, "source": {"size_bytes": 7}}


def test_sums_are_of_the_logs_that_record_a_number():
    caches = [{"fx_graph": {"hit": 1, "miss": 2}}, {"fx_graph": {"hit": 3, "miss": 0}, "pgo": {"hit": 1}}, {}]
    rows = [row(5, cache_counts=caches[0]), row(None, cache_counts=caches[1], failure_count=0), row(6)]
    assert totals(rows) == {
        "compile_count": 3,
        "compile_us": 11,
        "failure_count": 0,
        "graph_break_count": None,
        "recompile_count": None,
        "cache_counts": {"fx_graph": {"hit": 4, "miss": 2}, "pgo": {"hit": 1}},
        "event_count": 15,
        "size_bytes": 21,
    }


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([("b", 1, None), ("a", 0, None)], "ab"),
        ([("b", None, None), ("a", 5, None)], "ab"),
        ([("b", 0, 20), ("a", 0, 10)], "ab"),
        ([("b", 0, None), ("a", 0, 10)], "ab"),
        ([("b", None, None), ("a", None, None)], "ab"),
        ([("b", None, 1), ("a", None, 2)], "ba"),
    ],
)
def test_logs_are_in_the_order_of_ranks_and_starts(rows, expected):
    summaries = [
        SimpleNamespace(
            kinds={},
            row={**row(start_epoch_us=start), "id": id, "rank": rank, "diagnostics": {}},
        )
        for id, rank, start in rows
    ]
    assert "".join(found["id"] for found in make_manifest(summaries, "zstd")["logs"]) == expected


def test_kinds_and_diagnostics_of_all_logs_are_described(tmp_path):
    manifest = built(
        tmp_path,
        ("rank_0_x", log("dynamo_start 0/0")),
        ("rank_1_x", record("artifact:a", payload="x", md5="0" * 32) + b"noise\n"),
    )
    assert {"dynamo_start", "artifact:*text"} <= manifest["descriptors"].keys()
    codes = manifest["diagnostic_codes"]
    assert (
        {"payload-md5", "not-a-record", "year-unknown"}
        <= codes.keys()
        == {code for found in manifest["logs"] for code in found["diagnostics"]}
    )
    assert codes["not-a-record"]["severity"] == "warning" and codes["year-unknown"]["severity"] == "info"
    assert list(codes) == sorted(codes)


def test_the_first_findings_are_causes():
    rows = [{"id": number, "because_of": 0 if number == 1 else None} for number in range(FIRST_FINDINGS + 3)]
    assert [row["id"] for row in first_causes(rows)] == [0, *range(2, FIRST_FINDINGS + 1)]
