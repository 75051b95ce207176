"""Fixes of recompiles as parts of sentences: "one dtype of `x`", "calls without `mask`", "`flag=True`"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlparse_bundle.base.wording import code
from tlparse_bundle.guards.inputs import CODE, local_name
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.guard_changes import source_name

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import RecompileFixesRow

_MOST_OF_VALUE = 24  # characters
_Place = tuple[int | None, str]  # a code object, and a value of its calls
_NUMBERS = {"int", "float"}  # kinds of call_inputs


def fix_name(facts: Facts, row: RecompileFixesRow) -> str:
    """Return a fix as part of a sentence. Reasons show which containers have keys."""
    name = code(source_name(row["source"]) or "x")
    function = name.replace(".__code__`", "`")
    at = row["dimension"]
    kinds = facts.once(_kinds).get(_place(row), set())
    if row["fix"] == "few_values" and _is_optional(kinds):
        return f"calls without {name}"
    single = f"{'one type' if _is_mixed(kinds) else 'a single value'} of {name}"
    has_keys = _has_keys(facts, row)
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
        "same_type": f"{_first_type(facts, row)} {name}",
        "same_object": f"one function as {function}" if function != name else f"the {name} of the first call",
        "same_structure": f"{'the same keys' if has_keys else 'one length'} of {name}",
        "same_global_state": "the global state of the first call",
    }
    return forms[row["fix"] or ""]


def whole_fix(facts: Facts, row: RecompileFixesRow) -> str:
    """Return what to do in all calls, as the subject of a sentence about what it saves; "This" for most."""
    if row["fix"] == "same_object":  # to create each of several objects once is not enough
        name = code(source_name((row["source"] or "").removesuffix(CODE)) or "")
        return f"The {name} of the first call in all calls"
    if row["fix"] == "same_global_state":
        return "That of the first call in all calls"
    if row["fix"] == "same_structure":
        return f"The {'keys' if _has_keys(facts, row) else 'length'} of the first call in all calls"
    value = _only_value(facts, row)
    return f"{value} in all calls" if value is not None else "This"


def _only_value(facts: Facts, row: RecompileFixesRow) -> str | None:
    """Return the value that a fix keeps, that of the first compile: "`flag=True`"; None for other fixes, for
    a value that some calls lack or have as a tensor, and for one that the log does not have.
    """
    kinds = facts.once(_kinds).get(_place(row), set())
    if row["fix"] != "few_values" or _is_optional(kinds) or _is_mixed(kinds):
        return None
    value = facts.once(_first_values).get(_place(row))
    if value is None or len(value) > _MOST_OF_VALUE:
        return None
    return code(f"{source_name(row['source'])}={value}")


def _first_type(facts: Facts, row: RecompileFixesRow) -> str:
    """Return "a tensor as" or "no tensor as", by the first call, where others differ in that."""
    has_tensor = facts.once(_has_tensor).get(_place(row), [])
    if len(set(has_tensor)) < 2:
        return "one type of"
    return "a tensor as" if has_tensor[0] else "no tensor as"


def _has_tensor(facts: Facts) -> dict[_Place, list[bool]]:
    """Return whether the call of each compile had a tensor, for values of which a fix would keep one type."""
    places = {_place(row) for row in facts.table("recompile_fixes") if row["fix"] == "same_type"}
    tensors = {
        (row["compile"], local_name(row["source"]))
        for row in (facts.table("call_inputs") if places else ())
        if row["kind"] == "tensor"
    }
    code_objects = facts.table("code_objects")
    return {
        (number, source): [(one, source) in tensors for one in code_objects[number]["compiles"]]
        for number, source in places
        if number is not None
    }


def _place(row: RecompileFixesRow) -> _Place:
    return row["code_object"], local_name(row["source"] or "")


def _is_optional(kinds: set[str]) -> bool:
    return "none" in kinds and len(kinds) > 1


def _is_mixed(kinds: set[str]) -> bool:
    """Whether some calls have a number, and others a tensor."""
    return "tensor" in kinds and not kinds.isdisjoint(_NUMBERS)


def _kept(facts: Facts) -> set[_Place]:
    """Return the values of which a fix would keep one."""
    return {_place(row) for row in facts.table("recompile_fixes") if row["fix"] == "few_values"}


def _first_values(facts: Facts) -> dict[_Place, str]:
    """Return the values that the first calls of code objects had, where a fix would keep one of them."""
    kept, code_objects = facts.once(_kept), facts.table("code_objects")
    numbers = {number for number, _ in kept if number is not None}
    firsts = {code_objects[number]["compiles"][0]: number for number in numbers}
    found: dict[_Place, str] = {}
    for row in facts.table("call_inputs") if kept else ():
        key = firsts.get(row["compile"]), local_name(row["source"])
        if key in kept and row["value"] is not None:
            found[key] = row["value"]
    return found


def _kinds(facts: Facts) -> dict[_Place, set[str]]:
    """Return of which kinds values are, where a fix would keep one of them."""
    kept, code_objects = facts.once(_kept), facts.table("code_objects")
    numbers = {number for number, _ in kept if number is not None}
    code_object_of = {one: number for number in numbers for one in code_objects[number]["compiles"]}
    found: dict[_Place, set[str]] = {}
    for row in facts.table("call_inputs") if kept else ():
        key = code_object_of.get(row["compile"]), local_name(row["source"])
        if key in kept:
            found.setdefault(key, set()).add(row["kind"])
    return found


def _has_keys(facts: Facts, row: RecompileFixesRow) -> bool:
    return row["fix"] == "same_structure" and local_name(row["source"] or "") in facts.once(_with_keys)


def _with_keys(facts: Facts) -> set[str]:
    """Return the dicts whose keys differ between calls."""
    rows = facts.table("recompile_reasons")
    return {local_name(row["source"]) for row in rows if row["source"] and row["change"] == "keys"}
