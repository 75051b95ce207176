"""Logs and bundles at URLs, and work on a Dask cluster: the same bytes as on one machine."""

import gzip
import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import job_cases
import pytest
import traces
import zstandard
from click.testing import CliRunner
from log_builder import log
from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.base import remote
from tlparse_bundle.bundle.validate import validate
from tlparse_bundle.cli.main import cli
from tlparse_bundle.pipeline import rank_files
from tlparse_bundle.pipeline.merge import merge
from tlparse_bundle.pipeline.workers import DaskWorkers
from waiting import HANG_S

RANKS = traces.ROOT / "fixtures" / "ranks4" / "trace"


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """Files of the bundle built on this machine alone."""
    out = tmp_path_factory.mktemp("local") / "out"
    build(discover([RANKS]), out, jobs=1)
    return traces.files(out)


@pytest.fixture(scope="module")
def pair():
    """Two of the logs, enough to be compared.

    Each of the hundreds of requests for a log takes an S3 server some milliseconds.
    """
    return discover([RANKS])[:2]


@pytest.fixture(scope="module")
def s3(s3):
    """S3 server as in the other tests, with a bucket that holds the logs."""
    s3.mkdir("/jobs")
    s3.put(str(RANKS) + "/", "jobs/logs/", recursive=True)
    return s3


@pytest.fixture(scope="module")
def cluster(s3):
    """A real cluster: a scheduler and two worker processes.

    Workers take the address of the bucket from their environment.
    """
    distributed = pytest.importorskip("distributed", reason="the test of Dask needs distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", host="127.0.0.1"
    ) as found:
        yield found


def address(cluster):
    return cluster.scheduler_address.replace("tcp://", "dask://")


def workers(cluster):
    return DaskWorkers(address(cluster), connect_seconds=HANG_S)


def stored(s3, prefix):
    return {path[len(prefix) + 1 :]: s3.cat_file(path) for path in s3.find(prefix)}


def test_logs_and_bundle_in_a_bucket(s3, pair, tmp_path):
    logs = discover(["s3://jobs/logs"])
    assert [it.name_rank for it in logs] == [0, 1, 2, 3]
    build(pair, tmp_path / "out", jobs=1)
    local = traces.files(tmp_path / "out")
    result = build(logs[:2], "s3://jobs/out", jobs=2)
    assert stored(s3, "jobs/out") == local
    assert (result.path, result.file_count) == ("s3://jobs/out", len(local))
    bundle = Bundle.open("s3://jobs/out")
    assert validate(bundle) == [] and bundle.rank_table("rank_findings")


def test_commands_read_a_bundle_of_a_bucket(s3, pair, tmp_path):
    build(pair, "s3://jobs/read", jobs=1)
    for command in (["info"], ["validate"], ["cat"], ["restore"]):
        more = {"cat": ["ranks/rank_findings.jsonl.zst"], "restore": [str(tmp_path / "logs")]}.get(
            command[0], []
        )
        done = CliRunner().invoke(cli, [*command, "s3://jobs/read", *more])
        assert done.exit_code == 0, (command, done.output)
    assert sorted(traces.files(tmp_path / "logs")) == sorted(path.name for path in RANKS.iterdir())[:2]


def test_a_file_of_a_bucket_is_read_with_one_request(s3, monkeypatch):
    asked, call = [], type(s3)._call_s3
    monkeypatch.setattr(
        type(s3),
        "_call_s3",
        lambda self, method, *a, **k: (asked.append(method), call(self, method, *a, **k))[1],
    )
    (source,) = RANKS.glob("*rank_2*")
    assert remote.RemoteFolder("s3://jobs/logs").read(source.name, 1 << 20) == source.read_bytes()
    assert asked == ["get_object"]


def test_one_log_of_a_bucket(s3, local, tmp_path):
    build(
        discover(["s3://jobs/logs/dedicated_log_torch_trace_rank_1_fixture0.log"]), tmp_path / "out", jobs=1
    )
    path = "logs/rank_1_fixture0/log.json.zst"
    assert (tmp_path / "out" / path).read_bytes() == local[path]


