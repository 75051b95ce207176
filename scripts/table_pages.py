"""The page of each table, docs/tables/<name>.md: all that a reader needs of one table, without any other page but docs/format-core.md.

The prose is that of the section in docs/json-format.md; fields come from the schema, rows from a fixture.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from shapes import shape_of

# Fixtures by which rows are shown; of each table the first one that has two rows, else one.
FIXTURES = ("recompiles", "train_step", "graph_breaks", "failures", "caches", "dynamic_shapes", "ranks_extra_break", "export_dtrace", "compiled_autograd", "provenance_aoti", "transformer")
NOT_ROWS = ("manifest", "log")  # files that are not tables: with sections of their own in the format document; 'tlparse-bundle docs format'
_MOST_TEXT = 160
_MOST_LIST = 4
_TARGET = re.compile(r"<(.+)$")


def pages(schemas: dict[str, dict], sections: dict[str, str], fields_of: Callable[[str], str], bundle_of: Callable[[str], dict[str, bytes]]) -> dict[str, str]:
    """The text of each page by the name of the table. ``fields_of``: the table of fields; ``bundle_of``: the files of a fixture's bundle."""
    names = [name for name in schemas if name not in NOT_ROWS]
    return {
        name: _row_page(name, schemas[name], fields_of(name), bundle_of) if "x-table" in schemas[name] else _page(name, schemas[name], _led_out(sections[name], names), fields_of(name), bundle_of)
        for name in names
    }


def _row_page(name: str, schema: dict, fields: str, bundle_of: Callable) -> str:
    """The page of a table of rows: what its schema says, two rows, a program."""
    where = "log" if schema["x-table"] == "log" else "bundle"
    parts = [
        f"# Table `{name}`",
        schema["description"],
        f"One row per line in the files that `row_tables.{name}` of `log.json` lists. How files are read, and the `Bundle` of the program below: [format-core.md](../format-core.md)."
        if where == "log"
        else f"One row per line in the files that `rank_tables.{name}` of the manifest lists. How files are read, and the `Bundle` of the program below: [format-core.md](../format-core.md).",
        "## Fields",
        "`null` is unknown, or does not apply.",
        fields,
    ]
    fixture, rows = _example_rows(name, schema, bundle_of)
    if rows:
        parts += ["## Rows", f"From the fixture `{fixture}`; long texts and lists are cut here.", "```json\n" + "\n".join(json.dumps(_cut(row), ensure_ascii=False) for row in rows) + "\n```"]
    program = f'for log in bundle.manifest["logs"]:\n    for row in bundle.rows(log, "{name}"):\n        print(row)' if where == "log" else f'for row in bundle.rows(None, "{name}"):\n    print(row)'
    parts += ["## In Python", f"```python table={name}\n{program}\n```"]
    return "\n\n".join(parts) + "\n"


def _example_rows(name: str, schema: dict, bundle_of: Callable) -> tuple[str, list[dict]]:
    """The fixture, and two rows of the first file with two rows, else one."""
    best: tuple[str, list[dict]] = "", []
    folder = r"logs/[^/]+" if schema["x-table"] == "log" else "ranks"
    for fixture in FIXTURES:
        for path, data in bundle_of(fixture).items():
            if re.fullmatch(rf"{folder}/{name}(?:/0000)?\.jsonl", path):
                rows = [json.loads(line) for line in data.splitlines()[:2]]
                if len(rows) > len(best[1]):
                    best = fixture, rows
        if len(best[1]) == 2:
            break
    return best


def _led_out(section: str, names: list[str]) -> str:
    """Return the section with links that work outside of the format document: to the page of a table, or back into the document."""
    return re.sub(r"\]\(#([^)]+)\)", lambda link: f"]({link[1]}.md)" if link[1] in names else f"](../json-format.md#{link[1]})", section)


def _page(name: str, schema: dict, section: str, fields: str, bundle_of: Callable) -> str:
    prose = re.sub(r"<!-- generated: .*?<!-- end -->\n?", "", section, flags=re.DOTALL).strip()
    targets = dict(_targets(shape_of(schema, schema, name)))
    where = f"`manifest.ranks.{name.removeprefix('ranks_')}`" if name.startswith("ranks_") else f"`tables.{name}` of `log.json`"
    fixture, rows = _rows(name, schema, bundle_of)
    part = next(iter(rows), (_lists(name, schema) or [""])[0])
    parts = [
        f"# Table `{name}`",
        f"Its path: {where}. How files are read, and the `Bundle` of the program below: [format-core.md](../format-core.md).",
        prose,
        "## Fields",
        "`null` is unknown, or does not apply. `optional`: older or smaller bundles lack it.",
        fields,
    ]
    if targets:
        parts += ["## What numbers point to", "\n".join(f"- `{path}`: {_words(target, name)}" for path, target in targets.items())]
    if rows:
        parts += ["## Rows", f"Of the fixture `{fixture}`; long texts and lists are cut here.", *rows.values()]
    parts += ["## In Python", f"```python table={name}\n{_program(name, part, targets)}\n```"]
    return "\n\n".join(parts) + "\n"


