"""The kinds of events that the tool knows. A new family is one module and one line here."""

from __future__ import annotations

import re
from fnmatch import translate

from tlparse_bundle.events import aot, autograd, caching, distributed, dynamo, export, inductor, process, runtime, shapes
from tlparse_bundle.events.kinds import Kind

FAMILIES = (process, dynamo, shapes, export, autograd, distributed, aot, inductor, caching, runtime)

_EXACT = {kind.key: kind for family in FAMILIES for kind in family.KINDS}
# Longer patterns are more specific.
_PATTERNS = [(re.compile(translate(k)), _EXACT[k]) for k in sorted(_EXACT, key=len, reverse=True) if "*" in k]
_METRICS = ("compilation_metrics", "bwd_compilation_metrics", "aot_autograd_backward_compilation_metrics")


def describe(event_type: str, name: str | None, encoding: object) -> Kind:
    """The kind of an event; for an unknown one a generic kind made from what torch says of it."""
    if event_type != "artifact":
        kind = _EXACT.get(event_type)
        return kind or Kind(event_type, event_type, "other", "text", "")
    key = f"artifact:{name}"
    kind = _EXACT.get(key)
    if kind is None:
        kind = next((k for pattern, k in _PATTERNS if pattern.match(key)), None)
    return kind or Kind(f"artifact:({encoding})", "artifact", "other", "json" if encoding == "json" else "text", "")


def is_artifact(event_type: str, has_payload: bool) -> bool:
    """Whether an event is something to look at on its own (schema: artifacts)."""
    if event_type == "chromium_event":
        return False
    return has_payload or event_type in ("artifact", "link") or event_type.removesuffix("_runtime") in _METRICS


def artifact_name(event_type: str, name: str | None) -> str:
    """Stable name of an artifact (schema: artifacts)."""
    if name is None:
        return event_type
    if event_type in ("artifact", "graph_dump", "dump_file", "link"):
        return name
    return f"{event_type}_{name}"
