"""A log that is read, and its tables made, in several processes: the same bundle, and no process left whatever happens."""

import gzip
import hashlib
import io
import os
import pickle
import re
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from log_builder import record
from log_strategies import cases, damaged_logs, hostile_logs
from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.build import helper, log_records_pipe, log_tables_apart, log_tables_pipe, log_writer
from tlparse_bundle.build.log_tables_apart import LogTablesApart
from tlparse_bundle.build.log_tables_pipe import RecentPayloads, event_of, row_of
from tlparse_bundle.build.payload_tables_apart import PayloadTablesApart
from tlparse_bundle.build.payload_tables_forked import PayloadTablesForked
from tlparse_bundle.build.sink import FileSink
from tlparse_bundle.diagnostics import Diagnostics
from tlparse_bundle.format.codecs import CODECS
from tlparse_bundle.tables.registry import PAYLOAD_TABLES
from tlparse_bundle.trace.event import Event
from tlparse_bundle.trace.reader import Record, RecordReader
from tlparse_bundle.trace.stacks import StackTable
from traces import FIXTURE_LOGS, ROOT, files, params
from waiting import HANG_S, until


@pytest.fixture
def processes(monkeypatch):
    """Small logs get other processes too; these are started by this one."""
    monkeypatch.setattr(log_writer, "_APART_BYTES", 0)
    started = []

    class Popen(subprocess.Popen):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            started.append(self)

    monkeypatch.setattr(helper.subprocess, "Popen", Popen)
    yield started
    assert [process.returncode is None for process in started] == [False] * len(started)  # waited for: none is left


# One of each scenario is enough: a process takes a second to start.
@pytest.mark.parametrize("path", params(FIXTURE_LOGS[::4], ROOT / "fixtures"))
def test_the_same_bundle(path, processes, tmp_path):
    logs = discover([path])
    build(logs, tmp_path / "one", jobs=1)
    assert not processes
    for jobs, count in ((2, 1), (4, 3)):  # with four, one of them starts the fourth
        build(logs, tmp_path / str(jobs), jobs=jobs)
        assert len(processes) == count
        assert files(tmp_path / "one") == files(tmp_path / str(jobs))


def test_a_process_for_each_core_that_we_may_use(processes, monkeypatch, tmp_path):
    for count in range(1, 6):
        monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(count)), raising=False)
        before = len(processes)
        build(discover([FIXTURE_LOGS[0]]), tmp_path / str(count))
        assert len(processes) - before == min(count - 1, 2)  # one of them starts the fourth


def test_the_same_bundle_of_a_log_with_large_payloads(processes, tmp_path):
    path = tmp_path / "dedicated_log_torch_trace_x.log"
    code = "def call(args):\n    buf0 = torch.ops.aten.add.Tensor(args[0], args[1])\n" * 60_000
    names = "inductor_output_code 0/0", "artifact:a 0/0", "dynamo_output_graph 0/1", "artifact:a 0/0"
    path.write_bytes(b"".join(record(name, payload=f"{code}# {i % 3}") + record("b", payload="small") for i, name in enumerate(names)))
    for jobs in (1, 2, 4):
        build(discover([path]), tmp_path / str(jobs), jobs=jobs)
    assert files(tmp_path / "1") == files(tmp_path / "2") == files(tmp_path / "4")


def test_large_bytes_arrive_as_bytes():
    pipe = io.BytesIO()
    message = {"rows": [(1, b"x"), (2, b"y" * (2 << 20)), (3, b""), (4, None), (5, b"z" * (1 << 20))]}
    helper.Link(pipe, pipe).send({"rows": [(number, helper.sent_apart(data)) for number, data in message["rows"]]})
    helper.Link(pipe, pipe).send("next")
    size = pipe.tell()
    pipe.seek(0)
    link = helper.Link(pipe, pipe)
    assert link.receive() == message and link.receive() == "next"
    for cut in (size - 1, (3 << 20) - 1, 30, 3):
        pipe.truncate(cut)
        pipe.seek(0)
        with pytest.raises(helper.LinkClosed):
            link.receive(), link.receive()


