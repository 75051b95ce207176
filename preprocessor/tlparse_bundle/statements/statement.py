"""One statement: what a log, the ranks of a job or a comparison of runs says, and what orders statements."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar

from tlparse_bundle.bundle.json_codec import dumps
from tlparse_bundle.statements.source_places import tail

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import FindingsRemedies

TORCH: Literal["torch"] = "torch"
OURS: Literal["tlparse-bundle"] = "tlparse-bundle"
MAX_TITLE, MAX_TEXT = 600, 6000  # characters
MAX_EVIDENCE = 1000  # rows of a table that a statement names; ``count`` is how many there are

SeverityName = Literal["error", "warning", "info"]
Place = tuple[str | None, str | None, int | None]  # function, file, line
Stage = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Severity:
    """How bad a statement is, and how each output shows that."""

    name: SeverityName
    rank: int  # 0: the worst
    sign: str  # on a terminal
    colour: str  # of the sign, a colour of click
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
    """Return the severity of a row; that of information where it is one of a later version."""
    return SEVERITIES.get(row["severity"], SEVERITIES["info"])


@dataclass(slots=True, eq=False, repr=False)
class Remedy:
    """What may help: ``code`` is what to paste, ``source`` who recommends it."""

    text: str
    code: str | None = None
    source: Literal["torch", "tlparse-bundle"] = OURS

    def row(self) -> FindingsRemedies:
        return {"text": self.text, "code": self.code, "source": self.source}


class StatementCells(TypedDict):
    """The cells that rows of all statements have, in this order."""

    severity: SeverityName
    title: str
    text: str
    function: str | None
    file: str | None
    line: int | None


@dataclass(slots=True, eq=False, repr=False)
class Statement:
    """What is true of a log, a job or two runs, in words, with its place, its cost and its reason.

    ``cause`` makes the fingerprint together with kind and place: texts without ids, times, addresses or
    folders. ``key`` is for statements that others name in ``because_of``.
    """

    kind: str
    severity: SeverityName
    title: str
    cause: Sequence[Any] = ()
    text: str = ""
    place: Place = (None, None, None)
    count: int = field(default=1, kw_only=True)
    cost_us: int | None = field(default=None, kw_only=True)  # below 0: saved
    cost_of: str | None = field(default=None, kw_only=True)
    remedies: Sequence[Remedy] = field(default=(), kw_only=True)
    details: dict[str, Any] = field(default_factory=dict, kw_only=True)
    key: Hashable = field(default=None, kw_only=True)
    because_of: Hashable = field(default=None, kw_only=True)  # key of another statement
    order: int | None = field(default=None, kw_only=True)  # see ``importance``; None: ``count``

    @property
    def stage(self) -> Stage:
        """What counts more than any cost; the smaller stage comes first."""
        return ()

    def importance(self) -> tuple[Stage, int, int, int]:
        """Return the sort key of ``ordered``: stage, then cost or saving, then severity, then ``order``, of
        which the larger comes first.
        """
        return (
            self.stage,
            -abs(self.cost_us or 0),
            SEVERITIES[self.severity].rank,
            -(self.count if self.order is None else self.order),
        )

    def cells(self, shown: Callable[[str], str] = str) -> StatementCells:
        """Return the common cells of a row. ``shown`` shortens the files in sentences."""
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
    """Return each statement without a cause, followed by all that it led to, with its position in the result.

    ``causes``: position of a statement: position of what led to it.
    """
    led: dict[int, list[int]] = {}
    for number in causes:
        led.setdefault(_root(number, causes), []).append(number)
    rows: list[tuple[S, int | None]] = []
    for number, statement in enumerate(statements):
        if number not in causes:
            root = len(rows)
            rows.append((statement, None))
            rows += [(statements[effect], root) for effect in sorted(led.get(number, ()))]
    return rows


def _root(number: int, causes: Mapping[int, int]) -> int:
    seen = {number}
    while number in causes and causes[number] not in seen:
        number = causes[number]
        seen.add(number)
    return number


def fingerprint(kind: str, place: Place, cause: Sequence[Any]) -> str:
    """Return what is equal in every rank, run and machine where the same problem is at the same place.

    The line does not count: it moves when something above is edited.
    """
    function, file, _ = place
    parts = [kind, function, tail(file) if file else None, *cause]
    return hashlib.sha256(dumps(parts)).hexdigest()[:16]


def cut(text: str, most: int) -> str:
    """Return the text, not longer than ``most`` characters; code in it ends."""
    if len(text) <= most:
        return text
    kept = text[: most - 2].rstrip() + "…"
    return kept + "`" * (kept.count("`") % 2)


def distinct(rows: Iterable[T]) -> list[T]:
    """Return the first rows, each once, at most MAX_EVIDENCE."""
    return list(dict.fromkeys(rows))[:MAX_EVIDENCE]
