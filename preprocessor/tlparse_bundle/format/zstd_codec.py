"""Zstandard: the one module that knows which library compresses and decompresses it. Another implementation can stand in here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import zstandard

# Chromium refuses Content-Encoding: zstd with windows above 8 MiB (2**23).
_WINDOW_LOG = 23
_LEVEL = 2  # 3 takes two fifths longer; small logs get up to 3 % smaller with it, large ones 3 % larger
_FAST_LEVEL = 1
PIECE_BYTES = 1 << 20

ZstdError = zstandard.ZstdError


def encode(data: bytes | memoryview) -> bytes:
    """One frame for a file of a bundle."""
    return _compressor(len(data)).compress(data)


def encoder(size_bytes: int) -> Any:
    """The same for data of so many bytes that come in pieces: an object with compress(data) and flush()."""
    return _compressor(size_bytes).compressobj(size_bytes)


def decode(data: bytes, max_bytes: int) -> bytes:
    """The content of a frame. Raises ValueError: for other data, and before anything is decoded for more than ``max_bytes``."""
    _content_size(data, max_bytes)
    try:
        return zstandard.ZstdDecompressor().decompress(data, allow_extra_data=False)
    except ZstdError as error:
        raise ValueError(f"not a zstd frame: {error}") from None


def decode_pieces(data: bytes, max_bytes: int) -> Iterator[bytes]:
    """The same in pieces of about a MB."""
    missing = _content_size(data, max_bytes)
    try:
        with zstandard.ZstdDecompressor().stream_reader(data) as stream:
            while piece := stream.read(PIECE_BYTES):
                missing -= len(piece)
                yield piece
    except ZstdError as error:
        raise ValueError(f"not a zstd frame: {error}") from None
    if missing:
        raise ValueError("not a zstd frame: it ends too early")


def _content_size(data: bytes, max_bytes: int) -> int:
    """What the head of a frame says. Ours say it always."""
    try:
        size = zstandard.get_frame_parameters(data).content_size
    except ZstdError as error:
        raise ValueError(f"not a zstd frame: {error}") from None
    if size == zstandard.CONTENTSIZE_UNKNOWN:
        raise ValueError("not a zstd frame of a bundle: it does not say its size")
    if size > max_bytes:
        raise too_large(max_bytes)
    return size


def too_large(max_bytes: int) -> ValueError:
    return ValueError(f"it holds more than {max_bytes:,} bytes")


def encode_fast(data: bytes | bytearray) -> bytes:
    """A frame for data that this process reads again soon."""
    return zstandard.ZstdCompressor(level=_FAST_LEVEL).compress(data)


def frame_decoder() -> Any:
    """An object that takes one frame in pieces: decompress(data) returns what there is so far and raises ZstdError,
    ``eof`` says that the frame has ended, ``unused_data`` is what came behind it."""
    return zstandard.ZstdDecompressor().decompressobj()


def _compressor(size_bytes: int) -> zstandard.ZstdCompressor:
    params = zstandard.ZstdCompressionParameters.from_level(_LEVEL, source_size=size_bytes, write_content_size=True)
    if params.window_log > _WINDOW_LOG:
        params = zstandard.ZstdCompressionParameters.from_level(_LEVEL, window_log=_WINDOW_LOG, write_content_size=True)
    return zstandard.ZstdCompressor(compression_params=params)
