"""The command sql."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.cli.output import say, say_json, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tlparse_bundle.bundle.reader import Bundle

_FORMATS = ("table", "csv", "json")
_WIDEST = 60  # characters of a cell of a table
_MEASURED = 200  # rows that set the column widths


@click.command()
@click.argument("arguments", nargs=-1, required=True, metavar="BUNDLE... [QUERY]")
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    default="table",
    show_default=True,
    help="Output format; csv and json print cells in full.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.duckdb",
    help="Write all tables to one DuckDB file.",
)
@click.option("--overwrite", is_flag=True, help="Replace FILE.duckdb.")
@click.option("--trusted", is_flag=True, help="Run QUERY without limits on time, memory and size.")
def sql(arguments: tuple[str, ...], form: str, out: Path | None, overwrite: bool, trusted: bool) -> None:
    """Query the tables of one or more bundles in SQL.

    Without QUERY, list the tables and their columns. Needs DuckDB: pip install 'tlparse-bundle[sql]'. The
    first columns of each table are bundle, log and rank. Table logs has one row per log, with its totals.

    A query can only read, and only the files of the bundles. It runs in its own process, which may take
    60 seconds and 2 GB of memory, and return 100,000 rows and 32 MB.

    \b
    Example:
      tlparse-bundle sql out/ "select compile, function, total_us from compiles order by total_us desc limit 5"
      tlparse-bundle sql monday/ tuesday/ "select bundle, compile_us, recompile_count from logs" --format json
      tlparse-bundle sql out/ --out trace.duckdb
    """  # noqa: E501 - a command that can be copied
    from tlparse_bundle.render.running import still_growing

    places, query = _split(arguments)
    opened = _opened(places)
    for _, bundle in opened:
        if growing := still_growing(bundle.manifest):
            say(growing, err=True)
    if out:
        _write(opened, out, overwrite=overwrite)
    if query:
        _ask(opened, query, form, trusted=trusted)
    elif not out:
        _list(opened, form)


def _split(arguments: Sequence[str]) -> tuple[list[str], str | None]:
    """Return the bundles and the query, which is the last argument unless that is a bundle."""
    from tlparse_bundle.base.remote import is_url

    *places, last = arguments
    is_word = not re.search(r"\s", last)
    if os.path.isdir(last) or (is_word and (is_url(last) or not places)):  # it may be a missing bundle
        return [*places, last], None
    if not places:
        raise click.UsageError("BUNDLE is missing. Pass it before the query.")
    return places, last


def _opened(places: Sequence[str]) -> list[tuple[str, Bundle]]:
    """Return bundles with their names in queries: the last part of the path, or all of it if ambiguous."""
    from tlparse_bundle.bundle.reader import Bundle

    short = [place.rstrip("/").rpartition("/")[2] or place for place in places]
    return [
        (name if short.count(name) == 1 else place, Bundle.open(place))
        for place, name in zip(places, short, strict=True)
    ]


def _write(bundles: Sequence[tuple[str, Bundle]], out: Path, *, overwrite: bool) -> None:
    from tlparse_bundle.bundle.atomic.folder import new_file
    from tlparse_bundle.bundle.layout import guards
    from tlparse_bundle.bundle.sql.in_process import write

    with new_file(
        out,
        overwrite=overwrite,
        readers_of=[path for _, bundle in bundles for path in guards(bundle.location)],
    ) as new:
        write(bundles, new)
    say(
        f"Wrote {shown(out)}, {out.stat().st_size / 1e6:.1f} MB. Try it: duckdb {shown(out)} 'select * from"
        " findings'",
        err=True,
    )


def _list(bundles: Sequence[tuple[str, Bundle]], form: str) -> None:
    from tlparse_bundle.bundle.schemas import schema, schema_names
    from tlparse_bundle.bundle.sql.views import COLUMNS

    columns_of: dict[str, list[str]] = {}
    for table, column in _confined(bundles, COLUMNS)[1]:
        columns_of.setdefault(table, []).append(column)
    about = {
        name: schema(name)["description"].partition(".")[0] + "." if name in schema_names() else None
        for name in columns_of
    }
    if form == "json":
        say_json(
            [{"name": name, "help": about[name], "columns": columns} for name, columns in columns_of.items()]
        )
        return
    for name, columns in columns_of.items():
        say(
            f"{shown(name)}"
            + (f": {about[name]}" if about[name] else "")
            + f"\n    {shown(', '.join(columns))}"
        )


def _ask(bundles: Sequence[tuple[str, Bundle]], query: str, form: str, *, trusted: bool) -> None:
    if not trusted:
        _print(*_confined(bundles, query), form)
        return
    from tlparse_bundle.bundle.sql.engine import column_names, json_value
    from tlparse_bundle.bundle.sql.in_process import query_result

    with query_result(bundles, query) as result:
        rows = (row for batch in iter(lambda: result.fetchmany(_MEASURED), []) for row in batch)
        _print(column_names(result), ([json_value(cell) for cell in row] for row in rows), form)


def _confined(bundles: Sequence[tuple[str, Bundle]], query: str) -> tuple[list[str], list[list[Any]]]:
    """Return columns and rows of a query in a child process. Raises BundleError if they are cut."""
    from tlparse_bundle.bundle.sql.confined import Limits, answer

    limits = Limits(seconds=60, rows=100_000, cell_characters=1_000_000, answer_bytes=32_000_000)
    result = answer(bundles, query, limits)
    if result.more or result.cut:
        raise BundleError(
            f"a cell has more than {limits.cell_characters:,} characters"
            if result.cut
            else f"the result has more than {limits.rows:,} rows or {limits.answer_bytes / 1e6:.0f} MB",
            hint="Select less, with LIMIT or substr. For a query that you trust, --trusted has no limits.",
            code="too-large",
            exit_code=2,
        )
    return result.columns, result.rows


def _print(columns: Sequence[str], rows: Iterable[Sequence[Any]], form: str) -> None:
    if form == "json":
        say_json([dict(zip(columns, row, strict=True)) for row in rows])
    elif form == "csv":
        _print_csv(columns, rows)
    else:
        _print_table(columns, rows)


def _print_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print CSV; escape control characters only on a terminal."""
    import csv
    from io import StringIO
    from itertools import chain

    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in chain((columns,), rows):
        writer.writerow(row)
        if sys.stdout.isatty():
            say(text.getvalue(), nl=False)
        else:
            sys.stdout.buffer.write(text.getvalue().encode("utf-8", "backslashreplace"))
        text.seek(0)
        text.truncate()
    sys.stdout.flush()


def _print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    from itertools import chain, islice

    rows = iter(rows)
    names = [_text(column) for column in columns]
    first = [[_text(cell) for cell in row] for row in islice(rows, _MEASURED)]
    widths = [max([len(name), *(len(row[at]) for row in first)]) for at, name in enumerate(names)]
    say(_line(names, widths))
    say(_line(("-" * width for width in widths), widths))
    for texts in chain(first, ([_text(cell) for cell in row] for row in rows)):
        say(_line(texts, widths))


def _text(cell: object) -> str:
    text = (
        ""
        if cell is None
        else f"{cell:.3f}".rstrip("0").rstrip(".")
        if isinstance(cell, float)
        else shown(str(cell))
    )
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


def _line(cells: Iterable[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
