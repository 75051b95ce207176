"""Measures predictions on generated programs: how many are certain, and how many of those are right.

    python tests/guards/measure_predictions.py [--python PYTHON] [--seeds 0-29] [--calls 60] [--keep FOLDER]

PYTHON has torch; by default TORCH_PYTHON. With ``--keep`` logs that are in the folder are not recorded again.
``--fixture VERSION`` makes them fixtures, with the paths of this machine replaced. Prints a line per wrong or
uncertain answer, and the figures.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.guards.history import history
from tlparse_bundle.guards.values import from_json

HERE = Path(__file__).resolve().parent
FIXTURES = HERE.parent.parent / "fixtures" / "calls" / "generated"
RESULTS = ("i", "compiled", "error")  # of a call, not its inputs


@dataclass
class Figures:
    """What became of the calls of one or more programs."""

    programs: int = 0
    calls: int = 0
    compiled: int = 0
    certain: int = 0
    certain_right: int = 0
    right: int = 0
    notes: list[str] = field(default_factory=list)

    def add(self, other: Figures) -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def __str__(self) -> str:
        return (
            f"{self.programs} programs, {self.calls} calls, {self.compiled} compiled; {self.certain} certain"
            f" ({self.certain / max(self.calls, 1):.1%}), {self.certain_right} of them right"
            f" ({self.certain_right / max(self.certain, 1):.2%}), {self.right} right of all"
        )


def record(python: str, seeds: list[int], calls: int, folder: Path) -> str:
    """Run generated programs that are not in the folder yet; return what they wrote to stderr."""
    env = {**os.environ, "TORCH_TRACE": str(folder), "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    command = [python, HERE / "generated_programs.py", f"{seeds[0]}-{seeds[-1]}", folder]
    return subprocess.run(
        [*command, "--calls", str(calls)], env=env, check=True, stderr=subprocess.PIPE, text=True
    ).stderr


def judged(folder: Path, function: str, out: Path) -> list[tuple[dict[str, Any], Any]]:
    """Return [(call, its prediction)] of the log and the calls.json in a folder."""
    calls = json.loads((folder / "calls.json").read_text())
    build(discover([folder]), out, jobs=1)
    log = Bundle.open(out).logs[0]
    inputs = [
        from_json({name: value for name, value in call.items() if name not in RESULTS}) for call in calls
    ]
    return list(zip(calls, history(log, function).replay(inputs), strict=True))


def figures(folder: Path, name: str) -> Figures:
    """Compare the predictions for a generated program with what torch did."""
    result = Figures(programs=1)
    names = ("program", "forward")
    with tempfile.TemporaryDirectory() as out:
        for function in names:
            try:
                pairs = judged(folder, function, Path(out, function))
                break
            except BundleError as error:
                problem = str(error)
        else:
            return Figures(notes=[f"{name}: {problem}"])
    for call, prediction in pairs:
        if call.get("error"):  # torch compiled and failed, or not at all
            result.notes.append(f"{name} call {call['i']}: {call['error'][:100]}")
            continue
        is_right = prediction.recompiles == bool(call["compiled"])
        result.calls += 1
        result.compiled += bool(call["compiled"])
        result.certain += prediction.certain
        result.right += is_right
        result.certain_right += prediction.certain and is_right
        if not (prediction.certain and is_right):
            result.notes.append(_note(name, call, prediction, is_right))
    return result


def _note(name: str, call: dict[str, Any], prediction: Any, is_right: bool) -> str:
    what = "uncertain" if not prediction.certain else "WRONG"
    failed = Counter(failure.entry for failure in prediction.failed)
    guards = "; ".join(
        f"{entry} {predicate.kind} {predicate.text[:160]}"
        for entry, predicate in prediction.not_evaluated[:3]
    )
    return (
        f"{name} call {call['i']}: {what}, {'right' if is_right else 'wrong'}: compiled {call['compiled']}, entry"
        f" {prediction.entry}, failed of entries {dict(failed)}, not evaluated: {guards}"
    )


def measure(folder: Path, seeds: list[int]) -> Figures:
    """Compare the predictions for recorded programs with what torch did."""
    total = Figures()
    for seed in seeds:
        if (folder / str(seed) / "calls.json").exists():
            total.add(figures(folder / str(seed), f"seed {seed}"))
        else:
            total.add(Figures(notes=[f"seed {seed}: the program ended"]))
    return total


def keep(folder: Path, version: str, seed: int, python: str) -> None:
    """Make a recorded program a fixture: its text, its calls, and its log without paths of this machine."""
    sys.path.append(str(FIXTURES.parent.parent))
    from regenerate import check_neutral, compress, make_neutral

    target = FIXTURES / version / str(seed)
    target.mkdir(parents=True, exist_ok=True)
    (log,) = folder.glob("*.log")
    data = log.read_bytes()
    own = set(re.findall(rb"mp/(tmp[a-z0-9_]{8})/", data))
    prefix = Path(python).absolute().parent.parent
    replaced = [(b"/tmp/" + name, b"/home/user/project") for name in own]
    replaced += [(b"mp/" + name, b"mp/user/project") for name in own]
    for path, by in ((HERE, b"/home/user/project"), (folder, b"/home/user/trace"), (prefix, b"/opt/venv")):
        replaced.append((os.fsencode(path), by))
    bases = subprocess.run(
        [python, "-c", "import sys; print(sys.base_prefix)"], capture_output=True, text=True
    )
    replaced.append((bases.stdout.strip().encode(), b"/usr/local"))
    data = make_neutral(data, replaced)
    check_neutral(data)
    (target / "dedicated_log_torch_trace_fixture0.log.zst").write_bytes(compress(data))
    calls = json.loads((folder / "calls.json").read_text())
    lines = ",\n".join(json.dumps(call, separators=(",", ":")) for call in calls)
    (target / "calls.json").write_text(f"[{lines}]\n")
    (target / "program.txt").write_text((folder / "program.txt").read_text())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--python", default=os.environ.get("TORCH_PYTHON", sys.executable))
    parser.add_argument("--seeds", default="0-29", help="first and last, such as 0-29")
    parser.add_argument("--calls", type=int, default=60)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--fixture", metavar="VERSION")
    asked = parser.parse_args()
    first, _, last = asked.seeds.partition("-")
    seeds = list(range(int(first), int(last or first) + 1))
    with tempfile.TemporaryDirectory() as folder:
        logs = asked.keep or Path(folder)
        record(asked.python, seeds, asked.calls, logs)
        total = measure(logs, seeds)
        for seed in seeds if asked.fixture else ():
            keep(logs / str(seed), asked.fixture, seed, asked.python)
    print("\n".join([*total.notes, str(total)]))
    return 0 if total.certain_right >= 0.995 * total.certain and total.certain >= 0.9 * total.calls else 1


if __name__ == "__main__":
    raise SystemExit(main())
