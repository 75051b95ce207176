"""Answers to queries that are not trusted, such as those of a language model: a child process runs them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.atomic.folder import temporary_folder
from tlparse_bundle.bundle.json_codec import JSONDecodeError, dumps, loads
from tlparse_bundle.bundle.sql.engine import Setup, bad_query
from tlparse_bundle.bundle.sql.views import Bundle, views

_MAX_QUERY = 100_000  # characters
_SLACK_BYTES = 1 << 20  # of an answer, for what is not rows
_ENDING_SECONDS = 1.0
_KEPT = (
    "DYLD_LIBRARY_PATH",
    "LD_LIBRARY_PATH",
    "PYTHONHOME",
    "PYTHONPYCACHEPREFIX",
    "SYSTEMROOT",
    "VIRTUAL_ENV",
)  # what Python needs to start


@dataclass(frozen=True)
class Limits:
    """Limits of a query: ``seconds`` by the clock, and address space, where the system can limit it."""

    seconds: float
    rows: int
    cell_characters: int
    answer_bytes: int
    memory_bytes: int = 2 << 30


class Answer(NamedTuple):
    """Rows of JSON values. ``more``: rows were left out; ``cut``: number of cells that were cut."""

    columns: list[str]
    rows: list[list[Any]]
    more: bool
    cut: int


def answer(bundles: Sequence[tuple[str, Bundle]], query: str, limits: Limits) -> Answer:
    """Run one query over bundles, (name, bundle), in a child process that can only read their files.

    Raises BundleError for a query that fails or exceeds the limits.
    """
    if len(query) > _MAX_QUERY:
        raise bad_query(f"the query has more than {_MAX_QUERY:,} characters", "Write a shorter one.")
    with temporary_folder() as folder:
        return _ask(views(bundles, folder, query), folder, query, limits)


def _ask(setup: Setup, folder: Path, query: str, limits: Limits) -> Answer:
    request = dumps({"parent": os.getpid(), "setup": list(setup), "query": query, "limits": asdict(limits)})
    most = limits.answer_bytes + _SLACK_BYTES
    process = subprocess.Popen(
        [sys.executable, "-m", "tlparse_bundle.bundle.sql.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=_environment(),
        start_new_session=True,  # Ctrl-C is for us alone
    )
    late = threading.Event()

    def stop() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(limits.seconds, stop)
    timer.daemon = True
    try:
        timer.start()
        data = _exchange(process, request, most)
    finally:
        timer.cancel()
        process.kill()
        code = process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe:
                pipe.close()
    if late.is_set():
        raise bad_query(
            f"the query took longer than {limits.seconds:g} s", "Read fewer rows, or simplify the query."
        )
    if len(data) > most:
        raise bad_query("the answer is too large", "Read fewer or shorter rows.")
    return _parsed(data, code, limits)


def _exchange(process: subprocess.Popen[bytes], request: bytes, most: int) -> bytes:
    """Send the request and return the answer, up to a byte more than ``most``."""
    assert process.stdin and process.stdout
    with suppress(BrokenPipeError):  # it has died, and the exit code says why
        process.stdin.write(request)
        process.stdin.close()
    data = process.stdout.read(most + 1)
    if len(data) <= most:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_ENDING_SECONDS)
    return data


def _parsed(data: bytes, code: int, limits: Limits) -> Answer:
    try:
        document = loads(data)
    except JSONDecodeError:
        raise bad_query(
            f"the process of the query ended early (exit code {code})",
            f"It may have needed more than {limits.memory_bytes >> 20:,} MB of memory. Read fewer or shorter"
            " rows.",
        ) from None
    if "error" in document:
        raise BundleError(**document["error"])
    return Answer(document["columns"], document["rows"], document["more"], document["cut"])


def _environment() -> dict[str, str]:
    """Return the environment of the child: no credentials and no settings of ours."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    path = os.pathsep.join(os.path.abspath(entry) for entry in sys.path if entry)
    return {**kept, "PYTHONPATH": path, "PYTHONSAFEPATH": "1", "PYTHONDONTWRITEBYTECODE": "1"}
