"""Fixes for recompiles, except those that the settings in the log rule out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from tlparse_bundle.guards.inputs import is_of_module, local_name
from tlparse_bundle.statements.after_breaks import COMPILED_BY_TORCH
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.fix_names import first_value, fix_name, whole_fix
from tlparse_bundle.statements.global_states import states_changed
from tlparse_bundle.statements.guard_changes import constant_of
from tlparse_bundle.statements.nearest_entries import is_of_tensors, is_whole_reason
from tlparse_bundle.statements.recompile_causes import TENSOR, Cause, compiles_of, requested_recompiles
from tlparse_bundle.statements.recompile_savings import (
    OF_CHANGE,
    Savings,
    are_inputs_known,
    is_of_floats,
    is_passed,
    saved_sentence,
    savings,
)
from tlparse_bundle.statements.size_remedies import (
    ALL_DYNAMIC,
    UNLESS_NEEDED,
    dynamic_int,
    mark_as_dynamic,
    mark_dynamic,
    mark_unbacked,
    static_shapes,
)
from tlparse_bundle.statements.sizes import (
    fails_when_dynamic,
    has_condition_on_number,
    is_all_dynamic,
    is_bounded_by_a_mark,
    is_dynamic_now,
    is_last_skipped,
    is_nested,
)
from tlparse_bundle.statements.statement import Remedy
from tlparse_bundle.statements.user_code import package_of
from tlparse_bundle.statements.value_remedies import (
    CAN_TOO,
    IN_OTHERS,
    few_values,
    is_learning_rate,
    is_optional,
    optional,
    same_backend,
    same_dispatch_keys,
    same_global_state,
    same_object,
    same_requires_grad,
    same_structure,
    same_type,
    tensor_argument,
)

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import RecompileFixesRow


def remedies(facts: Facts, cause: Cause, name: str | None) -> list[Remedy]:
    """Return our fixes for a cause; ``name`` is the source as the user's code names it.

    A fix that would avoid no compile is not among them, where the log records the inputs of the calls, and
    ``dynamic=True`` is not where a compile of the function failed with dynamic sizes or numbers, where torch
    compiles the function, or where the program uses it.
    """
    found = _remedies(facts, cause, name)
    requests = facts.once(requested_recompiles)
    is_of_torch = cause.function[1] in COMPILED_BY_TORCH  # the user has no torch.compile to change
    is_used = any(is_all_dynamic(facts, requests[number].compile_index) for number in cause.rows[-1:])
    if not is_of_torch and not is_used and not fails_when_dynamic(facts, cause):
        return found
    return [remedy for remedy in found if "dynamic=True" not in remedy.text]


def _remedies(facts: Facts, cause: Cause, name: str | None) -> list[Remedy]:
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
    if is_kept and not is_passed and is_dynamic and helps and _is_only_number(facts, cause):
        return [
            Remedy(
                f"torch made `{_argument(name)}` dynamic. To make it dynamic from the first compile, use"
                " `torch.compile(dynamic=True)`."
            )
        ]
    is_parameter = cause.change == "size" and is_of_module(cause.reason["source"] or "")
    if found is None and (is_last_skipped(facts, cause) or _has_failed(facts, cause)):
        return []
    if is_parameter and not is_whole_reason(facts, cause):
        return []  # the module differs in more
    if found is None or is_parameter:
        general = _general(facts, cause, name)
        if cause.change == "global_state" and not are_inputs_known(facts, cause):
            return [replace(one, text=f"{one.text} {_NOT_SHOWN.format(_these(cause))}") for one in general]
        return general
    offered = []
    if found.own is not None and (found.own["avoided"] or found.own["undecided"] or found.together):
        remedy = _of_fix(facts, cause, found, name)
        offered += [_with_savings(facts, cause, remedy, found.own, found)] if remedy else []
    elif cause.change in ("size", "value") and constant_of(facts, cause) is not None:
        return _general(facts, cause, name)
    if cause.change == "dispatch_keys" and not offered:
        return _general(facts, cause, name) if is_of_tensors(facts, cause) else []
    is_best = found.dynamic is not None and (found.dynamic is found.best or not offered)
    if found.dynamic is not None and is_best and found.dynamic["avoided"]:
        everything = _NUMBERS_DYNAMIC if is_of_floats(cause) else ALL_DYNAMIC
        offered.append(
            _with_savings(facts, cause, everything, found.dynamic, found if found.own is None else None)
        )
    elif found.dynamic is not None and found.dynamic["undecided"] and not offered:
        what = "sizes and numbers" if is_of_floats(cause) else "sizes and integers"
        offered.append(Remedy(f"{_TRY.format(what)} {_NOT_SHOWN.format(_these(cause))}"))
    return offered


def _has_failed(facts: Facts, cause: Cause) -> bool:
    """Whether all these compiles failed. What fixes a failure is more than what triggered the recompile."""
    requests = facts.once(requested_recompiles)
    frames = (facts.compiles[requests[number].compile_index] for number in cause.rows)
    return all(frame["failure_type"] is not None for frame in frames)


def _is_only_number(facts: Facts, cause: Cause) -> bool:
    """Whether a dynamic number would do: nothing else failed, and the code does not compare the number."""
    return is_whole_reason(facts, cause) and not has_condition_on_number(facts, cause)


def _with_savings(
    facts: Facts, cause: Cause, remedy: Remedy, row: RecompileFixesRow, found: Savings | None
) -> Remedy:
    """Add to a fix what it saves, alone and with others."""
    together = found.together if found is not None else None
    others = [fix_name(facts, other) for other in together[1]] if together is not None else []
    is_limited = _leaves_calls_eager(facts, row)
    who = whole_fix(facts, row)
    if row["fix"] == "same_object" and remedy.text.endswith(IN_OTHERS):
        who = "That object in all calls"
    if who == "This" and remedy.text.endswith(f"{CAN_TOO}."):
        who = "Leaving it out"
    is_kept = who == "This" and not is_optional(cause) and TENSOR not in cause.values
    if is_kept and (value := first_value(facts, row)) is not None:
        who = f"{value} in all calls"
    if row["fix"] == "mark_unbacked" and remedy.text.endswith(UNLESS_NEEDED):
        who = "If none does, this"
    if row["fix"] == "same_global_state" and states_changed(facts, cause) == "grad mode was turned on":
        who = f"If no call needs gradients, {who[0].lower()}{who[1:]}"
    is_all_dynamic = "dynamic=True" in remedy.text
    saved = saved_sentence(who, row, together, others, is_limited=is_limited, is_all_dynamic=is_all_dynamic)
    if (unsure := _of_others(facts, cause, row)) is not None:
        saved = f"{saved.removesuffix('.')}; {unsure}."
    return replace(remedy, text=f"{remedy.text} {saved}", is_counted=bool(row["avoided"]))


def _of_others(facts: Facts, cause: Cause, row: RecompileFixesRow) -> str | None:
    """Return a clause where all compiles that a fix avoids are those of other causes."""
    requests = facts.once(requested_recompiles)
    own = {requests[number].row["compile"] for number in cause.rows}
    if not row["avoided"] or not own.isdisjoint(row["avoided"]):
        return None
    if own.isdisjoint(row["undecided"]) and not row["is_minimum"]:
        return f"alone, it would not avoid {_these(cause)}"
    return f"the log does not show whether it alone would avoid {_these(cause)}"


def _these(cause: Cause) -> str:
    return "this recompile" if len(cause.rows) == 1 else "these recompiles"


def _leaves_calls_eager(facts: Facts, row: RecompileFixesRow) -> bool:
    """Whether calls run eager beyond the recompile limit that a fix does not let use the code of others."""
    own, fix = local_name(row["source"] or ""), row["fix"]
    return any(
        (source != own or (fix in _OF_TENSORS and fix not in OF_CHANGE.get(change, ())))
        and (row["fix"] != "dynamic_true" or change not in _DYNAMIC or row["remaining_count"] > 1)
        for source, change in facts.once(_refused).get(row["code_object"], ())
    )


def _refused(facts: Facts) -> dict[int | None, set[tuple[str, str]]]:
    """Return why calls failed the cache entries of code objects at the recompile limit: source and change."""
    everything = facts.once(requested_recompiles)
    found: dict[int | None, set[tuple[str, str]]] = {}
    for number in range(len(everything)):
        row = everything.row(number)
        if facts.number_of(row) in facts.refused:
            reasons = everything.reasons(number)
            own = {(local_name(reason["source"] or ""), reason["change"]) for reason in reasons}
            found.setdefault(row["code_object"], set()).update(own)
    return found


def _of_fix(facts: Facts, cause: Cause, found: Savings, name: str | None) -> Remedy | None:
    """Return the text of the fix of a cause."""
    row = found.own
    assert row is not None
    if row["fix"] == "mark_dynamic":
        return mark_as_dynamic(facts, cause, _argument(name), or_all=found.is_same_as_dynamic)
    if is_optional(cause) and row["fix"] in _OF_OPTIONAL:
        if row["fix"] == "same_type" and _breaks_when_given(facts, cause):
            return None
        if _is_set_after_first_call(facts, cause):
            return optional(_argument(name), "set it before the first call")
        if row["fix"] == "few_values" and _has_lengths(facts, cause):
            return optional(_argument(name), "never pass it")
        return optional(_argument(name), *() if found.is_same_as_omitting else (_OF_OPTIONAL[row["fix"]],))
    is_of_type = cause.change == "type" and row["fix"] == "few_values"
    return _remedy(
        facts, cause, "same_type" if is_of_type else _FIXES.get(row["fix"] or "", row["fix"] or ""), name
    )


def _has_lengths(facts: Facts, cause: Cause) -> bool:
    """Whether the value is a container in some calls, with several lengths, each of which needs a compile."""
    source = f"len({local_name((cause.reason and cause.reason['source']) or '')})"
    lengths = facts.once(_lengths)
    return len({lengths.get((compile, source)) for compile in compiles_of(facts, cause)} - {None}) > 1


def _lengths(facts: Facts) -> dict[tuple[str, str], str | None]:
    """Return the lengths of containers, by compile and source."""
    return {
        (row["compile"], source): row["value"]
        for row in facts.table("call_inputs")
        if (source := local_name(row["source"])).startswith("len(")
    }


def _breaks_when_given(facts: Facts, cause: Cause) -> bool:
    """Whether the graph breaks only in calls in which a value is not None: with it in all calls, more resume
    functions are compiled.
    """
    source = local_name((cause.reason and cause.reason["source"]) or "")
    nones = facts.once(_none_compiles).get(source, set())
    broken = facts.once(_with_breaks).intersection(compiles_of(facts, cause))
    return bool(broken) and broken.isdisjoint(nones)


def _with_breaks(facts: Facts) -> set[str]:
    return {row["compile"] for row in facts.table("graph_break_records") if row["compile"] is not None}


def _is_set_after_first_call(facts: Facts, cause: Cause) -> bool:
    """Whether an attribute is None in the first compile only, as one that the function sets itself."""
    source = local_name((cause.reason and cause.reason["source"]) or "")
    compiles = list(compiles_of(facts, cause))
    nones = facts.once(_none_compiles).get(source, set()).intersection(compiles)
    return _PASSED.fullmatch(source) is None and nones == set(compiles[:1])


def _none_compiles(facts: Facts) -> dict[str, set[str]]:
    """Return the compiles in which each source is None."""
    found: dict[str, set[str]] = {}
    for row in facts.table("call_inputs"):
        if row["kind"] == "none":
            found.setdefault(local_name(row["source"]), set()).add(row["compile"])
    return found


def _remedy(facts: Facts, cause: Cause, kind: str, name: str | None) -> Remedy | None:
    # What a function of torch gets, such as the module that it wraps, the program does not pass.
    if kind in _OF_PROGRAM and package_of(cause.function[0]) == "torch" and not is_learning_rate(cause):
        return None
    if kind in _OF_PROGRAM and cause.function[1] in ("__torch_function__", "__torch_dispatch__"):
        return None  # its arguments are those of an operator
    source = (cause.reason and cause.reason["source"]) or ""
    if kind in _OF_LOCALS and cause.is_resumed and not is_passed(facts, cause.function, source):
        return Remedy(f"The function computes `{name}`. Keep {_OF_LOCALS[kind]} the same, if you can.")
    if kind == "dynamic_int" and source.startswith("G["):
        kind = "few_values"  # torch specializes the integers of global variables
    make = _REMEDIES.get(kind)
    return make(facts, cause, _argument(name)) if make else None


def _argument(name: str | None) -> str:
    return (name or "x").replace("`", "'")


def _general(facts: Facts, cause: Cause, name: str | None) -> list[Remedy]:
    """Return the usual fix for a cause."""
    remedy = _remedy(facts, cause, _kind(facts, cause) or "", name)
    # Operations that need an unbacked size break the graph, so the log has to show what it avoids.
    if remedy and "mark_unbacked" in f"{remedy.text} {remedy.code}" and are_inputs_known(facts, cause):
        return []
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


def _text(text: str) -> Callable[[Facts, Cause, str], Remedy]:
    return lambda facts, cause, name: Remedy(text.replace("NAME", name))


_PASSED = re.compile(r"\w+|(?:kw)?args\[[^\]]*\]")  # an argument, also of a wrapper
_DYNAMIC = ("size", "stride", "shape", "value")  # what changes that dynamic=True may cover
# Fixes for one aspect of a tensor.
_OF_TENSORS = (
    *("same_requires_grad", "same_dtype", "same_device", "same_layout"),
    *("mark_dynamic", "mark_unbacked"),
)
_NOT_SHOWN = "The log does not show whether it would avoid {}."
_TRY = "Try `torch.compile(dynamic=True)`, which makes all {} dynamic."
_NUMBERS_DYNAMIC = Remedy("Use `torch.compile(dynamic=True)` to make all sizes and numbers dynamic.")
_OF_PROGRAM = ("few_values", "same_object", "same_rank", "same_structure", "same_type", "tensor_argument")
_OF_OPTIONAL = {  # what to do
    "same_type": "always pass it",
    "few_values": f"never pass it; always passing it{CAN_TOO}",
}
_OF_LOCALS = {  # what to keep of a tensor that the caller does not pass
    "same_rank": "the number of dimensions",
    "same_dtype": "the dtype",
    "same_device": "the device",
    "same_layout": "the memory layout",
    "same_grad_mode": "`requires_grad`",
}
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
    "mark_dynamic": mark_dynamic,
    "dispatch_keys": same_dispatch_keys,
    "mark_unbacked": mark_unbacked,
    "dynamic_int": dynamic_int,
    "force_parameter_static_shapes": static_shapes,
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
    "same_backend": same_backend,
}
