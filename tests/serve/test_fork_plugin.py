"""The plug-in template: a fork of it works unchanged, and docs/how-to/plugins.md shows its modules."""

import os
import re
import subprocess
import sys
import tomllib

import pytest
import traces
from tlparse_bundle import Bundle
from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.log.event import Event
from tlparse_bundle.log.events.kind import LANGUAGES, PHASES
from tlparse_bundle.serve.publish.fork import fork, names
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.finding import Finding
from tlparse_bundle.statements.ranks.comparison import Comparison
from tlparse_bundle.statements.ranks.frames import Frames
from tlparse_bundle.tables.table import TableContext
from waiting import HANG_S

GUIDE = (traces.ROOT / "docs" / "how-to" / "plugins.md").read_text(encoding="utf-8")
TEMPLATE = traces.ROOT / "plugin"
BLOCKS = dict(re.findall(r"^```\w+\n# (\S+)\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL))


@pytest.fixture
def installed(tmp_path):
    """A fork of the template, with the entry points where pip would put them."""
    folder = tmp_path / "mine"
    fork("plugin", folder)
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    info = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    lines = [
        line
        for group, entries in project["entry-points"].items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in entries.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    return folder


def run(folder, *arguments):
    path = os.pathsep.join(map(str, (folder, traces.ROOT / "preprocessor")))
    return subprocess.run(
        [sys.executable, "-m", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )


def test_its_own_tests_pass(installed):
    done = run(installed, "pytest", "-q", "-p", "no:cacheprovider", "tests")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 passed" in done.stdout


def test_its_own_tests_fail_without_the_entry_points(installed):
    for path in installed.glob("*.dist-info"):
        (path / "entry_points.txt").unlink()
    done = run(installed, "pytest", "-q", "-p", "no:cacheprovider", "tests")
    assert done.returncode == 1 and "4 failed, 1 passed" in done.stdout


def test_a_real_log_is_built_with_it(installed):
    """The bundle has the table next to all others, and is valid; the log of the fixture has no steps."""
    trace = installed / "dedicated_log_torch_trace_x.log"
    (fixture,) = (traces.ROOT / "fixtures" / "killed" / "trace").glob("*.log")
    step = b'V0401 12:00:00.000000 7 program.py:1] {"my_step": {"requests": 0}}\n'
    trace.write_bytes(step + fixture.read_bytes())
    done = run(installed, "tlparse_bundle", "build", trace, "out", "--strict", "--no-open")
    assert done.returncode in (0, 3), done.stderr
    done = run(installed, "tlparse_bundle", "validate", "out")
    assert done.returncode == 0, done.stdout + done.stderr
    (log,) = Bundle.open(installed / "out").logs
    assert log.table("my_steps") == [{"event": 0, "compile": None, "requests": 0}]
    assert "my-idle-steps" in [row["kind"] for row in log.findings()]
    assert "plugin-failed" not in [row["code"] for row in log.table("diagnostics")]


def test_logs_without_its_records_are_not_a_fault(installed):
    trace = traces.ROOT / "fixtures" / "ranks_healthy" / "trace"
    done = run(installed, "tlparse_bundle", "build", trace, "out", "--strict", "--no-open")
    assert done.returncode == 0, done.stderr
    bundle = Bundle.open(installed / "out")
    assert {row["steps"] for row in bundle.rank_table("my_step_ranks")} == {0}


def test_a_fork_has_the_files_of_the_template_and_no_caches(installed):
    files = {path.relative_to(installed).as_posix() for path in installed.rglob("*") if path.is_file()}
    files = {name for name in files if ".dist-info/" not in name}
    tracked = subprocess.run(["git", "ls-files", "."], cwd=TEMPLATE, capture_output=True, text=True).stdout
    if tracked:
        assert files == set(tracked.split())
    assert {"pyproject.toml", "README.md", "tests/test_my_plugin.py"} < files


def test_an_unknown_name_is_refused_and_the_names_are_listed(tmp_path):
    with pytest.raises(BundleError) as failure:
        fork("plugins", tmp_path / "mine")
    assert all(name in failure.value.hint for name in names()) and "plugin" in names()


def test_the_guide_shows_the_modules_of_the_template():
    modules = {path for path in TEMPLATE.glob("my_plugin/*.py") if path.name != "__init__.py"}
    assert {path.relative_to(TEMPLATE).as_posix() for path in modules} == BLOCKS.keys() - {"pyproject.toml"}
    for path in modules:
        assert BLOCKS[path.relative_to(TEMPLATE).as_posix()] == path.read_text(encoding="utf-8")
    shown = tomllib.loads(BLOCKS["pyproject.toml"])["project"]["entry-points"]
    project = tomllib.loads((TEMPLATE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert shown == project["entry-points"]


def test_names_in_the_guide_exist():
    classes = {cls.__name__: cls for cls in (TableContext, Event, Facts, Frames, Comparison)}
    named = re.findall(
        r"`(\w+)\.(\w+)(?:\([^`]*\))?`", "".join(re.findall(r"^\| (.*?) \|", GUIDE, re.MULTILINE))
    )
    assert {owner for owner, _ in named} == classes.keys()
    set_in_init = {"Frames.log", "Frames.table", "Comparison.members", "Comparison.columns"}
    for owner, name in named:
        assert hasattr(classes[owner], name) or f"{owner}.{name}" in set_in_init, f"{owner}.{name}"
    (table,) = re.findall(r"^`Finding\(.*?\n\n(.*?)\n\n", GUIDE, re.MULTILINE | re.DOTALL)
    arguments = re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (.*?) \|", table, re.MULTILINE)))
    assert set(arguments) <= set(Finding.__dataclass_fields__) and len(arguments) > 10


def test_the_guide_lists_phases_and_languages():
    for row, wanted in (("phase", [phase.id for phase in PHASES]), ("language", LANGUAGES)):
        (cell,) = re.findall(rf"^\| `{row}` \| (.*) \|$", GUIDE, re.MULTILINE)
        assert set(re.findall(r"`([^`]+)`", cell)) == set(wanted)
