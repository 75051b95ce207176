"""A comparison's first line is the net result, and no number of the document contradicts it."""

import json
import random
import re
from pathlib import Path

import jsonschema
import pytest
import traces
from made_compiles import FILE, metrics, start
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.base.wording import duration, length
from tlparse_bundle.bundle.schemas import schema
from tlparse_bundle.statements.runs.compare.document import compare

FIXTURES = traces.ROOT / "fixtures"
CHECK = jsonschema.Draft202012Validator(schema("comparison"))
PAIRS = sorted(path.name for path in (FIXTURES / "pairs").iterdir() if path.is_dir())
VLLM = sorted(path.name for path in (FIXTURES / "vllm").iterdir() if path.is_dir())
AGAIN = sorted(path.name for path in (FIXTURES / "again").iterdir() if path.name in traces.FIXTURES)
TRACES = [f"{name}/trace" for name in traces.FIXTURES]
ALONE = [
    trace for trace in TRACES if "ddp" not in trace and not list((FIXTURES / trace).rglob("*_rank_*"))
]  # ranks have no counterpart elsewhere
STRANGERS = [tuple(random.Random(seed).sample(ALONE, 2)) for seed in range(12)]
VERSIONS = [
    (f"versions/{version}/{name}.log.zst", f"versions/2.13.0/{name}.log.zst")
    for version in ("2.3.1", "2.5.1", "2.8.0", "2.12.0")
    for name in ("breaks", "recompiles")
]
OPPOSITE = {"less": "more", "more": "less"}
# Counts of a document by the field of the summary of the findings.
COUNTED = {
    "compiles": "compile_count",
    "functions": "function_count",
    "graph_breaks": "graph_break_count",
    "recompiles": "recompile_count",
    "failures": "failure_count",
    "unfinished": "unfinished_count",
}


def contradictions(document, base, new):
    """Compare the first line with the logs themselves and with the changes; yield contradictions."""
    CHECK.validate(json.loads(json.dumps(document)))
    summary, logs = document["summary"], document["logs"]
    text, verdict, net_us = summary["text"], summary["verdict"], summary["net_us"]
    both = [log for log in logs if log["base"] and log["new"]]
    changes = [change for log in both for change in log["changes"]]
    rows = {side: {log.id: log for log in bundle.logs} for side, bundle in (("base", base), ("new", new))}
    totals, equal = [], True
    for log in both:
        findings = [rows[side][log[side]["id"]].summary for side in ("base", "new")]
        totals.append([one["compile_us"] for one in findings])
        assert [log["compile_us"][side] for side in ("base", "new")] == totals[-1]
        codes = [
            sum(artifact.name == "inductor_output_code" for artifact in rows[side][log[side]["id"]].artifacts)
            for side in ("base", "new")
        ]
        counts = {row["name"]: (row["base"], row["new"]) for row in log["counts"]}
        equal = equal and codes[0] == codes[1]
        for name, field in COUNTED.items():
            values = [one[field] for one in findings]
            equal = equal and (None in values or values[0] == values[1])
            if any(values) and name in counts:
                assert all(mine in (None, its) for mine, its in zip(counts[name], values, strict=True)), name
        asked = [one.get("cache_counts", {}) for one in findings]
        known = not any("caches" in one["not_recorded"] for one in findings)
        equal = equal and (not known or asked[0].get("fx_graph") == asked[1].get("fx_graph"))
    known = [sides for sides in totals if sides != [None, None]]
    if verdict == "incomplete":
        assert net_us is None and any(log["base"]["ends_early"] != log["new"]["ends_early"] for log in both)
    elif known and not any(None in sides for sides in known):
        base_us, new_us = (sum(sides[at] for sides in known) for at in (0, 1))
        assert summary["compile_us"] == {"base": base_us, "new": new_us} and net_us == new_us - base_us
    else:
        assert net_us is None and summary["compile_us"] is None
    noise = sum(log["noise"]["total_us"] for log in both)
    if verdict in OPPOSITE:
        assert net_us < 0 if verdict == "less" else net_us > 0
        assert abs(net_us) > noise
        assert text.startswith(f"{duration(abs(net_us))} {verdict} compile time")
        times = f"{duration(base_us)} → {duration(new_us)}"
        assert f"({times})" in text or f"Total compile time: {times}." in summary["notes"]
    else:
        assert net_us is None or abs(net_us) <= noise
        assert " less compile time" not in text and " more compile time" not in text
    if verdict in ("same", "noise"):
        assert changes == [] and equal and len(both) == len(logs)
        assert all(compile["base"] and compile["new"] for log in both for compile in log["compiles"])
    assert text.startswith("No changes: ") == (verdict == "same") and text.startswith("No change beyond") == (
        verdict == "noise"
    )
    roots = [change for change in changes if change["because_of"] is None]
    if not roots and verdict != "incomplete":
        assert (
            verdict != "changed"
            or not equal
            or len(both) < len(logs)
            or any(a["base"] != a["new"] for log in both for a in log["counts"])
        )
    assert length(text) <= 120, text
    assert (summary["reason"] is not None) == (verdict in OPPOSITE)
    costs = [
        change["cost_us"]
        for change in roots
        if change["cost_us"] and (change["cost_us"] > 0) == ((net_us or 0) > 0)
    ]
    if summary["reason"] == "changes":
        assert abs(sum(costs)) >= abs(net_us) / 2
    if len(both) == 1:  # each signed figure is the cost of a change
        figures = {
            f"{'+' if change['cost_us'] > 0 else '−'}{duration(abs(change['cost_us']))}"
            for change in roots
            if change["cost_us"]
        }
        assert set(re.findall(r"\(([+−][\d.,]+ (?:min(?: \d+ s)?|s|ms|µs))\)", text)) <= figures
    for log in both:  # a change's effects cost no more than the whole
        assert [
            change["title"]
            for change in log["changes"]
            if change["cost_us"]
            and change["kind"] in ("backend", "cache", "compile", "finding")
            and abs(change["cost_us"]) > 1.01 * max(filter(None, [*log["compile_us"].values(), 1]))
            and not log["new"]["ends_early"]
        ] == []
    return summary


