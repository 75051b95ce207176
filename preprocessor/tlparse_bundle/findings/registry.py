"""The kinds of findings. A new one is one module and one line here, or an entry point of another package.

A module has ``KINDS``, the kinds that it makes, and ``findings(facts)``, which yields Findings.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tlparse_bundle.findings import (
    autotune,
    caches,
    collectives,
    cudagraphs,
    data_problems,
    exports,
    failures,
    graph_breaks,
    guard_cost,
    recompiles,
    slow_spans,
    specializations,
    unfinished,
    vllm_capture,
    vllm_failed,
    vllm_pieces,
    vllm_sizes,
)
from tlparse_bundle.findings.facts import Facts
from tlparse_bundle.findings.bounds import KIND as UNLISTED
from tlparse_bundle.findings.bounds import bounded
from tlparse_bundle.findings.finding import SEVERITIES, Finding
from tlparse_bundle.findings.summary import summary
from tlparse_bundle.plugins import plugins

NAME = "findings"  # of the table
ENTRY_POINTS = "tlparse_bundle.findings"
MODULES = (
    *(unfinished, failures, recompiles, graph_breaks, exports, specializations, cudagraphs, caches, slow_spans, autotune, guard_cost, collectives, data_problems),
    *(vllm_failed, vllm_pieces, vllm_capture, vllm_sizes),
)


def findings_of(facts: Facts) -> dict:
    """The table (schema: findings) of a log, from its other tables."""
    found = sorted(_all(facts, (*MODULES, *plugins(ENTRY_POINTS))), key=_order)
    listed = bounded(found)
    places = {finding.key: number for number, finding in reversed(list(enumerate(listed))) if finding.key is not None}
    rows = [finding.row(facts.short.text, places.get(finding.because_of) if finding.because_of is not None else None) for finding in listed]
    return {"summary": summary(facts, found), "findings": rows}


def _all(facts: Facts, modules: Iterable[Any]) -> list[Finding]:
    return [finding for module in modules for finding in module.findings(facts)]


def _order(finding: Finding) -> tuple:
    """Most important first: what is lost and has no figure, then by cost, then by severity. Equal ones keep their order."""
    unknown = finding.severity == "error" and finding.cost_us is None
    return not unknown, -(finding.cost_us or 0), SEVERITIES.index(finding.severity), -(finding.count if finding.order is None else finding.order)


def kinds(modules: Sequence[Any] = MODULES) -> list[str]:
    """All kinds of ours."""
    return [*(kind for module in modules for kind in module.KINDS), UNLISTED]
