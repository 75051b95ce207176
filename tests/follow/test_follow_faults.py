"""Logs that change, taken places, full disks, killed processes: all reported and survived."""

import errno
import gzip
import hashlib
import os
import random
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import traces
from following import NAME, appending, follow, fresh, same_as_fresh, snapshot, without_gaps
from log_builder import record
from log_strategies import small_logs
from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.reader import Bundle
from tlparse_bundle.bundle.validate import validate
from tlparse_bundle.follow import Follower, state
from tlparse_bundle.log.discover import discover
from tlparse_bundle.pipeline.build import build
from tlparse_bundle.pipeline.file_writer import FileSink
from waiting import until


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    without_gaps(monkeypatch)


@pytest.fixture
def place(tmp_path):
    path = tmp_path / "traces" / NAME
    path.parent.mkdir()
    return path, tmp_path / "out"


def codes(manifest):
    return [problem["code"] for problem in manifest["live"]["problems"]]


def follow_all(path, out, steps, **options):
    """Follow; return the codes of the problems in the states, and the result, which equals a build."""
    found = []
    result = follow(
        [path.parent],
        out,
        steps,
        on_state=lambda manifest: found.extend(codes(manifest)),
        codec="none",
        **options,
    )
    assert snapshot(result.path) == snapshot(
        build(discover([path.parent]), out.with_name("built"), codec="none").path
    )
    return set(found)


def writing(path, data):
    return lambda: path.write_bytes(data)


OLD, NEW = small_logs()[3], small_logs()[5]


def test_truncated(place):
    path, out = place
    assert follow_all(path, out, [writing(path, OLD), writing(path, NEW[:1000]), writing(path, NEW)]) == {
        "truncated",
        "replaced",
    } - ({"replaced"} if NEW.startswith(NEW[:1000]) else set())


def test_rewritten_and_already_longer(place):
    path, out = place
    assert follow_all(path, out, [writing(path, OLD[:1000]), writing(path, NEW)]) == {"replaced"}


def test_replaced_by_another_file(place):
    path, out = place

    def replace():
        path.with_name(".new").write_bytes(NEW)
        path.with_name(".new").replace(path)

    assert follow_all(path, out, [writing(path, OLD[:1000]), replace]) == {"replaced"}


def test_a_newer_copy_with_the_same_beginning_is_continued(place):
    """As rsync replaces files."""
    path, out = place

    def replace():
        path.with_name(".new").write_bytes(OLD)
        path.with_name(".new").replace(path)

    assert follow_all(path, out, [writing(path, OLD[:1000]), replace]) == set()


def test_a_removed_log_stays_in_the_bundle(place):
    path, out = place
    found = []

    def on_state(manifest):
        found.append(codes(manifest))
        if manifest["logs"]:
            path.unlink(missing_ok=True)

    path.write_bytes(OLD)
    result = Follower([path], out, codec="none").run(lambda: found[-1:] == [["vanished"]], on_state)
    assert snapshot(result.path) == snapshot(fresh(OLD, out.with_name("whole")))


def test_a_folder_that_does_not_exist_yet(tmp_path):
    path, out = tmp_path / "later" / "traces" / NAME, tmp_path / "out"
    states = []

    def on_state(manifest):
        states.append(len(manifest["logs"]))
        same_as_fresh(out, lambda row: OLD, tmp_path / "fresh")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(OLD)

    result = Follower([path.parent], out, codec="none").run(lambda: states[-1:] == [1], on_state)
    assert states[0] == 0 and snapshot(result.path) == snapshot(fresh(OLD, tmp_path / "whole"))


@pytest.mark.parametrize("begun", [False, True])
def test_nothing_to_follow_leaves_nothing(begun, place):
    path, out = place
    if begun:
        out.mkdir()
    with pytest.raises(BundleError, match="has no TORCH_TRACE log"):
        Follower([path.parent], out).run(lambda: True, lambda manifest: None)
    assert out.exists() == begun and sorted(entry.name for entry in out.parent.iterdir()) == (
        ["out", "traces"] if begun else ["traces"]
    )


def test_a_file_that_is_not_a_log_is_reported_at_once(place):
    path, out = place
    other = path.with_name("notes.txt")
    other.write_bytes(b"no record\n" * 10_000)
    with pytest.raises(BundleError, match="is not a TORCH_TRACE log"):
        Follower([other], out).run(lambda: False, lambda manifest: None)


def test_two_logs_of_one_name(place):
    path, out = place
    path.write_bytes(OLD)
    other = path.parent / "other" / NAME
    other.parent.mkdir()
    other.write_bytes(NEW)
    found = []
    result = Follower([path, other.parent], out).run(lambda: bool(found), found.append)
    assert codes(found[-1]) == ["same-name"] and [
        row["source"]["size_bytes"] for row in result.manifest["logs"]
    ] == [len(OLD)]


