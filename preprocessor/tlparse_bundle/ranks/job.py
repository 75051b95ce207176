"""What there is to know before ranks are compared, and where each of them stands: statements as those of ``statements``."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

from tlparse_bundle.ranks.call_sources import source_of
from tlparse_bundle.ranks.calls import WORLD
from tlparse_bundle.ranks.runs import is_attempt
from tlparse_bundle.ranks.sets import ranges, within
from tlparse_bundle.ranks.statements import Finder

_MAX_NAMED = 20  # logs


def statements(finder: Finder) -> Iterator[dict]:
    """Of runs, logs and where ranks stand."""
    yield from _runs(finder)
    yield from _logs(finder)
    yield from _stages(finder)
    standing = list(_standing(finder))
    yield from standing
    yield from _order(finder, [statement for statement in standing if statement["kind"] == "never-began"])


def _runs(finder: Finder) -> Iterator[dict]:
    comparison = finder.comparison
    own = comparison.runs[comparison.run]
    for number, run in enumerate(comparison.runs):
        if number != comparison.run:
            shared = ranges(run.logs)
            details = {
                "run": number + 1,
                "log_ids": [run.logs[rank].log_id for rank in sorted(run.logs)][:_MAX_NAMED],
                "log_count": len(run.logs),
                "ranks": shared,
                "start_epoch_us": run.start_epoch_us,
                "own_start_epoch_us": own.start_epoch_us,
                "world_size": run.world_size,
                "attempt": is_attempt(run, own),
            }
            ranks = comparison.ranks(member for member, log in enumerate(comparison.members) if log.rank in run.logs)
            yield finder.statement("other-run", "info", ranks, [], None, ("findings", "/summary/runs"), details)


def _logs(finder: Finder) -> Iterator[dict]:
    comparison = finder.comparison
    unknown = [row for row in comparison.logs if row["rank"] is None]
    if unknown:
        details = {"log_ids": [row["id"] for row in unknown][:_MAX_NAMED], "log_count": len(unknown), "event_count": sum(row["event_count"] for row in unknown)}
        yield finder.statement("no-rank", "info", [], [], None, ("health", ""), details)
    differing = [number for number, member in enumerate(comparison.members) if "rank-differs" in member.row["diagnostics"]]
    if differing:
        yield finder.statement("rank-differs", "warning", comparison.ranks(differing), None, None, ("health", ""), {})
    versions: dict[str, list[int]] = {}
    for number, member in enumerate(comparison.members):
        if member.row["torch_version"]:
            versions.setdefault(member.row["torch_version"], []).append(number)
    if len(versions) > 1:
        (usual, others), *rest = sorted(versions.items(), key=lambda item: (-len(item[1]), item[1]))
        for version, members in rest:
            details = {"version": version, "others_version": usual}
            yield finder.statement("mixed-versions", "warning", comparison.ranks(members), comparison.ranks(others), None, ("health", ""), details)


def _stages(finder: Finder) -> Iterator[dict]:
    """Ranks that compiled nothing in common."""
    parts = finder.comparison.parts
    if len(parts) > 1:
        groups = [finder.comparison.ranks(part) for part in parts]
        details = {"parts": groups}
        yield finder.statement("stages", "info" if len({len(part) for part in parts}) == 1 else "warning", groups[-1], groups[0], None, ("matching", "/columns"), details)


def _standing(finder: Finder) -> Iterator[dict]:
    health, matching = finder.tables["health"], finder.tables["matching"]
    for row, problem in enumerate(health["problems"]):
        where, kind, column = ("health", f"/problems/{row}"), problem["kind"], problem["column_index"]
        details: dict[str, Any] = {key: problem[key] for key in ("last_epoch_us", "others_last_epoch_us")}
        if kind == "missing":
            details = {"world_size": health["world_size"], "call": _call_of_all(finder)}
            yield finder.statement("missing-rank", "error" if health["world_size"] else "warning", problem["ranks"], None, None, where, details)
        elif kind in ("empty", "cut"):
            yield finder.statement(f"{kind}-log", "error", problem["ranks"], None, None, where, details)
        elif kind == "equal_logs":
            yield finder.statement("equal-logs", "warning", problem["ranks"], [], None, where, {})
        elif kind == "unfinished":
            details |= {key: problem[key] for key in ("phase", "span", "since_epoch_us", "open_us", "finished", "never_began")}
            details["call"] = _waited_for(finder, problem["ranks"], [column])
            yield finder.statement("unfinished-compile", "error", problem["ranks"], problem["finished"], column, where, details)
        elif kind in ("silent", "stopped"):
            others = matching["columns"][column]["ranks"]
            call = _waited_for(finder, problem["ranks"], range(column, len(matching["columns"])))
            details |= {"finished": problem["finished"], "silent": kind == "silent", "call": call}
            yield finder.statement("never-began", "error" if call else "info", problem["ranks"], others, column, where, details)


def _waited_for(finder: Finder, ranks: list, columns: Container[int]) -> dict | None:
    """The first call in some columns, of which the ranks have none, in a group that they are of: the others cannot go on without them."""
    table = finder.tables["order"]
    own = {WORLD, *(group["group"] for group in table["groups"] if within(ranks, group["ranks"]))}
    for row in table["columns"]:
        if row["column_index"] in columns:
            for number in row["call_indexes"]:
                if table["calls"][number]["group"] in own:
                    return {"column_index": row["column_index"], **table["calls"][number]}
    return None


def _call_of_all(finder: Finder) -> dict | None:
    """A call that all ranks of the job must make."""
    return next((call for call in finder.tables["order"]["calls"] if call["group"] == WORLD), None)


def _order(finder: Finder, told: list[dict]) -> Iterator[dict]:
    """Calls of collectives that cannot meet; ranks that call nothing where others wait, unless it is ``told``."""
    table = finder.tables["order"]
    calls = table["calls"]
    for number, group in enumerate(table["groups"]):
        where = "order", f"/groups/{number}"
        found = group["mismatch"]
        if found is not None:
            usual, *rest = found["sides"]
            for side in rest:
                details = {
                    "group": group["group"], "position": found["position"], "effect": found["effect"], "recorded": group["recorded"],
                    "here": calls[side["call_index"]], "others": calls[usual["call_index"]], "others_column": usual["column_index"],
                    **_source(finder, side["ranks"], side["column_index"], calls[side["call_index"]]),
                }  # fmt: skip
                yield finder.statement("collective-mismatch", "error", side["ranks"], usual["ranks"], side["column_index"], where, details)
        for short in group["short"]:
            if any(row["details"]["call"] and within(short["ranks"], row["ranks"]) for row in told):
                continue
            call = calls[short["call_index"]]
            details = {"group": group["group"], "position": short["position"], "recorded": group["recorded"], "call": call, **_source(finder, short["others"], short["column_index"], call)}
            yield finder.statement("collective-waits", "error", short["ranks"], short["others"], short["column_index"], where, details)
    for number, split in enumerate(table["split"]):
        usual, *rest = split["sides"]
        for side in rest:
            here = calls[side["call_index"]]
            details = {"here": here, "others": calls[usual["call_index"]], **_source(finder, side["ranks"], split["column_index"], here)}
            yield finder.statement("group-differs", "warning", side["ranks"], usual["ranks"], split["column_index"], ("order", f"/split/{number}"), details)


def _source(finder: Finder, ranks: list, column: int, call: dict) -> dict:
    """``file``, ``line`` and ``code`` of a call on the lowest of some ranks, where they are known."""
    comparison = finder.comparison
    member = next(number for number, member in enumerate(comparison.members) if member.rank == ranks[0][0])
    cell = comparison.cells[member][column]
    return {} if cell < 0 else source_of(comparison.opened(member), cell, call["op"])
