"""The memory that a trace measures for generated code, against what is computed and what the events say."""

import gzip
import json
from collections import defaultdict

from profiled import PROGRAMS, built_with
from tlparse_bundle.log.profiler.recording import read_recording

STEPS = PROGRAMS / "steps" / "profiles" / "steps.json.gz"


def test_measured_and_computed_peaks_are_equal(tmp_path):
    (log,) = built_with("steps", tmp_path / "bundle").logs
    rows = log.table("measured_memory")
    computed = {row["code_event"]: row["peak_bytes"] for row in log.table("memory")}
    directions = {row["event"]: row["direction"] for row in log.table("generated_code")}
    assert [directions[row["code_event"]] for row in rows] == ["forward", "backward"]
    trace = json.loads(gzip.decompress(STEPS.read_bytes()))["traceEvents"]
    memory = [event for event in trace if event["name"] == "[memory]"]
    peaks = defaultdict(list)
    for graph in (event for event in trace if "CompiledFxGraph" in event["name"]):
        own, live, peak = {}, 0, 0
        for event in memory:
            if graph["ts"] <= event["ts"] <= graph["ts"] + graph["dur"]:
                size, address = event["args"]["Bytes"], event["args"]["Addr"]
                if size > 0:
                    own[address] = size
                    live += size
                    peak = max(peak, live)
                elif address in own:
                    live -= own.pop(address)
        peaks[graph["name"]].append(peak)
    assert sorted(peaks.values()) == sorted([row["peak_bytes"]] * row["count"] for row in rows)
    for row in rows:
        assert row["computed_bytes"] == computed[row["code_event"]] == row["peak_bytes"] > 0
        assert (row["device"], row["count"]) == ("cpu", 3)


def test_damaged_allocations_are_skipped(tmp_path):
    args = {"Bytes": 8, "Addr": 1, "Device Type": 0}
    event = {"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1, "ts": 5.0}
    wrong = [
        {**event, "args": {**args, **change}}
        for change in (
            {"Bytes": 1.5},
            {"Bytes": "8"},
            {"Addr": -1},
            {"Addr": 2.0},
            {"Device Type": None},
            {"Bytes": 1 << 70},
        )
    ]
    other = {**event, "name": "[OutOfMemory]"}
    events = [
        {**event, "args": args},
        *wrong,
        {**event, "args": None},
        {**event, "args": args, "ts": "x"},
        other,
    ]
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"traceEvents": events}))
    recording = read_recording(path)
    memory = recording.memory
    assert [
        list(part) for part in (memory.start, memory.bytes, memory.address, memory.thread, memory.device)
    ] == [[5.0], [8], [1], [0], [0]]
    assert recording.untimed_count == len(wrong) + 2
