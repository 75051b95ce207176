"""An address of every view of the default viewer, with visible contents.

Tests for all views use them.
"""

import re

import pytest
from conftest import VIEWERS

ADDRESSES = {  # fixture: what follows '#v=1&view='; {log} is the id of its first log
    "recompiles": [
        "overview", "stack", "stack&compile=0/1", "stack&shape=flame", "stack&group=file", "compiles", "compile&compile=0/1", "compile&compile=0/1&artifact=~stack",
        "compile&compile=0/1&artifact=~metrics", "compile&compile=0/1&artifact=dynamo_output_graph&line=3-5", "compile&compile=0/1&artifact=dynamo_output_graph&pane=table",
        "compile&compile=0/1&artifact=dynamo_cpp_guards_str", "compile&compile=9/9", "recompiles", "recompiles&by=function&item=3", "guards", "timeline",
        "compare", "compare&left={log}/0/0&right={log}/0/1", "compare&left={log}/0/0&right={log}/0/1&artifact=dynamo_cpp_guards_str",
        "compare&left={log}/0/0&right={log}/0/1&artifact=dynamo_cpp_guards_str&pane=unified", "compare&left={log}/0/0&right={log}/0/1&artifact=~frame",
        "events", "events&event=3", "diagnostics", "search&q=grows", "artifacts", "artifacts&q=graph", "search&q=x&in=text", "search&q=", "nosuchview",
    ],
    "graph_breaks": ["overview", "breaks", "stack&problems=1"],
    "failures": ["overview", "failures", "failures&item=2"],
    "caches": ["overview", "caches"],
    "dynamic_shapes": ["overview", "symbols", "symbols&item=25", "tensors&item=112", "guards"],
    "export_dtrace": ["overview", "export", "export&item=39"],
    "transformer": ["kernels", "memory", "tensors", "anatomy", "anatomy&by=origin", "anatomy&by=compile", "compile&compile=0/0", "compile&compile=0/0&artifact=~metrics", "timeline"],
    "versions/2.13.0/autotune_gemms.log.zst": ["autotuning", "autotuning&item=1", "kernels", "compile&compile=0/0"],
    "cuda/cuda_graphs.log.zst": ["cudagraphs", "cudagraphs&item=10/0:backward"],
    "versions/2.13.0/cudagraphs.log.zst": ["cudagraphs"],
    "profiler/breaks": ["runtime"],
    "versions/2.13.0/large_activations.log.zst": ["memory", "memory&item=0/0"],
    "versions/2.15.0/slow_worker.log.zst": ["workers"],
    "versions/2.15.0/native_ops.log.zst": ["workers"],
    "ranks4": ["overview", "search&q=reduce&by=logs"],
}  # fmt: skip
# Fixture and two or more of its addresses, so that each is reached from another one. A single test would
# finish last.
PARTS = [
    pytest.param(fixture, hashes[first::parts], id=f"{fixture}, {first + 1}" if parts > 1 else fixture)
    for fixture, hashes in ADDRESSES.items()
    for parts in [-(-len(hashes) // 9)]
    for first in range(parts)
]


def view_names():
    """Return the views of the viewer."""
    text = (VIEWERS / "default" / "frame" / "views.js").read_text()
    listed = re.findall(r'\["(\w+)", "[^"]+",\s*async \(\) =>', text)
    return {*listed, *re.findall(r"^  (\w+): async \(\) =>", text, re.MULTILINE)}


def hash_of(place, log_id):
    """Return the hash of one of the addresses, in a bundle whose first log has this id."""
    return "#v=1&view=" + place.format(log=log_id)
