"""Layout of a bundle: file paths, and keys of metadata."""

from __future__ import annotations

import os
import re
from pathlib import Path

from tlparse_bundle.bundle.codecs import Codec

FORMAT_NAME = "tlparse-bundle"
FORMAT_MAJOR = 2
FORMAT_MINOR = 0
MANIFEST = "manifest.json"
LIVE = "live"
UNFINISHED_MANIFEST = "live/manifest"
MAX_PATH = 1000
# Keys of an envelope, and so of metadata, that torch adds to every record: never event names
# (torch/_logging/_internal.py, trace_structured).
ID_KEYS = ("compiled_autograd_id", "frame_id", "frame_compile_id", "attempt")
CONTEXT_KEYS = frozenset(
    (*ID_KEYS, "rank", "severity", "timestamp", "pathname", "thread", "subgraph_name", "has_payload", "stack")
)
ROWS_PER_FILE, BYTES_PER_FILE = 4096, 1 << 20  # of a table: a browser parses such a file without a pause
LOG_ID = r"[A-Za-z0-9_][A-Za-z0-9._-]*"  # as in the schema of the manifest
_NAME = r"[A-Za-z0-9_][A-Za-z0-9._-]*"
_OWN = re.compile(
    rf"manifest\.json|(?:live/[0-9]{{1,15}}/)?(?:schemas\.json|ranks/{_NAME}(?:/[0-9]{{4,18}})?\.jsonl?|logs/{LOG_ID}/(?:{_NAME}\.jsonl?|{_NAME}/[0-9]{{4,18}}\.(?:jsonl?|log))"
    r"|blobs/(?P<head>[0-9a-f]{2})/(?P=head)[0-9a-f]{62})(?:\.zst|\.gz)?",
    re.ASCII,
)
_UNFINISHED = re.compile(r"(.+)\.[0-9]{1,20}\.[0-9]{1,20}")
_OWN_FOLDER = re.compile(
    rf"(?:live/[0-9]{{1,15}}/)?(?:ranks(?:/{_NAME})?|logs(?:/{LOG_ID}(?:/{_NAME})?)?|blobs(?:/[0-9a-f]{{2}})?)|live(?:/[0-9]{{1,15}})?",
    re.ASCII,
)


def blob_path(sha256: str, codec: Codec) -> str:
    return f"blobs/{sha256[:2]}/{sha256}{codec.suffix}"


def log_path(log_id: str, name: str, codec: Codec) -> str:
    """Return the path of a file of one log, such as log_path(id, "compiles.json", codec)."""
    return f"logs/{log_id}/{name}{codec.suffix}"


def rows_file(name: str, number: int, count: int) -> str:
    """Return the name of one of ``count`` files of a table, by its number."""
    return f"{name}.jsonl" if count == 1 else f"{name}/{number:04d}.jsonl"


def rank_path(name: str, number: int, count: int, codec: Codec) -> str:
    """Return the path of one of ``count`` files of a table about several ranks, by its number."""
    return f"ranks/{rows_file(name, number, count)}{codec.suffix}"


def live_path(counter: int) -> str:
    """Return the path prefix of files that belong to one state of a growing bundle."""
    return f"{LIVE}/{counter}/"


def guards(location: str | os.PathLike[str]) -> list[Path]:
    """Return the paths whose permissions decide who may read a local bundle."""
    return [Path(location), Path(location) / MANIFEST]


def is_own(path: str) -> bool:
    """Return whether a bundle may have a file at this path. An allow-list, so no path leads elsewhere."""
    return len(path) <= MAX_PATH and _OWN.fullmatch(path) is not None


def is_unfinished(path: str) -> bool:
    """Return whether a path is that of an incomplete file of a killed process: its name ends in process and
    thread id.
    """
    return path == UNFINISHED_MANIFEST or (
        (match := _UNFINISHED.fullmatch(path)) is not None and is_own(match[1])
    )


def is_own_folder(path: str) -> bool:
    """Return whether a growing bundle may have an empty folder at this path."""
    return len(path) <= MAX_PATH and _OWN_FOLDER.fullmatch(path) is not None
