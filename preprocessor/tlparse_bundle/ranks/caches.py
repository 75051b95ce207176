"""What came of asking the compile caches, by rank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from tlparse_bundle.ranks.comparison import Comparison
from tlparse_bundle.ranks.frames import Frames
from tlparse_bundle.ranks.sets import grouped

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

    def table(self, comparison: Comparison, digests: Sequence[dict], tables: Mapping[str, dict]) -> dict:
        totals = grouped((tuple(digest["counts"].items()), (number,)) for number, digest in enumerate(digests))
        columns = [
            {
                "column_index": column,
                "groups": [
                    {"ranks": comparison.ranks(members), "outcomes": list(outcomes), "reasons": list(reasons)}
                    for (outcomes, reasons), members in groups
                ],
            }
            for column, groups in comparison.by_column(digests, lambda digest, frame: tuple(map(tuple, digest["frames"][frame])))
            if len(groups) > 1
        ]
        return {"totals": [{"ranks": comparison.ranks(members), "counts": dict(counts)} for counts, members in totals], "columns": columns}
