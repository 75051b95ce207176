"""A log with provenance for 50,000 lines of generated code."""

import json

from log_builder import record

KERNELS = 2_000


def long_provenance(kernels=KERNELS):
    """Return a log of ``kernels`` kernels of 20 lines and their calls, each with one graph node."""

    def graph(op):
        return "class M(torch.nn.Module):\n    def forward(self, x):\n" + "".join(
            f"        # File: /home/user/model.py:{i + 10} in forward, code: x{i} = f{i}(x)\n        n{i}:"
            f' "f32[4]" = {op}(x, {i})\n'
            for i in range(kernels)
        )

    code = ["# AOT ID: ['0_inference']"]
    for i in range(kernels):
        code += [
            f"k{i} = async_compile.triton('k{i}', '''",
            *[f"    tmp{j} = tl.load(in_ptr{j})" for j in range(20)],
            "''', device_str='cuda')",
        ]
    code.append("def call(self, args):")
    for i in range(kernels):
        code += [f"    # [Provenance debug handles] k{i}:{i + 1}", f"    k{i}.run(buf{i})", f"    del buf{i}"]
    names = {f"n{i}": [f"n{i}"] for i in range(kernels)}
    mapping = {
        "preToPost": names,
        "postToPre": names,
        "cppCodeToPost": {f"k{i}:{i + 1}": [f"n{i}"] for i in range(kernels)},
        "version": 2.0,
    }
    stacks = {
        f"k{i}:{i + 1}": [f'  File "/home/user/model.py", line {i + 10}, in forward\n    x{i} = f{i}(x)\n']
        for i in range(kernels)
    }
    return b"".join([
        record("artifact:before_pre_grad_graph 0/0", payload=graph("torch.f")),
        record("artifact:inductor_post_grad_graph 0/0", payload=graph("torch.ops.aten.f")),
        record("inductor_output_code 0/0", payload="\n".join(code)),
        record("artifact:inductor_provenance_tracking_node_mappings 0/0", payload=json.dumps(mapping)),
        record("artifact:inductor_provenance_tracking_kernel_stack_traces 0/0", payload=json.dumps(stacks)),
    ])  # fmt: skip
