"""Reasons of recompiles that say the same as torch's, in terms of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlparse_bundle.guards.inputs import local_name
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.rows_by_compile import guards_of, tensors_by_compile

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import RecompileReasonsRow

NOT_FOUND = "KeyError on "  # the start of a reason: torch did not find an item or an attribute
PARTS = {"a module": "_modules", "a parameter": "_parameters", "a buffer": "_buffers"}  # of a module


def clearer_reason(facts: Facts, compile: str | None, reason: RecompileReasonsRow) -> RecompileReasonsRow:
    """Return a reason of a recompile, in other terms where torch's say less than its guards."""
    if reason["change"] == "stride":
        return _of_size_1(facts, compile, reason)
    if reason["guard"].startswith(NOT_FOUND):
        return _of_none(facts, compile, reason)
    return reason


def _of_size_1(facts: Facts, compile: str | None, reason: RecompileReasonsRow) -> RecompileReasonsRow:
    """Return the reason about a stride of a dimension, or for one that now has the size 1, where a stride
    means nothing, the guard of the entry that the size is 2 or more. torch checks tensors first.
    """
    source, dimension = reason["source"] or "", reason["dimension"] or 0
    tensors = facts.once(tensors_by_compile).rows(compile or "")
    shapes = [row["shape"] or () for row in tensors if source in map(local_name, row["sources"])]
    if not any(list(shape[dimension : dimension + 1]) == [1] for shape in shapes):
        return reason
    wanted = f"2 <= {source}.size()[{dimension}]"
    texts = (local_name(guard["text"]) for guard in guards_of(facts, reason["entry"]))
    found = next((text for text in texts if text.startswith(wanted)), None)
    if found is None:
        return reason
    return {**reason, "guard": found, "change": "shape", "expected": None, "actual": 1}


def _of_none(facts: Facts, compile: str | None, reason: RecompileReasonsRow) -> RecompileReasonsRow:
    """Return the reason that torch did not find an attribute, or the guard that it is None where a module has
    a part of that name in the call: it keeps None as a plain attribute, and its parts apart from those.
    """
    owner, _, name = (reason["source"] or "").rpartition(".")
    wanted = f"{owner}.{name} is None"
    if wanted not in (local_name(guard["text"]) for guard in guards_of(facts, reason["entry"])):
        return reason
    sources = [local_name(guard["source"] or "") for guard in guards_of(facts, compile)]
    for part, place in PARTS.items():
        if any(source.startswith(f"{owner}.{place}['{name}']") for source in sources):
            return {**reason, "guard": wanted, "change": "value", "expected": "None", "actual": part}
    return reason
