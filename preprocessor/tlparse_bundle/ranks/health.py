"""Ranks whose log is missing, cut or silent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tlparse_bundle.ranks.comparison import Comparison
from tlparse_bundle.ranks.frames import Frames
from tlparse_bundle.ranks.sets import gaps

KINDS = ("missing", "empty", "cut", "unfinished", "silent", "stopped", "other_logs")
_CUT = "record-cut"  # diagnostic


class Health:
    name = "health"

    def digest(self, frames: Frames) -> dict:
        """Time of the last record, the world size that the log tells, frames that did not end."""
        log = frames.log
        unfinished = []
        for number, group in enumerate(frames.compiles):
            if group[-1].row["status"] == "missing":
                names = [artifact.name for artifact in frames.artifacts(number)]
                unfinished.append([number, names[-1] if names else None])
        sizes = [row["world_size"] for row in frames.table("runtime")["estimate_tables"] if row["world_size"]]
        return {"last_epoch_us": _last_epoch_us(log), "world_size": max(sizes, default=None), "unfinished": unfinished}

    def table(self, comparison: Comparison, digests: Sequence[dict], tables: Mapping[str, dict]) -> dict:
        present = {row["rank"] for row in comparison.logs if row["rank"] is not None}
        world_size = max((digest["world_size"] for digest in digests if digest["world_size"]), default=None)
        missing = gaps(present, max(world_size or 0, max(present)))
        last = max((digest["last_epoch_us"] for digest in digests if digest["last_epoch_us"] is not None), default=None)
        rows = []

        def add(kind: str, members: Sequence[int], **cells: object) -> None:
            times = [digests[member]["last_epoch_us"] for member in members]
            rows.append(
                {
                    "kind": kind,
                    "ranks": comparison.ranks(members),
                    "log_ids": [comparison.members[member].row["id"] for member in members],
                    "column_index": None,
                    "compile_key": None,
                    "phase": None,
                    "last_epoch_us": min((time for time in times if time is not None), default=None),
                    "others_last_epoch_us": last,
                    **cells,
                }
            )

        if missing:
            add("missing", [], ranks=missing)
        for number, member in enumerate(comparison.members):
            row = member.row
            if not row["event_count"]:
                add("empty", [number])
            elif _CUT in row["diagnostics"]:
                add("cut", [number])
            if others := [other["id"] for other in comparison.logs if other["rank"] == member.rank and other["id"] != row["id"]]:
                add("other_logs", [number], log_ids=others)
        stuck = _unfinished(comparison, digests)
        for (column, phase), members in stuck.items():
            add("unfinished", members, column_index=column, compile_key=comparison.key(members, column), phase=phase)
        times = [digest["last_epoch_us"] for digest in digests]
        for kind, column, members in _ended(comparison, {member for group in stuck.values() for member in group}, times, tables["skew"]):
            add(kind, members, column_index=column)
        return {
            "highest_rank": max(present),
            "world_size": world_size,
            "problems": sorted(rows, key=lambda row: (KINDS.index(row["kind"]), row["ranks"])),
        }


def _first_start(skew: dict, column: int) -> int | None:
    """When the first rank began a column."""
    starts = [row[column] for row in skew["start_offset_us"] if row[column] is not None]
    return skew["origin_epoch_us"] + min(starts) if starts else None


def _last_epoch_us(log) -> int | None:
    origin, chunks = log.directory["clock"]["origin_epoch_us"], log.directory["events"]
    if origin is None or not chunks:
        return None
    return origin + max(log.chunk("events", len(chunks) - 1)["time_us"])


def _unfinished(comparison: Comparison, digests: Sequence[dict]) -> dict[tuple, list[int]]:
    """(column, last artifact) -> members whose last compile did not end, though others ended it."""
    found: dict[tuple, list[int]] = {}
    ended: dict[int, int] = {}
    frames = [{number for number, _ in digest["unfinished"]} for digest in digests]
    for member, cells in enumerate(comparison.cells):
        for column, cell in enumerate(cells):
            if cell >= 0 and cell not in frames[member]:
                ended[column] = ended.get(column, 0) + 1
    for member, digest in enumerate(digests):
        order = comparison.orders[comparison.kind[member]]
        for number, phase in digest["unfinished"]:
            column = order[number]
            if ended.get(column) or number == len(order) - 1:
                found.setdefault((column, phase), []).append(member)
    return found


def _ended(comparison: Comparison, stuck: set[int], times: list[int | None], skew: dict) -> list[tuple[str, int, list[int]]]:
    """(kind, first column that is lacking, members) of those without any compile, or whose log ends before the last ones."""
    count = len(comparison.members)
    usual = [column for column in range(len(comparison.columns)) if 2 * len(comparison.having(column)) > count]
    found: dict[tuple, list[int]] = {}
    for members in comparison.kinds:
        own = set(comparison.orders[comparison.kind[members[0]]])
        lacking = [column for column in usual if column not in own]
        tail = usual[len(usual) - len(lacking) :]
        if usual and not own:
            found.setdefault(("silent", usual[0]), []).extend(members)
        elif lacking and lacking == tail:
            start = _first_start(skew, lacking[0])
            ended = [m for m in members if m not in stuck and (start is None or times[m] is None or times[m] < start)]
            if ended:
                found.setdefault(("stopped", lacking[0]), []).extend(ended)
    return [(kind, column, sorted(members)) for (kind, column), members in sorted(found.items())]
