"""Sentences about the running compiles of a growing bundle."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.base.wording import code, duration, plural
from tlparse_bundle.bundle.growing import is_growing, who
from tlparse_bundle.bundle.row_objects import id_of

_LISTED = 5  # open compiles listed in a sentence


@dataclass(frozen=True, slots=True)
class Running:
    """A compile that is open now, in one log or at the same place in several."""

    logs: tuple[str, ...]
    who: str  # the ranks; empty for one log
    what: str  # "0/0 forward (model.py:12)"
    spans: tuple[str, ...]  # open spans, outermost first
    since_us: int | None


def running_compiles(rows: Mapping[str, dict[str, Any]], live: Mapping[str, dict[str, Any]]) -> list[Running]:
    """Return the open compiles of logs, the earliest first.

    ``rows``, ``live``: rows of ``logs`` and ``live.logs`` of the manifest by id.
    """
    groups: dict[tuple[Any, ...], list[tuple[str, int | None]]] = {}
    for id, log in live.items():
        for running in log["running"]:
            key = compile_words(running), tuple(shown(span["name"]) for span in running["spans"])
            groups.setdefault(key, []).append((id, running["since_epoch_us"]))
    compiles = [
        Running(
            tuple(id for id, _ in logs),
            who(rows[id] for id, _ in logs) if len(rows) > 1 else "",
            name,
            spans,
            min((since for _, since in logs if since is not None), default=None),
        )
        for (name, spans), logs in groups.items()
    ]
    return sorted(compiles, key=lambda one: (one.since_us is None, one.since_us))


def compile_words(running: dict[str, Any]) -> str:
    """Return the name of an open compile, such as "0/0 forward (model.py:12)"."""
    place = f"({os.path.basename(running['file'])}:{running['line']})" if running["file"] else ""
    parts = (id_of(running) if running["compile"] else None, running["function"], place)
    return shown(" ".join(part for part in parts if part)) or "an unnamed compile"


def still_growing(manifest: dict[str, Any]) -> str | None:
    """Return the first line of a report on a growing bundle; None for a finished bundle."""
    if not is_growing(manifest):
        return None
    live = manifest["live"]
    text = f"The logs of this bundle are still being written. Last read: {_moment(live['written_epoch_us'])}."
    rows = {row["id"]: row for row in manifest["logs"]}
    open_now = running_compiles(rows, {log["id"]: log for log in live["logs"] if log["id"] in rows})
    if not open_now:
        return text + " No compile is running."
    more = f"; {plural(len(open_now) - _LISTED, 'more compile')}" if len(open_now) > _LISTED else ""
    return (
        f"{text} Running:"
        f" {'; '.join(_sentence_part(one, live['written_epoch_us']) for one in open_now[:_LISTED])}{more}."
    )


def _sentence_part(one: Running, now_us: int) -> str:
    inside = f" in {code(one.spans[-1])}" if one.spans else ""
    since = (
        f" for {duration(max(0, now_us - one.since_us))} (since {_moment(one.since_us, '%H:%M:%S')})"
        if one.since_us is not None
        else ""
    )
    return one.what + (f" on {one.who}" if one.who else "") + inside + since


def _moment(epoch_us: int, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    try:
        return datetime.fromtimestamp(epoch_us // 1_000_000, UTC).strftime(f"{form} UTC")
    except (OverflowError, ValueError, OSError):
        return "an unknown time"
