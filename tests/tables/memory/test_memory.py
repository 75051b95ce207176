"""Peaks of generated code, compared with what the allocator did, and the rows of its buffers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import traces
from log_builder import record
from tlparse_bundle import Bundle, build, discover

sys.path.insert(0, str(Path(__file__).parent))
from measure import NAMES, results

FIXTURES = traces.ROOT / "fixtures" / "memory"
PROGRAMS = sorted(path.parent.name for path in FIXTURES.glob("*/truth.json"))
TORCH = os.environ.get("TORCH_PYTHON")
# Operators of these programs allocate more than their results, or only one of two branches runs.
UNKNOWN = {
    "attention", "complex_numbers", "conditional", "convolution", "half", "multi_output",
    "products_of_types", "train_attention",
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_peak_is_what_the_profiler_measured_or_unknown(built, name):
    (log,) = built(FIXTURES / name / "trace").logs
    found = results(log, json.loads((FIXTURES / name / "truth.json").read_text()))
    assert found
    verdicts = {result.verdict for result in found}
    assert verdicts == ({"unknown"} if name in UNKNOWN else {"exact"})
    for result in found:
        assert bool(result.row["unknown"]) == (result.row["peak_bytes"] is None)


@pytest.mark.parametrize("name", PROGRAMS)
def test_buffers_add_up_to_the_peak_and_to_what_is_returned(built, name):
    (log,) = built(FIXTURES / name / "trace").logs
    truth = json.loads((FIXTURES / name / "truth.json").read_text())
    for result in results(log, truth):
        row = result.row
        own = [
            buffer
            for buffer in log.table("memory_buffers")
            if buffer["code_event"] == row["code_event"] and buffer["role"] != "input"
        ]
        live = [buffer["bytes"] or 0 for buffer in own if is_live(buffer, row["peak_step"])]
        assert sum(live) == row["known_peak_bytes"]
        if row["peak_bytes"] is not None:
            assert (
                sum(buffer["bytes"] for buffer in own if buffer["last_step"] is None)
                == result.truth["kept_bytes"]
            )
            assert len(own) == result.truth["allocation_count"]


def is_live(buffer, step):
    return buffer["first_step"] <= step and (buffer["last_step"] is None or buffer["last_step"] > step)


def test_what_a_forward_saves_is_what_its_backward_gets(built):
    (log,) = built(FIXTURES / "train_mlp" / "trace").logs
    forward, backward = log.table("memory")
    buffers = list(log.table("memory_buffers"))
    saved = {row["node"]: row["bytes"] for row in buffers if row["role"] == "saved"}
    inputs = {
        row["name"]: row["bytes"]
        for row in buffers
        if row["role"] == "input" and row["code_event"] == backward["code_event"]
    }
    assert saved and saved.items() <= inputs.items()
    assert forward["saved_bytes"] == sum(saved.values())
    assert {row["name"] for row in buffers if row["role"] == "input" and row["saved"]} <= inputs.keys()
    assert all(row["line"] is not None for row in buffers if row["role"] == "saved")


def test_sizes_of_symbols_are_those_of_their_hints(built):
    (log,) = built(FIXTURES / "dynamic_both" / "trace").logs
    (row,) = log.table("memory")
    assert row["is_hint"]
    shapes = [buffer["shape"] for buffer in log.table("memory_buffers") if buffer["is_hint"]]
    assert any(type(size) is str and size[0] in "s2" for shape in shapes for size in shape)


PARTITIONED = """
import torch
cpp_fused_0 = async_compile.cpp_pybinding(['float*'], r'''
void kernel(float* out) {}
''')


async_compile.wait(globals())
del async_compile

def partition_0(args):
    arg0_1, = args
    args.clear()
    buf0 = empty_strided_cuda((100, ), (1, ), torch.float32)
    cpp_fused_0(buf0)
    buf1 = empty_strided_cuda((200, ), (1, ), torch.float32)
    cpp_fused_0(buf1)
    del buf0
    return (buf1, )

