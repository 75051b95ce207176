"""Registry of event kinds. Plug-ins add modules with KINDS as ``tlparse_bundle.events`` entry points."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import cache, lru_cache
from typing import Any

from tlparse_bundle.base.plugins import Loaded, plugins
from tlparse_bundle.log.events import (
    aot,
    caching,
    distributed,
    dynamo,
    inductor,
    runtime,
)
from tlparse_bundle.log.events.kind import LANGUAGES, PHASES, Kind

FAMILIES = (dynamo, distributed, aot, inductor, caching, runtime)

ENTRY_POINTS = "tlparse_bundle.events"
_METRICS = ("compilation_metrics", "bwd_compilation_metrics", "aot_autograd_backward_compilation_metrics")


@cache
def known_kinds() -> dict[str, Kind]:
    """Return all kinds by key. Built-in kinds take precedence over those of plug-ins."""
    theirs = (plugin.object for plugin in plugin_kinds().plugins)
    return {kind.key: kind for kinds in (*theirs, *(family.KINDS for family in FAMILIES)) for kind in kinds}


def plugin_kinds() -> Loaded:
    """Return the kinds of plug-ins. The object of each plug-in is a tuple of Kinds."""
    return plugins(ENTRY_POINTS, _kinds_of)


def _kinds_of(module: Any) -> tuple[Kind, ...]:
    """Return the kinds of a plug-in module. Raise TypeError or ValueError when one is not valid."""
    kinds = tuple(module.KINDS)
    for kind in kinds:
        if not isinstance(kind, Kind):
            raise TypeError(f"KINDS has {type(kind).__name__!r}, not Kind")
        if not all(type(field) is str for field in kind):
            raise TypeError("a field of a Kind is not text")
        if kind.language not in LANGUAGES:
            raise ValueError(
                f"{kind.language!r} is not a language of a Kind: use one of {', '.join(LANGUAGES)}"
            )
        if kind.phase not in (phase.id for phase in PHASES):
            raise ValueError(
                f"{kind.phase!r} is not a phase of a Kind: use one of"
                f" {', '.join(phase.id for phase in PHASES)}"
            )
    return kinds


@cache
def _patterns() -> list[tuple[re.Pattern[str], Kind]]:
    """Return kinds with a wildcard, the most specific (longest) first."""
    keys = sorted((key for key in known_kinds() if "*" in key), key=lambda key: (-len(key), key))
    return [(re.compile(translate(key)), known_kinds()[key]) for key in keys]


@lru_cache(4096)
def _named_kind(event_type: str, name: str | None) -> Kind | None:
    key = f"{event_type}:{name}"
    return known_kinds().get(key) or next((kind for pattern, kind in _patterns() if pattern.match(key)), None)


def describe(event_type: str, name: str | None, encoding: object) -> Kind:
    """Return the kind of an event; for an unknown one, a generic kind made from its type and encoding."""
    if event_type != "artifact":
        kind = (_named_kind(event_type, name) if event_type == "graph_dump" else None) or known_kinds().get(
            event_type
        )
        return kind or Kind(event_type, event_type, "other", "text", "")
    kind = _named_kind("artifact", name)
    language = "json" if encoding == "json" else "text"
    return kind or Kind(f"artifact:*{language}", "artifact", "other", language, "")


def is_artifact(event_type: str, has_payload: bool) -> bool:
    """Return whether an event is an artifact (schema: artifacts)."""
    if event_type == "chromium_event":
        return False
    return (
        has_payload or event_type in ("artifact", "link") or event_type.removesuffix("_runtime") in _METRICS
    )


def artifact_name(event_type: str, name: str | None) -> str:
    """Return the stable name of an artifact (schema: artifacts)."""
    if name is None:
        return event_type
    if event_type in ("artifact", "graph_dump", "dump_file", "link"):
        return name
    return f"{event_type}_{name}"
