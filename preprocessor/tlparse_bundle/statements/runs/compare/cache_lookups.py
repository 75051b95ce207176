"""What compile caches said to the same compiles in two runs, and which parts of a key made one miss."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tlparse_bundle.statements.ranks.frames import Frame
from tlparse_bundle.statements.runs.compare.cache_keys import Part, key_parts
from tlparse_bundle.statements.runs.compare.run import Run

CACHES = ("aot_autograd", "fx_graph")  # their keys have parts
MAX_PARTS = 50  # of a key, that are named


class Lookup(NamedTuple):
    """One lookup of a compile in both runs: rows of the cache tables.

    ``different``: parts of the keys by name, before and now; None when unknown.
    """

    cache: str
    base: dict
    new: dict
    different: dict[str, tuple[Part | None, Part | None]] | None = None

    @property
    def missed(self) -> bool:
        """Whether it is a miss now and was none before."""
        return self.new["outcome"] == "miss" and self.base["outcome"] == "hit"


def changed_lookups(base: Run, new: Run, one: Frame, other: Frame) -> Iterator[Lookup]:
    """Those of a compile whose outcomes differ: for each cache the first one, in the order of the lookups
    (forward, then backward).
    """
    for cache in CACHES:
        rows = [
            [row for row in run.lookups(frame) if row["cache"] == cache]
            for run, frame in ((base, one), (new, other))
        ]
        found = next(
            (
                (before, now)
                for before, now in zip(*rows)
                if before["outcome"] != now["outcome"]
                and {before["outcome"], now["outcome"]} <= {"hit", "miss", "bypass"}
            ),
            None,
        )
        if found is not None:
            yield Lookup(cache, *found, _different(base, found[0], new, found[1]))


def _different(
    base: Run, before: dict, new: Run, now: dict
) -> dict[str, tuple[Part | None, Part | None]] | None:
    if before["key"] is not None and before["key"] == now["key"]:
        return {}
    ours, theirs = key_parts(base, before), key_parts(new, now)
    if not ours or not theirs:
        return None
    names = [
        name for name in {**ours, **theirs} if ours.get(name, _NONE).hash != theirs.get(name, _NONE).hash
    ]
    return {name: (ours.get(name), theirs.get(name)) for name in names[:MAX_PARTS]}


_NONE = Part("", "")
