"""What is wrong, most important first, and what follows from what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tlparse_bundle.format.json_codec import dumps_sorted
from tlparse_bundle.ranks.comparison import Comparison
from tlparse_bundle.ranks.findings import Finder
from tlparse_bundle.ranks.frames import Frames
from tlparse_bundle.ranks.sets import ranges, ranks_among, ranks_in

MAX_STATEMENTS = 1000
SEVERITIES = ("error", "warning", "info")
# What comes first can be the cause of what comes later, when it is about the same ranks and no later compile.
CAUSES = (
    "missing_rank", "empty_log", "unfinished_compile", "silent_rank", "stopped_rank", "cut_log", "failure", "graph_break", "restart",
    "recompile", "compile_order", "extra_compile", "missing_compile", "graph", "execution_order", "collectives", "tensors", "guard",
)  # fmt: skip
_ALONE = ("straggler", "late_start", "missing_wait", "parity")


class Verdict:
    name = "verdict"

    def digest(self, frames: Frames) -> None:
        return None

    def table(self, comparison: Comparison, digests: Sequence[None], tables: Mapping[str, dict]) -> dict:
        statements = _ordered(_joined(list(Finder(comparison, tables).statements())))[:MAX_STATEMENTS]
        ranks = sorted(member.rank for member in comparison.members)
        about = {rank for statement in statements for rank in ranks_among(statement["ranks"], ranks)}
        return {"ranks": ranges(ranks), "agreeing": ranges(set(ranks) - about), "statements": statements}


def _joined(statements: list[dict]) -> list[dict]:
    """Statements that say the same of several ranks are one."""
    found: dict[tuple, dict] = {}
    for statement in statements:
        key = (statement["kind"], statement["column_index"], dumps_sorted(statement["details"]))
        known = found.setdefault(key, statement)
        if known is not statement:
            known["ranks"] = ranges([*ranks_in(known["ranks"]), *ranks_in(statement["ranks"])])
    return list(found.values())


def _ordered(statements: list[dict]) -> list[dict]:
    """Roots by severity of what follows from them, each before that."""
    statements.sort(key=lambda s: (_precedence(s), _column(s), s["ranks"]))
    causes: dict[int, int] = {}
    roots: dict[tuple, list[int]] = {}  # by ranks: only what is about the same ranks can be the cause
    for number, statement in enumerate(statements):
        if statement["kind"] not in CAUSES:
            continue
        same = roots.setdefault(tuple(map(tuple, statement["ranks"])), [])
        cause = next((root for root in same if _column(statements[root]) <= _column(statement)), None)
        if cause is None:
            same.append(number)
        else:
            causes[number] = cause
    families: dict[int, list[int]] = {}
    for number in range(len(statements)):
        families.setdefault(causes.get(number, number), []).append(number)

    def weight(root: int) -> tuple:
        severity = min(SEVERITIES.index(statements[number]["severity"]) for number in families[root])
        return severity, _column(statements[root]), root

    order = [number for root in sorted(families, key=weight) for number in families[root]]
    place = {number: position for position, number in enumerate(order)}
    return [statements[number] | {"because_of": place[causes[number]] if number in causes else None} for number in order]


def _precedence(statement: dict) -> int:
    """Among kinds. That a graph has other collectives says more than that it is another one, unless its inputs tell why."""
    kinds = (*CAUSES, *_ALONE)
    unexplained = statement["kind"] == "graph" and not statement["details"]["inputs"]
    return kinds.index("collectives" if unexplained else statement["kind"]) * 2 + unexplained


def _column(statement: dict) -> int:
    return -1 if statement["column_index"] is None else statement["column_index"]
