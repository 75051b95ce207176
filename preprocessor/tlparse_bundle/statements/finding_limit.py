"""How many findings a log has at most.

A log with thousands of failed functions has a table that is read all the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tlparse_bundle.base.wording import listed, plural
from tlparse_bundle.statements.finding import SEVERITIES, Finding

KIND = "unlisted"
MAX_FINDINGS = 300
_MAX_COSTLY = 150  # of these, that are kept for what they cost


def bounded(found: Sequence[Finding], most: int = MAX_FINDINGS, costly: int = _MAX_COSTLY) -> list[Finding]:
    """Return the findings in their order: the most costly ones, those that come first, and a last one that
    counts the others.
    """
    if len(found) <= most:
        return list(found)
    by_cost = sorted(range(len(found)), key=lambda number: -(found[number].cost_us or 0))
    kept = {number for number in by_cost[:costly] if found[number].cost_us}
    for number in (*_first_of_kinds(found), *range(len(found))):
        if len(kept) >= most - 1:
            break
        kept.add(number)
    others = [finding for number, finding in enumerate(found) if number not in kept]
    return [*(found[number] for number in sorted(kept)), _unlisted(others)]


def _first_of_kinds(found: Sequence[Finding]) -> list[int]:
    """The first one of each kind: no kind is lost altogether."""
    first: dict[str, int] = {}
    for number, finding in enumerate(found):
        first.setdefault(finding.kind, number)
    return list(first.values())


def _unlisted(others: Sequence[Finding]) -> Finding:
    kinds = Counter(finding.kind for finding in others).most_common()
    return Finding(
        KIND,
        min((finding.severity for finding in others), key=lambda name: SEVERITIES[name].rank),
        f"{plural(len(others), 'more finding')} {'is' if len(others) == 1 else 'are'} not listed:"
        f" {listed([f'{count:,} {kind}' for kind, count in kinds], 5)}",
        (),
        "The numbers of the headline include them, and the other tables list what they are about.",
        compiles=[finding.compiles[0] for finding in others if finding.compiles],
        events=[finding.events[0] for finding in others if finding.events],
        spans=[finding.spans[0] for finding in others if finding.spans],
        count=len(others),
        details={"kinds": [{"kind": kind, "count": count} for kind, count in kinds]},
    )
