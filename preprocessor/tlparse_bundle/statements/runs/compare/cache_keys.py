"""What a compile cache was asked for: the parts of its key, by name.

torch writes them in the records of its caches (FxGraphCachePickler.debug_lines,
torch/_inductor/codecache.py): one line '[hash] name: value' for each part.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from tlparse_bundle.base.machine_text import normalised
from tlparse_bundle.statements.runs.compare.run import Run

MAX_PARTS = 10_000
MAX_VALUE = 200  # characters
_PART = re.compile(r"\[(\w{8,100})\] ([^:\n]{1,300}): ?(.{0,2000})", re.DOTALL)


class Part(NamedTuple):
    """``hash`` is torch's, of the value; ``value`` is its text as another machine writes it."""

    hash: str
    value: str


def key_parts(run: Run, row: dict) -> dict[str, Part]:
    """By name: 'gm' is the graph, 'example_inputs[0]' an input, 'inductor_config[max_autotune]' a setting.

    Empty when the record of a row of the cache table has none.
    """
    from tlparse_bundle.log.json_text import parse_json

    try:
        record = parse_json(run.payload(row["event"]), for_table=False)
    except ValueError:
        return {}
    lines = record.get("components") if type(record) is dict else None
    return dict(filter(None, map(_part, lines[:MAX_PARTS]))) if type(lines) is list else {}


def _part(line: Any) -> tuple[str, Part] | None:
    match = _PART.match(line) if type(line) is str else None
    return None if match is None else (match[2], Part(match[1], normalised(match[3])[:MAX_VALUE]))
