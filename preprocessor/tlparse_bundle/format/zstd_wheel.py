"""Zstandard by the package zstandard. ``zstd_standard`` has the same names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import zstandard

ZstdError = zstandard.ZstdError


def compress(data: bytes | bytearray | memoryview, level: int, max_window_log: int) -> bytes:
    """A frame that says its size."""
    return _made(level, len(data), max_window_log).compress(data)


def compressor(level: int, size_bytes: int, max_window_log: int) -> Any:
    """An object with compress(data) and flush(), for a frame of so many bytes that says its size."""
    return _made(level, size_bytes, max_window_log).compressobj(size_bytes)


def content_size(data: bytes) -> int | None:
    """What the head of a frame says; None when it says nothing."""
    size = zstandard.get_frame_parameters(data).content_size
    return None if size == zstandard.CONTENTSIZE_UNKNOWN else size


def decompress(data: bytes) -> bytes:
    """The content of one frame and nothing behind it."""
    return zstandard.ZstdDecompressor().decompress(data, allow_extra_data=False)


def pieces(data: bytes, piece_bytes: int) -> Iterator[bytes]:
    """The content of a frame; as much as there is when it was cut."""
    with zstandard.ZstdDecompressor().stream_reader(data) as stream:
        while piece := stream.read(piece_bytes):
            yield piece


def frame_decoder() -> Any:
    return zstandard.ZstdDecompressor().decompressobj()


def _made(level: int, size_bytes: int, max_window_log: int) -> zstandard.ZstdCompressor:
    params = zstandard.ZstdCompressionParameters.from_level(level, source_size=size_bytes, write_content_size=True)
    if params.window_log > max_window_log:
        params = zstandard.ZstdCompressionParameters.from_level(level, window_log=max_window_log, write_content_size=True)
    return zstandard.ZstdCompressor(compression_params=params)
