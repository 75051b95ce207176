"""Compiles that did not end: the process was killed, hangs, or still runs when the log ends; or something broke the compile off."""

from __future__ import annotations

from collections.abc import Iterator

from tlparse_bundle.findings.facts import Facts
from tlparse_bundle.findings.finding import Finding
from tlparse_bundle.findings.still_open import open_below, open_compiles
from tlparse_bundle.findings.timeline import Span
from tlparse_bundle.findings.words import code, duration, function_name

KINDS = ("unfinished-compile",)


def findings(facts: Facts) -> Iterator[Finding]:
    told: set[int] = set()
    for compile_index, root in open_compiles(facts):
        told.add(compile_index)
        yield _finding(facts, compile_index, root)
    yield from _broken_off(facts, told)


def _broken_off(facts: Facts, told: set[int]) -> Iterator[Finding]:
    """torch writes metrics as of an empty graph, and no error, when what ended a compile is no Exception: KeyboardInterrupt, SystemExit."""
    empty = [frame for frame in facts.compiled if frame.row["status"] == "empty" and frame.rows[-1] not in told]
    if not empty:
        return  # most logs: the graphs need not be read
    traced = {facts.number_of(row) for row in facts.table("graphs") if row["stage"] == "dynamo" and (row["node_count"] or 0) > (row["placeholder_count"] or 0) + 1}
    for frame in empty:
        last = frame.rows[-1]
        if last in traced:
            name, file, line = facts.place_of(last)
            yield Finding(
                "unfinished-compile",
                "error",
                f"The compile of {function_name(name)} was broken off after Dynamo had made its graph",
                (name, "broken off"),
                "torch wrote neither a result nor an error for it. That is so when the process is told to stop in the middle of it, by Ctrl-C or `sys.exit`.",
                (name, file, line),
                [last],
                [frame.row["metrics_event"]],
                details={"open_us": None, "started_epoch_us": frame.row["start_epoch_us"], "last_record_epoch_us": facts.last_us, "open_spans": []},
            )


def _finding(facts: Facts, compile_index: int, root: Span | None) -> Finding:
    compile = facts.compiles[compile_index]
    name, file, line = facts.place_of(compile_index)
    chain = open_below(facts, root) if root else []
    since = None if root is None or facts.last_us is None else facts.last_us - root.start_us
    who = f"The compile of {code(name)}" if name else "A compile without a name" if compile["id"] is None else f"Compile {compile['id']}"
    if chain:
        inner = chain[-1]
        inside = f", in {code(inner.name)}" + (f" for {duration(facts.last_us - inner.start_us)}" if len(chain) > 1 and (facts.last_us or 0) > inner.start_us else "")
        title = f"{who} did not end: the log stops {duration(since)} after it began{inside}"
    else:
        title = f"{who} did not end: the log stops in it"
    text = "The process was killed, hangs there, or was still at it when the log was copied. "
    text += "Open when the log ends: " + " › ".join(code(span.name) for span in chain) + "." if chain else "The log has no timeline that would tell where."
    return Finding(
        "unfinished-compile",
        "error",
        title,
        (name, [span.name for span in chain]),
        text,
        (name, file, line),
        [compile_index],
        [_first_event(facts, compile, root)],
        [span.index for span in chain],
        details={
            "open_us": since,
            "started_epoch_us": root.start_us if root else None,
            "last_record_epoch_us": facts.last_us,
            "open_spans": [{"name": span.name, "open_us": facts.last_us - span.start_us if facts.last_us else None} for span in chain],
        },
    )


def _first_event(facts: Facts, compile: dict, root: Span | None) -> int:
    """The first record of a compile; of one without an id, that of its span."""
    return facts.lists("spans")[root.index]["begin_event"] if root is not None and compile["first_event"] is None else compile["first_event"]
