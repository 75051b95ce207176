"""What a log says of the size or number that changed before a recompile."""

from __future__ import annotations

import re

from tlparse_bundle.guards.code_history import EXPRESSIONS
from tlparse_bundle.guards.inputs import local_name
from tlparse_bundle.statements.dimension_marks import marked_dimensions
from tlparse_bundle.statements.empty_compiles import code_key, partly_empty
from tlparse_bundle.statements.facts import Facts, FunctionKey
from tlparse_bundle.statements.recompile_causes import AT_LEAST_TWO, Cause, compiles_of, requested_recompiles
from tlparse_bundle.statements.rows_by_compile import guards_of, symbols_by_compile
from tlparse_bundle.statements.settings import settings
from tlparse_bundle.statements.wrapped_functions import guard_source_line

_UPPER_BOUND = re.compile(r"\]\s*<=?\s*\d")  # "2 <= x.size()[0] <= 16"
_NUMBER_ARGUMENTS = re.compile(r"\b(?:alpha|beta|value|eps|momentum|negative_slope)=([^,()]+)")
_OF_NUMBERS = re.compile(r"\b(?:math\.\w+|int|float|round|range|str)\([^()]*\)")
_CONDITION = re.compile(r"\b(?:if|elif|while|assert|not)\b([^:]*)")
_NESTED = re.compile(r"^check_tensor\([^,]+, NestedTensor,")


def _last_compile(facts: Facts, cause: Cause) -> str | None:
    last = facts.once(requested_recompiles)[cause.rows[-1]]
    key: str | None = last.row["compile"]
    return key


def is_marked_static(facts: Facts, cause: Cause) -> bool:
    """Whether one of these calls has the dimension marked with ``mark_static``."""
    source = local_name((cause.reason and cause.reason["source"]) or "")
    requests = facts.once(requested_recompiles)
    return any(
        local_name(one) == source and at == cause.dimension
        for number in cause.rows
        for one, at in marked_dimensions(facts, requests[number].row["compile"], "static")
    )


def is_nested(facts: Facts, cause: Cause) -> bool:
    """Whether the size is that of a nested tensor."""
    source = local_name((cause.reason and cause.reason["source"]) or "")
    return any(
        _NESTED.search(guard["text"]) and local_name(guard["source"] or "") == source
        for guard in guards_of(facts, _last_compile(facts, cause))
    )


def is_bounded_by_a_mark(cause: Cause) -> bool:
    """Whether the size has the bounds of a ``mark_dynamic`` (torch/_dynamo/variables/builder.py)."""
    comment = (cause.reason and cause.reason["comment"]) or ""
    return is_bounded(cause) and "_dynamo/variables/builder.py" in comment


def is_bounded(cause: Cause) -> bool:
    """Whether the size had an upper bound, which the program or a mark sets, so 0 and 1 may not be why."""
    return cause.reason is not None and _UPPER_BOUND.search(cause.reason["guard"]) is not None


def has_condition_on_size(facts: Facts, cause: Cause) -> bool:
    """Whether the guards of a compile of the function have a condition on the size, on which a program that
    marks it as unbacked raises or breaks the graph. That it is 2 or more is torch's own.
    """
    size = f"{local_name((cause.reason and cause.reason['source']) or '')}.size()[{cause.dimension}]"
    requests = [facts.once(requested_recompiles)[number] for number in cause.rows]
    entries = (reason["entry"] for one in requests for reason in one.reasons)
    compiles = dict.fromkeys([*(one.row["compile"] for one in requests), *entries])
    return any(
        guard["kind"] in EXPRESSIONS and size in (text := local_name(guard["text"])) and not _is_own(text)
        for compile in compiles
        for guard in guards_of(facts, compile)
    )


def has_condition_on_number(facts: Facts, cause: Cause) -> bool:
    """Whether the last of these compiles has a condition on the number, such as that it is not 0: code that
    compares it takes another path, which needs a compile of its own.
    """
    source = local_name((cause.reason and cause.reason["source"]) or "")
    about = re.compile(rf"(?<![\w.]){re.escape(source)}(?![\w.\[(])")
    return any(
        guard["kind"] in EXPRESSIONS and about.search(local_name(guard["text"])) is not None
        for guard in guards_of(facts, _last_compile(facts, cause))
    )


