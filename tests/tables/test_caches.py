"""Results of the compile caches."""

import json
from collections import Counter

import pytest
import traces
from log_builder import log, record

COUNTED = {
    "fx_graph_cache_hit": ("fx_graph", "hit"),
    "fx_graph_cache_miss": ("fx_graph", "miss"),
    "fx_graph_cache_bypass": ("fx_graph", "bypass"),
    "aotautograd_cache_hit": ("aot_autograd", "hit"),
    "aotautograd_cache_miss": ("aot_autograd", "miss"),
    "aotautograd_cache_bypass": ("aot_autograd", "bypass"),
}


def rows(it):
    return it.table("caches")


def one(it):
    (row,) = rows(it)
    return row


def artifact(name, payload, compile_id="0/0"):
    return record(
        f"artifact:{name} {compile_id}".strip(),
        payload=payload if isinstance(payload, str) else json.dumps(payload),
    )


def component(field, value, digest="a" * 51):
    """Return a part of a key as FxGraphCachePickler.debug_lines writes it."""
    return f"[{digest}] {field}: {value}"


@pytest.fixture(scope="module")
def cold_and_warm(built, root):
    return [built(root / "fixtures" / "caches" / "trace" / run).logs[0] for run in ("cold", "warm")]


def test_outcomes_are_those_of_the_program(cold_and_warm):
    truth = json.loads((traces.ROOT / "fixtures" / "caches" / "truth.json").read_text())["logs"]
    for it, expected in zip(cold_and_warm, truth.values(), strict=True):
        counts = Counter((row["cache"], row["outcome"]) for row in rows(it))
        assert {name: counts[key] for name, key in COUNTED.items()} == {
            name: expected["facts"][name] for name in COUNTED
        }
        assert {(row["compile"], row["cache"]) for row in rows(it)} == {
            (i, c) for i in ("0/0", "1/0") for c in ("fx_graph", "aot_autograd")
        }


def test_the_second_run_finds_what_the_first_stored(cold_and_warm):
    cold, warm = ({(row["compile"], row["cache"]): row for row in rows(it)} for it in cold_and_warm)
    for place in (("0/0", "fx_graph"), ("1/0", "fx_graph"), ("0/0", "aot_autograd")):
        assert cold[place]["key"] == warm[place]["key"] is not None
        assert (cold[place]["detail"], warm[place]["detail"]) == ("full_miss", "hit")
    for compile_id in ("0/0", "1/0"):
        taken, saved = cold[compile_id, "fx_graph"], warm[compile_id, "fx_graph"]
        assert taken["time_taken_us"] == saved["time_saved_us"] > 0
        assert taken["time_saved_us"] is saved["time_taken_us"] is None
    assert warm["0/0", "aot_autograd"]["time_saved_us"] > 0


def test_why_a_compile_was_not_cached(cold_and_warm):
    """The program puts its own function 'opaque' into the graph."""
    row = next(row for row in rows(cold_and_warm[0]) if row["outcome"] == "bypass")
    assert "opaque" in row["reason"] and row["exception_type"] == "BypassAOTAutogradCache"
    assert (row["compile"], row["key"]) == ("1/0", None)


def test_new_parts_of_a_key(cold_and_warm):
    """Both functions get torch.ones(3) under the same settings: only their graphs differ."""
    first, second = (row for row in rows(cold_and_warm[0]) if row["cache"] == "fx_graph")
    assert (first["closest_event"], first["different_count"], first["different"]) == (None, None, [])
    assert (second["closest_event"], second["different_count"], second["different"]) == (
        first["event"],
        1,
        ["gm"],
    )
    assert first["component_count"] == second["component_count"] > 100


def test_profiles_of_dynamic_dimensions(built, root):
    """recompiles stores the profile of its functions repeatedly, with more of them over time."""
    (it,) = built(root / "fixtures" / "recompiles" / "trace").logs
    counts = [row["component_count"] for row in rows(it)]
    assert {(row["cache"], row["outcome"], row["remote"]) for row in rows(it)} == {("pgo", "put", False)}
    assert counts == sorted(counts) and counts[0] == 1 and counts[-1] > 1


def test_precompile(built, root):
    cold, warm = (built(root / "fixtures" / "precompile" / "trace" / run).logs[0] for run in ("cold", "warm"))
    assert [(row["cache"], row["outcome"]) for row in rows(cold)] == [
        ("aot_autograd", "miss"),
        ("fx_graph", "miss"),
        ("precompile", "put"),
    ]
    assert rows(cold)[-1]["component_count"] == 1
    bundled = rows(warm)[0]
    assert (bundled["name"], bundled["cache"], bundled["outcome"]) == (
        "fx_graph_bundled_cache_hit",
        "fx_graph",
        "hit",
    )


def test_a_cache_that_is_off(built, root):
    """AOTInductor does not use the cache, which only the timeline records (torch/_inductor/compile_fx.py)."""
    (it,) = built(root / "fixtures" / "aoti" / "trace").logs
    row = one(it)
    assert (row["cache"], row["outcome"], row["name"], row["compile"]) == (
        "fx_graph",
        "disabled",
        "fx_graph_cache_disabled",
        None,
    )


# Hand-written records from here on, after torch's source: they need a GPU, a remote cache or an older
# release.


def test_entries_whose_guards_fail(log_of):
    row = one(
        log_of(
            artifact(
                "fx_graph_cache_miss",
                {
                    "key": "f1",
                    "cache_state": "miss",
                    "cache_status_detailed": "guard_miss",
                    "cache_status_guard_expr": "s0 < 5",
                },
            )
        )
    )
    assert (row["outcome"], row["detail"], row["guard"]) == ("miss", "guard_miss", "s0 < 5")


