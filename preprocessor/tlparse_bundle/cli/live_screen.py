"""One screen that shows a bundle as it grows, as htop shows processes. The only module that knows rich."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.cli.live_lines import silence
from tlparse_bundle.cli.live_view import Last, View, ago, is_quiet
from tlparse_bundle.statements.statement import SEVERITIES

_ASCII = str.maketrans({"›": ">", "–": "-", "…": ".", "·": "-", "✖": "x", "×": "x", "µ": "u"})
_ROOMY = 20  # lines of a screen that has some to spare
_LEAST = 3  # lines of a section: a heading, a row, and one that is empty


class Screen:
    """Shows views on the terminal. Nothing that fails there concerns the bundle: a terminal may go away."""

    def __init__(self, title: str, *, console: Console | None = None):
        """``title`` names what is followed, and into what."""
        # The size is the terminal's own: some shells hand on the one that it had at first, in COLUMNS and
        # LINES.
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
        """Whether there is a terminal that can move its cursor."""
        console = console or Console(stderr=True)
        return console.is_terminal and not console.is_dumb_terminal

    def begin(self) -> None:
        """Take the terminal; what was on it comes back at the end."""
        self._live = Live(
            "",
            console=self._console,
            screen=True,
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
            vertical_overflow="crop",
        )
        self._do(self._live.start)
        self.tick(_now_us())

    def end(self) -> None:
        if self._live is not None:
            self._do(self._live.stop)
            self._live = None

    def note(self, text: str) -> None:
        """Something that stays at the bottom."""
        self._note = text
        self.tick(_now_us())

    def update(self, view: View, now_us: int) -> None:
        self._view = view
        self.tick(now_us)

    def tick(self, now_us: int) -> None:
        """Draw it again: clocks run, and the terminal may have another size."""
        if self._live is not None:
            live = self._live
            self._do(lambda: live.update(self.picture(now_us), refresh=True))

    def _do(self, draw) -> None:
        try:
            draw()
        except OSError:  # the terminal has gone, with the connection to it, or takes nothing for now
            pass

    def picture(self, now_us: int) -> RenderableType:
        """All lines of the screen, no more than it has."""
        height = self._console.height
        head = self._head(now_us) + ([Text("")] if height >= _ROOMY else [])
        room = max(0, height - len(head) - 1)
        sections = self._sections(now_us)[: room // _LEAST] if self._view else []
        bottom = self._line(
            self._note or "Ctrl-C finishes the bundle and ends.", "reverse" if self._note else "dim"
        )
        shares = _shares([len(rows) + 2 for _, rows in sections], room)
        body: list[RenderableType] = []
        used = 0
        for (heading, rows), share in zip(sections, shares):
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

    def _sections(self, now_us: int) -> list[tuple[str, list[list[Text]]]]:
        view = self._view
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
        found = [
            [
                self._cell(SEVERITIES[one.severity].sign, SEVERITIES[one.severity].style),
                self._cell(shown(one.title) + (f" (in {one.logs:,} logs)" if one.logs > 1 else "")),
            ]
            for one in view.findings
        ]
        ranks = [
            [
                self._cell(rank.who),
                self._cell(rank.compiles),
                self._cell(rank.running or "no compile open"),
                self._cell(
                    f"{ago(rank.read_us, now_us)} ago" if rank.read_us is not None else "no record",
                    "yellow" if rank.quiet else "",
                    justify="right",
                ),
            ]
            for rank in view.ranks
        ]
        problems = [[self._cell("!", "yellow"), self._cell(shown(text))] for text in view.problems]
        named = (("Problems", problems), ("Running now", now), ("Newest findings", found), ("Ranks", ranks))
        return [(heading, rows) for heading, rows in named if rows]

    def _stands(self, last: Last, now_us: int) -> bool:
        """Whether there is more to say of these logs than what runs."""
        return not last.inside or is_quiet(last.read_us, now_us)

    def _standing(self, last: Last, now_us: int) -> str:
        if is_quiet(last.read_us, now_us):
            return silence(last, now_us)
        return f"no compile open; last record: {last.what}" if last.what else "no record yet"

    def _line(self, text: str, style: str) -> Text:
        return self._cell(text, style)

    def _cell(self, text: str, style: str = "", justify: str = "left") -> Text:
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
    """Rows of one line each; the last but one column, or the last of two, takes what is left."""
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


def _shares(wanted: Sequence[int], lines: int) -> list[int]:
    """Lines for each section: as many as it wants, or a fair part of what there is; what comes first is
    served first.
    """
    shares = [0] * len(wanted)
    while lines > 0 and any(share < want for share, want in zip(shares, wanted)):
        for number, want in enumerate(wanted):
            if lines > 0 and shares[number] < want:
                shares[number] += 1
                lines -= 1
    return shares


def _now_us() -> int:
    return time.time_ns() // 1000
