"""What fixes change of the strides of tensors, and the strides that follow from sizes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from tlparse_bundle.guards.code_history import CodeHistory
from tlparse_bundle.guards.failing import Difference
from tlparse_bundle.guards.fixes import Fix
from tlparse_bundle.guards.values import contiguous, is_contiguous, is_dense


class Layouts:
    """The strides of the tensors of a code object with fixes. A tensor with ``same_layout`` is a copy."""

    def __init__(self, history: CodeHistory, fixes: Sequence[Fix]):
        self._history = history
        self._copied = [fix.source or "" for fix in fixes if fix.kind == "same_layout"]
        self._unbacked = [fix.source or "" for fix in fixes if fix.kind == "mark_unbacked"]

    @cached_property
    def has_strided_unbacked(self) -> bool:
        """Whether a tensor with an unbacked size has other strides than usual. Its code has guards on
        its stride, which a size of 1 does not have.
        """
        calls = range(len(self._history.compiles))
        tensors = (self._history.tensor(call, source) for source in self._unbacked for call in calls)
        return any(tensor is not None and tensor.stride != contiguous(tensor.size) for tensor in tensors)

    def are_same(self, source: str, *calls: int) -> bool:
        """Whether a tensor has the usual strides in all calls after ``.contiguous()``."""
        tensors = [self._history.tensor(call, source) for call in calls]
        return all(
            tensor is not None and (tensor.stride == contiguous(tensor.size) or not is_contiguous(tensor))
            for tensor in tensors
        )

    def is_of_lost_base(self, difference: Difference, entry: int) -> bool:
        """Whether a guard is on the base of a view that ``.contiguous()`` replaces with a copy."""
        return any(
            f"{source}._base" in difference.source
            and (tensor := self._history.tensor(entry, source)) is not None
            and not is_contiguous(tensor)
            for source in self._copied
        )

    def follows_size(self, difference: Difference, call: int, entry: int, all_: Iterable[Difference]) -> bool:
        """Whether a stride differs only because a size does: both tensors are dense in the same order."""
        if difference.aspect != "stride" or not any(
            other.aspect == "size" and other.source == difference.source for other in all_
        ):
            return False
        tensors = (
            self._history.tensor(call, difference.source),
            self._history.tensor(entry, difference.source),
        )
        return all(tensor is not None and is_dense(tensor, tensors[0]) for tensor in tensors)
