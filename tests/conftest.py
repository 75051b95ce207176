import gc
import logging
import os
import tarfile
import urllib.request
from contextlib import ExitStack

import every_log
import pytest
import traces
import zstandard
from log_builder import log
from once import once_in_a_session
from plain_server import plain_server
from slow import is_slow, left_out, part_now
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.bundle.restore import restored_bytes
from tlparse_bundle.bundle.validate import validate
from unguarded import unguarded
from waiting import HANG_S

# Files whose tests take longest, the longest first.
_LONG = (
    "test_web_every_view", "test_web_firefox", "test_web_open_local", "test_benchmarks", "test_web_python", "test_remote", "test_web_exported", "test_limits", "test_sql_limits", "test_properties", "test_fuzz",
    "test_web_follow", "test_release", "test_web_artifacts", "test_web_fuzz", "test_web_multirank_limits", "test_kills", "test_types",
)  # fmt: skip


def pytest_addoption(parser):
    parser.addoption(
        "--all", action="store_true", dest="every_case", help="every slow test, and every case of it"
    )


def _takes_every_case(config):
    """Whether --all is given, or tests are named."""
    if hasattr(config, "workerinput"):
        return config.workerinput["every_case"]
    return config.option.every_case or config.args_source is pytest.Config.ArgsSource.ARGS


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    """Tell a worker of pytest-xdist, to which the names of tests do not look named."""
    node.workerinput["every_case"] = _takes_every_case(node.config)


def pytest_collection_modifyitems(config, items):
    """Mark slow tests, keep a part of them, and order files so that workers of pytest-xdist share the work
    evenly.

    Each worker takes the next share of the list, and later the ends of other shares. A share begins with long
    files, so no worker is left alone with one at the end. S3 tests import slowly, so they go to one worker.
    """
    for item in items:
        if is_slow(item.nodeid, item.callspec.params.values() if hasattr(item, "callspec") else ()):
            item.add_marker("slow")
    if not _takes_every_case(config):
        gone = left_out([item.nodeid for item in items if item.get_closest_marker("slow")], part_now())
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in gone])
        items[:] = [item for item in items if item.nodeid not in gone]
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1))
    items.sort(key=lambda item: "s3" not in item.fixturenames)
    long, rest = {stem: [] for stem in _LONG}, []
    for item in items:
        long.get(item.path.stem, rest).append(item)
    ordered = []
    for worker in range(workers):
        share = [item for stem in _LONG[worker::workers] for item in long[stem]]
        size = (len(items) - len(ordered)) // (workers - worker) - len(share)
        ordered += share + rest[: max(0, size)]
        del rest[: max(0, size)]
    items[:] = ordered + rest


def pytest_collection_finish():
    """Freeze ten thousand tests for the garbage collector, and run it less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


@pytest.fixture(scope="session")
def root():
    """The checkout."""
    return traces.ROOT


@pytest.fixture(scope="session")
def shared_traces():
    """The public traces, which are not part of the repository."""
    if not traces.PUBLIC.is_dir():
        pytest.skip(traces.NO_PUBLIC)
    return traces.PUBLIC


@pytest.fixture(scope="session")
def once(tmp_path_factory):
    return once_in_a_session(tmp_path_factory)


@pytest.fixture(scope="session")
def built(once):
    """Return built(path): the bundle of a log or a folder of logs, built once per session.

    Dumps and profiler traces in folders beside the logs are read, too.
    """
    bundles = {}

    def build_it(path, out):
        with unguarded():
            dumps = path.parent / "dumps"
            profiles = path.parent / "profiles"
            build(
                discover([path]),
                out,
                jobs=1,
                flight_recorder=[str(dumps)] if dumps.is_dir() else (),
                profile=[str(profiles)] if profiles.is_dir() else (),
            )

    def build_once(path):
        if path not in bundles:
            out = once(("built", path), lambda folder: build_it(path, folder / "bundle")) / "bundle"
            bundles[path] = Bundle.open(out)
            bundles[path].folder = out
        return bundles[path]

    return build_once


@pytest.fixture(scope="session")
def unpacked(once):
    """Return unpacked(version): the folder of this torch's logs in the archive of the public traces."""

    def unpack(version, folder):
        with (
            (traces.SHARED / "versions" / "logs.tar.zst").open("rb") as stream,
            zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(stream) as reader,
            tarfile.open(fileobj=reader, mode="r|") as tar,
        ):
            for member in tar:
                if member.name.startswith(f"{version}/") and member.name.endswith(".log"):
                    path = folder / member.name.removeprefix(f"{version}/")
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(tar.extractfile(member).read())

    return lambda version: once(("unpacked", version), lambda folder: unpack(version, folder))


