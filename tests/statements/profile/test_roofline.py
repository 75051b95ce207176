"""Bytes and operations of kernels with known sizes, and their rates as shares of peaks."""

import json

import pytest
from log_builder import record
from profiled import PROGRAMS, built_with
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.pipeline.merge import add_profiles
from tlparse_bundle.statements.profile.kernel_work import KernelWork
from tlparse_bundle.statements.profile.log_index import LogIndex
from tlparse_bundle.statements.profile.peaks import peaks_of, stated_peaks

FLOAT = 4
IMAGE, WEIGHT, RESULT = 4 * 3 * 32 * 32, 16 * 3 * 3 * 3, 4 * 16 * 32 * 32
# fixtures/profiler/program.py, work: bytes and operations of one call.
WORK = {
    "extern_kernels.bmm": ((8 * 30 * 30 + 2 * 8 * 30 * 40) * FLOAT, 2 * 8 * 30 * 30 * 40),
    "extern_kernels.addmm": ((30 + 40 * 30 + 30 * 30 + 40 * 30) * FLOAT, 2 * 40 * 30 * 30),
    "extern_kernels.convolution": ((IMAGE + WEIGHT + 16 + RESULT) * FLOAT, 2 * RESULT * 3 * 3 * 3),
    "cpp_fused_relu_1": (2 * RESULT * FLOAT, None),
    "cpp_fused_add_copy__2": (2 * 50_000 * FLOAT, None),
    # the sine in place, and copies of image and weight
    "cpp_fused_convolution_sin_0": ((2 * 8 * 30 * 40 + 2 * IMAGE + 2 * WEIGHT) * FLOAT, None),
}


def test_work_and_rates_of_known_kernels(tmp_path):
    peaks = ["GB/s=20", "TFLOP/s:float32=0.1"]
    bundle = built_with("work", tmp_path / "built", peak=peaks)
    (log,) = bundle.logs
    rows = {row["kernel"]: row for row in log.table("kernel_calls")}
    assert set(rows) == set(WORK) and all(row["work_unknown"] is None for row in rows.values())
    for kernel, (size, flops) in WORK.items():
        row = rows[kernel]
        assert (row["call_bytes"], row["call_flops"]) == (size, flops), kernel
        us = row["total_us"] / row["count"]
        assert row["bandwidth_share"] == pytest.approx(row["call_bytes"] / us / 20e3, abs=1e-5)
        if flops is not None:
            assert row["flops_share"] == pytest.approx(flops / us / 0.1e6, abs=1e-5)
    (profile,) = log.table("profiles")
    assert [(peak["unit"], peak["dtype"], peak["rate"]) for peak in profile["peaks"]] == [
        ("GB/s", None, 20.0),
        ("TFLOP/s", "float32", 0.1),
    ]
    build(discover([PROGRAMS / "work" / "trace"]), tmp_path / "added", jobs=1)
    add_profiles(tmp_path / "added", [str(PROGRAMS / "work" / "profiles")], peaks)
    assert Bundle.open(tmp_path / "added").logs[0].table("kernel_calls") == log.table("kernel_calls")


def test_unknown_work_has_a_reason(tmp_path):
    for name, expected in (
        ("dynamic", {"dynamic"}),
        ("cpp_wrapper", {"language"}),
        ("lines", {"operator", None}),
    ):
        (log,) = built_with(name, tmp_path / name).logs
        rows = [row for row in log.table("kernel_calls") if row["kernel"] is not None]
        assert {row["work_unknown"] for row in rows} == expected
        assert all((row["call_bytes"] is None) == (row["work_unknown"] is not None) for row in rows)
        assert {row["bandwidth_share"] for row in rows} == {None}  # no peak


TRITON = """
triton_poi_fused_add_0 = async_compile.triton('triton_poi_fused_add_0', \'\'\'
@triton.jit
def triton_poi_fused_add_0(in_out_ptr0, in_ptr0, out_ptr1, xnumel, XBLOCK : tl.constexpr):
    pass
\'\'\', device_str='cuda')

async_compile.wait(globals())
def call(args):
    arg0_1, arg1_1, arg2_1 = args
    args.clear()
    with torch.cuda._DeviceGuard(0):
        buf0 = empty_strided_cuda((100, 10), (10, 1), torch.bfloat16)
        triton_poi_fused_add_0.run(arg0_1, arg1_1, buf0, 1000, stream=stream0)
        buf1 = empty_strided_cuda((10, 10), (10, 1), torch.bfloat16)
        extern_kernels.mm(reinterpret_tensor(buf0, (10, 100), (1, 10), 0), buf0, out=buf1)
        extern_kernels.mm(arg2_1, buf1, out=buf1)
        for i in range(2):
            aten.sin.out(buf1, out=buf1)
        aten.sin.out(buf1, out=buf1)
    return (buf1, )

def benchmark_compiled_module(times=10, repeat=10):
    arg0_1 = rand_strided((100, 10), (10, 1), device='cuda:0', dtype=torch.float32)
    arg1_1 = rand_strided((100, 10), (0, 1), device='cuda:0', dtype=torch.bfloat16)
"""


def test_work_of_triton_code(tmp_path):
    path = tmp_path / "dedicated_log_torch_trace_made.log"
    path.write_bytes(
        record('dynamo_start 0/0 {"stack": []}')
        + record("inductor_output_code 0/0 " + json.dumps({"filename": "/tmp/a.py"}), payload=TRITON)
    )
    (log,) = Bundle.open(build(discover([path]), tmp_path / "bundle", jobs=1).path).logs
    codes = LogIndex(log).codes
    work = KernelWork(log, codes)
    # float32 in place, ten bfloat16 that are repeated, a bfloat16 result
    assert work.of(next(iter(codes)), "triton_poi_fused_add_0")[:2] == (2 * 4000 + 20 + 2000, None)
    (code,) = codes
    assert work.of(code, "extern_kernels.mm").unknown == "size"  # of arg2_1
    first, second = work.order(code, "extern_kernels.mm")
    assert second == first + 1
    assert work.of(code, "extern_kernels.mm", first).flops == 2 * 10 * 100 * 10
    assert work.of(code, "extern_kernels.mm", second).unknown == "size"
    assert list(work.order(code, "aten.sin.out")) == []  # in a loop


def test_peaks():
    (peak,) = stated_peaks(["tflop/s:torch.bfloat16=312"])
    assert (peak.unit, peak.dtype, peak.rate) == ("TFLOP/s", "bfloat16", 312.0)
    known = peaks_of([], ["AMD Instinct MI300X"], True)
    assert [peak.rate for peak in known if peak.unit == "GB/s"] == [5300]
    for none in (
        peaks_of([], ["AMD Instinct MI300X"], False),
        peaks_of([], ["A", "B"], True),
        peaks_of([], [], True),
    ):
        assert none == []
    assert peaks_of([peak], ["AMD Instinct MI300X"], True) == [peak]
    for wrong in ("GB/s", "GB/s=", "GB/s=-1", "MB/s=3", "GB/s:float32=3", "GB/s=nan"):
        with pytest.raises(BundleError, match="is not a peak rate"):
            stated_peaks([wrong])
