"""A log read, and its tables built, in several processes: the same bundle, and no process left."""

import gzip
import io
import os
import pickle
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
from tlparse_bundle.log.compile_id import CompileId
from tlparse_bundle.log.event import Event
from tlparse_bundle.pipeline import batches, helper_process, stage
from tlparse_bundle.pipeline.batches import Batch, BatchesReceived, BatchesSent
from tlparse_bundle.pipeline.stage import LOG_TABLES, open_stage
from traces import FIXTURE_LOGS, ROOT, files, params
from waiting import HANG_S


@pytest.fixture
def processes(monkeypatch):
    """Use other processes for small logs too; they are started by this one."""
    monkeypatch.setattr(stage, "_APART_BYTES", 0)
    started = []

    class Subprocess(helper_process._Subprocess):
        def __init__(self, work):
            super().__init__(work)
            started.append(self)

    monkeypatch.setattr(helper_process, "_Subprocess", Subprocess)
    monkeypatch.setattr(helper_process, "may_fork", lambda: False)
    yield started
    assert [process.returncode is None for process in started] == [False] * len(
        started
    )  # waited for: none is left


# One of each scenario is enough: a process takes a second to start.
@pytest.mark.parametrize("path", params(FIXTURE_LOGS[::4], ROOT / "fixtures"))
def test_the_same_bundle(path, processes, tmp_path):
    logs = discover([path])
    build(logs, tmp_path / "one", jobs=1)
    assert not processes
    build(logs, tmp_path / "two", jobs=2)
    assert len(processes) == 1
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_a_second_process_where_there_is_a_second_core(processes, monkeypatch, tmp_path):
    for count in range(1, 5):
        monkeypatch.setattr(
            os, "sched_getaffinity", lambda pid, count=count: set(range(count)), raising=False
        )
        before = len(processes)
        build(discover([FIXTURE_LOGS[0]]), tmp_path / str(count))
        assert len(processes) - before == min(count - 1, 1)


def test_a_log_of_many_has_one_core_unless_there_are_more(processes, tmp_path):
    for number in range(3):
        (tmp_path / f"rank_{number}.log").write_bytes(FIXTURE_LOGS[0].read_bytes())
    build(discover([tmp_path]), tmp_path / "out", jobs=1)
    assert not processes


def test_the_same_bundle_of_a_log_with_large_payloads(processes, tmp_path):
    path = tmp_path / "dedicated_log_torch_trace_x.log"
    code = "def call(args):\n    buf0 = torch.ops.aten.add.Tensor(args[0], args[1])\n" * 60_000
    names = "inductor_output_code 0/0", "artifact:a 0/0", "dynamo_output_graph 0/1", "artifact:a 0/0"
    path.write_bytes(
        b"".join(
            record(name, payload=f"{code}# {i % 3}") + record("b", payload="small")
            for i, name in enumerate(names)
        )
    )
    for jobs in (1, 2):
        build(discover([path]), tmp_path / str(jobs), jobs=jobs)
    assert files(tmp_path / "1") == files(tmp_path / "2")


def test_large_bytes_arrive_as_bytes():
    pipe = io.BytesIO()
    message = {"rows": [(1, b"x"), (2, b"y" * (2 << 20)), (3, b""), (4, None), (5, b"z" * (1 << 20))]}
    helper_process.Link(pipe, pipe).send(
        {"rows": [(number, helper_process.sent_apart(data)) for number, data in message["rows"]]}
    )
    helper_process.Link(pipe, pipe).send("next")
    size = pipe.tell()
    pipe.seek(0)
    link = helper_process.Link(pipe, pipe)
    assert link.receive() == message and link.receive() == "next"
    for cut in (size - 1, (3 << 20) - 1, 30, 3):
        pipe.truncate(cut)
        pipe.seek(0)
        with pytest.raises(helper_process.LinkClosed):
            link.receive(), link.receive()


