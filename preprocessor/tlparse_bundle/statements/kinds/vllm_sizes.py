"""What vLLM compiles for single sizes, beside the ranges that hold them, and whether CUDA graphs use them."""

from __future__ import annotations

from collections.abc import Iterator

from tlparse_bundle.base.wording import code, duration, listed, plural
from tlparse_bundle.statements.facts import Facts, total
from tlparse_bundle.statements.finding import Finding, Remedy
from tlparse_bundle.statements.vllm_names import pieces_of

KINDS = ("vllm-sizes",)
_LEAST_US = 1_000_000
_COMPILED = ("compiled", "inductor_loaded")


def findings(facts: Facts) -> Iterator[Finding]:
    for backend in facts.table("vllm_backends"):
        own = [piece for piece in pieces_of(facts, backend["id"]) if piece["outcome"] in _COMPILED]
        single = [piece for piece in own if piece["is_single_size"]]
        took, whole = (
            total(piece["duration_us"] for piece in single),
            total(piece["duration_us"] for piece in own),
        )
        later = [piece for piece in single if piece is not own[0]]
        sizes = sorted({piece["range_start"] for piece in single if piece["range_start"] is not None})
        if not sizes or not took or took < _LEAST_US or 2 * took < whole:
            continue
        mode = backend["config"].get("cudagraph_mode")
        graphs = None
        if type(mode) is str:
            graphs = (
                "CUDA graphs are off (`cudagraph_mode` is `NONE`)."
                if mode.rpartition(".")[2] == "NONE"
                else (
                    f"`cudagraph_mode` is {code(mode)}; the log does not tell for which sizes graphs are"
                    " captured."
                )
            )
        yield Finding(
            "vllm-sizes",
            "info",
            f"Compiling for {'the size' if len(sizes) == 1 else 'the sizes'}"
            f" {listed(list(map(str, sizes)), 5)} took {duration(took)} of {duration(whole)} of compiling"
            " pieces",
            (backend["prefix"],),
            " ".join(
                filter(
                    None,
                    [
                        (
                            "Each of `compile_sizes` compiles every submodule once more, for that number of"
                            " tokens alone."
                        ),
                        (
                            "The ranges have code for these sizes too."
                            if _covered(sizes, pieces_of(facts, backend["id"]))
                            else None
                        ),
                        graphs,
                    ],
                )
            ),
            compiles=[facts.number_of(piece) for piece in single],
            events=[piece["start_event"] for piece in single if piece["start_event"] is not None],
            count=len(single),
            cost_us=total(piece["duration_us"] for piece in later),
            cost_of=(
                f"time of {plural(len(later), 'piece')} for single"
                f" sizes{'; not the first of all, which pays for the others too' if len(later) < len(single) else ''}"
            ),
            remedies=[
                Remedy(
                    "Without `compile_sizes` only the ranges are compiled; single sizes may then run slower.",
                    'compilation_config={"compile_sizes": []}',
                )
            ],
            details={
                "prefix": backend["prefix"],
                "sizes": sizes[:50],
                "cudagraph_mode": mode if type(mode) is str else None,
                "whole_us": whole,
            },
        )


def _covered(sizes: list[int], pieces: list[dict]) -> bool:
    ranges = [
        (piece["range_start"], piece["range_end"])
        for piece in pieces
        if piece["is_single_size"] is False and piece["range_start"] is not None
    ]
    return all(any(first <= size <= last for first, last in ranges) for size in sizes)
