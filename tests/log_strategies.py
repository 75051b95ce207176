"""Logs for Hypothesis: damaged real logs, real records with hostile values, and any bytes.

The default profile is short and draws the same cases every time. HYPOTHESIS_PROFILE=long draws new ones on
every run, HYPOTHESIS_CASES of them in each test.
"""

import copy
import functools
import json
import os
import re

import traces
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from log_builder import raw_record

SLOW = [
    HealthCheck.too_slow,
    HealthCheck.data_too_large,
    HealthCheck.large_base_example,
    HealthCheck.filter_too_much,
]
LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"


def cases(count):
    """Return the settings of a test that draws ``count`` cases by default."""
    count = int(os.environ.get("HYPOTHESIS_CASES", "20000")) if LONG else count
    return settings(
        max_examples=count, derandomize=not LONG, database=None, deadline=None, suppress_health_check=SLOW
    )


# ---- bytes

PREFIX = b"V0401 12:00:00.000000 7 a.py:1] "
FRAGMENTS = [
    b"\n", b"\n\n", b"\t", b"\n\t", b"\r\n", b"\r", b" ", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"] ", b"a.py:1] ", PREFIX, PREFIX + b"{}", b"{", b"}", b'"',
    b'{"a": {}}\n', PREFIX + b'{"a": {}}\n', PREFIX + b'{"str": ["a", 0]}\n', PREFIX + b'{"a": {}, "has_payload": "9dd4e461268c8034f5c8564e155c67a6"}\n\tx\n',
    PREFIX + b'{"a": {}, "has_payload": "d41d8cd98f00b204e9800998ecf8427e"}\n', PREFIX.replace(b"0401", b"9999"), PREFIX.replace(b".", b","),
    b"E0101 00:00:00.000000 99999999999999999999 :::0]", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", "\u202e\u2028é".encode(),
]  # fmt: skip


def any_bytes():
    """Draw any bytes, with pieces of records among them."""
    return (
        st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.binary(max_size=20)), min_size=1, max_size=60)
        .map(b"".join)
        .filter(bool)
    )


# ---- real logs, damaged


@functools.cache
def small_logs():
    """Return the beginnings of real logs."""
    logs = [path.read_bytes() for path in traces.FIXTURE_LOGS]
    return sorted(
        {data[: data.rfind(b"\n", 0, 25_000) + 1] for data in logs}, key=lambda data: (len(data), data)
    )


def _part(draw, size, largest=None):
    start = draw(st.integers(0, size))
    stop = draw(st.integers(start, size if largest is None else min(size, start + largest)))
    return start, stop


def _cut(draw, data):
    return data[: draw(st.integers(0, len(data)))]


def _cut_beginning(draw, data):
    return data[draw(st.integers(0, len(data))) :]


def _cut_out(draw, data):
    start, stop = _part(draw, len(data), 5000)
    return data[:start] + data[stop:]


def _flip(draw, data):
    out = bytearray(data)
    for _ in range(draw(st.integers(1, 20))):
        if out:
            out[draw(st.integers(0, len(out) - 1))] ^= draw(st.integers(1, 255))
    return bytes(out)


def _insert(draw, data):
    place = draw(st.integers(0, len(data)))
    return data[:place] + draw(st.one_of(st.sampled_from(FRAGMENTS), st.binary(max_size=40))) + data[place:]


def _swap_lines(draw, data):
    lines = data.splitlines(keepends=True) or [b""]
    a, b = draw(st.integers(0, len(lines) - 1)), draw(st.integers(0, len(lines) - 1))
    lines[a], lines[b] = lines[b], lines[a]
    return b"".join(lines)


def _repeat_lines(draw, data):
    lines = data.splitlines(keepends=True)
    start, stop = _part(draw, len(lines), 50)
    return b"".join(lines[:stop] + lines[start:])


def _windows(draw, data):
    lines = data.splitlines(keepends=True)
    start, stop = draw(st.sampled_from([(0, len(lines)), _part(draw, len(lines))]))
    return b"".join(
        lines[:start] + [line.replace(b"\n", b"\r\n") for line in lines[start:stop]] + lines[stop:]
    )


def _blank_lines(draw, data):
    lines = data.splitlines(keepends=True)
    for _ in range(draw(st.integers(1, 5))):
        lines.insert(draw(st.integers(0, len(lines))), b"\n" * draw(st.integers(1, 4)))
    return b"".join(lines)


def _interleave(draw, data):
    lines, other = (
        data.splitlines(keepends=True),
        draw(st.sampled_from(small_logs())).splitlines(keepends=True),
    )
    for _ in range(draw(st.integers(1, 5))):
        start, stop = _part(draw, len(other), 10)
        place = draw(st.integers(0, len(lines)))
        lines[place:place] = other[start:stop]
    return b"".join(lines)


DAMAGES = [
    _cut,
    _cut_beginning,
    _cut_out,
    _flip,
    _insert,
    _swap_lines,
    _repeat_lines,
    _windows,
    _blank_lines,
    _interleave,
]


@st.composite
def damaged_logs(draw):
    """Draw a real log, damaged up to six times."""
    data = draw(st.sampled_from(small_logs()))
    for damage in draw(st.lists(st.sampled_from(DAMAGES), min_size=1, max_size=6)):
        data = damage(draw, data)
    return data


# ---- real records with hostile values

