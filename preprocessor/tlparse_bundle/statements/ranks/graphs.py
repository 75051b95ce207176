"""The table of graphs and code across ranks, and the first compiler stage at which they differ."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Literal, NamedTuple, TypedDict

from tlparse_bundle.bundle.row_objects import Artifact
from tlparse_bundle.statements.ranks.comparable_text import comparable
from tlparse_bundle.statements.ranks.comparison import Comparison, RankTable, Tables
from tlparse_bundle.statements.ranks.frames import STAGES, Frames, Stage, stage_artifacts

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import (
        GraphTensorsRow,
        RankGraphsInputs,
        RankGraphsInputsHere,
        RankGraphsRow,
        TensorsRow,
    )

_DEVICE = re.compile(r"device\(type='(\w+)'")
_TYPE = re.compile(rb': "[^"]*"')
_ASSIGNED = re.compile(rb"\s*(\w+) = ")
_WORD = re.compile(rb"\w+")
MAX_INPUTS = 20
MAX_LINE = 300
MAX_SHOWN = 500  # groups whose first differing line and inputs are read


class _Line(TypedDict):
    """The first line that differs."""

    artifact: str | None
    change: Literal["replaced", "added", "missing"] | None
    line: int | None
    here: str | None
    others: str | None


class _Explanation(_Line):
    inputs: list[RankGraphsInputs]


_SAME_LINES: _Line = {"artifact": None, "change": None, "line": None, "here": None, "others": None}
_UNEXPLAINED: _Explanation = {"inputs": [], **_SAME_LINES}
Contents = list[tuple[str, ...]]  # hashes of texts by stage


class _Group(NamedTuple):
    contents: Contents
    members: list[int]


class GraphsDigest(TypedDict):
    """For each frame of a log: hashes of its texts by stage, and of its captured graphs without numbers.

    ``without_constants``: without numbers outside types.
    """

    stages: list[list[list[str]]]
    without_numbers: list[list[str]]
    without_constants: list[list[str]]


class Graphs:
    name = "graphs"

    def digest(self, frames: Frames) -> GraphsDigest:
        return {
            "stages": [_stages(frames, number) for number in range(len(frames))],
            "without_numbers": _captured(frames, frames.contents.without_numbers),
            "without_constants": _captured(frames, frames.contents.without_constants),
        }

    def tables(
        self, comparison: Comparison, digests: Sequence[GraphsDigest], tables: Tables
    ) -> Iterator[RankTable]:
        def only_in(group: _Group, other: _Group, column: int) -> Literal["constants", "numbers"] | None:
            (here, frame), (there, other_frame) = (
                (digests[member], comparison.cells[member][column])
                for member in (group.members[0], other.members[0])
            )
            if here["without_constants"][frame] == there["without_constants"][other_frame]:
                return "constants"
            equal = here["without_numbers"][frame] == there["without_numbers"][other_frame]
            return "numbers" if equal else None

        rows: list[RankGraphsRow] = []
        shown = 0
        for column, pairs in comparison.by_column(
            digests, lambda digest, frame: tuple(map(tuple, digest["stages"][frame]))
        ):
            groups = _merged([_Group(list(contents), members) for contents, members in pairs])
            numbers = _numbers(groups)
            for position, (group, contents) in enumerate(zip(groups, numbers, strict=True)):
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
                        "contents": dict(zip(STAGES, contents, strict=True)),
                        "first_stage": stage,
                        "differs_only_in": only_in(group, groups[0], column) if stage == "dynamo" else None,
                        **explained,
                    }
                )
        yield "rank_graphs", rows


def _stages(frames: Frames, number: int) -> list[list[str]]:
    return [
        [frames.contents(a) or "" for a in artifacts]
        for artifacts in stage_artifacts(frames, number).values()
    ]


def _captured(frames: Frames, hash_of: Callable[[Artifact], str | None]) -> list[list[str]]:
    """Return hashes of the captured graphs of each frame."""
    return [
        [hash_of(artifact) or "" for artifact in stage_artifacts(frames, number)["dynamo"]]
        for number in range(len(frames))
    ]


def _fits(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Return whether two lists are equal up to the length of the shorter: a cache hit omits texts."""
    return all(a == b for a, b in zip(one, other, strict=False))


def _merged(groups: list[_Group]) -> list[_Group]:
    """Merge groups that only lack texts of another group into that group."""
    out: list[_Group] = []
    # Fitting groups begin with the same graph; with as many texts in each stage, only equal ones fit.
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
            # Keep the longer list of each stage.
            home.contents[:] = [max(pair) for pair in zip(home.contents, group.contents, strict=True)]
            home.members.extend(group.members)
    for group in out:
        group.members.sort()
    return sorted(out, key=lambda group: (-len(group.members), group.members[0]))


def _beginning(contents: Contents) -> str | None:
    """Return the hash of the captured graph."""
    return contents[0][0] if contents[0] else None


def _numbers(groups: list[_Group]) -> list[list[int | None]]:
    """Return the contents of each group as numbers, by stage; None: no texts."""
    numbered: list[dict[str, list[tuple[int, tuple[str, ...]]]]] = [{} for _ in STAGES]  # by the first text
    counts = [0] * len(STAGES)
    rows: list[list[int | None]] = []
    for group in groups:
        row: list[int | None] = []
        for stage, content in enumerate(group.contents):
            if not content:
                row.append(None)
                continue
            seen = numbered[stage].setdefault(content[0], [])
            number = next((n for n, other in seen if _fits(content, other)), None)
            if number is None:
                number, counts[stage] = counts[stage], counts[stage] + 1
                seen.append((number, content))
            row.append(number)
        rows.append(row)
    return rows


