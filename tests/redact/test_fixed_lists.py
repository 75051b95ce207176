"""The fixed lists of structural text: what is on them says nothing about the program."""

import pytest
from tlparse_bundle.redact.fixed_lists import LISTS, is_listed

ON = {
    "artifacts": ["dynamo_output_graph", "after_post_grad_graph", "fx_graph_cache_miss", "dynamo_output_graph_3", "vllm_submod_2"],
    "break pages": ["https://meta-pytorch.org/compile-graph-break-site/gb/gb0059.html", "https://meta-pytorch.github.io/compile-graph-break-site/gb/gb0059.html"],
    "breaks": ["Data-dependent branching", "GB0059"],
    "collectives": ["all_reduce", "sum", "_all_gather_base", "nccl", "_c10d_functional.all_gather_into_tensor"],
    "compiles": ["0/1", "0/1_2", "0/0@2", "aot-1", "!0/1/2"],
    "descriptors": ["dynamo_start", "artifact:*text", "artifact:after_*_graph"],
    "devices": ["cpu", "cuda:7"],
    "diagnostics": ["record-cut"],
    "dtypes": ["torch.float32", "f32", "Float"],
    "exceptions": ["ValueError", "Unsupported", "torch._dynamo.exc.Unsupported", "GB0059"],
    "findings": ["graph-break", "straggler", "unlisted"],
    "guards": ["TENSOR_MATCH", "OTHER"],
    "levels": ["V"],
    "metrics": ["co_name", "graph_op_count"],
    "operators": ["torch.ops.aten.mm.default", "torch.ops.aten.mean.dim", "operator.add", "extern_kernels.mm", "triton_poi_fused_add_mul_0"],
    "policy": [],
    "producer": ["tlparse-bundle"],
    "settings": ["recompile_limit", "triton.cudagraphs"],
    "sizes": ["s0", "2*s77 + 1", "[2, int_oo]", "Eq(Mod(u0, 2), 0)", "(8, 4096)", "-1", "True"],
    "spans": ["dynamo", "inductor_compile", "OutputGraph.call_user_compiler", "compile_attempt_3", "pass.post_grad_passes.remove_noop_ops"],
    "tables": ["graph_breaks", "manifest.job"],
    "times": ["11-21 07:20:59.479000"],
    "types": ["dynamo_start", "artifact", "damaged_record"],
    "versions": ["2.6.0+cu124", "2.13.0", "2.15.0.dev20260910+cpu"],
    "words": ["hit", "fx_graph miss", "4_inference", "all_reduce, all_gather"],
}  # fmt: skip
SECRETS = [
    "acme", "hunter2", "Acme Fused MLP", "密码", "पासवर्ड", "a\u200bb", "ip-10-31-77-204", "10.31.77.204", "4111111111111111",
    "4111 1111 1111 1111", "4111-1111-1111-1111", "123-45-6789", "00-1A-2B-3C-4D-5E", "00:1A:2B:3C:4D:5E", "0xDEADBEEF",
    "AKIAIOSFODNN7EXAMPLE", "ACME-1234-5678-LICENSE", "ann@corp.example", "/home/ann/torch/x.py", "s0_secret", "u0.acme",
    "acme.mm.default", "torch.ops.acme.mm.default", "torch.ops.aten.acme.default", "torch.ops.aten.mm.acme",
    "triton_poi_fused_acme_0", "extern_kernels.acme", "self.acme_0", "after_acme_graph", "acme_wrapper", "acme_3",
    "cuda:acme", "torch.acme", "2.6.0+acme", "acme.Error", "AcmeError", "torch._dynamo.exc.AcmeError", "artifact:acme",
    "0/acme", "aot-acme", "hit acme", "GB00591", "https://acme.example/gb/gb0059.html", "graph_breaks\n", "true\n", "f32\n",
    "dynamo.acme", "pass.post_grad_passes.acme", "compile_attempt_acme", "acme_submod_1", "f_acme_ORIGINAL_BYTECODE", "co_name_acme", "triton.acme", "TENSOR_ACME", "x" * 100_000,
]  # fmt: skip


def test_every_list_has_an_example_here():
    assert set(ON) == set(LISTS)


@pytest.mark.parametrize("name", LISTS)
def test_what_is_listed_stays_and_a_secret_does_not(name):
    assert [text for text in ON[name] if not is_listed(name, text)] == []
    assert [text for text in SECRETS if is_listed(name, text)] == []
