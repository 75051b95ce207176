"""Any file is built or refused in a sentence; nothing is written elsewhere and nothing is lost."""

import hashlib
import json
import os
import re
import sys
import tempfile
import zlib
from contextlib import contextmanager
from functools import cache
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import assume, given
from log_strategies import any_bytes, cases, damaged_logs, hostile_logs
from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.bundle.restore import restore
from tlparse_bundle.bundle.validate import validate
from tlparse_bundle.legacy.report import write_legacy
from tlparse_bundle.render.info import as_text
from unguarded import unguarded

NAME = "dedicated_log_torch_trace_x.log"
HEAD = re.compile(rb"[A-Z][0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2}[.,][0-9]{6} +[0-9]+ .+?:[0-9]+\] ?")
COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
CONTEXT = {"compiled_autograd_id", "frame_id", "frame_compile_id", "attempt", "rank", "severity", "timestamp", "pathname", "thread",
           "subgraph_name", "has_payload", "stack"}  # fmt: skip
EMPTY_MD5 = b"d41d8cd98f00b204e9800998ecf8427e"

# ---- what is written where

_written = None


def _listen(event, args):
    if _written is None:
        return
    if event == "open":
        path, mode, flags = args
        if type(path) is not int and (
            (mode and set(mode) & set("wax+")) or (flags and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
        ):
            _written.append(os.fspath(path))
    elif event in ("os.mkdir", "os.rename", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.utime"):
        _written.extend(os.fspath(path) for path in args[:2] if not isinstance(path, int | None))
    elif event in ("os.remove", "os.rmdir") and args[1] == -1:
        _written.append(os.fspath(args[0]))


sys.addaudithook(_listen)


@contextmanager
def writing_only_below(folder):
    """Fail when a file or folder elsewhere is created, changed or removed, using audit events of the
    interpreter.
    """
    global _written
    _written = []
    try:
        yield
    finally:
        written, _written = _written, None
    real = cache(os.path.realpath)  # of a folder, which many files share
    paths = {
        (
            os.path.realpath(path)
            if os.path.islink(path)
            else os.path.join(real(os.path.dirname(path)), os.path.basename(path))
        )
        for path in map(os.fsdecode, set(written))
    }
    assert [
        path
        for path in paths
        if not f"{path}{os.sep}".startswith(os.path.realpath(folder) + os.sep) and not is_bytecode(path)
    ] == []


def is_bytecode(path):
    """Return whether the path is bytecode, which the interpreter writes on the first import of a module."""
    return "__pycache__" in path or (
        sys.pycache_prefix is not None and path.startswith(os.path.realpath(sys.pycache_prefix))
    )


# ---- what is in it


def scan(data):
    """Return [(line, byte offset, envelope, payload or None)]: a second opinion on what is a record."""
    found, is_open, offset = [], False, 0
    if data.startswith(b"\xef\xbb\xbf"):
        data, offset = data[3:], 3
    for number, line in enumerate(data.split(b"\n"), 1):
        head = HEAD.match(line)
        if head:
            found.append((number, offset, line[head.end() :], None))
        elif line.startswith(b"\t") and is_open:
            place, start, envelope, payload = found[-1]
            found[-1] = place, start, envelope, line[1:] if payload is None else payload + b"\n" + line[1:]
        is_open = bool(head) or (is_open and (not line or line.startswith(b"\t")))
        offset += len(line) + 1
    return found


def accepted(payload, envelope):
    """Return the possible payloads of an event whose lines are ``payload``."""
    if payload is None:
        return (None, b"") if EMPTY_MD5 in envelope else (None,)
    return payload, payload.removesuffix(b"\r").replace(b"\r\n", b"\n")


def event_type(envelope):
    try:
        fields = json.loads(envelope.decode("utf-8", "replace"))
    except ValueError:
        return "damaged_record"
    if type(fields) is not dict:
        return "damaged_record"
    return (
        next((key for key in fields if key not in CONTEXT), "untyped_record")
        .encode("utf-16", "surrogatepass")
        .decode("utf-16", "replace")
    )


def check(data):
    """Build, validate, restore and convert a log of these bytes."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / NAME).write_bytes(data)
        with unguarded(), writing_only_below(folder):
            try:
                build(discover([folder / NAME]), folder / "out", jobs=1, codec="none")
            except BundleError as error:
                assert (
                    error.code == "compression"
                    and data.startswith(COMPRESSED)
                    and os.listdir(folder) == [NAME]
                )
                return
            bundle = Bundle.open(folder / "out")
            as_text(bundle)
            restore(bundle, folder / "again")
            write_legacy(bundle, folder / "legacy")
            write_legacy(bundle, folder / "export", export=True)
        assert sorted(os.listdir(folder)) == sorted([NAME, "again", "export", "legacy", "out"])
        assert (folder / "again" / NAME).read_bytes() == data
        assert validate(bundle) == []
        records, events = scan(data), list(bundle.logs[0].events())
        ends = accumulate(it.row["gap_bytes"] + it.row["size_bytes"] for it in events)
        assert [
            (it.row["line"], end - it.row["size_bytes"]) for it, end in zip(events, ends, strict=True)
        ] == [(line, offset) for line, offset, _, _ in records]
        for it, (_, _, envelope, payload) in zip(events, records, strict=True):
            assert it.bytes() in accepted(payload, envelope)
            assert it.type == event_type(envelope)


@cases(100)
@given(any_bytes())
def test_any_bytes(data):
    check(data)


@cases(150)
@given(hostile_logs())
def test_hostile_records(data):
    check(data)


@cases(500)
@given(damaged_logs())
def test_a_damaged_log_comes_back(data):
    assume(not data.startswith(COMPRESSED))  # it would be taken for a compressed one
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / NAME).write_bytes(data)
        if not data:  # everything was cut away
            with pytest.raises(BundleError, match="empty"):
                discover([folder / NAME])
            return
        with unguarded():
            build(discover([folder / NAME]), folder / "out", jobs=1, codec="none")
            bundle = Bundle.open(folder / "out")
            (restored,) = restore(bundle, folder / "again")
        assert hashlib.sha256(restored.read_bytes()).hexdigest() == hashlib.sha256(data).hexdigest()
        if zlib.crc32(data) % 8 == 0:  # only for some, because it is by far the slowest step
            assert validate(bundle) == []
