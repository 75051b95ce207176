"""Provenance in generated records: what torch 2.13 on a CPU does not write, other releases, damage."""

import json

import pytest
from log_builder import record
from provenance_graphs import graphs_of

PRE = """class GraphModule(torch.nn.Module):
    def forward(self, L_x_: "f32[4]"):
        l_x_ = L_x_
        # File: /home/user/model.py:14 in forward, code: y = x.relu()
        relu: "f32[4]" = l_x_.relu()
        # File: /home/user/model.py:15 in forward, code: return y + 1
        add_1: "f32[4]" = relu + 1
        return (add_1,)


 # graph id: 77"""
POST = """class <lambda>(torch.nn.Module):
    def forward(self, arg0_1: "f32[4]"):
        # File: /home/user/model.py:14 in forward, code: y = x.relu()
        relu: "f32[4]" = torch.ops.aten.relu.default(arg0_1)
        # No stacktrace found for following nodes
        add: "f32[4]" = torch.ops.aten.add.Tensor(relu, 1)
        return (add,)
"""
NODES = {"preToPost": {"relu": ["relu"], "add_1": ["add"]}, "postToPre": {"relu": ["relu"], "add": ["add_1"]},
         "cppCodeToPost": {"k0:1": ["relu", "add"]}, "postToCppCode": {"relu": ["k0:1"], "add": ["k0:1"]}, "version": 2.0}  # fmt: skip
PYTHON = """# AOT ID: ['0_inference']
def call(args):
    # [Provenance debug handles] k0:1
    k0.run(arg0_1)
    return (arg0_1,)
"""


def part(name, payload, head="", **context):
    kind = (
        name
        if name in ("inductor_output_code", "inductor_pre_grad_graph", "inductor_post_grad_graph")
        else f"artifact:{name}"
    )
    payload = payload if isinstance(payload, str) else json.dumps(payload)
    return record(f"{kind} {head}".strip(), payload=payload, **context)


def made(log_of, *records):
    it = log_of(b"".join(records))
    assert noted(it) == []
    return graphs_of(it)


def noted(it):
    """Return the diagnostics of this table."""
    rows = it.table("diagnostics")
    return [row for row in rows if row["code"] == "table-parse" and "the provenance table" in row["message"]]


def one(log_of, nodes=NODES, code=PYTHON, pre=PRE, post=POST, head="0/0", **context):
    """Return the graph of one generated group."""
    texts = [
        ("before_pre_grad_graph", pre),
        ("inductor_post_grad_graph", post),
        ("inductor_output_code", code),
    ]
    records = [part(name, text, head, **context) for name, text in texts]
    (graph,) = made(
        log_of, *records, part("inductor_provenance_tracking_node_mappings", nodes, head, **context)
    ).values()
    return graph


def calls(graph):
    return {name: kernel["call_lines"] for name, kernel in graph.kernels.items()}


def kernels_only(*names):
    return {"cppCodeToPost": {name: ["relu"] for name in names}, "version": 2.0}


def test_a_handle_is_not_the_beginning_of_another(log_of):
    code = """def call(self, args):
    # [Provenance debug handles] k0:12
    k0.run(a)
    # [Provenance debug handles] k0:1
    k0.run(b)
    # [Provenance debug handles] k0_1:2
    k0_1.run(c)
"""
    assert calls(one(log_of, kernels_only("k0:1", "k0:12", "k0_1:2"), code)) == {
        "k0:1": [5],
        "k0:12": [3],
        "k0_1:2": [7],
    }


def test_names_with_colons_are_split_at_the_last(log_of):
    code = """void AOTInductorModel::run_impl(
    // [Provenance debug handles] at::_ops::relu::call:1
    auto buf0 = at::_ops::relu::call(arg0_1);
    // [Provenance debug handles] at::_ops::relu::call:2
    auto buf1 = at::_ops::relu::call(buf0);
"""
    graph = one(log_of, kernels_only("at::_ops::relu::call:1", "at::_ops::relu::call:2"), code)
    assert calls(graph) == {"at::_ops::relu::call:1": [3], "at::_ops::relu::call:2": [5]}
    assert graph.row["code_language"] == "cpp"