@given(hostile_logs() | damaged_logs())
@cases(10)
def test_the_same_bundle_of_any_log(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("any")
    path = folder / "dedicated_log_torch_trace_rank_2_x.log"
    path.write_bytes(record("a @1") + data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stage, "_APART_BYTES", 0)
        for jobs in (1, 2):
            build(discover([path]), folder / str(jobs), jobs=jobs)
    assert files(folder / "1") == files(folder / "2")


@pytest.fixture
def damaged(tmp_path):
    """A log with more unreadable payloads than rows for one diagnostics code, including payloads that both
    processes see.
    """
    path = tmp_path / "dedicated_log_torch_trace_x.log"
    path.write_bytes(
        b"".join(
            record(f"artifact:{name} 0/0", "{")
            for name in ("fx_graph_cache_miss", "recompile_reasons") * 1200
        )
    )
    return discover([path])


def test_diagnostics_are_put_together(damaged, processes, tmp_path):
    with damaged[0].path.open("ab") as stream:
        stream.write(b"no record\n" + record("a").replace(b"{", b"", 1) + b"\n")
    for jobs in (1, 2):
        build(damaged, tmp_path / str(jobs), jobs=jobs)
    assert files(tmp_path / "1") == files(tmp_path / "2")
    (one,) = Bundle.open(tmp_path / "2").logs
    assert one.row["diagnostics"]["table-parse"] >= 1200
    assert {"not-a-record", "json-syntax", "blank-line"} <= one.row["diagnostics"].keys()


def test_a_process_that_is_killed(damaged, processes, monkeypatch, tmp_path):
    killed = [sys.executable, "-c", f"import os; os.kill(os.getpid(), {signal.SIGKILL})"]
    monkeypatch.setattr(helper_process, "_command", lambda work: killed)
    with pytest.raises(BundleError, match=f"was killed .*{-signal.SIGKILL}") as error:
        build(damaged, tmp_path / "out", jobs=2)
    assert "--jobs 1" in error.value.hint
    assert not list(tmp_path.glob("*out*"))


def test_a_fault_in_the_other_process_is_reported_here(damaged, processes, monkeypatch, tmp_path):
    """The place of the log's tables is taken; this process notices when it writes its own."""
    start = stage._Apart.__init__

    def spoil(self, name, arguments):
        root, _, log_id, _ = arguments
        (root / "logs" / log_id).parent.mkdir(parents=True)
        (root / "logs" / log_id).write_text("in the way")
        start(self, name, arguments)

    monkeypatch.setattr(stage._Apart, "__init__", spoil)
    with pytest.raises(BundleError, match="cannot be written"):
        build(damaged, tmp_path / "out", jobs=2)


def test_an_error_in_the_other_process_is_raised_here(processes, tmp_path):
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "x").write_text("in the way")
    with open_stage(LOG_TABLES, tmp_path, "zstd", "x", False, cores=2, log_bytes=1) as apart:
        read = batch([event(None, index=0, line=1, byte_offset=0)])
        apart.feed(read._replace(compiles=[(None, 1, 0, 0)], origins=[("V", "torch/a.py", 1)], pids=[1]))
        apart.end()
        with pytest.raises(OSError):
            apart.finish(list)


def test_a_log_that_cannot_be_decompressed(damaged, processes, tmp_path):
    path = tmp_path / "dedicated_log_torch_trace_y.log.gz"
    path.write_bytes(gzip.compress(damaged[0].path.read_bytes())[:-9])
    for jobs in (1, 2):
        with pytest.raises(BundleError, match="cannot be decompressed") as error:
            build(discover([path]), tmp_path / "out", jobs=jobs)
        assert error.value.code == "compression" and "by hand" in error.value.hint


def test_an_error_here_ends_it(damaged, processes, monkeypatch, tmp_path):
    def fail(self, batch):
        raise RuntimeError("here")

    monkeypatch.setattr(stage._Apart, "feed", fail)
    with pytest.raises(RuntimeError, match="here"):
        build(damaged, tmp_path / "out", jobs=2)


@pytest.mark.skipif(sys.platform != "linux", reason="sends SIGSTOP")
def test_an_unresponsive_process_is_ended_too(processes, tmp_path):
    """It could write into a folder that is being removed."""
    with (
        pytest.raises(RuntimeError),
        open_stage(LOG_TABLES, tmp_path, "zstd", "x", False, cores=2, log_bytes=1),
    ):
        os.kill(processes[0].pid, signal.SIGSTOP)
        raise RuntimeError
    assert processes[0].returncode == -signal.SIGKILL


