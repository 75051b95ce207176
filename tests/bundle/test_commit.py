"""Folders and files that appear whole or not at all, whatever ends the process that writes them."""

import errno
import os
import shutil
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest
import traces
from tlparse_bundle import BundleError
from tlparse_bundle.bundle.atomic import folder, leftovers, permissions
from tlparse_bundle.bundle.atomic.folder import new_file, new_folder, temporary_folder
from tlparse_bundle.bundle.atomic.staging import Staging
from waiting import HANG_S, until


def entries(place):
    return sorted(path.name for path in place.iterdir())


def hidden(place):
    """List entries below that begin with a dot; entries may vanish meanwhile."""
    return [
        name for _, folders, files in os.walk(place) for name in (*folders, *files) if name.startswith(".")
    ]


@pytest.fixture
def out(tmp_path):
    (tmp_path / "home").mkdir()
    return tmp_path / "home" / "out"


def test_a_folder_appears_whole(out):
    with new_folder(out) as new:
        (new / "a").write_text("1")
        assert not out.exists()
    assert traces.files(out) == {"a": b"1"} and entries(out.parent) == ["out"]


def test_a_place_far_below(out):
    place = out / "a" / "b"
    with pytest.raises(KeyboardInterrupt), new_folder(place):
        raise KeyboardInterrupt
    assert entries(out.parent) == []  # the folders above it are gone too
    with new_folder(place) as new:
        (new / "a").write_text("1")
    assert traces.files(out) == {"a/b/a": b"1"}


@pytest.mark.parametrize("name", ["x" * 255, "ü" * 120, "a\nb", "-rf", ".hidden", "a'b"])
def test_any_name(name, out):
    for _ in range(2):
        with new_folder(out.with_name(name)) as new:
            (new / "a").write_text("1")
        assert entries(out.parent) == [name]
        (out.with_name(name) / "a").unlink()


@pytest.mark.parametrize("how", ["link", "working folder", "dots"])
def test_an_empty_folder_is_filled_and_stays_the_same_one(how, out, tmp_path, monkeypatch):
    out.mkdir(mode=0o750)
    before = out.stat()
    place = out
    if how == "link":
        place = tmp_path / "link"
        place.symlink_to(out)
    elif how == "working folder":
        monkeypatch.chdir(out)
        place = type(out)(".")
    else:
        place = out / "x" / ".."
        (out / "x").mkdir()
        (out / "x").rmdir()
        place = out.parent / "out" / "." / ".." / "out"
    with new_folder(place) as new:
        (new / "a").write_text("1")
    assert traces.files(out) == {"a": b"1"} and entries(out.parent) == ["out"]
    assert (out.stat().st_ino, out.stat().st_mode) == (before.st_ino, before.st_mode)


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_empty_folder_is_empty_again(error, out, monkeypatch):
    out.mkdir()
    monkeypatch.setattr(Staging, "commit", lambda self: fail())

    def fail():
        raise error

    with pytest.raises(error), new_folder(out) as new:
        (new / "a").mkdir()
        (new / "b").write_text("1")
    assert entries(out) == []


def test_what_comes_last(out, monkeypatch):
    seen, rename = [], type(out).rename
    monkeypatch.setattr(
        type(out), "rename", lambda self, target: (seen.append(target.name), rename(self, target))
    )
    out.mkdir()
    with new_folder(out, last="m") as new:
        for name in ("a", "m", "z"):
            (new / name).write_text("1")
    assert seen[-3:] == ["a", "z", "m"]


def test_one_writer_at_a_time(out):
    with new_folder(out):
        with pytest.raises(BundleError, match="another process is writing") as error, new_folder(out):
            pass
        assert error.value.code == "busy"
    assert out.is_dir() and entries(out.parent) == ["out"]


def test_an_interrupt_when_the_lock_has_just_been_taken(out, monkeypatch):
    recover = Staging._recover

    def interrupt(self, lock):
        recover(self, lock)
        raise KeyboardInterrupt

    monkeypatch.setattr(Staging, "_recover", interrupt)
    with pytest.raises(KeyboardInterrupt), new_folder(out):
        pass
    assert entries(out.parent) == []


