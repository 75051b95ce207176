"""The parts of a follower: its place, what it finds, its problems, its pace, and the copies that it makes."""

import errno
import os
import select
from types import SimpleNamespace

import pytest
from log_builder import log
from tlparse_bundle import BundleError, build, discover
from tlparse_bundle.bundle.codecs import CODECS
from tlparse_bundle.follow import Follower, followed_files, follower, state
from tlparse_bundle.follow.followed_files import Watch, find, folders_of
from tlparse_bundle.follow.forked_process import CopyProcess
from tlparse_bundle.follow.growing_folder import PatientSink, Place
from tlparse_bundle.follow.growing_log import is_whole
from tlparse_bundle.follow.state import Pace, Problems, RetiredStates

NAME = "dedicated_log_torch_trace_x.log"


# ---- problems


def test_a_problem_is_new_once_and_goes_when_it_is_solved():
    problems = Problems()
    assert problems.note("cut", "x", "a message") and not problems.note("cut", "x", "a message")
    assert problems.note("cut", "y", "a message") and problems.note("cut", "x", "another")
    assert problems.rows() == [
        {"code": "cut", "message": "another"},
        {"code": "cut", "message": "a message"},
    ]
    assert problems.note("cut", "x", "") and not problems.note("cut", "x", "")
    assert not problems.note("never", "", "")
    assert [row["message"] for row in problems.rows()] == ["a message"]


def test_a_group_of_problems_is_replaced_as_a_whole():
    problems, row = Problems(), {"code": "same-name", "message": "m"}
    assert not problems.replace("found", []) and problems.replace("found", [row])
    assert not problems.replace("found", [dict(row)]) and problems.rows() == [row]
    assert problems.replace("found", []) and problems.rows() == []


def test_at_most_a_hundred_problems_are_listed():
    problems = Problems()
    problems.note("cut", "x", "first")
    problems.replace("found", [{"code": "same-name", "message": str(number)} for number in range(100)])
    rows = problems.rows()
    assert len(rows) == 100 and rows[0]["message"] == "first" and rows[-1]["message"] == "98"


