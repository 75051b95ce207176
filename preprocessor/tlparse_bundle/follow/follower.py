"""Keeps a bundle current while its logs are written, and finishes it."""

from __future__ import annotations

import gc
import math
import os
import time
from collections.abc import Callable, Sequence
from typing import Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.remote import is_url
from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.bundle.atomic.folder import unwritable
from tlparse_bundle.bundle.codecs import CODECS
from tlparse_bundle.follow.followed_files import Found, Watch, find, folders_of
from tlparse_bundle.follow.forked_process import CopyProcess
from tlparse_bundle.follow.growing_folder import NO_ROOM, PatientSink, Place
from tlparse_bundle.follow.growing_log import Changed, GrowingLog, is_whole
from tlparse_bundle.follow.state import Pace, Problems, Resumed, RetiredStates, State, in_turn, make_state
from tlparse_bundle.log.discover import discover
from tlparse_bundle.log.log_file import LogFile, reason
from tlparse_bundle.log.payload import RECENT
from tlparse_bundle.pipeline.build import (
    BuildResult,
    first_findings,
    plugin_faults,
    strings_from_others,
    write_beside,
    write_schemas,
)
from tlparse_bundle.pipeline.log_writer import LogSummary, write_log
from tlparse_bundle.pipeline.program import program_fields
from tlparse_bundle.pipeline.workers import Workers, core_count
from tlparse_bundle.pipeline.written_log import MEMORY_BYTES

_READ_S, _READ_LEAST_S = 0.1, 0.005  # at once, before anything else is looked after
_READ_MOST_S = 0.25  # of all logs
_LOGS_AT_ONCE = 32  # that begin, before anything else is looked after
_FIND_S = 1.0  # how often the folders are listed, at least
_FIND_FIRST_S = 0.1  # until there is a log, which is empty at first
_FIND_URL_S = 3.0
_COLLECT_EACH = 100  # states
_TRY_AGAIN_S = 2.0  # when a state could not be written


