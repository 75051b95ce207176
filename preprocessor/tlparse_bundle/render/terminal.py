"""Reports, comparisons, checks and trends for the terminal, with colors."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.base.wording import duration, plural
from tlparse_bundle.render.run_times import time_sections
from tlparse_bundle.statements.runs.check.limits import FAILED, PASSED, UNKNOWN, Outcome, failing
from tlparse_bundle.statements.runs.compare.change import IMPROVEMENTS, cost_text, more_changes, printed_logs
from tlparse_bundle.statements.source_places import where
from tlparse_bundle.statements.statement import TORCH, severity_of, with_consequences

if TYPE_CHECKING:
    from tlparse_bundle.statements.selection import Section

Row = Mapping[str, Any]  # of findings, rank_findings, or the changes of a comparison
MAX_FINDINGS = 20  # of an outcome of a check; a report prints all
_MAX_JUMPS = 20  # of a series
_OUTCOME_SIGNS = {PASSED: ("✓", "green"), FAILED: ("✖", "red"), UNKNOWN: ("?", "yellow")}
_TREND_COLUMNS = {  # of the table: metrics that most runs have
    "compile_us": "compile time",
    "compile_count": "compiles",
    "graph_break_count": "breaks",
    "recompile_count": "recompiles",
    "failure_count": "failures",
    "fx_graph_hit_count": "FX hits",
    "fx_graph_miss_count": "FX misses",
}


def report(sections: Sequence[Section], *, width: int = 100, growing: str | None = None) -> str:
    """Return the headline and findings of all ranks together and of each log.

    ``growing``: the first line for a growing bundle.
    """
    lines = [] if growing is None else [*_wrapped(shown(growing), width), ""]
    named = len(sections) > 1
    for section in sections:
        name = click.style(f"{shown(section.name)}: ", dim=True) if named else ""
        lines += [name + click.style(shown(section.summary["text"]), bold=True), ""]
        for row, is_consequence in with_consequences(section.findings):
            if is_consequence:
                lines[-1:] = [*_consequence(row, width), ""]  # right below the one before
            else:
                lines += [*finding(row, width), ""]
        if section.left_out:
            more = f"{plural(section.left_out, 'more finding')}; --limit shows more"
            lines += [click.style(more, dim=True), ""]
    return "\n".join(lines).rstrip("\n")


def finding(row: Row, width: int) -> Iterator[str]:
    """Yield the lines of one finding."""
    severity = severity_of(row)
    title = click.style(shown(row["title"]), bold=severity.name == "error")
    cost = f"{duration(row['cost_us'])}: {row['cost_of']}" if row["cost_us"] is not None else None
    about = " · ".join(shown(part) for part in (row["kind"], where(row), cost) if part)
    text = (
        piece.rstrip()
        for line in row["text"].split("\n")
        for piece in _wrapped(line, width - 2, drop_whitespace=False)
    )
    yield from _statement(f"{click.style(severity.sign, fg=severity.color)} {title}", about, text)
    for remedy in row["remedies"]:
        source = "torch: " if remedy["source"] == TORCH else ""
        yield from _wrapped(
            shown(source + remedy["text"]), width, initial_indent="  → ", subsequent_indent="    "
        )
        for line in remedy["code"].split("\n") if remedy["code"] else ():
            yield "      " + click.style(shown(line), fg="green")


def _consequence(row: Row, width: int) -> Iterator[str]:
    """Yield the lines of a finding that follows from the one above it."""
    sign = click.style("↳", fg=severity_of(row).color)
    text = f"{shown(row['title'])} ({shown(place)})" if (place := where(row)) else shown(row["title"])
    lines = _wrapped(text, width - 4) or [""]
    yield from (f"  {sign if number == 0 else ' '} {line}" for number, line in enumerate(lines))


def _statement(head: str, about: str, text: Iterator[str], indent: str = "") -> Iterator[str]:
    """Yield the lines of a statement: head, kind and place, text."""
    yield indent + head
    if about:
        yield f"{indent}  " + click.style(about, dim=True)
    yield from (f"{indent}  {shown(line)}" for line in text)


def _wrapped(text: str, width: int, **options: Any) -> list[str]:
    """Wrap a text without breaking words."""
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False, **options)


def comparison(document: Mapping[str, Any], *, width: int = 100) -> str:
    """Return the headline and the changes, each followed by its effects."""
    lines = [click.style(shown(document["summary"]["text"]), bold=True)]
    lines += [click.style(shown(note), dim=True) for note in document["summary"]["notes"]]
    for log in printed_logs(document):
        lines += ["", *([click.style(shown(log.name), bold=True)] if len(document["logs"]) > 1 else [])]
        for row in log.changes:
            lines += _change(row, width)
        lines += [click.style(more_changes(log.left_out), dim=True)] if log.left_out else []
    for section in time_sections(document):
        lines += ["", click.style(shown(section.title), bold=True)]
        lines += [f"  {row.change}  {shown(row.name)}  {row.times}" for row in section.rows]
        lines += [click.style(f"  {section.left_out:,} more", dim=True)] if section.left_out else []
    return "\n".join(lines)


def _change(row: Row, width: int) -> Iterator[str]:
    color = "green" if row["change"] in IMPROVEMENTS else severity_of(row).color
    cost = f" {click.style(cost_text(row['cost_us']), bold=True)}" if row["cost_us"] else ""
    place = where(row)
    is_new = place and f"{place}`" not in row["title"] and f"({place})" not in row["title"]
    yield from _statement(
        f"{click.style(row['change'], fg=color)}  {shown(row['title'])}{cost}",
        shown(place) if is_new and row["because_of"] is None else "",
        (piece for line in row["text"].split("\n") for piece in _wrapped(line, width - 6)),
        "" if row["because_of"] is None else "    ",
    )


def check(outcomes: Sequence[Outcome], *, allow_unknown: bool, width: int = 100) -> str:
    """Return a line per outcome with the findings that made it fail, then the number of failures."""
    count = len(failing(outcomes, allow_unknown=allow_unknown))
    last = (
        f"{count} of {plural(len(outcomes), 'check')} failed."
        if count
        else f"{plural(len(outcomes), 'check')}, none failed."
    )
    unknown = sum(one.outcome == UNKNOWN for one in outcomes)
    if unknown:
        last += f" {unknown} unknown, " + (
            "allowed by --allow-unknown." if allow_unknown else "counted as failed (see --allow-unknown)."
        )
    lines = [line for one in outcomes for line in outcome(one, width)]
    return "\n".join([*lines, click.style(last, bold=True)])


def outcome(one: Outcome, width: int = 100) -> Iterator[str]:
    """Yield the lines of one outcome of a check."""
    sign, color = _OUTCOME_SIGNS[one.outcome]
    log = click.style(f" · {shown(one.log)}", dim=True) if one.log else ""
    yield f"{click.style(sign, fg=color)} {click.style(shown(one.rule), bold=True)}{log}: {shown(one.text)}"
    for row in one.findings[:MAX_FINDINGS]:
        yield from (f"  {line}".rstrip() for line in (*finding(row, width - 2), ""))
    if len(one.findings) > MAX_FINDINGS:
        more = plural(len(one.findings) - MAX_FINDINGS, "more finding")
        yield f"  {more}; tlparse-bundle report prints them."


def trend(
    document: Mapping[str, Any], *, last: int, command: Callable[[int, int], str], width: int = 100
) -> str:
    """Return the jumps of each series, with the command that compares the runs, and a table of its last runs.

    ``last``: number of rows of a table; ``command`` returns the command for two run indexes.
    """
    numbers = range(len(document["series"]))
    return "\n\n".join("\n".join(_series(document, number, last, command, width)) for number in numbers)


def _series(
    document: Mapping[str, Any], number: int, last: int, command: Callable[[int, int], str], width: int
) -> Iterator[str]:
    from tlparse_bundle.statements.runs.trend.metrics import day

    series, runs = document["series"][number], document["runs"]
    own = series["run_indexes"]
    starts = [runs[run]["start_epoch_us"] for run in own if runs[run]["start_epoch_us"] is not None]
    when = f", {day(starts[0])[:10]} to {day(starts[-1])[:10]}" if starts else ""
    yield click.style(f"{shown(series['name'])}: {plural(len(own), 'run')}{when}", bold=True)
    if len(starts) < len(own):
        yield (
            f"  {plural(len(own) - len(starts), 'run')} left out: the start time is not recorded. Rebuild old"
            " bundles. Logs without chromium events never have one."
        )
    jumps = [row for row in document["jumps"] if row["series_index"] == number]
    for row in jumps[:_MAX_JUMPS]:
        yield from _jump(runs, row, f"at {day(runs[row['run_index']]['start_epoch_us'])}", command, width)
    if len(jumps) > _MAX_JUMPS:
        yield f"  {plural(len(jumps) - _MAX_JUMPS, 'more jump')}; --json has all"
    if not jumps:
        yield "  no jumps"
    for row in (row for row in document["latest"] if row["series_index"] == number):
        count = row["run_count"]
        late = (
            "in the last run; it may be an outlier"
            if count == 1
            else f"in the last {count} runs, too few to be sure"
        )
        yield from _jump(runs, row, late, command, width)
    if last:
        yield ""
        yield from _table(document, own[-last:])
        if len(own) > last:
            yield f"  {plural(len(own) - last, 'earlier run')}; --last N shows more"


def _jump(
    runs: Sequence[Row], row: Row, when: str, command: Callable[[int, int], str], width: int
) -> Iterator[str]:
    run = runs[row["run_index"]]
    worse = any(part["is_worse"] for part in row["changes"])
    better = all(part["is_worse"] is False for part in row["changes"])
    sign, color = ("▲", "red") if worse else ("▼", "green") if better else ("•", "cyan")
    text = _wrapped(f"{shown(row['text'])}.", width - 4)
    commit = f", commit {shown(run['commit'])}" if run["commit"] else ""
    before, after = (
        shown(", ".join(runs[row[key]]["torch_versions"]) or "unknown")
        for key in ("base_run_index", "run_index")
    )
    torch = f", torch {before} → {after}" if before != after else ""
    yield f"  {click.style(sign, fg=color)} {text[0]}"
    yield from (f"    {line}" for line in text[1:])
    yield click.style(f"    {when} ({shown(run['name'])}{commit}{torch})", dim=True)
    yield f"    {shown(command(row['base_run_index'], row['run_index']))}"


def _table(document: Mapping[str, Any], indexes: Sequence[int]) -> Iterator[str]:
    """Yield the rows of the table of runs, without columns that have no values."""
    from tlparse_bundle.statements.runs.trend.metrics import day, value

    values = document["values"]
    keys = [key for key in _TREND_COLUMNS if any(values[key][index] is not None for index in indexes)]
    rows = [["started (UTC)", *(_TREND_COLUMNS[key] for key in keys), "run", "commit"]]
    for index in indexes:
        run = document["runs"][index]
        numbers = (value(key, values[key][index]) for key in keys)
        early = " (ends inside a compile)" if run["ends_early"] else ""
        commit = shown((run["commit"] or "")[:12])
        rows.append([day(run["start_epoch_us"]), *numbers, shown(run["name"]) + early, commit])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for number, row in enumerate(rows):
        cells = [
            cell.rjust(width) if 0 < column <= len(keys) else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        line = "  " + "  ".join(cells).rstrip()
        yield click.style(line, dim=True) if number == 0 else line
