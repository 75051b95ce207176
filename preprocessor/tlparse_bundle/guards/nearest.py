"""The cache entry that came nearest to fit a call."""

from __future__ import annotations

from collections.abc import Sequence

from tlparse_bundle.guards.failing import Difference
from tlparse_bundle.guards.what_if import MAY_FAIL, CodeHistory

# Nothing else of an object is compared that has another type, rank or length.
_HIDES_OTHERS = frozenset(("type", "class", "rank", "length"))
STATES = {  # of the process, whose guards have no source
    "GLOBAL_STATE": "the global state",
    "TORCH_FUNCTION_MODE_STACK": "the torch function modes",
    "DEFAULT_DEVICE": "the default device",
}


def nearest_entry(history: CodeHistory, call: int, entries: Sequence[int]) -> int | None:
    """Return the entry that fails in the fewest things; of several, the one that torch tried first. None when
    the log does not have the input of the call, or the guards of an entry.

    ``entries``: in the order in which torch tried them. torch checks the global state first, and most guards
    of an entry for another state are not evaluated, so such entries come last.
    """
    if history.compiles[call].input is None or not all(history.compiles[one].guards for one in entries):
        return None
    failures = {entry: history.failed(call, entry) for entry in entries}
    # A guard that is not evaluated can have failed, too, unless the first entry has it as well.
    shared = {guard for guard, found in failures[entries[0]].items() if found is None} if entries else set()

    def distance(entry: int) -> tuple[bool, int]:
        failed = [guard for guard, found in failures[entry].items() if found is not None]
        unknown = sum(
            found is None and guard not in shared and history.guards[guard].kind in MAY_FAIL
            for guard, found in failures[entry].items()
        )
        differences = [one for guard in failed for one in failures[entry][guard] or ()]
        is_hiding = any(one.aspect in _HIDES_OTHERS for one in differences)
        if (call, entry) not in history.named:  # torch names a check of a container, which is no guard
            return any(map(is_of_state, failed)), len(_things(differences)) + unknown + 2
        return any(map(is_of_state, failed)), len(_things(differences)) + unknown + is_hiding

    def is_of_state(guard: int) -> bool:
        return history.guards[guard].kind in STATES

    return min(entries, key=distance, default=None)


def _things(differences: Sequence[Difference]) -> set[tuple[str, int | None]]:
    """Return what differs: sizes, and objects. The strides of a tensor follow from its sizes, and what an
    object has follows from which one it is.
    """
    sizes = {(one.source, one.dimension) for one in differences if one.aspect == "size"}
    of_sizes = {source for source, _ in sizes}
    sources = {
        one.source
        for one in differences
        if one.aspect != "size" and not (one.aspect == "stride" and one.source in of_sizes)
    }
    objects = {
        source
        for source in sources
        if not any(
            source != other and source.startswith((f"{other}.", f"{other}[")) for other in sources if other
        )
    }
    return sizes | {(source, None) for source in objects}
