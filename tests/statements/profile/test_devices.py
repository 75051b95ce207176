"""Traces of devices, with logs that are built from the kernel files that the traces name."""

import gzip
import json
from collections import Counter, defaultdict

import pytest
from log_builder import record
from profiled import SHARED, encloses, rows_by_name, sums_by_name
from tlparse_bundle import Bundle, build, discover

TRACES = (
    "a100-triton-example",
    "mi300x-torch-compile-triton",
    "mi300x-vllm-piecewise-capture",
    "mi300x-vllm-piecewise-execution",
)
DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")
needs_traces = pytest.mark.skipif(not SHARED.is_dir(), reason=f"the profiler traces are not at {SHARED}")


def read(name):
    data = gzip.decompress((SHARED / f"{name}.json.gz").read_bytes())
    return [event for event in json.loads(data)["traceEvents"] if event.get("ph") == "X"]


def launches_of(events):
    """Return the operations with a kernel file, each with the graph around it (None without one)."""
    graphs = [
        event for event in events if "CompiledFxGraph" in event["name"] and event["cat"] == "user_annotation"
    ]
    found = []
    for event in events:
        if event["cat"] == "cpu_op" and "kernel_file" in event.get("args", {}):
            around = [graph["name"].split()[3] for graph in graphs if encloses(graph, event)]
            found.append((event, around[0] if around else None))
    return found


def log_of(events, *, with_paths, with_keys):
    """Return a log with one compile per graph of the trace, whose code defines the kernels launched in it."""
    by_graph = defaultdict(dict)
    for event, graph in launches_of(events):
        by_graph[graph][event["name"], event["args"]["kernel_file"]] = None
    records = []
    for number, (graph, kernels) in enumerate(by_graph.items()):
        compile_id = f"{number}/0"
        records.append(record(f"dynamo_start {compile_id}" + ' {"stack": []}'))
        codes = [kernels] if with_paths else [{kernel: None} for kernel in kernels]
        for own in codes:
            text = "\n".join(
                (f"# kernel path: {file}\n# Source Nodes: [x]\n" if with_paths else "")
                + f"{name} = async_compile.triton('{name}', '''\ndef {name}(in_ptr0): pass\n''')"
                for name, file in own
            )
            ((_, file),) = list(own)[:1]
            value = {"filename": "/tmp/code.py" if with_paths else file}
            records.append(record(f"inductor_output_code {compile_id} {json.dumps(value)}", payload=text))
        if with_keys and graph is not None:
            key = json.dumps({"key": graph})
            records.append(record(f"artifact:fx_graph_cache_miss {compile_id}", payload=key))
    return b"".join(records)


def joined(tmp_path, trace, log):
    (tmp_path / "rank_0.log").write_bytes(log)
    build(
        discover([tmp_path / "rank_0.log"]),
        tmp_path / "bundle",
        jobs=1,
        profile=[str(SHARED / f"{trace}.json.gz")],
    )
    (log,) = Bundle.open(tmp_path / "bundle").logs
    return log


@needs_traces
@pytest.mark.parametrize("with_keys", [True, False])
@pytest.mark.parametrize("with_paths", [True, False], ids=["path_in_code", "file_of_code"])
@pytest.mark.parametrize("trace", TRACES[:3])
def test_kernel_files_are_resolved(tmp_path, trace, with_paths, with_keys):
    events = read(trace)
    log = joined(tmp_path, trace, log_of(events, with_paths=with_paths, with_keys=with_keys))
    launches = {event["args"]["External id"]: (event, graph) for event, graph in launches_of(events)}
    compiles = {graph: number for number, graph in enumerate(dict.fromkeys(g for _, g in launches.values()))}
    truth = defaultdict(list)
    for event in events:
        launch = launches.get(event.get("args", {}).get("External id"))
        if event["cat"] == "kernel" and launch is not None:
            truth[event["name"], f"{compiles[launch[1]]}/0", launch[0]["name"]].append(event["dur"])
    found = {
        (row["name"], row["compile"], row["kernel"]): (row["count"], row["total_us"])
        for row in log.table("kernel_calls")
        if row["joined_by"] == "kernel_file"
    }
    expected = {key: (len(times), pytest.approx(sum(times), abs=1e-3)) for key, times in truth.items()}
    assert found == expected
    ambiguous = sum(row["count"] for row in log.table("kernel_calls") if row["reason"] == "ambiguous")
    assert ambiguous == 0


@needs_traces
@pytest.mark.parametrize("trace", TRACES)
def test_times_are_those_of_the_trace(tmp_path, trace):
    events = read(trace)
    source = events if launches_of(events) else read(TRACES[2])
    log = joined(tmp_path, trace, log_of(source, with_paths=True, with_keys=True))
    device = [event for event in events if event.get("cat") in DEVICE]
    assert rows_by_name(log.table("kernel_calls")) == {
        name: (count, pytest.approx(total, abs=1e-3)) for name, (count, total) in sums_by_name(device).items()
    }
    streams = Counter((event["args"]["device"], event["args"]["stream"]) for event in device)
    found = Counter()
    for row in log.table("kernel_calls"):
        found[row["device"], row["stream"]] += row["count"]
    assert found == streams


@needs_traces
def test_replays_are_joined_by_name_and_say_when_that_is_ambiguous(tmp_path):
    capture, execution = read(TRACES[2]), read(TRACES[3])
    log = joined(tmp_path, TRACES[3], log_of(capture, with_paths=True, with_keys=True))
    of_name = defaultdict(set)
    for event, graph in launches_of(capture):
        of_name[event["name"]].add((graph, event["args"]["kernel_file"]))
    replayed = sums_by_name(
        [event for event in execution if event.get("cat") == "kernel" and event["name"] in of_name]
    )
    assert replayed
    rows = [row for row in log.table("kernel_calls") if row["is_replay"] and row["name"] in of_name]
    assert {name: count for name, (count, _) in rows_by_name(rows).items()} == {
        name: count for name, (count, _) in replayed.items()
    }
    for row in rows:
        several = len(of_name[row["name"]])
        assert row["candidate_count"] == several
        assert (row["kernel"] is None) == (several > 1)
        assert row["reason"] == ("ambiguous" if several > 1 else None)
    assert any(row["kernel"] is None for row in rows)
