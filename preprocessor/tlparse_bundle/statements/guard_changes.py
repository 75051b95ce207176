"""Sentences about the guard failures that led to recompiles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tlparse_bundle.base.wording import code, first_line, listed
from tlparse_bundle.guards.inputs import local_name
from tlparse_bundle.statements.clearer_reasons import NOT_FOUND
from tlparse_bundle.statements.dispatch_keys import autocast_changed, is_of_transforms, key_differences
from tlparse_bundle.statements.facts import Facts, FunctionKey
from tlparse_bundle.statements.recompile_causes import (
    AT_LEAST_TWO,
    UNEXPLAINED,
    Cause,
    is_of_metadata,
    requested_recompiles,
    shown_value,
)
from tlparse_bundle.statements.small_values import small_values
from tlparse_bundle.statements.tied_sizes import tied_sizes

SIZE = re.compile(r"([\w.\[\]'\"]+)\.size\(\)\[(\d+)\]")
_SIZES = re.compile(r"([A-Za-z_][\w.\[\]'\"]*)\.(size|stride)\(\)\[\d+\]")
_OFFSET = re.compile(r"2 <= (\S+\.storage_offset\(\))")  # torch makes 0 and 1 constants
_MOST_VALUES = 5
_MANY_SHOWN = 3  # values to list when there are more
_MOST_TEXT = 32  # characters of them
_KEYWORD = re.compile(r"(?<![\w.])kwargs\['(\w+)'\]")
_KEYS = re.compile(r"\blist\(dict\.keys\((.+?)\)\)")  # torch/_dynamo/source.py, ConstDictKeySource
_GLOBAL = re.compile(r"\bG\['(\w+)'\]")
_PART = re.compile(r"\._(?:modules|parameters|buffers)\['(\w+)'\]")  # of a module: ".conv", "[0]"
_KEPT_AS = re.compile(r"\._(module|parameter|buffer)s\['\w+'\]$")
_OF_CLASS = re.compile(r"\bdict\((type\([^()]+\))\.__dict__\)\['(\w+)'\]")
_IMPORTED = re.compile(r"\b__import_(?:__main__\.|(\w+))")  # torch/_dynamo/symbolic_convert.py, import_source
_CONVERTED = re.compile(r"___from_numpy\(([^()]*)\)|___as_tensor\(([^()]*)\)\.item\(\)")
_BACKENDS = re.compile(  # torch/_dynamo/guards.py
    r"Cached backend: _TorchCompileWrapper\((.*?)\) \(id=.*New backend: _TorchCompileWrapper\((.*?)\) \(id=",
    re.DOTALL,
)
_OTHER_LENGTH = re.compile(r"^(len\(.+\)) != (\d+)$")
_ABOUT_SIZES = re.compile(r"\. Guard failed on a parameter, consider using .*")
_CODE, _CLOSURE = ".__code__", ".__closure__"  # of a function
_ATTRIBUTES = ".__dict__"  # of an object
_RANGE = "___normalize_range_iter("  # what is left of a range after a graph break in its loop
_FREED = re.compile(r"Cache line invalidated because (\S+) got deallocated")
# torch could not evaluate a guard on the base of a view (torch/_dynamo/guards.py, get_guard_fail_reason)
NO_BASE = re.compile(r"'NoneType' object has no attribute '(?:size|stride|storage_offset)'")
_DIFFERS = re.compile(r"([\w.\[\]'\"]+) != (-?\d+)")  # a condition on a dynamic number
_PLAIN_TENSOR = "<class 'torch.Tensor'>"
_CLASS = re.compile(r"<class '(?:__main__\.)?([\w.]+)'>")
Specialization = Mapping[str, Any]  # a row of specializations with the names of its sources
Constant = tuple[FunctionKey, str | None, int | None]  # function, name, dimension; None for a number


def source_name(source: str | None) -> str | None:
    """Return the name in the user's code: "x" for "L['x']", "ids" for "kwargs['ids']", "a" for the tensor
    that torch makes of a NumPy array or of a float, "list(d)[0]" for the first key of a dict, "type(x).b" for
    an attribute of a class, and "a.b" for a module that torch imports as "__import_a_dot_b".
    """
    if source is None:
        return None
    name = _PART.sub(
        _part, _GLOBAL.sub(r"\1", _KEYWORD.sub(r"\1", _CONVERTED.sub(r"\1\2", local_name(source))))
    )
    name = _OF_CLASS.sub(r"\1.\2", _KEYS.sub(r"list(\1)", name))
    return _IMPORTED.sub(lambda match: (match[1] or "").replace("_dot_", "."), name)


def _part(match: re.Match[str]) -> str:
    return f".{match[1]}" if match[1].isidentifier() else f"[{match[1]}]"


def shown_guard(guard: str) -> str:
    """Return the first line of a guard that failed, as a condition that should hold. torch writes
    "len(x) != 2" where it should be 2 (torch/csrc/dynamo/guards.cpp), and advice about sizes after guards on
    parameters.
    """
    return _OTHER_LENGTH.sub(r"\1 == \2", _ABOUT_SIZES.sub("", first_line(guard)))


def subject(change: str, source: str | None, dimension: int | None) -> str:
    """Return what the guard checks, such as "`x.size(0)`"."""
    if source is not None and source.startswith(_RANGE):
        return "a loop's range"
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


def is_of_modes(cause: Cause) -> bool:
    """Return whether the guard of torch function modes failed, which `with torch.device(…)` pushes, too."""
    return cause.reason is not None and "___check_torch_function_mode_stack(" in cause.reason["guard"]


def is_unexplained(cause: Cause) -> bool:
    """Return whether all guards passed when torch looked for the reason (torch/_dynamo/guards.py)."""
    return cause.reason is not None and cause.reason["guard"].startswith(UNEXPLAINED)


def _small_size(cause: Cause) -> re.Match[str] | None:
    """Return the match of a guard that fails for a size or stride 0 or 1; None for other guards."""
    return AT_LEAST_TWO.search(cause.reason["guard"]) if cause.reason and cause.change == "shape" else None


def what_changed(cause: Cause, *, with_values: bool = True) -> str:
    """Return a clause such as "`x.size(0)` had values such as `4` and `5`", or torch's text."""
    if cause.reason is None:
        return "torch recorded no reason"
    change, source, guard = cause.change, cause.reason["source"], cause.reason["guard"]
    if source is not None and source.endswith(_CODE):
        is_none = guard.startswith("CodeGuardAccessor: Not a function")  # torch/csrc/dynamo/guards.cpp
        name = code(source_name(source.removesuffix(_CODE)) or "")
        return f"{name} is {'no longer a' if is_none else 'a different'} function"
    if source is not None and guard.startswith("ClosureGuardAccessor: Not a function"):
        return f"{code(source_name(source.removesuffix(_CLOSURE)) or '')} is no longer a function"
    if len(cause.changes) == 1 and (clause := _of_one_change(cause, source, guard)) is not None:
        return clause
    if (clause := message_text(guard)) is not None:
        return clause
    if (small := _small_size(cause)) is not None:
        values = list(cause.values)
        name = code(f"{source_name(small['source'])}.{small['what']}({small['dimension']})")
        return f"{name} changed to {code(str(values[0])) if len(values) == 1 else '0 or 1'}"
    if change in ("other", "shape"):
        return _failed_condition(guard)
    if is_of_modes(cause):
        return "the torch function modes changed"
    if change == "global_state":
        states = [code(state) for state in cause.values]
        return f"{listed(states, _MOST_VALUES) if states else subject(change, None, None)} changed"
    if len(cause.changes) > 1:
        if "keys" in cause.changes and (source or "").endswith("]"):  # torch did not find the item
            others = (subject(one, source, cause.dimension) for one in cause.changes if one != "keys")
            names = listed(list(dict.fromkeys(others)))
            return f"{names} changed, or the call has no {subject('value', source, None)}"
        subjects = list(dict.fromkeys(subject(one, source, cause.dimension) for one in cause.changes))
        return f"{listed(subjects)} changed"
    return f"{subject(change, source, cause.dimension)} {_how_values_changed(cause, with_values=with_values)}"


