"""Sentences about the guard failures that led to recompiles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tlparse_bundle.base.wording import code, first_line, listed
from tlparse_bundle.guards.inputs import local_name
from tlparse_bundle.statements.facts import Facts, FunctionKey
from tlparse_bundle.statements.recompile_causes import Cause

SIZE = re.compile(r"([\w.\[\]'\"]+)\.size\(\)\[(\d+)\]")
_MOST_VALUES = 5
_MANY_SHOWN = 3  # values to list when there are more
_ARGUMENT = re.compile(r"(?!___)(?!self$)[A-Za-z_]\w*|L\['(?!___)\w+'\]")
_KEY_SET = re.compile(r"DispatchKeySet\((.*)\)")
_KEYWORD = re.compile(r"(?<![\w.])kwargs\['(\w+)'\]")
_GLOBAL = re.compile(r"\bG\['(\w+)'\]")
_FROM_NUMPY = re.compile(r"___from_numpy\(([^()]*)\)")
_CODE = ".__code__"  # of a function
_CLASS = re.compile(r"<class '(?:__main__\.)?([\w.]+)'>")
Specialization = Mapping[str, Any]  # a row of specializations with the names of its sources
Constant = tuple[FunctionKey, str | None, int | None]  # function, name, dimension; None for a number


def source_name(source: str | None) -> str | None:
    """Return the name at the user's call: "x" for "L['x']", "ids" for "kwargs['ids']", and "a" for the tensor
    that torch makes of a NumPy array.
    """
    if source is None:
        return None
    return _GLOBAL.sub(r"\1", _KEYWORD.sub(r"\1", _FROM_NUMPY.sub(r"\1", local_name(source))))


def subject(change: str, source: str | None, dimension: int | None) -> str:
    """Return what the guard checks, such as "`x.size(0)`"."""
    name = source_name(source) or "an input"
    at = "?" if dimension is None else dimension
    forms = {
        "size": f"{name}.size({at})",
        "stride": f"{name}.stride({at})",
        "rank": f"{name}.dim()",
        "dtype": f"{name}.dtype",
        "device": f"{name}.device",
        "requires_grad": f"{name}.requires_grad",
        "type": f"type({name})",
        "length": f"len({name})",
    }
    if change in forms:
        return code(forms[change]) if source else forms[change]
    name = code(name) if source else name
    words = {
        "dispatch_keys": f"the dispatch keys of {name}",
        "shape": f"a condition on the sizes of {name}" if source else "a condition on sizes",
        "keys": f"the keys of {name}",
        "attribute": f"the attributes of {name}",
        "aliasing": "which inputs share memory",
        "global_state": name if source else "a global state of torch",
        "backend": "the backend",
    }
    return words.get(change, name if source else "a guard")


def what_changed(cause: Cause, *, with_values: bool = True) -> str:
    """Return a clause such as "`x.size(0)` had 3 different values (`4`, `5`, `9`)", or torch's guard text."""
    if cause.reason is None:
        return "torch recorded no reason"
    change, source, guard = cause.change, cause.reason["source"], cause.reason["guard"]
    if source is not None and source.endswith(_CODE):
        is_none = guard.startswith("CodeGuardAccessor: Not a function")  # torch/csrc/dynamo/guards.cpp
        name = code(source_name(source.removesuffix(_CODE)) or "")
        return f"{name} is {'no longer a' if is_none else 'a different'} function"
    if len(cause.changes) == 1 and guard.startswith("KeyError on "):
        return f"the call has no {subject('value', source, None)}"
    if len(cause.changes) == 1 and change == "identity":
        return f"{subject(change, source, None)} is a different object"
    if len(cause.changes) == 1 and change == "keys":
        return _keys_changed(subject("value", source, None), list(cause.values))
    if change in ("other", "shape"):
        return f"guard {code(first_line(guard))} failed"
    if change == "global_state" and source is not None:
        return f"{listed([code(state) for state in source.split()])} changed"
    if len(cause.changes) > 1:
        subjects = list(dict.fromkeys(subject(one, source, cause.dimension) for one in cause.changes))
        if cause.changes.keys() == {"type", "keys"}:
            return f"{subjects[0]} changed, or the call has no {subject('value', source, None)}"
        return f"{listed(subjects)} changed"
    values = list(cause.values)
    if change == "dispatch_keys":
        values = _key_differences(values)
    elif change == "type":
        values = list(map(_type_name, values))
    elif change == "requires_grad":
        values = [{"0": "False", "1": "True"}.get(str(value), value) for value in values]
    is_argument = change in ("value", "flag") and not cause.is_resumed and _ARGUMENT.fullmatch(source or "")
    what = f"{'argument ' if is_argument else ''}{subject(change, source, cause.dimension)}"
    return f"{what} {_values_text(values, is_open=cause.open, with_values=with_values)}"


