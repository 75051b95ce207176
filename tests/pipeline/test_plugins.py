"""A package adds an event kind, a table, a kind of finding and a rank analysis through entry points alone."""

import subprocess
import sys
import textwrap

import pytest
from installed_plugins import forget, install
from log_builder import log
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.bundle.validate import validate
from tlparse_bundle.pipeline import stage

KINDS = '''
    """Kinds of records of a serving engine."""
    from tlparse_bundle.log.events.kind import Kind

    KINDS = (
        Kind("engine_step", "engine step", "runtime", "none", "One step of the engine's scheduler."),
        Kind("artifact:engine_*", "engine report", "runtime", "text", "What the engine says of itself."),
        Kind("dynamo_start", "not ours", "other", "text", "A kind that we have keeps its description."),
    )
'''
TABLE = '''
    """How many requests each step of the engine had."""

    class EngineSteps:
        name = "engine_steps"
        types = frozenset(("engine_step",))

        def __init__(self, context):
            self._rows = []

        def observe(self, event):
            requests = event.value.get("requests") if type(event.value) is dict else None
            key = None if event.compile_id is None else event.compile_id.key(event.occurrence)
            self._rows.append({"event": event.index, "compile": key, "requests": requests})

        def tables(self):
            yield "engine_steps", self._rows
'''
ANALYSIS = '''
    """How many steps the engines of all ranks made."""

    class EngineRanks:
        name = "engine_ranks"

        def digest(self, frames):
            return len(frames.log.table("engine_steps"))

        def tables(self, comparison, digests, tables):
            yield "engine_ranks", [{"rank": member.rank, "steps": count, "log": row["log"]} for member, count, row in zip(comparison.members, digests, tables["ranks"])]
'''
FINDINGS = '''
    """Engines that had nothing to do."""
    from tlparse_bundle.statements.finding import Finding

    KINDS = ("engine-idle",)

    def findings(facts):
        rows = facts.table("engine_steps")
        if sum(row["requests"] for row in rows) < 10:
            yield Finding("engine-idle", "warning", "The engine had next to nothing to do", ("idle",), events=[row["event"] for row in rows])
'''
ENTRY_POINTS = """
    [tlparse_bundle.events]
    engine = engine_kinds

    [tlparse_bundle.tables]
    engine = engine_table:EngineSteps

    [tlparse_bundle.findings]
    engine = engine_findings

    [tlparse_bundle.ranks]
    engine = engine_ranks:EngineRanks
"""
LOG = log("""
    engine_step 0/0 {"requests": 7}
    artifact:engine_report 0/0
        | all well
    dynamo_start 0/0
""")


@pytest.fixture
def plugin(tmp_path):
    """A folder with an installed package, as pip would leave it."""
    folder = tmp_path / "site"
    install(
        folder,
        ENTRY_POINTS,
        {"engine_kinds": KINDS, "engine_table": TABLE, "engine_ranks": ANALYSIS, "engine_findings": FINDINGS},
    )
    return folder


@pytest.fixture
def forget_kinds():
    """The registry reads the entry points once per process."""
    forget()
    yield
    forget()


def test_a_plugin_adds_kinds_and_a_table(plugin, forget_kinds, monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(plugin)
    (tmp_path / "dedicated_log_torch_trace_x.log").write_bytes(LOG)
    build(discover([tmp_path / "dedicated_log_torch_trace_x.log"]), tmp_path / "out", jobs=1)
    bundle = Bundle.open(tmp_path / "out")
    assert validate(bundle) == []
    (it,) = bundle.logs
    assert it.table("engine_steps") == [{"event": 0, "compile": "0/0", "requests": 7}]
    titles = {
        kind["type"]: bundle.manifest["descriptors"][kind["descriptor"]]["title"]
        for kind in it.directory["kinds"]
    }
    assert titles == {"engine_step": "engine step", "artifact": "engine report", "dynamo_start": "start"}
    assert [(artifact.name, artifact.phase) for artifact in it.artifacts] == [("engine_report", "runtime")]
    assert ("engine-idle", [0]) in [(row["kind"], row["events"]) for row in it.findings()]


def test_it_works_for_worker_processes_too(plugin, tmp_path):
    """With several logs, the command line reads them in separate processes."""
    for number in range(3):
        (tmp_path / f"dedicated_log_torch_trace_rank_{number}_x.log").write_bytes(LOG)
    code = (
        f"import sys; sys.path.insert(0, {str(plugin)!r}); from tlparse_bundle.cli.main import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path), str(tmp_path / "out"), "--jobs", "2", "-q"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    bundle = Bundle.open(tmp_path / "out")
    assert [len(it.table("engine_steps")) for it in bundle.logs] == [1, 1, 1]
    assert bundle.rank_table("engine_ranks") == [
        {"rank": rank, "steps": 1, "log": bundle.logs[rank].id} for rank in range(3)
    ]
    assert validate(bundle) == []


SPANS = """
    class Arguments:
        name = "arguments"
        types = frozenset(("chromium_event",))

        def __init__(self, context):
            self._rows = []

        def observe(self, event):
            self._rows.append({"note": event.trace_event["args"]["note"], "payload": event.payload.decode(), "rank": event.rank})

        def tables(self):
            yield self.name, self._rows
"""


def test_a_table_sees_whole_events_of_a_log_that_has_a_second_process(
    plugin, forget_kinds, monkeypatch, tmp_path
):
    monkeypatch.setattr(stage, "_APART_BYTES", 0)
    monkeypatch.syspath_prepend(plugin)
    (plugin / "engine_spans.py").write_text(textwrap.dedent(SPANS))
    (plugin / "engine-1.0.dist-info" / "entry_points.txt").write_text(
        "[tlparse_bundle.tables]\nspans = engine_spans:Arguments\n"
    )
    payload = '{"name": "x", "ph": "i", "ts": 1, "args": {"note": "a note"}}'
    path = tmp_path / "dedicated_log_torch_trace_x.log"
    path.write_bytes(log(f"chromium_event 0/0 @3\n | {payload}"))
    for jobs in (1, 2):
        build(discover([path]), tmp_path / "out", jobs=jobs, overwrite=True)
        (it,) = Bundle.open(tmp_path / "out").logs
        assert it.table("arguments") == [{"note": "a note", "payload": payload, "rank": 3}]


def test_without_the_plugin_nothing_is_lost(log_of):
    it = log_of(LOG)
    assert [event.type for event in it.events()] == ["engine_step", "artifact", "dynamo_start"]
    assert next(it.events(type="engine_step")).metadata["engine_step"] == {"requests": 7}
    assert "engine_steps" not in it.directory["tables"]
