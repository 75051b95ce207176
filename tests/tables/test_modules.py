"""Modules of a compile, against programs whose modules are known."""

import json

from log_builder import log, record
from tlparse_bundle.tables import modules


def rows_of(built, root, name):
    return built(root / "fixtures" / name).logs[0].table("modules")


def tree(rows, parent=None):
    """Return {name: (class without its Python module, {tensor: shape}, submodules)}."""
    return {
        row["name"]: (
            row["class_name"] and row["class_name"].rpartition(".")[2],
            {tensor["name"]: tensor["shape"] for tensor in row["tensors"]},
            tree(rows, row["id"]),
        )
        for row in rows
        if row["parent"] == parent
    }


def linear(outputs, inputs):
    return ("Linear", {"weight": [outputs, inputs], "bias": [outputs]}, {})


def test_two_equal_blocks(built, root):
    """fixtures/transformer: torch.nn.ModuleList([Block(), Block()]) of width 16."""
    norm = ("LayerNorm", {"weight": [16], "bias": [16]}, {})
    block = {
        "norm1": norm,
        "qkv": linear(48, 16),
        "proj": linear(16, 16),
        "norm2": norm,
        "up": linear(32, 16),
        "down": linear(16, 32),
    }
    rows = rows_of(built, root, "transformer/trace")
    blocks = {name: ("Block", {}, block) for name in "01"}
    assert tree(rows) == {"L['self']": ("Transformer", {}, {"layers": ("ModuleList", {}, blocks)})}
    by_source = {row["source"]: row for row in rows}
    first, second = (by_source[f"L['self']._modules['layers']._modules['{n}']"] for n in range(2))
    assert first["structure"] == second["structure"] != rows[0]["structure"]
    size = 2 * 2 * 16 + (16 + 1) * (48 + 16 + 32) + (32 + 1) * 16
    assert (first["parameter_count"], rows[0]["parameter_count"]) == (size, 2 * size)
    assert (rows[0]["tensor_count"], rows[0]["input_count"]) == (24, 24)
    assert [row["id"] for row in rows] == list(range(16))


def test_a_model_with_modules_that_only_guards_name(built, root):
    """fixtures/huggingface, bert: dropout and activations have no tensors."""
    rows = rows_of(built, root, "huggingface/trace/bert")
    (model,) = tree(rows).values()
    assert model[0] == "BertForSequenceClassification"
    assert model[2]["dropout"] == ("Dropout", {}, {})
    attention = model[2]["bert"][2]["encoder"][2]["layer"][2]["0"][2]["attention"][2]["self"]
    assert attention[0] == "BertSelfAttention"
    assert attention[2] == {
        **{name: linear(16, 16) for name in ("query", "key", "value")},
        "dropout": ("Dropout", {}, {}),
    }
    kinds = {(row["name"], tensor["name"]): tensor["is_buffer"] for row in rows for tensor in row["tensors"]}
    assert kinds["embeddings", "position_ids"] and not kinds["word_embeddings", "weight"]


def test_unknown_classes_and_graphs_are_unknown(built, root):
    """torch 2.5 writes no classes; a compile that breaks before its graph has inputs but no graph."""
    old = rows_of(built, root, "versions/2.5.1/ddp")
    assert len(old) > 3 and {row["class_name"] for row in old} == {None}
    rows = rows_of(built, root, "huggingface/trace/mixtral")
    assert {row["input_count"] for row in rows if row["compile"] == "2/0"} == {None}


def described(source, number=0, size=(2, "s0"), attempt=""):
    return [
        record(
            f"describe_tensor 0/0{attempt} "
            + json.dumps({"describer_id": 0, "id": number, "size": list(size), "dtype": "torch.float32"})
        ),
        record(
            f"describe_source 0/0{attempt} " + json.dumps({"describer_id": 0, "id": number, "source": source})
        ),
    ]


def test_hostile_sources(built, tmp_path, monkeypatch):
    monkeypatch.setattr(modules, "_MAX_MODULES", 5)
    sources = [
        "L['self']._parameters['w']",
        "L['self']._modules['a']._parameters['w'].grad",  # not a parameter
        "L['self']._modules['a\\'b']._parameters['w']",
        "L['self']" + "._modules['a']" * 33 + "._parameters['w']",
        "L['self']" + "._modules['a']" * 100_000,
        "G['m']._modules['<img>']._buffers['b']",
        *(f"L['self']._modules['{n}']._parameters['w']" for n in range(9)),
    ]
    data = b"".join(part for n, source in enumerate(sources) for part in described(source, n))
    data += log("dynamo_cpp_guards_str 0/0\n| +- GuardManager: source=L['self'], type=<class 'M'>\n| +- GuardManager: source=")  # fmt: skip
    (tmp_path / "x.log").write_bytes(data)
    it = built(tmp_path / "x.log").logs[0]
    rows = it.table("modules")
    assert [(row["name"], row["class_name"], row["parameter_count"]) for row in rows] == [
        ("L['self']", "M", None),  # a symbolic size
        ("0", None, None),
        ("L['self']._modules['a\\'b']", None, None),
        ("G['m']", None, 0),
        ("<img>", None, 0),
    ]
    assert it.row["diagnostics"]["table-parse"] == 1


def test_the_last_attempt_and_its_graph_count(built, tmp_path):
    """A tied parameter has two sources and one name in the graph; 'unused' is described and not in it."""
    parts = described("L['self']._parameters['old']")
    parts += described("L['self']._modules['A_b']._parameters['tied']", 1, (2, 3), "_1")
    parts += described("L['self']._modules['c']._parameters['tied']", 1, (2, 3), "_1")[1:]
    parts += described("L['self']._parameters['unused']", 2, (5,), "_1")
    graph = 'class GraphModule(torch.nn.Module):\n    def forward(self, L_self_modules_A_b_parameters_tied_: "f32[2, 3]"):\n        return ()\n'
    parts += [record("dynamo_output_graph 0/0_1", payload=graph)]
    (tmp_path / "x.log").write_bytes(b"".join(parts))
    root, *others = built(tmp_path / "x.log").logs[0].table("modules")
    assert (root["attempt"], root["tensor_count"], root["input_count"], root["parameter_count"]) == (
        1,
        3,
        2,
        17,
    )
    assert [(one["name"], one["is_input"]) for one in root["tensors"]] == [("unused", False)]
    assert {row["name"]: row["tensors"][0]["is_input"] for row in others} == {"A_b": True, "c": True}
