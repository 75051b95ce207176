"""Status and times of a compile, and of several together.

Status: 'ok', 'failed', 'skipped' (the frame runs eager), 'empty' (nothing to compile), 'unfinished' (the log
ends first). Graph breaks and restarts are counts, not a status: a compile that broke its graph and went on is
'ok'.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, Final

ASKED = "asked"  # what guards asked for, before it is known which of these are recompiles
CANDIDATES = (
    "candidates"  # what the tables of a log say of each compile id, before it is known which are compiles
)
EXPORT_RECORDS = "export_records"  # of torch.export, before it is known which calls they belong to
RESTARTED: Final = "restarted"  # of an attempt that another one followed
STATUSES = ("ok", "failed", "skipped", "empty", "unfinished")
PARTS = ("dynamo_us", "aot_us", "inductor_us", "backward_us", "restart_us")


def statuses(rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return the number of compiles by status, in the order of STATUSES, without zeros."""
    counts = Counter(row["status"] for row in rows)
    return {status: counts[status] for status in STATUSES if counts[status]}


def phase_times(
    *,
    forward_us: int | None,
    backend_us: int | None,
    inductor_us: int | None,
    backward_us: int | None,
    restart_us: int | None,
    measured: bool,
) -> dict[str, int | None]:
    """Return ``total_us`` of a compile and its PARTS, in microseconds; a part that is unknown or never ran
    is None.

    ``forward_us`` is the time of all attempts, including ``restart_us`` lost to restarts and
    ``backend_us`` in the backend, of which ``inductor_us`` is Inductor. ``backward_us`` is additional:
    backward graphs that were compiled later. ``measured``: torch recorded the parts. The known parts add
    up to ``total_us`` when ``dynamo_us`` is known.
    """
    measured_us = forward_us if measured else None
    restart_us = None if measured_us is None or restart_us is None else min(restart_us, measured_us)
    backend_us = (
        None
        if measured_us is None or backend_us is None
        else min(backend_us, measured_us - (restart_us or 0))
    )
    inductor_us = None if inductor_us is None or backend_us is None else min(inductor_us, backend_us)
    return {
        "total_us": None if forward_us is None else forward_us + (backward_us or 0),
        "dynamo_us": None if measured_us is None else measured_us - (restart_us or 0) - (backend_us or 0),
        "aot_us": None if backend_us is None else backend_us - (inductor_us or 0),
        "inductor_us": inductor_us,
        "backward_us": backward_us,
        "restart_us": restart_us,
    }


def forward_us(row: Mapping[str, Any]) -> int | None:
    """Return the time of a compile without its backward, in microseconds; None when unknown."""
    return None if row["total_us"] is None else row["total_us"] - (row["backward_us"] or 0)


def covered_us(spans: Iterable[tuple[int, int]]) -> int:
    """Return the length of the union of intervals (start, end): each moment counts once."""
    starts, ends = array("q"), array("q")  # not a list of pairs: a log can have a million
    for start, end in spans:
        starts.append(start)
        ends.append(end)
    in_order = all(first <= second for first, second in pairwise(starts))
    length = 0
    reached: int | None = None
    for start, end in zip(starts, ends, strict=True) if in_order else sorted(zip(starts, ends, strict=True)):
        begin = start if reached is None else max(start, reached)
        length += max(0, end - begin)
        reached = end if reached is None else max(end, reached)
    return length


def compiling_us(rows: Iterable[Mapping[str, Any]], *, with_backward: bool = True) -> int | None:
    """Return the compile time of some rows of ``compiles`` together, in microseconds; None when no time is
    known.

    Compiles nest and run in parallel: their intervals are united. Backward compiles have no start in the
    table, so their times are added.
    """
    starts, ends = array("q"), array("q")
    others: int | None = None
    for row in rows:
        start, forward = row["start_epoch_us"], forward_us(row)
        if forward is not None and start is not None:
            starts.append(start)
            ends.append(start + forward)
        elif forward is not None:
            others = (others or 0) + forward
        if with_backward and row["backward_us"] is not None:
            others = (others or 0) + row["backward_us"]
    if not starts:
        return others
    return covered_us(zip(starts, ends, strict=True)) + (others or 0)
