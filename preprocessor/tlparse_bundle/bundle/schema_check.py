"""Fast validation for the part of JSON Schema that our schemas use.

A schema becomes one function. It is stricter than JSON Schema, like the readers: 1.0 is not an integer,
and a pattern must match the whole text including a final line feed. ``tests/bundle/test_shape.py``
compares it with jsonschema.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple, Protocol

Highest = dict[str, int]  # largest reference so far, by what it refers to
Check = Callable[[Any, Highest], None]

_TYPES: dict[str, tuple[type, ...]] = {
    "integer": (int,), "number": (int, float), "string": (str,), "null": (type(None),),
    "boolean": (bool,), "array": (list,), "object": (dict,),
}  # fmt: skip
_MAX_PROBLEMS = 10
_NOTES = {"$schema", "$id", "$defs", "title", "description", "x-table", "x-content", "x-list"}
_KNOWN = _NOTES | {
    "$ref", "type", "enum", "const", "minimum", "pattern", "properties", "required", "additionalProperties",
    "propertyNames", "items", "minItems", "maxItems",
}  # fmt: skip
_NAMES = {
    int: "an integer",
    float: "a number",
    str: "a string",
    type(None): "null",
    bool: "a boolean",
    list: "a list",
    dict: "an object",
}


class _Column(Protocol):
    """Checks many values at once; the single check finds the wrong one.

    ``exactly``: like the check, true and false are not numbers.
    """

    def __call__(self, values: list[Any], highest: Highest, *, exactly: bool = False) -> bool: ...


class _Part(NamedTuple):
    """Checks of a part of a schema; ``column`` is None when values must be checked one by one."""

    check: Check
    column: _Column | None


class Malformed(ValueError):
    """A value that violates the schema. ``path``: keys and positions, innermost first."""

    def __init__(self, problem: str, *path: str | int):
        super().__init__(problem)
        self.problem = problem
        self.path = list(path)

    def __str__(self) -> str:
        where = "".join(
            f"[{part}]" if type(part) is int else f".{quoted(part, quotes='')}"
            for part in reversed(self.path)
        ).lstrip(".")
        return f"{where or 'top level'}: {self.problem}"


def quoted(value: Any, quotes: str = "'") -> str:
    """Return a short form of a value for messages."""
    if type(value) in (list, dict):
        return _NAMES[type(value)]
    text = repr(value) if type(value) is not str or quotes else repr(value)[1:-1]
    return text if len(text) <= 60 else text[:60] + "…"


def _all_match(pattern: str) -> Callable[[list[str]], bool]:
    """Return whether all texts match a pattern."""
    same_length = re.fullmatch(r"\^(\[[A-Za-z0-9-]+\])\{(\d+)\}\$", pattern)
    if same_length is None:
        matches = re.compile(pattern.removesuffix("$") + r"\Z").search
        return lambda texts: all(map(matches, texts))
    # Hashes are common: removing these characters and checking the rest is six times as
    # fast.
    characters, lengths = (
        bytes(code for code in range(128) if re.fullmatch(same_length[1], chr(code))),
        {int(same_length[2])},
    )
    return lambda texts: (
        set(map(len, texts)) <= lengths
        and not "".join(texts).encode("utf-8", "surrogatepass").translate(None, characters)
    )


def _all_right(part: _Part, values: list[Any], highest: Highest) -> bool:
    """Return whether all values are valid."""
    if part.column is not None:
        return not values or part.column(values, highest, exactly=True)
    try:
        for value in values:
            part.check(value, highest)
    except Malformed:
        return False
    return True


@cache
def _scalar(  # noqa: C901 - a case for each combination of keywords
    types: frozenset[type],
    words: tuple[Any, ...] | None,
    strictly: bool,
    minimum: int | None,
    pattern: str | None,
    refers_to: str | None,
    closed: bool,
) -> _Part:
    """Return the cached check of a scalar, since most columns are of a few kinds. ``strictly``: reject
    unknown words.
    """
    listed = frozenset(words) if words is not None and strictly else None
    all_match = None if pattern is None else _all_match(pattern)
    expected = " or ".join(sorted(_NAMES[kind] for kind in types))
    plain_numbers = types == {int} and listed is None and minimum is not None and minimum >= 0 and not closed

    def scalar(value: Any, highest: Highest) -> None:
        kind = type(value)
        if kind not in types:
            raise Malformed(f"{quoted(value)} is not {expected}")
        if listed is not None and value not in listed:
            raise Malformed(f"{quoted(value)} is not one of {', '.join(map(repr, words or ()))}")
        if kind is int or kind is float:
            if minimum is not None and value < minimum:
                raise Malformed(f"{value} is less than {minimum}")
            if refers_to is not None and value > highest.get(refers_to, -1):
                highest[refers_to] = value
        elif all_match is not None and kind is str and not all_match([value]):
            raise Malformed(f"{quoted(value)} does not match {pattern}")

    def column(values: list[Any], highest: Highest, *, exactly: bool = False) -> bool:
        if plain_numbers and not exactly:  # three times as quick; true and false count as 1 and 0
            try:
                array("Q", values)
            except (TypeError, OverflowError):
                return False
            if refers_to is not None and values:
                highest[refers_to] = max(highest.get(refers_to, -1), max(values))
            return not minimum or min(values, default=minimum) >= minimum
        kinds = set(map(type, values))
        if not kinds <= types:
            return False
        if listed is not None and not listed.issuperset(values):
            return False
        if (minimum is not None or refers_to is not None) and not kinds.isdisjoint((int, float)):
            numbers = (
                values
                if len(kinds) == 1
                else [value for value in values if value is not None and type(value) is not str]
            )
            if minimum is not None and min(numbers) < minimum:
                return False
            if refers_to is not None:
                highest[refers_to] = max(highest.get(refers_to, -1), max(numbers))
        return all_match is None or all_match(
            values if kinds == {str} else [value for value in values if type(value) is str]
        )

    return _Part(scalar, column)


def compile_schema(  # noqa: C901 - a case for each keyword
    schema: dict[str, Any], target: Callable[[str], str | None] = lambda name: None, *, closed: bool = False
) -> Check:
    """Return a function that raises Malformed for an invalid value, and collects the largest reference to
    each ``target``.

    ``closed``: reject unknown fields and enum words, which a newer minor version may add. Raises
    ValueError for a schema with an unknown keyword.
    """
    definitions = schema.get("$defs", {})

    def compiled(part: dict[str, Any], refers_to: str | None = None) -> _Part:  # noqa: C901 - see above
        if unknown := part.keys() - _KNOWN:
            raise ValueError(f"no check for {sorted(unknown)}")
        if "$ref" in part:
            return compiled(definitions[part["$ref"].removeprefix("#/$defs/")], refers_to)
        names = part.get("type", list(_TYPES))
        types = frozenset(
            kind for name in ([names] if type(names) is str else names) for kind in _TYPES[name]
        )
        words = part.get("enum", [part["const"]] if "const" in part else None)
        if words is not None:
            types &= {type(word) for word in words}
        scalar = _scalar(
            types,
            words and tuple(words),
            closed or "const" in part,
            part.get("minimum"),
            part.get("pattern"),
            refers_to,
            closed,
        )
        if types.isdisjoint((list, dict)):
            return scalar

        items = compiled(part["items"], refers_to) if "items" in part else None
        items_column = None if items is None else items.column
        least, most = part.get("minItems", 0), part.get("maxItems")
        properties = {key: compiled(value, target(key)) for key, value in part.get("properties", {}).items()}
        required = part.get("required", ())
        needed = frozenset(required)
        other = part.get("additionalProperties", True)
        extra = compiled(other) if type(other) is dict else None
        checks = {key: property_.check for key, property_ in properties.items()}
        other_check = None if extra is None else extra.check
        refused = other is False and closed
        named = compiled(part["propertyNames"]).check if "propertyNames" in part else None

        def any_value(value: Any, highest: Highest) -> None:
            kind = type(value)
            if kind is dict and dict in types:
                for key in required:
                    if key not in value:
                        raise Malformed(f"{key!r} is missing")
                if not properties and extra is None and not refused and named is None:
                    return
                for key, item in value.items():
                    check = checks.get(key, other_check)
                    try:
                        if check is not None:
                            check(item, highest)
                        elif refused:
                            raise Malformed("unknown field")
                        if named is not None:
                            named(key, highest)
                    except Malformed as error:
                        error.path.append(key)
                        raise
            elif kind is list and list in types:
                if len(value) < least or (most is not None and len(value) > most):
                    raise Malformed(f"has {len(value)} elements")
                if items is None or (items_column is not None and items_column(value, highest)):
                    return
                for position, item in enumerate(value):
                    try:
                        items.check(item, highest)
                    except Malformed as error:
                        error.path.append(position)
                        raise
            else:
                scalar.check(value, highest)

        def rows(values: list[Any], highest: Highest, *, exactly: bool = False) -> bool:
            """Return whether all objects and lists are valid, checked by field and by element."""
            kinds = set(map(type, values))
            if not kinds <= types:
                return False
            objects = values if kinds == {dict} else [value for value in values if type(value) is dict]
            lists = values if kinds == {list} else [value for value in values if type(value) is list]
            if not all(value.keys() >= needed for value in objects):
                return False
            if not all(
                _all_right(
                    property_, [value[key] for value in objects if key in needed or key in value], highest
                )
                for key, property_ in properties.items()
            ):
                return False
            if extra is not None and not _all_right(
                extra,
                [item for value in objects for key, item in value.items() if key not in properties],
                highest,
            ):
                return False
            if not all(least <= len(value) and (most is None or len(value) <= most) for value in lists):
                return False
            elements = [] if items is None else [item for value in lists for item in value]
            if items is not None and elements:
                right = (
                    items_column(elements, highest)
                    if items_column is not None
                    else _all_right(items, elements, highest)
                )
                if not right:
                    return False
            return kinds <= {dict, list} or _all_right(
                scalar, [value for value in values if type(value) not in (dict, list)], highest
            )

        return _Part(any_value, rows if not refused and named is None else None)

    return compiled(schema).check


def schema_problems(document: dict[str, Any], value: Any, *, relaxed: bool) -> list[str]:
    """Return the problems that jsonschema finds, as sentences. Slow, so only call it for invalid values.
    Empty for values that are nested too deeply.
    """
    try:
        return list(_messages(document, value, relaxed))
    except RecursionError:
        return []


def _messages(document: dict[str, Any], value: Any, relaxed: bool) -> Iterator[str]:
    from jsonschema import Draft202012Validator

    for number, error in enumerate(
        Draft202012Validator(_relax(document) if relaxed else document).iter_errors(value)
    ):
        if number == _MAX_PROBLEMS:
            yield "and more"
            return
        where = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in error.absolute_path).lstrip(".")
        message = error.message if len(error.message) <= 200 else error.message[:200] + "…"
        yield f"{where or 'top level'}: {message}"


def _relax(document: Any) -> Any:
    """Return the schema with unknown fields allowed, for a newer minor version."""
    if isinstance(document, dict):
        return {
            key: _relax(value)
            for key, value in document.items()
            if not (key == "additionalProperties" and value is False)
        }
    if isinstance(document, list):
        return [_relax(value) for value in document]
    return document
