"""Recompiles, and functions that hit the recompile limit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tlparse_bundle.base.wording import code, first_line, function_name, listed, times
from tlparse_bundle.guards.inputs import local_name
from tlparse_bundle.model.compiles import compiling_us
from tlparse_bundle.model.functions import resume_function
from tlparse_bundle.statements.after_breaks import (
    COMPILED_BY_TORCH,
    break_before,
    is_left_by_a_break,
    limit_before,
)
from tlparse_bundle.statements.break_groups import key_before
from tlparse_bundle.statements.dispatch_keys import is_of_inference_mode
from tlparse_bundle.statements.facts import Facts, FunctionKey
from tlparse_bundle.statements.finding import Finding
from tlparse_bundle.statements.followers import in_the_same_calls
from tlparse_bundle.statements.global_states import states_changed
from tlparse_bundle.statements.guard_changes import (
    is_unexplained,
    message_text,
    shown_guard,
    source_name,
    subject,
    what_changed,
)
from tlparse_bundle.statements.nearest_entries import is_of_values, nearest_entry_text
from tlparse_bundle.statements.recompile_causes import (
    Cause,
    RequestedRecompiles,
    causes,
    guard_name,
    requested_recompiles,
)
from tlparse_bundle.statements.recompile_remedies import remedies
from tlparse_bundle.statements.recompile_savings import saved_us
from tlparse_bundle.statements.settings import settings
from tlparse_bundle.statements.size_remedies import is_specialized
from tlparse_bundle.statements.sizes import is_bounded_by_a_mark, is_used_as_number
from tlparse_bundle.statements.statement import TORCH, KindReference, Remedy
from tlparse_bundle.statements.user_code import CodeLine, calling_place, package_of
from tlparse_bundle.statements.wrapped_functions import (
    calls_text,
    guard_source_line,
    other_class_text,
    shown_function,
    wrapped_classes,
)

KINDS = ("recompile", "recompile-limit")
REFERENCE = {
    "recompile": KindReference(
        title="Recompile",
        meaning="The guards of all cache entries failed, so Dynamo compiled the function again. "
        "Recompiles of a function with one cause are one finding.",
        fix="Apply the fix of the finding, which keeps the value constant or makes it dynamic.",
        not_when="A few recompiles during warmup are normal, such as the one that makes a dimension dynamic.",
    ),
    "recompile-limit": KindReference(
        title="Recompile limit",
        meaning="A function has as many cache entries as the recompile limit allows. New inputs that "
        "match no cache entry run eager, or torch raises an error.",
        fix="Fix the recompiles of the function first. If all of its versions are needed, raise "
        "`torch._dynamo.config.recompile_limit`.",
        not_when="Inputs that match a cache entry still run its compiled code.",
    ),
}
_EXCEEDED = re.compile(r"exceeding the (\w+) .*?\(currently set to (\d{1,9})\)")
_DYNAMIC_INTEGERS = "allow_unspec_int_on_nn_module"
_MOST = 3
_MOST_TITLE = 100  # characters of a title with values, its backticks included
_RANGES = re.compile(r"\brange\([^()]*\)")
# torch/csrc/dynamo/guards.cpp: guards check the keys that a tensor has in the mode of the call.
_OF_INFERENCE = (
    "In `torch.inference_mode`, tensors lack autograd's dispatch keys; those created there lack them always."
)
_ON_STACK = re.compile(r"___stack\d")
_HINT = re.compile(r"HINT: (.*\S)", re.DOTALL)  # after the source line, in brackets


def findings(facts: Facts) -> Iterator[Finding]:
    rows = facts.once(requested_recompiles)
    all_causes = facts.once(causes)
    for cause in all_causes:
        if cause.rows:
            yield _recompile(facts, rows, cause)
    yield from _limits(facts, rows, all_causes)


def _recompile(facts: Facts, rows: RequestedRecompiles, cause: Cause) -> Finding:
    file, name, line = cause.function
    calling = calling_place(facts, rows[cause.rows[0]].compile_index)
    package = package_of(file) if calling else None
    recompiled = [rows[number] for number in (*cause.rows, *cause.followers)]
    who = shown_function(facts, cause.function, [one.compile_index for one in recompiled])
    other_class = other_class_text(facts, cause)
    title = f"{who} recompiled {_how_often(facts, rows, cause)}: "
    stated = other_class or states_changed(facts, cause)
    what = stated or what_changed(cause)
    if len(title) + len(what) > _MOST_TITLE:
        what = stated or what_changed(cause, with_values=False)
    title += what
    if stated and not other_class and is_of_values(facts, cause):
        title += ", and more changed"  # torch names nothing else where a state differs
    reason = cause.reason
    nearest = None if other_class or is_unexplained(cause) else nearest_entry_text(facts, cause)
    guard_line = guard_source_line(reason) if reason else None
    about = [
        f"is inside {package}, at {code(facts.short.place(file, line) or '')}" if package else None,
        calls_text(
            facts, cause.function, reason and reason["source"], [one.compile_index for one in recompiled]
        ),
    ]
    texts = [
        f"{function_name(name)} {', and '.join(filter(None, about))}." if any(about) else None,
        in_the_same_calls(facts, rows, cause),
        (
            f"Guard failure: {code(shown_guard(reason['guard']))}."
            if reason
            and other_class is None
            and message_text(reason["guard"]) is None
            and code(first_line(reason["guard"])) not in title
            and not (cause.change == "global_state" and reason["source"] is not None)
            else None
        ),
        (
            "All guards passed when torch looked for the reason. Another thread can have compiled the"
            " function in the meantime."
            if is_unexplained(cause)
            else None
        ),
        nearest
        or (
            f"The guard comes from {code(guard_line)}."
            if guard_line and other_class is None and not is_bounded_by_a_mark(cause)
            else None
        ),
        "The bounds are those of `torch._dynamo.mark_dynamic`." if is_bounded_by_a_mark(cause) else None,
    ]
    hint = _hint(facts, cause)
    offered = (
        []
        if other_class
        else [Remedy(" ".join(hint.split()), source=TORCH)]
        if hint
        else remedies(facts, cause, source_name(reason["source"]) if reason else None)
    )
    if not offered and is_of_inference_mode(cause):
        texts.append(_OF_INFERENCE)
    saved = saved_us(facts, cause) if any(remedy.is_counted for remedy in offered) else None
    return Finding(
        "recompile",
        "warning",
        title,
        (
            cause.change,
            reason and reason["source"],
            cause.dimension,
            guard_name(reason) if reason else None,
        ),
        "\n\n".join(filter(None, texts)),
        _place(facts, cause, calling),
        [one.compile_index for one in recompiled],
        [one.row["event"] for one in recompiled],
        count=len(cause.rows),
        cost_us=compiling_us(
            frame.row for one in recompiled if (frame := facts.frame_with(one.compile_index)) is not None
        )
        if saved is None
        else saved,
        cost_of="recompiles that its fix avoids"
        if saved is not None
        else "these recompiles" + (" and those that follow in the same calls" if cause.followers else ""),
        remedies=offered,
        because_of=_cause_before(facts, rows, cause),
        details={
            "change": cause.change,
            "source": reason and reason["source"],
            "dimension": cause.dimension,
            "guard": reason and reason["guard"],
            "values": list(cause.values)[:1000],
            "follower_count": len(cause.followers),
            "is_specialized": is_specialized(facts, cause),
            "guard_source_line": reason and reason["source_line"],
        },
        key=("recompile", *cause.function, cause.rows[0]),
    )


def _how_often(facts: Facts, rows: RequestedRecompiles, cause: Cause) -> str:
    """Return "3 times", "3 times, in its resume function", or "twice, and its resume functions once"."""
    names = Counter(facts.compiles[rows[number].compile_index]["function"] for number in cause.rows)
    resumed = [name for name in names if resume_function(name) is not None]
    count = sum(names[name] for name in resumed)
    if count == 0:
        return times(len(cause.rows))
    which = "resume function" if len(resumed) == 1 else "resume functions"
    if count == len(cause.rows):
        return f"{times(count)}, in its {which}"
    return f"{times(len(cause.rows) - count)}, and its {which} {times(count)}"


def _hint(facts: Facts, cause: Cause) -> str | None:
    """Return torch's advice; None where its comment has a name instead, or where a dynamic integer would not
    help: 0 and 1 are still specialized, and ``range`` needs the value.
    """
    found = _HINT.search((cause.reason and cause.reason["comment"]) or "")
    hint = found[1].removesuffix(")") if found else ""
    if _DYNAMIC_INTEGERS in hint and not cause.open and cause.reason is not None:
        key = cause.function, local_name(cause.reason["source"] or "")
        values = facts.once(_values_of_integers).get(key, set()) | set(map(str, cause.values))
        if len(values - {"0", "1"}) < 2 or is_used_as_number(cause, _RANGES):
            return None
    return None if hint.startswith(("guard on ", "type ")) else hint or None


def _values_of_integers(facts: Facts) -> dict[tuple[FunctionKey, str], set[str]]:
    """Return the values that integers had in all calls that compiled a function, where torch advises to make
    them dynamic.
    """
    reasons = (cause.reason for cause in facts.once(causes))
    advised = (one for one in reasons if one is not None and _DYNAMIC_INTEGERS in (one["comment"] or ""))
    wanted = {local_name(one["source"] or "") for one in advised}
    found: dict[tuple[FunctionKey, str], set[str]] = {}
    for row in facts.table("call_inputs") if wanted else ():
        source, number = local_name(row["source"]), facts.compiles.compiles.get(row["compile"])
        if source in wanted and row["value"] is not None and number is not None:
            found.setdefault((facts.function_key(number), source), set()).add(row["value"])
    return found


def _place(facts: Facts, cause: Cause, calling: CodeLine | None) -> tuple[str | None, str | None, int | None]:
    """Return the function, or the line of the user's code that calls a function of a library."""
    file, name, line = cause.function
    if calling is not None:
        return name, calling.file and facts.short(calling.file), calling.line
    return name, file and facts.short(file), line


