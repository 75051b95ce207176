"""Findings about graphs and code that differ between ranks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, TypedDict

from tlparse_bundle.base.wording import code, first_line, large, plural
from tlparse_bundle.guards.inputs import local_name
from tlparse_bundle.statements.ranks import kind_references
from tlparse_bundle.statements.ranks.rank_finding import Finder, RankFinding
from tlparse_bundle.statements.ranks.rank_sets import are_moved, odd_groups, of_compiles, ranges, ranks_in
from tlparse_bundle.statements.ranks.wording import Templates, Words, ranks_text

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import (
        RankGraphsInputs,
        RankGraphsInputsHere,
        RankGraphsInputsOthers,
        RankGraphsRow,
    )

_DIFFERENCES: dict[str, str] = {
    "dynamo": "Dynamo captured a different graph",
    "joint": "AOTAutograd built a different joint graph",
    "forward": "AOTAutograd built a different forward graph",
    "backward": "AOTAutograd built a different backward graph",
    "inference": "AOTAutograd built a different graph",
    "post_grad": "Inductor's passes produced a different graph",
    "code": "Inductor generated different code",
}
_SOURCE = re.compile(r"^# File: (.*), code: (.+)$")  # a comment in a graph


class DetailsLine(TypedDict):
    """The first line that differs, as stored in details of findings."""

    artifact: str
    change: str | None
    number: int | None
    here: str | None
    others: str | None


def findings(finder: Finder) -> Iterator[RankFinding]:
    for column, groups in of_compiles(finder.table("rank_graphs")).items():
        reason = _reason(finder, column, groups)
        if reason is not None:
            yield _numbers(finder, column, groups, reason)
            continue
        for group, ranks, more in odd_groups(groups):
            if group["first_stage"] is not None:
                yield finder.finding(
                    "graph",
                    "warning",
                    ranks,
                    "rank_graphs",
                    {"stage": group["first_stage"], "inputs": group["inputs"], "line": _line(group), **more},
                    others=groups[0]["ranks"],
                    column=column,
                )


def _line(group: RankGraphsRow) -> DetailsLine | None:
    if group["artifact"] is None:
        return None
    return {
        "artifact": group["artifact"],
        "change": group["change"],
        "number": group["line"],
        "here": group["here"],
        "others": group["others"],
    }


Reason = Literal["constants", "splits", "shards"]


def _reason(finder: Finder, column: int, groups: Sequence[RankGraphsRow]) -> Reason | None:
    """Return why graphs that differ only in numbers are to be expected; None when they are not.

    'constants': the numbers depend on the rank. 'splits': ranks exchange different numbers of rows. 'shards':
    the last rank has the smaller rest of a tensor.
    """
    odd = [group for group in groups[1:] if group["first_stage"] is not None]
    if not odd or not all(group["differs_only_in"] for group in odd):
        return None
    if any(row["rank_compile"] == column for row in finder.table("collective_mismatches")):
        return None
    if "all_to_all" in (odd[0]["here"] or ""):
        return "splits"
    if all(group["differs_only_in"] == "constants" and not group["inputs"] for group in odd):
        return "constants" if are_moved([ranks_in(group["ranks"]) for group in (groups[0], *odd)]) else None
    return "shards" if len(odd) == 1 and _is_rest(finder, odd[0]) else None


def _is_rest(finder: Finder, group: RankGraphsRow) -> bool:
    """Return whether only the last rank of the role, or of each group of an axis, has smaller inputs."""
    ranks = ranks_in(group["ranks"])
    axes: dict[int, list[int]] = {}
    for row in finder.table("process_groups"):
        axes.setdefault(row["axis"], []).append(row["ranks"][-1][-1])
    role = finder.comparison.roles[finder.role_of(group["ranks"])]
    last_of_role = [finder.comparison.members[max(role)].rank]
    return (
        len(role) > 2
        and ranks in (last_of_role, *map(sorted, axes.values()))
        and bool(group["inputs"])
        and all(_is_smaller(row["here"], row["others"]) for row in group["inputs"])
    )


def _is_smaller(here: RankGraphsInputsHere | None, others: RankGraphsInputsOthers | None) -> bool:
    """Return whether a tensor is smaller than another one in one dimension, and equal in the others."""
    mine, theirs = here and here["shape"], others and others["shape"]
    if not mine or not theirs or len(mine) != len(theirs):
        return False
    unequal = [pair for pair in zip(mine, theirs, strict=True) if pair[0] != pair[1]]
    (own, other), *more = unequal or [(0, 0)]
    return not more and isinstance(own, int) and isinstance(other, int) and own < other


def _numbers(finder: Finder, column: int, groups: Sequence[RankGraphsRow], reason: Reason) -> RankFinding:
    odd = [group for group in groups[1:] if group["first_stage"] is not None]
    details = {
        "reason": reason,
        "inputs": odd[0]["inputs"],
        "line": _line(odd[0]),
        "here": odd[0]["ranks"],
    }
    ranks = ranges(rank for group in odd for rank in ranks_in(group["ranks"]))
    return finder.finding(
        "rank-numbers", "info", ranks, "rank_graphs", details, others=groups[0]["ranks"], column=column
    )


def _graph(words: Words) -> tuple[str, str]:
    if inputs := words.details["inputs"]:
        return f"On {words.ranks}, {_first_input(inputs, words.mine)}", _more_inputs(inputs)
    return (
        f"On {words.ranks}, {_DIFFERENCES[words.details['stage']]} for {words.mine}",
        _different_line(words.details["line"]),
    )


_REASONS: dict[Reason, str] = {
    "constants": "Each number is in the graphs of equally many ranks, as where code depends on the rank.",
    "splits": "The ranks exchange different numbers of rows, and no sizes contradict each other.",
    "shards": "This is expected of the last part of a tensor that does not divide evenly.",
}


def _rank_numbers(words: Words) -> tuple[str, str]:
    difference = _different_input(words.details["inputs"]) or _different_line(words.details["line"])
    here = ranks_text(words.details["here"])
    return (
        f"Graphs of {words.mine} differ between ranks only in numbers",
        f"On {here}: {difference[0].lower()}{difference[1:]} {_REASONS[words.details['reason']]}",
    )


def _different_input(different: list[RankGraphsInputs]) -> str:
    """Return "Input `x` is f32 (8, 8) instead of f32 (16, 8)."; empty if no input differs."""
    return f"{large(_first_input(different))}. {_more_inputs(different)}".strip() if different else ""


def _first_input(different: list[RankGraphsInputs], of: str | None = None) -> str:
    """Return "input `x` of `f` [0/0] is f32 (8, 8) instead of f32 (16, 8)"."""
    here, others = different[0]["here"], different[0]["others"]
    name = f"input {code(local_name(different[0]['name']))}{f' of {of}' if of else ''}"
    if here and others:
        return f"{name} is {_tensor(here)} instead of {_tensor(others)}"
    return f"{name} is {'new' if here else 'missing'}"


def _more_inputs(different: list[RankGraphsInputs]) -> str:
    more = len(different) - 1
    return f"{plural(more, 'more input')} {'differs' if more == 1 else 'differ'}." if more else ""


def _tensor(tensor: RankGraphsInputsHere | RankGraphsInputsOthers) -> str:
    parts = [
        (tensor["dtype"] or "").removeprefix("torch."),
        f"({', '.join(map(str, tensor['shape']))})" if tensor["shape"] is not None else None,
    ]
    return " ".join(filter(None, parts)) or "a different tensor"


def _different_line(line: DetailsLine | None) -> str:
    """Return "Line 12 is `y = x + 1` instead of `y = x + 2`."; empty if no line differs."""
    if line is None:
        return ""
    if line["change"] == "added":
        return f"Line {line['number']} is an extra one: {_code_of(line['here'], 2)}."
    if line["change"] == "missing":
        return f"A line is missing at line {line['number']}: {_code_of(line['others'], 2)}."
    here, others = _SOURCE.match((line["here"] or "").strip()), _SOURCE.match((line["others"] or "").strip())
    part = 1 if here and others and here[2] == others[2] else 2
    texts = _code_of(line["here"], part), _code_of(line["others"], part)
    return f"Line {line['number']} is {texts[0]} instead of {texts[1]}."


def _code_of(text: str | None, part: int) -> str:
    """Return a line of a graph as code; for a source comment, only one part of it."""
    if text is None or not text.strip():
        return "the end of the text" if text is None else "an empty line"
    source = _SOURCE.match(text.strip())
    return code(first_line(source[part] if source else text, 160))


TEMPLATES: Templates = {"graph": _graph, "rank-numbers": _rank_numbers}
REFERENCE = kind_references.GRAPHS
