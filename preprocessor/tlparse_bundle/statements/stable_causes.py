"""Causes of findings in words that do not depend on the torch version, the run or the machine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tlparse_bundle.base.machine_text import normalised
from tlparse_bundle.guards.inputs import local_name

_FAKE_CALL = "RuntimeError when making fake tensor call"
_DISABLED = "Skip calling `torch.compiler.disable()`d function"
# Reasons of graph breaks and failures: earlier wordings, and that of torch 2.15.
_REASONS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.DOTALL), wording)
    for pattern, wording in (
        (r"(?:Unsupported )?Tensor\.item\b.*", "Tensor.item"),
        (r"Data-dependent jump", "Data-dependent branching"),
        (r"'skip function graph_break in file .*decorators\.py'", "Call to `torch._dynamo.graph_break()`"),
        (r"call torch\._dynamo\.disable\(\) wrapped function .*", _DISABLED),
        (r"Failed running call_\w+ .*\(FakeTensor\(.*", _FAKE_CALL),
        (r"Dynamo failed to run FX node with fake tensors: .*", _FAKE_CALL),
    )
)
# Explanations that are the same for each break with the reason: not all versions log them.
_CONSTANT = frozenset(("Tensor.item", "Data-dependent branching"))
_NO_MESSAGE = "User-inserted graph break. Message: None"
_DISABLES = "Skip calling function `{}` since it was wrapped with `torch.compiler.disable`"
_WRAPPED = re.compile(r"wrapped function (<function .*>)")
_BUILTIN = re.compile(r"builtin: \w+ \[.*\] (?:True|False)")  # torch 2.6
_IN_INDUCTOR = re.compile(r"backend='inductor' raised: ")
_NO_REASON = " (reason: None)"


def stable_cause(kind: str, cause: Sequence[Any]) -> list[Any]:
    """Return a cause without what differs between torch versions, runs and machines.

    It keeps whatever distinguishes two findings of a log.
    """
    parts = [_stable(part) for part in cause]
    if kind == "graph-break" and len(parts) > 2:
        return _of_break(parts)
    if kind == "failure" and len(parts) > 2:
        return _of_failure(parts)
    if kind == "recompile" and len(parts) > 1:
        return [parts[0], parts[1] and local_name(parts[1]), *parts[2:]]
    return parts


def _stable(part: Any) -> Any:
    if type(part) is str:
        return normalised(part)
    return [_stable(each) for each in part] if isinstance(part, list | tuple) else part


def _reason(text: str) -> str:
    """Return a reason in the words of torch 2.15."""
    return next((wording for pattern, wording in _REASONS if pattern.fullmatch(text)), text)


def _of_break(parts: list[Any]) -> list[Any]:
    reason, operator, explanation, *rest = parts
    own = _reason(reason)
    if own in _CONSTANT:
        explanation = ""
    elif not explanation and own == _DISABLED and (wrapped := _WRAPPED.search(reason)):
        explanation = (
            f"Skip calling function `{wrapped[1]}` since it was wrapped with `torch.compiler.disable`"
        )
    elif not explanation and own.startswith("Call to `torch._dynamo.graph_break"):
        explanation = _NO_MESSAGE
    return [own, operator, explanation.removesuffix(_NO_REASON), *rest]


def _of_failure(parts: list[Any]) -> list[Any]:
    phase, type_, message, *rest = parts
    if type_ == "BackendCompilerFailed" and _IN_INDUCTOR.match(message or ""):
        type_, message = "InductorError", _IN_INDUCTOR.sub("", message)
    if _BUILTIN.fullmatch(message or ""):
        message = "Failed to trace builtin operator"
    return [phase, type_, message and _reason(message), *rest]
