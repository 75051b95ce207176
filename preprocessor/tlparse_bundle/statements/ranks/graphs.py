"""Which compiles are identical across ranks, and where in the compiler the others begin to differ."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from tlparse_bundle.bundle.row_objects import Artifact
from tlparse_bundle.statements.ranks.comparable_text import comparable
from tlparse_bundle.statements.ranks.comparison import Comparison, RankTable, Tables
from tlparse_bundle.statements.ranks.frames import STAGES, Frames, stage_artifacts

_DEVICE = re.compile(r"device\(type='(\w+)'")
MAX_INPUTS = 20
MAX_LINE = 300
MAX_SHOWN = 500  # groups of which the first differing line and the inputs are read
_SAME_LINES: dict[str, Any] = {"artifact": None, "line": None, "here": None, "others": None}
_UNEXPLAINED: dict[str, Any] = {"inputs": [], **_SAME_LINES}


class _Group(NamedTuple):
    contents: list[tuple[str, ...]]  # hashes by stage
    members: list[int]


class Graphs:
    name = "graphs"

    def digest(self, frames: Frames) -> list[list[list[str]]]:
        """For each frame, for each stage, what stands for its texts."""
        return [_stages(frames, number) for number in range(len(frames))]

    def tables(self, comparison: Comparison, digests: Sequence[list], tables: Tables) -> Iterator[RankTable]:
        rows: list[dict] = []
        shown = 0
        for column, pairs in comparison.by_column(
            digests, lambda digest, frame: tuple(map(tuple, digest[frame]))
        ):
            groups = _merged([_Group(list(contents), members) for contents, members in pairs])
            numbers = _numbers(groups)
            for position, (group, contents) in enumerate(zip(groups, numbers)):
                stage = _first_stage(contents, numbers[0]) if position else None
                shown += bool(position)
                explained = (
                    _explained(comparison, column, stage, group.members[0], groups[0].members[0])
                    if stage is not None and shown <= MAX_SHOWN
                    else _UNEXPLAINED
                )
                rows.append(
                    {
                        "rank_compile": column,
                        "ranks": comparison.ranks(group.members),
                        "contents": dict(zip(STAGES, contents)),
                        "first_stage": stage,
                        **explained,
                    }
                )
        yield "rank_graphs", rows


def _stages(frames: Frames, number: int) -> list[list[str]]:
    return [
        [frames.contents(a) or "" for a in artifacts]
        for artifacts in stage_artifacts(frames, number).values()
    ]


def _fits(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two lists of texts are equal as far as both go: a cache hit or an end leaves some out."""
    return all(a == b for a, b in zip(one, other))


def _merged(groups: list[_Group]) -> list[_Group]:
    """Groups that only lack something that another one has become part of it."""
    out: list[_Group] = []
    # What fits begins with the same graph; of as many texts in each stage, nothing else fits than what is
    # equal.
    homes: dict[str | None, list[_Group]] = {}
    for group in groups:
        first, lengths = _beginning(group.contents), [*map(len, group.contents)]
        near = out if first is None else [*homes.get(first, ()), *homes.get(None, ())]
        fitting = (
            h
            for h in near
            if [*map(len, h.contents)] != lengths and all(map(_fits, group.contents, h.contents))
        )
        home = next(fitting, None)
        if home is None:
            out.append(group)
            homes.setdefault(first, []).append(group)
        else:
            home.contents[:] = map(
                max, home.contents, group.contents
            )  # the longer one: they are equal as far as both go
            home.members.extend(group.members)
    for group in out:
        group.members.sort()
    return sorted(out, key=lambda group: (-len(group.members), group.members[0]))


def _beginning(contents: list[tuple[str, ...]]) -> str | None:
    """What stands for the captured graph."""
    return contents[0][0] if contents[0] else None


def _numbers(groups: list[_Group]) -> list[list[int | None]]:
    """For each group its contents as numbers, by stage; None where it has none."""
    known: list[dict[str, list[tuple[int, tuple[str, ...]]]]] = [{} for _ in STAGES]  # by the first text
    counts = [0] * len(STAGES)
    rows: list[list[int | None]] = []
    for group in groups:
        row: list[int | None] = []
        for stage, content in enumerate(group.contents):
            if not content:
                row.append(None)
                continue
            seen = known[stage].setdefault(content[0], [])
            number = next((n for n, other in seen if _fits(content, other)), None)
            if number is None:
                number, counts[stage] = counts[stage], counts[stage] + 1
                seen.append((number, content))
            row.append(number)
        rows.append(row)
    return rows


