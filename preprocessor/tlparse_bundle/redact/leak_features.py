"""Parts of a text that identify a secret, and those of them that anyone knows.

Both sides of a search, the logs and the redacted result, are reduced to these features; a feature that both
have and that is not public is a leak.
"""

from __future__ import annotations

import builtins
import keyword
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

from tlparse_bundle.bundle.codecs import CODECS
from tlparse_bundle.bundle.json_codec import loads
from tlparse_bundle.bundle.schemas import shared_files
from tlparse_bundle.redact.leak_text import foreign_letters, normalized, unescaped

# Pages about graph breaks, and words of which torch makes the sources of guards, such as
# dict(type(L['self']).__dict__)['forward']: in a row they say nothing.
_OF_TORCH = (
    "https://meta-pytorch.github.io/compile-graph-break-site/gb/",
    "https://meta-pytorch.org/compile-graph-break-site/gb/",
)
_BREAK_PAGE = re.compile(r"gb/gb\d{4}\.html")
_SOURCE_WORDS = """
    l g self dict list tuple set type id len iter next getattr super keys values items size stride forward
    weight bias cell_contents _modules _parameters _buffers __dict__ __mro__ __class__ __code__
    __closure__ __func__ __self__ __globals__ __defaults__ __kwdefaults__ __wrapped__ __name__
    __bases__ __annotations__
"""
_OF_SOURCES = frozenset(_SOURCE_WORDS.split())

Feature = tuple[str, str]  # a kind, and what must be equal

_TOKEN = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_PHRASE_WORD = re.compile(r"\w+(?:[./:]+\w+)*")
_PATH = re.compile(r"(?<![\w.+@~=-])[\w.+@~=-]*(?:[/\\]+[\w.+@~=-]+)+")
_SLASHES = re.compile(r"[/\\]+")
_DIGITS = re.compile(r"\d(?:[-–./() ]?\d){8,}")
_ONE_NUMBER = re.compile(r"\d{9,}")
_QUAD = re.compile(
    r"(?<![\d.-])\d{1,3}(?:\.\d{1,3}){3}(?![\d.-])|(?<![\d.-])\d{1,3}(?:-\d{1,3}){3}(?![\d.-])"
)
_HEX = re.compile(r"(?<![^\W_])(?:0x)?([0-9a-f](?:[-:. ]?[0-9a-f]){11,})(?![^\W_])")
_SYMBOLS = re.compile(r"[^\w\s]{6,}")
_MIXED = re.compile(r"[!@#$%^&*~?|;+]\w{0,3}[!@#$%^&*~?|;+]\w{0,3}[!@#$%^&*~?|;+]")  # as in passwords
_NOT_ALNUM = re.compile(r"[\W_]+")
_SHORT_PUBLIC = re.compile(
    r"[a-z]\d{0,2}|\d{1,2}[a-z]|(?:zu?|u)f\d{1,3}"
)  # s0, f32, 2d, x: symbols, types and sizes
_STEM = re.compile(r"([a-z]{2,})\d+")
_LETTERS = re.compile(r"[^\W\d_]")
_FOLDER = re.compile(r"[0-9a-f]{2}")  # of payloads in a bundle
_ONLY_HEX = re.compile(r"[0-9a-f]+")
_GRAM = 8
_DIGIT_GRAM = 12
_SEPARATED_GRAM = 9
_HEX_GRAM = 12
_SYMBOL_GRAM = 6
_PHRASE = 3


class Public:
    """What a bundle may contain whatever is in the logs: words, phrases and paths of torch, Python and us."""

    def __init__(self, texts: Iterable[str], names: Iterable[str] = ()):
        self.words: set[str] = set(_python_words())
        self.features: set[int] = set()
        for text in texts:
            for piece in text.splitlines():
                self._add(piece)
        for name in names:
            self.words.update(_TOKEN.findall(name.lower()))

    def _add(self, text: str) -> None:
        self.words.update(match.lower() for match in _CAMEL.findall(text))
        plain = normalized(unescaped(text))
        self.words.update(_TOKEN.findall(plain))
        for make in PUBLIC_KINDS.values():
            self.features.update(map(hash, make(plain)))

    def is_word(self, token: str) -> bool:
        """Return whether a token says nothing: a word that is public, with or without a number after it."""
        if token in self.words or token.isdigit() or _SHORT_PUBLIC.fullmatch(token):
            return True
        stem = _STEM.fullmatch(token)
        return stem is not None and stem[1] in self.words

    def features_of(self, text: str) -> Iterator[Feature]:
        """Yield all features of a normalized text that are not public."""
        private = [token for token in set(_TOKEN.findall(text)) if not self.is_word(token)]
        for token in private:
            if len(token) > 3 or (len(token) > 1 and token.isalpha() and not _FOLDER.fullmatch(token)):
                yield "word", token
        if private or _MIXED.search(text):
            yield from self.grams(text)
        for make in PUBLIC_KINDS.values():
            yield from (feature for feature in make(text) if hash(feature) not in self.features)
        yield from long_numbers(text)

    def grams(self, text: str) -> Iterator[Feature]:
        """Yield substrings of what is between public words, and of what looks like a password."""
        for segment in self._segments(text):
            yield from grams(segment)
        if _MIXED.search(text):
            for run in text.split():
                if _MIXED.search(run):
                    yield from grams(run)

    def _segments(self, text: str) -> Iterator[str]:
        """Yield what is between public words."""
        start = 0
        for match in _TOKEN.finditer(text):
            token = match[0]
            if token in self.words and len(token) > 1 and not token.isdigit():
                if match.start() - start >= _GRAM:
                    yield text[start : match.start()]
                start = match.end()
        if len(text) - start >= _GRAM:
            yield text[start:]


