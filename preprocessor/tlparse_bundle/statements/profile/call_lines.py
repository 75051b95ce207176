"""Finds the line of generated code that made a measured call of a kernel which several lines call.

Only their order distinguishes these calls: inside one call of the code, the first call of the kernel belongs
to the first of these lines.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Generic, Literal, NamedTuple, TypeVar

from tlparse_bundle.statements.profile.call_tree import Call, Context

LineUnknown = Literal["order", "enclosing_call", "count"]
_Event = TypeVar("_Event")


class CallLine(NamedTuple):
    """A line of the code; None with the reason."""

    line: int | None = None
    unknown: LineUnknown | None = None


class CallLines(Generic[_Event]):
    """Measured events of kernels. ``starts``: of the spans of their operators."""

    def __init__(self, starts: Sequence[float]) -> None:
        self._starts = starts
        self._orders: dict[Hashable, Sequence[int]] = {}
        self._waiting: dict[tuple[Call, Hashable], list[tuple[int, _Event]]] = {}

    def add(
        self, event: _Event, kernel: Hashable, order: Sequence[int], context: Context, span: int
    ) -> CallLine | None:
        """Return the line of an event; None if ``lines`` will have it.

        ``order``: see KernelWork.order; ``span``: of the operator, -1 if unknown.
        """
        call = context.graph or context.region
        if len(order) < 2:
            return CallLine(order[0]) if order else CallLine(unknown="order")
        if call is None or span < 0:
            return CallLine(unknown="enclosing_call")
        self._orders[kernel] = order
        self._waiting.setdefault((call, kernel), []).append((span, event))
        return None

    def lines(self) -> Iterator[tuple[_Event, CallLine]]:
        """Yield the other events with their lines."""
        for (_, kernel), events in self._waiting.items():
            order = self._orders[kernel]
            spans = sorted({span for span, _ in events}, key=self._starts.__getitem__)
            lines = dict(zip(spans, order, strict=True)) if len(spans) == len(order) else {}
            for span, event in events:
                yield event, CallLine(lines[span]) if lines else CallLine(unknown="count")
