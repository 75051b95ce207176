"""Hostile logs: real ones with changed bytes, lines and fields. The same seed gives the same log."""

import gzip
import json
import random
import re

import zstandard
from log_builder import raw_record

from fuzz import values
from fuzz.bases import log_bases
from fuzz.mutations import bomb, dumps
from fuzz.schema_walk import any_place

_ENVELOPE = re.compile(rb"^([A-Z]\d{4} \d\d:\d\d:\d\d[.,]\d{6} +\d+ .+?:\d+\] )(\{.*)$", re.DOTALL)
_NOISE = [
    b"\n",
    b"\n\n\n",
    b"\t",
    b"\r\n",
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"V0401 12:00:00.000000 7 a.py:1] ",
    b"V0401 12:00:00.000000 7 a.py:1] {}\n",
    b"{",
    b"}",
    b"]" * 200,
]
_NAMES = [
    "x.log",
    "dedicated_log_torch_trace_rank_0_a.log",
    "\x1b[31mx\x1b]0;t\x07.log",
    f"a\n{values.FORGED}.log",
    "\u202egol.log",
    "-x.log",
    "..log",
    "é.log",
    "x" * 200 + ".log",
]


def mutate(seed):
    """Return ({file name: bytes}, what was changed): one log or two, compressed or not."""
    rng = random.Random(f"log {seed}")
    notes = []
    files = {}
    for _ in range(rng.choice([1, 1, 1, 2])):
        data = rng.choice(log_bases())
        for _ in range(rng.choice([1, 1, 2, 3, 6])):
            change = rng.choices(_CHANGES, _WEIGHTS)[0]
            data = change(data, rng)
            notes.append(change.__name__.strip("_"))
        name, data = _packed(rng.choice(_NAMES), data, rng, notes)
        files[name] = data
    return files, notes


def _packed(name, data, rng, notes):
    kind = rng.randrange(10)
    if kind < 7:
        return name, data
    ending, pack = (".gz", gzip.compress) if kind == 7 else (".zst", zstandard.compress)
    data, name = pack(data), name + ending
    damage = rng.randrange(8)
    if damage == 0:
        data = data[: rng.randrange(len(data) + 1)]
    elif damage == 1:
        data = _flip(data, rng)
    elif damage == 2:
        data += rng.choice([b"x", b"\0" * 512, data, pack(b"more\n"), b"\x28\xb5\x2f\xfd"])
    elif damage == 3:
        data = pack(data)
    elif damage == 4 and rng.random() < 0.1:
        data = data + bomb(ending, 256 << 20)
    notes.append(f"{ending} {damage}")
    return name, data


# ---- bytes


def _part(size, rng, most=5000):
    start = rng.randrange(size + 1)
    return start, min(size, start + rng.randrange(most))


def _cut(data, rng):
    return data[: rng.randrange(len(data) + 1)]


def _cut_out(data, rng):
    start, stop = _part(len(data), rng)
    return data[:start] + data[stop:]


def _flip(data, rng):
    out = bytearray(data)
    for _ in range(rng.choice([1, 3, 20, 200])):
        if out:
            out[rng.randrange(len(out))] ^= rng.randrange(1, 256)
    return bytes(out)


def _insert(data, rng):
    at = rng.randrange(len(data) + 1)
    text = rng.choice(values.TEXTS + values.PATHS).encode("utf-8", "surrogatepass")
    return data[:at] + rng.choice([rng.choice(_NOISE), rng.randbytes(30), text]) + data[at:]


def _encode(data, rng):
    """Change the encoding of the whole, or of a part."""
    start, stop = rng.choice([(0, len(data)), _part(len(data), rng)])
    text = data[start:stop].decode("utf-8", "replace")
    return (
        data[:start]
        + text.encode(rng.choice(["utf-16", "utf-16-be", "utf-32", "utf-8-sig", "utf-7"]))
        + data[stop:]
    )


# ---- lines


def _lines(data, rng):
    lines = data.splitlines(keepends=True) or [b""]
    at, to = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.randrange(6)
    if kind == 0:
        lines[at], lines[to] = lines[to], lines[at]
    elif kind == 1:
        lines[to:to] = lines[at : at + 20]
    elif kind == 2:
        times = rng.choice([2, 100, 2000])
        lines[to:to] = [lines[at]] * (times if len(lines[at]) * times < 40_000_000 else 2)
    elif kind == 3:
        del lines[at : at + rng.choice([1, 10])]
    elif kind == 4:
        lines = [
            line.replace(b"\n", b"\r\n") if low <= number < low + 50 else line
            for low in [at]
            for number, line in enumerate(lines)
        ]
    else:
        other = rng.choice(log_bases()).splitlines(keepends=True)
        start = rng.randrange(len(other))
        lines[to:to] = other[start : start + 10]
    return b"".join(lines)


# ---- records


def _fields(data, rng):
    """Change JSON fields of some records."""
    lines = data.splitlines(keepends=True)
    records = [number for number, line in enumerate(lines) if _ENVELOPE.match(line)]
    for number in rng.sample(records, min(len(records), rng.choice([1, 2, 5]))):
        head, text = _ENVELOPE.match(lines[number]).groups()
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        found = any_place(value, rng)
        if found:
            container, key = found
            if rng.random() < 0.15:
                del container[key]
            else:
                container[key] = (
                    values.like(rng, container[key]) if rng.random() < 0.5 else values.anything(rng)
                )
        lines[number] = head + dumps(value) + b"\n"
    return b"".join(lines)


def _payloads(data, rng):
    """Change the JSON of payloads, in a line or all of it."""
    lines = data.splitlines(keepends=True)
    tabbed = [number for number, line in enumerate(lines) if line.startswith(b"\t")]
    for number in rng.sample(tabbed, min(len(tabbed), rng.choice([1, 5, 50]))):
        text = (
            rng.choice(values.TEXTS + values.PATHS).encode("utf-8", "surrogatepass").replace(b"\n", b"\n\t")
        )
        line = lines[number]
        lines[number] = rng.choice(
            [
                b"\t" + text + b"\n",
                line.replace(b'"', b"'"),
                line[: len(line) // 2] + text + line[len(line) // 2 :],
                b"\t" + dumps(values.anything(rng)) + b"\n",
                b"\t\n",
            ]
        )
    return b"".join(lines)


def _records(data, rng):
    """Add records with any values in the fields that readers use."""
    keys = ["rank", "frame_id", "frame_compile_id", "attempt", "compiled_autograd_id", "has_payload", "stack", "str", "artifact", "compilation_metrics", "dynamo_start", "chromium_event",
            "graph_dump", "dump_file", "link", "inductor_output_code", "describe_tensor", "exported_program"]  # fmt: skip
    more = []
    for _ in range(rng.choice([1, 5, 30])):
        value = {
            key: rng.choice(
                [
                    values.scalar(rng),
                    {"name": values.scalar(rng), "url": values.scalar(rng), "stack": values.scalar(rng)},
                ]
            )
            for key in rng.sample(keys, 3)
        }
        text = dumps(value)
        more.append(raw_record(text, rng.choice([None, b"", b"text", b'{"a": 1}', rng.randbytes(50)])))
    at = data.rfind(b"\n", 0, rng.randrange(len(data) + 1)) + 1
    return data[:at] + b"".join(more) + data[at:]


_CHANGES = [_cut, _cut_out, _flip, _insert, _encode, _lines, _fields, _payloads, _records]
_WEIGHTS = [1, 1, 2, 2, 0.5, 3, 6, 3, 3]
