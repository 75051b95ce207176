"""Compile ids as torch writes them, and their occurrences.

torch._guards.CompileId prints ``frame/compile``, with ``!N/`` in front inside compiled autograd and
``!N`` while compiled autograd itself captures; CompileContext adds ``_attempt`` above 0.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from tlparse_bundle.base.key_numbers import KeyNumbers

# Compiled autograd id, frame id, frame compile id: what all attempts of one compile share.
FrameCompile = tuple[int | None, int | None, int | None]


class CompileId(NamedTuple):
    compiled_autograd_id: int | None
    frame_id: int | None
    frame_compile_id: int | None
    attempt: int

    @property
    def frame_compile(self) -> FrameCompile:
        """Return the part of the id that all attempts of a compile share."""
        return self[:3]

    def key(self, occurrence: int) -> str:
        """Return the key of the compile in all tables: see ``compile_key``."""
        return compile_key(self[:3], occurrence)

    def __str__(self) -> str:
        parts = []
        if self.compiled_autograd_id is not None:
            parts.append(f"!{self.compiled_autograd_id}")
        if self.frame_id is not None or self.frame_compile_id is not None or not parts:
            parts.append("-" if self.frame_id is None else str(self.frame_id))
            parts.append("-" if self.frame_compile_id is None else str(self.frame_compile_id))
        text = "/".join(parts)
        return f"{text}_{self.attempt}" if self.attempt else text


@lru_cache(4096)
def compile_key(frame_compile: FrameCompile, occurrence: int) -> str:
    """Return the key of a compile in all tables: its id without an attempt, and '@2' for the second compile
    with this id.
    """
    key = str(CompileId(*frame_compile, attempt=0))
    return key if occurrence == 1 else f"{key}@{occurrence}"


class Occurrences:
    """Finds the occurrence of a compile id that a record belongs to.

    ``torch._dynamo.reset()`` restarts the numbering. A frame compile starts with the 'dynamo' span, the
    reasons of a recompile, and a dynamo_start (torch/_dynamo/convert_frame.py, _compile). For an id that
    has already started, the first of them starts the next occurrence, also after one that the recompile
    limit ended without a dynamo_start. Everything else belongs to the newest one.
    """

    def __init__(self) -> None:
        # The newest occurrence of frame compiles that came more than once; others have one.
        self.any_repeated = False
        self._repeated = KeyNumbers()
        self._started = KeyNumbers()  # the occurrence that had a dynamo_start, by frame compile
        # The occurrence that had metrics, of frame compiles that came more than once.
        self._ended = KeyNumbers()
        # The one with a dynamo_start, of each attempt above 0, and of attempt 0 where it differs.
        self._started_attempts = KeyNumbers()

    def of(self, cid: CompileId, *, starts: bool = False, opens: bool = False, ends: bool = False) -> int:
        """Return the occurrence (1, 2, …) of a record. ``starts``: it is a dynamo_start; ``opens``: a record
        that precedes one; ``ends``: the metrics.
        """
        key = cid.key(1)
        occurrence = self._repeated.get(key) or 1
        if starts:
            is_next = occurrence == self._started_attempt(key, cid.attempt)
        else:
            is_next = opens and occurrence in (self._started.get(key), self._ended.get(key))
        if is_next:
            occurrence = self._repeated[key] = occurrence + 1
            self.any_repeated = True
        if starts:
            self._start(key, cid.attempt, occurrence)
        elif ends and self._repeated.get(key) is not None:
            self._ended[key] = occurrence
        return occurrence

    def _started_attempt(self, key: str, attempt: int) -> int | None:
        if attempt:
            return self._started_attempts.get(f"{key}_{attempt}")
        differs = self._started_attempts.get(key)
        return self._started.get(key) if differs is None else differs

    def _start(self, key: str, attempt: int, occurrence: int) -> None:
        attempts, before = self._started_attempts, self._started.get(key) or 0
        if attempt:
            attempts[f"{key}_{attempt}"] = occurrence
            if before != occurrence:  # attempt 0 did not start in it
                attempts.setdefault(key, before)
        elif attempts.get(key) is not None:
            attempts[key] = occurrence
        if before != occurrence:
            self._started[key] = occurrence
