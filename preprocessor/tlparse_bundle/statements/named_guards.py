"""The guard of a cache entry that torch names as the reason why a call did not fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tlparse_bundle.guards.inputs import local_name
from tlparse_bundle.guards.predicates import Predicate
from tlparse_bundle.guards.savings import Compiled
from tlparse_bundle.guards.tensor_patterns import tensor_pattern
from tlparse_bundle.statements.clearer_reasons import NOT_FOUND
from tlparse_bundle.statements.guard_changes import NO_BASE, shown_guard
from tlparse_bundle.statements.recompile_causes import UNEXPLAINED

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import RecompileReasonsRow

# Reasons that name an object that torch could not read, by its source.
_ACCESSES = (NOT_FOUND, "IndexError on ", "CodeGuardAccessor: Not a function on ")
_OF_TENSORS = frozenset(
    ("size", "stride", "rank", "dtype", "device", "requires_grad", "dispatch_keys", "type")
)

_BASE = "_base"  # of a view


def checked_without_guard(reason: RecompileReasonsRow) -> str | None:
    """Return what a reason is about that is in no guard of the log: a container, whose length torch can
    check, or the base of a view; None for an object that was deallocated, or where nothing failed.
    """
    if NO_BASE.fullmatch(reason["guard"]):
        return _BASE
    if not reason["source"] or reason["guard"].startswith(UNEXPLAINED):
        return None
    return local_name(reason["source"])


class NamedGuards:
    """The guards that torch names, of one code object. ``guard``: returns a guard by its id."""

    def __init__(self, guard: Callable[[int], Predicate]):
        self._guard = guard
        self._by_entry: dict[str, dict[str, int]] = {}  # see _keys_of

    def clear(self) -> None:
        """Forget the entries of the last code object."""
        self._by_entry.clear()

    def of(self, entry: Compiled, reason: RecompileReasonsRow) -> int | None:
        """Return the guard of an entry that torch names in a reason; None when it is not found."""
        text, source = reason["guard"], local_name(reason["source"] or "")
        if text.startswith("GLOBAL_STATE changed"):
            key = "GLOBAL_STATE"
        elif text.startswith("Duplicate tensor"):
            key = "NO_TENSOR_ALIASING"
        elif reason["change"] in _OF_TENSORS and f"tensor {source}" in self._keys(entry):
            key = f"tensor {source}"
        else:
            is_access = text.startswith(_ACCESSES)
            key = f"source {source}" if is_access else shown_guard(local_name(text))
        return self._keys(entry).get(key)

    def _keys(self, entry: Compiled) -> dict[str, int]:
        if entry.compile not in self._by_entry:
            self._by_entry[entry.compile] = self._keys_of(entry)
        return self._by_entry[entry.compile]

    def _keys_of(self, entry: Compiled) -> dict[str, int]:
        """Return the guards of an entry by what a reason says of them."""
        keys: dict[str, int] = {}
        for id_ in entry.guards:
            guard = self._guard(id_)
            source = local_name(guard.source or "")
            kind = "tensor" if guard.kind == "TENSOR_MATCH" else "source"
            keys.setdefault(f"{kind} {source}", id_)
            if (pattern := tensor_pattern(guard.text)) is not None:  # has the key of a dict, not its position
                keys.setdefault(f"tensor {local_name(pattern.source)}", id_)
            keys.setdefault(local_name(guard.text.partition(" (HINT: ")[0]), id_)
            keys.setdefault(guard.kind, id_)
        return keys
