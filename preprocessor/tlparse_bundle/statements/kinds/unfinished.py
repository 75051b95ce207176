"""Compiles that did not end: the process was killed, hangs or still runs, or was interrupted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tlparse_bundle.base.wording import code, duration, function_name
from tlparse_bundle.statements.empty_compiles import with_operations
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.finding import Finding, KindReference
from tlparse_bundle.statements.timeline import Span

KINDS = ("unfinished-compile",)
# Spans around all others of a compile; torch versions have different ones.
_AROUND = re.compile(r"dynamo|entire_frame_compile|_compile\.compile_inner|compile_attempt_\d+")
REFERENCE = {
    "unfinished-compile": KindReference(
        title="Unfinished compile",
        meaning="A compile has no end in the log. The process was killed, hangs or was interrupted, or "
        "the log was copied too early.",
        fix="Look at the innermost open span, which names the step that did not end.",
        not_when="If the process was still running when the log was copied, copy it again.",
    ),
}


def findings(facts: Facts) -> Iterator[Finding]:
    reported: set[int] = set()
    for compile_index, root in open_compiles(facts):
        reported.add(compile_index)
        yield _finding(facts, compile_index, root)
    yield from _broken_off(facts, reported)


def _broken_off(facts: Facts, reported: set[int]) -> Iterator[Finding]:
    """Find compiles that KeyboardInterrupt or SystemExit ended: torch logs no error, only empty metrics."""
    empty = [
        frame for frame in facts.compiled if frame.row["status"] == "empty" and frame.rows[-1] not in reported
    ]
    if not empty:
        return  # as in most logs: skip reading the graphs
    traced = facts.once(with_operations)
    for frame in empty:
        last = frame.rows[-1]
        if last in traced:
            name, file, line = facts.place_of(last)
            yield Finding(
                "unfinished-compile",
                "error",
                f"The compile of {function_name(name)} was interrupted after Dynamo captured its graph",
                (name, "broken off"),
                "torch logged neither a result nor an error, as after Ctrl-C or `sys.exit`.",
                (name, file, line),
                [last],
                [frame.row["metrics_event"]],
                details={
                    "open_us": None,
                    "started_epoch_us": frame.row["start_epoch_us"],
                    "last_record_epoch_us": facts.last_us,
                    "open_spans": [],
                },
            )


def _finding(facts: Facts, compile_index: int, root: Span | None) -> Finding:
    compile = facts.compiles[compile_index]
    name, file, line = facts.place_of(compile_index)
    chain = open_below(facts, root) if root else []
    since = None if root is None or facts.last_us is None else facts.last_us - root.start_us
    who = (
        f"The compile of {code(name)}"
        if name
        else "An unnamed compile"
        if compile["id"] is None
        else f"Compile {compile['id']}"
    )
    if chain:
        inner, last_us = chain[-1], facts.last_us or 0
        inside = f", in {code(inner.name)}" + (
            f" for {duration(last_us - inner.start_us)}"
            if len(chain) > 1 and last_us > inner.start_us
            else ""
        )
        title = f"{who} did not end: open for {duration(since)}{inside}"
    else:
        title = f"{who} did not end: the log ends inside it"
    text = "The process was killed, hangs, or was still compiling when the log was copied. "
    text += (
        "Open spans: " + " › ".join(code(span.name) for span in chain) + "."
        if chain
        else "The log has no timeline, so the step is unknown."
    )
    return Finding(
        "unfinished-compile",
        "error",
        title,
        (name, [span.name for span in chain if not _AROUND.fullmatch(span.name)]),
        text,
        (name, file, line),
        [compile_index],
        [_first_event(facts, compile, root)],
        [span.number for span in chain],
        because_of=("slow-worker", compile["compile"]),  # a job that it waits for, if torch reports one
        details={
            "open_us": since,
            "started_epoch_us": root.start_us if root else None,
            "last_record_epoch_us": facts.last_us,
            "open_spans": [
                {"name": span.name, "open_us": facts.last_us - span.start_us if facts.last_us else None}
                for span in chain
            ],
        },
    )


def _first_event(facts: Facts, compile: dict[str, Any], root: Span | None) -> int:
    """Return the first event of a compile, or of its span when it has no id."""
    event: int = (
        facts.span_row(root)["begin_event"]
        if root is not None and compile["first_event"] is None
        else compile["first_event"]
    )
    return event


def open_compiles(facts: Facts) -> Iterator[tuple[int, Span | None]]:
    """Yield the rows of compiles that are open at the end of the log, each with its outermost span.

    The span is None without a timeline.
    """
    latest_us = max((span.start_us for span in facts.compile_spans), default=0)
    for span in facts.compile_spans:
        if span.duration_us is None and span.start_us >= latest_us and not _ended(facts, span):
            yield span.compile_index, span
    if not len(facts.timeline):
        last = max((row["first_event"] for row in facts.compiles if row["frame_id"] is not None), default=0)
        for frame in facts.compiled:
            # Without metrics it may have failed or been skipped, so only the last compile counts as open.
            open_one = facts.records_outcomes or facts.compiles[frame.rows[-1]]["first_event"] == last
            if frame.row["status"] == "unfinished" and open_one:
                yield frame.rows[-1], None


def open_below(facts: Facts, root: Span) -> list[Span]:
    """Return a span and the nested spans without an end, outermost first."""
    chain = [root]
    while True:
        inner = facts.timeline.open_in(chain[-1].number)
        if not inner:
            return chain
        chain.append(inner[-1])


def running(facts: Facts) -> list[dict[str, Any]]:
    """Return the open compiles, outermost first (schema: manifest, 'running')."""
    rows = []
    for compile_index, root in open_compiles(facts):
        function, file, line = facts.place_of(compile_index)
        spans = [
            {"name": span.name, "since_epoch_us": span.start_us}
            for span in (open_below(facts, root) if root else ())
        ]
        since = root.start_us if root else facts.compiles[compile_index]["start_epoch_us"]
        rows.append(
            {
                "compile": facts.compiles[compile_index]["compile"],
                "attempt": facts.compiles[compile_index]["attempt"],
                "function": function,
                "file": file,
                "line": line,
                "since_epoch_us": since,
                "spans": spans,
            }
        )
    return rows


def _ended(facts: Facts, root: Span) -> bool:
    """Whether its compile ended though its span is open, as after an exception."""
    compile = facts.compiles[root.compile_index]
    return compile["metrics_event"] is not None or compile["failure_type"] is not None
