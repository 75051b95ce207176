"""One state of a growing bundle: what a build of what was read so far would make."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from tlparse_bundle.bundle import layout
from tlparse_bundle.follow.growing_folder import Place
from tlparse_bundle.follow.growing_log import GrowingLog, Written
from tlparse_bundle.pipeline.build import add_faults, first_findings, make_manifest


def _on_our_clock(compile: dict, behind_us: int) -> dict:
    since_us = compile["since_epoch_us"]
    spans = [{**span, "since_epoch_us": span["since_epoch_us"] + behind_us} for span in compile["spans"]]
    return {**compile, "since_epoch_us": None if since_us is None else since_us + behind_us, "spans": spans}


@dataclass(slots=True)
class State:
    manifest: dict
    findings: dict[str, list[dict]]  # the first of each log, by its id
    written: dict[str, Written]  # by id of the log
    digests: dict[tuple, Any]  # of logs, for the analyses of ranks


class Remembering:
    """An executor in this process that knows what was made before of the same arguments."""

    count = 1

    def __init__(self, known: Mapping[tuple, Any]):
        self.known = known
        self.used: dict[tuple, Any] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind, value, traceback) -> None:
        pass

    def map(
        self,
        function: Callable,
        arguments: Sequence[tuple],
        done: Callable[[int], None] = lambda number: None,
    ) -> list[Any]:
        results = []
        for argument in arguments:
            key = (function.__name__, *(part["path"] if type(part) is dict else part for part in argument))
            results.append(self.known[key] if key in self.known else function(*argument))
            self.used[key] = results[-1]
        return results


def make_state(
    place: Place,
    codec: str,
    names: Mapping[str, str],
    counter: int,
    logs: Iterable[GrowingLog],
    problems: Sequence[dict],
    digests: Mapping[tuple, Any],
) -> State:
    """Write the files of what has changed and put the manifest in place.

    Only in a copy of the process: it ends the builds of the logs.
    """
    below = layout.live_path(counter)
    rows, written = [], {}
    for log in logs:
        known = log.write(counter, below) if log.changed else log.written
        written[log.log.id] = known
        running = [_on_our_clock(compile, log.behind_us) for compile in known.live["running"]]
        rows.append({**known.live, "running": running, "read_epoch_us": log.read_epoch_us})
    summaries = [it.summary for it in written.values()]
    manifest = make_manifest(summaries, codec, names)
    executor = Remembering(digests)
    if len(summaries) > 1:
        from tlparse_bundle.pipeline.rank_files import write_ranks

        ranks = write_ranks(place, manifest["logs"], codec, executor, below=below)
        ranks.add_to(manifest)
        add_faults(manifest, ranks.faults)
    order = {row["id"]: number for number, row in enumerate(manifest["logs"])}
    rows.sort(key=lambda row: order[row["id"]])
    manifest["growing"] = True
    manifest["live"] = {
        "counter": counter,
        "written_epoch_us": time.time_ns() // 1000,
        "logs": rows,
        "problems": list(problems),
    }
    place.put_manifest(manifest)
    return State(manifest, first_findings(summaries), written, executor.used)
