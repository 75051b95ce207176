"""What compile caches did not have, and what could not be asked of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tlparse_bundle.base.wording import code, duration, first_line, listed, plural
from tlparse_bundle.statements.facts import Facts, total
from tlparse_bundle.statements.finding import Finding
from tlparse_bundle.statements.torch_messages import CACHES

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import CachesRow

KINDS = ("cache-miss", "cache-bypass", "cache-error")
_KIND_OF = {"miss": "cache-miss", "bypass": "cache-bypass", "error": "cache-error"}
_BYPASSED = {
    "fx_graph": "Inductor compiles these graphs anew in every process.",
    "aot_autograd": (
        "AOTAutograd traces these graphs anew in every process. What Inductor makes of them may still come"
        " from the FX graph cache."
    ),
    "precompile": "These functions are compiled anew in every process.",
}


def findings(facts: Facts) -> Iterator[Finding]:
    groups: dict[tuple[str, str, str], list[CachesRow]] = {}
    for row in facts.table("caches"):
        kind = _KIND_OF.get(row["outcome"])
        if kind is not None:
            groups.setdefault((kind, row["cache"], _why(row)), []).append(row)
    for (kind, cache, why), rows in groups.items():
        yield _finding(facts, kind, cache, why, rows)


def _why(row: CachesRow) -> str:
    """The class of reasons that it belongs to, in words; empty when the log does not tell."""
    if row["reason"] is not None:
        return first_line(row["reason"])
    if row["guard"] is not None or row["detail"] == "guard_miss":
        return "there were entries, but their guards on sizes failed"
    return "there was no entry" if row["outcome"] == "miss" else ""


def _warm(facts: Facts) -> set[str]:
    """Caches that had something from another process: a miss is then no matter of course."""
    missed: set[tuple[str, str | None]] = set()
    warm: set[str] = set()
    for row in facts.table("caches"):
        if row["outcome"] == "miss":
            missed.add((row["cache"], row["key"]))
        elif row["outcome"] == "hit" and (row["cache"], row["key"]) not in missed:
            warm.add(row["cache"])
    return warm


def _finding(facts: Facts, kind: str, cache: str, why: str, rows: Sequence[CachesRow]) -> Finding:
    name = CACHES.get(cache, f"{cache} cache")
    noun = {
        "cache-miss": ("miss", "misses"),
        "cache-bypass": ("bypass", "bypasses"),
        "cache-error": ("error", "errors"),
    }[kind]
    different = list(
        dict.fromkeys(part for row in rows if "gm" not in row["different"] for part in row["different"])
    )  # gm: it is another graph
    guards = list(dict.fromkeys(row["guard"] for row in rows if row["guard"]))
    taken = total(row["time_taken_us"] for row in rows)
    cold = kind == "cache-miss" and not guards and cache not in facts.once(_warm)
    texts = {
        "cache-miss": (
            "What is compiled for the first time misses; a second run with the same cache should not."
            + (f" It would be spared {duration(taken)} of compiling." if cold and taken else "")
        ),
        "cache-bypass": _BYPASSED.get(cache, "The cache could not be asked."),
        "cache-error": "An entry could not be written or read.",
    }
    more = [
        (
            "Compared with the closest earlier key, what differs:"
            f" {listed([code(part) for part in different], 5)}."
            if different
            else None
        ),
        f"The guard that failed: {listed([code(guard) for guard in guards])}." if guards else None,
    ]
    compiles = [facts.number_of(row) for row in rows]
    return Finding(
        kind,
        "info" if kind == "cache-miss" else "warning",
        f"{plural(len(rows), *noun)} of the {name}{': ' + why if why else ''}",
        (cache, why),
        "\n\n".join(filter(None, [texts[kind], *more])),
        facts.place_of(compiles[0]) if len(set(compiles)) == 1 else (None, None, None),
        compiles,
        [row["event"] for row in rows],
        count=len(rows),
        cost_us=None if cold else taken,
        cost_of="compiles whose results were not found",
        details={"cache": cache, "reason": why or None, "different": different[:50]},
        placed=False,
    )
