"""One HTML file that holds a viewer and a bundle, or a part of it, and opens from disk.

Browsers fetch no modules from file://, so a short script makes an object URL of each module and imports the
last. The files of the bundle are elements with their bytes in base64, as ``viewers/lib/bundle/source.js`` reads them.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tlparse_bundle.errors import BundleError
from tlparse_bundle.format import layout
from tlparse_bundle.format.codecs import codec_of
from tlparse_bundle.format.json_codec import dumps
from tlparse_bundle.read.reader import Bundle
from tlparse_bundle.serve.modules import modules
from tlparse_bundle.serve.viewer_files import LIB, viewers_folder

# Workers are classic ones, which start from file:// and can import what they made themselves; messages wait for that.
_BOOT = """
const link = (modules, workers) => {
  const urls = new Map();
  const url = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  for (const [name, text] of modules) {
    const address = (_, kind, target) => JSON.stringify(kind === "module" ? urls.get(target) : workers ? url(workers(target)) : "");
    const code = text.replace(/"@(module|worker):([^"]+)"/g, address);
    urls.set(name, url(`${code}\n//# sourceURL=${name}`));
  }
  return [...urls.values()].at(-1);
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
import(link(all.modules, worker));
"""
_STYLE = re.compile(r'[ \t]*<link rel="stylesheet"(?: media="([^"]*)")? href="([^"]+)" />\n')
_SCRIPT = re.compile(r'[ \t]*<script type="module" src="([^"]+)"></script>\n')
_POLICY = re.compile(r'<meta\s+http-equiv="Content-Security-Policy"\s+content="[^"]*"\s*/>')
_PRELOAD = re.compile(r'[ \t]*<link rel="modulepreload"[^>]*>\n')


def export(bundle: Bundle, viewer: Path, compiles: Sequence[str] = (), max_bytes: int = 100_000_000) -> list[bytes]:
    """The page, in pieces: all tables, and the payloads of these compiles (keys such as '0/1'), or of all.

    Raises BundleError when no log has one of the compiles, and when the page would be larger than ``max_bytes``.
    """
    kept = _payloads(bundle, compiles) if compiles else None
    blobs = {log.blob_path(row): (log, row) for log in bundle.logs for row in range(len(log.blobs["sha256"]))}
    paths = [*_tables(bundle), *(kept or blobs)]
    pieces = [*_head(viewer, compiles)]
    size = sum(map(len, pieces))
    for number, path in enumerate(paths, 1):
        if path in blobs:
            log, row = blobs[path]
            log.blob(row)  # raises BundleError when it is not what the table says
        kind, data = _embedded(bundle, path, kept.get(path) if kept else None)
        pieces.append(
            f'<script type="application/{kind}" data-file="{html.escape(path)}">'.encode() + base64.b64encode(data) + b"</script>\n"
        )
        size += len(pieces[-1])
        if size > max_bytes:
            held = f"with {number} of {len(paths)} files it has {size / 1e6:.1f} MB already"
            hint = "Choose some with --compile, raise --max-mb, or write a site: tlparse-bundle site. Browsers open no page of more than a few hundred MB."
            raise BundleError(f"the page would be larger than {max_bytes / 1e6:g} MB: {held}", hint=hint, code="too-large")
    pieces.append(f"<script>{_BOOT}</script>\n</body>\n</html>\n".encode())
    return pieces


def _embedded(bundle: Bundle, path: str, parts: Sequence[slice] | None) -> tuple[str, bytes]:
    """How a file lies in the page: as it is stored, if the page can decode that, else gzip."""
    codec = codec_of(path)
    stored = codec.name != "none" and (codec.name != "zstd" or (viewers_folder() / LIB / "vendor" / "fzstd.js").exists())
    if stored and parts is None:
        return "octet-stream", bundle.raw(path)
    content = bundle.read(path) if parts is None else _only(bundle.read(path), parts)
    return ("octet-stream", codec.encode(content)) if stored else ("gzip", gzip.compress(content, 9, mtime=0))


def _tables(bundle: Bundle) -> Iterator[str]:
    """The files that viewers read, without the blobs."""
    yield layout.MANIFEST
    yield from bundle.manifest.get("ranks", {}).values()
    for log in bundle.logs:
        yield log.row["path"]
        yield from log.directory["tables"].values()
        yield from (chunk["path"] for name in ("events", "metadata") for chunk in log.directory[name])


def _payloads(bundle: Bundle, compiles: Sequence[str]) -> dict[str, list[slice]]:
    """Where the artifacts of the compiles lie: parts of blobs, by path. Blobs hold payloads of other compiles too."""
    known = {compile.key for log in bundle.logs for compile in log.compiles}
    for key in compiles:
        if key not in known:
            raise BundleError(f"no log has a compile {key!r}", hint="tlparse-bundle info lists them.", code="not-found")
    found: dict[str, list[slice]] = {}
    for log in bundle.logs:
        for artifact in log.artifacts:
            row, offset = artifact.row["blob_index"], artifact.row["blob_offset"]
            if row >= 0 and log.compiles[artifact.compile_index].key in compiles:
                found.setdefault(log.blob_path(row), []).append(slice(offset, offset + artifact.size_bytes))
    return found


def _only(content: bytes, parts: Sequence[slice]) -> bytes:
    """The content with zeros for all but the parts; the page takes zeros for a payload that was left out."""
    out = bytearray(len(content))
    for part in parts:
        out[part] = content[part]
    return bytes(out)


def _head(viewer: Path, compiles: Sequence[str]) -> Iterator[bytes]:
    """The viewer's page up to where the files of the bundle go: its styles and modules inside."""
    entry, root, source = _entry(viewer)
    styles: list[str] = []

    def style(match: re.Match) -> str:
        styles.append((viewer / match[2]).read_text(encoding="utf-8"))
        media = f' media="{match[1]}"' if match[1] else ""
        return f"    <style{media}>{styles[-1]}</style>\n"

    source = _STYLE.sub(style, _PRELOAD.sub("", _SCRIPT.sub("", source)))
    policy = (
        f"default-src 'none'; script-src {_hash(_BOOT)} blob:; worker-src blob:; style-src {' '.join(map(_hash, styles))}; "
        "img-src data:; connect-src 'none'; base-uri 'none'; form-action 'none'"
    )
    source = _POLICY.sub(f'<meta http-equiv="Content-Security-Policy" content="{policy}" />', source)
    source = source.replace("<body>", f'<body data-compiles="{html.escape(", ".join(compiles))}">' if compiles else "<body>")
    yield source.split("</body>")[0].encode()
    listing = dumps(modules(entry, root)._asdict()).replace(b"<", b"\\u003c")
    yield b'<script type="application/json" id="modules">' + listing + b"</script>\n"


def _entry(viewer: Path) -> tuple[Path, Path, str]:
    """(first module, folder that holds all modules, text of index.html) of a viewer without a build."""
    source = (viewer / "index.html").read_text(encoding="utf-8")
    script = _SCRIPT.search(source)
    if script is None or not _POLICY.search(source):
        raise BundleError(
            f"{viewer} cannot be exported: its index.html has no module or no policy of the form that ours have", code="export"
        )
    packaged = viewers_folder()
    return viewer / script[1], packaged if viewer.is_relative_to(packaged) else viewer, source


def _hash(text: str) -> str:
    """How a policy allows an inline script or style with this text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
