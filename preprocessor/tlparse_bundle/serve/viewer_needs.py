"""Which viewers have something to show of a bundle, as its manifest tells."""

from __future__ import annotations

from collections.abc import Iterable

RANKS, PROVENANCE, PAIR, VLLM = "ranks", "provenance", "pair", "vllm"
NEEDS = {
    "multirank": RANKS,
    "provenance": PROVENANCE,
    "compare": PAIR,
    "vllm": VLLM,
}  # viewers of the package that show nothing without it (PAIR: of one bundle alone); all others show any bundle
EXAMPLES = {"starter", "letter", "bytes", "strip"}  # to be copied, not to look with
_PROVENANCE_KINDS = {
    f"artifact:{name}"
    for name in (
        "inductor_provenance_tracking_node_mappings",
        "inductor_provenance_tracking_kernel_stack_traces",
        "inductor_triton_kernel_to_post_grad_nodes",
        "inductor_post_to_pre_grad_nodes",
    )
}
_VLLM_KINDS = {
    f"artifact:{name}"
    for name in ("vllm_compilation_config", "vllm_piecewise_compile_start", "vllm_execution_code")
}


def holds(manifest: dict) -> list[str]:
    """What a bundle holds that not every bundle does."""
    ranks, descriptors = manifest.get("rank_tables"), manifest.get("descriptors")
    known = set(descriptors) if isinstance(descriptors, dict) else set()
    found = {
        RANKS: isinstance(ranks, dict) and bool(ranks),
        PROVENANCE: bool(_PROVENANCE_KINDS & known),
        VLLM: bool(_VLLM_KINDS & known),
    }
    return [what for what, there in found.items() if there]


def fitting(viewers: Iterable[str], manifest: dict) -> list[str]:
    """Those of the viewers, by name, that have something to show."""
    held = holds(manifest)
    return [name for name in viewers if NEEDS.get(name) in (None, *held)]
