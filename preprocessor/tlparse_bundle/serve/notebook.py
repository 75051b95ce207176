"""Shows a bundle in a notebook, else in the browser, from a server in a thread of this process."""

from __future__ import annotations

import atexit
import threading
import webbrowser
from contextlib import ExitStack
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from tlparse_bundle.serve.catalogue import url_names
from tlparse_bundle.serve.http.access import address_with, base_with, new_token
from tlparse_bundle.serve.http.app import create_app
from tlparse_bundle.serve.http.connections import limits_of_process, server_of
from tlparse_bundle.serve.http.server import LOOPBACK, listen, ssh_hint
from tlparse_bundle.serve.private_page import private_page

if TYPE_CHECKING:
    from tlparse_bundle.bundle.reader import Bundle


class Address(NamedTuple):
    page: str  # for a tab of its own: sets a cookie
    frame: str  # for a frame in a notebook, which gets no cookie
    url: str


_lock = threading.Lock()
_addresses: dict[str, Address] = {}  # by location of the bundle, while this process runs


def show(bundle: Bundle, height: int) -> None:
    """Display the viewer of a bundle as a frame in a notebook; otherwise open it in the browser."""
    address = served(bundle.location)
    ipython = _notebook()
    if ipython is None:
        kept = ExitStack()
        atexit.register(kept.close)
        webbrowser.open(private_page(address.page, kept).as_uri())
        return
    hint = ssh_hint(address.url)
    text = f'<a href="{escape(address.page)}" target="_blank" rel="noopener">Open the viewer in a new tab</a>'
    if hint:
        text += f"<br>The notebook runs on another machine. First run: <code>{escape(hint)}</code>"
    ipython.display(ipython.HTML(text), ipython.IFrame(address.frame, width="100%", height=height))


def _notebook() -> Any:
    """Return the module IPython.display in a notebook; None elsewhere, as in a terminal."""
    try:
        from IPython import display, get_ipython  # type: ignore[import-not-found]
    except ImportError:
        return None
    shell = get_ipython()
    return display if shell is not None and hasattr(shell, "kernel") else None


def served(location: str) -> Address:
    """Return the address of a bundle. Its server starts with the first call."""
    with _lock:
        if location not in _addresses:
            token = new_token()
            names = url_names([location])
            app = create_app(names, token=token, framed=True)
            sock = listen(0)
            server = server_of(app, limits_of_process())
            threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True).start()
            url = f"http://{LOOPBACK}:{sock.getsockname()[1]}/"
            viewer, path = "viewers/default/?bundle=", f"/bundles/{next(iter(names))}/"
            base = base_with(url, token)
            _addresses[location] = Address(
                address_with(f"{url}{viewer}{path}", token), f"{base}{viewer}/t/{token}{path}", url
            )
        return _addresses[location]
