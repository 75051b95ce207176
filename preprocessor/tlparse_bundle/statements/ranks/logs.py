"""Findings about runs and logs: logs that are not compared, versions of torch, stages of a pipeline."""

from __future__ import annotations

from collections.abc import Iterator

from tlparse_bundle.base.wording import code, large, listed, plural
from tlparse_bundle.statements.ranks.rank_finding import Finder, RankFinding
from tlparse_bundle.statements.ranks.rank_sets import ranges
from tlparse_bundle.statements.ranks.runs import Run, is_attempt
from tlparse_bundle.statements.ranks.wording import Templates, Words, are, ranks_text, when
from tlparse_bundle.statements.statement import KindReference

_MAX_NAMED = 20  # logs
_MOST_ROLES = 6


def findings(finder: Finder) -> Iterator[RankFinding]:
    yield from _other_runs(finder)
    yield from _without_rank(finder)
    yield from _different_ranks(finder)
    yield from _versions(finder)
    yield from _stages(finder)


def _other_runs(finder: Finder) -> Iterator[RankFinding]:
    comparison = finder.comparison
    own = comparison.runs[comparison.run]
    for number, run in enumerate(comparison.runs):
        if number != comparison.run:
            details = {
                "run": number + 1,
                "logs": [run.logs[rank].log_id for rank in sorted(run.logs)][:_MAX_NAMED],
                "log_count": len(run.logs),
                "ranks": ranges(run.logs),
                "start_epoch_us": run.start_epoch_us,
                "own_start_epoch_us": own.start_epoch_us,
                "world_size": run.world_size,
                "attempt": is_attempt(run, own),
            }
            ranks = comparison.ranks(
                member for member, log in enumerate(comparison.members) if log.rank in run.logs
            )
            facts = {"older": _is_older(run, own)}
            yield finder.finding("other-run", "info", ranks, "manifest.job", details, others=[], facts=facts)


def _is_older(run: Run, other: Run) -> bool:
    start, other_start = run.start_epoch_us, other.start_epoch_us
    return start is not None and other_start is not None and start < other_start


def _without_rank(finder: Finder) -> Iterator[RankFinding]:
    logs = [row for row in finder.comparison.logs if row["rank"] is None]
    if logs:
        details = {
            "logs": [row["id"] for row in logs][:_MAX_NAMED],
            "log_count": len(logs),
            "event_count": sum(row["event_count"] for row in logs),
        }
        yield finder.finding("no-rank", "info", [], "manifest.logs", details, others=[])


def _different_ranks(finder: Finder) -> Iterator[RankFinding]:
    """Yield logs whose records have a different rank than the file name."""
    members = [
        number
        for number, member in enumerate(finder.comparison.members)
        if "rank-differs" in member.row["diagnostics"]
    ]
    if members:
        yield finder.finding("rank-differs", "warning", finder.comparison.ranks(members), "manifest.logs", {})


def _versions(finder: Finder) -> Iterator[RankFinding]:
    comparison = finder.comparison
    versions: dict[str, list[int]] = {}
    for number, member in enumerate(comparison.members):
        if member.row["torch_version"]:
            versions.setdefault(member.row["torch_version"], []).append(number)
    if len(versions) > 1:
        (usual, others), *rest = sorted(versions.items(), key=lambda item: (-len(item[1]), item[1]))
        for version, members in rest:
            yield finder.finding(
                "mixed-versions",
                "warning",
                comparison.ranks(members),
                "manifest.logs",
                {"version": version, "others_version": usual},
                others=comparison.ranks(others),
            )


def _stages(finder: Finder) -> Iterator[RankFinding]:
    """Yield the roles of the ranks, if there are several."""
    roles = finder.comparison.roles
    if len(roles) > 1:
        groups = [finder.comparison.ranks(role) for role in roles]
        equal = len({len(role) for role in roles}) == 1
        yield finder.finding(
            "stages",
            "info" if equal else "warning",
            groups[-1],
            "rank_roles",
            {"roles": groups},
            others=groups[0],
            facts={"equal": equal},
        )


