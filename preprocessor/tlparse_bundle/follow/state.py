"""States of a growing bundle: what a build of the records so far writes, and resuming from the last one."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from tlparse_bundle import __version__
from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.bundle import layout
from tlparse_bundle.follow.growing_folder import Place
from tlparse_bundle.follow.growing_log import GrowingLog, Written, sha256_of
from tlparse_bundle.log.log_file import LogFile, open_log, unreadable
from tlparse_bundle.pipeline.build import add_faults, first_findings, make_manifest

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import FindingsRow


_BLOCK_BYTES = 1 << 20


class Resumed:
    """A resumed bundle. ``counter`` is that of the last state."""

    def __init__(self, place: Place, codec: str, problems: Problems):
        self._place = place
        self._problems = problems
        # The sources of the logs that it has, by id, until they were read again.
        self._rows: dict[str, dict[str, Any]] = {}
        self.replaces = False  # whether there is an earlier state
        self._checked = False
        self._other = False
        self.counter = max(place.states(), default=0)
        old, place.old = place.old, None
        if old is None:
            return
        self.counter = max(self.counter, old["live"]["counter"])
        made_by = (old["producer"], old["codec"], old["format"]["minor"])
        self._other = made_by != (
            {"name": "tlparse-bundle", "version": __version__},
            codec,
            layout.FORMAT_MINOR,
        )
        self._rows = {row["id"]: row["source"] for row in old["logs"]}
        self.replaces = True

    def check(self, logs: Sequence[LogFile]) -> None:
        """Check that logs still start with the bundle's data, before any is started. Raise BundleError when
        one is gone.
        """
        rows = {} if self._checked else self._rows
        self._checked = True
        found = {log.id: log for log in logs}
        missing = sorted(rows.keys() - found.keys())
        if missing:
            names = ", ".join(shown(rows[log_id]["name"]) for log_id in missing[:5])
            raise BundleError(
                f"{shown(self._place.called)} has the state of {names}, which no longer exists",
                hint="Choose a different path, or use --overwrite to start over.",
                code="exists",
            )
        if self._other:
            self._give_up("it was written by a different version, or with a different codec")
            return
        for log_id, source in rows.items():
            if not _begins_with(found[log_id], source):
                self._give_up(f"{shown(source['name'])} is no longer what was read of it")
                return

    def caught_up(self, logs: Mapping[str, GrowingLog]) -> bool:
        """Return whether as much was read as the bundle has, so that a state may replace it."""
        if any(
            log_id not in logs or logs[log_id].read_bytes < source["size_bytes"]
            for log_id, source in self._rows.items()
        ):
            return False
        self._rows = {}
        return True

    def _give_up(self, why: str) -> None:
        self._rows, self._other = {}, False
        self._place.clear()
        self._problems.note(
            "rebuilt", "", f"The bundle that was in {shown(self._place.called)} was removed: {why}"
        )


def _begins_with(log: LogFile, source: Mapping[str, Any]) -> bool:
    if log.compression is None:
        try:
            return bool(sha256_of(log, source["size_bytes"]) == source["sha256"])
        except OSError as error:
            raise unreadable(log.path, error) from None
    digest, left = hashlib.sha256(), source["size_bytes"]
    with closing(open_log(log)) as stream:
        while left and (data := stream.read(min(left, _BLOCK_BYTES))):
            digest.update(data)
            left -= len(data)
    return bool(not left and digest.hexdigest() == source["sha256"])


_MAX_PROBLEMS = 100
_LOGS_AT_ONCE = 32  # that a state writes
_AT_ONCE_BYTES = 256 << 20  # of these logs
_SHOWN_S = (
    0.9  # after this what was written just after a state began is in the next one, and that one is in place
)
_LEAST_GAP_S = 0.1
_GAP = 1.0  # times what the last one took
_IDLE_S = 60.0


def _on_our_clock(compile: dict[str, Any], behind_us: int) -> dict[str, Any]:
    since_us = compile["since_epoch_us"]
    spans = [{**span, "since_epoch_us": span["since_epoch_us"] + behind_us} for span in compile["spans"]]
    return {**compile, "since_epoch_us": None if since_us is None else since_us + behind_us, "spans": spans}


# Results of functions on logs for rank analyses, by function and arguments.
Digests = Mapping[tuple[Any, ...], Any]


@dataclass(slots=True)
class State:
    manifest: dict[str, Any]
    findings: dict[str, list[FindingsRow]]  # the first of each log, by its id
    written: dict[str, Written]  # by id of the log
    digests: Digests


class Remembering:
    """An executor in this process that caches results by arguments."""

    count = 1

    def __init__(self, known: Digests):
        self.known = known
        self.used: dict[tuple[Any, ...], Any] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def map(
        self,
        function: Callable[..., Any],
        arguments: Sequence[tuple[Any, ...]],
        done: Callable[[int], None] = lambda number: None,
    ) -> list[Any]:
        results = []
        for argument in arguments:
            key = (function.__name__, *(part["path"] if type(part) is dict else part for part in argument))
            results.append(self.known[key] if key in self.known else function(*argument))
            self.used[key] = results[-1]
        return results


def in_turn(logs: Iterable[GrowingLog]) -> list[GrowingLog]:
    """Return the changed logs to write in the next state: read ones that have waited longest first.

    They are at most _LOGS_AT_ONCE and _AT_ONCE_BYTES, and at least one.
    """
    changed = sorted(
        (log for log in logs if log.changed),
        key=lambda log: (not log.read_bytes, log.written.counter if log.written else -1),
    )
    chosen: list[GrowingLog] = []
    size_bytes = 0
    for log in changed[:_LOGS_AT_ONCE]:
        size_bytes += log.read_bytes
        if chosen and size_bytes > _AT_ONCE_BYTES:
            break
        chosen.append(log)
    return chosen


def make_state(
    place: Place,
    codec: str,
    program: Mapping[str, Any],
    counter: int,
    logs: Iterable[GrowingLog],
    changed: Collection[GrowingLog],
    problems: Sequence[dict[str, Any]],
    digests: Digests,
) -> State:
    """Write the files of ``changed`` logs and put the manifest in place. Only in a fork, since it ends the
    builds of logs. Other logs stay as they were in the last state.
    """
    below = layout.live_path(counter)
    rows: list[dict[str, Any]] = []
    written: dict[str, Written] = {}
    for log in logs:
        files = log.written
        if log in changed:
            files = log.write(counter, below)
        if files is None:
            continue
        written[log.log.id] = files
        running = [_on_our_clock(compile, log.behind_us) for compile in files.live["running"]]
        rows.append({**files.live, "running": running, "read_epoch_us": log.read_epoch_us})
    summaries = [files.summary for files in written.values()]
    manifest = make_manifest(summaries, codec, program)
    executor = Remembering(digests)
    if len(summaries) > 1:
        from tlparse_bundle.pipeline.rank_files import write_ranks

        ranks = write_ranks(place, manifest["logs"], codec, executor, below=below)
        ranks.add_to(manifest)
        add_faults(manifest, ranks.faults)
    order = {row["id"]: number for number, row in enumerate(manifest["logs"])}
    rows.sort(key=lambda row: order[row["id"]])
    manifest["growing"] = True
    manifest["live"] = {
        "counter": counter,
        "written_epoch_us": time.time_ns() // 1000,
        "logs": rows,
        "problems": list(problems),
    }
    place.put_manifest(manifest)
    return State(manifest, first_findings(summaries), written, executor.used)


class Problems:
    """Current problems with logs or the place, and past events of logs."""

    def __init__(self) -> None:
        self._of: dict[tuple[str, str], str] = {}
        self._groups: dict[str, Sequence[dict[str, Any]]] = {}

    def note(self, code: str, about: str, message: str) -> bool:
        """Set the problem of a log, or a general one; empty clears it. Return whether it is new."""
        if self._of.get((code, about), "") == message:
            return False
        if message:
            self._of[code, about] = message
        else:
            del self._of[code, about]
        return True

    def replace(self, group: str, rows: Sequence[dict[str, Any]]) -> bool:
        """Replace the problems of a group."""
        if list(self._groups.get(group, ())) == list(rows):
            return False
        self._groups[group] = rows
        return True

    def rows(self) -> list[dict[str, Any]]:
        single = [{"code": code, "message": message} for (code, _), message in self._of.items()]
        return [*single, *(row for rows in self._groups.values() for row in rows)][:_MAX_PROBLEMS]


class Pace:
    """Interval between states: as long as data appears within a second and states take at most half the
    time.
    """

    def __init__(self) -> None:
        self._begun_s = 0.0
        self._next_s = 0.0

    def begin(self) -> None:
        self._begun_s = time.monotonic()

    def end(self) -> None:
        now = time.monotonic()
        took = now - self._begun_s
        self._next_s = now + max(_SHOWN_S - 2 * took, _GAP * took, _LEAST_GAP_S)

    def pause(self, seconds: float) -> None:
        self._next_s = time.monotonic() + seconds

    def due(self) -> bool:
        return time.monotonic() >= self._next_s

    def gap_s(self) -> float:
        """Return the minimum time to the next state, in seconds."""
        return max(0.0, self._next_s - time.monotonic())

    def wait_s(self, waits: bool) -> float:
        """Return the maximum time to wait while data waits for the next state, in seconds."""
        return self.gap_s() if waits else _IDLE_S


_KEEP_STATE_S = 30.0  # for those who still read it
_REMOVE_S = 1.0


class RetiredStates:
    """Removes the files of states that a newer one replaced, once nobody reads them."""

    def __init__(self, place: Place):
        self._place = place
        self._replaced_s: dict[int, float] = {}  # when, by number of the state
        self._next_s = 0.0

    def remove(self, newest: State, next_counter: int) -> None:
        """Remove those that neither the newest state nor the one being written names."""
        now = time.monotonic()
        if now < self._next_s:
            return
        self._next_s = now + _REMOVE_S
        named_now = {
            newest.manifest["live"]["counter"],
            next_counter,
            *(written.counter for written in newest.written.values()),
        }
        for counter in self._place.states():
            if counter in named_now:
                self._replaced_s.pop(counter, None)
            elif now - self._replaced_s.setdefault(counter, now) > _KEEP_STATE_S:
                del self._replaced_s[counter]
                self._place.remove(counter)
