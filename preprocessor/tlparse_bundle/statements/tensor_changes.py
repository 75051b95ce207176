"""What differs of tensors from the nearest cache entry of a recompile, besides what torch's reason says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tlparse_bundle.base.wording import code
from tlparse_bundle.guards.failing import tensor_differences
from tlparse_bundle.guards.inputs import local_name
from tlparse_bundle.guards.tensor_patterns import TensorPattern, tensor_pattern
from tlparse_bundle.guards.values import Tensor, is_dense
from tlparse_bundle.statements.dispatch_keys import is_of_transforms
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.guard_changes import source_name, subject
from tlparse_bundle.statements.recompile_causes import Cause, requested_recompiles
from tlparse_bundle.statements.rows_by_compile import guards_of

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import GuardFailuresRow, GuardsRow

_KEY_SET = re.compile(r"DispatchKeySet\([^()]*\)")


def is_of_keys(facts: Facts, compile: str | None, guard: GuardsRow, *, or_gradients: bool = False) -> bool:
    """Whether a tensor differs in nothing but its dispatch keys, to which autocast adds one."""
    pattern = tensor_pattern(guard["text"]) if guard["kind"] == "TENSOR_MATCH" else None
    if pattern is None:
        return False
    own = facts.once(_tensors).get((compile or "", local_name(pattern.source)))
    if own is not None:
        aspects = {one.aspect for one in tensor_differences(pattern, own, None)}
        return aspects <= ({"requires_grad"} if or_gradients else set())
    text = _KEY_SET.sub("", guard["text"])  # of a parameter, which has constant sizes
    own_guards = (one for one in guards_of(facts, compile) if one["source"] == guard["source"])
    return any(_KEY_SET.sub("", one["text"]) == text for one in own_guards)


def of_same_tensor(facts: Facts, cause: Cause, number: int, nearest: GuardFailuresRow) -> list[str]:
    """Return what else differs of the tensor of a cause: one guard is on all of it, and torch names the first
    thing that differs.
    """
    if cause.change not in ("dispatch_keys", "dtype", "device", "requires_grad", "size"):
        return []
    request, guards = facts.once(requested_recompiles)[number], facts.table("guards")
    patterns = (tensor_pattern(guards[id_]["text"]) for id_ in nearest["guards"])
    source = local_name((request.reason and request.reason["source"]) or "")
    own = facts.once(_tensors).get((request.row["compile"] or "", source))
    pattern = next((one for one in patterns if one is not None and local_name(one.source) == source), None)
    if own is None or pattern is None:
        return []
    of_transforms = is_of_transforms(cause)  # which set requires_grad, too
    found = [
        subject(one.aspect, one.source, one.dimension)
        for one in tensor_differences(pattern, own, None)
        if one.aspect not in ("stride", cause.change, *(("requires_grad",) if of_transforms else ()))
        or (one.aspect == "size" and one.dimension != cause.dimension)
    ]
    if cause.change == "size" and _has_other_layout(pattern, own):
        found.append(f"the strides of {code(source_name(pattern.source) or '')}")
    return found


def _has_other_layout(pattern: TensorPattern, tensor: Tensor) -> bool:
    """Whether the strides of a tensor do not follow from its sizes as those of an entry do."""
    size = tuple(one for one in pattern.size if one is not None)
    stride = tuple(one for one in pattern.stride if one is not None)
    if len(size) < len(pattern.size) or len(stride) < len(pattern.stride) or 1 in size:
        return False  # the stride of a dimension of size 1 says nothing
    before = Tensor(size, stride, tensor.dtype, tensor.device, tensor.requires_grad)
    return is_dense(before, before) and not is_dense(tensor, before)


def _tensors(facts: Facts) -> dict[tuple[str, str], Tensor]:
    """Return the tensors of recompiles that failed a guard on them or on a mode, by compile and source."""
    reasons = [(one.row["compile"], one.reason) for one in facts.once(requested_recompiles) if one.reason]
    wanted = {(compile, local_name(reason["source"] or "")) for compile, reason in reasons}
    of_states = {
        compile for compile, reason in reasons if reason["change"] in ("global_state", "dispatch_keys")
    }
    return {
        key: Tensor(
            tuple(row["shape"]),
            tuple(row["stride"]) if row["stride"] is not None else None,
            row["dtype"],
            row["device"],
            row["requires_grad"],
        )
        for row in facts.table("call_inputs")
        if row["shape"] is not None
        and ((key := (row["compile"], local_name(row["source"]))) in wanted or row["compile"] in of_states)
    }
