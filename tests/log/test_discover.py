"""From paths to logs: which files count, their ids and ranks, the newest run."""

import dataclasses
import datetime as dt
import gzip
import json
import os
import socket
import subprocess
import sys

import pytest
import zstandard
from log_builder import log, record
from tlparse_bundle import BundleError, build, discover
from tlparse_bundle.log.discover import Skipped, left_out
from tlparse_bundle.log.log_file import open_log
from traces import ROOT

DATA = log("a")


def names(logs):
    return [it.path.name for it in logs]


def put(folder, name, data=DATA, age_s=0):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (1_700_000_000 - age_s,) * 2)
    return path


@pytest.mark.parametrize(
    "name,log_id,rank",
    [
        ("dedicated_log_torch_trace_9inkxmhs.log", "9inkxmhs", None),
        ("dedicated_log_torch_trace_rank_0_pq5cr6e_.log", "rank_0_pq5cr6e_", 0),
        ("dedicated_log_torch_trace_rank_12__x.log", "rank_12__x", 12),
        ("dedicated_log_torch_trace_rank_7.log", "rank_7", 7),
        ("dedicated_log_torch_trace_rank_7.log.gz", "rank_7", 7),
        ("rank_3.txt", "rank_3", 3),
        ("my rank_3_of it.jsonl.zst", "my_rank_3_of_it", 3),
        ("frank_3x.log", "frank_3x", None),
        ("plain", "plain", None),
    ],
)
def test_id_and_rank_of_a_name(name, log_id, rank, tmp_path):
    (it,) = discover([put(tmp_path, name)])
    assert (it.id, it.name_rank) == (log_id, rank)


def test_a_folder_gives_every_log_below_it(tmp_path):
    put(tmp_path, "dedicated_log_torch_trace_a.log")
    put(tmp_path, "deep/er/any_name", DATA)
    put(tmp_path, "packed.gz", gzip.compress(DATA))
    put(tmp_path, "packed.zst", zstandard.compress(DATA))
    (tmp_path / "packed.zst").rename(tmp_path / "other.zst")
    put(tmp_path, "dedicated_log_torch_trace_empty.log", b"")
    for other in ("notes.txt", "train.py", ".hidden.log", ".git/a.log", "empty.txt"):
        put(tmp_path, other, b"" if other == "empty.txt" else DATA if other[0] == "." else b"print()\n")
    assert sorted(names(discover([tmp_path]))) == [
        "any_name",
        "dedicated_log_torch_trace_a.log",
        "dedicated_log_torch_trace_empty.log",
        "other.zst",
        "packed.gz",
    ]


def test_bundles_in_a_folder_are_not_logs(tmp_path):
    put(tmp_path, "x.log")
    put(tmp_path, "out/manifest.json", b"{}")
    put(tmp_path, "out/logs/x/verbatim/0000.log")
    assert names(discover([tmp_path])) == ["x.log"]


@pytest.mark.parametrize(
    "before", [b"", b"some text\n", b"\xef\xbb\xbfnoise of another length\n\n", b"x\n" * 150]
)
def test_a_log_is_recognized_by_a_record_near_its_beginning(before, tmp_path):
    assert discover([put(tmp_path, "any.txt", before + DATA)])


@pytest.mark.parametrize(
    "data",
    [
        b"V0401 12:00:00.000000 7 a.py:1] Some text of TORCH_LOGS\n",
        b"{}",
        b"\x7fELF" + bytes(1000),
        b"V0401 {}\n",
    ],
)
def test_other_files_are_refused(data, tmp_path):
    with pytest.raises(BundleError, match="is not a TORCH_TRACE log"):
        discover([put(tmp_path, "any.txt", data)])


def test_a_file_that_is_named_twice_counts_once(tmp_path):
    path = put(tmp_path, "x.log")
    (tmp_path / "link.log").symlink_to(path)
    assert len(discover([path, tmp_path, str(path), path.parent / "." / "x.log"])) == 1


