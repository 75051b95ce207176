"""Maps the rows of a table field by field, as ``x-content`` of its schema says.

What the schema does not know is dropped: other fields, and texts where it has none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from tlparse_bundle.base.diagnostics import CODES
from tlparse_bundle.bundle.schemas import schema
from tlparse_bundle.log.events.metric_fields import BY_NAME
from tlparse_bundle.redact.fixed_lists import is_listed
from tlparse_bundle.redact.names import Names
from tlparse_bundle.redact.torch_names import words

_RELEASE = re.compile(r"[0-9]{1,2}\.[0-9]{1,3}\.[0-9]{1,3}(?![0-9.])")
_UNLISTED: Mapping[str, Callable[[str], str]] = {  # what else replaces a text that is not on a list
    "descriptors": lambda text: "artifact:*text",
    "versions": lambda text: match[0] if (match := _RELEASE.match(text)) else "0.0.0",
}
REDACTED = "redacted"  # in place of a text that may not be null
_MAX_DEPTH = 20
CONTENTS = words(
    "structure function path variable name hash blob log location text source statement details configuration"
    " measurements"
)
# Row of the object that has a value, and the value; returns what replaces it.
Map = Callable[[Any, Mapping[str, Any]], Any]


class Fields:
    """The maps of all tables. ``kept``: fields whose content stays, as TABLE.FIELD."""

    def __init__(
        self,
        names: Names,
        kept: Collection[str] = (),
        *,
        blob: Callable[[str], str] = str,
        log: Callable[[str], str] = str,
        keeps_hashes: bool = False,
    ):
        self.names = names
        self._kept = kept
        self._blob = blob
        self._log = log
        self._keeps_hashes = keeps_hashes
        self._maps: dict[str, Map] = {}
        self._details: dict[str, Map] = {}

    def row(self, table: str, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the redacted row of a table."""
        if table not in self._maps:
            document = schema(table)
            self._maps[table] = self._map(document, document, table)
        redacted: dict[str, Any] = self._maps[table](row, {})
        return redacted

    def part(self, table: str, definition: str, value: Any) -> Any:
        """Return the redacted value of a definition of a schema."""
        document = schema(table)
        return self._map(document["$defs"][definition], document, f"{table}.{definition}")(value, {})

    def details(self, kind: str, value: Mapping[str, Any]) -> dict[str, Any]:
        """Return the redacted details of a finding of a log."""
        if kind not in self._details:
            document = schema("findings")
            part = document["$defs"]["details"]["properties"].get(kind, {"type": "object", "properties": {}})
            self._details[kind] = self._map(part, document, f"findings.details.{kind}")
        redacted: dict[str, Any] = self._details[kind](value, {})
        return redacted

    def _map(self, part: Mapping[str, Any], document: Mapping[str, Any], where: str) -> Map:
        """Return the map of a part of a schema."""
        if "$ref" in part:
            target = document["$defs"][part["$ref"].removeprefix("#/$defs/")]
            return self._map({**target, **{k: v for k, v in part.items() if k != "$ref"}}, document, where)
        types = part.get("type", [])
        types = [types] if isinstance(types, str) else types
        nullable = "null" in types or None in part.get("enum", ())
        if where in self._kept:
            return lambda value, row: value
        if (content := part.get("x-content")) is not None:
            scalar = self._content(content, part, where, nullable=nullable)
        else:
            scalar = _fixed(part, types)
        if "properties" in part or ("object" in types and content is None):
            return self._object(part, document, where, nullable=nullable)
        if "array" in types and content is None:
            item = self._map(part.get("items", {}), document, where)
            return lambda value, row: (
                [item(one, row) for one in value] if type(value) is list else None if nullable else []
            )
        return scalar

    def _object(
        self, part: Mapping[str, Any], document: Mapping[str, Any], where: str, *, nullable: bool
    ) -> Map:
        fields = {
            key: self._map(child, document, f"{where}.{key}")
            for key, child in part.get("properties", {}).items()
        }
        contents = {key: child.get("x-content") for key, child in part.get("properties", {}).items()}
        file, function = (
            next((k for k, c in contents.items() if c == what), None) for what in ("path", "function")
        )
        paired = (
            (file, function)
            if file is not None
            and function is not None
            and f"{where}.{file}" not in self._kept
            and f"{where}.{function}" not in self._kept
            else None
        )
        other = part.get("additionalProperties")
        value_of = self._map(other, document, where) if isinstance(other, dict) else None
        key_of = self._map(part.get("propertyNames", {}), document, f"{where}.key")

        def mapped(value: Any, row: Mapping[str, Any]) -> Any:
            if type(value) is not dict:
                return None if nullable else {}
            new = {key: map_(value[key], value) for key, map_ in fields.items() if key in value}
            if paired is not None:
                new[file], new[function] = self.names.place(
                    _text(value.get(file)), _text(value.get(function))
                )
            if value_of is not None:
                new |= {
                    str(key_of(key, value)): value_of(one, value)
                    for key, one in value.items()
                    if key not in fields
                }
            return new

        return mapped

    def _content(self, content: str, part: Mapping[str, Any], where: str, *, nullable: bool) -> Map:
        names = self.names
        other: Map = _numbers if _has_numbers(part) else _nothing
        match content:
            case "structure":
                list_ = part.get("x-list", "")
                own = {"breaks": names.text, "artifacts": names.record}
                unlisted = own.get(list_) or _UNLISTED.get(list_, names.name)
                return _strings(lambda text: text if is_listed(list_, text) else unlisted(text), other)
            case "function":
                return _strings(names.function)
            case "path":
                return _strings(names.path)
            case "variable":
                return _strings(names.variable)
            case "name":
                return _strings(names.name, other)
            case "hash":
                return _strings(
                    (lambda text: text)
                    if self._keeps_hashes and where.endswith(".sha256")
                    else names.pseudonyms.hash
                )
            case "blob":
                return _strings(self._blob)
            case "log":
                return _strings(self._log)
            case "source":
                return lambda value, row: None if nullable else REDACTED
            case "statement":
                return lambda value, row: None if nullable else _own_words(where, row)
            case "configuration":
                return lambda value, row: self._settings(value) if type(value) is dict else None
            case "measurements":
                return lambda value, row: self._measurements(value) if type(value) is dict else {}
            case "text" if "object" in part.get("type", ()):
                return lambda value, row: None if nullable else {}
            case _:  # text, and what this version does not know
                return lambda value, row: None if value is None else names.text(str(value))

    def _settings(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return settings with torch's names. Only what is on, off or unset keeps its value."""
        return {
            name if is_listed("settings", name) else self.names.name(name): (
                value
                if is_listed("settings", name) and (value is None or type(value) is bool)
                else self.names.text(str(value))
            )
            for name, value in settings.items()
        }

    def _measurements(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of the metrics that this version knows."""
        return {name: self._measured(value, 0) for name, value in values.items() if name in BY_NAME}

    def _measured(self, value: Any, depth: int) -> Any:
        if value is None or type(value) in (bool, int, float):
            return value
        if type(value) is str:
            listed = any(
                is_listed(name, value)
                for name in ("compiles", "sizes", "exceptions", "spans", "words", "versions")
            )
            return value if listed else self.names.name(value) if depth else self.names.text(value)
        if depth >= _MAX_DEPTH:
            return None
        if type(value) is list:
            return [self._measured(one, depth + 1) for one in value]
        return {self.names.name(key): self._measured(one, depth + 1) for key, one in value.items()}


def _own_words(where: str, row: Mapping[str, Any]) -> str:
    """Return our sentence about a diagnostic, by its code."""
    code = row.get("code")
    return CODES[code].meaning if where.startswith("diagnostics.") and code in CODES else REDACTED


def _strings(map_: Callable[[str], Any], other: Map | None = None) -> Map:
    rest = other or _nothing
    return lambda value, row: map_(value) if type(value) is str else rest(value, row)


def _nothing(value: Any, row: Mapping[str, Any]) -> Any:
    return None


def _numbers(value: Any, row: Mapping[str, Any]) -> Any:
    return value if type(value) in (int, float) else None


def _has_numbers(part: Mapping[str, Any]) -> bool:
    return not {"integer", "number"}.isdisjoint(part.get("type", ()))


_TYPES: Mapping[str, tuple[type, ...]] = {
    "integer": (int,), "number": (int, float), "boolean": (bool,), "null": (type(None),)
}  # fmt: skip


def _fixed(part: Mapping[str, Any], types: Collection[str]) -> Map:
    """Return the map of a number, or of a text that the schema enumerates; of anything else nothing stays."""
    words = part.get("enum", [part["const"]] if "const" in part else None)
    if words is not None:
        return lambda value, row: value if value in words else None
    kinds = frozenset(kind for name in types for kind in _TYPES.get(name, ()))
    return lambda value, row: value if type(value) in kinds else None


def _text(value: Any) -> str | None:
    return value if type(value) is str else None
