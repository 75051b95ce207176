"""Functions that a wrapper calls: torch reports the name of the wrapper."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from tlparse_bundle.base.wording import code, function_name, listed
from tlparse_bundle.guards.inputs import local_name
from tlparse_bundle.statements.facts import Facts, FunctionKey
from tlparse_bundle.statements.recompile_causes import Cause, requested_recompiles
from tlparse_bundle.statements.rows_by_compile import guards_of
from tlparse_bundle.statements.source_places import is_of_program
from tlparse_bundle.statements.user_code import package_of
from tlparse_bundle.tables.text.record_values import frames_in

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import RecompileReasonsRow

WRAPPER = re.compile(r"_?(?:wrapper|wrapped|inner|decorated)\w*")
_ARGUMENT = re.compile(r"(?:kw)?args\b")
# torch shortens the files of guards: "utils/_pytree.py".
_TORCH = re.compile(
    r"torch[/\\]|_dynamo[/\\]|^<"
    r"|^(?:utils[/\\]_|_functorch[/\\]|_library[/\\]|_higher_order_ops[/\\]|nn[/\\](?:modules[/\\]|functional\.py))"
)
_OPTIMIZER = re.compile(r"[/\\]torch[/\\]optim[/\\]")
_FIRST = "L['args'][0]"
_GIVEN = "L['fn']"  # to a wrapper of torch
_OWNER = f"{_GIVEN}.__self__"  # of a bound method
_CALLED = frozenset(("L['self']", _GIVEN, _OWNER, _FIRST))
_OF_MODULE = frozenset(f"{_FIRST}.{name}" for name in ("_modules", "_parameters", "_buffers"))
_CLASS = re.compile(r"type=<class '(?:[\w.]+\.)?(\w+)'>")
_MOST = 3
_NO_FUNCTION = "CodeGuardAccessor: Not a function on fn.__code__"  # torch/csrc/dynamo/guards.cpp


def shown_function(facts: Facts, function: FunctionKey, numbers: Iterable[int]) -> str:
    """Return a function as findings name it: for a wrapper of a library, the class of the object whose method
    it calls, or "`wrapped` of torch". ``numbers``: rows of ``Facts.compiles``.
    """
    file, name, _ = function
    if not _is_wrapper(file, name):
        return function_name(name)
    classes = wrapped_classes(facts, function, numbers)
    return code(classes[0]) if len(classes) == 1 else f"{function_name(name)} of {package_of(file)}"


def _is_wrapper(file: str | None, name: str | None) -> bool:
    """Whether a function is a library's, and calls whatever it is given."""
    return package_of(file) is not None and WRAPPER.fullmatch(name or "") is not None


def wrapped_classes(facts: Facts, function: FunctionKey, numbers: Iterable[int]) -> list[str]:
    """Return the classes of the objects that a wrapper of a library calls in these compiles."""
    file, name, _ = function
    if not _is_wrapper(file, name):
        return []
    is_method = _OPTIMIZER.search(file or "") is not None
    known = facts.once(_known_classes)
    found: dict[str, None] = {}
    for number in numbers:
        key = facts.key_of(number), is_method
        if key not in known:
            known[key] = _classes(facts, *key)
        found |= dict.fromkeys(known[key])
    return [name for name in found if name not in ("function", "method", "type")]


def _known_classes(facts: Facts) -> dict[tuple[str | None, bool], list[str]]:
    """Return where to keep the results of ``_classes``."""
    return {}


def _classes(facts: Facts, compile: str | None, is_method: bool) -> list[str]:
    """Return the classes of what a wrapper calls, of a function, an object or, for methods and those of a
    module, its first argument.
    """
    found: dict[str, str] = {}
    is_function = False
    for guard in guards_of(facts, compile):
        source = guard["source"]
        if source in _OF_MODULE:
            is_method = True
        elif source == f"{_GIVEN}.__code__":
            is_function = True
        elif source in _CALLED and guard["kind"] in ("TYPE_MATCH", "ID_MATCH"):
            match = _CLASS.search(guard["text"])
            found |= {source: match[1]} if match else {}
    if _OWNER in found:
        return [found[_OWNER]]
    if is_function:  # which gets the arguments
        return []
    return [name for source, name in found.items() if is_method or source != _FIRST]