def _targets(shape: object, path: str = "") -> Iterator[tuple[str, str]]:
    """(path, target) of what holds numbers of rows, in the notation of shapes."""
    if isinstance(shape, str) and (found := _TARGET.search(shape)) and not shape.startswith(("/", "=")):
        yield path, found[1]
    elif isinstance(shape, list):
        yield from _targets(shape[0], f"{path}[]")
    elif isinstance(shape, dict):
        for key, below in shape.items():
            if key not in ("?", "|"):
                yield from _targets(below, f"{path}.{key.rstrip('?')}" if path else key.rstrip("?"))


def _words(target: str, name: str) -> str:
    if target == "^":
        return "a row before it in the same list"
    if not target.startswith("@"):
        return f"a position in `{target}` of this table"
    return {
        "@compiles": "a row of `compiles.compiles`",
        "@events": "the number of a record (event)",
        "@kinds": "a position in `kinds` of `log.json`",
        "@origins": "a position in `origins` of `log.json`",
        "@pids": "a position in `pids` of `log.json`",
        "@columns": "a row of `columns` of `ranks_matching`",
    }[target]


def _lists(name: str, schema: dict) -> list[str]:
    """The parts of a table that are rows or columns; "" is the whole table."""
    shape = shape_of(schema, schema, name)
    if isinstance(shape, dict) and "|" in shape:
        return [""]
    found = [key for key, below in shape.items() if isinstance(below, list) and isinstance(below[0], dict) or isinstance(below, dict) and "|" in below]
    return sorted(found, key=lambda key: key != name)  # the one that the table is named after comes first


def rows_of(content: dict, part: str) -> list:
    found = content.get(part, []) if part else {key: values for key, values in content.items() if isinstance(values, list)}
    return found if isinstance(found, list) else [dict(zip(found, row)) for row in zip(*found.values())]


def _rows(name: str, schema: dict, bundle_of: Callable) -> tuple[str, dict[str, str]]:
    """The fixture, and the text of two rows of each part that has rows in it."""
    best: tuple[int, str, dict] | None = None
    lists = _lists(name, schema)
    for fixture in FIXTURES:
        for path, data in bundle_of(fixture).items():
            if re.fullmatch(rf"(?:logs/[^/]+/{name}|{name.replace('ranks_', 'ranks/', 1)})\.json", path):
                content = json.loads(data)
                count = sum(min(2, len(rows_of(content, part))) for part in lists)
                if best is None or count > best[0]:
                    best = count, fixture, content
        if best and best[0] == 2 * len(lists):
            break
    if best is None:
        return "", {}
    blocks = {}
    for part in lists:
        shown = rows_of(best[2], part)[:2]
        if shown:
            blocks[part] = ((f"`{part}`:\n\n" if part else "") + "```json\n" + "\n".join(json.dumps(_cut(row), ensure_ascii=False) for row in shown) + "\n```")
    return best[1], blocks


def _cut(value: object) -> object:
    if isinstance(value, str):
        return value if len(value) <= _MOST_TEXT else f"{value[:_MOST_TEXT]}…"
    if isinstance(value, list):
        return [*map(_cut, value[:_MOST_LIST]), *(["…"] if len(value) > _MOST_LIST else [])]
    if isinstance(value, dict):
        return {key: _cut(below) for key, below in list(value.items())[:40]}
    return value


def _program(name: str, part: str, targets: dict[str, str]) -> str:
    """Prints the rows of a part, with what their indexes lead to."""
    if name.startswith("ranks_"):
        table = f'bundle.json(bundle.manifest["ranks"]["{name.removeprefix("ranks_")}"])'
        return f'for row in {table}["{part}"]:\n    print(row)' if part else f"print({table})"
    below = {path.removeprefix(part).lstrip("[].").rstrip("[]"): target for path, target in targets.items() if path.startswith((f"{part}.", f"{part}[].") if part else path)}
    lines, told = ['for log in bundle.manifest["logs"]:'], ["row"]
    name_of = next(((field, target) for field, target in below.items() if target in ("strings", "names") and "[" not in field), None)
    if name_of:
        field, pool = name_of
        lines.append(f'    {pool} = bundle.rows(log, "{name}", "{pool}")')
        told.insert(0, f'{pool}[row["{field}"]] if row["{field}"] >= 0 else None')
    if below.get("compile_index") == "@compiles" and name != "compiles":
        lines.append('    compiles = bundle.rows(log, "compiles", "compiles")')
        told.insert(0, 'compiles[row["compile_index"]]["key"]')
    rows = f'bundle.rows(log, "{name}", "{part}")' if part else f'bundle.rows(log, "{name}")'
    return "\n".join([*lines, f"    for row in {rows}:", f"        print({', '.join(told)})"])