def _of_one_change(cause: Cause, source: str | None, guard: str) -> str | None:
    """Return a clause about an object, a key or None; None where the values show it."""
    if guard.startswith(NOT_FOUND):
        return _is_missing(source or "")
    if cause.change == "identity":
        if (value := cause.instead_of_object) is not None:
            return f"{subject('identity', source, None)} is now {shown_value(value)}"
        return f"{subject('identity', source, None)} is a different object"
    if cause.change == "keys":
        return _keys_changed(subject("value", source, None), list(cause.values))
    if list(cause.values) == ["a tensor", "<class 'NoneType'>"]:
        return f"{subject('value', source, None)} is now `None`"
    if cause.change == "type" and list(cause.values) == ["a tensor", _PLAIN_TENSOR]:  # it was a subclass
        return f"{subject('type', source, None)} is now {code(_type_name(_PLAIN_TENSOR))}"
    if is_of_transforms(cause):
        return f"{subject('value', source, None)} comes from a different `torch.func` transform, or from none"
    return autocast_changed(cause)


def _is_missing(source: str) -> str:
    """Return what torch did not find where it was: a module can keep the name elsewhere, as pruning does."""
    part = _KEPT_AS.search(source)
    if part is None and source.endswith("]"):
        return f"the call has no {subject('value', source, None)}"
    return f"{subject('value', source, None)} is no longer a {part[1] if part else 'plain attribute'}"


