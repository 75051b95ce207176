"""The piece in which vLLM's compile failed."""

from __future__ import annotations

from collections.abc import Iterator

from tlparse_bundle.base.wording import first_line
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.finding import Finding
from tlparse_bundle.statements.vllm_names import piece_name, pieces_of

KINDS = ("vllm-piece-failed",)


def findings(facts: Facts) -> Iterator[Finding]:
    for backend in facts.table("vllm_backends"):
        own = pieces_of(facts, backend["id"])
        for piece in own:
            if piece["outcome"] == "failed":
                yield _finding(facts, backend, own, piece)


def _finding(facts: Facts, backend: dict, own: list[dict], piece: dict) -> Finding:
    values = facts.metrics_of.get(piece["failure_event"], {}) if piece["failure_event"] is not None else {}
    message = first_line(values["fail_reason"]) if type(values.get("fail_reason")) is str else None
    done = sum(other["outcome"] not in ("failed", "unfinished", None) for other in own)
    before = f"{done} before it came to their end." if done else "It is the first piece."
    return Finding(
        "vllm-piece-failed",
        "error",
        f"vLLM failed to compile {piece_name(piece)}{f': {message}' if message else ''}",
        (backend["prefix"], message),
        f"{before} vLLM writes no record of a failure: the piece has a begin, no code, and its backend ended"
        " without the code that calls the pieces.",
        compiles=[facts.number_of(piece)],
        events=[index for index in (piece["start_event"], piece["failure_event"]) if index is not None],
        because_of=("failure", piece["failure_event"]),
        details={
            "prefix": backend["prefix"],
            "piece": piece_name(piece),
            "message": message,
            "done_count": done,
        },
    )
