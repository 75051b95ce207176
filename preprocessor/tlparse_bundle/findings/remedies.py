"""What usually helps against recompiles, where the log does not say that it is done already or cannot help."""

from __future__ import annotations

from collections import Counter

from tlparse_bundle.findings.causes import Cause
from tlparse_bundle.findings.facts import Facts
from tlparse_bundle.findings.finding import Remedy


def remedies(facts: Facts, cause: Cause, name: str | None) -> list[Remedy]:
    """Ours, in words and as code; ``name`` is what the user calls the source."""
    if cause.reason is None:
        return []
    make = _REMEDIES.get(_kind(facts, cause) or "")
    remedy = make(facts, cause, (name or "x").replace("`", "'")) if make else None
    return [remedy] if remedy else []


def _kind(facts: Facts, cause: Cause) -> str | None:
    """What the recompile table has for most of these."""
    table = facts.table("recompiles")
    kinds = Counter(table["causes"][table["recompiles"][number]["cause_index"]]["remedy"] for number in cause.rows)
    return kinds.most_common(1)[0][0] if kinds else None


def _mark_dynamic(facts: Facts, cause: Cause, name: str) -> Remedy | None:
    index = cause.change["index"]
    if any(value in (0, 1) for value in cause.values if type(value) is int):
        return _mark_unbacked(facts, cause, name)
    if index is None:
        return Remedy("Mark the dimension as dynamic before the call, or compile with `torch.compile(dynamic=True)`.")
    return Remedy("Mark the dimension as dynamic before the call, or compile with `torch.compile(dynamic=True)`.", f"torch._dynamo.mark_dynamic({name}, {index})")


def _mark_unbacked(facts: Facts, cause: Cause, name: str) -> Remedy | None:
    if cause.change["index"] is None:
        return None
    return Remedy(
        "torch compiles for the sizes 0 and 1 apart, also where a dimension is dynamic. If that is not wanted, make the dimension unbacked.",
        f"torch._dynamo.decorators.mark_unbacked({name}, {cause.change['index']})",
    )


def _dynamic_int(facts: Facts, cause: Cause, name: str) -> Remedy | None:
    if facts.setting("dynamo_config.specialize_int") is True:
        return Remedy("Let torch treat integers as dynamic: the log has `specialize_int` on.", "torch._dynamo.config.specialize_int = False")
    return Remedy("Compile with `torch.compile(dynamic=True)`, so that the integer is dynamic from the first compile on.")


def _static_shapes(facts: Facts, cause: Cause, name: str) -> Remedy | None:
    if facts.setting("dynamo_config.force_parameter_static_shapes") is False:
        return None
    return Remedy("Sizes of parameters are taken for constants.", "torch._dynamo.config.force_parameter_static_shapes = False")


def _text(text: str):
    return lambda facts, cause, name: Remedy(text.replace("NAME", name))


_REMEDIES = {
    "mark_dynamic": _mark_dynamic,
    "mark_unbacked": _mark_unbacked,
    "dynamic_int": _dynamic_int,
    "force_parameter_static_shapes": _static_shapes,
    "use_duck_shape": lambda facts, cause, name: Remedy("Equal sizes were taken for one symbol.", "torch.fx.experimental._config.use_duck_shape = False"),
    "same_layout": _text("Pass inputs of one memory layout, for instance by `.contiguous()`."),
    "same_rank": _text("Pass inputs with the same number of dimensions, or compile a function for each."),
    "same_dtype": _text("Pass inputs of one dtype: convert them before the call, or compile a function for each."),
    "same_device": _text("Pass inputs on one device."),
    "same_grad_mode": _text("Call it under one grad mode; inputs that need a gradient now and then make a compile each."),
    "tensor_argument": _text("Pass the number as a tensor, so that its value is no constant of the code."),
    "few_values": _text("Each value of `NAME` makes a compile of its own. That is fine for a few values; otherwise take the branch outside of the compiled function."),
    "same_type": _text("Pass arguments of one type."),
    "same_object": _text("Pass the same object again instead of a new one, for instance a function that is made once."),
    "same_structure": _text("Pass containers of one length and with the same keys."),
    "no_aliasing": _text("Pass inputs that do not share memory, for instance a `.clone()`."),
    "same_global_state": _text("Call it under one global state: grad mode, autocast, default dtype, number of threads."),
    "same_backend": _text("Make the backend object once and pass it to every `torch.compile`."),
}
