"""Failed compiles and exports, exceptions outside both, and restarts without a graph break."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from tlparse_bundle.base.wording import (
    MOST_TEXT,
    code,
    first_line,
    function_name,
    listed,
    plural,
    shortened,
    times,
)
from tlparse_bundle.model.compiles import compiling_us
from tlparse_bundle.model.functions import function_of
from tlparse_bundle.statements.attempt_list import FrameCompile, FrameKey
from tlparse_bundle.statements.export_calls import (
    AHEAD,
    AOT_INDUCTOR,
    ahead_of_time,
    caller,
    conversion,
)
from tlparse_bundle.statements.facts import Facts, FunctionKey, total
from tlparse_bundle.statements.failure_causes import (
    failure_key,
    failures_by_cause,
    message_of,
    phase_of,
    triton_source,
    type_of,
)
from tlparse_bundle.statements.failure_groups import (
    Failure,
    breaks_by_frame,
    is_named,
    lost_us,
    matches_break,
)
from tlparse_bundle.statements.finding import Finding, KindReference, Remedy
from tlparse_bundle.statements.known_causes import (
    autograd_remedy,
    fake_kernel_remedy,
    operator_without_autograd,
    operator_without_fake_kernel,
)
from tlparse_bundle.statements.machine_failures import Environment, environment
from tlparse_bundle.statements.torch_messages import taken_apart, torch_remedies
from tlparse_bundle.statements.user_code import inside_text, is_in_users_hands, own_place, user_place

KINDS = ("failure", "restart")
REFERENCE = {
    "failure": KindReference(
        title="Failure",
        meaning="A compile, an export or a call outside both raised an exception. Failures with one "
        "cause are one finding.",
        fix="Read the message and the line in the program. For problems of the machine, such as a "
        "missing compiler, the finding has a fix.",
        not_when="With `suppress_errors`, the function runs eager after the error.",
    ),
    "restart": KindReference(
        title="Restart",
        meaning="Dynamo discarded its trace of a function and started over, without a recorded graph "
        "break that explains it.",
        fix="Look at the reason. Before torch 2.6, most restarts are graph breaks that the log does "
        "not record as such.",
        not_when="Restarts that take little time need no fix.",
    ),
}
# The title of one failure; of several, what they are and what happened to them.
_TITLES = {
    "compile": ("{who} failed to compile", "compile", "compiles", "failed"),
    "unnamed": ("An unnamed compile failed", "compile", "compiles", "failed"),
    "aot_inductor": (
        "An AOTInductor compile failed",
        "AOTInductor compile",
        "AOTInductor compiles",
        "failed",
    ),
    "ahead": ("An ahead-of-time compile failed", "ahead-of-time compile", "ahead-of-time compiles", "failed"),
    "backward": ("{who} failed in the backward compile", "backward compile", "backward compiles", "failed"),
    "eager_backward": (
        "The backward of {who} could not be compiled ahead of time",
        "backward",
        "backwards",
        "could not be compiled ahead of time",
    ),
    "export": ("`{call}`{of} failed", "export", "exports", "failed"),
    "decompositions": (
        "`run_decompositions` of an exported program failed",
        "call of `run_decompositions`",
        "calls of `run_decompositions`",
        "failed",
    ),
    "fx_interpreter": (
        "Interpreting a graph failed outside a compile",
        "graph",
        "graphs",
        "failed outside a compile while interpreted",
    ),
    "make_fx": (
        "`make_fx`{of} failed outside a compile",
        "call of `make_fx`",
        "calls of `make_fx`",
        "failed outside a compile",
    ),
    "compile_worker": (
        "The compile workers failed",
        "process of compile workers",
        "processes of compile workers",
        "failed",
    ),
}
_NO_EXCEPTION = "torch logged the graph up to that point, but not the exception."
# Reasons of restarts that are names of classes in torch (torch/_dynamo/exc.py): title and text.
_KNOWN_RESTARTS = {
    "TensorifyScalarRestartAnalysis": (
        "a Python float could not be an input of the graph",
        "torch first made a float an input of the graph. The code needs its value as a number, or no tensor"
        " operation could take it, so torch traced the function again without that input",
    ),
}
_IN_FAKE_CALL = "RuntimeError when making fake tensor call"
_FAKE_CALL = re.compile(r": got (?P<type>\w+)\((?P<quote>['\"])(?P<message>[^\n]+?)(?P=quote)\)")
_MOST_FUNCTIONS = 5


def findings(facts: Facts) -> Iterator[Finding]:
    for group in facts.once(failures_by_cause):
        yield _finding(facts, group)
    yield from _restarts(facts)


def _title(facts: Facts, group: Sequence[Failure], functions: Counter[FunctionKey]) -> str:
    """Return the title up to the reason."""
    first, phase = group[0], phase_of(group[0])
    names = {failure.name for failure in group}
    if phase == "compile" and ((kind := _unnamed(facts, first)) != "unnamed" or names == {None}):
        phase = kind
    one, noun, nouns, verb = _TITLES[phase]
    of = (
        f" of {plural(len(functions), 'function')}"
        if len(functions) > 1
        else f" of {code(first.name)}"
        if first.name and len(names) == 1
        else ""
    )
    if len(group) > 1:
        return f"{plural(len(group), noun, nouns)}{of} {verb}"
    via = conversion(first.frames)
    return one.format(
        who=code(first.name) if first.name else "An unnamed compile",
        of=of,
        call="torch.export" if via is None else via.name,
    )


def _unnamed(facts: Facts, failure: Failure) -> str:
    """Return what a compile without a function is, by the stack of its record."""
    if facts.compiles[failure.compile_index]["id"] is not None:
        return "unnamed"
    if failure.frames:
        called = caller(failure.frames)
        return called if called in (AHEAD, AOT_INDUCTOR) else "unnamed"
    return AHEAD if facts.once(ahead_of_time) else "unnamed"


def _function(facts: Facts, failure: Failure) -> FunctionKey:
    """Return (file, name, line) of the function that failed."""
    key = facts.function_key(failure.compile_index)
    return key if key[1] is not None else (failure.cells["file"], failure.name, failure.cells["line"])


def _functions(facts: Facts, functions: Counter[FunctionKey]) -> str | None:
    """Return the failed functions as a sentence, or None if there is only one."""
    if len(functions) < 2:
        return None
    names = []
    for (file, name, line), count in functions.most_common():
        where = facts.short.place(file, line)
        about = [*([code(where)] if where else []), *([times(count)] if count > 1 else [])]
        names.append(function_name(name) + (f" ({', '.join(about)})" if about else ""))
    return "Functions: " + listed(names, _MOST_FUNCTIONS) + "."


def _rest(head: str, message: str) -> str | None:
    """Return the part of the message that the title leaves out."""
    lines = head.split("\n")
    for number in range(min(4, len(lines)) + 1):
        if " ".join(" ".join(lines[:number]).split()) == message:
            return "\n".join(lines[number:]).strip() or None
    return head.strip() or None


_FORBIDDEN = "`error_on_recompile` is on, so torch raises instead of recompiling."


def _finding(facts: Facts, group: list[Failure]) -> Finding:
    first = group[0]
    phase, cells = phase_of(first), first.cells
    machine = environment(cells["reason"])
    head, explanation, hints = taken_apart(cells["reason"])
    message = message_of(first)
    operator = operator_without_fake_kernel(cells["reason"])
    what = _what(group, machine, operator)
    functions = Counter(_function(facts, failure) for failure in group)
    texts = [
        None if what else _NO_EXCEPTION if cells["kind"] == "make_fx" else "torch logged no message.",
        machine.text if machine else None,
        shortened(machine.line if machine else triton_source(head) or _rest(head, message)),
        shortened(explanation),
        _FORBIDDEN if type_of(first) == "RecompileError" else None,
        _raised_at(facts, first),
        inside_text(facts, own_place(cells)),
        _functions(facts, functions),
        _worker_output(first),
    ]
    frames = {facts.frame_key(facts.compiles[failure.compile_index]) for failure in group}
    rows = [frame.row for key in frames if (frame := facts.frame_of(key)) is not None]
    return Finding(
        "failure",
        "error",
        f"{_title(facts, group, functions)}{f': {what}' if what else ''}",
        _fingerprinted(first, machine, operator),
        "\n\n".join(filter(None, texts)),
        _place(facts, group),
        [failure.compile_index for failure in group],
        [event for failure in group for event in failure.events],
        count=len(group),
        cost_us=compiling_us(rows, with_backward=False) if phase == "compile" else None,
        cost_of="failed compiles",
        remedies=_remedies(first, machine, operator, hints, f"{head} {explanation}"),
        key=failure_key(group),
        details={
            "phase": phase,
            "exception_type": cells["type"],
            "message": head[:MOST_TEXT] or None,
            "source_line": cells["source_line"],
        },
        placed=machine is None and (cells["file"] is not None or not message),
        is_explained=bool(what),
    )


def _what(group: Sequence[Failure], machine: Environment | None, operator: str | None) -> str:
    """Return what went wrong, for the title."""
    if machine is not None:
        return _problem(group, machine)
    if operator is not None:
        return f"{code(operator)} has no fake kernel"
    message = message_of(group[0])
    found = _FAKE_CALL.search(group[0].cells["reason"] or "") if message.startswith(_IN_FAKE_CALL) else None
    if found is not None and len(group) == 1:
        return f"{found['type']}: {shortened(found['message'])}"
    return ": ".join(filter(None, [type_of(group[0]), message]))


def _fingerprinted(first: Failure, machine: Environment | None, operator: str | None) -> tuple[Any, ...]:
    """Return the cause that is a part of the fingerprint."""
    if machine is not None or operator is not None:
        return phase_of(first), machine.name if machine else operator
    cause = phase_of(first), type_of(first), message_of(first)
    return cause if cause[2] else (*cause, first.cells["source_line"])


def _remedies(
    first: Failure, machine: Environment | None, operator: str | None, hints: Sequence[str], about: str
) -> list[Remedy]:
    if operator is not None:  # torch's hint is that the code may be wrong
        return [fake_kernel_remedy(operator)]
    without_backward = operator_without_autograd(first.cells["reason"])
    if without_backward is not None:
        return [autograd_remedy(without_backward)]
    of_torch = torch_remedies(hints, about, is_in_users_hands=is_in_users_hands(first.cells))
    return [*of_torch, *(machine.remedies if machine else ())]


def _problem(group: Sequence[Failure], machine: Environment) -> str:
    """Return the problem of the machine, with the detail if all failures share it."""
    details = {
        cause.detail for failure in group if (cause := environment(failure.cells["reason"])) is not None
    }
    return machine.what + (f" ({machine.detail})" if machine.detail and len(details) == 1 else "")


def _place(facts: Facts, group: list[Failure]) -> tuple[str | None, str | None, int | None]:
    """Return the line where all of them failed, otherwise the function they share."""
    places = set()
    for failure in group:
        compile, at = facts.compiles[failure.compile_index], user_place(failure.cells)
        file, line = (at.file, at.line) if at.file is not None else (compile["file"], compile["line"])
        places.add((failure.name, file and facts.short(file), line))
    if len(places) == 1:
        return places.pop()
    lines = {place[1:] for place in places}
    return (None, *lines.pop()) if len(lines) == 1 else (None, None, None)


def _raised_at(facts: Facts, failure: Failure) -> str | None:
    at = user_place(failure.cells)
    where = facts.short.place(at.file, at.line)
    if not where or not at.source_line or at.inside is not None:
        return None  # inside_text has a line of a library
    return (
        f"{'The graph ends with' if failure.cells['kind'] == 'make_fx' else 'Raised at'}"
        f" {code(where)}: {code(at.source_line)}"
    )


def _worker_output(failure: Failure) -> str | None:
    output = failure.cells.get("worker_output")
    return f"Last output of the process: {code(first_line(output))}" if output else None


def _restarts(facts: Facts) -> Iterator[Finding]:
    """Yield the restarts that no graph break explains."""
    broken = facts.once(breaks_by_frame)
    groups: dict[tuple[str | None, str], list[FrameCompile]] = {}
    for frame in facts.frames:
        breaks = broken.get(facts.frame_key(frame.row), [])
        reasons = frame.row["restart_reasons"]
        named = [reason for reason in reasons if is_named(reason)]
        rest = [reason for reason in reasons if not (is_named(reason) or matches_break(breaks, reason))]
        for reason in [*named, *rest[: max(0, len(reasons) - len(named) - len(breaks))]]:
            groups.setdefault((frame.row["function"], first_line(reason)), []).append(frame)
    by_frame: dict[tuple[FrameKey, str], int] = {}
    for row in facts.table("failures"):
        if row["kind"] == "restart":
            by_frame.setdefault(
                (facts.frame_key(facts.compiles[facts.number_of(row)]), first_line(row["reason"])),
                row["event"],
            )
    for (name, reason), frames in groups.items():
        _, file, line = facts.place_of(frames[0].rows[0])
        known = next((text for word, text in _KNOWN_RESTARTS.items() if word in reason), None)
        short, text = known or (reason, "Dynamo discarded its trace and started over")
        yield Finding(
            "restart",
            "info",
            f"Dynamo restarted {function_name(function_of(name))} {times(len(frames))}: {short}",
            (reason,),
            f"{text}, in {plural(len(frames), 'compile')}.",
            (name, file, line),
            [frame.rows[-1] for frame in frames],
            [by_frame[key] for frame in frames if (key := (facts.frame_key(frame.row), reason)) in by_frame],
            count=len(frames),
            cost_us=total(lost_us(facts, frame) for frame in frames),
            cost_of="time lost to restarts",
            details={"reason": reason},
        )
