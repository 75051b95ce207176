"""Reports, comparisons and checks as annotations of a GitHub workflow (::error file=…::…)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.statements.runs.check.limits import PASSED, UNKNOWN, Outcome
from tlparse_bundle.statements.runs.compare.change import IMPROVEMENTS, printed_logs
from tlparse_bundle.statements.statement import severity_of

if TYPE_CHECKING:
    from tlparse_bundle.statements.selection import Section

_NOT_LOOKED_INTO = {"node_modules", "site-packages", "__pycache__"}
_MOST = 200_000  # files that are looked at
Row = Mapping[str, Any]  # of findings, rank_findings, or the changes of a comparison


def report(sections: Sequence[Section], places: Mapping[str, str], *, growing: str | None = None) -> str:
    """The headline of each log as a notice, and its findings where they are.

    ``places``: paths of files in the repository (see places_in).
    ``growing``: what to say of a growing bundle first.
    """
    lines = [] if growing is None else [annotation("notice", "still growing", growing)]
    for section in sections:
        lines.append(annotation("notice", section.name, section.summary["text"]))
        lines += [
            _statement(row, severity_of(row).command, row["kind"], _finding(row), places)
            for row in section.findings
        ]
    return "\n".join(lines)


def comparison(document: Mapping[str, Any]) -> str:
    """The headline as a notice, and what got worse at its place."""
    lines = [annotation("notice", "comparison", document["summary"]["text"])]
    lines += [
        _statement(row, severity_of(row).command, row["kind"], f"{row['change']}: {row['title']}")
        for log in printed_logs(document)
        for row in log.changes
        if row["because_of"] is None and row["change"] not in IMPROVEMENTS
    ]
    return "\n".join(lines)


def check(outcomes: Sequence[Outcome], places: Mapping[str, str], *, allow_unknown: bool) -> str:
    """Each finding that makes the check fail, and each outcome that has none."""
    return "\n".join(line for outcome in outcomes for line in _outcome(outcome, places, allow_unknown))


def _outcome(outcome: Outcome, places: Mapping[str, str], allow_unknown: bool) -> Iterator[str]:
    title = f"{outcome.rule} · {outcome.log}" if outcome.log else outcome.rule
    if outcome.outcome == PASSED:
        yield annotation("notice", title, outcome.text)
        return
    command = "warning" if outcome.outcome == UNKNOWN and allow_unknown else "error"
    if not outcome.findings:
        yield annotation(command, title, outcome.text)
    for row in outcome.findings:
        yield _statement(row, command, title, _finding(row), places)


def _statement(row: Row, command: str, title: str, text: str, places: Mapping[str, str] = {}) -> str:
    """One statement where it is."""
    return annotation(command, title, text, places.get(row["file"], row["file"]), row["line"])


def _finding(row: Row) -> str:
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


def places_in(folder: Path, files: Iterable[str | None]) -> dict[str, str]:
    """{file as a finding names it: its path below the folder}, of those that only one file there can be.

    A finding names a file without the folders that all files of its log share. Nothing of the log becomes a
    path: names are compared with those that are there.
    """
    by_name: dict[str, set[str]] = {}
    for file in files:
        if file:
            by_name.setdefault(file.rpartition("/")[2], set()).add(file)
    paths: dict[str, list[str]] = {}
    seen = 0
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name not in _NOT_LOOKED_INTO
        )
        seen += len(names)
        if seen > _MOST:
            return {}
        for name in names:
            for file in by_name.get(name, ()):
                path = Path(at, name).relative_to(folder).as_posix()
                if path == file or path.endswith(f"/{file}"):
                    paths.setdefault(file, []).append(path)
    return {file: some[0] for file, some in paths.items() if len(some) == 1}
