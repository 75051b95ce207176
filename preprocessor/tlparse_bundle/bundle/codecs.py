"""Codecs of bundle files: plain or compressed."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tlparse_bundle.bundle import zstd_codec
from tlparse_bundle.bundle.zstd_codec import Encoder

MAX_FILE_BYTES = 512 << 20  # of any file, decoded: twice the largest record that a log may have


class Codec(NamedTuple):
    """A codec.

    ``decode_pieces(data, max_bytes)`` yields the content in pieces of about 1 MB, one in memory at a
    time. It raises ValueError when the data is damaged or larger than ``max_bytes``.
    """

    name: str
    suffix: str
    content_encoding: str | None
    encode: Callable[[bytes | memoryview], bytes]
    encoder: Callable[[int], Encoder]  # of so many bytes
    decode_pieces: Callable[[bytes, int], Iterator[bytes]]

    def decode(self, data: bytes, max_bytes: int = MAX_FILE_BYTES) -> bytes:
        """Return the content. Raise ValueError when it is damaged or larger than ``max_bytes``."""
        if self.name == "zstd":  # whose frames say how much they hold: at once is quicker
            return zstd_codec.decode(data, max_bytes)
        return b"".join(self.decode_pieces(data, max_bytes))

    def max_stored_bytes(self, max_bytes: int) -> int:
        """Return the largest stored size of a file of ``max_bytes``, since incompressible data grows a
        little.
        """
        return max_bytes if self.name == "none" else max_bytes + max_bytes // 128 + 1024


class _Plain:
    """Encodes nothing."""

    def compress(self, data: bytes) -> bytes:
        return data

    def flush(self) -> bytes:
        return b""


def _plain_pieces(data: bytes, max_bytes: int) -> Iterator[bytes]:
    if len(data) > max_bytes:
        raise zstd_codec.too_large(max_bytes)
    yield bytes(data)


def _gzip_pieces(data: bytes, max_bytes: int) -> Iterator[bytes]:
    from gzip import GzipFile  # most bundles have none, and every command waits for what is imported

    size = 0
    if not data:
        raise ValueError("not gzip data: nothing")
    # What its end says of the size: most bombs need not be decoded.
    if int.from_bytes(data[-4:], "little") > max_bytes:
        raise zstd_codec.too_large(max_bytes)
    with GzipFile(fileobj=io.BytesIO(data)) as stream:
        try:
            while piece := stream.read(zstd_codec.PIECE_BYTES):
                size += len(piece)
                if size > max_bytes:
                    raise zstd_codec.too_large(max_bytes)
                yield piece
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f"not gzip data: {error}") from None


def _gzipped(data: bytes | memoryview, level: int) -> bytes:
    from gzip import compress

    return compress(data, level, mtime=0)


CODECS = {
    "zstd": Codec("zstd", ".zst", "zstd", zstd_codec.encode, zstd_codec.encoder, zstd_codec.decode_pieces),
    "gzip": Codec(
        "gzip",
        ".gz",
        "gzip",
        lambda data: _gzipped(data, 6),
        lambda _: zlib.compressobj(6, wbits=31),
        _gzip_pieces,
    ),
    "none": Codec("none", "", None, bytes, lambda _: _Plain(), _plain_pieces),
}


def quick(codec: Codec) -> Codec:
    """Return a faster variant for short-lived files, which become larger."""
    if codec.name == "zstd":
        return codec._replace(encode=zstd_codec.encode_quick, encoder=zstd_codec.quick_encoder)
    if codec.name == "gzip":
        return codec._replace(
            encode=lambda data: _gzipped(data, 1), encoder=lambda _: zlib.compressobj(1, wbits=31)
        )
    return codec


def codec_of(path: str) -> Codec:
    """Return the codec that a stored path names."""
    return next((c for c in CODECS.values() if c.suffix and path.endswith(c.suffix)), CODECS["none"])
