"""Rows, order and links of each tool's answer, against the tables of the bundle."""

import pytest
from tlparse_bundle import BundleError
from tlparse_bundle.mcp.open_bundles import Opened
from tlparse_bundle.mcp.tools import Tools
from tlparse_bundle.statements.finding import weight
from traces import ROOT

FIXTURES = ROOT / "fixtures"
NAMES = ("recompiles", "graph_breaks", "caches", "ranks4")


@pytest.fixture(scope="module")
def bundles(built):
    return {name: built(FIXTURES / name / "trace") for name in NAMES}


@pytest.fixture(scope="module")
def tools(bundles):
    return Tools(Opened({name: bundle.location for name, bundle in bundles.items()}))


@pytest.fixture(scope="module")
def one(bundles):
    return Tools(Opened({"recompiles": bundles["recompiles"].location}))


def test_the_overview_of_several_bundles_has_a_sentence_for_each_of_three_logs(tools, bundles):
    found = tools.overview()
    assert [row["bundle"] for row in found["bundles"]] == [*NAMES] and "compare(base, new)" in found["next"]
    says = {row["bundle"]: row["says"] for row in found["bundles"]}
    assert says["recompiles"] == [bundles["recompiles"].logs[0].summary["text"]]
    assert len(says["ranks4"]) == 3 and len(bundles["ranks4"].logs) == 4


def test_the_overview_of_one_bundle(tools, one, bundles):
    assert one.overview() == tools.overview("recompiles")
    found = tools.overview("ranks4")
    assert found["ranks_together"] == bundles["ranks4"].job["text"]
    rows, logs = found["logs"], bundles["ranks4"].logs
    assert [row["rank"] for row in rows] == [0, 1, 2, 3]
    assert [row["compile_count"] for row in rows] == [log.summary["compile_count"] for log in logs]
    assert rows[0]["says"] == logs[0].summary["text"] and rows[0]["torch_version"]
    assert found["page"] == "viewers/default/#v=1" and "growing" not in found


def test_findings_of_a_kind_and_from_an_offset(one, bundles):
    (log,) = bundles["recompiles"].logs
    whole = one.findings()
    assert [row["title"] for row in whole["findings"]] == [row["title"] for row in log.findings()]
    assert whole["findings"][0]["remedies"] == [remedy["text"] for remedy in log.findings()[0]["remedies"]]
    assert whole["findings"][0]["compiles"] == log.findings()[0]["compiles"]
    assert whole["says"] == log.summary["text"]
    kinds = [row["kind"] for row in log.findings()]
    for kind in {*kinds}:
        assert len(one.findings(kind=kind)["findings"]) == kinds.count(kind)
    assert one.findings(offset=-5) == whole
    assert one.findings(offset=2)["findings"] == whole["findings"][2:]
    assert one.findings(kind="no-such-kind")["findings"] == []


def test_the_log_with_the_weightiest_findings_is_taken_unless_one_is_named(tools, bundles):
    logs = bundles["caches"].logs
    assert tools.findings("caches")["log"] == max(logs, key=lambda log: weight(log.summary)).id
    for log in logs:
        assert tools.findings("caches", log.id)["log"] == log.id
    assert tools.findings("ranks4", "2")["rank"] == 2
    with pytest.raises(BundleError, match="has no log 'none'"):
        tools.findings("caches", "none")


def test_compiles_are_sorted_by_time_or_as_in_the_log(one, bundles):
    (log,) = bundles["recompiles"].logs
    in_order = [row["compile"] for row in one.compiles(by_time=False)["compiles"]]
    assert in_order == [compile.row["compile"] for compile in log.compiles]
    times = [row.get("total_us", 0) for row in one.compiles()["compiles"]]
    assert times == sorted(times, reverse=True) and times[0] > times[-1]
    assert one.compiles(offset=-1) == one.compiles()
    assert one.compiles(offset=3)["compiles"] == one.compiles()["compiles"][3:]


def test_compiles_of_a_status_and_of_a_function(one, bundles):
    (log,) = bundles["recompiles"].logs
    functions = [compile.row["function"] or "" for compile in log.compiles]
    some = next(name for name in functions if name and any(other != name for other in functions))
    rows = one.compiles(function=some)["compiles"]
    assert len(rows) == sum(some in name for name in functions) < len(functions)
    statuses = [compile.status for compile in log.compiles]
    for status in {*statuses}:
        assert len(one.compiles(status=status)["compiles"]) == statuses.count(status)
    assert one.compiles(status="running")["compiles"] == []


def test_a_compile_has_its_findings_caches_and_artifacts(tools, bundles):
    for name, key in (("recompiles", "0/1"), ("caches", "0/0"), ("graph_breaks", "0/0")):
        log = tools._opened.log(name, None)[1]
        compile = log.compile(key)
        found = tools.compile(key, name)
        titles = [row["title"] for row in log.findings() if key in row["compiles"]]
        caches = [row for row in log.table("caches") if row["compile"] == key]
        assert found.get("findings", []) == titles
        assert found.get("caches", []) == [f"{row['cache']}: {row['outcome']}" for row in caches]
        assert [row["name"] for row in found["artifacts"]] == [it.name for it in compile.artifacts][
            : len(found["artifacts"])
        ]
        assert found["artifacts"][0]["size_bytes"] == compile.artifacts[0].size_bytes
        assert found.get("recompile_reason") == compile.row["recompile_reason"]
        assert found.get("restart_reasons", []) == compile.row["restart_reasons"]
    assert "restart_reasons" in found or "recompile_reason" not in found


