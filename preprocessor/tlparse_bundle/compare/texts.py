"""When two texts of the compiler are the same in two runs: what machines, folders and moved lines make of them is left out."""

from __future__ import annotations

import re
from itertools import compress
from operator import ne

from tlparse_bundle.ranks.identity import Contents, comparable, on_device
from tlparse_bundle.read.rows import Artifact

_MOST_LINES = 100_000  # that are remembered
_MOST_PAIRS = 100_000
_PLACE = re.compile(rb"(# File: [^\n]*?):\d+( in )")  # an edit above moves it
_SYMBOL = re.compile(rb"\b[suz]\d+\b")  # torch/fx/experimental/symbolic_shapes.py: counted up to 2.7, then called after where they come from
_KERNEL_FILE = b"# kernel path: "  # a file of the cache: torch/_inductor/codegen/triton.py


class Texts(Contents):
    """Contents of texts of two runs. ``common``: hashes of payloads that both have as they are, when they are known; these are not read.

    The lines of graphs and code are nearly the same from one to the next, so that what was made of a line is remembered.
    """

    def __init__(self) -> None:
        super().__init__()
        self.common: set[str | None] = set()
        self._same: dict[tuple[str | None, str | None], bool] = {}  # recompiles make the same code again and again
        self._lines = {device: _Lines(device) for device in (False, True)}

    def __call__(self, artifact: Artifact) -> str | None:
        if artifact.sha256 in self.common:
            return artifact.sha256
        return None if artifact.is_left_out else super().__call__(artifact)

    def text(self, artifact: Artifact) -> bytes:
        text = artifact.bytes() or b""
        lines = b"\n".join(map(self._lines[on_device(text)].__getitem__, text.split(b"\n"))).rstrip(b"\n")
        if b"Sym(" not in lines:
            return lines
        names: dict[bytes, bytes] = {}
        return _SYMBOL.sub(lambda match: names.setdefault(match[0], b"s%d" % len(names)), lines)

    def same(self, one: Artifact, other: Artifact) -> bool:
        """Whether both hold the same, without making a hash of each."""
        if one.sha256 == other.sha256:
            return True
        pair = one.sha256, other.sha256
        if pair not in self._same:
            if len(self._same) >= _MOST_PAIRS:
                self._same.clear()
            self._same[pair] = self._alike(one, other)
        return self._same[pair]

    def _alike(self, one: Artifact, other: Artifact) -> bool:
        texts = [artifact.bytes() or b"" for artifact in (one, other)]
        ours, theirs = (text.split(b"\n") for text in texts)
        if len(ours) != len(theirs):
            return False
        different = list(compress(zip(ours, theirs), map(ne, ours, theirs)))
        lines = self._lines[any(map(on_device, texts))]
        return all(lines[mine] == lines[its] for mine, its in different)


class _Lines(dict[bytes, bytes]):
    """What of a line is compared, by the line. ``device``: whether it is of a text that names one."""

    def __init__(self, device: bool):
        super().__init__()
        self._device = device

    def __missing__(self, line: bytes) -> bytes:
        if len(self) >= _MOST_LINES:
            self.clear()
        if line.startswith(_KERNEL_FILE):
            found = _KERNEL_FILE
        else:
            found = comparable(line, self._device).rstrip()
            if b"# File: " in found:
                found = _PLACE.sub(rb"\1\2", found).lstrip()  # up to 2.8 with a space more, and lines that look empty have spaces
        self[line] = found
        return found
