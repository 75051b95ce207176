"""Compare the Python reader with a script that reads the log itself.

    python benchmarks/reader.py LOG [--rounds 5] [--json FILE] [--work FOLDER]

Builds a bundle of LOG, then asks each question of the log and of the bundle in turn, each in a new process.
The script is what people write without a bundle: the lines of the log and orjson. Exits with an error when
the answers differ. Prints ratios of medians and peak memory; the same as JSON. Linux and macOS.

  compiles  how many there are
  metrics   the seconds of all, by their metrics
  artifact  the last output code
  codes     all output code
  events    how many of each type
  payloads  every payload, in the order of the log
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import orjson
from arguments import measuring_parser
from tlparse_bundle.bundle.reader import Bundle, Log

from preprocessor import measured, ours  # must come before the imports below, which it makes possible

CODE = "inductor_output_code"
NO_TYPE = {
    "compiled_autograd_id",
    "frame_id",
    "frame_compile_id",
    "attempt",
    "rank",
    "stack",
    "has_payload",
    "process_index",
}


def records(log: Path) -> Iterator[tuple[dict, bytes]]:
    """Yield (envelope, payload) of each record."""
    envelope, lines = None, []
    with log.open("rb") as stream:
        for line in stream:
            if line[:1] == b"\t":
                lines.append(line[1:])
                continue
            if envelope is not None:
                yield envelope, b"".join(lines)[:-1]
            envelope, lines = orjson.loads(line[line.index(b"] {") + 2 :]), []
    if envelope is not None:
        yield envelope, b"".join(lines)[:-1]


def type_of(envelope: dict) -> str:
    return next(key for key in envelope if key not in NO_TYPE)


def id_of(envelope: dict) -> tuple | None:
    compiled_autograd, frame = envelope.get("compiled_autograd_id"), envelope.get("frame_id")
    if compiled_autograd is None and frame is None:
        return None
    return compiled_autograd, frame, envelope.get("frame_compile_id"), envelope.get("attempt") or 0


def md5_of(payloads: Iterator[bytes]) -> str:
    digest = hashlib.md5(usedforsecurity=False)
    for payload in payloads:
        digest.update(payload)
    return digest.hexdigest()


def seconds(metrics: Iterator[dict]) -> float:
    return sum(one.get("entire_frame_compile_time_s") or 0 for one in metrics)


ASK_LOG: dict[str, Callable[[Path], object]] = {
    "compiles": lambda log: len({id_of(one) for one, _ in records(log)} - {None}),
    "metrics": lambda log: seconds(
        one["compilation_metrics"] for one, _ in records(log) if "compilation_metrics" in one
    ),
    "artifact": lambda log: md5_of([payload for one, payload in records(log) if CODE in one][-1:]),
    "codes": lambda log: md5_of(payload for one, payload in records(log) if CODE in one),
    "events": lambda log: sorted(Counter(type_of(one) for one, _ in records(log)).items()),
    "payloads": lambda log: md5_of(payload for _, payload in records(log)),
}
ASK_BUNDLE: dict[str, Callable[[Log], object]] = {
    "compiles": lambda log: len(
        {
            (row["compile"].partition("@")[0], row.get("attempt", 0))
            for name in ("attempts", "limits", "captures")
            for row in log.table(name)
        }
    ),
    "metrics": lambda log: seconds(
        one.metadata["compilation_metrics"] for one in log.events(type="compilation_metrics")
    ),
    "artifact": lambda log: md5_of(
        one.bytes() for one in [one for one in log.artifacts if one.name == CODE][-1:]
    ),
    "codes": lambda log: md5_of(one.bytes() for one in log.artifacts if one.name == CODE),
    "events": lambda log: sorted(Counter(one.type for one in log.events()).items()),
    "payloads": lambda log: md5_of(one.bytes() or b"" for one in log.events()),
}


def answer(question: str, path: Path) -> object:
    return ASK_LOG[question](path) if path.is_file() else ASK_BUNDLE[question](Bundle.open(path).logs[0])


def compare(question: str, log: Path, bundle: Path, rounds: int) -> dict:
    """Return the medians of the log and the bundle. Exit when their answers differ."""
    with ProcessPoolExecutor(1) as pool:  # a child's peak on Linux is at least what its parent holds
        said, read = pool.map(answer, (question, question), (log, bundle))
    if said != read:
        sys.exit(f"{question}: the log says {said}, the bundle {read}")
    runs: dict[Path, list] = {log: [], bundle: []}
    for _ in range(rounds):
        for path, found in runs.items():
            found.append(measured([sys.executable, __file__, str(path), "--answer", question]))
    row: dict = {"question": question}
    for name, path in (("log", log), ("bundle", bundle)):
        row |= {
            f"{name}_{unit}": statistics.median(values)
            for unit, values in zip(
                ("wall_s", "cpu_s", "peak_bytes"), zip(*runs[path], strict=True), strict=True
            )
        }
    return row


def main() -> None:
    parser = measuring_parser(__doc__)
    parser.add_argument("log", type=Path)
    parser.add_argument("--work", type=Path, help="folder for the bundle; a temporary one if not given")
    parser.add_argument(
        "--answer", choices=ASK_LOG, help=argparse.SUPPRESS
    )  # a measured process: path is a log or a bundle
    options = parser.parse_args()
    if options.answer:
        answer(options.answer, options.log)
        return
    with tempfile.TemporaryDirectory(dir=options.work) as folder:
        bundle = Path(folder, "bundle")
        measured(ours(options.log)(bundle))
        rows = [compare(question, options.log, bundle, options.rounds) for question in ASK_LOG]
    print(f"{'question':<10}{'time':>8}{'cpu':>8}{'peak, log':>12}{'bundle':>9}")
    for row in rows:
        ratios = (row[f"bundle_{unit}"] / row[f"log_{unit}"] for unit in ("wall_s", "cpu_s"))
        peaks = (f"{row[f'{name}_peak_bytes'] / 1e6:.0f} MB" for name in ("log", "bundle"))
        print("{:<10}{:>8.3f}{:>8.3f}{:>12}{:>9}".format(row["question"], *ratios, *peaks))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
