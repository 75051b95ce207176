"""Reports and comparisons as Markdown, for an issue or a page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.base.wording import duration, plural
from tlparse_bundle.render.run_times import time_sections
from tlparse_bundle.statements.runs.compare.change import cost_text, more_changes, printed_logs
from tlparse_bundle.statements.source_places import where
from tlparse_bundle.statements.statement import TORCH, severity_of, with_consequences

if TYPE_CHECKING:
    from tlparse_bundle.statements.selection import Section

_SPECIAL = re.compile(r"([\\*_\[\]<>#|~!&])")
# GitHub makes these live even if they are escaped: users, issues, commits, links, emoji, formulas.
_LIVE = re.compile(
    r"[@$]|#(?=\w)|://|www\.|mailto:|xmpp:|:(?!\d\d:)[\w+-]+:|[a-z]-\d|GHSA-|(?<![0-9a-z])[0-9a-f]{7,40}(?![0-9a-z])",
    re.IGNORECASE,
)
_WORD = re.compile(r"\S+")
_LIST = re.compile(r"^(?:(?=[-+=])|(\d+)(?=[.)](?:\s|$)))")  # or the line below a heading


def report(sections: Sequence[Section], *, growing: str | None = None) -> str:
    """Return the headlines and findings. ``growing``: the first line for a growing bundle."""
    lines = [] if growing is None else [f"**{rich(growing)}**", ""]
    for section in sections:
        lines += [f"## {rich(section.name)}", ""] if len(sections) > 1 else []
        lines += [rich(section.summary["text"]), ""]
        for row, is_consequence in with_consequences(section.findings):
            lines += _consequence(row) if is_consequence else _finding(row)
        lines += [f"… {plural(section.left_out, 'more finding')}", ""] if section.left_out else []
    return "\n".join(lines).rstrip("\n")


def comparison(document: Mapping[str, Any]) -> str:
    """Return the headline and the list of changes, each followed by its effects."""
    lines = [f"**{rich(document['summary']['text'])}**", ""]
    lines += [f"{rich(note)}  " for note in document["summary"]["notes"]]
    for log in printed_logs(document):
        lines += ["", *([f"## {rich(log.name)}", ""] if len(document["logs"]) > 1 else [])]
        lines += map(_change, log.changes)
        lines += [f"- {more_changes(log.left_out)}"] if log.left_out else []
    for section in time_sections(document):
        lines += ["", f"**{rich(section.title)}**", ""]
        lines += [f"- {row.change}: {rich(row.name)} {row.times}" for row in section.rows]
        lines += [f"- {section.left_out:,} more"] if section.left_out else []
    return "\n".join(lines).strip()


def rich(text: str) -> str:
    """Escape a line for Markdown, except code in backticks. What GitHub would link or render becomes code."""
    parts = shown(text).split("`")
    if len(parts) % 2 == 0:  # an unmatched backtick
        parts[-2:] = ["'".join(parts[-2:])]
    line = "".join(code_span(part) if number % 2 else _plain(part) for number, part in enumerate(parts))
    return _LIST.sub(r"\1\\", line.lstrip())


def code_span(text: str) -> str:
    """Return a text of one line as code, between enough backticks."""
    if not text:
        return ""
    longest = max(map(len, re.findall("`+", text)), default=0)
    pad = " " if text[0] in " `" or text[-1] in " `" else ""
    return f"{'`' * (longest + 1)}{pad}{text}{pad}{'`' * (longest + 1)}"


def _plain(text: str) -> str:
    return _WORD.sub(
        lambda word: code_span(word[0]) if _LIVE.search(word[0]) else _SPECIAL.sub(r"\\\1", word[0]), text
    )


def _finding(row: Mapping[str, Any]) -> list[str]:
    cost = f"{duration(row['cost_us'])} ({row['cost_of']})" if row["cost_us"] is not None else None
    about = " · ".join(rich(part) for part in (row["kind"], where(row), cost) if part)
    lines = [f"### {severity_of(row).emoji} {rich(row['title'])}", "", about, ""]
    for paragraph in filter(None, row["text"].split("\n\n")):
        lines += ["  \n".join(map(rich, paragraph.split("\n"))), ""]
    for remedy in row["remedies"]:
        source = "torch: " if remedy["source"] == TORCH else ""
        code = "".join(f" {code_span(shown(line))}" for line in (remedy["code"] or "").split("\n") if line)
        lines.append(f"- {source}{rich(remedy['text'])}{code}")
    return [*lines, ""] if row["remedies"] else lines


def _consequence(row: Mapping[str, Any]) -> list[str]:
    """Return the lines of a finding that follows from the one above it."""
    return [f"- ↳ {rich(row['title'])}{f' ({rich(place)})' if (place := where(row)) else ''}", ""]


def _change(row: Mapping[str, Any]) -> str:
    cost = f" **{cost_text(row['cost_us'])}**" if row["cost_us"] else ""
    return f"{'' if row['because_of'] is None else '  '}- {row['change']}: {rich(row['title'])}{cost}"
