"""What the torch version of a log does not record, inferred from its records: not recorded is not zero."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.wording import large, plural
from tlparse_bundle.model.functions import resume_function

if TYPE_CHECKING:
    from tlparse_bundle.statements.facts import (
        Facts,
    )  # comparisons import only the words


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
}
_IN_HEADLINE = (
    "failures",
    "graph_breaks",
    "function_names",
    "times",
    "recompile_reasons",
)


def untold(facts: Facts) -> list[str]:
    """Return the topics that the log does not record, in the order of TOPICS."""
    missing = {
        "failures": not facts.tells_ends,
        "graph_breaks": not facts.tells_breaks,
        "function_names": not facts.tells_ends,
        "times": not facts.tells_ends,
        "recompile_reasons": not facts.tells_recompiles,
        "timeline": not facts.tells_recompiles,  # all since 2.5
        "caches": not facts.tells_recompiles,
        "symbols": not facts.tells_breaks,  # since 2.6, as graph breaks
    }
    return [topic for topic in TOPICS if missing[topic]]


def not_recorded_text(facts: Facts) -> str:
    """Return the end of the headline; empty when the log records all its topics."""
    missing = untold(facts)
    topics = ", ".join(TOPICS[topic] for topic in _IN_HEADLINE if topic in missing)
    if not topics:
        return ""
    ended = sum(frame.row["status"] != "unfinished" for frame in facts.compiled)
    ends = "" if facts.tells_ends else f" {large(plural(ended, 'compile'))} succeeded."
    return f"{ends} Not recorded by this torch version: {topics}.{_known_breaks(facts)}"


def _known_breaks(facts: Facts) -> str:
    """Return the number of graph break places that the names of resume functions show, as a sentence."""
    places = {
        (frame.row["file"], frame.row["function"])
        for frame in facts.frames
        if resume_function(frame.row["function"])
    }
    return f" Resume functions show graph breaks at {plural(len(places), 'place')}." if places else ""


def ends_early(summary: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], growing: bool) -> str | None:
    """Return why a log is incomplete, to follow "the log"; None if it is whole. ``rows``: its findings."""
    if growing:
        return "is still being written"
    if any(row["kind"] == "data-problem" and row["details"].get("loses_records", True) for row in rows):
        return "is damaged"
    if summary["unfinished_count"]:
        return f"ends inside {plural(summary['unfinished_count'], 'compile')}"
    return None
