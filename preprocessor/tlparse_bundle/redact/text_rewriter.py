"""Rewrites text of a log with pseudonyms for paths, source lines and words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache

from tlparse_bundle.redact.pseudonyms import Names, public_part

# Of a path every part but the last may be anything without a space; a path that is not absolute must end as a
# file does.
_PART = r"[\w.@+~=-]+"
_FILE = (
    r"[\w.@+~-]*\w\.(?:pyc?|cpp|cc|cu|hp?p?|so|txt|json|log|pt2?|ptx|cubin|html|svg|dot|yaml|zst|gz)"
    r"\b(?!\.?\w)"
)
PATH = re.compile(
    rf"(?<![\w/.\\])(?:[A-Za-z]:[\\/]+(?:{_PART}[\\/]+)*{_PART}|[.~]*/(?:{_PART}/+)+(?:{_PART})?"
    rf"|/(?:home|Users|root|mnt|data|tmp|opt|srv)/{_PART}|(?:{_PART}/+)*{_FILE})"
)
ADDRESS = re.compile(
    r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])|(?<![\w:])(?:[0-9a-fA-F]{1,4}:){5,7}[0-9a-fA-F]{1,4}(?![\w:])"
)
URL = re.compile(r"https?://[^\s'\"<>()\[\]{}\\,]+")
PUBLIC_HOSTS = (
    "https://pytorch.org/",
    "https://docs.pytorch.org/",
    "https://meta-pytorch.github.io/",
    "https://github.com/pytorch/",
    "https://dev-discuss.pytorch.org/",
)
WORD = re.compile(r"\w*[^\W\d]\w*")
_PIECES = re.compile(
    r"(?P<escape>\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[abfnrtv](?![\w/\\:]*[\\/])))"
    rf"|(?P<url>{URL.pattern})|(?P<path>{PATH.pattern})|(?P<address>{ADDRESS.pattern})"
    rf"|(?P<word>{WORD.pattern})"
)
_QUOTED = re.compile(r"(?<!\w)(['\"])((?:(?!\1)[^\\\n]|\\.)*)\1(?!\w)")
_PROSE = re.compile(r"[^\W\d_]{3,} +[^\W\d_]{2,}")
JSON_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_CODE = 1 << 20  # characters; longer strings are not remembered

# Where torch writes lines of source code: (before, line, after). Groups 'path' and 'function' where it says
# whose they are.
_SAYS_CODE = re.compile(
    r"(?P<before>#? ?File: (?P<path>[^\n]+?):\d+ in (?P<function>[^\n,]+), code: )(?P<code>[^\n]*)"
)
_SAYS_BOTH = re.compile(
    r"(?P<before>File \"(?P<path>[^\"\n]+)\", line \d+, in (?P<function>[^\n,]+), code: )(?P<code>[^\n]*)"
)
_FRAME = re.compile(
    r"(?P<before>File \"(?P<path>[^\"\n]+)\", line \d+(?:, in (?P<function>[^\n,]+)[^\n]*)?\n[ \t#|]*(?!File"
    r" \"))(?P<code>[^\n]*\S)(?P<carets>(?:\n[ \t#|]*[~^]+[~^ ]*(?=\n|$))?)"
)
_GUARD = re.compile(
    r"(?P<before># )(?P<code>[^\n#]*\S[^\n]*?)(?P<after>  # (?P<path>[^\s:][^\n:]*):\d+ in"
    r" (?P<function>[^\n]+?))(?=$|\n|\\n|\"|')"
)
PLACES = (_SAYS_CODE, _SAYS_BOTH, _FRAME, _GUARD)


class Text:
    """Rewrites text with ``names``, with source lines out of it (``source``: the lines that the logs hold, by
    what stands for each).
    """

    def __init__(self, names: Names | None, source: dict[str, str] | None, *, strings: bool):
        self._names = names
        self._source = source
        self._strings = strings
        self._string = lru_cache(20_000)(self._rewritten)
        self._numbers: dict[str, str] = {}
        self._lines = anywhere(line for line in source or () if is_long(line))

    def code(self, line: str) -> str:
        """Return the pseudonym of a line of source code."""
        return (self._source or {}).get(line.strip(), "source")

    def string(self, text: str) -> str:
        """Rewrite a string, or a payload that is not JSON."""
        return self._string(text) if len(text) < _CODE else self._rewritten(text)

    def json(self, text: str) -> str:
        """Rewrite the strings of JSON, and unexpected words; the rest stays."""
        out, end = [], 0
        for match in JSON_STRING.finditer(text):
            out += [self.string(text[end : match.start()]), self._json_string(match[0])]
            end = match.end()
        return "".join([*out, self.string(text[end:])])

    def _json_string(self, literal: str) -> str:
        try:
            value = json.loads(literal, strict=False)
        except ValueError:
            return '"' + self.string(literal[1:-1]) + '"'
        changed = self.string(value)
        return literal if changed == value else json.dumps(changed)

    def _rewritten(self, text: str) -> str:
        if self._source is not None:
            text = self._without_source(text)
        if self._strings:
            text = _QUOTED.sub(
                lambda match: (
                    match[1] + self._number(match[2]) + match[1] if _PROSE.search(match[2]) else match[0]
                ),
                text,
            )
        return text if self._names is None else _PIECES.sub(self._piece, text)

    def _number(self, text: str) -> str:
        return self._numbers.setdefault(text, f"string {len(self._numbers) + 1}")

    def _without_source(self, text: str) -> str:
        if "File" in text or "  # " in text:
            for place in PLACES:
                text = place.sub(self._without_code, text)
        source = self._source or {}
        return text if self._lines is None else self._lines.sub(lambda match: source[match[0]], text)

    def _without_code(self, match: re.Match[str]) -> str:
        groups: dict[str, str] = match.groupdict()
        if public_part(groups["path"]) is not None or not groups["code"].strip():
            return str(match[0])
        return groups["before"] + self.code(groups["code"]) + groups.get("after", "")

    def _piece(self, match: re.Match[str]) -> str:
        kind, piece = match.lastgroup, str(match[0])
        names = self._names
        if names is None:
            return piece
        if kind == "word":
            return names.word(piece)
        if kind == "path":
            return names.path(piece)
        if kind == "url":
            return piece if piece.startswith(PUBLIC_HOSTS) else "https://example.invalid"
        return piece if kind == "escape" else "0.0.0.0"


def anywhere(lines: Iterable[str]) -> re.Pattern[str] | None:
    """Return a pattern for the lines as whole words, longest first; None without lines."""
    longest_first = sorted(lines, key=len, reverse=True)
    return (
        re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)") if longest_first else None
    )


def is_long(line: str) -> bool:
    """Return whether a line has more than three words; shorter lines occur everywhere."""
    return len(WORD.findall(line)) > 3


def code_in(text: str) -> list[tuple[str, str, str | None]]:
    """Yield (path, line of code, function) for source lines in a text."""
    return [
        (match["path"], match["code"], match["function"])
        for place in PLACES
        for match in place.finditer(text)
    ]
