"""Causes of graph breaks and failures that torch's message does not state, and fixes that work."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from tlparse_bundle.base.wording import code, first_line, listed, shortened
from tlparse_bundle.statements.dimension_marks import marked_dimensions
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.guard_changes import source_name
from tlparse_bundle.statements.rows_by_compile import symbols_by_compile
from tlparse_bundle.statements.statement import Remedy
from tlparse_bundle.statements.torch_messages import OF_NUMBERS

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import GraphBreaksRow


class KnownCause(NamedTuple):
    """``text``: what torch's message leaves out; ``remedies`` replace torch's hints when there are any."""

    text: str
    remedies: tuple[Remedy, ...] = ()


_SCHEDULED_STEP = re.compile(r"the function `(\w+)\.step` in file `[^`]*torch/optim/lr_scheduler\.py`")
# torch.compile(optimizer.step) calls a function of this file.
_INNER = re.compile(r"[/\\]torch[/\\]_dynamo[/\\]external_utils\.py$")
_STEP_OUTSIDE = Remedy("Call `step()` of the optimizer outside the compiled function.")
_COMPILE_STEP_FIRST = Remedy(
    "Call `torch.compile` on `step` before you create the scheduler. The scheduler then warns that it is"
    " called before the optimizer, although it is not."
)
_LOGGED = re.compile(r"args: \[ConstantVariable\(str: (?P<quote>['\"])(?P<text>.*?)(?P=quote)\)", re.DOTALL)
# torch/_library/custom_ops.py, and torch/_subclasses/fake_impls.py for operators of torch.library.define
_NO_FAKE_KERNEL = re.compile(
    r"There was no fake impl registered for <CustomOpDef\((?P<custom>\w+::\w+)\)>"
    r"|(?P<defined>\w+::\w+)(?:\.\w+)?: attempted to run this operator with Meta tensors, but there was no"
    r" fake impl"
)


_UNSUPPORTED = re.compile(r"unsupported operator: (?P<operator>\w+\.\w+(?:\.\w+)?)")
_VMAP = re.compile(r"[/\\]torch[/\\]_functorch[/\\]vmap\.py")
_CONDITION = re.compile(r"\s*(?:el)?(?:if|while)\b[^:]*(?:\.item\(\)|\b(?:bool|float|int)\()")
_FAKE_CALL = re.compile(r"\w+ <[^>]*>: (?P<message>.+)")  # of an operator, in a debug context
_SYMBOLIC = re.compile(r" must be (?P<type>bool|int|float), not Sym(?:Bool|Int|Float)\b")
_NO_AUTOGRAD = re.compile(
    r"Trying to backward through (?P<operator>\w+\.\w+)(?:\.\w+)? but no autograd formula was registered"
)


# torch/_subclasses/fake_tensor.py: the text of DynamicOutputShapeException is the operator.
_OF_UNKNOWN_SHAPE = re.compile(r"failed with (?P<operator>aten\.\w+)(?:\.\w+)?\. Adding a graph break")


def known_cause(facts: Facts, rows: Iterable[GraphBreaksRow]) -> KnownCause | None:
    """Return the cause that torch's explanations of some graph breaks do not state; None when not all of them
    have it.
    """
    causes = {cause and cause.text: cause for cause in (cause_of_break(facts, row) for row in rows)}
    return causes.popitem()[1] if len(causes) == 1 else None


def cause_of_break(facts: Facts, row: GraphBreaksRow) -> KnownCause | None:
    finders = (
        _scheduled_step,
        _logged,
        _random,
        _marked_as_unbacked,
        _without_fake_kernel,
        _item_below_vmap,
        _item_in_a_condition,
        _fake_call,
        _of_numbers,
        _of_unknown_shape,
    )
    causes = (find(facts, row) for find in finders)
    return next((cause for cause in causes if cause is not None), None)


def _of_unknown_shape(facts: Facts, row: GraphBreaksRow) -> KnownCause | None:
    """The backend traces code that Dynamo did not, such as the backward of an operator."""
    if row["reason"] != "Backend compiler exception":
        return None
    found = _OF_UNKNOWN_SHAPE.search(row["explanation"] or "")
    if found is None or found["operator"] == "aten._local_scalar_dense":
        return None
    return KnownCause(
        f"The shape of what {code(found['operator'])} returns depends on data.",
        (
            Remedy(
                "Let torch trace such operators, or call the operator outside the compiled function.",
                "torch._dynamo.config.capture_dynamic_output_shape_ops = True",
            ),
        ),
    )


def _scheduled_step(facts: Facts, row: GraphBreaksRow) -> KnownCause | None:
    """``LRScheduler.__init__`` replaces ``optimizer.step`` (torch/optim/lr_scheduler.py)."""
    step = _SCHEDULED_STEP.search(row["explanation"] or "")
    if step is None:
        return None
    is_compiled_itself = _INNER.search(row["file"] or "") is not None
    return KnownCause(
        f"A learning rate scheduler wraps {code(f'{step[1]}.step')}. Dynamo does not trace its wrapper.",
        (_COMPILE_STEP_FIRST if is_compiled_itself else _STEP_OUTSIDE,),
    )


def _logged(facts: Facts, row: GraphBreaksRow) -> KnownCause | None:
    if not row["reason"].startswith("logging.Logger method"):
        return None
    message = _LOGGED.search(row["debug_context"] or "")
    if message is None:
        return None
    text = f"The message is {code(shortened(message['text'].replace('`', chr(39))) or '')}."
    if "`use_cache=True` is incompatible with gradient checkpointing" not in message["text"]:
        return KnownCause(text)
    return KnownCause(
        text, (Remedy("Turn the cache off, then nothing is logged.", "model.config.use_cache = False"),)
    )


def _random(facts: Facts, row: GraphBreaksRow) -> KnownCause | None:
    """Dynamo makes numbers of the module ``random`` inputs of the graph."""
    if row["reason"] != "Data-dependent branching" or "random_value_" not in (row["explanation"] or ""):
        return None
    return KnownCause(
        "The condition depends on a number from Python's `random`.",
        (Remedy("Evaluate the condition outside the compiled function, and pass the result."),),
    )


def _marked_as_unbacked(facts: Facts, row: GraphBreaksRow) -> KnownCause | None:
    """torch cannot decide a condition on a size that ``mark_unbacked`` marked."""
    if row["reason"] != "Data-dependent branching" or "SymNodeVariable" not in (row["debug_context"] or ""):
        return None
    marked = dict.fromkeys(
        place for compile in row["compiles"] for place in marked_dimensions(facts, compile, "unbacked")
    )
    unbacked = {
        symbol["name"]
        for compile in row["compiles"]
        for symbol in facts.once(symbols_by_compile).rows(compile)
        if symbol["unbacked"]
    }
    if not marked or len(unbacked) > len(marked):  # another value may be meant
        return None
    sizes = [code(f"{source_name(source)}.size({at})") for source, at in marked]
    are, them = ("is", "it") if len(sizes) == 1 else ("are", "them")
    return KnownCause(
        f"{listed(sizes)} {are} marked as unbacked, so torch cannot decide conditions on {them}.",
        (
            Remedy(
                "Use `torch._dynamo.maybe_mark_dynamic` instead of `mark_unbacked`, or remove the condition."
            ),
        ),
    )


def _without_fake_kernel(facts: Facts, row: GraphBreaksRow) -> KnownCause | None:
    operator = _UNSUPPORTED.match(row["debug_context"] or "")
    if row["reason"] != "Operator does not support running with fake tensors" or operator is None:
        return None
    name = operator["operator"].removesuffix(".default").replace(".", "::", 1)
    return KnownCause(f"{code(name)} has no fake kernel.", (fake_kernel_remedy(name),))


def _item_below_vmap(facts: Facts, row: GraphBreaksRow) -> KnownCause | None:
    """``vmap`` refuses ``.item()`` also in eager, and whatever torch's hint sets (torch 2.6 to 2.15)."""
    if not row["reason"].startswith("Unsupported Tensor.item() call") or not _VMAP.search(
        row["user_traceback"] or ""
    ):
        return None
    return KnownCause(
        "`torch.vmap` does not support `.item()`, so the call also fails in eager.",
        (Remedy("Use the tensor without `.item()`, and `torch.where` instead of a condition on its value."),),
    )