class Runner:
    def __init__(self, partitions):
        self.partitions = partitions

    def call(self, args):
        arg0_1, = args
        args.clear()
        partition0_args = [arg0_1]
        del arg0_1
        (buf1,) = self.partitions[0](partition0_args)
        del partition0_args
        buf2 = empty_strided_cuda((1000, ), (1, ), torch.float32)
        STATEMENT
        del buf1
        return (buf2, )

runner = Runner(partitions=[partition_0])
call = runner.call
"""


def rows_of(tmp_path, code):
    path = tmp_path / "dedicated_log_torch_trace_a.log"
    path.write_bytes(record('inductor_output_code 0/0 {"filename": "a.py"}', code))
    build(discover([path]), tmp_path / "out", jobs=1)
    (log,) = Bundle.open(tmp_path / "out").logs
    (row,) = log.table("memory")
    return row, list(log.table("memory_buffers"))


def test_a_partition_is_a_function_that_the_code_calls(tmp_path):
    row, buffers = rows_of(tmp_path, PARTITIONED.replace("STATEMENT", "cpp_fused_0(buf2)"))
    # The CUDA allocator rounds up to 512 bytes; buf0 is freed before the partition returns.
    assert (row["peak_bytes"], row["unknown"]) == (1024 + 4096, [])
    names = {buffer["name"]: buffer for buffer in buffers}
    assert names["buf0"]["last_line"] < names["buf2"]["first_line"]
    assert names["buf0"]["last_step"] < names["buf1"]["last_step"]
    assert (names["buf2"]["role"], names["buf2"]["last_line"]) == ("output", None)


AUTOTUNING = '''r"""
Compile-time auto-tuning block:

