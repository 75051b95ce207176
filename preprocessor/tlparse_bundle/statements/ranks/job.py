"""What there is to know before ranks are compared, and where each of them stands: statements as those of
``statements``.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from typing import Any

from tlparse_bundle.statements.ranks.collective_calls import WORLD
from tlparse_bundle.statements.ranks.frames import Frames
from tlparse_bundle.statements.ranks.rank_sets import ranges, within
from tlparse_bundle.statements.ranks.runs import is_attempt
from tlparse_bundle.statements.ranks.statements import Finder
from tlparse_bundle.statements.source_places import is_of_program

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
                "logs": [run.logs[rank].log_id for rank in sorted(run.logs)][:_MAX_NAMED],
                "log_count": len(run.logs),
                "ranks": shared,
                "start_epoch_us": run.start_epoch_us,
                "own_start_epoch_us": own.start_epoch_us,
                "world_size": run.world_size,
                "attempt": is_attempt(run, own),
            }
            ranks = comparison.ranks(
                member for member, log in enumerate(comparison.members) if log.rank in run.logs
            )
            yield finder.statement("other-run", "info", ranks, [], None, "manifest.job", details)


def _logs(finder: Finder) -> Iterator[dict]:
    comparison = finder.comparison
    unknown = [row for row in comparison.logs if row["rank"] is None]
    if unknown:
        details = {
            "logs": [row["id"] for row in unknown][:_MAX_NAMED],
            "log_count": len(unknown),
            "event_count": sum(row["event_count"] for row in unknown),
        }
        yield finder.statement("no-rank", "info", [], [], None, "manifest.logs", details)
    differing = [
        number
        for number, member in enumerate(comparison.members)
        if "rank-differs" in member.row["diagnostics"]
    ]
    if differing:
        yield finder.statement(
            "rank-differs", "warning", comparison.ranks(differing), None, None, "manifest.logs", {}
        )
    versions: dict[str, list[int]] = {}
    for number, member in enumerate(comparison.members):
        if member.row["torch_version"]:
            versions.setdefault(member.row["torch_version"], []).append(number)
    if len(versions) > 1:
        (usual, others), *rest = sorted(versions.items(), key=lambda item: (-len(item[1]), item[1]))
        for version, members in rest:
            details = {"version": version, "others_version": usual}
            yield finder.statement(
                "mixed-versions",
                "warning",
                comparison.ranks(members),
                comparison.ranks(others),
                None,
                "manifest.logs",
                details,
            )


def _stages(finder: Finder) -> Iterator[dict]:
    """Ranks that compiled nothing in common."""
    parts = finder.comparison.parts
    if len(parts) > 1:
        groups = [finder.comparison.ranks(part) for part in parts]
        details = {"parts": groups}
        yield finder.statement(
            "stages",
            "info" if len({len(part) for part in parts}) == 1 else "warning",
            groups[-1],
            groups[0],
            None,
            "rank_compiles",
            details,
        )


def _standing(finder: Finder) -> Iterator[dict]:
    world_size, compiles = finder.comparison.world_size, finder.tables["rank_compiles"]
    for problem in finder.tables["rank_problems"]:
        where, kind, column = "rank_problems", problem["kind"], problem["rank_compile"]
        details: dict[str, Any] = {key: problem[key] for key in ("last_epoch_us", "others_last_epoch_us")}
        if kind == "missing":
            details = {"world_size": world_size, "call": _call_of_all(finder)}
            yield finder.statement(
                "missing-rank",
                "error" if world_size else "warning",
                problem["ranks"],
                None,
                None,
                where,
                details,
            )
        elif kind in ("empty", "cut"):
            yield finder.statement(f"{kind}-log", "error", problem["ranks"], None, None, where, details)
        elif kind == "equal_logs":
            yield finder.statement("equal-logs", "warning", problem["ranks"], [], None, where, {})
        elif kind == "unfinished":
            details |= {
                key: problem[key]
                for key in ("phase", "span", "since_epoch_us", "open_us", "finished", "never_began")
            }
            details["call"] = _waited_for(finder, problem["ranks"], [column])
            yield finder.statement(
                "unfinished-compile", "error", problem["ranks"], problem["finished"], column, where, details
            )
        elif kind in ("silent", "stopped"):
            others = compiles[column]["ranks"]
            call = _waited_for(finder, problem["ranks"], range(column, len(compiles)))
            details |= {"finished": problem["finished"], "silent": kind == "silent", "call": call}
            yield finder.statement(
                "never-began", "error" if call else "info", problem["ranks"], others, column, where, details
            )


def _waited_for(finder: Finder, ranks: list, columns: Container[int]) -> dict | None:
    """The first call in some columns, of which the ranks have none, in a group that they are of: the others
    cannot go on without them.
    """
    own = {
        WORLD,
        *(group["group"] for group in finder.tables["process_groups"] if within(ranks, group["ranks"])),
    }
    for row in finder.tables["rank_compile_calls"]:
        if row["rank_compile"] in columns:
            for number in row["collective_calls"]:
                if finder.tables["collective_calls"][number]["group"] in own:
                    return {"rank_compile": row["rank_compile"], **_call(finder, number)}
    return None


def _call(finder: Finder, number: int) -> dict:
    """A call as the details of a statement have it."""
    return {key: value for key, value in finder.tables["collective_calls"][number].items() if key != "id"}


def _call_of_all(finder: Finder) -> dict | None:
    """A call that all ranks of the job must make."""
    return next(
        (_call(finder, call["id"]) for call in finder.tables["collective_calls"] if call["group"] == WORLD),
        None,
    )


def _order(finder: Finder, told: list[dict]) -> Iterator[dict]:
    """Calls of collectives that cannot meet; ranks that call nothing where others wait, unless it is
    ``told``.
    """
    for group in finder.tables["process_groups"]:
        sides = [row for row in finder.tables["collective_mismatches"] if row["group"] == group["group"]]
        for side in sides[1:]:
            usual = sides[0]
            here = _call(finder, side["collective_call"])
            details = {
                "group": group["group"], "position": side["position"], "effect": side["effect"], "recorded": group["recorded"],
                "here": here, "others": _call(finder, usual["collective_call"]), "others_rank_compile": usual["rank_compile"],
                **_source(finder, side["ranks"], side["rank_compile"], here),
            }  # fmt: skip
            yield finder.statement(
                "collective-mismatch",
                "error",
                side["ranks"],
                usual["ranks"],
                side["rank_compile"],
                "collective_mismatches",
                details,
            )
        for short in (row for row in finder.tables["collective_waits"] if row["group"] == group["group"]):
            if any(row["details"]["call"] and within(short["ranks"], row["ranks"]) for row in told):
                continue
            call = _call(finder, short["collective_call"])
            details = {
                "group": group["group"],
                "position": short["position"],
                "recorded": group["recorded"],
                "call": call,
                **_source(finder, short["others"], short["rank_compile"], call),
            }
            yield finder.statement(
                "collective-waits",
                "error",
                short["ranks"],
                short["others"],
                short["rank_compile"],
                "collective_waits",
                details,
            )
    splits = finder.tables["group_splits"]
    for side in splits[1:]:
        usual = splits[0]
        here = _call(finder, side["collective_call"])
        details = {
            "here": here,
            "others": _call(finder, usual["collective_call"]),
            **_source(finder, side["ranks"], side["rank_compile"], here),
        }
        yield finder.statement(
            "group-differs",
            "warning",
            side["ranks"],
            usual["ranks"],
            side["rank_compile"],
            "group_splits",
            details,
        )


def _source(finder: Finder, ranks: list, column: int, call: dict) -> dict:
    """``file``, ``line`` and ``code`` of a call on the lowest of some ranks, where they are known."""
    comparison = finder.comparison
    member = next(number for number, member in enumerate(comparison.members) if member.rank == ranks[0][0])
    cell = comparison.cells[member][column]
    return {} if cell < 0 else source_of(comparison.opened(member), cell, call["op"])


def source_of(frames: Frames, number: int, op: str) -> dict:
    """``file``, ``line`` and ``code`` of the only line of the program that calls a collective in a frame; {}
    when it is not known, or there are several.
    """
    name = re.compile(rf"c10d_functional.*\.{re.escape(op)}(_out|_)?\b")
    groups = {group["id"] for group in frames.table("provenance_groups") if frames.number_of(group) == number}
    sources = frames.table("provenance_sources")
    found: set[int | None] = set()
    for kernel in frames.table("provenance_kernels"):
        if kernel["group"] in groups and name.search(kernel["name"]):
            found |= {_innermost(stack, sources) for stack in kernel["sources"]}
    (row,) = found if len(found) == 1 else (None,)
    return {} if row is None else {key: sources[row][key] for key in ("file", "line", "code")}


def _innermost(stack: list[int], sources: list[dict]) -> int | None:
    """Return the innermost line of the program in a stack, whose outermost caller comes first."""
    return next((row for row in reversed(stack) if is_of_program(sources[row]["file"])), None)
