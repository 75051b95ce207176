"""Compiles that are open where the log ends: of a finished log a finding, of one that still grows what runs now."""

from __future__ import annotations

from collections.abc import Iterator

from tlparse_bundle.findings.facts import Facts
from tlparse_bundle.findings.timeline import Span


def open_compiles(facts: Facts) -> Iterator[tuple[int, Span | None]]:
    """The compiles that are open where the log ends, by row, each with its outermost span; None of a torch that writes no timeline."""
    latest_us = max((span.start_us for span in facts.compile_spans), default=0)
    for span in facts.compile_spans:
        if span.duration_us is None and span.start_us >= latest_us and not _ended(facts, span):
            yield span.compile_index, span
    if not len(facts.timeline):
        last = max((row["first_event"] for row in facts.compiles if row["frame_id"] is not None), default=0)
        for frame in facts.compiled:
            # Without metrics it may have failed, or been skipped: only what nothing follows is open.
            open_one = facts.tells_ends or facts.compiles[frame.rows[-1]]["first_event"] == last
            if frame.row["status"] == "unfinished" and open_one:
                yield frame.rows[-1], None


def open_below(facts: Facts, root: Span) -> list[Span]:
    """The span and those in it that have no end, from the outside in."""
    chain = [root]
    while True:
        inner = facts.timeline.open_in(chain[-1].index)
        if not inner:
            return chain
        chain.append(inner[-1])


def running(facts: Facts) -> list[dict]:
    """The compiles that are open, outermost first (schema: manifest, 'running')."""
    rows = []
    for compile_index, root in open_compiles(facts):
        function, file, line = facts.place_of(compile_index)
        spans = [{"name": span.name, "since_epoch_us": span.start_us} for span in (open_below(facts, root) if root else ())]
        since = root.start_us if root else facts.compiles[compile_index]["start_epoch_us"]
        rows.append(
            {"compile": facts.compiles[compile_index]["compile"], "attempt": facts.compiles[compile_index]["attempt"], "function": function, "file": file, "line": line, "since_epoch_us": since, "spans": spans}
        )
    return rows


def _ended(facts: Facts, root: Span) -> bool:
    """Whether its compile ended though its span is open, as after an exception."""
    compile = facts.compiles[root.compile_index]
    return compile["metrics_event"] is not None or compile["failure_type"] is not None
