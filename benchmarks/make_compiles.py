"""Make a log of many compiles from the records of a real one.

    python benchmarks/make_compiles.py SOURCE OUT [--compiles 1000000]

Each compile has the begin and end of its dynamo span, a dynamo_start with its stack, and its metrics without
configurations. Every tenth is a recompile of the code object before it, with its reasons and its guards. The
code objects have 10,000 different places. SOURCE is a log with recompiles, such as the fixture 'recompiles'.
"""

from __future__ import annotations

import argparse
import json
from hashlib import md5
from itertools import islice
from pathlib import Path

from make_trace import RECORD

PLACES = 10_000
RECOMPILED = 10  # every tenth compile
TYPES = (
    "chromium_event",
    "dynamo_start",
    "compilation_metrics",
    "dynamo_cpp_guards_str",
    "recompile_reasons",
)


def samples(source: bytes) -> dict[str, tuple[str, dict, str]]:
    """Return prefix, envelope and payload of the first record of each of TYPES."""
    found: dict[str, tuple[str, dict, str]] = {}
    for prefix, envelope, payload in RECORD.findall(source):
        fields = json.loads(envelope)
        name = next(iter(fields))
        if name == "artifact":
            name = fields[name]["name"]
        if name in TYPES:
            text = payload.decode()[1:-1].replace("\n\t", "\n")
            found.setdefault(name, (prefix.decode(), fields[next(iter(fields))], text))
    missing = [name for name in TYPES if name not in found]
    if missing:
        raise SystemExit(f"the source has no record of {', '.join(missing)}")
    return found


class Writer:
    """Writes records like those of the source."""

    def __init__(self, source: bytes, out: Path):
        self._samples = samples(source)
        self._out = open(out, "w", encoding="utf-8")  # noqa: SIM115 (closed by make_compiles)
        for prefix, envelope, _ in RECORD.findall(source):
            if envelope.startswith(b'{"str"'):
                self._out.write((prefix + envelope).decode() + "\n")
        self.start_us = int(json.loads(self._samples["chromium_event"][2])["ts"])
        metrics = self._samples["compilation_metrics"][1]
        self.metrics = {
            key: value
            for key, value in metrics.items()
            if value is not None and not key.endswith("_config") and len(str(value)) < 200
        }
        self.event = json.loads(self._samples["chromium_event"][2])
        self.guards, self.reasons = (
            self._samples[name][2] for name in ("dynamo_cpp_guards_str", "recompile_reasons")
        )

    def write(self, name: str, value: object, frame: int, compile: int, payload: str | None = None) -> None:
        prefix, sample, _ = self._samples[name]
        key = "artifact" if name == "recompile_reasons" else name
        fields = {key: sample if value is None else value, "frame_id": frame, "frame_compile_id": compile}
        fields["attempt"] = 0
        if payload is not None:
            fields["has_payload"] = md5(payload.encode()).hexdigest()
        self._out.write(prefix + json.dumps(fields) + "\n")
        if payload is not None:
            self._out.write("\t" + payload.replace("\n", "\n\t") + "\n")

    def compile(self, number: int, frame: int, compile: int) -> None:
        """Write the records of one compile."""
        begin = self.start_us + 1000 * number
        key, line = f"{frame}/{compile}", 10 + frame % PLACES
        event = {**self.event, "name": "dynamo", "args": {"compile_id": key}}
        self.write("chromium_event", {}, frame, compile, json.dumps({**event, "ph": "B", "ts": begin}))
        if compile:
            reasons = self.reasons.replace("0/0", f"{frame}/{compile - 1}")
            self.write("recompile_reasons", None, frame, compile, reasons)
        stack = [
            {"line": 7, "name": "<module>", "filename": 1},
            {"line": line, "name": "step", "filename": 1},
        ]
        self.write("dynamo_start", {"stack": stack}, frame, compile)
        if compile:
            self.write("dynamo_cpp_guards_str", {}, frame, compile, self.guards)
        metrics = {"compile_id": key, "frame_key": str(frame), "co_name": "step", "co_firstlineno": line}
        metrics |= {"start_time_us": begin, "end_time_us": begin + 900}
        self.write("compilation_metrics", {**self.metrics, **metrics}, frame, compile)
        self.write("chromium_event", {}, frame, compile, json.dumps({**event, "ph": "E", "ts": begin + 900}))

    def close(self) -> None:
        self._out.close()


def ids(compiles: int):
    """Yield frame id and frame compile id."""
    frame, compile = -1, 0
    for number in range(compiles):
        if number % RECOMPILED == RECOMPILED - 1:
            compile += 1
        else:
            frame, compile = frame + 1, 0
        yield frame, compile


def make_compiles(source: Path, out: Path, compiles: int) -> None:
    writer = Writer(source.read_bytes(), out)
    for number, (frame, compile) in enumerate(islice(ids(compiles), compiles)):
        writer.compile(number, frame, compile)
    writer.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--compiles", type=int, default=1_000_000)
    options = parser.parse_args()
    make_compiles(options.source, options.out, options.compiles)