def test_a_full_disk_is_reported_and_waited_for(place, monkeypatch):
    """For permanent files, and for those of a state."""
    path, out = place
    data = b"".join(record(f"notes{number} {{}}", payload="x" * 300_000 + str(number)) for number in range(3))
    real, full, seen = FileSink._write, [], []

    def write(self, name, pieces):
        if full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)
        real(self, name, pieces)

    monkeypatch.setattr(FileSink, "_write", write)
    path.write_bytes(OLD)
    follower = Follower([path], out, codec="none")
    asked = []

    def ended():
        if any(problem["code"] == "no-room" for problem in follower.problems):
            asked.append(1)
            full.clear()
        return bool(asked) and bool(seen) and seen[-1]["live"]["logs"][0]["read_bytes"] == len(OLD + data)

    def on_state(manifest):
        seen.append(manifest)
        if len(seen) == 1 or (manifest["logs"] and not asked):
            full.append(1)
            with path.open("ab") as file:
                file.write(data if path.stat().st_size == len(OLD) else b"")

    result = follower.run(ended, on_state)
    assert (
        snapshot(result.path) == snapshot(fresh(OLD + data, out.with_name("whole"))) and not follower.problems
    )


def test_a_full_disk_at_the_end(place, monkeypatch):
    path, out = place
    path.write_bytes(OLD)
    seen = []

    def write(self, name, pieces):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)

    def ended():
        if seen and seen[-1]["logs"]:
            monkeypatch.setattr(FileSink, "_write", write)
            return True
        return False

    with pytest.raises(BundleError, match="No space left"):
        Follower([path], out, codec="none").run(ended, seen.append)
    assert Bundle.open(out).manifest["growing"] and validate(Bundle.open(out)) == []


def children():
    """Return the child processes of this one."""
    return {
        pid for task in Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()
    }


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the children of a process")
def test_interrupted_it_leaves_the_last_state_and_no_process(place):
    path, out = place
    path.write_bytes(OLD)
    seen = []

    def ended():
        if seen and seen[-1]["logs"]:
            raise KeyboardInterrupt
        return False

    others = children()  # left by tests that ran before
    with pytest.raises(KeyboardInterrupt):
        Follower([path], out, codec="none").run(ended, seen.append)
    assert children() <= others
    same_as_fresh(out, lambda row: OLD, out.with_name("fresh"))
    assert follow_all(path, out, [writing(path, OLD)]) == set()


def test_another_follows_already(place):
    path, out = place
    path.write_bytes(OLD)

    def on_state(manifest):
        with pytest.raises(BundleError, match="another process is writing"):
            Follower([path], out).run(lambda: True, lambda manifest: None)

    Follower([path], out, codec="none").run(lambda: (out / "manifest.json").exists(), on_state)


def test_a_finished_bundle_is_not_replaced_without_overwrite(place):
    path, out = place
    build([*discover_of(path, OLD)], out)
    with pytest.raises(BundleError, match="already exists"):
        Follower([path], out).run(lambda: True, lambda manifest: None)
    assert follow_all(path, out, [writing(path, NEW)], overwrite=True) == set()


def discover_of(path, data):
    path.write_bytes(data)
    return discover([path])


def test_a_folder_that_is_not_a_bundle_stays(place):
    path, out = place
    out.mkdir()
    (out / "notes.txt").write_text("mine")
    with pytest.raises(BundleError, match="is not a bundle"):
        Follower([path], out).run(lambda: True, lambda manifest: None)
    assert (out / "notes.txt").read_text() == "mine"


def interrupted(path, out, data):
    """A growing bundle that nobody continues."""
    path.write_bytes(data)
    seen = []

    def ended():
        if seen and seen[-1]["live"]["logs"][:1] and seen[-1]["live"]["logs"][0]["read_bytes"] == len(data):
            raise KeyboardInterrupt
        return False

    with pytest.raises(KeyboardInterrupt):
        Follower([path], out, codec="none").run(ended, seen.append)
    return seen[-1]


def test_a_resumed_bundle_never_goes_back(place):
    path, out = place
    before = interrupted(path, out, OLD)
    path.write_bytes(OLD + NEW)
    seen = []
    Follower([path], out, codec="none").run(lambda: bool(seen), seen.append)
    assert seen[0]["live"]["counter"] > before["live"]["counter"] and seen[0]["logs"][0]["source"][
        "size_bytes"
    ] >= len(OLD)
    assert snapshot(out) == snapshot(fresh(OLD + NEW, out.with_name("whole")))


def test_resuming_with_other_logs_restarts_and_reports_it(place):
    path, out = place
    interrupted(path, out, OLD)
    assert follow_all(path, out, [writing(path, NEW)]) == {"rebuilt"}


