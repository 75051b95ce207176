"""Functions that a decorator's wrapper calls: torch reports the name of the wrapper."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tlparse_bundle.base.wording import code, listed
from tlparse_bundle.guards.inputs import local_name
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.source_places import is_of_program

WRAPPER = re.compile(r"_?(?:wrapper|wrapped|inner|decorated)\w*")
_ARGUMENT = re.compile(r"(?:kw)?args\b")
# torch shortens the files of guards: "utils/_pytree.py".
_TORCH = re.compile(
    r"torch[/\\]|_dynamo[/\\]|^<|^(?:utils[/\\]_|_functorch[/\\]|nn[/\\](?:modules[/\\]|functional\.py))"
)
_MOST = 3


def calls_text(facts: Facts, name: str | None, source: str | None, numbers: Iterable[int]) -> str | None:
    """Return which functions a wrapper calls in these compiles: "calls `train`"; None for other functions.

    ``source``: what the guard checks; ``numbers``: rows of ``Facts.compiles``. The guards of a compile have
    the function that each comes from.
    """
    if not WRAPPER.fullmatch(name or "") and not _ARGUMENT.match(local_name(source or "")):
        return None
    trees = facts.once(_trees)
    called = (_called(facts, trees.get(facts.compiles[number]["compile"]), name) for number in numbers)
    names = list(dict.fromkeys(code(one) for one in called if one is not None))
    return f"calls {listed(names, _MOST)}" if names else None


def _trees(facts: Facts) -> dict[str | None, list[int]]:
    """Return the guards of each compile."""
    return {tree["compile"]: tree["guards"] for tree in facts.table("guard_trees")}


def _called(facts: Facts, numbers: Iterable[int] | None, name: str | None) -> str | None:
    guards = facts.table("guards")
    for number in numbers or ():
        guard = guards[number]
        file, function = guard["file"], guard["function"]
        if (
            file is None
            or function is None
            or function.startswith(("<", "__"))
            or WRAPPER.fullmatch(function)
            or _TORCH.search(file)
            or not is_of_program(file)
        ):
            continue
        return function
    return None
