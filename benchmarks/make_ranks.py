"""Make the logs of many ranks from one real log.

    python benchmarks/make_ranks.py SOURCE OUT [--ranks 64]

Every rank has the artifacts of SOURCE, byte for byte, and its own rank, process id and times. Each rank
starts a little later than the one before and takes a little longer. Times in timeline payloads (chromium
events) are changed, and their MD5 is updated.
"""

from __future__ import annotations

import argparse
import datetime as dt
import hashlib
import re
from pathlib import Path

RECORD = re.compile(rb"V(\d{4} \d\d:\d\d:\d\d\.\d{6}) (\d+) ([^\n]*?:\d+\] )(\{[^\n]*)\n((?:\t[^\n]*\n)*)")
RANK = re.compile(rb'"rank": \d+')
TIME = re.compile(rb'("(?:ts|start_time_us|end_time_us)": )(\d+)')
MD5 = re.compile(rb'"has_payload": "[0-9a-f]{32}"')
YEAR = 2025


def rank_log(records: list[tuple], rank: int) -> bytes:
    """Return the log of a rank."""
    delay_us = (rank * 7919) % 400_000
    stretch = 1 + (rank * 31 % 64) / 20_000
    first = next((int(found[2]) for *_, payload in records if (found := TIME.search(payload))), 0)
    start = _time(records[0][0])

    def later(match: re.Match) -> bytes:
        return match[1] + b"%d" % (first + round((int(match[2]) - first) * stretch) + delay_us)

    out = []
    for time, pid, place, envelope, payload in records:
        moved = start + (_time(time) - start) * stretch + dt.timedelta(microseconds=delay_us)
        envelope = TIME.sub(later, RANK.sub(b'"rank": %d' % rank, envelope))
        if envelope.startswith(b'{"chromium_event"') and payload:
            text = TIME.sub(later, payload[1:-1].replace(b"\n\t", b"\n"))
            envelope = MD5.sub(b'"has_payload": "' + hashlib.md5(text).hexdigest().encode() + b'"', envelope)
            payload = b"\t" + text.replace(b"\n", b"\n\t") + b"\n"
        out.append(
            b"V%s %d %s%s\n%s"
            % (moved.strftime("%m%d %H:%M:%S.%f").encode(), int(pid) + rank, place, envelope, payload)
        )
    return b"".join(out)


def _time(text: bytes) -> dt.datetime:
    return dt.datetime.strptime(f"{YEAR}{text.decode()}", "%Y%m%d %H:%M:%S.%f")


def make_ranks(source: Path, folder: Path, ranks: int) -> None:
    records = RECORD.findall(source.read_bytes())
    folder.mkdir(parents=True, exist_ok=True)
    for rank in range(ranks):
        (folder / f"dedicated_log_torch_trace_rank_{rank}_made.log").write_bytes(rank_log(records, rank))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--ranks", type=int, default=64)
    options = parser.parse_args()
    make_ranks(options.source, options.out, options.ranks)
