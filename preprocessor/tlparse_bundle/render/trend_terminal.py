"""A trend for the terminal: of each series what changed, with the command that compares, and its last runs as
a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from textwrap import wrap

import click

from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.base.wording import plural
from tlparse_bundle.statements.runs.trend.metrics import day, value

_COLUMNS = {  # of the table: metrics that most runs have
    "compile_us": "compile time", "compile_count": "compiles", "graph_break_count": "breaks", "recompile_count": "recompiles",
    "failure_count": "failures", "fx_graph_hit_count": "FX hits", "fx_graph_miss_count": "FX misses",
}  # fmt: skip
_MOST_JUMPS = 20


def render(trend: dict, *, last: int, command: Callable[[int, int], str], width: int = 100) -> str:
    """The document as text with colours; ``last``: rows of a table; ``command`` compares two runs, which are
    given by their indexes.
    """
    parts = ["\n".join(_series(trend, index, last, command, width)) for index in range(len(trend["series"]))]
    return "\n\n".join(parts)


def _series(
    trend: dict, index: int, last: int, command: Callable[[int, int], str], width: int
) -> Iterator[str]:
    series, runs = trend["series"][index], trend["runs"]
    own = series["run_indexes"]
    known = [runs[run]["start_epoch_us"] for run in own if runs[run]["start_epoch_us"] is not None]
    when = f", {day(known[0])[:10]} to {day(known[-1])[:10]}" if known else ""
    yield click.style(f"{shown(series['name'])}: {plural(len(own), 'run')}{when}", bold=True)
    if len(known) < len(own):
        yield (
            f"  {plural(len(own) - len(known), 'run')} without a time, no part of a line. Old bundles have"
            " none; build them again. Of logs without chromium events none is known."
        )
    jumps = [row for row in trend["jumps"] if row["series_index"] == index]
    for row in jumps[:_MOST_JUMPS]:
        yield from _jump(runs, row, f"at {day(runs[row['run_index']]['start_epoch_us'])}", command, width)
    if len(jumps) > _MOST_JUMPS:
        yield f"  {plural(len(jumps) - _MOST_JUMPS, 'more jump')}; --json has all"
    if not jumps:
        yield "  no jumps"
    for row in (row for row in trend["latest"] if row["series_index"] == index):
        count = row["run_count"]
        yield from _jump(
            runs,
            row,
            (
                "in the last run; it may be an outlier"
                if count == 1
                else f"in the last {count} runs, too few to be sure"
            ),
            command,
            width,
        )
    if last:
        yield ""
        yield from _table(trend, own[-last:])
        if len(own) > last:
            yield f"  {plural(len(own) - last, 'earlier run')}; --last N shows more"


def _jump(
    runs: list[dict], row: dict, when: str, command: Callable[[int, int], str], width: int
) -> Iterator[str]:
    run = runs[row["run_index"]]
    worse = any(part["is_worse"] for part in row["changes"])
    better = all(part["is_worse"] is False for part in row["changes"])
    sign, colour = ("▲", "red") if worse else ("▼", "green") if better else ("•", "cyan")
    text = wrap(
        ", ".join(part["text"] for part in row["changes"]),
        width - 4,
        break_long_words=False,
        break_on_hyphens=False,
    )
    yield f"  {click.style(sign, fg=colour)} {text[0]}"
    yield from (f"    {line}" for line in text[1:])
    commit = f", commit {shown(run['commit'])}" if run["commit"] else ""
    versions = [
        shown(", ".join(runs[row[key]]["torch_versions"]) or "unknown")
        for key in ("base_run_index", "run_index")
    ]
    torch = f", torch {versions[0]} → {versions[1]}" if versions[0] != versions[1] else ""
    yield click.style(f"    {when} ({shown(run['name'])}{commit}{torch})", dim=True)
    yield f"    {shown(command(row['base_run_index'], row['run_index']))}"


def _table(trend: dict, indexes: list[int]) -> Iterator[str]:
    """Columns in which all is unknown are left out."""
    keys = [key for key in _COLUMNS if any(trend["values"][key][index] is not None for index in indexes)]
    rows = [["started (UTC)", *(_COLUMNS[key] for key in keys), "run", "commit"]]
    for index in indexes:
        run = trend["runs"][index]
        numbers = (value(key, trend["values"][key][index]) for key in keys)
        early = " (ends inside a compile)" if run["ends_early"] else ""
        rows.append(
            [
                day(run["start_epoch_us"]),
                *numbers,
                shown(run["name"]) + early,
                shown((run["commit"] or "")[:12]),
            ]
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for number, row in enumerate(rows):
        cells = [
            cell.rjust(width) if 0 < column <= len(keys) else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths))
        ]
        line = "  " + "  ".join(cells).rstrip()
        yield click.style(line, dim=True) if number == 0 else line
