"""Series: the runs of one program, which are compared over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from tlparse_bundle.statements.runs.trend.run import Run

_SHARE = 0.5  # of the functions of the run with fewer of them that two runs of one program have in common


class Series(NamedTuple):
    name: str
    run_indexes: list[int]


def series_of(runs: Sequence[Run]) -> list[Series]:
    """Return the series, largest first: runs with one label, else those of a folder that compile the same."""
    labels: dict[str, list[int]] = {}
    folders: dict[str, list[int]] = {}
    for index, run in enumerate(runs):
        if run.label:
            labels.setdefault(run.label, []).append(index)
        else:
            folders.setdefault(run.location.folder, []).append(index)
    found = [Series(label, indexes) for label, indexes in labels.items()]
    for folder, indexes in folders.items():
        found += _of_folder(folder, runs, indexes)
    return sorted(found, key=lambda series: (-len(series.run_indexes), series.name))


def _of_folder(folder: str, runs: Sequence[Run], indexes: Sequence[int]) -> list[Series]:
    """Return a series per program. Runs without functions belong to the only program, if there is one."""
    programs: list[list[int]] = []
    nameless: list[int] = []
    for index in indexes:
        own = runs[index].functions
        fitting = [members for members in programs if _is_same(runs[members[-1]].functions, own)]
        if not own:
            nameless.append(index)
        elif fitting:
            fitting[0].append(index)
        else:
            programs.append([index])
    if len(programs) < 2:
        return [Series(folder, list(indexes))]
    names = [_main(runs, members) for members in programs]
    series = [
        Series(f"{folder}: {name}", members) for name, members in zip(_distinct(names), programs, strict=True)
    ]
    return [*series, *([Series(f"{folder}: no functions", nameless)] if nameless else [])]


def _is_same(one: frozenset[tuple[str, str]], other: frozenset[tuple[str, str]]) -> bool:
    return len(one & other) >= _SHARE * min(len(one), len(other))


def _main(runs: Sequence[Run], members: Sequence[int]) -> tuple[str, str]:
    """Return function and file that most runs compile first."""
    firsts = Counter(first for index in members if (first := runs[index].first_function) is not None)
    return firsts.most_common(1)[0][0]


def _distinct(names: Sequence[tuple[str, str]]) -> list[str]:
    """Return the names of functions, with their files where functions have one name, and numbers at last."""
    functions = Counter(function for function, _ in names)
    texts = [function if functions[function] == 1 else f"{function} ({file})" for function, file in names]
    seen: Counter[str] = Counter()
    distinct = []
    for text in texts:
        seen[text] += 1
        distinct.append(text if seen[text] == 1 else f"{text} {seen[text]}")
    return distinct
