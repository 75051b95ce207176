"""Kernel times of programs on the CPU belong to the kernels and compiles that ran, and no time is lost."""

import gzip
import json

import pytest
from profiled import (
    NAMES,
    PROGRAMS,
    TABLES,
    built_with,
    encloses,
    events_of,
    rows_by_name,
    sums_by_name,
    totals,
    truth_of,
)
from tlparse_bundle import Bundle, build, discover

EVENTS = 1e-3  # microseconds: rounding of a sum


@pytest.fixture(scope="session")
def joined(once):
    """Return joined(name): the bundle of a program with its traces."""

    def get(name):
        folder = once(("profiled", name), lambda folder: built_with(name, folder / "bundle"))
        return Bundle.open(folder / "bundle")

    return get


def test_there_are_ten_programs():
    assert len(NAMES) >= 10


@pytest.mark.parametrize("name", NAMES)
def test_generated_kernels_have_their_compile(joined, name):
    bundle = joined(name)
    profiles = {row["profile"]: (log, row) for log in bundle.logs for row in log.table("profiles")}
    paths = sorted((PROGRAMS / name / "profiles").iterdir())
    assert sorted(profiles) == [path.name for path in paths]
    for path in paths:
        log, profile = profiles[path.name]
        events = events_of(path)
        assert log.directory["pids"] == sorted({event["pid"] for event in events if "truth" in event["name"]})
        assert (profile["assigned_by"], profile["complete"]) == ("process", True)
        found = {}
        for row in log.table("kernel_calls"):
            if row["profile"] == path.name and row["name"].startswith("graph_"):
                assert row["kind"] == "generated", row
                assert row["candidate_count"] == 1, row
                found[row["name"], row["compile"]] = row["count"], row["total_us"]
        truth = {key: totals(times) for key, times in truth_of(path).items()}
        assert truth
        kernels = {row["compile"] for row in log.table("compiles")}
        if {compile for _, compile in truth} == {None}:  # the program does not know its number
            assert {name: sums for (name, _), sums in found.items()} == {
                name: sums for (name, _), sums in truth.items()
            }
            assert {compile for _, compile in found} <= kernels
        else:
            assert found == truth


@pytest.mark.parametrize("name", NAMES)
def test_kernels_are_in_the_code_of_their_compile(joined, name):
    for log in joined(name).logs:
        kernels = {(row["code_event"], row["name"]) for row in log.table("kernels")}
        codes = {row["event"]: row for row in log.table("generated_code")}
        for row in log.table("kernel_calls"):
            if row["kernel"] is not None:
                code = codes[row["code_event"]]
                assert (row["code_event"], row["kernel"]) in kernels
                assert code["compile"] in (row["compile"], None)
                assert row["kernel"] in row["name"] or row["joined_by"] == "operator"


@pytest.mark.parametrize("name", NAMES)
def test_no_time_is_lost(joined, name):
    for log in joined(name).logs:
        for profile in log.table("profiles"):
            own = {
                table: [row for row in log.table(table) if row["profile"] == profile["profile"]]
                for table in ("kernel_calls", "profile_remainder", "region_calls")
            }
            events = events_of(PROGRAMS / name / "profiles" / profile["profile"])
            sums, found = sums_by_name(events), rows_by_name(own["kernel_calls"])
            for event, times in found.items():
                if event.startswith("graph_"):
                    assert times == sums[event]
                else:  # only those inside a graph that are not part of another operator
                    assert times[0] <= sums[event][0] and times[1] <= sums[event][1] + EVENTS
            kernel_us = sum(row["total_us"] for row in own["kernel_calls"])
            assert kernel_us == pytest.approx(profile["kernel_us"], abs=EVENTS)
            assert sum(row["count"] for row in own["kernel_calls"]) == profile["kernel_count"]
            rest = profile["joined_us"] + sum(row["total_us"] for row in own["profile_remainder"])
            assert rest == pytest.approx(profile["kernel_us"], abs=EVENTS)
            calls = {
                **{f"Torch-Compiled Region: {row['key']}": 0.0 for row in own["region_calls"]},
                **{f"## Call CompiledFxGraph {row['key']} ##": 0.0 for row in own["region_calls"]},
            }
            for row in own["region_calls"]:
                text = (
                    "Torch-Compiled Region: {}"
                    if row["kind"] == "region"
                    else "## Call CompiledFxGraph {} ##"
                )
                calls[text.format(row["key"])] += row["total_us"]
            for text, total in calls.items():
                assert total == pytest.approx(sums.get(text, (0, 0.0))[1], abs=EVENTS)
            lookups = sum(row["lookup_us"] or 0 for row in own["region_calls"]) + profile["lookup_us"]
            assert lookups == pytest.approx(sums["TorchDynamo Cache Lookup"][1] if lookups else 0, abs=EVENTS)


