"""The findings as readers of format 1.1 know them: statements without words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tlparse_bundle.ranks.comparison import Comparison
from tlparse_bundle.ranks.frames import Frames

_KINDS = {
    **{kind: kind.replace("-", "_") for kind in (
        "missing-rank", "empty-log", "cut-log", "unfinished-compile", "failure", "graph-break", "restart", "recompile", "guard", "extra-compile",
        "missing-compile", "compile-order", "graph", "collectives", "missing-wait", "execution-order", "tensors", "straggler", "late-start",
    )},
    "collective-parity": "parity",
    "failed-everywhere": "failure",
    "never-began": "stopped_rank",
}  # fmt: skip


class Verdict:
    name = "verdict"

    def digest(self, frames: Frames) -> None:
        return None

    def table(self, comparison: Comparison, digests: Sequence[None], tables: Mapping[str, dict]) -> dict:
        found = tables["findings"]
        kept = [number for number, row in enumerate(found["findings"]) if row["kind"] in _KINDS]
        place = {number: position for position, number in enumerate(kept)}
        return {
            "ranks": found["summary"]["ranks"],
            "agreeing": found["summary"]["agreeing"],
            "statements": [_statement(comparison, found["findings"][number], place) for number in kept],
        }


def _statement(comparison: Comparison, row: dict, place: Mapping[int, int]) -> dict:
    same = ("severity", "ranks", "others", "column_index", "compile_key", "others_compile_key", "evidence", "details")
    rank, column = row["ranks"][0][0] if row["ranks"] else None, row["column_index"]
    member = next((number for number, member in enumerate(comparison.members) if member.rank == rank), None)
    cell = -1 if member is None or column is None else comparison.cells[member][column]
    kind = "silent_rank" if row["details"].get("silent") else _KINDS[row["kind"]]
    return {"kind": kind, **{key: row[key] for key in same}, "number": None if cell < 0 else cell + 1, "because_of": place.get(row["because_of"])}
