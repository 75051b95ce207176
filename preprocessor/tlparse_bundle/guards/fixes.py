"""Fixes of recompiles, and which of them relax a guard that failed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from tlparse_bundle.guards.failing import Difference
from tlparse_bundle.guards.inputs import is_argument

_OTHER_THAN_AUTOCAST = re.compile(r"\b(?!Autocast)\w+")
_OF_TYPE = re.compile(r"type\(([^()]+)\)\.")
_OF_DEFAULTS = re.compile(r"\.__(?:kw)?defaults__\b")
_NUMBER_TYPES = ("type int", "type float")
SMALL_SIZES = (0, 1)
DYNAMIC_NUMBERS = ("dynamic_int", "dynamic_float")
DYNAMIC = ("mark_dynamic", *DYNAMIC_NUMBERS)
FLOAT = re.compile(r"-?(?:\d+\.\d*|\d*\.\d+)(?:e[+-]?\d+)?|-?\d+e[+-]?\d+|-?inf|nan")

# Fixes of one property of a tensor, whose guards show what they avoid. A value, an object or a mode can also
# decide which path the code takes, and dynamic=True makes numbers dynamic of which the log has no symbol.
COUNTED = (
    "mark_dynamic",
    "mark_unbacked",
    "same_layout",
    "same_dtype",
    "same_device",
    "same_requires_grad",
)


class Fix(NamedTuple):
    """A fix: ``kind`` is a 'fix' of ``recompile_fixes``, or one of DYNAMIC_NUMBERS, part of dynamic_true.
    ``source`` and ``dimension``: what it applies to; None for the whole function.
    """

    kind: str
    source: str | None = None
    dimension: int | None = None


def covers(fix: Fix, other: Fix) -> bool:
    """Whether a fix does what another one does."""
    if fix.kind == "dynamic_true":
        return other.kind == "dynamic_float" or (other.kind in DYNAMIC and is_argument(other.source or ""))
    if (fix.kind, other.kind) in (("mark_unbacked", "mark_dynamic"), ("few_values", "same_type")):
        return fix[1:] == other[1:]
    return fix == other


def fixes_of(difference: Difference) -> tuple[Fix, ...]:
    """Return the fixes that would make a guard hold; none when no fix is known."""
    make = _FIXES.get(difference.aspect)
    return make(difference) if make else ()


def _of_size(difference: Difference) -> tuple[Fix, ...]:
    fix = Fix("mark_unbacked", difference.source, difference.dimension)
    if difference.expected in SMALL_SIZES or difference.actual in SMALL_SIZES:
        return (fix,)
    return (Fix("mark_dynamic", difference.source, difference.dimension),)


def _of_value(difference: Difference) -> tuple[Fix, ...]:
    value, source = difference.actual, difference.source
    if type(value) is int and is_int(difference.expected):
        # Defaults are constants: torch/_dynamo/utils.py, is_int_specialization_case.
        if is_argument(source) and _OF_DEFAULTS.search(source) is None:
            return (Fix("dynamic_int", source),)
        return (Fix("few_values", source),)
    if type(value) is float and is_float(difference.expected):
        own = "tensor_argument" if is_argument(source) else "few_values"
        return Fix("dynamic_float", source), Fix(own, source)
    return (Fix("few_values", source),)


def _of_type(difference: Difference) -> tuple[Fix, ...]:
    """A number of the other type would be another value or another dtype, which needs its own compile."""
    return () if is_number_of_other_type(difference) else (Fix("same_type", difference.source),)


def is_number_of_other_type(difference: Difference) -> bool:
    """Whether a call has an integer where a guard asks for a float, or the reverse."""
    actual = difference.actual if type(difference.actual) is str else type(difference.actual).__name__
    return difference.expected in _NUMBER_TYPES and f"type {actual}" in _NUMBER_TYPES


def _of_dispatch_keys(difference: Difference) -> tuple[Fix, ...]:
    """Autocast adds keys to those of each tensor."""
    expected, actual = (
        _OTHER_THAN_AUTOCAST.findall(str(keys)) for keys in (difference.expected, difference.actual)
    )
    return (Fix("same_global_state"),) if expected == actual else ()


def _of_identity(difference: Difference) -> tuple[Fix, ...]:
    """What belongs to the type of an object, such as a method, is the same for one type."""
    of_type = _OF_TYPE.match(difference.source)
    return (Fix("same_type", of_type[1]) if of_type else Fix("same_object", difference.source),)


def is_int(text: Any) -> bool:
    return type(text) is int or (type(text) is str and text.removeprefix("-").isdigit())


def is_float(text: Any) -> bool:
    return type(text) is float or (type(text) is str and FLOAT.fullmatch(text) is not None)


def _same(kind: str) -> Callable[[Difference], tuple[Fix, ...]]:
    return lambda difference: (Fix(kind, difference.source),)


_FIXES: dict[str, Callable[[Difference], tuple[Fix, ...]]] = {
    "size": _of_size,
    "value": _of_value,
    "stride": _same("same_layout"),
    "dtype": _same("same_dtype"),
    "device": _same("same_device"),
    "requires_grad": _same("same_requires_grad"),
    "dispatch_keys": _of_dispatch_keys,
    "class": _same("same_type"),
    "type": _of_type,
    "identity": _of_identity,
    "length": _same("same_structure"),
    "state": lambda difference: (Fix("same_global_state"),),
}
