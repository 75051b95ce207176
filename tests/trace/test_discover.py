"""From paths to logs: which files count, their ids and ranks, the newest run."""

import datetime as dt
import gzip
import os

import pytest
import zstandard
from log_builder import log, record
from tlparse_bundle import BundleError, discover

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
        put(tmp_path, other, b"" if other == "empty.txt" else DATA if "." == other[0] else b"print()\n")
    assert sorted(names(discover([tmp_path]))) == ["any_name", "dedicated_log_torch_trace_a.log", "dedicated_log_torch_trace_empty.log", "other.zst", "packed.gz"]


def test_bundles_in_a_folder_are_no_logs(tmp_path):
    put(tmp_path, "x.log")
    put(tmp_path, "out/manifest.json", b"{}")
    put(tmp_path, "out/logs/x/verbatim/0000.log")
    assert names(discover([tmp_path])) == ["x.log"]


@pytest.mark.parametrize("before", [b"", b"some text\n", b"\xef\xbb\xbfnoise of another length\n\n", b"x\n" * 150])
def test_a_log_is_known_by_a_record_near_its_beginning(before, tmp_path):
    assert discover([put(tmp_path, "any.txt", before + DATA)])


@pytest.mark.parametrize("data", [b"V0401 12:00:00.000000 7 a.py:1] Some text of TORCH_LOGS\n", b"{}", b"\x7fELF" + bytes(1000), b"V0401 {}\n"])
def test_other_files_are_refused(data, tmp_path):
    with pytest.raises(BundleError, match="is no trace log"):
        discover([put(tmp_path, "any.txt", data)])


def test_a_file_that_is_named_twice_counts_once(tmp_path):
    path = put(tmp_path, "x.log")
    (tmp_path / "link.log").symlink_to(path)
    assert len(discover([path, tmp_path, str(path), path.parent / "." / "x.log"])) == 1


@pytest.mark.parametrize("one,other", [("x.log", "x.log"), ("x.log", "x.txt"), ("X.log", "x.log"), ("a b.log", "a_b.log")])
def test_two_logs_that_would_have_one_id_are_an_error(one, other, tmp_path):
    put(tmp_path, "one/" + one)
    put(tmp_path, "two/" + other)
    put(tmp_path, "y.log")
    put(tmp_path, "Xa.log")
    with pytest.raises(BundleError, match="two logs have the same name"):
        discover([tmp_path])


@pytest.mark.parametrize("paths,words", [(["nowhere"], "does not exist"), (["empty"], "holds no trace log"), (["void.log"], "empty")])
def test_nothing_to_read_is_an_error(paths, words, tmp_path):
    (tmp_path / "empty").mkdir()
    put(tmp_path, "void.log", b"")
    with pytest.raises(BundleError, match=words):
        discover([tmp_path / path for path in paths])


def test_ranks(tmp_path):
    for rank in range(4):
        put(tmp_path, f"dedicated_log_torch_trace_rank_{rank}_a.log")
    put(tmp_path, "dedicated_log_torch_trace_a.log")
    assert [it.name_rank for it in discover([tmp_path], ranks=[1, 3, 9])] == [1, 3]


# ---- the newest run


def at(minutes_ago):
    """A record that was written so long before the newest file here."""
    return record("a", time=dt.datetime.fromtimestamp(1_700_000_000 - minutes_ago * 60).strftime("%m%d %H:%M:%S.000000"))


def test_the_newest_of_several_logs_without_rank(tmp_path):
    put(tmp_path, "old.log", at(200), age_s=150 * 60)
    put(tmp_path, "new.log", at(10))
    assert names(discover([tmp_path], latest=True)) == ["new.log"]


def test_the_newest_run_has_all_its_ranks(tmp_path):
    for rank in range(2):
        put(tmp_path, f"rank_{rank}_old.log", at(100), age_s=90 * 60)
        put(tmp_path, f"rank_{rank}_new.log", at(10), age_s=rank)
    assert names(discover([tmp_path], latest=True)) == ["rank_0_new.log", "rank_1_new.log"]
