"""What took long: steps of the compiler, trying out kernels, and checking guards before each call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tlparse_bundle.base.wording import code, duration, function_name, plural
from tlparse_bundle.statements.facts import Facts, FunctionKey
from tlparse_bundle.statements.finding import Finding, Remedy
from tlparse_bundle.statements.source_places import is_generated

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import GuardTreesRow

KINDS = ("slow-span", "autotune", "guard-cost")
_LEAST_SPAN_US = 1_000_000  # in all; less is not worth an advice
_LEAST_SHARE = 0.25  # of the time of compiling
_LEAST_AUTOTUNE_US = 100_000
_LEAST_CHECK_US = 500  # of the guards once, as torch measured it
_AUTOTUNE_FIELDS = {  # of the metrics (torch/_dynamo/utils.py: CompilationMetrics)
    "compile_time_autotune_time_us": "while compiling",
    "runtime_triton_autotune_time_us": "at the first calls",
}

# What happens in a span (torch/_inductor, torch/_dynamo: dynamo_timed), and what usually shortens it.
_SPANS: dict[str, tuple[str, list[Remedy]]] = {
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

_ATTEMPT: tuple[str, list[Remedy]] = (
    "Dynamo does what is neither tracing nor the backend: it makes bytecode and imports what it needs",
    [],
)


def findings(facts: Facts) -> Iterator[Finding]:
    yield from _slow_spans(facts)
    yield from _autotuning(facts)
    yield from _guard_checks(facts)


def _slow_spans(facts: Facts) -> Iterator[Finding]:
    total = facts.compile_us
    if not total:
        return
    own, compiling = facts.timeline.own_times(facts.compile_spans)
    for name, us in sorted(own.items(), key=lambda item: -item[1]):
        if us < _LEAST_SPAN_US or us < _LEAST_SHARE * total:
            break
        spans = [
            span
            for span in facts.timeline.named(name)
            if compiling[span.number] and span.duration_us is not None
        ]
        what, remedies = _SPANS.get(name) or (_ATTEMPT if name.startswith("compile_attempt_") else ("", []))
        yield Finding(
            "slow-span",
            "info",
            f"{code(name)} took {duration(us)} of {duration(total)} of compiling"
            + (f": {what}" if what else ""),
            (name,),
            f"Time of {plural(len(spans), 'span')} of that name, without the spans in"
            f" {'it' if len(spans) == 1 else 'them'}.",
            compiles=sorted(span.compile_index for span in spans),
            spans=[span.number for span in sorted(spans, key=lambda span: -(span.duration_us or 0))],
            count=len(spans),
            order=us,
            remedies=remedies,
            details={"span": name, "own_us": us, "share": round(us / total, 4)},
        )


def _autotuning(facts: Facts) -> Iterator[Finding]:
    times: dict[str, list[tuple[float, int, int]]] = {
        name: [] for name in _AUTOTUNE_FIELDS
    }  # each with its compile and event
    for row in facts.metrics_with(*_AUTOTUNE_FIELDS):
        for name, rows in times.items():
            time_us = row["values"].get(name)
            if isinstance(time_us, int | float) and type(time_us) is not bool and time_us > 0:
                rows.append((time_us, facts.number_of(row), row["event"]))
    for name, when in _AUTOTUNE_FIELDS.items():
        rows = times[name]
        us = round(sum(time_us for time_us, _, _ in rows))
        if us >= _LEAST_AUTOTUNE_US:
            yield Finding(
                "autotune",
                "info",
                f"{duration(us)} went into trying out kernels {when}, in {plural(len(rows), 'compile')}",
                (name,),
                "Inductor measures several kernels for one operation and keeps the fastest.",
                compiles=[compile_index for _, compile_index, _ in rows],
                events=[event_index for _, _, event_index in rows],
                count=len(rows),
                cost_us=us,
                cost_of="time of the measurements, as torch adds it up",
                remedies=[
                    Remedy(
                        "Keep the compile cache between runs (`TORCHINDUCTOR_CACHE_DIR`): it holds what was"
                        " found to be fastest."
                    )
                ],
                details={"when": "compile" if name.startswith("compile") else "run", "field": name},
            )


def _guard_checks(facts: Facts) -> Iterator[Finding]:
    groups: dict[FunctionKey, list[GuardTreesRow]] = {}
    for tree in facts.table("guard_trees"):
        if (tree["latency_us"] or 0) >= _LEAST_CHECK_US:
            groups.setdefault(facts.function_keys[facts.number_of(tree)], []).append(tree)
    for (file, name, line), trees in groups.items():
        worst = max(trees, key=lambda tree: tree["latency_us"] or 0)
        latency_us = worst["latency_us"] or 0
        most = sorted(worst["counts"].items(), key=lambda item: -item[1])[:3]
        yield Finding(
            "guard-cost",
            "info",
            f"Checking {_guards(worst)} of {_function(file, name)} took {duration(latency_us)}",
            (),
            "torch checks them before each call. It measured this once, after it had compiled; a busy machine"
            " makes it longer. Most are "
            + ", ".join(f"{code(kind)} ({count:,})" for kind, count in most)
            + ".",
            (name, file and facts.short(file), line),
            [facts.number_of(tree) for tree in trees],
            [tree["event"] for tree in trees],
            count=len(trees),
            details={"latency_us": latency_us, "guard_count": worst["guard_count"]},
        )


def _guards(tree: GuardTreesRow) -> str:
    return "the one guard" if tree["guard_count"] == 1 else f"the {plural(tree['guard_count'], 'guard')}"


def _function(file: str | None, name: str | None) -> str:
    return "code that torch generated" if is_generated(file) else function_name(name)
