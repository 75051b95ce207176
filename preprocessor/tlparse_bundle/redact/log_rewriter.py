"""A log with other words: record by record, with what they announce."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from tlparse_bundle.base.diagnostics import Diagnostics
from tlparse_bundle.bundle.reader import Log
from tlparse_bundle.bundle.restore import restored_bytes
from tlparse_bundle.log.payload import md5
from tlparse_bundle.log.record_reader import PREFIX, Record, RecordReader
from tlparse_bundle.redact.log_names import LogNames
from tlparse_bundle.redact.pseudonyms import Names
from tlparse_bundle.redact.text_rewriter import Text

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_ANNOUNCED = re.compile(rb'("has_payload": ?")([0-9a-f]{32})(")')
# What a payload is announced by is the digest of one of these.
_ANNOUNCED_FORMS: tuple[Callable[[bytes], bytes], ...] = (
    lambda payload: payload,
    lambda payload: payload.replace(b"\r\n", b"\n"),
    lambda payload: payload.rstrip(b"\r\n"),
)
_LOC = re.compile(r'("loc": ?)("(?:[^"\\]|\\.)*")', re.DOTALL)


class _Pieces(io.RawIOBase):
    """An iterator of bytes as a stream."""

    def __init__(self, pieces: Iterator[bytes]):
        self._pieces = pieces
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = memoryview(piece)
        target = memoryview(buffer).cast("B")
        size = min(len(target), len(self._rest))
        target[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


def records(log: Log) -> Iterator[tuple[bytes, Record | None]]:
    """(bytes that are no record, record); at the end what lies behind the last, with None."""
    reader = RecordReader(io.BufferedReader(_Pieces(restored_bytes(log))), Diagnostics())
    for record in reader:
        yield b"", record
    if reader.tail:
        yield reader.tail, None


def text_of(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def bytes_of(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def is_json(payload: str) -> bool:
    return payload.lstrip()[:1] in ("{", "[", '"')


def collect(log: Log, names: LogNames) -> None:
    """Feed everything that a log says to ``names``."""
    for junk, record in records(log):
        if record is None:
            names.string(text_of(junk))
            continue
        kept = text_of(record.kept)
        names.json(kept)
        if record.payload is not None:
            payload = text_of(record.payload.data)
            (names.json if is_json(payload) else names.string)(payload)


class Rewriter:
    """Writes logs again with the words of ``text``; ``names``: None when they stay."""

    def __init__(self, text: Text, names: Names | None, *, source: bool):
        self._text = text
        self._names = names
        self._source = source
        self._envelopes: dict[bytes, bytes] = {}
        self._payloads: dict[bytes, bytes] = {}

    def pieces(self, log: Log) -> Iterator[bytes]:
        end = 0  # of the record before
        for junk, record in records(log):
            if record is None:
                yield self._any(junk)
            elif not record.prefix:
                end = record.byte_offset + len(record.kept)
                yield self._any(record.kept)
            else:
                yield from self._record(record, record.byte_offset - end)
                end = record.byte_offset + record.size_bytes

    def _any(self, data: bytes) -> bytes:
        return bytes_of(self._text.json(text_of(data)))

    def _record(self, record: Record, start: int) -> Iterator[bytes]:
        kept = record.kept
        if start:
            yield self._any(kept[:start])
        line_end = kept.find(b"\n", start) + 1 or len(kept)
        line, below = kept[start:line_end], kept[line_end:]
        match = PREFIX.match(line)
        assert match is not None  # the reader found it
        payload = new = None
        if record.payload is not None:
            payload = record.payload.data
            new = self._payload(payload)
        yield self._prefix(line, match) + self._envelope(line[match.end() :], payload, new)
        if new is None:
            yield self._any(below)
        elif record.verbatim:
            yield _lines_like(below, new)
        else:
            yield b"\t" + new.replace(b"\n", b"\n\t") + b"\n"

    def _prefix(self, line: bytes, match: re.Match[bytes]) -> bytes:
        if self._names is None:
            return line[: match.end()]
        return (
            line[: match.start(5)]
            + bytes_of(self._names.path(text_of(match[5])))
            + line[match.end(5) : match.end()]
        )

    def _payload(self, payload: bytes) -> bytes:
        new = self._payloads.get(payload)
        if new is None:
            text = text_of(payload)
            new = bytes_of((self._text.json if is_json(text) else self._text.string)(text))
            if len(payload) < 1 << 16 and len(self._payloads) < 1000:
                self._payloads[payload] = new
        return new

    def _envelope(self, envelope: bytes, payload: bytes | None, new: bytes | None) -> bytes:
        bare = _ANNOUNCED.sub(rb"\1\3", envelope)
        changed = self._envelopes.get(bare)
        if changed is None:
            text = text_of(bare)
            if self._source:
                text = _LOC.sub(self._loc, text)
            changed = bytes_of(self._text.json(text))
            if len(self._envelopes) < 10_000:
                self._envelopes[bare] = changed
        announced = [match[2] for match in _ANNOUNCED.finditer(envelope)]
        digests = iter([self._digest(digest, payload, new) for digest in announced])
        return (
            re.sub(
                rb'("has_payload": ?")(")', lambda match: match[1] + next(digests, b"") + match[2], changed
            )
            if announced
            else changed
        )

    def _digest(self, announced: bytes, payload: bytes | None, new: bytes | None) -> bytes:
        """Return the digest that announces the new payload: right if the old one was right."""
        if payload is not None and new is not None:
            for form in _ANNOUNCED_FORMS:
                if md5(form(payload)) == announced:
                    return md5(form(new))
        if self._names is None or announced == md5(b""):
            return announced
        return self._names.word(announced.decode()).encode() if not announced.isdigit() else announced

    def _loc(self, match: re.Match[str]) -> str:
        before: str = match[1]
        try:
            line: str = json.loads(match[2], strict=False)
        except ValueError:
            return before + '"source"'
        return before + '"' + self._text.code(line) + '"'


def _lines_like(old: bytes, new: bytes) -> bytes:
    """Payload lines that cannot be written from the payload alone: with the empty lines and the end that the
    old ones have.
    """
    lines, below = iter(new.split(b"\n")), []
    for line in old.split(b"\n"):
        if not line.startswith(b"\t"):
            below.append(line if not line.strip() else b"")
        else:
            below.append(b"\t" + next(lines, b""))
    rest = [b"\t" + line for line in lines]
    return b"\n".join([*below[:-1], *rest, *below[-1:]] if rest else below)
