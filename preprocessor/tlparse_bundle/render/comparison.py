"""A comparison of two runs for the terminal, as Markdown, and as annotations of a GitHub workflow."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

import click

from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.base.wording import duration, plural
from tlparse_bundle.render.github import annotation
from tlparse_bundle.render.markdown import rich
from tlparse_bundle.statements.runs.compare.net_result import identity
from tlparse_bundle.statements.source_places import where

_BETTER = frozenset(("gone", "better"))
_LISTED = 40  # changes of a log that are printed


def text(document: dict, *, width: int = 100) -> str:
    """For the terminal, with colours: the headline, then the changes, what a change led to beneath it."""
    lines = [click.style(shown(document["summary"]["text"]), bold=True)]
    lines += [click.style(shown(note), dim=True) for note in document["summary"]["notes"]]
    for name, rows, left in _logs(document):
        lines += ["", *([click.style(shown(name), bold=True)] if len(document["logs"]) > 1 else [])]
        for row in rows:
            lines += _change(row, width)
        lines += [click.style(_more(left), dim=True)] if left else []
    return "\n".join(lines)


def markdown(document: dict) -> str:
    lines = [
        f"**{rich(document['summary']['text'])}**",
        "",
        *(f"{rich(note)}  " for note in document["summary"]["notes"]),
    ]
    for name, rows, left in _logs(document):
        lines += ["", *([f"## {rich(name)}", ""] if len(document["logs"]) > 1 else [])]
        for row in rows:
            cost = f" **{_cost(row)}**" if _cost(row) else ""
            lines.append(
                f"{'' if row['because_of'] is None else '  '}- {row['change']}: {rich(row['title'])}{cost}"
            )
        lines += [f"- {_more(left)}"] if left else []
    return "\n".join(lines).strip()


def github(document: dict) -> str:
    """A notice with the headline, and what got worse at its place."""
    lines = [annotation("notice", "comparison", document["summary"]["text"])]
    for _, rows, _ in _logs(document):
        lines += [
            annotation(
                row["severity"] if row["severity"] in ("error", "warning") else "notice",
                row["kind"],
                f"{row['change']}: {row['title']}",
                row["file"],
                row["line"],
            )
            for row in rows
            if row["because_of"] is None and row["change"] not in _BETTER
        ]
    return "\n".join(lines)


def _logs(document: dict) -> Iterator[tuple[str, Sequence[dict], int]]:
    """What logs are called, the changes that are printed, and how many are not.

    Ranks of which the same is true are told once: as the one where it costs most.
    """
    groups: dict[tuple, list[dict]] = {}
    for log in document["logs"]:
        if log["changes"]:
            groups.setdefault(tuple(sorted(map(repr, map(identity, log["changes"])))), []).append(log)
    for logs in groups.values():
        worst = max(logs, key=lambda log: log["changes"][0]["cost_us"] or 0)
        yield _name(worst, len(logs) - 1), worst["changes"][:_LISTED], max(0, len(worst["changes"]) - _LISTED)


def _name(log: dict, others: int) -> str:
    side = log["new"] or log["base"]
    name = side["id"] if log["rank"] is None else f"rank {log['rank']} ({side['id']})"
    return name + (f", and the same of {plural(others, 'other log')}" if others else "")


def _more(left: int) -> str:
    return f"{plural(left, 'more change')}; --json has them all"


def _cost(row: dict) -> str:
    return (
        "" if not row["cost_us"] else f"{'+' if row['cost_us'] > 0 else '−'}{duration(abs(row['cost_us']))}"
    )


def _change(row: dict, width: int) -> Iterator[str]:
    good = row["change"] in _BETTER
    colour = "green" if good else {"error": "red", "warning": "yellow"}.get(row["severity"], "cyan")
    indent = "" if row["because_of"] is None else "    "
    title = shown(row["title"]) + (f" {click.style(_cost(row), bold=True)}" if _cost(row) else "")
    yield f"{indent}{click.style(row['change'], fg=colour)}  {title}"
    place = where(row)
    if (
        row["because_of"] is None
        and place
        and f"{place}`" not in row["title"]
        and f"({place})" not in row["title"]
    ):
        yield f"{indent}  " + click.style(shown(place), dim=True)
    for line in row["text"].split("\n"):
        yield from (
            f"{indent}  {shown(piece)}"
            for piece in textwrap.wrap(line, width - 6, break_long_words=False, break_on_hyphens=False)
        )