NAMES = [
    "../../evil", "/tmp/evil", "a/b", "..", ".", "", "nul\0nul", "x" * 300, "</script><img src=x onerror=alert(1)>", "a\nb", "\u202e\u200b", "C:\\x", "\ud800",
    "manifest.json", "log", "__proto__", "0/0", "1" * 400, "%s%n{0}", "a.py", "é" * 200,
]  # fmt: skip
NUMBERS = [
    -1,
    0,
    1,
    2,
    2**31,
    2**32 - 1,
    2**53 - 1,
    2**53,
    2**63,
    2**64,
    10**30,
    -(2**63),
    -0.0,
    1e308,
    1e-308,
    float("nan"),
    float("inf"),
    float("-inf"),
]
SCALARS = st.one_of(
    st.sampled_from(NAMES),
    st.sampled_from(NUMBERS),
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(st.sampled_from(NAMES), st.text(max_size=8)), inner, max_size=4),
    ),
    max_leaves=8,
)
KEYS = [
    "rank",
    "frame_id",
    "frame_compile_id",
    "attempt",
    "compiled_autograd_id",
    "has_payload",
    "stack",
    "user_stack",
    "stack_index",
    "str",
    "name",
    "x",
]


@functools.cache
def real_records():
    """Return the shortest record of each kind in the fixtures as [(envelope, payload)], the context without
    MD5.
    """
    shortest = {}
    for path in traces.FIXTURE_LOGS:
        for envelope, payload in traces.scan(path.read_bytes()):
            try:
                fields = json.loads(envelope)
            except ValueError:
                continue
            fields.pop("has_payload", None)
            name = next((str(value.get("name")) for value in fields.values() if type(value) is dict), "")
            kind = (
                next(iter(fields.keys() - set(KEYS) - {"str"}), "str"),
                re.sub(r"\d+|(?<=torch_dynamo_resume_in_).+(?=_at_)", "", name),
            )
            size = len(envelope) + len(payload or b"")
            if kind not in shortest or size < shortest[kind][0]:
                shortest[kind] = size, fields, payload
    return [(fields, payload) for _, (size, fields, payload) in sorted(shortest.items()) if size < 20_000]


def _nodes(value, found):
    for key in value if type(value) is dict else range(len(value)) if type(value) is list else ():
        found.append((value, key))
        _nodes(value[key], found)
    return found


def _spoil(draw, value):
    """Return a copy of a JSON value, changed in a few places."""
    holder = [copy.deepcopy(value)]
    for _ in range(draw(st.integers(0, 3))):
        container, key = draw(st.sampled_from(_nodes(holder, [])))
        what = draw(st.sampled_from(["value", "value", "value", "away", "key", "more"]))
        if what == "away" and container is not holder:
            del container[key]
        elif what == "key" and type(container) is dict:
            container[draw(st.sampled_from(KEYS + NAMES))] = container.pop(key)
        elif what == "more" and type(container[key]) in (list, dict):
            more = container[key]
            if type(more) is list:
                more += draw(st.lists(VALUES, min_size=1, max_size=3)) + more[:2]
            else:
                more[draw(st.sampled_from(KEYS + NAMES))] = draw(VALUES)
        else:
            container[key] = draw(VALUES)
    return holder[0]


def _spoil_text(draw, data):
    for _ in range(draw(st.integers(0, 3))):
        damage = draw(st.sampled_from([_cut, _cut_out, _flip, _insert, _swap_lines, _repeat_lines]))
        data = damage(draw, data)
        if draw(st.booleans()):
            place = draw(st.integers(0, len(data)))
            data = data[:place] + draw(st.sampled_from(NAMES)).encode("utf-8", "surrogatepass") + data[place:]
    return data[:20_000]


@st.composite
def hostile_records(draw):
    """Draw a real record whose metadata, context and payload are hostile here and there."""
    fields, payload = draw(st.sampled_from(real_records()))
    fields = _spoil(draw, fields)
    if type(fields) is dict and draw(st.booleans()):  # so records belong together
        fields |= {
            "frame_id": draw(st.integers(0, 2)),
            "frame_compile_id": draw(st.integers(0, 2)),
            "attempt": draw(st.integers(0, 1)),
        }
    if type(fields) is dict and draw(st.integers(0, 4)) == 0:
        fields[draw(st.sampled_from(KEYS))] = draw(VALUES)
    if payload is not None:
        try:
            payload = (
                json.dumps(_spoil(draw, json.loads(payload))).encode()
                if draw(st.integers(0, 3))
                else _spoil_text(draw, payload)
            )
        except ValueError:
            payload = _spoil_text(draw, payload)
    elif draw(st.integers(0, 7)) == 0:
        payload = draw(st.binary(max_size=40))
    md5 = draw(st.sampled_from([None] * 7 + NAMES[:2]))
    envelope = json.dumps(fields)
    if not envelope.endswith("}") or envelope == "{}":
        payload = None
    time = (
        f"{draw(st.sampled_from(['0401', '0401', '1231', '0101', '0230']))}"
        f" 12:00:0{draw(st.integers(0, 9))}.{draw(st.integers(0, 999_999)):06d}"
    )
    return raw_record(envelope, payload, md5=md5, time=time)


@st.composite
def hostile_logs(draw):
    """Draw up to twelve hostile records, sometimes a record of an interned string, rarely noise."""
    strings = st.builds(
        lambda text, number: raw_record(json.dumps({"str": [text, number]})),
        st.sampled_from(NAMES),
        st.sampled_from([0, 1, 2, 2**32 - 1, -1, 2**70]),
    )
    noise = st.sampled_from(FRAGMENTS)
    part = st.one_of(hostile_records(), hostile_records(), hostile_records(), strings, noise)
    return b"".join(draw(st.lists(part, min_size=1, max_size=12)))
