"""Compare the speed of the preprocessor with tlparse: both run in turn on the same inputs.

    python benchmarks/preprocessor.py SOURCE [--only trace,linear,ranks,small,workers,artifact,tiny,start]
                                      [--rounds 5] [--json FILE] [--work FOLDER] [--scale 1]

SOURCE is the log of a real rank, from which the inputs are generated in FOLDER. In
docs/explanation/performance.md it has 1.86 MB and 504 records. Each round runs every program once, so a
slow phase of the machine affects all alike. Prints ratios of medians, peak memory of the largest process,
size of the bundle against the log, and the processor time of our stages; the same as JSON. Linux and macOS;
needs tlparse on the PATH or next to the Python that runs this.

  trace     150 MB, 40,504 records: tlparse, tlparse --plain-text, and us
  linear    300 MB and 600 MB against 150 MB: our time should grow with the log, our memory not
  ranks     64 ranks of 20 MB: tlparse --all-ranks-html and us
  small     256 ranks of 240 kB (made from the fixture 'failures'), and of 300 kB (from 'regions')
  workers   the 64 ranks again: one worker and two
  artifact  one artifact of 200 MB
  tiny      1,000,000 records of the smallest kind
  start     tlparse-bundle --help against an empty Python program
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, astuple, dataclass
from pathlib import Path

from arguments import add_scale, measuring_parser
from make_ranks import make_ranks
from make_trace import make_trace

PREPROCESSOR = Path(__file__).resolve().parent.parent / "preprocessor"
FIXTURES = PREPROCESSOR.parent / "fixtures"
sys.path[:0] = [str(PREPROCESSOR), str(PREPROCESSOR.parent / "tests")]
from log_builder import record
from tlparse_bundle.base.diagnostics import Diagnostics
from tlparse_bundle.log.envelope import EventDecoder
from tlparse_bundle.log.record_reader import RecordReader

OURS = [sys.executable, "-m", "tlparse_bundle"]
WARM_UP_BYTES = 500_000_000
BYTECODE = str(Path(tempfile.gettempdir()) / "tlparse_bundle_benchmark")


@dataclass
class Sizes:
    """Sizes of the inputs."""

    copies: int = 81  # of the source; 150 MB
    rank_copies: int = 11  # of the source for each rank; 20 MB
    ranks: int = 64
    artifact_bytes: int = 200_000_000
    tiny_records: int = 1_000_000
    small_ranks: int = 256

    def scaled(self, factor: float) -> Sizes:
        return Sizes(*(max(1, round(size * factor)) for size in astuple(self)))


@dataclass
class Run:
    """Medians over the rounds of one program on one input."""

    input: str
    program: str
    input_bytes: int
    wall_s: float
    cpu_s: float  # of all its processes
    peak_bytes: int  # of its largest process
    output_bytes: int
    blobs_bytes: int


def tlparse_command() -> str:
    beside = Path(sys.executable).with_name("tlparse")
    return str(beside) if beside.exists() else shutil.which("tlparse") or sys.exit("tlparse is not installed")


def measured(command: list[str]) -> tuple[float, float, int]:
    """Run once; return (seconds, processor seconds with children, peak bytes of the largest process)."""
    # Compile bytecode, as for installed packages, and flush what earlier runs wrote.
    environment = {
        **os.environ,
        "PYTHONPATH": str(PREPROCESSOR),
        "PYTHONPYCACHEPREFIX": BYTECODE,
        "PYTHONDONTWRITEBYTECODE": "",
    }
    os.sync()
    start = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    error = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)} failed with {process.returncode}:\n{error.decode()}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def in_turn(
    name: str, source: Path, programs: dict[str, Callable[[Path], list[str]]], work: Path, rounds: int
) -> list[Run]:
    """Run all programs ``rounds`` times in turn; small inputs once before, unmeasured."""
    found: dict[str, list[tuple]] = {program: [] for program in programs}
    sizes: dict[str, tuple[int, int]] = {}
    input_bytes = size_of(source)
    for number in range(input_bytes > WARM_UP_BYTES, rounds + 1):
        for program, command in programs.items():
            out = work / "out"
            result = measured(command(out))
            sizes[program] = size_of(out), size_of(out / "blobs")
            shutil.rmtree(out, ignore_errors=True)
            if number or not rounds:
                found[program].append(result)
                print(f"{name} {number}/{rounds} {program}: {result[0]:.2f} s", file=sys.stderr)
    return [
        Run(name, program, input_bytes, *map(statistics.median, zip(*runs, strict=True)), *sizes[program])
        for program, runs in found.items()
    ]


def size_of(path: Path) -> int:
    return (
        path.stat().st_size
        if path.is_file()
        else sum(p.stat().st_size for p in path.rglob("*") if p.is_file())
        if path.exists()
        else 0
    )


def ours(source: Path, *options: str) -> Callable[[Path], list[str]]:
    return lambda out: [*OURS, str(source), str(out), "--quiet", *options]


def theirs(source: Path, *options: str) -> Callable[[Path], list[str]]:
    return lambda out: [tlparse_command(), str(source), "-o", str(out), "--no-browser", *options]


def elsewhere(function: Callable, *arguments) -> None:
    """Call the function in another process, because a child's peak on Linux is at least what its parent
    holds.
    """
    with ProcessPoolExecutor(1) as pool:
        pool.submit(function, *arguments).result()


def trace_log(source: Path, work: Path, copies: int) -> Path:
    path = work / f"copies_{copies}.log"
    if not path.exists():
        elsewhere(make_trace, source, path, copies)
    return path


def bench_trace(source: Path, work: Path, rounds: int, sizes: Sizes) -> list[Run]:
    log = trace_log(source, work, sizes.copies)
    programs = {
        "tlparse": theirs(log),
        "tlparse --plain-text": theirs(log, "--plain-text"),
        "tlparse-bundle": ours(log),
    }
    return in_turn("trace", log, programs, work, rounds)


def bench_linear(source: Path, work: Path, rounds: int, sizes: Sizes) -> list[Run]:
    runs = []
    for factor in (1, 2, 4):
        log = trace_log(source, work, factor * sizes.copies)
        runs += in_turn(f"linear x{factor}", log, {"tlparse-bundle": ours(log)}, work, rounds)
        if factor > 1:
            log.unlink()
    return runs


def rank_logs(source: Path, work: Path, count: int, copies: int) -> Path:
    folder = work / f"ranks_{count}_{copies}"
    if not folder.exists():
        elsewhere(make_ranks, trace_log(source, work, copies), folder, count)
    return folder


def bench_ranks(source: Path, work: Path, rounds: int, sizes: Sizes) -> list[Run]:
    folder, one = (rank_logs(source, work, count, sizes.rank_copies) for count in (sizes.ranks, 1))
    runs = in_turn(
        "ranks",
        folder,
        {"tlparse": theirs(folder, "--all-ranks-html"), "tlparse-bundle": ours(folder)},
        work,
        rounds,
    )
    runs += in_turn("one rank", one, {"tlparse-bundle": ours(one)}, work, rounds)
    blobs = {run.input: run.blobs_bytes for run in runs if run.program == "tlparse-bundle"}
    print(f"blobs/ of {sizes.ranks} ranks: {blobs['ranks'] / blobs['one rank']:.3f} times those of one")
    return runs


def bench_small(source: Path, work: Path, rounds: int, sizes: Sizes) -> list[Run]:
    runs = []
    for name in ("failures", "regions"):
        log = FIXTURES / name / "trace" / "dedicated_log_torch_trace_fixture0.log"
        folder = work / f"small_{name}"
        elsewhere(make_ranks, log, folder, sizes.small_ranks)
        programs = {"tlparse": theirs(folder, "--all-ranks-html"), "tlparse-bundle": ours(folder)}
        runs += in_turn(f"small {name}", folder, programs, work, rounds)
    return runs


def bench_workers(source: Path, work: Path, rounds: int, sizes: Sizes) -> list[Run]:
    folder = rank_logs(source, work, sizes.ranks, sizes.rank_copies)
    return in_turn(
        "workers",
        folder,
        {"one worker": ours(folder, "--jobs", "1"), "two workers": ours(folder, "--jobs", "2")},
        work,
        rounds,
    )


def bench_artifact(source: Path, work: Path, rounds: int, sizes: Sizes) -> list[Run]:
    log = work / "artifact.log"
    elsewhere(write_artifact, log, sizes.artifact_bytes)
    return in_turn("artifact", log, {"tlparse": theirs(log), "tlparse-bundle": ours(log)}, work, rounds)


def write_artifact(log: Path, size_bytes: int) -> None:
    line = "buf0 = torch.ops.aten.add.Tensor(arg0_1, arg1_1)  # %08d\n"
    log.write_bytes(
        record("artifact:big 0/0", payload="".join(line % i for i in range(size_bytes // len(line % 0))))
    )


def bench_tiny(source: Path, work: Path, rounds: int, sizes: Sizes) -> list[Run]:
    log = work / "tiny.log"
    some = b"".join(
        record(f'describe_storage 0/{i} {{"id": {i}, "describer_id": 0, "size": 4}}') for i in range(1000)
    )
    with log.open("wb") as out:
        for _ in range(-(-sizes.tiny_records // 1000)):
            out.write(some)
    return in_turn("tiny", log, {"tlparse": theirs(log), "tlparse-bundle": ours(log)}, work, rounds)


def bench_start(source: Path, work: Path, rounds: int, sizes: Sizes) -> list[Run]:
    programs = {
        "python -c pass": lambda _: [sys.executable, "-c", "pass"],
        "tlparse-bundle --help": lambda _: [*OURS, "--help"],
    }
    return in_turn("start", Path(os.devnull), programs, work, rounds)


BENCHMARKS = {
    "trace": bench_trace,
    "linear": bench_linear,
    "ranks": bench_ranks,
    "small": bench_small,
    "workers": bench_workers,
    "artifact": bench_artifact,
    "tiny": bench_tiny,
    "start": bench_start,
}


def stages(log: Path) -> dict[str, float]:
    """Return the processor seconds of one thread for each stage of reading ``log``, each including those
    before it.
    """

    def decode(records, diagnostics):
        decoder = EventDecoder(diagnostics)
        for one in records:
            decoder.decode(one)

    found = {}
    for name, run in {"records": lambda records, _: [None for _ in records], "events": decode}.items():
        with log.open("rb") as stream:
            diagnostics = Diagnostics()
            start = time.thread_time()
            run(RecordReader(stream, diagnostics), diagnostics)
            found[name] = round(time.thread_time() - start, 3)
    return found


def report(runs: list[Run]) -> str:
    """Print a table with times as ratios to the first program of each input."""
    lines = [f"{'input':<12}{'program':<24}{'log':>9}{'time':>8}{'cpu':>8}{'peak':>9}{'output':>9}"]
    first: dict[str, Run] = {}
    for run in runs:
        base = first.setdefault(run.input.partition(" x")[0], run)
        sizes = (
            f"{run.input_bytes / 1e6:6.0f} MB",
            f"{run.peak_bytes / 1e6:6.0f} MB",
            f"{100 * run.output_bytes / max(1, run.input_bytes):7.1f} %",
        )
        lines.append(
            f"{run.input:<12}{run.program:<24}{sizes[0]:>9}{run.wall_s / base.wall_s:8.3f}"
            f"{run.cpu_s / base.cpu_s:8.3f}{sizes[1]:>9}{sizes[2]:>9}"
        )
    return "\n".join(lines)


def main() -> None:
    parser = measuring_parser(__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("--only", default=",".join(BENCHMARKS))
    add_scale(parser)
    parser.add_argument("--work", type=Path, default=Path("benchmark_work"))
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    sizes = Sizes().scaled(options.scale)
    runs = [
        run
        for name in options.only.split(",")
        for run in BENCHMARKS[name](options.source, options.work, options.rounds, sizes)
    ]
    stage_s = stages(trace_log(options.source, options.work, sizes.copies))
    print(report(runs))
    print(
        "processor seconds of one thread until there are",
        ", ".join(f"{name}: {value:.2f}" for name, value in stage_s.items()),
    )
    if options.json:
        machine = {
            "system": platform.platform(),
            "python": platform.python_version(),
            "cores": os.cpu_count(),
        }
        options.json.write_text(
            json.dumps(
                {"machine": machine, "runs": [asdict(run) for run in runs], "stages_cpu_s": stage_s}, indent=1
            )
        )


if __name__ == "__main__":
    main()
