"""Nodes of kernels from comments in generated code, where torch wrote no map; and code that the map lacks."""

import json

import pytest
import traces
from log_builder import record
from provenance_graphs import graphs_of, text_of
from test_provenance_made import POST, PRE
from tlparse_bundle.tables.provenance.code_comments import CodeComments, operator_of
from tlparse_bundle.tables.provenance.code_flow import fused_nodes
from tlparse_bundle.tables.provenance.kernels_in_code import CodeText
from tlparse_bundle.tables.provenance.source_lines import GraphText

PROVENANCE = ["provenance", "provenance_training", "provenance_graphs"]
PUBLIC = [
    traces.PUBLIC / name
    for name in (
        "exec_order/dedicated_log_torch_trace_rank_0_a74od7a1.log",
        "multi_rank_runtime/dedicated_log_torch_trace_rank_0.log",
        "provenance/inductor_provenance_jit_cuda_log.txt",
    )
]


BACKWARDS = {
    "provenance": {
        "cpp_fused__softmax_backward_data_mul_sigmoid_sigmoid_backward_0:1": {
            "mul_1",
            "sum_2",
            "neg",
            "fma",
            "mul_2",
            "sigmoid",
            "sub_1",
            "mul_3",
            "mul_4",
        },
        "cpp_fused_sum_1:3": {"sum_3"},
    },
    "provenance_training": {
        "cpp_fused_expand_mul_tanh_tanh_backward_unsqueeze_0:1": {
            "unsqueeze",
            "expand",
            "mul_1",
            "tanh",
            "mul_2",
            "sub",
            "mul_3",
        },
        "cpp_fused_sum_1:3": {"sum_2"},
    },
}


def of(built, path):
    (it,) = built(path).logs
    return it, graphs_of(it)


@pytest.mark.parametrize("name", ["provenance", "provenance_training"])
def test_a_backward_that_torch_did_not_map(built, root, name):
    """One of its three kernels is a commented library call; the others are between known tensors."""
    it, graphs = of(built, root / "fixtures" / name / "trace")
    backward = graphs["0/0", 2]
    assert json.loads(text_of(it, backward.row["mapping_event"])) == {"version": 2.0}
    kernel = backward.kernels["extern_kernels.mm:2"]
    assert [backward.name("post", line) for line in kernel["post_lines"]] == ["mm"] and kernel["from_code"]
    (call,) = kernel["call_lines"]
    assert "[permute_1, permute_3]" in backward.line("code", call - 2), (
        "it names an input, and a node that is gone"
    )
    found = {
        name: {backward.name("post", line) for line in other["post_lines"]}
        for name, other in backward.kernels.items()
        if other is not kernel
    }
    assert found == BACKWARDS[name]
    assert backward.row["kernel_from_code_count"] == backward.row["kernel_in_post_count"] == 3


@pytest.mark.parametrize(
    "path",
    traces.params([path for path in PUBLIC if path.exists()], traces.PUBLIC)
    + [pytest.param(name, id=name) for name in PROVENANCE],
)
def test_comments_agree_with_the_map(built, root, path):
    """Where torch wrote a map, the comments lead to the same nodes."""
    _, graphs = of(built, root / "fixtures" / path / "trace" if type(path) is str else path)
    compared = 0
    for graph in graphs.values():
        kernels = [kernel for kernel in graph.kernels.values() if not kernel["from_code"]]
        if graph.row["version"] is None or not any(kernel["post_lines"] for kernel in kernels):
            continue
        post = GraphText(graph.texts["post"])
        pre = GraphText(graph.texts["pre"]).lines if graph.texts["pre"] else ()
        comments = CodeComments(CodeText(graph.texts["code"]), post, graph.texts["post"], pre)
        calls = [(kernel["name"], kernel["call_lines"], set()) for kernel in kernels]
        for kernel, lines in zip(kernels, comments.lines_of(calls), strict=True):
            assert lines in ([], kernel["post_lines"]), kernel["name"]
            compared += bool(lines)
            assert not kernel["from_code"]
    assert compared >= (
        0 if type(path) is str else 2
    )  # GPU kernels have comments; on a CPU only library calls do


@pytest.mark.parametrize("name", PROVENANCE)
def test_the_flow_agrees_with_the_map(built, root, name):
    """Fused CPU kernels, wherever torch wrote a map: the same nodes, or none."""
    _, graphs = of(built, root / "fixtures" / name / "trace")
    compared = 0
    for graph in graphs.values():
        kernels = [kernel for kernel in graph.kernels.values() if not kernel["from_code"]]
        if graph.row["code_language"] != "python" or not kernels:
            continue
        code = CodeText(graph.texts["code"])
        of_kernel = lambda kernel, graph=graph: {graph.name("post", line) for line in kernel["post_lines"]}
        calls = [
            (
                kernel["call_lines"][0],
                kernel["name"],
                next(iter(of_kernel(kernel))) if kernel["name"].startswith("extern") else None,
            )
            for kernel in kernels
        ]
        found = fused_nodes(code.lines, code.definitions, graph.texts["post"], calls)
        for kernel in kernels:
            said = found.get(kernel["call_lines"][0], set())
            assert said in (set(), of_kernel(kernel)), kernel["name"]
            compared += bool(said)
    assert compared >= 2