def _cause_before(facts: Facts, rows: RequestedRecompiles, cause: Cause) -> tuple[Any, ...] | None:
    """Return the key of the graph break or the recompile limit without which the function had no compile of
    its own, or of the break that left the value which changed on the stack of a resume function; None for
    other recompiles.
    """
    number = rows[cause.rows[0]].compile_index
    if cause.function[1] in COMPILED_BY_TORCH:
        return limit_before(facts, number)
    checked = source_name(cause.reason and (cause.reason["source"] or cause.reason["guard"])) or ""
    row = facts.compiles[number]
    if cause.is_resumed and _ON_STACK.search(checked):
        resumed = resume_function(row["function"])
        key = key_before(facts, number, row["file"], resumed and resumed.line)
        if key is not None:
            return key
    return break_before(facts, number) if is_left_by_a_break(facts, number) else None


def _limits(facts: Facts, rows: RequestedRecompiles, all_causes: list[Cause]) -> Iterator[Finding]:
    reasons = {one.compile_index: one.row["event"] for one in rows}
    refused: dict[FunctionKey, list[int]] = {}
    for compile_index in sorted(facts.refused):
        refused.setdefault(facts.function_key(compile_index), []).append(compile_index)
    compiled = Counter(facts.function_key(frame.rows[0]) for frame in facts.compiled)
    by_function: dict[FunctionKey, list[Cause]] = {}
    refusing: dict[FunctionKey, list[Cause]] = {}
    for cause in all_causes:
        if cause.rows:
            by_function.setdefault(cause.function, []).append(cause)
        if cause.refused:
            refusing.setdefault(cause.function, []).append(cause)
    for function, group in refused.items():
        file, name, line = function
        name_of_limit, limit = _limit(facts, group)
        limit_text = f"{name_of_limit} ({limit:,})" if isinstance(limit, int) else name_of_limit
        raised = facts.once(settings).value("dynamo_config.fail_on_recompile_limit_hit") is True or any(
            _raised(facts, index) for index in group
        )
        after = "torch raised an error" if raised else "new inputs that match no cache entry now run eager"
        most = _main_cause(by_function.get(function, []))
        if most and not _is_of_all(facts, rows, most, group):
            most = None
        yield Finding(
            "recompile-limit",
            "error",
            f"{_limited(facts, function, group)} hit the {limit_text}: {after}",
            (),
            f"Dynamo stopped at the {limit_text} in `[{facts.compiles[group[0]]['compile']}]`"
            f"{f', {times(len(group))} in all' if len(group) > 1 else ''}"
            f"{_failing(rows, refusing.get(function, []))}.{_sharing(facts, function)}",
            (name, file and facts.short(file), line),
            group,
            [reasons.get(index, facts.compiles[index]["first_event"]) for index in group],
            count=len(group),
            details={
                "limit": limit if isinstance(limit, int) else None,
                "raised": raised,
                "compile_count": compiled[function],
            },
            because_of=("recompile", *function, most.rows[0]) if most else None,
            key=("recompile-limit", *function),
        )