def test_a_file_of_the_name_of_the_lock_is_not_ours(out):
    lock = out.with_name(".out.tlparse-lock")
    lock.write_text("mine")
    with pytest.raises(BundleError, match="is not a lock file of tlparse-bundle"), new_folder(out):
        pass
    assert lock.read_text() == "mine" and entries(out.parent) == [lock.name]


@pytest.mark.parametrize("kind", [os.mkfifo, os.mkdir, lambda path: os.symlink("/etc/passwd", path)])
def test_a_lock_that_is_not_a_file(kind, out):
    kind(out.with_name(".out.tlparse-lock"))
    with pytest.raises(BundleError), new_folder(out):
        pass
    assert entries(out.parent) == [".out.tlparse-lock"]


def test_a_lock_cannot_point_to_another_folder(out):
    """A forged lock file cannot have anything else removed."""
    (out.parent / "thesis").mkdir()
    for name in ("thesis", "../home/thesis", ".other.01234567.partial", ".out.01234567.partial/../thesis"):
        out.with_name(".out.tlparse-lock").write_text(name)
        with pytest.raises(BundleError, match="is not a lock file of tlparse-bundle"), new_folder(out):
            pass
    assert (out.parent / "thesis").exists()


def test_a_read_only_folder_is_removed(out):
    with pytest.raises(KeyboardInterrupt), new_folder(out) as new:
        (new / "a").mkdir()
        (new / "a" / "b").write_text("1")
        (new / "a").chmod(0o500)
        raise KeyboardInterrupt
    assert entries(out.parent) == []


def test_other_errors_of_the_block_are_left_alone(out, tmp_path):
    with pytest.raises(FileNotFoundError), new_folder(out):
        (tmp_path / "nowhere").read_bytes()
    with pytest.raises(BundleError, match="out' cannot be written"), new_folder(out) as new:
        (new / "nowhere" / "x").write_bytes(b"")


# ---- one file


def test_a_file_appears_whole(out):
    with new_file(out) as new:
        new.write_text("1")
        assert not out.exists()
    assert out.read_text() == "1" and entries(out.parent) == ["out"]


@pytest.mark.parametrize("linked", [True, False])
@pytest.mark.parametrize("what", ["file", "link", "folder"])
def test_a_file_that_appears_meanwhile_stays(what, linked, out, tmp_path, monkeypatch):
    (tmp_path / "mine").write_text("mine")
    link = os.link

    def appear():
        (
            out.write_text("mine")
            if what == "file"
            else out.symlink_to(tmp_path / "mine")
            if what == "link"
            else out.mkdir()
        )

    def at_the_last_moment(*args):
        appear()
        if not linked:
            raise OSError(95, "no links here")
        link(*args)

    monkeypatch.setattr(os, "link", at_the_last_moment)
    with pytest.raises((BundleError, FileExistsError)), new_file(out) as new:
        new.write_text("1")
    assert (tmp_path / "mine").read_text() == "mine" and entries(out.parent) == ["out"]
    assert out.is_dir() or out.read_text() == "mine"


def test_a_link_is_replaced_not_followed(out, tmp_path):
    (tmp_path / "mine").write_text("mine")
    out.symlink_to(tmp_path / "mine")
    with pytest.raises(BundleError, match="already exists"), new_file(out):
        pass
    with new_file(out, overwrite=True) as new:
        new.write_text("1")
    assert (tmp_path / "mine").read_text() == "mine" and out.read_text() == "1" and not out.is_symlink()


# ---- modes


@pytest.mark.parametrize(
    "modes, allowed",
    [
        ([0o644], 0o777),
        ([0o600, 0o644], 0o700),
        ([0o640], 0o770),
        ([0o604], 0o707),
        ([0o400], 0o700),
        ([], 0o777),
    ],
)
def test_who_may_read(modes, allowed, tmp_path):
    for number, mode in enumerate(modes):
        (tmp_path / str(number)).touch()
        (tmp_path / str(number)).chmod(mode)
    assert permissions.readers([*tmp_path.iterdir(), "s3://bucket/x", tmp_path / "nowhere"]) == allowed


