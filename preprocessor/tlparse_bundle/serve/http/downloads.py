"""Downloads of whole bundles: an HTML file, a zip, or the preview of a redaction."""

from __future__ import annotations

import re
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import IO
from urllib.parse import quote

from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.terminal_text import plain
from tlparse_bundle.bundle.json_codec import dumps_indented
from tlparse_bundle.bundle.layout import LIVE, MANIFEST
from tlparse_bundle.bundle.reader import Bundle, named_files
from tlparse_bundle.redact.policy import VENDOR, Policy, policy
from tlparse_bundle.serve.bundle_places import LocalPlace, Place
from tlparse_bundle.serve.http.access import is_of_another_site
from tlparse_bundle.serve.http.responses import UNREADABLE, Pieces
from tlparse_bundle.serve.publish.export import MAX_BYTES, export, viewers_of

# Header of a manifest response that lists the downloads that a page can offer.
SHARE = {"Tlparse-Bundle-Share": "html, zip, redact"}
KINDS = (".html", ".zip", ".preview")  # the last: what would go and stay, as text
PAGE_TYPE = "text/html; charset=utf-8"
REDACTED = "redacted"  # the name of what a preset leaves: that of the bundle may tell something
_PIECE = 1 << 20
_IN_MEMORY = 32 << 20
_AT_ONCE = 2  # files that are made at a time: each takes memory
_NOT_READ = "The bundle could not be read. For details, run: tlparse-bundle validate BUNDLE\n"


class Downloads:
    """Serves whole bundles. ``own`` are viewers beside those of the package, by name."""

    def __init__(self, own: Mapping[str, Path]):
        self._own = own
        self._limit = CapacityLimiter(_AT_ONCE)

    async def answer(self, request: Request, name: str, kind: str, place: Place, folder: str) -> Response:
        """Answer with the bundle of a name, in a folder of a place. Pages of other sites cannot trigger this
        work.
        """
        if is_of_another_site(request.headers):
            return PlainTextResponse("Only pages of this server can request this.\n", 403)
        try:
            chosen = _chosen_policy(request.query_params)
        except BundleError as error:
            return PlainTextResponse(f"{error.message}\n{error.hint}\n", 400)
        if chosen is None and kind == ".preview":
            chosen = policy()
        name = name if chosen is None else REDACTED
        headers = {"Content-Disposition": attachment(name, kind)}
        media_type = {".zip": "application/zip", ".html": PAGE_TYPE}.get(kind, "text/plain; charset=utf-8")
        if request.method == "HEAD":
            return Response(status_code=200, headers=headers, media_type=media_type)
        viewer = request.query_params.get("viewer", "")
        if kind == ".preview" and chosen is not None:
            make = partial(_preview, chosen, place, folder)
        else:
            write = _zip if kind == ".zip" else self._page
            make = partial(_perhaps_redacted, write, name, place, folder, viewer, chosen)
        try:
            pieces = await to_thread.run_sync(make, limiter=self._limit, abandon_on_cancel=True)
        except BundleError as error:
            text = (
                f"{error.message}\n{error.hint}\n"
                if error.code in ("too-large", "export", "redacted", "growing")
                else _NOT_READ
            )
            return PlainTextResponse(text, 413 if error.code == "too-large" else 500)
        except UNREADABLE:
            return PlainTextResponse(_NOT_READ, 500)
        return Pieces(pieces, 200, headers, media_type)

    def _page(self, name: str, place: Place, folder: str, viewer: str) -> Iterator[bytes]:
        bundle = Bundle.open(place.location(folder))
        viewers = [self._own[viewer]] if viewer in self._own else viewers_of(bundle, viewer)
        return iter(export(bundle, viewers, max_bytes=MAX_BYTES))


def _perhaps_redacted(
    make: Callable[[str, Place, str, str], Iterator[bytes]],
    name: str,
    place: Place,
    folder: str,
    viewer: str,
    chosen: Policy | None,
) -> Iterator[bytes]:
    """Return the output of ``make`` for a bundle, or for its copy redacted with the policy ``chosen``."""
    if chosen is None:
        return make(name, place, folder, viewer)
    from tlparse_bundle.redact.redact import redacted_folder  # with all that builds a bundle

    sink = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - _read closes it, when it was sent
    with redacted_folder(Bundle.open(place.location(folder)), chosen) as redacted:
        sink.writelines(make(name, LocalPlace(redacted.folder), "", viewer))
    sink.seek(0)
    return _read(sink)


def _chosen_policy(query: Mapping[str, str]) -> Policy | None:
    """Return the requested policy, from a preset or a comma-separated list to drop; None without both. Raise
    BundleError for unknown words.

    With a list, the content that it does not name is kept.
    """
    preset, drop = query.get("preset"), query.get("drop")
    if drop is None:
        return None if preset is None else policy(preset)
    gone = {*filter(None, drop.split(","))}
    return policy(preset or VENDOR, keep={"payloads", "source", "metadata"} - gone, drop=gone)


def _preview(chosen: Policy, place: Place, folder: str) -> Iterator[bytes]:
    from tlparse_bundle.redact.preview import preview

    return iter(
        [
            plain("\n".join(preview(Bundle.open(place.location(folder)), chosen)) + "\n").encode(
                "utf-8", "replace"
            )
        ]
    )


def _read(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while piece := file.read(_PIECE):
            yield piece


def _zip(name: str, place: Place, folder: str, _viewer: str) -> Iterator[bytes]:
    top = _file_name(name)
    manifest, paths = _one_state(place, folder)
    sink = _Sink()

    def pieces() -> Iterator[bytes]:
        with zipfile.ZipFile(sink, "w") as archive:  # stored: the files are compressed already
            if manifest is not None:
                archive.writestr(f"{top}/{MANIFEST}", manifest)
            for path in paths:
                stored = place.file(path, folder)
                if stored is None:
                    raise OSError(f"{path} is not there any more")
                info = zipfile.ZipInfo(
                    f"{top}/{path}", time.gmtime(max(stored.modified or 0, 315_532_800))[:6]
                )
                info.external_attr = 0o600 << 16
                with stored.open() as source, archive.open(info, "w", force_zip64=True) as target:
                    while piece := source.read(_PIECE):
                        target.write(piece)
                        yield sink.take()
        yield sink.take()

    return pieces()


def _one_state(place: Place, folder: str) -> tuple[bytes | None, list[str]]:
    """Return the files of a bundle, of a growing one with the current manifest; files of a state stay for a
    while.
    """
    bundle = Bundle.open(place.location(folder))
    if not bundle.manifest.get("growing"):
        return None, place.files(folder)
    named = {*named_files(bundle)} - {MANIFEST}
    there = [path for path in place.files(folder) if path in named]
    if len(there) < len(named):
        raise OSError("the bundle has grown meanwhile")
    first_gone_first = sorted(there, key=lambda path: not path.startswith(f"{LIVE}/"))
    return dumps_indented(bundle.manifest), first_gone_first


class _Sink:
    """A file that holds data since the last ``take``. A zip never seeks in it."""

    def __init__(self) -> None:
        self._held: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._held.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass

    def take(self) -> bytes:
        held, self._held = b"".join(self._held), []
        return held


def _file_name(name: str) -> str:
    """Return the last part of a bundle's name as a portable file name."""
    return re.sub(r"[^\w.-]", "_", name.rpartition("/")[2]).lstrip(".") or "bundle"


def attachment(name: str, kind: str) -> str:
    """Return the header with the file name of a download, from the bundle's name."""
    full = _file_name(name) + kind
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", full)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(full, safe='')}"
