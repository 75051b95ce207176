"""Failures with one cause, which are one finding."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tlparse_bundle.base.machine_text import normalised
from tlparse_bundle.base.wording import code, first_line
from tlparse_bundle.statements.after_breaks import break_before
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.failure_groups import Failure, failures
from tlparse_bundle.statements.known_causes import operator_without_fake_kernel
from tlparse_bundle.statements.machine_failures import environment
from tlparse_bundle.statements.torch_messages import taken_apart

FUNCTORCH = "Unsupported functorch tracing attempt"
_TRITON_ERROR = re.compile(  # triton/compiler/errors.py: the source up to a line, a mark, and the error
    r"CompilationError: at \d+:\d+:\n(?P<source>def (?P<kernel>\w+).*?\n *\^)\n(?P<error>[^\n]+)", re.DOTALL
)
_COMPILER_ERROR = re.compile(r"^.*?\b(?:fatal )?error: .+$", re.MULTILINE)


def break_of_functorch(facts: Facts, failure: Failure) -> tuple[str, int] | None:
    """Return the key of the graph break below torch.func, for a function that Dynamo tries to compile then.

    Dynamo then runs the function eager, without an error (torch/_dynamo/convert_frame.py: Unsupported).
    """
    if not (failure.cells["reason"] or "").startswith(FUNCTORCH):
        return None
    return break_before(facts, failure.compile_index)


def failures_by_cause(facts: Facts) -> list[list[Failure]]:
    """Return the failures with one cause together."""
    groups: dict[tuple[Any, ...], list[Failure]] = {}
    for failure in facts.once(failures):
        if failure.recovery is None and break_of_functorch(facts, failure) is None:
            groups.setdefault(cause_of(facts, failure), []).append(failure)
    return list(groups.values())


def failure_key(group: Sequence[Failure]) -> tuple[str, int]:
    """Return the key of the finding of a group, for ``because_of`` of others."""
    return "failure", group[0].events[0]


def cause_of(facts: Facts, failure: Failure) -> tuple[Any, ...]:
    """Return what failures with one cause share: a problem of the machine, or an exception and its line."""
    machine = environment(failure.cells["reason"])
    if machine is not None:
        return machine.name, phase_of(failure)
    operator = operator_without_fake_kernel(failure.cells["reason"])
    if operator is not None:
        return "no fake kernel", operator, phase_of(failure)
    message = message_of(failure)
    name = failure.name if not message else None  # without a message, the name identifies the failure
    return (
        type_of(failure),
        normalised(message),
        phase_of(failure),
        name,
        failure.cells["file"],
        failure.cells["line"],
    )


def phase_of(failure: Failure) -> str:
    """Return the phase of a failure. torch logs only an exception if it also leaves an enclosing compile."""
    return "compile" if failure.phase == "exception" else failure.phase


def message_of(failure: Failure) -> str:
    """Return the first line of the message; of a C++ compiler or of Triton, its first error."""
    head, _, _ = taken_apart(failure.cells["reason"])
    triton = _TRITON_ERROR.search(head)
    if triton is not None:
        return f"Triton cannot compile {code(triton['kernel'])}: {first_line(triton['error'])}"
    error = _COMPILER_ERROR.search(head) if "C++ compile error" in head else None
    return first_line(head) if error is None else f"C++ compile error: {first_line(normalised(error[0]))}"


def triton_source(reason: str | None) -> str | None:
    """Return the source of a Triton kernel up to the line with the error; None for other messages."""
    triton = _TRITON_ERROR.search(reason or "")
    return triton and triton["source"]


def type_of(failure: Failure) -> str | None:
    """Return the class name of an exception."""
    name: str | None = failure.cells["type"]
    return name and name.rpartition(".")[2]
