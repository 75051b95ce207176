"""What usually helps against recompiles, unless the log says that it is done already or cannot help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.guard_changes import constants, others_than_autograd
from tlparse_bundle.statements.recompile_causes import Cause, asked
from tlparse_bundle.statements.settings import settings
from tlparse_bundle.statements.statement import Remedy


def remedies(facts: Facts, cause: Cause, name: str | None) -> list[Remedy]:
    """Ours, in words and as code; ``name`` is what the user calls the source."""
    if cause.reason is None:
        return []
    make = _REMEDIES.get(_kind(facts, cause) or "")
    remedy = make(facts, cause, (name or "x").replace("`", "'")) if make else None
    return [remedy] if remedy else []


def _kind(facts: Facts, cause: Cause) -> str | None:
    """What the table of causes has for most of these."""
    if cause.change == "dispatch_keys":
        return "dispatch_keys"
    rows, table, everything = facts.once(_cause_ids), facts.table("recompile_causes"), facts.once(asked)
    ids = (rows.get(everything[number].row["event"]) for number in cause.rows)
    cause_rows = (table[id_] for id_ in ids if id_ is not None)
    kinds = Counter(
        row["remedy"] for row in cause_rows if row["change"] == cause.change
    )  # the table takes the newest result, near or not
    return kinds.most_common(1)[0][0] if kinds else _BY_KIND.get(cause.change)


def _cause_ids(facts: Facts) -> dict[int, int]:
    """Return the cause of each recompile, by its record."""
    return {row["event"]: row["cause"] for row in facts.table("recompiles")}


def _mark_dynamic(facts: Facts, cause: Cause, name: str) -> Remedy | None:
    index = cause.dimension
    small, others = _by_size(cause)
    if small and others < 2:
        return _mark_unbacked(facts, cause, name)
    if _is_constant(facts, cause, name):
        return Remedy(
            "torch made the dimension dynamic, and something in the program made it a constant again: change"
            " that, or pass few sizes."
        )
    if _is_static(facts, cause):
        return Remedy(
            "The log has automatic dynamic shapes off, as `torch.compile(dynamic=False)` has it: each size"
            " makes a compile. Leave that out."
        )
    apart = " The sizes 0 and 1 have a compile of their own all the same." if small else ""
    return Remedy(
        "Mark the dimension as dynamic before the call, or compile with"
        f" `torch.compile(dynamic=True)`.{apart}",
        None if index is None else f"torch._dynamo.mark_dynamic({name}, {index})",
    )


def _by_size(cause: Cause) -> tuple[bool, int]:
    """Whether 0 or 1 is among the values, and how many others there are."""
    values = {value for value in cause.values if type(value) is int}
    return not values.isdisjoint((0, 1)), len(values - {0, 1})


def _is_constant(facts: Facts, cause: Cause, name: str) -> bool:
    return (cause.function, name, cause.dimension) in facts.once(constants)


def _is_static(facts: Facts, cause: Cause) -> bool:
    """Whether no size becomes dynamic by itself, as the log has it for the last of these compiles."""
    last = facts.once(asked)[cause.rows[-1]]
    automatic = facts.once(settings).value_at(last.compile_index, "dynamo_config", "automatic_dynamic_shapes")
    return automatic is False


def _mark_unbacked(facts: Facts, cause: Cause, name: str) -> Remedy | None:
    if cause.dimension is None:
        return None
    return Remedy(
        "torch compiles for the sizes 0 and 1 apart, also where a dimension is dynamic. If that is not"
        " wanted, make the dimension unbacked.",
        f"torch._dynamo.decorators.mark_unbacked({name}, {cause.dimension})",
    )


def _dynamic_int(facts: Facts, cause: Cause, name: str) -> Remedy | None:
    if facts.once(settings).value("dynamo_config.specialize_int") is True:
        return Remedy(
            "Let torch treat integers as dynamic: the log has `specialize_int` on.",
            "torch._dynamo.config.specialize_int = False",
        )
    small, others = _by_size(cause)
    if small and others < 2:
        return Remedy(
            "torch compiles for the integers 0 and 1 apart, also where an integer is dynamic. If that is not"
            " wanted, pass the number as a tensor."
        )
    if _is_constant(facts, cause, name):
        return Remedy(
            "torch made the integer dynamic, and something in the program made it a constant again, as"
            " `range(n)` does: change that, or pass few values."
        )
    if _is_static(facts, cause):
        return Remedy(
            "The log has automatic dynamic shapes off, as `torch.compile(dynamic=False)` has it: each integer"
            " makes a compile. Leave that out."
        )
    return Remedy(
        "Compile with `torch.compile(dynamic=True)`, so that the integer is dynamic from the first"
        " compile on."
    )


def _dispatch_keys(facts: Facts, cause: Cause, name: str) -> Remedy:
    if others_than_autograd(cause.values):
        return Remedy("Pass inputs on one device and of one kind, or compile a function for each.")
    return Remedy(
        "Call it with inputs that were made under one grad or inference mode: those of `torch.inference_mode`"
        " make a compile of their own."
    )


def _static_shapes(facts: Facts, cause: Cause, name: str) -> Remedy | None:
    if facts.once(settings).value("dynamo_config.force_parameter_static_shapes") is False:
        return None
    return Remedy(
        "Sizes of parameters are taken for constants.",
        "torch._dynamo.config.force_parameter_static_shapes = False",
    )


def _text(text: str) -> Callable[[Facts, Cause, str], Remedy]:
    return lambda facts, cause, name: Remedy(text.replace("NAME", name))


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
    "dispatch_keys": _dispatch_keys,
    "mark_unbacked": _mark_unbacked,
    "dynamic_int": _dynamic_int,
    "force_parameter_static_shapes": _static_shapes,
    "use_duck_shape": lambda facts, cause, name: Remedy(
        "Equal sizes were taken for one symbol.", "torch.fx.experimental._config.use_duck_shape = False"
    ),
    "same_layout": _text("Pass inputs of one memory layout, for instance by `.contiguous()`."),
    "same_rank": _text("Pass inputs with the same number of dimensions, or compile a function for each."),
    "same_dtype": _text(
        "Pass inputs of one dtype: convert them before the call, or compile a function for each."
    ),
    "same_device": _text("Pass inputs on one device."),
    "same_grad_mode": _text(
        "Call it under one grad mode; inputs that need a gradient now and then make a compile each."
    ),
    "tensor_argument": _text("Pass the number as a tensor, so that its value is no constant of the code."),
    "few_values": _text(
        "Each value of `NAME` makes a compile of its own. That is fine for a few values; otherwise take the"
        " branch outside of the compiled function."
    ),
    "same_type": _text("Pass arguments of one type."),
    "same_object": _text(
        "If the object is made anew for each call, make it once, for instance a function in a function."
        " Objects that have to differ make a compile each."
    ),
    "same_structure": _text("Pass containers of one length and with the same keys."),
    "no_aliasing": _text("Pass inputs that do not share memory, for instance a `.clone()`."),
    "same_global_state": _text(
        "Call it under one global state: grad mode, autocast, default dtype, number of threads."
    ),
    "same_backend": _text("Make the backend object once and pass it to every `torch.compile`."),
}
