"""Redaction policies: classes of content, parts known from the pages, and two presets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tlparse_bundle.base.errors import BundleError

CLASSES: Mapping[str, str] = {
    "payloads": (
        "the artifacts: graphs, generated code, guards and logs as torch wrote them; the timeline stays"
    ),
    "source": "lines of source code, in stacks, comments and messages",
    "guards": "the tables of guards and of symbolic expressions",
    "strings": "text in quotation marks that has a space in it",
    "metadata": "what records hold besides the fields of the tables; metrics of compilations stay",
    "verbatim": "the log as it was, from which it could be restored",
    "names": (
        "names of functions, classes, files, modules, tensors, hosts and users: each becomes another name,"
        " the same everywhere"
    ),
}
# Tables by the name of what they show. All that a bundle must have stays: compiles, artifacts, stacks,
# events, diagnostics.
PARTS: Mapping[str, tuple[str, ...]] = {
    "findings": ("findings",),
    "timeline": ("spans", "instants", "span_totals"),
    "recompiles": ("recompiles", "recompile_reasons", "recompile_causes", "code_objects"),
    "graph_breaks": ("graph_breaks", "graph_break_records"),
    "failures": ("failures",),
    "caches": ("caches",),
    "guards": ("guards", "guard_trees", "expressions"),
    "graphs": (
        "graphs",
        "subgraphs",
        "partitions",
        "partition_candidates",
        "failed_partitions",
        "rank_decisions",
        "aliasing",
        "duplicate_backwards",
    ),
    "kernels": ("generated_code", "kernels", "triton_kernels"),
    "provenance": (
        "provenance_groups",
        "provenance_lines",
        "provenance_nodes",
        "provenance_kernels",
        "provenance_sources",
    ),
    "tensors": ("tensors", "tensor_storages", "graph_tensors"),
    "symbols": (
        "symbols",
        "symbol_guards",
        "symbol_values",
        "data_dependent_errors",
        "specializations",
        "symbol_contexts",
    ),
    "metrics": ("metrics", "metric_configs", "metric_fields"),
    "runtime": (
        "runtime_estimates",
        "estimated_ops",
        "collective_schedules",
        "graph_executions",
        "runtime_metrics",
        "estimate_tables",
        "collective_profiles",
        "collective_reports",
        "collective_buckets",
        "collective_sizes",
    ),
    "sources": (
        "sources",
        "links",
        "ddp_splits",
        "autograd_captures",
        "side_effects",
        "bytecode",
        "functorch_configs",
    ),
    "export": ("exports", "export_failures"),
    "vllm": ("vllm_backends", "vllm_submodules", "vllm_pieces", "vllm_passes", "vllm_compile_events"),
    "anatomy": ("kinds", "origins", "kind_compiles"),
    "ranks": (),  # all that the manifest names
}
# Tables about several ranks with the contents of a part.
RANK_PARTS: Mapping[str, tuple[str, ...]] = {
    "findings": ("rank_findings",),
    "caches": ("rank_caches", "rank_cache_totals"),
    "graphs": ("rank_graphs",),
    "tensors": ("rank_tensors",),
    "runtime": ("rank_estimates", "rank_estimate_ops", "rank_estimate_totals"),
}
_RECORDS = frozenset(("payloads", "metadata"))  # in which most parts stand a second time
PRESETS: Mapping[str, frozenset[str]] = {
    "share-with-public": frozenset(("payloads", "source", "strings", "verbatim", "names")),
    "share-with-vendor": frozenset(("source", "strings", "verbatim", "names")),
}
PUBLIC = "share-with-public"


@dataclass(frozen=True)
class Policy:
    """A policy; ``preset`` is None when it is not exactly a preset."""

    preset: str | None
    dropped: frozenset[str]

    def as_row(self) -> dict[str, Any]:
        """Return the policy as the manifest records it."""
        return {
            "preset": self.preset,
            "dropped": [name for name in dict.fromkeys((*CLASSES, *PARTS)) if name in self.dropped],
        }


def policy(preset: str | None = None, keep: Iterable[str] = (), drop: Iterable[str] = ()) -> Policy:
    """Return a preset (default: ``PUBLIC`` when nothing is dropped) with classes and parts kept or dropped.

    When ``keep`` names a part, other parts are dropped, with payloads and metadata, which repeat them.
    Raises BundleError for an unknown word, or one in both.
    """
    keep, drop = set(keep), set(drop)
    unknown = sorted((keep | drop) - {*CLASSES, *PARTS})
    if unknown:
        hint = (
            f"Use: {', '.join(CLASSES)}; or for tables:"
            f" {', '.join(name for name in PARTS if name not in CLASSES)}."
        )
        raise BundleError(
            f"unknown name to keep or drop: {', '.join(unknown)}", hint=hint, code="bad-name", exit_code=2
        )
    if keep & drop:
        raise BundleError(
            f"{', '.join(sorted(keep & drop))} cannot be both kept and dropped", code="bad-name", exit_code=2
        )
    if "verbatim" in keep:
        raise BundleError(
            "verbatim cannot be kept: it contains everything that is redacted", code="bad-name", exit_code=2
        )
    if preset is not None and preset not in PRESETS:
        raise BundleError(
            f"unknown preset {preset!r}",
            hint=f"Use one of: {', '.join(PRESETS)}.",
            code="bad-name",
            exit_code=2,
        )
    if preset is None and not drop:
        preset = PUBLIC
    base = PRESETS[preset] if preset else frozenset()
    only = (frozenset(PARTS) | _RECORDS) if keep & (set(PARTS) - set(CLASSES)) else frozenset()
    dropped = (base | drop | only) - keep | {"verbatim"}
    return Policy(next((name for name, those in PRESETS.items() if those == dropped), None), dropped)
