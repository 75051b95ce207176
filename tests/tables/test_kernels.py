"""The table of kernels: fixtures checked against their programs, and generated code that a CPU does not have."""

import pytest
import traces
from log_builder import log
from tlparse_bundle.tables.text.generated_code import read_code


@pytest.fixture(scope="session")
def fixture_log(built, root):
    return lambda name: built(root / "fixtures" / name / "trace").logs[0]


def kernels(it, code_event=None):
    return [row for row in it.table("kernels") if code_event in (None, row["code_event"])]


def test_kernels_of_a_program(fixture_log):
    """fixtures/provenance/README.md: two_kernels has three kernels, in the order of its lines."""
    it = fixture_log("provenance")
    codes = it.table("generated_code")
    assert [(code["compile"], code["direction"]) for code in codes] == [
        ("0/0", "forward"), ("0/0", "backward"), ("1/0", "inference"),
    ]  # fmt: skip
    rows = kernels(it, codes[2]["event"])
    called = sorted(
        (line, f"{row['name']}:{handle}", row["kind"])
        for row in rows
        for line, handle in zip(row["call_lines"], row["call_handles"], strict=True)
    )
    assert [call[1:] for call in called] == [
        ("cpp_fused_add_sin_0:1", "cpp"),
        ("extern_kernels.mm:2", "extern"),
        ("cpp_fused_cos_mul_1:3", "cpp"),
    ]
    assert next(row["aten_ops"] for row in rows if row["kind"] == "extern") == [
        "aten.sin",
        "aten.add",
        "aten.mm",
    ]


@pytest.mark.parametrize("name", ["provenance", "train_step", "transformer", "regions", "ranks4", "aoti"])
def test_lines_are_those_of_the_payload(fixture_log, name):
    it = fixture_log(name)
    texts = {
        artifact.event: artifact.text().split("\n")
        for artifact in it.artifacts
        if artifact.language in ("python", "cpp")
    }
    for row in kernels(it):
        lines = texts[row["code_event"]]
        assert row["line"] is None or row["name"] in lines[row["line"] - 1]
        assert all(f"{row['name']}(" in lines[number - 1] for number in row["call_lines"])
        assert (
            row["call_lines"] or name == "aoti"
        )  # its kernels are defined in one source and called in another
    assert kernels(it)


def test_codes(fixture_log):
    assert [code["role"] for code in fixture_log("aoti").table("generated_code")] == ["wrapper", "kernel"]
    codes = fixture_log("regions").table("generated_code")
    assert [(code["role"], code["subgraph_name"] is not None) for code in codes] == [
        ("autotuning", True),
        ("output", True),
        ("output", False),
    ]
    assert all(code["filename"].endswith(".py") for code in codes if code["role"] == "output")


def test_collectives(fixture_log):
    names = [row["name"] for row in kernels(fixture_log("ranks4")) if row["kind"] == "collective"]
    assert (
        "torch.ops._c10d_functional.all_reduce_.default" in names
        and "torch.ops._c10d_functional.wait_tensor.default" in names
    )


@pytest.mark.parametrize(
    ("path", "lines"),
    [
        ("provenance/inductor_provenance_jit_cuda_log.txt", [186, 192, 197, 201, 207]),
        ("provenance/inductor_provenance_aot_cuda_log.txt", [1061, 1065, 1072, 1080, 1085]),
    ],
)
def test_triton_kernels_of_a_public_trace(shared_traces, built, path, lines):
    (it,) = built(shared_traces / path).logs
    rows = kernels(it)
    assert sorted(line for row in rows for line in row["call_lines"]) == lines
    triton = [row for row in rows if row["kind"] == "triton"]
    assert [row["name"] for row in triton] == [
        "triton_poi_fused_addmm_relu_sigmoid_0", "triton_poi_fused_mul_1", "triton_poi_fused_addmm_gelu_2",
    ]  # fmt: skip
    infos = it.table("triton_kernels")
    assert {(row["triton_event"], row["name"]) for row in triton} == {
        (info["event"], info["name"]) for info in infos
    }
    assert all(info["compile_time_us"] > 0 for info in infos)