def grams(segment: str) -> Iterator[Feature]:
    """Yield substrings of eight characters, with and without all that is not a letter or digit."""
    segment = segment.strip()
    if len(_LETTERS.findall(segment)) < 2:
        return
    for kind, text in (("part", segment), ("joined", _NOT_ALNUM.sub("", segment))):
        for at in range(len(text) - _GRAM + 1):
            gram = text[at : at + _GRAM]
            if len(set(gram)) > 3 and _tells(gram, kind):
                yield kind, gram


def _tells(gram: str, kind: str) -> bool:
    if _ONLY_HEX.fullmatch(gram):  # see long_numbers
        return False
    letters = sum(map(str.isalpha, gram))
    return letters > 1 and (kind == "joined" or letters + sum(map(str.isdigit, gram)) > 3)


def phrases(text: str) -> Iterator[Feature]:
    """Yield every three words in a row, if they are long enough to say something."""
    if " " not in text and "(" not in text:
        return
    words = [word for word in _PHRASE_WORD.findall(text) if not word.isdigit()]
    for at in range(len(words) - _PHRASE + 1):
        three = words[at : at + _PHRASE]
        phrase = " ".join(three)
        if (
            len(phrase) > 13
            and len(set(three)) == _PHRASE
            and not _OF_SOURCES.issuperset(part for word in three for part in word.split("."))
        ):
            yield "phrase", phrase


def path_pairs(text: str) -> Iterator[Feature]:
    """Yield every two parts of a path that follow each other."""
    if "/" not in text and "\\" not in text:
        return
    for path in _PATH.findall(text):
        for pair in pairwise(part for part in _SLASHES.split(path) if part):
            joined = "/".join(pair)
            if len(joined) > 6 and any(map(str.isalpha, joined)) and not _BREAK_PAGE.fullmatch(joined):
                yield "path", joined


def symbols(text: str) -> Iterator[Feature]:
    """Yield six symbols in a row, four of them different: parts of passwords."""
    for run in _SYMBOLS.findall(text):
        for at in range(len(run) - _SYMBOL_GRAM + 1):
            gram = run[at : at + _SYMBOL_GRAM]
            if len(set(gram)) > 3:
                yield "symbols", gram


def letters(text: str) -> Iterator[Feature]:
    """Yield letters outside ASCII."""
    for letter in foreign_letters(text):
        yield "letter", letter


PUBLIC_KINDS = {"phrase": phrases, "path": path_pairs, "symbols": symbols, "letter": letters}


def words(text: str) -> set[str]:
    """Return the words of a normalized text."""
    return set(_TOKEN.findall(text))


def long_numbers(text: str) -> Iterator[Feature]:
    """Yield long numbers: nine digits or twelve hexadecimal ones in a row, whatever separates them, and
    addresses.
    """
    for quad in _QUAD.findall(text):
        yield "address", _NOT_ALNUM.sub(".", quad)
    for run in _DIGITS.findall(text):
        bare = _NOT_ALNUM.sub("", run)
        yield from _windows("digits", bare, _DIGIT_GRAM)
        if bare != run:
            yield from _windows("separated digits", bare, _SEPARATED_GRAM)
            for part in _ONE_NUMBER.findall(run):
                yield "digits", part
    for run in _HEX.findall(text):
        bare = _NOT_ALNUM.sub("", run)
        if bare.isdigit() or bare.isalpha():
            continue
        yield from _windows("hex", bare, _HEX_GRAM)


def _windows(kind: str, text: str, length: int) -> Iterator[Feature]:
    """Yield all parts of a length, or the text if it is shorter."""
    for at in range(max(1, len(text) - length + 1)):
        part = text[at : at + length]
        if len(set(part)) > 2:
            yield kind, part


def _python_words() -> set[str]:
    kinds = (object, type, int, str, list, dict, tuple, set, bytes, float, BaseException, property)
    names = {
        *keyword.kwlist,
        *keyword.softkwlist,
        *dir(builtins),
        *sys.stdlib_module_names,
        *(name for kind in kinds for name in dir(kind)),
    }
    return {token for name in names for token in _TOKEN.findall(name.lower())}


@cache
def public() -> Public:
    """Return what is public: the text of this package, its schemas, and the published names of torch."""
    package = Path(__file__).resolve().parent.parent
    paths = [*sorted(package.rglob("*.py")), *sorted((shared_files() / "schema").rglob("*.json"))]
    names = loads(CODECS["zstd"].decode(Path(__file__).with_name("torch_names.json.zst").read_bytes()))
    files = names.pop("files")  # each with the names that it defines
    texts = [path.read_text("utf-8") for path in paths]
    texts += [
        "\n".join(lines) for lines in (*names.values(), files, (f"/site-packages/{file}" for file in files))
    ]
    return Public([*texts, *_OF_TORCH], files.values())
