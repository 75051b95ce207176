"""What other packages add, through entry points."""

from __future__ import annotations

from functools import cache
from typing import Any


def plugins(group: str) -> list[Any]:
    """The objects of the entry points of a group, such as ``tlparse_bundle.tables``, in the order of their names."""
    return [entry.load() for entry in _by_group().get(group, ())]


@cache
def _by_group() -> dict[str, list]:
    """All packages are looked through once: that takes as long as a few thousand records."""
    from importlib.metadata import entry_points  # it takes longer to import than our own modules

    found = entry_points()
    return {group: sorted(found.select(group=group), key=lambda entry: entry.name) for group in found.groups if group.startswith("tlparse_bundle.")}
