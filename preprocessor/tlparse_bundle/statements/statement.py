"""Statements about a log, the ranks of a job or a comparison of runs, and their order."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict, TypeVar

from tlparse_bundle.base.machine_text import tail
from tlparse_bundle.bundle.json_codec import dumps

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import FindingsRemedies

TORCH: Literal["torch"] = "torch"
OURS: Literal["tlparse-bundle"] = "tlparse-bundle"
MAX_TITLE, MAX_TEXT = 600, 6000  # characters
MAX_EVIDENCE = 1000  # rows a statement lists as evidence; ``count`` is the total

SeverityName = Literal["error", "warning", "info"]
Place = tuple[str | None, str | None, int | None]  # function, file, line
Stage = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Severity:
    """The severity of a statement, and how each output shows it."""

    name: SeverityName
    rank: int  # 0: the worst
    sign: str  # on a terminal
    color: str  # of the sign, a color of click
    style: str  # in the live screen, a style of rich
    emoji: str  # in Markdown
    command: str  # of a GitHub workflow


SEVERITIES: Mapping[str, Severity] = {
    severity.name: severity
    for severity in (
        Severity("error", 0, "✖", "red", "bold red", "❌", "error"),
        Severity("warning", 1, "!", "yellow", "yellow", "⚠️", "warning"),
        Severity("info", 2, "·", "cyan", "dim", "ℹ️", "notice"),
    )
}  # worst first


def severity_of(row: Mapping[str, Any]) -> Severity:
    """Return the severity of a row; info for a name that this version does not know."""
    return SEVERITIES.get(row["severity"], SEVERITIES["info"])


@dataclass(slots=True, eq=False, repr=False)
class Remedy:
    """A fix: ``code`` is ready to paste, ``source`` is who recommends it.

    ``is_counted``: whether it says how many compiles it avoids.
    """

    text: str
    code: str | None = None
    source: Literal["torch", "tlparse-bundle"] = OURS
    is_counted: bool = False

    def row(self) -> FindingsRemedies:
        return {"text": self.text, "code": self.code, "source": self.source}


class KindReference(NamedTuple):
    """The entry of a kind in docs/reference/findings.md: title, meaning, fix, and when it does not apply."""

    title: str
    meaning: str
    fix: str
    not_when: str


class StatementCells(TypedDict):
    """The cells that all statements have, in this order."""

    severity: SeverityName
    title: str
    text: str
    function: str | None
    file: str | None
    line: int | None


@dataclass(slots=True, eq=False, repr=False)
class Statement:
    """A fact about a log, a job or two runs in words, with place, cost and cause.

    ``cause``, kind and place make the fingerprint, so ``cause`` has no ids, times, addresses or folders.
    ``key`` identifies the statement in ``because_of`` of others.
    """

    kind: str
    severity: SeverityName
    title: str
    cause: Sequence[Any] = ()
    text: str = ""
    place: Place = (None, None, None)
    count: int = field(default=1, kw_only=True)
    cost_us: int | None = field(default=None, kw_only=True)  # negative: saved
    cost_of: str | None = field(default=None, kw_only=True)
    remedies: Sequence[Remedy] = field(default=(), kw_only=True)
    details: dict[str, Any] = field(default_factory=dict, kw_only=True)
    key: Hashable = field(default=None, kw_only=True)
    because_of: Hashable = field(default=None, kw_only=True)  # key of another statement
    order: int | None = field(default=None, kw_only=True)  # see ``importance``; None: ``count``

    @property
    def stage(self) -> Stage:
        """The first sort key, before cost; smaller comes first."""
        return ()

    def importance(self) -> tuple[Stage, int, int, int]:
        """Return the sort key: stage, then cost or saving, then severity, then ``order`` (larger first)."""
        return (
            self.stage,
            -abs(self.cost_us or 0),
            SEVERITIES[self.severity].rank,
            -(self.count if self.order is None else self.order),
        )

    def cells(self, shown: Callable[[str], str] = str) -> StatementCells:
        """Return the common cells of a row. ``shown`` shortens paths in sentences."""
        function, file, line = self.place
        return {
            "severity": self.severity,
            "title": cut(shown(self.title), MAX_TITLE),
            "text": cut(shown(self.text), MAX_TEXT),
            "function": function and cut(function, MAX_TITLE),
            "file": file,
            "line": line,
        }


S = TypeVar("S", bound=Statement)
T = TypeVar("T")


def ordered(statements: Iterable[S]) -> list[S]:
    """Return all statements, most important first; equal ones keep their order."""
    return sorted(statements, key=lambda statement: statement.importance())


def grouped_by_cause(statements: Sequence[S], causes: Mapping[int, int]) -> list[tuple[S, int | None]]:
    """Return each root statement, followed by its effects with the root's position in the result.

    ``causes`` maps the position of an effect to the position of its cause.
    """
    effects: dict[int, list[int]] = {}
    for number in causes:
        effects.setdefault(root_of(number, causes), []).append(number)
    rows: list[tuple[S, int | None]] = []
    for number, statement in enumerate(statements):
        if number not in causes:
            root = len(rows)
            rows.append((statement, None))
            rows += [(statements[effect], root) for effect in sorted(effects.get(number, ()))]
    return rows


def with_consequences(
    rows: Sequence[Mapping[str, Any]],
) -> Iterator[tuple[Mapping[str, Any], bool]]:
    """Yield rows in order, each with whether it is a consequence of the last one that is none."""
    cause = None
    for row in rows:
        is_consequence = cause is not None and row["because_of"] == cause
        if not is_consequence:
            cause = row["id"]
        yield row, is_consequence


def root_of(number: int, causes: Mapping[int, int]) -> int:
    """Return the position of the first cause of a statement; its own when it has none."""
    seen = {number}
    while number in causes and causes[number] not in seen:
        number = causes[number]
        seen.add(number)
    return number


def fingerprint(kind: str, place: Place, cause: Sequence[Any]) -> str:
    """Return a hash that is equal on every rank, run and machine for the same problem at the same place.

    It leaves out the line, which moves when code above it is edited.
    """
    function, file, _ = place
    parts = [kind, function, tail(file) if file else None, *cause]
    return hashlib.sha256(dumps(parts)).hexdigest()[:16]


def cut(text: str, most: int) -> str:
    """Return the text cut to ``most`` characters, with its last code span closed."""
    if len(text) <= most:
        return text
    kept = text[: most - 2].rstrip() + "…"
    return kept + "`" * (kept.count("`") % 2)


def distinct(rows: Iterable[T]) -> list[T]:
    """Return the first MAX_EVIDENCE distinct rows. Reads no more of them than needed."""
    found: dict[T, None] = {}
    for row in rows:
        found[row] = None
        if len(found) == MAX_EVIDENCE:
            break
    return list(found)
