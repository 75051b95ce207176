"""A bundle appears whole or not at all, and nothing but a bundle is ever replaced."""

import os
import shutil
from pathlib import Path

import pytest
import traces
from log_builder import log
from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.bundle.atomic import folder, permissions
from tlparse_bundle.bundle.atomic.staging import Staging
from tlparse_bundle.pipeline import log_writer
from tlparse_bundle.pipeline.merge import merge
from tlparse_bundle.pipeline.target import is_bundle


@pytest.fixture
def logs(tmp_path):
    """Two small logs, in their own folder."""
    folder = tmp_path / "trace"
    folder.mkdir()
    for rank in (0, 1):
        (folder / f"dedicated_log_torch_trace_rank_{rank}.log").write_bytes(
            log(f"artifact:a 0/0 @{rank}\n | text")
        )
    return discover([folder])


def entries(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_bundle_is_put_where_it_was_asked_for(logs, tmp_path):
    result = build(logs, tmp_path / "new" / "folders" / "out", jobs=1)
    assert result.path == tmp_path / "new" / "folders" / "out"
    assert [it.rank for it in Bundle.open(result.path).logs] == [0, 1]
    assert entries(result.path.parent) == ["out"]
    assert entries(result.path) == ["blobs", "logs", "manifest.json", "ranks", "schemas.json.zst"]


def test_an_empty_folder_is_filled(logs, tmp_path):
    (tmp_path / "out").mkdir()
    build(logs, tmp_path / "out", jobs=1)
    assert Bundle.open(tmp_path / "out").logs


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, MemoryError])
@pytest.mark.parametrize("old", [False, True])
def test_nothing_is_left_of_an_interrupted_build_and_the_old_bundle_stays(
    error, old, logs, tmp_path, monkeypatch
):
    if old:
        build(logs[:1], tmp_path / "out", jobs=1)
    before = traces.files(tmp_path)

    def fail(*args, **options):
        raise error

    monkeypatch.setattr(log_writer.EventDecoder, "decode", fail)
    with pytest.raises(error):
        build(logs, tmp_path / "out", jobs=1, overwrite=True)
    assert traces.files(tmp_path) == before
    assert entries(tmp_path) == (["out", "trace"] if old else ["trace"])


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
@pytest.mark.parametrize("step", ["exchange", "rename", "commit", "sync"])
def test_the_old_bundle_stays_when_the_new_one_cannot_be_put_in_place(
    error, step, logs, tmp_path, monkeypatch
):
    build(logs[:1], tmp_path / "out", jobs=1)
    before, rename = traces.files(tmp_path), Path.rename

    def fail(*args):
        raise error

    if step == "exchange":
        monkeypatch.setattr(folder, "exchange", fail)
    elif step == "rename":
        monkeypatch.setattr(folder, "exchange", lambda one, other: False)
        monkeypatch.setattr(
            Path, "rename", lambda self, target: fail() if self.name == "new" else rename(self, target)
        )
    elif step == "commit":
        monkeypatch.setattr(Staging, "commit", fail)
    else:
        monkeypatch.setattr(permissions, "sync", fail)
    with pytest.raises((KeyboardInterrupt, BundleError)):
        build(logs, tmp_path / "out", jobs=1, overwrite=True)
    monkeypatch.undo()
    assert traces.files(tmp_path) == before and entries(tmp_path) == ["out", "trace"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_log_that_cannot_be_read_leaves_nothing(jobs, logs, tmp_path):
    logs[1].path.write_bytes(b"\x1f\x8b broken")
    broken = discover([tmp_path / "trace"])
    with pytest.raises(BundleError, match=r"rank_1\.log' cannot be decompressed"):
        build(broken, tmp_path / "out", jobs=jobs)
    assert entries(tmp_path) == ["trace"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_log_that_has_gone_leaves_nothing(jobs, logs, tmp_path):
    logs[1].path.unlink()
    with pytest.raises(BundleError, match=r"rank_1\.log' cannot be read"):
        build(logs, tmp_path / "out", jobs=jobs)
    assert entries(tmp_path) == ["trace"]


def test_an_interrupt_while_workers_run_leaves_nothing(logs, tmp_path):
    def interrupt(size_bytes):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(logs, tmp_path / "out", jobs=2, progress=interrupt)
    assert entries(tmp_path) == ["trace"]


# ---- what may be replaced


def test_a_bundle_is_replaced_only_when_asked(logs, tmp_path):
    build(logs[:1], tmp_path / "out", jobs=1)
    before = traces.files(tmp_path / "out")
    with pytest.raises(BundleError, match="already exists"):
        build(logs, tmp_path / "out", jobs=1)
    assert traces.files(tmp_path / "out") == before
    build(logs, tmp_path / "out", jobs=1, overwrite=True)
    assert len(Bundle.open(tmp_path / "out").logs) == 2
    assert entries(tmp_path) == ["out", "trace"]


def test_a_bundle_of_another_version_is_replaced(logs, tmp_path):
    build(logs, tmp_path / "out", jobs=1)
    traces.rewrite(tmp_path / "out", "manifest.json", lambda manifest: manifest["format"].update(major=99))
    build(logs, tmp_path / "out", jobs=1, overwrite=True)
    assert Bundle.open(tmp_path / "out").logs


@pytest.mark.parametrize("what", ["file", "folder", "other manifest", "link to a folder", "broken link"])
def test_only_bundles_are_replaced(what, logs, tmp_path):
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "thesis.txt").write_text("years of work")
    if what == "file":
        out.write_text("mine")
    elif what == "folder":
        out.mkdir()
        (out / "mine").write_text("mine")
    elif what == "other manifest":
        out.mkdir()
        (out / "manifest.json").write_text('{"format": "something else"}')
    else:
        out.symlink_to(elsewhere if what == "link to a folder" else tmp_path / "nowhere")
    before = traces.files(tmp_path)
    with pytest.raises(BundleError, match="is not a bundle"):
        build(logs, out, jobs=1, overwrite=True)
    assert traces.files(tmp_path) == before


@pytest.mark.parametrize(
    "place",
    [
        "notes.txt",
        ".git/config",
        "logs/notes.txt",
        "blobs/notes.txt",
        "blobs/00/notes.txt",
        "logs/rank_0/events/notes.txt",
    ],
)
def test_a_bundle_with_files_of_somebody_else_is_not_replaced(place, logs, tmp_path):
    build(logs, tmp_path / "out", jobs=1)
    (tmp_path / "out" / place).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "out" / place).write_text("mine")
    before = traces.files(tmp_path)
    with pytest.raises(BundleError, match="contains files that are not part of a bundle"):
        build(logs, tmp_path / "out", jobs=1, overwrite=True)
    assert traces.files(tmp_path) == before


