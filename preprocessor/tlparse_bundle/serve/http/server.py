"""Runs the application on the loopback interface."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.serve.catalogue import url_names
from tlparse_bundle.serve.http.access import new_token

LOOPBACK = "127.0.0.1"
DEFAULT_PORT = 8637  # so that saved links live; unassigned in IANA's registry
_NEXT = 20  # ports that are tried


def listen(port: int | None = None) -> socket.socket:
    """Return a listening loopback socket: at the given port (0 for any), or at the default port or the next
    free one.

    Raises BundleError when the given port is taken.
    """
    if port is not None:
        return _listen(port)
    for candidate in range(DEFAULT_PORT, DEFAULT_PORT + _NEXT):
        try:
            return _listen(candidate)
        except BundleError:
            continue
    return _listen(0)


def _listen(port: int) -> socket.socket:
    # With the protocol named, asyncio sets TCP_NODELAY on what it accepts; without it every answer waits 40
    # ms for an ACK.
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((LOOPBACK, port))
        sock.listen(128)
    except OSError as error:
        sock.close()
        if error.errno == errno.EADDRINUSE:
            raise BundleError(
                f"port {port} is taken",
                hint="Pass a different --port, or leave it out to use a free one.",
                code="port-taken",
            ) from None
        raise BundleError(f"cannot listen on port {port}: {error.strerror}", code="port") from None
    return sock


def serve(
    bundles: Sequence[str | Path],
    *,
    viewers: Sequence[Path] = (),
    allow_origins: Collection[str] = (),
    port: int | None = None,
    with_token: bool = True,
    ready: Callable[[str, str | None], None] = lambda url, token: None,
) -> None:
    """Serve until interrupted. ``ready`` gets the URL and the token once connections are accepted.

    ``bundles``: bundles and folders of bundles, local or URLs; ``viewers``: folders with an index.html;
    ``allow_origins``: origins of foreign pages that may read. Without a token, every user of the machine
    can read.
    """
    from tlparse_bundle.serve.http.app import create_app
    from tlparse_bundle.serve.http.connections import limits_of_process, run_app

    token = new_token() if with_token else None
    app = create_app(url_names(bundles), url_names(viewers), allow_origins, token)
    limits = limits_of_process()
    sock = listen(port)
    ready(f"http://{LOOPBACK}:{sock.getsockname()[1]}/", token)
    # Expected: the server has shut down and passes the interrupt on.
    with suppress(KeyboardInterrupt):
        run_app(app, sock, limits)


def ssh_hint(url: str) -> str | None:
    """Return the ssh command that forwards a URL to the user's machine, if remote."""
    if "SSH_CONNECTION" not in os.environ:
        return None
    port = urlsplit(url).port
    return f"ssh -N -L {port}:{LOOPBACK}:{port} {os.environ.get('USER', 'user')}@{socket.gethostname()}"