def _is_of_all(facts: Facts, rows: RequestedRecompiles, cause: Cause, refused: list[int]) -> bool:
    """Whether a cause made all functions recompile that hit the limit: a function and its resume functions
    have a limit each.
    """
    recompiled = {facts.compiles[rows[number].compile_index]["function"] for number in cause.rows}
    return all(facts.compiles[index]["function"] in recompiled for index in refused)


def _main_cause(causes: list[Cause]) -> Cause | None:
    """Return the cause of all recompiles of a function at the limit but one at most. Without one that has
    fewer, others would fill the cache.
    """
    main = max(causes, key=lambda cause: len(cause.rows), default=None)
    others = sum(len(cause.rows) for cause in causes if cause is not main)
    return main if main is not None and others < min(2, len(main.rows)) else None


def _limited(facts: Facts, function: FunctionKey, group: list[int]) -> str:
    """Return the function that hit the limit, "The resume function of" it where that is all that did."""
    names = {facts.compiles[index]["function"] for index in group}
    shown = shown_function(facts, function, group)
    if any(resume_function(name) is None for name in names):
        return shown
    return f"The resume function of {shown}" if len(names) == 1 else f"Resume functions of {shown}"


def _limit(facts: Facts, group: list[int]) -> tuple[str, Any]:
    """Return the name of the limit and its value; None when the log does not record it."""
    reasons = (facts.compiles[index]["failure_reason"] for index in group)
    match = next((match for reason in reasons if (match := _EXCEEDED.search(reason or ""))), None)
    if match:
        return ("accumulated recompile limit" if "accumulated" in match[1] else "recompile limit"), int(
            match[2]
        )
    values = facts.once(settings)
    limit = values.value("dynamo_config.recompile_limit") or values.value("dynamo_config.cache_size_limit")
    return "recompile limit", limit


