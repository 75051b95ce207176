"""The files of a table, encoded piece by piece."""

from __future__ import annotations

from collections.abc import Sequence

from tlparse_bundle.format.codecs import Codec

_SMALL_BYTES = 32 << 10


def encoded_pieces(pieces: Sequence[bytes], codec: Codec) -> list[bytes]:
    """Pieces of a file whose content is given in pieces."""
    size_bytes = sum(map(len, pieces))
    if size_bytes <= _SMALL_BYTES:
        return [codec.encode(b"".join(pieces))]
    encoder = codec.encoder(size_bytes)
    return [*map(encoder.compress, pieces), encoder.flush()]
