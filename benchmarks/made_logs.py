"""Generated logs with very much of one thing, to measure the viewer.

They use the log builder of the tests.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from log_builder import record

ARTIFACT_BYTES = 4_900_000  # a viewer should open anything below 5 MB at once
ROWS = 40_000  # per table
KERNELS = 2_000  # per generated code


def large_artifacts(bundle, size_bytes: int = ARTIFACT_BYTES) -> bytes:
    """Return a log of one compile with an artifact per language: a payload from ``bundle``'s first log,
    repeated up to ``size_bytes``.
    """
    log, made = bundle.logs[0], {}
    for artifact in log.artifacts:
        if artifact.sha256 is not None and artifact.size_bytes > 1000 and artifact.language not in made:
            text = artifact.text()
            repeated = (text.rstrip("\n") + "\n") * max(1, size_bytes // (len(text.encode()) + 1))
            if artifact.language == "json":
                repeated = json.dumps([json.loads(text)] * max(1, size_bytes // len(text.encode())))
            head = f"artifact:{artifact.name}" if artifact.type == "artifact" else artifact.type
            made[artifact.language] = record(f"{head} 0/0", payload=repeated)
    return record('dynamo_start 0/0 {"stack": []}') + b"".join(made.values())


def many_rows(rows: int = ROWS) -> bytes:
    """Return a log with ``rows`` compiles, symbols, guards, tensors and kernels."""
    out = [record('str ["/home/user/model.py", 0]')]
    frame = {"line": 1, "name": "forward", "filename": 0, "loc": "y = x + 1"}
    for i in range(rows):
        at, frame["line"] = f"{i}/0", i % 997
        both = {"user_stack": [frame], "stack": [frame]}
        guards = (
            f"TREE_GUARD_MANAGER:\n+- RootGuardManager\n| +- GuardManager: source=L['x{i}'], accessed_by=x\n"
            f"| | +- TENSOR_MATCH: check_tensor(L['x{i}'], {i})\n"
        )
        out += [
            record(f"dynamo_start {at} " + json.dumps({"stack": [frame]})),
            record(
                f"create_symbol {at} "
                + json.dumps(
                    {
                        "symbol": f"s{i}",
                        "val": str(i),
                        "vr": "[2, int_oo]",
                        "source": f"L['x{i}'].size()[0]",
                        **both,
                    }
                )
            ),
            record(f"guard_added_fast {at} " + json.dumps({"expr": f"s{i} > {i % 7}", **both})),
            record(f"describe_storage {at} " + json.dumps({"id": i, "describer_id": 0, "size": 4 * i})),
            record(
                f"describe_tensor {at} "
                + json.dumps(
                    {
                        "id": i,
                        "describer_id": 0,
                        "ndim": 1,
                        "dtype": "torch.float32",
                        "device": "cpu",
                        "size": [i],
                        "stride": [1],
                        "storage": i,
                        "layout": "torch.strided",
                    }
                )
            ),
            record(
                f"describe_source {at} " + json.dumps({"id": i, "describer_id": 0, "source": f"L['x{i}']"})
            ),
            record(f"dynamo_cpp_guards_str {at}", payload=guards),
        ]
    kernels = min(rows, KERNELS)
    for i in range(rows // kernels):
        names = [f"triton_poi_fused_add_{k}" for k in range(kernels)]
        text = [f"# AOT ID: ['{i}_inference']"]
        for name in names:
            text += [
                f"# Topologically Sorted Source Nodes: [x, y], Original ATen: [aten.add, aten.mul] {i}",
                f"{name} = async_compile.triton('{name}', '''",
                "''', device_str='cuda')",
            ]
        text += ["def call(args):", *(f"    {name}.run(buf0)" for name in names)]
        out.append(
            record(f'inductor_output_code {i}/0 {{"filename": "/tmp/c{i}.py"}}', payload="\n".join(text))
        )
    return b"".join(out)
