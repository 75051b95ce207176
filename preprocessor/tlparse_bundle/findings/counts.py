"""Numbers that several findings and the headline tell, each counted in one way."""

from __future__ import annotations

from tlparse_bundle.findings.facts import CAPTURE_SPAN, Facts
from tlparse_bundle.findings.places import is_generated


def place_count(facts: Facts) -> int:
    """Distinct places of graph breaks; a break whose place is unknown is a place of its own."""
    rows = facts.table("graph_breaks")["graph_breaks"]
    return len({(row["file"], row["line"]) if row["file"] is not None else number for number, row in enumerate(rows)})


def break_count(facts: Facts) -> int:
    """How often a graph broke: each record once."""
    return sum(len(row["occurrences"]) for row in facts.table("graph_breaks")["graph_breaks"])


def recompile_count(facts: Facts) -> int:
    """Compiles that were made again; what the limit refused or error_on_recompile forbade was not."""
    return sum(row["compile_index"] not in facts.not_begun for row in facts.table("recompiles")["recompiles"])


def export_count(facts: Facts) -> int:
    """Calls of torch.export: those that left records (with TORCH_DTRACE), or spans of the timeline."""
    captures = sum(span.name == CAPTURE_SPAN for span in facts.compile_spans) - sum(span.name == CAPTURE_SPAN for span in facts.ahead_of_time)
    return max(captures, len(facts.table("export")["exports"]))


def specialization_count(facts: Facts) -> int:
    """Sizes of functions of the program that became constants; what compiled autograd generates has many, by design."""
    if not facts.kind_count("symbolic_shape_specialization"):
        return 0
    compiles = (facts.compiles[index] for index in facts.table("symbols")["specializations"]["compile_index"])
    return sum(not is_generated(compile["filename"]) for compile in compiles)