def _failed_condition(guard: str) -> str:
    if (number := _DIFFERS.fullmatch(shown_guard(guard))) is not None:
        return f"{code(source_name(number[1]) or '')} changed to {code(number[2])}"
    if (tensor := laid_out(guard)) is not None:
        return f"the memory layout of {code(source_name(tensor) or '')} changed"
    if (offset := _OFFSET.fullmatch(guard)) is not None:
        return f"{code(source_name(offset[1]) or '')} is now `0` or `1`"
    return f"guard {code(first_line(guard))} failed"


def laid_out(guard: str) -> str | None:
    """Return the tensor whose strides a condition compares with its own sizes or strides; None for other
    guards.
    """
    sizes = _SIZES.findall(guard)
    is_of_one = len(sizes) > 1 and len({tensor for tensor, _ in sizes}) == 1
    return sizes[0][0] if is_of_one and any(what == "stride" for _, what in sizes) else None


def other_arguments(guard: str) -> re.Match[str] | None:
    """Return the match of torch's message about a function that is compiled with different arguments of
    ``torch.compile``; None for other guards.
    """
    backends = _BACKENDS.search(guard)
    return backends if backends is not None and backends[1] != backends[2] else None


def message_text(text: str) -> str | None:
    """Return what changed where torch records a message in place of a guard; None for a guard."""
    if text.startswith(UNEXPLAINED):
        return "torch found no guard that failed"
    if text.endswith("index out of range"):
        return f"a guard raised {code(text)}"
    if (backends := other_arguments(text)) is not None:
        cached, new = (backends[number].split(", ") for number in (1, 2))
        ours, theirs = (
            ", ".join(one for one in own if one not in other) for own, other in ((new, cached), (cached, new))
        )
        return f"`torch.compile` has {code(ours)}, not {code(theirs)}"
    if is_of_metadata(text):
        return "the metadata of a tensor subclass changed"
    if NO_BASE.fullmatch(text):
        return "an input is no longer a view of another tensor"
    freed = _FREED.match(text)
    return freed and f"the object {code(source_name(freed[1]) or '')} was deallocated"


def _how_values_changed(cause: Cause, *, with_values: bool) -> str:
    """Return a verb with the values of a cause, such as "changed from `4` to `5`"."""
    change, values = cause.change, list(cause.values)
    if change == "dispatch_keys":
        values = key_differences(values)
    elif change == "type":
        values = list(map(_type_name, values))
    elif change == "requires_grad":
        values = [{"0": "False", "1": "True"}.get(str(value), value) for value in values]
    if len(values) == 1 and cause.moves and all(expected is None for expected, _ in cause.moves):
        return f"changed to {shown_value(values[0])}"
    # A value that is not recorded is that for which the next recompile asks, unless it asks for the same.
    unknown = {expected for expected, actual in cause.moves if actual is None}
    is_open = cause.open or any(one in unknown and actual is not None for one, actual in cause.moves)
    if len(values) == 2 and len(cause.moves) == 2 and not is_open:
        return f"changed between {code(str(values[0]))} and {code(str(values[1]))}"
    return _values_text(values, is_open=is_open, with_values=with_values)


