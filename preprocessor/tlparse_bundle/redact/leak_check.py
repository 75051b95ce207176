"""Searches a redacted bundle for leaks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tlparse_bundle.bundle.codecs import codec_of
from tlparse_bundle.bundle.json_codec import loads
from tlparse_bundle.redact.log_rewriter import LogNames
from tlparse_bundle.redact.policy import Policy
from tlparse_bundle.redact.pseudonyms import public_part, usual, written_by_us
from tlparse_bundle.redact.text_rewriter import PATH, URL, WORD, anywhere, is_long
from tlparse_bundle.tables.rows import parse_rows

_OURS = "schemas.json"  # the same in each bundle of a version
# Tables and diagnostics cut long text: 'wrap' may come from 'wrapper'.
_CUT = re.compile(r"(?<=.{20})\w+(?:…|['\"])$|(?<=.{999})\w+$", re.DOTALL)


def left_over(folder: Path, log_names: LogNames, policy: Policy) -> list[str]:
    """Return names, paths and source lines of the logs that are still in a bundle; empty when it is safe to
    share.

    Words of torch, Python and this package may remain.
    """
    texts = [" ".join(str(path.relative_to(folder)) for path in folder.rglob("*"))]
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.startswith(_OURS):
            data = (
                codec_of(path.name).decode(path.read_bytes(), 1 << 30)
                if path.name != "manifest.json"
                else path.read_bytes()
            )
            texts += _texts(data, parse_rows if ".jsonl" in path.suffixes else loads)
    whole = "\n".join(texts)
    left: list[str] = []
    if "names" in policy.dropped:
        left += sorted(_names(whole, log_names)) + [
            path for path in log_names.paths if _is_telling(path) and path in whole
        ]
    if "source" in policy.dropped:
        lines = anywhere(line for line in log_names.source if is_long(line))
        left += sorted({match[0] for match in lines.finditer(whole)}) if lines else []
    return left


def _is_telling(path: str) -> bool:
    return len(re.findall(r"[\\/]", path)) > 1 and public_part(path) is None and len(path) > 5


def _without_public(match: re.Match[str]) -> str:
    return match[0] if public_part(match[0]) is None else " "


def _names(whole: str, log_names: LogNames) -> Iterator[str]:
    # Only torch's URLs stay.
    tokens = set(WORD.findall(PATH.sub(_without_public, URL.sub(" ", whole))))
    joined = (
        "_"
        + "__".join(
            token
            for token in tokens
            if token not in usual() and token not in written_by_us() and token not in log_names.of_torch
        )
        + "_"
    )  # names are parts of others, too
    for name in log_names.own:
        bare = name.strip("_")
        if name in written_by_us() or bare in written_by_us():
            continue
        if name in tokens or (
            name not in usual() and bare not in usual() and len(bare) > 3 and f"_{bare}_" in joined
        ):
            yield name


def _texts(data: bytes, parse: Callable[[bytes], Any]) -> Iterator[str]:
    """Yield the strings of JSON without cut words; else the text itself."""
    text = data.decode("utf-8", "surrogateescape")
    try:
        value = parse(data)
    except ValueError:
        yield text
        return
    yield from {_CUT.sub("", string) for string in set(_strings(value))}


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _strings(item)
