"""Bundles in SQL: DuckDB reads the table files in place, with a view per table."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp
from typing import TYPE_CHECKING, Any, Protocol

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.remote import is_url
from tlparse_bundle.bundle.atomic.folder import temporary_folder
from tlparse_bundle.bundle.growing import is_growing, log_now
from tlparse_bundle.bundle.json_codec import dumps
from tlparse_bundle.bundle.layout import is_own
from tlparse_bundle.bundle.schemas import row_tables, schema, schema_names

if TYPE_CHECKING:
    import duckdb

_TYPES = {"integer": "BIGINT", "number": "DOUBLE", "string": "VARCHAR", "boolean": "BOOLEAN"}
_COMPRESSIONS = {"zstd": "zstd", "gzip": "gzip", "none": "uncompressed"}
_MAX_LINE_BYTES = 64 << 20  # of a row
_MEMORY = "2GB"
_LOGS = "logs"
_FILE = "path_of_the_file"  # the column in which DuckDB says which file a row is from


class Bundle(Protocol):
    """A bundle; see the reader."""

    location: str
    manifest: dict[str, Any]
    logs: list[Any]

    def raw(self, path: str) -> bytes: ...
    def rank_table(self, name: str) -> list[Any]: ...


@contextmanager
def database(
    bundles: Sequence[tuple[str, Bundle]], *, trusted: bool = False
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a database with a view per table of these bundles, (name, bundle), with columns ``bundle``,
    ``log`` and ``rank`` first.

    Unless ``trusted``, queries can only read files of the bundles, and write nothing. A remote bundle is
    first copied to a temporary folder. Raises BundleError without DuckDB.
    """
    duck = _duckdb()
    with temporary_folder() as copies:
        connection = duck.connect(
            config={
                "memory_limit": _MEMORY,
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
            }
        )
        try:
            places = _places(bundles, copies)
            connection.execute(
                "CREATE TEMP TABLE bundle_files (table_name VARCHAR, path VARCHAR, bundle VARCHAR, log"
                " VARCHAR, rank BIGINT)"
            )
            rows = list(places)
            if rows:
                connection.executemany("INSERT INTO bundle_files VALUES (?, ?, ?, ?, ?)", rows)
            _add_logs(connection, bundles)
            for name in dict.fromkeys((*row_tables(), *(row[0] for row in rows))):
                connection.execute(
                    _view(
                        name,
                        [
                            (path, codec)
                            for table, path, *_ in rows
                            if table == name
                            for codec in (_codec(path),)
                        ],
                    )
                )
            if not trusted:
                _confine(connection, [row[1] for row in rows])
            yield connection
        finally:
            connection.close()


def write(bundles: Sequence[tuple[str, Bundle]], out: Path) -> None:
    """Write all tables of these bundles into a DuckDB file."""
    with database(bundles, trusted=True) as connection:
        names = list(tables(connection))
        connection.execute(f"ATTACH {_text(str(out))} AS file")
        for name in names:
            connection.execute(f"CREATE TABLE file.{_quoted(name)} AS SELECT * FROM memory.{_quoted(name)}")
        connection.execute("DETACH file")


