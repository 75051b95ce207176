"""What the torch version of a log does not record, inferred from its records: not recorded is not zero."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.wording import large, listed, plural
from tlparse_bundle.model.functions import resume_function

if TYPE_CHECKING:
    from tlparse_bundle.statements.facts import Facts  # for types only: comparisons need just the words

# The name of each topic in sentences, in their order.
TOPICS = {
    "failures": "failures",
    "graph_breaks": "graph breaks",
    "function_names": "function names",
    "times": "times",
    "recompile_reasons": "recompile reasons",
    "timeline": "a timeline",
    "caches": "cache lookups",
    "symbols": "symbolic sizes",
    "exports": "exports with `strict=False` that succeed",
}
_IN_HEADLINE = ("failures", "graph_breaks", "function_names", "times", "recompile_reasons")


def unrecorded_topics(facts: Facts) -> list[str]:
    """Return the topics that the torch version does not record, in the order of TOPICS."""
    missing = {
        "failures": not facts.records_outcomes,
        "graph_breaks": not facts.records_breaks,
        "function_names": not facts.records_outcomes,
        "times": not facts.records_outcomes,
        "recompile_reasons": not facts.records_recompiles,
        "timeline": not facts.records_recompiles,  # all since 2.5
        "caches": not facts.records_recompiles,
        "symbols": not facts.records_breaks,  # since 2.6, as graph breaks
    }
    return [topic for topic in missing if missing[topic]]


def not_recorded_text(facts: Facts, *, short: bool = False) -> str:
    """Return the end of the headline; empty when the log records all its topics.

    ``short`` leaves out the graph breaks that the names of resume functions show.
    """
    missing = unrecorded_topics(facts)
    topics = [
        TOPICS[topic] + ("" if short or topic != "graph_breaks" else _known_breaks(facts))
        for topic in _IN_HEADLINE
        if topic in missing
    ]
    if not topics:
        return ""
    ended = sum(frame.row["status"] != "unfinished" for frame in facts.compiled)
    ends = "" if facts.records_outcomes else f" {large(plural(ended, 'compile'))} succeeded."
    return f"{ends} Not recorded: {listed(topics, 2)}."


def _known_breaks(facts: Facts) -> str:
    """Return the number of graph break places that the names of resume functions show, in parentheses."""
    places = {
        (frame.row["file"], frame.row["function"])
        for frame in facts.frames
        if resume_function(frame.row["function"])
    }
    return f" (at least {plural(len(places), 'place')})" if places else ""


def ends_early(summary: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], growing: bool) -> str | None:
    """Return why a log is incomplete, to follow "the log"; None if it is complete. ``rows``: its findings."""
    if growing:
        return "is still being written"
    if any(row["kind"] == "data-problem" and row["details"].get("loses_records", True) for row in rows):
        return "is damaged"
    if summary["unfinished_count"]:
        return f"ends inside {plural(summary['unfinished_count'], 'compile')}"
    return None