def _is_own(text: str) -> bool:
    return AT_LEAST_TWO.search(text) is not None


def is_dynamic_now(facts: Facts, cause: Cause) -> bool:
    """Whether the last of these compiles made the number dynamic: it has a symbol, and its value no guard."""
    if cause.change != "value" or cause.reason is None:
        return False
    last, source = _last_compile(facts, cause), local_name(cause.reason["source"] or "")
    rows = facts.once(symbols_by_compile).rows(last) if last is not None else ()
    return any(local_name(row["source"] or "") == source for row in rows) and not any(
        local_name(guard["text"]).startswith(f"{source} == ") for guard in guards_of(facts, last)
    )


def needs_number(facts: Facts, cause: Cause) -> bool:
    """Whether the code needs a float as a number. torch makes one that changed a tensor, and takes that back
    (a restart), or leaves it a constant.
    """
    requests = facts.once(requested_recompiles)
    last = requests[cause.rows[-1]].compile_index
    values = facts.once(settings)
    may_be_dynamic = values.value_at(last, "dynamo_config", "specialize_float") is False and (
        values.value_at(last, "dynamo_config", "automatic_dynamic_shapes") is True
    )
    if may_be_dynamic and not is_dynamic_now(facts, cause):
        return True
    if is_used_as_number(cause):
        return True
    return any(
        "TensorifyScalarRestartAnalysis" in reason
        for compile in compiles_of(facts, cause)
        if (frame := facts.compiled.get((compile,))) is not None
        for reason in frame.row["restart_reasons"]
    )


def is_used_as_number(cause: Cause, pattern: re.Pattern[str] | None = None) -> bool:
    """Whether the line of the guard gives the value to a function of Python, or to an argument of an
    operator that has to be a number, or decides a branch by it: Dynamo breaks the graph at a tensor there.
    ``pattern``: of other uses instead.
    """
    reason = cause.reason
    name = re.findall(r"\w+", local_name((reason and reason["source"]) or ""))[-1:]
    line = guard_source_line(reason) if reason is not None else None
    patterns = (_OF_NUMBERS, _NUMBER_ARGUMENTS, _CONDITION) if pattern is None else (pattern,)
    uses = (use for one in patterns for use in one.findall(line or ""))
    return bool(name) and any(re.search(rf"\b{name[0]}\b", use) for use in uses)


def fails_when_dynamic(facts: Facts, cause: Cause) -> bool:
    """Whether a compile of the function failed in which sizes or numbers were dynamic."""
    return cause.function in facts.once(_failed_when_dynamic)


def _failed_when_dynamic(facts: Facts) -> set[FunctionKey]:
    rows = (row for row in facts.table("failures") if row["kind"] != "restart")
    failures = ((row["compile"], facts.number_of(row)) for row in rows)
    return {
        facts.function_key(number)
        for compile, number in failures
        if compile is not None
        and number not in facts.refused
        and any(row["source"] is not None for row in facts.once(symbols_by_compile).rows(compile))
    }


def is_last_empty(facts: Facts, cause: Cause) -> bool:
    """Whether the last of these calls had nothing to compile, unlike others: its values are not recorded."""
    frame = facts.compiled.get((_last_compile(facts, cause) or "",))
    if frame is None or frame.row["status"] != "empty":
        return False
    return code_key(facts, frame) in facts.once(partly_empty)


def is_last_skipped(facts: Facts, cause: Cause) -> bool:
    """Whether Dynamo skipped the function in the last of these compiles, in which the size or number can have
    been dynamic, so it would skip the function from its first call.
    """
    return cause.change in ("size", "value") and _last_compile(facts, cause) in facts.once(_skipped)


def _skipped(facts: Facts) -> set[str | None]:
    return {row["compile"] for row in facts.table("graph_break_records") if row["skips_frame"]}


def is_all_dynamic(facts: Facts, compile_index: int) -> bool:
    """Whether a compile is one with ``dynamic=True`` (torch/_dynamo/eval_frame.py, set_enable_dynamic).
    ``compile_index``: row of ``Facts.compiles``.
    """
    value = facts.once(settings).value_at(compile_index, "dynamo_config", "assume_static_by_default")
    return value is False
