"""What only several ranks together can say: made from the files of the logs, never from raw logs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import Any

from tlparse_bundle.build.target import Target
from tlparse_bundle.build.workers import Executor
from tlparse_bundle.format import layout
from tlparse_bundle.format.codecs import CODECS
from tlparse_bundle.format.json_codec import dumps, loads
from tlparse_bundle.ranks.comparison import Comparison, Member
from tlparse_bundle.ranks.frames import Frame, Frames
from tlparse_bundle.ranks.identity import Contents
from tlparse_bundle.ranks.registry import analyses
from tlparse_bundle.read.reader import Bundle
from tlparse_bundle.read.store import open_store

_FRAMES = ""  # stands for the frames of a log among the names of the analyses


def compared(rows: Sequence[dict]) -> list[dict]:
    """The rows of the manifest that are compared: of each rank the log with most compiles; [] when
    there are no two ranks."""
    best: dict[int, dict] = {}
    for row in rows:
        rank = row["rank"]
        if rank is not None and (rank not in best or _weight(row) > _weight(best[rank])):
            best[rank] = row
    return [best[rank] for rank in sorted(best)] if len(best) > 1 else []


def _weight(row: dict) -> tuple[int, int]:
    return row["compile_count"], row["event_count"]


def digest_log(root: str, codec: str, row: dict) -> dict[str, bytes]:
    """What the analyses need of the log of a row, as JSON by the name of the analysis.

    ``root`` is the folder or URL of a bundle that may not be complete yet.
    """
    frames = _frames(root, codec, row)
    digests = {_FRAMES: dumps([list(frame) for frame in frames.rows()])}
    for analysis in analyses():
        digests[analysis.name] = dumps(analysis.digest(frames))
    return digests


def _frames(root: str, codec: str, row: dict) -> Frames:
    return Frames(Bundle(open_store(root), {"codec": codec, "logs": [row]}, verify=False, trusted=True).logs[0], _contents())


@cache
def _contents() -> Contents:
    """One for all logs that a process reads: equal ranks have equal payloads."""
    return Contents()


def write_ranks(target: Target, rows: Sequence[dict], codec: str, workers: Executor) -> dict[str, str]:
    """Write the files of the analyses; returns their paths by name, {} for less than two ranks.

    ``rows`` are those of the manifest.
    """
    members = [Member(row["rank"], row) for row in compared(rows)]
    if not members:
        return {}
    known: dict[bytes, Any] = {}
    digests: dict[str, list] = {}
    for found in workers.map(digest_log, [(target.root, codec, member.row) for member in members]):
        for name, data in found.items():
            if data not in known:
                known[data] = loads(data)
            digests.setdefault(name, []).append(known[data])
    frames_of = {id(found): [Frame(*frame) for frame in found] for found in digests[_FRAMES]}
    comparison = Comparison(members, [frames_of[id(found)] for found in digests[_FRAMES]], rows, partial(_frames, target.root, codec))
    paths, tables = {}, {}
    for analysis in analyses():
        tables[analysis.name] = table = analysis.table(comparison, digests[analysis.name], tables)
        paths[analysis.name] = path = layout.rank_path(analysis.name, CODECS[codec])
        target.write(path, CODECS[codec].encode(dumps(table)))
    return paths
