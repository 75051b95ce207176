"""What a recording keeps of the events of a trace, and how its text is read in pieces."""

import gc
import gzip
import io
import json

import pytest
from tlparse_bundle.log.profiler import event_stream, recording
from tlparse_bundle.log.profiler.bounded_gzip import Gunzip
from tlparse_bundle.log.profiler.event_stream import BadTrace, TraceReader, _last_cut
from tlparse_bundle.log.profiler.recording import (
    DEVICE,
    HOST,
    KINDS,
    LAUNCH,
    Name,
    no_collection,
    read_recording,
)

SPAN = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 2, "ts": 3.5, "dur": 4.25}


@pytest.fixture
def read(tmp_path):
    def of(*events, **header):
        (tmp_path / "trace.json").write_text(json.dumps({**header, "traceEvents": list(events)}))
        return read_recording(tmp_path / "trace.json")

    return of


# ---- events


def test_spans_of_threads(read):
    found = read(
        SPAN,
        {**SPAN, "cat": "user_annotation", "name": "step", "ts": 9, "args": {"External id": 7}},
        {**SPAN, "tid": 3},
        {**SPAN, "pid": "x", "tid": -1, "args": {"External id": "7"}},
        {**SPAN, "args": {"External id": -2}},
        {**SPAN, "cat": "python_function"},
    )
    spans = found.spans
    assert (len(spans), found.event_count, found.untimed_count) == (5, 6, 0)
    assert [*spans.start] == [3.5, 9, 3.5, 3.5, 3.5] and {*spans.duration} == {4.25}
    assert [found.names[number] for number in spans.name] == [
        Name("aten::mm"),
        Name("step"),
        *[Name("aten::mm")] * 3,
    ]
    assert [found.threads[number] for number in spans.thread] == [(1, 2), (1, 2), (1, 3), (-1, -1), (1, 2)]
    assert [*spans.external] == [-1, 7, -1, -1, -1] and found.pids == [1]
    assert (HOST, LAUNCH, DEVICE) == (0, 1, 2) and KINDS[0] == "kernel"


@pytest.mark.parametrize(
    ("args", "name"),
    [
        ({"kernel_file": "/tmp/a.py", "kernel_hash": "h"}, Name("aten::mm", "/tmp/a.py", True)),
        ({"kernel_backend": "triton", "kernel_hash": "h"}, Name("aten::mm", "h", True)),
        ({"kernel_backend": "triton", "kernel_file": ""}, Name("aten::mm", None, True)),
        ({"kernel_hash": "h"}, Name("aten::mm")),
        ({"kernel_file": "x" * 2001}, Name("aten::mm", "x" * 2000, True)),
    ],
)
def test_operations_that_launch_generated_kernels(read, args, name):
    found = read({**SPAN, "args": args}, SPAN)
    assert [found.names[number] for number in found.spans.name] == [name, Name("aten::mm")]


def test_long_names_are_cut(read):
    found = read({**SPAN, "name": "x" * 2001}, {**SPAN, "name": "x" * 2002}, {**SPAN, "name": "x" * 2000})
    assert found.names == [Name("x" * 2000)] and [*found.spans.name] == [0, 0, 0]


def test_launches_by_correlation(read):
    launch = {**SPAN, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "args": {"correlation": 5}}
    found = read(
        launch,
        {**launch, "cat": "cuda_driver", "name": "cuLaunchKernel", "ts": 4},
        {**launch, "name": "cudaGraphLaunch", "args": {"correlation": 0}},
        {**launch, "args": {"correlation": -1}},
        {**launch, "args": {}},
        {**launch, "args": None},
    )
    launches = found.launches
    assert (len(launches), found.untimed_count) == (3, 1) and launches.by_correlation == {5: 0, 0: 2}
    assert (
        [*launches.is_graph] == [0, 0, 1] and [*launches.start] == [3.5, 4, 3.5] and {*launches.thread} == {0}
    )


def test_events_of_devices(read):
    kernel = {
        **SPAN,
        "cat": "kernel",
        "name": "k",
        "args": {"device": 0, "stream": 7, "correlation": 5, "External id": 9},
    }
    found = read(
        kernel,
        {**kernel, "cat": "gpu_memset"},
        {**kernel, "cat": "gpu_memcpy", "pid": 3, "args": {}},
        {**kernel, "args": None},
    )
    events = found.device_events
    assert [KINDS[kind] for kind in events.kind] == ["kernel", "gpu_memset", "gpu_memcpy", "kernel"]
    assert [found.queues[number] for number in events.queue] == [(0, 7), (0, 7), (3, None), (1, None)]
    assert [*events.correlation] == [5, 5, -1, -1] and [*events.external] == [9, 9, -1, -1]
    assert found.names == [Name("k")] and found.pids == []


