"""Where compile time goes: the spans with most time of their own, and what shortens them."""

from __future__ import annotations

from collections.abc import Iterator

from tlparse_bundle.base.wording import code, duration, plural
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.finding import Finding, Remedy

KINDS = ("slow-span",)
_LEAST_US = 1_000_000  # in all; less is not worth an advice
_LEAST_SHARE = 0.25  # of the time of compiling

# What happens in a span (torch/_inductor, torch/_dynamo: dynamo_timed), and what usually shortens it.
_KNOWN = {
    "async_compile.wait": (
        "torch waits for kernels that other processes compile",
        [
            Remedy(
                "More processes compile at once, where the machine has the cores.",
                "TORCHINDUCTOR_COMPILE_THREADS=32",
            ),
            Remedy("Keep the compile cache between runs (`TORCHINDUCTOR_CACHE_DIR`)."),
        ],
    ),
    "compile_file": (
        "the C++ compiler runs",
        [Remedy("Keep the compile cache between runs (`TORCHINDUCTOR_CACHE_DIR`).")],
    ),
    "additional_fake_tensor_prop": ("shapes of the graph are worked out once more", []),
    "bytecode_tracing": (
        "Dynamo traces the Python code",
        [
            Remedy(
                "Where a model repeats a block, mark the block: it is then traced once.",
                "@torch.compiler.nested_compile_region",
            )
        ],
    ),
    "build_guards": ("Dynamo makes the guards", []),
    "aot_trace_joint_graph": ("AOTAutograd traces forward and backward", []),
    "backend_compile": ("the backend works on the graphs, and imports what it needs", []),
    "create_aot_dispatcher_function": ("AOTAutograd works on the graphs, and imports what it needs", []),
    "compiled_autograd": ("compiled autograd captures the backward", []),
    "compile_fx_aot": ("AOTInductor works, and imports what it needs", []),
    "fullgraph_capture": ("torch captures the whole graph, for torch.export or ahead of time", []),
    "GraphLowering.run": ("Inductor lowers the graph", []),
    "GraphLowering.codegen": ("Inductor writes the code of the kernels", []),
    "Scheduler.codegen": ("Inductor writes the code of the kernels", []),
    "PyCodeCache.load_by_key_path": ("generated code is loaded", []),
    "vllm_backend": ("vLLM's backend works on the pieces", []),
    "inductor_import": ("Inductor is imported, once in a process", []),
    "GraphLowering.compile_to_fn": (
        "the generated code is compiled and loaded",
        [Remedy("Keep the compile cache between runs (`TORCHINDUCTOR_CACHE_DIR`).")],
    ),
    "AotCodeCompiler.compile": ("the generated C++ code is compiled to a library", []),
    "Scheduler.__init__": ("Inductor decides what is fused", []),
    "gc": (
        "Python collects garbage after a compile",
        [Remedy("torch can leave it out.", "torch._dynamo.config.run_gc_after_compile = False")],
    ),
}

_ATTEMPT = (
    "Dynamo does what is neither tracing nor the backend: it makes bytecode and imports what it needs",
    [],
)


def findings(facts: Facts) -> Iterator[Finding]:
    total = facts.compile_us
    if not total:
        return
    own, compiling = facts.timeline.own_times(facts.compile_spans)
    for name, us in sorted(own.items(), key=lambda item: -item[1]):
        if us < _LEAST_US or us < _LEAST_SHARE * total:
            break
        spans = [
            span
            for span in facts.timeline.named(name)
            if compiling[span.index] and span.duration_us is not None
        ]
        what, remedies = _KNOWN.get(name) or (_ATTEMPT if name.startswith("compile_attempt_") else ("", []))
        yield Finding(
            "slow-span",
            "info",
            f"{code(name)} took {duration(us)} of {duration(total)} of compiling"
            + (f": {what}" if what else ""),
            (name,),
            f"Time of {plural(len(spans), 'span')} of that name, without the spans in"
            f" {'it' if len(spans) == 1 else 'them'}.",
            compiles=sorted(span.compile_index for span in spans),
            spans=[span.index for span in sorted(spans, key=lambda span: -(span.duration_us or 0))],
            count=len(spans),
            order=us,
            remedies=remedies,
            details={"span": name, "own_us": us, "share": round(us / total, 4)},
        )