def _other_run(words: Words) -> tuple[str, str]:
    details = words.details
    about = f"{large(ranks_text(details['ranks']))}" + (
        f" of {details['world_size']:,}" if details["world_size"] else ""
    )
    if details["start_epoch_us"] is not None:
        about += f", started {when(details['start_epoch_us'])}"
    text = f"{about}: {listed([code(id_) for id_ in details['logs']], 8)}."
    if details["log_count"] == 1:
        log = "An older log" if words.facts["older"] else "Another log"
        return f"{log} of {ranks_text(details['ranks'])} is not compared", text
    attempt = "an earlier attempt" if words.facts["older"] else "another attempt"
    run = attempt if details["attempt"] else "a different run"
    return (
        f"{plural(details['log_count'], 'log')} of {run} {are(details['log_count'])} not compared",
        f"{text} To compare them instead, build with `--run {details['run']}`.",
    )


def _no_rank(words: Words) -> tuple[str, str]:
    count, logs = words.details["log_count"], words.details["logs"]
    return (
        f"{plural(count, 'log')} without a rank {are(count)} not compared",
        f"Neither the file name nor any record has a rank: {listed([code(id_) for id_ in logs], 8)}.",
    )


def _rank_differs(words: Words) -> str:
    return (
        f"Records in the {words.verb('log', 'logs')} of {words.ranks} have a different rank than"
        f" {words.verb('its file name', 'their file names')}"
    )


def _mixed_versions(words: Words) -> tuple[str, str]:
    return (
        f"{words.ranks} ran torch {words.details['version']},"
        f" but {words.others} ran torch {words.details['others_version']}",
        "Different versions of torch compile the same program differently, which may explain the differences"
        " below.",
    )


def _roles(words: Words) -> tuple[str, str]:
    roles = words.details["roles"]
    shown = [*map(ranks_text, roles[:_MOST_ROLES]), *(["…"] if len(roles) > _MOST_ROLES else [])]
    like = ", like pipeline stages" if words.facts["equal"] else ""
    return (
        f"The ranks have {len(roles)} roles with different code{like}",
        f"{large('; '.join(shown))}. Ranks are only compared with ranks of the same role.",
    )


TEMPLATES: Templates = {
    "other-run": _other_run,
    "no-rank": _no_rank,
    "rank-differs": _rank_differs,
    "mixed-versions": _mixed_versions,
    "stages": _roles,
}

REFERENCE: dict[str, KindReference] = {
    "other-run": KindReference(
        "Logs that are not compared",
        "The bundle has logs of an earlier attempt or a different run, or a second log of a rank. "
        "Only one run is compared.",
        "To compare the other run, build with `--run` and its number.",
        "Each log still has its own tables and findings.",
    ),
    "no-rank": KindReference(
        "Logs without a rank",
        "Neither the file name nor any record of these logs has a rank, so they are not compared.",
        "Name each file as torch does: `..._rank_N_....log`.",
        "These logs still have their own tables and findings.",
    ),
    "rank-differs": KindReference(
        "Rank differs from the file name",
        "Records in a log have a different rank than its file name.",
        "Check whether files were renamed or copied over each other.",
        "Logs whose records carry no rank are not checked.",
    ),
    "mixed-versions": KindReference(
        "Different versions of torch",
        "The ranks ran different versions of torch, which compile the same program differently.",
        "Install the same version of torch on every machine.",
        "A log that does not record its torch version is not counted.",
    ),
    "stages": KindReference(
        "Roles of ranks",
        "Ranks compiled different functions, or the same functions with different inputs, in a pattern "
        "like that of pipeline stages. Roles of equal size are normal; unequal ones are a warning.",
        "If the ranks should run the same program, check which one each rank started.",
        "A rank that differs from all others in a few functions keeps the role of the others.",
    ),
}
