"""Rules that compare with a baseline: ``new:KIND``, ``worse:KIND`` and ``slower:10%``."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.wording import duration, listed, plural
from tlparse_bundle.statements.finding import UNLISTED
from tlparse_bundle.statements.ranks.rank_finding import KINDS as KINDS_OF_RANKS
from tlparse_bundle.statements.registry import kinds as kinds_of_logs
from tlparse_bundle.statements.registry import plugin_kinds
from tlparse_bundle.statements.runs.check.baseline import (
    MEASURED,
    OF_RANKS,
    Baseline,
    baseline_of,
    is_unknown,
    time_of,
)
from tlparse_bundle.statements.runs.check.limits import (
    BREAKS,
    COMPILE_TIME,
    FAILED,
    FAILURES,
    PASSED,
    RECOMPILES,
    UNKNOWN,
    Outcome,
    why_not_recorded,
)
from tlparse_bundle.statements.runs.compare.matched_findings import GONE, NEW, WORSE, Row, matched_findings
from tlparse_bundle.statements.selection import Section

ANY = "any"  # every kind of finding that is an error or a warning
LEAST_US = 1_000_000  # smaller differences are noise
_PERCENT = re.compile(r"\d{1,6}(\.\d{1,6})?%", re.ASCII)
_RULES = ("new", "worse", "slower")
_AMOUNT_OF_KIND = {
    "graph-break": BREAKS,
    "recompile": RECOMPILES,
    "recompile-limit": RECOMPILES,
    "failure": FAILURES,
    ANY: BREAKS,
}


@dataclass(frozen=True)
class Rule:
    """A rule. ``of``: kind of finding, or percentage of ``slower`` as text. ``more``: its value."""

    what: str
    of: str
    more: Fraction = Fraction(0)

    def __str__(self) -> str:
        return f"{self.what}:{self.of}"


def parse(text: str) -> list[Rule]:
    """Parse "new:graph-break,slower:10%". Raise BundleError (exit code 2) if a rule is invalid."""
    return list(dict.fromkeys(_rule(part.strip()) for part in text.split(",") if part.strip()))


def _rule(text: str) -> Rule:
    what, _, of = text.partition(":")
    if what not in _RULES or not of:
        raise _misuse(
            f"{text!r} is not a rule",
            "Rules are new:KIND, worse:KIND (KIND as in a report, or any) and slower:PERCENT%.",
        )
    if what == "slower":
        if not _PERCENT.fullmatch(of):
            raise _misuse(f"{text!r}: {of!r} is not a percentage", "Write slower:10%")
        return Rule(what, of, Fraction(of[:-1]) / 100)
    if of in MEASURED:
        raise _misuse(
            f"{text!r}: findings of this kind depend on times, which vary from run to run",
            "Use slower:10% to check the compile time.",
        )
    kinds = _rule_kinds()
    if of not in kinds:
        close = difflib.get_close_matches(of, kinds, n=1)
        raise _misuse(
            f"{text!r}: {of!r} is not a kind of finding",
            f"Did you mean {close[0]}?" if close else f"Kinds are: {', '.join(kinds)}",
        )
    return Rule(what, of)


def _rule_kinds() -> list[str]:
    return [
        kind
        for kind in dict.fromkeys([ANY, *kinds_of_logs(), *plugin_kinds(), *KINDS_OF_RANKS])
        if kind not in {*MEASURED, UNLISTED}
    ]


def _misuse(message: str, hint: str) -> BundleError:
    return BundleError(message, hint=hint, code="usage", exit_code=2)


def outcomes(sections: Sequence[Section], base: Baseline, rules: Sequence[Rule]) -> Iterator[Outcome]:
    """Yield an outcome for each rule, in order."""
    current = baseline_of(sections)
    for rule in rules:
        yield (
            _slower(sections, base, current, rule)
            if rule.what == "slower"
            else _findings(sections, base, current, rule)
        )


def _findings(sections: Sequence[Section], base: Baseline, current: Baseline, rule: Rule) -> Outcome:
    outcome = _outcome(sections, base, current, rule)
    if len(sections) == 1:
        return outcome
    return replace(
        outcome,
        findings=[
            {**row, "title": f"{row['title']} · {listed(current.logs[row['fingerprint']])}"}
            for row in outcome.findings
        ],
    )


def _outcome(sections: Sequence[Section], base: Baseline, current: Baseline, rule: Rule) -> Outcome:
    rows = [row for row in current.findings.values() if _applies_to(row, rule)]
    matched = matched_findings(base.rows(), rows)
    if rule.what == "worse":
        worse = [
            _compared(match.row, match.base)
            for match in matched
            if match.change == WORSE and match.base is not None
        ]
        if worse:
            return Outcome(
                str(rule), "", FAILED, f"{plural(len(worse), 'finding')} worse than in the baseline.", worse
            )
    else:
        new = [match.row for match in matched if match.change == NEW]
        unknown = {kind: amount for kind, amount in _AMOUNT_OF_KIND.items() if is_unknown(base, amount)}
        certain = [row for row in new if row["kind"] not in unknown]
        if certain:
            return Outcome(
                str(rule),
                "",
                FAILED,
                f"{plural(len(certain), 'finding')} not in the baseline.",
                certain,
            )
        if new:
            return Outcome(
                str(rule),
                "",
                UNKNOWN,
                f"{plural(len(new), 'finding')} may not be new: the log of the baseline does not"
                f" record {unknown[new[0]['kind']].many}.",
                new,
            )
        compared = {match.row["fingerprint"] for match in matched}
        hidden = [row for row in rows if row["fingerprint"] not in compared]
        if hidden:
            text = f"{plural(len(hidden), 'finding')} may be among those that the baseline does not list."
            return Outcome(str(rule), "", UNKNOWN, text, hidden)
    doubt = _doubt(sections, current, rule)
    if doubt:
        return Outcome(str(rule), "", UNKNOWN, doubt)
    gone = sum(
        match.change == GONE
        and match.row["fingerprint"] not in current.findings
        and _applies_to(match.row, rule)
        for match in matched
    )
    left = (
        f" {plural(gone, 'finding')} of the baseline {'is' if gone == 1 else 'are'} gone. Update the"
        f" baseline, or {'it' if gone == 1 else 'they'} can return unnoticed."
    )
    return Outcome(str(rule), "", PASSED, "None." + (left if gone and rule.what == "new" else ""))


def _applies_to(row: Row, rule: Rule) -> bool:
    return rule.of == row["kind"] or (rule.of == ANY and row["severity"] != "info")


def _compared(row: Row, before: Row) -> Row:
    """Return a finding with the values of now and of the baseline in its title."""
    what = "count" if row["count"] != before["count"] else "severity"
    return {**row, "title": f"{row['title']} ({row[what]} now, {before[what]} in the baseline)"}


def _doubt(sections: Sequence[Section], current: Baseline, rule: Rule) -> str | None:
    """Return why findings of this kind may be missing; None if they cannot be."""
    hidden = sum(
        count
        for kind, count in current.unlisted.items()
        if rule.of in (kind, ANY) or (kind == OF_RANKS and rule.of in KINDS_OF_RANKS)
    )
    if hidden:
        return (
            f"{plural(hidden, 'finding')} of this bundle {'is' if hidden == 1 else 'are'} not listed, so"
            " the rule cannot be checked."
        )
    amount = _AMOUNT_OF_KIND.get(rule.of)
    for section in sections:
        if section.log is not None:
            if amount is not None and amount.of(section.summary) is None:
                return f"{section.name}: {why_not_recorded(amount)}."
            if section.more is not None:
                return f"{section.name}: {section.more}."
    return None


def _slower(sections: Sequence[Section], base: Baseline, current: Baseline, rule: Rule) -> Outcome:
    """Compare the compile times of the slowest logs."""
    before, now = time_of(base), time_of(current)
    if before is None or now is None:
        text = (
            why_not_recorded(COMPILE_TIME)
            if now is None
            else "The baseline has no compile time: it was written without --with-time, or its log has none"
        )
        return Outcome(str(rule), "", UNKNOWN, f"{text}.")
    text = f"{duration(now)} of compile time, {duration(before)} in the baseline"
    if now > before * (1 + rule.more) and now - before >= LEAST_US:
        return Outcome(
            str(rule),
            "",
            FAILED,
            f"{text}: {float((now - before) / Fraction(before)):.0%} more." if before else f"{text}.",
        )
    doubt = next(filter(None, (section.more for section in sections)), None)
    return (
        Outcome(str(rule), "", UNKNOWN, f"{text}, but {doubt}.")
        if doubt
        else Outcome(str(rule), "", PASSED, f"{text}.")
    )