@pytest.mark.parametrize(
    "one,other", [("x.log", "x.log"), ("x.log", "x.txt"), ("X.log", "x.log"), ("a b.log", "a_b.log")]
)
def test_two_logs_that_would_have_one_id_are_an_error(one, other, tmp_path):
    put(tmp_path, "one/" + one)
    put(tmp_path, "two/" + other)
    put(tmp_path, "y.log")
    put(tmp_path, "Xa.log")
    with pytest.raises(BundleError, match="two logs have the same name"):
        discover([tmp_path])


@pytest.mark.parametrize(
    "paths,words",
    [(["nowhere"], "does not exist"), (["empty"], "has no TORCH_TRACE log"), (["void.log"], "empty")],
)
def test_nothing_to_read_is_an_error(paths, words, tmp_path):
    (tmp_path / "empty").mkdir()
    put(tmp_path, "void.log", b"")
    with pytest.raises(BundleError, match=words):
        discover([tmp_path / path for path in paths])


@pytest.mark.parametrize(
    ("name", "is_named_as_a_log"),
    [
        ("x.log", True),
        ("x.log.gz", True),
        ("x.zst", True),
        ("dedicated_log_torch_trace_x", True),
        ("traces", False),
    ],
)
def test_the_hint_for_a_missing_path_depends_on_its_name(name, is_named_as_a_log, tmp_path):
    """A missing log is a wrong path, a missing folder may be one where nothing was traced."""
    with pytest.raises(BundleError) as raised:
        discover([tmp_path / name])
    assert raised.value.hint.startswith("Check the path.") == is_named_as_a_log


def test_ranks(tmp_path):
    for rank in range(4):
        put(tmp_path, f"dedicated_log_torch_trace_rank_{rank}_a.log")
    put(tmp_path, "dedicated_log_torch_trace_a.log")
    assert [it.name_rank for it in discover([tmp_path], ranks=[1, 3, 9])] == [1, 3]


@pytest.mark.parametrize(
    ("names", "hint"),
    [
        (["a.log"], "No file name has a rank."),
        (["rank_2_a.log", "rank_0_b.log", "rank_2_c.log", "d.log"], "The file names have the ranks 0, 2."),
        (
            [f"rank_{rank}_a.log" for rank in range(20)],
            f"The file names have the ranks {', '.join(map(str, range(20)))}.",
        ),
        (
            [f"rank_{rank}_a.log" for rank in range(21)],
            f"The file names have the ranks {', '.join(map(str, range(20)))}, ….",
        ),
    ],
)
def test_ranks_that_no_log_has(names, hint, tmp_path):
    for name in names:
        put(tmp_path, name)
    with pytest.raises(BundleError, match="no log has any of these ranks") as raised:
        discover([tmp_path], ranks=[99])
    assert raised.value.hint == f"{hint} Leave out --ranks to read all logs."


def test_several_empty_logs(tmp_path):
    for name in ("a.log", "b.log"):
        put(tmp_path, f"dedicated_log_torch_trace_{name}", b"")
    with pytest.raises(BundleError, match=r"a\.log', '.*b\.log' are empty"):
        discover([tmp_path])
    with pytest.raises(BundleError, match=r"a\.log' is empty"):
        discover([tmp_path / "dedicated_log_torch_trace_a.log"])
    put(tmp_path, "c.log")
    assert len(discover([tmp_path])) == 3


def test_a_named_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BundleError, match="is not a file or a folder") as raised:
        discover([tmp_path / "pipe"])
    assert raised.value.code == "not-a-file"


@pytest.mark.parametrize("name", ["x" * 300, "a\0b"])
def test_a_path_that_cannot_be_looked_up(name, tmp_path):
    with pytest.raises(BundleError, match="cannot be read"):
        discover([tmp_path / name])


