"""What a terminal shows of a bundle that grows: from its manifest, and from the findings of its logs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.base.wording import duration, plural, size
from tlparse_bundle.bundle.growing import who
from tlparse_bundle.bundle.reader import Bundle
from tlparse_bundle.bundle.row_objects import id_of
from tlparse_bundle.bundle.store import open_store
from tlparse_bundle.render.running import Running, compile_words, running_compiles

QUIET_US = 30_000_000
UNFINISHED = "unfinished-compile"  # a compile that runs is told as that
NOTHING = "0 compiles"
_SECOND = 1_000_000


@dataclass(frozen=True, slots=True)
class Last:
    """Logs that have the same kind of record last."""

    logs: tuple[str, ...]
    who: str
    what: str | None  # the record, "Inductor output code of 0/0"; None: there was none
    inside: str  # the compile that is open; empty where none is
    read_us: int | None  # when bytes last came; of several logs the earliest


@dataclass(frozen=True, slots=True)
class Found:
    fingerprint: str
    severity: str
    title: str
    kind: str
    logs: int = 1


@dataclass(frozen=True, slots=True)
class Rank:
    """Logs that are equal in what a list says of them."""

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
    findings: tuple[Found, ...]  # the newest first
    problems: tuple[str, ...]

    def amounts(self) -> str:
        return f"{plural(len(self.log_names), 'log')}, {size(self.read_bytes)} read"


class Views:
    """Reads views of one bundle, one after the other; what did not change is not read again."""

    def __init__(self, out: str | Path):
        self._out = str(out)
        self._read: dict[
            str, tuple[str, list[dict]]
        ] = {}  # findings by id of log, with the path of the log then
        self._order: dict[str, int] = {}  # fingerprints, by when they were first seen

    def read(self, now_us: int) -> View:
        """The view of what the bundle is now. Raises BundleError and OSError when it cannot be read."""
        bundle = Bundle(open_store(self._out), trusted=True)
        return self.of(bundle.manifest, {log.id: self._findings(log) for log in bundle.logs}, now_us)

    def _findings(self, log) -> list[dict]:
        path, rows = self._read.get(log.id, ("", []))
        if path != log.row["path"]:
            rows = log.table("findings")
            self._read[log.id] = log.row["path"], rows
        return rows

    def of(self, manifest: dict, findings: dict[str, list[dict]], now_us: int) -> View:
        """The view of a manifest, and of the rows of findings by the id of their log."""
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

    def _newest(self, findings: dict[str, list[dict]], live: dict[str, dict]) -> tuple[Found, ...]:
        """Causes only, equal ones of several logs once; what runs is not said to have no end."""
        found: dict[str, Found] = {}
        at: dict[str, int] = {}
        for id, rows in findings.items():
            open_now = {running["compile"] for running in live[id]["running"]} if id in live else set()
            for row in (
                rows if id not in live or live[id]["read_bytes"] else ()
            ):  # nothing can be wrong with what has not begun
                key = row["fingerprint"]
                if row["because_of"] is not None or (
                    row["kind"] == UNFINISHED and open_now.intersection(row["compiles"] or (None,))
                ):
                    continue
                logs = found[key].logs + 1 if key in found else 1
                found[key] = Found(key, row["severity"], row["title"], row["kind"], logs)
                at[key] = max(row["events"], default=-1)
        for key in sorted((key for key in found if key not in self._order), key=at.__getitem__):
            self._order[key] = len(self._order)
        return tuple(sorted(found.values(), key=lambda one: self._order[one.fingerprint], reverse=True))


def is_quiet(read_us: int | None, now_us: int) -> bool:
    """Whether nothing has come for so long that it should be said."""
    return read_us is not None and now_us - read_us >= QUIET_US


def ago(us: int | None, now_us: int) -> str:
    """A time that has passed, as a clock shows it: in seconds."""
    if us is None:
        return "unknown"
    passed = max(0, now_us - us)
    return f"{passed / _SECOND:.1f} s" if passed < 10 * _SECOND else duration(passed // _SECOND * _SECOND)


def _compiles(rows: Iterable[dict], graph_break: str = "graph break") -> str:
    """How much was compiled, and what went wrong: "12 compiles, 2 graph breaks".

    What a log does not tell is unknown, not zero.
    """
    numbers = [row["summary"] for row in rows]
    count = sum(number["compile_count"] for number in numbers)
    parts = [plural(count, "compile")]
    for key, one in (
        ("graph_break_count", graph_break),
        ("recompile_count", "recompile"),
        ("failure_count", "failure"),
    ):
        known = [number[key] for number in numbers if number[key] is not None]
        if sum(known):
            parts.append(plural(sum(known), one))
        elif count and not known:
            parts.append(f"{one}s unknown")
    return ", ".join(parts)


def _last(rows: dict[str, dict], live: dict[str, dict], titles: dict[str, str], many: bool) -> Iterable[Last]:
    groups: dict[tuple[str | None, str], list[dict]] = {}
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


def _record(last: dict | None, titles: dict[str, str]) -> str | None:
    if last is None:
        return None
    of = f" of {id_of(last)}" if last["compile"] is not None else ""
    return shown(f"{titles.get(last['kind']) or last['kind']}{of}")


def _ranks(rows: dict[str, dict], live: dict[str, dict], now_us: int) -> Iterable[Rank]:
    """Ranks in their order, as the manifest has them; equal ones together."""
    groups: dict[tuple, list[str]] = {}
    for id, row in rows.items():
        log = live.get(id)
        inside = " › ".join(compile_words(running) for running in log["running"]) if log else ""
        quiet = bool(log) and is_quiet(log["read_epoch_us"], now_us)
        groups.setdefault((_compiles([row], "break"), inside, quiet), []).append(id)
    for (compiles, inside, quiet), ids in groups.items():
        read = min(
            (at for id in ids if id in live and (at := live[id]["read_epoch_us"]) is not None), default=None
        )
        yield Rank(who(rows[id] for id in ids), compiles, inside, read, quiet)
