"""Pickles are read without the module pickle: plain values arrive, anything else executes nothing."""

import os
import pickle
import random
import subprocess

import pytest
import traces
from tlparse_bundle.log.flight_recorder import plain_pickle
from tlparse_bundle.log.flight_recorder.plain_pickle import BadPickle, read_plain_pickle

DUMP = traces.ROOT / "fixtures" / "flight_recorder" / "missing_call" / "dumps" / "nccl_trace_rank_0"
PLAIN = {
    "text": "日本",
    "numbers": [0, 1, -1, 255, 65535, 1 << 31, -(1 << 40), 1 << 63, 1.5, True, False, None],
    "tuples": [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)],
    "nested": {"a": {"b": [{"c": "text"}] * 3}},
    5: "number as key",
}


@pytest.mark.parametrize("protocol", range(1, 6))
def test_plain_values_arrive(protocol):
    value = {**PLAIN, "bytes": b"\x00\xff"} if protocol > 2 else PLAIN
    assert read_plain_pickle(pickle.dumps(value, protocol)) == value


def test_numbers_in_text_arrive():
    """Protocol 0 has texts with escapes, which torch does not write, but also numbers."""
    data = b"(lI5\naI01\naL-7L\naF1.5\na."
    assert read_plain_pickle(data) == pickle.loads(data) == [5, True, -7, 1.5]


def test_a_dump_of_torch_arrives():
    data = DUMP.read_bytes()
    assert read_plain_pickle(data) == pickle.loads(data), "the module pickle may read this one, it is ours"


class Calls:
    """Reduces to a call."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_pickle_that_calls_executes_nothing(tmp_path, protocol, wrapped):
    marker = tmp_path / "executed"
    calls = [
        Calls(os.system, f"touch {marker}"),
        Calls(eval, f"open({str(marker)!r}, 'w')"),
        Calls(subprocess.getoutput, f"touch {marker}"),
        Calls(open, str(marker), "w"),
    ]
    for call in calls:
        value = {"entries": [{"process_group": ("0", call)}], "version": "2.10"} if wrapped else call
        with pytest.raises(BadPickle, match=r"can execute code|unknown operation"):
            read_plain_pickle(pickle.dumps(value, protocol))
    assert not marker.exists()
    pickle.loads(pickle.dumps(calls[0], protocol))
    assert marker.exists(), "with the module pickle it runs, so this test can fail"


@pytest.mark.parametrize(
    "data",
    [
        b"cos\nsystem\n(S'true'\ntR.",
        b"(S'true'\nios\nsystem\n.",
        b"(cos\nsystem\nS'true'\no.",
        b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x04true\x85R.",
        b"\x80\x02\x82\x01.",
        b"\x80\x02\x83\x01\x00.",
        b"\x80\x02\x84\x01\x00\x00\x00.",
        b"Ptheir id\n.",
        b"\x80\x02X\x01\x00\x00\x00aQ.",
        b"\x80\x02}}b.",
        b"\x80\x02})\x81.",
        b"\x80\x05\x96\x01\x00\x00\x00\x00\x00\x00\x00a.",
        b"\x80\x05\x97.",
    ],
)
def test_every_operation_that_names_or_builds_is_refused(data):
    with pytest.raises(BadPickle, match="only containers and scalars are read"):
        read_plain_pickle(data)


def test_sizes_are_bounded(monkeypatch):
    # A memo with a number of four billion must not allocate it.
    assert read_plain_pickle(b"\x80\x02K\x01r\xff\xff\xff\xff.") == 1
    for data in (
        b"\x80\x02X\xff\xff\xff\xffa.",  # a text of 4 GB
        b"\x80\x04\x8d" + b"\xff" * 8 + b"a.",  # of 16 EB
        b"\x80\x02\x8b\xff\xff\xff\x7f1.",  # a number of 2 GB
        b"\x80\x02\x8a\xff" + b"1" * 255 + b".",
        b"I" + b"9" * 100_000 + b"\n.",
        b"\x80\x02j\xff\xff\xff\xff.",  # nothing there
    ):
        with pytest.raises(BadPickle):
            read_plain_pickle(data)
    monkeypatch.setattr(plain_pickle, "MAX_OPERATIONS", 1000)
    with pytest.raises(BadPickle, match="more than 1,000 operations"):
        read_plain_pickle(b"\x80\x02" + b"]" * 2000 + b".")


def test_deep_nesting_neither_crashes_nor_recurses():
    depth = 300_000
    value = read_plain_pickle(b"\x80\x02" + b"]" * depth + b"a" * (depth - 1) + b".")
    for _ in range(depth - 1):
        (value,) = value
    deep_key = b"\x80\x02})" + b"\x85" * depth + b"K\x01s."  # hashing such a key crashes Python
    with pytest.raises(BadPickle, match="a key that is a tuple"):
        read_plain_pickle(deep_key)
    doubled = b"\x80\x02]q\x00" + b"".join(b"]q%c(h%ch%ce" % (n + 1, n, n) for n in range(60)) + b"."
    with pytest.raises(BadPickle):  # several values are left
        read_plain_pickle(doubled)


def test_a_cut_pickle_is_an_error_at_every_byte():
    data = DUMP.read_bytes()
    for end in range(0, len(data), 7):
        with pytest.raises(BadPickle):
            read_plain_pickle(data[:end])


def test_changed_bytes_are_read_or_refused():
    data, chance = DUMP.read_bytes(), random.Random(5)
    refused = 0
    for _ in range(400):
        changed = bytearray(data)
        for _ in range(chance.randrange(1, 5)):
            changed[chance.randrange(len(data))] = chance.randrange(256)
        try:
            read_plain_pickle(bytes(changed))
        except BadPickle:
            refused += 1
    assert 0 < refused < 400
