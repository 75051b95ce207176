"""The table of FX graphs: fixtures checked against their programs, and texts without a fixture."""

import json

import pytest
from log_builder import log
from tlparse_bundle.tables.text.graphs import MAX_OPS, read_fx


def rows(it, **wanted):
    return [row for row in it.table("graphs") if all(row[key] == value for key, value in wanted.items())]


def inside(it, graph):
    return [sub for sub in it.table("subgraphs") if sub["graph_event"] == graph["event"]]


def key_of(row):
    """Return the key of an attempt in the compile table."""
    return f"{row['compile']}_{row['attempt']}" if row["attempt"] else row["compile"]


def only(it, **wanted):
    (row,) = rows(it, **wanted)
    return row


@pytest.fixture(scope="session")
def fixture_log(built, root):
    def find(name, number=0):
        return built(root / "fixtures" / name / "trace").logs[number]

    return find


def test_graphs_of_a_training_step(fixture_log):
    it = fixture_log("train_step")
    graph = only(it, stage="dynamo")
    assert (graph["placeholder_count"], graph["call_count"], graph["output_count"]) == (5, 3, 1)
    assert graph["ops"] == {"torch._C._nn.linear": 2, "torch.relu": 1}
    joint = only(it, stage="aot_joint")
    assert (joint["direction"], joint["class_name"], joint["placeholder_count"]) == (
        "joint",
        "inner_f",
        6,
    )  # one more tangent
    assert joint["output_count"] == 1 + 5  # the output, and a gradient for each input (None for x)
    # Inductor's graphs don't name their stage; their inputs show it.
    found = [(row["position"], row["direction"]) for row in rows(it, stage="post_grad")]
    assert found == [
        ("before", "forward"),
        ("after", "forward"),
        ("before", "backward"),
        ("after", "backward"),
    ]
    before, after = rows(it, stage="pre_grad")
    assert before["graph_id"] == after["graph_id"] and before["graph_id"].isdecimal()


@pytest.mark.parametrize(
    "name",
    [
        "train_step",
        "transformer",
        "graph_breaks",
        "recompiles",
        "memory_budget",
        "wrappers",
        "dynamic_shapes",
    ],
)
def test_counts_are_those_of_the_metrics(fixture_log, name):
    """torch counts nodes in graph_op_count and graph_node_count of a compile's last graph."""
    it = fixture_log(name)
    compared = 0
    for compile in it.compiles:
        graphs = [row for row in rows(it, stage="dynamo") if key_of(row) == compile.key]
        if graphs and compile.metrics:
            assert graphs[-1]["call_count"] == compile.metrics["graph_op_count"]
            assert graphs[-1]["node_count"] == compile.metrics["graph_node_count"]
            compared += 1
    assert compared


def test_every_graph_has_a_row(fixture_log):
    for name in (
        "regions",
        "compiled_autograd",
        "aoti",
        "caches",
        "ddp_split",
        "overlap_scheduling",
        "export_dtrace",
    ):
        it = fixture_log(name)
        written = [artifact.event for artifact in it.artifacts if artifact.language == "fx"]
        assert [row["event"] for row in rows(it)] == written != []
        assert all(row["class_name"] for row in rows(it))


def test_regions_are_subgraphs(fixture_log):
    it = fixture_log("regions")
    graph = rows(it, stage="dynamo")[0]
    assert [(sub["name"], sub["call_count"]) for sub in inside(it, graph)] == [("subgraph_0", 2)]
    assert graph["ops"]["torch.ops.higher_order.invoke_subgraph"] == 2  # called twice, written once
    assert (graph["ops"]["Tensor.sin"], graph["get_attr_count"]) == (1, 2)
    marked = [row for row in rows(it) if row["subgraph_name"]]
    assert {row["subgraph_name"] for row in marked} == {"__marked_inductor_submod0"}
    assert {row["compile"] for row in marked} == {"1/0"}


def test_ddp_parts(fixture_log, root):
    it = fixture_log("ddp_split")
    (truth,) = json.loads((root / "fixtures/ddp_split/truth.json").read_text())["logs"].values()
    split, *parts = rows(it, stage="ddp_split")
    expected = truth["facts"]["split"]["1/0"]
    assert [(sub["name"], sub["call_count"]) for sub in inside(it, split)] == [
        (name, len(calls)) for name, calls in expected.items()
    ]
    assert [part["call_count"] for part in parts] == [len(calls) for calls in expected.values()]
    assert split["ops"]["self.submod_0"] == split["ops"]["self.submod_1"] == 1


def test_collectives_before_overlap_scheduling(fixture_log):
    graph = only(fixture_log("overlap_scheduling"), stage="communication")
    assert graph["position"] == "before"
    for name in ("all_reduce", "all_gather_into_tensor", "reduce_scatter_tensor"):
        assert graph["ops"][f"torch.ops._c10d_functional.{name}.default"] == 1
    assert graph["ops"]["torch.ops._c10d_functional.wait_tensor.default"] == 3


