"""Operators that Inductor calls as they are, with their lines in the program."""

import pytest
from log_builder import log
from tlparse_bundle.tables.fallbacks import operator_of

GRAPH = """
    dynamo_output_graph 0/0
        | class GraphModule(torch.nn.Module):
        |     def forward(self, L_x_: "f32[8]"):
        |         l_x_ = L_x_
        |
        |          # File: /home/user/project/a.py:4 in f, code: y = x.relu()
        |         y: "f32[8]" = l_x_.relu();  l_x_ = None
        |
        |          # File: /home/user/project/a.py:5 in f, code: return y.topk(2)
        |         topk = y.topk(2);  y = None
        |         getitem: "f32[2]" = topk[0];  topk = None
        |         return (getitem,)
"""


@pytest.fixture(scope="session")
def program(built, root):
    (it,) = built(root / "fixtures" / "versions" / "2.13.0" / "fallbacks.log.zst").logs
    return it


def test_operators_of_the_program_and_their_lines(program, root):
    source = (root / "fixtures" / "versions" / "programs" / "fallbacks.py").read_text().split("\n")
    rows = {row["operator"]: row for row in program.table("fallbacks")}
    for operator, text in (
        ("aten.topk", "scores.topk(4)"),
        ("aten.histc", "torch.histc(x, 8, 0, 8)"),
    ):
        row = rows[operator]
        assert text in row["source_line"] and text in source[row["line"] - 1], operator
    assert all(row["call_count"] >= 1 for row in rows.values())


def test_findings_leave_out_library_calls_by_design(program):
    found = {row["details"]["operator"]: row for row in program.findings() if row["kind"] == "fallback"}
    assert set(found) == {"aten.topk", "aten.histc"}
    assert found["aten.topk"]["title"] == "Inductor does not compile `aten.topk` in `best`"
    assert found["aten.topk"]["file"] == "program.py" and found["aten.topk"]["severity"] == "info"


@pytest.mark.parametrize(
    "call", ["torch.ops.aten.convolution.default", "aten.randint.low_out", "aten.bmm.dtype"]
)
def test_calls_by_design_are_no_finding(log_of, call):
    it = log_of(log(GRAPH + code(call)))
    assert it.table("fallbacks")[0]["name"] == call
    assert [row for row in it.findings() if row["kind"] == "fallback"] == []


def test_an_operator_in_a_library_has_the_function_of_the_program_as_its_place(log_of):
    stack = '{"stack": [{"line": 3, "name": "mine", "filename": 0}]}'
    head = f"""
    str ["/home/user/project/own.py", 0]
    dynamo_start 0/0 {stack}
    """
    library = "/opt/venv/lib/python3.11/site-packages/transformers/model.py"
    it = log_of(
        log(head + GRAPH.replace("/home/user/project/a.py", library) + code("torch.ops.aten.topk.default"))
    )
    (finding,) = (row for row in it.findings() if row["kind"] == "fallback")
    assert (finding["file"], finding["function"]) == ("own.py", "mine")
    assert it.table("fallbacks")[0]["file"] == library


def code(call, nodes="topk"):
    return f"""
    inductor_output_code 0/0
        | def call(args):
        |     # Topologically Sorted Source Nodes: [{nodes}], Original ATen: [aten.topk]
        |     buf0 = {call}(arg0, 2)
    """


def test_the_line_comes_from_the_graph_of_the_compile(log_of):
    it = log_of(log(GRAPH + code("torch.ops.aten.topk.default")))
    (row,) = it.table("fallbacks")
    assert (row["file"], row["line"], row["function"], row["source_line"]) == (
        "/home/user/project/a.py", 5, "f", "return y.topk(2)",
    )  # fmt: skip


@pytest.mark.parametrize("nodes", ["", "other"])
def test_without_a_line_the_function_is_the_place(log_of, nodes):
    it = log_of(log(GRAPH + code("torch.ops.aten.topk.default", nodes)))
    assert it.table("fallbacks")[0]["line"] is None


def test_the_only_call_of_the_operator_is_the_place_of_its_backward(log_of):
    """Its kernels are for other nodes, such as what was made of the result."""
    it = log_of(log(GRAPH + code("torch.ops.aten.topk.default", "l_x_")))
    assert it.table("fallbacks")[0]["line"] == 5


@pytest.mark.parametrize(
    "name, operator",
    [
        ("torch.ops.aten.topk.default", "aten.topk"),
        ("aten.sort.stable", "aten.sort"),
        ("aoti_torch_cpu_topk", "aten.topk"),
        ("aoti_torch_cuda_addmm_out", "aten.addmm"),
        ("torch.ops.mylib.op.default", None),
        ("extern_kernels.mm", None),
        ("aoti_torch_proxy_executor_call_function", None),
    ],
)
def test_operators_of_calls(name, operator):
    assert operator_of(name) == operator
