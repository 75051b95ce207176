"""The guards of a cache entry that an input fails, taken apart into what each asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from tlparse_bundle.guards.inputs import CODE, Input, is_argument
from tlparse_bundle.guards.predicates import (
    LENGTHS,
    Outcome,
    Predicate,
    check,
)
from tlparse_bundle.guards.tensor_patterns import TensorPattern, other_device, tensor_pattern
from tlparse_bundle.guards.values import Tensor

Aspect = Literal[
    "size",
    "stride",
    "rank",
    "dtype",
    "device",
    "requires_grad",
    "class",
    "dispatch_keys",
    "shape",
    "value",
    "type",
    "identity",
    "length",
    "state",
    "absent",
    "unknown",
    "other",
]
SIZES = frozenset(("size", "stride", "shape"))  # what torch makes dynamic
# Guards that cannot be evaluated, but whose text says what they ask for: different text, different value.
_BY_TEXT: dict[str, Aspect] = {
    "ID_MATCH": "identity",
    "CLOSURE_MATCH": "identity",
    "FUNCTION_MATCH": "identity",
    "TYPE_MATCH": "type",
    "GLOBAL_STATE": "state",
    "DEFAULT_DEVICE": "state",
    "BACKEND_MATCH": "identity",
    "HASATTR": "other",
    "DIMENSION_DYNAMIC_MARKING_GUARD": "other",
    "DETERMINISTIC_ALGORITHMS": "state",
    "DUPLICATE_INPUT": "other",
    "RANGE_ITERATOR_MATCH": "other",
}
_EXPRESSION = ("LAMBDA_GUARD", "SYMBOLIC_SHAPE_GUARD")

# Of a dynamic dimension: sizes 0 and 1 have compiles of their own.
AT_LEAST_TWO = re.compile(r"2 <= (?P<source>\S+)\.size\(\)\[(?P<dimension>\d{1,4})\]")
_STRIDE = re.compile(r"(?P<source>[LG]\[\S+?)\.stride\(\)\[(?P<dimension>\d{1,4})\]")
_LENGTH = re.compile(r"\) == (\d{1,9})$")
_HAS_NO_KEY = re.compile(r"not ___dict_contains\((?P<key>'[^']*'|\d+), (?P<dict>[^,]+)\)")
CONTAINER = "a container"  # in place of its value, which the guards of a call do not state
_OBJECT_ID = re.compile(r"^___check_obj_id\(.+?, (\d+)\)(?=, type=|\s|$)")
_ATTRIBUTE = re.compile(r"\.(\w+)\Z")
_IS_NUMBER = re.compile(r"(?P<source>[LG]\[\S+) == (?P<number>-?\d+(?:\.\d*)?(?:e[+-]?\d+)?)")
_IS_LENGTH = re.compile(r"len\((?P<source>[LG]\[\S+)\) == (?P<number>\d+)")
_IS_EMPTY = re.compile(r"not (\S+)")
# Functions and classes of Python and torch, and the globals of a file, stay the same. Their names hold
# a number of the compile.
_SAME_OBJECTS = re.compile(
    r"G\['(?:__builtins_dict___\d+|___unnamed_scope_\w+|torch|__import_torch(?:_dot_\w+)?)'\]"
)
_SAME_VALUES = re.compile(r"G\['torch'\]\.\w+\Z")  # such as torch.pi
_OBJECT_TYPE = re.compile(r", type=<class '(?P<name>[^']+)'>")


@dataclass(frozen=True, slots=True)
class Difference:
    """What an input has other than a guard asks for. ``dimension``: of sizes and strides."""

    aspect: Aspect
    source: str
    dimension: int | None = None
    expected: Any = None
    actual: Any = None


def failing(predicate: Predicate, input: Input) -> tuple[Difference, ...] | None:
    """Return how an input differs from what a guard asks for: nothing when it holds, None when the log does
    not tell.
    """
    if input.lacks(predicate.source or ""):
        return (Difference("absent", predicate.source or ""),)
    if predicate.kind == "TENSOR_MATCH":
        return _of_tensor(predicate, input)
    if predicate.kind == "TYPE_MATCH" and (found := _of_type(predicate, input)) is not _UNKNOWN_TYPE:
        return found
    special = _empty(predicate, input) or _none(predicate, input) or _constant(predicate, input)
    outcome = special or _contains(predicate, input) or check(predicate, input.values)
    if outcome.holds:
        return ()
    if outcome.holds is False:
        if small := _small_size(predicate, input):
            return (small,)
        if stride := _STRIDE.search(predicate.text):
            return (Difference("stride", stride["source"], int(stride["dimension"])),)
        aspect: Aspect = (
            "shape"
            if predicate.kind in _EXPRESSION
            else "length"
            if predicate.kind in LENGTHS
            else "type"
            if predicate.kind == "TYPE_MATCH"
            else "value"
        )
        source = predicate.source or predicate.text
        if aspect == "length" and (length := _LENGTH.search(predicate.text)):
            return (Difference(aspect, source, None, int(length[1]), input.values.get(f"len({source})")),)
        return (
            Difference(aspect, source, None, outcome.expected, _actual(predicate, input, outcome.actual)),
        )
    same = _SAME_OBJECTS if predicate.kind in ("ID_MATCH", "TYPE_MATCH") else _SAME_VALUES
    if same.match(predicate.source or ""):
        return ()
    own = input.guards.get(predicate.subject)
    if predicate.kind in _BY_TEXT and _is_same_guard(own, predicate.text):
        return ()
    if predicate.kind == "ID_MATCH" and (other := _other_object(predicate, input)):
        return (other,)
    if predicate.kind in _BY_TEXT:
        if own is None and _is_no_function(predicate, input):
            return (Difference("identity", predicate.source or "", None, predicate.text, "no code"),)
        if own is not None:
            return (Difference(_BY_TEXT[predicate.kind], predicate.source or "", None, predicate.text, own),)
    return None


def _small_size(predicate: Predicate, input: Input) -> Difference | None:
    """Return the difference of a size 0 or 1 from a dynamic dimension; None for other guards."""
    match = AT_LEAST_TWO.fullmatch(predicate.text)
    tensor = input.values.get(match["source"]) if match else None
    if match is None or not isinstance(tensor, Tensor) or int(match["dimension"]) >= len(tensor.size):
        return None
    dimension = int(match["dimension"])
    return Difference("size", match["source"], dimension, None, tensor.size[dimension])


def says_value(predicate: Predicate) -> bool:
    """Whether the text of a guard says what it asks for. ``___check_global_state()`` of older versions,
    for example, does not.
    """
    return bool(predicate.text) and not predicate.text.endswith("()")


def unknown_difference(predicate: Predicate, input: Input) -> Difference:
    """Return the difference of a guard that failed, when only torch's word is known."""
    if predicate.kind == "TENSOR_MATCH" and predicate.source not in input.values:
        return Difference("type", predicate.source or "", None, "a tensor")
    return Difference(_BY_TEXT.get(predicate.kind, "other"), predicate.source or "")