def _keys_changed(name: str, values: Sequence[Any]) -> str:
    """Return which key of a dict was added or is missing: a guard asks for "'b'" or "not 'b'"."""
    if len(values) != 1 or type(values[0]) is not str:
        return f"the keys of {name} changed"
    key = values[0].removeprefix("not ")
    return f"{name} {'now has' if key != values[0] else 'lacks'} the key {code(key)}"


def _type_name(value: Any) -> Any:
    """Return a type as users write it: "My" for "<class '__main__.My'>"."""
    if value == "a tensor":
        return "Tensor"
    return _CLASS.sub(r"\1", value) if type(value) is str else value


def _keys(value: Any) -> list[str] | None:
    match = _KEY_SET.fullmatch(value) if type(value) is str else None
    return match[1].split(", ") if match else None


def _key_differences(values: list[Any]) -> list[Any]:
    """Return the dispatch keys without those that all sets share."""
    sets = [keys for value in values if (keys := _keys(value)) is not None]
    if len(sets) < max(2, len(values)):
        return values
    common = set.intersection(*map(set, sets))
    return [", ".join(key for key in keys if key not in common) or "none" for keys in sets]


def others_than_autograd(values: Iterable[Any]) -> bool:
    """Whether sets of dispatch keys differ in more than what grad and inference mode change."""
    sets = [
        {key for key in keys if not key.startswith(("Autograd", "ADInplaceOrView"))}
        for value in values
        if (keys := _keys(value)) is not None
    ]
    return any(keys != sets[0] for keys in sets)


def _values_text(values: list[Any], *, is_open: bool, with_values: bool) -> str:
    """Return how the values differed. ``is_open``: torch did not record the last one."""
    if not values:
        return "changed"
    if len(values) == 1:
        return f"is no longer {code(str(values[0]))}"
    if len(values) == 2 and not is_open:
        return f"changed from {code(str(values[0]))} to {code(str(values[1]))}"
    text = f"had {len(values) + is_open:,} different values"
    if not with_values:
        return text
    shown = values if len(values) <= _MOST_VALUES else values[:_MANY_SHOWN]
    more = ", …" if is_open or len(shown) < len(values) else ""
    return f"{text} ({', '.join(code(str(value)) for value in shown)}{more})"


def specializations(facts: Facts) -> dict[FunctionKey, list[Specialization]]:
    """Return the specializations of each function: rows with the names of their sources."""
    groups: dict[FunctionKey, list[Specialization]] = {}
    for row in facts.table("specializations"):
        named = {**row, "sources": [source_name(source) for source in row["sources"]]}
        groups.setdefault(facts.function_key(facts.number_of(row)), []).append(named)
    return groups


def noun_of(rows: Sequence[Specialization]) -> str:
    return (
        "size"
        if all(source is None or ".size()" in source for row in rows for source in row["sources"])
        else "value"
    )


def noun(facts: Facts) -> str:
    """Return what the specialized symbols of the log are: "size" or "value"."""
    return noun_of([row for rows in facts.once(specializations).values() for row in rows])


def constants(facts: Facts) -> dict[Constant, Specialization]:
    """Return the specialized symbols with the first row of each; the dimension of a number is None."""
    constant: dict[Constant, Specialization] = {}
    for function, rows in facts.once(specializations).items():
        for row in rows:
            for source in filter(None, row["sources"]):
                size = SIZE.fullmatch(source)
                key = (function, size[1], int(size[2])) if size else (function, source, None)
                constant.setdefault(key, row)
    return constant
