"""What else recompiled in the calls of a recompile: its resume functions, and functions that it calls."""

from __future__ import annotations

from tlparse_bundle.base.wording import listed
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.guard_changes import subject
from tlparse_bundle.statements.nearest_entries import has_more_differences
from tlparse_bundle.statements.recompile_causes import Cause, RequestedRecompiles


def in_the_same_calls(facts: Facts, rows: RequestedRecompiles, cause: Cause) -> str | None:
    """Return what else recompiled in the same calls, as a sentence."""
    resumed = [
        one
        for number in cause.followers
        if facts.function_key((one := rows[number]).compile_index) == cause.function
    ]
    names = {facts.compiles[one.compile_index]["function"] for one in resumed}
    reasons = (one.reason for one in resumed if one.reason and one.reason["source"])
    failed = dict.fromkeys(
        subject(reason["change"], reason["source"], reason["dimension"]) for reason in reasons
    )
    called = len(cause.followers) - len(resumed)
    groups = []
    if resumed:
        more = any(
            one.reason and has_more_differences(facts, one.row["compile"], one.reason) for one in resumed
        )
        why = f", for {listed(list(failed))}{' among others' if more else ''}" if failed else ""
        groups.append(f"its resume function{'s' * (len(names) > 1)} also recompiled{why}")
    if called:
        groups.append("functions that it calls also recompiled")
    return f"In {_calls(rows, cause)}, {', and '.join(groups)}." if groups else None


def _calls(rows: RequestedRecompiles, cause: Cause) -> str:
    """Return in which calls of a cause others recompiled: "the same call"."""
    if len(cause.rows) == 1:
        return "the same call"
    leaders = {rows[number].row["follows"] for number in cause.followers}
    count = sum(rows[number].row["compile"] in leaders for number in cause.rows)
    return (
        "the same calls" if count == len(cause.rows) else f"{'one' if count == 1 else count} of these calls"
    )
