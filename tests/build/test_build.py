"""A bundle appears whole or not at all, and nothing but a bundle is ever replaced."""

import os
from pathlib import Path

import pytest
import traces
from log_builder import log
from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.build import log_writer
from tlparse_bundle.build.target import is_bundle


@pytest.fixture
def logs(tmp_path):
    """Two small logs, in a folder of their own."""
    folder = tmp_path / "trace"
    folder.mkdir()
    for rank in (0, 1):
        (folder / f"dedicated_log_torch_trace_rank_{rank}.log").write_bytes(log(f"artifact:a 0/0 @{rank}\n | text"))
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
def test_nothing_is_left_of_an_interrupted_build_and_the_old_bundle_stays(error, old, logs, tmp_path, monkeypatch):
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
def test_the_old_bundle_stays_when_the_new_one_cannot_be_put_in_place(error, logs, tmp_path, monkeypatch):
    build(logs[:1], tmp_path / "out", jobs=1)
    before, rename = traces.files(tmp_path), Path.rename

    def fail(self, target):
        if self.name.endswith(".partial"):
            raise error
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises((KeyboardInterrupt, BundleError)):
        build(logs, tmp_path / "out", jobs=1, overwrite=True)
    monkeypatch.undo()
    assert traces.files(tmp_path) == before and entries(tmp_path) == ["out", "trace"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_log_that_cannot_be_read_leaves_nothing(jobs, logs, tmp_path):
    logs[1].path.write_bytes(b"\x1f\x8b broken")
    broken = discover([tmp_path / "trace"])
    with pytest.raises(BundleError, match="rank_1.log cannot be decompressed"):
        build(broken, tmp_path / "out", jobs=jobs)
    assert entries(tmp_path) == ["trace"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_log_that_has_gone_leaves_nothing(jobs, logs, tmp_path):
    logs[1].path.unlink()
    with pytest.raises(BundleError, match="rank_1.log cannot be read"):
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
    with pytest.raises(BundleError, match="exists already"):
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
def test_what_is_no_bundle_is_never_replaced(what, logs, tmp_path):
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


@pytest.mark.parametrize("place", ["notes.txt", ".git/config", "logs/notes.txt", "blobs/notes.txt", "blobs/00/notes.txt", "logs/rank_0/events/notes.txt"])
def test_a_bundle_with_files_of_somebody_else_is_not_replaced(place, logs, tmp_path):
    build(logs, tmp_path / "out", jobs=1)
    (tmp_path / "out" / place).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "out" / place).write_text("mine")
    before = traces.files(tmp_path)
    with pytest.raises(BundleError, match="holds more than a bundle"):
        build(logs, tmp_path / "out", jobs=1, overwrite=True)
    assert traces.files(tmp_path) == before


def test_a_link_to_a_bundle_is_replaced_and_the_bundle_behind_it_kept(logs, tmp_path):
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
    try:
        build(logs, Path("."), jobs=1)
    except BundleError:
        assert entries(tmp_path) == ["here", "trace"] and os.listdir(".") == []
    else:
        assert entries(tmp_path / "here") == ["blobs", "logs", "manifest.json", "ranks", "schemas.json.zst"]


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
    assert [(row["rank"], row["id"]) for row in result.manifest["logs"]] == [(2, "rank_2"), (10, "rank_10"), (None, "aa"), (None, "zz")]
