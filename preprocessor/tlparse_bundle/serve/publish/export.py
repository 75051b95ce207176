"""One HTML file that opens from disk: viewers of the package or one of one's own, with all that they need,
and a bundle or a part of it.

The files of the bundle are elements with their bytes in base64, as ``viewers/lib/bundle/source.js`` reads
them. Browsers fetch no modules from file://, so a short script makes an object URL of each module and imports
that of the viewer which the address names: ``?viewer=``, else the first.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle import layout
from tlparse_bundle.bundle.codecs import codec_of
from tlparse_bundle.bundle.json_codec import dumps
from tlparse_bundle.bundle.manifest import rank_paths
from tlparse_bundle.bundle.reader import Bundle
from tlparse_bundle.serve.viewers import LIB, fitting, modules, viewers_folder

VIEWERS = ("default", "multirank", "provenance", "vllm")  # of the package, the first being the one that opens
COMPARISON_VIEWER = "compare"
COMPARISON = "comparison.json"
COMPARISON_PAGE = "comparison.html"
MAX_BYTES = 100_000_000

# Workers are classic ones, which start from file:// and can import what they made themselves; messages wait
# for that.
_BOOT = """
const link = (modules, workers, wanted) => {
  const urls = new Map();
  const url = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  for (const [name, text] of modules) {
    const address = (_, kind, target) => JSON.stringify(kind === "module" ? urls.get(target) : workers ? url(workers(target)) : "");
    const code = text.replace(/"@(module|worker):([^"]+)"/g, address);
    urls.set(name, url(`${code}\\n//# sourceURL=${name}`));
  }
  return urls.get(wanted) ?? [...urls.values()].at(-1);
};
const all = JSON.parse(document.getElementById("modules").textContent);
const worker = (name) => `const early = [];
Worker = undefined; // those of a worker would need modules again; what it would give to them it does itself
onmessage = (event) => early.push(event);
import((${link})(${JSON.stringify(all.workers[name])})).then(() => early.forEach((event) => onmessage(event)), (error) => setTimeout(() => { throw error; }));`;
globalThis.Worker = class extends Worker {
  constructor(url) {
    super(url);
  }
};
const viewers = Object.keys(all.entries);
const asked = new URLSearchParams(location.search).get("viewer");
const viewer = viewers.includes(asked) ? asked : viewers[0];
for (const style of document.querySelectorAll("style[data-viewers]")) if (!style.dataset.viewers.split(" ").includes(viewer)) style.remove();
import(link(all.modules, worker, all.entries[viewer]));
"""  # noqa: E501 - JavaScript, whose hash the page names
END = f"<script>{_BOOT}</script>\n</body>\n</html>\n".encode()
_STYLE = re.compile(r'[ \t]*<link rel="stylesheet"(?: media="([^"]*)")? href="([^"]+)" />\n')
_SCRIPT = re.compile(r'[ \t]*<script type="module" src="([^"]+)"></script>\n')
_POLICY = re.compile(r'<meta\s+http-equiv="Content-Security-Policy"\s+content="[^"]*"\s*/>')
# These open bundles that are not in the page.
_ELSEWHERE = {"choose-bundle.js", "stored.js", "stored-files.js"}
_ICON = re.compile(r'<link rel="icon" href="([^":]+\.svg)" />')
_PRELOAD = re.compile(r'[ \t]*<link rel="modulepreload"[^>]*>\n')


def viewers_of(bundle: Bundle, first: str = VIEWERS[0]) -> list[Path]:
    """Return the package's viewers that can show the bundle; ``first`` first, if it is one."""
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
    pieces = [*_head([viewers] if isinstance(viewers, Path) else viewers, compiles)]
    size = sum(map(len, pieces))
    for number, path in enumerate(paths, 1):
        if path in blobs:
            blobs[path].blob(path)  # raises BundleError when it is not what the table says
        pieces.append(_element(path, *_embedded(bundle, path, kept.get(path) if kept else None)))
        size += len(pieces[-1])
        if size > max_bytes:
            held = f"with {number} of {len(paths)} files it has {size / 1e6:.1f} MB already"
            hint = (
                "Select compiles with --compile, raise --max-mb, or use tlparse-bundle site. Browsers cannot"
                " open a page of more than a few hundred MB."
            )
            raise BundleError(
                f"the page would be larger than {max_bytes / 1e6:g} MB: {held}", hint=hint, code="too-large"
            )
    pieces.append(END)
    return pieces


def export_comparison(
    document: Mapping[str, Any], sides: Mapping[str, Bundle], max_bytes: int = MAX_BYTES
) -> list[bytes]:
    """The page of a comparison, in pieces: the document, and all of the bundles of both sides, each in a
    folder with the name of its side.

    Raises BundleError for a blob that is damaged, and when the page would be larger than ``max_bytes``.
    """
    names = dict.fromkeys(name for bundle in sides.values() for name in fitting(VIEWERS, bundle.manifest))
    pieces = [*_head([viewers_folder() / name for name in (COMPARISON_VIEWER, *names)], ())]
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
                    "Use 'compare --out DIR' and put DIR on any web server. Browsers cannot open a page of"
                    " more than a few hundred MB."
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
    """Return a file as embedded in the page: as stored if the page can decode that, else gzip."""
    codec = codec_of(path)
    stored = codec.name != "none" and (
        codec.name != "zstd" or (viewers_folder() / LIB / "vendor" / "fzstd.js").exists()
    )
    if stored and parts is None:
        return "octet-stream", bundle.raw(path)
    content = bundle.read(path) if parts is None else _only(bundle.read(path), parts)
    return ("octet-stream", codec.encode(content)) if stored else ("gzip", gzip.compress(content, 9, mtime=0))


