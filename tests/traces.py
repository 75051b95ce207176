"""Locations of the logs, their contents, and restoring them from a bundle."""

import gzip
import hashlib
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = sorted(path.parent.name for path in ROOT.glob("fixtures/*/truth.json"))
FIXTURE_LOGS = sorted(ROOT.glob("fixtures/*/trace/**/*.log"))
PUBLIC = ROOT.parent / "shared" / "traces" / "tlparse"
PUBLIC_LOGS = sorted(path for path in PUBLIC.glob("*/*") if path.suffix in (".log", ".txt"))
SHARED = ROOT.parent / "shared" / "traces"
# All logs: those of the fixtures and the public ones. The fixture ``unpacked`` unpacks the archive of
# versions.
EVERY_LOG = sorted(
    {
        *PUBLIC_LOGS,
        *(
            path
            for folder in (ROOT / "fixtures", SHARED)
            for suffix in ("log", "log.zst")
            for path in folder.rglob(f"*.{suffix}")
        ),
    }
)
# Their folders, without nested ones: each gives a bundle of one or many logs.
_PARENTS = {path.parent for path in EVERY_LOG}
EVERY_FOLDER = sorted(folder for folder in _PARENTS if not _PARENTS.intersection(folder.parents))
NO_PUBLIC = f"the public traces are not at {PUBLIC}"

_EVENT_LINE = re.compile(rb"^[A-Z]\d{4} \d\d:\d\d:\d\d[.,]\d{6} +\d+ .+?:\d+\] (\{.*)$")


def params(paths, base):
    """Return test parameters for each path; one that is skipped when there is none."""
    if not paths:
        return [pytest.param(None, marks=pytest.mark.skip(reason=NO_PUBLIC))]
    return [
        pytest.param(path, id=str(path.relative_to(base)).replace("dedicated_log_torch_trace_", ""))
        for path in paths
    ]


ARCHIVE_VERSIONS = ("2.4.1", "2.6.0", "2.8.0", "2.15.0")  # of torch, in the archive
ALL_LOGS = params(FIXTURE_LOGS, ROOT / "fixtures") + params(PUBLIC_LOGS, PUBLIC)


def scan(data):
    """Return [(envelope text, payload or None)] of a whole log, read line by line: a second opinion."""
    found = []
    for line in data.split(b"\n"):
        match = _EVENT_LINE.match(line)
        if match:
            found.append((match[1], None))
        elif line.startswith(b"\t") and found:
            envelope, payload = found[-1]
            found[-1] = envelope, line[1:] if payload is None else payload + b"\n" + line[1:]
    return found


def right_payloads(data):
    """Return {number of the event: payload} of all payloads whose MD5 matches their record."""
    out = {}
    for number, (envelope, payload) in enumerate(scan(data)):
        announced = re.search(rb'"has_payload": "([0-9a-f]{32})"}$', envelope)
        if announced and payload is not None and hashlib.md5(payload).hexdigest().encode() == announced[1]:
            out[number] = payload
    return out


def restore(log):
    """Restore the bytes of a bundle's log as the schemas describe.

    log.verbatim is the log without the payloads; the lines of a payload end its record, and the payload_form
    of an event describes their form.
    """
    kept = b"".join(log.bundle.read(chunk["path"]) for chunk in log.directory["verbatim"])
    out, taken, size, record_end = [], 0, 0, 0
    for row in log.table("events"):
        record_end += row["gap_bytes"] + row["size_bytes"]
        if row["payload_form"] in (None, "verbatim"):
            continue
        payload = log.payload(row["blob"], row["offset"], row["payload_size_bytes"])
        end = b"\r\n" if row["payload_form"] == "crlf" else b"\n"
        lines = b"\t" + payload.replace(b"\n", end + b"\t") + end
        before = record_end - len(lines) - size
        out += [kept[taken : taken + before], lines]
        taken, size = taken + before, size + before + len(lines)
    return b"".join([*out, kept[taken:]])


def files(folder):
    """Return {path: bytes} of everything below a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def rewrite(folder, path, change):
    """Change one JSON file of a bundle with codec gzip or none: ``change`` gets the value, or the rows of
    JSON Lines, and may return a new one.
    """
    target = folder / path
    unpack, pack = (gzip.decompress, gzip.compress) if path.endswith(".gz") else (bytes, bytes)
    value = parsed(path, unpack(target.read_bytes()))
    changed = change(value)
    target.write_bytes(pack(written(path, value if changed is None else changed)))


def parsed(path, data):
    """Return the value of a JSON file, or the rows of a JSON Lines file."""
    return [json.loads(line) for line in data.splitlines()] if ".jsonl" in path else json.loads(data)


def written(path, value):
    """Return the bytes of such a file."""
    if ".jsonl" in path and isinstance(value, list):
        return "".join(json.dumps(row) + "\n" for row in value).encode()
    return json.dumps(value).encode()
