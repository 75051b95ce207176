"""What a finding is: one thing that the log says, with its evidence (schema: findings)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tlparse_bundle.base.machine_text import normalised, tail
from tlparse_bundle.bundle.json_codec import dumps

SEVERITIES = ("error", "warning", "info")
ERROR, EAGER, REST = range(3)  # stages of the order of findings
TORCH, OURS = "torch", "tlparse-bundle"
MAX_TITLE, MAX_TEXT = 600, 6000  # characters
MAX_EVIDENCE = 1000  # rows of a table that a finding names; ``count`` tells how many there are


@dataclass(slots=True, eq=False, repr=False)
class Remedy:
    """What may help: ``code`` is what to paste, ``source`` who says so."""

    text: str
    code: str | None = None
    source: str = OURS

    def row(self) -> dict:
        return {"text": self.text, "code": self.code, "source": self.source}


@dataclass(slots=True, eq=False, repr=False)
class Finding:
    """``cause`` makes the fingerprint together with kind and place: texts without ids, times, addresses or
    folders.

    ``place`` is (function, file, line), each or None. ``key`` is for findings that are named in
    ``because_of`` of others.
    """

    kind: str
    severity: str
    title: str
    cause: Sequence[Any]
    text: str = ""
    place: tuple[str | None, str | None, int | None] = (None, None, None)
    compiles: Sequence[int] = ()
    events: Sequence[int] = ()
    spans: Sequence[int] = ()
    count: int = 1
    cost_us: int | None = None
    cost_of: str | None = None
    remedies: Sequence[Remedy] = ()
    details: dict = field(default_factory=dict)
    key: Any = None
    because_of: Any = None  # key of another finding
    order: int | None = None  # among equal ones the larger one comes first; ``count`` when it is None
    placed: bool = True  # False: the same finding at other places has the same fingerprint

    def fingerprint(self) -> str:
        """The same in every rank, run and machine where the same problem is at the same place."""
        function, file, _ = (
            self.place if self.placed else (None, None, None)
        )  # lines move when something above is edited
        parts = [
            self.kind,
            function,
            tail(file) if file else None,
            [normalised(part) if type(part) is str else part for part in self.cause],
        ]
        return hashlib.sha256(dumps(parts)).hexdigest()[:16]

    def row(
        self,
        number: int,
        shown: Callable[[str], str],
        key_of: Callable[[int], str | None],
        because_of: int | None,
    ) -> dict:
        """The finding as row ``number`` of the table.

        ``shown`` makes the files in its sentences short, ``key_of`` gives the key of a compile.
        """
        function, file, line = self.place
        remedies = sorted(self.remedies, key=lambda remedy: remedy.source != TORCH)
        return {
            "id": number,
            "kind": self.kind,
            "fingerprint": self.fingerprint(),
            "severity": self.severity,
            "title": cut(shown(self.title), MAX_TITLE),
            "text": cut(shown(self.text), MAX_TEXT),
            "function": function and cut(function, MAX_TITLE),
            "file": file,
            "line": line,
            "compiles": _distinct([key for key in map(key_of, self.compiles) if key is not None]),
            "events": _distinct(self.events),
            "spans": _distinct(self.spans),
            "count": self.count,
            "cost_us": self.cost_us,
            "cost_of": self.cost_of if self.cost_us is not None else None,
            "remedies": [remedy.row() for remedy in remedies],
            "because_of": because_of,
            "details": self.details,
        }


def stage(kind: str, severity: str, details: dict) -> int:
    """Return what comes first whatever it cost: ERROR, then EAGER (a function that torch stopped compiling),
    then REST.
    """
    if severity != "error":
        return REST
    return EAGER if kind == "recompile-limit" and not details["raised"] else ERROR


def weight(summary: dict) -> tuple[int, int, int]:
    """By this the log with most to say comes last: errors, warnings, time of compiling (``openingLog`` of the
    viewers does the same).
    """
    return summary["findings"]["error"], summary["findings"]["warning"], summary["compile_us"] or 0


def cut(text: str, most: int) -> str:
    """A text that is not longer than that; code in it ends."""
    if len(text) <= most:
        return text
    kept = text[: most - 2].rstrip() + "…"
    return kept + "`" * (kept.count("`") % 2)


def _distinct(rows: Sequence[Any]) -> list[Any]:
    return list(dict.fromkeys(rows))[:MAX_EVIDENCE]
