"""The state of a growing bundle for the terminal, from its manifest and findings, and its output as lines."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.base.wording import duration, listed, plural, size
from tlparse_bundle.bundle.growing import who
from tlparse_bundle.bundle.reader import Bundle, Log
from tlparse_bundle.bundle.row_objects import id_of
from tlparse_bundle.bundle.store import open_store
from tlparse_bundle.render.running import Running, compile_words, running_compiles
from tlparse_bundle.statements.statement import SEVERITIES

QUIET_US = 30_000_000
UNFINISHED = "unfinished-compile"  # the finding of a compile that may still run
NOTHING = "0 compiles"
_SECOND = 1_000_000
_LONG_US = 2_000_000  # shorter compiles are only counted
_COUNTED_US = 10_000_000  # between two lines with compile counts
_MOST = 5  # lines of one type at once


@dataclass(frozen=True, slots=True)
class Last:
    """Logs with the same kind of last record."""

    logs: tuple[str, ...]
    who: str
    what: str | None  # the record, "Inductor output code of 0/0"; None without one
    inside: str  # the open compile, or empty
    read_us: int | None  # time of the last bytes; the earliest of several logs


@dataclass(frozen=True, slots=True)
class Finding:
    fingerprint: str
    severity: str
    title: str
    kind: str
    logs: int = 1


@dataclass(frozen=True, slots=True)
class Rank:
    """Logs with equal rows in the list of ranks."""

    who: str
    compiles: str
    running: str
    read_us: int | None
    quiet: bool


@dataclass(frozen=True, slots=True)
class View:
    log_names: dict[str, str]  # by id
    read_bytes: int
    compiles: str  # "12 compiles, 2 graph breaks"
    last_read_us: int | None
    running: tuple[Running, ...]
    last: tuple[Last, ...]
    ranks: tuple[Rank, ...]
    findings: tuple[Finding, ...]  # the newest first
    problems: tuple[str, ...]

    def amounts(self) -> str:
        return f"{plural(len(self.log_names), 'log')}, {size(self.read_bytes)} read"


class Views:
    """Reads successive views of one bundle; caches unchanged findings."""

    def __init__(self, out: str | Path):
        self._out = str(out)
        # Findings by log id, with the path of the log at that time.
        self._read: dict[str, tuple[str, Sequence[Mapping[str, Any]]]] = {}
        self._order: dict[str, int] = {}  # fingerprints, by when they were first seen

    def read(self, now_us: int) -> View:
        """Return the current view. Raises BundleError or OSError if the bundle cannot be read."""
        bundle = Bundle(open_store(self._out), trusted=True)
        return self.of(bundle.manifest, {log.id: self._findings(log) for log in bundle.logs}, now_us)

    def _findings(self, log: Log) -> Sequence[Mapping[str, Any]]:
        path, rows = self._read.get(log.id, ("", []))
        if path != log.row["path"]:
            rows = log.table("findings")
            self._read[log.id] = log.row["path"], rows
        return rows

    def of(
        self, manifest: Mapping[str, Any], findings: Mapping[str, Sequence[Mapping[str, Any]]], now_us: int
    ) -> View:
        """Return the view of a manifest and of findings by log id."""
        rows = {row["id"]: row for row in manifest["logs"]}
        live = {log["id"]: log for log in manifest.get("live", {}).get("logs", ()) if log["id"] in rows}
        many = len(rows) > 1
        titles = {key: about["title"] for key, about in manifest["descriptors"].items()}
        return View(
            log_names={id: row["source"]["name"] for id, row in rows.items()},
            read_bytes=sum(log["read_bytes"] for log in live.values())
            if live
            else sum(row["source"]["size_bytes"] for row in rows.values()),
            compiles=_compiles(rows.values()),
            last_read_us=max(
                (log["read_epoch_us"] for log in live.values() if log["read_epoch_us"] is not None),
                default=None,
            ),
            running=tuple(running_compiles(rows, live)),
            last=tuple(_last(rows, live, titles, many)),
            ranks=tuple(_ranks(rows, live, now_us)) if many else (),
            findings=self._newest(findings, live),
            problems=tuple(problem["message"] for problem in manifest.get("live", {}).get("problems", ())),
        )

    def _newest(
        self, findings: Mapping[str, Sequence[Mapping[str, Any]]], live: Mapping[str, dict[str, Any]]
    ) -> tuple[Finding, ...]:
        """Return the causes, newest first, merged over logs, without unfinished compiles that still run."""
        by_fingerprint: dict[str, Finding] = {}
        last_event: dict[str, int] = {}
        for id, rows in findings.items():
            open_now = {running["compile"] for running in live[id]["running"]} if id in live else set()
            if id in live and not live[id]["read_bytes"]:
                continue  # nothing can be wrong with an empty log
            for row in rows:
                key = row["fingerprint"]
                if row["because_of"] is not None or (
                    row["kind"] == UNFINISHED and open_now.intersection(row["compiles"] or (None,))
                ):
                    continue
                logs = by_fingerprint[key].logs + 1 if key in by_fingerprint else 1
                by_fingerprint[key] = Finding(key, row["severity"], row["title"], row["kind"], logs)
                last_event[key] = max(row["events"], default=-1)
        for key in sorted(by_fingerprint.keys() - self._order.keys(), key=last_event.__getitem__):
            self._order[key] = len(self._order)
        newest = sorted(by_fingerprint.values(), key=lambda one: self._order[one.fingerprint], reverse=True)
        return tuple(newest)


class Lines:
    """Prints changes with ``say``, each once. ``update`` takes a new view, ``tick`` the time."""

    def __init__(self, say: Callable[[str], None]):
        self._say = say
        self._view: View | None = None
        self._reported: set[tuple[object, ...]] = set()
        self._counted: tuple[int, str] | None = None  # when, and what

    def begin(self) -> None:
        pass

    def update(self, view: View, now_us: int) -> None:
        self._view = view
        self._print(now_us, self._logs(view))
        self._print(
            now_us, (problem for problem in map(shown, view.problems) if self._new("problem", problem))
        )
        self._print(now_us, self._findings(view))
        self.tick(now_us)

    def tick(self, now_us: int) -> None:
        if self._view is not None:
            self._print(now_us, self._running(self._view, now_us))
            self._print(now_us, self._silence(self._view, now_us))
            self._print(now_us, self._count(self._view, now_us))

    def note(self, text: str) -> None:
        self._say(text)

    def end(self) -> None:
        pass

    def _print(self, now_us: int, lines: Iterable[str]) -> None:
        lines = list(lines)
        at = time.strftime("%H:%M:%S", time.localtime(now_us / 1e6))
        for line in lines[:_MOST]:
            self._say(f"{at}  {line}")
        if len(lines) > _MOST:
            self._say(f"{at}  … and {len(lines) - _MOST:,} more of these")

    def _new(self, *what: object) -> bool:
        if what in self._reported:
            return False
        self._reported.add(what)
        return True

    def _logs(self, view: View) -> Iterator[str]:
        new = [name for id, name in view.log_names.items() if self._new("log", id)]
        if len(new) > _MOST:
            yield f"{plural(len(new), 'log')}: {shown(new[0])} to {shown(new[-1])}"
        else:
            yield from (f"log {shown(name)}" for name in new)

    def _findings(self, view: View) -> Iterator[str]:
        for finding in reversed(view.findings):
            # A compile is unfinished only once its log has ended.
            if finding.kind != UNFINISHED and self._new("finding", finding.fingerprint):
                yield f"{SEVERITIES[finding.severity].sign} {shown(finding.title)}"

    def _running(self, view: View, now_us: int) -> Iterator[str]:
        for running in view.running:
            if running.since_us is not None and now_us - running.since_us < _LONG_US:
                continue
            new = [log for log in running.logs if self._new("running", log, running.what, running.since_us)]
            if len(new) == len(running.logs):
                inside = f", in {running.spans[-1]}" if running.spans else ""
                since = ago(running.since_us, now_us)
                yield f"{_of(running.who)}compiling {running.what} for {since}{inside}"

    def _silence(self, view: View, now_us: int) -> Iterator[str]:
        for last in view.last:
            if is_quiet(last.read_us, now_us) and [
                log for log in last.logs if self._new("silent", log, last.read_us)
            ]:
                yield f"{_of(last.who)}{silence(last, now_us)}"

    def _count(self, view: View, now_us: int) -> Iterator[str]:
        before = self._counted[1] if self._counted else NOTHING
        if view.compiles != before and (self._counted is None or now_us - self._counted[0] >= _COUNTED_US):
            self._counted = now_us, view.compiles
            yield view.compiles


def is_quiet(read_us: int | None, now_us: int) -> bool:
    """Return whether nothing was read for ``QUIET_US``; false if nothing ever was."""
    return read_us is not None and now_us - read_us >= QUIET_US


def ago(us: int | None, now_us: int) -> str:
    """Format the time since ``us``, in seconds."""
    if us is None:
        return "unknown"
    passed = max(0, now_us - us)
    return f"{passed / _SECOND:.1f} s" if passed < 10 * _SECOND else duration(passed // _SECOND * _SECOND)


def _compiles(rows: Iterable[Mapping[str, Any]], graph_break: str = "graph break") -> str:
    """Return counts such as "12 compiles, 2 graph breaks", or "not recorded" where no log has one."""
    numbers = [row["summary"] for row in rows]
    count = sum(number["compile_count"] for number in numbers)
    parts = [plural(count, "compile")]
    unrecorded: list[str] = []
    for key, one in (
        ("graph_break_count", graph_break),
        ("recompile_count", "recompile"),
        ("failure_count", "failure"),
    ):
        recorded = [number[key] for number in numbers if number[key] is not None]
        if sum(recorded):
            parts.append(plural(sum(recorded), one))
        elif count and not recorded:
            unrecorded.append(f"{one}s")
    if unrecorded:
        parts.append(f"{listed(unrecorded)} not recorded")
    return ", ".join(parts)


def _last(
    rows: Mapping[str, dict[str, Any]],
    live: Mapping[str, dict[str, Any]],
    titles: Mapping[str, str],
    many: bool,
) -> Iterator[Last]:
    groups: dict[tuple[str | None, str], list[dict[str, Any]]] = {}
    for log in live.values():
        inside = compile_words(log["running"][-1]) if log["running"] else ""
        groups.setdefault((_record(log["last_record"], titles), inside), []).append(log)
    for (what, inside), logs in groups.items():
        read = min((log["read_epoch_us"] for log in logs if log["read_epoch_us"] is not None), default=None)
        yield Last(
            tuple(log["id"] for log in logs),
            who(rows[log["id"]] for log in logs) if many else "",
            what,
            inside,
            read,
        )


def _record(last: dict[str, Any] | None, titles: Mapping[str, str]) -> str | None:
    if last is None:
        return None
    of = f" of {id_of(last)}" if last["compile"] is not None else ""
    return shown(f"{titles.get(last['kind']) or last['kind']}{of}")


def _ranks(
    rows: Mapping[str, dict[str, Any]], live: Mapping[str, dict[str, Any]], now_us: int
) -> Iterator[Rank]:
    """Yield ranks in the order of the manifest, equal ones together."""
    groups: dict[tuple[str, str, bool], list[str]] = {}
    for id, row in rows.items():
        log = live.get(id)
        inside = " › ".join(compile_words(running) for running in log["running"]) if log else ""
        quiet = log is not None and is_quiet(log["read_epoch_us"], now_us)
        groups.setdefault((_compiles([row], "break"), inside, quiet), []).append(id)
    for (compiles, inside, quiet), ids in groups.items():
        read = min(
            (at for id in ids if id in live and (at := live[id]["read_epoch_us"]) is not None), default=None
        )
        yield Rank(who(rows[id] for id in ids), compiles, inside, read, quiet)


def silence(last: Last, now_us: int) -> str:
    """Return "no record for 31 s; last record: Guards of 0/0; still in 0/0 forward"."""
    what = f"last record: {last.what}" if last.what else "none so far"
    return f"no record for {ago(last.read_us, now_us)}; {what}" + (
        f"; still in {last.inside}" if last.inside else "; no open compile"
    )


def _of(who: str) -> str:
    return f"{who}: " if who else ""
