"""Write the checks that a page runs on a table before a view uses it: ``viewers/lib/bundle/shapes.js``, from
the schemas.

A schema without descriptions, in a short notation that viewers/lib/bundle/shape.js reads:

    "s"  "i"  "n"  "b"  "*"       text, integer, number, true or false, anything
    "i0"  "i-1"                   an integer of at least 0, of at least -1
    "s?"  "is?"                   or null; integer, text or null
    "i0<@stacks"                  and less than the number of rows of the table 'stacks'
    "/^[a-z]+$/"  "=ok|empty?"    a text of a pattern, one of some words (or null)
    "ranks"                       runs of ranks
    [shape]  [shape, 2]           an array, an array of exactly two; [shape, 0, 1]: or null
    {a: shape, "b?": shape}       an object; b may be absent; "*" is the shape of all others, "?" marks null
"""

from __future__ import annotations

import json
import re

_HEAD = """// What each table must look like, in the notation of scripts/shapes.py. \
Written by scripts/docs from
// schema/*.schema.json: do not edit.

/** The newest minor version of the format that these are of. */
export const MINOR = {minor};

/** @type {{Record<string, any>}} */
export const SHAPES = {{
{tables}}};
"""
_DOCUMENT_HEAD = """// What {name}.json must look like, in the notation of scripts/shapes.py. \
Written by scripts/docs from
// schema/documents/{name}.schema.json: do not edit.

/** The minor version of its format that this is of. */
export const MINOR = {minor};

/** @type {{any}} */
export const SHAPE = {shape};
"""
_LETTERS = {"string": "s", "integer": "i", "number": "n", "boolean": "b", "null": "?"}
_ELSEWHERE = [  # by the end of a field's name: what it counts
    (re.compile(r"rank_compile$"), "@rank_compiles"),
    (re.compile(r"rank_steps?$"), "@rank_steps"),
    (re.compile(r"^collective_calls?$"), "@collective_calls"),
    (re.compile(r"(^|_)events?$"), "@events"),
    (re.compile(r"(^|_)stacks?$"), "@stacks"),
]
_SAID_OTHERWISE = {  # where the name does not show it
    "rank_findings.because_of": "@rank_findings",
}
_NO_ROWS = re.compile(r"_count$|^position$")  # row numbers: at most the table's length


def shapes(schemas: dict[str, dict]) -> str:
    """Return the text of the module."""
    minors = {int(document["$id"].split(":")[2].split(".")[1]) for document in schemas.values()}
    tables = "".join(f"  {name}: {_text(_shape(document, name))},\n" for name, document in schemas.items())
    return _HEAD.format(minor=max(minors), tables=tables)


def _shape(document: dict, name: str) -> object:
    """Return the shape of a table; a table of rows is a list of its schema."""
    shape = shape_of(document, document, name)
    return [shape] if "x-table" in document else shape


def document_shape(name: str, document: dict) -> str:
    """Return the text of the module for a document, such as a comparison."""
    minor = int(document["$id"].rpartition(".")[2])
    return _DOCUMENT_HEAD.format(name=name, minor=minor, shape=_text(shape_of(document, document, name)))


def shape_of(document: dict, node: dict, place: str) -> object:
    """Return the shape of a part of a schema, in the module's notation."""
    if "$ref" in node:
        if node["$ref"] == "#/$defs/ranks":
            return "ranks"
        target = document
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        return shape_of(document, target, place)
    if "anyOf" in node:  # null, or something else
        (one,) = (below for below in node["anyOf"] if below != {"type": "null"})
        return {**shape_of(document, one, place), "?": 1}
    if isinstance(node.get("const"), bool):
        return "b"
    if words := node.get("enum") or ("const" in node and [node["const"]]):
        return _words(words)
    kinds = node.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if "array" in kinds:
        below = shape_of(document, node.get("items", {}), place)
        length, null = (
            node["minItems"] if "minItems" in node and node["minItems"] == node.get("maxItems") else 0,
            int("null" in kinds),
        )
        return [below, length, 1] if null else [below, length] if length else [below]
    if "object" in kinds:
        return _object(document, node, place, null="null" in kinds)
    return _leaf(document, node, kinds, place)


def _words(words: list) -> str:
    if not all(isinstance(word, str | None) for word in words):
        return "i0"
    return "=" + "|".join(word for word in words if word is not None) + ("?" if None in words else "")


def _object(document: dict, node: dict, place: str, null: bool) -> dict:
    properties, required = node.get("properties", {}), node.get("required", ())
    shape = {
        name if name in required else f"{name}?": shape_of(document, child, f"{place}.{name}")
        for name, child in properties.items()
    }
    if isinstance(node.get("additionalProperties"), dict):
        shape["*"] = shape_of(document, node["additionalProperties"], f"{place}.*")
    if null:
        shape["?"] = 1
    return shape


def _leaf(document: dict, node: dict, kinds: list[str], place: str) -> str:
    if not kinds:
        return "*"
    null = "?" if "null" in kinds else ""
    if "pattern" in node:
        return f"/{node['pattern']}/{null}"
    letters = "".join(_LETTERS[kind] for kind in kinds if kind != "null") + null
    letters += str(node["minimum"]) if "minimum" in node else ""
    target = _target(place) if "integer" in kinds else None
    return f"{letters}<{target}" if target else letters


def _target(place: str) -> str | None:
    name = place.split(".")[-1]
    if place in _SAID_OTHERWISE:
        return _SAID_OTHERWISE[place]
    if _NO_ROWS.search(name):
        return None
    return next((target for ending, target in _ELSEWHERE if ending.search(name)), None)


def _text(shape: object) -> str:
    if isinstance(shape, dict):
        return (
            "{"
            + ", ".join(
                f"{name if re.fullmatch(r'[a-zA-Z_][a-zA-Z0-9_]*', name) else json.dumps(name)}:"
                f" {_text(below)}"
                for name, below in shape.items()
            )
            + "}"
        )
    if isinstance(shape, list):
        return "[" + ", ".join(map(_text, shape)) + "]"
    return json.dumps(shape)