@given(hostile_logs() | damaged_logs())
@cases(10)
def test_the_same_bundle_of_any_log(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("any")
    path = folder / "dedicated_log_torch_trace_rank_2_x.log"
    path.write_bytes(record("a @1") + data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log_writer, "_APART_BYTES", 0)
        for jobs in (1, 4):
            build(discover([path]), folder / str(jobs), jobs=jobs)
    assert files(folder / "1") == files(folder / "4")


@pytest.fixture
def damaged(tmp_path):
    """A log with more unreadable payloads than there are rows for one code of diagnostics, among them such that both processes see."""
    path = tmp_path / "dedicated_log_torch_trace_x.log"
    path.write_bytes(b"".join(record(f"artifact:{name} 0/0", "{") for name in ("fx_graph_cache_miss", "recompile_reasons") * 1200))
    return discover([path])


def test_diagnostics_are_put_together(damaged, processes, tmp_path):
    with damaged[0].path.open("ab") as stream:
        stream.write(b"no record\n" + record("a").replace(b"{", b"", 1) + b"\n")
    for jobs in (1, 2, 4):
        build(damaged, tmp_path / str(jobs), jobs=jobs)
    assert files(tmp_path / "1") == files(tmp_path / "2") == files(tmp_path / "4")
    (one,) = Bundle.open(tmp_path / "4").logs
    assert one.row["diagnostics"]["table-parse"] >= 1200
    assert {"not-a-record", "json-syntax", "blank-line"} <= one.row["diagnostics"].keys()


@pytest.mark.parametrize("module", ["log_tables_process", "log_records_process"])
def test_a_process_that_is_killed(module, damaged, processes, monkeypatch, tmp_path):
    class Killed(helper.subprocess.Popen):
        def __init__(self, command, **options):
            suicide = [sys.executable, "-c", f"import os; os.kill(os.getpid(), {signal.SIGKILL})"]
            super().__init__(suicide if module in command[2] else command, **options)

    monkeypatch.setattr(helper.subprocess, "Popen", Killed)
    with pytest.raises(BundleError, match=f"ended early .*{-signal.SIGKILL}") as error:
        build(damaged, tmp_path / "out", jobs=4)
    assert "--jobs 1" in error.value.hint
    assert not list(tmp_path.glob("*out*"))


def test_a_process_of_a_process_that_is_killed(processes, tmp_path):
    with FileSink(tmp_path, CODECS["zstd"]) as sink, closing(PayloadTablesApart(sink, "x")) as tables:
        processes[0].kill()
        with pytest.raises(BundleError, match="ended early"):
            tables.end()
            tables.finish()


def test_a_copy_of_a_process_that_is_killed_or_fails(tmp_path):
    with FileSink(tmp_path, CODECS["zstd"], threads=False) as sink:
        with closing(PayloadTablesForked(sink, "x")) as tables, pytest.MonkeyPatch.context() as patch:
            patch.setattr(PayloadTablesForked, "_write", lambda self, answer: os.kill(os.getpid(), signal.SIGKILL))
            tables.end()
            with pytest.raises(BundleError, match=f"ended early .*{-signal.SIGKILL}"):
                tables.finish()
        with closing(PayloadTablesForked(sink, "x")) as tables:
            tables.end()
            assert tables.finish()[0].keys() == {table.name for table in PAYLOAD_TABLES}
        (tmp_path / "logs" / "y").write_text("in the way")
        with closing(PayloadTablesForked(sink, "y")) as tables:
            tables.end()
            with pytest.raises(OSError):
                tables.finish()


@pytest.mark.parametrize("jobs", [2, 4])
def test_what_goes_wrong_over_there_is_said_here(jobs, damaged, processes, monkeypatch, tmp_path):
    def spoil(self, sink, log_id, stacks, **how):
        (sink.root / "logs" / log_id).parent.mkdir(parents=True)
        (sink.root / "logs" / log_id).write_text("in the way")
        start(self, sink, log_id, stacks, **how)

    start = log_tables_apart.LogTablesApart.__init__
    monkeypatch.setattr(log_tables_apart.LogTablesApart, "__init__", spoil)
    with pytest.raises(BundleError, match="cannot be written"):
        build(damaged, tmp_path / "out", jobs=jobs)


def test_a_log_that_cannot_be_decompressed(damaged, processes, tmp_path):
    path = tmp_path / "dedicated_log_torch_trace_y.log.gz"
    path.write_bytes(gzip.compress(damaged[0].path.read_bytes())[:-9])
    for jobs in (1, 4):
        with pytest.raises(BundleError, match="cannot be decompressed") as error:
            build(discover([path]), tmp_path / "out", jobs=jobs)
        assert error.value.code == "compression" and "by hand" in error.value.hint


def test_an_error_here_ends_it(damaged, processes, monkeypatch, tmp_path):
    def fail(self, event):
        raise RuntimeError("here")

    monkeypatch.setattr(log_tables_apart.LogTablesApart, "observe", fail)
    with pytest.raises(RuntimeError, match="here"):
        build(damaged, tmp_path / "out", jobs=4)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_with_it_end_those_that_it_has_started(processes, tmp_path):
    """Also one that does not listen: it could write into a folder that is being removed."""

    def of_session():
        # pid, command, state, parent, group, session
        stats = [path.read_text().rpartition(")")[2].split() + [path.parent.name] for path in Path("/proc").glob("[0-9]*/stat")]
        return [int(stat[-1]) for stat in stats if int(stat[3]) == processes[0].pid and stat[0] != "Z"]

    with FileSink(tmp_path, CODECS["zstd"]) as sink:
        tables = LogTablesApart(sink, "x", StackTable(), payloads_apart=True)
        until(lambda: len(of_session()), 2)
        os.kill(max(of_session()), signal.SIGSTOP)
        tables.close()
        until(of_session, [])


@pytest.mark.parametrize("module", ["log_tables_process", "log_records_process", "payload_tables_process"])
def test_it_ends_when_nobody_speaks_to_it(module):
    command = [sys.executable, "-c", f"from tlparse_bundle.build.{module} import main; main()"]
    done = subprocess.run(command, input=b"", capture_output=True, timeout=HANG_S, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_events_pass_whole(processes, tmp_path):
    """Every table of a large log has the same rows, whichever process filled it."""
    path = tmp_path / "dedicated_log_torch_trace_x.log"
    text = "".join(path.read_text() for path in FIXTURE_LOGS if "recompiles" in str(path))
    path.write_bytes(text.encode() * 3)
    for jobs in (1, 2, 3, 4):
        build(discover([path]), tmp_path / str(jobs), jobs=jobs)
    one, *others = (files(tmp_path / str(jobs)) for jobs in (1, 2, 3, 4))
    assert others == [one] * 3
    assert re.search(r"guards\.json", " ".join(one))


@given(st.lists(st.binary(max_size=9), max_size=30), st.integers(0, 40))
@cases(100)
def test_payloads_arrive_whole(payloads, limit):
    """However little both ends hold of those that were sent before."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log_tables_pipe, "_MAX_RECENT_BYTES", limit)
        here, there, sent = RecentPayloads(), RecentPayloads(), 0
        for payload in payloads:
            event = Event()
            for name in Event.__slots__:
                setattr(event, name, None)
            event.payload, event.metadata_json = payload, b"null"
            event.sha256 = payload.hex()
            row, _ = row_of(event, here, whole=False)
            sent += any(value is payload for value in row)  # not what equals it by chance
            assert event_of(row, there).payload == payload
        assert sent >= len(set(payloads)) and (sent == len(set(payloads)) or sum(map(len, set(payloads))) > limit)


@given(st.lists(st.binary(max_size=9) | st.none(), max_size=30), st.integers(0, 40))
@cases(100)
def test_records_arrive_whole(payloads, limit):
    """Whatever is remembered of their payloads."""
    data = b"".join(record("a" if payload is None else f"chromium_event @{len(payload) % 3}", payload=payload) for payload in payloads)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log_records_pipe, "_MAX_BYTES", limit)
        patch.setattr(log_records_pipe, "_MAX_PAYLOAD_BYTES", 8)
        sent, known = log_records_pipe.SentPayloads(), log_records_pipe.KnownPayloads()
        for one in RecordReader(io.BytesIO(data), Diagnostics()):
            row, _ = log_records_pipe.row_of(one, sent)
            other = log_records_pipe.record_of(pickle.loads(pickle.dumps(row)), known)
            assert [getattr(one, name) for name in Record.__slots__] == [getattr(other, name) for name in Record.__slots__]
            assert other.md5 == (None if one.payload is None else hashlib.md5(one.payload).hexdigest())


def test_a_log_that_only_this_process_can_reach(processes, tmp_path):
    fsspec = pytest.importorskip("fsspec")
    for at in (f"memory://made/{tmp_path.name}/", f"{tmp_path}/"):
        with fsspec.open(f"{at}dedicated_log_torch_trace_x.log", "wb") as stream:
            stream.write(FIXTURE_LOGS[0].read_bytes())
    build(discover([f"memory://made/{tmp_path.name}"]), tmp_path / "far", jobs=4)
    assert len(processes) == 1
    build(discover([tmp_path / "dedicated_log_torch_trace_x.log"]), tmp_path / "near", jobs=1)
    assert files(tmp_path / "far") == files(tmp_path / "near")


def test_payloads_that_come_again_are_not_sent_again(processes, monkeypatch, tmp_path):
    path = tmp_path / "dedicated_log_torch_trace_x.log"
    graph = "class G(torch.nn.Module):\n    def forward(self, a):\n        return (a,)" + "  # é\n" * 1000
    path.write_bytes(b"".join(record(f"aot_inference_graph {i}/0", payload) for i in range(20) for payload in (graph, graph + str(i % 2), "")))
    sizes, send = [], helper.Link.send
    monkeypatch.setattr(helper.Link, "send", lambda link, message: (sizes.append(len(pickle.dumps(message))), send(link, message)))
    for jobs in (1, 2):
        build(discover([path]), tmp_path / str(jobs), jobs=jobs)
    assert 3 * len(graph) < sum(sizes) < 5 * len(graph)
    records = RecordReader(io.BytesIO(path.read_bytes()), Diagnostics())
    sent = log_records_pipe.SentPayloads()
    assert 3 * len(graph) < sum(len(pickle.dumps(log_records_pipe.row_of(one, sent)[0])) for one in records) < 7 * len(graph)
    assert files(tmp_path / "1") == files(tmp_path / "2")