def test_a_link_to_a_bundle_is_replaced_and_its_target_kept(logs, tmp_path):
    build(logs[:1], tmp_path / "real", jobs=1)
    (tmp_path / "out").symlink_to(tmp_path / "real")
    before = traces.files(tmp_path / "real")
    build(logs, tmp_path / "out", jobs=1, overwrite=True)
    assert traces.files(tmp_path / "real") == before
    assert len(Bundle.open(tmp_path / "out").logs) == 2 and not (tmp_path / "out").is_symlink()


# ---- places that cannot be written


def test_a_place_below_a_file_is_an_error(logs, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BundleError, match="cannot be written"):
        build(logs, tmp_path / "file" / "out", jobs=1)


def test_the_working_folder_can_be_the_place(logs, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    build(logs, Path("."), jobs=1)
    assert (
        entries(tmp_path / "here")
        == sorted(os.listdir("."))
        == ["blobs", "logs", "manifest.json", "ranks", "schemas.json.zst"]
    )


# ---- what appears, or changes, meanwhile


def when_it_reads(monkeypatch, do):
    """Return a function that acts in the middle of a build."""
    decode = log_writer.EventDecoder.decode
    once = [do]

    def and_then(self, record):
        if once:
            once.pop()()
        return decode(self, record)

    monkeypatch.setattr(log_writer.EventDecoder, "decode", and_then)


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("empty", [False, True])
@pytest.mark.parametrize("what", ["file", "folder", "bundle", "link", "broken link"])
def test_entries_that_appear_meanwhile_are_kept(what, empty, overwrite, logs, tmp_path, monkeypatch):
    """In a missing folder, and in an empty one."""
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    build(logs[:1], elsewhere, jobs=1)
    if empty:
        out.mkdir()

    def appear():
        if empty:
            out.rename(tmp_path / "gone")  # with the unfinished bundle in it
        if what == "file":
            out.write_text("mine")
        elif what == "folder":
            (out / "deep").mkdir(parents=True)
            (out / "deep" / "thesis.txt").write_text("mine")
        elif what == "bundle":
            shutil.copytree(elsewhere, out)
        else:
            out.symlink_to(elsewhere if what == "link" else tmp_path / "nowhere")

    when_it_reads(monkeypatch, appear)
    with pytest.raises(BundleError) as error:
        build(logs, out, jobs=1, overwrite=overwrite)
    assert error.value.code in ("exists", "unwritable")
    monkeypatch.undo()
    if what == "file":
        assert out.read_text() == "mine"
    elif what == "folder":
        assert traces.files(out) == {"deep/thesis.txt": b"mine"}
    elif what == "bundle":
        assert traces.files(out) == traces.files(elsewhere)
    else:
        assert out.is_symlink()
    assert len(Bundle.open(elsewhere).logs) == 1


def test_a_file_in_the_empty_folder_stays(logs, tmp_path, monkeypatch):
    (tmp_path / "out").mkdir()
    when_it_reads(monkeypatch, lambda: (tmp_path / "out" / "thesis.txt").write_text("mine"))
    with pytest.raises(BundleError, match="was created by another process"):
        build(logs, tmp_path / "out", jobs=1)
    assert traces.files(tmp_path / "out") == {"thesis.txt": b"mine"} and entries(tmp_path / "out") == [
        "thesis.txt"
    ]


@pytest.mark.parametrize("exchanges", [True, False])
@pytest.mark.parametrize("late", [False, True], ids=["while it reads", "at the last moment"])
@pytest.mark.parametrize("what", ["notes.txt", "logs/notes.txt", "mine/", "manifest.json"])
def test_files_added_to_the_old_bundle_meanwhile_are_kept(what, late, exchanges, logs, tmp_path, monkeypatch):
    out = tmp_path / "out"
    build(logs[:1], out, jobs=1)

    def add():
        if what == "manifest.json":  # somebody else rebuilt it
            manifest = (out / what).read_bytes()
            (out / what).unlink()
            (out / what).write_bytes(manifest + b"\n")
        elif what.endswith("/"):
            (out / what).mkdir()
        else:
            (out / what).write_text("mine")

    def at_the_end(one, other):
        add()
        return exchange(one, other) if exchanges else False

    exchange = folder.exchange
    if late:
        monkeypatch.setattr(folder, "exchange", at_the_end)
    else:
        when_it_reads(monkeypatch, add)
        monkeypatch.setattr(
            folder, "exchange", lambda one, other: exchange(one, other) if exchanges else False
        )
    with pytest.raises(
        BundleError, match=r"contains files that are not part of a bundle|was changed by another process"
    ) as error:
        build(logs, out, jobs=1, overwrite=True)
    assert error.value.code == "exists"
    assert len(Bundle.open(out).logs) == 1 and (out / what).exists()
    assert entries(tmp_path) == ["out", "trace"]


@pytest.mark.parametrize("exchanges", [True, False])
def test_an_old_bundle_is_replaced_whole(exchanges, logs, tmp_path, monkeypatch):
    if not exchanges:
        monkeypatch.setattr(folder, "exchange", lambda one, other: False)
    build(logs[:1], tmp_path / "out", jobs=1)
    build(logs, tmp_path / "out", jobs=1, overwrite=True)
    build(logs, tmp_path / "other", jobs=1)
    assert traces.files(tmp_path / "out") == traces.files(tmp_path / "other")
    assert entries(tmp_path) == ["other", "out", "trace"]


@pytest.mark.parametrize("old", ["nothing", "empty", "bundle"])
def test_one_of_two_parallel_builds_is_refused(old, logs, tmp_path, monkeypatch):
    out = tmp_path / "out"
    if old == "empty":
        out.mkdir()
    elif old == "bundle":
        build(logs[:1], out, jobs=1)
    errors = []

    def second():
        with pytest.raises(BundleError, match="another process is writing") as error:
            build(logs[1:], out, jobs=1, overwrite=True)
        errors.append(error.value.code)

    when_it_reads(monkeypatch, second)
    build(logs, out, jobs=1, overwrite=True)
    assert errors == ["busy"] and len(Bundle.open(out).logs) == 2
    assert entries(tmp_path) == ["out", "trace"] and entries(out) == [
        "blobs",
        "logs",
        "manifest.json",
        "ranks",
        "schemas.json.zst",
    ]


# ---- who may read it


@pytest.mark.parametrize(
    "modes, files, folders",
    [((0o600, 0o644), 0o600, 0o700), ((0o640, 0o644), 0o640, 0o750), ((0o644, 0o644), 0o644, 0o755)],
)
def test_a_bundle_is_as_private_as_its_logs(modes, files, folders, logs, tmp_path):
    for log_file, mode in zip(logs, modes, strict=True):
        log_file.path.chmod(mode)
    before = os.umask(0o022)
    try:
        build(logs, tmp_path / "out", jobs=1)
        merge([tmp_path / "out"], tmp_path / "merged")
    finally:
        os.umask(before)
    for bundle in (tmp_path / "out", tmp_path / "merged"):
        found = {path.is_dir(): path.stat().st_mode & 0o777 for path in (bundle, *bundle.rglob("*"))}
        assert found == {False: files, True: folders}
        assert all(
            path.stat().st_mode & 0o777 == (folders if path.is_dir() else files)
            for path in (bundle, *bundle.rglob("*"))
        )


def test_a_bundle_that_was_private_stays_so(logs, tmp_path):
    build(logs, tmp_path / "out", jobs=1)
    (tmp_path / "out").chmod(0o700)
    build(logs, tmp_path / "out", jobs=1, overwrite=True)
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o700


# ---- workers and progress


@pytest.mark.parametrize("jobs", [1, 2])
def test_progress_adds_up(jobs, logs, tmp_path):
    seen = []
    build(logs, tmp_path / "out", jobs=jobs, progress=seen.append)
    assert sum(seen) == sum(it.size_bytes for it in logs)


def test_the_manifest_lists_what_occurs(logs, tmp_path):
    manifest = build(logs, tmp_path / "out", jobs=1).manifest
    assert list(manifest["descriptors"]) == ["artifact:*text"]
    assert list(manifest["diagnostic_codes"]) == ["year-unknown"]
    phases = {phase["id"] for phase in manifest["phases"]}
    assert {about["phase"] for about in manifest["descriptors"].values()} <= phases
    assert is_bundle(tmp_path / "out")


def test_logs_are_ordered_by_rank_and_those_without_come_last(tmp_path):
    for name in ("zz", "rank_10", "rank_2", "aa"):
        (tmp_path / f"dedicated_log_torch_trace_{name}.log").write_bytes(log("x"))
    result = build(discover([tmp_path]), tmp_path / "out", jobs=1)
    assert [(row["rank"], row["id"]) for row in result.manifest["logs"]] == [
        (2, "rank_2"),
        (10, "rank_10"),
        (None, "aa"),
        (None, "zz"),
    ]
