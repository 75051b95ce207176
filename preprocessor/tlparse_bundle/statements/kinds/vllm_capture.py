"""Dynamo's capture of a whole model, where it takes longer than all that vLLM does with the graph."""

from __future__ import annotations

from collections.abc import Iterator

from tlparse_bundle.base.wording import duration
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.finding import Finding

KINDS = ("vllm-capture",)
_LEAST_US = 1_000_000


def findings(facts: Facts) -> Iterator[Finding]:
    for backend in facts.table("vllm_backends"):
        begin, start, whole = (
            backend["capture_epoch_us"],
            backend["start_epoch_us"],
            backend["capture_time_us"],
        )
        if begin is None or start is None or not whole:
            continue
        capture = start - begin
        if capture < _LEAST_US or 2 * capture < whole:
            continue
        yield Finding(
            "vllm-capture",
            "info",
            f"Dynamo's capture of the model took {duration(capture)} of {duration(whole)}: more than vLLM's"
            " work on the graph",
            (backend["prefix"],),
            "Before vLLM's backend begins, Dynamo traces the whole model into one graph: on each start that"
            " does not load what was compiled ahead of time."
            + (
                " vLLM's work ended early here, without code."
                if backend["is_ended"] and backend["code_event"] is None
                else ""
            ),
            compiles=[facts.number_of(backend)],
            events=[index for index in (backend["event"],) if index is not None],
            details={"prefix": backend["prefix"], "capture_us": capture, "whole_us": whole},
        )
