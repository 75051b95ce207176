"""Pieces of vLLM that are compiled where another's code was there: on a start with a warm cache, and beside
an equal piece.
"""

from __future__ import annotations

from collections.abc import Iterator

from tlparse_bundle.base.wording import duration, plural
from tlparse_bundle.statements.facts import Facts, total
from tlparse_bundle.statements.finding import Finding
from tlparse_bundle.statements.vllm_names import named, piece_name, pieces_of

KINDS = ("vllm-warm-compile", "vllm-reuse-failed")
_COMPILED = ("compiled", "inductor_loaded")


def findings(facts: Facts) -> Iterator[Finding]:
    rows = facts.table("vllm_pieces")
    for backend in facts.table("vllm_backends"):
        own = pieces_of(facts, backend["id"])
        anew = [piece for piece in own if piece["outcome"] in _COMPILED]
        loaded = [piece for piece in own if piece["outcome"] == "loaded"]
        if loaded and anew:
            yield _warm(facts, backend, rows, loaded, anew)
        elif not loaded:
            twice = [piece for piece in anew if piece["equal_to"]]
            if twice:
                yield _twice(facts, backend, rows, twice)


def _warm(facts: Facts, backend: dict, rows: list[dict], loaded: list[dict], anew: list[dict]) -> Finding:
    cost = total(piece["duration_us"] for piece in anew)
    took = f" in {duration(cost)}" if cost is not None else ""
    equal = [piece for piece in anew if piece["equal_to"]]
    like = [
        f"The graph of {piece_name(piece)} is equal to that of {piece_name(rows[piece['equal_to'][0]])},"
        f" which {'was loaded' if rows[piece['equal_to'][0]]['outcome'] == 'loaded' else 'has code'}: a start"
        " that reuses the code of an equal piece may save none under the name of the other."
        for piece in equal[:3]
    ]
    return Finding(
        "vllm-warm-compile",
        "warning",
        f"vLLM compiled {named(anew)}{took} on a start that loaded {plural(len(loaded), 'other piece')} from"
        " the cache",
        (backend["prefix"],),
        "\n\n".join(like),
        compiles=[facts.number_of(piece) for piece in anew],
        events=[piece["start_event"] for piece in anew if piece["start_event"] is not None],
        count=len(anew),
        cost_us=cost,
        cost_of="time of the pieces that were compiled",
        details={
            "prefix": backend["prefix"],
            "pieces": [piece_name(piece) for piece in anew[:50]],
            "loaded_count": len(loaded),
        },
    )


def _twice(facts: Facts, backend: dict, rows: list[dict], twice: list[dict]) -> Finding:
    cost = total(piece["duration_us"] for piece in twice)
    first = twice[0]
    different = [piece for piece in twice if _keys_differ(facts, piece, rows[piece["equal_to"][0]])]
    keys = (
        "The keys of"
        f" {'these two' if len(twice) == 1 else 'all of them' if len(different) == len(twice) else f'{len(different)} of them'}"
        " differ."
        if different
        else None
    )
    same = [
        piece
        for piece in twice
        if piece["graph_hash"] is not None and piece["graph_hash"] == rows[piece["equal_to"][0]]["graph_hash"]
    ]
    traced = (
        f"Traced by AOTAutograd, {'both graphs are' if len(twice) == 1 else f'{len(same)} of them are'} the"
        " same to the last byte."
        if same
        else None
    )
    return Finding(
        "vllm-reuse-failed",
        "info",
        (
            f"vLLM compiled {named(twice)} anew, though {piece_name(rows[first['equal_to'][0]])} has an equal"
            " graph"
            if len(twice) == 1
            else (
                f"vLLM compiled {plural(len(twice), 'piece')} anew, though earlier ones have equal graphs:"
                f" {named(twice)}"
            )
        ),
        (backend["prefix"],),
        "\n\n".join(
            filter(
                None,
                [
                    " ".join(
                        filter(
                            None,
                            [
                                (
                                    "The graphs are equal but for names, of layers for instance. vLLM uses"
                                    " the code of an earlier piece when AOTAutograd's cache key is the same."
                                ),
                                keys,
                            ],
                        )
                    ),
                    traced,
                ],
            )
        ),
        compiles=[facts.number_of(piece) for piece in twice],
        events=[piece["start_event"] for piece in twice if piece["start_event"] is not None],
        count=len(twice),
        cost_us=cost,
        cost_of="time of the pieces that were compiled again",
        details={
            "prefix": backend["prefix"],
            "pieces": [piece_name(piece) for piece in twice[:50]],
            "equal_to": [piece_name(rows[piece["equal_to"][0]]) for piece in twice[:50]],
        },
    )


def _keys_differ(facts: Facts, *pieces: dict) -> bool:
    """Whether AOTAutograd's cache was asked for each, under different keys."""
    keys = [
        {
            row["key"]
            for row in facts.table("caches")
            if row["cache"] == "aot_autograd" and row["event"] in piece["events"]
        }
        for piece in pieces
    ]
    return all(keys) and keys[0].isdisjoint(keys[1])