def test_declarations_are_not_calls(log_of):
    code = """static inline void call_k0(
    AtenTensorHandle x) {
    k0(x);
}
void AOTInductorModel::run_impl(
    // [Provenance debug handles] k0:1
    int64_t k0_xnumel_0 = 3;
    int64_t k0_xnumel = grid(k0, 3);
    // k0(comment)
    call_k0(buf0, k0_xnumel_0);
"""
    assert calls(one(log_of, kernels_only("k0:1"), code)) == {"k0:1": [10]}
    assert calls(
        one(log_of, {"cppCodeToPost": {"k0": ["relu"]}}, code.replace("// [Prov", "// [No prov"))
    ) == {"k0": [10]}


def test_a_comment_without_a_call_stands_for_it(log_of):
    code = """void AOTInductorModel::run_impl(
    // [Provenance debug handles] mylib::op:1
    aoti_torch_proxy_executor_call_function(proxy_executor, 0);
    // [Provenance debug handles] mylib::op:2
    aoti_torch_proxy_executor_call_function(proxy_executor, 1);
"""
    assert calls(one(log_of, kernels_only("mylib::op:1", "mylib::op:2"), code)) == {
        "mylib::op:1": [2],
        "mylib::op:2": [4],
    }


@pytest.mark.parametrize("head", ["def call(args):", "    def call(self, args):"])
def test_version_1_finds_every_call_after_the_beginning(log_of, head):
    code = f"""k0 = async_compile.triton('k0', '''
def k0(x):
    k0(x)
''', device_str='cuda')
{head}
        extern_kernels.mm(a, b, out=buf0)
        k0.run(buf0)
        extern_kernels.mm_plus(a)
        k0.run(buf0)
        extern_kernels.bmm(a)
"""
    graph = one(log_of, {"cppCodeToPost": {"k0": ["relu"], "extern_kernels.mm": ["add"]}}, code)
    assert calls(graph) == {
        "k0": [7, 9],
        "extern_kernels.mm": [6],
        "extern_kernels.mm_plus": [8],
        "extern_kernels.bmm": [10],
    }
    assert (graph.row["version"], graph.kernels["k0"]["definition"], graph.row["kernel_in_post_count"]) == (
        1,
        [1, 4],
        2,
    )


@pytest.mark.parametrize("pre", ["before_pre_grad_graph", "inductor_pre_grad_graph"])
@pytest.mark.parametrize("post", ["after_post_grad_graph", "inductor_post_grad_graph"])
def test_older_names(log_of, pre, post):
    """Both as events and as artifacts; the mapping of AOTInductor before its code."""
    wrapper = (
        PYTHON.replace("def call(args):", "void AOTInductorModel::run_impl(")
        .replace("#", "//")
        .replace(".run", "")
    )
    for events in (True, False):
        texts = {pre: PRE, post: POST, "inductor_provenance_tracking_node_mappings": NODES}
        records = [
            (
                part(name, text)
                if events
                else record(f"artifact:{name}", payload=text if isinstance(text, str) else json.dumps(text))
            )
            for name, text in texts.items()
        ]
        graphs = made(
            log_of, *records, record('graph_dump {"name": "inductor_aot_wrapper_code"}', payload=wrapper)
        )
        (graph,) = graphs.values()
        assert graph.names == [("relu", "relu"), ("add_1", "add")] and calls(graph) == {"k0:1": [4]}


def test_the_parts_that_older_torch_wrote_alone(log_of):
    """torch 2.6 has no node_mappings; a node's origin names its graph, several graphs back."""
    pre = {"name": "relu", "graph_id": 77, "from_node": []}
    origins = {
        "relu": [pre],
        "add": [
            {"name": "add", "graph_id": 5, "from_node": [{"name": "add_1", "graph_id": 77, "from_node": []}]},
            {"graph_id": 77},
            "x",
        ],
    }
    code = "def call(args):\n    k0.run(arg0_1)\n"
    records = [part("before_pre_grad_graph", PRE), part("after_post_grad_graph", POST), part("inductor_post_to_pre_grad_nodes", origins),
               part("inductor_output_code", code), part("inductor_triton_kernel_to_post_grad_nodes", {"k0": ["relu", "add"]})]  # fmt: skip
    (graph,) = made(log_of, *records).values()
    assert graph.names == [("relu", "relu"), ("add_1", "add")]
    assert (calls(graph), graph.kernels["k0"]["post_lines"], graph.row["version"]) == ({"k0": [2]}, [4, 6], 1)