def test_compressed_logs_of_a_bucket(s3, tmp_path):
    (source,) = RANKS.glob("*rank_2*")
    data = source.read_bytes()
    s3.pipe_file("jobs/packed/rank_2.log.gz", gzip.compress(data, mtime=0))
    s3.pipe_file("jobs/packed/rank_3.log.zst", zstandard.compress(data))
    s3.pipe_file("jobs/packed/notes.txt", b"no log")
    build(discover(["s3://jobs/packed"]), tmp_path / "out", jobs=1)
    assert [it.directory["source"]["compression"] for it in Bundle.open(tmp_path / "out").logs] == [
        "gzip",
        "zstd",
    ]


def test_the_manifest_is_written_last_and_removed_first(s3, pair, monkeypatch):
    done = []
    write, remove = remote.RemoteFolder.write, remote.RemoteFolder.remove
    monkeypatch.setattr(
        remote.RemoteFolder,
        "write",
        lambda self, path, data: (done.append(("write", path)), write(self, path, data))[1],
    )
    monkeypatch.setattr(
        remote.RemoteFolder,
        "remove",
        lambda self, path: (done.append(("remove", path)), remove(self, path))[1],
    )
    build(pair, "s3://jobs/twice", jobs=1)
    assert done[-1] == ("write", "manifest.json") and done.count(done[-1]) == 1
    done.clear()
    with pytest.raises(BundleError, match="already exists"):
        build(pair, "s3://jobs/twice", jobs=1)
    assert done == []
    build(pair, "s3://jobs/twice", jobs=1, overwrite=True)
    assert done[0] == ("remove", "manifest.json") and done[-1] == ("write", "manifest.json")


def test_only_bundles_are_replaced(s3):
    s3.pipe_file("jobs/mine/notes.txt", b"mine")
    for overwrite in (False, True):
        with pytest.raises(BundleError, match=r"exists and contains notes\.txt"):
            build(discover([RANKS]), "s3://jobs/mine", jobs=1, overwrite=overwrite)
    assert stored(s3, "jobs/mine") == {"notes.txt": b"mine"}


