"""The service worker of a site: with it a browser keeps the viewers and Python, and opens logs without a
network.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from tlparse_bundle.bundle.json_codec import dumps
from tlparse_bundle.serve.viewer_files import OPEN, viewers_folder

FILE = "sw.js"  # at the root of the site, whose pages it is for
_KEPT = {".css", ".html", ".js", ".json", ".mjs", ".svg", ".wasm", ".zip"}


def service_worker(site: Path) -> bytes:
    """Its text: that of the viewers, with the hashes of all that pages load from ``viewers/`` in its first
    line.
    """
    paths = sorted(path for path in (site / "viewers").rglob("*") if path.suffix in _KEPT and path.is_file())
    hashes = {
        path.relative_to(site).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths
    }
    template = (viewers_folder() / OPEN / "service-worker.js").read_bytes()
    return b"const FILES = " + dumps(hashes) + b";\n" + template.partition(b"\n")[2]
