"""Plug-ins that fail: the bundle is built without their additions, and names the package, the entry point and
the exception.
"""

import hashlib
import json
import os
import subprocess
import sys
import textwrap

import pytest
from following import follow, without_gaps
from installed_plugins import forget, install
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.bundle.validate import validate
from tlparse_bundle.pipeline import stage
from tlparse_bundle.pipeline.merge import merge

# Sound examples of a table, a module of findings, and an analysis. A fault replaces a part.
TABLE = """
    class Steps:
        name = "engine_steps"
        types = frozenset(("dynamo_start",))

        def __init__(self, context):
            self._rows = []

        def observe(self, event):
            self._rows.append({"event": event.index})

        def tables(self):
            yield self.name, self._rows
"""
FINDINGS = """
    from tlparse_bundle.statements.finding import Finding, Remedy

    KINDS = ("engine-idle",)

    def findings(facts):
        yield Finding("engine-idle", "warning", "The engine was idle", ("idle",), events=[0], compiles=[0])
"""
RANKS = """
    class Ranks:
        name = "engine_ranks"

        def digest(self, frames):
            return frames.log.row["event_count"]

        def tables(self, comparison, digests, tables):
            yield "engine_ranks", [{"rank": member.rank, "events": count} for member, count in zip(comparison.members, digests)]
"""
KINDS = """
    from tlparse_bundle.log.events.kind import Kind

    KINDS = (Kind("engine_step", "engine step", "runtime", "none", "One step."),)
"""
SOURCES = {"events": KINDS, "tables": TABLE, "findings": FINDINGS, "ranks": RANKS}
OBJECTS = {
    "events": "engine_plugin",
    "tables": "engine_plugin:Steps",
    "findings": "engine_plugin",
    "ranks": "engine_plugin:Ranks",
}

