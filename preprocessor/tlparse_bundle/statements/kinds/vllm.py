"""Compiles of vLLM: failed pieces, avoidable compiles of pieces, Dynamo's capture, and single sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tlparse_bundle.base.wording import code, duration, first_line, listed, plural
from tlparse_bundle.statements.facts import Facts, total
from tlparse_bundle.statements.finding import Finding, Remedy
from tlparse_bundle.statements.statement import KindReference

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import VllmBackendsRow, VllmPiecesRow

KINDS = ("vllm-piece-failed", "vllm-warm-compile", "vllm-reuse-failed", "vllm-capture", "vllm-sizes")
REFERENCE = {
    "vllm-piece-failed": KindReference(
        title="vLLM piece failed",
        meaning="vLLM started to compile a piece of the model, and its backend ended without code.",
        fix="Fix the error in the title. Details are in the `failure` finding that caused this one.",
        not_when="If the log was cut, later records may be lost.",
    ),
    "vllm-warm-compile": KindReference(
        title="vLLM compile on a warm start",
        meaning="vLLM loaded some pieces from its cache and compiled others.",
        fix="Check whether the settings or sizes changed since the cache was written, and keep the "
        "whole cache folder.",
        not_when="New sizes or ranges have to be compiled once.",
    ),
    "vllm-reuse-failed": KindReference(
        title="vLLM did not reuse an equal piece",
        meaning="vLLM compiled a piece although an earlier one has an equal graph except for names.",
        fix="Compare the AOTAutograd cache keys of the two pieces.",
        not_when="If the pieces compile fast, reuse saves little.",
    ),
    "vllm-capture": KindReference(
        title="Dynamo capture of the vLLM model",
        meaning="Dynamo's trace of the model took at least half of the compile time of the backend, and "
        "at least a second.",
        fix="Use vLLM's ahead-of-time compile cache, so that later starts skip the capture.",
        not_when="On a first start the model has to be traced.",
    ),
    "vllm-sizes": KindReference(
        title="vLLM single sizes",
        meaning="Compiles for the single sizes in `compile_sizes` took at least half of the compile time "
        "of all pieces, and at least a second.",
        fix="Remove `compile_sizes` to compile only the ranges.",
        not_when="If most requests have one of these sizes, their code may run faster.",
    ),
}
_COMPILED = ("compiled", "inductor_loaded")
_LEAST_US = 1_000_000  # of a capture, or of compiles for single sizes
_MOST_NAMED = 50  # pieces in the details


def findings(facts: Facts) -> Iterator[Finding]:
    backends = facts.table("vllm_backends")
    for find in (_failed, _compiled_twice, _capture, _sizes):
        for backend in backends:
            own = [piece for piece in facts.table("vllm_pieces") if piece["backend"] == backend["id"]]
            yield from find(facts, backend, own)


def piece_name(piece: VllmPiecesRow) -> str:
    """Return a piece with its size or range, such as '`submod_2` for 1–64 tokens'."""
    name = code(piece["submodule"]) if piece["submodule"] is not None else "an unnamed piece"
    first, last = piece["range_start"], piece["range_end"]
    if first is None or last is None:
        return name
    return f"{name} for {plural(first, 'token')}" if first == last else f"{name} for {first}–{last} tokens"


def named(pieces: Sequence[VllmPiecesRow]) -> str:
    return listed([piece_name(piece) for piece in pieces])


def _failed(facts: Facts, backend: VllmBackendsRow, own: Sequence[VllmPiecesRow]) -> Iterator[Finding]:
    for piece in own:
        if piece["outcome"] != "failed":
            continue
        event = piece["failure_event"]
        metrics = facts.metrics_of(event)
        reason = metrics and metrics["values"].get("fail_reason")
        message = first_line(reason) if type(reason) is str else None
        done = sum(other["outcome"] not in ("failed", "unfinished", None) for other in own)
        before = f"vLLM finished {plural(done, 'piece')} before it." if done else "This is the first piece."
        yield Finding(
            "vllm-piece-failed",
            "error",
            f"vLLM failed to compile {piece_name(piece)}{f': {message}' if message else ''}",
            (backend["prefix"], message),
            f"{before} vLLM does not log failures. The log has the start of the piece but no generated code,"
            " and no code that calls the pieces.",
            compiles=[facts.number_of(piece)],
            events=[number for number in (piece["start_event"], event) if number is not None],
            because_of=("failure", event),
            details={
                "prefix": backend["prefix"],
                "piece": piece_name(piece),
                "message": message,
                "done_count": done,
            },
        )


def _compiled_twice(
    facts: Facts, backend: VllmBackendsRow, own: Sequence[VllmPiecesRow]
) -> Iterator[Finding]:
    """Yield findings for avoidable compiles of pieces: on a warm start, or with an equal piece."""
    rows = facts.table("vllm_pieces")
    compiled = [piece for piece in own if piece["outcome"] in _COMPILED]
    loaded = [piece for piece in own if piece["outcome"] == "loaded"]
    if loaded and compiled:
        yield _warm(facts, backend, rows, loaded, compiled)
    elif not loaded:
        twice = [piece for piece in compiled if piece["equal_to"]]
        if twice:
            yield _reuse_failed(facts, backend, rows, twice)


def _warm(
    facts: Facts,
    backend: VllmBackendsRow,
    rows: Sequence[VllmPiecesRow],
    loaded: Sequence[VllmPiecesRow],
    compiled: Sequence[VllmPiecesRow],
) -> Finding:
    cost = total(piece["duration_us"] for piece in compiled)
    took = f" in {duration(cost)}" if cost is not None else ""
    equal = [piece for piece in compiled if piece["equal_to"]]
    like = [
        f"{piece_name(piece)} has the same graph as {piece_name(rows[piece['equal_to'][0]])}, which"
        f" {'was loaded' if rows[piece['equal_to'][0]]['outcome'] == 'loaded' else 'has code'}. vLLM may not"
        " have saved the reused code under both names."
        for piece in equal[:3]
    ]
    return Finding(
        "vllm-warm-compile",
        "warning",
        f"Warm start compiled {named(compiled)}{took} and loaded {plural(len(loaded), 'piece')}",
        (backend["prefix"],),
        "\n\n".join(like),
        compiles=[facts.number_of(piece) for piece in compiled],
        events=_starts(compiled),
        count=len(compiled),
        cost_us=cost,
        cost_of="pieces that vLLM compiled",
        details={
            "prefix": backend["prefix"],
            "pieces": [piece_name(piece) for piece in compiled[:_MOST_NAMED]],
            "loaded_count": len(loaded),
        },
    )


def _reuse_failed(
    facts: Facts, backend: VllmBackendsRow, rows: Sequence[VllmPiecesRow], twice: Sequence[VllmPiecesRow]
) -> Finding:
    equal = [rows[piece["equal_to"][0]] for piece in twice]
    pairs = list(zip(twice, equal, strict=True))
    different = sum(_keys_differ(facts, piece, other) for piece, other in pairs)
    same = sum(
        piece["graph_hash"] is not None and piece["graph_hash"] == other["graph_hash"]
        for piece, other in pairs
    )
    one = len(twice) == 1
    which = "these two" if one else "all of them" if different == len(twice) else f"{different} of them"
    texts = [
        "The graphs differ only in names, such as those of layers. vLLM reuses the code of an earlier piece"
        " if the AOTAutograd cache keys are equal"
        + (f", but those of {which} differ." if different else "."),
    ]
    if same:
        graphs = "both graphs are" if one else f"{same} of them are"
        texts.append(f"After AOTAutograd, {graphs} identical.")
    return Finding(
        "vllm-reuse-failed",
        "info",
        f"vLLM compiled {named(twice)} although {piece_name(equal[0])} has an equal graph"
        if one
        else f"vLLM compiled {plural(len(twice), 'piece')} although earlier pieces have equal graphs:"
        f" {named(twice)}",
        (backend["prefix"],),
        "\n\n".join(texts),
        compiles=[facts.number_of(piece) for piece in twice],
        events=_starts(twice),
        count=len(twice),
        cost_us=total(piece["duration_us"] for piece in twice),
        cost_of="pieces with equal graphs",
        details={
            "prefix": backend["prefix"],
            "pieces": [piece_name(piece) for piece in twice[:_MOST_NAMED]],
            "equal_to": [piece_name(piece) for piece in equal[:_MOST_NAMED]],
        },
    )


def _keys_differ(facts: Facts, *pieces: VllmPiecesRow) -> bool:
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


def _starts(pieces: Sequence[VllmPiecesRow]) -> list[int]:
    return [piece["start_event"] for piece in pieces if piece["start_event"] is not None]


def _capture(facts: Facts, backend: VllmBackendsRow, own: Sequence[VllmPiecesRow]) -> Iterator[Finding]:
    """Yield a finding for a capture that takes longer than vLLM's work on its graph."""
    begin, start, capture_time_us = (
        backend["capture_epoch_us"],
        backend["start_epoch_us"],
        backend["capture_time_us"],
    )
    if begin is None or start is None or not capture_time_us:
        return
    capture = start - begin
    if capture < _LEAST_US or 2 * capture < capture_time_us:
        return
    no_code = backend["is_ended"] and backend["code_event"] is None
    yield Finding(
        "vllm-capture",
        "info",
        f"Dynamo's capture of the model took {duration(capture)} of {duration(capture_time_us)}",
        (backend["prefix"],),
        "Dynamo traces the whole model into one graph on each start that does not load an ahead-of-time"
        " compile." + (" vLLM's backend stopped before it generated code." if no_code else ""),
        compiles=[facts.number_of(backend)],
        events=[backend["event"]] if backend["event"] is not None else [],
        details={"prefix": backend["prefix"], "capture_us": capture, "whole_us": capture_time_us},
    )


