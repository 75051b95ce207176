"""Asking a bundle in SQL."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tlparse_bundle.cli.options import Location
from tlparse_bundle.cli.say import say, say_json, shown

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from tlparse_bundle.read.reader import Bundle

_FORMATS = ("table", "csv", "json")
_WIDEST = 60  # characters of a cell of a table
_MEASURED = 200  # rows, from which the widths of a table come


@click.command()
@click.argument("bundle", type=Location())
@click.argument("query", required=False)
@click.option("--format", "form", type=click.Choice(_FORMATS), default="table", show_default=True, help="csv and json hold cells in full.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE.db", help="Write the database, for any program that reads SQLite.")
@click.option("--overwrite", is_flag=True, help="Replace FILE.db.")
def sql(bundle, query, form, out, overwrite) -> None:
    """Ask a bundle in SQL. Without QUERY: the tables and views there are, with their columns.

    Each table of the bundle is one of SQLite, with log_id and row in front; views that begin with v_ have names in
    place of indexes. Lists and objects are JSON, for json_each() and json_extract().

    \b
    Example:
      tlparse-bundle sql out/ "select compile, function, compile_ms from v_compiles order by compile_ms desc limit 5"
      tlparse-bundle sql out/ "select change, count(*) from v_recompiles group by change" --format json
      tlparse-bundle sql out/ --out trace.db
    """
    from tlparse_bundle.read.growing import still_growing
    from tlparse_bundle.read.reader import Bundle

    opened = Bundle.open(bundle)
    if growing := still_growing(opened.manifest):
        say(growing, err=True)
    if out:
        _write(opened, out, overwrite=overwrite)
    if query:
        _ask(opened, query, form)
    elif not out:
        _list(opened, form)


def _write(bundle: Bundle, out: Path, *, overwrite: bool) -> None:
    from tlparse_bundle.commit.folder import new_file
    from tlparse_bundle.format.layout import guards
    from tlparse_bundle.sql.database import database

    with new_file(out, overwrite=overwrite, readers_of=guards(bundle.location)) as new:
        database(bundle, new).close()
    say(f"{shown(out)}: {out.stat().st_size / 1e6:.1f} MB. Try it: sqlite3 {shown(out)} 'select * from v_findings'", err=True)


def _list(bundle: Bundle, form: str) -> None:
    from tlparse_bundle.sql.database import database, described
    from tlparse_bundle.sql.views import VIEWS

    helps = {view.name: view.help for view in VIEWS}
    found = [{"name": name, "type": kind, "help": helps.get(name), "columns": columns} for name, kind, columns in described(database(bundle))]
    if form == "json":
        say_json(found)
        return
    for row in found:
        say(f"{shown(row['name'])}" + (f": {row['help']}" if row["help"] else "") + f"\n    {shown(', '.join(row['columns']))}")


def _ask(bundle: Bundle, query: str, form: str) -> None:
    from tlparse_bundle.sql.database import asked

    with asked(bundle, query) as rows:
        if form == "json":
            names = _names(rows)
            say_json([dict(zip(names, map(_json_cell, row))) for row in rows])
        elif form == "csv":
            _print_csv(rows)
        else:
            _print_table(rows)


def _names(rows: sqlite3.Cursor) -> list[str]:
    return [column[0] for column in rows.description or ()]


def _json_cell(cell: object) -> object:
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else cell


def _print_csv(rows: sqlite3.Cursor) -> None:
    """As it is into a file or a pipe; control characters are made visible on a terminal alone."""
    import csv
    from io import StringIO

    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in (_names(rows), *rows):
        writer.writerow(row)
        if sys.stdout.isatty():
            say(text.getvalue(), nl=False)
        else:
            sys.stdout.buffer.write(text.getvalue().encode("utf-8", "backslashreplace"))
        text.seek(0)
        text.truncate()
    sys.stdout.flush()


def _print_table(rows: sqlite3.Cursor) -> None:
    names = _names(rows)
    first = [[_text(cell) for cell in row] for row in rows.fetchmany(_MEASURED)]
    widths = [max([len(name), *(len(row[at]) for row in first)]) for at, name in enumerate(names)]
    say(_line(map(shown, names), widths))
    say(_line(("-" * width for width in widths), widths))
    for row in first:
        say(_line(row, widths))
    for row in rows:
        say(_line([_text(cell) for cell in row], widths))


def _text(cell: object) -> str:
    text = "" if cell is None else f"{cell:.3f}".rstrip("0").rstrip(".") if isinstance(cell, float) else shown(str(cell))
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


def _line(cells: Sequence[str] | object, widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip()
