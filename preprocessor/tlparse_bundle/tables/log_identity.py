"""Rank and PyTorch version of the process that wrote the log."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tlparse_bundle.base.diagnostics import Diagnostics
from tlparse_bundle.bundle.json_codec import loads
from tlparse_bundle.log.event import Event

# What torch/_dynamo/debug_utils.py writes at the head of a program that can be run; before 2.10 nothing else
# names the version.
_RUNNABLE = re.compile(rb"^# torch version: ([\w.+-]{1,100})$", re.MULTILINE)


class Identity:
    """Collects process information from records."""

    def __init__(self) -> None:
        self._artifact_version: str | None = None
        self._metrics_version: str | None = None
        self._runnable_version: str | None = None

    def observe(self, events: Iterable[Event]) -> None:
        for event in events:
            if event.type == "artifact":
                if event.name == "torch_version" and event.payload:
                    self._artifact_version = _version(event.payload) or self._artifact_version
                elif event.name == "fx_graph_runnable" and self._runnable_version is None:
                    match = _RUNNABLE.search(event.payload or b"")
                    self._runnable_version = match[1].decode() if match else None
            elif (
                event.type == "compilation_metrics"
                and type(event.value) is dict
                and self._metrics_version is None
            ):
                version = event.value.get("pytorch_version")
                if type(version) is str:
                    self._metrics_version = version

    @property
    def torch_version(self) -> str | None:
        return self._artifact_version or self._metrics_version or self._runnable_version


def _version(payload: bytes) -> str | None:
    try:
        version = loads(payload[:10_000])["pytorch_version"]
    except (ValueError, KeyError, TypeError):
        return None
    return version if type(version) is str else None


def rank_of(ranks: Iterable[int | None], name_rank: int | None, diagnostics: Diagnostics) -> int | None:
    """Return the rank of a log from its records, in order of appearance; ``name_rank`` is from the file
    name.
    """
    recorded = [rank for rank in ranks if rank is not None]
    if len(recorded) > 1:
        diagnostics.add("rank-mixed", "records of ranks " + ", ".join(map(str, sorted(recorded))))
    if name_rank is None:
        return recorded[0] if recorded else None
    if recorded and name_rank not in recorded:
        diagnostics.add(
            "rank-differs", f"rank {name_rank} in the file name, but rank {recorded[0]} in the records"
        )
    return name_rank
