"""Each script works with its smallest input, here or in another test."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from importlib.machinery import SourceFileLoader

import pytest
import traces
from torch_python import NO_TORCH, TORCH, has_torch
from waiting import HANG_S
from zstandard import ZstdDecompressor

SCRIPTS = traces.ROOT / "scripts"
FIXTURES = traces.ROOT / "fixtures"
# Scripts and their modules that other tests run: text that occurs in those tests.
ELSEWHERE = {
    "cli_page.py": ("tests/bundle/test_docs.py", "script.CLI_PAGE"),
    "findings_page.py": ("tests/bundle/test_docs.py", "script.FINDINGS_PAGE"),
    "kind_titles.py": ("tests/bundle/test_docs.py", "script.KIND_TITLES"),
    "dts.py": ("tests/bundle/test_docs.py", "script.DECLARATIONS"),
    "preloads": ("tests/repository/test_preloads.py", '"preloads", "--check"'),
    "lint-words": ("tests/repository/test_words.py", '"lint-words"'),
    "release": ("tests/repository/test_release.py", '"release", "--python"'),
    "row_types.py": ("tests/bundle/test_docs.py", "script.ROW_TYPES"),
    "shapes.py": ("tests/bundle/test_docs.py", "script.SHAPES"),
    "site": ("tests/repository/test_release.py", '"site", site'),
    "table_pages.py": ("tests/bundle/test_docs.py", "script.generated("),
}
HERE = {
    "docs",
    "fuzz",
    "in_venv.py",
    "mutate",
    "same-facts",
    "sample-words",
    "screenshots",
    "test",
    "torch-names",
    "versions",
}
ENVIRONMENT = traces.ROOT / ".venv" / ".installed"


def ran(*command, code=0, **options):
    """Run a command and return what it printed."""
    done = subprocess.run(
        [*map(str, command)], capture_output=True, text=True, timeout=HANG_S, check=False, **options
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def module_of(name):
    """A script as a module."""
    loader = SourceFileLoader(name, str(SCRIPTS / name))
    spec = importlib.util.spec_from_loader(name, loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_each_script_is_run():
    assert {path.name for path in SCRIPTS.iterdir() if path.name != "__pycache__"} == HERE | ELSEWHERE.keys()
    assert [
        name for name, (path, text) in ELSEWHERE.items() if text not in (traces.ROOT / path).read_text()
    ] == []


@pytest.mark.parametrize("name", ["docs", "site", "versions", "screenshots"])
def test_it_finds_its_environment(name):
    """A script that needs packages also runs with the system's Python, once scripts/test has made .venv."""
    if not ENVIRONMENT.exists() or sys.prefix == sys.base_prefix:
        pytest.skip("scripts/test did not make the environment")
    system = os.path.realpath(sys.executable)
    ran(
        system,
        SCRIPTS / name,
        "--help",
        env={key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")},
    )


def test_fuzz_runs_a_case():
    assert "1 cases, 0 faults" in ran(SCRIPTS / "fuzz", "--repeat", "small-zstd:17:info")


def test_names_of_a_torch_are_collected(tmp_path):
    module = tmp_path / "torch" / "_dynamo" / "new.py"
    module.parent.mkdir(parents=True)
    module.write_text(
        "class NewError(Exception):\n    def once(self):\n        with dynamo_timed('new_span'):\n"
        "            trace_structured('artifact', lambda: {'name': 'new_artifact'})\n"
        "            unimplemented(gb_type='New break')\n"
    )
    names = module_of("torch-names").Names({})
    names.add_torch(tmp_path)
    assert names.document() == {
        "files": {"torch/_dynamo/new.py": "NewError once"},
        "artifacts": ["new_artifact"],
        "breaks": ["New break"],
        "exceptions": ["torch._dynamo.new.NewError"],
        "spans": ["new_span"],
        "types": ["artifact"],
    }


def test_a_fact_missing_from_new_words_is_named():
    lost = module_of("same-facts").lost
    old = {
        "kind": "recompile",
        "count": 7,
        "title": "`limit` recompiled 7 times",
        "details": {"values": [1, 2]},
    }
    assert lost(old, {**old, "title": "7 recompiles of `limit`"}) == []
    assert lost(
        old, {**old, "title": "The function recompiled", "details": {"function": "limit", "n": 7}}
    ) == ['details was {"values": [1, 2]}, is {"function": "limit", "n": 7}']
    assert lost({**old, "title": "`other` took 1,234 ms"}, old) == [
        "'1,234' of '`other` took 1,234 ms'",
        "'other' of '`other` took 1,234 ms'",
    ]
    assert lost(old, {**old, "count": 8}) == ["count was 7, is 8"]


def test_words_are_drawn_from_pages_and_help():
    script = module_of("sample-words")
    assert any("TORCH_TRACE" in text for text in script.of_help(script.cli))
    pages = [*script.of_pages()]
    assert len(pages) > 500 and not any("<" in text for text in pages)


def test_a_screenshot_is_taken(tmp_path, monkeypatch):
    pytest.importorskip("playwright", reason="screenshots need playwright")
    monkeypatch.syspath_prepend(traces.ROOT / "benchmarks")
    from page_clock import chromium

    if not chromium():
        pytest.skip("no Chromium: install one, or name it in the environment variable CHROMIUM")
    ran(sys.executable, SCRIPTS / "screenshots", "ranks", "--out", tmp_path)
    assert (tmp_path / "ranks.png").read_bytes().startswith(b"\x89PNG") and len(list(tmp_path.iterdir())) == 1
    assert "known: vllm, overview" in ran(sys.executable, SCRIPTS / "screenshots", "overveiw", code=2)


def test_the_tests_start():
    if not ENVIRONMENT.exists():
        pytest.skip("scripts/test did not make the environment")
    said = ran(SCRIPTS / "test", "--unchecked", "--collect-only", "tests/repository/test_files.py", "-n", "0")
    assert "test_no_source_file_is_long" in said


def test_a_missing_browser_is_installed(tmp_path):
    """With the programs that the script needs, and an apt-get that only records its arguments."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(SCRIPTS / "test", tmp_path / "scripts")
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("bash", "dirname", "env", "head", "id", "npm"):
        (tools / name).symlink_to(shutil.which(name) or pytest.skip(f"{name} is missing"))
    (tools / "apt-get").write_text(f'#!/bin/sh\necho "$@" >>{tmp_path}/asked\n[ "$1" = update ] || exit 7\n')
    (tools / "sudo").write_text('#!/bin/sh\nexec "$@"\n')
    (tools / "python3").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    for name in ("apt-get", "sudo", "python3"):
        (tools / name).chmod(0o755)
    said = ran(tools / "bash", tmp_path / "scripts" / "test", code=7, env={"PATH": str(tools)})
    assert "installing chromium-headless-shell firefox-esr" in said
    assert (tmp_path / "asked").read_text().splitlines()[-1].split()[-2:] == [
        "chromium-headless-shell",
        "firefox-esr",
    ]


def test_mutate_reports_changes_that_tests_notice(tmp_path, monkeypatch):
    """With a package of one module, half of which is tested."""
    script = module_of("mutate")
    package = tmp_path / script.PACKAGE / "little"
    package.mkdir(parents=True)
    (package / "it.py").write_text(
        "def tested(x):\n    return x == 1\n\n\ndef untested(x):\n    return not x and (\n        x) + 2\n"
    )
    (tmp_path / "tests" / "little").mkdir(parents=True)
    (tmp_path / "tests" / "little" / "test_it.py").write_text(
        "import it\n\n\ndef test_it():\n    assert it.tested(1)\n"
    )
    monkeypatch.setattr(script, "ROOT", tmp_path)
    changes = {(change.line, change.old): change for change in script.changes_of("little", package / "it.py")}
    assert {key: change.new for key, change in changes.items()} == {
        (2, "=="): "!=",
        (2, "1"): "2",
        (6, "and"): "or",
        (7, "+"): "-",
        (7, "2"): "3",
    }
    (tmp_path / "conftest.py").write_text(f"import sys\n\nsys.path.insert(0, {str(package)!r})\n")
    assert script.noticed_by(tmp_path, changes[2, "=="]) == "tests/little/test_it.py::test_it"
    assert script.noticed_by(tmp_path, changes[7, "+"]) is None
    assert "x == 1" in (package / "it.py").read_text()


def test_versions_compares_logs_with_reports_of_their_processes(tmp_path):
    """With a fixture's logs and truths, as ``--out`` leaves them."""
    fields = (
        "compile_id",
        "co_name",
        "fail_type",
        "graph_op_count",
        "guard_count",
        "dynamo_cumulative_compile_time_us",
    )
    version = FIXTURES / "versions" / "2.13.0"
    truths = json.loads((version / "truth.json").read_text())
    for name, truth in truths.items():
        program, _, rank = name.partition(".")
        source = (
            version / f"{program}.log.zst"
            if not rank
            else version / program / f"dedicated_log_torch_trace_{rank.replace('rank', 'rank_')}.log.zst"
        )
        folder = tmp_path / program
        folder.mkdir(exist_ok=True)
        (folder / f"dedicated_log_torch_trace_{rank or 'x'}_made.log").write_bytes(
            ZstdDecompressor().decompress(source.read_bytes(), max_output_size=1 << 30)
        )
        (folder / f"truth{'.' + rank if rank else ''}.json").write_text(json.dumps({
            "torch": truth["torch"],
            "counters": {"frames": {"total": truth["frames"]}},
            "events": [["", "ok" if done else "failed"] for done in truth["attempts"]],
            "metrics": [dict(zip(fields, row, strict=True)) for row in truth["metrics"]],
        }))  # fmt: skip
    said = ran(sys.executable, SCRIPTS / "versions", "--logs", tmp_path)
    assert "Differs from what the process reported: none" in said


def test_a_fixture_is_regenerated(tmp_path):
    """In a copy, because it writes beside itself."""
    shutil.copy(FIXTURES / "regenerate.py", tmp_path)
    assert "usage: " in ran(sys.executable, tmp_path / "regenerate.py", "--help")
    assert "no such scenario: kiled; known: basic_inference" in ran(
        sys.executable, tmp_path / "regenerate.py", "kiled", code=2
    )
    if not has_torch():
        pytest.skip(NO_TORCH)
    shutil.copytree(FIXTURES / "killed", tmp_path / "killed", ignore=shutil.ignore_patterns("trace"))
    ran(TORCH, tmp_path / "regenerate.py", "killed")
    assert (tmp_path / "killed" / "trace" / "dedicated_log_torch_trace_fixture0.log").stat().st_size > 10_000
