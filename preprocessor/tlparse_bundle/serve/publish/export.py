"""One HTML file that holds viewers and a bundle, or a part of it, and opens from disk.

The files of the bundle are elements with their bytes in base64, as ``viewers/lib/bundle/source.js`` reads
them.
"""

from __future__ import annotations

import base64
import gzip
import html
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle import layout
from tlparse_bundle.bundle.codecs import codec_of
from tlparse_bundle.bundle.json_codec import dumps
from tlparse_bundle.bundle.manifest import rank_paths
from tlparse_bundle.bundle.reader import Bundle
from tlparse_bundle.serve.publish.one_page import END, head
from tlparse_bundle.serve.viewer_files import LIB, viewers_folder
from tlparse_bundle.serve.viewer_needs import fitting

VIEWERS = ("default", "multirank", "provenance", "vllm")  # of the package, the first being the one that opens
COMPARISON_VIEWER = "compare"
COMPARISON = "comparison.json"
COMPARISON_PAGE = "comparison.html"
MAX_BYTES = 100_000_000


def viewers_of(bundle: Bundle, first: str = VIEWERS[0]) -> list[Path]:
    """The viewers of the package that have something to show of the bundle; ``first`` first, if it is one of
    them.
    """
    names = sorted(fitting(VIEWERS, bundle.manifest), key=lambda name: name != first)
    return [viewers_folder() / name for name in names]


def export(
    bundle: Bundle, viewers: Path | Sequence[Path], compiles: Sequence[str] = (), max_bytes: int = MAX_BYTES
) -> list[bytes]:
    """The page, in pieces: all tables, and the payloads of these compiles (keys such as '0/1'), or of all.

    ``viewers`` is one, or several of the package: the first opens, links lead to the others.

    Raises BundleError when no log has one of the compiles, and when the page would be larger than
    ``max_bytes``.
    """
    kept = _payloads(bundle, compiles) if compiles else None
    blobs = {path: log for log in bundle.logs for path in log.blobs if not log.is_left_out(path)}
    paths = [*_tables(bundle), *(kept or blobs)]
    pieces = [*head([viewers] if isinstance(viewers, Path) else viewers, compiles)]
    size = sum(map(len, pieces))
    for number, path in enumerate(paths, 1):
        if path in blobs:
            blobs[path].blob(path)  # raises BundleError when it is not what the table says
        pieces.append(_element(path, *_embedded(bundle, path, kept.get(path) if kept else None)))
        size += len(pieces[-1])
        if size > max_bytes:
            held = f"with {number} of {len(paths)} files it has {size / 1e6:.1f} MB already"
            hint = (
                "Choose some with --compile, raise --max-mb, or write a site: tlparse-bundle site. Browsers"
                " open no page of more than a few hundred MB."
            )
            raise BundleError(
                f"the page would be larger than {max_bytes / 1e6:g} MB: {held}", hint=hint, code="too-large"
            )
    pieces.append(END)
    return pieces


def export_comparison(document: dict, sides: Mapping[str, Bundle], max_bytes: int = MAX_BYTES) -> list[bytes]:
    """The page of a comparison, in pieces: the document, and all of the bundles of both sides, each in a
    folder with the name of its side.

    Raises BundleError for a blob that is damaged, and when the page would be larger than ``max_bytes``.
    """
    names = dict.fromkeys(name for bundle in sides.values() for name in fitting(VIEWERS, bundle.manifest))
    pieces = [*head([viewers_folder() / name for name in (COMPARISON_VIEWER, *names)], ())]
    pieces.append(_element(COMPARISON, "gzip", gzip.compress(dumps(document), 9, mtime=0)))
    size = sum(map(len, pieces))
    for side, bundle in sides.items():
        blobs = {path: log for log in bundle.logs for path in log.blobs if not log.is_left_out(path)}
        for path in (*_tables(bundle), *blobs):
            if path in blobs:
                blobs[path].blob(path)  # raises BundleError when it is not what the table says
            pieces.append(_element(f"{side}/{path}", *_embedded(bundle, path, None)))
            size += len(pieces[-1])
            if size > max_bytes:
                hint = (
                    "The folder that 'compare --out DIR' writes can lie on any web server. Browsers open no"
                    " page of more than a few hundred MB."
                )
                raise BundleError(
                    f"the page would be larger than {max_bytes / 1e6:g} MB", hint=hint, code="too-large"
                )
    pieces.append(END)
    return pieces


def _element(path: str, kind: str, data: bytes) -> bytes:
    return (
        f'<script type="application/{kind}" data-file="{html.escape(path)}">'.encode()
        + base64.b64encode(data)
        + b"</script>\n"
    )


def _embedded(bundle: Bundle, path: str, parts: Sequence[slice] | None) -> tuple[str, bytes]:
    """How a file lies in the page: as it is stored, if the page can decode that, else gzip."""
    codec = codec_of(path)
    stored = codec.name != "none" and (
        codec.name != "zstd" or (viewers_folder() / LIB / "vendor" / "fzstd.js").exists()
    )
    if stored and parts is None:
        return "octet-stream", bundle.raw(path)
    content = bundle.read(path) if parts is None else _only(bundle.read(path), parts)
    return ("octet-stream", codec.encode(content)) if stored else ("gzip", gzip.compress(content, 9, mtime=0))


def _tables(bundle: Bundle) -> Iterator[str]:
    """The files that viewers read, without the blobs."""
    yield layout.MANIFEST
    yield from rank_paths(bundle.manifest)
    for log in bundle.logs:
        yield log.row["path"]
        yield from (file["path"] for entry in log.directory["tables"].values() for file in entry["files"])


def _payloads(bundle: Bundle, compiles: Sequence[str]) -> dict[str, list[slice]]:
    """Where the artifacts of the compiles lie: parts of blobs, by path.

    Blobs hold payloads of other compiles too.
    """
    known = {compile.key for log in bundle.logs for compile in log.compiles} | {
        artifact.compile for log in bundle.logs for artifact in log.artifacts
    }
    for key in compiles:
        if key not in known:
            raise BundleError(
                f"no log has a compile {key!r}", hint="tlparse-bundle info lists them.", code="not-found"
            )
    found: dict[str, list[slice]] = {}
    for log in bundle.logs:
        for artifact in log.artifacts:
            blob, offset = artifact.row["blob"], artifact.row["offset"]
            if blob is not None and not artifact.is_left_out and artifact.row["compile"] in compiles:
                found.setdefault(blob, []).append(slice(offset, offset + artifact.size_bytes))
    return found


def _only(content: bytes, parts: Sequence[slice]) -> bytes:
    """The content with zeros for all but the parts; the page takes zeros for a payload that was left out."""
    out = bytearray(len(content))
    for part in parts:
        out[part] = content[part]
    return bytes(out)