def other_class_text(facts: Facts, cause: Cause) -> str | None:
    """Return why the first compile of a class counts as a recompile, as a clause: a wrapper of a library is
    one function, with one cache, for all classes whose methods it calls. None for other recompiles.
    """
    file, name, _ = cause.function
    if not _is_wrapper(file, name):
        return None
    requests = [facts.once(requested_recompiles)[number] for number in cause.rows]
    entries = dict.fromkeys(reason["entry"] for one in requests for reason in one.reasons)
    frames = [frame for entry in entries if entry and (frame := facts.compiled.get((entry,))) is not None]
    own = {one.row["compile"] for one in requests}
    numbers = [frame.rows[-1] for frame in frames if frame.row["compile"] not in own]
    before = wrapped_classes(facts, cause.function, numbers)
    new = [wrapped_classes(facts, cause.function, [one.compile_index]) for one in requests]
    if (
        not before
        and package_of(cause.function[0]) == "torch"
        and all(len(classes) == 1 for classes in new)
        and all(one.reason and one.reason["guard"].startswith(_NO_FUNCTION) for one in requests)
    ):
        return f"torch compiled {function_name(cause.function[1])} for a function before"
    if not before or not all(len(classes) == 1 and classes[0] not in before for classes in new):
        return None
    others = listed(list(map(code, before)), _MOST)
    return f"torch compiled {function_name(name)} for {others} before"


def guard_source_line(reason: RecompileReasonsRow) -> str | None:
    """Return the line of the user's code that a guard comes from; None when torch names a line of its own or
    of a library, or says that its line is not the reason of the guard.
    """
    if "the guard itself is not due user code" in (reason["comment"] or ""):
        return None
    if frames := frames_in(reason["user_traceback"] or ""):
        own = next((frame for frame in reversed(frames) if is_of_program(frame.file)), None)
        return own and own.source_line
    return None if _TORCH.search(reason["file"] or "") else reason["source_line"]


def calls_text(facts: Facts, function: FunctionKey, source: str | None, numbers: Iterable[int]) -> str | None:
    """Return what a wrapper calls in these compiles: "calls `Net`" or "leads to `train`"; None for other
    functions.

    ``source``: what the guard checks. The guards of a compile have the function that each comes from, which
    may be one that the wrapped function calls.
    """
    numbers = list(numbers)
    if classes := wrapped_classes(facts, function, numbers):
        return f"calls {listed(list(map(code, classes)), _MOST)}"
    _, name, _ = function
    if not WRAPPER.fullmatch(name or "") and not _ARGUMENT.match(local_name(source or "")):
        return None
    called = (_called(facts, function, facts.key_of(number)) for number in numbers)
    names = list(dict.fromkeys(code(one) for one in called if one not in (None, name)))
    return f"leads to {listed(names, _MOST)}" if names else None


def _called(facts: Facts, function: FunctionKey, compile: str | None) -> str | None:
    """Return the function of the program that a wrapper calls: the outermost one of a guard's stack, or the
    only one that guards of the compile come from.
    """
    outermost = facts.once(_outermost)
    if (compile, function) in outermost:
        return outermost[compile, function]
    found = {
        guard["function"]
        for guard in guards_of(facts, compile)
        if _is_called(guard["file"], guard["function"]) and not _TORCH.search(guard["file"] or "")
    }
    known = found & {name for (_, of), name in outermost.items() if of == function}
    names = known or found
    return next(iter(names)) if len(names) == 1 else None


def _outermost(facts: Facts) -> dict[tuple[str | None, FunctionKey], str]:
    """Return the outermost function of the program below wrappers, by compile and its function. torch logs
    the stack of a guard with the reasons that have it.
    """
    found: dict[tuple[str | None, FunctionKey], str] = {}
    for reason in facts.table("recompile_reasons"):
        frame = facts.compiled.get((reason["entry"],)) if reason["user_traceback"] else None
        if frame is None:
            continue
        frames = frames_in(reason["user_traceback"] or "")
        name = next((one.function for one in frames if _is_called(one.file, one.function)), None)
        if name is not None:
            found.setdefault((reason["entry"], facts.function_key(frame.rows[0])), name)
    return found


def _is_called(file: str | None, function: str | None) -> bool:
    """Whether a function is one of the program, and no wrapper."""
    return (
        file is not None
        and function is not None
        and is_of_program(file)
        and not function.startswith(("<", "__"))
        and WRAPPER.fullmatch(function) is None
    )
