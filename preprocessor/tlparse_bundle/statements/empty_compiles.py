"""Functions of which torch compiled some calls, and found nothing to compile in others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tlparse_bundle.model.functions import resume_function
from tlparse_bundle.statements.attempt_list import FrameCompile
from tlparse_bundle.statements.export_calls import stack
from tlparse_bundle.statements.facts import Facts, FunctionKey
from tlparse_bundle.statements.source_places import is_of_program

CodeKey = tuple[FunctionKey, str | None, int | None]  # with the name and the frame id
_DYNAMO = re.compile(r"[/\\]torch[/\\]_dynamo[/\\]")


def always_empty(facts: Facts) -> dict[FunctionKey, int]:
    """Return the first compile, a row of ``Facts.compiles``, of each function that the program calls through
    ``torch.compile`` and in which torch found nothing to compile.
    """
    first: dict[FunctionKey, int] = {}
    others: set[FunctionKey] = set()  # a function that compiled twice was not skipped
    for frame in facts.compiled:
        row, key = frame.row, facts.function_key(frame.rows[0])
        is_empty = is_skipped(frame.row) and not row["graph_break_count"] and not row["restart_reasons"]
        if not is_empty or key in first:
            others.add(key)
        first.setdefault(key, frame.rows[0])
    found = {key: number for key, number in first.items() if key not in others and _is_entry(facts, number)}
    if found and not facts.records_skips:
        return {}  # a graph break can be the reason
    # An interrupted compile has no operations in its metrics, but a graph.
    traced = facts.once(with_operations) if found else set()
    return {key: number for key, number in found.items() if number not in traced}


def is_skipped(row: Mapping[str, Any]) -> bool:
    """Whether torch found nothing to compile, so skips the function (torch/_dynamo/symbolic_convert.py, "no
    content in function call"). Code without operations can also be compiled, with guards.
    """
    return row["status"] == "empty" and row["guard_count"] is None


def with_operations(facts: Facts) -> set[int | None]:
    """Return the compiles in which Dynamo captured a graph with operations: rows of ``Facts.compiles``."""
    return {
        facts.number_of(row)
        for row in facts.table("graphs")
        if row["stage"] == "dynamo" and (row["node_count"] or 0) > (row["placeholder_count"] or 0) + 1
    }


def _is_entry(facts: Facts, number: int) -> bool:
    """Whether the user's code calls a function of its own through ``torch.compile``: no compiled code, and
    nothing that Dynamo runs eager, is between them.
    """
    row = facts.compiles[number]
    if not row["file"] or not is_of_program(row["file"]) or resume_function(row["function"]) is not None:
        return False
    callers = stack(facts, row["stack"])[:-1]
    return not any(_DYNAMO.search(frame.file or "") for frame in callers)


def partly_empty(facts: Facts) -> dict[CodeKey, int]:
    """Return the last compile, a row of ``Facts.compiles``, of each of these code objects, also of resume
    functions. One that recompiled after a call with nothing to compile is not among them: torch did not skip
    it.
    """
    empty = {code_key(facts, frame) for frame in facts.compiled if is_skipped(frame.row)}
    if not empty:
        return {}  # as in most logs
    last = dict.fromkeys(empty, -1)
    compiled: set[CodeKey] = set()
    emptied: set[CodeKey] = set()
    for frame in facts.compiled:
        key = code_key(facts, frame)
        if key in emptied:
            last.pop(key, None)
        if is_skipped(frame.row):
            emptied.add(key)
        if key in last:
            last[key] = frame.rows[-1]
            if frame.row["status"] == "ok":
                compiled.add(key)
    return {key: number for key, number in last.items() if key in compiled}


def code_key(facts: Facts, frame: FrameCompile) -> CodeKey:
    """Return the key of the code object of a compile. Both branches of a condition on data can have a resume
    function of one name.
    """
    return facts.function_key(frame.rows[0]), frame.row["function"], frame.row["frame_id"]