def test_kinds_of_failure(log_of):
    it = log_of(
        artifact(
            "fx_graph_cache_bypass",
            {"cache_state": "bypass", "cache_bypass_reason": "mkldnn tensors unpickleable"},
        )
        + artifact("aotautograd_cache_pickle_failure", {"error": "cannot pickle", "field": "compiled_fw"})
        + artifact("precompile_cache_bypass", {"_reason": "no", "traceback": []})
        + artifact("dynamo_cache_bypass", {"entry": {}, "missing_backend": "__compiled_fn_1"}, "")
        + artifact("dynamo_cache_exception", {"key": "k", "error": "bad"})
    )
    assert [(row["cache"], row["outcome"], row["reason"], row["field"], row["key"]) for row in rows(it)] == [
        ("fx_graph", "bypass", "mkldnn tensors unpickleable", None, None),
        ("aot_autograd", "error", "cannot pickle", "compiled_fw", None),
        ("precompile", "bypass", "no", None, None),
        ("precompile", "bypass", "__compiled_fn_1", None, None),
        ("precompile", "error", "bad", None, "k"),
    ]


def test_every_profile_event(log_of):
    names = ("get_local", "get_remote", "get_extra_remote", "put_local", "put_remote", "put_extra_remote")
    text = (
        "a.py:1:f:\n  L['x']: tensor size=[?]\na.py:9:g:\n\nPGO detected a recompilation due to dynamic"
        " shapes. Set X=\"L['x']\""
    )
    it = log_of(b"".join(artifact(f"{name}_code_state", text) for name in names))
    assert [(row["outcome"], row["remote"], row["component_count"]) for row in rows(it)] == [
        (name[:3], "remote" in name, 2) for name in names
    ]  # fmt: skip


def test_keys_of_older_releases(log_of):
    """torch 2.4 wrote one artifact with the key; the text of the graph was broken into lines."""
    lines = [
        component("gm", "<lambda>()"),
        "",
        "def forward(self):",
        "    return [x] y: 1",
        component("default_dtype", "float32"),
    ]
    it = log_of(
        artifact("fx_graph_cache_hash", {"key": "f1", "components": lines})
        + artifact("aotautograd_cache_hash", {"key": "a1", "cache_state": "hit", "components": []})
        + artifact(
            "fx_graph_cache_hash",
            {"key": "f2", "components": [component("gm", "other", "b" * 51), lines[-1]]},
        )
    )
    assert [row["outcome"] for row in rows(it)] == ["key", "hit", "key"]
    assert (rows(it)[2]["different"], rows(it)[2]["closest_event"]) == (["gm"], 0)


def test_the_closest_key_is_the_one_compared(log_of):
    def key(name, *digests):
        fields = ("gm", "example_inputs[0]", "inductor_config[max_autotune]")
        return artifact(
            "fx_graph_cache_miss",
            {
                "key": name,
                "components": [component(f, "?", d * 40) for f, d in zip(fields, digests, strict=True)],
            },
        )

    it = log_of(
        key("f1", "a", "b", "c")
        + key("f2", "x", "y", "c")
        + key("f3", "x", "y", "z")
        + key("f1", "a", "b", "c")
    )
    assert [(row["closest_event"], row["different"]) for row in rows(it)] == [
        (None, []),
        (0, ["example_inputs[0]", "gm"]),
        (1, ["inductor_config[max_autotune]"]),
        (0, []),
    ]
    many = log_of(b"".join(key(f"f{n}", str(n), "b", "c") for n in range(50)) + key("f0", "0", "b", "c"))
    assert rows(many)[50]["different"] == ["gm"], "the first key is too long ago"


def test_names_of_many_parts_are_cut(log_of):
    keys = [
        {"key": f"f{n}", "components": [component(f"c[{i:03d}]", "?", str(n) * 40) for i in range(80)]}
        for n in range(2)
    ]
    row = rows(log_of(b"".join(artifact("fx_graph_cache_miss", key) for key in keys)))[1]
    assert (row["different_count"], len(row["different"]), row["different"][0]) == (80, 50, "c[000]")


@pytest.mark.parametrize(
    "payload",
    [
        "",
        "no json",
        "[1]",
        '{"key": 5, "components": {"a": 1}}',
        '{"key": "k", "components": [1, null, "[", "[x] : y", []]}',
        '{"key": ' + "[" * 3000,
    ],
)
def test_payloads_of_any_shape(log_of, found, payload):
    it = log_of(
        artifact("fx_graph_cache_miss", payload)
        + artifact("put_local_code_state", payload)
        + artifact("dynamo_cache_entries", payload)
    )
    assert [row["cache"] for row in rows(it)] == ["fx_graph", "pgo", "precompile"]
    assert all(code == "table-parse" for code, *_ in found(it))
    assert bool(found(it)) == (not payload.endswith("}"))


def test_impossible_values(log_of):
    info = {
        "time_taken_ns": -1,
        "time_saved_ns": 10**30,
        "time_saved_ms": "1",
        "key": "k" * 30_000,
        "cache_bypass_reason": ["a"],
        "compile_id": float("nan"),
    }
    row = one(log_of(artifact("fx_graph_cache_hit", info)))
    assert (row["time_taken_us"], row["time_saved_us"], row["reason"], len(row["key"])) == (
        None,
        None,
        None,
        20_000,
    )


def test_other_artifacts_are_not_caches(log_of):
    it = log_of(
        log('artifact:my_cache_hit 0/0 {"encoding": "json"}\n  | {}\nartifact 0/0 {"encoding": "json"}')
    )
    assert rows(it) == []
