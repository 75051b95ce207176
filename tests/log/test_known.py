"""Repeated envelopes and payloads are not read again, with the same result."""

import hashlib
import io

import pytest
from hypothesis import given
from log_builder import raw_record, record
from log_strategies import cases, damaged_logs, hostile_logs
from tlparse_bundle import build, discover
from tlparse_bundle.base.diagnostics import Diagnostics
from tlparse_bundle.log import envelope, payload
from tlparse_bundle.log.payload import Payload, RecentPayloads
from tlparse_bundle.log.record_reader import RecordReader
from traces import FIXTURE_LOGS, ROOT, files, params
from unguarded import unguarded

PAYLOAD = b"some payload"
RIGHT = hashlib.md5(PAYLOAD).hexdigest()


@pytest.fixture
def read(monkeypatch):
    """The envelopes that were read, without the keys that announce a payload."""
    starts, before = [], envelope.EventDecoder._read

    def watch(self, event, record):
        starts.append(record.envelope.partition(b', "has_payload"')[0])
        return before(self, event, record)

    monkeypatch.setattr(envelope.EventDecoder, "_read", watch)
    return starts


def both(data, folder):
    """Return the files of the bundle twice: built normally, and by reading every envelope."""
    folder.mkdir(exist_ok=True)
    path = folder / "dedicated_log_torch_trace_x.log"
    path.write_bytes(data)
    found = []
    for size in (envelope._MAX_HEAD_BYTES, -1):
        with pytest.MonkeyPatch.context() as patch, unguarded():
            patch.setattr(envelope, "_MAX_HEAD_BYTES", size)
            build(discover([path]), folder / "out", jobs=1, overwrite=True)
        found.append(files(folder / "out"))
    return found


def test_a_repeated_envelope_is_not_read(log_of, read):
    names = [
        *["artifact:a 0/0 @3"] * 3,
        "artifact:a 1/0 @3",
        "artifact:b 1/0 @3",
        "artifact:b 0/0 @3",
        "artifact:a 1/0 @3",
    ]
    it = log_of(b"".join(record(name, payload=f"text {i}") for i, name in enumerate(names)))
    assert len(read) == 3, "each kind and each compile once"
    assert [(f"artifact:{e.name} {e.compile} @{e.row['record_rank']}", e.text()) for e in it.events()] == [
        (name, f"text {i}") for i, name in enumerate(names)
    ]
    assert "payload-md5" not in it.row["diagnostics"]


@pytest.mark.parametrize(
    "records",
    [
        # The second has a different MD5 than its payload, none, or a cut one.
        [
            record("artifact:a", payload="x"),
            record("artifact:a", payload="x", md5="0" * 32),
            record("artifact:a", payload="x"),
        ],
        [record("artifact:a", payload="x", md5="0" * 32), record("artifact:a", payload="x")],
        [record("artifact:a", payload="x"), raw_record('{"artifact": {"name": "a", "encoding": "string"}}')],
        [
            record("artifact:a", payload="x"),
            record("artifact:a", payload="x").split(b"\n")[0] + b"\n",
            record("artifact:a", payload="x"),
        ],
        [record("artifact:a", payload="x"), record("artifact:a", payload="x", md5="0" * 31)],
        # A key that ends like has_payload, after a real one.
        [
            raw_record('{"e": {}, "has_payload": "%s", "x\\"has_payload": "%s"}' % (RIGHT, digest), None)
            + b"\tsome payload\n"
            for digest in (RIGHT, "1" * 32)
        ],
        [raw_record('{"e": {}, "x, \\"has_payload": "%s"}' % RIGHT) + b"\tsome payload\n"] * 2,
        [raw_record('{"e": {"x": {}, "has_payload": "%s"}}' % RIGHT) + b"\tsome payload\n"] * 2,
        [raw_record('{"has_payload": "1", "e": {}}', PAYLOAD)] * 3,
        # Values that depend on earlier records.
        [record('str ["a.py", 0]', payload="x"), record('str ["b.py", 0]', payload="x")] * 2,
        [
            record(f'e {{"stack": [{{"line": {i}, "name": "f", "filename": 0}}]}}', payload="x")
            for i in (1, 1, 2)
        ],
        [record("dynamo_start 0/0", payload="x")] * 3,
        # Halves that look alike.
        [
            raw_record('{"e": {}, "frame_id": 1}'),
            raw_record('{"e": {}, "frame_id": 1, "frame_id": 2}'),
            raw_record('{"e": {}, "frame_id": 1'),
        ]
        * 2,
        [
            raw_record('{"e": {}, "rank": 1}'),
            raw_record('{"e": {}, "rank": 1'),
            raw_record('{"e": {}, "rank": 1, "x": 2}'),
            raw_record('{"e": {}, "rank": 1}}'),
        ]
        * 2,
        [
            raw_record('{"e": {}, "rank": 1, "e": {"x": {}}}'),
            raw_record('{"e": {}, "rank": 1, "e": {"x": {}}, "rank": 2}'),
        ]
        * 2,
        [
            raw_record('{"e": {}, "stack": {}, "rank": 1}'),
            raw_record('{"rank": 1, "e": {}}'),
            raw_record('{"rank": {}, "frame_id": 1}'),
        ]
        * 2,
        [
            raw_record('{"e": {} , "rank": 1}'),
            raw_record('{"e": {},"rank": 1}'),
            raw_record('{"e": {}, "rank" : 1}'),
            raw_record('{"e": {}}'),
        ]
        * 2,
        [
            raw_record('{"e": 1, "frame_id": 1, "frame_compile_id": 0}'),
            raw_record('{"e": "}", "frame_id": 1}'),
        ]
        * 2,
        [
            raw_record('{"e": {}, "frame_id": 1}', "x"),
            raw_record('{"e": {}, "frame_id": 1}'),
            raw_record('{"e": {}}', "x"),
            raw_record('{"e": {}}', ""),
        ]
        * 2,
        [record('artifact:a 0/0 {"n": 12345678901234567890}', payload="x")] * 3,
        [
            record("artifact:a 0/0", payload=payload.encode()).replace(b"\n", b"\r\n")
            for payload in ("x", "y", "x")
        ],
        [raw_record('{"rank": true, "e": {}}', "x")] * 3,
        [raw_record('{"frame_id": 1.0, "e": {}}', "x"), raw_record('{"frame_id": 1, "e": {}}', "x")] * 2,
        [
            raw_record('{"chromium_event": {}}', payload)
            for payload in (
                '{"name": "x", "ph": "B", "ts": 1}',
                "no JSON",
                '{"name": "x", "ph": "E", "ts": 2}',
            )
        ],
    ],
)
def test_results_stay_the_same(records, tmp_path):
    known, anew = both(b"".join(records), tmp_path / "log")
    assert known == anew