def _item_in_a_condition(facts: Facts, row: GraphBreaksRow) -> KnownCause | None:
    """With torch's setting, Dynamo breaks the graph at the condition on the value instead."""
    if not row["reason"].startswith("Unsupported Tensor.item() call") or not _CONDITION.match(
        row["source_line"] or ""
    ):
        return None
    return KnownCause(
        "The condition depends on the value, so the graph breaks here even with the setting"
        " `capture_scalar_outputs`.",
        (
            Remedy(
                "Use `torch.where` or `torch.cond` on the tensor instead of a condition on its value, or move"
                " the condition out of the compiled function."
            ),
        ),
    )


def _fake_call(facts: Facts, row: GraphBreaksRow) -> KnownCause | None:
    """torch's message has no explanation, only the exception of the operator. One that gets a condition on a
    dynamic size, where it needs a Python value, fails only while it is compiled.
    """
    call = _FAKE_CALL.match(row["debug_context"] or "")
    if not row["reason"].endswith(" when making fake tensor call") or row["explanation"] or call is None:
        return None
    message = first_line(call["message"])
    symbolic = _SYMBOLIC.search(message)
    if symbolic is None:
        return KnownCause(f"{message.rstrip('.')}.")
    # Dynamo leaves bool(…) of a condition on sizes symbolic, but branches on an if.
    branch = Remedy(
        "Write the argument as `True if … else False`. Sizes that give another value then need a compile of"
        " their own."
    )
    return KnownCause(
        f"{message.rstrip('.')}: it depends on a size that is dynamic.",
        (branch,) if symbolic["type"] == "bool" else (),
    )


def _of_numbers(facts: Facts, row: GraphBreaksRow) -> KnownCause | None:
    found = OF_NUMBERS.search(row["debug_context"] or "") if row["reason"] == "Observed exception" else None
    if found is None:
        return None
    return KnownCause(
        f"Python has {code(found['operation'])} for numbers. Dynamo lacks it for a dynamic one."
    )


def operator_without_autograd(message: str | None) -> str | None:
    """Return the operator without a backward that failed a compile, such as "mylib::scale"."""
    match = _NO_AUTOGRAD.search(message or "")
    return match and match["operator"].replace(".", "::", 1)


def autograd_remedy(operator: str) -> Remedy:
    return Remedy(
        "Register the backward of the operator.",
        f'torch.library.register_autograd("{operator}", backward, setup_context=setup_context)',
    )


def operator_without_fake_kernel(message: str | None) -> str | None:
    """Return the operator that failed because it has no fake kernel, such as "mylib::scale"."""
    match = _NO_FAKE_KERNEL.search(message or "")
    return match and (match["custom"] or match["defined"])


def fake_kernel_remedy(operator: str) -> Remedy:
    return Remedy(
        "Register a fake kernel that returns an empty tensor with the shape and dtype of the result.",
        f'@torch.library.register_fake("{operator}")',
    )
