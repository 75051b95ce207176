"""A report for the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

import click

from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.base.wording import duration, plural
from tlparse_bundle.statements.selection import Section
from tlparse_bundle.statements.source_places import where

_SIGNS = {"error": ("✖", "red"), "warning": ("!", "yellow"), "info": ("·", "cyan")}


def render(sections: Sequence[Section], *, width: int = 100, growing: str | None = None) -> str:
    """Headline and findings of all ranks together and of each log, with colours.

    ``growing``: what to say of a growing bundle first.
    """
    first = (
        []
        if growing is None
        else [*textwrap.wrap(shown(growing), width, break_long_words=False, break_on_hyphens=False), ""]
    )
    return "\n".join(
        [*first, *(line for section in sections for line in _section(section, len(sections) > 1, width))]
    ).rstrip("\n")


def headline(section: Section, named: bool) -> str:
    """The summary of a log on one line."""
    return (click.style(f"{shown(section.name)}: ", dim=True) if named else "") + click.style(
        shown(section.summary["text"]), bold=True
    )


def _section(section: Section, named: bool, width: int) -> Iterator[str]:
    yield headline(section, named)
    yield ""
    for row in section.findings:
        yield from finding(row, width)
    if section.left_out:
        yield click.style(f"{plural(section.left_out, 'more finding')}; --limit shows more", dim=True)
        yield ""


def finding(row: dict, width: int) -> Iterator[str]:
    """The lines of one finding, and an empty one."""
    sign, colour = _SIGNS.get(row["severity"], ("·", "cyan"))
    yield (
        click.style(sign, fg=colour) + " " + click.style(shown(row["title"]), bold=row["severity"] == "error")
    )
    about = [
        row["kind"],
        where(row),
        f"{duration(row['cost_us'])}: {row['cost_of']}" if row["cost_us"] is not None else None,
    ]
    yield "  " + click.style(" · ".join(shown(part) for part in about if part), dim=True)
    for paragraph in filter(None, row["text"].split("\n\n")):
        for line in paragraph.split("\n"):
            yield from (
                f"  {shown(piece.rstrip())}"
                for piece in textwrap.wrap(
                    line, width - 2, drop_whitespace=False, break_long_words=False, break_on_hyphens=False
                )
            )
    for remedy in row["remedies"]:
        source = "torch: " if remedy["source"] == "torch" else ""
        yield from textwrap.wrap(
            shown(source + remedy["text"]),
            width,
            initial_indent="  → ",
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        if remedy["code"]:
            yield "      " + click.style(shown(remedy["code"]), fg="green")
    yield ""
