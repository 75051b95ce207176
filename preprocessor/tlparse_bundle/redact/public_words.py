"""The words that may stay: of Python, of torch's messages, keys and operators, and of what this package
reads.

Everything else is somebody's name, or a part of it, until the contrary is known. ``scripts/redact-words``
writes the lists.
"""

from __future__ import annotations

import builtins
import keyword
import re
import sys
from functools import cache
from importlib.resources import files

MAX_PLAIN = 2  # characters; a word of so few tells nothing
NUMBER = re.compile(
    r"0[xX][0-9a-fA-F]{1,16}|\d+(?:_\d+)*(?:[eE]\d*)?[jJlL]?|[suizf]\d{1,6}|\d{1,3}(?:[a-z]{1,2}\d?|(?:rc|dev|post)\d*)",
    re.ASCII,
)


@cache
def listed(name: str) -> frozenset[str]:
    """One of the lists: ours, prose, operators, torch; or the paths of torch's files: files."""
    return frozenset((files("tlparse_bundle.redact") / "words" / f"{name}.txt").read_text("utf-8").split())


@cache
def always() -> frozenset[str]:
    """Words that the readers of this package look for, names of torch's operators, and those of Python
    itself: they stay even where they are names.
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
    """Words of torch and of the standard library: they stay where the log does not use them as names of its
    own.
    """
    dunder = {
        name
        for kind in (object, type, int, str, list, dict, BaseException, type(always))
        for name in dir(kind)
    }
    return listed("torch") | set(sys.stdlib_module_names) | dunder


@cache
def written_by_us() -> frozenset[str]:
    """Words of which a bundle is full, whatever the log says: fields, sentences, descriptions."""
    return always() | listed("prose")


def is_plain(word: str) -> bool:
    """Numbers, and words that are too short to tell anything."""
    return len(word) <= MAX_PLAIN or NUMBER.fullmatch(word) is not None
