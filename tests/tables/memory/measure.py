"""Runs the programs of fixtures/memory and compares the computed peak of each code with torch.profiler.

python tests/tables/memory/measure.py TORCH_PYTHON [--programs NAME,NAME] [--keep FOLDER]

Prints a line for each code, and exits with 1 when a peak is wrong. Takes about half a minute for each program.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from tlparse_bundle import Bundle, build, discover

PROGRAM = Path(__file__).resolve().parents[3] / "fixtures/memory/program.py"
TOLERANCE = 0.01
NAMES = re.findall(r"^@program\(.*\)\ndef (\w+)\(", PROGRAM.read_text(), re.MULTILINE)


class Result(NamedTuple):
    """A code: what the allocator did, and its row of table memory."""

    truth: dict[str, Any]
    row: dict[str, Any]

    @property
    def verdict(self) -> str:
        """Return 'exact', 'unknown', or what is wrong."""
        measured, peak = self.truth["peak_bytes"], self.row["peak_bytes"]
        if self.row["known_peak_bytes"] > measured * (1 + TOLERANCE):
            return "too high"
        if peak is None:
            return "unknown"
        return "exact" if abs(peak - measured) <= TOLERANCE * measured else "too low"


def results(log: Any, truth: list[dict[str, Any]]) -> list[Result]:
    """Return the results of the codes that ran, in order. The key of a code is the name of its file."""
    code_of = {
        re.split(r"[/\\.]", row["filename"])[-2]: row["event"]
        for row in log.table("generated_code")
        if row["filename"]
    }
    rows = {row["code_event"]: row for row in log.table("memory")}
    return [Result(call, rows[code_of[call["key"]]]) for call in truth]


def run(python: str, name: str, folder: Path) -> list[dict[str, Any]]:
    """Run a program with its log in a folder. Return what it measured."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = {
        **os.environ,
        "TORCH_TRACE": str(folder / "trace"),
        "TORCHINDUCTOR_CACHE_DIR": str(
            folder.parent / "cache"
        ),  # of compiled C++; codes are compiled each time
        "TORCHINDUCTOR_FX_GRAPH_CACHE": "0",
        "TORCHINDUCTOR_AUTOGRAD_CACHE": "0",
        "TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS": "0",
        "PYTHONPATH": "",
    }
    subprocess.run(
        [python, str(PROGRAM), name, str(folder)],
        env=environment,
        check=True,
        capture_output=True,
        cwd=folder,
    )
    truth: list[dict[str, Any]] = json.loads((folder / "truth.json").read_text())
    return truth


def measure(python: str, name: str, folder: Path) -> list[Result]:
    truth = run(python, name, folder)
    build(discover([folder / "trace"]), folder / "bundle", jobs=1)
    return results(Bundle.open(folder / "bundle").logs[0], truth)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("python")
    parser.add_argument("--programs", default=",".join(NAMES))
    parser.add_argument("--keep", type=Path, help="keep the logs and bundles in this folder")
    asked = parser.parse_args()
    verdicts: list[str] = []
    with tempfile.TemporaryDirectory() as temporary:
        for name in asked.programs.split(","):
            for result in measure(asked.python, name, (asked.keep or Path(temporary)) / name):
                row, truth = result.row, result.truth
                verdicts.append(result.verdict)
                why = " ".join([*row["unknown"], *row["operators"][:1]])
                print(f"{name:20} {verdicts[-1]:8} {row['known_peak_bytes']} of {truth['peak_bytes']} {why}")
                sys.stdout.flush()
    counts = {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}
    print(f"{len(verdicts)} codes: " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return int(any(verdict.startswith("too") for verdict in verdicts))


if __name__ == "__main__":
    sys.exit(main())
