"""When a recorded call is the same as a call in compiled code, or as a recorded call of a different rank."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import prod
from typing import TYPE_CHECKING

from tlparse_bundle.statements.kinds.collectives import kind_of
from tlparse_bundle.statements.ranks.collective_calls import Call

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import FlightRecorderCallsRow

# Their sizes may differ between ranks.
_UNEVEN = ("all_to_all", "gather", "scatter", "_v", "coalesced")
_EVEN = ("all_gather", "reduce_scatter")


def fits(row: FlightRecorderCallsRow, call: Call) -> bool:
    """Return whether a recorded call can be this call of compiled code. What one lacks does not count."""
    kind = kind_of(call.op)
    if kind is None or kind != kind_of(row["operation"].lower().replace("allreduce", "all_reduce")):
        return False
    if call.group is not None and call.group != row["group"]:
        return False
    expected = _input_count(call, kind)
    return expected is None or not row["input_sizes"] or expected == count(row["input_sizes"])


def _input_count(call: Call, kind: str) -> int | None:
    """Return the number of elements of the input; None when it is not known."""
    if kind == "all_to_all" or call.shape is None:
        return None
    sizes = [size for size in call.shape if isinstance(size, int)]
    if len(sizes) < len(call.shape):
        return None
    if kind not in _EVEN:
        return prod(sizes)
    if not call.group_size:
        return None
    return prod(sizes) // call.group_size if kind == "all_gather" else prod(sizes) * call.group_size


def count(sizes: Sequence[Sequence[int]]) -> int:
    """Return the number of elements of some tensors."""
    return sum(prod(size) for size in sizes)


def must_agree(row: FlightRecorderCallsRow) -> Hashable:
    """Return what all ranks of a group must have in common in a call: operation, elements and types."""
    operation = row["operation"]
    is_even = any(kind in operation for kind in _EVEN) and not operation.endswith("_v")
    if not is_even and any(part in operation for part in _UNEVEN):
        return (operation,)
    return operation, count(row["input_sizes"]), tuple(row["input_dtypes"])
