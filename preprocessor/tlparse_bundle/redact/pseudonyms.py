"""Pseudonyms: names that a secret key derives from names, the same in every bundle redacted with the key."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import re
from functools import lru_cache
from pathlib import Path

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.terminal_text import shown

KEY_BYTES = 32
_HEX = re.compile(r"[0-9a-f]{7,64}")
_DIGITS = re.compile(r"[0-9]{1,40}")
_CACHED = 1 << 16
_LONG = 4096  # characters: longer ones are not cached


def new_key() -> bytes:
    """Return a random key."""
    return os.urandom(KEY_BYTES)


def key_of_file(path: Path) -> bytes:
    """Return the key in a file, which is created with a new one if it is missing. Only its owner can read it.

    Raises BundleError for a file without a key, and one that cannot be read or written.
    """
    try:
        try:
            descriptor = os.open(
                path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600
            )
        except FileExistsError:
            return _key_in(path)
        key = new_key()
        with open(descriptor, "wb") as file:
            file.write(key.hex().encode() + b"\n")
        return key
    except OSError as error:
        raise BundleError(
            f"the key file '{shown(path)}' cannot be used: {error.strerror or error}",
            hint="Pass a file that exists, or the path of a new one, to --key-file.",
            code="unreadable",
        ) from None


def _key_in(path: Path) -> bytes:
    with open(path, "rb") as file:
        data = file.read(4 * KEY_BYTES)
    try:
        key = bytes.fromhex(data.decode("ascii"))
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise BundleError(
            f"'{shown(path)}' is not a key file: it does not have {2 * KEY_BYTES} hexadecimal digits",
            hint="Pass a file that --key-file wrote, or the path of a new one.",
            code="bad-key",
            exit_code=2,
        )
    return key


class Pseudonyms:
    """The pseudonyms of a key. Without the key, nobody can try out which name one stands for."""

    def __init__(self, key: bytes):
        self._key = key
        self._short = lru_cache(_CACHED)(self._derive)

    def tag(self, text: str) -> str:
        """Return eight letters and digits for a text."""
        return self._short(text) if len(text) <= _LONG else self._derive(text)

    def _derive(self, text: str) -> str:
        return base64.b32encode(self._digest(text)[:5]).decode().lower()

    def _digest(self, text: str) -> bytes:
        return hmac.digest(self._key, text.encode("utf-8", "surrogatepass"), hashlib.sha256)

    def hash(self, text: str) -> str:
        """Return a value of the same form for a hash: as many hexadecimal digits, or as many digits."""
        if _DIGITS.fullmatch(text):
            number = int.from_bytes(self._digest(text)) % 10 ** len(text)
            return f"{number:0{len(text)}}"
        if _HEX.fullmatch(text):
            return self._digest(text).hex()[: len(text)]
        return f"key_{self.tag(text)}"
