"""Searches a redacted result for text of the logs: a second opinion that shares no code with the redaction.

Everything in the result (file names, JSON strings and keys, other text) and every line of the logs is decoded
and normalized, and reduced to features (see leak_features). A feature of both that is not public is a leak.
Reads the result once into an index, then the logs line by line.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.base.wording import plural
from tlparse_bundle.bundle.codecs import codec_of
from tlparse_bundle.bundle.json_codec import loads
from tlparse_bundle.bundle.reader import Bundle
from tlparse_bundle.bundle.restore import restored_bytes
from tlparse_bundle.bundle.schemas import document_names, schema, schema_names
from tlparse_bundle.redact.leak_features import PUBLIC_KINDS, Feature, Public, long_numbers, public, words
from tlparse_bundle.redact.leak_text import bytes_as_text, decompressed, forms, normalized

_PIECE = 1 << 20  # characters of a line that are searched at a time
_OVERLAP = 256
_REMEMBERED = 1 << 20  # lines of the logs, so as not to search the same again
_MAX_SHOWN = 60
_NAMED = 5  # leaks in a message
_LONG_NUMBER = 100_000_000
# Digits of a log that are not a number of JSON.
_IN_TEXT = re.compile(r"(?<![:\[,] )(?<![\d.])(?<![:\[,])\d{9,}(?![\d.])(?!\s*[,\]}])")


class Line(NamedTuple):
    """A line of a log, or a name that was given with it. ``number``: from 1, or 0 for a name."""

    log: str
    number: int
    data: bytes


@dataclass(frozen=True)
class Leak:
    """Text of a log that is in the result: ``place`` is a JSON path or a line of ``file``."""

    kind: str
    text: str
    log: str
    line: int
    file: str
    place: str

    def __str__(self) -> str:
        where = f"{shown(self.log)}:{self.line}" if self.line else shown(self.log)
        text, file, place = map(shown, (self.text, self.file, self.place))
        return f"'{text}' ({self.kind}) of {where} is in {file} at {place}"


@dataclass
class Leaks:
    """``found``: the first ones, at most as many as asked for; ``count``: all."""

    found: list[Leak] = field(default_factory=list)
    count: int = 0


def lines_of_bundle(bundle: Bundle) -> Iterator[Line]:
    """Yield all lines of the logs in a bundle, their file names and hashes, and what the user called the
    bundle.
    """
    for name in ("label", "commit", "source_links"):
        if value := bundle.manifest.get(name):
            yield Line("manifest.json", 0, str(value).encode())
    for log in bundle.logs:
        for name in (log.source, log.row["source"]["sha256"], *(row["sha256"] for row in log.blobs.values())):
            yield Line(log.id, 0, name.encode("utf-8", "surrogateescape"))
        yield from _lines(log.id, restored_bytes(log))


def lines_of_files(paths: Iterable[Path]) -> Iterator[Line]:
    """Yield all lines of log files, compressed or not, and their names."""
    for path in paths:
        yield Line(path.name, 0, path.name.encode())
        yield from _lines(path.name, iter([decompressed(path.read_bytes())]))


def _lines(log: str, pieces: Iterator[bytes]) -> Iterator[Line]:
    number, rest = 0, b""
    for piece in pieces:
        *whole, rest = (rest + piece if rest else piece).split(b"\n")
        for data in whole:
            number += 1
            yield Line(log, number, data)
    if rest:
        yield Line(log, number + 1, rest)


class Result:
    """The features of a redacted result."""

    def __init__(self, folder: Path, known: Public):
        self._known = known
        self._places: list[tuple[str, str, str]] = []  # file, place, text
        self._features: dict[Feature, int] = {}
        self._kinds: set[str] = set()
        self._words: set[str] = set()
        self._seen: set[int] = set()
        self._measured = _measured_keys()
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            self._add(name, "its name", name)
            if path.is_file():
                self._add_file(name, path.read_bytes())

    def find(self, text: str) -> Iterator[tuple[Feature, tuple[str, str, str]]]:
        """Yield the features of a normalized text of the logs that the result has, with (file, place, text)
        there.
        """
        for word in self._words.intersection(words(text)):
            yield from self._found("word", word)
        if self._kinds & {"part", "joined"}:
            for feature in self._known.grams(text):
                yield from self._found(*feature)
        for kind, make in PUBLIC_KINDS.items():
            if kind in self._kinds:
                for feature in make(text):
                    yield from self._found(*feature)
        if self._kinds & {"address", "digits", "separated digits", "hex"}:
            for feature in long_numbers(text):
                yield from self._found(*feature)
        if "number" in self._kinds:
            for number in _IN_TEXT.findall(text):
                yield from self._found("number", number)

    def _found(self, kind: str, what: str) -> Iterator[tuple[Feature, tuple[str, str, str]]]:
        index = self._features.get((kind, what))
        if index is not None:
            yield (kind, what), self._places[index]

    def _add_file(self, name: str, data: bytes) -> None:
        if data[:4] == b"PK\x03\x04":
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                for member in archive.infolist():
                    self._add(name, "a member's name", member.filename)
                    self._add_file(f"{name}/{member.filename}", archive.read(member))
            return
        content = codec_of(name).decode(data)
        values = _documents(content)
        if values is None:
            for number, line in enumerate(bytes_as_text(content).splitlines(), 1):
                self._add(name, f"line {number}", line)
            return
        for number, value in values:
            for place, leaf in _leaves(value, f"line {number}: $" if number else "$"):
                if isinstance(leaf, str):
                    self._add(name, place, leaf)
                else:
                    self._add_number(name, place, leaf)

    def _add(self, file: str, place: str, text: str) -> None:
        key = hash(text)
        if key in self._seen:
            return
        self._seen.add(key)
        for form in forms(text):
            plain = normalized(form)
            for feature in self._known.features_of(plain):
                self._register(feature, file, place, plain)

    def _add_number(self, file: str, place: str, number: int) -> None:
        keys = re.findall(r"[^.\[\]]+", re.sub(r"\[\d+\]", "", place))
        if keys and keys[-1] not in self._measured:
            self._register(("number", str(number)), file, place, str(number))

    def _register(self, feature: Feature, file: str, place: str, text: str) -> None:
        if feature not in self._features:
            if not self._places or self._places[-1] != (file, place, text):
                self._places.append((file, place, text))
            self._features[feature] = len(self._places) - 1
            self._kinds.add(feature[0])
            if feature[0] == "word":
                self._words.add(feature[1])


def _measured_keys() -> set[str]:
    """Return the fields that the schemas declare as numbers."""
    keys: set[str] = set()
    todo: list[Any] = [schema(name) for name in (*schema_names(), *document_names())]
    while todo:
        item = todo.pop()
        if isinstance(item, list):
            todo += item
        elif isinstance(item, dict):
            todo += item.values()
            for key, value in (
                item.get("properties", {}).items() if isinstance(item.get("properties"), dict) else ()
            ):
                if isinstance(value, dict) and "string" not in str(value.get("type")):
                    keys.add(key)
    return keys


def _documents(content: bytes) -> list[tuple[int, Any]] | None:
    """Return the JSON of a file with the numbers of its lines, 0 for one document; None for other text."""
    if content.lstrip()[:1] not in (b"{", b"[", b'"'):
        return None
    try:
        return [(0, _loads(content))]
    except ValueError:
        pass
    try:
        return [(number, _loads(line)) for number, line in enumerate(content.split(b"\n"), 1) if line.strip()]
    except ValueError:
        return None


def _loads(content: bytes) -> Any:
    try:
        return loads(content)
    except ValueError:  # the decoder of bundles rejects lone surrogates, which others may have written
        try:
            return json.loads(content)
        except RecursionError:
            raise ValueError("JSON that is too deep") from None


def _leaves(value: Any, place: str) -> Iterator[tuple[str, str | int]]:
    """Yield strings, keys and long numbers with their places."""
    todo = [(place, value)]
    while todo:
        place, item = todo.pop()
        if isinstance(item, str):
            yield place, item
        elif isinstance(item, dict):
            for key, inner in item.items():
                yield f"{place}.{key}", key
                todo.append((f"{place}.{key}", inner))
        elif isinstance(item, list):
            todo += [(f"{place}[{number}]", inner) for number, inner in enumerate(item)]
        elif isinstance(item, int) and abs(item) >= _LONG_NUMBER:
            yield place, abs(item)


def leaks(lines: Iterable[Line], folder: Path, limit: int = 100) -> Leaks:
    """Search a folder for text of these lines. Raises BundleError when a file of it cannot be read."""
    known = public()
    try:
        result = Result(folder, known)
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise BundleError(
            f"cannot search the result: {error}", hint="Redact the bundle again.", code="damaged"
        ) from None
    found = Leaks()
    seen: set[int] = set()
    reported: set[tuple[str, str]] = set()
    for line in lines:
        key = hash(line.data.lstrip(b"\t"))
        if key in seen:
            continue
        if len(seen) >= _REMEMBERED:
            seen.clear()
        seen.add(key)
        for (kind, what), (file, place, text) in _leaks_of_line(line.data, result):
            if (file, place) in reported:
                continue
            reported.add((file, place))
            found.count += 1
            if len(found.found) < limit:
                found.found.append(Leak(kind, _excerpt(text, what), line.log, line.number, file, place))
    return found


def check_for_leaks(bundle: Bundle, folder: Path) -> None:
    """Raise BundleError when a folder contains text of the logs of a bundle."""
    found = leaks(lines_of_bundle(bundle), folder, _NAMED)
    if found.count:
        some = "\n".join(f"  {leak}" for leak in found.found)
        raise BundleError(
            f"{plural(found.count, 'place')} of the result {'has' if found.count == 1 else 'have'} text of"
            f" the logs, so it was not written:\n{some}",
            hint=(
                "Drop the tables that these files belong to, with --drop, and report this as a bug of"
                " tlparse-bundle."
            ),
            code="not-redacted",
        )


def _leaks_of_line(data: bytes, result: Result) -> Iterator[tuple[Feature, tuple[str, str, str]]]:
    for start in range(0, max(1, len(data)), _PIECE):
        piece = data[max(0, start - _OVERLAP) : start + _PIECE]
        for form in forms(bytes_as_text(piece)):
            yield from result.find(normalized(form))


def _excerpt(text: str, found: str) -> str:
    at = max(0, text.find(found))
    start = max(0, at - 20)
    return text[start : max(at + len(found), start + _MAX_SHOWN)][:200]