def test_nothing_stays_of_a_build_that_fails(s3, pair, monkeypatch):
    monkeypatch.setattr(rank_files, "write_ranks", lambda *a: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        build(pair, "s3://jobs/failed", jobs=1)
    assert not s3.exists("jobs/failed")


@pytest.mark.parametrize("url,several", [("s3://jobs/each", True), ("memory://each", False)])
def test_several_requests_at_once_where_that_is_safe(s3, url, several):
    begun, threads, two = [], set(), threading.Barrier(2)

    def ask(number):
        begun.append(number)
        threads.add(threading.get_ident())
        if several and number < 2:
            two.wait(HANG_S)  # the first waits until the second has begun

    remote.RemoteFolder(url).for_each(ask, range(20))
    assert sorted(begun) == list(range(20)) and (len(threads) > 1) is several


@pytest.mark.parametrize("url,several", [("s3://jobs/each", True), ("memory://each", False)])
def test_after_an_error_no_more_requests_are_begun(s3, url, several, monkeypatch):
    begun, over = [], threading.Event()

    class Pool(ThreadPoolExecutor):
        def shutdown(self, wait=True, *, cancel_futures=False):
            super().shutdown(wait=False, cancel_futures=cancel_futures)
            over.set()
            super().shutdown(wait)

    def ask(number):
        begun.append(number)
        if number == 0:
            raise OSError("no more")
        assert over.wait(HANG_S)  # requests begun together with it end when the error is known

    monkeypatch.setattr("concurrent.futures.ThreadPoolExecutor", Pool)
    with pytest.raises(OSError, match="no more"):
        remote.RemoteFolder(url).for_each(ask, range(1000))
    assert len(begun) <= 1 + (remote._REQUESTS if several else 1)


def test_merging_in_a_bucket(s3, pair, tmp_path):
    build(pair[:1], "s3://jobs/part", jobs=1)
    build(pair[1:], tmp_path / "part", jobs=1)
    merge(["s3://jobs/part", tmp_path / "part"], "s3://jobs/merged", jobs=1)
    build(pair, tmp_path / "whole", jobs=1)
    assert stored(s3, "jobs/merged") == traces.files(tmp_path / "whole")


def test_missing_logs_and_bundles(s3):
    s3.pipe_file("jobs/empty/notes.txt", b"no log")
    with pytest.raises(BundleError, match="'s3://jobs/nothing' cannot be read"):
        discover(["s3://jobs/nothing"])
    with pytest.raises(BundleError, match="has no TORCH_TRACE log"):
        discover(["s3://jobs/empty"])
    with pytest.raises(BundleError, match="password or a key"):
        discover(["https://me:secret@example.org/a.log"])


def test_a_cluster_builds_the_same(cluster, local, tmp_path):
    build(discover([RANKS]), tmp_path / "out", executor=workers(cluster))
    assert traces.files(tmp_path / "out") == local


def test_a_cluster_reads_and_writes_a_bucket(cluster, s3, pair, tmp_path):
    for log in pair:
        s3.put(str(log.path), "jobs/pair/")
    done = CliRunner().invoke(
        cli, ["s3://jobs/pair", "s3://jobs/by-dask", "--executor", address(cluster), "-q"]
    )
    assert done.exit_code == 0, done.output
    build(pair, tmp_path / "out", jobs=1)
    assert stored(s3, "jobs/by-dask") == traces.files(tmp_path / "out")


def test_roles_groups_and_dumps_are_the_same_everywhere(cluster, s3, tmp_path):
    """A job with several roles and process groups, and one with Flight Recorder dumps."""
    recorded = traces.ROOT / "fixtures" / "flight_recorder" / "mesh"
    for name, folder, dumps, tables in (
        ("roles", job_cases.unpacked("pp_late"), (), {"rank_roles"}),
        ("mesh", recorded / "trace", (str(recorded / "dumps"),), {"flight_recorder_calls", "process_groups"}),
    ):
        logs = discover([folder])
        build(logs, tmp_path / name, jobs=1, flight_recorder=dumps)
        files = traces.files(tmp_path / name)
        assert {f"ranks/{table}.jsonl.zst" for table in tables} <= files.keys(), name
        build(logs, tmp_path / f"{name}-dask", executor=workers(cluster), flight_recorder=dumps)
        assert traces.files(tmp_path / f"{name}-dask") == files, name
        build(logs, f"s3://jobs/{name}", jobs=1, flight_recorder=dumps)
        assert stored(s3, f"jobs/{name}") == files, name
        parts = [f"s3://jobs/{name}-1", tmp_path / f"{name}-2"]
        for part, own in zip(parts, (logs[::2], logs[1::2]), strict=True):
            build(own, part, jobs=1, flight_recorder=dumps)
        merge(parts, tmp_path / f"{name}-merged", jobs=1)
        assert traces.files(tmp_path / f"{name}-merged") == files, name


def die_once(marker):
    """Kill the current process on the first call."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_worker_that_is_killed_in_mid_run_changes_nothing(cluster, local, tmp_path, monkeypatch):
    """One log's worker dies after writing the log's files but before reporting it; another worker repeats the
    log.
    """
    from tlparse_bundle.pipeline import build as build_module

    cloudpickle = pytest.importorskip("cloudpickle", reason="the test of Dask needs distributed")
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    write, marker = build_module._write_log, str(tmp_path / "died")

    def write_and_die(log_file, *arguments, **options):
        summary = write(log_file, *arguments, **options)
        if log_file.name_rank == 2:
            die_once(marker)
        return summary

    monkeypatch.setattr(build_module, "_write_log", write_and_die)
    build(discover([RANKS]), tmp_path / "out", executor=workers(cluster))
    assert os.path.exists(marker), "no worker was killed"
    assert traces.files(tmp_path / "out") == local


def test_a_cluster_reports_a_log_that_cannot_be_read_in_a_sentence(cluster, tmp_path):
    (tmp_path / "rank_0.log").write_bytes(log("x"))
    (tmp_path / "rank_1.log").write_bytes(log("x"))
    logs = discover([tmp_path])
    (tmp_path / "rank_1.log").unlink()
    with pytest.raises(BundleError, match=r"rank_1\.log' cannot be read"):
        build(logs, tmp_path / "out", executor=workers(cluster))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rank_0.log"]


def test_invalid_addresses():
    for wrong in ("dask://", "tcp://host:8786", "dask://host", "nonsense"):
        with pytest.raises(BundleError, match="is not an address of workers"):
            DaskWorkers(wrong)


def test_a_scheduler_that_does_not_answer(monkeypatch):
    distributed = pytest.importorskip("distributed", reason="the test of Dask needs distributed")
    real, asked = distributed.Client, []
    monkeypatch.setattr(
        distributed,
        "Client",
        lambda address, **options: asked.append(options["timeout"]) or real(address, **options),
    )
    with pytest.raises(BundleError, match="does not answer"):
        DaskWorkers("dask://127.0.0.1:1", connect_seconds=1)
    assert asked == [1]