@pytest.fixture
def compared(built):
    """Return compared(base, new): the summary of comparing two folders below fixtures/, checked in both
    directions if they differ.
    """

    def of(base, new):
        bundles = [built(path if isinstance(path, Path) else FIXTURES / path) for path in (base, new)]
        ours = contradictions(compare([("one", bundles[0])], [("two", bundles[1])]), *bundles)
        if base == new:
            return ours
        bundles.reverse()
        theirs = contradictions(compare([("one", bundles[0])], [("two", bundles[1])]), *bundles)
        assert theirs["verdict"] == OPPOSITE.get(ours["verdict"], ours["verdict"])
        assert (theirs["net_us"] is None) == (ours["net_us"] is None) and (ours["net_us"] or 0) == -(
            theirs["net_us"] or 0
        )
        return ours

    return of


@pytest.mark.parametrize("name", PAIRS)
def test_pairs(compared, name):
    compared(f"pairs/{name}/base", f"pairs/{name}/new")


@pytest.mark.parametrize("name", AGAIN)
def test_the_same_program_again(compared, name):
    compared(f"{name}/trace", f"again/{name}")


@pytest.mark.parametrize(
    "name", [*TRACES, *(f"vllm/{name}" for name in VLLM), *(f"pairs/{name}/new" for name in PAIRS)]
)
def test_a_run_with_itself(compared, name):
    summary = compared(name, name)
    assert (summary["verdict"], summary["change_count"], summary["notes"]) == ("same", 0, []) or summary[
        "text"
    ].startswith("No changes: ")


@pytest.mark.parametrize(("base", "new"), [*zip(VLLM, [*VLLM[1:], VLLM[0]], strict=True)], ids=str)
def test_starts_of_vllm(compared, base, new):
    compared(f"vllm/{base}", f"vllm/{new}")


def test_public_logs(compared, shared_traces):
    logs = sorted((shared_traces / "single").iterdir())
    for base, new in zip(logs, [*logs[1:], logs[0]], strict=True):
        compared(base, new)
        assert compared(base, base)["text"].startswith("No changes: ")


@pytest.mark.parametrize(("base", "new"), [*STRANGERS, *VERSIONS], ids=str)
def test_strangers_and_versions(compared, base, new):
    compared(base, new)


def document(built, base, new):
    return compare([("base", built(base))], [("new", built(new))])


def test_a_different_backend_is_a_change(built):
    """Inductor, then aot_eager: no generated code any more, and a fraction of the time."""
    folder = FIXTURES / "pairs" / "backend_changed"
    compared = document(built, folder / "base", folder / "new")
    assert (compared["summary"]["verdict"], compared["summary"]["reason"]) == ("less", "changes")
    (change,) = compared["logs"][0]["changes"]
    assert (change["kind"], change["details"]) == ("backend", {"base": "inductor", "new": "aot_autograd"})
    assert change["cost_us"] == sum(row["new_us"] - row["base_us"] for row in compared["logs"][0]["compiles"])
    assert {"name": "generated_codes", "base": 4, "new": 0} in compared["logs"][0]["counts"]