# From torch's sources (torch/_inductor/codegen); no fixture has them.


def test_kinds_of_calls():
    code = read_code("""# AOT ID: ['3_backward']
halide_0 = async_compile.halide('halide_0', '''
    extern_kernels.hidden(
''')
# Topologically Sorted Source Nodes: [a, b], Original ATen: [aten.add]
triton_0 = async_compile.triton('triton_0', r'''
def triton_0(): torch.ops.hidden.op(
''', device_str='cuda')
multi_kernel_0 = async_compile.multi_kernel('multi_kernel_0', [
def call(args):
    # Source Nodes: [c], Original ATen: [aten.mm]
    # [Provenance debug handles] aten.a:b:7
    buf0 = torch.ops.mylib.op.default(arg0, extern_kernels.mm(x, y))
    triton_0.run(buf0, grid=grid(4), stream=stream0)
    triton_0.run(buf0, grid=grid(4), stream=stream0)
    aten.set_.source_Tensor(arg0, buf0)
    other_triton_0(buf0)
def benchmark_compiled_module():
    triton_0.run(1)
""")
    assert code.aot_id == "3_backward"
    found = {
        name: (kernel.kind, kernel.line, kernel.call_lines, kernel.call_handles)
        for name, kernel in code.kernels.items()
    }
    assert found == {
        "halide_0": ("other", 2, [], []),
        "triton_0": ("triton", 6, [14, 15], [None, None]),
        "multi_kernel_0": ("triton", 9, [], []),
        "torch.ops.mylib.op.default": ("fallback", None, [13], [7]),
        "extern_kernels.mm": ("extern", None, [13], [None]),
        "aten.set_.source_Tensor": ("fallback", None, [16], [None]),
    }
    assert list(code.kernels["triton_0"].source_nodes) == ["a", "b"]
    assert list(code.kernels["torch.ops.mylib.op.default"].aten_ops) == ["aten.mm"]


def test_infos_of_forward_and_backward(log_of):
    """Both have a kernel of one name; each belongs to the info after its code."""
    text = "\n".join(
        f"""
        inductor_output_code 0/0 {{"filename": "/tmp/{name}.py"}}
            | triton_0 = async_compile.triton('triton_0', 1)
        artifact:triton_kernel_info 0/0
            | {{"triton_0": {{"compile_time_us": {time}, "num_configs": 2, "autotune_cache_state": "miss"}}}}"""
        for name, time in (("forward", 5), ("backward", 6))
    )
    it = log_of(log(text))
    times = {(info["event"], info["name"]): info["compile_time_us"] for info in it.table("triton_kernels")}
    assert [times[row["triton_event"], row["name"]] for row in it.table("kernels")] == [5, 6]


def test_hostile_records(log_of, found):
    it = log_of(
        log("""
        inductor_output_code 0/0 {"filename": 7}
        inductor_output_code 0/0 [1]
            | extern_kernels.mm(
        graph_dump 0/0 {"name": 3}
            | x = async_compile.triton(
        artifact:triton_kernel_info 0/0
            | [1]
        artifact:triton_kernel_info 0/0
            | {"a": 1, "b": {"compile_time_us": "long", "num_configs": -1}}
        """)
    )
    assert [(code["role"], code["filename"]) for code in it.table("generated_code")] == [
        ("output", None),
        ("output", None),
        ("other", None),
    ]
    assert [info["compile_time_us"] for info in it.table("triton_kernels")] == [None, None]
    assert [code for code, *_ in found(it)] == ["table-parse"]


def test_long_lines_take_linear_time():
    code = read_code("    " + "a(" * 200_000 + "\n" + "    extern_kernels.mm(\n" * 20_000 + "'''" * 9999)
    assert len(code.kernels["extern_kernels.mm"].call_lines) == 1000 and code.cut


