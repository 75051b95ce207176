"""Containers in which a call differs from a cache entry: their lengths and keys."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tlparse_bundle.guards.code_history import CodeHistory
from tlparse_bundle.guards.failing import Difference
from tlparse_bundle.guards.inputs import local_name

_KEY = re.compile(r"\[[^\[\]]*\]")


def differing_containers(failed: Mapping[int, tuple[Difference, ...] | None]) -> set[str]:
    """Return the containers that differ in their length or their keys."""
    found = (one for differences in failed.values() for one in differences or ())
    return {one.source for one in found if one.aspect in ("length", "other")}


def keys_of(history: CodeHistory, entry: int, container: str) -> set[str]:
    """Return the keys of a container that the guards of an entry mention, or the positions of its keys, which
    torch compares when all are used.
    """
    guards = (history.guards[guard] for guard in history.compiles[entry].guards)
    listed = f"list(dict.keys({container}))"
    keys = set()
    for source in {local_name(guard.source or "") for guard in guards}:
        for owner in (container, listed):
            key = _KEY.match(source.removeprefix(owner)) if source.startswith(f"{owner}[") else None
            if key is not None:
                keys.add(f"{owner}{key[0]}")
    return keys


def has_other_keys(history: CodeHistory, call: int, entry: int, container: str) -> bool:
    """Whether several keys of a dict are only in the call, or only in the entry, by the guards of both."""
    name = local_name(container)
    own, others = (
        {key for key in keys_of(history, one, name) if key.endswith("']")} for one in (call, entry)
    )
    return bool(own and others) and max(len(own - others), len(others - own)) > 1