def test_lines_of_an_artifact(one, bundles):
    (log,) = bundles["recompiles"].logs
    text = next(it for it in log.compile("0/0").artifacts if it.name == "dynamo_output_graph").text()
    lines = text.split("\n")

    def ask(**options):
        return one.artifact("0/0", "dynamo_output_graph", **options)

    found = ask(first_line=2, line_count=2)
    assert (found["lines"], found["first_line"], found["line_count"]) == (lines[1:3], 2, len(lines))
    assert (found["left_out"], found["next_first_line"]) == (f"{len(lines) - 3:,} more", 4)
    assert ask(first_line=-3, line_count=0)["lines"] == lines[:1]
    last = ask(first_line=len(lines))
    assert last["lines"] == lines[-1:] and "next_first_line" not in last
    assert "artifact=dynamo_output_graph" in found["page"] and "compile=0/0" in found["page"]


def test_a_search_needs_a_text(one):
    with pytest.raises(BundleError, match="'text' is empty"):
        one.search("")
    rows = one.search("def forward", artifact="dynamo_output_graph")["matches"]
    assert rows and {row["artifact"] for row in rows} == {"dynamo_output_graph"}


def test_two_compiles_of_one_log_are_compared(one, bundles):
    (log,) = bundles["recompiles"].logs
    found = one.compare("0/0", "0/1")
    rows = [log.compile(key).row for key in ("0/0", "0/1")]
    assert all(rows[0][key] == pair[0] != pair[1] == rows[1][key] for key, pair in found["different"].items())
    assert "recompile_reason" in found["different"] and "function" not in found["different"]
    assert one.compare("0/0", "0/0")["different"] == {}
    assert all(
        row["same"] and row["base"] == row["new"] >= 1 for row in one.compare("0/0", "0/0")["artifacts"]
    )
    counts = {row["artifact"]: (row["base"], row["new"], row["same"]) for row in found["artifacts"]}
    names = [[it.name for it in log.compile(key).artifacts] for key in ("0/0", "0/1")]
    assert {name: pair[:2] for name, pair in counts.items()} == {
        name: (names[0].count(name), names[1].count(name)) for name in {*names[0], *names[1]}
    }
    assert counts["recompile_reasons"] == (0, 1, False)
    assert f"left={log.id}/0/0" in found["page"] and f"right={log.id}/0/1" in found["page"]


def test_two_bundles_are_compared_unless_one_is_named(tools):
    found = tools.compare("recompiles", "graph_breaks")
    assert (found["base"], found["new"]) == ("recompiles", "graph_breaks") and found["changes"]
    with pytest.raises(BundleError, match="has no compile 'recompiles'"):
        tools.compare("recompiles", "graph_breaks", bundle="recompiles")


def test_ranks(tools, bundles):
    found = tools.ranks("ranks4")
    job = bundles["ranks4"].job
    assert (found["ranks"], found["world_size"], found["says"]) == (job["ranks"], 4, job["text"])
    assert found["page"].startswith("viewers/multirank/")
    rows = bundles["ranks4"].rank_table("rank_findings")
    assert [row["title"] for row in found["findings"]] == [row["title"] for row in rows]


def test_spans_of_a_log_and_of_a_compile(one, bundles):
    (log,) = bundles["recompiles"].logs
    rows = one.timeline()["spans"]
    own = [row["self_us"] for row in rows]
    assert own == sorted(own, reverse=True) and own[0] > own[-1]
    sums = {row["name"]: row["count"] for row in log.table("span_totals")}
    assert {row["span"]: row["count"] for row in rows}.items() <= sums.items()
    few = one.timeline(compile="0/0")
    assert few["spans"] and all(row["count"] <= sums[row["span"]] for row in few["spans"])
    assert "compile=0/0" in few["page"] and "compile" not in one.timeline()["page"]


def test_rows_of_a_query(one):
    found = one.sql("select 1 as a, 'x' as b")
    assert (found["bundle"], found["columns"], found["rows"]) == ("recompiles", ["a", "b"], [[1, "x"]])
    assert "truncated" not in found
    many = one.sql("select range as n from range(201)")
    assert many["truncated"].startswith("only the first 200 rows") and len(many["rows"]) <= 200
    assert "truncated" not in one.sql("select range as n from range(200)")


@pytest.mark.parametrize(
    ("viewer", "expected"),
    [
        (None, "viewers/default/#v=1&log=a/b"),
        ("http://127.0.0.1:8/", "http://127.0.0.1:8/viewers/default/?bundle=/bundles/my%20run/#v=1&log=a/b"),
    ],
)
def test_links_lead_to_a_server_if_there_is_one(viewer, expected):
    assert Opened({}, viewer).link("my run", {"log": "a/b", "compile": None}) == expected


def test_a_bundle_is_opened_once(bundles):
    opened = Opened({"recompiles": bundles["recompiles"].location})
    assert opened.bundle(None)[1] is opened.bundle("recompiles")[1]
