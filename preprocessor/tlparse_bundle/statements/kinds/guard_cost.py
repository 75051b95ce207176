"""Guards that take long to check: torch checks them before each call of the compiled function."""

from __future__ import annotations

from collections.abc import Iterator

from tlparse_bundle.base.wording import code, duration, function_name, plural
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.finding import Finding
from tlparse_bundle.statements.source_places import is_generated

KINDS = ("guard-cost",)
_LEAST_US = 500  # of one check, as torch measured it


def findings(facts: Facts) -> Iterator[Finding]:
    groups: dict[tuple, list[dict]] = {}
    for tree in facts.table("guard_trees"):
        if (tree["latency_us"] or 0) >= _LEAST_US:
            groups.setdefault(facts.function_keys[facts.number_of(tree)], []).append(tree)
    for (file, name, line), trees in groups.items():
        worst = max(trees, key=lambda tree: tree["latency_us"])
        most = sorted(worst["counts"].items(), key=lambda item: -item[1])[:3]
        yield Finding(
            "guard-cost",
            "info",
            f"Checking {_guards(worst)} of {_function(file, name)} took {duration(worst['latency_us'])}",
            (),
            "torch checks them before each call. It measured this once, after it had compiled; a busy machine"
            " makes it longer. Most are "
            + ", ".join(f"{code(kind)} ({count:,})" for kind, count in most)
            + ".",
            (name, file and facts.short(file), line),
            [facts.number_of(tree) for tree in trees],
            [tree["event"] for tree in trees],
            count=len(trees),
            details={"latency_us": worst["latency_us"], "guard_count": worst["guard_count"]},
        )


def _guards(tree: dict) -> str:
    return "the one guard" if tree["guard_count"] == 1 else f"the {plural(tree['guard_count'], 'guard')}"


def _function(file: str | None, name: str | None) -> str:
    return "code that torch generated" if is_generated(file) else function_name(name)
