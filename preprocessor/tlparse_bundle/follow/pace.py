"""How often a state is made: as seldom as what was written is still shown within a second, and never so often
that states take more time than what is between them.
"""

from __future__ import annotations

import time

_SHOWN_S = (
    0.9  # after this what was written just after a state began is in the next one, and that one is in place
)
_LEAST_GAP_S = 0.1
_GAP = 1.0  # times what the last one took
_IDLE_S = 60.0


class Pace:
    def __init__(self) -> None:
        self._begun_s = 0.0
        self._next_s = 0.0

    def begin(self) -> None:
        self._begun_s = time.monotonic()

    def end(self) -> None:
        now = time.monotonic()
        took = now - self._begun_s
        self._next_s = now + max(_SHOWN_S - 2 * took, _GAP * took, _LEAST_GAP_S)

    def pause(self, seconds: float) -> None:
        self._next_s = time.monotonic() + seconds

    def due(self) -> bool:
        return time.monotonic() >= self._next_s

    def gap_s(self) -> float:
        """How long no state is due, whatever comes."""
        return max(0.0, self._next_s - time.monotonic())

    def wait_s(self, waits: bool) -> float:
        """How long to wait at most, where something waits for the next state."""
        return self.gap_s() if waits else _IDLE_S
