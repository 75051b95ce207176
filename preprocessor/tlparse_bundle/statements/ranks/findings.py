"""Findings about several ranks, most important first, with causes and the headline."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.wording import large, length, plural
from tlparse_bundle.bundle.json_codec import dumps_sorted
from tlparse_bundle.model.functions import resume_function
from tlparse_bundle.statements.ranks.comparison import Comparison, Tables, typed
from tlparse_bundle.statements.ranks.flight_recorder import findings as flight_recorder
from tlparse_bundle.statements.ranks.rank_finding import Finder, RankFinding
from tlparse_bundle.statements.ranks.rank_sets import Ranges, gaps, ranges, ranks_among, ranks_in, within
from tlparse_bundle.statements.ranks.registry import KIND_MODULES, TEMPLATES
from tlparse_bundle.statements.ranks.runs import is_attempt
from tlparse_bundle.statements.ranks.wording import all_ranks, numbers, sentences, size
from tlparse_bundle.statements.source_places import Shortener
from tlparse_bundle.statements.statement import MAX_TEXT, SEVERITIES, cut, grouped_by_cause, ordered

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import RankFindingsRow

_ENDS = (
    "failure",
    "unfinished-compile",
    "never-began",
    "empty-log",
    "cut-log",
    "missing-rank",
)  # the rank stops here
_LACKS = ("never-began", "missing-compile", "collective-waits", "execution-order")  # follow from a stop
# Can cause findings about different sets of ranks.
_BLOCKS = ("collective-mismatch", "collective-order")
_OF_OTHERS = (*_ENDS, *_BLOCKS, "cached-before", "equal-logs", "rank-numbers", *flight_recorder.CAUSES)
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
# Within one compile: causes, and the kinds that follow from them.
_IN_COMPILE = {
    "graph-break": ("graph", "restart", "collectives", "tensors", "guard", "recompile"),
    "graph": ("collectives", "tensors", "guard", "recompile", "restart"),
    "collective-mismatch": ("collectives", "graph", "tensors"),
    "collective-order": ("collectives", "graph", "tensors"),
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
    "rank-numbers",
    "late-start",
    "straggler",
    "cached-before",
)  # the ranks may still be equal

_MOST_RUNS = 5  # runs of agreeing ranks in the headline
_MAX_HEADLINE = 120  # characters
_NOTES_SHOWN = ("note", "second note", "third note")
# Dropped in this order.
_DETAILS = ("unknown size", "order", "third note", "second note", "agreeing", "note")
MAX_FINDINGS = 300


def findings(comparison: Comparison, tables: Tables) -> list[RankFindingsRow]:
    """Return all findings as rows of ``rank_findings``, most important first.

    ``tables`` are those of all analyses.
    """
    finder = Finder(comparison, tables)
    all_findings = [finding for module in KIND_MODULES for finding in module.findings(finder)]
    all_findings = ordered(_joined(_without_cuts(finder, _without_second_waits(all_findings))))
    compiles = finder.table("rank_compiles")
    for finding in all_findings:
        finding.title, finding.text = sentences(finding, TEMPLATES, compiles)
    short = Shortener(compile["file"] for compile in compiles)
    return [
        finding.row(number, short, because_of)
        for number, (finding, because_of) in enumerate(grouped_by_cause(all_findings, _causes(all_findings)))
    ]


def _without_second_waits(all_findings: list[RankFinding]) -> list[RankFinding]:
    """Drop waits of ranks for which a finding reports that they never began the compile."""
    waited_for = [
        finding.ranks for finding in all_findings if finding.kind == "never-began" and finding.details["call"]
    ]
    return [
        finding
        for finding in all_findings
        if finding.kind != "collective-waits" or not any(within(finding.ranks, ranks) for ranks in waited_for)
    ]


def _without_cuts(finder: Finder, all_findings: list[RankFinding]) -> list[RankFinding]:
    """Drop differences that a cut log explains: at its last compile and after it."""
    comparison = finder.comparison
    last: dict[int, int] = {}
    for problem in finder.table("rank_problems"):
        if problem["kind"] in ("cut", "empty", "unfinished"):
            for number, member in enumerate(comparison.members):
                order = comparison.orders[comparison.kind[number]]
                if ranks_among(problem["ranks"], [member.rank]):
                    last[member.rank] = min(
                        last.get(member.rank, len(comparison.columns)), order[-1] if order else -1
                    )
    return [finding for finding in all_findings if not _is_after_cut(finding, last)]


def _is_after_cut(finding: RankFinding, last: Mapping[int, int]) -> bool:
    if not finding.is_difference or finding.rank_compile is None:
        return False
    ranks = ranks_in(finding.others if finding.kind == "extra-compile" else finding.ranks)
    return bool(ranks) and all(rank in last and finding.column >= last[rank] for rank in ranks)


def _joined(all_findings: list[RankFinding]) -> list[RankFinding]:
    """Join findings that are equal except for their ranks."""
    by_details: dict[tuple[str, int | None, bytes], RankFinding] = {}
    for finding in all_findings:
        key = (finding.kind, finding.rank_compile, dumps_sorted(finding.details))
        first = by_details.setdefault(key, finding)
        if first is not finding:
            first.ranks = ranges([*ranks_in(first.ranks), *ranks_in(finding.ranks)])
    return list(by_details.values())


def _causes(all_findings: Sequence[RankFinding]) -> dict[int, int]:
    """Return the position of the cause of each finding that has one."""
    causes: dict[int, int] = {}
    near: dict[str, list[int]] = {}  # the few findings without a cause, by ranks
    for number, finding in enumerate(all_findings):
        same = near.setdefault(str(finding.ranks), [])
        cause = next(
            (root for root in sorted({*same, *near.get("", ())}) if follows(finding, all_findings[root])),
            None,
        )
        if cause is not None:
            causes[number] = cause
        else:
            same.append(number)
            if finding.kind in _OF_OTHERS:
                near.setdefault("", []).append(number)
    return causes


def summary(comparison: Comparison, tables: Tables, rows: Sequence[RankFindingsRow]) -> dict[str, Any]:
    """Return 'job' of the manifest (see its schema).

    ``rows`` are all findings, most important first.
    """
    ranks = sorted(member.rank for member in comparison.members)
    about = {rank for row in rows if row["kind"] not in _NOTES for rank in ranks_among(row["ranks"], ranks)}
    world_size = comparison.world_size
    own = comparison.runs[comparison.run]
    job: dict[str, Any] = {
        "ranks": ranges(ranks),
        "agreeing": ranges(set(ranks) - about),
        "world_size": world_size,
        "missing": gaps(ranks, max(world_size or 0, max(ranks) + 1)),
        "structure": _structure(comparison, tables),
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
        "lost_us": sum(row["lost_us"] for row in typed(tables)("rank_skew")),
        "findings": {severity: sum(row["severity"] == severity for row in rows) for severity in SEVERITIES},
    }
    return {"text": job_text(job, rows, len(comparison.columns)), **job}


def _structure(comparison: Comparison, tables: Tables) -> list[int]:
    """Return the number of roles, and the sizes of the groups along each axis within a role.

    Only the number of roles where these sizes do not multiply to the number of ranks.
    """
    roles, ranks = max(1, len(comparison.roles)), len(comparison.members)
    sizes: dict[int, int] = {}
    for row in typed(tables)("process_groups"):
        if 1 < size(row["ranks"]) < ranks / roles:
            sizes.setdefault(row["axis"], size(row["ranks"]))
    axes = list(sizes.values()) or [ranks // roles]
    return [roles, *axes] if roles * math.prod(axes) == ranks else [roles]


def _structure_text(structure: Sequence[int]) -> str:
    """Return "2 roles × 2 × 4" or "2 × 4 mesh"; empty for ranks that are all alike."""
    roles, *axes = structure
    parts = " × ".join([*([plural(roles, "role")] if roles > 1 else []), *map(str, axes)])
    return parts if roles > 1 else f"{parts} mesh" if len(axes) > 1 else ""


def _collective_order(tables: Tables, rows: Sequence[RankFindingsRow]) -> str:
    """Return 'none' (no collectives), 'differs' (mismatched calls), 'unknown' (not recorded on all ranks, or
    not yet reached by some) or 'agrees'.
    """
    groups = typed(tables)("process_groups")
    if not groups:
        return "none"
    if any(
        row["kind"] in ("collective-mismatch", "collective-order", "group-differs")
        or (row["kind"] == "collective-waits" and row["because_of"] is None)
        for row in rows
    ):
        return "differs"
    is_unknown = (
        any(
            row["details"].get("call") or row["kind"] in ("equal-logs", *flight_recorder.TEMPLATES)
            for row in rows
        )
        or tables["collective_waits"]
        or any(group["unknown"] for group in groups)
    )
    return "unknown" if is_unknown else "agrees"


def job_text(job: Mapping[str, Any], rows: Sequence[RankFindingsRow], column_count: int) -> str:
    """Return the headline of a job with these numbers and findings."""
    return cut(_text(job, rows, column_count), MAX_TEXT)


def _text(job: Mapping[str, Any], rows: Sequence[RankFindingsRow], column_count: int) -> str:
    """Return the headline, without as many of the details as make it too long."""
    who = _present_ranks(job["ranks"], job["world_size"])
    if structure := _structure_text(job["structure"]):
        who += f" ({structure})"
    notes = ("stages", "other-run", "no-rank", "rank-numbers")
    leading = [row for row in rows if row["kind"] not in notes and row["because_of"] is None]
    parts: dict[str, str] = {}
    if not leading:
        parts["lead"] = f"{who} agree on what was compiled ({plural(column_count, 'compile')})."
    else:
        parts["lead"] = f"{leading[0]['title']}."
        some = f"{who} have logs; " if job["missing"] and job["world_size"] else ""
        if agreeing := _agreeing(job["agreeing"]):
            parts["agreeing"] = f"{some}{agreeing}."
    if job["world_size"] is None:
        parts["unknown size"] = "World size is not recorded."
    elif job["ranks"][-1][1] >= job["world_size"]:  # several jobs, or numbers in names that are not ranks
        parts["size"] = (
            f"{plural(size(job['ranks']), 'log')}, but the logs report world size {job['world_size']:,}."
        )
    if job["collective_order"] == "agrees" and not job["missing"]:
        by_group = any(row["kind"] in ("collectives", "stages") for row in rows)
        parts["order"] = (
            f"The order of collectives agrees {'in each process group' if by_group else 'on all ranks'}."
        )
    if not leading:
        titles = [row["title"] for row in rows if row["kind"] in notes and row["kind"] != "stages"][
            : len(_NOTES_SHOWN)
        ]
        parts |= {part: f"{title}." for part, title in zip(_NOTES_SHOWN, titles, strict=False)}
    for detail in _DETAILS:
        if length(" ".join(parts.values())) > _MAX_HEADLINE:
            parts.pop(detail, None)
    return " ".join(map(large, parts.values()))


def _agreeing(agreeing: Ranges) -> str:
    count = size(agreeing)
    if count == 0:
        return ""
    if len(agreeing) > _MOST_RUNS:
        return f"{count:,} ranks agree"
    return f"rank {numbers(agreeing)} has no finding" if count == 1 else f"ranks {numbers(agreeing)} agree"


def _present_ranks(present: Ranges, world_size: int | None) -> str:
    """Return the ranks with logs as words, with the world size if it is recorded."""
    count = size(present)
    if world_size is not None and present[-1][1] < world_size:
        return f"{count:,} of {world_size:,} ranks" if count < world_size else all_ranks(world_size)
    first, last = present[0][0], present[-1][1]
    return (
        f"Ranks {first} to {last}" if count == last - first + 1 and count > 1 else f"{plural(count, 'rank')}"
    )


def follows(effect: RankFinding, cause: RankFinding) -> bool:
    """Return whether one finding is an effect of another."""
    same = effect.ranks == cause.ranks
    if flight_recorder.is_recorded(effect, cause):
        return flight_recorder.is_effect(effect, cause)
    if cause.kind in _ENDS and effect.kind in _LACKS and within(effect.ranks, cause.ranks):
        return effect.column >= cause.column
    if cause.kind in _BLOCKS and _is_blocked(effect, cause):
        return True
    if cause.kind == "rank-numbers" and effect.column == cause.column:
        return effect.kind in ("tensors", "guard", "collectives") and within(effect.ranks, cause.ranks)
    if cause.kind == "cached-before" and effect.kind == "straggler":
        return within(effect.ranks, cause.others)
    if cause.kind == "equal-logs":
        return effect.kind == "rank-differs" and within(effect.ranks, cause.ranks)
    if cause.kind in ("mixed-versions", "settings") and same:
        return effect.kind in _OF_VERSION
    if not same or effect.kind == cause.kind != "graph":
        return False
    if effect.kind in _IN_COMPILE.get(cause.kind, ()) and effect.column == cause.column:
        return True
    if cause.kind == "graph-break" and effect.kind in ("extra-compile", "execution-order"):
        return _is_rest(effect, cause)  # the rest of the function that only these ranks split
    if cause.kind == "graph" and effect.kind in ("recompile", "extra-compile"):  # for the usual input
        later = effect.column > cause.column and effect.place == cause.place
        return later and bool(cause.details["inputs"])
    if effect.kind == cause.kind == "graph":  # a different input passes from graph to graph
        return effect.column > cause.column and bool(cause.details["inputs"] and effect.details["inputs"])
    return (
        cause.kind == "extra-compile"
        and effect.kind == "execution-order"
        and effect.details["here_rank_compile"] == cause.rank_compile
    )


def _is_blocked(effect: RankFinding, cause: RankFinding) -> bool:
    """Return whether mismatched calls explain that ranks compiled nothing, or something else, after them."""
    if effect.kind in ("extra-compile", "missing-compile") and effect.ranks == cause.ranks:
        return effect.rank_compile in (cause.rank_compile, cause.details["others_rank_compile"])
    after = effect.column > cause.column and cause.details["effect"] == "hang"
    return after and effect.kind in (*_LACKS, "extra-compile")


def _is_rest(effect: RankFinding, cause: RankFinding) -> bool:
    return resume_function(effect.place[0]) is not None and effect.column >= cause.column
