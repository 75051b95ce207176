"""What a redaction leaves out: presets, parts, and fields that are kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.schemas import row_tables, schema

# What records hold, apart from tables.
CLASSES: Mapping[str, str] = {
    "payloads": "graphs, generated code, guards, logs and timeline events, as torch wrote them",
    "source": "lines of source code",
    "text": "messages, reasons, values and settings of the program",
    "metadata": "what records hold besides the fields of tables",
    "verbatim": "the original log",
}
# Tables by the name of what they show. Compiles, artifacts, stacks, events and diagnostics always stay.
PARTS: Mapping[str, tuple[str, ...]] = {
    "findings": ("findings", "rank_findings"),
    "timeline": ("spans", "instants", "span_totals"),
    "recompiles": ("recompiles", "recompile_reasons", "recompile_causes", "code_objects", "recompile_fixes"),
    "graph_breaks": ("graph_breaks", "graph_break_records"),
    "failures": ("failures",),
    "caches": ("caches", "rank_caches", "rank_cache_totals"),
    "metrics": ("metrics", "metric_configs", "metric_fields"),
    "anatomy": ("kinds", "origins", "kind_compiles"),
    "guards": ("guards", "guard_trees", "guard_failures", "call_inputs", "expressions"),
    "graphs": (
        *("graphs", "subgraphs", "partitions", "partition_candidates", "failed_partitions", "rank_decisions"),
        *("aliasing", "duplicate_backwards", "rank_graphs"),
    ),
    "kernels": ("generated_code", "kernels", "triton_kernels"),
    "provenance": (
        *("provenance_groups", "provenance_lines", "provenance_nodes", "provenance_kernels"),
        "provenance_sources",
    ),
    "tensors": ("tensors", "tensor_storages", "graph_tensors", "modules", "rank_tensors"),
    "symbols": (
        *("symbols", "symbol_guards", "symbol_values", "data_dependent_errors", "specializations"),
        "symbol_contexts",
    ),
    "runtime": (
        *(
            "runtime_estimates",
            "estimated_ops",
            "collective_schedules",
            "graph_executions",
            "runtime_metrics",
        ),
        *("estimate_tables", "collective_profiles", "collective_reports", "collective_buckets"),
        *("collective_sizes", "rank_estimates", "rank_estimate_ops", "rank_estimate_totals"),
    ),
    "sources": (
        *("sources", "links", "ddp_splits", "autograd_captures", "side_effects", "bytecode"),
        "functorch_configs",
    ),
    "export": ("exports", "export_failures"),
    "vllm": ("vllm_backends", "vllm_submodules", "vllm_pieces", "vllm_passes", "vllm_compile_events"),
    "ranks": (),  # all tables about several ranks
}
MODEL = (
    "guards",
    "graphs",
    "kernels",
    "provenance",
    "tensors",
    "symbols",
    "runtime",
    "sources",
    "export",
    "vllm",
)
PRESETS: Mapping[str, frozenset[str]] = {
    "share-with-public": frozenset((*CLASSES, *MODEL)),
    "share-with-vendor": frozenset(CLASSES),
}
PUBLIC, VENDOR = "share-with-public", "share-with-vendor"
_KEEPABLE = ("text", "source", "configuration", "measurements")  # contents of fields that --keep can name


@dataclass(frozen=True)
class Policy:
    """A policy; ``preset`` is None when it is not exactly a preset. ``kept``: fields, as TABLE.FIELD."""

    preset: str | None
    dropped: frozenset[str]
    kept: frozenset[str]

    def as_row(self) -> dict[str, Any]:
        """Return the policy as the manifest records it."""
        dropped = [name for name in (*CLASSES, *PARTS) if name in self.dropped]
        return {"preset": self.preset, "dropped": dropped, "kept": sorted(self.kept)}

    @property
    def always_left_out(self) -> frozenset[str]:
        """Tables that need not be redacted first, because no sentence is made of them."""
        return frozenset(("metadata",)) if "metadata" in self.dropped else frozenset()

    def tables_left_out(self, where: str = "log") -> frozenset[str]:
        """Return the tables that are left out: of each log, or ('ranks') about several ranks."""
        tables = {table for part in self.dropped for table in PARTS.get(part, ())}
        if "ranks" in self.dropped:
            tables |= {table for table, place in row_tables().items() if place == "ranks"}
        tables |= self.always_left_out
        return frozenset(table for table in tables if row_tables()[table] == where)


def policy(preset: str | None = None, keep: Iterable[str] = (), drop: Iterable[str] = ()) -> Policy:
    """Return a preset (default: ``PUBLIC``) with parts and fields kept, and parts dropped.

    Raises BundleError for an unknown word, or one in both.
    """
    keep, drop = set(keep), set(drop)
    preset = preset or PUBLIC
    if preset not in PRESETS:
        raise _bad(f"unknown preset {preset!r}", f"Use one of: {', '.join(PRESETS)}.")
    if unknown := sorted((keep | drop) - {*CLASSES, *PARTS} - {name for name in keep if "." in name}):
        hint = f"Use {', '.join(CLASSES)}; for tables {', '.join(PARTS)}; or TABLE.FIELD to keep."
        raise _bad(f"unknown name to keep or drop: {', '.join(unknown)}", hint)
    if both := sorted(keep & drop):
        raise _bad(f"{', '.join(both)} cannot be both kept and dropped")
    if "verbatim" in keep:
        raise _bad("verbatim cannot be kept: it contains everything that is redacted")
    if "text" in keep:
        raise _bad("text cannot be kept as a whole", "Keep single fields, such as --keep graph_breaks.text.")
    fields = {name for name in keep if "." in name}
    if wrong := sorted(fields - keepable().keys()):
        raise _bad(
            f"not a field that can be kept: {', '.join(wrong)}",
            "To list the fields with text, use --preview.",
        )
    kept = fields | {name for name, content in keepable().items() if content == "source" and "source" in keep}
    if "metadata" in keep:
        kept.add("metadata.metadata")
    dropped = (PRESETS[preset] | drop) - keep
    if "metadata.metadata" in kept:
        dropped -= {"metadata"}
    name = next((name for name, parts in PRESETS.items() if parts == dropped and not kept), None)
    return Policy(name, dropped, frozenset(kept))


def _bad(message: str, hint: str = "") -> BundleError:
    return BundleError(message, hint=hint, code="bad-name", exit_code=2)


@cache
def keepable() -> Mapping[str, str]:
    """Return the fields whose text can be kept, as TABLE.FIELD, with their content."""
    return {
        path: content
        for name in row_tables()
        for path, content in _contents(schema(name), name)
        if content in _KEEPABLE
    }


def _contents(part: Mapping[str, Any], path: str) -> Iterator[tuple[str, str]]:
    if "x-content" in part:
        yield path, part["x-content"]
    for key, child in part.get("properties", {}).items():
        yield from _contents(child, f"{path}.{key}")
    for key in ("items", "additionalProperties"):
        if isinstance(part.get(key), dict):
            yield from _contents(part[key], path)
