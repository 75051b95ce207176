"""Guards that take long to check: torch checks them before each call of the compiled function."""

from __future__ import annotations

from collections.abc import Iterator

from tlparse_bundle.findings.facts import Facts
from tlparse_bundle.findings.finding import Finding
from tlparse_bundle.findings.words import code, duration, function_name, plural

KINDS = ("guard-cost",)
_LEAST_US = 500  # of one check, as torch measured it


def findings(facts: Facts) -> Iterator[Finding]:
    table = facts.table("guards")
    groups: dict[tuple, list[dict]] = {}
    for tree in table["trees"]:
        if (tree["latency_us"] or 0) >= _LEAST_US:
            groups.setdefault(facts.function_keys[tree["compile_index"]], []).append(tree)
    for (file, name, line), trees in groups.items():
        worst = max(trees, key=lambda tree: tree["latency_us"])
        counts = table["lists"][worst["list_index"]]["counts"]
        most = sorted(counts.items(), key=lambda item: -item[1])[:3]
        yield Finding(
            "guard-cost",
            "info",
            f"One check of the guards of {function_name(name)} took {duration(worst['latency_us'])}, of {plural(worst['guard_count'], 'guard')}",
            (),
            "torch checks them before each call, and measured this once. Most are " + ", ".join(f"{code(kind)} ({count:,})" for kind, count in most) + ".",
            (name, file and facts.short(file), line),
            [tree["compile_index"] for tree in trees],
            [tree["event_index"] for tree in trees],
            count=len(trees),
            details={"latency_us": worst["latency_us"], "guard_count": worst["guard_count"]},
        )
