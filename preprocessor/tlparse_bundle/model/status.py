"""Status of a compile: 'ok', 'failed', 'skipped' (the frame runs eager), 'empty' (nothing to compile),
'unfinished' (the log ends first).

Graph breaks and restarts are counts, not a status: a compile that broke its graph and went on is 'ok'.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

ASKED = "asked"  # what guards asked for, before it is known which of these are recompiles
CANDIDATES = (
    "candidates"  # what the tables of a log say of each compile id, before it is known which are compiles
)
RESTARTED: Final = "restarted"  # of an attempt that another one followed
STATUSES = ("ok", "failed", "skipped", "empty", "unfinished")


def statuses(rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return the number of compiles by status, in the order of STATUSES, without zeros."""
    counts = Counter(row["status"] for row in rows)
    return {status: counts[status] for status in STATUSES if counts[status]}