@pytest.mark.parametrize(
    "path",
    traces.params([path for path in PUBLIC if path.exists()], traces.PUBLIC)
    + [pytest.param(name, id=name) for name in PROVENANCE],
)
def test_kernels_are_those_that_the_code_has(built, root, path):
    """Including collectives, which torch's map omits: as in the table of kernels, which reads only the code."""
    it, graphs = of(built, root / "fixtures" / path / "trace" if type(path) is str else path)
    for graph in graphs.values():
        read = {
            kernel["name"]
            for kernel in it.table("kernels")
            if kernel["code_event"] == graph.row["code_event"]
        }
        assert {kernel["name"] for kernel in graph.kernels.values()} == read
    if type(path) is not str and "multi_rank" in str(path):
        assert "torch.ops._c10d_functional.all_reduce_.default" in graphs["0/0", 1].kernels


def test_bodies_of_the_kernels_of_aotinductor(built, root):
    it, graphs = of(built, root / "fixtures" / "provenance_aoti" / "trace")
    (graph,) = graphs.values()
    bodies = text_of(it, graph.row["bodies_event"]).split("\n")
    own = {name: kernel for name, kernel in graph.kernels.items() if name.startswith("cpp_fused")}
    assert own
    for name, kernel in own.items():
        first, last = kernel["body"]
        assert f"{name.partition(':')[0]}(" in bodies[first - 1] and bodies[last - 1].rstrip() == "}"
    assert all(kernel["body"] is None for name, kernel in graph.kernels.items() if name not in own)
    training, *_ = of(built, root / "fixtures" / "provenance_training" / "trace")[1].values()
    assert training.row["bodies_event"] is None


# made
# ----------------------------------------------------------------------------------------------------------------

TRITON = """# AOT ID: ['0_backward']
# kernel path: /tmp/x.py
# Topologically Sorted Source Nodes: [y], Original ATen: [aten.relu]
# Source node to ATen node mapping:
#   y => gone, relu
# Graph fragment:
#   %arg0_1 : Tensor "f32[4]" = PlaceHolder[target=arg0_1]
#   %relu : Tensor "f32[4]"[num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%arg0_1,), kwargs = {})
#   %add : Tensor "f32[4]"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%relu, 1), kwargs = {})
triton_k = async_compile.triton('triton_k', '''
''')
def call(args):
    # [Provenance debug handles] triton_k:1
    stream0 = get_raw_stream(0)
    triton_k.run(arg0_1)
    # [Provenance debug handles] triton_k:2
    triton_k.run(arg0_1)
"""


def backward(log_of, code, post=POST, pre=None):
    records = [record("artifact:before_pre_grad_graph", payload=pre)] if pre else []
    records += [
        record("inductor_post_grad_graph", payload=post),
        record("inductor_output_code", payload=code),
    ]
    it = log_of(
        b"".join(
            [
                *records,
                record("artifact:inductor_provenance_tracking_node_mappings", payload='{"version": 2.0}'),
            ]
        )
    )
    (graph,) = graphs_of(it).values()
    return {
        name: [graph.name("post", line) for line in kernel["post_lines"]]
        for name, kernel in graph.kernels.items()
    }


def test_the_nodes_above_a_kernel_are_those_of_its_first_call(log_of):
    assert backward(log_of, TRITON) == {"triton_k:1": ["relu", "add"], "triton_k:2": []}
    older = "\n".join(line for line in TRITON.split("\n") if "%" not in line)  # before the graph was written
    assert backward(log_of, older) == {"triton_k:1": ["relu"], "triton_k:2": []}


MANY = """class <lambda>(torch.nn.Module):
    def forward(self, x: "f32[4]"):
        a: "f32[4]" = torch.ops.aten.mm.default(x, x)
        b: "f32[4]" = torch.ops.aten.mm.default(a, x)
        c: "f32[4]" = torch.ops.aten.mm.default(x, x)
        return (b, c)
"""


def extern(*names):
    calls = "\n".join(
        f"    # Topologically Sorted Source Nodes: [{name}], Original ATen: [aten.mm]\n    # [Provenance"
        f" debug handles] extern_kernels.mm:{n}\n    extern_kernels.mm(x, x)"
        for n, name in enumerate(names, 1)
    )
    return f"# AOT ID: ['0_backward']\ndef call(args):\n{calls}\n"


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["a", "b", "c"], [["a"], ["b"], ["c"]]),
        (["x9", "a", "x9"], [[], ["a"], []]),  # names of removed nodes are ignored
        (["a", "a", "c"], [["a"], ["b"], ["c"]]),  # the second is for the node with it as an input
        (["a", "a", "a"], [["a"], ["b"], []]),
        (
            ["x9", "a, x9", "c"],
            [[], ["b"], ["c"]],
        ),  # the last is the node itself, the earlier ones lead to it
        (["", "", ""], [[], [], []]),
    ],
)
def test_a_call_is_of_the_node_that_is_named(log_of, names, found):
    kernels = backward(log_of, extern(*names), MANY)
    assert [kernels[f"extern_kernels.mm:{n}"] for n in (1, 2, 3)] == found


