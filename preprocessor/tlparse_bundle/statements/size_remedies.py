"""Fixes for recompiles because of sizes and integers."""

from __future__ import annotations

import re

from tlparse_bundle.base.wording import code
from tlparse_bundle.statements.export_calls import stack
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.guard_changes import (
    Constant,
    Specialization,
    constant_of,
    source_name,
    tied_places,
)
from tlparse_bundle.statements.nearest_entries import is_never_alone, is_whole_reason
from tlparse_bundle.statements.recompile_causes import Cause, causes, compiles_of, requested_recompiles
from tlparse_bundle.statements.recompile_savings import is_markable
from tlparse_bundle.statements.rows_by_compile import graphs_by_compile
from tlparse_bundle.statements.settings import settings
from tlparse_bundle.statements.sizes import (
    fails_when_dynamic,
    has_condition_on_size,
    is_bounded,
    is_last_empty,
    is_marked_static,
)
from tlparse_bundle.statements.source_places import is_of_program
from tlparse_bundle.statements.statement import Remedy
from tlparse_bundle.statements.tied_sizes import origin, tied_to_parameters
from tlparse_bundle.statements.user_code import package_of
from tlparse_bundle.statements.wrapped_functions import WRAPPER

ALL_DYNAMIC = Remedy("Use `torch.compile(dynamic=True)` to make all sizes and integers dynamic.")
# A tensor keeps its mark: with mark_dynamic, another compiled function that needs a constant would raise.
_MARK = "torch._dynamo.maybe_mark_dynamic"
DYNAMIC_PARAMETERS = Remedy(
    "Let the sizes of parameters be dynamic, which takes both settings.",
    "torch._dynamo.config.force_parameter_static_shapes = False\n"
    "torch._dynamo.config.force_nn_module_property_static_shapes = False",
)
_NORMALIZES = re.compile(r"\b(?:batch|group|instance)_norm\b")
ALL_AND_PARAMETERS_DYNAMIC = Remedy(
    "Use `torch.compile(dynamic=True)`, and let the sizes of parameters be dynamic, which takes both"
    " settings.",
    DYNAMIC_PARAMETERS.code,
)
UNLESS_NEEDED = ", unless an operation needs the size."
_ORDINALS = ("first", "second", "third")


def mark_dynamic(facts: Facts, cause: Cause, name: str) -> Remedy | None:
    small, others = _by_size(cause)
    if small and others < 2:
        return mark_unbacked(facts, cause, name)
    # torch makes the size a constant again where code combines it with one that has no mark.
    if (
        not is_static(facts, cause)
        and constant_of(facts, cause) is None
        and not is_whole_reason(facts, cause)
    ):
        return ALL_DYNAMIC
    return mark_as_dynamic(facts, cause, name)


def mark_as_dynamic(facts: Facts, cause: Cause, name: str, *, or_all: bool = True) -> Remedy | None:
    """Return the fix of a size; ``or_all``: whether ``dynamic=True`` does the same."""
    index = cause.dimension
    small, _ = _by_size(cause)
    if is_marked_static(facts, cause):
        return Remedy("The program marks the dimension as static. Remove `torch._dynamo.mark_static`.")
    if (constant := constant_of(facts, cause)) is not None:
        if constant["event"] in facts.once(tied_to_parameters):
            is_tied = _constant(facts, cause) in facts.once(tied_places)
            return ALL_AND_PARAMETERS_DYNAMIC if is_tied else static_shapes(facts, cause, name)
        if is_never_alone(facts, cause):
            return None
        return Remedy(
            f"{_when_dynamic(facts, cause, constant, 'dimension')}, but"
            f" {_specializing_line(facts, constant)} fewer sizes."
        )
    if not is_markable(facts, cause):
        return ALL_DYNAMIC
    apart = " Sizes 0 and 1 are still specialized." if small else ""
    argument = _unnamed_argument(cause, name)
    or_all = or_all and not fails_when_dynamic(facts, cause)
    or_dynamic = ", or use `torch.compile(dynamic=True)`" if or_all else ""
    if argument is not None:  # not a name at the user's call
        return Remedy(
            f"Mark dimension {index} of {argument} as dynamic before the call, with"
            f" `{_MARK}`{or_dynamic}.{apart}"
        )
    if is_static(facts, cause):
        text = (
            "Automatic dynamic shapes are off, as with `torch.compile(dynamic=False)`, so each new size"
            " triggers a recompile."
        )
        if is_never_alone(facts, cause):
            return Remedy(text)
        return Remedy(
            f"{text} Mark the dimension as dynamic before the call.{apart}",
            None if index is None else f"{_MARK}({name}, {index})",
        )
    return Remedy(
        f"Mark the dimension as dynamic before the call{or_dynamic}.{apart}",
        None if index is None else f"{_MARK}({name}, {index})",
    )


def _unnamed_argument(cause: Cause, name: str) -> str | None:
    """Return what to call an argument of a wrapper, such as ``args[0]``; None for one that has a name."""
    in_wrapper = WRAPPER.fullmatch(cause.function[1] or "")
    if not name.startswith(("args[", "___")) and not (in_wrapper and "[" in name):
        return None
    at = re.fullmatch(r"\w+\[([012])\]", name)
    return f"the {_ORDINALS[int(at[1])]} positional argument" if at else code(name)


