"""The tables of a bundle as plain tables of rows: names of columns, and one value for each in each row.

A file holds several lists: rows (objects), columns (an object of lists of one length), or plain values. Each becomes one table,
``<file>_<part>``, or ``<file>`` where the part has the name of the file. The number of a row is what ``…_index`` elsewhere means.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

from tlparse_bundle.format.schemas import row_tables, schema, schema_names
from tlparse_bundle.read.checks import COLUMNS

_VALUE = "value"  # the column of a list of plain values
_SINGLE = "values"  # the table of what a file says once
_OF_DIRECTORY = ("kinds", "origins", "pids", "ranks")  # what events refer to


class Log(Protocol):
    """A log of a bundle; see the reader."""

    id: str

    @property
    def directory(self) -> dict: ...

    def table(self, name: str) -> dict: ...

    def findings(self) -> dict: ...


class Bundle(Protocol):
    """See the reader."""

    manifest: dict
    logs: list[Any]

    def ranks(self, name: str) -> dict | None: ...


class Flat(NamedTuple):
    name: str
    columns: dict[str, list[Any]]  # lists of one length, by name; values may be lists and objects

    @property
    def row_count(self) -> int:
        return len(next(iter(self.columns.values()), ()))


def flat_tables(log: Log, file: str) -> Iterator[Flat]:
    """The tables of one file of a log, by the name of its schema; of 'log' the lists. Raises BundleError when the log has none."""
    if file == "log":
        yield from flattened(file, {key: log.directory[key] for key in _OF_DIRECTORY})
    elif file in log.directory["row_tables"] or row_tables().get(file) == "log":
        yield Flat(file, _columns(log.table(file), list(schema(file)["properties"]) if file in schema_names() else []))
    else:
        yield from flattened(file, log.findings() if file == "findings" else log.table(file))


def files_of(log: Log) -> list[str]:
    """Names for ``flat_tables``."""
    left_out = log.directory.get("left_out", ())
    of_rows = dict.fromkeys((*(name for name, where in row_tables().items() if where == "log" and name not in left_out), *log.directory["row_tables"]))
    return ["log", *log.directory["tables"], *of_rows]


def flat_ranks(bundle: Bundle, analysis: str) -> Iterator[Flat]:
    """The tables of an analysis of several ranks."""
    table = bundle.ranks(analysis)
    if table is not None:
        yield from flattened(f"ranks_{analysis}", table)


def flattened(file: str, content: dict) -> Iterator[Flat]:
    """The tables of one file's content. Parts that are empty have the columns that the schema names, so that a question finds them."""
    known = file in schema_names()
    parts = schema(file)["properties"] if known else {}
    columns = COLUMNS.get(file, ()) if known else None
    if columns == ("",):
        yield Flat(file, {key: values for key, values in content.items() if isinstance(values, list)})
        return
    single: dict[str, Any] = {}
    for key, value in content.items():
        name = file if key == file else f"{file}_{key}"
        if isinstance(value, list):
            yield Flat(name, _columns(value, _rows_of(parts.get(key, {}))))
        elif isinstance(value, dict) and (_look_like_columns(value) if columns is None else key in columns):
            yield Flat(name, dict(value))
        elif isinstance(value, dict) and value:
            yield Flat(name, {column: [cell] for column, cell in value.items()})
        else:
            single[key] = value
    if single:
        yield Flat(f"{file}_{_SINGLE}", {column: [cell] for column, cell in single.items()})


def _look_like_columns(value: dict) -> bool:
    """Of a table of a plug-in, which has no schema."""
    return len(value) > 1 and all(isinstance(column, list) for column in value.values()) and len({len(column) for column in value.values()}) == 1


def _rows_of(part: dict) -> list[str]:
    """The fields of the rows of a part, as its schema has them; none for other parts."""
    items = part.get("items", {})
    return list(items.get("properties", {})) if isinstance(items, dict) else []


def _columns(rows: list, fields: list[str]) -> dict[str, list[Any]]:
    if any(isinstance(row, dict) for row in rows) or (not rows and fields):
        names = dict.fromkeys((*fields, *(key for row in rows if isinstance(row, dict) for key in row)))
        return {name: [row.get(name) if isinstance(row, dict) else None for row in rows] for name in names}
    return {_VALUE: rows}