def test_a_name_of_the_pre_grad_graph_is_not_used_for_the_post_grad_graph(log_of):
    pre = PRE.replace("relu:", "a:")
    assert backward(log_of, extern("a", "b", "c"), MANY, pre) == {
        "extern_kernels.mm:1": [],
        "extern_kernels.mm:2": ["b"],
        "extern_kernels.mm:3": ["c"],
    }


def test_operators():
    kernels = [
        "extern_kernels.mm",
        "torch.ops._c10d_functional.all_reduce_.default",
        "aten.randint.low_out",
        "triton_k",
        "cpp_fused_mm_0",
        "torch.ops.x",
    ]
    assert [operator_of(kernel) for kernel in kernels] == ["mm", "all_reduce", "randint", None, None, None]


# data flow through the code
# ---------------------------------------------------------------------------------------------

CHAIN = """class <lambda>(torch.nn.Module):
    def forward(self, x: "f32[4]", w: "f32[4]"):
        a: "f32[4]" = torch.ops.aten.sin.default(x)
        b: "f32[4]" = torch.ops.aten.cos.default(a)
        p: "f32[4]" = torch.ops.aten.permute.default(b, [0])
        m: "f32[4]" = torch.ops.aten.mm.default(p, w)
        c: "f32[4]" = torch.ops.aten.exp.default(m)
        d: "f32[4]" = torch.ops.aten.add.Tensor(c, x)
        return (d, None, b)
"""
CALLS = """k0 = async_compile.cpp_pybinding(['const float*', 'float*'], r'''
''')
k1 = async_compile.cpp_pybinding(['float*', 'const float*', 'const int64_t'], r'''
''')
    def call(self, args):
        x, w = args
        buf0 = empty_strided_cpu((4, ), (1, ), torch.float32)
        # [Provenance debug handles] k0:1
        k0(x, buf0)
        buf1 = empty_strided_cpu((4, ), (1, ), torch.float32)
        # Topologically Sorted Source Nodes: [m], Original ATen: [aten.mm]
        # [Provenance debug handles] extern_kernels.mm:2
        extern_kernels.mm(reinterpret_tensor(buf0, (4, ), (1, ), 0), w, out=buf1)
        buf2 = buf1; del buf1  # reuse
        # [Provenance debug handles] k1:3
        k1(buf2, x, s0)
        return (buf2, None, buf0, )
"""
FLOW = {"k0:1": ["a", "b"], "extern_kernels.mm:2": ["m"], "k1:3": ["c", "d"]}
NO_FLOW = {"k0:1": [], "extern_kernels.mm:2": ["m"], "k1:3": []}


def test_data_flow_between_known_tensors_gives_the_nodes(log_of):
    assert backward(log_of, CALLS, CHAIN) == FLOW
    both = CHAIN.replace("return (d, None, b)", "return (d, None, p)")
    assert backward(log_of, CALLS, both) == FLOW, "a view of what a kernel writes"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        k1(", "        if x:\n            k1("),  # not always
        ("return (buf2, None, buf0, )", "return (buf2, None, )"),  # outputs differ from the graph's
        (
            "return (buf2, None, buf0, )",
            "return (buf0, None, buf2, )",
        ),  # the same tensor belongs to two nodes
        ("k1(buf2, x, s0)", "k1(buf2, x)"),  # not the arguments of its definition
        ("k1(buf2, x, s0)", "k1(buf2, x, s0); buf2.copy_(x)"),
        ("x, w = args", "x, w = arguments"),
    ],
)
def test_complex_code_gives_no_nodes(log_of, old, new):
    assert old in CALLS
    assert backward(log_of, CALLS.replace(old, new), CHAIN) == NO_FLOW


def test_a_kernel_with_unknown_inputs_gives_no_nodes(log_of):
    assert backward(log_of, CALLS.replace("k0(x, buf0)", "k0(w, buf0)"), CHAIN) == {**FLOW, "k0:1": []}


def test_long_code_is_read_in_time_of_its_length(log_of):
    """Ten thousand kernels in sequence, none of whose names is released."""
    count = 10_000
    definition = "k = async_compile.cpp_pybinding(['const float*', 'float*'], r'''\n''')\n"
    calls = "".join(
        f"        buf{n} = empty_strided_cpu((4, ), (1, ), torch.float32)\n        k(buf{n - 1}, buf{n})\n"
        for n in range(1, count)
    )
    code = CodeText(
        f"{definition}    def call(self, args):\n        buf0, = args\n{calls}        return"
        f" (buf{count - 1}, )\n"
    )
    lines = code.call_lines(["k"])["k"]
    text = "".join(
        f'        n{n}: "f32[4]" = torch.ops.aten.sin.default({f"n{n - 1}" if n else "buf0"})\n'
        for n in range(count)
    )
    assert (
        fused_nodes(
            code.lines,
            code.definitions,
            f"class G:\n{text}        return (n{count - 1},)\n",
            [(line, "k", None) for line in lines],
        )
        == {}
    )
