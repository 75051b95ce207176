"""How long several things took together, of which some lie within others: each moment once."""

from __future__ import annotations

from collections.abc import Iterable


def covered_us(spans: Iterable[tuple[int, int]]) -> int:
    """The length of all, each with its begin and its end."""
    length = 0
    reached: int | None = None
    for start, end in sorted(spans):
        begin = start if reached is None else max(start, reached)
        length += max(0, end - begin)
        reached = end if reached is None else max(end, reached)
    return length


def compiling_us(rows: Iterable[dict], *, with_backward: bool = True) -> int | None:
    """Of compiles, given as rows of the compile table, one for each frame. None when no time is known.

    What a compile waited for while another one was made, as when a backend calls a compiled function, is in the time of both.
    Backward compiles have no begin in the table: they are added.
    """
    placed: list[tuple[int, int]] = []
    others: list[int] = []
    for row in rows:
        start, forward = row["start_epoch_us"], row["compile_time_us"]
        if forward is not None and start is not None:
            placed.append((start, start + forward))
        elif forward is not None:
            others.append(forward)
        if with_backward and row["backward_time_us"] is not None:
            others.append(row["backward_time_us"])
    return covered_us(placed) + sum(others) if placed or others else None
