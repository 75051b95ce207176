"""Fixes of recompiles as parts of sentences: "one dtype of `x`", "calls without `mask`", "`flag=True`"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tlparse_bundle.base.wording import code
from tlparse_bundle.guards.inputs import CODE, local_name
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.guard_changes import source_name

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import CallInputsRow, RecompileFixesRow

_MOST_OF_VALUE = 24  # characters
_Inputs = Sequence["CallInputsRow | None"]  # of one value, by compile of a code object
_NUMBERS = {"int", "float"}  # kinds of call_inputs


def fix_name(facts: Facts, row: RecompileFixesRow) -> str:
    """Return a fix as part of a sentence. Reasons show which containers have keys."""
    name = code(source_name(row["source"]) or "x")
    function = name.replace(".__code__`", "`")
    at = row["dimension"]
    inputs = _inputs_of(facts, row)
    kinds = _kinds(inputs)
    if row["fix"] == "few_values" and _is_optional(kinds):
        return f"calls without {name}"
    single = f"{'one type' if _is_mixed(kinds) else 'a single value'} of {name}"
    forms = {
        "mark_dynamic": f"a dynamic `{name[1:-1]}.size({at})`",
        "mark_unbacked": f"an unbacked `{name[1:-1]}.size({at})` (if no operation needs the size)",
        "dynamic_true": "`dynamic=True`",
        "tensor_argument": f"{name} as a tensor",
        "few_values": _only_value(facts, row) or single,
        "same_layout": f"one memory layout of {name}",
        "same_dtype": f"one dtype of {name}",
        "same_device": f"one device of {name}",
        "same_requires_grad": f"one `requires_grad` of {name}",
        "same_type": f"{_first_type(inputs)} {name}",
        "same_object": f"one function as {function}" if function != name else f"the {name} of the first call",
        "same_structure": f"{'the same keys' if _has_keys(facts, row) else 'one length'} of {name}",
        "same_global_state": "the global state of the first call",
    }
    return forms[row["fix"] or ""]


def whole_fix(facts: Facts, row: RecompileFixesRow) -> str:
    """Return what to do in all calls, as the subject of a sentence about what it saves; "This" for most. Of
    several values, a fix keeps that of the first call.
    """
    name = code(source_name((row["source"] or "").removesuffix(CODE)) or "")
    kept = {
        "same_object": f"the {name}",
        "same_global_state": "the global state",
        "same_structure": "the keys" if _has_keys(facts, row) else "the length",
    }
    if (what := kept.get(row["fix"] or "")) is not None:
        return f"Using {what} of the first call everywhere"
    value = _only_value(facts, row)
    return f"{value} in all calls" if value is not None else "This"


def _only_value(facts: Facts, row: RecompileFixesRow) -> str | None:
    """Return the value that a fix keeps, that of the first compile: "`flag=True`"; None for other fixes, for
    a value that some calls lack or have as a tensor, and for one that the log does not have.
    """
    kinds = _kinds(_inputs_of(facts, row))
    return None if _is_optional(kinds) or _is_mixed(kinds) else first_value(facts, row)


def first_value(facts: Facts, row: RecompileFixesRow) -> str | None:
    """Return the value that a fix keeps, that of the first compile: "`flag=True`"; None for other fixes, and
    for one that the log does not have.
    """
    inputs = _inputs_of(facts, row) if row["fix"] == "few_values" else ()
    value = inputs[0]["value"] if inputs and inputs[0] is not None else None
    if value is None or len(value) > _MOST_OF_VALUE:
        return None
    return code(f"{source_name(row['source'])}={value}")


def _first_type(inputs: _Inputs) -> str:
    """Return "a tensor as" or "no tensor as", by the first call, where others differ in that."""
    has_tensor = [row is not None and row["kind"] == "tensor" for row in inputs]
    if len(set(has_tensor)) < 2:
        return "one type of"
    return "a tensor as" if has_tensor[0] else "no tensor as"


def _kinds(inputs: _Inputs) -> set[str]:
    return {row["kind"] for row in inputs if row is not None}


def _is_optional(kinds: set[str]) -> bool:
    return "none" in kinds and len(kinds) > 1


def _is_mixed(kinds: set[str]) -> bool:
    """Whether some calls have a number, and others a tensor."""
    return "tensor" in kinds and not kinds.isdisjoint(_NUMBERS)


def _inputs_of(facts: Facts, row: RecompileFixesRow) -> _Inputs:
    """Return the value of a fix in each compile of its code object; None where the log does not tell."""
    number, source = row["code_object"], local_name(row["source"] or "")
    if number is None:
        return []
    inputs = facts.once(_inputs)
    return [inputs.get((compile, source)) for compile in facts.table("code_objects")[number]["compiles"]]


def _inputs(facts: Facts) -> dict[tuple[str, str], CallInputsRow]:
    """Return the rows of ``call_inputs`` of values of which a fix would keep one, by compile and source."""
    fixes = facts.table("recompile_fixes")
    kept = {local_name(row["source"] or "") for row in fixes if row["fix"] in ("few_values", "same_type")}
    return {
        (row["compile"], source): row
        for row in (facts.table("call_inputs") if kept else ())
        if (source := local_name(row["source"])) in kept
    }


def _has_keys(facts: Facts, row: RecompileFixesRow) -> bool:
    return row["fix"] == "same_structure" and local_name(row["source"] or "") in facts.once(_with_keys)


def _with_keys(facts: Facts) -> set[str]:
    """Return the dicts whose keys differ between calls."""
    rows = facts.table("recompile_reasons")
    return {local_name(row["source"]) for row in rows if row["source"] and row["change"] == "keys"}
