"""Applies each fix that bundles offer and compares what it saves with the prediction.

python tests/guards/measure_fixes.py TORCH_PYTHON [--seeds 1,2,3] [--calls 40] [--backend eager] [--keep FOLDER] [--all]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tlparse_bundle import Bundle

HERE = Path(__file__).parent
PROGRAM = HERE.parent.parent / "fixtures/calls/program.py"
FUNCTIONS = (
    "mixed", "text_and_none", "tensors_in_a_list", "options_in_a_dict", "sizes_that_relate", "floats",
    "global_state", "dtypes_and_views", "nested", "loops", "ranges", "module",
)  # fmt: skip


def run(python: str, tasks: list[dict[str, Any]]) -> None:
    """Run tasks, each with the trace in its folder."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tasks.json"
        path.write_text(json.dumps(tasks))
        environment = {**os.environ, "TORCH_TRACE": folder, "PYTHONPATH": ""}
        command = [python, str(HERE / "applied_fixes.py"), str(PROGRAM), str(path)]
        subprocess.run(command, env=environment, check=True, cwd=folder)


def history(folder: Path, function: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]], int]:
    """Build the bundle of a run. Return the fixes of its function, its compiles, and their time in µs."""
    out = folder / "bundle"
    subprocess.run(["tlparse-bundle", str(folder), str(out)], check=True, capture_output=True)
    (log,) = Bundle.open(out).logs
    name = "forward" if function == "module" else function
    codes = [row for row in log.table("code_objects") if row["function"] == name]
    own = [row for row in log.table("compiles") if row["function"] == name]
    fixes = [row for row in log.table("recompile_fixes") if row["code_object"] in {c["id"] for c in codes}]
    return fixes, own, sum(row["total_us"] or 0 for row in own)


def measure(python: str, seeds: list[int], calls: int, backend: str, root: Path) -> list[dict[str, Any]]:
    """Return a row for each fix that was applied: what was predicted, and what happened."""
    programs = [
        {"function": function, "seed": seed, "calls": calls, "backend": backend}
        for seed in seeds
        for function in FUNCTIONS
    ]
    base = [
        {**program, "fixes": [], "folder": str(root / f"{program['function']}-{program['seed']}")}
        for program in programs
    ]
    run(python, base)
    applied, rows = [], []
    for task in base:
        folder = Path(task["folder"])
        fixes, own, total = history(folder, task["function"])
        by_id = {fix["id"]: fix for fix in fixes}
        for fix in fixes:
            if not fix["avoided"]:
                continue
            parts = [by_id[id_] for id_ in fix["combines"]] or [fix]
            chosen = [{key: part[key] for key in ("fix", "source", "dimension")} for part in parts]
            where = str(root / f"{folder.name}-fix{fix['id']}")
            applied.append({**task, "fixes": chosen, "folder": where})
            rows.append(
                {
                    "program": folder.name,
                    "fixes": chosen,
                    "before": len(own),
                    "predicted": fix["remaining_count"],
                    "total_us": total,
                    "saved_us": fix["saved_us"],
                }
            )
    run(python, applied)
    for task, row in zip(applied, rows, strict=True):
        folder = Path(task["folder"])
        result = json.loads((folder / "result.json").read_text())
        _, _, total = history(folder, task["function"])
        row |= {"after": result["compiles"], "error": result["error"], "measured_us": row["total_us"] - total}
    return rows


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("python")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--calls", type=int, default=40)
    parser.add_argument("--backend", default="eager")
    parser.add_argument("--keep", type=Path, help="keep the logs and bundles in this folder")
    parser.add_argument(
        "--all", action="store_true", help="print all fixes, not only those that were not exact"
    )
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        seeds = [int(seed) for seed in asked.seeds.split(",")]
        rows = measure(asked.python, seeds, asked.calls, asked.backend, asked.keep or Path(folder))
    exact = [row for row in rows if row["after"] == row["predicted"]]
    close = [row for row in rows if row["saved_us"] and abs(row["measured_us"] / row["saved_us"] - 1) <= 0.25]
    worse = [row for row in rows if row["after"] > row["before"] or row["error"]]
    for row in rows:
        if asked.all or row not in exact or row in worse:
            json.dump(row, sys.stdout)
            print()
    programs = {row["program"] for row in rows}
    print(
        f"{len(rows)} fixes of {len(programs)} programs: {len(exact)} exact, {len(close)} within 25 % of the time, "
        f"{len(worse)} worse or with an error"
    )


if __name__ == "__main__":
    main()
