"""Compiles whose generated code needs more or less memory than in the other run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tlparse_bundle.base.machine_text import tail
from tlparse_bundle.base.wording import function_name, size
from tlparse_bundle.statements.runs.compare.change import Change
from tlparse_bundle.statements.runs.compare.compile_pairs import Pairs
from tlparse_bundle.statements.runs.compare.run import Run

_LEAST_BYTES = 100_000_000  # of the larger peak
_LEAST_CHANGE = 0.1  # of the smaller peak


class Peak(NamedTuple):
    """The largest peak of the codes of a compile. ``unknown``: why it is only a lower bound."""

    bytes: int
    unknown: tuple[str, ...]


def memory_changes(pairs: Pairs, causes: Sequence[Change]) -> Iterator[Change]:
    """Yield compiles with a different peak. Lower bounds count only if their reasons are the same."""
    ours, theirs = peaks(pairs.base.first), peaks(pairs.new.first)
    if not ours or not theirs:
        return
    for number, row in enumerate(pairs.rows):
        base, new = row.both or (None, None)
        before, now = (ours.get(base.key), theirs.get(new.key)) if base and new else (None, None)
        if before is None or now is None or before.unknown != now.unknown:
            continue
        difference = now.bytes - before.bytes
        is_large = max(before.bytes, now.bytes) >= _LEAST_BYTES
        if not is_large or abs(difference) < _LEAST_CHANGE * min(before.bytes, now.bytes):
            continue
        frame = row.pair.frame
        cause = next((change for change in causes if _may_lead(change, number)), None)
        bound = "at least " if now.unknown else ""
        yield Change(
            "memory",
            "warning" if difference > 0 else "info",
            f"{function_name(frame.function)} [{frame.key}] needs {bound}{size(now.bytes)} of memory at its"
            f" peak, was {bound}{size(before.bytes)}",
            text="Computed from the generated code, without its inputs.",
            place=(frame.function, frame.filename and tail(frame.filename), frame.first_line),
            change="worse" if difference > 0 else "better",
            pairs=[number],
            details={"base_bytes": before.bytes, "new_bytes": now.bytes, "is_exact": not now.unknown},
            key=("memory", number),
            because_of=cause and cause.key,
        )


def _may_lead(change: Change, number: int) -> bool:
    return number in change.pairs and change.kind in ("graph", "code", "backend")


def peaks(run: Run) -> dict[str | None, Peak]:
    """Return the largest peak of each compile of a log."""
    found: dict[str | None, Peak] = {}
    for row in run.log.table("memory"):
        known = found.get(row["compile"])
        if known is None or row["known_peak_bytes"] > known.bytes:
            unknown = (*sorted(row["unknown"]), *sorted(row["operators"]))
            found[row["compile"]] = Peak(row["known_peak_bytes"], unknown)
    return found