@pytest.mark.parametrize("same", [True, False])
def test_a_compressed_log_is_compared_by_what_it_decompresses_to(same, tmp_path):
    path = tmp_path / "dedicated_log_torch_trace_x.log.gz"
    path.write_bytes(gzip.compress(OLD + NEW, 9))
    read = OLD if same else OLD[:-2] + b"?\n"
    source = {"size_bytes": len(read), "sha256": hashlib.sha256(read).hexdigest()}
    assert state._begins_with(discover([path])[0], source) == same
    longer = {"size_bytes": len(OLD + NEW) + 1, "sha256": hashlib.sha256(OLD + NEW).hexdigest()}
    assert not state._begins_with(discover([path])[0], longer)


def test_resuming_with_another_codec_restarts(place):
    path, out = place
    interrupted(path, out, OLD)
    seen = []
    result = Follower([path], out, codec="gzip").run(lambda: bool(seen), seen.append)
    assert codes(seen[0]) == ["rebuilt"] and snapshot(result.path) == snapshot(
        fresh(OLD, out.with_name("whole"), codec="gzip")
    )


@pytest.mark.parametrize("codec", ["none", "zstd"])
def test_resuming_without_the_log(codec, place):
    path, out = place
    interrupted(path, out, OLD)
    path.rename(path.with_name("dedicated_log_torch_trace_other.log"))
    with pytest.raises(BundleError, match="which no longer exists"):
        Follower([path.parent], out, codec=codec).run(lambda: True, lambda manifest: None)
    assert validate(Bundle.open(out)) == []


def test_old_states_are_removed(place, monkeypatch):

    monkeypatch.setattr(state, "_KEEP_STATE_S", 0.0)
    monkeypatch.setattr(state, "_REMOVE_S", 0.0)
    path, out = place
    most = []
    follow(
        [path],
        out,
        appending(path, OLD, range(0, len(OLD), len(OLD) // 8)),
        on_state=lambda manifest: most.append(len(list((out / "live").glob("[0-9]*")))),
        codec="none",
    )
    assert len(most) > 1 and max(most) <= 3


def test_who_may_not_read_the_log_may_not_read_the_bundle(place):
    path, out = place
    path.write_bytes(OLD)
    path.chmod(0o600)
    modes = []
    result = follow(
        [path],
        out,
        [writing(path, OLD)],
        on_state=lambda manifest: modes.append(
            manifest["logs"] and (out.stat().st_mode | (out / "manifest.json").stat().st_mode) & 0o077
        ),
    )
    assert modes[-1] == 0 and all(file.stat().st_mode & 0o077 == 0 for file in result.path.rglob("*"))


FOLLOW = """
import sys
from tlparse_bundle.follow import Follower, state
state._SHOWN_S = state._LEAST_GAP_S = state._GAP = 0.0
Follower([sys.argv[1]], sys.argv[2], codec="none").run(lambda: False, lambda manifest: print(manifest["live"]["counter"], flush=True))
"""


@pytest.mark.parametrize("seed", range(5))
def test_killed_at_any_moment(seed, place):
    """The state on disk is readable, nothing else is left, and another follower resumes; several times, while
    the log grows.
    """
    path, out = place
    rng = random.Random(f"kill {seed}")
    data = (
        traces.ROOT / "fixtures" / "killed" / "trace" / "dedicated_log_torch_trace_fixture0.log"
    ).read_bytes()
    path.write_bytes(b"")
    for number in range(1, 7):
        with subprocess.Popen(
            [sys.executable, "-c", FOLLOW, str(path.parent), str(out)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            if number > 1:
                process.stdout.readline()  # the first state
            with path.open("ab") as file:
                file.write(data[len(data) * (number - 1) // 6 : len(data) * number // 6])
            with suppress(subprocess.TimeoutExpired):
                process.wait(rng.random() * 0.1)
            process.kill()
        until(lambda: sorted(entry.name for entry in out.parent.iterdir() if entry.name.startswith(".")), [])
        if (out / "manifest.json").exists():
            assert validate(Bundle.open(out)) == []
    assert follow_all(path, out, [lambda: None]) <= {"rebuilt"}


def test_partly_written_files_do_not_block(place):
    """Killed between writing a temporary file and moving it into place."""
    path, out = place
    path.write_bytes(OLD)

    def on_state(manifest):
        if manifest["logs"]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Follower([path], out, codec="none").run(lambda: False, on_state)
    log = Bundle.open(out).logs[0].id
    for unfinished in (
        out / "live" / "manifest",
        out / "logs" / log / "compiles.jsonl.12345.140000000000000",
        out / "live" / "7" / "logs" / log / "spans.jsonl.zst.1.2",
    ):
        unfinished.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_text("{")
    assert follow_all(path, out, [writing(path, OLD)]) == set()
    (out / "notes.json.txt").write_text("mine")
    with pytest.raises(BundleError, match=r"contains files that are not part of a bundle: notes\.json\.txt"):
        Follower([path], out, overwrite=True).run(lambda: True, lambda manifest: None)