class Follower:
    """Follows ``traces`` (files, folders, URLs, possibly missing yet) into the folder ``out``.

    ``codec``, ``memory_bytes`` as in ``build``; ``program``: see ``program_fields``. ``out`` may hold a
    growing bundle, which is continued, or with ``overwrite`` a finished one. Raises BundleError as ``build``
    does. It forks, so the process must have no threads.
    """

    def __init__(
        self,
        traces: Sequence[str | os.PathLike[str]],
        out: str | os.PathLike[str],
        *,
        codec: str = "zstd",
        overwrite: bool = False,
        memory_bytes: int = MEMORY_BYTES,
        **program: Any,
    ):
        if not hasattr(os, "fork"):
            raise BundleError(
                "following logs does not work on this system: it has no fork",
                hint="Build the bundle when the program has ended.",
                code="unsupported",
            )
        self._traces = list(traces)
        self._out = out
        self._codec, self._memory_bytes = codec, memory_bytes
        self._program = program_fields(**program)
        self._place = Place(out, overwrite=overwrite)
        self._logs: dict[str, GrowingLog] = {}
        self._leaving: dict[str, int] = {}  # logs that begin again, once this state does without them
        self._strings: dict[str, dict[int, str]] = {}
        self._lacking: set[str] = set()  # logs that lack strings which others may define
        self._problems = Problems()
        self._pace = Pace()
        self._watch = Watch()
        self._counter = 0
        self._copy: CopyProcess | None = None
        self._state: State | None = None
        self._retired = RetiredStates(self._place)
        self._changed = True
        self._ended: Callable[[], bool] = lambda: False
        self._next_find_s = 0.0
        self._waiting: list[LogFile] = []  # logs that are found and not begun

    @property
    def problems(self) -> list[dict[str, Any]]:
        """Return the problems with logs and place, as in 'live' of the manifest."""
        return self._problems.rows()

    def run(self, ended: Callable[[], bool], on_state: Callable[[dict[str, Any]], None]) -> BuildResult:
        """Follow until ``ended()``, which is polled several times a second; then finish the bundle like a
        build.

        ``on_state`` gets the manifest of each published state. When interrupted, ``out`` holds the last
        state.
        """
        self._ended = ended
        with self._place:
            try:
                self._resumed = Resumed(self._place, self._codec, self._problems)
                self._counter = self._resumed.counter
                while not ended():
                    self._turn(on_state)
                return self._finish()
            finally:
                self._stop()

    def _turn(self, on_state: Callable[[dict[str, Any]], None]) -> None:
        now = time.monotonic()
        if now >= self._next_find_s:
            self._find()
        caught_up = self._resumed.caught_up(self._logs)
        unwritten = sum(log.written is None for log in self._logs.values())
        # A resumed bundle has no state until all its logs have begun.
        room = max(0, 2 * _LOGS_AT_ONCE - unwritten) if caught_up else _LOGS_AT_ONCE
        self._begin_waiting(room)
        more = self._read() or (room > 0 and bool(self._waiting))
        if self._copy is None and self._changed and caught_up and self._pace.due():
            self._begin_state()
        at_most_s = (
            0.0
            if more
            else min(
                self._pace.wait_s(self._changed and self._copy is None),
                max(0.0, self._next_find_s - time.monotonic()),
            )
        )
        came, ready = self._watch.wait(
            [self._copy] if self._copy else [], at_most_s, math.inf if self._copy else self._pace.gap_s()
        )
        if came:
            self._next_find_s = 0.0
        if ready and self._copy is not None:
            self._copy.take()
            if self._copy.done:
                copy, self._copy = self._copy, None
                self._end_state(copy, on_state)
        if self._state is not None:
            self._retired.remove(self._state, self._counter)

    # Logs come, grow, and go.

    def _find(self) -> None:
        begun = time.monotonic()
        found = self._found()
        self._waiting = [
            log for log in found.logs if log.id not in self._logs and log.id not in self._leaving
        ]
        if not any(map(is_url, self._traces)):
            self._watch.folders(folders_of(self._traces, self._place.root))
        took = time.monotonic() - begun
        period = (
            _FIND_URL_S if any(map(is_url, self._traces)) else _FIND_S if found.complete else _FIND_FIRST_S
        )
        self._next_find_s = begun + took + max(period, 20 * took)

    def _found(self) -> Found:
        found = find(self._traces, self._place.root)
        self._resumed.check(found.logs)
        self._problems.replace("found", found.problems)
        return found

    def _begin_waiting(self, most: int) -> None:
        begun, self._waiting = self._waiting[:most], self._waiting[most:]
        for log in begun:
            self._begin(log)

    def _begin(self, log: LogFile) -> None:
        self._place.allow([log.path])
        if log.compression is not None:
            whole = is_whole(log)
            problem = (
                f"{shown(log.path)} is left out until it is complete: its compressed data ends in the middle"
            )
            self._problems.note("cut", log.id, "" if whole else problem)
            if not whole:
                return
        RECENT.begin(one_of_many=bool(self._logs))
        sink = PatientSink(self._place.root, CODECS[self._codec], self._no_room)
        self._logs[log.id] = GrowingLog(log, sink, self._strings.get(log.id, {}), self._memory_bytes)
        self._changed = True

    def _begin_again(self, log_id: str) -> None:
        """Restart a log that changed: the next state leaves it out, then it is read again."""
        self._logs.pop(log_id).close()
        self._leaving[log_id] = self._counter
        self._changed = True

    def _read(self, *, at_once: bool = False) -> bool:
        """Read new data for a moment, of each log in turn; return whether there is more."""
        more = False
        seconds = max(_READ_S / max(1, len(self._logs)), _READ_LEAST_S)
        until_s = time.monotonic() + _READ_MOST_S
        for log_id, log in list(self._logs.items()):
            if time.monotonic() >= until_s:
                return True
            self._logs[log_id] = self._logs.pop(log_id)  # the next round begins with those after it
            if self._look(log_id, log, at_once):
                before = log.read_bytes
                more |= log.read(time.monotonic() + seconds)
                self._changed |= log.read_bytes != before
        return more

    def _look(self, log_id: str, log: GrowingLog, at_once: bool) -> bool:
        try:
            there = log.look(at_once=at_once)
        except Changed as change:
            what = (
                "is shorter than the part already read"
                if change.code == "truncated"
                else "was replaced by a different file"
            )
            self._problems.note(
                change.code, log_id, f"{shown(log.log.path)} {what}. It is read again from the start."
            )
            self._begin_again(log_id)
            return False
        except FileNotFoundError:
            self._note(
                "vanished",
                log_id,
                f"{shown(log.log.path)} was removed. The bundle keeps the part that was read.",
            )
            return False
        except (OSError, BundleError) as error:
            self._note("unreadable", log_id, f"{shown(log.log.path)} can no longer be read: {reason(error)}")
            return False
        if there is None:
            return False
        for code in ("vanished", "unreadable"):
            self._note(code, log_id, "")
        return there

    def _note(self, code: str, about: str, message: str) -> None:
        self._changed |= self._problems.note(code, about, message)

    def _no_room(self, error: OSError) -> None:
        """Wait for disk space, and report it if possible."""
        if self._problems.note(
            "no-room",
            "",
            f"{shown(self._out)} cannot be written: {error.strerror}. Free some disk space to continue. No"
            " data is lost.",
        ):
            self._changed = True
        if self._ended():
            raise unwritable(self._out, error)
        time.sleep(_TRY_AGAIN_S / 10)

    # States.

    def _begin_state(self) -> None:
        if self._state is None:
            write_schemas(self._place, self._codec)
        self._counter += 1
        self._pace.begin()
        counter, logs, problems = self._counter, list(self._logs.values()), self._problems.rows()
        digests = self._state.digests if self._state else {}
        if len(logs) > 1:
            import tlparse_bundle.pipeline.rank_files  # noqa: F401 - else each copy would import all analyses
        # The first state has all that it replaces.
        at_once = in_turn if self._state or not self._resumed.replaces else list
        changed = [log for log in at_once(logs) if log.changed]
        self._changed = any(log.changed and log not in changed for log in logs)
        for log in changed:
            log.settle()
        if counter % _COLLECT_EACH == 0:
            gc.unfreeze()
            gc.collect()
        gc.freeze()  # what stays need not be looked at for garbage, which would part it from the copy
        self._copy = CopyProcess(
            lambda: make_state(
                self._place, self._codec, self._program, counter, logs, changed, problems, digests
            )
        )

    def _end_state(self, copy: CopyProcess, on_state: Callable[[dict[str, Any]], None]) -> None:
        self._pace.end()
        try:
            self._state = state = copy.result()
        except Exception as error:
            self._place.remove(self._counter)
            code, message = "state", f"a state could not be written: {error}"
            if isinstance(error, OSError) and error.errno in NO_ROOM:
                code, message = "no-room", f"{shown(self._out)} cannot be written: {error.strerror}"
            self._problems.note(code, "", f"{message}. The previous state stays.")
            self._changed = True
            self._pace.pause(_TRY_AGAIN_S)
            return
        for code in ("no-room", "state"):
            self._note(code, "", "")
        for log_id, written in state.written.items():
            if log_id in self._logs:
                self._logs[log_id].written = written
        for log_id in [
            log_id for log_id, since in self._leaving.items() if state.manifest["live"]["counter"] > since
        ]:
            del self._leaving[log_id]
            self._place.remove_log(log_id)
            self._next_find_s = 0.0
        self._place.shown()
        self._lend_strings()
        on_state(state.manifest)

    def _lend_strings(self) -> None:
        """Restart logs that lack file names which a different log of their process has."""
        strings = self._strings_of(
            [log.written.summary for log in self._logs.values() if log.written is not None]
        )
        for log_id in [
            log_id for log_id, log in self._logs.items() if strings.get(log_id, {}) != log.strings
        ]:
            self._strings[log_id] = strings.get(log_id, {})
            self._begin_again(log_id)

    def _strings_of(self, summaries: list[LogSummary]) -> dict[str, dict[int, str]]:
        own = {log.log: log.own_strings for log in self._logs.values()}
        return strings_from_others(
            list(own), summaries, lambda _, asked: [dict(own[log]) for (log,) in asked], self._lacking
        )

    # The end.

    def _finish(self) -> BuildResult:
        self._stop()
        self._note("no-room", "", "")
        self._read_to_the_end()
        if not self._logs:
            self._place.drop()
            discover(self._traces)  # raises an error with the reason
            why = "\n".join(row["message"] for row in self.problems)
            raise BundleError("no log could be read", hint=why, code="no-logs")
        if not self._resumed.caught_up(self._logs):  # it is shorter than it was a moment ago
            self._place.unlist()
        summaries = [log.finish() for log in self._logs.values()]
        summaries = self._with_strings(summaries)
        with Workers(min(core_count(), len(summaries))) as workers:
            manifest, job_findings = write_beside(
                summaries, self._place, self._codec, workers, None, self._program
            )
        return BuildResult(
            self._place.called,
            manifest,
            *self._place.finish(manifest),
            first_findings(summaries),
            job_findings,
            plugin_faults(summaries, manifest),
        )

    def _read_to_the_end(self) -> None:
        self._leaving.clear()
        again = True
        while again:
            self._find()
            self._begin_waiting(len(self._waiting))
            while self._read(at_once=True):
                pass
            again = bool(self._leaving)  # they are read at once: what is in place does not name them
            for log_id in list(self._leaving):
                self._place.unlist()
                self._place.remove_log(log_id)
                del self._leaving[log_id]

    def _with_strings(self, summaries: list[LogSummary]) -> list[LogSummary]:
        """Return strings that the last state lacked; see build."""
        strings = self._strings_of(summaries)
        again = {
            log_id: strings.get(log_id, {})
            for log_id, log in self._logs.items()
            if strings.get(log_id, {}) != log.strings
        }
        if again:
            self._place.unlist()
        made = {
            log_id: write_log(
                self._logs[log_id].log,
                self._place.root,
                self._codec,
                strings=found,
                memory_bytes=self._memory_bytes,
            )
            for log_id, found in again.items()
        }
        return [made.get(summary.row["id"], summary) for summary in summaries]

    def _stop(self) -> None:
        gc.unfreeze()
        if self._copy is not None:
            self._copy.kill()
            self._copy = None
