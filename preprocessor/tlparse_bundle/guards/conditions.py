"""Conditions of guards that are not comparisons: aliasing, dimension marks, sets, and states of torch."""

from __future__ import annotations

import ast
import itertools
import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tlparse_bundle.guards.expressions import (
    Evaluate,
    Known,
    Missing,
    NotSupported,
    compiled,
    normalised,
    parsed,
)
from tlparse_bundle.guards.values import JsonDict, JsonList, Tensor

Condition = Callable[[Known], bool | Missing]
ACCESS = "ACCESS"  # of a manager without guards: what it guards exists
_ACCESS = re.compile(
    r"\+- GuardManager: source=(?P<source>L\[.*), accessed_by=(?:Dict|List|Tuple)GetItemGuardAccessor\("
)
_DICT_KEY = re.compile(
    r"\+- EQUALS_MATCH: list\((?:dict\.keys\((?P<source>L\[(?!'self'\]).*?)\)"
    r"|(?P<older>L\[(?!'self'\]).*?)\.keys\(\))\)\[(?P<place>\d{1,6})\] == "
)
_NAN = re.compile(r"__math_isnan\((?P<source>.*?)\)")
_ALIASING = re.compile(r"check_no_aliasing\((?P<sources>.*)\)")
_SAME = re.compile(r"(?P<left>[LG]\[.*) is (?P<right>[LG]\[.*)")
_NO_MARK = re.compile(r"hasattr\((?P<source>.*), '_dynamo_(?P<mark>\w+)_indices'\) == False")
_MARKS = re.compile(
    r"\(\((?:getattr\((?P<first>.*?), '_dynamo_(?P<mark>\w+?)_indices', set\(\)\)"
    r"|(?P<second>.*?)\._dynamo_(?P<name>\w+?)_indices)"
    r"\.issubset\((?P<allowed>\{[\d, ]*\}|set\(\))\)\) if .* else True\)"
)
_SET = re.compile(r"(?:not )?set\.__contains__\((?P<source>.*), (?P<item>.*?)\)")
_SCALARS = frozenset(("int", "float", "bool", "str", "NoneType", "Tensor", "Parameter"))
_JSON_TYPES = _SCALARS | {"list", "tuple", "dict"}
_TORCH_MODULES = "torch.nn.modules."
_TYPES = {
    "torch.float32": 6,
    "torch.float64": 7,
    "torch.float16": 5,
    "torch.bfloat16": 15,
}  # c10/core/ScalarType.h
# How a call states what torch writes about its global state.
_STATES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "torch.is_grad_enabled()": lambda state: state["grad_mode"],
    "torch.get_num_threads()": lambda state: state["num_threads"],
    "torch.are_deterministic_algorithms_enabled()": lambda state: state["deterministic_algorithms"],
    "torch.get_default_dtype()": lambda state: state["default_dtype"],
    "torch.is_autocast_enabled('cpu')": lambda state: state["autocast_state"]["enabled"][0],
    "torch.is_autocast_enabled('cuda')": lambda state: state["autocast_state"]["enabled"][1],
}


def condition(kind: str, text: str) -> Condition | None:
    """Return what a guard asks of a call; None for a kind that has another meaning. Raises NotSupported."""
    if kind == "NO_TENSOR_ALIASING":
        found = _ALIASING.fullmatch(text)
        return (
            _no_aliasing(found["sources"]) if found else lambda known: True
        )  # written with the first tensor
    found = _SAME.fullmatch(text)
    if found:
        return _aliasing(found["left"], found["right"])
    if kind == "SET_CONTAINS":
        return _set_contains(text)
    if kind == "GLOBAL_STATE":
        return _global_state(text)
    if kind == ACCESS:
        return _access(text)
    if kind == "FLOAT_IS_NAN":
        found = _NAN.search(text)
        return _is_nan(found["source"]) if found else None
    return _marks(text) if "_indices" in text else None


def accesses(payload: str) -> list[str]:
    """Return the items of arguments that a tree reads, whatever their value."""
    found = map(_ACCESS.search, payload.split("\n"))
    sources = (normalised(match["source"]) for match in found if match)
    return [source for source in dict.fromkeys(sources) if "[" in source[2:]]


def dict_lengths(payload: str) -> list[tuple[str, int]]:
    """Return dicts of arguments whose keys a tree lists, and how many. Their managers check the length."""
    places: dict[str, set[int]] = {}
    # At the beginning of a line only: a long line can hold many beginnings.
    lines = (line.lstrip("| \t") for line in payload.split("\n"))
    for match in filter(None, map(_DICT_KEY.match, lines)):
        places.setdefault(normalised(match["source"] or match["older"]), set()).add(int(match["place"]))
    return [(source, len(found)) for source, found in places.items() if found == set(range(len(found)))]


def _access(source: str) -> Condition:
    evaluate = compiled(source)

    def holds(known: Known) -> bool | Missing:
        value = evaluate(known)
        return value if isinstance(value, Missing) else True

    return holds


def _is_nan(source: str) -> Condition:
    evaluate = compiled(source)

    def holds(known: Known) -> bool | Missing:
        value = evaluate(known)
        return value if isinstance(value, Missing) else isinstance(value, float) and value != value

    return holds


def is_aliasing(text: str) -> bool:
    """Whether a guard asks that two sources are the same object."""
    return _SAME.fullmatch(text) is not None


