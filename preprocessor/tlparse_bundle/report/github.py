"""A report as annotations of a GitHub workflow (workflow commands: ::error file=…::…)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tlparse_bundle.shown import shown

if TYPE_CHECKING:
    from tlparse_bundle.report.choose import Section

_COMMANDS = {"error": "error", "warning": "warning"}


def render(sections: Sequence[Section], places: Mapping[str, str] = {}, *, growing: str | None = None) -> str:
    """``places``: where files lie in the repository (see checkout). ``growing``: what to say of a growing bundle first."""
    first = [] if growing is None else [annotation("notice", "still growing", growing)]
    return "\n".join([*first, *(line for section in sections for line in _section(section, places))])


def _section(section: Section, places: Mapping[str, str]) -> Iterator[str]:
    yield annotation("notice", section.name, section.summary["text"])
    for row in section.findings:
        yield annotation(_COMMANDS.get(row["severity"], "notice"), row["kind"], said(row), places.get(row["file"], row["file"]), row["line"])


def said(row: dict) -> str:
    """A finding as the text of an annotation: what it is, and what may help."""
    return "\n".join([row["title"], *(remedy["text"] for remedy in row["remedies"])])


def annotation(command: str, title: str, text: str, file: str | None = None, line: int | None = None) -> str:
    """A workflow command: 'notice', 'warning' or 'error', at a place of the program if there is one."""
    places = [] if file is None else [f"file={_property(file)}", *([] if line is None else [f"line={line}"])]
    return f"::{command} {','.join([*places, f'title={_property(title)}'])}::{_data(text)}"


def _data(text: str) -> str:
    return "%0A".join(shown(line).replace("%", "%25") for line in text.split("\n"))


def _property(text: str) -> str:
    return shown(text).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
