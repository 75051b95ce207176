"""A bundle as a SQLite database: each table of each log as it is, and views that say in words what indexes mean."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

from tlparse_bundle import __version__
from tlparse_bundle.errors import BundleError
from tlparse_bundle.format.json_codec import dumps
from tlparse_bundle.read.flat import Flat, files_of, flat_rank_table, flat_tables, rank_tables_of
from tlparse_bundle.read.growing import log_now
from tlparse_bundle.read.reader import Bundle, Log
from tlparse_bundle.sql.views import VIEWS

_WORD = re.compile(r"\w+")
_STEPS = 100_000  # of SQLite's machine, after which the clock is looked at
_MOST_CELL_BYTES = 50_000_000


def database(bundle: Bundle, path: str | Path = ":memory:", wanted: Collection[str] | None = None) -> sqlite3.Connection:
    """The tables of a bundle in a new database. ``wanted``: names of tables and views that are enough; files that no such table comes from are not read."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = OFF")  # a new file: when it is not finished, it is removed
    connection.execute("PRAGMA synchronous = OFF")
    tables = _Tables(connection)
    tables.add(_logs(bundle), {})
    names = None if wanted is None else _with_views(wanted)
    for log in bundle.logs:
        for file in files_of(log):
            if names is None or any(name == file or name.startswith(f"{file}_") for name in names):
                for flat in flat_tables(log, file):
                    tables.add(flat, {"log_id": log.id})
    for name in rank_tables_of(bundle):
        if names is None or name in names:
            tables.add(flat_rank_table(bundle, name), {})
    if bundle.job is not None:
        tables.add(Flat("job", {key: [value] for key, value in bundle.job.items()}), {})
    tables.index()
    for view in VIEWS:
        if view.needs <= tables.names:
            connection.execute(f"CREATE VIEW {_quoted(view.name)} AS {view.select}")
    connection.commit()
    return connection


@contextmanager
def asked(bundle: Bundle, query: str, most_seconds: float | None = None) -> Iterator[sqlite3.Cursor]:
    """The rows of one query, which can only read. Raises BundleError, also while rows are taken, for what SQLite does not understand, and for a query that takes longer."""
    connection = database(bundle, wanted=set(_WORD.findall(query)))
    try:
        _only_reads(connection)
        if most_seconds is not None:
            end = monotonic() + most_seconds
            connection.set_progress_handler(lambda: monotonic() > end, _STEPS)
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_CELL_BYTES)
        yield connection.execute(query)
    except (sqlite3.Error, sqlite3.Warning) as error:
        hint = "It takes too long." if "interrupted" in str(error) else "A query only reads, and is one statement." if "not authorized" in str(error) or "one statement" in str(error) else "'tlparse-bundle sql BUNDLE' lists the tables and their columns."
        raise BundleError(f"SQLite says: {error}", hint=hint, code="bad-query", exit_code=2) from None
    finally:
        connection.close()


def _with_views(wanted: Collection[str]) -> set[str]:
    return set(wanted).union(*(view.needs for view in VIEWS if view.name in wanted))


def _logs(bundle: Bundle) -> Flat:
    rows = [log_now(bundle.manifest, row) for row in bundle.manifest["logs"]]
    columns = dict.fromkeys(key for row in rows for key in row)
    found: dict[str, list[Any]] = {key: [row.get(key) for row in rows] for key in columns}
    return Flat("logs", {"log_id": found.pop("id"), **found} if rows else {"log_id": []})


class _Tables:
    """Makes tables of the database as they come; a log may have columns that those before lack."""

    def __init__(self, connection: sqlite3.Connection):
        self._connection = connection
        self._columns: dict[str, list[str]] = {}
        connection.execute('CREATE TABLE "bundle" ("made_by" TEXT)')
        connection.execute('INSERT INTO "bundle" VALUES (?)', (f"tlparse-bundle {__version__}",))

    @property
    def names(self) -> set[str]:
        return set(self._columns)

    def add(self, flat: Flat, constants: dict[str, Any]) -> None:
        wanted = [*constants, "row", *flat.columns]
        known = self._columns.get(flat.name)
        if known is None:
            self._columns[flat.name] = known = _distinct(wanted)
            self._connection.execute(f"CREATE TABLE {_quoted(flat.name)} ({', '.join(map(_quoted, known))})")
        for column in wanted:
            if column.lower() not in map(str.lower, known):
                known.append(column)
                self._connection.execute(f"ALTER TABLE {_quoted(flat.name)} ADD COLUMN {_quoted(column)}")
        taken = _distinct(wanted)
        columns = [flat.columns[name] for name in taken if name in flat.columns and name not in constants]
        insert = f"INSERT INTO {_quoted(flat.name)} ({', '.join(map(_quoted, taken))}) VALUES ({', '.join('?' * len(taken))})"
        rows = ([*constants.values(), number, *map(_cell, cells)] for number, cells in enumerate(zip(*columns)))
        self._connection.executemany(insert, rows)

    def index(self) -> None:
        """What views join by."""
        for name, columns in self._columns.items():
            if "row" in columns and "log_id" in columns:
                self._connection.execute(f"CREATE INDEX {_quoted(f'{name}_by_row')} ON {_quoted(name)} (log_id, row)")


def _cell(value: Any) -> Any:
    """Lists and objects as JSON, true and false as 1 and 0; a number that SQLite cannot hold as text."""
    if isinstance(value, dict | list):
        return dumps(value).decode()
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return str(value)
    return value


def _distinct(names: Iterable[str]) -> list[str]:
    """Without those that SQLite takes for the same."""
    return list({name.lower(): name for name in reversed([*names])}.values())[::-1]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _only_reads(connection: sqlite3.Connection) -> None:
    """From now on a query can change nothing, and open no other file."""
    allowed = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, getattr(sqlite3, "SQLITE_RECURSIVE", 33)}
    forbidden = {"load_extension", "readfile", "writefile", "edit"}

    def authorize(action: int, first: str | None, second: str | None, *rest: str | None) -> int:
        return sqlite3.SQLITE_OK if action in allowed and not (action == sqlite3.SQLITE_FUNCTION and second in forbidden) else sqlite3.SQLITE_DENY

    connection.execute("PRAGMA query_only = ON")
    connection.set_authorizer(authorize)


def described(connection: sqlite3.Connection) -> Iterator[tuple[str, str, list[str]]]:
    """(name, 'table' or 'view', columns) of all, in order."""
    found = connection.execute("SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY type DESC, name").fetchall()
    for name, kind in found:
        yield name, kind, [row[1] for row in connection.execute(f"PRAGMA table_info({_quoted(name)})")]
