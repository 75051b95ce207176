"""The same program under two versions of torch: what one of them does not log, or words differently, is not a
change.
"""

import json
import re

import jsonschema
import pytest
import zstandard
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.bundle.schemas import schema
from tlparse_bundle.statements.runs.check.baseline import baseline_of
from tlparse_bundle.statements.runs.check.rules import outcomes, parse
from tlparse_bundle.statements.runs.compare.document import compare
from tlparse_bundle.statements.selection import choose
from version_truths import PROGRAMS

VERSIONS = ["2.3.1", "2.4.1", "2.5.1", "2.6.0", "2.7.1", "2.8.0", "2.9.1", "2.10.0", "2.12.0", "2.15.0"]
NAMES_THE_VERSION = re.compile(rb'"name": "(?:torch_version|fx_graph_runnable)"')
NAMELESS = ("2.3.1", "2.4.1")  # have no names of functions, or not all


@pytest.fixture
def bundle(built, root):
    return lambda version, name: built(root / "fixtures" / "versions" / version / f"{name}.log.zst")


@pytest.fixture
def compared(bundle):
    def of(name, base, new):
        document = compare([(base, bundle(base, name))], [(new, bundle(new, name))])
        jsonschema.validate(json.loads(json.dumps(document)), schema("comparison"))
        return document

    return of


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name != "ddp"])
@pytest.mark.parametrize("version", VERSIONS)
def test_nothing_is_new_or_gone(compared, version, name):
    for base, new in ((version, "2.13.0"), ("2.13.0", version)):
        changes = compared(name, base, new)["logs"][0]["changes"]
        assert [
            change["title"] for change in changes if change["kind"] not in ("torch", "graph", "code")
        ] == []
        assert [change["text"] for change in changes if change["kind"] == "graph"] == [
            "Different versions of torch can capture different graphs from the same code."
        ] * sum(change["kind"] == "graph" for change in changes)


@pytest.mark.parametrize("sides", [("2.6.0", "2.13.0"), ("2.13.0", "2.6.0"), ("2.15.0", "2.13.0")])
@pytest.mark.parametrize("lacking", [(0,), (1,), (0, 1)])
def test_breaks_are_paired_by_place_without_a_record_of_the_version(root, tmp_path, sides, lacking):
    bundles = []
    for number, version in enumerate(sides):
        data = zstandard.decompress((root / f"fixtures/versions/{version}/breaks.log.zst").read_bytes())
        if number in lacking:
            records = re.split(rb"(?m)^(?=V\d{4} )", data)
            data = b"".join(record for record in records if NAMES_THE_VERSION.search(record) is None)
            data = re.sub(rb'"pytorch_version": "[^"]*"', b'"pytorch_version": null', data)
        path = tmp_path / f"{number}" / "dedicated_log_torch_trace_aaaaaaaa.log"
        path.parent.mkdir()
        path.write_bytes(data)
        build(discover([path]), tmp_path / f"bundle-{number}", jobs=1)
        bundles.append(Bundle.open(tmp_path / f"bundle-{number}"))
        assert number not in lacking or bundles[-1].logs[0].row["torch_version"] is None
    document = compare([("base", bundles[0])], [("new", bundles[1])])
    assert [change for change in document["logs"][0]["changes"] if change["kind"] == "finding"] == []
    assert all(bundle.logs[0].summary["graph_break_count"] for bundle in bundles)


def test_graphs_are_the_same_whatever_spaces_and_symbols_a_torch_writes(compared):
    """2.8 indents comments by one more space; 2.5 numbers symbols that are now named after their sources."""
    for base in ("2.5.1", "2.8.0"):
        assert {row["graph"] for row in compared("recompiles", base, "2.13.0")["logs"][0]["compiles"]} == {
            "same",
            "unknown",
        }


def test_unmatched_compiles_are_not_the_same(compared):
    summary = compared("breaks", "2.3.1", "2.13.0")["summary"]
    assert (
        summary["text"]
        == "No known change: 17 compiles of the base run and 17 of the new run cannot be matched."
    )
    assert summary["notes"][0].startswith(
        "The torch version of the base run does not log failures, graph breaks, function names, "
    )
    assert summary["notes"][0].endswith("Without function names, its compiles are not matched.")
    same = compared("breaks", "2.3.1", "2.3.1")["summary"]
    assert same["text"] == "No changes: 17 compiles, the same on both sides." and same["notes"][0].startswith(
        "The torch version of both runs "
    )


def test_a_baseline_of_a_torch_that_writes_no_breaks_knows_none(bundle):
    base, now = (choose(bundle(version, "breaks")) for version in ("2.5.1", "2.13.0"))
    (outcome,) = outcomes(now, baseline_of(base), parse("new:graph-break"))
    assert (outcome.outcome, outcome.text) == (
        "unknown",
        "6 findings may not be new: the log of the baseline does not record graph breaks.",
    )