def test_memory_of_allocators(read):
    event = {
        "cat": "cpu_instant_event",
        "name": "[memory]",
        "pid": 1,
        "tid": 2,
        "ts": 5,
        "args": {"Bytes": -64, "Addr": 1 << 63, "Device Type": 1},
    }

    def changed(**args):
        return {**event, "args": {**event["args"], **args}}

    found = read(
        event, {**event, "name": "other"}, changed(Bytes=1.5), changed(Addr=-1), changed(Addr=1 << 64)
    )
    memory = found.memory
    assert [*memory.bytes] == [-64] and [*memory.address] == [1 << 63] and [*memory.device] == [1]
    assert [*memory.start] == [5] and found.untimed_count == 3
    more = read(changed(**{"Device Type": 999}), changed(**{"Device Type": 1000}), {**event, "args": {}})
    assert [*more.memory.device] == [999] and more.untimed_count == 2


@pytest.mark.parametrize(
    ("change", "is_read"),
    [
        ({"dur": 0}, True),
        ({"dur": -0.5}, False),
        ({"dur": 1e16}, False),
        ({"ts": -5}, True),
        ({"ts": 1e16}, False),
        ({"ts": -1e16}, False),
        ({"ts": None}, False),
        ({"name": 3}, False),
    ],
)
def test_times_that_are_possible(read, change, is_read):
    found = read({**SPAN, **change}, {**SPAN, "cat": "other"})
    assert (len(found.spans), found.untimed_count) == ((1, 0) if is_read else (0, 1))


def test_a_trace_that_is_too_large(read, monkeypatch):
    monkeypatch.setattr(recording, "MAX_RECORDS", 2)
    found = read(SPAN, SPAN)
    assert found.problems == ["Only the first 2 events were read: the trace is too large."]
    assert read(SPAN).problems == []
    monkeypatch.setattr(recording, "MAX_RECORDS", 100)
    monkeypatch.setattr(recording, "MAX_NAMES", 2)
    assert read(SPAN).problems == [] and read(SPAN, {**SPAN, "name": "b"}).problems != []


def test_a_list_without_events(read):
    with pytest.raises(BadTrace, match="its list of events is empty"):
        read()


# ---- header


@pytest.mark.parametrize(
    ("header", "start", "expected"),
    [
        ({"baseTimeNanoseconds": 5000}, 1.0, 5.0),
        ({"baseTimeNanoseconds": 0}, 1.0, None),
        ({"baseTimeNanoseconds": "5"}, 1.0, None),
        ({"baseTimeNanoseconds": 1 << 62}, 1.0, None),
        ({}, 1e15 + 1, 0.0),
        ({}, 1e15 - 1, None),
    ],
)
def test_the_time_of_a_trace(read, header, start, expected):
    assert read({**SPAN, "ts": start}, **header).base_us == expected
    assert read({**SPAN, "ts": start, "cat": "kernel"}, **header).base_us == expected


@pytest.mark.parametrize(
    ("info", "rank"),
    [
        ({"rank": 3}, 3),
        ({"rank": 0}, 0),
        ({"rank": -1}, None),
        ({"rank": True}, None),
        ({"rank": 1 << 31}, None),
        ([], None),
    ],
)
def test_the_rank_of_a_trace(read, info, rank):
    assert read(SPAN, distributedInfo=info).rank == rank


def test_names_of_devices(read):
    devices = [{"name": "A100"}, {"name": "A100"}, 3, {"name": ""}, {"id": 1}, {"name": "x" * 300}]
    assert read(SPAN, deviceProperties=devices).device_names == ["A100", "x" * 200]
    assert read(SPAN, deviceProperties={"name": "A100"}).device_names == [] == read(SPAN).device_names


# ---- text


