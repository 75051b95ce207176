"""Hostile bundles: a sound one, changed in one to five places. The same base and seed give the same bundle.

A bundle is {path: bytes or Special}; ``write`` puts it into a folder.
"""

import gzip
import hashlib
import json
import os
import random
import re
import struct
import zlib
from typing import NamedTuple

import zstandard
from tlparse_bundle.bundle.codecs import codec_of

from fuzz import values
from fuzz.bases import base
from fuzz.schema_walk import any_place, fields, place

_DEEP = re.compile(r'"\\u0001deep(\d+)\\u0001"')
_TABLE = re.compile(r"(?:ranks|logs/([^/]+))/(?:(\w+)\.jsonl?|(?!timeline/)(\w+)/\d+\.jsonl?)")
_AGAIN = "\u0001again"
_MAX_TEXT = 40_000_000  # of a table


class Special(NamedTuple):
    """An entry that is not a regular file: a link, a FIFO, a folder.

    ``{canary}`` in a target is the forbidden folder.
    """

    kind: str  # symlink, fifo, folder
    target: str = ""


class Mutated(NamedTuple):
    files: dict
    notes: list[str]  # what was changed, for people


def mutate(name, seed):
    """Return the sound bundle of this name (see bases.py), changed."""
    rng = random.Random(f"{name} {seed}")
    files, notes = dict(base(name)), []
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 5])):
        rng.choices([change_field, change_file, change_blob], [8, 3, 1])[0](files, rng, notes)
    return Mutated(files, notes)


def mutate_document(kind, data, rng, notes):
    """Return a document of this schema as JSON, changed in one to three places."""
    document = json.loads(data)
    for _ in range(rng.choice([1, 1, 2, 3])):
        found = place(document, rng.choice(fields(kind)), rng) or any_place(document, rng)
        notes.append(f"{kind}.json: {_change(document, *found, rng)}")
    return dumps(document)


def write(files, folder, canary):
    """Write a bundle into a new folder. ``canary`` is the folder that links point to."""
    folder.mkdir(parents=True)
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if not isinstance(content, Special):
            target.write_bytes(content)
        elif content.kind == "symlink":
            target.symlink_to(content.target.format(canary=canary))
        elif content.kind == "fifo":
            os.mkfifo(target)
        else:
            target.mkdir(exist_ok=True)


def dumps(value):
    """Return JSON with what only text can hold: duplicate keys, and lists deeper than Python allows."""
    text = json.dumps(value)
    if "\\u0001deep" in text:
        text = _DEEP.sub(lambda match: "[" * int(match[1]) + "]" * int(match[1]), text)
    return text.replace("\\u0001again", "").encode()


def schema_of(path):
    """Return the name of a file's schema; empty when it has none."""
    path = path.removesuffix(".zst").removesuffix(".gz")
    if path == "manifest.json":
        return "manifest"
    match = _TABLE.fullmatch(path)
    return (match[2] or match[3]) if match else ""


# ---- fields of tables


def change_field(files, rng, notes):
    """Change a field of a table; each kind of table is equally likely, the manifest and the directories more."""
    kinds = {}
    for path in files:
        if not path.startswith("blobs/") and "/verbatim/" not in path and "/timeline/" not in path:
            kinds.setdefault(schema_of(path), []).append(path)
    if not kinds:
        return
    weights = {"manifest": 5, "log": 5, "events": 3, "blobs": 3, "compiles": 3, "stacks": 3, "artifacts": 2}
    kind = rng.choices(list(kinds), [weights.get(kind, 1) for kind in kinds])[0]
    path = rng.choice(kinds[kind])
    document = _read(files, path)
    if document is None:
        return
    found = place(document, rng.choice(fields(kind)), rng) if fields(kind) and rng.random() < 0.9 else None
    found = found or any_place(document, rng)
    if found is None:
        files[path] = _encode(path, dumps(values.anything(rng)))
        notes.append(f"{path}: another document")
        return
    notes.append(f"{path}: {_change(document, *found, rng)}")
    files[path] = _encode(path, _text(path, document))


def _read(files, path):
    """Return the table in a file, or None when it is already damaged. Uses nothing of the package under test."""
    data = files[path]
    try:
        if path.endswith(".zst"):
            with zstandard.ZstdDecompressor().stream_reader(data) as stream:
                data = stream.read(_MAX_TEXT)
        elif path.endswith(".gz"):
            data = zlib.decompressobj(wbits=31).decompress(data, _MAX_TEXT)
        return [json.loads(line) for line in data.splitlines()] if ".jsonl" in path else json.loads(data)
    except (ValueError, TypeError, RecursionError, MemoryError, zlib.error, zstandard.ZstdError):
        return None


