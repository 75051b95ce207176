"""Zstandard by the standard library, which has it from Python 3.14 on: for Python in a browser.

``zstd_wheel`` has the same names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from compression import zstd

ZstdError = zstd.ZstdError


def compress(data: bytes | bytearray | memoryview, level: int, max_window_log: int) -> bytes:
    """A frame that says its size."""
    return zstd.compress(data, level)  # the levels that are used have windows of 1 MiB


def compressor(level: int, size_bytes: int, max_window_log: int) -> Any:
    """An object with compress(data) and flush(), for a frame of so many bytes that says its size."""
    made = zstd.ZstdCompressor(level)
    made.set_pledged_input_size(size_bytes)
    return made


def content_size(data: bytes) -> int | None:
    """What the head of a frame says; None when it says nothing."""
    return zstd.get_frame_info(data).decompressed_size


def decompress(data: bytes) -> bytes:
    """The content of one frame and nothing behind it."""
    decoder = zstd.ZstdDecompressor()
    content = decoder.decompress(data)
    if not decoder.eof or decoder.unused_data:
        raise ZstdError("the frame was cut" if not decoder.eof else "there is data behind the frame")
    return content


def pieces(data: bytes, piece_bytes: int) -> Iterator[bytes]:
    """The content of a frame; as much as there is when it was cut."""
    decoder = zstd.ZstdDecompressor()
    piece = decoder.decompress(data, piece_bytes)
    while piece:
        yield piece
        piece = b"" if decoder.eof or decoder.needs_input else decoder.decompress(b"", piece_bytes)


def frame_decoder() -> Any:
    return zstd.ZstdDecompressor()
