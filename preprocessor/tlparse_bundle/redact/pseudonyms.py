"""Pseudonyms: one per name, the same in all logs of a bundle.

Public words keep their names: words of Python, of torch's messages, keys and operators, and those that this
package reads. All other words count as private. ``scripts/redact-words`` writes the lists.
"""

from __future__ import annotations

import builtins
import hashlib
import keyword
import re
import sys
from collections import Counter
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from tlparse_bundle.model.functions import resume_function

MAX_PLAIN = 2  # characters; a shorter word reveals nothing
NUMBER = re.compile(
    r"0[xX][0-9a-fA-F]{1,16}|\d+(?:_\d+)*(?:[eE]\d*)?[jJlL]?|[suizf]\d{1,6}|\d{1,3}(?:[a-z]{1,2}\d?|(?:rc|dev|post)\d*)",
    re.ASCII,
)


@cache
def listed(name: str) -> frozenset[str]:
    """Return a word list: ours, prose, operators, torch, or files (paths of torch's files)."""
    return frozenset((files("tlparse_bundle.redact") / "words" / f"{name}.txt").read_text("utf-8").split())


@cache
def always() -> frozenset[str]:
    """Return words that stay even as names: those that readers look for, torch operators, and Python's
    words.
    """
    return (
        listed("ours")
        | listed("operators")
        | set(keyword.kwlist)
        | set(keyword.softkwlist)
        | set(dir(builtins))
        | {"torch", "triton", "self", "cls"}
    )


@cache
def usual() -> frozenset[str]:
    """Return words of torch and the standard library, which stay unless the log defines them."""
    dunder = {
        name
        for kind in (object, type, int, str, list, dict, BaseException, type(always))
        for name in dir(kind)
    }
    return listed("torch") | set(sys.stdlib_module_names) | dunder


@cache
def written_by_us() -> frozenset[str]:
    """Return the words that every bundle contains: fields, sentences, descriptions."""
    return always() | listed("prose")


def is_plain(word: str) -> bool:
    """Return whether a word is a number, or too short to reveal anything."""
    return len(word) <= MAX_PLAIN or NUMBER.fullmatch(word) is not None


_HEX = re.compile(r"(?=[0-9a-f]*\d)[0-9a-f]{7,}", re.ASCII)
_BASE32 = re.compile(r"(?=\w*\d)[a-z0-9]{20,}", re.ASCII)
_CACHE_FILE = re.compile(r"c[a-z2-7]{51}", re.ASCII)  # torch/_inductor/codecache.py
_NUMBERED = re.compile(r"(.+?)((?:_?\d+)(?:_\d+)*_?)", re.ASCII)
_NUMBER_FIRST = re.compile(r"(\d+_)([^\W\d]\w*)", re.ASCII)
_COMPILED = re.compile(
    r"(_*(?:compiled_fn|compiled_fn_wrapper|resume_at|compile[dr]?_\w+?|kwdefaults|defaults|builtins_dict|import)_+\d*_?)(.*)",
    re.ASCII,
)
_FUSED = re.compile(r"_*(?:triton|cpp|extern|async|call|kernel|aten|fused|vllm)_\w+", re.ASCII)
_SOURCE = re.compile(r"([LlGg]_)(.+)", re.ASCII)
HASH = re.compile(f"{_HEX.pattern}|{_BASE32.pattern}|{_CACHE_FILE.pattern}", re.ASCII)
_PARTS = re.compile(r"[^_]+")
_SOURCE_LINE = re.compile(r"source_\d+")  # what stands for a line of source code
_TORCH_FOLDERS = ("torch", "torchgen", "functorch", "triton")
_PRIVATE = (
    "_dynamo",
    "_inductor",
    "_functorch",
    "_subclasses",
    "_higher_order_ops",
    "_logging",
    "_export",
)  # guards name files without 'torch'
_PACKAGES = ("site-packages", "dist-packages")
_PYTHON = re.compile(r"python3?(?:\.\d+)?t?|Lib")
_ENDING = re.compile(
    r"\.(?:py|pyc|cpp|cc|cu|h|hpp|so|txt|json|log|pt|pt2|ptx|cubin|o|a|html|svg|dot|yaml|zst|gz)$"
)
_SEPARATORS = re.compile(r"[/\\]+")


