"""The JSON of a table, piece by piece: that of a large log is never in memory at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tlparse_bundle.format.codecs import Codec
from tlparse_bundle.format.json_codec import dumps
from tlparse_bundle.tables.json_list import JsonList

_SMALL_BYTES = 32 << 10


def encoded_table(table: dict, codec: Codec) -> Iterator[bytes]:
    """Pieces of the file of a table, in which lists may be JsonLists: the values of the table, or of objects in it."""
    parts = list(_parts(table))
    size_bytes = sum(part.size_bytes if type(part) is JsonList else len(part) for part in parts)
    if size_bytes <= _SMALL_BYTES:  # at once is quicker
        yield codec.encode(b"".join(piece for part in parts for piece in (part.pieces() if type(part) is JsonList else (part,))))
        return
    encoder = codec.encoder(size_bytes)
    for part in parts:
        for piece in part.pieces() if type(part) is JsonList else (part,):
            yield encoder.compress(piece)
    yield encoder.flush()


def encoded_pieces(pieces: Sequence[bytes], codec: Codec) -> list[bytes]:
    """Pieces of a file whose content is given in pieces."""
    size_bytes = sum(map(len, pieces))
    if size_bytes <= _SMALL_BYTES:
        return [codec.encode(b"".join(pieces))]
    encoder = codec.encoder(size_bytes)
    return [*map(encoder.compress, pieces), encoder.flush()]


def _parts(table: dict) -> Iterator[bytes | JsonList]:
    before = b"{"
    for key, value in table.items():
        yield before + dumps(key) + b":"
        if type(value) is dict and JsonList in map(type, value.values()):
            yield from _parts(value)
        else:
            yield value if type(value) is JsonList else dumps(value)
        before = b","
    yield b"}" if table else b"{}"
