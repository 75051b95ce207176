"""Measure whether commands are linear in the length of hostile strings.

    python benchmarks/hostile.py [--only FAMILY,...] [--commands build,...] [--length 20000] [--json FILE]
                                 [--work FOLDER] [--no-budgets]

Each family is a string of a shape that expressions and parsers may take long for: a path of many parts, many
brackets, an endless name. A log has it in every place that a log has for text (tests/secrets_of_logs.py).
Every command reads the log, or the bundle of it, for strings of --length characters and of four times as
many, in a fork of a process that has imported the modules. Prints the processor time for the longer strings
and its ratio to that for the shorter ones, each without that of a log of a short string, and the same for
peak memory. Exits with an error for a ratio above 6, or a command that takes longer than --limit seconds.
Linux and macOS.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path

from arguments import add_budgets, measuring_parser

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "preprocessor"), str(ROOT / "tests")]
from secrets_of_logs import Secret, log_with
from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.cli.main import cli

MOST_RATIO = 6
NOISE_S = 0.5  # of processor time: less says nothing about a ratio
NOISE_BYTES = 30_000_000
SHORT = "x" * 20
COMMANDS = ("build", "validate", "report", "compare", "export", "redact")


def repeated(part: str) -> Callable[[int], str]:
    return lambda length: part * (length // len(part))


FAMILIES: dict[str, Callable[[int], str]] = {
    "path": repeated("/ab"),
    "backslashes": repeated("\\"),
    "windows-path": repeated("\\ab"),
    "dots": repeated("a."),
    "mail": lambda length: repeated("a.b-")(length) + "@",
    "brackets": repeated("["),
    "closed-brackets": lambda length: "[" * (length // 2) + "]" * (length // 2),
    "parentheses": lambda length: "f(" * (length // 3) + ")" * (length // 3),
    "braces": repeated("{"),
    "digits": repeated("7"),
    "separated-digits": repeated("7 "),
    "hexadecimal": repeated("0xad-"),
    "letters": repeated("q"),
    "underscores": repeated("a_"),
    "only-underscores": repeated("_"),
    "quotes": repeated('"'),
    "single-quotes": repeated("'"),
    "escaped-quotes": repeated("\\'"),
    "spaces": repeated(" "),
    "words": repeated("a "),
    "commas": repeated("a,"),
    "colons": repeated("a:"),
    "comments": repeated("# "),
    "operators": repeated("s0*"),
    "comparisons": repeated("=="),
    "subscripts": repeated("L['a']"),
    "arrows": repeated("-> "),
    "short-lines": repeated("a\n"),
    "empty-lines": repeated("\n"),
    "tabs": repeated("\t"),
    "traceback": repeated('  File "a", line 1, in f\n'),
    "resume-functions": lambda length: repeated("torch_dynamo_resume_in_")(length) + "f_at_1",
    "kernels": repeated("triton_poi_fused_"),
    "percent": repeated("%41"),
    "unicode-escapes": repeated("\\u0041"),
    "base64": repeated("QUJD"),
    "zero-width": repeated("a\u200b"),
    "combining": repeated("e\u0301"),
    "symbols": repeated("!@#$%^&*"),
    "html": repeated("&amp;"),
    "url": repeated("http://a"),
    "deep-json": lambda length: '{"a":' * (length // 6) + "1" + "}" * (length // 6),
}


def commands(log: Path, bundle: Path, work: Path) -> dict[str, list[str]]:
    """Return the arguments of the commands by name; ``bundle`` is the bundle of ``log``."""
    return {
        "build": ["build", str(log), str(work / "built"), "--jobs", "1", "--overwrite"],
        "validate": ["validate", str(bundle)],
        "report": ["report", str(bundle)],
        "compare": ["compare", str(bundle), str(work / "same")],
        "export": ["export", str(bundle), str(work / "page.html"), "--overwrite"],
        "redact": ["redact", str(bundle), str(work / "redacted"), "--overwrite"],
    }


@dataclass(frozen=True)
class Figure:
    """What a command took; ``code``: its exit code, negative for the signal that ended it."""

    cpu_s: float
    peak_bytes: int
    code: int


def figures(text: str, chosen: Sequence[str], work: Path, limit_s: int) -> dict[str, Figure]:
    """Return the figures of each command for a log with this string in all places."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    log, bundle = work / "dedicated_log_torch_trace_hostile.log", work / "bundle"
    log.write_bytes(log_with([Secret("hostile", text)]))
    all_commands = commands(log, bundle, work)
    found = {"build": run(all_commands["build"], limit_s)}
    if found["build"].code == 0:
        (work / "built").rename(bundle)
        shutil.copytree(bundle, work / "same")
        found |= {name: run(all_commands[name], limit_s) for name in chosen if name != "build"}
    shutil.rmtree(work)
    return found