@contextmanager
def query_result(
    bundles: Sequence[tuple[str, Bundle]], query: str, most_seconds: float | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Run one query and return the connection with its rows.

    Raises BundleError, also while fetching rows, for a query that fails or takes too long.
    """
    duck = _duckdb()
    with database(bundles) as connection:
        timer = threading.Timer(most_seconds, connection.interrupt) if most_seconds is not None else None
        try:
            if timer:
                timer.start()
            statements = connection.extract_statements(query)
            if len(statements) != 1:
                raise BundleError(
                    "the query is not a single statement",
                    hint="Pass one SELECT statement.",
                    code="bad-query",
                    exit_code=2,
                )
            # SHOW and DESCRIBE are SELECT.
            if statements[0].type not in (duck.StatementType.SELECT, duck.StatementType.EXPLAIN):
                raise BundleError(
                    f"{statements[0].type.name} is not allowed: a query can only read",
                    hint="Use SELECT, SHOW, DESCRIBE or EXPLAIN.",
                    code="bad-query",
                    exit_code=2,
                )
            yield connection.execute(statements[0])
        except duck.InterruptException:
            raise BundleError(
                "the query took too long",
                hint=f"The limit is {most_seconds:g} s. Read fewer rows, or add a LIMIT.",
                code="bad-query",
                exit_code=2,
            ) from None
        except duck.Error as error:
            hint = (
                "A query can only read the tables of the bundle."
                if isinstance(error, duck.PermissionException)
                else "'tlparse-bundle sql BUNDLE' lists the tables and their columns."
            )
            raise BundleError(
                f"DuckDB: {str(error)[:2000]}", hint=hint, code="bad-query", exit_code=2
            ) from None
        finally:
            if timer:
                timer.cancel()


def tables(connection: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
    """Return the columns of all tables by name."""
    columns: dict[str, list[str]] = {}
    query = (
        "SELECT table_name, column_name FROM information_schema.columns WHERE table_name <> 'bundle_files'"
        " ORDER BY table_name, ordinal_position"
    )
    for table, column in connection.execute(query).fetchall():
        columns.setdefault(table, []).append(column)
    return columns


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError:
        raise BundleError(
            "DuckDB is not installed",
            hint="Install it: pip install 'tlparse-bundle[sql]'",
            code="not-installed",
        ) from None
    return duckdb


def _places(
    bundles: Sequence[tuple[str, Bundle]], copies: Path
) -> Iterator[tuple[str, str, str, str | None, int | None]]:
    """Yield (table, local file, bundle, log, rank) of all table files."""
    for number, (name, bundle) in enumerate(bundles):
        folder = copies / str(number) if is_url(bundle.location) else Path(bundle.location)
        for log in bundle.logs:
            for table, entry in log.directory["tables"].items():
                if table == "findings" and is_growing(bundle.manifest):
                    yield table, _written(copies, log.findings()), name, log.id, log.rank
                    continue
                for file in entry["files"]:
                    yield table, _local(bundle, folder, file["path"]), name, log.id, log.rank
        for table, entry in bundle.manifest.get("rank_tables", {}).items():
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


def _add_logs(connection: duckdb.DuckDBPyConnection, bundles: Sequence[tuple[str, Bundle]]) -> None:
    """Add the table ``logs``: manifest rows with the headline numbers as columns."""
    numbers = schema("manifest")["$defs"]["summary"]["properties"]
    fields = {
        "bundle": "VARCHAR",
        "log": "VARCHAR",
        "rank": "BIGINT",
        "source": "VARCHAR",
        "torch_version": "VARCHAR",
        "event_count": "BIGINT",
    }
    fields |= {key: _type(node) for key, node in numbers.items()}
    connection.execute(
        f"CREATE TABLE {_LOGS} ({', '.join(f'{_quoted(key)} {kind}' for key, kind in fields.items())})"
    )
    for name, bundle in bundles:
        for row in bundle.manifest["logs"]:
            summary = log_now(bundle.manifest, row)["summary"]
            cells = [
                name,
                row["id"],
                row["rank"],
                row["source"]["name"],
                row["torch_version"],
                row["event_count"],
                *(summary.get(key) for key in numbers),
            ]
            connection.execute(
                f"INSERT INTO {_LOGS} VALUES ({', '.join('?' * len(cells))})",
                [dumps(cell).decode() if isinstance(cell, dict) else cell for cell in cells],
            )


def _view(name: str, files: Sequence[tuple[str, str]]) -> str:
    """Return the statement that creates the view of a table. Without files it has no rows and the columns of
    its schema.
    """
    properties: Mapping[str, Any] = schema(name)["properties"] if name in schema_names() else {}
    columns = {key: _type(node) for key, node in properties.items()}
    of_log = row_tables().get(name, "log") == "log"
    front = "f.bundle, f.log, f.rank, " if of_log else "f.bundle, "
    if not files:
        typed = ", ".join(f"NULL::{kind} AS {_quoted(key)}" for key, kind in columns.items())
        before = (
            "NULL::VARCHAR AS bundle, NULL::VARCHAR AS log, NULL::BIGINT AS rank"
            if of_log
            else "NULL::VARCHAR AS bundle"
        )
        return f"CREATE VIEW {_quoted(name)} AS SELECT {before}{', ' if typed else ''}{typed} WHERE false"
    options = [
        f"format = 'newline_delimited', filename = {_text(_FILE)}, maximum_object_size = {_MAX_LINE_BYTES}"
    ]
    if columns:
        options.append(
            "columns = {" + ", ".join(f"{_text(key)}: {_text(kind)}" for key, kind in columns.items()) + "}"
        )
    parts = []
    for codec in dict.fromkeys(codec for _, codec in files):
        paths = ", ".join(_text(path) for path, its in files if its == codec)
        parts.append(
            f"SELECT * FROM read_json([{paths}], {', '.join(options)}, compression ="
            f" '{_COMPRESSIONS[codec]}')"
        )
    selected = ", ".join(f"t.{_quoted(key)}" for key in columns) or f"t.* EXCLUDE ({_FILE})"
    return (
        f"CREATE VIEW {_quoted(name)} AS SELECT {front}{selected} FROM ({' UNION ALL BY NAME '.join(parts)})"
        f" AS t JOIN bundle_files AS f ON f.path = t.{_FILE} AND f.table_name = {_text(name)}"
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


def _confine(connection: duckdb.DuckDBPyConnection, paths: Iterable[str]) -> None:
    """Restrict queries to the files of the bundles, and lock the settings."""
    allowed = ", ".join(map(_text, dict.fromkeys(paths)))
    connection.execute(f"SET allowed_paths = [{allowed}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
