"""How often a state is made: soon after something came, and never so often that it takes more time than the reading may cost."""

from __future__ import annotations

import time

_LEAST_GAP_S = 0.3  # between the end of a state and the next one
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
        self._next_s = now + max(_LEAST_GAP_S, _GAP * (now - self._begun_s))

    def pause(self, seconds: float) -> None:
        self._next_s = time.monotonic() + seconds

    def due(self) -> bool:
        return time.monotonic() >= self._next_s

    def wait_s(self, waits: bool) -> float:
        """How long to wait at most, where something waits for the next state."""
        return max(0.0, self._next_s - time.monotonic()) if waits else _IDLE_S