def test_regions_with_a_repeated_id_are_told_apart(joined):
    (log,) = joined("reset").logs
    regions = {row["compile"]: row["count"] for row in log.table("region_calls") if row["kind"] == "region"}
    assert regions == {"0/0": 2, "0/0@2": 3}


def test_eager_time_is_that_between_the_graphs(joined):
    (log,) = joined("breaks").logs
    events = events_of(PROGRAMS / "breaks" / "profiles" / "breaks.json.gz")
    first, second = sorted({e["name"] for e in events if "CompiledFxGraph" in e["name"]})
    by_name = {name: sorted(e["ts"] for e in events if e["name"] == name) for name in (first, second)}
    ends = sorted(e["ts"] + e["dur"] for e in events if "CompiledFxGraph" in e["name"])
    nested = sorted(e["ts"] for e in events if e["name"] == "Torch-Compiled Region: 1/0")
    # From the end of the last graph before each nested region to the lookup of that region.
    between = 0.0
    for start in nested:
        before = max(end for end in ends if end <= start)
        lookup = max(e["ts"] for e in events if "Cache Lookup" in e["name"] and e["ts"] <= start)
        between += lookup - before
    assert len(by_name[first]) == len(nested) == 4
    (row,) = [row for row in log.table("region_calls") if row["key"] == "0/0"]
    assert row["eager_us"] == pytest.approx(between, abs=EVENTS)
    assert row["eager_us"] > row["total_us"] / 2


def test_a_bundle_without_traces_is_as_before(tmp_path):
    build(discover([PROGRAMS / "reset" / "trace"]), tmp_path / "plain", jobs=1)
    (log,) = Bundle.open(tmp_path / "plain").logs
    assert not set(TABLES) & set(log.directory["tables"])
    assert log.table("profiles") == []


@pytest.mark.parametrize(
    ("name", "event", "operator"),
    [
        ("lines", "aten::mm", "extern_kernels.mm"),
        ("training", "aten::addmm", "extern_kernels.addmm"),
        ("cpp_wrapper", "aoti_torch_cpu_mm_out", "aoti_torch_cpu_mm_out"),
    ],
)
def test_calls_of_an_operator_belong_to_its_lines_by_their_order(joined, name, event, operator):
    (log,) = joined(name).logs
    (path,) = (PROGRAMS / name / "profiles").iterdir()
    events = events_of(path)
    (kernel,) = [row for row in log.table("kernels") if row["name"] == operator]
    truth = {line: [] for line in kernel["call_lines"]}
    for graph in (one for one in events if "CompiledFxGraph" in one["name"]):
        own = sorted((e["ts"], e["dur"]) for e in events if e["name"] == event and encloses(graph, e))
        if own:
            for line, (_, us) in zip(kernel["call_lines"], own, strict=True):
                truth[line].append(us)
    rows = [row for row in log.table("kernel_calls") if row["kernel"] == operator]
    assert len(truth) > 1
    assert {row["call_line"]: (row["count"], row["total_us"]) for row in rows} == {
        line: totals(durations) for line, durations in truth.items()
    }
    if name == "lines":
        measured = {row["code"]: row["total_us"] for row in log.table("line_times")}
        first, second, _ = truth.values()
        assert measured["scores = x @ x.t()"] == totals(first)[1]
        assert measured["mixed = weights @ x"] == totals(second)[1]