def test_kernels_that_an_aot_wrapper_only_declares(log_of):
    """Version 1 has no handles; AOTInductor writes the bodies of C++ kernels into a second file."""
    wrapper = """extern "C" void cpp_fused_relu_0(const float*, float*);
extern "C" void cpp_fused_add_1(const float*, float*);
void AOTInductorModel::run_impl(
    cpp_fused_relu_0(arg0_1, buf0);
    aoti_torch_cpu_addmm_out(buf1, buf0);
    cpp_fused_add_1(buf1, buf2);
}
"""
    bodies = """extern "C"  void cpp_fused_relu_0(const float* in_ptr0,
                       float* out_ptr0)
{
}
extern "C"  void cpp_fused_add_1(const float* in_ptr0, float* out_ptr0)
{
}
"""
    mapping = {
        "cpp_fused_relu_0": ["relu"],
        "aoti_torch_cpu_addmm_out": ["add"],
        "aoti_torch_cpu_unseen": ["add"],
    }
    (graph,) = made(
        log_of,
        part("before_pre_grad_graph", PRE),
        part("after_post_grad_graph", POST),
        record('graph_dump {"name": "inductor_aot_wrapper_code"}', payload=wrapper),
        record('graph_dump {"name": "inductor_aot_kernel_code"}', payload=bodies),
        part("inductor_triton_kernel_to_post_grad_nodes", mapping),
    ).values()
    assert graph.row["version"] == 1
    assert calls(graph) == {
        "cpp_fused_relu_0": [4],
        "aoti_torch_cpu_addmm_out": [5],
        "aoti_torch_cpu_unseen": [],  # torch names it
        "cpp_fused_add_1": [6],  # torch does not name it
    }
    assert graph.kernels["cpp_fused_relu_0"]["post_lines"] == [4]
    assert graph.kernels["cpp_fused_relu_0"]["body"] == [1, 4]
    assert (graph.row["kernel_count"], graph.row["kernel_in_post_count"]) == (4, 3)


def test_coverage_counts_what_has_no_counterpart(log_of):
    graph = one(
        log_of,
        {
            **NODES,
            "postToPre": {},
            "preToPost": {"relu": ["relu"]},
            "cppCodeToPost": {"k0:1": ["relu", "gone"], "k9:9": ["gone"]},
            "postToCppCode": {},
        },
    )
    assert {name: count for name, count in graph.row.items() if name.endswith("_count")} == {
        "pre_node_count": 2, "pre_in_post_count": 1, "post_node_count": 2, "post_in_pre_count": 1, "post_in_kernel_count": 1,
        "kernel_count": 2, "kernel_in_post_count": 1, "kernel_from_code_count": 0, "kernel_in_code_count": 1, "kernel_with_source_count": 0,
        "unknown_name_count": 1,
    }  # fmt: skip
    assert graph.sources("post") == {4: ("model.py", 14)}


def test_several_graphs_of_a_compile_and_interleaved_compiles(log_of):
    """The backward of one, the other in between; a region has its own graphs."""
    group = lambda head, **context: [part("inductor_post_grad_graph", POST, head, **context), part("inductor_output_code", PYTHON, head, **context),
                                     part("inductor_provenance_tracking_node_mappings", NODES, head, **context)]  # fmt: skip
    pre = lambda head, **context: [part("before_pre_grad_graph", PRE, head, **context)]
    a, b = group("0/0"), group("1/0")
    region = [*pre("0/0", subgraph_name="r"), *group("0/0", subgraph_name="r")]
    mixed = [*pre("0/0"), *pre("1/0"), a[0], b[0], a[1], *region, b[1], b[2], a[2], *group("0/0")]
    graphs = made(log_of, *mixed)
    assert [(*key, graph.row["subgraph_name"], graph.row["number"]) for key, graph in graphs.items()] == [
        ("0/0", 1, None, 1), ("1/0", 1, None, 1), ("0/0", 2, "r", 1), ("0/0", 3, None, 2),
    ]  # fmt: skip
    assert all(graph.names == [("relu", "relu"), ("add_1", "add")] for graph in graphs.values())
    assert len({graph.row["pre_graph_event"] for graph in graphs.values()}) == 3


