"""A private file that leads a browser to an address with a token."""

from __future__ import annotations

import os
from contextlib import ExitStack
from html import escape
from pathlib import Path

from tlparse_bundle.bundle.atomic.folder import temporary_folder

_PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
    '<meta http-equiv="refresh" content="0; url={address}"><title>tlparse-bundle</title>'
    '<p><a href="{address}">Open the page</a>\n'
)


def private_page(address: str, kept: ExitStack) -> Path:
    """Write a page that only this user can read, because everybody can read the arguments of a browser.

    The file is removed with ``kept``. Raises BundleError or OSError when it cannot be written.
    """
    page = kept.enter_context(temporary_folder()) / "open.html"
    descriptor = os.open(page, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(_PAGE.format(address=escape(address)))
    return page
