"""A stored file as an HTTP response: encoding, range, condition."""

from __future__ import annotations

import gzip
import mimetypes
import re
from pathlib import PurePosixPath

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from tlparse_bundle.format.codecs import codec_of
from tlparse_bundle.serve.places import Stored

_TYPES = {".json": "application/json", ".js": "text/javascript", ".mjs": "text/javascript", ".log": "text/plain"}
SECURITY = {
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    # A payload opened in a tab of its own must not run; pages carry a stricter policy themselves.
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
}
FOREVER = "public, max-age=31536000, immutable"
REVALIDATE = "no-cache"
_ONE_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


def respond(request: Request, path: str, stored: Stored, cache_control: str) -> Response:
    """The file at ``path``, in the best encoding that the browser takes; ranges are of what that encoding gives.

    Raises OSError when the file cannot be read, and ValueError when it cannot be decoded.
    """
    codec = codec_of(path)
    ending = PurePosixPath(path.removesuffix(codec.suffix)).suffix
    accepted = accepted_encodings(request.headers.get("accept-encoding", ""))
    encoding = codec.content_encoding if codec.content_encoding in accepted else None
    wanted = request.headers.get("range")
    squeeze = encoding is None and codec.content_encoding and "gzip" in accepted and wanted is None
    etag = f'"{stored.tag}-{encoding or ("gzip" if squeeze else "id")}"'
    headers = {**SECURITY, "Cache-Control": cache_control, "ETag": etag, "Vary": "Accept-Encoding", "Accept-Ranges": "bytes"}
    if _names(request.headers.get("if-none-match", ""), etag):
        return Response(status_code=304, headers=headers)
    data = stored.read()
    if codec.content_encoding and encoding is None:
        data = codec.decode(data)
        if squeeze:
            data, encoding = gzip.compress(data, 1, mtime=0), "gzip"
    if encoding:
        headers["Content-Encoding"] = encoding
    status = 200
    if wanted is not None and request.headers.get("if-range", etag) == etag:
        span = byte_range(wanted, len(data))
        if span is not None and not span:
            return PlainTextResponse(f"The file has {len(data)} bytes.\n", 416, {**headers, "Content-Range": f"bytes */{len(data)}"})
        if span is not None:
            headers["Content-Range"] = f"bytes {span.start}-{span.stop - 1}/{len(data)}"
            data, status = data[span.start : span.stop], 206
    return Response(data, status, headers, media_type=_media_type(path, ending))


def _media_type(path: str, ending: str) -> str:
    if not ending:  # blobs: they are payloads, that is text for a person to read
        return "text/plain; charset=utf-8"
    media_type = _TYPES.get(ending) or mimetypes.guess_type("x" + ending)[0] or "application/octet-stream"
    return media_type + ("; charset=utf-8" if media_type.startswith("text/") or media_type == "application/json" else "")


def byte_range(header: str, size: int) -> range | None:
    """The bytes that a Range header asks for: empty when there are none; None to send the whole (RFC 9110, 14.2).

    Several ranges in one request are answered with the whole, which the RFC allows.
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
    """Whether an If-None-Match header names this tag."""
    return header.strip() == "*" or any(item.strip().removeprefix("W/") == etag for item in header.split(","))


def accepted_encodings(header: str) -> set[str]:
    """Content encodings that an Accept-Encoding header allows."""
    out = set()
    for item in header.split(","):
        name, _, parameters = item.strip().partition(";")
        quality = parameters.replace(" ", "").removeprefix("q=") if parameters else "1"
        if quality.strip("0.") or quality in ("1", "1.0"):
            out.add(name.strip().lower())
    return out
