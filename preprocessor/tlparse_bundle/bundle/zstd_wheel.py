"""Zstandard by the package zstandard. ``zstd_standard`` has the same names."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import zstandard

ZstdError = zstandard.ZstdError
_SMALL_BYTES = 32 << 10


class _Kept(threading.local):
    """What is made once for each thread: for small data it takes longer to make than to use."""

    def __init__(self) -> None:
        self.decompressor = zstandard.ZstdDecompressor()
        self.compressors: dict[
            tuple[int, int], zstandard.ZstdCompressor
        ] = {}  # by level and what of the size makes a difference


_kept = _Kept()


def compress(data: bytes | bytearray | memoryview, level: int, max_window_log: int) -> bytes:
    """A frame that says its size."""
    size_bytes = len(data)
    if not 0 < size_bytes <= _SMALL_BYTES:
        return _made(level, size_bytes, max_window_log).compress(data)
    key = level, (size_bytes - 1).bit_length()
    compressor = _kept.compressors.get(key)
    if compressor is None:
        compressor = _kept.compressors[key] = _made(level, size_bytes, max_window_log)
    return compressor.compress(data)


def compressor(level: int, size_bytes: int, max_window_log: int) -> Any:
    """An object with compress(data) and flush(), for a frame of so many bytes that says its size."""
    return _made(level, size_bytes, max_window_log).compressobj(size_bytes)


def content_size(data: bytes) -> int | None:
    """What the head of a frame says; None when it says nothing."""
    size = zstandard.get_frame_parameters(data).content_size
    return None if size == zstandard.CONTENTSIZE_UNKNOWN else size


def decompress(data: bytes) -> bytes:
    """The content of one frame and nothing behind it."""
    return _kept.decompressor.decompress(data, allow_extra_data=False)


def pieces(data: bytes, piece_bytes: int) -> Iterator[bytes]:
    """The content of a frame; as much as there is when it was cut."""
    with zstandard.ZstdDecompressor().stream_reader(data) as stream:
        while piece := stream.read(piece_bytes):
            yield piece


def frame_decoder() -> Any:
    return zstandard.ZstdDecompressor().decompressobj()


def _made(level: int, size_bytes: int, max_window_log: int) -> zstandard.ZstdCompressor:
    params = zstandard.ZstdCompressionParameters.from_level(
        level, source_size=size_bytes, write_content_size=True
    )
    if params.window_log > max_window_log:
        params = zstandard.ZstdCompressionParameters.from_level(
            level, window_log=max_window_log, write_content_size=True
        )
    return zstandard.ZstdCompressor(compression_params=params)