def test_an_exported_program_ends_before_its_signature(fixture_log):
    graph = only(fixture_log("export_dtrace"), stage="export")
    assert (graph["placeholder_count"], graph["output_count"]) == (1, 1)
    assert graph["ops"] == {
        "torch.ops.aten.sym_size.int": 1,
        "torch.ops.aten.sin.default": 1,
        "torch.ops.aten.mul.Tensor": 1,
    }


# From torch's sources (torch/fx/graph.py); no fixture has them.


def test_operators_of_python():
    graph = read_fx("""class GraphModule(torch.nn.Module):
    def forward(self, x : torch.Tensor, y, *args):
        a = x + y;  b = None
        c = -a
        d = a[slice(None, 2, None)]
        e = x.shape
        a += y;  iadd = a;  a = None
        d[0] = 1;  setitem = d;  setitem = None
        f = getattr(x, "T")
        g: "Sym(s0 + 1)" = s0 + 1
        h = self.layers.0(x)
        renamed = y
        i = torch.ops.aten.mm.default(x, "a = b;  c = d")
        return {'out': i, 'more': (a, c)}
""")
    names = ["add", "neg", "getitem", "iadd", "setitem"]
    assert {f"operator.{name}" for name in names} <= graph.ops.keys()
    assert (
        graph.ops["operator.add"] == 2
        and graph.ops["getattr"] == 2
        and graph.ops["torch.ops.aten.mm.default"] == 1
    )
    assert graph.graphs[0].placeholders == ["x", "y", "args"]
    assert (graph.graphs[0].call_count, graph.graphs[0].output_count) == (10, 2)


def test_a_list_of_nodes():
    graph = read_fx("""graph():
    %x : [num_users=1] = placeholder[target=x]
    %w : [num_users=1] = get_attr[target=w]
    %mm : [num_users=1] = call_function[target=torch.ops.aten.mm.default](args = (%x, %w), kwargs = {})
    return (mm,)
    return %mm""")
    (nodes,) = graph.graphs
    assert (nodes.name, nodes.placeholders, nodes.call_count, nodes.get_attr_count, nodes.output_count) == (
        "graph",
        ["x"],
        1,
        1,
        1,
    )


@pytest.mark.parametrize(
    ("head", "stage", "position"),
    [
        ("artifact:aot_inference_graph_after_hop_passes", "aot_inference", "after"),
        ("artifact:before_activation_quantization_fwd_aten_pass", "aot_quantization", "before"),
        ("artifact:overlap_scheduling_graph_after", "communication", "after"),
        ("artifact:pre_decomp_comms", "communication", "before"),
        ("artifact:NormalizationPass_pre_grad", "pre_grad", "after"),
        ("artifact:optimus_BatchLinear", "other", "after"),
        ("artifact:before_recompile_post_grad", "post_grad", "before"),
        ("inductor_pre_grad_graph", "pre_grad", "before"),
        ("aot_forward_graph_pre_saved_tensors_hooks", "aot_forward", "before"),
        ("artifact:aot_saved_tensors_hooks_graphs", "other", None),
    ],
)
def test_stages_by_name(log_of, head, stage, position):
    it = log_of(
        log(f"""
        {head} 0/0
            | pack_hook:class GraphModule(torch.nn.Module):
            |     def forward(self, primals_1):
            |         return (primals_1,)
        """)
    )
    graph = only(it)
    assert (graph["stage"], graph["position"], graph["class_name"], graph["output_count"]) == (
        stage,
        position,
        "GraphModule",
        1,
    )


def test_texts_that_are_not_graphs(log_of, found):
    it = log_of(
        log("""
        aot_joint_graph 0/0
            | nothing of the kind
        aot_joint_graph 0/0
            |
        aot_joint_graph 0/0
        artifact:before_post_grad_graph {"name": "before_post_grad_graph", "encoding": 7}
            | class A(torch.nn.Module):
            |     def forward(self, x
        """)
    )
    first, empty, cut = rows(it)
    assert first["class_name"] is first["node_count"] is empty["class_name"] is None and first["ops"] == {}
    assert (cut["class_name"], cut["output_count"]) == ("A", 0)
    assert [code for code, *_ in found(it)] == ["table-parse"]


def test_huge_and_deep_texts_take_linear_time():
    brackets = "(" * 50_000
    nested = (
        f"class A(torch.nn.Module):\n    def forward(self, {brackets}):\n        a[{'] = ' * 20_000}\n       "
        f" return {brackets}\n"
    )
    many = "class A(torch.nn.Module):\n    def forward(self):\n" + "".join(
        f"        a{i} = f{i}(x)\n" for i in range(20_000)
    )
    assert read_fx(nested).graphs[0].name == "A"
    graph = read_fx(many)
    assert graph.graphs[0].call_count == 20_000 and len(graph.ops) == MAX_OPS
