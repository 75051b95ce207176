"""How sentences name the pieces of vLLM."""

from __future__ import annotations

from collections.abc import Sequence

from tlparse_bundle.base.wording import code, listed, plural
from tlparse_bundle.statements.facts import Facts


def pieces_of(facts: Facts, backend: int) -> list[dict]:
    """Return the pieces of a backend, given its id."""
    return [piece for piece in facts.table("vllm_pieces") if piece["backend"] == backend]


def piece_name(piece: dict) -> str:
    """A piece with its size or range: '`submod_2` for 1–64 tokens'."""
    name = code(piece["submodule"]) if piece["submodule"] is not None else "a piece without a name"
    first, last = piece["range_start"], piece["range_end"]
    if first is None or last is None:
        return name
    return f"{name} for {plural(first, 'token')}" if first == last else f"{name} for {first}–{last} tokens"


def named(pieces: Sequence[dict]) -> str:
    return listed([piece_name(piece) for piece in pieces])
