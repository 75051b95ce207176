"""Fixes for recompiles that are not about sizes: values, types, objects, containers, global state.

Each function returns the fix for a cause; ``name`` is what changed, as the user's code names it.
"""

from __future__ import annotations

import re

from tlparse_bundle.guards.inputs import CODE, is_of_module
from tlparse_bundle.statements.after_breaks import is_below_a_dispatch
from tlparse_bundle.statements.clearer_reasons import NOT_FOUND
from tlparse_bundle.statements.dispatch_keys import autocast_changed, is_of_transforms, others_than_autograd
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.guard_changes import is_of_modes, other_arguments
from tlparse_bundle.statements.recompile_causes import TENSOR, Cause, compiles_of, shown_value
from tlparse_bundle.statements.recompile_savings import NUMBER
from tlparse_bundle.statements.size_remedies import is_static
from tlparse_bundle.statements.sizes import is_dynamic_now, needs_number
from tlparse_bundle.statements.statement import Remedy

CAN_TOO = " can save one, too"
IN_OTHERS = " in others, which need a compile each."
_ATTRIBUTE = re.compile(r"\.\w+$")
_CHANGES = ("append", "appendleft", "extend", "insert", "pop", "popleft", "remove", "clear", "add", "update")
_WHOLE = re.compile(r"-?\d+")
# With foreach=True, Adam and AdamW accept a tensor only if they are capturable (torch/optim/adam.py).
_LEARNING_RATE = Remedy(
    "Create the optimizer with the learning rate as a tensor. Adam and AdamW with `foreach=True` also need"
    " `capturable=True` for that.",
    "lr=torch.tensor(0.01)",
)
_NUMBER_TYPES = {"<class 'int'>", "<class 'float'>"}
_ANY_OBJECT = re.compile(r"___check_obj_id\([^#]+, \d+\)\s*")  # until torch 2.9, which does not log its type
_FUNCTION = re.compile(r"type=<class '(?:function|method|builtin_function_or_method|code)'>")


def same_dispatch_keys(facts: Facts, cause: Cause, name: str) -> Remedy:
    frames = (facts.compiled.get((compile,)) for compile in compiles_of(facts, cause))
    if any(frame is not None and is_below_a_dispatch(facts, frame.rows[0]) for frame in frames):
        return Remedy(
            "Tensors have no autograd dispatch keys in `__torch_dispatch__`: calls from there and others"
            " need a compile each."
        )
    if is_of_transforms(cause):
        return Remedy(
            "Calls in `torch.func` transforms, such as `grad` and `vmap`, and other calls need a compile"
            " each. Compile the function that applies the transform instead."
        )
    if autocast_changed(cause) is not None:
        return Remedy(
            "Calls with and without autocast need a compile each. To save one, use it always or never."
        )
    if others_than_autograd(cause.values):
        return Remedy(
            "Pass inputs of the same device and tensor type, or compile a separate function for each."
        )
    return Remedy(
        "Create all inputs in the same grad or inference mode, and call the function in that mode."
        " `torch.inference_mode` needs a separate compile."
    )


def is_learning_rate(cause: Cause) -> bool:
    source = (cause.reason and cause.reason["source"]) or ""
    return "param_groups[" in source and source.endswith("['lr']")


def tensor_argument(facts: Facts, cause: Cause, name: str) -> Remedy | None:
    if is_learning_rate(cause):
        return _LEARNING_RATE
    if needs_number(facts, cause):
        return None
    return Remedy("Pass the number as a tensor, if the code that uses it accepts one.")


def is_optional(cause: Cause) -> bool:
    """Whether the value is None in some calls, and of one kind in the others."""
    return cause.values.keys() == {"None"} or (
        len(cause.values) == 2 and "<class 'NoneType'>" in cause.values
    )


def optional(name: str, what: str = "pass it always or never") -> Remedy:
    """Return the fix of an optional argument or attribute. ``what``: what to do to save a compile."""
    if _ATTRIBUTE.search(name):
        what = what.replace("passing", "setting").replace("pass", "set")
    return Remedy(f"Calls with and without `{name}` need a compile each. To save one, {what}.")


def same_type(facts: Facts, cause: Cause, name: str) -> Remedy:
    if is_optional(cause):
        return optional(name)
    if name == "self":
        return Remedy("Call it on objects of one class. Each class needs its own compile.")
    if name.startswith("self."):
        return Remedy(f"Each type of `{name}` needs a compile. Keep its type, if you can.")
    return Remedy("Pass arguments of the same type.")


def same_requires_grad(facts: Facts, cause: Cause, name: str) -> Remedy:
    if is_of_module((cause.reason and cause.reason["source"]) or ""):
        return Remedy(f"Keep `requires_grad` of `{name}` the same.")
    return Remedy(f"Pass `{name}` with the same `requires_grad` in each call.")


