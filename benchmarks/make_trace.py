"""Make a large trace from a real one.

    python benchmarks/make_trace.py SOURCE OUT [--copies 81]

Repeats the records of SOURCE with new frame ids, times and payloads. Hashes and cache keys are replaced by
fresh ones, timeline times increase, and no payload equals that of another copy. With 81 copies, a log of 1.86
MB and 504 records becomes the 150 MB, 40,504 record log of the benchmarks (interned strings come once).
"""

from __future__ import annotations

import argparse
import hashlib
import re
from pathlib import Path

RECORD = re.compile(rb"(V\d{4} [\d:.]+ \d+ [^\n]*?:\d+\] )(\{[^\n]*)\n((?:\t[^\n]*\n)*)")
FRAME_ID = re.compile(rb'"frame_id": (\d+)')
HASH = re.compile(rb"(?<![0-9a-zA-Z_])(?=[a-z]*[0-9])[0-9a-z]{20,}(?![0-9a-zA-Z_])")
TIME = re.compile(rb'("ts": )(\d+)')


def fresh(token: bytes, copy: int) -> bytes:
    """Return a different token of the same length and alphabet."""
    digest = hashlib.sha256(token + b"%d" % copy).hexdigest().encode()
    return (digest * (len(token) // len(digest) + 1))[: len(token)]


def copy_record(
    prefix: bytes, envelope: bytes, payload: bytes, copy: int, frames: int, span_us: int
) -> bytes:
    """Return one record of a copy, with its payload changed and its MD5 updated."""
    envelope = FRAME_ID.sub(lambda m: b'"frame_id": %d' % (int(m[1]) + copy * frames), envelope)
    if not payload:
        return prefix + envelope + b"\n"
    text = payload[1:-1].replace(b"\n\t", b"\n")
    changed = HASH.sub(lambda m: fresh(m[0], copy), text)
    changed = TIME.sub(lambda m: m[1] + b"%d" % (int(m[2]) + copy * span_us), changed)
    if changed == text:
        number = re.search(rb"(?<=[ \[])\d+(?=[,\]])", text)
        if number:  # a size or line number: change it
            changed = text[: number.start()] + b"%d" % (int(number[0]) + copy) + text[number.end() :]
        elif text[:1] in (b"[", b"{"):
            changed = text + b" " * copy  # JSON stays JSON
        else:
            changed = text + b"\n# copy %d" % copy
    md5 = hashlib.md5(changed).hexdigest().encode()
    envelope = re.sub(rb'"has_payload": "[0-9a-f]*"', b'"has_payload": "' + md5 + b'"', envelope)
    return prefix + envelope + b"\n\t" + changed.replace(b"\n", b"\n\t") + b"\n"


def make_trace(source: Path, out: Path, copies: int) -> None:
    records = RECORD.findall(source.read_bytes())
    frames = 1 + max(int(i) for i in FRAME_ID.findall(b"".join(envelope for _, envelope, _ in records)))
    times = [int(t) for _, t in TIME.findall(b"".join(payload for *_, payload in records))]
    span_us = max(times) - min(times) + 1000 if times else 0
    with open(out, "wb") as stream:
        for copy in range(copies):
            for prefix, envelope, payload in records:
                if envelope.startswith(b'{"str"'):
                    if copy == 0:
                        stream.write(prefix + envelope + b"\n")
                elif copy == 0:
                    stream.write(prefix + envelope + b"\n" + payload)
                else:
                    stream.write(copy_record(prefix, envelope, payload, copy, frames, span_us))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--copies", type=int, default=81)
    options = parser.parse_args()
    make_trace(options.source, options.out, options.copies)
