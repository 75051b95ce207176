"""Too large, too full or not allowed: a message or a diagnostic, little memory, and no effect on other logs.

The limits of the reader are lowered here; test_a_compressed_bomb uses the real ones.
"""

import gzip
import io
import os
import random
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
import traces
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from log_builder import log, record
from log_strategies import PREFIX, any_bytes, cases
from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.base.diagnostics import Diagnostics
from tlparse_bundle.bundle.validate import validate
from tlparse_bundle.log import record_reader
from tlparse_bundle.pipeline import file_writer
from unguarded import unguarded
from waiting import HANG_S

NAME = "dedicated_log_torch_trace_x.log"


# ---- lines and records that are too large


@pytest.fixture
def low(monkeypatch):
    """Lower the limits to 500 bytes per line and 2000 per record."""
    monkeypatch.setattr(record_reader, "BLOCK_BYTES", 64)
    monkeypatch.setattr(record_reader, "MAX_LINE_BYTES", 500)
    monkeypatch.setattr(record_reader, "MAX_RECORD_BYTES", 2000)


def kinds(it):
    return [event.type for event in it.events()]


@pytest.mark.parametrize("line", [b"x" * 5000, b"\0" * 501, PREFIX + b"{" + b" " * 5000 + b"}", PREFIX * 100])
def test_a_line_that_is_too_long_is_kept_but_is_not_a_record(line, low, log_of, found):
    it = log_of(log("a\n | text") + line + b"\n" + log("b"))
    assert kinds(it) == ["a", "b"]
    assert ("too-large", 3, len(log("a\n | text")), 1) in found(it)
    assert [event.row["line"] for event in it.events()] == [1, 4]


def test_a_line_that_is_too_long_and_never_ends(low, log_of, found):
    it = log_of(log("a") + b"x" * 100_000)
    assert kinds(it) == ["a"] and found(it) == [("too-large", 2, len(log("a")), 1)]


def test_the_payload_after_a_line_that_is_too_long_is_ignored(low, log_of, found):
    it = log_of(log("a") + b"x" * 5000 + b"\n\ttext\n" + log("b"))
    assert kinds(it) == ["a", "b"] and [row[0] for row in found(it)] == ["too-large", "not-a-record"]


@pytest.mark.parametrize(
    "payload",
    [b"y" * 5000, b"y\n" * 3000, b"\n" * 3000, b"y\n" * 950 + PREFIX + b"{}\n" + b"y\n" * 50, PREFIX * 90],
)
def test_a_payload_that_is_too_large_is_left_out_of_its_event(payload, low, log_of, found):
    it = log_of(log("a") + record("big 0/0", payload=payload) + log("b"))
    assert kinds(it) == ["a", "big", "b"]
    big = list(it.events())[1]
    assert big.bytes() is None and big.compile == "0/0" and "has_payload" in big.metadata
    assert found(it) == [("too-large", 2, len(log("a")), 1)]
    assert list(it.events())[2].row["line"] == 4 + payload.count(b"\n")


@pytest.mark.parametrize("more", range(-2, 3))
@pytest.mark.parametrize(
    "behind", [b"", log("b"), b"\n", b"\n\n" + log("b"), b"\tz\n", b"\n\tz\n" + log("b")]
)
def test_a_record_near_the_limit(more, behind, low, log_of):
    head = record("a", payload=b"")
    data = record("a", payload=b"y" * (2000 - len(head) + more)) + behind
    it = log_of(data)
    payload = next(it.events()).bytes()
    assert payload is None or payload.startswith(b"yyy")
    assert (payload is None) == ("too-large" in it.row["diagnostics"])
    if behind in (b"", b"\n", log("b")):
        assert (payload is None) == (more > 0)


@pytest.mark.parametrize("blanks", [100, 1900, 3000])
def test_blank_lines_beyond_the_limit_end_a_payload(blanks, low, log_of, found):
    it = log_of(record("a", payload="text") + b"\n" * blanks + log("b"))
    assert [event.bytes() for event in it.events()] == [b"text", None]
    assert found(it) == [("blank-line", 3, len(record("a", payload="text")), blanks)]


def parts(data, block):
    """Return what the reader yields for ``data`` with blocks of ``block`` bytes."""
    record_reader.BLOCK_BYTES = block
    diagnostics = Diagnostics()
    it = record_reader.RecordReader(io.BytesIO(data), diagnostics)
    records = list(it)
    kept = (
        b"".join(
            r.kept
            + (
                b""
                if r.payload is None or r.verbatim
                else b"\t" + r.payload.data.replace(b"\n", b"\n\t") + b"\n"
            )
            for r in records
        )
        + it.tail
    )
    events = [
        (
            r.line,
            r.byte_offset,
            r.size_bytes,
            r.prefix,
            r.envelope,
            r.payload and r.payload.data,
            r.cut,
            r.left_out,
        )
        for r in records
        if r.prefix
    ]
    return kept, events, diagnostics.rows()


