"""What the ranks of a job say together: the headline, findings, most important first, and what follows from
what.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from tlparse_bundle.base.machine_text import normalised, tail
from tlparse_bundle.base.wording import large, plural
from tlparse_bundle.bundle.json_codec import dumps, dumps_sorted
from tlparse_bundle.model.functions import resume_function
from tlparse_bundle.statements.finding import MAX_TEXT, MAX_TITLE, SEVERITIES, cut
from tlparse_bundle.statements.ranks import job
from tlparse_bundle.statements.ranks.comparison import Comparison, Tables
from tlparse_bundle.statements.ranks.rank_sets import gaps, ranges, ranks_among, ranks_in, within
from tlparse_bundle.statements.ranks.runs import is_attempt
from tlparse_bundle.statements.ranks.statements import Finder
from tlparse_bundle.statements.ranks.wording import Sentences, known_ranks, numbers, place_of, size
from tlparse_bundle.statements.source_places import Shortener

_ENDS = (
    "failure",
    "unfinished-compile",
    "never-began",
    "empty-log",
    "cut-log",
    "missing-rank",
)  # a rank goes no further
_BEHIND = ("never-began", "missing-compile", "collective-waits", "execution-order")  # what it then lacks
OF_OTHERS = (
    *_ENDS,
    "cached-before",
    "equal-logs",
)  # what can be the reason for statements about other sets of ranks
_OF_VERSION = (
    "graph",
    "guard",
    "recompile",
    "restart",
    "graph-break",
    "extra-compile",
    "missing-compile",
    "tensors",
    "straggler",
)
# Within one compile: what makes it another one, and what is seen of that.
_IN_COMPILE = {
    "graph-break": ("graph", "restart", "collectives", "tensors", "guard", "recompile"),
    "graph": ("collectives", "tensors", "guard", "recompile", "restart"),
    "collective-mismatch": ("collectives", "graph", "tensors"),
    "group-differs": ("collectives", "graph"),
    "collective-waits": ("collectives", "graph", "tensors"),
    "collectives": ("graph", "tensors"),
    "recompile": ("graph", "guard", "extra-compile"),
    "failure": ("graph", "restart", "graph-break", "missing-compile", "collectives", "tensors"),
}
_NOTES = (
    "other-run",
    "no-rank",
    "stages",
    "late-start",
    "straggler",
    "cached-before",
)  # say nothing against the ranks being equal

_MOST_RUNS = 5  # of agreeing ranks that the headline lists
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
    """All findings as rows of ``rank_findings``, most important first.

    ``tables`` are those of all analyses.
    """
    finder = Finder(comparison, tables)
    known = [*job.statements(finder), *finder.statements()]
    statements = _ordered(_joined(_without_cuts(comparison, tables, known)))
    compiles = tables["rank_compiles"]
    sentences, short = Sentences(compiles), Shortener(compile["file"] for compile in compiles)
    return [
        _row(number, statement, sentences, compiles, short) for number, statement in enumerate(statements)
    ]


def _without_cuts(comparison: Comparison, tables: Tables, statements: list[dict]) -> list[dict]:
    """Without what is different only because a log is cut: at its last compile and behind it."""
    last: dict[int, int] = {}
    for problem in tables["rank_problems"]:
        if problem["kind"] in ("cut", "empty", "unfinished"):
            for number, member in enumerate(comparison.members):
                order = comparison.orders[comparison.kind[number]]
                if ranks_among(problem["ranks"], [member.rank]):
                    last[member.rank] = min(
                        last.get(member.rank, len(comparison.columns)), order[-1] if order else -1
                    )
    return [statement for statement in statements if not _is_behind(statement, last)]


def _is_behind(statement: dict, last: Mapping[int, int]) -> bool:
    if _EFFECT.get(statement["kind"]) != _DIFFERENT or statement["rank_compile"] is None:
        return False
    ranks = (
        ranks_in(statement["ranks"])
        if statement["kind"] != "extra-compile"
        else ranks_in(statement["others"])
    )
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
        cause = next(
            (root for root in sorted({*same, *near.get("", ())}) if follows(statement, statements[root])),
            None,
        )
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
    return [
        statements[number] | {"because_of": place[causes[number]] if number in causes else None}
        for number in order
    ]


def _row(
    number: int, statement: dict, sentences: Sentences, compiles: Sequence[dict], short: Shortener
) -> dict:
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
        "cost_of": (
            "by how much it took longer than half of the ranks, over all compiles"
            if statement["details"].get("lost_us") is not None
            else None
        ),
        "remedies": [],
        "because_of": statement["because_of"],
        "evidence": statement["evidence"],
        "details": statement["details"],
    }


def _cause(details: Mapping[str, Any]) -> list:
    """What makes it the same in another run: no ranks, ids, sizes or names of groups, which are numbers."""
    texts = [
        normalised(details[key])
        for key in ("text", "type", "stage", "effect")
        if type(details.get(key)) is str
    ]
    calls = [
        details[key]
        for key in ("here", "others", "call")
        if type(details.get(key)) is dict and "op" in details[key]
    ]
    return [*texts, *([call["op"], call["reduce_op"]] for call in calls)]


def summary(comparison: Comparison, tables: Tables, rows: Sequence[dict]) -> dict:
    """Return what the manifest says of the job (schema: manifest, 'job').

    ``rows`` are all findings, most important first.
    """
    ranks = sorted(member.rank for member in comparison.members)
    about = {rank for row in rows if row["kind"] not in _NOTES for rank in ranks_among(row["ranks"], ranks)}
    world_size = comparison.world_size
    own = comparison.runs[comparison.run]
    found = {
        "ranks": ranges(ranks),
        "agreeing": ranges(set(ranks) - about),
        "world_size": world_size,
        "missing": gaps(ranks, max(world_size or 0, max(ranks) + 1)),
        "collective_order": _collective_order(tables, rows),
        "run": comparison.run + 1,
        "runs": [
            {
                "ranks": ranges(run.logs),
                "logs": [run.logs[rank].log_id for rank in sorted(run.logs)],
                "start_epoch_us": run.start_epoch_us,
                "world_size": run.world_size,
                "torch_versions": sorted(run.versions),
                "attempt": run is own or is_attempt(run, own),
            }
            for run in comparison.runs
        ],
        "lost_us": sum(row["lost_us"] for row in tables["rank_skew"]),
        "findings": {severity: sum(row["severity"] == severity for row in rows) for severity in SEVERITIES},
    }
    return {"text": cut(_text(found, rows, len(comparison.columns)), MAX_TEXT), **found}


def _collective_order(tables: Tables, rows: Sequence[dict]) -> str:
    """'none': no collectives; 'differs': some cannot meet; 'unknown': not all logs tell, or some ranks have
    not come that far.
    """
    groups = tables["process_groups"]
    if not groups:
        return "none"
    if any(
        row["kind"] in ("collective-mismatch", "group-differs")
        or (row["kind"] == "collective-waits" and row["because_of"] is None)
        for row in rows
    ):
        return "differs"
    behind = any(row["details"].get("call") or row["kind"] == "equal-logs" for row in rows)
    return (
        "unknown"
        if behind or tables["collective_waits"] or any(group["unknown"] for group in groups)
        else "agrees"
    )


def _text(found: dict, rows: Sequence[dict], column_count: int) -> str:
    who = known_ranks(found["ranks"], found["world_size"])
    how_many = "" if found["world_size"] is not None else "; how many there should be is not in the logs"
    notes = ("stages", "other-run", "no-rank")
    leading = [row for row in rows if row["kind"] not in notes and row["because_of"] is None]
    parts = []
    if not leading:
        parts.append(
            f"{who} agree{how_many}: {plural(column_count, 'compile')}, the same on"
            f" each{' that is compared' if any(row['kind'] == 'stages' for row in rows) else ''}."
        )
    else:
        parts.append(f"{leading[0]['title']}.")
        parts.append(f"{who}{how_many}; {_agreeing(found['agreeing'])}.")
    if found["collective_order"] == "agrees" and not found["missing"]:
        other = any(row["kind"] in ("collectives", "stages") for row in rows)
        parts.append(
            "In each process group the order of collectives agrees."
            if other
            else "The order of collectives agrees on all ranks."
        )
    parts += [f"{row['title']}." for row in rows if row["kind"] in notes][:3]
    return " ".join(large(part) for part in parts)


def _agreeing(agreeing: list) -> str:
    count = size(agreeing)
    if count == 0:
        return "each is named below"
    if len(agreeing) > _MOST_RUNS:
        return f"{count:,} of them agree"
    return f"rank {numbers(agreeing)} has no difference" if count == 1 else f"{numbers(agreeing)} agree"


def follows(effect: dict, cause: dict) -> bool:
    """Whether a statement follows from another one, both as ``Finder.statement`` makes them."""
    same = effect["ranks"] == cause["ranks"]
    if cause["kind"] in _ENDS and effect["kind"] in _BEHIND and within(effect["ranks"], cause["ranks"]):
        return _column(effect) >= _column(cause)
    if cause["kind"] == "cached-before" and effect["kind"] == "straggler":
        return within(effect["ranks"], cause["others"])
    if cause["kind"] == "equal-logs":
        return effect["kind"] == "rank-differs" and within(effect["ranks"], cause["ranks"])
    if cause["kind"] == "mixed-versions" and same:
        return effect["kind"] in _OF_VERSION
    if not same or effect["kind"] == cause["kind"] != "graph":
        return False
    if effect["kind"] in _IN_COMPILE.get(cause["kind"], ()) and _column(effect) == _column(cause):
        return True
    if cause["kind"] == "graph-break" and effect["kind"] in ("extra-compile", "execution-order"):
        return _is_rest(effect, cause)  # the rest of the function, which the others have not split
    if effect["kind"] == cause["kind"] == "graph":  # another input is handed on from graph to graph
        return _column(effect) > _column(cause) and bool(
            cause["details"]["inputs"] and effect["details"]["inputs"]
        )
    return (
        cause["kind"] == "extra-compile"
        and effect["kind"] == "execution-order"
        and effect["details"]["here_rank_compile"] == cause["rank_compile"]
    )


def _is_rest(effect: dict, cause: dict) -> bool:
    return resume_function(effect.get("function")) is not None and _column(effect) >= _column(cause)


def _column(statement: dict) -> int:
    return -1 if statement["rank_compile"] is None else statement["rank_compile"]
