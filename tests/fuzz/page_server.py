"""Serve the viewers, one bundle and its comparison with another one from memory.

Records the requests.
"""

import contextlib
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

from traces import ROOT

_TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".json": "application/json"}
_ENCODINGS = {".zst": "zstd", ".gz": "gzip"}


class PageServer:
    """The served files: ``files`` is the bundle, ``encoded`` whether responses name the codec, ``home`` the
    list of bundles.

    ``before`` is a bundle to compare with, ``comparison`` the document.
    """

    def __init__(self):
        self.address, self.files, self.encoded, self.home = "", {}, False, b"{}"
        self.before, self.comparison = {}, b""

    def answer(self, path):
        """Return (content, headers), or None for an unknown path."""
        if path == "/bundles.json":
            return self.home, {"Content-Type": "application/json"}
        if path.startswith("/viewers/"):
            file = ROOT / path[1:] if not path.endswith("/") else ROOT / path[1:] / "index.html"
            return (
                (file.read_bytes(), {"Content-Type": _TYPES.get(file.suffix, "application/octet-stream")})
                if file.is_file()
                else None
            )
        if path == "/comparison/comparison.json":
            return self.comparison, {"Content-Type": "application/json"}
        folders = {"/bundle/": self.files, "/comparison/new/": self.files, "/comparison/base/": self.before}
        content = next(
            (
                files.get(path.removeprefix(folder))
                for folder, files in folders.items()
                if path.startswith(folder)
            ),
            None,
        )
        if not isinstance(content, bytes):
            return None
        encoding = _ENCODINGS.get("." + path.rpartition(".")[2]) if self.encoded else None
        return content, {"Content-Encoding": encoding} if encoding else {}


class _Server(ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # a browser that was ended


@contextmanager
def page_server():
    """Yield a PageServer with an address."""
    site = PageServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            found = site.answer(unquote(urlsplit(self.path).path))
            content, headers = found or (b"", {})
            self.send_response(200 if found else 404)
            for name, value in {
                **headers,
                "Content-Length": str(len(content)),
                "Cache-Control": "no-store" if "/viewers/" not in self.path else "max-age=3600",
            }.items():
                self.send_header(name, value)
            self.end_headers()
            with contextlib.suppress(OSError):  # a page that is closed
                self.wfile.write(content)

        def log_message(self, *_):
            pass

    server = _Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    site.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()


def home(name, manifest):
    """Return a server's list entry of a bundle, from any manifest."""
    logs = manifest.get("logs") if isinstance(manifest, dict) else None
    row = {
        "name": name,
        "url": "bundle/",
        "log_count": 1,
        "ranks": [],
        "torch_versions": [],
        "compile_count": 0,
        "compile_time_us": 0,
        "statuses": {},
    }
    for log in logs if isinstance(logs, list) else ():
        if isinstance(log, dict):
            row |= {
                "torch_versions": [log.get("torch_version")],
                "compile_count": log.get("compile_count"),
                "compile_time_us": log.get("compile_time_us"),
                "statuses": log.get("statuses"),
            }
    viewers = [
        {"name": name, "url": f"viewers/{name}/", "title": name, "description": ""}
        for name in ("default", "multirank")
    ]
    return json.dumps({"bundles": [row], "viewers": viewers}).encode()