def test_it_ends_without_a_peer():
    command = [
        sys.executable,
        "-c",
        (
            "from tlparse_bundle.pipeline.helper_process import serve; from tlparse_bundle.pipeline.stage"
            " import work; serve(work)"
        ),
    ]
    done = subprocess.run(
        command,
        input=b"",
        capture_output=True,
        timeout=HANG_S,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_events_pass_whole(processes, tmp_path):
    """Every table of a large log has the same rows, whichever process filled it."""
    path = tmp_path / "dedicated_log_torch_trace_x.log"
    text = "".join(path.read_text() for path in FIXTURE_LOGS if "recompiles" in str(path))
    path.write_bytes(text.encode() * 3)
    for jobs in (1, 2):
        build(discover([path]), tmp_path / str(jobs), jobs=jobs)
    one, two = (files(tmp_path / str(jobs)) for jobs in (1, 2))
    assert one == two
    assert re.search(r"guards[./]", " ".join(one))


def event(payload, **known):
    """Return an event with only these fields."""
    it = Event()
    for name in Event.__slots__:
        setattr(it, name, None)
    it.type, it.payload, it.metadata_json = "a", payload, b"null"
    it.sha256 = None if payload is None else payload.hex()
    for name, value in known.items():
        setattr(it, name, value)
    return it


def batch(events, first_event_index=0):
    """Return a batch of events with only these fields."""
    rows = [(0, 0, event.rank, event.line, event.byte_offset, 0, 0, 0, 0, -1, 0, 0) for event in events]
    return Batch(
        first_event_index,
        rows,
        [event.metadata_json for event in events],
        {},
        [("a", "n", None)],
        [],
        [],
        [],
        ([], []),
        [],
        events,
    )


@given(st.lists(st.binary(max_size=9) | st.none(), max_size=30), st.integers(0, 40))
@cases(100)
def test_payloads_arrive_whole(payloads, limit):
    """However few earlier payloads both ends keep."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "_MAX_RECENT_BYTES", limit)
        here, there, sent = BatchesSent(lambda event: True), BatchesReceived(), 0
        for index, payload in enumerate(payloads):
            message = here.message(batch([event(payload, index=index)], index))
            sent += payload is not None and any(
                value is payload for value in message[-1][0]
            )  # not one that equals it by chance
            assert [it.payload for it in there.batch(message).events] == [payload]
        different = set(payloads) - {None}
        assert sent >= len(different) and (sent == len(different) or sum(map(len, different)) > limit)


def test_a_payload_that_no_table_reads_stays_here():
    one, other = event(b"one", index=0), event(b"other", index=1)
    message = BatchesSent(lambda it: it is other).message(batch([one, other]))
    assert [it.payload for it in BatchesReceived().batch(message).events] == [None, b"other"]


def test_an_event_arrives_with_what_tables_use():
    metadata = b'{"a":{"name":"n"},"subgraph_name":"s"}'
    one = event(
        b"p", index=7, name="n", compile_id=CompileId(None, 1, 0, 2), occurrence=3, line=9, byte_offset=99, rank=5, payload_form="crlf",
        payload_size_bytes=1, metadata_json=metadata, trace_event={"name": "x"},
    )  # fmt: skip
    there = BatchesReceived()
    for _ in range(2):  # the second time its metadata is known
        (other,) = there.batch(
            pickle.loads(pickle.dumps(BatchesSent(lambda event: True).message(batch([one], 7))))
        ).events
        same = (
            "index", "type", "name", "compile_id", "occurrence", "line", "byte_offset", "rank", "payload", "payload_form", "payload_size_bytes",
            "sha256", "trace_event", "metadata_json",
        )  # fmt: skip
        assert [getattr(one, key) for key in same] == [getattr(other, key) for key in same]
        assert other.compile_id.frame_compile == (None, 1, 0)
        assert (other.metadata, other.value) == ({"a": {"name": "n"}, "subgraph_name": "s"}, {"name": "n"})


def test_metadata_that_is_remembered_takes_little_memory(monkeypatch):
    monkeypatch.setattr(batches, "_MAX_KNOWN_METADATA", 3)
    here, there = BatchesSent(lambda event: True), BatchesReceived()
    for number in range(10):
        text = b'{"a":%d}' % number
        (it,) = there.batch(here.message(batch([event(None, index=0, metadata_json=text)]))).events
        assert it.value == number and len(there._known) <= 3
    there.batch(here.message(batch([event(None, index=0, metadata_json=b'{"a":"%b"}' % (b"x" * 1000))])))
    assert max(map(len, there._known)) < 100


def test_a_log_that_only_this_process_can_reach(processes, tmp_path):
    fsspec = pytest.importorskip("fsspec")
    for at in (f"memory://made/{tmp_path.name}/", f"{tmp_path}/"):
        with fsspec.open(f"{at}dedicated_log_torch_trace_x.log", "wb") as stream:
            stream.write(FIXTURE_LOGS[0].read_bytes())
    build(discover([f"memory://made/{tmp_path.name}"]), tmp_path / "far", jobs=2)
    assert len(processes) == 1
    build(discover([tmp_path / "dedicated_log_torch_trace_x.log"]), tmp_path / "near", jobs=1)
    assert files(tmp_path / "far") == files(tmp_path / "near")


def test_repeated_payloads_are_sent_once(processes, monkeypatch, tmp_path):
    path = tmp_path / "dedicated_log_torch_trace_x.log"
    graph = "class G(torch.nn.Module):\n    def forward(self, a):\n        return (a,)" + "  # é\n" * 1000
    path.write_bytes(
        b"".join(
            record(f"aot_inference_graph {i}/0", payload)
            for i in range(20)
            for payload in (graph, graph + str(i % 2), "")
        )
    )
    sizes, send = [], helper_process.Link.send
    monkeypatch.setattr(
        helper_process.Link,
        "send",
        lambda link, message: (sizes.append(len(pickle.dumps(message))), send(link, message)),
    )
    for jobs in (1, 2):
        build(discover([path]), tmp_path / str(jobs), jobs=jobs)
    assert 3 * len(graph) < sum(sizes) < 5 * len(graph)
    assert files(tmp_path / "1") == files(tmp_path / "2")


COPIES = """
import os, signal, sys
from pathlib import Path
from tlparse_bundle import BundleError, build, discover
from tlparse_bundle.pipeline import helper_process as helper, stage

stage._APART_BYTES = 0
assert helper.may_fork()
copies, start = [], helper._Copy.__init__
def watch(self, work):
    start(self, work)
    copies.append(self)
helper._Copy.__init__ = watch
logs, out = discover([Path(sys.argv[1])]), Path(sys.argv[2])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it is never a copy of this process")
@pytest.mark.parametrize(
    "code",
    [
        "build(logs, out, jobs=2)",
        # One is killed before it can answer, the other does not respond.
        (
            "def kill(self): pid = self._helper._process.pid; os.kill(pid, signal.SIGKILL);"
            " os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)\nend, stage._Apart.end = stage._Apart.end,"
            " kill\ntry: build(logs, out, jobs=2)\nexcept BundleError as error: assert error.code =="
            " 'worker-died' and '-9' in str(error), error\nelse: raise AssertionError\nassert not"
            " list(out.parent.glob('*out*'))\nstage._Apart.end = end; build(logs, out, jobs=2)"
        ),
        (
            "def fail(self, batch): os.kill(self._helper._process.pid, signal.SIGSTOP); raise"
            " KeyboardInterrupt\nfeed, stage._Apart.feed = stage._Apart.feed, fail\ntry: build(logs, out,"
            " jobs=2)\nexcept KeyboardInterrupt: stage._Apart.feed = feed\nassert not"
            " list(out.parent.glob('*out*')); build(logs, out, jobs=2)"
        ),
    ],
    ids=["whole", "killed", "stopped"],
)
def test_a_copy_of_this_process(code, tmp_path):
    log, out = FIXTURE_LOGS[0], tmp_path / "out"
    left = (
        "\nassert copies\ntry: os.waitpid(-1, 0)\nexcept ChildProcessError: pass\nelse: raise"
        " AssertionError('a process is left')"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run(
        [sys.executable, "-c", COPIES + code + left, str(log), str(out)],
        check=True,
        timeout=HANG_S,
        env=environment,
    )
    build(discover([log]), tmp_path / "one", jobs=1)
    assert files(tmp_path / "one") == files(out)
