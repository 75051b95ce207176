"""Functions of which torch compiled some calls, and found nothing to compile in others."""

from __future__ import annotations

from tlparse_bundle.statements.facts import Facts, FunctionKey


def partly_empty(facts: Facts) -> dict[FunctionKey, int]:
    """Return the last compile of each of these functions: a row of ``Facts.compiles``."""
    last = {
        facts.function_key(frame.rows[0]): -1 for frame in facts.compiled if frame.row["status"] == "empty"
    }
    if not last:
        return {}  # as in most logs
    compiled: set[FunctionKey] = set()
    for frame in facts.compiled:
        key = facts.function_key(frame.rows[0])
        if key in last:
            last[key] = frame.rows[-1]
            if frame.row["status"] == "ok":
                compiled.add(key)
    return {key: number for key, number in last.items() if key in compiled}