def _first_stage(contents: list[int | None], usual: list[int | None]) -> str | None:
    return next(
        (
            stage
            for stage, here, there in zip(STAGES, contents, usual)
            if here != there and None not in (here, there)
        ),
        None,
    )


def _explained(comparison: Comparison, column: int, stage: str, member: int, other: int) -> dict:
    """The inputs that differ and the first differing line, read from the logs of two members."""
    here, there = comparison.opened(member), comparison.opened(other)
    places = comparison.cells[member][column], comparison.cells[other][column]
    return {
        "inputs": _different_inputs(here, there, *places) if stage == "dynamo" else [],
        **_first_line(stage_artifacts(here, places[0])[stage], stage_artifacts(there, places[1])[stage]),
    }


def _different_inputs(here: Frames, there: Frames, frame: int, other_frame: int) -> list[dict]:
    mine, others = inputs(here, frame), inputs(there, other_frame)
    names = [*others, *(name for name in mine if name not in others)]
    rows = [
        {"name": name, "here": mine.get(name), "others": others.get(name)}
        for name in names
        if mine.get(name) != others.get(name)
    ]
    return rows[:MAX_INPUTS]


def _first_line(mine: list[Artifact], others: list[Artifact]) -> dict:
    """The fields ``artifact``, ``line``, ``here`` and ``others`` of a row."""
    for one, other in zip(mine, others):
        texts = [
            list(enumerate(comparable(artifact.bytes() or b"").split(b"\n"), 1)) for artifact in (one, other)
        ]
        # Comments only say where an operation comes from, '; x = None' what is used no more; they are shown
        # when nothing else differs.
        for lines in (
            [[line for line in text if not line[1].lstrip().startswith(b"#")] for text in texts],
            texts,
        ):
            for (number, here), (other_number, there) in zip_longest(*lines, fillvalue=(None, None)):
                if here != there and (lines is texts or _essence(here) != _essence(there)):
                    return {
                        "artifact": one.name,
                        "line": number or other_number,
                        "here": _text(here),
                        "others": _text(there),
                    }
    return _SAME_LINES


def _essence(line: bytes | None) -> bytes | None:
    return line and line.partition(b";  ")[0]


def _text(line: bytes | None) -> str | None:
    return None if line is None else line.decode("utf-8", "replace")[:MAX_LINE]


def inputs(frames: Frames, number: int) -> dict[str, dict]:
    """Return the inputs of a frame compile by name: the described tensors with a source; for an attempt
    without any, the sizes in its graph.
    """
    described = [row for row in frames.log.table("tensors") if frames.number_of(row) == number]
    graphs = [row for row in frames.log.table("graph_tensors") if frames.number_of(row) == number]
    tensors: dict[str, dict] = {}
    for attempt in sorted({row["attempt"] for row in (*described, *graphs)}):
        tensors |= _described(described, attempt) or _in_graph(graphs, attempt)
    return tensors


def _described(rows: list[dict], attempt: int) -> dict[str, dict]:
    return {
        source: {
            "shape": row["shape"],
            "stride": row["stride"],
            "dtype": row["dtype"],
            "device": _device(row["device"]),
        }
        for row in rows
        if row["attempt"] == attempt
        for source in row["sources"]
    }


def _in_graph(rows: list[dict], attempt: int) -> dict[str, dict]:
    """Return the inputs of the first graph of the attempt."""
    row = next((row for row in rows if row["attempt"] == attempt), None)
    if row is None:
        return {}
    nodes = zip(row["nodes"][: row["input_count"] or 0], row["shapes"])
    return {node: {"shape": shape, "stride": None, "dtype": None, "device": None} for node, shape in nodes}


def _device(text: str | None) -> str | None:
    if text is None:
        return None
    match = _DEVICE.match(text)
    return match[1] if match else re.sub(r":\d+$", "", text)
