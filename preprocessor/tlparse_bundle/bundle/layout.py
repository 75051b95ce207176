"""Where things lie in a bundle, and how files are stored. Nothing else knows paths on disk."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable
from typing import NamedTuple, Protocol

import orjson
import zstandard

FORMAT_NAME = "tlparse-bundle"
FORMAT_MAJOR = 1
FORMAT_MINOR = 1
MANIFEST = "manifest.json"
_OWN = re.compile(r"manifest\.json|(schemas\.json|ranks/[\w.-]+\.json|logs/[^/]+/([\w.-]+\.json|\w+/\d{4,}\.\w+)|blobs/[0-9a-f]{2}/[0-9a-f]{64})(\.zst|\.gz)?")

# Chromium refuses Content-Encoding: zstd with windows above 8 MiB (2**23).
_WINDOW_LOG = 23
_LEVEL = 3  # 6 takes three times as long, and saves a fourteenth


class Encoder(Protocol):
    """Encodes data that comes in pieces."""

    def compress(self, data: bytes) -> bytes: ...

    def flush(self) -> bytes: ...


class Codec(NamedTuple):
    name: str
    suffix: str
    content_encoding: str | None
    encode: Callable[[bytes | memoryview], bytes]
    encoder: Callable[[int], Encoder]  # of so many bytes
    decode: Callable[[bytes], bytes]


def _zstd(size_bytes: int) -> zstandard.ZstdCompressor:
    params = zstandard.ZstdCompressionParameters.from_level(_LEVEL, source_size=size_bytes, write_content_size=True)
    if params.window_log > _WINDOW_LOG:
        params = zstandard.ZstdCompressionParameters.from_level(_LEVEL, window_log=_WINDOW_LOG, write_content_size=True)
    return zstandard.ZstdCompressor(compression_params=params)


class _Plain:
    """Encodes nothing."""

    def compress(self, data: bytes) -> bytes:
        return data

    def flush(self) -> bytes:
        return b""


def _zstd_decode(data: bytes) -> bytes:
    try:
        return zstandard.ZstdDecompressor().decompress(data)
    except zstandard.ZstdError as error:
        raise ValueError(f"not a zstd frame: {error}") from None


def _gzip_decode(data: bytes) -> bytes:
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"not gzip data: {error}") from None


CODECS = {
    "zstd": Codec("zstd", ".zst", "zstd", lambda data: _zstd(len(data)).compress(data), lambda size: _zstd(size).compressobj(size), _zstd_decode),
    "gzip": Codec("gzip", ".gz", "gzip", lambda data: gzip.compress(data, 6, mtime=0), lambda _: zlib.compressobj(6, wbits=31), _gzip_decode),
    "none": Codec("none", "", None, bytes, lambda _: _Plain(), bytes),
}


def codec_of(path: str) -> Codec:
    """The codec that a stored path says it has."""
    return next((c for c in CODECS.values() if c.suffix and path.endswith(c.suffix)), CODECS["none"])


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


def to_json(value: object) -> bytes:
    """JSON as bundles store it: UTF-8, compact, keys in the order given."""
    return orjson.dumps(value)