ONE_TRACE, RANKS_TRACE = "killed", "ranks_extra_break"  # small ones with findings
_ROWS = '[{"rank": member.rank, "events": count} for member, count in zip(comparison.members, digests)]'
# group, what is replaced by what, and the diagnostic's text
FAULTS = {
    "events import": (
        "events",
        "from tlparse_bundle.log.events.kind",
        "from no_such_package",
        "ModuleNotFoundError: No module named 'no_such_package'",
    ),
    "events dict": (
        "events",
        'Kind("engine_step", "engine step", "runtime", "none", "One step.")',
        '{"key": "engine_step"}',
        "TypeError: KINDS has 'dict', not Kind",
    ),
    "events no KINDS": (
        "events",
        "KINDS = ",
        "WORDS = ",
        "AttributeError: module 'engine_plugin' has no attribute 'KINDS'",
    ),
    "events language": ("events", '"none"', '"klingon"', "ValueError: 'klingon' is not a language of a Kind"),
    "events phase": ("events", '"runtime"', '"engine"', "ValueError: 'engine' is not a phase of a Kind"),
    "events field": ("events", '"engine step"', "7", "TypeError: a field of a Kind is not text"),
    "events exits": (
        "events",
        "KINDS =",
        "raise SystemExit(3)\n    KINDS =",
        "in engine_plugin.py:4: SystemExit: 3",
    ),
    "tables no class": (
        "tables",
        "class Steps",
        "class Stairs",
        "AttributeError: module 'engine_plugin' has no attribute 'Steps'",
    ),
    "tables no name": (
        "tables",
        'name = "engine_steps"',
        "",
        "AttributeError: 'Steps' object has no attribute 'name'",
    ),
    "tables no observe": (
        "tables",
        "def observe",
        "def watch",
        "TypeError: the table has no function 'observe'",
    ),
    "tables types": (
        "tables",
        'frozenset(("dynamo_start",))',
        '"dynamo_start"',
        "TypeError: 'types' of the table is not a set of names",
    ),
    "tables our name": ("tables", '"engine_steps"', '"compiles"', "ValueError: the name 'compiles' is taken"),
    "tables our file": ("tables", '"engine_steps"', '"Log"', "ValueError: the name 'Log' is taken"),
    "tables path": ("tables", '"engine_steps"', '"../../steps"', "ValueError: '../../steps' is not a name"),
    "tables constructor": (
        "tables",
        "self._rows = []",
        'raise KeyError("rows")',
        "in engine_plugin.py:7: KeyError: 'rows'",
    ),
    "tables constructor later": (
        "tables",
        "self._rows = []",
        (
            'self._rows = []; context.stacks.no_such_thing if hasattr(Steps, "seen") else setattr(Steps,'
            ' "seen", 1)'
        ),
        "AttributeError: 'StackTable' object has no attribute 'no_such_thing'",
    ),
    "tables observe": (
        "tables",
        'self._rows.append({"event": event.index})',
        'event.value["no"]["such"]',
        "in engine_plugin.py:10: ",
    ),
    "tables observe exits": (
        "tables",
        'self._rows.append({"event": event.index})',
        "raise SystemExit",
        "in engine_plugin.py:10: SystemExit",
    ),
    "tables spans": (
        "tables",
        "def observe(",
        "def observe_span(self, span):\n            span.no_such_thing\n\n        def observe(",
        "AttributeError: ",
    ),
    "tables rows": (
        "tables",
        "yield self.name, self._rows",
        "yield self.name, self._rows[0:1] / 2",
        "TypeError: unsupported operand",
    ),
    "tables dict": ("tables", "yield self.name, self._rows", 'return {"steps": self._rows}', "ValueError: "),
    "tables no rows": (
        "tables",
        "yield self.name, self._rows",
        "yield self.name, [1]",
        "TypeError: a row of 'engine_steps' is 'int', not dict",
    ),
    "tables no JSON": (
        "tables",
        "yield self.name, self._rows",
        'yield self.name, [{"steps": {1, 2}}]',
        "TypeError: Type is not JSON serializable: set",
    ),
    "tables keys": ("tables", "yield self.name, self._rows", "yield self.name, [{1: 2}]", "TypeError: "),
    "tables other name": (
        "tables",
        "yield self.name, self._rows",
        'yield "compiles", self._rows',
        "ValueError: tables() gave a table 'compiles'",
    ),
    "tables surrogate": (
        "tables",
        'self._rows.append({"event": event.index})',
        'raise ValueError("\\ud800")',
        "ValueError: ?",
    ),
    "findings no function": (
        "findings",
        "def findings",
        "def opinions",
        "TypeError: the plug-in has no function 'findings'",
    ),
    "findings KINDS": (
        "findings",
        '("engine-idle",)',
        '"engine-idle"',
        "TypeError: KINDS is not a tuple of names",
    ),
    "findings our kind": (
        "findings",
        '("engine-idle",)',
        '("failure",)',
        "ValueError: tlparse-bundle has the kind 'failure' itself",
    ),
    "findings raise": (
        "findings",
        "yield Finding",
        "facts.no_such_thing\n        yield Finding",
        "in engine_plugin.py:7: AttributeError: 'Facts' object has no attribute 'no_such_thing'",
    ),
    "findings raise late": (
        "findings",
        "compiles=[0])",
        "compiles=[0])\n        1 / 0",
        "in engine_plugin.py:8: ZeroDivisionError: division by zero",
    ),
    "findings is a dict": (
        "findings",
        'yield Finding("engine-idle", "warning", "The engine was idle", ("idle",), events=[0], compiles=[0])',
        'yield {"kind": "engine-idle"}',
        "TypeError: findings() gave 'dict', not Finding",
    ),
    "findings no iterable": (
        "findings",
        "yield Finding",
        "return 7; Finding",
        "TypeError: 'int' object is not iterable",
    ),
    "findings kind": (
        "findings",
        'Finding("engine-idle"',
        'Finding("engine-busy"',
        "ValueError: findings() gave a Finding of the kind 'engine-busy', which KINDS does not have",
    ),
    "findings severity": ("findings", '"warning"', '"terrible"', "severity: 'terrible' is not one of"),
    "findings title": (
        "findings",
        '"The engine was idle"',
        "7",
        "TypeError: title or text of a Finding is not str",
    ),
    "findings event": (
        "findings",
        "events=[0]",
        "events=[10**6]",
        "ValueError: a Finding names event 1000000, and the log has ",
    ),
    "findings compile": (
        "findings",
        "compiles=[0]",
        "compiles=[999]",
        "ValueError: a Finding names compile 999, and the log has ",
    ),
    "findings compiles": (
        "findings",
        "compiles=[0]",
        "compiles=7",
        "TypeError: 'int' object is not iterable",
    ),
    "findings details": ("findings", "compiles=[0]", "details={1: {2}}", "TypeError: "),
    "findings remedies": (
        "findings",
        "compiles=[0]",
        'remedies=["run"]',
        "AttributeError: 'str' object has no attribute 'source'",
    ),
    "findings key": ("findings", "compiles=[0]", "key=[]", "TypeError: unhashable type: 'list'"),
    "findings order": ("findings", "compiles=[0]", 'order="first"', "TypeError: order is 'str', not int"),
    "findings count": ("findings", "compiles=[0]", "count=0", "count: 0 is less than 1"),
    "ranks no class": (
        "ranks",
        "class Ranks",
        "class Files",
        "AttributeError: module 'engine_plugin' has no attribute 'Ranks'",
    ),
    "ranks our name": ("ranks", '"engine_ranks"', '"matching"', "ValueError: the name 'matching' is taken"),
    "ranks no tables": (
        "ranks",
        "def tables",
        "def chairs",
        "TypeError: the analysis has no function 'tables'",
    ),
    "ranks digest": (
        "ranks",
        'frames.log.row["event_count"]',
        "frames.no_such_thing",
        "in engine_plugin.py:6: AttributeError: 'Frames' object has no attribute 'no_such_thing'",
    ),
    "ranks digest no JSON": (
        "ranks",
        'frames.log.row["event_count"]',
        "object()",
        "TypeError: Type is not JSON serializable: object",
    ),
    "ranks rows": ("ranks", _ROWS, "comparison[0]", "TypeError: 'Comparison' object is not subscriptable"),
    "ranks rows of numbers": (
        "ranks",
        _ROWS,
        "list(digests)",
        "TypeError: the rows of 'engine_ranks' are not objects with the same keys",
    ),
    "ranks rows of other keys": (
        "ranks",
        _ROWS,
        '[{"a": 1}, {"b": 2}]',
        "TypeError: the rows of 'engine_ranks' are not objects with the same keys",
    ),
    "ranks rows exit": ("ranks", _ROWS, "exit(5)", "SystemExit: 5"),
    "ranks our table": (
        "ranks",
        'yield "engine_ranks"',
        'yield "rank_compiles"',
        "ValueError: the name 'rank_compiles' is taken",
    ),
    "ranks a path": ("ranks", 'yield "engine_ranks"', 'yield "../x"', "ValueError: '../x' is not a name"),
}
DONE = {"events": "engine_step", "tables": "engine_steps", "findings": "engine-idle", "ranks": "engine_ranks"}


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Return installed(group, source): the folder of a package with one plug-in, visible to this process."""

    def install_it(group, source):
        folder = tmp_path / "site"
        install(folder, f"[tlparse_bundle.{group}]\nengine = {OBJECTS[group]}\n", {"engine_plugin": source})
        monkeypatch.syspath_prepend(folder)
        forget()
        return folder

    yield install_it
    forget()


def source_of(name):
    group, part, instead, expected = FAULTS[name]
    assert part in SOURCES[group]
    return group, SOURCES[group].replace(part, instead), expected


def messages(bundle):
    """Return the plug-in diagnostics of the bundle: equal in each log, or in the manifest."""
    rows = [row for log in bundle.logs for row in log.table("diagnostics")]
    return [row["message"] for row in rows if row["code"] == "plugin-failed"] + bundle.manifest.get(
        "diagnostics", {}
    ).get("plugin-failed", [])


@pytest.mark.parametrize("name", FAULTS)
def test_a_bundle_is_built_without_a_plugin_that_fails(name, installed, root, built, tmp_path):
    group, source, expected = source_of(name)
    trace = root / "fixtures" / (RANKS_TRACE if group == "ranks" else ONE_TRACE) / "trace"
    without = built(trace)
    installed(group, source)
    build(discover([trace]), tmp_path / "out", jobs=1)
    bundle = Bundle.open(tmp_path / "out")
    assert validate(bundle) == []
    (message,) = messages(bundle)
    assert (
        message.startswith(f"Plug-in 'engine' (tlparse_bundle.{group}) of the package engine 1.0 failed")
        and expected in message
    )
    assert " at 0x" not in message and str(tmp_path) not in message
    for one, other in zip(bundle.logs, without.logs, strict=True):
        assert one.row["diagnostics"] == {
            **other.row["diagnostics"],
            **({} if group == "ranks" else {"plugin-failed": 1}),
        }
        assert one.directory["tables"].keys() == other.directory["tables"].keys()
        assert one.findings() == other.findings()
    assert [bundle.manifest.get(key) for key in ("job", "rank_tables")] == [
        without.manifest.get(key) for key in ("job", "rank_tables")
    ]
    assert bundle.manifest["diagnostic_codes"]["plugin-failed"]["severity"] == "warning"


@pytest.mark.parametrize("group", SOURCES)
def test_the_same_plugin_without_the_fault_adds_its_part(group, installed, root, tmp_path):
    installed(group, SOURCES[group])
    trace = root / "fixtures" / (RANKS_TRACE if group == "ranks" else ONE_TRACE) / "trace"
    build(discover([trace]), tmp_path / "out", jobs=1)
    bundle = Bundle.open(tmp_path / "out")
    assert messages(bundle) == [] and validate(bundle) == []
    log = bundle.logs[0]
    found = {
        "events": [], "tables": log.directory["tables"], "findings": [row["kind"] for row in log.findings()], "ranks": bundle.manifest.get("rank_tables", ())
    }[group]  # fmt: skip
    assert group == "events" or DONE[group] in found


def test_of_two_plugins_with_one_name_the_first_is_used(installed, root, tmp_path):
    folder = installed("tables", TABLE)
    install(
        folder,
        "[tlparse_bundle.tables]\nother = engine_other:Steps\n",
        {"engine_other": TABLE.replace('{"event"', '{"other"')},
        name="other",
    )
    forget()
    build(discover([root / "fixtures" / ONE_TRACE / "trace"]), tmp_path / "out", jobs=1)
    bundle = Bundle.open(tmp_path / "out")
    assert "event" in bundle.logs[0].table("engine_steps")[0]
    assert messages(bundle) == [
        "Plug-in 'other' (tlparse_bundle.tables) of the package other 1.0 failed: ValueError: the name"
        " 'engine_steps' is taken"
    ]


@pytest.mark.parametrize("name", ["tables observe", "findings raise", "events dict"])
def test_a_log_with_a_second_process_has_the_same_bundle(name, installed, root, tmp_path, monkeypatch):
    group, source, _ = source_of(name)
    installed(group, source)
    monkeypatch.setattr(stage, "_APART_BYTES", 0)
    bundles = []
    for jobs in (1, 2):
        build(discover([root / "fixtures" / ONE_TRACE / "trace"]), tmp_path / str(jobs), jobs=jobs)
        bundles.append(digests(tmp_path / str(jobs)))
    assert bundles[0] == bundles[1]


def digests(folder):
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def run(folder, *arguments):
    code = (
        f"import sys; sys.path.insert(0, {os.fspath(folder)!r}); from tlparse_bundle.cli.main import main;"
        " main()"
    )
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("name", ["tables observe", "ranks digest"])
def test_the_command_line_reports_plugin_faults_and_strict_fails(name, installed, root, tmp_path):
    """The diagnostics are equal when other processes read the logs."""
    group, source, expected = source_of(name)
    folder = installed(group, source)
    trace = root / "fixtures" / RANKS_TRACE / "trace"
    done = run(folder, trace, tmp_path / "two", "--jobs", "2", "--json")
    assert done.returncode == 0 and done.stderr.count(expected) == 1
    assert (
        f"warning: Plug-in 'engine' (tlparse_bundle.{group}) of the package engine 1.0 failed" in done.stderr
    )
    assert len(json.loads(done.stdout)["diagnostics"]) == (group == "ranks")
    strict = run(folder, trace, tmp_path / "one", "--jobs", "1", "--strict", "-q")
    assert strict.returncode == 3 and "a plug-in failed" in strict.stderr and "plugin-failed" in strict.stderr
    assert digests(tmp_path / "one") == digests(tmp_path / "two")
    checked = run(folder, "validate", tmp_path / "two")
    assert checked.returncode == 0, checked.stderr
    assert "plugin-failed" in run(folder, "info", tmp_path / "two").stdout


@pytest.mark.parametrize("name", ["tables rows", "findings raise", "ranks rows"])
def test_follow_and_merge(name, installed, root, tmp_path, monkeypatch):
    """Each state while following has the diagnostics, and the finished bundle equals a build; so does a
    merge.
    """
    without_gaps(monkeypatch)
    group, source, expected = source_of(name)
    installed(group, source)
    sources = sorted((root / "fixtures" / RANKS_TRACE / "trace").iterdir())[:2]
    trace = tmp_path / "trace"
    trace.mkdir()
    states = []

    def step():
        for path in sources:
            (trace / path.name).write_bytes(path.read_bytes())

    def state(manifest):
        states.append(
            validate(Bundle.open(tmp_path / "followed")) or messages(Bundle.open(tmp_path / "followed"))
        )

    result = follow([trace], tmp_path / "followed", [step], on_state=state)
    build(discover([trace]), tmp_path / "built", jobs=1)
    assert digests(tmp_path / "followed") == digests(tmp_path / "built")
    assert expected in states[-1][0] and len(result.plugin_faults) == 1
    for number, path in enumerate(sources):
        build(discover([path]), tmp_path / f"part{number}", jobs=1)
    merged = merge([tmp_path / "part0", tmp_path / "part1"], tmp_path / "merged", jobs=1)
    assert digests(tmp_path / "merged") == digests(tmp_path / "built")
    assert merged.plugin_faults == result.plugin_faults


def test_ctrl_c_in_a_plugin_ends_the_build(installed, root, tmp_path):
    installed("tables", TABLE.replace('self._rows.append({"event": event.index})', "raise KeyboardInterrupt"))
    with pytest.raises(KeyboardInterrupt):
        build(discover([root / "fixtures" / ONE_TRACE / "trace"]), tmp_path / "out", jobs=1)
    assert not (tmp_path / "out").exists()


def test_check_does_not_accept_finding_kinds_of_a_failing_plugin(installed, root, tmp_path):
    folder = installed(
        "findings", FINDINGS.replace("def findings", "def opinion")
    )  # a different length, because Python reuses bytecode for a file with equal size and second
    trace = root / "fixtures" / "nonascii" / "trace"
    done = run(folder, "check", trace, "--baseline", trace, "--fail-on", "new:engine-idle")
    assert done.returncode == 2 and "'engine-idle' is not a kind of finding" in done.stderr
    (folder / "engine_plugin.py").write_text(textwrap.dedent(FINDINGS))
    assert run(folder, "check", trace, "--baseline", trace, "--fail-on", "new:engine-idle").returncode == 0
