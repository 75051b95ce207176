"""Graphs that run without CUDA graphs although the program enabled them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tlparse_bundle.base.wording import code, first_line, listed, plural
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.finding import Finding, KindReference

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import MetricsRow

KINDS = ("cudagraph-skip",)
REFERENCE = {
    "cudagraph-skip": KindReference(
        title="CUDA graphs skipped",
        meaning="torch could not use CUDA graphs for a graph although the program enabled them. The title "
        "has torch's reason.",
        fix="Remove the reason, such as a CPU input or a mutated input.",
        not_when="If launch overhead is small, the graph runs well without CUDA graphs.",
    ),
}
_WHERE = re.compile(r"\.?(?<!\s)\s*Found from\s*:.*", re.DOTALL)  # a stack that differs for each graph
_SKIPPING = re.compile(r"(skipping cudagraphs due to )\1+")  # backend "cudagraphs" writes it twice


def findings(facts: Facts) -> Iterator[Finding]:
    """Yield findings from ``cudagraph_skip_reason`` (torch/_dynamo/utils.py: CompilationMetrics)."""
    reasons: dict[str, str] = {}  # by text, since most graphs share one long text
    groups: dict[str, list[MetricsRow]] = {}
    for row in facts.metrics_with("cudagraph_skip_reason"):
        text = row["values"].get("cudagraph_skip_reason")
        if type(text) is str and text:
            if text not in reasons:
                reasons[text] = first_line(_SKIPPING.sub(r"\1", _WHERE.sub("", text)))
            groups.setdefault(reasons[text], []).append(row)
    for reason, rows in groups.items():
        compiles = [facts.number_of(row) for row in rows]
        names = list(
            dict.fromkeys(facts.compiles[number]["function"] or "(unknown function)" for number in compiles)
        )
        full = next(row["values"]["cudagraph_skip_reason"] for row in rows)
        yield Finding(
            "cudagraph-skip",
            "warning",
            f"{plural(len(rows), 'graph')} of {listed([code(name) for name in names])}"
            f" {'runs' if len(rows) == 1 else 'run'} without CUDA graphs: {reason}",
            (reason,),
            full if full.strip() != reason else "",
            facts.place_of(compiles[0]),
            compiles,
            [row["event"] for row in rows],
            count=len(rows),
            details={"reason": full, "functions": names[:100]},
            placed=False,
        )
