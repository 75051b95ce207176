"""Traces that are damaged, hostile or of something else are reported by name, and nothing else is lost."""

import gzip
import json
import random
import subprocess
import sys

import pytest
from profiled import PROGRAMS
from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.log.profiler import event_stream
from tlparse_bundle.log.profiler.event_stream import BadTrace, TraceReader
from tlparse_bundle.log.profiler.recording import read_recording

GOOD = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 2, "ts": 3.5, "dur": 4.25}
REAL = PROGRAMS / "breaks" / "profiles" / "breaks.json.gz"


def events_of(path):
    reader = TraceReader(path)
    return [event for batch in reader.batches() for event in batch], reader


@pytest.fixture
def written(tmp_path):
    def write(data, name="trace.json"):
        (tmp_path / name).write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
        return tmp_path / name

    return write


@pytest.mark.parametrize("piece", [64, 700, 4096, 1 << 20])
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("form", ["object", "list", "last", "gzip"])
def test_every_form_gives_all_events(written, monkeypatch, piece, indent, form):
    monkeypatch.setattr(event_stream, "_PIECE_BYTES", piece)
    trace = json.loads(gzip.decompress(REAL.read_bytes()))
    events = trace.pop("traceEvents")[:200]
    # Text that looks like the end of an event, in strings and nested lists.
    events[5]["args"] = {"text": '},{"}]}', "list": [{"a": 1}, {"b": [{}, {}]}], "quote": '\\"},\n{'}
    value = {
        "object": {"schemaVersion": 1, "traceEvents": events, **trace},
        "list": events,
        "last": {**trace, "other": [{"traceEvents": [1]}], "traceEvents": events},
        "gzip": {"traceEvents": events, "deviceProperties": [{"id": 0}, {"id": 1}], **trace},
    }[form]
    data = json.dumps(value, indent=indent).encode()
    found, reader = events_of(written(gzip.compress(data) if form == "gzip" else data))
    assert found == events
    assert (reader.problems, reader.unreadable_count) == ([], 0)
    if form != "list":
        assert reader.header["baseTimeNanoseconds"] == trace["baseTimeNanoseconds"]


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("form", ["plain", "gzip"])
def test_a_cut_trace_has_the_events_before_the_cut(written, share, form):
    data = gzip.decompress(REAL.read_bytes())
    if form == "plain":
        path = written(data[: int(len(data) * share)])
    else:
        packed = gzip.compress(data)
        path = written(packed[: int(len(packed) * share)])
    found, reader = events_of(path)
    whole = json.loads(data)["traceEvents"]
    assert 0 < len(found) <= len(whole)
    assert found == whole[: len(found)]
    if len(found) < len(whole):
        assert reader.problems


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"null",
        b"[" * 100_000,
        b'{"traceEvents": 5}',
        b'{"traceEvents": {"a": 1}}',
        b"\x80\x04K\x01.",
        b"\x1f\x8b",
        b"\x1f\x8b\x08\x00garbage",
        b'{"a": "' + b"x" * 100_000,
        json.dumps({"events": [GOOD]}).encode(),
    ],
)
def test_what_is_not_a_trace_is_refused(written, data):
    with pytest.raises(BadTrace):
        if not read_recording(written(data)).event_count:
            raise BadTrace("nothing")


def test_damaged_events_are_counted_and_the_others_are_read(written):
    events = [
        json.dumps(GOOD),
        '{"ph": "X", "cat": "cpu_op", "name": "nan", "pid": 1, "tid": 2, "ts": NaN, "dur": 1}',
        '{"ph": "X", "cat": "kernel", "name": "inf", "ts": 1, "dur": 1, "args": {"a": -inf, "b": nan}}',
        "{not json}",
        "5",
        '"text"',
        json.dumps({**GOOD, "dur": -1}),
        json.dumps({**GOOD, "dur": "long"}),
        json.dumps({**GOOD, "name": 7}),
        json.dumps({**GOOD, "name": None, "args": 5}),
        json.dumps({**GOOD, "ts": 1e300}),
        json.dumps({**GOOD, "pid": [1], "tid": {}}),
        '{"ph": "X", "cat": ["cpu_op"], "name": "a"}',
        '{"cat": "cpu_op", "cat": "kernel", "name": "twice", "ts": 1, "dur": 2}',
        '{"a": ' * 2000 + "1" + "}" * 2000,
        json.dumps(GOOD),
    ]
    data = b'{"traceEvents": [' + ",\n".join(events).encode() + b"]}"
    recording = read_recording(written(data.replace(b"long", b"\xff\xfe")))
    assert len(recording.spans) == 2
    assert len(recording.device_events) == 2
    assert recording.untimed_count >= 6
    assert recording.unreadable_count >= 3


