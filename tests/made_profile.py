"""A made log and profiler trace of a device that waits for launches."""

import json

from log_builder import record
from tlparse_bundle import Bundle, build, discover


def launch_bound():
    """Return a log and a trace of a device that waits: three calls of a region with ten short kernels."""
    code = "# kernel path: /tmp/ab/cab.py\ntriton_poi_0 = async_compile.triton('triton_poi_0', ''' ''')"
    log = b"".join(
        [
            record('dynamo_start 0/0 {"stack": [{"line": 3, "name": "step", "filename": 0}]}'),
            record('inductor_output_code 0/0 {"filename": "/tmp/code.py"}', payload=code),
        ]
    )
    host = {"ph": "X", "pid": 7, "tid": 7}
    events = []
    for call in range(3):
        start = 10_000.0 * call
        region = {**host, "cat": "cpu_op", "name": "Torch-Compiled Region: 0/0"}
        lookup = {**host, "cat": "cpu_op", "name": "TorchDynamo Cache Lookup"}
        events += [{**lookup, "ts": start - 90, "dur": 80.0}, {**region, "ts": start, "dur": 1000.0}]
        for number in range(10):
            ids = {"External id": 1 + 10 * call + number, "correlation": 100 + 10 * call + number}
            at = start + 100 * number
            file = {"kernel_file": "/tmp/ab/cab.py", "kernel_backend": "triton"}
            device = {"device": 0, "stream": 7}
            events += [
                {
                    **host,
                    "cat": "cpu_op",
                    "name": "triton_poi_0",
                    "ts": at,
                    "dur": 60.0,
                    "args": {**file, **ids},
                },
                {
                    **host,
                    "cat": "cuda_runtime",
                    "name": "cudaLaunchKernel",
                    "ts": at + 10,
                    "dur": 40.0,
                    "args": ids,
                },
                {
                    "ph": "X",
                    "cat": "kernel",
                    "name": "triton_poi_0",
                    "pid": 0,
                    "tid": 7,
                    "ts": at + 50,
                    "dur": 5.0,
                    "args": {**ids, **device},
                },
            ]
    return log, {"schemaVersion": 1, "traceEvents": events}


def built_launch_bound(folder):
    log, trace = launch_bound()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "rank_0.log").write_bytes(log)
    (folder / "trace.json").write_text(json.dumps(trace))
    build(discover([folder / "rank_0.log"]), folder / "bundle", jobs=1, profile=[str(folder / "trace.json")])
    return Bundle.open(folder / "bundle")
