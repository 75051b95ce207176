"""Baselines for later checks: findings by fingerprint, and numbers. The file has one finding per line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.atomic.folder import new_file
from tlparse_bundle.bundle.checks import damaged
from tlparse_bundle.bundle.json_codec import loads
from tlparse_bundle.bundle.schemas import schema
from tlparse_bundle.statements.finding import UNLISTED
from tlparse_bundle.statements.ranks.findings import MAX_FINDINGS
from tlparse_bundle.statements.runs.check.limits import AMOUNTS, CACHE_MISSES, COMPILE_TIME, Amount
from tlparse_bundle.statements.runs.compare.matched_findings import TIMED, Row
from tlparse_bundle.statements.selection import Section

WHAT, VERSION = "tlparse-bundle baseline", 1
# Findings about times vary from run to run; the rule `slower:` compares times.
MEASURED = TIMED | {"straggler", "late-start"}
_DIGITS = 2  # of times
OF_RANKS = "ranks"  # stands for the unlisted findings about several ranks, whose kinds are unknown


@dataclass
class Baseline:
    """Findings and numbers of a bundle, or of a baseline file.

    ``findings``: rows by fingerprint; ``count`` is the highest of one log. ``logs``: names of logs by
    fingerprint, empty for a file. ``unlisted``: numbers of unlisted findings by kind.
    """

    findings: dict[str, Row] = field(default_factory=dict)
    logs: dict[str, list[str]] = field(default_factory=dict)
    unlisted: Counter[str] = field(default_factory=Counter)
    numbers: dict[str, int | None] = field(default_factory=dict)

    def rows(self) -> list[Row]:
        """Return rows as in a table of findings; the last one counts the unlisted ones."""
        kinds = [{"kind": kind, "count": count} for kind, count in self.unlisted.items()]
        return [
            *self.findings.values(),
            *([{"kind": UNLISTED, "details": {"kinds": kinds}}] if kinds else []),
        ]


def baseline_of(sections: Sequence[Section]) -> Baseline:
    """Return the baseline of the sections of a bundle."""
    baseline = Baseline()
    for section in sections:
        for row in section.findings:
            if row["kind"] == UNLISTED:
                baseline.unlisted.update(_kinds(row))
        for row in _once(section.findings):
            before = baseline.findings.get(row["fingerprint"])
            if before is None or row["count"] > before["count"]:
                baseline.findings[row["fingerprint"]] = row
            baseline.logs.setdefault(row["fingerprint"], []).append(section.name)
        if section.log is None and len(section.findings) >= MAX_FINDINGS:
            baseline.unlisted[OF_RANKS] += 1
    logs = [section.summary for section in sections if section.log is not None]
    for amount in (one for one in AMOUNTS if one is not CACHE_MISSES):  # these depend on the machine
        values = [amount.of(summary) for summary in logs]
        recorded = [value for value in values if value is not None]
        baseline.numbers[_name(amount)] = (
            max(recorded, default=None) if len(recorded) == len(values) else None
        )
    return baseline


def _kinds(unlisted: Row) -> dict[str, int]:
    """Return the numbers of unlisted findings by kind. Raise BundleError if the details are invalid."""
    try:
        return {str(kind["kind"]): max(1, int(kind["count"])) for kind in unlisted["details"]["kinds"]}
    except (KeyError, TypeError, ValueError, OverflowError):
        raise damaged("the table of findings", "the details of unlisted findings are invalid") from None


def _once(rows: Sequence[Row]) -> Iterable[Row]:
    """Return the findings of one log without those about times, joined by fingerprint."""
    by_fingerprint: dict[str, Row] = {}
    for row in rows:
        if row["kind"] != UNLISTED and row["kind"] not in MEASURED:
            earlier = by_fingerprint.get(row["fingerprint"])
            by_fingerprint[row["fingerprint"]] = (
                row if earlier is None else {**earlier, "count": earlier["count"] + row["count"]}
            )
    return by_fingerprint.values()


def time_of(baseline: Baseline) -> int | None:
    """Return the longest compile time of a log in microseconds; None: not recorded."""
    return baseline.numbers.get(_name(COMPILE_TIME))


def is_unknown(baseline: Baseline, amount: Amount) -> bool:
    """Return whether a log of the baseline does not record an amount."""
    return baseline.numbers.get(_name(amount), 0) is None


def text(baseline: Baseline, *, with_time: bool) -> str:
    """Return the text of the file, equal for equal findings. ``with_time`` adds the rounded compile time."""
    numbers = {name: value for name, value in baseline.numbers.items() if name != _name(COMPILE_TIME)}
    if with_time:
        time_us = time_of(baseline)
        numbers[_name(COMPILE_TIME)] = None if time_us is None else int(float(f"{time_us:.{_DIGITS - 1}e}"))
    rows = sorted(
        (_row(row) for row in baseline.findings.values()),
        key=lambda row: (row["kind"], row["file"] or "", row["function"] or "", row["fingerprint"]),
    )
    head = {
        "what": WHAT,
        "version": VERSION,
        "most_in_one_log": numbers,
        "unlisted": dict(sorted(baseline.unlisted.items())),
    }
    lines = [f"  {json.dumps(name)}: {json.dumps(value)}," for name, value in head.items()]
    listed = ",\n".join(f"    {json.dumps(row)}" for row in rows)
    return (
        "\n".join(["{", *lines, f'  "findings": [\n{listed}\n  ]' if rows else '  "findings": []', "}"])
        + "\n"
    )


def write(path: Path, baseline: Baseline, *, with_time: bool, readers_of: Iterable[Any] = ()) -> None:
    """Write the file, or overwrite a baseline, with the read permissions of ``readers_of``.

    Raise BundleError if ``path`` exists and is not a baseline.
    """
    if path.exists():
        try:
            read(path)
        except BundleError as error:
            raise BundleError(
                f"{path} already exists and {error.message.removeprefix(f'{path} ')}",
                hint="Remove it, or choose a different file.",
                code="exists",
            ) from None
    with new_file(path, overwrite=True, readers_of=readers_of) as new:
        new.write_text(text(baseline, with_time=with_time), encoding="utf-8")


def read(path: Path) -> Baseline:
    """Read a baseline file. Raise BundleError if it is not one."""
    try:
        value = loads(path.read_bytes())
    except ValueError:
        value = None
    hint = "To write a baseline: tlparse-bundle check BUNDLE --write-baseline FILE"
    if not isinstance(value, dict) or value.get("what") != WHAT:
        raise BundleError(f"{path} is not a baseline", hint=hint, code="not-a-baseline")
    if value.get("version") != VERSION:
        raise BundleError(
            f"{path} is a baseline of version {value.get('version')}, not {VERSION}",
            hint=hint,
            code="version",
        )
    error = next(Draft202012Validator(schema("baseline")).iter_errors(value), None)
    if error is not None:
        raise BundleError(
            f"{path} is damaged: {error.json_path}: {error.message[:200]}", hint=hint, code="damaged"
        )
    return Baseline(
        {row["fingerprint"]: row for row in value["findings"]},
        {},
        Counter(value["unlisted"]),
        value["most_in_one_log"],
    )


def _name(amount: Amount) -> str:
    return "_".join([amount.name.replace("-", "_"), *([amount.unit] if amount.unit else [])])


def _row(row: Row) -> dict[str, Any]:
    return {
        name: row[name] for name in ("kind", "fingerprint", "severity", "file", "function", "count", "title")
    }
