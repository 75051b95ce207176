"""What is made of the events of a log in a process of its own: the same bundle, and no process left whatever happens."""

import os
import re
import signal
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from log_builder import record
from log_strategies import cases, damaged_logs, hostile_logs
from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.bundle import log_tables_apart, log_tables_pipe, log_writer
from tlparse_bundle.bundle.log_tables_pipe import RecentPayloads, event_of, row_of
from tlparse_bundle.trace.envelope import Event
from traces import FIXTURE_LOGS, ROOT, files, params


@pytest.fixture
def processes(monkeypatch):
    """Small logs get a second process too; these are started."""
    monkeypatch.setattr(log_writer, "_APART_BYTES", 0)
    started = []

    class Popen(subprocess.Popen):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            started.append(self)

    monkeypatch.setattr(log_tables_apart.subprocess, "Popen", Popen)
    yield started
    assert [process.returncode is None for process in started] == [False] * len(started)  # waited for: none is left


# One of each scenario is enough: a process takes a second to start.
@pytest.mark.parametrize("path", params(FIXTURE_LOGS[::4], ROOT / "fixtures"))
def test_the_same_bundle(path, processes, tmp_path):
    logs = discover([path])
    build(logs, tmp_path / "one", jobs=1)
    assert not processes
    build(logs, tmp_path / "two", jobs=2)
    assert len(processes) == 1
    assert files(tmp_path / "one") == files(tmp_path / "two")


@given(hostile_logs() | damaged_logs())
@cases(10)
def test_the_same_bundle_of_any_log(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("any")
    path = folder / "dedicated_log_torch_trace_rank_2_x.log"
    path.write_bytes(record("a @1") + data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log_writer, "_APART_BYTES", 0)
        for jobs in (1, 2):
            build(discover([path]), folder / str(jobs), jobs=jobs)
    assert files(folder / "1") == files(folder / "2")


@pytest.fixture
def damaged(tmp_path):
    """A log with more unreadable payloads than there are rows for one code of diagnostics, among them such that both processes see."""
    path = tmp_path / "dedicated_log_torch_trace_x.log"
    path.write_bytes(b"".join(record(f"artifact:{name} 0/0", "{") for name in ("fx_graph_cache_miss", "recompile_reasons") * 1200))
    return discover([path])


def test_diagnostics_are_put_together(damaged, processes, tmp_path):
    build(damaged, tmp_path / "one", jobs=1)
    build(damaged, tmp_path / "two", jobs=2)
    assert files(tmp_path / "one") == files(tmp_path / "two")
    (one,) = Bundle.open(tmp_path / "two").logs
    assert one.row["diagnostics"]["table-parse"] >= 1200


def test_a_process_that_is_killed(damaged, processes, monkeypatch, tmp_path):
    def killed(self):
        os.kill(self._process.pid, signal.SIGKILL)
        return finish(self)

    finish = log_tables_apart.LogTablesApart.finish
    monkeypatch.setattr(log_tables_apart.LogTablesApart, "finish", killed)
    with pytest.raises(BundleError, match="ended early") as error:
        build(damaged, tmp_path / "out", jobs=2)
    assert "--jobs 1" in error.value.hint
    assert not list(tmp_path.glob("*out*"))


def test_what_goes_wrong_over_there_is_said_here(damaged, processes, monkeypatch, tmp_path):
    def spoil(self, sink, log_id, stacks):
        (sink.root / "logs" / log_id).parent.mkdir(parents=True)
        (sink.root / "logs" / log_id).write_text("in the way")
        start(self, sink, log_id, stacks)

    start = log_tables_apart.LogTablesApart.__init__
    monkeypatch.setattr(log_tables_apart.LogTablesApart, "__init__", spoil)
    with pytest.raises(BundleError, match="cannot be written"):
        build(damaged, tmp_path / "out", jobs=2)


def test_an_error_here_ends_it(damaged, processes, monkeypatch, tmp_path):
    def fail(self, event):
        raise RuntimeError("here")

    monkeypatch.setattr(log_tables_apart.LogTablesApart, "observe", fail)
    with pytest.raises(RuntimeError, match="here"):
        build(damaged, tmp_path / "out", jobs=2)


def test_it_ends_when_nobody_speaks_to_it():
    command = [sys.executable, "-c", "from tlparse_bundle.bundle.log_tables_process import main; main()"]
    done = subprocess.run(command, input=b"", capture_output=True, timeout=60, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_events_pass_whole(processes, tmp_path):
    """Every table of a large log has the same rows, whichever process filled it."""
    path = tmp_path / "dedicated_log_torch_trace_x.log"
    text = "".join(path.read_text() for path in FIXTURE_LOGS if "recompiles" in str(path))
    path.write_bytes(text.encode() * 3)
    build(discover([path]), tmp_path / "one", jobs=1)
    build(discover([path]), tmp_path / "two", jobs=2)
    assert files(tmp_path / "one") == files(tmp_path / "two")
    assert re.search(r"guards\.json", " ".join(files(tmp_path / "two")))


@given(st.lists(st.binary(max_size=9), max_size=30), st.integers(0, 40))
def test_payloads_arrive_whole(payloads, limit):
    """However little both ends hold of those that were sent before."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log_tables_pipe, "_MAX_RECENT_BYTES", limit)
        here, there, sent = RecentPayloads(), RecentPayloads(), 0
        for payload in payloads:
            event = Event()
            for name in Event.__slots__:
                setattr(event, name, None)
            event.payload, event.hash, event.metadata_json = payload, payload.hex(), b"null"
            row, _ = row_of(event, here, whole=False)
            sent += payload in row
            assert event_of(row, there).payload == payload
        assert sent >= len(set(payloads)) and (sent == len(set(payloads)) or sum(map(len, set(payloads))) > limit)


def test_payloads_that_come_again_are_not_sent_again(processes, monkeypatch, tmp_path):
    path = tmp_path / "dedicated_log_torch_trace_x.log"
    graph = "class G(torch.nn.Module):\n    def forward(self, a):\n        return (a,)" + "  # é\n" * 1000
    path.write_bytes(b"".join(record(f"aot_inference_graph {i}/0", payload) for i in range(20) for payload in (graph, graph + str(i % 2), "")))
    sizes, write = [], log_tables_apart.write_message
    monkeypatch.setattr(log_tables_apart, "write_message", lambda stream, message: (sizes.append(len(message)), write(stream, message)))
    for jobs in (1, 2):
        build(discover([path]), tmp_path / str(jobs), jobs=jobs)
    assert 3 * len(graph) < sum(sizes) < 5 * len(graph)
    assert files(tmp_path / "1") == files(tmp_path / "2")
