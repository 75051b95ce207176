"""Tensors that torch described, and the sizes in Dynamo's graphs."""

import json

from log_builder import log, record


def tensors(it):
    """Return the rows with the size of their storage."""
    sizes = {row["event"]: row["size_bytes"] for row in it.table("tensor_storages")}
    return [{**row, "size_bytes": sizes.get(row["storage_event"])} for row in it.table("tensors")]


def graphs(it):
    """Return [(inputs, others)] of each graph, both {name: sizes}."""
    out = []
    for row in it.table("graph_tensors"):
        named = list(zip(row["nodes"], row["shapes"], strict=True))
        out.append((dict(named[: row["input_count"]]), dict(named[row["input_count"] :])))
    return out


def fixture(built, root, name):
    (it,) = built(root / "fixtures" / name / "trace").logs
    return it


def test_inputs_of_each_compile(built, root):
    """The program calls any_dtype with three types, and limited with one size after another."""
    rows = {row["compile"]: row for row in tensors(fixture(built, root, "recompiles"))}
    assert {key: rows[key]["dtype"] for key in ("2/0", "2/1", "2/2")} == {
        "2/0": "torch.float32",
        "2/1": "torch.float64",
        "2/2": "torch.int32",
    }
    assert [(rows[f"3/{n}"]["shape"], rows[f"3/{n}"]["size_bytes"]) for n in range(4)] == [
        ([n + 2], 4 * n + 8) for n in range(4)
    ]
    first = rows["0/0"]
    assert (first["sources"], first["shape"], first["stride"], first["device"]) == (
        ["L['x']"],
        [4, 2],
        [2, 1],
        "cpu",
    )
    assert (first["is_leaf"], first["requires_grad"], first["is_view"], first["is_parameter"]) == (
        True,
        False,
        False,
        False,
    )


def test_sizes_in_a_graph_that_became_dynamic(built, root):
    """grows(x) = x.sin() + x.shape[0]: size 4, then any."""
    static, dynamic, *_ = graphs(fixture(built, root, "recompiles"))
    assert static == ({"l_x_": [4, 2]}, {"sin": [4, 2], "add": [4, 2]})
    symbol = dynamic[0]["l_x_"][0]
    assert type(symbol) is str
    assert dynamic == ({"l_x_": [symbol, 2]}, {"sin": [symbol, 2], "add": [symbol, 2]})


def test_two_views_of_one_tensor_share_a_storage(built, root):
    """overlaps(base[0:4], base[4:8]), base of eight float32."""
    rows = [row for row in tensors(fixture(built, root, "dynamic_shapes")) if row["compile"] == "3/0"]
    assert {(row["storage_event"], row["size_bytes"]) for row in rows} == {(rows[0]["storage_event"], 32)}
    base, x, y = rows
    assert (base["sources"], base["shape"], base["is_view"]) == ([], [8], False)
    assert (x["sources"], x["is_view"], x["other"]["base"]) == (["L['x']"], True, base["tensor_id"])
    assert (y["sources"], y["is_view"], y["other"]["storage_offset"]) == (["L['y']"], True, 4)


def test_parameters_of_a_model(built, root):
    rows = tensors(fixture(built, root, "transformer"))
    assert sum(row["is_parameter"] for row in rows) == 24
    assert all(
        row["requires_grad"] and "_parameters" in row["sources"][0] for row in rows if row["is_parameter"]
    )
    ((inputs, _),) = graphs(fixture(built, root, "transformer"))
    assert len(inputs) == 25
    assert inputs["l_x_"] == [2, 4, 16]


def test_a_subclass_is_made_of_its_parts(built, root):
    """wrappers: one input is a TwoTensor; its tensors a and b are not inputs themselves."""
    rows = [
        row for row in tensors(fixture(built, root, "wrappers")) if row["other"] and "attrs" in row["other"]
    ]
    (whole,) = rows
    assert set(whole["other"]["attrs"]) == {"a", "b"}


def test_a_constant_that_was_a_symbol_is_a_number(built, root):
    """specializes: comparing x.shape[1] with 7 makes it 7, which torch then writes as text."""
    inputs, _ = graphs(fixture(built, root, "dynamic_shapes"))[0]
    assert inputs["l_x_"][1] == inputs["l_y_"][1] == 7


def test_all_public_logs_join(built, shared_traces):
    """Tensors of three releases of torch: each has a source and a storage."""
    for name in (
        "provenance/inductor_provenance_jit_cuda_log.txt",
        "single/cache_hit_miss.log",
        "single/simple.log",
    ):
        (it,) = built(shared_traces / name).logs
        rows = tensors(it)
        assert rows
        assert all(row["sources"] and row["size_bytes"] and row["dtype"].startswith("torch.") for row in rows)
        assert {row["device"] for row in rows} <= {"cpu", "cuda:0"}


# Records written by hand, from torch 2.13.


