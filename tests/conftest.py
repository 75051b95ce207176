import pytest
import traces
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.bundle.restore import restored_bytes
from tlparse_bundle.bundle.validate import validate


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
def built(tmp_path_factory):
    """built(path): the bundle of a log or a folder of logs, built once in a session."""
    bundles = {}

    def build_once(path):
        if path not in bundles:
            out = tmp_path_factory.mktemp("built") / "bundle"
            build(discover([path]), out, jobs=1)
            bundles[path] = Bundle.open(out)
            bundles[path].folder = out
        return bundles[path]

    return build_once


@pytest.fixture
def log_of(tmp_path):
    """log_of(data): the only log of a bundle of these bytes; sound, and restored byte for byte.

    ``check=False`` leaves the validation out, which takes minutes for very many events.
    """

    def build_it(data, name="dedicated_log_torch_trace_x.log", check=True, **options):
        folder = tmp_path / f"log{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        path = folder / name
        path.write_bytes(data)
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
    """found(log): its diagnostics as (code, line, byte offset, count), but those about the clock."""

    def rows(log):
        table = log.table("diagnostics")["diagnostics"]
        about_clock = ("year-unknown", "clock-inferred")
        return [(row["code"], row["line"], row["byte_offset"], row["count"]) for row in table if row["code"] not in about_clock]

    return rows
