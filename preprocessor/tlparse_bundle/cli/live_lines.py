"""What is new in a bundle that grows, a line for each thing and each only once: for logs of jobs, and beside
a server.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator

from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.base.wording import plural
from tlparse_bundle.cli.live_view import NOTHING, UNFINISHED, Last, View, ago, is_quiet
from tlparse_bundle.statements.statement import SEVERITIES

_LONG_US = 2_000_000  # compiles that end sooner are told by their number
_COUNTED_US = 10_000_000  # between two lines with the numbers of compiles
_MOST = 5  # lines of one sort at once


class Lines:
    """Writes the news with ``say``. ``update`` is for a new view, ``tick`` for time that passes."""

    def __init__(self, say: Callable[[str], None]):
        self._say = say
        self._view: View | None = None
        self._told: set = set()
        self._counted: tuple[int, str] | None = None  # when, and what

    def begin(self) -> None:
        pass

    def update(self, view: View, now_us: int) -> None:
        self._view = view
        self._tell(now_us, self._logs(view))
        self._tell(
            now_us, (problem for problem in map(shown, view.problems) if self._new("problem", problem))
        )
        self._tell(now_us, self._findings(view))
        self.tick(now_us)

    def tick(self, now_us: int) -> None:
        if self._view is not None:
            self._tell(now_us, self._running(self._view, now_us))
            self._tell(now_us, self._silence(self._view, now_us))
            self._tell(now_us, self._count(self._view, now_us))

    def note(self, text: str) -> None:
        self._say(text)

    def end(self) -> None:
        pass

    def _tell(self, now_us: int, lines: Iterable[str]) -> None:
        lines = list(lines)
        at = time.strftime("%H:%M:%S", time.localtime(now_us / 1e6))
        for line in lines[:_MOST]:
            self._say(f"{at}  {line}")
        if len(lines) > _MOST:
            self._say(f"{at}  … and {len(lines) - _MOST:,} more of these")

    def _new(self, *what: object) -> bool:
        if what in self._told:
            return False
        self._told.add(what)
        return True

    def _logs(self, view: View) -> Iterator[str]:
        new = [name for id, name in view.log_names.items() if self._new("log", id)]
        if len(new) > _MOST:
            yield f"{plural(len(new), 'log')}: {shown(new[0])} to {shown(new[-1])}"
        else:
            yield from (f"log {shown(name)}" for name in new)

    def _findings(self, view: View) -> Iterator[str]:
        for found in reversed(view.findings):
            if found.kind != UNFINISHED and self._new(
                "finding", found.fingerprint
            ):  # whether it ends is known when the log does
                yield f"{SEVERITIES[found.severity].sign} {shown(found.title)}"

    def _running(self, view: View, now_us: int) -> Iterator[str]:
        for running in view.running:
            if running.since_us is not None and now_us - running.since_us < _LONG_US:
                continue
            new = [log for log in running.logs if self._new("running", log, running.what, running.since_us)]
            if len(new) == len(running.logs):
                inside = f", in {running.spans[-1]}" if running.spans else ""
                yield f"{_of(running.who)}compiles {running.what} for {ago(running.since_us, now_us)}{inside}"

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


def silence(last: Last, now_us: int) -> str:
    """ "no record for 31 s; the last was Guards of 0/0; still in 0/0 forward"."""
    what = f"the last was {last.what}" if last.what else "there was none"
    return f"no record for {ago(last.read_us, now_us)}; {what}" + (
        f"; still in {last.inside}" if last.inside else "; no compile is open"
    )


def _of(who: str) -> str:
    return f"{who}: " if who else ""