@cases(300)
@given(any_bytes(), st.integers(1, 100), st.integers(1, 120), st.integers(0, 120))
def test_limits_do_not_depend_on_block_size(data, block, line, more):
    before = record_reader.BLOCK_BYTES, record_reader.MAX_LINE_BYTES, record_reader.MAX_RECORD_BYTES
    record_reader.MAX_LINE_BYTES, record_reader.MAX_RECORD_BYTES = line, line + more
    try:
        kept, events, diagnostics = parts(data, block)
        assert kept == data
        assert (kept, events, diagnostics) == parts(data, len(data) + 1)
    finally:
        record_reader.BLOCK_BYTES, record_reader.MAX_LINE_BYTES, record_reader.MAX_RECORD_BYTES = before


# ---- compressed files that expand without end

MEGABYTE = 1 << 20
CHILD = """
import resource, sys
limit = int(sys.argv.pop(1)) << 20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
from tlparse_bundle.cli.main import main
main()
"""


# A quarter are the shortest possible lines, whose bookkeeping alone exceeds the memory.
SHORT_LINES = b"\tx\n\n" * (1 << 12) + b"\t" + b"x" * ((3 << 14) - 2) + b"\n"


def bomb(path, start, filling, pack, size):
    """Write a small file that expands to ``start`` and ``size`` bytes of ``filling``, in pieces of 16 MB."""
    piece = pack(filling * (16 * MEGABYTE // len(filling)))
    path.write_bytes(pack(start) + piece * (size // (16 * MEGABYTE)))
    assert path.stat().st_size < 6 * MEGABYTE


@pytest.mark.parametrize(
    "start,filling,pack,size,room,events",
    [
        (b"", b"\0", gzip.compress, 1024, 2048, 0),
        (record("a", payload=b"x")[:-1], b"x", zstandard.compress, 288, 1152, 1),
        (record("a", payload=b"x"), SHORT_LINES, gzip.compress, 288, 1152, 1),
    ],
    ids=["a line", "a payload line", "payload lines"],
)
def test_a_compressed_bomb(start, filling, pack, size, room, events, root, tmp_path):
    """Build in ``room`` MB of address space, which is too little to hold ``size`` MB and copies of it.

    A record may have 256.
    """
    bomb(tmp_path / NAME, start, filling, pack, size * MEGABYTE)
    command = [sys.executable, "-c", CHILD, str(room), NAME, "out", "--jobs", "1", "--strict"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(root / "preprocessor")},
        capture_output=True,
        text=True,
        timeout=HANG_S,
    )
    assert done.returncode == 3 and "1 × too-large" in done.stderr
    (it,) = Bundle.open(tmp_path / "out").logs
    assert it.row["event_count"] == events and it.row["source"]["size_bytes"] == len(start) + size * MEGABYTE
    assert sum(map(len, traces.files(tmp_path / "out").values())) < 2 * MEGABYTE


def test_a_compressed_bomb_that_is_not_a_log_is_refused(tmp_path):
    bomb(tmp_path / "zeros.gz", b"", b"\0", gzip.compress, 64 * MEGABYTE)
    with pytest.raises(BundleError, match="is not a TORCH_TRACE log"):
        discover([tmp_path / "zeros.gz"])


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_every_byte_of_a_compressed_log_may_be_wrong(pack, tmp_path):
    data = bytearray(pack(record("a", payload="one two three " * 20) * 3))
    for place in range(len(data)):
        data[place] ^= 0x54
        (tmp_path / NAME).write_bytes(data)
        try:
            with unguarded():
                build(discover([tmp_path / NAME]), tmp_path / "out", jobs=1, overwrite=True)
        except BundleError as error:
            assert error.code == "compression"
        data[place] ^= 0x54


# ---- files that change, disks that are full, places that are not allowed


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress], ids=["plain", "gzip", "zstd"])
def test_a_log_that_grows_while_it_is_read(pack, tmp_path):
    """The log is read to its size at opening, although each batch appends more than was read."""
    path, before = (
        tmp_path / NAME,
        b"".join(record("a", payload=random.Random(number).randbytes(500).hex()) for number in range(2000)),
    )
    path.write_bytes(pack(before))
    grown = []

    def grow(size_bytes):
        if len(grown) < 30:
            grown.append(size_bytes)
            with open(path, "ab") as other:
                other.write(pack(before))

    build(discover([path]), tmp_path / "out", jobs=1, progress=grow)
    bundle = Bundle.open(tmp_path / "out")
    (it,) = bundle.logs
    assert len(grown) > 3 and validate(bundle) == []
    assert it.row["event_count"] == 2000 and traces.restore(it) == before


def test_a_log_that_cannot_be_read_to_its_end(tmp_path, monkeypatch):
    (tmp_path / NAME).write_bytes(log("a"))
    logs = discover([tmp_path / NAME])
    path = tmp_path / NAME
    path.unlink()
    path.mkdir()  # opens, but no byte of it can be read
    with pytest.raises(BundleError, match=f"{NAME}' cannot be read"):
        build(logs, tmp_path / "out", jobs=1)
    assert sorted(os.listdir(tmp_path)) == [NAME]


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("limit", [0, 100, 5000])
def test_a_disk_that_is_full(limit, jobs, root, tmp_path):
    for rank in (0, 1):
        (tmp_path / f"dedicated_log_torch_trace_rank_{rank}.log").write_bytes(
            b"".join(record("a", payload=random.Random(number).randbytes(50)) for number in range(2000))
        )
    # Limit file sizes: writing more fails as on a full disk, with EFBIG instead of ENOSPC. Without bytecode,
    # because Python would keep parts of bytecode files, on which later tests fail.
    command = (
        f"ulimit -f {limit // 1024}; exec {sys.executable} -m tlparse_bundle . out --codec none --jobs {jobs}"
    )
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(root / "preprocessor"), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    hints = {
        "out": "Choose a path on a disk with enough space",
        tempfile.gettempdir(): "Set TMPDIR to a folder",
    }  # rows of tables wait in the second
    assert done.returncode == 1 and any(
        f"Error: '{place}' cannot be written: File too large" in done.stderr and hint in done.stderr
        for place, hint in hints.items()
    )
    assert "Traceback" not in done.stderr and sorted(os.listdir(tmp_path)) == sorted(
        f"dedicated_log_torch_trace_rank_{rank}.log" for rank in (0, 1)
    )


@pytest.mark.parametrize("after", [0, 1, 5, 20])
def test_a_disk_that_gets_full(after, tmp_path, monkeypatch):
    (tmp_path / NAME).write_bytes(b"".join(record(f"artifact:{i}", payload="x" * i) for i in range(100)))
    count = []

    def full(open_file):
        def opened(path, mode="r", **options):
            count.append("w" in mode)
            if sum(count) > after:
                raise OSError(28, "No space left on device")
            return open_file(path, mode, **options)

        return opened

    monkeypatch.setattr(file_writer, "open", full(open), raising=False)
    monkeypatch.setattr(Path, "open", full(Path.open))
    with pytest.raises(BundleError, match="out' cannot be written: No space left on device"):
        build(discover([tmp_path / NAME]), tmp_path / "out", jobs=1)
    assert os.listdir(tmp_path) == [NAME]


@contextmanager
def as_nobody():
    """Run as a user who, unlike root, may not read and write everything."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.fixture
def public():
    """A folder that every user may enter."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


@pytest.mark.parametrize("what", ["log", "folder of logs", "folder around"])
def test_a_log_that_may_not_be_read(what, public):
    folder = public / "around" / "logs"
    folder.mkdir(parents=True)
    (folder / NAME).write_bytes(log("a"))
    locked = {"log": folder / NAME, "folder of logs": folder, "folder around": public / "around"}[what]
    locked.chmod(0)
    try:
        for given in (folder / NAME, folder, public):
            with as_nobody(), pytest.raises(BundleError, match="cannot be read: Permission denied"):
                discover([given])
    finally:
        locked.chmod(0o755)


def test_a_place_where_nobody_may_write(public):
    (public / NAME).write_bytes(log("a"))
    public.chmod(0o555)
    with as_nobody(), pytest.raises(BundleError, match="out' cannot be written: Permission denied"):
        build(discover([public / NAME]), public / "out", jobs=1)
    (public / "locked").mkdir(mode=0)
    with as_nobody(), pytest.raises(BundleError, match="out' cannot be written: Permission denied"):
        build(discover([public / NAME]), public / "locked" / "out", jobs=1)
    public.chmod(0o755)


def test_a_path_that_is_too_long(tmp_path):
    (tmp_path / NAME).write_bytes(log("a"))
    with pytest.raises(BundleError, match="cannot be read: File name too long"):
        discover([tmp_path / ("x" * 300)])
    with pytest.raises(BundleError, match="cannot be written: File name too long"):
        build(discover([tmp_path / NAME]), tmp_path / ("x" * 300), jobs=1)


def test_a_path_that_is_neither_file_nor_folder(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BundleError, match="is not a file or a folder"):
        discover([tmp_path / "pipe"])
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(BundleError, match="loop"):
        discover([tmp_path / "loop"])


@pytest.mark.parametrize(
    "kind",
    [
        "chromium_event",
        "artifact:recompile_reasons",
        "artifact:torch_version",
        "artifact:fx_graph_cache_hit",
        "dynamo_guards",
    ],
)
def test_json_that_takes_too_much_memory_is_not_parsed(kind, root, tmp_path):
    """120 MB of small lists would be 40 million objects, and 3 GB."""
    bomb(
        tmp_path / NAME,
        record(f"{kind} 0/1", payload="[[]")[:-1],
        b",[],[],[]" * 2,
        gzip.compress,
        112 * MEGABYTE,
    )
    command = [sys.executable, "-c", CHILD, "2048", NAME, "out", "--jobs", "1"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(root / "preprocessor")},
        capture_output=True,
        text=True,
        timeout=HANG_S,
    )
    assert done.returncode == 0 and "Traceback" not in done.stderr
    (it,) = Bundle.open(tmp_path / "out").logs
    assert [event.size_bytes > 100 * MEGABYTE for event in it.events()] == [True]