def test_a_private_file(out, tmp_path):
    (tmp_path / "source").touch()
    (tmp_path / "source").chmod(0o600)
    with new_file(out, readers_of=[tmp_path / "source"]) as new:
        new.write_text("1")
    assert out.stat().st_mode & 0o777 == 0o600


# ---- on disk


@pytest.mark.parametrize("batch", [True, False])
def test_all_files_are_synced_to_disk(batch, tmp_path, monkeypatch):
    (tmp_path / "a" / "b").mkdir(parents=True)
    for name in ("x", "a/y", "a/b/z"):
        (tmp_path / name).write_text(name)
    (tmp_path / "link").symlink_to("/dev/zero")
    synced, brought, fsync = set(), permissions._written, os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: (synced.add(leftovers.identity(file)), fsync(file)))
    monkeypatch.setattr(
        permissions, "_written", lambda files: brought(files) if batch and len(files) == 3 else False
    )
    permissions.seal(str(tmp_path))
    wanted = (
        {tmp_path}
        if batch and sys.platform == "linux"
        else {tmp_path, *(path for path in tmp_path.rglob("*") if path.name != "link")}
    )
    assert {leftovers.identity(path) for path in wanted} <= synced


def test_a_disk_that_fails_is_an_error(out, monkeypatch):
    def fail(file):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(BundleError, match="cannot be written: Input/output error"), new_folder(out) as new:
        (new / "a").write_text("1")
    assert entries(out.parent) == []


# ---- a writer that is killed


WRITER = """
import os, signal, sys
from pathlib import Path
from tlparse_bundle.bundle.atomic import folder, leftovers
from tlparse_bundle.bundle.atomic.folder import *
from tlparse_bundle.bundle.atomic.staging import Staging
import tlparse_bundle.bundle.atomic.staging as staging

out, step, ending = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
def killed(*args, **options):
    if ending == "alone":  # the guardian dies too, as it does in a container that is ended
        os.kill(guardian._pid, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)
start = staging.Guardian.__init__
def watch(self, *args):
    global guardian
    guardian = self
    start(self, *args)
    if step == "guardian": killed()
staging.Guardian.__init__ = watch
def kill_at(owner, name, after=False):
    real = getattr(owner, name)
    def do(*args, **options):
        if after: real(*args, **options)
        killed()
    setattr(owner, name, do)
if step.startswith("two"): folder.exchange = lambda one, other: False
if step == "lock": kill_at(Staging, "_recover")
if step == "undo": kill_at(Staging, "undo_as", True)
if step in ("exchange", "two renames"): kill_at(Staging, "commit")
if step == "commit": kill_at(Staging, "commit", True)
if step == "two: the first": kill_at(folder, "_rename")
if step == "remove": leftovers.remove = lambda folder: killed()
if step == "half filled":
    rename = Path.rename
    Path.rename = lambda self, target: (rename(self, target), killed() if target.name == "a" else None)
with new_folder(out, may_replace=lambda path: None) as new:
    (new / "a").mkdir()
    (new / "a" / "b").write_text("new")
    if step == "writing": killed()
"""

STEPS = {
    "old": [
        "guardian",
        "lock",
        "writing",
        "undo",
        "exchange",
        "two: the first",
        "two renames",
        "commit",
        "remove",
    ],
    "nothing": ["guardian", "lock", "writing", "undo", "exchange", "commit", "remove"],
    "empty": ["guardian", "lock", "writing", "undo", "half filled", "exchange", "commit", "remove"],
}