def _no_aliasing(text: str) -> Condition:
    try:
        sources = [compiled(ast.unparse(node)) for node in parsed(f"({text},)").elts]  # type: ignore[attr-defined]
    except AttributeError:
        raise NotSupported(text[:200]) from None

    def holds(known: Known) -> bool | Missing:
        values = [source(known) for source in sources]
        tensors = [value for value in values if isinstance(value, Tensor)]
        pairs = [_is_same(left, right) for left, right in itertools.combinations(tensors, 2)]
        if True in pairs:
            return False
        missing = next((value for value in values if isinstance(value, Missing)), None)
        return Missing("which tensors are the same") if None in pairs or missing else True

    return holds


def _is_same(left: Tensor, right: Tensor) -> bool | None:
    """Return whether two arguments are the same tensor; None when the call does not say."""
    if left.identity is not None and right.identity is not None:
        return left.identity == right.identity
    return None if replace(left, identity=right.identity) == right else False


def _aliasing(left: str, right: str) -> Condition:
    first, second = compiled(left), compiled(right)

    def holds(known: Known) -> bool | Missing:
        values = first(known), second(known)
        for value in values:
            if isinstance(value, Missing):
                return value
        tensors = [value for value in values if isinstance(value, Tensor)]
        same = _is_same(*tensors) if len(tensors) == 2 else None
        return Missing("which objects are the same") if same is None else same

    return holds


def _set_contains(text: str) -> Condition | None:
    """``not set.__contains__(SOURCE, ITEM)``. Until torch 2.12 the text lacks the 'not', so that without it
    the guard may mean either.
    """
    if not text.startswith("not "):
        return None

    def holds(known: Known) -> bool | Missing:
        found = is_member(text, known)
        return Missing(text) if found is None else not found

    return holds


def is_member(text: str, known: Known) -> bool | None:
    """Return whether the set of a SET_CONTAINS guard has its item in a call; None if that is not known."""
    match = _SET.fullmatch(text)
    try:
        source, value = (compiled(match["source"]), compiled(match["item"])) if match else (None, None)
    except NotSupported:  # a class
        return None
    if source is None or value is None:
        return None
    members, item = as_set(source(known)), value(known)
    return None if members is None or isinstance(item, Missing) else item in members


def as_set(value: Any) -> frozenset[Any] | None:
    """Return a set that a call states as Python writes it, such as ``{1, 2}``; None for other values."""
    if isinstance(value, str):
        text = value.removeprefix("frozenset(").removesuffix(")") if value.startswith("frozenset(") else value
        try:
            value = ast.literal_eval(text) if text not in ("", "set()", "set(") else set()
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return None
    return frozenset(value) if isinstance(value, (set, frozenset)) else None


def _marks(text: str) -> Condition | None:
    """Marks of dimensions: a call may have no marks that its entry does not have."""
    found = _NO_MARK.fullmatch(text)
    if found:
        source, mark, allowed = found["source"], found["mark"], frozenset[Any]()
    else:
        found = _MARKS.fullmatch(text)
        if found is None:
            return None
        source, mark = found["first"] or found["second"], found["mark"] or found["name"]
        allowed = as_set(found["allowed"]) or frozenset()
    evaluate = compiled(source)

    def holds(known: Known) -> bool | Missing:
        value = evaluate(known)
        if not isinstance(value, Tensor) or value.marks is None:
            return value if isinstance(value, Missing) else Missing(f"marked dimensions of {source}")
        return allowed.issuperset(dict(value.marks).get(mark, ()))

    return holds


def _global_state(text: str) -> Condition | None:
    try:
        state = json.loads(text[text.index("{") :])
    except ValueError:  # torch 2.6 does not write it
        return None

    def holds(known: Known) -> bool | Missing:
        for source, read in _STATES.items():
            try:
                if source in known and read(state) != _TYPES.get(str(known[source]), known[source]):
                    return False
            except (LookupError, TypeError):
                continue
        return Missing("the state of torch")

    return holds


def text_match(source: Evaluate, wanted: str) -> Condition:
    """A constant that is not computed here, such as ``slice(0, 1, None)``: a call states it as text."""

    def holds(known: Known) -> bool | Missing:
        actual = source(known)
        if isinstance(actual, Missing):
            return actual
        return (
            True if isinstance(actual, str) and normalised(actual) == wanted else Missing(f"{wanted} as text")
        )

    return holds


def autocast_differs(known: Known, tensor: Tensor, device: str | None, keys: str) -> bool:
    """Return whether a call states another autocast state than that of a tensor guard's dispatch keys."""
    kind = (tensor.device or device or "cpu").partition(":")[0]
    return known.get(f"torch.is_autocast_enabled('{kind}')") is ("Autocast" not in keys)


def described_type(value: Any, type_name: str) -> bool | Missing | None:
    """Judge a value of JSON that stands for one of a type that JSON does not have: an object, a function.
    None for other values.
    """
    wanted = type_name.rpartition(".")[2]
    if isinstance(value, str) and type_name.startswith(_TORCH_MODULES) and value.endswith(")"):
        return value.partition("(")[0] == wanted  # torch writes a module with the name of its class
    is_object = isinstance(value, (JsonList, JsonDict)) and wanted not in _SCALARS
    if is_object or (isinstance(value, (str, dict)) and wanted not in _JSON_TYPES):
        return Missing("its type")
    return None