def test_calls_in_unknown_order_are_not_split(joined, tmp_path):
    (log,) = joined("aoti").logs  # has no range around the calls of the graph
    (row,) = [row for row in log.table("kernel_calls") if row["kernel"] == "aoti_torch_cpu_addmm_out"]
    assert (row["call_line"], row["line_unknown"], row["count"]) == (None, "enclosing_call", 6)
    (path,) = (PROGRAMS / "lines" / "profiles").iterdir()
    trace = json.loads(gzip.decompress(path.read_bytes()))
    calls = [event for event in trace["traceEvents"] if event["name"] == "aten::mm"]
    first, second, third = sorted(calls, key=lambda event: event["ts"])[:3]
    second["ts"], second["dur"] = first["ts"], first["dur"] / 2  # inside the first one, like a nested call
    (tmp_path / "trace.json").write_text(json.dumps(trace))
    trace_log = discover([PROGRAMS / "lines" / "trace"])
    (log,) = Bundle.open(
        build(trace_log, tmp_path / "bundle", jobs=1, profile=[str(tmp_path / "trace.json")]).path
    ).logs
    rows = [row for row in log.table("kernel_calls") if row["kernel"] == "extern_kernels.mm"]
    (unknown,) = [row for row in rows if row["call_line"] is None]
    assert unknown["line_unknown"] == "count"
    assert (unknown["count"], unknown["total_us"]) == totals([first["dur"], third["dur"]])
    assert sorted(row["count"] for row in rows if row["call_line"] is not None) == [4, 4, 4]
    lines = {row["code"]: row for row in log.table("line_times")}
    line = lines["scores = x @ x.t()"]
    assert line["shared_us"] == unknown["total_us"]
    (own,) = [row["total_us"] for row in rows if row["call_line"] == min(r["call_line"] or 999 for r in rows)]
    assert line["total_us"] == pytest.approx(own + unknown["total_us"], abs=EVENTS)


def test_kernels_of_aot_inductor_belong_to_the_code_that_calls_them(joined):
    (log,) = joined("aoti").logs
    (wrapper,) = [row["event"] for row in log.table("generated_code") if row["role"] == "wrapper"]
    assert {row["code_event"] for row in log.table("kernel_calls") if row["kernel"]} == {wrapper}
    lines = {row["code"]: row["kernels"] for row in log.table("line_times")}
    assert lines == {
        "return F.linear(input, self.weight, self.bias)": ["aoti_torch_cpu_addmm_out"],
        "return F.gelu(input, approximate=self.approximate)": ["cpp_fused_gelu_0"],
    }


def test_kernels_have_source_lines(joined):
    (log,) = joined("breaks").logs
    lines = {(row["code"], row["share"] > 0) for row in log.table("line_times")}
    assert {("y = x.sin() + 1", True), ("return (y.cos() + 1).sum(0)", True)} <= lines
    for log in (log for name in NAMES for log in joined(name).logs):
        times = {}
        for row in log.table("kernel_calls"):
            if row["kernel"] is not None:
                times[row["kernel"], row["compile"]] = (
                    times.get((row["kernel"], row["compile"]), 0) + row["total_us"]
                )
        for row in log.table("line_times"):
            assert 0 <= row["shared_us"] <= row["total_us"] + EVENTS
            assert sum(row["kernels_us"]) == pytest.approx(
                row["total_us"] if row["kernels"] else 0, abs=EVENTS
            )
            if row["file"] is not None:
                most = sum(us for (kernel, _), us in times.items() if kernel in row["kernels"])
                assert row["total_us"] <= most + EVENTS
