"""Rewrites a log record by record, with new file names and payload digests."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from tlparse_bundle.base.diagnostics import Diagnostics
from tlparse_bundle.bundle.reader import Log
from tlparse_bundle.bundle.restore import restored_bytes
from tlparse_bundle.log.payload import md5
from tlparse_bundle.log.record_reader import PREFIX, Record, RecordReader
from tlparse_bundle.model.functions import resume_function
from tlparse_bundle.redact.pseudonyms import HASH, Names, always, is_plain, public_part
from tlparse_bundle.redact.text_rewriter import JSON_STRING, PATH, URL, WORD, Text, code_in

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


_LOCAL = re.compile(r"\b[LG]\[\\?['\"](\w+)\\?['\"]\]")
_ATTRIBUTE = re.compile(r"\._(?:modules|parameters|buffers)\[\\?['\"](\w+)\\?['\"]\]|(?<=L\['self'\]\.)(\w+)")
_HOME = re.compile(r"(?:/home/|/Users/|\\Users\\|torchinductor_)([\w.-]+)")
_OF_TORCH = re.compile(r"__\w+_\d+|__import_\w+")  # what it installs among the globals of a program
_KINDS = ("fn", "module", "tensor", "name")


class LogNames:
    """Names of all logs: feed each string, then call ``names()``."""

    def __init__(self) -> None:
        self.words: set[str] = set()
        self.own: dict[str, str] = {}
        self.of_torch: set[str] = set()
        self.paths: dict[str, None] = {}
        self.source: dict[str, str] = {}
        self._strings: dict[int, str] = {}
        self._seen: set[int] = set()

    def string(self, text: str) -> None:
        key = hash(text)
        if key in self._seen:
            return
        self._seen.add(key)
        self.words.update(WORD.findall(text))
        for match in PATH.finditer(URL.sub(" ", text) if "://" in text else text):
            self._path(match[0])
        if "['" in text or '["' in text or "\\'" in text:
            for name in _LOCAL.findall(text):
                self._name(name, "tensor")
            for pair in _ATTRIBUTE.findall(text):
                self._name(pair[0] or pair[1], "module")
        for name in _HOME.findall(text):
            for part in WORD.findall(name):
                self._name(part, "name")
        if "File" in text or "  # " in text:
            for path, code, function in code_in(text):
                self._line(path, code, function)

    def _path(self, path: str) -> None:
        if public_part(path) is None:
            self.paths.setdefault(path)
            stem = re.split(r"[\\/]", path)[-1].partition(".")[0]
            if WORD.fullmatch(stem) and not HASH.fullmatch(stem):
                self._name(stem, "name")

    def _line(self, path: str, code: str, function: str | None) -> None:
        public = public_part(path) is not None
        # 'forward (_subclasses/fake_impls.py:845 in infer_size)'
        for name in WORD.findall((function or "").partition(" (")[0]):
            if public:
                self.of_torch.add(name)
            else:
                self._name(name, "fn")
        if not public and code.strip() and WORD.search(code):
            self.source.setdefault(code.strip(), f"source_{len(self.source) + 1}")

    def _name(self, name: str, kind: str) -> None:
        part = resume_function(name)
        if part:
            self._name(part.function, kind)
        elif not is_plain(name) and name not in always() and not _OF_TORCH.fullmatch(name):
            before = self.own.setdefault(name, kind)
            if _KINDS.index(kind) < _KINDS.index(before):
                self.own[name] = kind

    def json(self, text: str) -> None:
        end = 0
        for match in JSON_STRING.finditer(text):
            self.string(text[end : match.start()])
            end = match.end()
            try:
                self.string(json.loads(match[0], strict=False))
            except ValueError:
                self.string(match[0][1:-1])
        self.string(text[end:])

    def stacks(self, logs: Iterable[Log]) -> None:
        """The frames of the stack tables say whose function is whose."""
        for log in logs:
            for row in log.stacks:
                self._line(row["file"] or "", row["code"] or "", row["function"])
            for compile in log.compiles:
                if compile.row["function"]:
                    self._line(compile.row["file"] or "", "", compile.row["function"])

    def names(self) -> Names:
        return Names(self.words, self.own, self.of_torch, self.paths)


_ANNOUNCED = re.compile(rb'("has_payload": ?")([0-9a-f]{32})(")')
# Payloads are announced by the digest of one of these.
_ANNOUNCED_FORMS: tuple[Callable[[bytes], bytes], ...] = (
    lambda payload: payload,
    lambda payload: payload.replace(b"\r\n", b"\n"),
    lambda payload: payload.rstrip(b"\r\n"),
)
_LOC = re.compile(r'("loc": ?)("(?:[^"\\]|\\.)*")', re.DOTALL)


class _Pieces(io.RawIOBase):
    """A stream from an iterator of bytes."""

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
    """Yield (bytes outside records, record); at the end the bytes after the last record, with None."""
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
    """Feed all strings of a log to ``names``."""
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
    """Rewrites logs with the words of ``text``; ``names`` is None when they stay."""

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
        """Return the digest of the new payload: correct if the old one was."""
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
    """Return irregular payload lines with the empty lines and ending of the old ones."""
    lines, below = iter(new.split(b"\n")), []
    for line in old.split(b"\n"):
        if not line.startswith(b"\t"):
            below.append(line if not line.strip() else b"")
        else:
            below.append(b"\t" + next(lines, b""))
    rest = [b"\t" + line for line in lines]
    return b"\n".join([*below[:-1], *rest, *below[-1:]] if rest else below)