def _by_size(cause: Cause) -> tuple[bool, int]:
    """Return whether 0 or 1 is among the values, and how many other values there are."""
    values = {value for value in cause.values if type(value) is int}
    return not values.isdisjoint((0, 1)), len(values - {0, 1})


def _when_dynamic(facts: Facts, cause: Cause, row: Specialization, noun: str) -> str:
    """Return that torch made a dimension or an integer dynamic, before the last recompile or in it."""
    last = facts.once(requested_recompiles)[cause.rows[-1]].row["compile"]
    if row["compile"] == last:
        return f"In `[{last}]`, torch made the {noun} dynamic"
    return f"The {noun} was dynamic"


def _specializing_line(facts: Facts, row: Specialization) -> str:
    """Return where the size or number was specialized, and the begin of what to do: "the program
    specialized it at `model.py:12`. Change that code, or pass".
    """
    frames = stack(facts, origin(facts, row)["user_stack"])
    own = next((frame for frame in reversed(frames) if is_of_program(frame.file)), None)
    at = own or (frames[-1] if frames else None)
    place = at and at.file and facts.short.place(at.file, at.line)
    where = f" at {code(place)}" if place else ""
    package = package_of(at.file) if at and own is None else None
    if package is not None or place is None:
        return f"{package or 'torch'} specialized it{where}. Pass"
    return f"the program specialized it{where}. Change that code, or pass"


def is_static(facts: Facts, cause: Cause) -> bool:
    """Return whether automatic dynamic shapes were off in all of these compiles."""
    requests, values = facts.once(requested_recompiles), facts.once(settings)
    return all(
        values.value_at(requests[number].compile_index, "dynamo_config", "automatic_dynamic_shapes") is False
        for number in cause.rows
    )


def is_specialized(facts: Facts, cause: Cause) -> bool:
    """Whether the program turned the size or number of a cause into a constant."""
    return cause.change in ("size", "value") and constant_of(facts, cause) is not None


def stated_constants(facts: Facts) -> set[Constant]:
    """Return the specialized sizes and numbers of which the remedy of a recompile says where."""
    return {
        _constant(facts, cause)
        for cause in facts.once(causes)
        if is_specialized(facts, cause) and not is_never_alone(facts, cause)
    }


def _constant(facts: Facts, cause: Cause) -> Constant:
    return cause.function, source_name(cause.reason and cause.reason["source"]), cause.dimension


def mark_unbacked(facts: Facts, cause: Cause, name: str) -> Remedy | None:
    if (
        cause.dimension is None
        or not is_markable(facts, cause)
        or is_bounded(cause)
        or has_condition_on_size(facts, cause)
        or _normalizes(facts, cause)
        or _is_listed(facts, cause, name)
    ):
        return None
    argument = _unnamed_argument(cause, name)
    of = f" {cause.dimension} of {argument}" if argument else ""
    return Remedy(
        f"torch specializes sizes 0 and 1 even for a dynamic dimension. To avoid that, mark"
        f" {f'dimension{of}' if of else 'the dimension'} as unbacked"
        f"{', with `torch._dynamo.decorators.mark_unbacked`' if of else ''}{UNLESS_NEEDED}",
        None if of else f"torch._dynamo.decorators.mark_unbacked({name}, {cause.dimension})",
    )


def _normalizes(facts: Facts, cause: Cause) -> bool:
    """Whether graphs of the function normalize over a batch or groups: they need more than one value for each
    channel, so torch breaks the graph at an unbacked size (torch/nn/functional.py, _verify_batch_size).
    """
    rows = (row for key in compiles_of(facts, cause) for row in facts.once(graphs_by_compile).rows(key))
    return any(_NORMALIZES.search(op) for row in rows for op in row["ops"] or ())


def _is_listed(facts: Facts, cause: Cause, name: str) -> bool:
    """Whether a graph break of the function is at a list of the tensor, which needs the size."""
    compiles = set(compiles_of(facts, cause))
    return any(
        f"{name}.tolist(" in (row["source_line"] or "") and not compiles.isdisjoint(row["compiles"])
        for row in facts.table("graph_breaks")
    )


def dynamic_int(facts: Facts, cause: Cause, name: str) -> Remedy | None:
    if facts.once(settings).value("dynamo_config.specialize_int") is True:
        return Remedy(
            "`specialize_int` is on. Turn it off to let torch treat integers as dynamic.",
            "torch._dynamo.config.specialize_int = False",
        )
    if is_last_empty(facts, cause):
        return None
    if (constant := constant_of(facts, cause)) is not None:
        if is_never_alone(facts, cause):
            return None
        return Remedy(
            f"{_when_dynamic(facts, cause, constant, 'integer')}, but"
            f" {_specializing_line(facts, constant)} fewer values."
        )
    if is_static(facts, cause):
        return Remedy(
            "Automatic dynamic shapes are off, so each new integer triggers a recompile. Remove"
            " `torch.compile(dynamic=False)`."
        )
    small, _ = _by_size(cause)  # torch/_dynamo/utils.py, is_int_specialization_case
    until = " Before torch 2.5, 0 and 1 are specialized even so." if small else ""
    return Remedy(
        f"Use `torch.compile(dynamic=True)` to make the integer dynamic from the first compile.{until}"
    )


def static_shapes(facts: Facts, cause: Cause, name: str) -> Remedy | None:
    if facts.once(settings).value("dynamo_config.force_parameter_static_shapes") is False:
        return None
    return DYNAMIC_PARAMETERS