def test_backward_of_unknown_origin_has_no_pre_grad_graph(log_of):
    """With several pre-grad graphs under one id, as from DDPOptimizer, an empty mapping does not identify
    one.
    """
    forward = [
        part("before_pre_grad_graph", PRE, "0/0"),
        part("inductor_post_grad_graph", POST, "0/0"),
        part("inductor_provenance_tracking_node_mappings", NODES, "0/0"),
    ]
    backward = [
        part("inductor_post_grad_graph", POST, "0/0"),
        part("inductor_provenance_tracking_node_mappings", {"version": 2.0}, "0/0"),
    ]
    graphs = made(log_of, *forward, *forward, *backward)
    assert [graph.row["pre_graph_event"] is None for graph in graphs.values()] == [False, False, True]
    graphs = made(log_of, *forward, *backward)
    assert [graph.row["pre_graph_event"] for graph in graphs.values()] == [0, 0]


def test_texts_are_released_when_many_graphs_are_open(log_of, monkeypatch):
    monkeypatch.setattr("tlparse_bundle.tables.provenance.groups.MAX_OPEN_BYTES", 3 * len(PRE))
    heads = [f"{n}/0" for n in range(5)]
    forward = [r for head in heads for r in (part("before_pre_grad_graph", PRE, head), part("inductor_post_grad_graph", POST, head),
                                             part("inductor_provenance_tracking_node_mappings", NODES, head))]  # fmt: skip
    backward = [
        r
        for head in heads
        for r in (
            part("inductor_post_grad_graph", POST, head),
            part("inductor_provenance_tracking_node_mappings", {"version": 2.0}, head),
        )
    ]
    graphs = made(log_of, *forward, *backward)
    assert all(graphs[head, 1].names == [("relu", "relu"), ("add_1", "add")] for head in heads)
    assert all(
        graphs[head, 2].row["pre_graph_event"] == graphs[head, 1].row["pre_graph_event"] for head in heads
    )


@pytest.mark.parametrize(
    "damaged",
    [
        "null",
        "[]",
        "{",
        '{"preToPost": [1], "cppCodeToPost": {"k": 3, "j": [1, null]}, "version": "x"}',
        "[" * 5000,
        '{"cppCodeToPost": {"": [""], ":": ["relu"], "a:": [], ":1": []}}',
    ],
)
def test_damaged_mappings_lose_nothing_else(log_of, damaged):
    stacks = {
        "k0:1": [
            '  File "/home/user/model.py", line 14, in forward\n    y = x.relu()\n      ^^^\n',
            3,
            "no stack",
        ],
        "k1:2": None,
        "k2:3": [{}],
    }
    records = [part("before_pre_grad_graph", PRE), part("inductor_post_grad_graph", POST), part("inductor_output_code", PYTHON),
               part("inductor_provenance_tracking_node_mappings", damaged), part("inductor_provenance_tracking_kernel_stack_traces", stacks)]  # fmt: skip
    it = log_of(b"".join(records))
    (graph,) = graphs_of(it).values()
    assert graph.kernels["k0:1"]["stacks"] == [[("model.py", 14)]] and calls(graph)["k0:1"] == [4]
    assert [(row["event"], row["line"] is not None) for row in noted(it)] == (
        [] if damaged.startswith("{") and damaged != "{" else [(3, True)]
    )


def test_hostile_texts(log_of):
    """Long lines, endless kernels, no line ends: read quickly, with no exception."""
    awful = [
        "#" + " File: x:1 in" * 20_000,
        "k0 = async_compile.triton('k0', '''\n" + "x\n" * 20_000,
        "a" * 300_000,
        " = " * 50_000,
        "\x00\r\v",
        ": " * 100_000,
        "extern_kernels." * 20_000 + "(",
    ]
    for text in awful:
        graph = one(log_of, NODES, text, text, text)
        assert graph.row["kernel_count"] == 1


def test_a_called_kernel_that_nothing_names_is_a_diagnostic(log_of):
    """k1 is defined and called without a comment, and torch's map lacks it; k2 is defined and not called."""
    definitions = "".join(f"k{n} = async_compile.triton('k{n}', '''\n''')\n" for n in (1, 2))
    code = definitions + PYTHON.replace("    return", "    k1.run(arg0_1)\n    return")
    for text, found in ((code, 1), (definitions + PYTHON, 0)):
        it = log_of(
            part("inductor_post_grad_graph", POST, "0/0")
            + part("inductor_output_code", text, "0/0")
            + part("inductor_provenance_tracking_node_mappings", NODES, "0/0")
        )
        rows = [row for row in it.table("diagnostics") if row["code"] == "kernel-unlisted"]
        assert len(rows) == found
        assert [row["event"] for row in rows] == [1] * found and all(
            "1 kernel " in row["message"] for row in rows
        )
        assert {row["name"] for row in it.table("provenance_kernels")} == {"k0"}
