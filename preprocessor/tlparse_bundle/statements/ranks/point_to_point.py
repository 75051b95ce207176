"""Sends and receives in compiled code that have no counterpart on the other rank."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tlparse_bundle.base.wording import large, plural
from tlparse_bundle.bundle.row_objects import Artifact
from tlparse_bundle.statements.ranks.collective_calls import WORLD
from tlparse_bundle.statements.ranks.comparison import Comparison, RankTable, Tables
from tlparse_bundle.statements.ranks.frames import Frames, stage_artifacts
from tlparse_bundle.statements.ranks.rank_finding import Finder, RankFinding
from tlparse_bundle.statements.ranks.wording import Templates, Words
from tlparse_bundle.statements.statement import KindReference

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import UnmatchedTransfersRow

# torch/distributed/_functional_collectives.py: batch_p2p_ops(ops, peers, tags, tensors, group), isend(tensor,
# peer, tag, group), irecv.
_BATCH = re.compile(
    r"_c10d_functional\.batch_p2p_ops(?:\.\w+)?"
    r"\(\[([^\]\n]*)\], \[([^\]\n]*)\], \[([^\]\n]*)\], \[[^\]\n]*\], '([^'\n]*)'\)"
)
_SINGLE = re.compile(r"_c10d_functional\.(isend|irecv)(?:\.\w+)?\(\w+, (\d+), (\d+), '([^'\n]*)'\)")


class Transfer(NamedTuple):
    """A send or receive of a rank in the group of all ranks."""

    op: Literal["isend", "irecv"]
    peer: int
    tag: int


Digest = list[list[list[Any]]]  # the cells of each Transfer, by frame


class PointToPoint:
    name = "point_to_point"

    def digest(self, frames: Frames) -> Digest:
        """Return the transfers of each frame."""
        return [list(map(list, _transfers(frames, number))) for number in range(len(frames))]

    def tables(
        self, comparison: Comparison, digests: Sequence[Digest], tables: Tables
    ) -> Iterator[RankTable]:
        yield "unmatched_transfers", list(_unmatched(comparison, digests))


def _transfers(frames: Frames, number: int) -> list[Transfer]:
    stages = stage_artifacts(frames, number)
    texts = stages["code"] or stages["post_grad"] or stages["dynamo"]
    return [transfer for text in texts for transfer in frames.contents.once(text, _in_artifact) or ()]


def _in_artifact(artifact: Artifact) -> list[Transfer]:
    return transfers_of(artifact.text() or "")


def transfers_of(text: str) -> list[Transfer]:
    """Return the transfers of a graph or of generated code in the group of all ranks."""
    transfers: list[Transfer] = []
    if "_c10d_functional" not in text:
        return transfers
    for ops, peers, tags, group in _BATCH.findall(text):
        names = [op.strip(" '\"") for op in ops.split(",")]
        numbers = [
            [int(part) for part in cells.split(",") if part.strip().isdigit()] for cells in (peers, tags)
        ]
        if group == WORLD and len(names) == len(numbers[0]) == len(numbers[1]):
            transfers += map(Transfer, names, *numbers)
    transfers += [
        Transfer(op, int(peer), int(tag)) for op, peer, tag, group in _SINGLE.findall(text) if group == WORLD
    ]
    return transfers


def _unmatched(comparison: Comparison, digests: Sequence[Digest]) -> Iterator[UnmatchedTransfersRow]:
    """Yield the transfers of each function's first compile without a counterpart, of ranks that have logs."""
    ranks = [member.rank for member in comparison.members]
    columns: dict[tuple[int, Transfer], int] = {}
    counts: Counter[tuple[int, Transfer]] = Counter()
    for member, digest in enumerate(digests):
        for frame, column in comparison.first_compiles(member):
            for cells in digest[frame]:
                transfer = Transfer(*cells)
                columns.setdefault((ranks[member], transfer), column)
                counts[ranks[member], transfer] += 1
    for (rank, transfer), count in counts.items():
        counterpart: Literal["isend", "irecv"] = "irecv" if transfer.op == "isend" else "isend"
        missing = count - counts[transfer.peer, Transfer(counterpart, rank, transfer.tag)]
        if missing > 0 and transfer.peer in ranks:
            yield {
                "rank": rank,
                "op": transfer.op,
                "peer": transfer.peer,
                "tag": transfer.tag,
                "count": missing,
                "rank_compile": columns[rank, transfer],
            }


def findings(finder: Finder) -> Iterator[RankFinding]:
    """Yield the rank with most transfers that do not match; the lowest one of several."""
    rows = finder.table("unmatched_transfers")
    involved: Counter[int] = Counter(rank for row in rows for rank in (row["rank"], row["peer"]))
    if not involved:
        return
    rank = max(involved, key=lambda number: (involved[number], -number))
    row = next((row for row in rows if row["rank"] == rank), rows[0])
    details = {
        "op": row["op"],
        "rank": row["rank"],
        "peer": row["peer"],
        "tag": row["tag"],
        "count": len(rows),
    }
    peer = row["peer"]
    yield finder.finding(
        "unmatched-transfer",
        "error",
        [[row["rank"], row["rank"]]],
        "unmatched_transfers",
        details,
        others=[[peer, peer]],
        column=row["rank_compile"],
    )


_VERBS = {"irecv": ("receives from", "does not send to"), "isend": ("sends to", "does not receive from")}


def _unmatched_transfer(words: Words) -> tuple[str, str]:
    details = words.details
    verb, missing = _VERBS[details["op"]]
    both = plural(details["count"], "send or receive", "sends and receives")
    return (
        f"In {words.mine}, {words.ranks} {verb} {words.others}, which {missing} {words.ranks}",
        f"{large(words.ranks)} waits in `{details['op']}` (tag {details['tag']}), unless {words.others} makes"
        f" the call in previously compiled code or eager. {both} of all ranks have no counterpart.",
    )


TEMPLATES: Templates = {"unmatched-transfer": _unmatched_transfer}
REFERENCE: dict[str, KindReference] = {
    "unmatched-transfer": KindReference(
        "Send or receive without a counterpart",
        "Compiled code of a rank sends to a rank that does not receive, or receives from one that does not "
        "send.",
        "Check how both ranks compute the number of their peer.",
        "Transfers in subgroups, and in eager code, are not compared.",
    ),
}