def test_numbers_that_come_again_mean_the_newest_row_before(log_of):
    it = log_of(
        log("""
        describe_storage 0/0 {"describer_id": 1, "id": 0, "size": 8}
        describe_tensor 0/0 {"describer_id": 1, "id": 0, "size": [1], "storage": 0}
        describe_source 0/0 {"describer_id": 1, "id": 0, "source": "L['x']"}
        describe_source 0/0 {"describer_id": 1, "id": 0, "source": "L['self'].x"}
        describe_source 0/0 {"describer_id": 1, "id": 0, "source": "L['x']"}
        describe_storage 1/0 {"describer_id": 1, "id": 0, "size": "8*s0"}
        describe_tensor 1/0 {"describer_id": 1, "id": 0, "size": ["s0"], "storage": 0}
        describe_tensor 1/0 {"describer_id": 2, "id": 0, "size": [], "storage": 0}
        describe_source 1/0 {"describer_id": 1, "id": 0, "source": "L['y']"}
        """)
    )
    rows = tensors(it)
    assert [(row["compile"], row["sources"], row["size_bytes"]) for row in rows] == [
        ("0/0", ["L['x']", "L['self'].x"], 8),
        ("1/0", ["L['y']"], "8*s0"),
        ("1/0", [], None),
    ]


def test_sparse_and_mps_tensors(log_of):
    it = log_of(
        log("""
        describe_tensor 0/0 {"describer_id": 1, "id": 3, "ndim": 2, "dtype": "torch.float32", "device": "device(type='mps', index=1)", "size": [3, 3], "layout": "torch.sparse_csr", "crow_indices": 0, "dynamo_hint_overrides": {"0": 5}, "dynamo_dynamic_indices": [0], "view_func": "<f at 0x7f>"}
        describe_tensor 0/0 {"describer_id": 1, "id": 4, "device": "meta?", "size": [2], "dynamo_hint_overrides": {}, "requires_grad": true}
        """)
    )  # fmt: skip
    sparse, other = tensors(it)
    assert (sparse["device"], sparse["stride"], sparse["storage_event"], sparse["dynamic_dims"]) == (
        "mps:1",
        None,
        None,
        [0],
    )
    assert sparse["other"] == {
        "layout": "torch.sparse_csr",
        "crow_indices": 0,
        "dynamo_hint_overrides": {"0": 5},
    }
    assert (other["device"], other["other"], other["requires_grad"]) == ("meta?", None, True)


def test_inputs_come_from_the_text_of_the_graph(log_of):
    def graph(signature, **sizes):
        return record(
            "dynamo_output_graph 0/0 " + json.dumps({"sizes": sizes}),
            f"class GraphModule(torch.nn.Module):\n    def forward{signature}:\n        pass",
        )

    it = log_of(
        graph(
            '(self, s77: "Sym(s77)", L_x_: "f32[s77, 2][2, 1]cpu", L_Self_W: "f32[(s77//2)][1]cpu")',
            l_x_=["s77", 2],
            l_self_w=["s77//2"],
            add=[1],
        )
        + graph("(self, L_x_ : torch.Tensor, L_y_: torch.Tensor)", l_x_=[1], mul=[1], l_y_=[1])
        + graph("(self)", zeros=[1])
        + record('dynamo_output_graph 0/0 {"sizes": {"l_x_": [1]}}')
        + record('dynamo_output_graph 0/0 {"sizes": {}}', "no graph")
        + record("dynamo_output_graph 0/0 {}", "def forward(self, x): pass")
    )
    assert [(row["event"], row["input_count"]) for row in it.table("graph_tensors")] == [
        (0, 2),
        (1, 1),
        (2, 0),
        (3, None),
        (4, None),
    ]


def test_values_of_the_wrong_kind_never_lose_a_row_that_has_numbers(log_of, found):
    it = log_of(
        log("""
        describe_storage 0/0 {"describer_id": 1, "id": 0, "size": [8]}
        describe_tensor 0/0 {"describer_id": 1, "id": 0, "size": "?", "stride": [1.5, null, [2], 9007199254740993], "device": 4, "storage": [0], "is_leaf": "yes"}
        describe_tensor 0/0 {"describer_id": true, "id": 0}
        describe_tensor 0/0 {"describer_id": 1, "id": 4294967296}
        describe_tensor 0/0 []
        describe_source 0/0 {"describer_id": 1, "id": 9, "source": "L['x']"}
        describe_source 0/0 {"describer_id": 1, "id": 0}
        dynamo_output_graph 0/0 {"sizes": [1]}
        dynamo_output_graph 0/0 {"sizes": {"x": 3, "y": [4]}}
        """)
    )
    (row,) = tensors(it)
    assert (row["shape"], row["stride"], row["device"], row["is_leaf"]) == (
        None,
        ["1.5", "null", "[2]", "9007199254740993"],
        "4",
        False,
    )
    assert row["sources"] == []
    assert [storage["size_bytes"] for storage in it.table("tensor_storages")] == ["[8]"]
    assert [graph["shapes"] for graph in it.table("graph_tensors")] == [[None, [4]]]
    assert [code for code, *_ in found(it)] == ["table-parse"] * 6


def test_huge_values_are_cut(log_of):
    it = log_of(
        record(
            "describe_tensor 0/0 "
            + json.dumps(
                {
                    "describer_id": 1,
                    "id": 0,
                    "size": list(range(500)),
                    "ctx": "c" * 5000,
                    "level": ["x" * 3000],
                }
            )
        )
    )
    (row,) = tensors(it)
    assert len(row["shape"]) == 100
    assert {key: len(value) for key, value in row["other"].items()} == {"ctx": 2000, "level": 2000}
