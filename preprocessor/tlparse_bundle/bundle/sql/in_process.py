"""Bundles in a database of this process, for queries of the author of a program."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tlparse_bundle.bundle.atomic.folder import temporary_folder
from tlparse_bundle.bundle.sql.engine import confine, connected, execute, quoted_name, quoted_text, sentences
from tlparse_bundle.bundle.sql.views import COLUMNS, Bundle, views

if TYPE_CHECKING:
    import duckdb

_MEMORY = "2GB"


@contextmanager
def database(bundles: Sequence[tuple[str, Bundle]], query: str = "") -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a database with a view per table of these bundles, (name, bundle), with columns ``bundle``,
    ``log`` and ``rank`` first; only of the tables that ``query`` can use, if given.

    A remote bundle is first copied to a temporary folder. Raises BundleError without DuckDB.
    """
    with temporary_folder() as folder:
        settings = {"memory_limit": _MEMORY, "temp_directory": str(folder / "spilled")}
        setup = views(bundles, folder, query)
        with connected(setup, settings) as connection:
            if query:
                confine(connection, setup.paths)
            yield connection


def write(bundles: Sequence[tuple[str, Bundle]], out: Path) -> None:
    """Write all tables of these bundles into a DuckDB file. Raises BundleError; OSError for a full disk."""
    with sentences(), database(bundles) as connection, _full_disk(out):
        names = list(dict.fromkeys(table for table, _ in connection.execute(COLUMNS).fetchall()))
        connection.execute(f"ATTACH {quoted_text(str(out))} AS file")
        for name in names:
            table = quoted_name(name)
            connection.execute(f"CREATE TABLE file.{table} AS SELECT * FROM memory.{table}")
        connection.execute("DETACH file")


@contextmanager
def _full_disk(out: Path) -> Iterator[None]:
    """Raise the OSError of the system for a disk that is full, about ``out`` or the temporary folder."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        text = os.strerror(errno.ENOSPC)
        if text not in str(error):
            raise
        place = {"filename": str(out)} if str(out) in str(error) else {}
        raise OSError(errno.ENOSPC, text, *place.values()) from None


@contextmanager
def query_result(bundles: Sequence[tuple[str, Bundle]], query: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """Run one query that only reads files of the bundles, and return the connection with its rows.

    Time and size have no limits. Raises BundleError, also while fetching rows.
    """
    with sentences(), database(bundles, query) as connection:
        yield execute(connection, query)
