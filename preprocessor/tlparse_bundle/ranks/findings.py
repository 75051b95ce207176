"""What the ranks of a job say together: findings, most important first, and what follows from what."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from tlparse_bundle.findings.finding import MAX_TEXT, MAX_TITLE, SEVERITIES, cut
from tlparse_bundle.findings.places import Shortener, normalised, tail
from tlparse_bundle.format.json_codec import dumps, dumps_sorted
from tlparse_bundle.ranks import job
from tlparse_bundle.ranks.comparison import Comparison
from tlparse_bundle.ranks.rank_table import Tables
from tlparse_bundle.ranks.reasons import OF_OTHERS, follows
from tlparse_bundle.ranks.sentences import Sentences, place_of
from tlparse_bundle.ranks.sets import ranges, ranks_among, ranks_in
from tlparse_bundle.ranks.statements import Finder

MAX_FINDINGS = 300
# What it does to the job, worst first, and kinds in their order within that.
_EFFECTS = (
    # It cannot go on.
    ("collective-mismatch", "failed-everywhere", "failure", "unfinished-compile", "never-began", "missing-rank", "empty-log", "cut-log", "collective-waits", "group-differs", "equal-logs"),
    # Its results are wrong.
    ("missing-wait", "collective-parity", "mixed-versions", "rank-differs"),
    # It is slow.
    ("cached-before", "straggler", "late-start"),
    # The ranks are not the same.
    ("graph-break", "restart", "recompile", "compile-order", "extra-compile", "missing-compile", "graph", "execution-order", "collectives", "tensors", "guard"),
    ("other-run", "no-rank", "stages"),
)  # fmt: skip
KINDS = tuple(kind for kinds in _EFFECTS for kind in kinds)
_EFFECT = {kind: effect for effect, kinds in enumerate(_EFFECTS) for kind in kinds}
_WRONG, _DIFFERENT = 1, 3


def findings(comparison: Comparison, tables: Tables) -> list[dict]:
    """All findings as rows of ``rank_findings``, most important first. ``tables`` are those of all analyses."""
    finder = Finder(comparison, tables)
    known = [*job.statements(finder), *finder.statements()]
    statements = _ordered(_joined(_without_cuts(comparison, tables, known)))
    compiles = tables["rank_compiles"]
    sentences, short = Sentences(compiles), Shortener(compile["file"] for compile in compiles)
    return [_row(number, statement, sentences, compiles, short) for number, statement in enumerate(statements)]


def _without_cuts(comparison: Comparison, tables: Tables, statements: list[dict]) -> list[dict]:
    """Without what is different only because a log is cut: at its last compile and behind it."""
    last: dict[int, int] = {}
    for problem in tables["rank_problems"]:
        if problem["kind"] in ("cut", "empty", "unfinished"):
            for number, member in enumerate(comparison.members):
                order = comparison.orders[comparison.kind[number]]
                if ranks_among(problem["ranks"], [member.rank]):
                    last[member.rank] = min(last.get(member.rank, len(comparison.columns)), order[-1] if order else -1)
    return [statement for statement in statements if not _is_behind(statement, last)]


def _is_behind(statement: dict, last: Mapping[int, int]) -> bool:
    if _EFFECT.get(statement["kind"]) != _DIFFERENT or statement["rank_compile"] is None:
        return False
    ranks = ranks_in(statement["ranks"]) if statement["kind"] != "extra-compile" else ranks_in(statement["others"])
    return bool(ranks) and all(rank in last and statement["rank_compile"] >= last[rank] for rank in ranks)


def _joined(statements: list[dict]) -> list[dict]:
    """Statements that say the same of several ranks are one."""
    found: dict[tuple, dict] = {}
    for statement in statements:
        key = (statement["kind"], statement["rank_compile"], dumps_sorted(statement["details"]))
        known = found.setdefault(key, statement)
        if known is not statement:
            known["ranks"] = ranges([*ranks_in(known["ranks"]), *ranks_in(statement["ranks"])])
    return list(found.values())


def _weight(statement: dict) -> tuple:
    """What does most to the job first, then by position."""
    kind, details = statement["kind"], statement["details"]
    effect = _EFFECT.get(kind, _DIFFERENT)
    if kind == "collective-mismatch" and details["effect"] == "wrong":
        effect = _WRONG
    if kind == "never-began" and statement["severity"] == "info":
        effect = _DIFFERENT  # nobody waits
    if kind == "execution-order" and statement["severity"] == "error":
        effect = 0.5
    first_of_all = kind == "collective-mismatch"
    order = KINDS.index(kind) if kind in KINDS else len(KINDS)
    # That a graph has other collectives says more than that it is another one, unless its inputs tell why.
    if kind == "graph" and not details["inputs"]:
        order = KINDS.index("collectives") + 0.5
    column = -1 if statement["rank_compile"] is None else statement["rank_compile"]
    return effect, not first_of_all, order if effect < _DIFFERENT else 0, column, order, statement["ranks"]


def _ordered(statements: list[dict]) -> list[dict]:
    """Each before what follows from it, families by the first of them."""
    statements.sort(key=_weight)
    causes: dict[int, int] = {}
    roots: list[int] = []
    near: dict[str, list[int]] = {}  # roots about the same ranks, of which there are few
    for number, statement in enumerate(statements):
        same = near.setdefault(str(statement["ranks"]), [])
        cause = next((root for root in sorted({*same, *near.get("", ())}) if follows(statement, statements[root])), None)
        if cause is None:
            roots.append(number)
            same.append(number)
            if statement["kind"] in OF_OTHERS:
                near.setdefault("", []).append(number)
        else:
            causes[number] = cause
    families: dict[int, list[int]] = {}
    for number in range(len(statements)):
        families.setdefault(causes.get(number, number), []).append(number)
    order = [number for root in roots for number in families[root]]
    place = {number: position for position, number in enumerate(order)}
    return [statements[number] | {"because_of": place[causes[number]] if number in causes else None} for number in order]


def _row(number: int, statement: dict, sentences: Sentences, compiles: Sequence[dict], short: Shortener) -> dict:
    title, text = sentences(statement)
    function, file, line = place_of(statement, compiles)
    parts = [statement["kind"], function, tail(file) if file else None, *_cause(statement["details"])]
    return {
        "id": number,
        "log": statement["log"],
        "rank_compile": statement["rank_compile"],
        "compile": statement["compile"],
        "others_compile": statement["others_compile"],
        "kind": statement["kind"],
        "fingerprint": hashlib.sha256(dumps(parts)).hexdigest()[:16],
        "severity": statement["severity"] if statement["severity"] in SEVERITIES else "info",
        "title": cut(short.text(title), MAX_TITLE),
        "text": cut(short.text(text), MAX_TEXT),
        "function": function,
        "file": file and short(file),
        "line": line,
        "ranks": statement["ranks"],
        "others": statement["others"],
        "count": 1,
        "cost_us": statement["details"].get("lost_us"),
        "cost_of": "by how much it took longer than half of the ranks, over all compiles" if statement["details"].get("lost_us") is not None else None,
        "remedies": [],
        "because_of": statement["because_of"],
        "evidence": statement["evidence"],
        "details": statement["details"],
    }


def _cause(details: Mapping[str, Any]) -> list:
    """What makes it the same in another run: no ranks, ids, sizes or names of groups, which are numbers."""
    texts = [normalised(details[key]) for key in ("text", "type", "stage", "effect") if type(details.get(key)) is str]
    calls = [details[key] for key in ("here", "others", "call") if type(details.get(key)) is dict and "op" in details[key]]
    return [*texts, *([call["op"], call["reduce_op"]] for call in calls)]