@pytest.mark.skipif(sys.platform == "win32", reason="there is no guardian")
@pytest.mark.parametrize("ending", ["guarded", "alone"])
@pytest.mark.parametrize(
    "before, step", [(before, step) for before, steps in STEPS.items() for step in steps]
)
def test_a_writer_that_is_killed_leaves_nothing(before, step, ending, out):
    if before != "nothing":
        out.mkdir()
    if before == "old":
        (out / "old").write_text("old")
    done = subprocess.run(
        [sys.executable, "-c", WRITER, str(out), step, ending],
        timeout=HANG_S,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == -signal.SIGKILL
    if ending == "alone":
        with Staging(out, out if before == "empty" else out.parent):  # the next writer
            pass
    until(lambda: hidden(out.parent), [])
    assert entries(out.parent) == (["out"] if out.exists() else [])
    whole = {"a/b": b"new"}
    if step in ("commit", "remove"):
        assert traces.files(out) == whole
    elif before == "old":
        assert traces.files(out) == {"old": b"old"}
    elif before == "empty":
        assert entries(out) == []
    else:
        assert not out.exists()


LOCK_OF_A_COPY = """
import os, select, signal, sys
from pathlib import Path
from tlparse_bundle.bundle.atomic.staging import Staging

out = Path(sys.argv[1])
with Staging(out, out.parent) as staging:
    guardian = os.pidfd_open(staging._guardian._pid)
    if os.fork():
        os.kill(os.getpid(), signal.SIGKILL)
    os.close(staging._guardian._pipe)
    select.select([guardian], [], [], 0.5)  # it stays while the guardian is there, but not permanently
    os._exit(0)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs pidfd_open")
def test_a_copy_of_the_writer_may_die_slowly(out):
    """On a busy machine a process closes its end of the pipe some time before the system releases its lock."""
    done = subprocess.run(
        [sys.executable, "-c", LOCK_OF_A_COPY, str(out)],
        timeout=HANG_S,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == -signal.SIGKILL
    until(lambda: entries(out.parent), [], 30)


def test_a_temporary_folder_goes_with_its_process(out):
    code = (
        "import os, tempfile; tempfile.tempdir = {!r}\nfrom tlparse_bundle.bundle.atomic.folder import"
        " temporary_folder\nwith temporary_folder() as f: (f / 'x').touch(); os.kill(os.getpid(), 9)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code.format(str(out.parent))], timeout=HANG_S, env=environment)
    until(lambda: entries(out.parent), [])


@pytest.mark.parametrize(
    ("error", "free_bytes", "is_named"),
    [
        (OSError(errno.ENOSPC, "full"), (1 << 20) - 1, True),
        (OSError(errno.ENOSPC, "full"), 1 << 20, False),
        (OSError(errno.EDQUOT, "full"), 1 << 40, True),
        (OSError(errno.EIO, "broken"), 0, False),
        (OSError(errno.ENOSPC, "full", "/elsewhere/x"), 0, False),
    ],
)
def test_a_temporary_folder_is_named_when_its_disk_is_full(error, free_bytes, is_named, monkeypatch):
    """An error without a path is about the disk that has less than 1 MiB left."""
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=free_bytes))
    with pytest.raises(BundleError if is_named else OSError) as raised, temporary_folder():
        raise error
    assert raised.value is error or "cannot be written" in raised.value.message


def test_an_error_about_a_file_of_a_temporary_folder_names_it():
    with pytest.raises(BundleError, match="cannot be written"), temporary_folder() as folder:
        raise OSError(errno.EIO, "broken", str(folder / "x"))


def test_no_process_is_left(out, monkeypatch):
    pids, end = [], folder.Staging._end
    monkeypatch.setattr(folder.Staging, "_end", lambda self: (pids.append(self._guardian._pid), end(self)))
    with new_folder(out):
        pass
    with temporary_folder():
        pass
    with pytest.raises(RuntimeError), new_file(out.with_name("file")):
        raise RuntimeError
    assert len(pids) == 3
    for pid in filter(None, pids):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_it_works_without_a_guardian(out, monkeypatch):
    def fail(*args, **options):
        raise OSError(11, "no more processes")

    monkeypatch.setattr(os, "posix_spawn", fail)
    with new_folder(out) as new:
        (new / "a").write_text("1")
    assert traces.files(out) == {"a": b"1"}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_the_guardian_holds_nothing_of_the_caller(out):
    source, target = os.pipe()
    os.set_inheritable(target, True)
    with Staging(out, out.parent) as staging:
        fds = f"/proc/{staging._guardian._pid}/fd"
        until(lambda: sorted(os.listdir(fds)), ["0", "1", "2"])
        assert {os.readlink(f"{fds}/{number}") for number in "12"} == {os.devnull}
        assert os.getsid(staging._guardian._pid) != os.getsid(0)
    os.close(source), os.close(target)
    assert leftovers.identity(out) is None