@pytest.mark.parametrize("count", [0, 1, 5, 6, 1006])
def test_files_left_out_are_counted(count):
    text = left_out([Skipped(f"/p/{number}", "a link") for number in range(count)])
    if not count:
        assert text == ""
        return
    assert text.startswith(f"{count:,} left out: /p/0 (a link)") and text.count("(a link)") == min(count, 5)
    assert (f" and {count - 5:,} more." in text) == (count > 5)


# ---- at URLs


@pytest.fixture
def memory(tmp_path):
    fsspec = pytest.importorskip("fsspec")
    system, url = fsspec.filesystem("memory"), f"memory://discover/{tmp_path.name}"
    for path in ("a.log", "deep/b.log", "deep/.hidden/c.log", ".d.log", "notes.txt"):
        system.pipe_file(f"{url}/{path}", b"print()" if path == "notes.txt" else DATA)
    for path in ("out/manifest.json", "out/logs/x/e.log"):
        system.pipe_file(f"{url}/{path}", DATA)
    return url


def test_logs_at_a_url(memory):
    assert [it.path.url for it in discover([memory + "/"])] == [f"{memory}/a.log", f"{memory}/deep/b.log"]
    assert [it.id for it in discover([f"{memory}/deep/b.log"])] == ["b"]
    assert len(discover([memory, f"{memory}/a.log"])) == 2
    with pytest.raises(BundleError, match="cannot be read"):
        discover([f"{memory}/nothing"])


def test_other_files_at_a_url(memory):
    with pytest.raises(BundleError, match="is not a TORCH_TRACE log"):
        discover([f"{memory}/notes.txt"])


# ---- rejected files, and possible logs that are left out


def found_in(folder):
    """Return (names of the logs, {name: reason} of the files left out)."""
    skipped = []
    logs = discover([folder], skipped=skipped)
    return names(logs), {os.path.relpath(it.path, folder): it.reason for it in skipped}


@pytest.mark.parametrize(
    "target", ["outside.log", "/proc/self/environ", "/dev/zero", "/etc/passwd", "missing", ".", "folder"]
)
@pytest.mark.parametrize("name", ["dedicated_log_torch_trace_rank_1_x.log", "x.log"])
def test_a_link_in_a_folder_is_not_followed(name, target, tmp_path):
    put(tmp_path, "logs/real.log")
    put(tmp_path, "outside.log")
    put(tmp_path, "folder/dedicated_log_torch_trace_y.log")
    (tmp_path / "logs" / name).symlink_to(tmp_path / target)
    assert found_in(tmp_path / "logs") == (["real.log"], {name: "a link"})


def test_a_link_that_is_named_is_read(tmp_path):
    put(tmp_path, "far/real.log")
    (tmp_path / "x.log").symlink_to("far/real.log")
    (tmp_path / "logs").symlink_to("far")
    assert names(discover([tmp_path / "x.log"])) == ["x.log"]
    assert names(discover([tmp_path / "logs"])) == ["real.log"]


@pytest.mark.parametrize("name", ["dedicated_log_torch_trace_x.log", "x"])
def test_only_regular_files_are_opened(name, tmp_path, monkeypatch):
    put(tmp_path, "real.log")
    os.mkfifo(tmp_path / name)
    with socket.socket(socket.AF_UNIX) as it:
        monkeypatch.chdir(tmp_path)  # a socket's address has room for 108 bytes
        it.bind("socket.log")
        assert found_in(tmp_path) == (
            ["real.log"],
            {name: "not a regular file", "socket.log": "not a regular file"},
        )


def test_only_links_are_an_error_that_names_them(tmp_path):
    put(tmp_path, "real.log")
    (tmp_path / "logs").mkdir()
    for number in range(9):
        (tmp_path / "logs" / f"dedicated_log_torch_trace_{number}.log").symlink_to(tmp_path / "real.log")
    with pytest.raises(BundleError, match="has no TORCH_TRACE log") as error:
        discover([tmp_path / "logs"])
    assert (
        "9 left out: " in error.value.hint
        and "torch_trace_0.log (a link)" in error.value.hint
        and "and 4 more. Name them to read them." in error.value.hint
    )


