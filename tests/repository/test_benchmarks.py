"""Each benchmark runs with a small input and prints its figures."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import traces
from tlparse_bundle import build, discover
from waiting import HANG_S

FOLDER = traces.ROOT / "benchmarks"
SMALL = traces.ROOT / "fixtures" / "killed" / "trace" / "dedicated_log_torch_trace_fixture0.log"
LARGE = traces.ROOT / "fixtures" / "transformer" / "trace" / "dedicated_log_torch_trace_fixture0.log"
OTHER = traces.ROOT / "fixtures" / "nonascii" / "trace" / "dedicated_log_torch_trace_fixture0.log"
ONE_ROUND = ("--rounds", "0")
RECOMPILES = traces.ROOT / "fixtures" / "recompiles" / "trace" / "dedicated_log_torch_trace_fixture0.log"
PROFILED = traces.ROOT / "fixtures" / "profiler" / "reset"
# Arguments of each benchmark, and text in its output.
PLAIN = {
    "compiles": (
        (RECOMPILES, "--compiles", "20,40", "--memory", "1kB"),
        ("20 compiles, .* build: .* MB at the peak", "40 compiles, .* report: .* MB at the peak"),
    ),
    "make_compiles": ((RECOMPILES, "OUT", "--compiles", "20"), ()),
    "compare": (
        (SMALL, OTHER, *ONE_ROUND, "--no-budgets"),
        ("of the time of a build", "MB \\(200 allowed\\)"),
    ),
    "follow": ((SMALL,), ("^follow: .* MB, \\d+ states", "^build --jobs 1: ")),
    "hostile": (
        ("--only", "path", "--commands", "report,redact", "--length", "50", "--no-budgets"),
        ("^path +report .* s .* MB", "^path +redact .* s"),
    ),
    "make_ranks": ((SMALL, "OUT", "--ranks", "2"), ()),
    "make_trace": ((SMALL, "OUT", "--copies", "2"), ()),
    "memory": ((SMALL, "--copies", "1", "--no-budgets"), ("MB log: .* MB at the peak", "^ratio ")),
    "preprocessor": (
        (SMALL, *ONE_ROUND, "--scale", "0.01", "--work", "WORK"),
        (
            "^trace .*tlparse --plain-text",
            "^linear x4",
            "^ranks",
            "^small failures",
            "^workers .*two workers",
            "^artifact",
            "^tiny",
            "^start",
        ),
    ),
    "profiles": (
        (PROFILED / "profiles" / "reset.json.gz", PROFILED / "trace", "--megabytes", "1", "--no-budgets"),
        ("1 MB in .* s: .* MB/s, .* MB at the peak",),
    ),
    "reader": ((SMALL, "--rounds", "1"), ("^compiles ", "^payloads ")),
}
PAGES = {
    "browser": (
        (SMALL, "--small", SMALL, *ONE_ROUND, "--no-budgets"),
        ("^large: longest task", "^small: from the file"),
    ),
    "multirank": (
        ("--ranks", "8", "--compiles", "4", "--rounds", "1", "--no-budgets"),
        ("^first screen", "^longest task: scrolling sideways", "^JS heap"),
    ),
    "replay": (
        (SMALL, "--pace", "20MB/s", "--each", "0.2"),
        (" 0 differ from a fresh build", "the bundle is that of a build"),
    ),
    "trend": (("--runs", "9", "--rounds", "1", "--no-budgets"), ("the page is there after",)),
    "viewer": (
        (LARGE, "--rounds", "1", "--scale", "0.01", "--most", "2", "--no-budgets", "--work", "WORK"),
        (
            "^overview: can be used",
            "^trie: bytes",
            "^longest task: comparison, a folder",
            "search everywhere",
            "^opens dynamo_output_graph",
            "the table of nodes",
            "events, one row down",
            "^provenance: JS heap",
        ),
    ),
}
WITH_JSON = {"browser", "compare", "hostile", "multirank", "preprocessor", "reader", "trend", "viewer"}
HELPERS = {"arguments", "made_logs", "page_clock"}  # modules that benchmarks import


def test_each_benchmark_is_run_here():
    assert {
        path.stem for path in FOLDER.iterdir() if path.name != "__pycache__"
    } == PLAIN.keys() | PAGES.keys() | HELPERS
    assert {name for name in HELPERS if "__main__" in (FOLDER / f"{name}.py").read_text()} == set()


@pytest.mark.parametrize("name", PLAIN)
def test_it_prints_its_figures(name, tmp_path):
    if name == "preprocessor" and not (
        shutil.which("tlparse") or Path(sys.executable).with_name("tlparse").exists()
    ):
        pytest.skip("tlparse is missing")
    _run(name, *PLAIN[name], tmp_path)


@pytest.mark.parametrize("name", PAGES)
def test_it_prints_its_figures_of_pages(name, tmp_path, monkeypatch):
    pytest.importorskip("playwright", reason="benchmarks of pages need playwright")
    monkeypatch.syspath_prepend(FOLDER)
    from page_clock import chromium

    if not chromium():
        pytest.skip("no Chromium: install one, or name it in the environment variable CHROMIUM")
    _run(name, *PAGES[name], tmp_path)


def _run(name, arguments, expected, tmp_path):
    arguments = [
        {"OUT": tmp_path / "out.log", "WORK": tmp_path / "work"}.get(argument, argument)
        for argument in arguments
    ]
    figures = ["--json", tmp_path / "figures.json"] if name in WITH_JSON else []
    command = [sys.executable, FOLDER / f"{name}.py", *arguments, *figures]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [pattern for pattern in expected if not re.search(pattern, done.stdout, re.MULTILINE)] == [], (
        done.stdout
    )
    assert not figures or json.loads((tmp_path / "figures.json").read_text())
    if name.startswith("make_"):  # the generated logs are logs
        assert build(discover([tmp_path / "out.log"]), tmp_path / "bundle", jobs=1).manifest["logs"]
