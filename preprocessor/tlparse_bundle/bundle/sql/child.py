"""The child process that runs an untrusted query, with limits of the operating system and of DuckDB.

It reads one request from standard input, and writes one answer to standard output. It inherits no other
file, and an environment of a few variables.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.signals import end_with
from tlparse_bundle.bundle.json_codec import dumps, loads
from tlparse_bundle.bundle.sql import engine

if TYPE_CHECKING:
    import duckdb

_THREADS = 2
_MAX_COLUMNS = 1000
_NAME = 200  # most characters of the name of a column


def main() -> None:
    """Answer one request, and end."""
    request = loads(sys.stdin.buffer.read())
    end_with(request["parent"])
    try:
        with engine.sentences():
            answer = dumps(_answer(request))
    except BundleError as error:
        answer = dumps({"error": vars(error)})
    except (RecursionError, TypeError):
        deep = engine.bad_query("a value of the result is nested too deeply", "Select a part of it.")
        answer = dumps({"error": vars(deep)})
    sys.stdout.buffer.write(answer)
    sys.stdout.buffer.flush()
    os._exit(0)  # without waiting for threads of DuckDB


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    limits = request["limits"]
    settings = {
        "memory_limit": f"{limits['memory_bytes'] // 2}B",
        "threads": _THREADS,
        "temp_directory": "",
    }
    _limit(limits["memory_bytes"], limits["seconds"])
    with engine.connected(engine.Setup(*request["setup"]), settings) as connection:
        engine.confine(connection, request["setup"][1])
        result = engine.execute(connection, request["query"])
        return _cut(result, limits["rows"], limits["cell_characters"], limits["answer_bytes"])


def _limit(memory_bytes: int, seconds: float) -> None:
    """Limit address space and processor time, and forbid to write files. Windows has none of these."""
    try:
        import resource
    except ImportError:
        return
    cpu = int(seconds * _THREADS) + 1  # the parent counts the seconds of a clock, if it is still there
    for kind, most in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CPU, cpu),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):  # macOS refuses a limit of the address space
            resource.setrlimit(kind, (most, most))


def _cut(
    result: duckdb.DuckDBPyConnection, most_rows: int, cell_characters: int, answer_bytes: int
) -> dict[str, Any]:
    """Return the rows that fit, whether there are ``more``, and the number of ``cut`` cells."""
    columns = [_shortened(name, _NAME) for name in engine.column_names(result)]
    if len(columns) > _MAX_COLUMNS:
        raise engine.bad_query(f"the result has more than {_MAX_COLUMNS:,} columns", "Select fewer of them.")
    rows: list[list[Any]] = []
    cut = 0
    room = answer_bytes - len(dumps(columns))
    more = False
    for row in iter(result.fetchone, None):  # one at a time, since a row can be large
        cells = [_cell(cell, cell_characters) for cell in row]
        room -= len(dumps([cell for cell, _ in cells])) + 1
        if room < 0 or len(rows) == most_rows:
            more = True
            break
        cut += sum(is_cut for _, is_cut in cells)
        rows.append([cell for cell, _ in cells])
    return {"columns": columns, "rows": rows, "more": more, "cut": cut}


def _cell(cell: Any, most: int) -> tuple[Any, bool]:
    """Return a cell as a JSON value, and whether it was cut."""
    value = engine.json_value(cell)
    if isinstance(value, list | dict):
        text = dumps(value)
        return (value, False) if len(text) <= most else (_shortened(text.decode(), most), True)
    if isinstance(value, str) and len(value) > most:
        return _shortened(value, most), True
    return value, False


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most:,} more characters)"


if __name__ == "__main__":
    main()
