"""Decodes and normalizes text, so that the same string is found however it was written."""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
import zlib
from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import unquote_to_bytes

from tlparse_bundle.bundle import zstd_codec

_ROUNDS = 4  # of escapes inside escapes, and of base64 inside base64
_MAX_BYTES = 1 << 24  # of what one base64 run may decompress to
_ESCAPES = re.compile(
    r"(?P<units>(?:\\u[0-9a-fA-F]{4})+)"
    r"|\\U(?P<wide>[0-9a-fA-F]{8})"
    r"|(?P<bytes>(?:\\x[0-9a-fA-F]{2})+)"
    r"|\\N\{(?P<name>[A-Z0-9 -]{1,80})\}"
    r"|\\(?P<octal>[0-3][0-7]{2})"
    r"|\\(?P<space>[nrtbfv])"
    r"|\\(?P<letter>[/\"'\\])"
)
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2})+")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{12,}={0,2}")
_HEX = re.compile(r"(?<![0-9a-fA-F])(?:[0-9a-fA-F]{2}){6,}(?![0-9a-fA-F])")
_MARKED = re.compile(r"[\\%&]")  # text without these has no escapes


def bytes_as_text(data: bytes) -> str:
    """Return UTF-8 as text; bytes that are not become lone surrogates, as in Python's file names."""
    return data.decode("utf-8", "surrogateescape")


def forms(text: str, depth: int = 2) -> Iterator[str]:
    """Yield a text with its escapes decoded, and what base64 and hexadecimal runs in it contain."""
    plain = unescaped(text)
    yield plain
    if depth:
        for inner in _encoded(plain):
            yield from forms(inner, depth - 1)


def unescaped(text: str) -> str:
    r"""Decode ``\u``, ``\x``, JSON, percent and HTML escapes until nothing changes, at most four times."""
    for _ in range(_ROUNDS):
        if not _MARKED.search(text):
            break
        new = _ESCAPES.sub(_character, text)
        if "%" in new:
            new = _PERCENT.sub(lambda match: bytes_as_text(unquote_to_bytes(match[0])), new)
        if "&" in new:
            new = html.unescape(new)
        if new == text:
            break
        text = new
    return text


def _character(match: re.Match[str]) -> str:
    kind, found = match.lastgroup, match[match.lastgroup or 0]
    if kind == "units":  # two may be halves of one character
        data = b"".join(int(unit, 16).to_bytes(2, "big") for unit in found.split("\\u")[1:])
        return data.decode("utf-16-be", "surrogatepass") if _whole(data) else _loose(data)
    if kind == "bytes":
        return bytes_as_text(bytes.fromhex(found.replace("\\x", "")))
    if kind == "wide":
        return chr(int(found, 16)) if int(found, 16) <= 0x10FFFF else " "
    if kind == "octal":
        return chr(int(found, 8))
    if kind == "name":
        try:
            return unicodedata.lookup(found)
        except KeyError:
            return " "
    return " " if kind == "space" else found


def _whole(data: bytes) -> bool:
    try:
        data.decode("utf-16-be")
    except UnicodeDecodeError:
        return False
    return True


def _loose(data: bytes) -> str:
    return "".join(chr(int.from_bytes(data[at : at + 2], "big")) for at in range(0, len(data), 2))


def _encoded(text: str) -> Iterator[str]:
    for run in _BASE64.findall(text):
        yield from _from_base64(run)
    for run in _HEX.findall(text):
        yield from _readable(bytes.fromhex(run))


@lru_cache(maxsize=1 << 14)
def _from_base64(run: str) -> tuple[str, ...]:
    """Return readable texts in a run of base64, which may begin at any of its first four characters."""
    run = run.rstrip("=").replace("-", "+").replace("_", "/")
    found: list[str] = []
    for start in range(4):
        part = run[start:]
        part = part[: len(part) - (len(part) % 4 == 1)]
        try:
            data = base64.b64decode(part + "=" * (-len(part) % 4))
        except (binascii.Error, ValueError):
            continue
        found += _readable(data)
    return tuple(found)


def _readable(data: bytes) -> Iterator[str]:
    """Yield bytes as text if they are text, or compressed text."""
    try:
        data = decompressed(data)
    except ValueError:
        return
    text = bytes_as_text(data)
    if not text:
        return
    odd = sum(
        1 for letter in text if letter < " " or "\x7f" <= letter < "\xa0" or "\ud800" <= letter <= "\udfff"
    )
    # Random bytes can be UTF-8, too, but then most of it is not letters.
    plain = sum(
        1
        for letter in text
        if letter.isalnum() or letter == " " or unicodedata.category(letter) in ("Mn", "Mc", "Cf")
    )
    if odd * 10 <= len(text) and (text.isascii() or (len(text) > 7 and plain * 4 >= len(text) * 3)):
        yield text


def decompressed(data: bytes) -> bytes:
    """Return the content of gzip, zlib or zstd data, and other data as it is. Raises ValueError."""
    if data[:4] == b"\x28\xb5\x2f\xfd":
        return zstd_codec.decode(data, _MAX_BYTES)
    if data[:2] in (b"\x1f\x8b", b"\x78\x9c", b"\x78\xda"):
        try:
            return zlib.decompressobj(47).decompress(data, _MAX_BYTES)
        except zlib.error:
            return data
    return data


def normalized(text: str) -> str:
    """Return a text in one case and Unicode form, without invisible characters."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text)
    if not text.isascii():
        text = "".join(letter for letter in text if letter.isascii() or unicodedata.category(letter) != "Cf")
    return unicodedata.normalize("NFKC", text.casefold())


def foreign_letters(text: str) -> set[str]:
    """Return the letters, vowel signs and undecodable bytes of a normalized text that are not ASCII."""
    if text.isascii():
        return set()
    return {
        letter
        for letter in set(text)
        if "\ud800" <= letter <= "\udfff"
        or (not letter.isascii() and unicodedata.category(letter)[0] in "LM")
    }
