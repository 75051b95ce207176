"""Write TypeScript declarations of the tables and documents from their schemas: ``schema/bundle.d.ts``."""

from __future__ import annotations

import json
import re

_HEAD = """// The tables of a bundle and the documents made of bundles, as TypeScript sees them. \
Written by scripts/docs from schema/: do not edit.
//
// In JSDoc: @typedef {import("../../schema/bundle.d.ts").Compiles["compiles"][number]} Compile
"""
_NAMES = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def declarations(schemas: dict[str, dict]) -> str:
    """Return one interface for each schema: 'graph_breaks' becomes GraphBreaks."""
    blocks = [_HEAD]
    for name, document in schemas.items():
        blocks.append(
            f"{_comment(document, '')}export interface {type_name(name)} {_type(document, document, '')}\n"
        )
    return "\n".join(blocks)


def type_name(name: str) -> str:
    return "".join(part.capitalize() for part in re.split(r"[_-]", name))


def _comment(node: dict, indent: str) -> str:
    text = node.get("description", "").replace("*/", "* /")
    return f"{indent}/** {text} */\n" if text else ""


def _type(document: dict, node: dict, indent: str) -> str:
    if "$ref" in node:
        target = document
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        return _type(document, target, indent)
    if "anyOf" in node:
        return " | ".join(_type(document, below, indent) for below in node["anyOf"])
    if "const" in node:
        return json.dumps(node["const"])
    if "enum" in node:
        return " | ".join(json.dumps(value) for value in node["enum"])
    kinds = node.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    parts = [_one(document, node, kind, indent) for kind in kinds]
    return " | ".join(parts) or "unknown"


def _one(document: dict, node: dict, kind: str, indent: str) -> str:
    if kind == "array":
        below = _type(document, node.get("items", {}), indent)
        return f"({below})[]" if " | " in below.split("{")[0] else f"{below}[]"
    if kind == "object":
        return _object(document, node, indent)
    return _NAMES[kind]


def _object(document: dict, node: dict, indent: str) -> str:
    other = node.get("additionalProperties")
    values = _type(document, other, indent) if isinstance(other, dict) and other else "unknown"
    if "properties" not in node:
        return f"Record<string, {values}>"
    deeper = indent + "  "
    lines = []
    for name, child in node["properties"].items():
        key = name if re.fullmatch(r"[A-Za-z_$][\w$]*", name) else json.dumps(name)
        mark = "" if name in node.get("required", ()) else "?"
        described = (
            child
            if "description" in child or "$ref" not in child
            else document["$defs"][child["$ref"].split("/")[-1]]
        )
        lines.append(f"{_comment(described, deeper)}{deeper}{key}{mark}: {_type(document, child, deeper)};\n")
    if other is not False:  # fields that a newer version may add
        lines.append(f"{deeper}[other: string]: {values};\n")
    return "{\n" + "".join(lines) + indent + "}"
