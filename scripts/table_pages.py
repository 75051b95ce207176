"""Write the page of each table, docs/tables/<name>.md: its schema, example rows, a program."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

# Fixtures for example rows: of each table the first fixture with two rows, else with one.
FIXTURES = (
    "recompiles",
    "train_step",
    "graph_breaks",
    "failures",
    "caches",
    "dynamic_shapes",
    "vllm/passes-cold",
    "ranks_extra_break",
    "export_dtrace",
    "compiled_autograd",
    "provenance_aoti",
    "transformer",
)
_MOST_TEXT = 160
_MOST_LIST = 4
_WHERE = {
    "log": "the files that `tables.{name}` of `log.json` lists",
    "ranks": "the files that `rank_tables.{name}` of the manifest lists",
}


def pages(
    schemas: dict[str, dict], fields_of: Callable[[str], str], bundle_of: Callable[[str], dict[str, bytes]]
) -> dict[str, str]:
    """Return the text of each page by the name of the table or file.

    ``fields_of``: the table of fields; ``bundle_of``: the files of a fixture's bundle.
    """
    return {
        name: (
            _table_page(name, schema, fields_of(name), bundle_of)
            if "x-table" in schema
            else _file_page(name, schema, fields_of(name))
        )
        for name, schema in schemas.items()
    }


def first_sentence(description: str) -> str:
    """Return the first sentence of a description without its full stop."""
    return re.split(r"(?<=[\w)'’”])\. |\.$|: ", description, maxsplit=1)[0]


def _file_page(name: str, schema: dict, fields: str) -> str:
    return (
        "\n\n".join(
            [
                f"# File `{name}.json`",
                schema["description"],
                "## Fields",
                "`null` is unknown, or does not apply.",
                fields,
            ]
        )
        + "\n"
    )


def _table_page(name: str, schema: dict, fields: str, bundle_of: Callable) -> str:
    parts = [
        f"# Table `{name}`",
        schema["description"],
        (
            f"One row per line in {_WHERE[schema['x-table']].format(name=name)}. How files are read, and the"
            " `Bundle` of the program below: [format-core.md](../format-core.md)."
        ),
        "## Fields",
        "`null` is unknown, or does not apply.",
        fields,
    ]
    fixture, rows = _example_rows(name, schema, bundle_of)
    if rows:
        parts += [
            "## Rows",
            f"From the fixture `{fixture}`; long texts and lists are cut here.",
            "```json\n" + "\n".join(json.dumps(_cut(row), ensure_ascii=False) for row in rows) + "\n```",
        ]
    of_log = (
        f'for log in bundle.manifest["logs"]:\n    for row in bundle.rows(log, "{name}"):\n        print(row)'
    )
    parts += [
        "## In Python",
        f"```python table={name}\n{of_log if schema['x-table'] == 'log' else of_log_free(name)}\n```",
    ]
    return "\n\n".join(parts) + "\n"


def of_log_free(name: str) -> str:
    """Return the program for a table about several logs."""
    return f'for row in bundle.rows(None, "{name}"):\n    print(row)'


def _example_rows(name: str, schema: dict, bundle_of: Callable) -> tuple[str, list[dict]]:
    """Return the fixture and two rows of the first file with two rows, else one row."""
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


def _cut(value: object) -> object:
    if isinstance(value, str):
        return value if len(value) <= _MOST_TEXT else f"{value[:_MOST_TEXT]}…"
    if isinstance(value, list):
        return [*map(_cut, value[:_MOST_LIST]), *(["…"] if len(value) > _MOST_LIST else [])]
    if isinstance(value, dict):
        return {key: _cut(below) for key, below in list(value.items())[:40]}
    return value
