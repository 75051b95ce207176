"""What is allocated while generated code runs: storages, live bytes of each device, and their peak."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from tlparse_bundle.tables.memory.sizes import Number, allocated_bytes, item_bytes, tensor_bytes

Reason = Literal["operator", "size", "dtype", "statement", "branch", "language", "limit"]
MAX_STORAGES = 20_000  # of one code
_MAX_NAMES = 50  # names of one storage
_MAX_DIMS = 100


@dataclass(slots=True, eq=False)
class Storage:
    """Memory that generated code allocates or gets as an input. Steps count executed statements, from 1."""

    name: str
    is_input: bool
    first_line: int
    first_step: int
    device: str | None = None
    dtype: str | None = None
    shape: list[int | str] | None = None
    bytes: int | None = None
    unknown: Reason | None = None  # why ``bytes`` is None
    is_hint: bool = False
    last_line: int | None = None
    last_step: int | None = None
    names: list[str] = field(default_factory=list)  # later ones
    written_line: int | None = None  # of the first call that gets it as an argument
    operator: str | None = None  # whose result it is
    result: int | None = None  # position among several results
    returned: list[int] = field(default_factory=list)  # positions among the returned values
    references: int = 0

    def rename(self, name: str) -> None:
        if name != self.name and name not in self.names and len(self.names) < _MAX_NAMES:
            self.names.append(name)


@dataclass(slots=True)
class Peak:
    bytes: int = 0
    line: int | None = None
    step: int | None = None


class Accounts:
    """Allocations of one run of a code. ``reasons``: why the peak is unknown."""

    def __init__(self) -> None:
        self.storages: list[Storage] = []
        self.reasons: dict[Reason, None] = {}
        self.operators: dict[str, None] = {}  # that may allocate more than the code shows
        self.peaks: dict[str, Peak] = {}
        self.step = 0
        self.line = 0
        self.returned_count = 0
        self._live: Counter[str] = Counter()

    def doubt(self, reason: Reason, operator: str | None = None) -> None:
        """Note why the peak is unknown."""
        self.reasons.setdefault(reason)
        if operator is not None and len(self.operators) < 100:
            self.operators.setdefault(operator[:300])

    def add(self, name: str, is_input: bool = False, device: str | None = None) -> Storage:
        """Add a storage whose size is not known yet."""
        storage = Storage(name, is_input, self.line, self.step, device)
        if len(self.storages) < MAX_STORAGES:
            self.storages.append(storage)
        else:
            self.doubt("limit")
        return storage

    def describe(
        self,
        storage: Storage,
        dtype: str | None,
        shape: tuple[Number, ...],
        stride: tuple[Number, ...],
    ) -> None:
        """Set type and size of a storage, from those of the tensor that fills it."""
        item = item_bytes(dtype)
        storage.dtype = dtype.removeprefix("torch.") if dtype else None
        storage.shape = [_shown(size) for size in shape[:_MAX_DIMS]]
        storage.is_hint = any(size.is_hint for size in (*shape, *stride))
        size = None if item is None else tensor_bytes(shape, stride, item)
        storage.unknown = "dtype" if item is None else "size" if size is None else None
        if size is not None and storage.bytes is None:
            storage.bytes = allocated_bytes(size, storage.device or "")
            if not storage.is_input and storage.last_step is None:
                self._count(storage.device or "", storage.bytes)

    def _count(self, device: str, change: int) -> None:
        live = self._live[device] = self._live[device] + change
        peak = self.peaks.setdefault(device, Peak())
        if live > peak.bytes:
            peak.bytes, peak.line, peak.step = live, self.line, self.step

    def free(self, storage: Storage) -> None:
        storage.last_line, storage.last_step = self.line, self.step
        if not storage.is_input and storage.bytes is not None:
            self._live[storage.device or ""] -= storage.bytes
        if not storage.is_input and storage.bytes is None:
            self._doubt_of(storage)

    def forget_size(self, storage: Storage) -> None:
        """Note that the size of a storage changes while the code runs."""
        if storage.bytes is not None and not storage.is_input and storage.last_step is None:
            self._live[storage.device or ""] -= storage.bytes
        storage.bytes, storage.unknown = None, "size"
        self.doubt("size")

    def end(self) -> None:
        """Note the storages that are alive at the end and whose size is unknown."""
        for storage in self.storages:
            if not storage.is_input and storage.bytes is None and storage.last_step is None:
                self._doubt_of(storage)

    def _doubt_of(self, storage: Storage) -> None:
        storage.unknown = storage.unknown or "size"
        self.doubt(storage.unknown)


def _shown(size: Number) -> int | str:
    return size.text if size.is_hint or size.value is None else size.value
