"""The first line of a comparison is the net result, and no number of the document contradicts it."""

import json
import random
from pathlib import Path

import jsonschema
import pytest
import traces
from tlparse_bundle.compare.document import compare
from tlparse_bundle.findings.words import duration
from tlparse_bundle.format.schemas import schema

FIXTURES = traces.ROOT / "fixtures"
CHECK = jsonschema.Draft202012Validator(schema("comparison"))
PAIRS = sorted(path.name for path in (FIXTURES / "pairs").iterdir() if path.is_dir())
VLLM = sorted(path.name for path in (FIXTURES / "vllm").iterdir() if path.is_dir())
AGAIN = sorted(path.name for path in (FIXTURES / "again").iterdir() if path.name in traces.FIXTURES)
TRACES = [f"{name}/trace" for name in traces.FIXTURES]
ALONE = [trace for trace in TRACES if "ddp" not in trace and not list((FIXTURES / trace).rglob("*_rank_*"))]  # ranks have no counterpart elsewhere
STRANGERS = [tuple(random.Random(seed).sample(ALONE, 2)) for seed in range(25)]
VERSIONS = [(f"versions/{version}/{name}.log.zst", f"versions/2.13.0/{name}.log.zst") for version in ("2.3.1", "2.5.1", "2.8.0", "2.12.0") for name in ("breaks", "recompiles")]
OPPOSITE = {"less": "more", "more": "less"}
# Counts of a document by the field of the summary of the findings.
COUNTED = {"compiles": "compile_count", "functions": "function_count", "graph_breaks": "graph_break_count", "recompiles": "recompile_count", "failures": "failure_count", "unfinished": "unfinished_count"}


def contradictions(document, base, new):
    """Checks what the first line says against the logs themselves and against the changes."""
    CHECK.validate(json.loads(json.dumps(document)))
    summary, logs = document["summary"], document["logs"]
    text, verdict, net_us = summary["text"], summary["verdict"], summary["net_us"]
    both = [log for log in logs if log["base"] and log["new"]]
    changes = [change for log in both for change in log["changes"]]
    rows = {side: {log.id: log for log in bundle.logs} for side, bundle in (("base", base), ("new", new))}
    totals, equal = [], True
    for log in both:
        findings = [rows[side][log[side]["id"]].findings()["summary"] for side in ("base", "new")]
        totals.append([one["compile_time_us"] for one in findings])
        assert [log["compile_time_us"][side] for side in ("base", "new")] == totals[-1]
        codes = [sum(artifact.name == "inductor_output_code" for artifact in rows[side][log[side]["id"]].artifacts) for side in ("base", "new")]
        counts = {row["name"]: (row["base"], row["new"]) for row in log["counts"]}
        equal = equal and codes[0] == codes[1]
        for name, field in COUNTED.items():
            values = [one[field] for one in findings]
            equal = equal and (None in values or values[0] == values[1])
            if any(values) and name in counts:
                assert all(mine in (None, its) for mine, its in zip(counts[name], values)), name
        asked = [one.get("cache_counts", {}) for one in findings]
        known = not any("caches" in one["untold"] for one in findings)
        equal = equal and (not known or [one.get("fx_graph") for one in asked][:1] == [one.get("fx_graph") for one in asked][1:])
    known = [sides for sides in totals if sides != [None, None]]
    if verdict == "incomplete":
        assert net_us is None and any(log["base"]["ends_early"] != log["new"]["ends_early"] for log in both)
    elif known and not any(None in sides for sides in known):
        base_us, new_us = (sum(sides[at] for sides in known) for at in (0, 1))
        assert summary["compile_time_us"] == {"base": base_us, "new": new_us} and net_us == new_us - base_us
    else:
        assert net_us is None and summary["compile_time_us"] is None
    noise = sum(log["noise"]["total_us"] for log in both)
    if verdict in OPPOSITE:
        assert net_us < 0 if verdict == "less" else net_us > 0
        assert abs(net_us) >= noise
        assert text.startswith(f"{duration(abs(net_us))} {verdict} compile time")
        assert f"({duration(base_us)} → {duration(new_us)})" in text
    else:
        assert net_us is None or abs(net_us) < noise
        assert " less compile time" not in text and " more compile time" not in text
    if verdict in ("same", "noise"):
        assert changes == [] and equal and len(both) == len(logs)
        assert all(compile["base"] and compile["new"] for log in both for compile in log["compiles"])
    assert text.startswith("No changes: ") == (verdict == "same") and text.startswith("No change beyond") == (verdict == "noise")
    roots = [change for change in changes if change["because_of"] is None]
    if not roots and verdict != "incomplete":
        assert verdict != "changed" or not equal or len(both) < len(logs) or any(a["base"] != a["new"] for log in both for a in log["counts"])
    assert (summary["reason"] is not None) == (verdict in OPPOSITE)
    costs = [change["cost_us"] for change in roots if change["cost_us"] and (change["cost_us"] > 0) == ((net_us or 0) > 0)]
    if summary["reason"] == "changes":
        assert abs(sum(costs)) >= abs(net_us) / 2
    for log in both:  # what a change led to costs no more than the whole
        assert [change["title"] for change in log["changes"] if change["cost_us"] and change["kind"] in ("backend", "cache", "compile", "finding") and abs(change["cost_us"]) > 1.01 * max(filter(None, [*log["compile_time_us"].values(), 1])) and not log["new"]["ends_early"]] == []
    return summary


@pytest.fixture
def compared(built):
    """compared(base, new): the summary of the comparison of two folders below fixtures/, checked in both directions."""

    def of(base, new):
        bundles = [built(path if isinstance(path, Path) else FIXTURES / path) for path in (base, new)]
        there, back = (compare([("one", one)], [("two", two)]) for one, two in (bundles, bundles[::-1]))
        ours, theirs = contradictions(there, *bundles), contradictions(back, *bundles[::-1])
        assert theirs["verdict"] == OPPOSITE.get(ours["verdict"], ours["verdict"])
        assert (theirs["net_us"] is None) == (ours["net_us"] is None) and (ours["net_us"] or 0) == -(theirs["net_us"] or 0)
        return ours

    return of


@pytest.mark.parametrize("name", PAIRS)
def test_pairs(compared, name):
    compared(f"pairs/{name}/base", f"pairs/{name}/new")


@pytest.mark.parametrize("name", AGAIN)
def test_the_same_program_again(compared, name):
    compared(f"{name}/trace", f"again/{name}")


@pytest.mark.parametrize("name", [*TRACES, *(f"vllm/{name}" for name in VLLM), *(f"pairs/{name}/new" for name in PAIRS)])
def test_a_run_with_itself(compared, name):
    summary = compared(name, name)
    assert (summary["verdict"], summary["change_count"], summary["notes"]) == ("same", 0, []) or summary["text"].startswith("No changes: ")


@pytest.mark.parametrize(("base", "new"), [(one, two) for one in VLLM for two in VLLM if one < two], ids=str)
def test_starts_of_vllm(compared, base, new):
    compared(f"vllm/{base}", f"vllm/{new}")


@pytest.mark.parametrize(("base", "new"), [*STRANGERS, *VERSIONS], ids=str)
def test_strangers_and_versions(compared, base, new):
    compared(base, new)
