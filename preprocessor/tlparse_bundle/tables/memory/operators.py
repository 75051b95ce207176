"""What operators in generated code do to memory: which allocate nothing, and whose results are new memory."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tlparse_bundle.tables.memory.sizes import Number

# Allocate nothing, as measured (tests/tables/memory/measure.py): a result is written to `out`.
MATRIX_PRODUCTS = frozenset(("mm", "addmm", "bmm", "baddbmm"))
_SHORT_FLOATS = frozenset(("bfloat16", "float16", "half"))
_QUIET = frozenset(
    (
        "assert_alignment",
        "get_raw_stream",
        "torch.cuda.set_device",
        "torch.xpu.set_device",
        "torch.cuda._DeviceGuard",
        "torch.xpu._DeviceGuard",
        "aten.randint.low_out",
    )
)
_QUIET_METHODS = frozenset(("zero_", "copy_", "fill_"))
# Operators of torch whose results are their argument, or a view of it.
_VIEWS = frozenset(
    (
        *("alias", "as_strided", "chunk", "conj", "_conj", "contiguous", "detach", "diagonal", "expand"),
        *("imag", "lift_fresh", "movedim", "narrow", "_neg_view", "permute", "real", "reshape", "select"),
        *("slice", "split", "split_with_sizes", "squeeze", "t", "to", "transpose", "unbind", "unfold"),
        *("unsqueeze", "view", "view_as_complex", "view_as_real", "wait_tensor", "_reshape_alias", "set"),
    )
)
_PATH = re.compile(
    r"(?:torch\.ops\.)?(?P<space>aten|inductor|_c10d_functional|_quantized|prims)\.(?P<op>\w+)(?:\.\w+)?"
    r"|extern_kernels\.(?P<extern>\w+)"
    r"|aoti_torch_(?:cpu|cuda|xpu|mps)_(?P<shim>\w+)"
)


def operator_name(path: str) -> str | None:
    """Return 'topk' for 'torch.ops.aten.topk.default'; None when it is not an operator of torch."""
    match = _PATH.fullmatch(path)
    return match and (match["op"] or match["extern"] or match["shim"])


def is_matrix_product(path: str) -> bool:
    return path.startswith("extern_kernels.") and path[len("extern_kernels.") :] in MATRIX_PRODUCTS


def has_scratch(device: str | None, dtype: str | None) -> bool:
    """Return whether a matrix product with such a tensor may allocate memory besides its result: on a CPU,
    oneDNN multiplies short floats, with scratch memory that depends on the processor (measured).
    """
    return device is not None and device.startswith("cpu") and dtype in _SHORT_FLOATS


def is_quiet(path: str) -> bool:
    """Return whether a call allocates nothing."""
    space, _, method = path.rpartition(".")
    return path in _QUIET or path.endswith("grid") or (method in _QUIET_METHODS and space.isidentifier())


def returns_argument(path: str) -> bool:
    """Return whether a result of the operator shares memory with its first argument."""
    name = operator_name(path) or ""
    return name in _VIEWS or name.endswith("_")


def returns_new_memory(path: str) -> bool:
    """Return whether the results of the operator are new memory."""
    return operator_name(path) is not None and not returns_argument(path)


def is_plain(shape: Sequence[Number], stride: Sequence[Number]) -> bool:
    """Return whether a matrix product reads a tensor of these sizes as it is; others are copied first."""
    if len(shape) < 2 or len(stride) < 2:
        return True
    rows, columns = (size.value for size in shape[-2:])
    down, across = (step.value for step in stride[-2:])
    if rows is None or columns is None or down is None or across is None:
        return False
    return (across == 1 and (down >= columns or rows <= 1)) or (
        down == 1 and (across >= rows or columns <= 1)
    )