_UNKNOWN_TYPE: tuple[Difference, ...] = (Difference("type", ""),)


def _of_type(predicate: Predicate, input: Input) -> tuple[Difference, ...] | None:
    """Return how the type of an object differs, as ``failing`` does; ``_UNKNOWN_TYPE`` if its value decides.
    The class of a tensor is in the guards of its own compile only.
    """
    source = predicate.source or ""
    if predicate.type_name and source in input.types:
        wanted, own_type = predicate.type_name.rpartition(".")[2], input.types[source]
        return () if own_type == wanted else (Difference("type", source, None, f"type {wanted}", own_type),)
    is_unknown = not input.guards and isinstance(input.values.get(source), Tensor)
    return None if is_unknown else _UNKNOWN_TYPE


def _empty(predicate: Predicate, input: Input) -> Outcome | None:
    """Check ``not SOURCE``, by which torch asks for an empty container. None for other guards."""
    match = _IS_EMPTY.fullmatch(predicate.text) if predicate.kind in LENGTHS else None
    length = input.values.get(f"len({match[1]})") if match else None
    if match is not None and length is None and match[1] in input.containers:
        return Outcome(False, "0")
    return None if length is None else Outcome(length == 0, "0", str(length))


def _contains(predicate: Predicate, input: Input) -> Outcome | None:
    """Check that a dict has no item of which the call's own guards are on the value. None for others."""
    match = _HAS_NO_KEY.fullmatch(predicate.text)
    if match is None or not input.has_source(f"{match['dict']}[{match['key']}]"):
        return None
    return Outcome(False, f"not {match['key']}", match["key"])


def _none(predicate: Predicate, input: Input) -> Outcome | None:
    """Check ``SOURCE is None`` for a container or an object, whose own guards are on its type and length.
    None for other guards and values.
    """
    source = predicate.source or ""
    if not predicate.text.endswith(" is None") or source in input.values:
        return None
    if source in input.types and input.types[source] != "NoneType":
        return Outcome(False, "None", input.types[source])
    own = input.objects.get(source, "")  # torch before 2.9 does not write the type of an object
    if f"{source}{CODE}" in own or (", type=<class '" in own and "NoneType" not in own):
        return Outcome(False, "None", "an object")
    of_module = _ATTRIBUTE.sub(r"._modules['\1']", source)
    if not input.owners.isdisjoint((source, of_module)):
        return Outcome(False, "None", "an object")
    return Outcome(False, "None", CONTAINER) if f"len({source})" in input.values else None


def _constant(predicate: Predicate, input: Input) -> Outcome | None:
    """Check a number or a length against an object such as None, which torch before 2.9 checks by its id.
    None for other guards and values, and for numbers that equal True or False.
    """
    match = (_IS_LENGTH if predicate.kind in LENGTHS else _IS_NUMBER).fullmatch(predicate.text)
    if match is None or match["source"] not in input.objects:
        return None
    if predicate.kind not in LENGTHS and float(match["number"]) in (0, 1):
        return None
    return Outcome(False, match["number"], "an object")


