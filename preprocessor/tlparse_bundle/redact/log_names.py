"""What the logs of a bundle use as names of their own: functions, files, modules, tensors, lines of source
code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from tlparse_bundle.bundle.reader import Log
from tlparse_bundle.model.functions import resume_function
from tlparse_bundle.redact.pseudonyms import HASH, Names, public_part
from tlparse_bundle.redact.public_words import always, is_plain
from tlparse_bundle.redact.text_rewriter import JSON_STRING, PATH, URL, WORD, code_in

_LOCAL = re.compile(r"\b[LG]\[\\?['\"](\w+)\\?['\"]\]")
_ATTRIBUTE = re.compile(r"\._(?:modules|parameters|buffers)\[\\?['\"](\w+)\\?['\"]\]|(?<=L\['self'\]\.)(\w+)")
_HOME = re.compile(r"(?:/home/|/Users/|\\Users\\|torchinductor_)([\w.-]+)")
_OF_TORCH = re.compile(r"__\w+_\d+|__import_\w+")  # what it installs among the globals of a program
_KINDS = ("fn", "module", "tensor", "name")


class LogNames:
    """The names of all logs: feed each string, then ``names()``."""

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
