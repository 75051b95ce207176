"""When two texts of the compiler are the same in two runs: what machines, folders and moved lines make of them is left out."""

from __future__ import annotations

import re
from collections.abc import Collection

from tlparse_bundle.ranks.identity import Contents, comparable, on_device
from tlparse_bundle.read.reader import Log
from tlparse_bundle.read.rows import Artifact

_MOST_LINES = 100_000  # that are remembered
_PLACE = re.compile(rb"(# File: [^\n]*?):\d+( in )")  # an edit above moves it
_KERNEL_FILE = b"# kernel path: "  # a file of the cache: torch/_inductor/codegen/triton.py


class Texts(Contents):
    """Contents of texts of two runs. ``common``: hashes of payloads that both have as they are; these are not read.

    The lines of graphs and code are nearly the same from one to the next, so that what was made of a line is remembered.
    """

    def __init__(self, common: Collection[str] = ()):
        super().__init__()
        self._common = common
        self._lines: dict[tuple[bytes, bool], bytes] = {}

    def __call__(self, artifact: Artifact) -> str | None:
        return artifact.hash if artifact.hash in self._common else super().__call__(artifact)

    def text(self, artifact: Artifact) -> bytes:
        text = artifact.bytes() or b""
        device = on_device(text)
        return b"\n".join(self._line(line, device) for line in text.split(b"\n"))

    def same(self, one: Artifact, other: Artifact) -> bool:
        """Whether both hold the same, without making a hash of each."""
        if one.hash == other.hash:
            return True
        texts = [artifact.bytes() or b"" for artifact in (one, other)]
        device = any(map(on_device, texts))
        ours, theirs = (text.split(b"\n") for text in texts)
        different = [lines for lines in zip(ours, theirs) if lines[0] != lines[1]]
        return len(ours) == len(theirs) and all(self._line(mine, device) == self._line(its, device) for mine, its in different)

    def _line(self, line: bytes, device: bool) -> bytes:
        known = self._lines.get((line, device))
        if known is None:
            if len(self._lines) >= _MOST_LINES:
                self._lines.clear()
            known = _KERNEL_FILE if line.startswith(_KERNEL_FILE) else _PLACE.sub(rb"\1\2", comparable(line, device))
            self._lines[line, device] = known
        return known


def common_texts(one: Log, other: Log) -> set[str]:
    """Hashes of payloads that both logs have."""
    ours, theirs = (set(log.table("artifacts")["hash"]) for log in (one, other))
    return (ours & theirs) - {None}
