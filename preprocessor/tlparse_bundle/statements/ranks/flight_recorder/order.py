"""Finds the compiles of calls without a stack, from the order of the calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tlparse_bundle.statements.ranks.collective_calls import Call
from tlparse_bundle.statements.ranks.flight_recorder.signatures import fits

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import FlightRecorderCallsRow


def compiles_by_order(
    rows: Sequence[FlightRecorderCallsRow], calls: Sequence[Sequence[Call]]
) -> list[int | None]:
    """Return the compile of each recorded call; None where several or none can have made it.

    ``calls``: of each compile. A run of a compile makes its calls in this order, so the compile that explains
    most of the next calls made them.
    """
    found: list[int | None] = [None] * len(rows)
    at = 0
    while at < len(rows):
        lengths = {number: length for number, own in enumerate(calls) if (length := _common(rows, at, own))}
        longest = max(lengths.values(), default=0)
        best = [number for number, length in lengths.items() if length == longest]
        if not best:  # in the backward of a compile, or outside compiled code
            best = [n for n, own in enumerate(calls) if any(fits(rows[at], call) for call in own)]
        if len(best) == 1:
            found[at : at + max(1, longest)] = best * max(1, longest)
        at += max(1, longest)
    return found


def _common(rows: Sequence[FlightRecorderCallsRow], start: int, calls: Sequence[Call]) -> int:
    """Return how many recorded calls from a number on are the first calls of a compile."""
    length = 0
    while length < len(calls) and start + length < len(rows) and fits(rows[start + length], calls[length]):
        length += 1
    return length
