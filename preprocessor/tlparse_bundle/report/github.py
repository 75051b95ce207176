"""A report as annotations of a GitHub workflow (workflow commands: ::error file=…::…)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tlparse_bundle.report.choose import Section
from tlparse_bundle.shown import shown

_COMMANDS = {"error": "error", "warning": "warning"}


def render(sections: Sequence[Section]) -> str:
    return "\n".join(line for section in sections for line in _section(section))


def _section(section: Section) -> Iterator[str]:
    yield f"::notice title={_property(section.name)}::{_data(section.summary['text'])}"
    for row in section.findings:
        places = [f"{key}={_property(str(row[key]))}" for key in ("file", "line") if row["file"] is not None and row[key] is not None]
        properties = ",".join([*places, f"title={_property(row['kind'])}"])
        remedies = [remedy["text"] for remedy in row["remedies"]]
        yield f"::{_COMMANDS.get(row['severity'], 'notice')} {properties}::{_data(chr(10).join([row['title'], *remedies]))}"


def _data(text: str) -> str:
    return "%0A".join(shown(line).replace("%", "%25") for line in text.split("\n"))


def _property(text: str) -> str:
    return shown(text).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