# ---- times


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test sets."""
    clock = SimpleNamespace(now=1000.0)
    clock.monotonic = lambda: clock.now
    monkeypatch.setattr(state, "time", clock)
    return clock


@pytest.mark.parametrize(("took_s", "gap_s"), [(0.0, 0.9), (0.2, 0.5), (0.4, 0.4), (2.0, 2.0)])
def test_a_state_that_takes_long_is_followed_by_a_longer_pause(clock, took_s, gap_s):
    pace = Pace()
    assert pace.due() and pace.gap_s() == 0
    pace.begin()
    clock.now += took_s
    pace.end()
    assert not pace.due() and pace.gap_s() == pytest.approx(gap_s)
    assert pace.wait_s(True) == pace.gap_s() and pace.wait_s(False) == 60
    clock.now += gap_s + 1e-6
    assert pace.due() and pace.gap_s() == 0
    pace.pause(3)
    assert not pace.due() and pace.gap_s() == 3
    clock.now += 3
    assert pace.due()


def test_files_of_a_state_are_removed_once_nobody_reads_them(clock):
    there, removed = [1, 2, 3, 4], []
    place = SimpleNamespace(
        states=lambda: list(there), remove=lambda one: (removed.append(one), there.remove(one))
    )
    newest = SimpleNamespace(manifest={"live": {"counter": 3}}, written={"x": SimpleNamespace(counter=2)})
    retired = RetiredStates(place)
    retired.remove(newest, 4)
    clock.now += 30
    retired.remove(newest, 4)
    assert removed == []
    clock.now += 0.5
    retired.remove(newest, 4)
    assert removed == []  # the last look was a moment ago
    clock.now += 0.5
    retired.remove(newest, 4)
    assert removed == [1] and there == [2, 3, 4]


def test_a_state_that_is_named_again_waits_anew(clock):
    place = SimpleNamespace(states=lambda: [1], remove=lambda one: pytest.fail("it is read"))
    retired = RetiredStates(place)
    named = SimpleNamespace(manifest={"live": {"counter": 1}}, written={})
    other = SimpleNamespace(manifest={"live": {"counter": 2}}, written={})
    for newest in (other, named, other):
        retired.remove(newest, 9)
        clock.now += 20


# ---- what is there


def test_watched_folders(tmp_path):
    for folder in ("traces/a/b", "traces/.hidden", "traces/out/logs", "other"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "other" / NAME).write_bytes(b"")
    traces = tmp_path / "traces"
    found = folders_of([traces, tmp_path / "other" / NAME, tmp_path / "not" / "yet"], traces / "out")
    assert sorted(found[:3]) == [traces, traces / "a", traces / "a" / "b"]
    assert found[3:] == [tmp_path / "other", tmp_path]


def test_at_most_some_folders_are_watched(tmp_path, monkeypatch):
    monkeypatch.setattr(followed_files, "_MAX_FOLDERS", 3)
    for number in range(9):
        (tmp_path / str(number)).mkdir()
    assert len(folders_of([tmp_path], tmp_path / "out")) == 4


def test_the_bundle_in_the_folder_is_not_a_log(tmp_path):
    (tmp_path / NAME).write_bytes(log("a"))
    (tmp_path / "out" / "logs").mkdir(parents=True)
    (tmp_path / "out" / "logs" / "dedicated_log_torch_trace_y.log").write_bytes(log("a"))
    found = find([tmp_path], tmp_path / "out")
    assert [one.id for one in found.logs] == ["x"] and found.complete and found.problems == []
    both = find([tmp_path, tmp_path / "later"], tmp_path / "out")
    assert [one.id for one in both.logs] == ["x"] and not both.complete and both.problems == []


def test_a_log_that_cannot_be_read_is_a_problem_and_not_the_end(tmp_path, monkeypatch):
    (tmp_path / NAME).write_bytes(log("a"))
    error = BundleError("it cannot be read", code="unreadable")

    def refuse(traces, **options):
        raise error

    monkeypatch.setattr(followed_files, "discover", refuse)
    found = find([tmp_path], tmp_path / "out")
    assert found.problems == [{"code": "unreadable", "message": "it cannot be read"}] and not found.complete
    error.code = "other"
    with pytest.raises(BundleError, match="it cannot be read"):
        find([tmp_path], tmp_path / "out")


@pytest.mark.skipif(followed_files.INotify is None, reason="the system does not report changes")
def test_files_that_appear_are_reported_and_writes_are_not(tmp_path):
    watch = Watch()
    watch.folders([tmp_path])
    (tmp_path / "x").write_bytes(b"1")
    assert watch.wait(at_most_s=60) == (True, [])
    with (tmp_path / "x").open("ab") as file:
        file.write(b"2")
    assert watch.wait(at_most_s=60) == (False, [])
    watch.folders([])
    watch.wait(at_most_s=0)  # the system reports that the folder is not watched any more
    (tmp_path / "y").write_bytes(b"1")
    assert watch.wait(at_most_s=0) == (False, [])
    watch.close()


def test_other_sources_end_the_wait():
    watch = Watch()
    source, target = os.pipe()
    os.write(target, b"1")
    assert watch.wait([source], at_most_s=60) == (False, [source])
    watch.close()
    os.close(source)
    os.close(target)


# ---- the place


def test_a_url_is_not_a_place():
    with pytest.raises(BundleError, match="is not a local folder") as raised:
        Place("s3://bucket/out", overwrite=False)
    assert raised.value.code == "bad-out"


def test_a_place_that_is_dropped_leaves_nothing_of_its_own(tmp_path):
    for name, made in (("new", False), ("empty", True)):
        if made:
            (tmp_path / name).mkdir()
        with Place(tmp_path / name, overwrite=False) as place:
            place.write("logs/x/a", b"1")
            place.write("live/3/b", b"1")
            assert [*place.states()] == [3]
            place.drop()
        assert (tmp_path / name).exists() == made
    assert os.listdir(tmp_path / "empty") == []


def test_other_files_in_a_bundle_are_not_removed(tmp_path):
    (tmp_path / NAME).write_bytes(log("a"))
    build(discover([tmp_path / NAME]), tmp_path / "out", jobs=1)
    (tmp_path / "out" / "notes.txt").write_text("mine")
    with (
        pytest.raises(BundleError, match=r"not part of a bundle: notes\.txt"),
        Place(tmp_path / "out", overwrite=True),
    ):
        pass
    assert (tmp_path / "out" / "notes.txt").read_text() == "mine"


def test_only_a_full_disk_is_waited_for(tmp_path, monkeypatch):
    errors = [OSError(errno.ENOSPC, "full"), OSError(errno.EIO, "broken")]
    waited = []

    def fail(self, path, pieces):
        raise errors[len(waited)]

    monkeypatch.setattr(PatientSink.__mro__[1], "_write", fail)
    sink = PatientSink(tmp_path, CODECS["none"], waited.append)
    with pytest.raises(OSError, match="broken"):
        sink._write("x", [b"1"])
    assert waited == errors[:1]


# ---- copies


def result_of(make):
    copy = CopyProcess(make)
    while not copy.done:
        select.select([copy], [], [])
        copy.take()
    return copy.result()


def test_a_copy_returns_what_it_makes_however_large():
    assert result_of(lambda: [1, {"a": None}]) == [1, {"a": None}]
    assert result_of(lambda: bytes(3 << 20)) == bytes(3 << 20)


def test_an_exception_of_a_copy_is_raised_here():
    def fail():
        raise BundleError("it failed", hint="do this", code="some-code", exit_code=5)

    with pytest.raises(BundleError, match="it failed") as raised:
        result_of(fail)
    assert (raised.value.hint, raised.value.code, raised.value.exit_code) == ("do this", "some-code", 5)


def test_an_exception_that_cannot_be_sent_is_described():
    def fail():
        raise ValueError(lambda: None)

    with pytest.raises(BundleError, match="ValueError: <function"):
        result_of(fail)


def test_a_copy_that_is_killed_is_reported():
    with pytest.raises(BundleError, match="was killed") as raised:
        result_of(lambda: os._exit(3))
    assert raised.value.code == "worker-died"


def test_a_compressed_log_is_whole_or_not(tmp_path):
    import gzip

    data = gzip.compress(log("a"))
    for size, expected in ((len(data), True), (len(data) - 1, False)):
        (tmp_path / f"{NAME}.gz").write_bytes(data[:size])
        (found,) = discover([tmp_path / f"{NAME}.gz"])
        assert is_whole(found) is expected
    (tmp_path / f"{NAME}.gz").unlink()
    with pytest.raises(BundleError, match="cannot be read"):
        is_whole(found)


def test_a_follower_waits_no_longer_than_until_it_looks_for_logs_again(tmp_path, monkeypatch):
    """Also where the system reports no changes."""
    waits, waited = [], Watch.wait

    def wait(self, others, at_most_s, idle_s):
        waits.append(at_most_s)
        return waited(self, others, 0.0, 0.0)

    monkeypatch.setattr(Watch, "wait", wait)
    (tmp_path / NAME).write_bytes(log("dynamo_start 0/0"))
    seen = []
    Follower([tmp_path], tmp_path / "out", codec="none").run(
        lambda: bool(seen) and len(waits) > 50, seen.append
    )
    assert min(waits) >= 0 and 0 < max(waits) <= follower._FIND_S
