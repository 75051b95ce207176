"""Tables of a bundle as those of pandas and pyarrow, where these are installed."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from tlparse_bundle.errors import BundleError
from tlparse_bundle.format.json_codec import dumps
from tlparse_bundle.read.flat import Bundle, Flat, files_of, flat_rank_table, flat_tables, rank_tables_of


def whole_columns(bundle: Bundle, name: str) -> dict[str, list[Any]]:
    """One table of all logs, with ``log_id`` and ``row`` in front; of a table about several ranks without the first. Raises BundleError when no log has it."""
    found: dict[str, list[Any]] = {}
    count = 0
    for before, flat in _named(bundle, name):
        number = flat.row_count
        for key, values in {**{key: [value] * number for key, value in before.items()}, "row": range(number), **flat.columns}.items():
            found.setdefault(key, [None] * count).extend(values)
        count += number
        for values in found.values():
            values.extend([None] * (count - len(values)))
    if not found:
        known = sorted({flat.name for log in bundle.logs[:1] for file in files_of(log) for flat in flat_tables(log, file)})
        raise BundleError(f"the bundle has no table {name!r}", hint=f"Its tables: {', '.join(known)}", code="not-found")
    return found


def _named(bundle: Bundle, name: str) -> Iterator[tuple[dict[str, str], Flat]]:
    for log in bundle.logs:
        for file in files_of(log):
            if name == file or name.startswith(f"{file}_"):
                yield from (({"log_id": log.id}, flat) for flat in flat_tables(log, file) if flat.name == name)
    if name in rank_tables_of(bundle):
        yield {}, flat_rank_table(bundle, name)


def as_pandas(columns: dict[str, list[Any]]) -> Any:
    """A ``pandas.DataFrame``; lists and objects stay what they are. Raises BundleError without pandas."""
    return _module("pandas").DataFrame(columns)


def as_arrow(columns: dict[str, list[Any]]) -> Any:
    """A ``pyarrow.Table``, from which polars, DuckDB and others read; columns that Arrow has no type for are JSON. Raises BundleError without pyarrow."""
    pyarrow = _module("pyarrow")
    arrays = {}
    for name, values in columns.items():
        try:
            arrays[name] = pyarrow.array(values)
        except (pyarrow.ArrowException, OverflowError):
            arrays[name] = pyarrow.array([None if value is None else dumps(value).decode() for value in values])
    return pyarrow.table(arrays)


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise BundleError(f"{name} is not installed", hint=f"Install it: pip install {name}", code="not-installed") from None
