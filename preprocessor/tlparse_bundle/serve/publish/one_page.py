"""The page that an exported file is, without the bundle in it: viewers of the package or one of one's own,
with all that they need.

Browsers fetch no modules from file://, so a short script makes an object URL of each module and imports that
of the viewer which the address names: ``?viewer=``, else the first.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.json_codec import dumps
from tlparse_bundle.serve.viewer_files import viewers_folder
from tlparse_bundle.serve.viewer_modules import modules

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
"""
END = f"<script>{_BOOT}</script>\n</body>\n</html>\n".encode()
_STYLE = re.compile(r'[ \t]*<link rel="stylesheet"(?: media="([^"]*)")? href="([^"]+)" />\n')
_SCRIPT = re.compile(r'[ \t]*<script type="module" src="([^"]+)"></script>\n')
_POLICY = re.compile(r'<meta\s+http-equiv="Content-Security-Policy"\s+content="[^"]*"\s*/>')
_ELSEWHERE = {
    "choose-bundle.js",
    "stored.js",
    "stored-files.js",
}  # they open bundles that are not in the page
_ICON = re.compile(r'<link rel="icon" href="([^":]+\.svg)" />')
_PRELOAD = re.compile(r'[ \t]*<link rel="modulepreload"[^>]*>\n')


class _Viewer(NamedTuple):
    name: str
    folder: Path
    page: str  # its index.html
    entry: Path  # its first module


def head(folders: Sequence[Path], compiles: Sequence[str]) -> Iterator[bytes]:
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
    found = modules(viewers[0].entry, root, *(viewer.entry for viewer in viewers[1:]), without=_ELSEWHERE)
    entries = {viewer.name: viewer.entry.relative_to(root).as_posix() for viewer in viewers}
    listing = dumps(found._asdict() | {"entries": entries}).replace(b"<", b"\\u003c")
    yield b'<script type="application/json" id="modules">' + listing + b"</script>\n"


class _Styles(NamedTuple):
    elements: str
    texts: list[str]


def _styles(viewers: Sequence[_Viewer]) -> _Styles:
    """Each style once, with the viewers that have it, in an order that each of them has."""
    of: dict[tuple[Path, str], list[str]] = {}
    for viewer in viewers:
        for media, path in _STYLE.findall(viewer.page):
            of.setdefault(((viewer.folder / path).resolve(), media), []).append(viewer.name)
    texts = [path.read_text(encoding="utf-8") for path, _ in of]
    elements = []
    for ((_, media), names), text in zip(of.items(), texts):
        attribute = f' media="{media}"' if media else ""
        elements.append(f'    <style{attribute} data-viewers="{" ".join(names)}">{text}</style>\n')
    return _Styles("".join(elements), texts)


def _viewer(folder: Path) -> _Viewer:
    """A viewer without a build."""
    page = (folder / "index.html").read_text(encoding="utf-8")
    script = _SCRIPT.search(page)
    if script is None or not _POLICY.search(page):
        raise BundleError(
            f"{folder} cannot be exported: its index.html has no module or no policy of the form that ours"
            " have",
            code="export",
        )
    return _Viewer(re.sub(r"[^A-Za-z0-9._-]", "_", folder.name), folder, page, folder / script[1])


def _data_address(image: Path) -> str:
    """The image in an address; an empty one where it is missing, since a viewer works without its icon."""
    return (
        f"data:image/svg+xml;base64,{base64.b64encode(image.read_bytes()).decode()}"
        if image.is_file()
        else "data:,"
    )


def _hash(text: str) -> str:
    """How a policy allows an inline script or style with this text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