def _keys_changed(name: str, values: Sequence[Any]) -> str:
    """Return which key of a dict was added or is missing: a guard asks for "'b'" or "not 'b'"."""
    if len(values) != 1 or type(values[0]) is not str:
        return f"the keys of {name} changed"
    key = values[0].removeprefix("not ")
    has = "now has" if key != values[0] else "lacks"
    if name.endswith(f"{_ATTRIBUTES}`"):
        return f"{code(name[1 : -len(_ATTRIBUTES) - 1])} {has} the attribute {code(key.strip(chr(39)))}"
    return f"{name} {has} the key {code(key)}"


def _type_name(value: Any) -> Any:
    """Return a type as users write it: "My" for "<class '__main__.My'>"."""
    if value == "a tensor":
        return "Tensor"
    return _CLASS.sub(r"\1", value) if type(value) is str else value


def _values_text(values: list[Any], *, is_open: bool, with_values: bool) -> str:
    """Return how the values differed, of which others can be in calls that are not recorded. ``is_open``:
    torch did not record the last one.
    """
    if not values:
        return "changed"
    if len(values) == 1:
        return f"is no longer {code(str(values[0]))}"
    if len(values) == 2 and not is_open:
        return f"changed from {shown_value(values[0])} to {shown_value(values[1])}"
    if not with_values:
        return "had different values"
    shown = [shown_value(value) for value in values[: _MANY_SHOWN if len(values) > _MOST_VALUES else None]]
    while len(shown) > 1 and sum(map(len, shown)) > _MOST_TEXT:
        shown.pop()
    if len(shown) == 1:
        return "had different values"
    return f"had values such as {listed(shown, len(shown))}"


def specializations(facts: Facts) -> dict[FunctionKey, list[Specialization]]:
    """Return the specializations of each function, without those of discarded attempts: rows with the names
    of their sources, each once in a compile.
    """
    groups: dict[FunctionKey, list[Specialization]] = {}
    seen = set()
    for row in facts.table("specializations"):
        key = row["compile"], tuple(row["sources"]), row["value"], row["reason"], row["user_stack"]
        if not facts.is_of_last_attempt(row) or (row["compile"] is not None and key in seen):
            continue
        seen.add(key)
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


def constant_of(facts: Facts, cause: Cause) -> Specialization | None:
    """Return where the size or number of a cause was specialized, at the latest in its last compile; None
    when it was not. In later compiles it can be a constant for another reason, such as being 0 or 1.
    """
    if not cause.rows:
        return None
    source = source_name(cause.reason["source"]) if cause.reason else None
    recompiles = [facts.once(requested_recompiles)[number].compile_index for number in cause.rows]
    last = recompiles[-1]
    place = cause.function, source, cause.dimension
    row = facts.once(constants).get((facts.compiles[last]["function"], place))
    if row is None or len({facts.compiles[number]["function"] for number in recompiles}) > 1:
        return None
    is_own = row["compile"] == facts.compiles[last]["compile"]
    return row if is_own or facts.number_of(row) < last else None


def constants(facts: Facts) -> dict[tuple[str | None, Constant], Specialization]:
    """Return the specialized symbols with the first row of each, without those in ``tied_places`` and
    ``small_values``, by the name of the compiled function, which can be a resume function.
    """
    found: dict[tuple[str | None, Constant], Specialization] = {}
    for place, row in _by_symbol(facts, are_tied=False):
        found.setdefault((facts.compiles[facts.number_of(row)]["function"], place), row)
    return found


def tied_places(facts: Facts) -> set[Constant]:
    """Return the sizes that are constants because another tensor has them (see ``tied_sizes``)."""
    return {place for place, _ in _by_symbol(facts, are_tied=True)}


def _by_symbol(facts: Facts, *, are_tied: bool) -> Iterator[tuple[Constant, Specialization]]:
    for function, rows in facts.once(specializations).items():
        for row in rows:
            if (
                row["event"] in facts.once(small_values)
                or (row["event"] in facts.once(tied_sizes)) != are_tied
            ):
                continue
            for source in filter(None, row["sources"]):
                size = SIZE.fullmatch(source)
                yield ((function, size[1], int(size[2])) if size else (function, source, None)), row
