"""A finding about steps without requests."""

from __future__ import annotations

from collections.abc import Iterator

from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.finding import Finding, Remedy

KINDS = ("my-idle-steps",)


def findings(facts: Facts) -> Iterator[Finding]:
    idle = [row for row in facts.table("my_steps") if row["requests"] == 0]
    if idle:
        yield Finding(
            "my-idle-steps",
            "warning",
            f"{len(idle)} steps had no requests",
            cause=("idle",),
            events=[row["event"] for row in idle],
            count=len(idle),
            remedies=[Remedy("Wait until there is a request.")],
        )
