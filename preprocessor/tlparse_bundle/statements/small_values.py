"""Specializations to 0 or 1 that leave other values dynamic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlparse_bundle.statements.export_calls import stack
from tlparse_bundle.statements.facts import Facts

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import SpecializationsRow

_SMALL = ("0", "1")
_NEEDS_NUMBER = "guard_int"  # torch/fx/experimental/sym_node.py: what asks for the value itself


def small_values(facts: Facts) -> set[int]:
    """Return the specializations, by event, of sizes and numbers that are 0 or 1 in the call, where the code
    only asks whether they are: operations treat size 1 differently, for example to broadcast it. Other calls
    have a guard such as ``x.size()[0] != 1``.
    """
    return {row["event"] for row in facts.table("specializations") if _is_only_compared(facts, row)}


def _is_only_compared(facts: Facts, row: SpecializationsRow) -> bool:
    if row["value"] not in _SMALL or row["stack"] is None:
        return False
    return all(frame.name != _NEEDS_NUMBER for frame in stack(facts, row["stack"]))