class Names:
    """``taken`` are words of the logs, which no name that is made here may be. ``own`` are those that the
    logs use as names of their own, by kind (fn, module, tensor, name), and ``of_torch`` names of functions in
    files of torch, which stay."""

    def __init__(
        self,
        taken: Iterable[str] = (),
        own: dict[str, str] | None = None,
        of_torch: Iterable[str] = (),
        paths: Iterable[str] = (),
    ):
        self._taken = set(taken)
        self._own = own or {}
        self._of_torch = set(of_torch)
        compound = sorted((name for name in self._own if "_" in name.strip("_")), key=len, reverse=True)
        self._compound = (
            re.compile(f"(?:(?<=_)|^)(?:{'|'.join(map(re.escape, compound))})(?=_|$)") if compound else None
        )
        self._counts: Counter[str] = Counter()
        self._given: set[str] = set()
        self._words: dict[str, str] = {}
        self._parts: dict[str, str] = {}
        self._paths: dict[str, str] = {}
        self._files: dict[str, dict[str, str]] = {}
        self._folders: dict[str, str] = {}
        self._ends: dict[str, set[str]] = {}
        for path in paths:
            parts = tuple(filter(None, _SEPARATORS.split(path)))
            for start in range(len(parts)):
                self._ends.setdefault("/".join(parts[start:]), set()).add("/".join(parts))

    def stays(self, word: str) -> bool:
        if is_plain(word) or word in always() or _SOURCE_LINE.fullmatch(word):
            return True
        return word not in self._own and (word in usual() or word in self._of_torch)

    def word(self, word: str) -> str:
        """Return the pseudonym of a word: the word itself when it may stay."""
        pseudonym = self._words.get(word)
        if pseudonym is None:
            pseudonym = self._words[word] = self._other(word)
        return pseudonym

    def _other(self, word: str) -> str:
        if self.stays(word):
            return word
        part = resume_function(word)
        if part:
            return part.before + self.word(part.function) + part.after
        if word not in self._own:
            kept_form = self._made_by_torch(word)
            if kept_form is not None:
                return kept_form
        return self._new(
            self._own.get(word) or ("Class" if word[0].isupper() and not word.isupper() else "name")
        )

    def _made_by_torch(self, word: str) -> str | None:
        """Return a pseudonym that keeps the form of a torch-generated name."""
        if _HEX.fullmatch(word):
            return self._hash(word, "0123456789abcdef")
        if _BASE32.fullmatch(word) or _CACHE_FILE.fullmatch(word):
            return word[0] + self._hash(word, "abcdefghijklmnopqrstuvwxyz234567")[1:]
        match = _COMPILED.fullmatch(word)
        if match:
            return match[1] + "_".join(self._part(part) for part in match[2].split("_"))
        if _FUSED.fullmatch(word):
            return self._joined(word)
        match = _SOURCE.fullmatch(word)
        if match:
            return match[1] + self._joined(match[2])
        match = _NUMBER_FIRST.fullmatch(word)
        if match:
            return match[1] + self.word(match[2])
        match = _NUMBERED.fullmatch(word)
        if match and match[1] not in self._own and self.stays(match[1]):
            return word
        if word.startswith("_") and word.strip("_") and self.stays(word.strip("_")):
            return word
        return None

    def _joined(self, word: str) -> str:
        """Names that torch joined with underscores: first those that have some themselves."""
        if self._compound is not None:
            word = self._compound.sub(lambda match: self._part(match[0]), word)
        return _PARTS.sub(lambda part: self._part(part[0]), word)

    def _part(self, part: str) -> str:
        """Return a pseudonym of a name's part, without underscores, so that it stays one part."""
        if not part or part in self._given or self.stays(part):
            return part
        pseudonym = self._parts.get(part)
        if pseudonym is None:
            pseudonym = self._parts[part] = (
                self._hash(part, "0123456789abcdef")
                if _HEX.fullmatch(part)
                else self._new(self._own.get(part, "name"), "")
            )
        return pseudonym

    def _hash(self, word: str, alphabet: str) -> str:
        """Return a hash of the same length and alphabet, based only on the order of appearance."""
        while True:
            self._counts["hash"] += 1
            digest = hashlib.shake_256(f"tlparse-bundle {self._counts['hash']}".encode()).digest(len(word))
            digits = "".join(alphabet[byte % len(alphabet)] for byte in digest)
            if digits not in self._taken:
                return digits

    def _new(self, kind: str, joint: str = "_") -> str:
        while True:
            self._counts[kind] += 1
            name = f"{kind}{joint}{self._counts[kind]}"
            if name not in self._taken:
                self._given.add(name)
                return name

    def given(self) -> dict[str, str]:
        """Return words and paths with pseudonyms."""
        return {old: new for old, new in {**self._words, **self._paths}.items() if old != new}

    def path(self, path: str) -> str:
        """Return the pseudonym of a path, without user folders; paths of torch and Python stay."""
        pseudonym = self._paths.get(path)
        if pseudonym is None:
            pseudonym = self._paths[path] = self._other_path(path)
        return pseudonym

    def _other_path(self, path: str) -> str:
        parts = [part for part in _SEPARATORS.split(path) if part]
        start = "/" if path[0] in "/\\~" or path[1:2] == ":" else ""
        public = public_part(path)
        if public is not None:
            return start + public
        stem, dot, ending = parts[-1].partition(".") if parts else ("", "", "")
        if _CACHE_FILE.fullmatch(stem):  # analyses of ranks know their form
            file_hash = self.word(stem)
            return (
                f"{start and '/cache/'}{file_hash[1:3]}/{file_hash}{dot}{self.word(ending) if ending else ''}"
            )
        cache = next((number for number, part in enumerate(parts) if part.startswith("torchinductor_")), None)
        return start + self._file(self._whole(parts) if cache is None else "/".join(parts[cache + 1 :]))

    def _whole(self, parts: list[str]) -> str:
        """The one file that a path is the end of; else the path itself.

        In the cache of a user the same file lies as in that of another.
        """
        ends = sorted(self._ends.get("/".join(parts), ()), key=len)
        return (
            ends[-1] if ends and all(ends[-1].endswith("/" + end) for end in ends[:-1]) else "/".join(parts)
        )

    def _file(self, whole: str) -> str:
        """Files of one name have one name, the second and further ones in folders: checkouts on other
        machines are found by it.
        """
        folder, _, name = whole.rpartition("/")
        in_folder = self._files.setdefault(name, {})
        if not in_folder:
            ending = _ENDING.search(name)
            in_folder[""] = self._new("file") + (ending[0] if ending else "")
            in_folder[folder] = in_folder[""]
        elif folder not in in_folder:
            if folder not in self._folders:
                self._folders[folder] = self._new("folder")
            in_folder[folder] = f"{self._folders[folder]}/{in_folder['']}"
        return in_folder[folder]


