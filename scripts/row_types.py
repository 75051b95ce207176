"""Write Python types of the rows of all tables from their schemas:
``preprocessor/tlparse_bundle/bundle/row_types.py``.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from typing import Any

_HEAD = '''"""Types of the rows of each table. Written by scripts/docs from schema/: do not edit."""

from __future__ import annotations

from typing import Any, Literal, Protocol, TypedDict, overload

'''
_NAMES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def row_types(schemas: dict[str, dict]) -> str:
    """Return the module: a TypedDict per table of rows, and the overloads of ``log.table(name)``."""
    blocks = [_HEAD]
    tables = {name: document for name, document in schemas.items() if "x-table" in document}
    for name, document in tables.items():
        blocks += _classes(document, document, class_name(name))
    for name, method, where in (
        ("LogTable", "Log.table", "log"),
        ("RankTable", "Bundle.rank_table", "ranks"),
    ):
        blocks.append(
            _protocol(
                name, method, [table for table, document in tables.items() if document["x-table"] == where]
            )
        )
    return "\n".join(blocks)


def class_name(table: str) -> str:
    """Return the name of a row's type: 'graph_breaks' becomes GraphBreaksRow."""
    return "".join(part.capitalize() for part in re.split(r"[_-]", table)) + "Row"


def _protocol(name: str, method: str, tables: list[str]) -> str:
    lines = [f"class {name}(Protocol):", f'    """What ``{method}`` gives by the name of a table."""', ""]
    for table in tables:
        lines += [
            "    @overload",
            f'    def __call__(self, name: Literal["{table}"]) -> list[{class_name(table)}]: ...',
        ]
    lines += [
        "    @overload",
        "    def __call__(self, name: str) -> list[Any]: ...",
        "    def __call__(self, name: str) -> Any: ...",
        "",
    ]
    return "\n".join(lines)


def _classes(document: dict, node: dict, name: str) -> Iterator[str]:
    """Return the class of an object, after the classes of nested objects."""
    fields = []
    for key, child in node["properties"].items():
        nested = f"{name.removesuffix('Row')}{''.join(part.capitalize() for part in key.split('_'))}"
        yield from _nested(document, child, nested)
        kind = _type(document, child, nested)
        fields.append((key, kind if key in node.get("required", ()) else f"NotRequired[{kind}]"))
    text = (
        node.get("description", "").partition(". ")[0].rstrip(".").replace('"""', "'''").replace("\\", "\\\\")
    )
    if all(key.isidentifier() and not keyword.iskeyword(key) for key, _ in fields):
        body = [f"    {key}: {kind}" for key, kind in fields] or ["    pass"]
        yield "\n".join(
            [f"class {name}(TypedDict):", *([f'    """{text}."""', ""] if text else []), *body, "", ""]
        )
    else:
        inner = ", ".join(f"{key!r}: {kind}" for key, kind in fields).replace("'", '"')
        yield f'{name} = TypedDict("{name}", {{{inner}}})\n\n'


def _nested(document: dict, node: dict, name: str) -> Iterator[str]:
    node = _resolved(document, node)
    if node.get("properties"):
        yield from _classes(document, node, name)
    elif "items" in node:
        yield from _nested(document, node["items"], name)
    elif isinstance(node.get("additionalProperties"), dict):
        yield from _nested(document, node["additionalProperties"], name)


def _type(document: dict, node: dict, name: str) -> str:
    node = _resolved(document, node)
    if "const" in node:
        return f"Literal[{_literal(node['const'])}]"
    if "enum" in node:
        words = [value for value in node["enum"] if value is not None]
        return f"Literal[{', '.join(map(_literal, words))}]" + (" | None" if None in node["enum"] else "")
    if "anyOf" in node:
        return " | ".join(_type(document, below, name) for below in node["anyOf"])
    kinds = node.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    return " | ".join(_one(document, node, kind, name) for kind in kinds) or "Any"


def _one(document: dict, node: dict, kind: str, name: str) -> str:
    if kind == "array":
        return f"list[{_type(document, node['items'], name)}]" if node.get("items") else "list[Any]"
    if kind == "object":
        if node.get("properties"):
            return name
        other = node.get("additionalProperties")
        return (
            f"dict[str, {_type(document, other, name)}]"
            if isinstance(other, dict) and other
            else "dict[str, Any]"
        )
    return _NAMES[kind]


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _resolved(document: dict, node: dict) -> dict:
    if "$ref" not in node:
        return node
    target = document
    for part in node["$ref"].removeprefix("#/").split("/"):
        target = target[part]
    return target
