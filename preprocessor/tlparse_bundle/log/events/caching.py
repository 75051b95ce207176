"""Compile caches: FX graph, AOTAutograd, precompile."""

from tlparse_bundle.log.events.kind import Kind

KINDS = (
    Kind(
        "artifact:fx_graph_cache_hit",
        "FX graph cache: hit",
        "cache",
        "json",
        "Inductor's result came from the cache.",
    ),
    Kind(
        "artifact:fx_graph_cache_miss",
        "FX graph cache: miss",
        "cache",
        "json",
        "Inductor's result was not in the cache; lists the parts of the key.",
    ),
    Kind(
        "artifact:fx_graph_cache_bypass",
        "FX graph cache: bypass",
        "cache",
        "json",
        "Why the graph could not be cached.",
    ),
    Kind(
        "artifact:fx_graph_cache_hash",
        "FX graph cache: key",
        "cache",
        "json",
        "Key of the graph (older torch).",
    ),
    Kind(
        "artifact:fx_graph_bundled_cache_hit",
        "FX graph cache: bundled hit",
        "cache",
        "json",
        "The result came with an AOTAutograd cache entry.",
    ),
    Kind(
        "artifact:aotautograd_cache_hit",
        "AOTAutograd cache: hit",
        "cache",
        "json",
        "AOTAutograd's result came from the cache.",
    ),
    Kind(
        "artifact:aotautograd_cache_miss",
        "AOTAutograd cache: miss",
        "cache",
        "json",
        "AOTAutograd's result was not in the cache; lists the parts of the key.",
    ),
    Kind(
        "artifact:aotautograd_cache_bypass",
        "AOTAutograd cache: bypass",
        "cache",
        "json",
        "Why the compile could not be cached.",
    ),
    Kind(
        "artifact:aotautograd_cache_hash",
        "AOTAutograd cache: key",
        "cache",
        "json",
        "Key of the compile (older torch).",
    ),
    Kind(
        "artifact:aotautograd_cache_pickle_failure",
        "AOTAutograd cache: pickling failed",
        "cache",
        "json",
        "The entry could not be written.",
    ),
    Kind(
        "artifact:precompile_cache_bypass",
        "precompile: bypass",
        "cache",
        "json",
        "Why a package could not be used.",
    ),
    Kind(
        "artifact:dynamo_cache_entries",
        "precompile: entries",
        "cache",
        "json",
        "Contents of the saved package.",
    ),
    Kind(
        "artifact:dynamo_cache_bypass",
        "precompile: missing backend",
        "cache",
        "json",
        "A package lacks a compiled backend.",
    ),
    Kind(
        "artifact:dynamo_cache_exception",
        "precompile: exception",
        "cache",
        "json",
        "A package could not be read.",
    ),
)
