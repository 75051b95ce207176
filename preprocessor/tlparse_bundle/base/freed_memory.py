"""Freed memory goes back to the system."""

from __future__ import annotations


def give_back_freed_memory() -> None:
    """Return to the system what glibc keeps of freed memory: after many compiles, more than is in use.

    Does nothing with other C libraries.
    """
    try:
        import ctypes

        ctypes.CDLL(None).malloc_trim(0)
    except (ImportError, AttributeError, OSError, TypeError):  # not all have it, or can load themselves
        return