@pytest.fixture
def unreadable(monkeypatch):
    """Return unreadable(name): make opening a file of this name fail, as without permission."""

    def make(name, error=None):
        error = error or PermissionError(13, "Permission denied")
        opened = os.open

        def refused(path, *arguments, **options):
            if os.path.basename(path) == name:
                raise error
            return opened(path, *arguments, **options)

        monkeypatch.setattr(os, "open", refused)

    return make


@pytest.mark.parametrize(
    "error,reason",
    [
        (PermissionError(13, "Permission denied"), "cannot be read: Permission denied"),
        (FileNotFoundError(2, "gone"), "it is gone"),
        (OSError(5, "Input/output error"), "cannot be read: Input/output error"),
    ],
)
def test_an_unreadable_file_does_not_stop_the_others(error, reason, unreadable, tmp_path):
    put(tmp_path, "real.log")
    put(tmp_path, "notes.txt", b"secret")
    unreadable("notes.txt", error)
    assert found_in(tmp_path) == (["real.log"], {"notes.txt": reason})


def test_a_log_that_disappears_does_not_stop_the_others(unreadable, tmp_path):
    put(tmp_path, "real.log")
    put(tmp_path, "dedicated_log_torch_trace_x.log")
    unreadable("dedicated_log_torch_trace_x.log", FileNotFoundError(2, "gone"))
    assert found_in(tmp_path) == (["real.log"], {"dedicated_log_torch_trace_x.log": "it is gone"})


def test_an_unreadable_log_is_an_error(unreadable, tmp_path):
    put(tmp_path, "real.log")
    put(tmp_path, "dedicated_log_torch_trace_x.log")
    unreadable("dedicated_log_torch_trace_x.log")
    with pytest.raises(BundleError, match=r"torch_trace_x\.log' cannot be read: Permission denied") as error:
        discover([tmp_path])
    assert "Its name is that of a log." in error.value.hint


def test_an_unreadable_folder_below_does_not_stop_the_others(tmp_path, monkeypatch):
    put(tmp_path, "real.log")
    put(tmp_path, "locked/x.log")
    scan = os.scandir
    monkeypatch.setattr(os, "scandir", _refusing(scan, "locked"))
    assert found_in(tmp_path) == (["real.log"], {"locked": "cannot be read: Permission denied"})
    monkeypatch.setattr(os, "scandir", _refusing(scan, tmp_path.name))
    with pytest.raises(BundleError, match="cannot be read: Permission denied"):
        discover([tmp_path])


def _refusing(scan, name):
    def refused(path):
        if os.path.basename(path) == name:
            raise PermissionError(13, "Permission denied", os.fspath(path))
        return scan(path)

    return refused


def test_a_compressed_file_that_cannot_be_decompressed_is_reported(tmp_path):
    put(tmp_path, "real.log")
    put(tmp_path, "backup.gz", gzip.compress(DATA)[:-12])
    (_, skipped) = found_in(tmp_path)
    assert list(skipped) == ["backup.gz"] and skipped["backup.gz"].startswith("cannot be decompressed")
    with pytest.raises(BundleError, match=r"backup\.gz' cannot be decompressed"):
        discover([tmp_path / "backup.gz"])


@pytest.mark.parametrize("what", ["link", "pipe"])
def test_a_log_that_is_replaced_before_it_is_read(what, tmp_path):
    path, secret = put(tmp_path, "logs/x.log"), put(tmp_path, "secret.log")
    logs = discover([tmp_path / "logs"])
    path.unlink()
    os.mkfifo(path) if what == "pipe" else path.symlink_to(secret)
    with pytest.raises(BundleError, match=r"x\.log' cannot be read: it is not a regular file"):
        build(logs, tmp_path / "out", jobs=1)
    if what == "pipe":
        with pytest.raises(BundleError, match=r"x\.log' cannot be read: it is not a regular file"):
            open_log(dataclasses.replace(logs[0], folder=None))


