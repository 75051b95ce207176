"""Values of a call as far as guards check them: tensors, containers, constants; and how to write them."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tlparse_bundle.base.errors import BundleError

# As torch shortens them (torch/utils/_dtype_abbrs.py).
DTYPES = {
    "b8": "torch.bool",
    "u8": "torch.uint8",
    "i8": "torch.int8",
    "i16": "torch.int16",
    "i32": "torch.int32",
    "i64": "torch.int64",
    "f16": "torch.float16",
    "bf16": "torch.bfloat16",
    "f32": "torch.float32",
    "f64": "torch.float64",
    "c64": "torch.complex64",
    "c128": "torch.complex128",
}
SHORT_DTYPES = {name: short for short, name in DTYPES.items()}
_TENSOR = re.compile(
    r"(?P<dtype>[a-z]+\d+)\[(?P<size>[\d, ]*)\](?:\[(?P<stride>[\d, ]*)\])?(?P<device>[a-z]+(?::\d+)?)?"
    r"(?P<grad> requires_grad)?"
)
_TENSOR_KEYS = frozenset(
    ("size", "stride", "dtype", "device", "requires_grad", "class", "object", "marks", "base")
)
_MAX_CALL = 100_000  # characters


@dataclass(frozen=True)
class Tensor:
    """A tensor argument; None for what is not known of it. ``name``: its class."""

    size: tuple[int, ...]
    stride: tuple[int, ...] | None = None
    dtype: str | None = None  # 'torch.float32'
    device: str | None = None  # 'cpu', 'cuda:0'
    requires_grad: bool | None = None
    name: str | None = None  # 'Tensor', 'Parameter'
    identity: int | None = None  # the same for arguments that are the same tensor
    marks: tuple[tuple[str, tuple[int, ...]], ...] | None = None  # dimensions marked 'dynamic', 'static', …
    base: Tensor | None = None  # of a view

    def __str__(self) -> str:
        short = SHORT_DTYPES.get(self.dtype or "", self.dtype or "?")
        parts = [short, str(list(self.size))]
        if self.stride is not None:
            parts.append(str(list(self.stride)))
        return "".join([*parts, self.device or "", " requires_grad" if self.requires_grad else ""])


@dataclass(frozen=True)
class Named:
    """A constant that has a name, such as ``torch.float32``."""

    name: str


class JsonList(list[Any]):
    """A list or a tuple of the call, which JSON does not tell apart."""


class JsonDict(dict[str, Any]):
    """A dict or an object with attributes. In JSON the keys of a dict are texts."""


def contiguous(size: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides of a contiguous tensor: those that ``torch.empty(size)`` has."""
    strides: list[int] = []
    step = 1
    for length in reversed(size):
        strides.append(step)
        step *= max(length, 1)
    return tuple(reversed(strides))


def parse_call(text: str) -> dict[str, Any]:
    """Parse the inputs of a call, such as ``x=f32[8, 4], n=5, flag=True``. Return {source: value}.

    A tensor is written as in torch's graphs: dtype, size, then stride and device where they matter:
    ``f32[8, 4][1, 8]cuda:0``; ``requires_grad`` may follow after a space. Other values are Python literals.

    Raises BundleError for text of a different form.
    """
    inputs: dict[str, Any] = {}
    for part in _split(text[:_MAX_CALL]):
        name, separator, value = part.partition("=")
        if not separator or not name.strip():
            raise _bad(part.strip() or text)
        inputs[name.strip()] = _value(value.strip())
    return inputs


def from_json(call: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs of a call in JSON: tensors are objects with size, stride, dtype, device and
    requires_grad; other values are as they are.
    """
    return {name: _of_json(value) for name, value in call.items()}


def _of_json(value: Any) -> Any:
    if isinstance(value, list):
        return JsonList(map(_of_json, value))
    if not isinstance(value, dict):
        return value
    if "size" not in value or not _TENSOR_KEYS.issuperset(value):
        return JsonDict({key: _of_json(item) for key, item in value.items()})
    size, stride, dtype = value["size"], value.get("stride"), value.get("dtype")
    if not _are_sizes(size) or not (stride is None or (_are_sizes(stride) and len(stride) == len(size))):
        raise _bad(str(value))
    base = _of_json(value.get("base"))
    return Tensor(
        tuple(size),
        contiguous(tuple(size)) if stride is None else tuple(stride),
        DTYPES.get(str(dtype), dtype),
        value.get("device"),
        value.get("requires_grad"),
        value.get("class"),
        value.get("object"),
        _marks(value.get("marks")),
        base if isinstance(base, Tensor) else None,
    )


def _marks(value: Any) -> tuple[tuple[str, tuple[int, ...]], ...] | None:
    if value is None:
        return None
    if not isinstance(value, dict) or not all(map(_are_sizes, value.values())):
        raise _bad(str(value))
    return tuple((name, tuple(dimensions)) for name, dimensions in sorted(value.items()))


def _are_sizes(value: Any) -> bool:
    return isinstance(value, list) and all(type(number) is int for number in value)


def _split(text: str) -> list[str]:
    """Split at commas outside of brackets and quotes."""
    parts, depth, quote, start = [], 0, "", 0
    escaped = False
    for place, character in enumerate(text):
        if quote:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == quote:
                quote = ""
        elif character in "'\"":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    parts.append(text[start:])
    return parts if parts[-1].strip() or len(parts) == 1 else parts[:-1]


def _value(text: str) -> Any:
    tensor = _TENSOR.fullmatch(text)
    if tensor:
        if tensor["dtype"] not in DTYPES:
            raise BundleError(
                f"unknown dtype '{tensor['dtype']}' in '{text}'",
                hint=f"Use one of: {', '.join(DTYPES)}.",
                code="bad-call",
                exit_code=2,
            )
        size = _integers(tensor["size"])
        stride = contiguous(size) if tensor["stride"] is None else _integers(tensor["stride"])
        if len(stride) != len(size):
            raise BundleError(
                f"'{text}' has {len(size)} sizes and {len(stride)} strides",
                hint="Give one stride for each size, or none.",
                code="bad-call",
                exit_code=2,
            )
        return Tensor(size, stride, DTYPES[tensor["dtype"]], tensor["device"], tensor["grad"] is not None)
    if re.fullmatch(r"torch\.\w+", text):
        return Named(text)
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        raise _bad(text) from None


def _integers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(",") if part.strip())


def _bad(text: str) -> BundleError:
    return BundleError(
        f"'{text[:100]}' is not an input of a call",
        hint="Write for example: --call 'x=f32[8, 4], n=5, flag=True, how=\"mean\"'",
        code="bad-call",
        exit_code=2,
    )


def is_contiguous(tensor: Tensor) -> bool:
    """Whether ``.contiguous()`` leaves a tensor as it is: strides of dimensions of size 1 do not matter."""
    step = 1
    for size, stride in zip(reversed(tensor.size), reversed(tensor.stride or ()), strict=False):
        if size != 1 and stride != step:
            return 0 in tensor.size
        step *= size
    return True


def is_dense(tensor: Tensor, like: Tensor | None) -> bool:
    """Whether the strides of a tensor follow from its sizes, with dimensions in the order of another."""
    if like is None or tensor.stride is None or like.stride is None or len(like.size) != len(tensor.size):
        return False
    steps = like.stride
    step = 1
    for dimension in sorted(range(len(steps)), key=lambda dimension: (steps[dimension], -dimension)):
        if tensor.stride[dimension] != step and tensor.size[dimension] > 1:
            return False
        step *= max(tensor.size[dimension], 1)
    return True