def _text(path, document):
    """Return the text of a file; JSON Lines while the document is still a list."""
    return (
        b"".join(dumps(row) + b"\n" for row in document)
        if ".jsonl" in path and isinstance(document, list)
        else dumps(document)
    )


def _encode(path, data):
    return codec_of(path).encode(data)


def _change(document, container, key, rng):
    """Change the value at a place; return what was done."""
    missing = isinstance(container, dict) and key not in container
    value = None if missing else container[key]
    choice = rng.random()
    if isinstance(value, (list, dict)) and value and choice < 0.5:
        return f"{key!r} {(_change_list if isinstance(value, list) else _change_object)(value, rng)}"
    if choice < 0.1 and not missing:
        del container[key]
        return f"{key!r} is missing"
    if choice < 0.15 and isinstance(container, dict):
        container[f"{key}{_AGAIN}"] = values.scalar(rng)
        return f"{key!r} comes twice"
    new = values.like(rng, value) if choice < 0.6 else values.anything(rng)
    container[key] = new
    return f"{key!r} = {_short(new)}, was {_short(value)}"


def _short(value):
    text = (
        repr(value)
        if not isinstance(value, (list, dict, str)) or len(value) < 200
        else f"{type(value).__name__} of {len(value)}"
    )
    return text[:80]


