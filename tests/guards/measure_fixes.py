"""Applies each fix that bundles offer and compares what it saves with the prediction.

python tests/guards/measure_fixes.py TORCH_PYTHON [--seeds 1,2,3] [--calls 40] [--rounds 3] [--backend eager] [--keep FOLDER]
    [--all]

Times are processor times of the process and of its children (see applied_fixes.py). Each program runs several
times, and each time with each fix right after it. A time is the sum over its compiles of their medians; what a
fix saves is predicted from each run without it, and the median counts. Noise is measured in the same way: two
groups of runs of the same program.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from tlparse_bundle import Bundle, build, discover

HERE = Path(__file__).parent
PROGRAM = HERE.parent.parent / "fixtures/calls/program.py"
FUNCTIONS = (
    "mixed", "text_and_none", "tensors_in_a_list", "options_in_a_dict", "sizes_that_relate", "floats",
    "global_state", "dtypes_and_views", "nested", "loops", "ranges", "module",
)  # fmt: skip
Run = dict[str, Any]


def run(python: str, tasks: list[dict[str, Any]]) -> None:
    """Run tasks, each with the trace in its folder."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tasks.json"
        path.write_text(json.dumps(tasks))
        environment = {
            **os.environ,
            "TORCH_TRACE": folder,
            "PYTHONPATH": "",
            "OMP_NUM_THREADS": "1",
            "TORCHINDUCTOR_COMPILE_THREADS": "1",
            "TORCHINDUCTOR_CACHE_DIR": str(Path(folder, "cache")),
        }
        command = [python, str(HERE / "applied_fixes.py"), str(PROGRAM), str(path)]
        subprocess.run(command, env=environment, check=True, cwd=folder)


def history(task: dict[str, Any]) -> Run:
    """Build the bundle of a run. Return its result, the fixes of its function, and the times of its compiles."""
    folder = Path(task["folder"])
    out = folder / "bundle"
    build(discover([folder]), out, jobs=1)
    (log,) = Bundle.open(out).logs
    name = "forward" if task["function"] == "module" else task["function"]
    codes = {row["id"] for row in log.table("code_objects") if row["function"] == name}
    own = [row["total_us"] or 0 for row in log.table("compiles") if row["function"] == name]
    fixes = [row for row in log.table("recompile_fixes") if row["code_object"] in codes]
    result = json.loads((folder / "result.json").read_text())
    return {**result, "fixes": fixes, "times": own}


def time_of(runs: Sequence[Run]) -> float:
    """Return the time of the compiles of a program in several runs: the sum of their medians."""
    return sum(median(times) for times in zip(*(run["times"] for run in runs), strict=False))


def chosen(rows: list[dict[str, Any]], row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the fixes that a row stands for."""
    by_id = {one["id"]: one for one in rows}
    parts = [by_id[id_] for id_ in row["combines"]] or [row]
    return [{key: part[key] for key in ("fix", "source", "dimension")} for part in parts]


def measure(python: str, programs: list[dict[str, Any]], rounds: int, root: Path) -> list[dict[str, Any]]:
    """Return a row for each fix that was applied: what was predicted, and what happened."""
    first = [
        {**program, "fixes": [], "folder": str(root / f"{program['name']}-first")} for program in programs
    ]
    run(python, first)
    tasks: list[dict[str, Any]] = []  # of all programs, one after another
    places: list[list[list[int]]] = []  # of each program, the tasks of each of its variants
    for program, task in zip(programs, first, strict=True):
        rows = history(task)["fixes"]
        variants = [[], *(chosen(rows, row) for row in rows if row["avoided"])]
        start = len(tasks)
        for number in range(rounds):
            for place, fixes in enumerate([*variants, []]):
                where = str(root / f"{program['name']}-{place}-{number}")
                tasks.append({**program, "fixes": fixes, "folder": where})
        width = len(variants) + 1
        places.append([list(range(start + place, len(tasks), width)) for place in range(width)])
    run(python, tasks)
    found = []
    for program, groups in zip(programs, places, strict=True):
        without, *fixed, again = ([history(tasks[place]) for place in group] for group in groups)
        rows = [row for row in without[0]["fixes"] if row["avoided"]]
        for row, runs in zip(rows, fixed, strict=True):
            predicted = [
                one["saved_us"] or 0
                for each in without
                for one in each["fixes"]
                if chosen(each["fixes"], one) == chosen(without[0]["fixes"], row)
            ]
            found.append(
                {
                    "program": program["name"],
                    "fixes": chosen(without[0]["fixes"], row),
                    "before": len(without[0]["times"]),
                    "predicted": row["remaining_count"],
                    "undecided": row["undecided"],
                    "after": runs[0]["compiles"],
                    "error": runs[0]["error"],
                    "total_us": time_of(without),
                    "saved_us": median(predicted),
                    "measured_us": (time_of(without) + time_of(again)) / 2 - time_of(runs),
                    "noise_us": time_of(without) - time_of(again),
                    "avoided": row["avoided"],
                    "times": [[one["times"] for one in group] for group in (without, runs, again)],
                }
            )
    return found


def is_close(row: dict[str, Any]) -> bool:
    """Whether the time that a fix saved is within 25 % of the prediction."""
    return bool(row["saved_us"]) and abs(row["measured_us"] / row["saved_us"] - 1) <= 0.25


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("python")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--functions", default=",".join(FUNCTIONS))
    parser.add_argument("--calls", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--backend", default="eager")
    parser.add_argument("--keep", type=Path, help="keep the logs and bundles in this folder")
    parser.add_argument(
        "--all", action="store_true", help="print all fixes, not only those that were not exact or not close"
    )
    asked = parser.parse_args()
    programs = [
        {"name": f"{function}-{seed}", "function": function, "seed": int(seed), "calls": asked.calls}
        | {"backend": asked.backend}
        for seed in asked.seeds.split(",")
        for function in asked.functions.split(",")
    ]
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(asked.python, programs, asked.rounds, asked.keep or Path(folder))
    numbers = [row for row in rows if not row["undecided"]]
    exact = [row for row in numbers if row["after"] == row["predicted"]]
    minimums = [row for row in rows if row["undecided"]]
    close = [row for row in rows if is_close(row)]
    worse = [row for row in rows if row["after"] > row["before"] or row["error"]]
    quiet = [row for row in rows if row["saved_us"] and abs(row["noise_us"] / row["saved_us"]) <= 0.25]
    for row in rows:
        if asked.all or row in worse or row not in close or not (row in exact or row["undecided"]):
            json.dump(row, sys.stdout)
            print()
    print(
        f"{len(rows)} fixes of {len({row['program'] for row in rows})} programs: {len(exact)} exact of"
        f" {len(numbers)} with a number, {sum(row['after'] <= row['predicted'] for row in minimums)} true of"
        f" {len(minimums)} with a minimum,"
        f" {len(close)} within 25 % of the time ({sum(row in exact for row in close)} of the exact ones),"
        f" {len(worse)} worse or with an error; without a fix, the time of the program differs by less than 25 %"
        f" of what is saved for {len(quiet)}"
    )


if __name__ == "__main__":
    main()