async_compile = AsyncCompile()
async_compile.wait(globals())
del async_compile
"""'''


def test_an_autotuning_block_in_the_docstring_is_not_the_code(tmp_path):
    row, buffers = rows_of(tmp_path, AUTOTUNING + PARTITIONED.replace("STATEMENT", "pass"))
    assert (row["peak_bytes"], row["unknown"]) == (1024 + 4096, [])
    lines = (AUTOTUNING + PARTITIONED).split("\n")
    assert [lines[buffer["first_line"] - 1].split()[0] for buffer in buffers[1:]] == ["buf0", "buf1", "buf2"]


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("buf2 = buf2 + buf1", "statement"),
        ("buf3 = torch.ops.mylib.custom.default(buf2)", "operator"),
        ("buf3 = empty_strided_cuda((u0, ), (1, ), torch.float32)", "size"),
        ("buf3 = empty_strided_cuda((5, ), (1, ), torch.quint8)", "dtype"),
        ("inductor_ops.resize_storage_bytes_(buf2, 0)", "size"),
        ("for i in range(9): cpp_fused_0(buf2)", "branch"),
        ("while True: pass", "branch"),
        ("extern_kernels.mm(reinterpret_tensor(buf2, (5, 5), (20, 2), 0), buf1, out=buf2)", "operator"),
        ("buf2 = [buf1 for _ in args]", "statement"),
        ("async def g(): pass", "statement"),
        ("call(args)", "operator"),
        ("(", "language"),
    ],
)  # fmt: skip
def test_other_statements_make_the_peak_unknown(tmp_path, statement, reason):
    row, _ = rows_of(tmp_path, PARTITIONED.replace("STATEMENT", statement))
    assert row["peak_bytes"] is None
    assert reason in row["unknown"]
    assert row["known_peak_bytes"] <= 1024 + 4096


CPP = """
cpp_wrapper_src = (
r'''
void inductor_entry_impl(
    AtenTensorHandle*
        input_handles, // array
    AtenTensorHandle*
        output_handles  // array
) {
    py::gil_scoped_release_simple release;
    auto inputs = steal_from_raw_handles_to_raii_handles(input_handles, 1);
    auto arg0_1 = std::move(inputs[0]);
    AOTICudaStreamGuard stream_guard(stream, this->device_idx_);
    static constexpr int64_t int_array_0[] = {10L, 100L};
    static constexpr int64_t int_array_1[] = {100L, 1L};
    AtenTensorHandle buf0_handle;
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_empty_strided(2, int_array_0, int_array_1, cached_torch_dtype_float32, cached_torch_device_type_cuda, 0, &buf0_handle));
    RAIIAtenTensorHandle buf0(buf0_handle);
    call_triton_poi_fused_0(arg0_1, buf0, 1000L, stream0);
    arg0_1.reset();
    AtenTensorHandle buf1_handle;
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_empty_strided(2, int_array_0, int_array_1, cached_torch_dtype_int64, cached_torch_device_type_cuda, 0, &buf1_handle));
    RAIIAtenTensorHandle buf1(buf1_handle);
    STATEMENT
    auto buf2 = std::move(buf0);  // reuse
    auto buf3 = wrap_with_raii_handle_if_needed(reinterpret_tensor_wrapper(buf1, 1, int_array_2, int_array_3, 0L)); buf1.reset();  // reuse
    buf2.reset();
    output_handles[0] = buf3.release();
    output_handles[1] = output_handles[0];
} // inductor_entry_impl
'''
)
"""


def test_the_cpp_wrapper_is_followed(tmp_path):
    row, buffers = rows_of(tmp_path, CPP.replace("STATEMENT", ""))
    assert (row["peak_bytes"], row["unknown"]) == (4096 + 8192, [])
    arg, first, second = buffers
    assert (arg["role"], arg["bytes"], arg["unknown"]) == ("input", None, "dtype")
    assert (first["role"], first["aliases"]) == ("intermediate", ["buf2"])
    assert (second["role"], second["aliases"], second["last_line"]) == ("output", ["buf3"], None)
    lines = CPP.split("\n")
    assert "buf0_handle));" in lines[first["first_line"] - 1]
    assert "buf2.reset()" in lines[first["last_line"] - 1]


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("RAIIAtenTensorHandle buf9;", "statement"),
        ("if (u0 > 5) {", "statement"),
        ("AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_cuda_convolution(buf0, buf1, &buf5_handle));", "operator"),
        ("buf1 = something(buf0);", "statement"),
    ],
)
def test_other_statements_of_the_cpp_wrapper_make_the_peak_unknown(tmp_path, statement, reason):
    row, _ = rows_of(tmp_path, CPP.replace("STATEMENT", statement))
    assert row["peak_bytes"] is None
    assert reason in row["unknown"]


@pytest.mark.parametrize(
    "code",
    [
        "def call(args):\n    return call(args)",
        "def call(args):\n    a, = args\n    return f([f([a]), f([a])])\n\ndef f(args):\n    return f(args), f(args)",
        "def call(args):\n    x = " + "(" * 3000 + ")" * 3000,
        "def call(args):\n    x = " + "-" * 100_000 + "1",
        "def call(args):\n    x = empty_strided_cpu((9**9**9, 2), (1, 1), torch.float32)",
        "def call(args):\n    x = empty_strided_cpu((10 ** 400, ), (1, ), torch.float32)",
        "def call(args):\n    x = empty_strided_cpu((-5, ), (1, ), torch.float32)",
        "def call(args):\n    x = empty_strided_cpu(5)",
        "\0",
        "def call(args):\n" + "    del a\n" * 200_000,
    ],
    ids=range(10),
)
def test_hostile_code_has_an_unknown_peak(tmp_path, code):
    row, _ = rows_of(tmp_path, code)
    assert (row["peak_bytes"], row["known_peak_bytes"]) == (None, 0)


@pytest.mark.skipif(TORCH is None, reason="TORCH_PYTHON names no Python with torch")
def test_a_program_is_measured(root):
    script = root / "tests" / "memory" / "measure.py"
    done = subprocess.run(
        [sys.executable, script, TORCH, "--programs", NAMES[0]], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "exact" in done.stdout
