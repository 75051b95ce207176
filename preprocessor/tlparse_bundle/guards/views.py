"""Inputs that were computed from others: views, and results that autograd knows.

Code with dynamic sizes also has guards on the sizes of the bases of views.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tlparse_bundle.guards.expressions import normalised


class View(NamedTuple):
    """A view: the dimensions of it and of its base that are equal, and the sizes of the base."""

    equal: frozenset[tuple[int, int]]
    base: tuple[Any, ...]


def views_of(tensors: Iterable[Mapping[str, Any]]) -> dict[str, View]:
    """Return the inputs of a call that are views, by source, from its rows of ``tensors``.

    Code with dynamic sizes for a view does not fit a tensor that is none, nor a view that shares different
    sizes with its base: torch adds guards such as ``x._base.size()[0] == x.size()[0]``.
    """
    found: dict[str, View] = {}
    shapes: dict[tuple[Any, Any], Sequence[Any]] = {}  # by the numbers of tensors
    for row in tensors:  # a base comes before its views
        shape = row["shape"] or ()
        shapes[row["describer_id"], row["tensor_id"]] = shape
        base = shapes.get((row["describer_id"], (row["other"] or {}).get("base")), ())
        equal = ((mine, its) for mine, size in enumerate(shape) for its, at in enumerate(base) if size == at)
        if row["is_view"]:
            view = View(frozenset(equal), tuple(base))
            found |= dict.fromkeys(map(normalised, filter(None, row["sources"])), view)
    return found


def results_of(tensors: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return the inputs of a call that require gradients because autograd computed them, by source, from its
    rows of ``tensors``: they are not leaves. In another grad mode they would not.
    """
    rows = (row for row in tensors if row["requires_grad"] and not row["is_leaf"])
    return frozenset(normalised(source) for row in rows for source in row["sources"] if source)