def test_memory_is_bounded(written):
    """A bomb of nested lists, an endless event, and an endless header."""
    bombs = {
        "lists": b'{"traceEvents": [{"a": [' + b"[]," * 3_000_000,
        "blank": b'{"traceEvents": [' + b" " * 20_000_000,
        "header": b'{"a": "' + b"x" * 20_000_000,
        "quotes": b'{"traceEvents": [{"a": ' + b'"' * 3_000_001,
        "braces": b'{"traceEvents": [' + b"{" * 3_000_000,
    }
    program = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "from tlparse_bundle.log.profiler.event_stream import BadTrace\n"
        "from tlparse_bundle.log.profiler.recording import read_recording\n"
        "try:\n"
        "    assert read_recording(Path(sys.argv[1])).problems\n"
        "except BadTrace:\n"
        "    pass\n"
        # On Linux, getrusage() starts with the peak of the process that started this one.
        "status = Path('/proc/self/status')\n"
        "if status.exists():\n"
        "    print(next(int(line.split()[1]) for line in status.open() if line.startswith('VmHWM')) * 1024)\n"
        "else:\n"
        "    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    for name, data in bombs.items():
        path = written(gzip.compress(data, 1), f"{name}.gz")
        done = subprocess.run([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE, check=True)
        assert int(done.stdout) < 300e6, name


def test_random_changes_never_raise(written):
    data = gzip.decompress(REAL.read_bytes())[:60_000]
    chance = random.Random(0)
    for _ in range(60):
        changed = bytearray(data)
        for _ in range(chance.randrange(1, 20)):
            place = chance.randrange(len(changed))
            changed[place : place + chance.randrange(4)] = chance.choice(
                [b"{", b"}", b'"', b"[", b"]", b",", b"\\", b"\x00", b"\xff", b"9" * 400, b"null"]
            )
        try:
            recording = read_recording(written(bytes(changed)))
        except BadTrace:
            continue
        assert recording.event_count >= 0


def test_bad_files_are_named_and_the_bundle_is_built(tmp_path, written):
    written(b"nothing", "notes.txt")
    written({"traceEvents": [GOOD]}, "other.json")
    good = (PROGRAMS / "reset" / "profiles" / "reset.json.gz").read_bytes()
    written(good, "reset.json.gz")
    written(good, "again.json.gz")  # the same content
    result = build(
        discover([PROGRAMS / "reset" / "trace"]),
        tmp_path / "bundle",
        jobs=1,
        profile=[str(tmp_path / name) for name in ("*.txt", "*.json", "*.gz")],
    )
    problems = result.manifest["diagnostics"]
    assert [text.partition(":")[0] for text in problems["profile-unreadable"]] == ["notes.txt"]
    assert [text.partition(":")[0] for text in problems["profile-unassigned"]] == ["other.json"]
    (log,) = Bundle.open(tmp_path / "bundle").logs
    assert [row["profile"] for row in log.table("profiles")] == ["again.json.gz"]


def test_a_pattern_without_files_is_refused(tmp_path):
    with pytest.raises(BundleError, match="no file matches"):
        build(
            discover([PROGRAMS / "reset" / "trace"]), tmp_path / "bundle", profile=[str(tmp_path / "none*")]
        )
    assert not (tmp_path / "bundle").exists()
