"""Nodes of kernels by the comments in generated code, where torch wrote no map; and what the code has beside the map."""

import json

import pytest
import traces
from log_builder import record
from provenance_graphs import graphs_of, text_of
from test_provenance_made import POST, PRE
from tlparse_bundle.provenance.code_comments import CodeComments, operator_of
from tlparse_bundle.provenance.code_text import CodeText
from tlparse_bundle.provenance.graph_text import GraphText

PROVENANCE = ["provenance", "provenance_training", "provenance_graphs"]
PUBLIC = [traces.PUBLIC / name for name in ("exec_order/dedicated_log_torch_trace_rank_0_a74od7a1.log", "multi_rank_runtime/dedicated_log_torch_trace_rank_0.log", "provenance/inductor_provenance_jit_cuda_log.txt")]


def of(built, path):
    (it,) = built(path).logs
    return it, graphs_of(it)


@pytest.mark.parametrize("name", ["provenance", "provenance_training"])
def test_a_backward_that_torch_did_not_map(built, root, name):
    """Of its three kernels one is called by a library: the others have no comment on a CPU."""
    it, graphs = of(built, root / "fixtures" / name / "trace")
    backward = graphs["0/0", 2]
    assert json.loads(text_of(it, backward.row["mapping_event_index"])) == {"version": 2.0}
    kernel = backward.kernels["extern_kernels.mm:2"]
    assert [backward.name("post", line) for line in kernel["post_lines"]] == ["mm"] and kernel["by_comment"]
    (call,) = kernel["call_lines"]
    assert "[permute_1, permute_3]" in backward.line("code", call - 2), "it names an input, and a node that is gone"
    others = [other for other in backward.kernels.values() if other is not kernel]
    assert len(others) == 2 and not any(other["post_lines"] or other["by_comment"] for other in others)
    assert backward.row["coverage"]["kernel_by_comment_count"] == backward.row["coverage"]["kernel_in_post_count"] == 1


@pytest.mark.parametrize("path", traces.params([path for path in PUBLIC if path.exists()], traces.PUBLIC) + [pytest.param(name, id=name) for name in PROVENANCE])
def test_comments_say_what_the_map_says(built, root, path):
    """Where torch wrote a map, the comments lead to the same nodes."""
    _, graphs = of(built, root / "fixtures" / path / "trace" if type(path) is str else path)
    compared = 0
    for graph in graphs.values():
        kernels = [kernel for kernel in graph.kernels.values() if not kernel["by_comment"]]
        if graph.row["version"] is None or not any(kernel["post_lines"] for kernel in kernels):
            continue
        strings, post = graph.table["strings"], GraphText(graph.texts["post"])
        pre = GraphText(graph.texts["pre"]).lines if graph.texts["pre"] else ()
        comments = CodeComments(CodeText(graph.texts["code"]), post, graph.texts["post"], pre)
        calls = [(strings[kernel["name"]], kernel["call_lines"], set()) for kernel in kernels]
        for kernel, lines in zip(kernels, comments.lines_of(calls), strict=True):
            assert lines in ([], kernel["post_lines"]), strings[kernel["name"]]
            compared += bool(lines)
            assert not kernel["by_comment"]
    assert compared >= (0 if type(path) is str else 2)  # kernels for a GPU have comments; on a CPU only calls of libraries do


@pytest.mark.parametrize("path", traces.params([path for path in PUBLIC if path.exists()], traces.PUBLIC) + [pytest.param(name, id=name) for name in PROVENANCE])
def test_kernels_are_those_that_the_code_has(built, root, path):
    """Collectives too, which the map of torch does not name: as in the table of kernels, which reads the code alone."""
    it, graphs = of(built, root / "fixtures" / path / "trace" if type(path) is str else path)
    table = it.table("kernels")
    for graph in graphs.values():
        codes = {number for number, code in enumerate(table["codes"]) if code["event_index"] == graph.row["code_event_index"]}
        read = {kernel["name"] for kernel in table["kernels"] if kernel["code_index"] in codes}
        assert {graph.table["strings"][kernel["name"]] for kernel in graph.kernels.values()} == read
    if type(path) is not str and "multi_rank" in str(path):
        assert "torch.ops._c10d_functional.all_reduce_.default" in graphs["0/0", 1].kernels


def test_bodies_of_the_kernels_of_aotinductor(built, root):
    it, graphs = of(built, root / "fixtures" / "provenance_aoti" / "trace")
    (graph,) = graphs.values()
    bodies = text_of(it, graph.row["bodies_event_index"]).split("\n")
    own = {name: kernel for name, kernel in graph.kernels.items() if name.startswith("cpp_fused")}
    assert own
    for name, kernel in own.items():
        first, last = kernel["body"]
        assert f"{name.partition(':')[0]}(" in bodies[first - 1] and bodies[last - 1].rstrip() == "}"
    assert all(kernel["body"] is None for name, kernel in graph.kernels.items() if name not in own)
    (training, *_) = of(built, root / "fixtures" / "provenance_training" / "trace")[1].values()
    assert training.row["bodies_event_index"] is None


# made ----------------------------------------------------------------------------------------------------------------

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
    records += [record("inductor_post_grad_graph", payload=post), record("inductor_output_code", payload=code)]
    it = log_of(b"".join([*records, record("artifact:inductor_provenance_tracking_node_mappings", payload='{"version": 2.0}')]))
    (graph,) = graphs_of(it).values()
    return {name: [graph.name("post", line) for line in kernel["post_lines"]] for name, kernel in graph.kernels.items()}


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
    calls = "\n".join(f"    # Topologically Sorted Source Nodes: [{name}], Original ATen: [aten.mm]\n    # [Provenance debug handles] extern_kernels.mm:{n}\n    extern_kernels.mm(x, x)" for n, name in enumerate(names, 1))
    return f"# AOT ID: ['0_backward']\ndef call(args):\n{calls}\n"


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["a", "b", "c"], [["a"], ["b"], ["c"]]),
        (["x9", "a", "x9"], [[], ["a"], []]),  # the names of nodes that are gone say nothing
        (["a", "a", "c"], [["a"], ["b"], ["c"]]),  # the second is of what has it for an input
        (["a", "a", "a"], [["a"], ["b"], []]),
        (["x9", "a, x9", "c"], [[], ["b"], ["c"]]),  # the last is the node itself, what is before it leads to it
        (["", "", ""], [[], [], []]),
    ],
)
def test_a_call_is_of_the_node_that_is_named(log_of, names, found):
    kernels = backward(log_of, extern(*names), MANY)
    assert [kernels[f"extern_kernels.mm:{n}"] for n in (1, 2, 3)] == found


def test_a_name_of_the_pre_grad_graph_is_none_of_the_post_grad_graph(log_of):
    pre = PRE.replace("relu:", "a:")
    assert backward(log_of, extern("a", "b", "c"), MANY, pre) == {"extern_kernels.mm:1": [], "extern_kernels.mm:2": ["b"], "extern_kernels.mm:3": ["c"]}


def test_operators():
    kernels = ["extern_kernels.mm", "torch.ops._c10d_functional.all_reduce_.default", "aten.randint.low_out", "triton_k", "cpp_fused_mm_0", "torch.ops.x"]
    assert [operator_of(kernel) for kernel in kernels] == ["mm", "all_reduce", "randint", None, None, None]