def test_a_cold_and_a_warm_start_of_vllm_differ_in_time(built):
    """Only times differ in the logs, but the runs are not equal."""
    compared = document(built, FIXTURES / "vllm" / "llama-cold", FIXTURES / "vllm" / "passes-cold")
    assert (
        compared["summary"]["text"]
        == "16.1 s less compile time: unchanged compiles ran 1.6× faster. No other change: 1 compile, the same"
        " on both sides."
    )
    compared = document(built, FIXTURES / "vllm" / "llama-jit-cold", FIXTURES / "vllm" / "llama-jit-warm")
    assert compared["summary"]["text"].startswith(
        "48.6 s less compile time (57.4 s → 8.76 s): vLLM loaded 10 pieces that the base run compiled."
    )


def test_a_change_for_the_worse_does_not_hide_the_net_result(built):
    """A piece took 3.53 s more, all others 51.4 s less; the largest change comes first."""
    changes = document(built, FIXTURES / "vllm" / "llama-jit-cold", FIXTURES / "vllm" / "llama-jit-warm")[
        "logs"
    ][0]["changes"]
    costs = [change["cost_us"] for change in changes if change["because_of"] is None]
    assert costs == [-51_417_164, 3_531_668]


def test_a_renamed_script_is_compared_by_its_total(built):
    folder = FIXTURES / "pairs" / "renamed_script"
    text = document(built, folder / "base", folder / "new")["summary"]["text"]
    assert text.startswith(
        "32.7 s less compile time (35.8 s → 3.16 s). AOTAutograd cache: 3 misses became hits. 1 other change."
    )


def test_hits_in_the_place_of_misses_carry_the_time_that_they_saved(built):
    cold, warm = (FIXTURES / "caches" / "trace" / name for name in ("cold", "warm"))
    compared = document(built, cold, warm)
    roots = [change for change in compared["logs"][0]["changes"] if change["because_of"] is None]
    assert [(change["title"], change["change"]) for change in roots] == [
        ("FX graph cache: 2 misses became hits", "better")
    ]
    assert (
        roots[0]["cost_us"]
        == sum(row["new_us"] - row["base_us"] for row in compared["logs"][0]["compiles"])
        < 0
    )
    assert (
        compared["summary"]["text"]
        == "9.92 s less compile time (11.4 s → 1.47 s). FX graph cache: 2 misses became hits; 1"
        " AOTAutograd cache hit."
    )


def test_several_runs_show_noise_of_totals(built):
    """The same two runs on both sides, in a different order: their totals differ by half, and so do those of
    each side.
    """
    sides = [(side, built(FIXTURES / "pairs" / "nothing_changed" / side)) for side in ("base", "new")]
    summary = compare(sides, sides[::-1])["summary"]
    assert (summary["verdict"], summary["net_us"]) == ("noise", 53_453_372 - 107_367_750)
    assert summary["text"] == "No change beyond run-to-run noise. 5 compiles, 1 min 47 s → 53.5 s."
    assert compare(sides[:1] * 2, sides[1:] * 2)["summary"]["verdict"] == "less"


def job(folder, *times_us):
    """Return a bundle with a log per rank, each with a compile that took this long; None: not recorded."""
    for rank, time_us in enumerate(times_us):
        path = folder / f"dedicated_log_torch_trace_rank_{rank}_x.log"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(
            FILE + start("0/0", "f", 1) + metrics("0/0", dynamo_cumulative_compile_time_us=time_us)
        )
    build(discover([folder]), folder / "out", jobs=1)
    return Bundle.open(folder / "out")


@pytest.mark.parametrize(
    ("base", "new", "expected"),
    [
        ((2_000_000, None), (9_000_000, None), {"base": 2_000_000, "new": 9_000_000}),
        ((2_000_000, 3_000_000), (9_000_000, None), None),
        ((2_000_000, None), (9_000_000, 3_000_000), None),
        ((None, None), (None, None), None),
    ],
)
def test_totals_are_of_ranks_whose_time_both_runs_record(base, new, expected, tmp_path):
    sides = [(name, job(tmp_path / name, *times)) for name, times in (("base", base), ("new", new))]
    summary = compare(sides[:1], sides[1:])["summary"]
    assert summary["compile_us"] == expected
    assert [note.split(",")[0] for note in summary["notes"] if "totals cannot" in note] == [
        f"The {name} run records no compile time"
        for name, own, other in (("base", base, new), ("new", new, base))
        if own[1] is None and other[1] is not None
    ]
