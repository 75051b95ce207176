"""What follows from what: only where there is a reason why it does."""

from __future__ import annotations

from tlparse_bundle.model.functions import resumed
from tlparse_bundle.ranks.sets import within

_ENDS = ("failure", "unfinished-compile", "never-began", "empty-log", "cut-log", "missing-rank")  # a rank goes no further
_BEHIND = ("never-began", "missing-compile", "collective-waits", "execution-order")  # what it then lacks
OF_OTHERS = (*_ENDS, "cached-before", "equal-logs")  # what can be the reason for statements about other sets of ranks
_OF_VERSION = ("graph", "guard", "recompile", "restart", "graph-break", "extra-compile", "missing-compile", "tensors", "straggler")
# Within one compile: what makes it another one, and what is seen of that.
_IN_COMPILE = {
    "graph-break": ("graph", "restart", "collectives", "tensors", "guard", "recompile"),
    "graph": ("collectives", "tensors", "guard", "recompile", "restart"),
    "collective-mismatch": ("collectives", "graph", "tensors"),
    "group-differs": ("collectives", "graph"),
    "collective-waits": ("collectives", "graph", "tensors"),
    "collectives": ("graph", "tensors"),
    "recompile": ("graph", "guard", "extra-compile"),
    "failure": ("graph", "restart", "graph-break", "missing-compile", "collectives", "tensors"),
}


def follows(effect: dict, cause: dict) -> bool:
    """Whether a statement follows from another one, both as ``Finder.statement`` makes them."""
    same = effect["ranks"] == cause["ranks"]
    if cause["kind"] in _ENDS and effect["kind"] in _BEHIND and within(effect["ranks"], cause["ranks"]):
        return _column(effect) >= _column(cause)
    if cause["kind"] == "cached-before" and effect["kind"] == "straggler":
        return within(effect["ranks"], cause["others"])
    if cause["kind"] == "equal-logs":
        return effect["kind"] == "rank-differs" and within(effect["ranks"], cause["ranks"])
    if cause["kind"] == "mixed-versions" and same:
        return effect["kind"] in _OF_VERSION
    if not same or effect["kind"] == cause["kind"] != "graph":
        return False
    if effect["kind"] in _IN_COMPILE.get(cause["kind"], ()) and _column(effect) == _column(cause):
        return True
    if cause["kind"] == "graph-break" and effect["kind"] in ("extra-compile", "execution-order"):
        return _is_rest(effect, cause)  # the rest of the function, which the others have not split
    if effect["kind"] == cause["kind"] == "graph":  # another input is handed on from graph to graph
        return _column(effect) > _column(cause) and bool(cause["details"]["inputs"] and effect["details"]["inputs"])
    return cause["kind"] == "extra-compile" and effect["kind"] == "execution-order" and effect["details"]["here_rank_compile"] == cause["rank_compile"]


def _is_rest(effect: dict, cause: dict) -> bool:
    return resumed(effect.get("function")) is not None and _column(effect) >= _column(cause)


def _column(statement: dict) -> int:
    return -1 if statement["rank_compile"] is None else statement["rank_compile"]