def same_object(facts: Facts, cause: Cause, name: str) -> Remedy:
    function = name.removesuffix(CODE)
    guard = cause.reason["guard"] if cause.reason is not None else ""
    if function != name or _FUNCTION.search(guard):
        return Remedy(
            f"Each different function that is passed as `{function}` needs its own compile. Create functions"
            " such as a `lambda` once and reuse them."
        )
    if (value := cause.instead_of_object) is not None:
        return Remedy(
            f"`{name}` is {shown_value(value)} in some calls and one object, such as `None`,{IN_OTHERS}"
        )
    if _ANY_OBJECT.fullmatch(guard):
        return Remedy(
            f"torch compares `{name}` by identity, as it does with `None`, `True` and `False`: each of them"
            " and each other object needs its own compile. If it is an object, create it once and reuse it."
        )
    if not name.isidentifier():
        return Remedy(
            f"Each different object in `{name}` needs its own compile. Keep the same one, if you can."
        )
    return Remedy(
        f"Each different object that is passed as `{name}` needs its own compile. If one object would do,"
        " create it once and reuse it."
    )


def few_values(facts: Facts, cause: Cause, name: str) -> Remedy:
    if is_learning_rate(cause):
        return _LEARNING_RATE
    if "type" in cause.changes and all(
        value in _NUMBER_TYPES or NUMBER.fullmatch(str(value)) for value in cause.values
    ):
        return Remedy(f"Pass `{name}` with one type: an `int` and a `float` need a compile each.")
    source = (cause.reason and cause.reason["source"]) or ""
    if source.startswith("G[") and all(NUMBER.fullmatch(str(value)) for value in cause.values):
        is_whole = all(_WHOLE.fullmatch(str(value)) for value in cause.values)
        return Remedy(
            f"Pass `{name}` as an argument that is a tensor, if the code that uses it accepts one."
            + (" Integers in global variables are always specialized." if is_whole else "")
        )
    if is_optional(cause):
        return optional(name)
    if TENSOR in cause.values and NUMBER.fullmatch(str(next(iter(cause.values)))):
        verb = "set it to a tensor" if _ATTRIBUTE.search(name) else "pass a tensor"
        return Remedy(
            f"Calls with a number and with a tensor as `{name}` need a compile each. To save one, always"
            f" {verb}."
        )
    is_number = any(NUMBER.fullmatch(str(value)) for value in cause.values) and not is_static(facts, cause)
    # Some values need no compile: numbers can become dynamic.
    if len(cause.changes) > 1 or is_number or is_dynamic_now(facts, cause):
        keep = f"Keep `{name}` the same" if _ATTRIBUTE.search(name) else f"Pass the same `{name}`"
        return Remedy(f"{keep}, or move the code that depends on it out of the function.")
    return Remedy(
        f"Each value of `{name}` needs a compile: if there are many, move the code that depends on it out of"
        " the compiled function."
    )


def same_global_state(facts: Facts, cause: Cause, name: str) -> Remedy:
    if is_of_modes(cause):
        return Remedy(
            "Call it under the same torch function modes each time. `with torch.device(…)` and"
            " `torch.set_default_device` add one."
        )
    return Remedy(
        "Call it with the same global state: grad mode, autocast, default dtype, number of threads."
    )


def same_backend(facts: Facts, cause: Cause, name: str) -> Remedy:
    if cause.reason is not None and other_arguments(cause.reason["guard"]) is not None:
        return Remedy(
            "Compile the function once. Each `torch.compile` with different arguments needs its own compiles."
        )
    return Remedy("Create the backend object once and pass it to every `torch.compile`.")


def _is_changed_by_code(cause: Cause, name: str) -> bool:
    """Whether the line of the guard changes the length of a container."""
    line = (cause.reason and cause.reason["source_line"]) or ""
    return any(f"{name}.{method}(" in line for method in _CHANGES)


def same_structure(facts: Facts, cause: Cause, name: str) -> Remedy | None:
    if cause.reason is not None and cause.reason["guard"].startswith(NOT_FOUND) and name[-1:] != "]":
        return Remedy(
            f"Set `{name}` before the first call, and keep its kind: a module or a plain attribute."
        )
    if ((cause.reason and cause.reason["source"]) or "").startswith("G["):
        advice = (
            ". Set its keys before the first call,"
            if cause.change == "keys"
            else ", so each of its lengths needs a compile. Change it"
        )
        return Remedy(f"The compiled code uses the global `{name}`{advice} outside the compiled function.")
    if name == "kwargs":
        return Remedy("Pass the same keyword arguments in each call.")
    if name.endswith(".__dict__"):
        return Remedy("Set the same attributes on each object before the first call.")
    if name.startswith("self.") and cause.change == "keys":
        return Remedy(
            f"Set the keys of `{name}` before the first call, or keep the code that uses it out of the"
            " compiled function."
        )
    if name.startswith("self.") or _is_changed_by_code(cause, name):
        return Remedy(
            f"Each length of `{name}` needs a compile. Keep its length, or keep the code that uses it out of"
            " the compiled function."
        )
    return Remedy("Pass containers with the same length and keys.")