def public_part(path: str) -> str | None:
    """Return the end of a path in torch, Triton or the standard library; None for other paths."""
    parts = [part for part in _SEPARATORS.split(path) if part]
    for number, part in enumerate(parts[:-1]):
        following = parts[number + 1]
        if part in _PACKAGES:
            return "/".join(parts[number:]) if following in _TORCH_FOLDERS else None
        if part == "torch" and (
            "/".join(parts[number + 1 :]) in listed("files") or following in _PRIVATE
        ):  # of a torch that was built here
            return "/".join(parts[number:])
        if (
            _PYTHON.fullmatch(part)
            and following.partition(".")[0] in usual()
            and following not in _PACKAGES
            and _all_known(parts[number + 1 :])
        ):
            return "/".join(("lib", *parts[number:]))
    if parts[1:] and path[0] not in "/\\~" and ("/".join(parts) in listed("files") or parts[0] in _PRIVATE):
        return "/".join(parts)
    if (
        parts
        and parts[0] in _TORCH_FOLDERS
        and path[0] not in "/\\~"
        and ((parts[1:2] and parts[1][:1] == "_") or _all_known(parts[1:]))
    ):
        return "/".join(parts)
    return None


def _all_known(parts: list[str]) -> bool:
    return all(
        stem in usual() or stem in always() or is_plain(stem)
        for part in parts
        for stem in [_ENDING.sub("", part)]
    )
