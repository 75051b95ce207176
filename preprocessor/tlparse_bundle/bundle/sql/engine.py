"""DuckDB with the views of bundles: one read-only query at a time, no other files, locked settings."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from tlparse_bundle.base.errors import BundleError

if TYPE_CHECKING:
    import duckdb

_MAX_MESSAGE = 2000
_EXPLAINED = re.compile(r"\s*explain\s+(?P<query>.*)", re.IGNORECASE | re.DOTALL)


class Setup(NamedTuple):
    """What to execute before a query, each statement with the rows of its parameters, and the files that the
    views read.
    """

    statements: Sequence[tuple[str, Sequence[Sequence[Any]]]]
    paths: Sequence[str]


@contextmanager
def connected(setup: Setup, settings: Mapping[str, Any]) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a database in memory. Raises BundleError without DuckDB."""
    duck = _duckdb()
    connection = duck.connect(
        config={"autoinstall_known_extensions": False, "autoload_known_extensions": False, **settings}
    )
    try:
        for statement, rows in setup.statements:
            if rows:
                connection.executemany(statement, rows)
            else:
                connection.execute(statement)
        yield connection
    finally:
        connection.close()


def confine(connection: duckdb.DuckDBPyConnection, paths: Sequence[str]) -> None:
    """Restrict queries to these files, and lock the settings."""
    allowed = ", ".join(map(quoted_text, dict.fromkeys(paths)))
    connection.execute(f"SET allowed_paths = [{allowed}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def execute(connection: duckdb.DuckDBPyConnection, query: str) -> duckdb.DuckDBPyConnection:
    """Run one query that only reads, and return the connection with its rows. Raises BundleError and
    duckdb.Error.
    """
    statement = _single(connection, query)
    kind = _duckdb().StatementType
    # SHOW, DESCRIBE and SUMMARIZE are SELECT.
    if statement.type != kind.SELECT and not (
        statement.type == kind.EXPLAIN and _explains_select(connection, query)
    ):
        raise bad_query(
            f"{statement.type.name} is not allowed: a query can only read",
            "Use SELECT, SHOW, DESCRIBE, or EXPLAIN of a SELECT.",
        )
    return connection.execute(statement)


def _explains_select(connection: duckdb.DuckDBPyConnection, query: str) -> bool:
    """Return whether a query is EXPLAIN and then a SELECT, without ANALYZE, which would run any statement."""
    explained = _EXPLAINED.fullmatch(query)
    try:
        inner = connection.extract_statements(explained["query"]) if explained else []
    except _duckdb().ParserException:
        return False
    return [statement.type for statement in inner] == [_duckdb().StatementType.SELECT]


def _single(connection: duckdb.DuckDBPyConnection, query: str) -> duckdb.Statement:
    statements = connection.extract_statements(query)
    if len(statements) != 1:
        raise bad_query("the query is not a single statement", "Pass one SELECT statement.")
    return statements[0]


@contextmanager
def sentences() -> Iterator[None]:
    """Turn the errors of DuckDB into BundleError."""
    duck = _duckdb()
    try:
        yield
    except (duck.OutOfMemoryException, MemoryError):
        raise bad_query("the query needs too much memory", "Read fewer or shorter rows.") from None
    except duck.Error as error:
        hint = (
            "A query can only read the tables of the bundle."
            if isinstance(error, duck.PermissionException)
            else "'tlparse-bundle sql BUNDLE' lists the tables and their columns."
        )
        text = str(error)
        more = f"… ({len(text) - _MAX_MESSAGE:,} more characters)" if len(text) > _MAX_MESSAGE else ""
        raise bad_query(f"DuckDB: {text[:_MAX_MESSAGE]}{more}", hint) from None


def bad_query(message: str, hint: str) -> BundleError:
    return BundleError(message, hint=hint, code="bad-query", exit_code=2)


def column_names(result: duckdb.DuckDBPyConnection) -> list[str]:
    return [column[0] for column in result.description or ()]


def json_value(cell: Any) -> Any:
    """Return a cell as a JSON value. Numbers that JSON lacks, times and bytes (in hex) become texts."""
    if cell is None or isinstance(cell, bool | str):
        return cell
    if isinstance(cell, int):
        return cell if -(1 << 63) <= cell < 1 << 63 else str(cell)
    if isinstance(cell, float):
        return cell if math.isfinite(cell) else str(cell)
    if isinstance(cell, Decimal):
        return float(cell) if Decimal(repr(float(cell))) == cell else str(cell)
    if isinstance(cell, list | tuple):
        return [json_value(item) for item in cell]
    if isinstance(cell, dict):
        return {str(key): json_value(item) for key, item in cell.items()}
    return cell.hex() if isinstance(cell, bytes) else str(cell)


def quoted_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def quoted_text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


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
