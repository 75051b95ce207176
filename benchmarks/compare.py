"""Compare the time of a run comparison with the time of a build.

    python benchmarks/compare.py BASE_LOG NEW_LOG [--work FOLDER] [--rounds 5] [--json FILE] [--no-budgets]

Two large logs that differ (make_trace.py of two ranks). Each round builds the bundle of one and compares
the bundles of both, in turn. Prints the ratio of the medians and the peak of the largest process; exits with
1 when a comparison takes more than a tenth of a build, or more than 200 MB. Linux and macOS.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from pathlib import Path

from arguments import add_budgets, measuring_parser
from tlparse_bundle import build, discover

from preprocessor import (
    OURS,
    elsewhere,
    measured,
    ours,
)  # must come before the imports below, which it makes possible

MOST_SHARE, MOST_BYTES = 0.1, 200_000_000


def main() -> None:
    parser = measuring_parser(__doc__)
    parser.add_argument("base", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--work", type=Path)
    add_budgets(parser)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = options.work or Path(temporary)
        bundles = []
        for name, log in (("base", options.base), ("new", options.new)):
            bundles.append(work / name)
            if not (work / name / "manifest.json").exists():
                elsewhere(_build, log, work / name)
        found: dict[str, list[tuple[float, float, int]]] = {"build": [], "compare": []}
        for number in range(options.rounds + 1):
            round_of = {
                "build": measured([*ours(options.base)(work / "out"), "--overwrite"]),
                "compare": measured([*OURS, "compare", *map(str, bundles)]),
            }
            for program, result in round_of.items():
                found[program] += [result] if number or not options.rounds else []
    build_s, compare_s = (statistics.median(wall for wall, _, _ in found[program]) for program in found)
    build_cpu_s, compare_cpu_s = (statistics.median(cpu for _, cpu, _ in found[program]) for program in found)
    peak = max(bytes_ for _, _, bytes_ in found["compare"])
    print(
        f"compare: {compare_s / build_s:.3f} of the time of a build ({MOST_SHARE} allowed),"
        f" {compare_cpu_s / build_cpu_s:.3f} of its processor time"
    )
    print(f"compare: {peak / 1e6:.0f} MB ({MOST_BYTES / 1e6:.0f} allowed)")
    if options.json:
        options.json.write_text(
            json.dumps(
                {"share": compare_s / build_s, "cpu_share": compare_cpu_s / build_cpu_s, "peak_bytes": peak},
                indent=2,
            )
        )
    sys.exit(not options.no_budgets and (compare_s > MOST_SHARE * build_s or peak > MOST_BYTES))


def _build(log: Path, out: Path) -> None:
    build(discover([log]), out)


if __name__ == "__main__":
    main()
