"""The tables of other packages, through the entry points ``tlparse_bundle.tables``."""

from __future__ import annotations

from functools import cache

from tlparse_bundle.tables.table import Table

ENTRY_POINTS = "tlparse_bundle.tables"


@cache
def plugin_tables() -> list[type[Table]]:
    """They may use stacks."""
    from importlib.metadata import entry_points  # it takes longer to import than our own modules

    return [entry.load() for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda entry: entry.name)]