def _sharing(facts: Facts, function: FunctionKey) -> str:
    """Return that classes share the limit, as a sentence: torch counts the compiles of the wrapper of a
    library that calls their methods. Empty for other functions.
    """
    numbers = (frame.rows[-1] for frame in facts.compiled if facts.function_key(frame.rows[0]) == function)
    classes = list(map(code, wrapped_classes(facts, function, numbers)))
    shared = f" {listed(classes, _MOST)} share this limit: {function_name(function[1])} calls them."
    return shared if len(classes) > 1 else ""


def _failing(rows: RequestedRecompiles, causes: list[Cause]) -> str:
    """Return the guard failures of the refused compiles, as the end of a sentence: that of the reason, and
    those that torch names for other entries.
    """
    guards: dict[tuple[str | None, str, int | None], str] = {}
    for cause in causes:
        own = cause.reason
        if own is not None:
            reasons = rows[cause.refused[0]].reasons
            near = next((row for row in reasons if row["source"] == own["source"]), own)
            for row in (near, *reasons):
                guard = first_line(row["guard"])
                # torch's "tensor 'x' size mismatch at index 0" does not name the value as in the program.
                named = guard.startswith("tensor '") and row["source"]
                of = f" on {subject(row['change'], row['source'], row['dimension'])}" if named else ""
                guards.setdefault((row["source"], row["change"], row["dimension"]), f"{code(guard)}{of}")
    verb = "guard was" if len(guards) == 1 else "guards were"
    return f"; the failing {verb} {listed(list(guards.values()), _MOST)}" if guards else ""


def _raised(facts: Facts, compile_index: int) -> bool:
    return "FailOnRecompileLimitHit" in (facts.compiles[compile_index]["failure_type"] or "")
