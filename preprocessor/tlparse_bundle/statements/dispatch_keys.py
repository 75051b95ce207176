"""Dispatch keys of tensors, which modes change: autocast adds some, inference mode removes some."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from tlparse_bundle.base.wording import listed
from tlparse_bundle.statements.recompile_causes import Cause

_KEY_SET = re.compile(r"DispatchKeySet\((.*)\)")
_AUTOCAST = "Autocast"  # of dispatch keys
_OF_TRANSFORMS = ("FuncTorch", "Batched")
_OF_AUTOGRAD = ("Autograd", "ADInplaceOrView")


def key_differences(values: list[Any]) -> list[Any]:
    """Return the dispatch keys without those that all sets share."""
    sets = [keys for value in values if (keys := _keys(value)) is not None]
    if len(sets) < max(2, len(values)):
        return values
    common = set.intersection(*map(set, sets))
    return [", ".join(key for key in keys if key not in common) or "none" for keys in sets]


def autocast_changed(cause: Cause) -> str | None:
    """Return "autocast for CPU was turned on" where only it changed the dispatch keys; None otherwise."""
    sets = [_keys(value) for value in cause.values]
    if cause.change != "dispatch_keys" or len(sets) != 2:
        return None
    before, after = (set(keys or ()) for keys in sets)
    devices = sorted(before ^ after)
    if not devices or not all(key.startswith(_AUTOCAST) for key in devices):
        return None
    names = listed([key.removeprefix(_AUTOCAST) for key in devices])
    return f"autocast for {names} was turned {'on' if before < after else 'off'}"


def is_of_transforms(cause: Cause) -> bool:
    """Whether tensors of ``torch.func`` transforms, such as ``grad`` and ``vmap``, and others are among the
    values.
    """
    return cause.change == "dispatch_keys" and any(
        key.startswith(_OF_TRANSFORMS) for value in cause.values for key in _keys(value) or ()
    )


def others_than_autograd(values: Iterable[Any]) -> bool:
    """Whether sets of dispatch keys differ in more than what grad and inference mode change."""
    sets = [
        {key for key in keys if not key.startswith(_OF_AUTOGRAD)}
        for value in values
        if (keys := _keys(value)) is not None
    ]
    return any(keys != sets[0] for keys in sets)


def is_of_inference_mode(cause: Cause) -> bool:
    """Whether tensors with autograd's keys and without them differ in nothing else."""
    sets = [keys for value in cause.values if (keys := _keys(value)) is not None]
    has_autograd = {any(key.startswith(_OF_AUTOGRAD) for key in keys) for keys in sets}
    is_of_autograd = len(has_autograd) == 2 and not others_than_autograd(cause.values)
    return is_of_autograd and cause.change == "dispatch_keys"


def _keys(value: Any) -> list[str] | None:
    match = _KEY_SET.fullmatch(value) if type(value) is str else None
    return match[1].split(", ") if match else None
