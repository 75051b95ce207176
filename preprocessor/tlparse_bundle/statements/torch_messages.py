"""Names of the caches of torch, and the parts of its messages: explanation and hints."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence

from tlparse_bundle.statements.statement import TORCH, Remedy

CACHES = {
    "fx_graph": "FX graph cache",
    "aot_autograd": "AOTAutograd cache",
    "pgo": "profile (PGO)",
    "precompile": "precompile cache",
}
_USELESS = re.compile(
    r"This graph break is fundamental"
    r"|Please (?:report|open|file) an issue|File an issue|It may be possible to write Dynamo tracing rules"
    r"|If it is a Python builtin, please file an issue|Consider using the debug context"
)
# A hint that the user can follow where the code is not the user's: a setting.
_SETTING = re.compile(r"torch\._(?:dynamo|inductor|functorch)\.config\b|\bTORCH[A-Z_]*_")
# Hints of torch that are wrong, by their beginning, with what to do instead.
_CORRECTIONS = {
    # The setting is torch._dynamo.config.trace_autograd_ops, and the break stays when the loss is returned
    # (torch 2.11 to 2.15).
    "Set torch._dynamo.trace_autograd_ops=True": Remedy(
        "Call `backward()` outside the compiled function, which then only computes the loss."
    ),
    "Change `torch._dynamo.config.trace_autograd_ops` to `True`.": Remedy(
        "Let Dynamo trace `torch.autograd.grad`. It does not trace gradients of a tensor that was computed"
        " outside the compiled function.",
        "torch._dynamo.config.trace_autograd_ops = True",
    ),
    "Enable compiled autograd by setting torch._dynamo.config.compiled_autograd = True.": Remedy(
        "Enable compiled autograd, and call `backward()` in compiled code, too. Otherwise torch raises an"
        " error.",
        "torch._dynamo.config.compiled_autograd = True",
    ),
}
_STANDARD_LIBRARY = frozenset(name.lstrip("_") for name in sys.stdlib_module_names)
_BUILTIN = re.compile(r"builtin operator `(\w+)`")
_RANDOM = "the builtin `<unknown module>.Random."  # of the module random
_BUILTIN_FUNCTION = re.compile(r"the builtin `(?P<module>\w+)\.[\w.]+`")
_CONTEXT = re.compile(
    r"enter a `(?:lock|RLock|Condition|Semaphore|TextIOWrapper|Buffered\w+|FileIO)` context"
)
# torch keeps breaking the graph at functions of these files.
_NEVER_TRACED = re.compile(r"(?:in file|filename:) [`'][^`']*[/\\](?:torch[/\\]|random\.py)")
# Python has all of these, so one of the numbers is dynamic.
OF_NUMBERS = re.compile(
    r"unsupported operand type\(s\) for (?P<operation>[^:]+): '(?:int|float)' and '(?:int|float)'"
)
_COMPREHENSION = re.compile(
    r"<(?:list|set|dict)comp>|<genexpr>"
)  # its condition decides how long the result is
_ATEN = re.compile(r"\baten\.(\w+)")
# Other operators of torch have no fake kernel for it, so the break stays (torch/_subclasses/fake_impls.py).
_WITH_DYNAMIC_KERNEL = re.compile(
    r"bincount|index|masked_select|nonzero|one_hot|repeat_interleave|_unique2?|unique_(?:consecutive|dim)"
)
_UNKNOWN_VALUE = re.compile(r"\bcapture_(?:scalar_outputs|dynamic_output_shape_ops)\b")
# Hints that torch attaches to every break of a kind, by their beginning, and whether they apply. The argument
# is torch's explanation, with the higher-order operator.
_APPLIES: tuple[tuple[str, Callable[[str], bool]], ...] = (
    (
        "If you are attempting to call a logging function (e.g. `print`)",
        lambda about: (name := _BUILTIN.search(about)) is None or (name[1] == "print" and _can_move(about)),
    ),
    ("Enable tracing of dynamic shape operators", lambda about: _has_dynamic_kernel(about)),
    ("If it is a third-party C/C++ Python extension", lambda about: not is_of_standard_library(about)),
    ("If the context manager seems like it should be supported", lambda about: not _CONTEXT.search(about)),
    ("Apply `@torch._dynamo.dont_skip_tracing`", lambda about: not _NEVER_TRACED.search(about)),
    # A number that is symbolic while torch traces is none in eager.
    (
        "Your code may result in an error when running in eager",
        lambda about: "Sym" not in about and not OF_NUMBERS.search(about),
    ),
    ("For the common pattern `if tensor_cond", lambda about: not _COMPREHENSION.search(about)),
    ("Use `torch.cond` to express", lambda about: not _COMPREHENSION.search(about)),
    ("If the HOP is activation checkpointing", lambda about: "checkpoint" in about.lower()),
)
_ARGUMENT_TYPES = re.compile(r"with argument types \[([^\]]*)\]")
_MOVABLE = frozenset(("str", "int", "float", "bool", "NoneType", "Tensor"))
_OUTSIDE = Remedy("Move the call out of the compiled function.")
_PARTS = re.compile(r"\n[ \t]*(?:Explanation|Hint|Developer debug context): ")
_HINT = re.compile(r"^[ \t]*Hint: (.+)$", re.MULTILINE)
_EXPLANATION = re.compile(
    r"^[ \t]*Explanation: (.+(?:\n(?![ \t]*(?:(?:Hint|Developer debug context): |$)).*)*)", re.MULTILINE
)


def _has_dynamic_kernel(explanation: str) -> bool:
    """Whether torch can trace an operator whose output shape depends on data."""
    name = _ATEN.search(explanation)
    return name is None or _WITH_DYNAMIC_KERNEL.fullmatch(name[1]) is not None


def _can_move(explanation: str) -> bool:
    """Whether Dynamo can move a call of ``print`` after the graph: arguments are tensors, constants or
    formatted strings (torch/_dynamo/variables/misc.py, can_reorder_logs).
    """
    types = _ARGUMENT_TYPES.search(explanation)
    return types is None or {one.strip(" '") for one in types[1].split(",") if one.strip()} <= _MOVABLE


def is_of_standard_library(explanation: str) -> bool:
    """Whether Dynamo cannot trace a builtin of a module of Python, such as ``time.time``."""
    if _RANDOM in explanation:
        return True
    function = _BUILTIN_FUNCTION.search(explanation)
    return function is not None and function["module"].lstrip("_") in _STANDARD_LIBRARY


def torch_remedies(
    hints: Sequence[str], about: str | None = None, *, is_in_users_hands: bool = True
) -> list[Remedy]:
    """Return torch's hints verbatim, without those that every message has, and wrong ones corrected.

    ``about``: torch's explanation, with the higher-order operator; ``is_in_users_hands``: see user_code;
    where it is False, only settings help.
    """
    useful = [
        hint.strip()
        for hint in hints
        if not _USELESS.match(hint.strip()) and _applies(hint.strip(), about or "")
    ]
    if not useful and hints and is_in_users_hands and is_of_standard_library(about or ""):
        return [_OUTSIDE]
    return [
        _CORRECTIONS.get(hint) or Remedy(hint, source=TORCH)
        for hint in useful
        if is_in_users_hands or _SETTING.search(hint)
    ]


def caution(hints: Sequence[str], about: str | None) -> str | None:
    """Return what the settings of hints can lead to: the break often moves to a later line."""
    if not any(_UNKNOWN_VALUE.search(hint) and _applies(hint.strip(), about or "") for hint in hints):
        return None
    return (
        "The setting can be too little: torch still cannot see the value while it compiles. Code that needs"
        " it, for a branch for example, then breaks the graph itself, or raises an error."
    )


def _applies(hint: str, about: str) -> bool:
    return all(applies(about) for begin, applies in _APPLIES if hint.startswith(begin))


def taken_apart(message: str | None) -> tuple[str, str | None, list[str]]:
    """Split an exception message into its first part, torch's explanation and torch's hints."""
    text = message or ""
    explanation = _EXPLANATION.search(text)
    return (
        _PARTS.split(text, maxsplit=1)[0].strip(),
        explanation[1].strip() if explanation else None,
        _HINT.findall(text),
    )
