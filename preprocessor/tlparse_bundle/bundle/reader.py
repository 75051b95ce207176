"""Python reader of bundles. Needs only the bundle."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.base.wording import plural
from tlparse_bundle.bundle import layout
from tlparse_bundle.bundle.checked_files import CheckedBundle, CheckedLog
from tlparse_bundle.bundle.checks import row_of
from tlparse_bundle.bundle.growing import findings_now, is_growing, job_now, log_now, rank_findings_now
from tlparse_bundle.bundle.manifest import rank_paths
from tlparse_bundle.bundle.notebook_html import Part, overview_html
from tlparse_bundle.bundle.row_objects import Artifact, Compile, Event, StackFrame, id_of
from tlparse_bundle.bundle.schema_check import quoted
from tlparse_bundle.bundle.schemas import row_tables, schema
from tlparse_bundle.bundle.store import Store, open_store

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import FindingsRow, RankTable, StacksRow
    from tlparse_bundle.guards.replay import Prediction


class Bundle(CheckedBundle):
    """A bundle: ``location``, ``manifest`` (dict) and ``logs`` (list of Log). ``trusted``: skip checks,
    since this program just wrote it.
    """

    def __init__(
        self,
        store: Store,
        manifest: dict[str, Any] | None = None,
        *,
        verify: bool = True,
        trusted: bool = False,
    ):
        super().__init__(store, manifest, verify=verify, trusted=trusted)
        self.logs = [Log(self, row) for row in self.manifest["logs"]]

    @classmethod
    def open(cls, location: str | os.PathLike[str], *, verify: bool = True) -> Bundle:
        """Open the bundle in a folder, or at a URL that fsspec supports. ``verify``: check blobs against
        their hashes.

        Raises BundleError when there is no bundle or its major format version differs, and later for
        damaged files.
        """
        return cls(open_store(location if isinstance(location, str) else os.fspath(location)), verify=verify)

    def __repr__(self) -> str:
        return f"<Bundle {shown(self.location)}: {plural(len(self.logs), 'log')}>"

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: headline and findings."""
        job = self.job
        ranks = None if job is None else Part("", job["text"], lambda: self.rank_table("rank_findings"))
        return overview_html(repr(self), ranks, [log._part() for log in self.logs])

    def show(self, height: int = 700) -> None:
        """Show the viewer: in a notebook as a frame of ``height`` pixels with a link, else in the browser.

        A server in this process answers on the loopback interface until the process ends.
        """
        import_module("tlparse_bundle.serve.notebook").show(self, height)  # the reader needs no server

    def log(self, log_id: str) -> Log:
        """Return the log with this id. Raise BundleError without one."""
        for log in self.logs:
            if log.id == log_id:
                return log
        names = ", ".join(log.id for log in self.logs[:10])
        raise BundleError(
            f"{self.store.location} has no log {log_id!r}", hint=f"Its logs: {names}", code="not-found"
        )

    @property
    def job(self) -> dict[str, Any] | None:
        """Return the summary across ranks (schema: manifest, 'job'); None for fewer than two.

        In a growing bundle, running compiles are not findings.
        """
        job = self.manifest.get("job")
        return (
            job_now(self.manifest, self._rank_rows("rank_findings"))
            if job is not None and is_growing(self.manifest)
            else job
        )

    if TYPE_CHECKING:
        rank_table: RankTable
    else:

        def rank_table(self, name: str) -> list[dict[str, Any]]:
            """Return a table about several ranks by the name of its schema, such as 'rank_findings': a list
            of its rows, empty when it has none.

            In a growing bundle, compiles that run are not findings. Raises BundleError when there is no such
            table, or when it was left out of a redacted bundle.
            """
            rows = self._rank_rows(name)
            return rank_findings_now(self.manifest, rows) if name == "rank_findings" else rows

    def _rank_rows(self, name: str) -> list[dict[str, Any]]:
        entries = self.manifest.get("rank_tables", {})
        if name in entries:
            sizes = {name: entry["rows"] for name, entry in entries.items()}
            return [row for file in entries[name]["files"] for row in self.file_rows(name, file, sizes)]
        left_out = name in self.manifest.get("redacted", {}).get("left_out", ())
        if row_tables().get(name) == "ranks" and not left_out:
            return []
        redacted = ": the bundle is redacted" if left_out else ""
        raise BundleError(
            f"the bundle has no table {quoted(name)} about several ranks{redacted}",
            hint=f"Its tables: {', '.join(entries) or 'none'}",
            code="not-found",
        )

    def table(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of a table of all logs, each with ``log`` and ``rank`` in front.

        Raises BundleError when there is no such table.
        """
        for log in self.logs:
            for row in log.table(name):
                yield {"log": log.id, "rank": log.rank, **row}

    def frame(self, name: str) -> Any:
        """Return a table of all logs as a ``pandas.DataFrame``, with the columns ``log`` and ``rank`` in
        front.

        Raises BundleError when there is no such table, or no pandas.
        """
        columns = ["log", "rank", *schema(name)["properties"]] if name in row_tables() else None
        return _library("pandas").DataFrame(list(self.table(name)), columns=columns)

    def sql(self, query: str) -> Any:
        """Return the result of a query over all tables as a ``pandas.DataFrame`` (see docs/how-to/sql.md).

        Runs in this process, without limits on time and memory: don't pass a query that you don't trust.
        Raises BundleError for a query that fails, or without DuckDB and pandas.
        """
        from tlparse_bundle.bundle.sql.in_process import query_result

        _library("pandas")
        with query_result([(self.location.rstrip("/").rpartition("/")[2], self)], query) as result:
            return result.df()

    def forget(self) -> None:
        """Drop cached data, which is read again when needed.

        Bundle and logs refer to each other, so they would wait for the garbage collector.
        """
        self.blobs.forget()
        for log in self.logs:
            log.forget()


class Log(CheckedLog):
    """One log: ``id``, ``rank`` (int or None), ``source`` (file name as given), ``compiles``."""

    bundle: Bundle

    def __init__(self, bundle: Bundle, row: dict[str, Any]):
        super().__init__(bundle, row)

    def __repr__(self) -> str:
        return f"<Log {shown(self.id)}: {shown(self.summary['text'])}>"

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: headline and findings."""
        return overview_html(shown(self.id), None, [self._part()])

    def _part(self) -> Part:
        name = self.id if self.rank is None else f"rank {self.rank}"
        return Part(name, self.summary["text"], self.findings)

    @property
    def summary(self) -> dict[str, Any]:
        """Return the headline and its numbers (schema: manifest, 'summary'), in a growing bundle so far."""
        summary: dict[str, Any] = log_now(self.bundle.manifest, self.row)["summary"]
        return summary

    def findings(self) -> list[FindingsRow]:
        """Return the findings of the log, most important first. In a growing bundle, running compiles are
        not findings.

        Raises BundleError when a redacted bundle lacks them.
        """
        rows: list[Any] = self.table("findings")
        staying: list[Any] = findings_now(self.bundle.manifest, self.row, rows)
        return staying

    @cached_property
    def compiles(self) -> list[Compile]:
        """Return the compiles, in order of start."""
        return [Compile(self, row) for row in self.table("compiles")]

    def compile(self, key: str) -> Compile:
        """Return the compile with this key ('0/1', '0/0@2', 'aot-1').

        Raises BundleError when there is none.
        """
        for compile in self.compiles:
            if compile.key == key:
                return compile
        raise self.unknown(key)

    def unknown(self, key: str) -> BundleError:
        """Return the error for an unknown compile, which lists existing ones."""
        return BundleError(
            f"log {self.id} has no compile {key!r}",
            hint=f"Its compiles: {self._keys()}. To list all: tlparse-bundle info BUNDLE",
            code="not-found",
        )

    def _keys(self) -> str:
        keys = [
            *(compile.key for compile in self.compiles),
            *(
                key
                for key in self.artifacts_by_compile
                if key is not None and all(key != compile.key for compile in self.compiles)
            ),
        ]
        return ", ".join(keys[:20]) + (f" and {len(keys) - 20} more" if len(keys) > 20 else "")

    @cached_property
    def artifacts(self) -> list[Artifact]:
        """Return all artifacts of the log, in the order torch wrote them."""
        return [Artifact(self, row) for row in self.table("artifacts")]

    @cached_property
    def artifacts_by_compile(self) -> dict[str | None, list[Artifact]]:
        """Return the artifacts by compile key; None for those outside any compile."""
        groups: dict[str | None, list[Artifact]] = {}
        for artifact in self.artifacts:
            groups.setdefault(artifact.compile, []).append(artifact)
        return groups

    @cached_property
    def stacks(self) -> list[StacksRow]:
        """Return the rows of stacks (schema: stacks), by id."""
        return self.table("stacks")

    def stack(self, id: int) -> list[StackFrame]:
        """Return the frames of a stack, outermost first: dicts of file (or None), line, function, code (text
        of the line, or None).
        """
        frames: list[StackFrame] = []
        parent: int | None = id
        while parent is not None:
            row: StacksRow = row_of(self.stacks, parent, "stacks", self.id)
            frames.append(
                {"file": row["file"], "line": row["line"], "function": row["function"], "code": row["code"]}
            )
            parent = row["parent"]
        return frames[::-1]

    def would_recompile(self, function: str, call: Mapping[str, Any]) -> Prediction:
        """Predict whether a call of a function recompiles, after the last call of the log.

        ``function``: its name, ``file.py:12`` or a compile such as 0/1. ``call``: inputs by name; tensors are
        dicts of size, stride, dtype, device and requires_grad, all but size optional.

        Raises BundleError for an unknown or ambiguous function, and when the log has no guards of it.
        """
        from tlparse_bundle.guards.history import history
        from tlparse_bundle.guards.values import from_json

        return history(self, function).next_call(from_json(call))

    def events(
        self, *, type: str | None = None, name: str | None = None, compile_id: str | None = None
    ) -> Iterator[Event]:
        """Yield the events in file order, optionally of a type, name and compile id.

        ``compile_id`` is an id ('0/0': all its occurrences) or a key ('0/0@2').
        """
        end = 0  # of the record before, in bytes of the log
        for number in range(len(self.files("events"))):
            rows: list[Any] = self.part("events", number)
            for row in rows:
                start = end + row["gap_bytes"]
                end = start + row["size_bytes"]
                if (
                    type in (None, row["type"])
                    and name in (None, row["name"])
                    and (
                        compile_id is None
                        or (row["compile"] is not None and compile_id in (row["compile"], id_of(row)))
                    )
                ):
                    yield Event(self, row, start)


def named_files(bundle: Bundle) -> Iterator[str]:
    """Yield the paths of the files of a finished bundle or of one state of a growing one, manifest first."""
    manifest = bundle.manifest
    yield layout.MANIFEST
    yield manifest["schemas"]
    yield from rank_paths(manifest)
    for log in bundle.logs:
        directory = log.directory
        yield log.row["path"]
        yield from (file["path"] for entry in directory["tables"].values() for file in entry["files"])
        yield from (chunk["path"] for chunk in directory["verbatim"])
        yield from log.blobs
        log.forget()


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise BundleError(
            f"{name} is not installed", hint=f"Install it: pip install {name}", code="not-installed"
        ) from None