def _kind_of_object(source: str, input: Input) -> str | None:
    """Return what an argument is that its own guards check as an object or a container, not as a tensor:
    torch before 2.9 checks None by its id. None where they don't tell.
    """
    if not is_argument(source):
        return None
    if source in input.types:
        return input.types[source]
    if source in input.objects:
        return "an object"
    return CONTAINER if f"len({source})" in input.values else None


def _is_same_guard(own: str | None, text: str) -> bool:
    """Whether two guards on one source are the same, or ask for one object: torch can write its source in two
    ways.
    """
    ids = [_OBJECT_ID.search(guard) for guard in (own or "", text)]
    return own == text or (all(ids) and len({found and found[1] for found in ids}) == 1)


def _is_no_function(predicate: Predicate, input: Input) -> bool:
    """Whether a guard asks for the code of an object that is not a Python function in the call. The guards of
    the call check the object instead, as for a builtin.
    """
    source = predicate.source or ""
    owner = source.removesuffix(CODE)
    return source != owner and any(of == owner for _, of, _ in input.guards)


def _other_object(predicate: Predicate, input: Input) -> Difference | None:
    """Return the difference of a call that has another kind of object than a guard on one object asks for."""
    source = predicate.source or ""
    if isinstance(input.values.get(source), Tensor):
        return Difference("type", source, None, predicate.text, "Tensor")
    if f"len({source})" in input.values:
        return Difference("type", source, None, predicate.text, CONTAINER)
    if type(value := input.values.get(source)) in (int, float, str):  # torch checks these by their value
        return Difference("identity", source, None, predicate.text, type(value).__name__)
    if other := _other_type(predicate, input):
        return Difference("type", source, None, predicate.text, other)
    if _is_other_function(predicate, input):
        return Difference("identity", source, None, predicate.text, "a Python function")
    return None


def _is_other_function(predicate: Predicate, input: Input) -> bool:
    """Whether a guard asks for a builtin, or with torch before 2.9 for an object such as None, where the call
    has a Python function, whose code the guards of the call check.
    """
    match = _OBJECT_TYPE.search(predicate.text)
    code = f"{predicate.source}{CODE}"
    is_other = ", type=" not in predicate.text or (
        match is not None and match["name"].rpartition(".")[2].startswith("builtin_")
    )
    return is_other and any(of == code for _, of, _ in input.guards)


def _other_type(predicate: Predicate, input: Input) -> str | None:
    """Return the type of the value that is compared with an object, when it is not the type of the object."""
    match, source = _OBJECT_TYPE.search(predicate.text), predicate.source or ""
    if match is None:
        return None
    if source in input.types:
        own = input.types[source]
    elif source in input.values:
        own = type(input.values[source]).__name__
    else:
        return None
    return own if own != match["name"].rpartition(".")[2] else None


def _actual(predicate: Predicate, input: Input, shown: str | None) -> Any:
    """Return the value itself where it is known: what a fix can do depends on it."""
    value = input.values.get(predicate.source or "", shown)
    return shown if isinstance(value, (Tensor, list, tuple, dict)) else value


def _of_tensor(predicate: Predicate, input: Input) -> tuple[Difference, ...] | None:
    wanted = tensor_pattern(predicate.text)
    if wanted is None:
        return None
    actual = input.values.get(wanted.source)
    if not isinstance(actual, Tensor):
        if wanted.source in input.values:
            other: str | None = type(actual).__name__
        else:
            other = None if wanted.source in input.patterns else _kind_of_object(wanted.source, input)
        return None if other is None else (Difference("type", wanted.source, None, "a tensor", other),)
    return tuple(tensor_differences(wanted, actual, input.patterns.get(wanted.source)))


def tensor_differences(
    wanted: TensorPattern, actual: Tensor, own: TensorPattern | None
) -> Iterator[Difference]:
    """Compare a tensor with a pattern. ``own``: the pattern of its own compile."""
    source = wanted.source
    if own is not None and own.name != wanted.name:
        yield Difference("class", source, None, wanted.name, own.name)
    if own is not None and own.keys != wanted.keys and own.device == wanted.device:
        yield Difference("dispatch_keys", source, None, wanted.keys, own.keys)
    if actual.dtype not in (None, wanted.dtype):
        yield Difference("dtype", source, None, wanted.dtype, actual.dtype)
    if actual.device and wanted.device and other_device(actual.device, wanted.device):
        yield Difference("device", source, None, wanted.device, actual.device)
    if (
        None not in (actual.requires_grad, wanted.requires_grad)
        and actual.requires_grad != wanted.requires_grad
    ):
        yield Difference("requires_grad", source, None, wanted.requires_grad, actual.requires_grad)
    if len(wanted.size) != len(actual.size):
        yield Difference("rank", source, None, len(wanted.size), len(actual.size))
        return
    for dimension, size in enumerate(wanted.size):
        if size not in (None, actual.size[dimension]):
            yield Difference("size", source, dimension, size, actual.size[dimension])
    for dimension, (stride, own_stride) in enumerate(zip(wanted.stride, actual.stride or (), strict=False)):
        if stride not in (None, own_stride):
            yield Difference("stride", source, dimension, stride, own_stride)
