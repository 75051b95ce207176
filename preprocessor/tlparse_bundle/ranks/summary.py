"""The headline over all ranks, and the numbers in it."""

from __future__ import annotations

from collections.abc import Sequence

from tlparse_bundle.findings.finding import MAX_TEXT, SEVERITIES, cut
from tlparse_bundle.findings.words import large, plural
from tlparse_bundle.ranks.comparison import Comparison
from tlparse_bundle.ranks.rank_table import Tables
from tlparse_bundle.ranks.runs import is_attempt
from tlparse_bundle.ranks.sentences import known_ranks, numbers, size
from tlparse_bundle.ranks.sets import gaps, ranges, ranks_among

_NOTES = ("other-run", "no-rank", "stages", "late-start", "straggler", "cached-before")  # say nothing against the ranks being equal

_MOST_RUNS = 5  # of agreeing ranks that the headline lists


def summary(comparison: Comparison, tables: Tables, rows: Sequence[dict]) -> dict:
    """Return what the manifest says of the job (schema: manifest, 'job'). ``rows`` are all findings, most important first."""
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
    """'none': no collectives; 'differs': some cannot meet; 'unknown': not all logs tell, or some ranks have not come that far."""
    groups = tables["process_groups"]
    if not groups:
        return "none"
    if any(row["kind"] in ("collective-mismatch", "group-differs") or row["kind"] == "collective-waits" and row["because_of"] is None for row in rows):
        return "differs"
    behind = any(row["details"].get("call") or row["kind"] == "equal-logs" for row in rows)
    return "unknown" if behind or tables["collective_waits"] or any(group["unknown"] for group in groups) else "agrees"


def _text(found: dict, rows: Sequence[dict], column_count: int) -> str:
    who = known_ranks(found["ranks"], found["world_size"])
    how_many = "" if found["world_size"] is not None else "; how many there should be is not in the logs"
    notes = ("stages", "other-run", "no-rank")
    leading = [row for row in rows if row["kind"] not in notes and row["because_of"] is None]
    parts = []
    if not leading:
        parts.append(f"{who} agree{how_many}: {plural(column_count, 'compile')}, the same on each{' that is compared' if any(row['kind'] == 'stages' for row in rows) else ''}.")
    else:
        parts.append(f"{leading[0]['title']}.")
        parts.append(f"{who}{how_many}; {_agreeing(found['agreeing'])}.")
    if found["collective_order"] == "agrees" and not found["missing"]:
        other = any(row["kind"] in ("collectives", "stages") for row in rows)
        parts.append("In each process group the order of collectives agrees." if other else "The order of collectives agrees on all ranks.")
    parts += [f"{row['title']}." for row in rows if row["kind"] in notes][:3]
    return " ".join(large(part) for part in parts)


def _agreeing(agreeing: list) -> str:
    count = size(agreeing)
    if count == 0:
        return "each is named below"
    if len(agreeing) > _MOST_RUNS:
        return f"{count:,} of them agree"
    return f"rank {numbers(agreeing)} has no difference" if count == 1 else f"{numbers(agreeing)} agree"