@pytest.mark.parametrize("path", params(FIXTURE_LOGS[::5], ROOT / "fixtures"))
def test_nothing_changes_for_a_real_log(path, read, tmp_path):
    known, anew = both(path.read_bytes(), tmp_path / "log")
    assert known == anew
    assert len(set(read)) < len(read)


@given(hostile_logs() | damaged_logs())
@cases(100)
def test_nothing_changes_for_any_log(tmp_path_factory, data):
    known, anew = both(record("a") + data * 2, tmp_path_factory.mktemp("any"))
    assert known == anew


def test_remembered_envelopes_are_bounded(log_of, read, monkeypatch):
    monkeypatch.setattr(envelope, "_MAX_TAILS", 3)
    it = log_of(b"".join(record(f"artifact:a {i % 5}/0", payload="x") for i in range(20)))
    assert [e.compile for e in it.events()] == [f"{i % 5}/0" for i in range(20)] and len(read) > 5


def test_hashes_are_those_of_the_payload():
    for data in (PAYLOAD, b""):
        one = Payload(data)
        assert one.md5 == one.md5 == hashlib.md5(data).hexdigest().encode()
        assert one.sha256 == one.sha256 == hashlib.sha256(data).hexdigest()


def graphs(count, text="graph"):
    return [f"{text} {i}\n" + "\tline, with a tab\n" * 50 + "end" for i in range(count)]


def payloads(data, recent):
    return [it.payload for it in RecordReader(io.BytesIO(data), Diagnostics(), recent)]


def test_a_repeated_payload_is_not_scanned(monkeypatch):
    looked, before = [], payload.without_tabs
    monkeypatch.setattr(payload, "without_tabs", lambda raw: looked.append(raw) or before(raw))
    texts = graphs(3) * 4
    found = payloads(b"".join(record("a", payload=text) for text in texts) + record("end"), RecentPayloads())
    assert [it.data.decode() for it in found[:-1]] == texts and len(looked) == 3
    assert len({id(it) for it in found[:-1]}) == 3


def test_bytes_decide_and_not_the_announced_md5(log_of):
    """Anyone can announce one MD5 for two payloads with the same beginning."""
    texts = ["x\ny", "x\ny\nz", "x", "x\ny", "x\nyz", "", "x\ny"]
    for order in (texts, texts[::-1]):
        it = log_of(b"".join(record("a", payload=text, md5="0" * 32) for text in order))
        assert [event.text() for event in it.events()] == order


def test_remembered_payloads_are_bounded(monkeypatch):
    monkeypatch.setattr(payload, "_RECENT_BYTES", 10_000)
    recent = RecentPayloads()
    recent.begin(one_of_many=False)
    texts = graphs(40)
    announced = [hashlib.md5(text.encode()).hexdigest().encode() for text in texts]
    for count, text in enumerate(texts, 1):
        payloads(record("a", payload=text) + record("end"), recent)
        known = [one for one in announced if recent.get(one)]
        assert known == announced[count - len(known) : count] and len(known) in (count, 10)


def test_a_large_payload_is_not_remembered(monkeypatch):
    monkeypatch.setattr(payload, "_MAX_BYTES", 100)
    large, small = payloads(
        record("a", payload="x\n" * 100) + record("a", payload="x\ny") + record("end"),
        recent := RecentPayloads(),
    )[:2]
    assert (large.raw, small.raw) == (b"", b"\tx\n\ty\n")
    assert recent.get(small.md5) is small and recent.get(large.md5) is None