@pytest.mark.parametrize(
    ("rest", "problem"),
    [
        ("]}", None),
        ('] , "a": 1}', None),
        ("]", None),
        ('], "a": }', "The text after the list of events is not valid JSON."),
        ('], "traceEvents": []}', "The file has a second list of events, which was not read."),
        ("", "The file ends inside the list of events."),
        (', {"a": ', "The file ends inside the list of events."),
    ],
)
def test_what_follows_the_events(tmp_path, rest, problem):
    (tmp_path / "t.json").write_text('{"b": 2, "traceEvents": [' + json.dumps(SPAN) + rest)
    reader = TraceReader(tmp_path / "t.json")
    assert [event for batch in reader.batches() for event in batch] == [SPAN]
    assert reader.problems == ([] if problem is None else [problem])
    assert reader.header["b"] == 2 and reader.header.get("a") == (1 if '"a": 1' in rest else None)


@pytest.mark.parametrize(
    "begin",
    ["\ufeff[", " \n[", '\ufeff {"traceEvents": [', '{"x": {"traceEvents": [1]}, "traceEvents" : [\n'],
)
def test_how_a_trace_begins(tmp_path, begin):
    (tmp_path / "t.json").write_text(
        begin + json.dumps(SPAN) + ("]" if begin[-1:] == "[" and "{" not in begin else "]}")
    )
    reader = TraceReader(tmp_path / "t.json")
    assert [event for batch in reader.batches() for event in batch] == [SPAN] and reader.problems == []
    assert reader.size_bytes == (tmp_path / "t.json").stat().st_size


def test_limits_of_a_trace(tmp_path, monkeypatch):
    path = tmp_path / "t.json"
    path.write_text(json.dumps({"traceEvents": [{**SPAN, "name": "x" * 300_000}, SPAN], "z": "y" * 200_000}))
    monkeypatch.setattr(event_stream, "_MAX_EVENT_BYTES", 100_000)
    reader = TraceReader(path)
    assert [*reader.batches()] == [] and reader.problems[0].startswith("An event is larger than 0 MB")
    monkeypatch.setattr(event_stream, "_MAX_EVENT_BYTES", 8 << 20)
    monkeypatch.setattr(event_stream, "_MAX_HEADER_BYTES", 1000)
    reader = TraceReader(path)
    assert len([event for batch in reader.batches() for event in batch]) == 2
    assert reader.problems == ["The text after the list of events is too long and was not read."]
    monkeypatch.setattr(event_stream, "_MAX_TRACE_BYTES", 200_000)
    reader = TraceReader(path)
    assert len([*reader.batches()]) <= 1 and reader.problems[0].startswith("Only the first 0 GB were read.")


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        (b'{"a":1},{"b":2}', 7),
        (b'{"a":1} ,\n {"b":2}', 7),
        (b'{"a":1}', -1),
        (b'{"a":{"c":1}}', -1),
        (b"", -1),
        (b'{"a":1},{"b":2},{"c":3', 15),
    ],
)
def test_where_events_are_cut(text, cut):
    assert _last_cut(text, len(text)) == cut


# ---- gzip


def decompressed(data, size=7):
    file = Gunzip(io.BytesIO(data))
    pieces = []
    while piece := file.read(size):
        assert len(piece) <= size
        pieces.append(piece)
    return b"".join(pieces), file.problem


def test_members_and_padding():
    data = gzip.compress(b"one ") + gzip.compress(b"") + gzip.compress(b"two") + bytes(9)
    for size in (1, 3, 7, 100):
        assert decompressed(data, size) == (b"one two", None)
    assert decompressed(gzip.compress(bytes(1_000_000)), 1 << 16) == (bytes(1_000_000), None)


_ONE = gzip.compress(b"one", mtime=0)  # the names of tests have no time


@pytest.mark.parametrize(
    ("data", "content", "problem"),
    [
        (_ONE[:-1], b"one", "The compressed data is cut off."),
        (_ONE[:12], b"one", "The compressed data is cut off."),
        (_ONE + b"garbage", b"one", "The compressed data is damaged"),
        (_ONE[:10] + b"\xff" * 9, b"", "The compressed data is damaged"),
        (b"", b"", "The compressed data is cut off."),
    ],
)
def test_compressed_data_that_ends_early(data, content, problem):
    found, why = decompressed(data)
    assert content.startswith(found) and why.startswith(problem)


def test_the_collector_runs_again_afterwards():
    assert gc.isenabled()
    with no_collection():
        assert not gc.isenabled()
        with no_collection():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
