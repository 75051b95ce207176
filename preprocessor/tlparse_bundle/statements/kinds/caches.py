"""Compile cache misses, bypasses and errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tlparse_bundle.base.wording import code, first_line, listed, plural
from tlparse_bundle.statements.facts import Facts, total
from tlparse_bundle.statements.finding import Finding, KindReference
from tlparse_bundle.statements.torch_messages import CACHES

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import CachesRow

KINDS = ("cache-miss", "cache-bypass", "cache-error")
REFERENCE = {
    "cache-miss": KindReference(
        title="Cache miss",
        meaning="A compile cache had no usable entry, so torch did the work. The finding groups misses of "
        "one cache with one reason.",
        fix="Keep the cache between runs, for example with `TORCHINDUCTOR_CACHE_DIR`. If a warm cache "
        "misses, look at the differences from the closest earlier key.",
        not_when="If the program or its inputs are new, the cache cannot have an entry. Misses of a first run"
        " are not a finding.",
    ),
    "cache-bypass": KindReference(
        title="Cache bypass",
        meaning="torch did not use a compile cache for these graphs. The title has torch's reason if the "
        "log records it.",
        fix="Remove what the reason names, such as an unsupported operator or a custom pass without a "
        "cache key.",
        not_when="If the graphs are cheap to compile, the bypass costs little.",
    ),
    "cache-error": KindReference(
        title="Cache error",
        meaning="torch could not write or read a cache entry, so later runs may have to compile these "
        "graphs.",
        fix="Fix what the message names, such as an object that cannot be pickled.",
        not_when="If no later run uses the cache, the error costs nothing.",
    ),
}
_PLAIN_MISS = "cache miss"
_GUARDS_FAILED = "size guards failed"
_KIND_OF = {"miss": "cache-miss", "bypass": "cache-bypass", "error": "cache-error"}
_BYPASSED = {
    "fx_graph": "Inductor recompiles these graphs in every process.",
    "aot_autograd": (
        "AOTAutograd traces these graphs in every process. Their Inductor code may still come from the FX"
        " graph cache."
    ),
    "precompile": "These functions are compiled in every process.",
}


def findings(facts: Facts) -> Iterator[Finding]:
    groups: dict[tuple[str, str, str], list[CachesRow]] = {}
    for row in facts.table("caches"):
        kind = _KIND_OF.get(row["outcome"])
        if kind is not None:
            groups.setdefault((kind, row["cache"], _why(row)), []).append(row)
    for (kind, cache, why), rows in groups.items():
        if kind == "cache-miss" and cache not in facts.once(_warm) and not any(row["guard"] for row in rows):
            continue  # a first run always misses
        yield _finding(facts, kind, cache, why, rows)


def _why(row: CachesRow) -> str:
    """Return the reason of a lookup's outcome; empty when the log does not record it."""
    if row["reason"] is not None:
        return first_line(row["reason"])
    if row["guard"] is not None or row["detail"] == "guard_miss":
        return _GUARDS_FAILED
    return _PLAIN_MISS if row["outcome"] == "miss" else ""


def _warm(facts: Facts) -> set[str]:
    """Return the caches with hits from an earlier process, where a miss is not expected."""
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
    )  # gm: a different graph
    guards = list(dict.fromkeys(row["guard"] for row in rows if row["guard"]))
    taken = total(row["time_taken_us"] for row in rows)
    texts = {
        "cache-miss": "The cache has entries, but none for these keys.",
        "cache-bypass": _BYPASSED.get(cache, "The cache was not used."),
        "cache-error": "torch could not write or read a cache entry.",
    }
    more = [
        (
            f"Differences from the closest earlier key: {listed([code(part) for part in different], 5)}."
            if different
            else None
        ),
        f"Guard failure: {listed([code(guard) for guard in guards])}." if guards else None,
    ]
    compiles = [facts.number_of(row) for row in rows]
    return Finding(
        kind,
        "info" if kind == "cache-miss" else "warning",
        plural(len(rows), *(f"{name} {word}" for word in noun))
        + (f": {why}" if why and why != _PLAIN_MISS else ""),
        (cache, why),
        "\n\n".join(filter(None, [texts[kind], *more])),
        facts.place_of(compiles[0]) if len(set(compiles)) == 1 else (None, None, None),
        compiles,
        [row["event"] for row in rows],
        count=len(rows),
        cost_us=taken,
        cost_of="compiles that missed the cache"
        if kind == "cache-miss"
        else "compiles that did not use the cache",
        details={"cache": cache, "reason": why or None, "different": different[:50]},
        placed=False,
    )
