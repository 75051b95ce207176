"""Small sound bundles and logs of different kinds to start from, held in memory."""

import functools
import shutil
import tempfile
from pathlib import Path

import traces
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.bundle.json_codec import dumps
from tlparse_bundle.statements.runs.compare.document import compare

# Name of a base: the fixture that it is built from.
FIXTURES = {
    "small": "killed",
    "ranks": "ranks_killed",
    "provenance": "provenance_aoti",
    "failures": "failures",
}
CODECS = ("zstd", "gzip", "none")
NAMES = [f"{name}-{codec}" for name in FIXTURES for codec in CODECS]
# Larger ones, for fields without a value in those above; rarely used.
_LARGER = (
    "export_dtrace", "compiled_autograd", "recompiles", "memory_budget", "overlap_scheduling", "dynamic_shapes", "ddp_split", "regions", "ranks_extra_break", "ranks_other_shape",
)  # fmt: skip
LARGER = [f"{name}-{codec}" for name in _LARGER for codec in ("zstd", "none")]
# The second of two runs, before and after a change, which a page compares with the first.
PAIRS = [
    f"pairs/{name}/new-{codec}"
    for name in ("line_changed", "new_break_on_a_rank")
    for codec in ("zstd", "none")
]
_OTHER = "nonascii"


@functools.cache
def base(name):
    """Return {path: bytes} of the sound bundle of this name, such as 'small-zstd'."""
    fixture, _, codec = name.rpartition("-")
    return _built([_trace(FIXTURES.get(fixture, fixture))], codec)


@functools.cache
def other(codec):
    """Return {path: bytes} of a sound bundle of another log with this codec, to merge with."""
    (log,) = _trace(_OTHER).iterdir()
    with tempfile.TemporaryDirectory() as folder:
        return _built([shutil.copy(log, Path(folder, "other.log"))], codec)


def before(name):
    """Return {path: bytes} of the earlier run of PAIRS."""
    return base(name.replace("/new-", "/base-"))


@functools.cache
def comparison(name):
    """Return the document that compares both, as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        sides = []
        for side, files in (("base", before(name)), ("new", base(name))):
            for path, data in files.items():
                Path(folder, side, path).parent.mkdir(parents=True, exist_ok=True)
                Path(folder, side, path).write_bytes(data)
            sides.append([(side, Bundle.open(Path(folder, side)))])
        return dumps(compare(*sides))


def _trace(fixture):
    folder = traces.ROOT / "fixtures" / fixture
    return folder if fixture.startswith("pairs/") else folder / "trace"


def _built(paths, codec):
    with tempfile.TemporaryDirectory() as folder:
        build(discover(paths), Path(folder, "bundle"), codec=codec, jobs=1)
        return traces.files(Path(folder, "bundle"))


@functools.cache
def log_bases():
    """Return the beginnings of the fixtures' logs, and whole small ones."""
    logs = [path.read_bytes() for path in traces.FIXTURE_LOGS]
    parts = {data[: data.rfind(b"\n", 0, size) + 1] for data in logs for size in (4_000, 40_000)}
    return sorted(parts - {b""}, key=lambda data: (len(data), data))
