"""Causes of graph breaks and failures that torch's message does not state, and fixes that work."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from tlparse_bundle.base.wording import code, listed, shortened
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.guard_changes import source_name
from tlparse_bundle.statements.statement import Remedy

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import GraphBreaksRow


class KnownCause(NamedTuple):
    """``text``: what torch's message leaves out; ``remedies`` replace torch's hints when there are any."""

    text: str
    remedies: tuple[Remedy, ...] = ()


_SCHEDULED_STEP = re.compile(r"the function `(\w+)\.step` in file `[^`]*torch/optim/lr_scheduler\.py`")
_LOGGED = re.compile(r"args: \[ConstantVariable\(str: (?P<quote>['\"])(?P<text>.*?)(?P=quote)\)", re.DOTALL)
_MARKED = re.compile(
    r"getattr\((?P<source>.+?), '_dynamo_unbacked_indices', set\(\)\)\.issubset\(\{(?P<at>[\d, ]+)\}\)"
)
# torch/_library/custom_ops.py, and torch/_subclasses/fake_impls.py for operators of torch.library.define
_NO_FAKE_KERNEL = re.compile(
    r"There was no fake impl registered for <CustomOpDef\((?P<custom>\w+::\w+)\)>"
    r"|(?P<defined>\w+::\w+)(?:\.\w+)?: attempted to run this operator with Meta tensors, but there was no"
    r" fake impl"
)


def known_cause(facts: Facts, rows: Iterable[GraphBreaksRow]) -> KnownCause | None:
    """Return the cause that torch's explanations of some graph breaks do not state; None when not all of them
    have it.
    """
    causes = {cause and cause.text: cause for cause in (_cause(facts, row) for row in rows)}
    return causes.popitem()[1] if len(causes) == 1 else None


def _cause(facts: Facts, row: GraphBreaksRow) -> KnownCause | None:
    causes = (find(facts, row) for find in (_scheduled_step, _logged, _marked_as_unbacked))
    return next((cause for cause in causes if cause is not None), None)


def _scheduled_step(facts: Facts, row: GraphBreaksRow) -> KnownCause | None:
    """``LRScheduler.__init__`` replaces ``optimizer.step`` (torch/optim/lr_scheduler.py)."""
    step = _SCHEDULED_STEP.search(row["explanation"] or "")
    if step is None:
        return None
    return KnownCause(
        f"A learning rate scheduler wraps {code(f'{step[1]}.step')}. Dynamo does not trace its wrapper.",
        (Remedy("Call `step()` of the optimizer outside the compiled function."),),
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


def _marked_as_unbacked(facts: Facts, row: GraphBreaksRow) -> KnownCause | None:
    """torch cannot decide a condition on a size that ``mark_unbacked`` marked."""
    if row["reason"] != "Data-dependent branching" or "SymNodeVariable" not in (row["debug_context"] or ""):
        return None
    marked = dict.fromkeys(place for compile in row["compiles"] for place in _marks(facts, compile))
    unbacked = {
        symbol["name"]
        for symbol in facts.table("symbols")
        if symbol["unbacked"] and symbol["compile"] in row["compiles"]
    }
    if not marked or len(unbacked) > len(marked):  # another value may be meant
        return None
    sizes = [code(f"{source_name(source)}.size({at})") for source, at in marked]
    are, them = ("is", "it") if len(sizes) == 1 else ("are", "them")
    return KnownCause(
        f"{listed(sizes)} {are} marked as unbacked, so torch cannot decide conditions on {them}.",
        (Remedy("Use `torch._dynamo.mark_dynamic` instead of `mark_unbacked`, or remove the condition."),),
    )


def _marks(facts: Facts, compile: str) -> Iterator[tuple[str, int]]:
    """Yield the dimensions that are marked as unbacked in the call of a compile, from its guards."""
    guards = facts.table("guards")
    for tree in facts.table("guard_trees"):
        if tree["compile"] == compile:
            for number in tree["guards"]:
                guard = guards[number]
                mark = (
                    _MARKED.search(guard["text"])
                    if guard["kind"] == "DIMENSION_DYNAMIC_MARKING_GUARD"
                    else None
                )
                if mark is not None:
                    yield from ((mark["source"].lstrip("("), int(at)) for at in mark["at"].split(","))


def operator_without_fake_kernel(message: str | None) -> str | None:
    """Return the operator that failed because it has no fake kernel, such as "mylib::scale"."""
    match = _NO_FAKE_KERNEL.search(message or "")
    return match and (match["custom"] or match["defined"])


def fake_kernel_remedy(operator: str) -> Remedy:
    return Remedy(
        "Register a fake kernel that returns an empty tensor with the shape and dtype of the result.",
        f'@torch.library.register_fake("{operator}")',
    )
