"""Envelopes and payloads that were there before are not read again; what comes out is the same."""

import hashlib

import pytest
from hypothesis import given
from log_builder import raw_record, record
from log_strategies import cases, damaged_logs, hostile_logs
from tlparse_bundle import build, discover
from tlparse_bundle.trace import envelope, payload_hashes
from tlparse_bundle.trace.payload_hashes import PayloadHashes
from traces import FIXTURE_LOGS, ROOT, files, params

PAYLOAD = b"some payload"
RIGHT = hashlib.md5(PAYLOAD).hexdigest()


@pytest.fixture
def read(monkeypatch):
    """Starts of the envelopes that were read."""
    starts, before = [], envelope.EventDecoder._read

    def watch(self, event, record, start):
        starts.append(start)
        return before(self, event, record, start)

    monkeypatch.setattr(envelope.EventDecoder, "_read", watch)
    return starts


def both(data, folder):
    """The files of the bundle, twice: made as ever, and by reading every envelope."""
    folder.mkdir(exist_ok=True)
    path = folder / "dedicated_log_torch_trace_x.log"
    path.write_bytes(data)
    found = []
    for size in (envelope._MAX_KNOWN_BYTES, -1):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(envelope, "_MAX_KNOWN_BYTES", size)
            build(discover([path]), folder / "out", jobs=1, overwrite=True)
        found.append(files(folder / "out"))
    return found


def test_an_envelope_that_came_before_is_not_read(log_of, read):
    it = log_of(b"".join(record("artifact:a 0/0 @3", payload=f"text {i}") for i in range(5)) + record("artifact:a 1/0 @3", payload="x"))
    assert len(read) == 2
    assert [(e.name, e.row["rank"], e.compile.id, e.text()) for e in it.events()] == [
        *(("a", 3, "0/0", f"text {i}") for i in range(5)),
        ("a", 3, "1/0", "x"),
    ]
    assert "payload-md5" not in it.row["diagnostics"]


@pytest.mark.parametrize(
    "records",
    [
        # The second has another MD5 than its payload, none, or one that is cut.
        [record("artifact:a", payload="x"), record("artifact:a", payload="x", md5="0" * 32), record("artifact:a", payload="x")],
        [record("artifact:a", payload="x", md5="0" * 32), record("artifact:a", payload="x")],
        [record("artifact:a", payload="x"), raw_record('{"artifact": {"name": "a", "encoding": "string"}}')],
        [record("artifact:a", payload="x"), record("artifact:a", payload="x").split(b"\n")[0] + b"\n", record("artifact:a", payload="x")],
        [record("artifact:a", payload="x"), record("artifact:a", payload="x", md5="0" * 31)],
        # A key that ends like has_payload, behind a real one.
        [raw_record('{"e": {}, "has_payload": "%s", "x\\"has_payload": "%s"}' % (RIGHT, digest), None) + b"\tsome payload\n" for digest in (RIGHT, "1" * 32)],
        [raw_record('{"e": {}, "x, \\"has_payload": "%s"}' % RIGHT) + b"\tsome payload\n"] * 2,
        [raw_record('{"e": {"x": {}, "has_payload": "%s"}}' % RIGHT) + b"\tsome payload\n"] * 2,
        [raw_record('{"has_payload": "1", "e": {}}', PAYLOAD)] * 3,
        # What depends on the records before.
        [record('str ["a.py", 0]', payload="x"), record('str ["b.py", 0]', payload="x")] * 2,
        [record(f'e {{"stack": [{{"line": {i}, "name": "f", "filename": 0}}]}}', payload="x") for i in (1, 1, 2)],
        [record("dynamo_start 0/0", payload="x")] * 3,
        [record('artifact:a 0/0 {"n": 12345678901234567890}', payload="x")] * 3,
        [record("artifact:a 0/0", payload=payload.encode()).replace(b"\n", b"\r\n") for payload in ("x", "y", "x")],
        [raw_record('{"rank": true, "e": {}}', "x")] * 3,
        [raw_record('{"frame_id": 1.0, "e": {}}', "x"), raw_record('{"frame_id": 1, "e": {}}', "x")] * 2,
        [raw_record('{"chromium_event": {}}', payload) for payload in ('{"name": "x", "ph": "B", "ts": 1}', "no JSON", '{"name": "x", "ph": "E", "ts": 2}')],
    ],
)
def test_nothing_changes_for(records, tmp_path):
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


def test_not_more_envelopes_are_known_than_memory_allows(log_of, read, monkeypatch):
    monkeypatch.setattr(envelope, "_MAX_KNOWN", 3)
    it = log_of(b"".join(record(f"artifact:a {i % 5}/0", payload="x") for i in range(20)))
    assert [e.compile.id for e in it.events()] == [f"{i % 5}/0" for i in range(20)] and len(read) > 5


def test_hashes_are_those_of_the_payload():
    hashes = PayloadHashes()
    for payload in (PAYLOAD, b"", PAYLOAD, b"x" * (2 << 20), b"x" * (2 << 20)):
        assert hashes.md5(payload) == hashlib.md5(payload).hexdigest()
        assert hashes.sha256(payload) == hashlib.sha256(payload).hexdigest()


def test_not_more_payloads_are_known_than_memory_allows(monkeypatch):
    monkeypatch.setattr(payload_hashes, "_KNOWN_BYTES", 10_000)
    hashes = PayloadHashes()
    payloads = [b"%05d" % i * 100 for i in range(1000)]
    for count, payload in enumerate(payloads, 1):
        hashes.md5(payload)
        known = [one for one in payloads if hashes._known.get(one)]
        assert known == payloads[max(0, count - 20) : count]


def test_a_payload_that_came_before_is_not_hashed(monkeypatch):
    hashes, called = PayloadHashes(), []
    monkeypatch.setattr(payload_hashes, "md5", lambda payload: called.append(payload) or "md5")
    assert [hashes.md5(bytes(bytearray(PAYLOAD))) for _ in range(3)] == ["md5"] * 3
    assert len(called) == 1
