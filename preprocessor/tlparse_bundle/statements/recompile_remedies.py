"""Fixes for recompiles, except those that the settings in the log rule out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from tlparse_bundle.base.wording import code
from tlparse_bundle.guards.inputs import is_of_module, local_name
from tlparse_bundle.statements.export_calls import stack
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.guard_changes import (
    Specialization,
    constant_of,
    source_name,
)
from tlparse_bundle.statements.recompile_causes import Cause, requested_recompiles
from tlparse_bundle.statements.recompile_savings import (
    Savings,
    is_markable,
    is_of_floats,
    saved_sentence,
    savings,
)
from tlparse_bundle.statements.settings import settings
from tlparse_bundle.statements.sizes import (
    has_condition_on_size,
    is_bounded,
    is_bounded_by_a_mark,
    is_dynamic_now,
    is_last_empty,
    is_last_skipped,
    is_marked_static,
    is_nested,
)
from tlparse_bundle.statements.source_places import is_of_program
from tlparse_bundle.statements.statement import Remedy
from tlparse_bundle.statements.user_code import package_of
from tlparse_bundle.statements.value_remedies import (
    few_values,
    is_learning_rate,
    same_dispatch_keys,
    same_global_state,
    same_object,
    same_requires_grad,
    same_structure,
    same_type,
    tensor_argument,
)
from tlparse_bundle.statements.wrapped_functions import WRAPPER

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import RecompileFixesRow


def remedies(facts: Facts, cause: Cause, name: str | None) -> list[Remedy]:
    """Return our fixes for a cause; ``name`` is the source as the user's code names it.

    A fix that would avoid no compile is not among them, where the log records the inputs of the calls.
    """
    if cause.reason is None:
        return []
    if cause.change == "size" and is_nested(facts, cause):
        return []  # the sizes of a nested tensor cannot be marked, and dynamic=True does not help
    if is_bounded_by_a_mark(cause):
        return [Remedy("Widen `min` and `max` of `torch._dynamo.mark_dynamic`, or leave them out.")]
    found = savings(facts, cause)
    is_kept = found is None or (found.own is not None and found.own["fix"] == "few_values")
    is_passed = not (cause.reason["source"] or "").startswith(("self.", "G[")) or is_learning_rate(cause)
    # Floats are replayed; one that decides the path recompiles also when it is dynamic.
    helps = found is None or not is_of_floats(cause) or bool(found.dynamic and found.dynamic["avoided"])
    is_dynamic = is_dynamic_now(facts, cause) and constant_of(facts, cause) is None
    if is_kept and not is_passed and is_dynamic and helps:
        return [
            Remedy(
                f"torch made `{_argument(name)}` dynamic. To make it dynamic from the first compile, use"
                " `torch.compile(dynamic=True)`."
            )
        ]
    is_parameter = cause.change == "size" and is_of_module(cause.reason["source"] or "")
    if found is None and is_last_skipped(facts, cause):
        return []
    if found is None or is_parameter:
        return _general(facts, cause, name)
    offered = []
    if found.own is not None and (found.own["avoided"] or found.own["is_minimum"] or found.together):
        remedy = _of_fix(facts, cause, found, name)
        offered += [_with_savings(facts, remedy, found.own, found)] if remedy else []
    elif cause.change in ("size", "value") and constant_of(facts, cause) is not None:
        return _general(facts, cause, name)
    elif found.dynamic is None and cause.change == "size" and not is_markable(facts, cause):
        offered.append(_ALL_DYNAMIC)
    if cause.change == "dispatch_keys" and not offered:
        return _general(facts, cause, name)
    if found.dynamic is not None and found.dynamic is found.best:
        everything = _NUMBERS_DYNAMIC if is_of_floats(cause) else _ALL_DYNAMIC
        offered.append(_with_savings(facts, everything, found.dynamic, found if found.own is None else None))
    return offered


def _with_savings(facts: Facts, remedy: Remedy, row: RecompileFixesRow, found: Savings | None) -> Remedy:
    """Add to a fix what it saves, alone and with others."""
    together, others = (found and found.together) or (None, [])
    saved = saved_sentence(row, together, [_fix_name(facts, other) for other in others])
    return replace(remedy, text=" ".join(filter(None, (remedy.text, saved))))


def _fix_name(facts: Facts, row: RecompileFixesRow) -> str:
    """Return a fix as part of a sentence. Reasons show which values are optional, and which containers have
    keys.
    """
    name, source = code(source_name(row["source"]) or ""), local_name(row["source"] or "")
    if row["fix"] == "few_values" and source in facts.once(_optional):
        return f"calls without {name}"
    if row["fix"] == "same_structure" and source in facts.once(_with_keys):
        return f"the same keys of {name}"
    return fix_name(row)


def _optional(facts: Facts) -> set[str]:
    """Return the arguments that are None in some calls only."""
    return {
        local_name(row["source"])
        for row in facts.table("recompile_reasons")
        if row["source"] and row["guard"] == f"{row['source']} is None"
    }


def _with_keys(facts: Facts) -> set[str]:
    """Return the dicts whose keys differ between calls."""
    rows = facts.table("recompile_reasons")
    return {local_name(row["source"]) for row in rows if row["source"] and row["change"] == "keys"}


def fix_name(row: RecompileFixesRow) -> str:
    """Return a fix as part of a sentence: "a dynamic `x.size(0)`"."""
    name = code(source_name(row["source"]) or "x")
    function = name.replace(".__code__`", "`")
    at = row["dimension"]
    forms = {
        "mark_dynamic": f"a dynamic `{name[1:-1]}.size({at})`",
        "mark_unbacked": f"an unbacked `{name[1:-1]}.size({at})`",
        "dynamic_true": "`dynamic=True`",
        "tensor_argument": f"{name} as a tensor",
        "few_values": f"a single value of {name}",
        "same_layout": f"one memory layout of {name}",
        "same_dtype": f"one dtype of {name}",
        "same_device": f"one device of {name}",
        "same_requires_grad": f"one `requires_grad` of {name}",
        "same_type": f"one type of {name}",
        "same_object": f"one function as {function}" if function != name else f"the same object for {name}",
        "same_structure": f"one length of {name}",
        "same_global_state": "one global state",
    }
    return forms[row["fix"] or ""]


def _of_fix(facts: Facts, cause: Cause, found: Savings, name: str | None) -> Remedy | None:
    """Return the text of the fix of a cause."""
    row, everything = found.own, found.dynamic
    assert row is not None
    if row["fix"] == "mark_dynamic":
        # What dynamic=True avoids is a lower bound, so nothing says that it avoids no compile.
        is_same = bool(row["avoided"]) and (everything is None or everything["avoided"] == row["avoided"])
        return _mark_as_dynamic(facts, cause, _argument(name), or_all=is_same)
    return _remedy(facts, cause, _FIXES.get(row["fix"] or "", row["fix"] or ""), name)


def _remedy(facts: Facts, cause: Cause, kind: str, name: str | None) -> Remedy | None:
    # What a function of torch gets, such as the module that it wraps, the program does not pass.
    if kind in _OF_PROGRAM and package_of(cause.function[0]) == "torch" and not is_learning_rate(cause):
        return None
    make = _REMEDIES.get(kind)
    return make(facts, cause, _argument(name)) if make else None


def _argument(name: str | None) -> str:
    return (name or "x").replace("`", "'")


def _general(facts: Facts, cause: Cause, name: str | None) -> list[Remedy]:
    """Return the usual fix for a cause."""
    remedy = _remedy(facts, cause, _kind(facts, cause) or "", name)
    return [remedy] if remedy else []


def _kind(facts: Facts, cause: Cause) -> str | None:
    """Return the most frequent fix of these recompiles in the table of causes."""
    if cause.change == "dispatch_keys":
        return "dispatch_keys"
    rows, table, everything = (
        facts.once(_cause_ids),
        facts.table("recompile_causes"),
        facts.once(requested_recompiles),
    )
    ids = (rows.get(everything[number].row["event"]) for number in cause.rows)
    cause_rows = (table[id_] for id_ in ids if id_ is not None)
    kinds = Counter(row["remedy"] for row in cause_rows if row["change"] == cause.change)
    return kinds.most_common(1)[0][0] if kinds else _BY_KIND.get(cause.change)


def _cause_ids(facts: Facts) -> dict[int, int]:
    """Return the cause of each recompile, by its record."""
    return {row["event"]: row["cause"] for row in facts.table("recompiles")}


def _mark_dynamic(facts: Facts, cause: Cause, name: str) -> Remedy | None:
    small, others = _by_size(cause)
    if small and others < 2:
        return _mark_unbacked(facts, cause, name)
    return _mark_as_dynamic(facts, cause, name)


def _mark_as_dynamic(facts: Facts, cause: Cause, name: str, *, or_all: bool = True) -> Remedy | None:
    """Return the fix of a size; ``or_all``: whether ``dynamic=True`` does the same."""
    index = cause.dimension
    small, _ = _by_size(cause)
    if is_marked_static(facts, cause):
        return Remedy("The program marks the dimension as static. Remove `torch._dynamo.mark_static`.")
    if (constant := constant_of(facts, cause)) is not None:
        return Remedy(
            f"{_when_dynamic(facts, cause, constant, 'dimension')}, but"
            f" {_specializing_line(facts, constant)} fewer sizes."
        )
    is_static = _is_static(facts, cause)
    if not is_markable(facts, cause):
        return _ALL_DYNAMIC
    apart = " Sizes 0 and 1 are still specialized." if small else ""
    argument = _unnamed_argument(cause, name)
    or_dynamic = ", or use `torch.compile(dynamic=True)`" if or_all else ""
    if argument is not None:  # not a name at the user's call
        return Remedy(
            f"Mark dimension {index} of {argument} as dynamic before the call, with"
            f" `torch._dynamo.mark_dynamic`{or_dynamic}.{apart}"
        )
    if is_static:
        return Remedy(
            "Automatic dynamic shapes are off, as with `torch.compile(dynamic=False)`, so each new size"
            f" triggers a recompile. Mark the dimension as dynamic before the call.{apart}",
            None if index is None else f"torch._dynamo.mark_dynamic({name}, {index})",
        )
    return Remedy(
        f"Mark the dimension as dynamic before the call{or_dynamic}.{apart}",
        None if index is None else f"torch._dynamo.mark_dynamic({name}, {index})",
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
    frames = stack(facts, row["user_stack"])
    own = next((frame for frame in reversed(frames) if is_of_program(frame.file)), None)
    at = own or (frames[-1] if frames else None)
    place = at and at.file and facts.short.place(at.file, at.line)
    where = f" at {code(place)}" if place else ""
    package = package_of(at.file) if at and own is None else None
    if package is not None:
        return f"{package} specialized it{where}. Pass"
    return f"the program specialized it{where}. Change that code, or pass"


def _is_static(facts: Facts, cause: Cause) -> bool:
    """Return whether automatic dynamic shapes were off in the last of these compiles."""
    last = facts.once(requested_recompiles)[cause.rows[-1]]
    automatic = facts.once(settings).value_at(last.compile_index, "dynamo_config", "automatic_dynamic_shapes")
    return automatic is False


def _mark_unbacked(facts: Facts, cause: Cause, name: str) -> Remedy | None:
    if (
        cause.dimension is None
        or not is_markable(facts, cause)
        or is_bounded(cause)
        or has_condition_on_size(facts, cause)
    ):
        return None
    argument = _unnamed_argument(cause, name)
    of = f" {cause.dimension} of {argument}" if argument else ""
    return Remedy(
        f"torch specializes sizes 0 and 1 even for a dynamic dimension. To avoid that, mark"
        f" {f'dimension{of}' if of else 'the dimension'} as unbacked"
        f"{', with `torch._dynamo.decorators.mark_unbacked`' if of else ''}.",
        None if of else f"torch._dynamo.decorators.mark_unbacked({name}, {cause.dimension})",
    )


def _dynamic_int(facts: Facts, cause: Cause, name: str) -> Remedy | None:
    if facts.once(settings).value("dynamo_config.specialize_int") is True:
        return Remedy(
            "`specialize_int` is on. Turn it off to let torch treat integers as dynamic.",
            "torch._dynamo.config.specialize_int = False",
        )
    if is_last_empty(facts, cause):
        return None
    if (constant := constant_of(facts, cause)) is not None:
        return Remedy(
            f"{_when_dynamic(facts, cause, constant, 'integer')}, but"
            f" {_specializing_line(facts, constant)} fewer values."
        )
    if _is_static(facts, cause):
        return Remedy(
            "Automatic dynamic shapes are off, so each new integer triggers a recompile. Remove"
            " `torch.compile(dynamic=False)`."
        )
    small, _ = _by_size(cause)  # torch/_dynamo/utils.py, is_int_specialization_case
    until = " Before torch 2.5, 0 and 1 are specialized even so." if small else ""
    return Remedy(
        f"Use `torch.compile(dynamic=True)` to make the integer dynamic from the first compile.{until}"
    )


def _static_shapes(facts: Facts, cause: Cause, name: str) -> Remedy | None:
    if facts.once(settings).value("dynamo_config.force_parameter_static_shapes") is False:
        return None
    return Remedy(
        "Let the sizes of parameters be dynamic, which takes both settings.",
        "torch._dynamo.config.force_parameter_static_shapes = False\n"
        "torch._dynamo.config.force_nn_module_property_static_shapes = False",
    )


def _text(text: str) -> Callable[[Facts, Cause, str], Remedy]:
    return lambda facts, cause, name: Remedy(text.replace("NAME", name))


_ALL_DYNAMIC = Remedy("Use `torch.compile(dynamic=True)` to make all sizes and integers dynamic.")
_NUMBERS_DYNAMIC = Remedy("Use `torch.compile(dynamic=True)` to make all sizes and numbers dynamic.")
_ORDINALS = ("first", "second", "third")
_OF_PROGRAM = ("few_values", "same_object", "same_rank", "same_structure", "same_type", "tensor_argument")
_FIXES = {"same_requires_grad": "same_grad_mode"}
_BY_KIND = {
    "size": "mark_dynamic",
    "stride": "same_layout",
    "rank": "same_rank",
    "dtype": "same_dtype",
    "device": "same_device",
    "type": "same_type",
    "requires_grad": "same_grad_mode",
    "identity": "same_object",
    "length": "same_structure",
    "global_state": "same_global_state",
    "flag": "few_values",
}
_REMEDIES: dict[str, Callable[[Facts, Cause, str], Remedy | None]] = {
    "mark_dynamic": _mark_dynamic,
    "dispatch_keys": same_dispatch_keys,
    "mark_unbacked": _mark_unbacked,
    "dynamic_int": _dynamic_int,
    "force_parameter_static_shapes": _static_shapes,
    "use_duck_shape": lambda facts, cause, name: Remedy(
        "Give equal sizes separate symbols.", "torch.fx.experimental._config.use_duck_shape = False"
    ),
    "same_layout": _text("Pass inputs with the same memory layout, for example with `.contiguous()`."),
    "same_rank": _text(
        "Pass inputs with the same number of dimensions, or compile a separate function for each."
    ),
    "same_dtype": _text("Pass inputs of the same dtype, or compile a separate function for each dtype."),
    "same_device": _text("Pass inputs on the same device."),
    "same_grad_mode": same_requires_grad,
    "tensor_argument": tensor_argument,
    "few_values": few_values,
    "same_type": same_type,
    "same_object": same_object,
    "same_structure": same_structure,
    "no_aliasing": _text("Pass inputs that do not share memory, for example a `.clone()`."),
    "same_global_state": same_global_state,
    "same_backend": _text("Create the backend object once and pass it to every `torch.compile`."),
}