def test_public_traces_have_kernels(built):
    for path in traces.PUBLIC_LOGS:
        for it in built(path).logs:
            assert sum(code["kernel_count"] for code in it.table("generated_code")) == len(
                it.table("kernels")
            )


def source_lines(it):
    """Return {(code, kernel): {(line, evidence)}}."""
    lines = {}
    for row in it.table("kernel_lines"):
        lines.setdefault((row["code_event"], row["kernel"]), set()).add((row["line"], row["evidence"]))
    return lines


@pytest.mark.parametrize(
    ("name", "least"), [("provenance", 5), ("provenance_graphs", 9), ("provenance_training", 7)]
)
def test_source_lines_are_among_those_that_torch_records_with_provenance(fixture_log, name, least):
    it = fixture_log(name)
    code_of = {group["id"]: group["code_event"] for group in it.table("provenance_groups")}
    line_of = {source["id"]: source["line"] for source in it.table("provenance_sources")}
    recorded = {}
    for kernel in it.table("provenance_kernels"):
        own = recorded.setdefault((code_of[kernel["group"]], kernel["name"]), set())
        own.update(line_of[stack[-1]] for stack in kernel["sources"])
    checked = {key: lines for key, lines in source_lines(it).items() if recorded.get(key)}
    assert all({line for line, _ in lines} <= recorded[key] for key, lines in checked.items())
    assert sum(map(len, checked.values())) >= least


def test_source_lines_without_provenance(fixture_log, root):
    """A C++ kernel has the line of what it returns, not of a later view of it; a library call has its own."""
    program = (root / "fixtures" / "transformer" / "program.py").read_text().split("\n")
    it = fixture_log("transformer")
    assert it.table("provenance_groups") == []
    forward = it.table("generated_code")[0]["event"]
    texts = {
        kernel: {(program[line - 1].strip(), evidence) for line, evidence in lines}
        for (code, kernel), lines in source_lines(it).items()
        if code == forward
    }
    assert texts["cpp_fused_native_layer_norm_0"] == {("x = x + self.attention(self.norm1(x))", "result")}
    assert texts["extern_kernels.bmm"] == {
        ("scores = q @ k.transpose(-2, -1) / (WIDTH // HEADS) ** 0.5", "comment"),
        ("mixed = scores.softmax(-1) @ v", "comment"),
    }


def test_source_lines_of_triton_kernels(log_of):
    """A name that two nodes have, or that the graph lacks, gives no line; nor do the names of a backward."""
    code = """
        inductor_output_code 0/0 {"filename": "/tmp/a.py"}
            | # AOT ID: ['0_%s']
            | # Topologically Sorted Source Nodes: [a, b, twice, gone], Original ATen: [aten.add]
            | triton_0 = async_compile.triton('triton_0', 1)
            | def call(args):
            |     # Topologically Sorted Source Nodes: [a, b], Original ATen: [aten.add, aten.mm]
            |     extern_kernels.mm(x, y, out=buf0)"""
    it = log_of(
        log(
            """
        dynamo_output_graph 0/0
            | class GraphModule(torch.nn.Module):
            |     def forward(self, x):
            |         # File: /p/t.py:3 in f, code: a = x + 1
            |         a: "f32[4]" = x + 1
            |         # File: /p/t.py:4 in f, code: b = a @ a
            |         b: "f32[4]" = a @ a;  a = None
            |         twice: "f32[4]" = b
            |         # File: /p/t.py:5 in f, code: c
            |         twice: "f32[4]" = b"""
            + code % "forward"
            + code % "backward"
        )
    )
    (forward, _) = (row["event"] for row in it.table("generated_code"))
    assert source_lines(it) == {
        (forward, "triton_0"): {(3, "comment"), (4, "comment")},
        (forward, "extern_kernels.mm"): {(4, "comment")},
    }
    assert it.table("kernel_lines")[0] == {
        "code_event": forward, "kernel": "triton_0", "evidence": "comment",
        "file": "/p/t.py", "line": 3, "function": "f", "source_line": "a = x + 1",
    }  # fmt: skip