def _tables(bundle: Bundle) -> Iterator[str]:
    """Yield the files that viewers read, except blobs."""
    yield layout.MANIFEST
    yield from rank_paths(bundle.manifest)
    for log in bundle.logs:
        yield log.row["path"]
        yield from (file["path"] for entry in log.directory["tables"].values() for file in entry["files"])


def _payloads(bundle: Bundle, compiles: Sequence[str]) -> dict[str, list[slice]]:
    """Return the parts of blobs with artifacts of the compiles, by path. Blobs also hold other payloads."""
    keys = {compile.key for log in bundle.logs for compile in log.compiles} | {
        artifact.compile for log in bundle.logs for artifact in log.artifacts
    }
    for key in compiles:
        if key not in keys:
            raise BundleError(
                f"no log has a compile {key!r}",
                hint="To list the compiles: tlparse-bundle info BUNDLE",
                code="not-found",
            )
    parts: dict[str, list[slice]] = {}
    for log in bundle.logs:
        for artifact in log.artifacts:
            blob, offset = artifact.row["blob"], artifact.row["offset"]
            if (
                blob is not None
                and offset is not None
                and not artifact.is_left_out
                and artifact.row["compile"] in compiles
            ):
                parts.setdefault(blob, []).append(slice(offset, offset + artifact.size_bytes))
    return parts


def _only(content: bytes, parts: Sequence[slice]) -> bytes:
    """Return the content with zeros outside the parts; the page treats zeros as left out."""
    out = bytearray(len(content))
    for part in parts:
        out[part] = content[part]
    return bytes(out)


class _Viewer(NamedTuple):
    name: str
    folder: Path
    page: str  # its index.html
    entry: Path  # its first module


def _head(folders: Sequence[Path], compiles: Sequence[str]) -> Iterator[bytes]:
    """The page up to where the files of the bundle go. Raises BundleError for a viewer that cannot be
    exported.

    Several viewers are all of the package; the first is shown when the address names none.
    """
    packaged = viewers_folder()
    viewers = [_viewer(Path(folder).resolve()) for folder in folders]
    root = (
        packaged if all(viewer.folder.is_relative_to(packaged) for viewer in viewers) else viewers[0].folder
    )
    styles = _styles(viewers)
    policy = (
        f"default-src 'none'; script-src {_hash(_BOOT)} blob:; worker-src blob:; style-src"
        f" {' '.join(_hash(text) for text in styles.texts)}; img-src data:; connect-src 'none'; base-uri"
        " 'none'; form-action 'none'"
    )
    page = _PRELOAD.sub("", _SCRIPT.sub("", _STYLE.sub("", viewers[0].page)))
    page = _ICON.sub(
        lambda link: f'<link rel="icon" href="{_data_address(viewers[0].folder / link[1])}" />', page
    )
    page = _POLICY.sub(f'<meta http-equiv="Content-Security-Policy" content="{policy}" />', page)
    page = page.replace("</head>", f"{styles.elements}  </head>", 1)
    held = f' data-compiles="{html.escape(", ".join(compiles))}"' if compiles else ""
    page = page.replace(
        "<body>", f'<body data-viewers="{" ".join(viewer.name for viewer in viewers)}"{held}>', 1
    )
    yield page.split("</body>")[0].encode()
    scripts = modules(viewers[0].entry, root, *(viewer.entry for viewer in viewers[1:]), without=_ELSEWHERE)
    entries = {viewer.name: viewer.entry.relative_to(root).as_posix() for viewer in viewers}
    listing = dumps(scripts._asdict() | {"entries": entries}).replace(b"<", b"\\u003c")
    yield b'<script type="application/json" id="modules">' + listing + b"</script>\n"


class _Styles(NamedTuple):
    elements: str
    texts: list[str]


def _styles(viewers: Sequence[_Viewer]) -> _Styles:
    """Return each style once with its viewers, in an order that suits all viewers."""
    of: dict[tuple[Path, str], list[str]] = {}
    for viewer in viewers:
        for media, path in _STYLE.findall(viewer.page):
            of.setdefault(((viewer.folder / path).resolve(), media), []).append(viewer.name)
    texts = [path.read_text(encoding="utf-8") for path, _ in of]
    elements = []
    for ((_, media), names), text in zip(of.items(), texts, strict=True):
        attribute = f' media="{media}"' if media else ""
        elements.append(f'    <style{attribute} data-viewers="{" ".join(names)}">{text}</style>\n')
    return _Styles("".join(elements), texts)


def _viewer(folder: Path) -> _Viewer:
    """Return a viewer that needs no build."""
    page = (folder / "index.html").read_text(encoding="utf-8")
    script = _SCRIPT.search(page)
    if script is None or not _POLICY.search(page):
        raise BundleError(
            f"'{folder}' cannot be exported: its index.html has no module script or no content security"
            " policy like that of the built-in viewers",
            code="export",
        )
    return _Viewer(re.sub(r"[^A-Za-z0-9._-]", "_", folder.name), folder, page, folder / script[1])


def _data_address(image: Path) -> str:
    """Return the image as a data URL; empty when missing, since a viewer works without its icon."""
    return (
        f"data:image/svg+xml;base64,{base64.b64encode(image.read_bytes()).decode()}"
        if image.is_file()
        else "data:,"
    )


def _hash(text: str) -> str:
    """Return the CSP hash that allows an inline script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