def test_the_command_lists_files_left_out(tmp_path):
    put(tmp_path, "logs/real.log")
    (tmp_path / "logs" / "evil\nError: x.log").symlink_to("/proc/self/environ")
    command = [sys.executable, "-m", "tlparse_bundle", "logs", "out", "--json", "-q"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "preprocessor")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (
        done.returncode == 0
        and done.stderr == "1 left out: logs/evil\\nError: x.log (a link). Name them to read them.\n"
    )
    assert json.loads(done.stdout)["skipped"] == [{"path": "logs/evil\nError: x.log", "reason": "a link"}]


# ---- the newest run


def at(minutes_ago):
    """Write a record from so long before the newest file here."""
    return record(
        "a", time=dt.datetime.fromtimestamp(1_700_000_000 - minutes_ago * 60).strftime("%m%d %H:%M:%S.000000")
    )


def test_the_newest_of_several_logs_without_rank(tmp_path):
    put(tmp_path, "old.log", at(200), age_s=150 * 60)
    put(tmp_path, "new.log", at(10))
    assert names(discover([tmp_path], latest=True)) == ["new.log"]


def test_the_newest_run_has_all_its_ranks(tmp_path):
    for rank in range(2):
        put(tmp_path, f"rank_{rank}_old.log", at(100), age_s=90 * 60)
        put(tmp_path, f"rank_{rank}_new.log", at(10), age_s=rank)
    assert names(discover([tmp_path], latest=True)) == ["rank_0_new.log", "rank_1_new.log"]


def test_a_log_of_the_same_rank_is_an_earlier_run(tmp_path):
    """Also where the times overlap: one run has one log of each rank."""
    put(tmp_path, "rank_0_new.log", at(10))
    put(tmp_path, "rank_0_old.log", at(20), age_s=60)
    put(tmp_path, "rank_1_new.log", at(9), age_s=10)
    put(tmp_path, "rank_2_old.log", at(20), age_s=601)
    assert names(discover([tmp_path], latest=True)) == ["rank_0_new.log", "rank_1_new.log"]


def test_a_log_that_ends_when_the_newest_begins_is_of_its_run(tmp_path):
    put(tmp_path, "rank_0_new.log", at(10))
    put(tmp_path, "rank_1_new.log", at(20), age_s=600)
    assert len(discover([tmp_path], latest=True)) == 2


def test_a_log_from_before_new_year(tmp_path):
    """Its first record comes from the year before the file was last written."""
    moment = dt.datetime(2024, 1, 1, 0, 10).timestamp()
    for name, time, minutes_ago in (
        ("rank_0_new.log", "1231 23:50:00.000000", 0),
        ("rank_1_new.log", "1231 23:50:00.000000", 15),
        ("rank_2_old.log", "1231 23:00:00.000000", 25),
    ):
        path = put(tmp_path, name, record("a", time=time))
        os.utime(path, (moment - minutes_ago * 60,) * 2)
    assert names(discover([tmp_path], latest=True)) == ["rank_0_new.log", "rank_1_new.log"]


@pytest.mark.parametrize(
    "data",
    [b"no record\n", record("a", time="0230 12:00:00.000000"), gzip.compress(DATA)[:-12]],
    ids=["other", "no such day", "cut"],
)
def test_a_log_without_a_first_time_begins_when_it_was_written(data, tmp_path):
    put(tmp_path, "dedicated_log_torch_trace_rank_0_new.log", data)
    put(tmp_path, "dedicated_log_torch_trace_rank_1_old.log", at(10), age_s=1)
    assert names(discover([tmp_path], latest=True)) == ["dedicated_log_torch_trace_rank_0_new.log"]