def _first_stage(contents: list[int | None], usual: list[int | None]) -> Stage | None:
    return next(
        (
            stage
            for stage, here, there in zip(STAGES, contents, usual, strict=True)
            if here != there and None not in (here, there)
        ),
        None,
    )


def _explained(comparison: Comparison, column: int, stage: Stage, member: int, other: int) -> _Explanation:
    """Return the inputs that differ and the first differing line of two members."""
    here, there = comparison.opened(member), comparison.opened(other)
    places = comparison.cells[member][column], comparison.cells[other][column]
    return {
        "inputs": _different_inputs(here, there, *places) if stage == "dynamo" else [],
        **_first_line(stage_artifacts(here, places[0])[stage], stage_artifacts(there, places[1])[stage]),
    }


def _different_inputs(here: Frames, there: Frames, frame: int, other_frame: int) -> list[RankGraphsInputs]:
    mine, others = inputs(here, frame), inputs(there, other_frame)
    names = [*others, *(name for name in mine if name not in others)]
    rows: list[RankGraphsInputs] = [
        {"name": name, "here": mine.get(name), "others": others.get(name)}
        for name in names
        if mine.get(name) != others.get(name)
    ]
    return rows[:MAX_INPUTS]


def _first_line(mine: list[Artifact], others: list[Artifact]) -> _Line:
    """Return the fields ``artifact``, ``line``, ``here`` and ``others`` of a row."""
    for one, other in zip(mine, others, strict=False):
        # Show source comments and '; x = None' only if nothing else differs.
        mine_text, other_text = _numbered_lines(one), _numbered_lines(other)
        mine_code, other_code = _without_comments(mine_text), _without_comments(other_text)
        line = _first_pair(mine_code, other_code, _essence) or _first_pair(mine_text, other_text, None)
        if line is not None:
            number, here, there = line
            change = _change(mine_code, other_code)
            return {
                "artifact": one.name,
                "change": change,
                "line": number,
                "here": None if change == "missing" else _text(here),
                "others": None if change == "added" else _text(there),
            }
    return _SAME_LINES


def _change(
    mine: list[_NumberedLine], others: list[_NumberedLine]
) -> Literal["replaced", "added", "missing"]:
    """Return whether the first differing line is an insertion: the lines after it continue equally.

    Names of later values differ after an insertion, so names are not compared.
    """
    here, there = (_without_names(lines) for lines in (mine, others))
    first = next((n for n, pair in enumerate(zip_longest(here, there)) if pair[0] != pair[1]), len(here))
    rest, other_rest = here[first:], there[first:]
    if rest[1:] == other_rest:
        return "added"
    return "missing" if rest == other_rest[1:] else "replaced"


def _without_names(lines: list[_NumberedLine]) -> list[bytes]:
    """Return lines without types and without the names of values that some line assigns."""
    texts = [_TYPE.sub(b"", _essence(text) or b"") for _, text in lines if text and text.strip()]
    names = {match[1] for text in texts if (match := _ASSIGNED.match(text))}
    return [_WORD.sub(lambda word: b"%" if word[0] in names else word[0], text) for text in texts]


_NumberedLine = tuple[int | None, bytes | None]


def _numbered_lines(artifact: Artifact) -> list[_NumberedLine]:
    return list(enumerate(comparable(artifact.bytes() or b"").split(b"\n"), 1))


def _without_comments(lines: list[_NumberedLine]) -> list[_NumberedLine]:
    return [line for line in lines if not (line[1] or b"").lstrip().startswith(b"#")]


def _first_pair(
    mine: list[_NumberedLine],
    others: list[_NumberedLine],
    essence: Callable[[bytes | None], bytes | None] | None,
) -> tuple[int | None, bytes | None, bytes | None] | None:
    """Return (number, line, other line) of the first lines with a different essence; None if equal."""
    for (number, here), (other_number, there) in zip_longest(mine, others, fillvalue=(None, None)):
        if here != there and (essence is None or essence(here) != essence(there)):
            return number or other_number, here, there
    return None


def _essence(line: bytes | None) -> bytes | None:
    return line and line.partition(b";  ")[0]


def _text(line: bytes | None) -> str | None:
    return None if line is None else line.decode("utf-8", "replace")[:MAX_LINE]


def inputs(frames: Frames, number: int) -> dict[str, RankGraphsInputsHere]:
    """Return the inputs of a frame by name: described tensors, or for an attempt without any, graph sizes."""
    described = [row for row in frames.log.table("tensors") if frames.number_of(row) == number]
    graphs = [row for row in frames.log.table("graph_tensors") if frames.number_of(row) == number]
    tensors: dict[str, RankGraphsInputsHere] = {}
    attempts = {row["attempt"] for row in described} | {row["attempt"] for row in graphs}
    for attempt in sorted(attempt for attempt in attempts if attempt is not None):
        tensors |= _described(described, attempt) or _in_graph(graphs, attempt)
    return tensors


def _described(rows: list[TensorsRow], attempt: int) -> dict[str, RankGraphsInputsHere]:
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


def _in_graph(rows: list[GraphTensorsRow], attempt: int) -> dict[str, RankGraphsInputsHere]:
    """Return the inputs of the first graph of an attempt."""
    row = next((row for row in rows if row["attempt"] == attempt), None)
    if row is None:
        return {}
    nodes = zip(row["nodes"][: row["input_count"] or 0], row["shapes"], strict=False)
    return {node: {"shape": shape, "stride": None, "dtype": None, "device": None} for node, shape in nodes}


def _device(text: str | None) -> str | None:
    if text is None:
        return None
    match = _DEVICE.match(text)
    return match[1] if match else re.sub(r":\d+$", "", text)
