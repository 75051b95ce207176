"""Consequences of findings: each follows its cause and has no fix of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tlparse_bundle.statements.finding import Finding
from tlparse_bundle.statements.statement import ordered, root_of

_CONSTANT = re.compile(r"your code specialized it to be a constant \((\d{1,15})\)")


def chained(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings, most important first, each cause followed by its consequences. A cause stands
    where the most important of its consequences would.
    """
    findings = ordered(_said_once(findings))
    _attach_bypasses(findings)
    places = {finding.key: number for number, finding in enumerate(findings) if finding.key is not None}
    causes = {
        number: places[finding.because_of]
        for number, finding in enumerate(findings)
        if finding.because_of is not None and places.get(finding.because_of, number) != number
    }
    chains: dict[int, list[int]] = {}  # by the root, in order of the first member
    for number in range(len(findings)):
        chains.setdefault(root_of(number, causes), []).append(number)
    rows: list[Finding] = []
    for root, members in chains.items():
        rows.append(findings[root])
        for number in members:
            if number != root:
                findings[number].remedies = ()
                findings[number].because_of = findings[root].key  # not a consequence between them
                rows.append(findings[number])
    return rows


def _said_once(findings: Sequence[Finding]) -> list[Finding]:
    """Drop specializations that a failure states."""
    failed = {
        compile
        for finding in findings
        if finding.kind == "failure"
        and (finding.details["exception_type"] or "").endswith("ConstraintViolationError")
        for compile in finding.compiles
    }
    constants = {
        value
        for finding in findings
        if finding.kind == "failure" and finding.details["phase"] == "export"
        for value in _CONSTANT.findall(finding.details["message"] or "")
    }
    return [
        finding
        for finding in findings
        if finding.kind != "specialization"
        or not (
            not failed.isdisjoint(finding.compiles)
            or {str(size["value"]) for size in finding.details["sizes"]} <= constants
        )
    ]


def _attach_bypasses(findings: Sequence[Finding]) -> None:
    """Attach bypasses of the FX graph cache to those of the AOTAutograd cache in the same compiles, unless
    torch gives a reason of its own.
    """
    outer = [one for one in findings if one.kind == "cache-bypass" and one.details["cache"] == "aot_autograd"]
    for finding in findings:
        if finding.kind == "cache-bypass" and finding.details["cache"] == "fx_graph":
            compiles, reason = set(finding.compiles), finding.details["reason"]
            fitting = (one for one in outer if reason in (None, one.details["reason"]))
            cause = next((one for one in fitting if compiles.issubset(one.compiles)), None)
            if cause is not None:
                cause.key = cause.key or (cause.kind, *cause.cause)
                finding.because_of = cause.key
