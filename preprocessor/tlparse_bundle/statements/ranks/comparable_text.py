"""Compiler output without the parts that differ between equal ranks.

Device numbers differ between ranks, graph ids and addresses between processes, and paths of cache files and
checkouts between machines. The benchmark at the end of generated code contains the sizes of one call.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import Any, TypeVar

from tlparse_bundle.base.machine_text import ADDRESS, CACHE_NAME
from tlparse_bundle.bundle.row_objects import Artifact

_MAX_KEPT = 20_000  # results
Result = TypeVar("Result")

_DEVICE = re.compile(rb"\b(cuda|xpu|hpu|mtia|npu|privateuseone):\d+")
# torch/_inductor/codegen/wrapper.py and its device interfaces write only the number of the device.
_DEVICE_NUMBER = re.compile(
    rb"(_DeviceGuard\(|device_guard\(|set_device\(|get_raw_stream\(|raw_stream|\bstream|\bindex=|device_index=|DeviceGuard"
    rb" guard\()\d+"
)
_GRAPH_ID = re.compile(rb"(# graph id:) ?\d+")
# torch/_inductor/codegen/wrapper.py: counts the graphs of the process.
_AOT_ID = re.compile(rb"^# AOT ID: \['\d+_", re.MULTILINE)
_ADDRESS = re.compile(ADDRESS.encode() + rb"\b")
_SOURCE = re.compile(rb"(# File: )[^\n]*?([^/\n]+:\d+ in )")  # torch/fx/graph.py, print_readable
_CACHE_FILE = re.compile(CACHE_NAME.encode())  # the name depends on the device
# A call of a collective; its last argument is the name of the process group, which differs between the groups
# of a mesh (torch/distributed/_functional_collectives.py).
_GROUP_NAME = re.compile(rb"(c10d_functional[^\n]*?, ['\"])(\w+)(['\"]\))")
_NUMBER = re.compile(rb"(?<![\w.])-?\d+(?:\.\d+)?\b")
_TYPE_OR_NUMBER = re.compile(rb'"[^"\n]*"|' + _NUMBER.pattern)  # a type such as "f32[4, 8]"
_PATH = re.compile(rb"(?:/[\w.@+~-]+){2,}/([\w.@+~-]+)")
# Bytes that a text must contain for a pattern to match: finding bytes is faster than matching, and most lines
# contain none.
_DEVICES = (b"cuda:", b"xpu:", b"hpu:", b"mtia:", b"npu:", b"privateuseone:")
_BEFORE_NUMBERS = (b"uard(", b"set_device(", b"stream", b"index=")
# torch/_inductor/codegen/wrapper.py, generate_benchmark_harness: the last functions of a module.
_BENCHMARK = (b"\ndef get_args():\n    from torch._dynamo.testing", b"\ndef benchmark_compiled_module(")


def on_device(text: bytes) -> bool:
    """Return whether a text names a device by its number."""
    for name in _DEVICES:
        at = text.find(name)
        while at >= 0:
            if _DEVICE.match(text, at):
                return True
            at = text.find(name, at + 1)
    return False


def comparable(text: bytes, device: bool | None = None) -> bytes:
    """Return a text without the parts that differ between equal ranks.

    ``device``: for a part of a text, whether the whole text is ``on_device``.
    """
    for beginning in _BENCHMARK:
        text = text.partition(beginning)[0]
    if on_device(text) if device is None else device:
        if _has(text, _DEVICES):
            # A function is faster than a template, which is looked up for each line.
            text = _DEVICE.sub(lambda match: match[1] + b":*", text)
        if _has(text, _BEFORE_NUMBERS):
            text = _DEVICE_NUMBER.sub(lambda match: match[1] + b"*", text)
    if b"graph id:" in text:
        text = _GRAPH_ID.sub(rb"\1 *", text)
    if b"0x" in text:
        text = _ADDRESS.sub(b"0x*", text)
    if b"# AOT ID: " in text:
        text = _AOT_ID.sub(b"# AOT ID: ['*_", text)
    if b"c10d_functional" in text:
        text = _numbered_groups(text)
    if b"/" not in text:
        return text
    if b"# File: " in text:
        text = _SOURCE.sub(rb"\1\2", text)
    text = _CACHE_FILE.sub(b"c*", text)
    return _PATH.sub(lambda match: b"/~/" + match[1], text) if text.count(b"/") > 2 else text


def _numbered_groups(text: bytes) -> bytes:
    """Return a text with process groups numbered in order of first use."""
    numbers: dict[bytes, int] = {}
    return _GROUP_NAME.sub(
        lambda match: match[1] + b"group %d" % numbers.setdefault(match[2], len(numbers)) + match[3], text
    )


def _has(text: bytes, some: tuple[bytes, ...]) -> bool:
    for each in some:  # noqa: SIM110 - any() takes twice as long
        if each in text:
            return True
    return False


def without_constants(text: bytes) -> bytes:
    """Return a graph without the numbers outside types: "f32[4, 8]" keeps its sizes."""
    return _TYPE_OR_NUMBER.sub(lambda match: match[0] if match[0].startswith(b'"') else b"#", text)


def _hash_of(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:16]


class Contents:
    """Results of reading payloads, each distinct payload once for all logs."""

    def __init__(self) -> None:
        self._results: dict[tuple[str, Callable[[Artifact], Any]], Any] = {}  # by the hash of the payload

    def once(self, artifact: Artifact, read: Callable[[Artifact], Result]) -> Result | None:
        """Return the result of a function of a payload; None without one. Equal payloads are read once."""
        if artifact.sha256 is None:
            return None
        key = artifact.sha256, read
        if key not in self._results:
            if len(self._results) >= _MAX_KEPT:
                self._results.clear()
            self._results[key] = read(artifact)
        result: Result = self._results[key]
        return result

    def __call__(self, artifact: Artifact) -> str | None:
        """Return the hash of the comparable text of an artifact, 16 hex digits; None without a payload."""
        return self.once(artifact, self._hash)

    def without_numbers(self, artifact: Artifact) -> str | None:
        """Return a hash that graphs with different constants and sizes share; None without a payload."""
        return self.once(artifact, self._hash_without_numbers)

    def without_constants(self, artifact: Artifact) -> str | None:
        """Return a hash that graphs of equal sizes with different constants share; None without a payload."""
        return self.once(artifact, self._hash_without_constants)

    def _hash(self, artifact: Artifact) -> str:
        return _hash_of(self.text(artifact))

    def _hash_without_numbers(self, artifact: Artifact) -> str:
        return _hash_of(_NUMBER.sub(b"#", self.text(artifact)))

    def _hash_without_constants(self, artifact: Artifact) -> str:
        return _hash_of(without_constants(self.text(artifact)))

    def text(self, artifact: Artifact) -> bytes:
        """Return the part of the payload that is compared."""
        return comparable(artifact.bytes() or b"")
