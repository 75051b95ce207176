"""How the files of a bundle are stored: plain, or compressed."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from typing import NamedTuple, Protocol

from tlparse_bundle.format import zstd_codec


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


class _Plain:
    """Encodes nothing."""

    def compress(self, data: bytes) -> bytes:
        return data

    def flush(self) -> bytes:
        return b""


def _gzip_decode(data: bytes) -> bytes:
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"not gzip data: {error}") from None


CODECS = {
    "zstd": Codec("zstd", ".zst", "zstd", zstd_codec.encode, zstd_codec.encoder, zstd_codec.decode),
    "gzip": Codec("gzip", ".gz", "gzip", lambda data: gzip.compress(data, 6, mtime=0), lambda _: zlib.compressobj(6, wbits=31), _gzip_decode),
    "none": Codec("none", "", None, bytes, lambda _: _Plain(), bytes),
}


def codec_of(path: str) -> Codec:
    """The codec that a stored path says it has."""
    return next((c for c in CODECS.values() if c.suffix and path.endswith(c.suffix)), CODECS["none"])