def run(arguments: Sequence[str], limit_s: int) -> Figure:
    """Run a command in a fork, which is ended when it takes more processor time than the limit."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s))
            with open(os.devnull, "wb") as nothing:
                os.dup2(nothing.fileno(), 1)
            code = cli.main(list(arguments), standalone_mode=False) or 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        except BundleError as error:
            code = error.exit_code
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    _, status, usage = os.wait4(child, 0)
    scale = 1 if sys.platform == "darwin" else 1024
    return Figure(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * scale, os.waitstatus_to_exitcode(status))


def warm_up(work: Path) -> None:
    """Run all commands in this process, so that the forks need not import modules."""
    work.mkdir(parents=True)
    log, bundle = work / "dedicated_log_torch_trace_hostile.log", work / "bundle"
    log.write_bytes(log_with([Secret("short", SHORT)]))
    with open(os.devnull, "w") as nothing, redirect_stdout(nothing), redirect_stderr(nothing):
        for arguments in commands(log, bundle, work).values():
            with suppress(SystemExit, BundleError):
                cli.main(list(arguments), standalone_mode=False)
            if not bundle.exists():
                shutil.copytree(work / "built", bundle)
                shutil.copytree(work / "built", work / "same")


def verdict(base: Figure, short: Figure, long: Figure) -> tuple[float, float, str]:
    """Return the ratios of time and memory, and a problem or nothing."""
    time_ratio = (long.cpu_s - base.cpu_s) / max(short.cpu_s - base.cpu_s, NOISE_S / 4)
    size_ratio = (long.peak_bytes - base.peak_bytes) / max(
        short.peak_bytes - base.peak_bytes, NOISE_BYTES / 4
    )
    if min(short.code, long.code) < 0:
        return time_ratio, size_ratio, f"ended by signal {-min(short.code, long.code)}"
    if time_ratio > MOST_RATIO and long.cpu_s - base.cpu_s > NOISE_S:
        return time_ratio, size_ratio, "time is not linear"
    if size_ratio > MOST_RATIO and long.peak_bytes - base.peak_bytes > NOISE_BYTES:
        return time_ratio, size_ratio, "memory is not linear"
    if long.code != base.code:
        return time_ratio, size_ratio, f"exit code {long.code}"
    return time_ratio, size_ratio, ""


def main() -> None:
    parser = measuring_parser(__doc__)
    parser.add_argument(
        "--only", type=lambda text: text.split(","), default=list(FAMILIES), metavar="FAMILIES"
    )
    parser.add_argument("--commands", type=lambda text: text.split(","), default=list(COMMANDS))
    parser.add_argument("--length", type=int, default=20_000, help="characters of the shorter strings")
    parser.add_argument("--limit", type=int, default=120, help="most processor seconds of a command")
    parser.add_argument("--work", type=Path, help="folder for logs and bundles; a temporary one if not given")
    add_budgets(parser)
    options = parser.parse_args()
    rows, missed = [], False
    with tempfile.TemporaryDirectory(dir=options.work) as folder:
        work = Path(folder, "work")
        warm_up(work)
        base = figures(SHORT, options.commands, work, options.limit)
        print(f"{'family':<18}{'command':<10}{'time':>8}{'ratio':>8}{'peak':>9}{'ratio':>8}")
        for name in options.only:
            short, long = (
                figures(FAMILIES[name](length), options.commands, work, options.limit)
                for length in (options.length, 4 * options.length)
            )
            for command in [one for one in options.commands if one in short and one in long]:
                figure = long[command]
                time_ratio, size_ratio, problem = verdict(base[command], short[command], figure)
                missed |= "linear" in problem or "signal" in problem
                peak = f"{figure.peak_bytes / 1e6:.0f} MB"
                print(
                    f"{name:<18}{command:<10}{figure.cpu_s:>6.2f} s{time_ratio:>8.1f}{peak:>9}"
                    f"{size_ratio:>8.1f}  {problem}".rstrip(),
                    flush=True,
                )
                rows.append(
                    {
                        "family": name,
                        "command": command,
                        "time_ratio": time_ratio,
                        "memory_ratio": size_ratio,
                        "problem": problem,
                    }
                )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    if missed and not options.no_budgets:
        sys.exit("A command is not linear in the length of a string.")


if __name__ == "__main__":
    main()