@pytest.fixture(scope="session")
def group_bundle(once, unpacked):
    """Return group_bundle(number): the bundle of a group of every_log.GROUPS, built once per session."""

    def build_it(number, folder):
        logs = folder / "logs"
        logs.mkdir()
        for source in every_log.GROUPS[number]:
            every_log.copy_logs(source, unpacked(source) if isinstance(source, str) else source, logs)
        build(discover([logs]), folder / "bundle", jobs=1)

    return lambda number: (
        once(("group of sources", number), lambda folder: build_it(number, folder)) / "bundle"
    )


@pytest.fixture(scope="session")
def bundle(tmp_path_factory):
    """The folder of a bundle with one artifact, for tests to read."""
    folder = tmp_path_factory.mktemp("bundle")
    (folder / "dedicated_log_torch_trace_x.log").write_bytes(log("artifact:a 0/0\n | text"))
    build(discover([folder]), folder / "out", jobs=1)
    return folder / "out"


@pytest.fixture(scope="session")
def two_ranks(tmp_path_factory):
    """Return two_ranks(data): the folder of an uncompressed bundle of two logs that begin with these bytes;
    copy it before changing it.
    """

    def build_it(data):
        folder = tmp_path_factory.mktemp("two_ranks")
        for rank in (0, 1):
            (folder / f"dedicated_log_torch_trace_rank_{rank}.log").write_bytes(
                data + log(f"r {rank}/0 @{rank}")
            )
        build(discover([folder]), folder / "out", jobs=1, codec="none")
        return folder / "out"

    return build_it


@pytest.fixture
def log_of(tmp_path):
    """Return log_of(data): the only log of a bundle of these bytes; sound, and restored byte for byte.

    ``check=False`` skips validation, which takes minutes for very many events.
    """

    def build_it(data, name="dedicated_log_torch_trace_x.log", check=True, **options):
        folder = tmp_path / f"log{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        path = folder / name
        path.write_bytes(data)
        with unguarded():
            build(discover([path]), folder / "bundle", jobs=1, **options)
        bundle = Bundle.open(folder / "bundle")
        bundle.folder = folder / "bundle"
        assert not check or validate(bundle) == []
        (log,) = bundle.logs
        assert traces.restore(log) == data
        assert b"".join(restored_bytes(log)) == data
        return log

    return build_it


@pytest.fixture
def found():
    """Return found(log): its diagnostics as (code, line, byte offset, count), without those about the clock."""

    def rows(log):
        table = log.table("diagnostics")
        about_clock = ("year-unknown", "clock-inferred")
        return [
            (row["code"], row["line"], row["byte_offset"], row["count"])
            for row in table
            if row["code"] not in about_clock
        ]

    return rows


@pytest.fixture
def servers(tmp_path):
    """An exit stack that closes the servers of a test.

    Fixtures of pages depend on it, so pages close before the servers, and servers before the test's files are
    removed.
    """
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def hosted(servers):
    """Return hosted(folder): the address of a folder on a plain server, like a static host."""
    return lambda folder: servers.enter_context(plain_server(folder))


@pytest.fixture(scope="module")
def s3():
    """A file system of a real, empty S3 server on loopback; the environment points fsspec to it."""
    server_module = pytest.importorskip("moto.server", reason="the test of S3 needs moto")
    s3fs = pytest.importorskip("s3fs", reason="the test of S3 needs s3fs")
    moto_backends = pytest.importorskip("moto.backends")
    with pytest.MonkeyPatch.context() as patch:
        modules = list(moto_backends.list_of_moto_modules())
        patch.setattr(
            moto_backends, "list_of_moto_modules", lambda: modules
        )  # it reads its folder on every request
        patch.setattr(
            logging.getLogger("werkzeug"), "disabled", True
        )  # a line per request, which nobody reads
        for name, value in {
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            "AWS_DEFAULT_REGION": "us-east-1",
        }.items():
            patch.setenv(name, value)
        server = server_module.ThreadedMotoServer("127.0.0.1", 0)
        server.start()
        host, port = server.get_host_and_port()
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        # Servers of one process share their buckets, and another module may have had one before.
        with urllib.request.urlopen(f"http://{host}:{port}/moto-api/reset", data=b"", timeout=HANG_S):
            pass
        s3fs.S3FileSystem.clear_instance_cache()
        yield s3fs.S3FileSystem(use_listings_cache=False, max_concurrency=1)
        s3fs.S3FileSystem.clear_instance_cache()
        server.stop()
