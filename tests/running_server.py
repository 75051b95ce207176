"""Run our server with any application, in a thread."""

import threading
from contextlib import contextmanager

from tlparse_bundle.serve.http.connections import Limits, server_of
from tlparse_bundle.serve.http.server import listen

LIMITS = Limits(connections=200, at_once=64)


@contextmanager
def running(app, limits=LIMITS):
    """Yield the port of the server."""
    sock = listen(0)
    port = sock.getsockname()[1]
    server = server_of(app, limits)
    threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True).start()
    try:
        yield port
    finally:
        server.should_exit = server.force_exit = True
