"""What a log cannot tell, because the torch that wrote it does not record it: unknown is not zero.

A log of torch before 2.10 often does not name its version, so that what its records have tells how old it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.wording import large, plural
from tlparse_bundle.model.functions import resume_function

if TYPE_CHECKING:
    from tlparse_bundle.statements.facts import (
        Facts,
    )  # of use where findings are made; comparisons need no more than the words


# What each is called behind "This version of torch does not write"; in the order of these words.
TOPICS = {
    "failures": "failures",
    "graph_breaks": "graph breaks",
    "function_names": "names of functions",
    "times": "times",
    "recompile_reasons": "why it compiles again",
    "timeline": "a timeline",
    "caches": "what it asks caches",
    "symbols": "sizes that became symbols",
}
_SAID = (
    "failures",
    "graph_breaks",
    "function_names",
    "times",
)  # in the headline, with the reasons of recompiles


def untold(facts: Facts) -> list[str]:
    """Topics, in their order."""
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
    """The end of the headline; empty when the log can tell all that the headline is about."""
    missing = untold(facts)
    topics = ", ".join(TOPICS[topic] for topic in _SAID if topic in missing)
    if not topics:
        return ""
    also = f", nor {TOPICS['recompile_reasons']}" if "recompile_reasons" in missing else ""
    ended = sum(frame.row["status"] != "unfinished" for frame in facts.compiled)
    ends = "" if facts.tells_ends else f" {large(plural(ended, 'compile'))} ended well."
    return f"{ends} This version of torch does not write {topics}{also}.{_known_breaks(facts)}"


def _known_breaks(facts: Facts) -> str:
    """What goes on behind a graph break is called after the function and the line."""
    places = {
        (frame.row["file"], frame.row["function"])
        for frame in facts.frames
        if resume_function(frame.row["function"])
    }
    return (
        f" {plural(len(places), 'place')} where a graph ends can be told from names of the functions that go"
        " on there."
        if places
        else ""
    )


def ends_early(summary: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], growing: bool) -> str | None:
    """Why a log lacks what came later, in words behind "the log"; None when it is whole.

    ``rows``: its findings.
    """
    if growing:
        return "is still being written"
    if any(row["kind"] == "data-problem" and row["details"].get("loses_records", True) for row in rows):
        return "is damaged"
    if summary["unfinished_count"]:
        return f"ends inside {plural(summary['unfinished_count'], 'compile')}"
    return None
