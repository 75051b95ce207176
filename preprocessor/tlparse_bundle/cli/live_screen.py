"""A live terminal screen of a growing bundle. The only module that imports rich."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from rich.console import Console, Group, JustifyMethod, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.cli.live_view import Last, View, ago, is_quiet, silence
from tlparse_bundle.statements.statement import SEVERITIES

_ASCII = str.maketrans({"›": ">", "–": "-", "…": ".", "·": "-", "✖": "x", "×": "x", "µ": "u"})
_ROOMY = 20  # lines from which the screen has an empty line below its head
_LEAST = 3  # lines of the smallest section: heading, row, empty line


class Screen:
    """Shows views on the terminal. Errors of the terminal are ignored: it may go away."""

    def __init__(self, title: str, *, console: Console | None = None):
        """``title`` names the logs and the bundle."""
        # Some shells export COLUMNS and LINES with the initial size; ask the terminal instead.
        environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
        self._console = console or Console(
            stderr=True, highlight=False, markup=False, emoji=False, _environ=environment
        )
        self._title = title
        self._view: View | None = None
        self._note = ""
        self._live: Live | None = None
        self._plain = not self._console.encoding.lower().startswith("utf")

    @staticmethod
    def possible(console: Console | None = None) -> bool:
        """Return whether the terminal can move its cursor."""
        console = console or Console(stderr=True)
        return console.is_terminal and not console.is_dumb_terminal

    def begin(self) -> None:
        """Switch the terminal to the alternate screen."""
        self._live = Live(
            "",
            console=self._console,
            screen=True,
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
            vertical_overflow="crop",
        )
        self._draw(self._live.start)
        self.tick(_now_us())

    def end(self) -> None:
        if self._live is not None:
            self._draw(self._live.stop)
            self._live = None

    def note(self, text: str) -> None:
        """Show a text on the bottom line."""
        self._note = text
        self.tick(_now_us())

    def update(self, view: View, now_us: int) -> None:
        self._view = view
        self.tick(now_us)

    def tick(self, now_us: int) -> None:
        """Redraw: clocks run, and the size of the terminal may have changed."""
        if self._live is not None:
            live = self._live
            self._draw(lambda: live.update(self.picture(now_us), refresh=True))

    def _draw(self, draw: Callable[[], None]) -> None:
        with suppress(OSError):  # the terminal is gone or blocked
            draw()

    def picture(self, now_us: int) -> RenderableType:
        """Return the lines of the screen, at most as many as it has."""
        height = self._console.height
        head = self._head(now_us) + ([Text("")] if height >= _ROOMY else [])
        room = max(0, height - len(head) - 1)
        sections = self._sections(self._view, now_us)[: room // _LEAST] if self._view else []
        bottom = self._line(
            self._note or "Press Ctrl-C to finish the bundle.", "reverse" if self._note else "dim"
        )
        shares = _shares([len(rows) + 2 for _, rows in sections], room)
        body: list[RenderableType] = []
        used = 0
        for (heading, rows), share in zip(sections, shares, strict=True):
            most = share - 2
            kept = rows if len(rows) <= most else rows[: max(1, most - 1)]
            body += [self._line(heading, "bold"), _grid(kept, self._console.width)]
            if len(kept) < min(len(rows), most):
                body.append(self._line(f"  … and {len(rows) - len(kept):,} more", "dim"))
            body.append(Text(""))
            used += min(len(rows), most) + 2
        filling = [Text("")] * (room - used)
        return Group(*head, *body, *filling, bottom)

    def _head(self, now_us: int) -> list[Text]:
        view = self._view
        clock = time.strftime("%H:%M:%S", time.localtime(now_us / 1e6))
        first = self._line(f"{clock}  {self._title}", "bold")
        if view is None or not view.log_names:
            return [first, self._line("Waiting for the first log.", "")]
        last = (
            f"last record {ago(view.last_read_us, now_us)} ago"
            if view.last_read_us is not None
            else "no record yet"
        )
        return [first, self._line(f"{view.amounts()} · {view.compiles} · {last}", "")]

    def _sections(self, view: View, now_us: int) -> list[tuple[str, list[list[Text]]]]:
        now = [
            [
                self._cell(row.who),
                self._cell(" › ".join((row.what, *row.spans[-2:])), "green"),
                self._cell(ago(row.since_us, now_us), "bold", justify="right"),
            ]
            for row in view.running
        ]
        now += [
            [
                self._cell(last.who),
                self._cell(self._standing(last, now_us), "yellow" if is_quiet(last.read_us, now_us) else ""),
                self._cell(""),
            ]
            for last in view.last
            if self._stands(last, now_us)
        ]
        findings = [
            [
                self._cell(SEVERITIES[finding.severity].sign, SEVERITIES[finding.severity].style),
                self._cell(
                    shown(finding.title) + (f" (in {finding.logs:,} logs)" if finding.logs > 1 else "")
                ),
            ]
            for finding in view.findings
        ]
        ranks = [
            [
                self._cell(rank.who),
                self._cell(rank.compiles),
                self._cell(rank.running or "no open compile"),
                self._cell(
                    f"{ago(rank.read_us, now_us)} ago" if rank.read_us is not None else "no record",
                    "yellow" if rank.quiet else "",
                    justify="right",
                ),
            ]
            for rank in view.ranks
        ]
        problems = [[self._cell("!", "yellow"), self._cell(shown(text))] for text in view.problems]
        named = (
            ("Problems", problems),
            ("Running now", now),
            ("Newest findings", findings),
            ("Ranks", ranks),
        )
        return [(heading, rows) for heading, rows in named if rows]

    def _stands(self, last: Last, now_us: int) -> bool:
        """Return whether the logs have no open compile, or have been quiet."""
        return not last.inside or is_quiet(last.read_us, now_us)

    def _standing(self, last: Last, now_us: int) -> str:
        if is_quiet(last.read_us, now_us):
            return silence(last, now_us)
        return f"no open compile; last record: {last.what}" if last.what else "no record yet"

    def _line(self, text: str, style: str) -> Text:
        return self._cell(text, style)

    def _cell(self, text: str, style: str = "", justify: JustifyMethod = "left") -> Text:
        if self._plain:
            encoding = self._console.encoding
            text = text.translate(_ASCII).encode(encoding, "backslashreplace").decode(encoding)
        return Text(
            text,
            style=style,
            no_wrap=True,
            overflow="ellipsis" if not self._plain else "crop",
            justify=justify,
        )


def _grid(rows: Sequence[Sequence[Text]], width: int) -> Table:
    """Return a grid of one-line rows; the last but one column, or the last of two, fills the width."""
    columns = len(rows[0])
    wide = columns - 1 if columns == 2 else columns - 2
    table = Table.grid(padding=(0, 1), expand=True, pad_edge=False)
    for number in range(columns):
        table.add_column(
            no_wrap=True,
            max_width=None if number == wide else width // 3,
            ratio=1 if number == wide else None,
            justify="right" if columns > 2 and number == columns - 1 else "left",
        )
    for row in rows:
        table.add_row(*row)
    return table


def _shares(wishes: Sequence[int], lines: int) -> list[int]:
    """Share ``lines`` fairly among sections, none more than its wish; earlier sections get the remainder."""
    shares = [0] * len(wishes)
    while lines > 0 and any(share < wish for share, wish in zip(shares, wishes, strict=True)):
        for number, wish in enumerate(wishes):
            if lines > 0 and shares[number] < wish:
                shares[number] += 1
                lines -= 1
    return shares


def _now_us() -> int:
    return time.time_ns() // 1000
