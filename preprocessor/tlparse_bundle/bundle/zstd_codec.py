"""Zstandard frames of bundles and logs.

Uses the package zstandard, or without it the standard library of Python 3.14 or newer (Python in a
browser).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Protocol

try:
    import zstandard
except ImportError:
    from compression import zstd as _standard  # type: ignore[import-not-found,unused-ignore]  # from 3.14 on

    ZstdError: type[Exception] = _standard.ZstdError
else:
    ZstdError = zstandard.ZstdError

# Chromium refuses Content-Encoding: zstd with windows above 8 MiB (2**23).
_MAX_WINDOW_LOG = 23
_LEVEL = 2  # 3 takes two fifths longer; small logs get up to 3 % smaller with it, large ones 3 % larger
_FAST_LEVEL = 1
_QUICK_LEVEL = -3
_SMALL_BYTES = 32 << 10
PIECE_BYTES = 1 << 20


class Encoder(Protocol):
    """Encodes data that comes in pieces."""

    def compress(self, data: bytes, /) -> bytes: ...

    def flush(self) -> bytes: ...


class FrameDecoder(Protocol):
    """Decodes one frame that comes in pieces."""

    @property
    def eof(self) -> bool:
        """Return whether the frame has ended."""

    @property
    def unused_data(self) -> bytes:
        """The data after the frame."""

    def decompress(self, data: bytes, /) -> bytes:
        """Return the data decoded so far. Raise ZstdError."""


class _Library(Protocol):
    """Interface of a Zstandard library. Frames state their content size; errors are ZstdError."""

    def compress(self, data: bytes | bytearray | memoryview, level: int) -> bytes: ...

    def compressor(self, level: int, size_bytes: int) -> Encoder: ...

    def content_size(self, data: bytes) -> int | None:
        """Return the content size in the frame header; None without one."""

    def decompress(self, data: bytes) -> bytes:
        """Return the content of one frame; raise an error when it is cut or followed by other data."""

    def pieces(self, data: bytes, piece_bytes: int) -> Iterator[bytes]:
        """Yield the content of a frame, up to where it was cut."""

    def frame_decoder(self) -> FrameDecoder: ...


class _Wheel(threading.local):
    """The package zstandard. Its objects are created once per thread, which costs more than using them on
    small data.
    """

    def __init__(self) -> None:
        self._decompressor = zstandard.ZstdDecompressor()
        # By level and what of the size makes a difference.
        self._compressors: dict[tuple[int, int], zstandard.ZstdCompressor] = {}

    def compress(self, data: bytes | bytearray | memoryview, level: int) -> bytes:
        size_bytes = len(data)
        if not 0 < size_bytes <= _SMALL_BYTES:
            return self._new_compressor(level, size_bytes).compress(data)
        key = level, (size_bytes - 1).bit_length()
        compressor = self._compressors.get(key)
        if compressor is None:
            compressor = self._compressors[key] = self._new_compressor(level, size_bytes)
        return compressor.compress(data)

    def compressor(self, level: int, size_bytes: int) -> Encoder:
        return self._new_compressor(level, size_bytes).compressobj(size_bytes)

    def content_size(self, data: bytes) -> int | None:
        size = zstandard.get_frame_parameters(data).content_size
        return None if size == zstandard.CONTENTSIZE_UNKNOWN else size

    def decompress(self, data: bytes) -> bytes:
        return self._decompressor.decompress(data, allow_extra_data=False)

    def pieces(self, data: bytes, piece_bytes: int) -> Iterator[bytes]:
        with zstandard.ZstdDecompressor().stream_reader(data) as stream:
            while piece := stream.read(piece_bytes):
                yield piece

    def frame_decoder(self) -> FrameDecoder:
        return zstandard.ZstdDecompressor().decompressobj()

    @staticmethod
    def _new_compressor(level: int, size_bytes: int) -> zstandard.ZstdCompressor:
        params = zstandard.ZstdCompressionParameters.from_level(
            level, source_size=size_bytes, write_content_size=True
        )
        if params.window_log > _MAX_WINDOW_LOG:
            params = zstandard.ZstdCompressionParameters.from_level(
                level, window_log=_MAX_WINDOW_LOG, write_content_size=True
            )
        return zstandard.ZstdCompressor(compression_params=params)


class _Standard:
    """The standard library, with levels whose windows are 1 MiB."""

    def compress(self, data: bytes | bytearray | memoryview, level: int) -> bytes:
        frame: bytes = _standard.compress(data, level)
        return frame

    def compressor(self, level: int, size_bytes: int) -> Encoder:
        compressor = _standard.ZstdCompressor(level)
        compressor.set_pledged_input_size(size_bytes)
        encoder: Encoder = compressor
        return encoder

    def content_size(self, data: bytes) -> int | None:
        size: int | None = _standard.get_frame_info(data).decompressed_size
        return size

    def decompress(self, data: bytes) -> bytes:
        decoder = _standard.ZstdDecompressor()
        content: bytes = decoder.decompress(data)
        if not decoder.eof or decoder.unused_data:
            raise ZstdError("the frame was cut" if not decoder.eof else "there is data after the frame")
        return content

    def pieces(self, data: bytes, piece_bytes: int) -> Iterator[bytes]:
        decoder = _standard.ZstdDecompressor()
        piece = decoder.decompress(data, piece_bytes)
        while piece:
            yield piece
            piece = b"" if decoder.eof or decoder.needs_input else decoder.decompress(b"", piece_bytes)

    def frame_decoder(self) -> FrameDecoder:
        decoder: FrameDecoder = _standard.ZstdDecompressor()
        return decoder


_library: _Library = _Wheel() if "zstandard" in globals() else _Standard()
frame_decoder = _library.frame_decoder


def encode(data: bytes | memoryview) -> bytes:
    """Return a frame for a bundle file."""
    return _library.compress(data, _LEVEL)


def encode_fast(data: bytes | bytearray) -> bytes:
    """Return a frame for data that this process soon reads again."""
    return _library.compress(data, _FAST_LEVEL)


def encoder(size_bytes: int) -> Encoder:
    """Return the encoder of a bundle file of this size whose content comes in pieces."""
    return _library.compressor(_LEVEL, size_bytes)


def encode_quick(data: bytes | memoryview) -> bytes:
    """Return a frame for a short-lived bundle file."""
    return _library.compress(data, _QUICK_LEVEL)


def quick_encoder(size_bytes: int) -> Encoder:
    """Return the encoder of a short-lived file of this size whose content comes in pieces."""
    return _library.compressor(_QUICK_LEVEL, size_bytes)


def decode(data: bytes, max_bytes: int) -> bytes:
    """Return the content of a frame. Raise ValueError for other data and, before decoding, when it is larger
    than ``max_bytes``.
    """
    _content_size(data, max_bytes)
    try:
        return _library.decompress(data)
    except ZstdError as error:
        raise ValueError(f"not a zstd frame: {error}") from None


def decode_pieces(data: bytes, max_bytes: int) -> Iterator[bytes]:
    """Yield the content in pieces of about 1 MB."""
    missing = _content_size(data, max_bytes)
    try:
        for piece in _library.pieces(data, PIECE_BYTES):
            missing -= len(piece)
            yield piece
    except ZstdError as error:
        raise ValueError(f"not a zstd frame: {error}") from None
    if missing:
        raise ValueError("not a zstd frame: it ends too early")


def too_large(max_bytes: int) -> ValueError:
    return ValueError(f"it holds more than {max_bytes:,} bytes")


def _content_size(data: bytes, max_bytes: int) -> int:
    """Return the content size in the frame header. Ours always have it."""
    try:
        size = _library.content_size(data)
    except ZstdError as error:
        raise ValueError(f"not a zstd frame: {error}") from None
    if size is None:
        raise ValueError("not a zstd frame of a bundle: it does not say its size")
    if size > max_bytes:
        raise too_large(max_bytes)
    return size
