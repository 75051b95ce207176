"""The keys of an envelope that torch adds to every record, whatever its event."""

from __future__ import annotations

ID_KEYS = ("compiled_autograd_id", "frame_id", "frame_compile_id", "attempt")


# Never event names (torch/_logging/_internal.py, trace_structured).
CONTEXT_KEYS = frozenset(
    (*ID_KEYS, "rank", "severity", "timestamp", "pathname", "thread", "subgraph_name", "has_payload", "stack")
)
