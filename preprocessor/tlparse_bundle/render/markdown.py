"""A report as Markdown, for an issue or a page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.base.wording import duration, plural
from tlparse_bundle.statements.source_places import where

if TYPE_CHECKING:
    from tlparse_bundle.statements.selection import Section

_SIGNS = {"error": "❌", "warning": "⚠️", "info": "ℹ️"}
_SPECIAL = re.compile(r"([\\*_\[\]<>#|~!&@])")


def render(sections: Sequence[Section], *, growing: str | None = None) -> str:
    """``growing``: what to say of a growing bundle first."""
    first = [] if growing is None else [f"**{rich(growing)}**", ""]
    return "\n".join(
        [*first, *(line for section in sections for line in _section(section, len(sections) > 1))]
    ).rstrip("\n")


def rich(text: str) -> str:
    """Text with code in backticks, in which nothing else means anything to Markdown or HTML. Lines stay
    lines.
    """
    parts = shown(text).split("`")
    if len(parts) % 2 == 0:  # a backtick too many
        parts[-2:] = ["'".join(parts[-2:])]
    return "".join(
        f"`{part}`" if number % 2 else _SPECIAL.sub(r"\\\1", part) for number, part in enumerate(parts)
    )


def _section(section: Section, named: bool) -> Iterator[str]:
    if named:
        yield f"## {rich(section.name)}"
        yield ""
    yield rich(section.summary["text"])
    yield ""
    for row in section.findings:
        yield from _finding(row)
    if section.left_out:
        yield f"… {plural(section.left_out, 'more finding')}"
        yield ""


def _finding(row: dict) -> Iterator[str]:
    yield f"### {_SIGNS.get(row['severity'], '')} {rich(row['title'])}"
    yield ""
    cost = f"{duration(row['cost_us'])} ({row['cost_of']})" if row["cost_us"] is not None else None
    yield " · ".join(rich(part) for part in (row["kind"], where(row), cost) if part)
    yield ""
    for paragraph in filter(None, row["text"].split("\n\n")):
        yield "  \n".join(rich(line) for line in paragraph.split("\n"))
        yield ""
    for remedy in row["remedies"]:
        yield f"- {'torch: ' if remedy['source'] == 'torch' else ''}{rich(remedy['text'])}" + (
            f" `{shown(remedy['code'].replace('`', ''))}`" if remedy["code"] else ""
        )
    if row["remedies"]:
        yield ""
