"""Progress of each rank: missing, cut and empty logs, unfinished compiles, compiles not started."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict

from tlparse_bundle.base.wording import code, duration, large
from tlparse_bundle.statements.ranks import kind_references
from tlparse_bundle.statements.ranks.collective_calls import WORLD
from tlparse_bundle.statements.ranks.comparison import Comparison, RankTable, Tables
from tlparse_bundle.statements.ranks.frames import Frames
from tlparse_bundle.statements.ranks.rank_finding import CallCells, Finder, RankFinding
from tlparse_bundle.statements.ranks.rank_sets import Ranges, gaps, within
from tlparse_bundle.statements.ranks.wording import (
    Templates,
    Words,
    all_ranks,
    call_text,
    long_time,
    ranks_text,
    size,
)

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import RankProblemsRow

Kind = Literal["missing", "empty", "cut", "unfinished", "silent", "stopped", "other_logs", "equal_logs"]
KINDS: tuple[Kind, ...] = (
    "missing", "empty", "cut", "unfinished", "silent", "stopped", "other_logs", "equal_logs",
)  # fmt: skip
_TABLE = "rank_problems"
# Diagnostics that, at the last record, mean a truncated log.
_CUT = ("record-cut", "payload-md5", "payload-missing")


class _Unfinished(NamedTuple):
    """An unfinished compile: its frame, last artifact, open span and start."""

    frame: int
    phase: str | None
    span: str | None
    since_epoch_us: int | None


class HealthDigest(TypedDict):
    cut: bool
    unfinished: list[list[Any]]  # the cells of each _Unfinished


class Health:
    name = "health"

    def digest(self, frames: Frames) -> HealthDigest:
        log = frames.log
        at_end = {
            row["code"]
            for row in frames.table("diagnostics")
            if row["event"] in (None, log.directory["event_count"] - 1)
        }
        cut = "record-cut" in log.row["diagnostics"] or bool(at_end.intersection(_CUT))
        return {"cut": cut, "unfinished": [list(place) for place in _open(frames)]}

    def tables(
        self, comparison: Comparison, digests: Sequence[HealthDigest], tables: Tables
    ) -> Iterator[RankTable]:
        run = comparison.runs[comparison.run]
        present = {member.rank for member in comparison.members}
        ends = [run.logs[member.rank].last_epoch_us for member in comparison.members]
        missing = gaps(present, max(run.world_size or 0, max(present)))
        last = max((end for end in ends if end is not None), default=None)
        rows: list[RankProblemsRow] = []

        def add(kind: Kind, members: Sequence[int], column: int | None = None) -> RankProblemsRow:
            times = [ends[member] for member in members]
            row: RankProblemsRow = {
                "kind": kind,
                "rank_compile": column,
                "compile": None,
                "ranks": comparison.ranks(members),
                "logs": [comparison.members[member].row["id"] for member in members],
                "last_epoch_us": min((time for time in times if time is not None), default=None),
                "others_last_epoch_us": last,
                "phase": None,
                "span": None,
                "since_epoch_us": None,
                "open_us": None,
                "finished": [],
                "never_began": [],
            }
            rows.append(row)
            return row

        if missing:
            add("missing", [])["ranks"] = missing
        for number, member in enumerate(comparison.members):
            row = member.row
            if not row["event_count"]:
                add("empty", [number])
            elif digests[number]["cut"]:
                add("cut", [number])
            if others := [
                other["id"]
                for other in comparison.logs
                if other["rank"] == member.rank and other["id"] != row["id"]
            ]:
                add("other_logs", [number])["logs"] = others
        for members in _equal(comparison):
            add("equal_logs", members)
        stuck = _unfinished(comparison, digests)
        for column, places in stuck.items():
            never = [m for m in comparison.part(column) if comparison.cells[m][column] < 0]
            times = {
                member: end - place.since_epoch_us
                for member, place in places.items()
                if place.since_epoch_us is not None and (end := ends[member]) is not None
            }
            longest = max(times, key=times.__getitem__, default=min(places))
            problem = add("unfinished", list(places), column)
            problem["compile"] = comparison.key(sorted(places), column)
            problem["phase"] = places[longest].phase
            problem["span"] = places[longest].span
            problem["since_epoch_us"] = places[longest].since_epoch_us
            problem["open_us"] = times.get(longest)
            problem["finished"] = comparison.ranks(m for m in comparison.having(column) if m not in places)
            problem["never_began"] = comparison.ranks(never)
        inside = {member for places in stuck.values() for member in places}
        for kind, column, members in _ended(comparison, inside):
            problem = add(kind, members, column)
            problem["finished"] = comparison.ranks(set(comparison.having(column)) - inside)
        yield "rank_problems", sorted(rows, key=lambda row: (KINDS.index(row["kind"]), row["ranks"]))


def _open(frames: Frames) -> list[_Unfinished]:
    """Return the unfinished compiles, from the findings of the log."""
    unfinished = []
    for row in frames.table("findings"):
        number = (
            frames.number(row["compiles"][0])
            if row["kind"] == "unfinished-compile" and row["compiles"]
            else None
        )
        if number is not None:
            artifacts = frames.artifacts(number)
            spans = row["details"]["open_spans"]
            unfinished.append(
                _Unfinished(
                    number,
                    artifacts[-1].name if artifacts else None,
                    spans[-1]["name"] if spans else None,
                    row["details"]["started_epoch_us"],
                )
            )
    return unfinished


def _equal(comparison: Comparison) -> list[list[int]]:
    """Return groups of members whose logs are byte-identical."""
    same: dict[str, list[int]] = {}
    for number, member in enumerate(comparison.members):
        if member.row["event_count"]:
            same.setdefault(member.row["source"]["sha256"], []).append(number)
    return [numbers for numbers in same.values() if len(numbers) > 1]


def _unfinished(comparison: Comparison, digests: Sequence[HealthDigest]) -> dict[int, dict[int, _Unfinished]]:
    """Return the members with an unfinished compile, by column."""
    inside: dict[int, dict[int, _Unfinished]] = {}
    for member, digest in enumerate(digests):
        order = comparison.orders[comparison.kind[member]]
        for place in map(_Unfinished._make, digest["unfinished"]):
            inside.setdefault(order[place.frame], {})[member] = place
    return dict(sorted(inside.items()))


def _ended(
    comparison: Comparison, stuck: set[int]
) -> list[tuple[Literal["silent", "stopped"], int, list[int]]]:
    """Return (kind, first missing column, members) of members without the last compiles of their role."""
    members_of: dict[tuple[Literal["silent", "stopped"], int], list[int]] = {}
    for part in comparison.parts:
        usual = [
            column
            for column in range(len(comparison.columns))
            if 2 * len(part.intersection(comparison.having(column))) >= len(part)
        ]
        for members in comparison.kinds:
            own = set(comparison.orders[comparison.kind[members[0]]])
            missing = [column for column in usual if column not in own]
            ended = [member for member in members if member in part and member not in stuck]
            if not missing or not ended or missing != usual[len(usual) - len(missing) :]:
                continue
            if not own:
                members_of.setdefault(("silent", missing[0]), []).extend(ended)
            elif all(
                own.issubset(comparison.orders[comparison.kind[member]])
                for member in comparison.having(missing[0])
            ):
                members_of.setdefault(("stopped", missing[0]), []).extend(ended)
    return [(kind, column, sorted(members)) for (kind, column), members in sorted(members_of.items())]


def findings(finder: Finder) -> Iterator[RankFinding]:
    for problem in finder.table("rank_problems"):
        kind, column, ranks = problem["kind"], problem["rank_compile"], problem["ranks"]
        ends = {
            "last_epoch_us": problem["last_epoch_us"],
            "others_last_epoch_us": problem["others_last_epoch_us"],
        }
        facts = {"earlier_us": _earlier_us(problem)}
        if kind == "missing":
            yield _missing(finder, ranks)
        elif kind == "empty" or kind == "cut":
            yield finder.finding(f"{kind}-log", "error", ranks, _TABLE, ends, facts=facts)
        elif kind == "equal_logs":
            yield finder.finding("equal-logs", "warning", ranks, _TABLE, {}, others=[])
        elif kind == "unfinished" and column is not None:
            details = {
                **ends,
                "phase": problem["phase"],
                "span": problem["span"],
                "since_epoch_us": problem["since_epoch_us"],
                "open_us": problem["open_us"],
                "finished": problem["finished"],
                "never_began": problem["never_began"],
                "call": _waited_for(finder, ranks, [column]),
            }
            facts["everyone"] = not problem["finished"] and not problem["never_began"]
            yield finder.finding(
                "unfinished-compile",
                "error",
                ranks,
                _TABLE,
                details,
                others=problem["finished"],
                column=column,
                facts=facts,
            )
        elif (kind == "silent" or kind == "stopped") and column is not None:
            compiles = finder.table("rank_compiles")
            call = _waited_for(finder, ranks, range(column, len(compiles)))
            details = {**ends, "finished": problem["finished"], "silent": kind == "silent", "call": call}
            facts["calls_there"] = call is not None and call["rank_compile"] == column
            yield finder.finding(
                "never-began",
                "error" if call else "info",
                ranks,
                _TABLE,
                details,
                others=compiles[column]["ranks"],
                column=column,
                facts=facts,
            )


def _earlier_us(problem: RankProblemsRow) -> int | None:
    """Return how many microseconds before the others these ranks end; None: not earlier, or unknown."""
    last, others_last = problem["last_epoch_us"], problem["others_last_epoch_us"]
    return others_last - last if last is not None and others_last is not None and others_last > last else None


def _missing(finder: Finder, ranks: Ranges) -> RankFinding:
    world_size = finder.comparison.world_size
    of_all = (call["id"] for call in finder.table("collective_calls") if call["group"] == WORLD)
    number = next(of_all, None)
    details = {"world_size": world_size, "call": None if number is None else finder.call(number)}
    return finder.finding("missing-rank", "error" if world_size else "warning", ranks, _TABLE, details)


class _WaitedCall(CallCells):
    rank_compile: int


def _waited_for(finder: Finder, ranks: Ranges, columns: Container[int]) -> _WaitedCall | None:
    """Return the first call in some columns whose group includes the ranks; None if there is none."""
    groups = {
        WORLD,
        *(group["group"] for group in finder.table("process_groups") if within(ranks, group["ranks"])),
    }
    calls = finder.table("collective_calls")
    for row in finder.table("rank_compile_calls"):
        if row["rank_compile"] in columns:
            for number in row["collective_calls"]:
                if calls[number]["group"] in groups:
                    return {"rank_compile": row["rank_compile"], **finder.call(number)}
    return None


def _missing_rank(words: Words) -> tuple[str, str]:
    world_size, call = words.details["world_size"], words.details["call"]
    job = (
        f"Collective calls or estimates in the logs report world size {world_size:,}."
        if world_size
        else f"Logs exist for {words.others}."
    )
    waiting = (
        f" Compiled code on all ranks must call {call_text(call)}; without a log, it is unknown whether"
        f" {words.ranks} did."
        if call
        else ""
    )
    return f"No log from {words.ranks}", job + waiting


def _empty_log(words: Words) -> tuple[str, str]:
    return (
        f"The {words.verb('log', 'logs')} of {words.ranks} {words.verb('is', 'are')} empty",
        "The process ended before it wrote a record, or the file was not copied completely.",
    )


def _cut_log(words: Words) -> tuple[str, str]:
    earlier_us = words.facts["earlier_us"]
    before = f", {long_time(earlier_us)} before the others'" if earlier_us is not None else ""
    return (
        f"The {words.verb('log', 'logs')} of {words.ranks} {words.verb('ends', 'end')} mid-record{before}",
        "The process was killed while writing, or the file was truncated when it was copied. Nothing after"
        " the cut is compared.",
    )


def _equal_logs(words: Words) -> tuple[str, str]:
    return (
        f"The logs of {words.ranks} are identical",
        "One process wrote them: all but one are copies, so the other ranks are not recorded.",
    )


def _unfinished_compile(words: Words) -> tuple[str, str]:
    details, count = words.details, size(words.finding.ranks)
    everyone = words.facts["everyone"]
    waits = "waits" if size(details["finished"]) == 1 else "wait"
    waiting = f" and {waits} for {words.ranks} in {call_text(details['call'])}" if details["call"] else ""
    others = [
        f"{ranks_text(details['finished'])} finished it{waiting}" if details["finished"] else "",
        f"{ranks_text(details['never_began'])} never started it" if details["never_began"] else "",
    ]
    title = (
        (all_ranks(count) if everyone and count > 1 else words.ranks)
        + f" {words.verb('is', 'are')} still compiling {words.mine} when"
        + f" {words.verb('its log ends', 'the logs end')}"
        + (f" (after {duration(details['open_us'])})" if details["open_us"] is not None else "")
    )
    text = f"{large(', and '.join(filter(None, others)))}. " if any(others) else ""
    span = f"The open span is {code(details['span'])}" if details["span"] else ""
    artifact = (
        f"the last artifact is {code(details['phase'])}"
        if details["phase"]
        else "this compile has no artifact yet"
    )
    text += f"{large(', and '.join(filter(None, [span, artifact])))}."
    return title, text + ("" if everyone else _earlier_sentence(words))


def _never_began(words: Words) -> tuple[str, str]:
    details, call = words.details, words.details["call"]
    title = (
        f"{words.ranks} compiled nothing, but {words.others} did"
        if details["silent"]
        else f"{words.ranks} never started {words.theirs}"
    )
    finished = f"{large(ranks_text(details['finished']))} finished it. " if details["finished"] else ""
    if details["finished"] and not details["silent"] and not words.facts["calls_there"]:
        title += f", which {ranks_text(details['finished'])} finished"
        finished = ""
    if not call:
        return (
            title,
            f"The missing graphs call no collective of {words.ranks}, so no rank is known to wait. A run that"
            f" ends earlier looks the same.{_earlier_sentence(words)}",
        )
    if words.facts["calls_there"]:
        title += f"; others need {words.verb('it', 'them')} for {code(call['op'])}"
    return (
        title,
        f"{finished}{large(words.others)} {words.others_verb('waits', 'wait')} for {words.ranks} in"
        f" {call_text(call)}, called in {words.compile(call['rank_compile'])}, unless"
        f" {words.verb('that rank runs', 'those ranks run')} it in previously compiled code or"
        f" eager.{_earlier_sentence(words)}",
    )


def _earlier_sentence(words: Words) -> str:
    """Return " Its log ends 5 s before the others'."; empty if it does not."""
    earlier_us = words.facts["earlier_us"]
    if earlier_us is None:
        return ""
    return f" {words.verb('Its log ends', 'Their logs end')} {long_time(earlier_us)} before the others'."


TEMPLATES: Templates = {
    "missing-rank": _missing_rank,
    "empty-log": _empty_log,
    "cut-log": _cut_log,
    "equal-logs": _equal_logs,
    "unfinished-compile": _unfinished_compile,
    "never-began": _never_began,
}
REFERENCE = kind_references.HEALTH
