"""Zstandard: frames of bundles and logs.

The one module that knows which library compresses and decompresses them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

try:
    from tlparse_bundle.bundle import zstd_wheel as library
except ImportError:
    from tlparse_bundle.bundle import zstd_standard as library

# Chromium refuses Content-Encoding: zstd with windows above 8 MiB (2**23).
_MAX_WINDOW_LOG = 23
_LEVEL = 2  # 3 takes two fifths longer; small logs get up to 3 % smaller with it, large ones 3 % larger
_FAST_LEVEL = 1
_QUICK_LEVEL = -3
PIECE_BYTES = 1 << 20

ZstdError = library.ZstdError
frame_decoder = (
    library.frame_decoder
)  # -> an object that takes one frame in pieces: decompress(data) returns what there is so far and
# raises ZstdError, ``eof`` says that the frame has ended, ``unused_data`` is what came behind it


def encode(data: bytes | memoryview) -> bytes:
    """One frame for a file of a bundle."""
    return library.compress(data, _LEVEL, _MAX_WINDOW_LOG)


def encode_fast(data: bytes | bytearray) -> bytes:
    """A frame for data that this process reads again soon."""
    return library.compress(data, _FAST_LEVEL, _MAX_WINDOW_LOG)


def encoder(size_bytes: int) -> Any:
    """The same for data of so many bytes that come in pieces: an object with compress(data) and flush()."""
    return library.compressor(_LEVEL, size_bytes, _MAX_WINDOW_LOG)


def encode_quick(data: bytes | memoryview) -> bytes:
    """One frame for a file of a bundle that is replaced soon."""
    return library.compress(data, _QUICK_LEVEL, _MAX_WINDOW_LOG)


def quick_encoder(size_bytes: int) -> Any:
    """The same for data of so many bytes that come in pieces."""
    return library.compressor(_QUICK_LEVEL, size_bytes, _MAX_WINDOW_LOG)


def decode(data: bytes, max_bytes: int) -> bytes:
    """The content of a frame.

    Raises ValueError: for other data, and before anything is decoded for more than ``max_bytes``.
    """
    _content_size(data, max_bytes)
    try:
        return library.decompress(data)
    except ZstdError as error:
        raise ValueError(f"not a zstd frame: {error}") from None


def decode_pieces(data: bytes, max_bytes: int) -> Iterator[bytes]:
    """The same in pieces of about a MB."""
    missing = _content_size(data, max_bytes)
    try:
        for piece in library.pieces(data, PIECE_BYTES):
            missing -= len(piece)
            yield piece
    except ZstdError as error:
        raise ValueError(f"not a zstd frame: {error}") from None
    if missing:
        raise ValueError("not a zstd frame: it ends too early")


def too_large(max_bytes: int) -> ValueError:
    return ValueError(f"it holds more than {max_bytes:,} bytes")


def _content_size(data: bytes, max_bytes: int) -> int:
    """What the head of a frame says. Ours say it always."""
    try:
        size = library.content_size(data)
    except ZstdError as error:
        raise ValueError(f"not a zstd frame: {error}") from None
    if size is None:
        raise ValueError("not a zstd frame of a bundle: it does not say its size")
    if size > max_bytes:
        raise too_large(max_bytes)
    return size