def _sizes(facts: Facts, backend: VllmBackendsRow, own: Sequence[VllmPiecesRow]) -> Iterator[Finding]:
    """Yield a finding for compiles of single sizes, with whether CUDA graphs use them."""
    compiled = [piece for piece in own if piece["outcome"] in _COMPILED]
    single = [piece for piece in compiled if piece["is_single_size"]]
    took = total(piece["duration_us"] for piece in single)
    total_us = total(piece["duration_us"] for piece in compiled) or 0
    later = [piece for piece in single if piece is not compiled[0]]
    sizes = sorted({piece["range_start"] for piece in single if piece["range_start"] is not None})
    if not sizes or not took or took < _LEAST_US or 2 * took < total_us:
        return
    mode = backend["config"].get("cudagraph_mode")
    texts = [
        "vLLM compiles every submodule for each of `compile_sizes`, for that number of tokens only.",
        *(["The compiled ranges include these sizes."] if _covered(sizes, own) else []),
    ]
    if type(mode) is str:
        texts.append(
            "CUDA graphs are off (`cudagraph_mode` is `NONE`)."
            if mode.rpartition(".")[2] == "NONE"
            else f"`cudagraph_mode` is {code(mode)}. The captured sizes are not recorded."
        )
    first = ", without the first one, which includes shared work" if len(later) < len(single) else ""
    yield Finding(
        "vllm-sizes",
        "info",
        f"Compiling {'size' if len(sizes) == 1 else 'sizes'} {listed(list(map(str, sizes)), 5)}"
        f" took {duration(took)} of {duration(total_us)} for all pieces",
        (backend["prefix"],),
        " ".join(texts),
        compiles=[facts.number_of(piece) for piece in single],
        events=_starts(single),
        count=len(single),
        cost_us=total(piece["duration_us"] for piece in later),
        cost_of=f"{plural(len(later), 'piece')} for single sizes{first}",
        remedies=[
            Remedy(
                "Remove `compile_sizes` to compile only the ranges. Single sizes may then run slower.",
                'compilation_config={"compile_sizes": []}',
            )
        ],
        details={
            "prefix": backend["prefix"],
            "sizes": sizes[:_MOST_NAMED],
            "cudagraph_mode": mode if type(mode) is str else None,
            "whole_us": total_us,
        },
    )


def _covered(sizes: Sequence[int], pieces: Sequence[VllmPiecesRow]) -> bool:
    ranges = [
        (piece["range_start"], piece["range_end"])
        for piece in pieces
        if piece["is_single_size"] is False and piece["range_start"] is not None
    ]
    return all(
        any(first <= size and last is not None and size <= last for first, last in ranges) for size in sizes
    )
