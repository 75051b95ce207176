"""A plain web server without knowledge of bundles and codecs."""

import functools
import http.server
import threading
from contextlib import contextmanager
from typing import ClassVar


class _Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128  # with 5, some connections of a page retry only after a second


class _Quiet(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    extensions_map: ClassVar = {
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".zst": "application/octet-stream",
    }

    def do_GET(self):
        if (
            self.path == "/favicon.ico"
        ):  # browsers request it where a page has no icon, such as a directory listing
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()

    def log_message(self, *_):
        pass


@contextmanager
def plain_server(folder):
    """Yield the address of a server for this folder."""
    server = _Server(("127.0.0.1", 0), functools.partial(_Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
