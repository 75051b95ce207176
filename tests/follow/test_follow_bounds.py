"""The work before each state, and before a signal is answered, is bounded: by logs and by bytes."""

import itertools
import os
import signal
from types import SimpleNamespace

import pytest
from following import NAME, follow, without_gaps
from log_builder import record
from tlparse_bundle.bundle.codecs import CODECS
from tlparse_bundle.cli import growing_processes
from tlparse_bundle.cli.exits import Terminated
from tlparse_bundle.follow import follower, growing_log, state
from tlparse_bundle.follow.growing_log import GrowingLog
from tlparse_bundle.log.discover import discover
from tlparse_bundle.pipeline.build import build
from tlparse_bundle.pipeline.file_writer import FileSink


def growing(counter, read_bytes=1, changed=True):
    written = None if counter is None else SimpleNamespace(counter=counter)
    return SimpleNamespace(written=written, read_bytes=read_bytes, changed=changed)


def test_logs_that_waited_longest_come_first(monkeypatch):
    monkeypatch.setattr(state, "_LOGS_AT_ONCE", 3)
    logs = [growing(5), growing(2), growing(None), growing(1, changed=False), growing(4), growing(None)]
    assert state.in_turn(logs) == [logs[2], logs[5], logs[1]]


def test_few_bytes_at_once_but_at_least_one_log(monkeypatch):
    monkeypatch.setattr(state, "_AT_ONCE_BYTES", 10)
    logs = [growing(1, 6), growing(2, 4), growing(3, 1)]
    assert state.in_turn(logs) == logs[:2]
    unread = [growing(None, 0), growing(7, 3)]
    assert state.in_turn(unread) == unread[::-1]
    large = [growing(1, 11), growing(2, 1)]
    assert state.in_turn(large) == large[:1]


def test_each_state_takes_in_a_few_new_logs(tmp_path, monkeypatch):
    without_gaps(monkeypatch)
    monkeypatch.setattr(state, "_LOGS_AT_ONCE", 3)
    monkeypatch.setattr(follower, "_LOGS_AT_ONCE", 2)
    traces, counts = tmp_path / "traces", []

    def write():
        traces.mkdir()
        for rank in range(10):
            data = record("dynamo_start 0/0 {}", rank=rank)
            (traces / f"dedicated_log_torch_trace_rank_{rank}_x.log").write_bytes(data)

    follow(
        [traces],
        tmp_path / "out",
        [write],
        on_state=lambda manifest: counts.append(len(manifest["logs"])),
        codec="none",
    )
    steps = [after - before for before, after in itertools.pairwise([0, *counts])]
    assert counts[-1] == 10 and max(steps) <= 3 and counts[0] <= 3
    build(discover([traces]), tmp_path / "whole", codec="none")
    assert (tmp_path / "out" / "manifest.json").read_bytes() == (
        tmp_path / "whole" / "manifest.json"
    ).read_bytes()


def test_a_huge_record_is_read_in_pieces(tmp_path, monkeypatch):
    """Also one of zeros, as in a sparse file, which does not end."""
    monkeypatch.setattr(growing_log, "AT_ONCE_BYTES", 1 << 20)
    path = tmp_path / NAME
    path.write_bytes(record("dynamo_start 0/0 {}"))
    with path.open("ab") as file:
        file.truncate(20 << 20)
    growing = GrowingLog(*discover([path]), FileSink(tmp_path / "out", CODECS["none"]))
    sizes = [0]
    while growing.look():
        assert growing.read(float("inf")) or growing.read_bytes == 20 << 20
        sizes.append(growing.read_bytes)
    assert sizes[-1] == 20 << 20
    assert max(after - before for before, after in itertools.pairwise(sizes)) < 2 << 20
    growing.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_writer_that_does_not_finish_is_left_behind(number, monkeypatch, tmp_path):
    monkeypatch.setattr(growing_processes, "_TERM_SECONDS", 0.0)
    monkeypatch.setattr(growing_processes, "_TICK_SECONDS", 0.01)
    pipe, other = os.pipe()
    asked = []
    following = SimpleNamespace(
        request=SimpleNamespace(out=tmp_path),
        result=None,
        pipe=pipe,
        states=0,
        finish=lambda: asked.append(True),
        hear=lambda: None,
        server_has_ended=lambda: False,
    )
    nothing = SimpleNamespace(begin=list, end=list, tick=lambda now_us: None, note=lambda text: None)
    before = signal.signal(number, signal.SIG_DFL)  # under nohup, this process ignores SIGHUP
    try:
        with growing_processes.Signals() as signals:
            os.kill(os.getpid(), number)
            with pytest.raises(Terminated):
                growing_processes.watch(following, nothing, lambda: False, [], signals)
    finally:
        signal.signal(number, before)
    assert asked == [True]
    os.close(pipe)
    os.close(other)
