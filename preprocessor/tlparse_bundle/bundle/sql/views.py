"""Statements that create a view per table of bundles: DuckDB reads the table files in place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import mkstemp
from typing import Any, Protocol

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.remote import is_url
from tlparse_bundle.bundle.growing import is_growing, log_now
from tlparse_bundle.bundle.json_codec import dumps
from tlparse_bundle.bundle.layout import is_own
from tlparse_bundle.bundle.schemas import row_tables, schema, schema_names
from tlparse_bundle.bundle.sql.engine import Setup, quoted_name, quoted_text

_TYPES = {"integer": "BIGINT", "number": "DOUBLE", "string": "VARCHAR", "boolean": "BOOLEAN"}
_COMPRESSIONS = {"zstd": "zstd", "gzip": "gzip", "none": "uncompressed"}
_MAX_LINE_BYTES = 64 << 20  # of a row
_LOGS = "logs"
_FILES = "bundle_files"
_FILE = "path_of_the_file"  # the column in which DuckDB says which file a row is from
# With these, a query can use tables that it does not name.
_CATALOG = ("information_schema", "duckdb_", "pragma_", "pg_", "query", "show", "sqlite_")
# The columns of all tables, without those of our own.
COLUMNS = (
    "SELECT table_name, column_name FROM information_schema.columns WHERE table_name <> 'bundle_files' ORDER"
    " BY table_name, ordinal_position"
)


class Bundle(Protocol):
    """A bundle; see the reader."""

    location: str
    manifest: dict[str, Any]
    logs: list[Any]

    def raw(self, path: str) -> bytes: ...
    def rank_table(self, name: str) -> list[Any]: ...


def views(bundles: Sequence[tuple[str, Bundle]], copies: Path, query: str = "") -> Setup:
    """Return how to create the views of all tables, or of those that ``query`` can use if it names some.

    ``bundles`` are (name, bundle). ``copies`` is a folder for files of remote bundles, and for tables of
    growing ones.
    """
    names = _usable(list(dict.fromkeys((*row_tables(), *_tables(bundles)))), query.lower())
    rows = list(_places(bundles, copies, frozenset(names)))
    columns = "table_name VARCHAR, path VARCHAR, bundle VARCHAR, log VARCHAR, rank BIGINT"
    statements: list[tuple[str, Sequence[Sequence[Any]]]] = [
        (f"CREATE TEMP TABLE {_FILES} ({columns})", ()),
        *([(f"INSERT INTO {_FILES} VALUES (?, ?, ?, ?, ?)", rows)] if rows else []),
        *_logs(bundles),
    ]
    for name in names:
        paths = [path for table, path, *_ in rows if table == name]
        statements.append((_view(name, [(path, _codec(path)) for path in paths]), ()))
    return Setup(statements, [row[1] for row in rows])


def _tables(bundles: Sequence[tuple[str, Bundle]]) -> Iterator[str]:
    for _, bundle in bundles:
        for log in bundle.logs:
            yield from log.directory["tables"]
        yield from bundle.manifest.get("rank_tables", {})


def _usable(names: list[str], query: str) -> list[str]:
    """Return the tables that a query in lower case can use: those that it names, or all."""
    if any(word in query for word in _CATALOG):
        return names
    named = [name for name in names if name.lower() in query]
    return named if named or _LOGS in query else names


def _places(
    bundles: Sequence[tuple[str, Bundle]], copies: Path, names: frozenset[str]
) -> Iterator[tuple[str, str, str, str | None, int | None]]:
    """Yield (table, local file, bundle, log, rank) of the files of these tables."""
    for number, (name, bundle) in enumerate(bundles):
        folder = copies / str(number) if is_url(bundle.location) else Path(bundle.location)
        for log in bundle.logs:
            for table, entry in log.directory["tables"].items():
                if table not in names:
                    continue
                if table == "findings" and is_growing(bundle.manifest):
                    yield table, _written(copies, log.findings()), name, log.id, log.rank
                    continue
                for file in entry["files"]:
                    yield table, _local(bundle, folder, file["path"]), name, log.id, log.rank
        for table, entry in bundle.manifest.get("rank_tables", {}).items():
            if table not in names:
                continue
            if table == "rank_findings" and is_growing(bundle.manifest):
                yield table, _written(copies, bundle.rank_table(table)), name, None, None
                continue
            for file in entry["files"]:
                yield table, _local(bundle, folder, file["path"]), name, None, None


def _written(folder: Path, rows: Iterable[dict[str, Any]]) -> str:
    """Write findings of a growing bundle, without running compiles, to a file."""
    handle, path = mkstemp(".jsonl", dir=folder)
    with open(handle, "wb") as file:
        file.writelines(dumps(row) + b"\n" for row in rows)
    return str(Path(path).resolve())


def _local(bundle: Bundle, folder: Path, path: str) -> str:
    """Return the local path of a bundle file, after checking that it is a regular file of the bundle."""
    if not is_own(path):
        raise BundleError(f"{path!r} is not a path of a file of a bundle", code="bad-path")
    data = bundle.raw(path)  # refuses links and what is not there
    target = folder / path
    if is_url(bundle.location):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return str(target.resolve())


def _codec(path: str) -> str:
    return "zstd" if path.endswith(".zst") else "gzip" if path.endswith(".gz") else "none"


def _logs(bundles: Sequence[tuple[str, Bundle]]) -> Iterator[tuple[str, Sequence[Sequence[Any]]]]:
    """Yield the statements for the table ``logs``: manifest rows with the headline numbers as columns."""
    numbers = schema("manifest")["$defs"]["summary"]["properties"]
    fields = {
        "bundle": "VARCHAR",
        "log": "VARCHAR",
        "rank": "BIGINT",
        "pid": "BIGINT",
        "source": "VARCHAR",
        "torch_version": "VARCHAR",
        "event_count": "BIGINT",
    }
    fields |= {key: _type(node) for key, node in numbers.items()}
    yield (
        f"CREATE TABLE {_LOGS} ({', '.join(f'{quoted_name(key)} {kind}' for key, kind in fields.items())})",
        (),
    )
    rows: list[Sequence[Any]] = []
    for name, bundle in bundles:
        for row in bundle.manifest["logs"]:
            summary = log_now(bundle.manifest, row)["summary"]
            cells = [
                name,
                row["id"],
                row["rank"],
                row["pid"],
                row["source"]["name"],
                row["torch_version"],
                row["event_count"],
                *(summary.get(key) for key in numbers),
            ]
            rows.append([dumps(cell).decode() if isinstance(cell, dict) else cell for cell in cells])
    if rows:
        yield f"INSERT INTO {_LOGS} VALUES ({', '.join('?' * len(fields))})", rows


def _view(name: str, files: Sequence[tuple[str, str]]) -> str:
    """Return the statement that creates the view of a table. Without files it has no rows and the columns of
    its schema.
    """
    properties: Mapping[str, Any] = schema(name)["properties"] if name in schema_names() else {}
    columns = {key: _type(node) for key, node in properties.items()}
    of_log = row_tables().get(name, "log") == "log"
    front = "f.bundle, f.log, f.rank, " if of_log else "f.bundle, "
    if not files:
        typed = ", ".join(f"NULL::{kind} AS {quoted_name(key)}" for key, kind in columns.items())
        before = (
            "NULL::VARCHAR AS bundle, NULL::VARCHAR AS log, NULL::BIGINT AS rank"
            if of_log
            else "NULL::VARCHAR AS bundle"
        )
        return f"CREATE VIEW {quoted_name(name)} AS SELECT {before}{', ' if typed else ''}{typed} WHERE false"
    options = [
        "format = 'newline_delimited'",
        f"filename = {quoted_text(_FILE)}",
        f"maximum_object_size = {_MAX_LINE_BYTES}",
    ]
    if columns:
        typed = ", ".join(f"{quoted_text(key)}: {quoted_text(kind)}" for key, kind in columns.items())
        options.append(f"columns = {{{typed}}}")
    parts = []
    for codec in dict.fromkeys(codec for _, codec in files):
        paths = ", ".join(quoted_text(path) for path, its in files if its == codec)
        parts.append(
            f"SELECT * FROM read_json([{paths}], {', '.join(options)}, compression ="
            f" '{_COMPRESSIONS[codec]}')"
        )
    selected = ", ".join(f"t.{quoted_name(key)}" for key in columns) or f"t.* EXCLUDE ({_FILE})"
    return (
        f"CREATE VIEW {quoted_name(name)} AS SELECT {front}{selected}"
        f" FROM ({' UNION ALL BY NAME '.join(parts)}) AS t"
        f" JOIN {_FILES} AS f ON f.path = t.{_FILE} AND f.table_name = {quoted_text(name)}"
    )


def _type(node: Mapping[str, Any]) -> str:
    """Return the column type for a schema field: lists of scalars are lists, other nested values JSON."""
    names = node.get("type", [])
    kinds = {*([names] if isinstance(names, str) else names)} - {"null"}
    if "enum" in node or "const" in node:
        values = [value for value in node.get("enum", [node.get("const")]) if value is not None]
        return "VARCHAR" if all(isinstance(value, str) for value in values) else "BIGINT"
    if kinds == {"array"}:
        items = _type(node.get("items", {}))
        return "JSON" if items == "JSON" else f"{items}[]"
    if kinds == {"integer", "number"}:
        return "DOUBLE"
    return _TYPES.get(next(iter(kinds)), "JSON") if len(kinds) == 1 else "JSON"
