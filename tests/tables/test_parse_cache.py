"""The parse of a payload is reused for equal payloads; the tables equal those of parsing each."""

import json

import pytest
import traces
from log_builder import log, record
from tlparse_bundle import build, discover
from tlparse_bundle.tables import caches
from tlparse_bundle.tables.table import ParseCache

TREE = (
    "TREE_GUARD_MANAGER:\n+- RootGuardManager\n| +- TYPE_MATCH: ___check_type_id(L['x'], 1)\nGuard latency ="
    " 1.50 us"
)
GRAPH = (
    "class G(torch.nn.Module):\n    def forward(self, a):\n        # File: /a.py:3 in f, code: a + 1\n       "
    " b = a + 1\n        return (b,)"
)
CODE = "# AOT ID: ['0_forward']\ndef call(args):\n    extern_kernels.mm(a, b)\n"
MAPPING = {"version": 1, "preToPost": {"b": ["b"]}, "cppCodeToPost": {"extern_kernels.mm": ["b"]}}


def key(number, *fields):
    return {
        "key": f"k{number}",
        "components": [f"[{'a' * 40}{number:03d}] {field}: {number}" for field in ("code", *fields)],
    }


def events(compile_id, number):
    """Events whose payloads repeat for equal numbers, whole and damaged ones."""
    estimates = {
        "ops": [
            {
                "name": f"op{number}",
                "type": "compute",
                "estimated_runtime_ns": 5,
                "outputs": [{"shape": [number], "stride": [1]}],
            }
        ]
    }
    yield record(f"dynamo_cpp_guards_str {compile_id}", payload=TREE.replace("1)", f"{number})"))
    yield record(f"dynamo_guards {compile_id}", payload=TREE.replace("1)", f"{number})"))  # not a list
    yield record(f"dynamo_cpp_guards_str {compile_id}", payload="no tree")
    for name in ("fx_graph_cache_miss", "aotautograd_cache_miss"):
        yield record(f"artifact:{name} {compile_id}", payload=json.dumps(key(number, "size")))
        yield record(f"artifact:{name} {compile_id}", payload="no JSON")
    yield record(f"artifact:inductor_runtime_and_tensor_meta {compile_id}", payload=json.dumps(estimates))
    yield record(f"artifact:inductor_runtime_and_tensor_meta {compile_id}", payload="[]")
    yield record(
        f"artifact:aot_forward_graph_fw_metadata {compile_id}",
        payload=f"ViewAndMutationMeta(num_intermediate_bases={number})",
    )
    yield record(f"artifact:fx_graph_runnable {compile_id}", payload=f"def f{number}():\n    pass")
    yield record(f"artifact:before_pre_grad_graph {compile_id}", payload=GRAPH)
    yield record(f"artifact:after_post_grad_graph {compile_id}", payload=GRAPH.replace("+ 1", f"+ {number}"))
    yield record(f"inductor_output_code {compile_id}", payload=CODE)
    yield record(
        f"artifact:inductor_provenance_tracking_node_mappings {compile_id}",
        payload=json.dumps(MAPPING) if number % 2 else "[]",
    )


def bundle(source, out):
    build(discover([source]), out, jobs=1)
    return traces.files(out)


@pytest.mark.parametrize("limit", [1, 2, 1000])
def test_the_tables_are_those_of_reading_each_payload(tmp_path, monkeypatch, limit):
    source = tmp_path / "a.log"
    source.write_bytes(
        b"".join(
            event
            for number, digit in enumerate([1, 2, 1, 1, 3, 2, 3, 1])
            for event in events(f"{number}/0", digit)
        )
    )
    with monkeypatch.context() as patch:
        patch.setattr(ParseCache, "__call__", lambda self, key, of: self._function(of))
        expected = bundle(source, tmp_path / "each")
    before = ParseCache.__init__
    monkeypatch.setattr(
        ParseCache, "__init__", lambda self, function, most=limit: before(self, function, min(most, limit))
    )
    assert bundle(source, tmp_path / "remembered") == expected


def test_a_complaint_is_made_of_each_payload(log_of, found):
    it = log_of(log("dynamo_cpp_guards_str 0/0\n | no tree\n") * 3)
    assert len(it.table("guard_trees")) == 3 and [row[0] for row in found(it)] == ["table-parse"] * 3


def test_keys_that_changed_often(log_of, monkeypatch):
    """More parts of keys than are kept: those still compared have their names."""
    monkeypatch.setattr(caches, "_MAX_HASHES", 20)
    numbers = [*range(30), 29, 28, 0, 29]
    it = log_of(
        b"".join(
            record(f"artifact:fx_graph_cache_miss {n}/0", payload=json.dumps(key(number, "size", "flag")))
            for n, number in enumerate(numbers)
        )
    )
    different = [row["different"] for row in it.table("caches")]
    assert different == [[], *[["code", "flag", "size"]] * 29, [], [], ["code", "flag", "size"], []]


def test_the_cache_is_bounded():
    asked = []
    read = ParseCache(lambda number: asked.append(number) or number * 2, 2)
    assert [read(str(number), number) for number in (1, 2, 1, 3, 3, 1)] == [2, 4, 2, 6, 6, 2]
    assert asked == [1, 2, 3, 1] and len(read._results) == 2
    assert [read(None, 5), read(None, 5)] == [10, 10] and asked[4:] == [5, 5]
