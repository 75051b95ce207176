"""What came of asking the compile caches, by rank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tlparse_bundle.statements.ranks.comparison import Comparison, RankTable, Tables
from tlparse_bundle.statements.ranks.frames import Frames
from tlparse_bundle.statements.ranks.rank_sets import grouped

MAX_REASON = 2000  # characters


class Caches:
    name = "caches"

    def digest(self, frames: Frames) -> dict:
        """``counts`` of the log; for each frame the outcomes, and the reasons of those that have one."""
        counts: Counter[str] = Counter()
        found: list[list[list[str]]] = [[[], []] for _ in range(len(frames))]
        for row in frames.table("caches"):
            text = f"{row['cache']} {row['outcome']}"
            counts[text] += 1
            number = frames.number_of(row)
            if number is not None:
                outcomes, reasons = found[number]
                outcomes.append(text)
                if row["reason"]:
                    reasons.append(row["reason"][:MAX_REASON])
        return {"counts": dict(sorted(counts.items())), "frames": found}

    def tables(self, comparison: Comparison, digests: Sequence[dict], tables: Tables) -> Iterator[RankTable]:
        totals = grouped(
            (tuple(digest["counts"].items()), (number,)) for number, digest in enumerate(digests)
        )
        yield (
            "rank_cache_totals",
            [{"ranks": comparison.ranks(members), "counts": dict(counts)} for counts, members in totals],
        )
        yield (
            "rank_caches",
            [
                {
                    "rank_compile": column,
                    "ranks": comparison.ranks(members),
                    "outcomes": list(outcomes),
                    "reasons": list(reasons),
                }
                for column, groups in comparison.by_column(
                    digests, lambda digest, frame: tuple(map(tuple, digest["frames"][frame]))
                )
                if len(groups) > 1
                for (outcomes, reasons), members in groups
            ],
        )
