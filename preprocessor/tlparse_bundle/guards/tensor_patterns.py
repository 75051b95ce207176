"""Guards on tensors: the tensors that they accept."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from tlparse_bundle.guards.expressions import NotSupported, normalised
from tlparse_bundle.guards.values import SHORT_DTYPES

_TENSOR = re.compile(
    r"check_tensor\((?P<source>.+), (?P<name>\w+), (?P<keys>DispatchKeySet\([^)]*\)), (?P<dtype>[\w.]+),"
    r" device=(?P<device>\w+), requires_grad=(?P<grad>True|False|\w+)"
    r", size=\[(?P<size>[^\]]*)\], stride=\[(?P<stride>[^\]]*)\]\)"
)
_NULLS = frozenset(("None", ""))


class TensorPattern(NamedTuple):
    """The tensors that a guard accepts. None in sizes and strides is any number, elsewhere unknown."""

    source: str
    name: str  # its class
    keys: str  # dispatch keys
    dtype: str
    device: str | None
    requires_grad: bool | None
    size: list[int | None]
    stride: list[int | None]

    def __str__(self) -> str:
        size, stride = (str(numbers) for numbers in (self.size, self.stride))
        grad = " requires_grad" if self.requires_grad else ""
        return f"{SHORT_DTYPES.get(self.dtype, self.dtype)}{size}{stride}{self.device or ''}{grad}"


@lru_cache(16_384)
def tensor_pattern(text: str) -> TensorPattern | None:
    """Parse the text of a tensor guard; None for other text."""
    match = _TENSOR.fullmatch(text)
    if match is None:
        return None
    try:
        size, stride = _dimensions(match["size"]), _dimensions(match["stride"])
    except NotSupported:
        return None
    grad = {"True": True, "False": False}.get(match["grad"])
    device = _device(match["keys"], match["device"])
    source = normalised(match["source"])
    return TensorPattern(source, match["name"], match["keys"], match["dtype"], device, grad, size, stride)


def _dimensions(text: str) -> list[int | None]:
    """Parse ``4, None``; None is a dynamic dimension, for which other guards decide."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    try:
        return [None if part in _NULLS else int(part) for part in parts]
    except ValueError:  # symbols, in some versions
        raise NotSupported(text[:200]) from None


def _device(keys: str, index: str) -> str | None:
    """Return the device that a tensor guard asks for: its kind is a dispatch key, its index is written."""
    first = keys.removeprefix("DispatchKeySet(").partition(",")[0].strip(") ").lower()
    if not first.isalpha():
        return None
    return first if index in _NULLS else f"{first}:{index}"


def other_device(actual: str, wanted: str) -> bool:
    """Whether two devices differ: 'cuda' is any of its kind."""
    kind, _, index = actual.partition(":")
    wanted_kind, _, wanted_index = wanted.partition(":")
    return kind != wanted_kind or bool(index and wanted_index and index != wanted_index)
