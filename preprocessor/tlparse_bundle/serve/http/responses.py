"""HTTP responses of stored files: encoding, range, condition. Large ones are streamed from a thread."""

from __future__ import annotations

import mimetypes
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from email.utils import formatdate
from itertools import chain
from pathlib import PurePosixPath
from typing import BinaryIO

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.codecs import MAX_FILE_BYTES, Codec, codec_of
from tlparse_bundle.serve.bundle_places import Stored

_TYPES = {
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".log": "text/plain",
}
FOREVER = "private, max-age=31536000, immutable"
REVALIDATE = "no-cache"
UNREADABLE = (OSError, ValueError, BundleError)
_ONE_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")
_PIECE = 1 << 20  # what is not larger goes out at once


def is_quick(request: Request, path: str, stored: Stored) -> bool:
    """Return whether the response needs no thread: a small local file, as stored."""
    return stored.size is not None and stored.size <= _PIECE and not _must_decode(request, codec_of(path))


def respond(
    request: Request, path: str, stored: Stored, cache_control: str, compress: bool = False
) -> Response:
    """Return the file at ``path`` in the best encoding that the browser accepts; ranges apply to that
    encoding.

    ``compress``: also compress a small uncompressed file, for slow connections. Raises OSError when the
    file cannot be read, and ValueError when it cannot be decoded or is too large.
    """
    codec = codec_of(path)
    must_decode = _must_decode(request, codec)
    range_header = request.headers.get("range")
    compress = compress and stored.size is not None and stored.size <= _PIECE
    squeeze = (
        (must_decode or compress)
        and range_header is None
        and "gzip" in accepted_encodings(request.headers.get("accept-encoding", ""))
    )
    encoding = "gzip" if squeeze else None if must_decode else codec.content_encoding
    etag = f'"{stored.tag}-{encoding or "id"}"'
    headers = {
        "Cache-Control": cache_control,
        "ETag": etag,
        "Vary": "Accept-Encoding",
        "Accept-Ranges": "bytes",
    }
    if stored.modified is not None:
        headers["Last-Modified"] = formatdate(stored.modified, usegmt=True)
    if _names(request.headers.get("if-none-match", ""), etag):
        return Response(status_code=304, headers=headers)
    if encoding:
        headers["Content-Encoding"] = encoding
    media_type = _media_type(path)
    if request.headers.get("if-range", etag) != etag:
        range_header = None
    if must_decode or squeeze:
        content = _decoder(stored, codec)
        if squeeze:
            return _response(_squeezed(content()), headers, media_type)
        if range_header is None:
            return _response(content(), headers, media_type)
        size = sum(map(len, content()))  # decoded twice, so that it is never in memory as a whole
    else:
        content = None
        stream = stored.open()
        size = stream.seek(0, os.SEEK_END)
    span = byte_range(range_header, size) if range_header is not None else None
    if span is not None and not span:
        if content is None:
            stream.close()
        return PlainTextResponse(
            f"The file has {size} bytes.\n", 416, {**headers, "Content-Range": f"bytes */{size}"}
        )
    status, taken = (200, range(size)) if span is None else (206, span)
    if span is not None:
        headers["Content-Range"] = f"bytes {span.start}-{span.stop - 1}/{size}"
    pieces = _cut(content(), taken) if content else _copied(stream, taken)
    return _response(pieces, headers, media_type, status, len(taken))


class Pieces(StreamingResponse):
    """A streamed body. A failure closes the connection, so that the client notices the missing rest."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        if scope["method"] != "HEAD":
            try:
                async for piece in self.body_iterator:
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
            except UNREADABLE:
                return
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def _response(
    pieces: Iterator[bytes],
    headers: dict[str, str],
    media_type: str,
    status: int = 200,
    size: int | None = None,
) -> Response:
    """Return a small response, or stream it with the first piece read now, so that read errors get their own
    status.
    """
    begin, length = [], 0
    for piece in pieces:
        begin.append(piece)
        length += len(piece)
        if length > _PIECE:
            length_header = {} if size is None else {"Content-Length": str(size)}
            return Pieces(chain(begin, pieces), status, {**headers, **length_header}, media_type)
    return Response(b"".join(begin), status, headers, media_type)


def _decoder(stored: Stored, codec: Codec) -> Callable[[], Iterator[bytes]]:
    limit = codec.max_stored_bytes(MAX_FILE_BYTES)
    with stored.open() as stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise ValueError("it is too large")
    return lambda: codec.decode_pieces(data, MAX_FILE_BYTES)


def _squeezed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    encoder = zlib.compressobj(1, wbits=31)
    for piece in pieces:
        yield encoder.compress(piece)
    yield encoder.flush()


def _cut(pieces: Iterable[bytes], span: range) -> Iterator[bytes]:
    """Yield the bytes of ``span`` within the pieces."""
    at = 0
    for piece in pieces:
        if at >= span.stop:
            return
        yield piece[max(span.start - at, 0) : span.stop - at]
        at += len(piece)


def _copied(stream: BinaryIO, span: range) -> Iterator[bytes]:
    with stream:
        stream.seek(span.start)
        missing = len(span)
        while missing:
            piece = stream.read(min(_PIECE, missing))
            if not piece:
                raise OSError("it was cut while it was read")
            missing -= len(piece)
            yield piece


def _must_decode(request: Request, codec: Codec) -> bool:
    accepted = accepted_encodings(request.headers.get("accept-encoding", ""))
    return codec.content_encoding is not None and codec.content_encoding not in accepted


def _media_type(path: str) -> str:
    ending = PurePosixPath(path.removesuffix(codec_of(path).suffix)).suffix
    if not ending:  # blobs: they are payloads, that is text for a person to read
        return "text/plain; charset=utf-8"
    media_type = _TYPES.get(ending) or mimetypes.guess_type("x" + ending)[0] or "application/octet-stream"
    return media_type + (
        "; charset=utf-8"
        if media_type.startswith("text/") or media_type in ("application/json", "application/jsonl")
        else ""
    )


def byte_range(header: str, size: int) -> range | None:
    """Return the bytes of a Range header: empty when out of range; None to send the whole (RFC 9110, 14.2).

    Several ranges, and absurdly long numbers, get the whole, as the RFC allows.
    """
    match = _ONE_RANGE.fullmatch(header.replace(" ", ""))
    if match is None or match[1] == match[2] == "":
        return None
    if match[1] == "":
        return range(max(size - int(match[2]), 0), size)
    first, last = int(match[1]), int(match[2] or size)
    if match[2] and last < first:
        return None
    return range(first, min(last + 1, size)) if first < size else range(0)


def _names(header: str, etag: str) -> bool:
    """Return whether an If-None-Match header has this tag."""
    return header.strip() == "*" or any(item.strip().removeprefix("W/") == etag for item in header.split(","))


def accepted_encodings(header: str) -> set[str]:
    """Return the content encodings that an Accept-Encoding header allows."""
    out = set()
    for item in header.split(","):
        name, _, parameters = item.strip().partition(";")
        quality = parameters.replace(" ", "").removeprefix("q=") if parameters else "1"
        if quality.strip("0.") or quality in ("1", "1.0"):
            out.add(name.strip().lower())
    return out
