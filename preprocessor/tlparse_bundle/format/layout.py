"""Where things lie in a bundle. Nothing else knows paths on disk."""

from __future__ import annotations

import re

from tlparse_bundle.format.codecs import Codec

FORMAT_NAME = "tlparse-bundle"
FORMAT_MAJOR = 1
FORMAT_MINOR = 1
MANIFEST = "manifest.json"
_OWN = re.compile(r"manifest\.json|(schemas\.json|ranks/[\w.-]+\.json|logs/[^/]+/([\w.-]+\.json|\w+/\d{4,}\.\w+)|blobs/[0-9a-f]{2}/[0-9a-f]{64})(\.zst|\.gz)?")


def blob_path(sha256: str, codec: Codec) -> str:
    return f"blobs/{sha256[:2]}/{sha256}{codec.suffix}"


def log_path(log_id: str, name: str, codec: Codec) -> str:
    """Path of a file of one log, such as log_path(id, "compiles.json", codec)."""
    return f"logs/{log_id}/{name}{codec.suffix}"


def rank_path(name: str, codec: Codec) -> str:
    """Path of the file of an analysis of the ranks."""
    return f"ranks/{name}.json{codec.suffix}"


def is_own(path: str) -> bool:
    """Whether a file of this path may be part of a bundle."""
    return _OWN.fullmatch(path) is not None