def _change_list(rows, rng):
    kind = rng.randrange(11)
    at = rng.randrange(len(rows))
    if kind == 0:
        rows.clear()
    elif kind == 1:
        del rows[at]
    elif kind == 2:
        rows.insert(at, rows[at])
    elif kind == 3:
        rows.reverse()
    elif kind == 4:
        rows.append(values.anything(rng))
    elif kind == 5:  # a whole column
        value = rng.choice([rows[at], values.scalar(rng)])
        rows[:] = [value if len(str(value)) * len(rows) < _MAX_TEXT else None] * len(rows)
    elif kind == 6:  # circles, references to itself and to later rows
        rows[:] = [(number + rng.choice([0, 1])) % len(rows) for number in range(len(rows))]
    elif kind == 7:
        rows[:] = [len(rows)] * len(rows)
    elif kind == 8:
        times = max(1, rng.choice([100, 5000, values.HUGE_LIST]) // len(rows))
        rows[:] = rows * (times if len(str(rows)) * times < _MAX_TEXT else 2)
    elif kind == 9:
        rng.shuffle(rows)
    else:
        rows[at] = values.like(rng, rows[at])
    return f"as a list, {kind} at {at}"


def _change_object(fields_, rng):
    kind = rng.randrange(5)
    key = rng.choice(list(fields_))
    if kind == 0:
        del fields_[key]
    elif kind == 1:
        fields_[rng.choice(values.PATHS + values.TEXTS)] = rng.choice([fields_[key], values.anything(rng)])
    elif kind == 2:
        fields_[rng.choice(values.PATHS + values.TEXTS)] = fields_.pop(key)
    elif kind == 3:
        fields_[key] = fields_[rng.choice(list(fields_))]
    else:
        fields_[key] = values.like(rng, fields_[key])
    return f"as an object, {kind} at {key!r}"


# ---- files


def change_file(files, rng, notes):  # noqa: C901 - one branch for each kind of damage
    """Damage, replace or remove a file."""
    groups = {}
    for path in files:
        groups.setdefault(
            path.split("/")[0] + path.rpartition("/")[2][:6] * (not path.startswith("blobs")), []
        ).append(path)
    if not groups:
        return
    path = rng.choice(groups[rng.choice(list(groups))])
    kind = rng.choice(
        [
            "cut",
            "empty",
            "bytes",
            "flip",
            "more",
            "gone",
            "fifo",
            "folder",
            "link",
            "link",
            "claim",
            "bomb",
            "other",
            "foreign",
            "plain",
        ]
    )
    data = files[path] if isinstance(files[path], bytes) else b""
    if kind == "cut":
        files[path] = data[: rng.randrange(len(data) + 1)]
    elif kind == "empty":
        files[path] = b""
    elif kind == "bytes":
        files[path] = rng.randbytes(rng.choice([1, 20, 5000]))
    elif kind == "flip" and data:
        changed = bytearray(data)
        for _ in range(rng.choice([1, 5, 50])):
            changed[rng.randrange(len(changed))] ^= rng.randrange(1, 256)
        files[path] = bytes(changed)
    elif kind == "more":
        files[path] = data + rng.choice([b"\n", b"x", data, b"\0" * 100])
    elif kind == "gone":
        del files[path]
    elif kind in ("fifo", "folder"):
        files[path] = Special(kind)
    elif kind == "link":
        targets = [
            "{canary}/secret",
            "{canary}",
            "/etc/passwd",
            "/dev/zero",
            "/dev/null",
            "/proc/self/environ",
            "/proc/self/mem",
            "nowhere",
            ".",
            path.rpartition("/")[2],
        ]
        files[path] = Special("symlink", rng.choice(targets))
    elif kind == "claim":
        files[path] = claiming(2**40) if path.endswith(".zst") else _lying_gzip(data)
    elif kind == "bomb":
        files[path] = bomb(path)
    elif kind == "other":
        files[path] = files[rng.choice(list(files))]
    elif kind == "foreign":
        files[
            rng.choice(["x", "logs/x", "blobs/x", ".hidden", "blobs/00/" + "0" * 64, "logs/a/b/c/d.json"])
        ] = rng.choice([b"x", Special("symlink", "{canary}")])
    else:
        files[path] = rng.choice(
            [
                b"[]",
                b"{}",
                b"null",
                b"1",
                b'"x"',
                b"[" * 100_000,
                b'{"a":' * 100_000,
                b"\xef\xbb\xbf{}",
                b"\xff\xfe{\0}\0",
            ]
        )
    notes.append(f"{path}: {kind}")


def claiming(size):
    """Return a zstd frame of 18 bytes that claims to hold ``size``."""
    return b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", size) + b"\x01\x00\x00\x00\x00"


def _lying_gzip(data):
    return data[:-4] + b"\xff\xff\xff\xff" if data else b"\x1f\x8b"


def bomb(path, size=2 << 30):
    """Return a small file that expands to ``size`` spaces, in the codec of the path's ending."""
    if path.endswith(".gz"):
        member = gzip.compress(b" " * (64 << 20), mtime=0)
        return member * (size // (64 << 20))
    if path.endswith(".zst"):
        block = 128 << 10
        count = size // block
        return b"\x28\xb5\x2f\xfd\x00\x68" + b"".join(
            ((number == count - 1) | 1 << 1 | block << 3).to_bytes(3, "little") + b" "
            for number in range(count)
        )
    return b" " * (4 << 20)


# ---- blobs whose hash is right


def change_blob(files, rng, notes):
    """Change the content of a blob as someone who knows the format: under its correct name, or under the old
    one.
    """
    blobs = [path for path in files if path.startswith("blobs/") and isinstance(files[path], bytes)]
    tables = [path for path in files if schema_of(path) == "blobs"]
    if not blobs or not tables:
        return
    path, table_path = rng.choice(blobs), rng.choice(tables)
    content = rng.choice(
        [
            b"",
            b"x",
            b"\x1b[31m",
            b"[" * 5000 + b"]" * 5000,
            b" " * 3_000_000,
            rng.randbytes(1000),
            b"../" * 100,
            b'{"a": 1e999}',
        ]
    )
    if rng.random() < 0.3:
        files[path] = _encode(path, content)
        notes.append(f"{path}: another content")
        return
    rows = _read(files, table_path)
    if not isinstance(rows, list) or not rows or not isinstance(rows[0], dict):
        return
    row = rng.choice([row for row in rows if isinstance(row, dict)])
    digest = hashlib.sha256(content).hexdigest()
    new = f"blobs/{digest[:2]}/{digest}{codec_of(path).suffix}"
    files[new] = _encode(new, content)
    old = row.get("blob")
    row.update(blob=new, sha256=digest, size_bytes=len(content), stored_size_bytes=len(files[new]))
    files[table_path] = _encode(table_path, _text(table_path, rows))
    for other in [
        name
        for name in files
        if schema_of(name) in ("artifacts", "events")
        and name.split("/")[:-1][:2] == table_path.split("/")[:2]
    ]:
        named = _read(files, other)
        if isinstance(named, list):
            named = [
                {**one, "blob": new} if isinstance(one, dict) and one.get("blob") == old else one
                for one in named
            ]
            files[other] = _encode(other, _text(other, named))
    notes.append(f"{table_path}: {old!r} is another one")
