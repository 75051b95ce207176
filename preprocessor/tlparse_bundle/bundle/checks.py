"""Checks that readers rely on: tables follow their schema, and references are valid.

A bundle may be hostile. Violations raise a BundleError that names the place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.schema_check import Check, Highest, Malformed, compile_schema, quoted
from tlparse_bundle.bundle.schemas import row_tables, schema, schema_names

# Table that a field refers to, by the field's name or suffix.
_ROW_TARGETS = {"event": "events", "stack": "stacks"}
# The same of a row of a table about several ranks.
_RANK_TARGETS = {
    "rank_compile": "rank_compiles",
    "rank_step": "rank_steps",
    "collective_call": "collective_calls",
}
# Tables of rows that refer to rows of the same table: see check_whole.
CHECKED_WHOLE = frozenset(("spans", "stacks"))


def damaged(where: str, problem: object) -> BundleError:
    return BundleError(
        f"{where} is damaged: {problem}",
        hint="Rebuild the bundle from its logs. For details, run: tlparse-bundle validate BUNDLE",
        code="damaged",
    )


def row_of(rows: Sequence[Any], number: int, what: str, log_id: str) -> Any:
    """Return the row that a table refers to. Raise BundleError without one."""
    if not 0 <= number < len(rows):
        raise damaged(
            f"log {log_id}", f"it refers to row {number} of {what}, which has only {len(rows)} rows"
        )
    return rows[number]


def check_table(name: str, table: Any, where: str, sizes: Mapping[str, int] = {}) -> None:
    """Raise BundleError unless a table follows its schema.

    ``sizes`` has the row counts of referenced tables; other references are not checked. Unknown fields
    and words pass, since a newer minor version may have them.
    """
    _check_shape(shape(name), table, where, sizes)


def check_row_file(
    name: str, rows: Sequence[Any], count: int, where: str, sizes: Mapping[str, int] = {}
) -> None:
    """Raise BundleError unless a file has the declared number of rows, each of which follows its schema.
    ``sizes``: see check_table.
    """
    if len(rows) != count:
        raise damaged(where, f"it has {len(rows)} rows instead of {count}")
    _check_shape(rows_shape(name), rows, where, sizes)


def _check_shape(check: Check, value: Any, where: str, sizes: Mapping[str, int]) -> None:
    highest: Highest = {}
    try:
        check(value, highest)
    except Malformed as error:
        raise damaged(where, error) from None
    check_references(highest, sizes, where)


def check_whole(name: str, rows: Sequence[Any], where: str) -> None:
    """Raise BundleError unless references between rows of the same table are valid across files."""
    try:
        for number, row in enumerate(rows):
            if row["id"] != number:
                raise Malformed(f"{quoted(row['id'])} instead of {number}", "id", f"row {number}")
            if name == "stacks" and row["parent"] is not None and row["parent"] >= number:
                raise Malformed(f"stack {row['parent']} does not precede it", "parent", f"row {number}")
        if name == "spans":
            _check_nesting([-1 if row["parent"] is None else row["parent"] for row in rows])
    except Malformed as error:
        raise damaged(where, error) from None


def check_references(highest: Mapping[str, int], sizes: Mapping[str, int], where: str) -> None:
    """Raise BundleError for an invalid reference to a table in ``sizes``."""
    for target, row in highest.items():
        if row >= sizes.get(target, row + 1):
            raise damaged(where, f"it refers to row {row} of {target}, which has only {sizes[target]} rows")


def check_directory(directory: dict[str, Any], where: str) -> None:
    """Raise BundleError unless the files of events and metadata are consecutive."""
    tables, count = directory["tables"], directory["event_count"]
    for name in ("events", "metadata"):
        end = 0
        for number, file in enumerate(tables.get(name, {"files": ()})["files"]):
            first = file.get("first_event", -1)
            if first < end or (name == "events" and first > end):
                raise damaged(
                    where,
                    f"file {number} of {name} begins with event {first}, but the file before it ends with"
                    f" {end - 1}",
                )
            end = first + file["rows"]
        if end > count or (name == "events" and end != count):
            raise damaged(
                where, f"the files of {name} have events up to {end - 1}, but the log has {count} events"
            )


def check_part(name: str, rows: Sequence[dict[str, Any]], file: dict[str, Any], where: str) -> None:
    """Raise BundleError unless a file of 'events' or 'metadata' holds the declared events, in order."""
    events = [row["event"] for row in rows]
    if events and events[0] != file["first_event"]:
        raise damaged(where, f"it begins with event {events[0]}, but log.json has {file['first_event']}")
    step = next(
        (
            number
            for number, (one, other) in enumerate(pairwise(events))
            if other <= one or (name == "events" and other != one + 1)
        ),
        None,
    )
    if step is not None:
        raise damaged(where, f"event {events[step]} is followed by event {events[step + 1]}")


def check_slices(
    rows: Iterable[Mapping[str, Any]], size_key: str, blobs: Mapping[str, Mapping[str, Any]], where: str
) -> None:
    """Raise BundleError when a payload lies outside its blob or has none. ``blobs``: rows by path."""
    for row in rows:
        blob = row["blob"]
        lacking = [value is None for value in (blob, row["offset"], row[size_key])]
        if all(lacking):
            continue
        if any(lacking):
            raise damaged(
                where,
                f"the place of a payload is incomplete: blob {quoted(blob)}, offset {row['offset']},"
                f" {row[size_key]} bytes",
            )
        if blob not in blobs or row["offset"] + row[size_key] > blobs[blob]["size_bytes"]:
            raise damaged(where, f"a payload is outside blob {quoted(blob)}")


@cache
def shape(name: str, *, closed: bool = False) -> Check:
    """Return the check of a schema, which collects references."""
    return compile_schema(schema(name), lambda column: _target(name, column), closed=closed)


@cache
def rows_shape(name: str, *, closed: bool = False) -> Check:
    """Return the check of a table's rows; for a plug-in's table without a schema, that they are objects."""
    return compile_schema(rows_schema(name), lambda column: _target(name, column), closed=closed)


def rows_schema(name: str) -> dict[str, Any]:
    """Return the schema of a list of table rows."""
    row = schema(name) if name in schema_names() else {"type": "object"}
    return {"type": "array", "items": row, "$defs": row.get("$defs", {})}


def _target(table: str, column: str) -> str | None:
    if table in row_tables():
        if table == "rank_findings" and column == "because_of":
            return table
        targets = _ROW_TARGETS if row_tables()[table] == "log" else _RANK_TARGETS
        return next(
            (
                target
                for field, target in targets.items()
                if column in (field, f"{field}s") or column.endswith((f"_{field}", f"_{field}s"))
            ),
            None,
        )
    return None


def _check_nesting(parents: Sequence[int]) -> None:
    """Check that parents form no cycle; a span may precede its parent."""
    if max(parents, default=-1) >= len(parents):
        raise Malformed(f"refers to row {max(parents)}, but has only {len(parents)} rows", "parent")
    visited = bytearray(len(parents))
    for start in range(len(parents)):
        row, way = start, []
        while row >= 0 and not visited[row]:
            visited[row] = 1  # on the way; 2: the way from here ends
            way.append(row)
            row = parents[row]
        if row >= 0 and visited[row] == 1:
            raise Malformed(f"row {row} is its own ancestor", "parent")
        for row in way:
            visited[row] = 2
