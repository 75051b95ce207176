"""Sizes that were specialized because an operation combined their tensor with one of a constant size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tlparse_bundle.guards.expressions import normalised
from tlparse_bundle.guards.inputs import is_argument, local_name
from tlparse_bundle.statements.export_calls import Frame, stack
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.rows_by_compile import symbols_by_compile, tensors_by_compile

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import SpecializationsRow

# torch/_subclasses/fake_impls.py and torch/_refs/__init__.py: shapes that operations broadcast
_BROADCASTS = frozenset(("infer_size", "_broadcast_shapes", "broadcast_shapes", "_check_stack_inputs"))
_VIEWS = "_reshape_view_helper"  # torch/_refs/__init__.py: a view of one tensor with the sizes of another
# Sizes that operations (matmul, cat) or functions (embedding_bag, cross_entropy) want to be equal: a file and
# what it calls. Functions in C++, such as attention, have no frames.
_CHECKS = (
    ("torch/_meta_registrations.py", "_check"),
    ("torch/_prims/__init__.py", "_check"),
    ("torch/_decomp/decompositions.py", "_check"),
    ("torch/_refs/__init__.py", "_check"),  # expand_as
    ("torch/_refs/__init__.py", "guard_size_oblivious"),  # the same before torch 2.7
    ("torch/_subclasses/meta_utils.py", "guard_bool"),  # a gradient and its parameter
    ("torch/autograd/graph.py", "expect_true"),  # a gradient and its tensor
    ("torch/functional.py", "expect_true"),  # einsum
    ("torch/nn/functional.py", "_check_with"),
    ("torch/nn/functional.py", "__bool__"),
    ("torch/nn/functional.py", "guard_bool"),
    ("torch/nn/functional.py", "guard_or_false"),
    ("torch/_dynamo/utils.py", "guard_bool"),
)


def tied_sizes(facts: Facts) -> dict[int, list[str]]:
    """Return the specializations, by event, for which the program need not change, with the names of the
    arguments that have the size as a constant: an operation on two tensors specialized that of the other.

    An argument that is a tensor for the first time has constant sizes, which torch makes dynamic when they
    change (torch/_dynamo/variables/builder.py). With ``dynamic=True`` those of both are dynamic.
    """
    return _ties(facts, are_parameters=False)


def tied_to_parameters(facts: Facts) -> dict[int, list[str]]:
    """Return the same for arguments that are parameters, as those of an optimizer: torch keeps their sizes
    constant (torch/_dynamo/config.py, force_parameter_static_shapes).
    """
    others = facts.once(tied_sizes)
    return {event: names for event, names in facts.once(_parameters).items() if event not in others}


def tied_to_both(facts: Facts) -> set[int]:
    """Return the specializations, by event, for which both an argument and a parameter have the size."""
    return facts.once(tied_sizes).keys() & facts.once(_parameters).keys()


def origin(facts: Facts, row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the specialization that a row follows from: an operation combined its tensor with a result whose
    size another line made a constant before. Return the row itself when there is none.
    """
    if row["stack"] is None or not _compares_tensors(stack(facts, row["stack"])):
        return row
    earlier = (
        other
        for other in facts.table("specializations")
        if other["event"] < row["event"]
        and all(other[name] == row[name] for name in ("compile", "attempt", "value"))
    )
    first = next(iter(earlier), None)
    return row if first is None or _compares_tensors(stack(facts, first["stack"])) else first


def _parameters(facts: Facts) -> dict[int, list[str]]:
    return _ties(facts, are_parameters=True)


def _ties(facts: Facts, *, are_parameters: bool) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    by_value: dict[tuple[str | None, int | None, str | None], list[str]] = {}
    tied: dict[tuple[str | None, str], set[str]] = {}  # names of others, by compile and tensor
    untied: set[tuple[tuple[str | None, ...], int | None]] = set()  # made constants without them, too
    for row in facts.table("specializations"):
        # torch specializes the symbols that are equal to the first one, too ("find": ShapeEnv._find)
        key = row["compile"], row["attempt"], row["value"]
        is_equal = row["reason"] == "find"
        names = by_value.get(key, []) if is_equal else _tied_to(facts, row, tied, are_parameters)
        place = tuple(row["sources"]), row["user_stack"]
        if not names and not is_equal:
            untied.add(place)
        if names and place not in untied:
            found[row["event"]] = by_value[key] = names
            for tensor in _tensors(row):
                tied.setdefault((row["compile"], tensor), set()).update(names)
    return found


def _tensors(row: SpecializationsRow) -> set[str]:
    return {source.partition(".size()")[0] for source in row["sources"] if source}


def _tied_to(
    facts: Facts,
    row: SpecializationsRow,
    tied: Mapping[tuple[str | None, str], set[str]],
    are_parameters: bool,
) -> list[str]:
    """Return the names of the arguments that have the size as a constant. ``tied``: those of other sizes of
    a tensor, with which the program can compare its sizes itself.
    """
    if row["value"] is None or row["compile"] is None:
        return []
    own = _tensors(row)
    known = set[str]().union(*(tied.get((row["compile"], tensor), set()) for tensor in own))
    compares = _compares_tensors(stack(facts, row["stack"]))
    if not compares and not known:
        return []
    dynamic = {symbol["source"] for symbol in facts.once(symbols_by_compile).rows(row["compile"])}
    found: dict[str, None] = {}
    for tensor in facts.once(tensors_by_compile).rows(row["compile"]):
        sources = [source for source in tensor["sources"] if source and is_argument(normalised(source))]
        if not own.isdisjoint(sources) or tensor["is_parameter"] != are_parameters:
            continue
        for dimension, size in enumerate(tensor["shape"] or ()):
            places = {f"{source}.size()[{dimension}]" for source in sources}
            if str(size) == str(row["value"]) and dynamic.isdisjoint(places):
                found.update(dict.fromkeys(local_name(source) for source in sources))
    return [name for name in found if compares or name in known]


def _compares_tensors(frames: Sequence[Frame]) -> bool:
    """Whether torch specialized a size where an operation compares the sizes of its tensors."""
    return any(
        frame.name in _BROADCASTS
        or frame.name.startswith(_VIEWS)
        or any(caller.file.endswith(file) and frame.name == name for file, name in _CHECKS)
        for caller, frame in pairwise(frames)
    )
