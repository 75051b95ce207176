"""Cache lookups of the same compiles in two runs, and the parts of their keys that differ.

torch logs the parts of a key as lines '[hash] name: value' (FxGraphCachePickler.debug_lines,
torch/_inductor/codecache.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from tlparse_bundle.base.machine_text import normalised
from tlparse_bundle.statements.ranks.frames import Frame
from tlparse_bundle.statements.runs.compare.run import Run

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import CachesRow

CACHES = ("aot_autograd", "fx_graph")  # their keys have parts
MAX_PARTS = 50  # named parts of a key
_MAX_READ = 10_000  # parts of a key
_MAX_VALUE = 200  # characters
_PART = re.compile(r"\[(\w{8,100})\] ([^:\n]{1,300}): ?(.{0,2000})", re.DOTALL)


class Part(NamedTuple):
    """A part of a key: torch's hash of the value, and the value without machine-specific text."""

    hash: str
    value: str


class Lookup(NamedTuple):
    """A lookup in both runs, as rows of ``caches``. ``different``: parts (before, now) by name, if known."""

    cache: str
    base: CachesRow
    new: CachesRow
    different: dict[str, tuple[Part | None, Part | None]] | None = None

    @property
    def missed(self) -> bool:
        """Whether a hit became a miss."""
        return self.new["outcome"] == "miss" and self.base["outcome"] == "hit"


def changed_lookups(base: Run, new: Run, one: Frame, other: Frame) -> Iterator[Lookup]:
    """Yield the first lookup of each cache with a different outcome in a compile."""
    for cache in CACHES:
        rows = [
            [row for row in run.lookups(frame) if row["cache"] == cache]
            for run, frame in ((base, one), (new, other))
        ]
        pair = next(
            (
                (before, now)
                for before, now in zip(*rows, strict=False)
                if before["outcome"] != now["outcome"]
                and {before["outcome"], now["outcome"]} <= {"hit", "miss", "bypass"}
            ),
            None,
        )
        if pair is not None:
            yield Lookup(cache, *pair, _different(base, pair[0], new, pair[1]))


def _different(
    base: Run, before: CachesRow, new: Run, now: CachesRow
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


def key_parts(run: Run, row: CachesRow) -> dict[str, Part]:
    """Return parts by name, such as 'gm' (the graph) and 'inductor_config[max_autotune]'; {} if none."""
    from tlparse_bundle.log.json_text import parse_json

    try:
        record = parse_json(run.payload(row["event"]), for_table=False)
    except ValueError:
        return {}
    lines = record.get("components") if type(record) is dict else None
    return dict(filter(None, map(_part, lines[:_MAX_READ]))) if type(lines) is list else {}


def _part(line: Any) -> tuple[str, Part] | None:
    match = _PART.match(line) if type(line) is str else None
    return None if match is None else (match[2], Part(match[1], normalised(match[3])[:_MAX_VALUE]))
