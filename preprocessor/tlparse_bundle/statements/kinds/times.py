"""Slow compiler steps and slow guard checks."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from heapq import nsmallest
from statistics import median_low
from typing import TYPE_CHECKING

from tlparse_bundle.base.wording import code, duration, listed, plural, shortened
from tlparse_bundle.statements.export_calls import AOT_SPAN, ahead_of_time
from tlparse_bundle.statements.facts import Facts, FunctionKey
from tlparse_bundle.statements.finding import Finding, Remedy
from tlparse_bundle.statements.source_places import is_generated
from tlparse_bundle.statements.statement import MAX_EVIDENCE, KindReference
from tlparse_bundle.statements.wrapped_functions import shown_function

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import GuardTreesRow

KINDS = ("slow-span", "guard-cost")
REFERENCE = {
    "slow-span": KindReference(
        title="Slow compiler step",
        meaning="One step took at least a quarter of the compile time, and at least a second.",
        fix="Apply the fix of the finding, or keep the compile cache between runs.",
        not_when="Some step always takes the most time. A large share is a problem only if the compile is "
        "too slow.",
    ),
    "guard-cost": KindReference(
        title="Slow guard check",
        meaning="One check of a function's guards took at least 0.5 ms, as torch measured it right after "
        "the compile.",
        fix="Reduce the guards: pass fewer objects into the function, or compile a larger function "
        "that is called less often.",
        not_when="The first measurement on a busy machine can be much slower than later checks.",
    ),
}
_LEAST_SPAN_US = 1_000_000  # in all; less is not worth advice
_LEAST_WITHOUT_FIX_US = 10_000_000  # of a step for which we know no fix
_LEAST_SHARE = 0.25  # of the compile time
_MOST_SHOWN = 3
_PYTHON_GUARD = "LAMBDA_GUARD"  # torch/csrc/dynamo/guards.cpp
_MOST_PER_GUARD_US = 20  # a guard takes 0.1 to 10 µs; more was the machine, or a first call
_LEAST_CHECK_US = 500  # one check of all guards, as torch measured it

# AOTInductor compiles its library in each run (torch/_inductor/codecache.py, AotCodeCompiler).
_KEEP_CACHE = Remedy("Keep the compile cache between runs (`TORCHINDUCTOR_CACHE_DIR`).")

# Description of each span (torch/_inductor, torch/_dynamo: dynamo_timed) and its fixes.
_SPANS: dict[str, tuple[str, list[Remedy]]] = {
    "async_compile.wait": (
        "waiting for worker processes",
        [
            Remedy(
                "Compile in more processes if the machine has the cores.",
                "TORCHINDUCTOR_COMPILE_THREADS=32",
            ),
            _KEEP_CACHE,
        ],
    ),
    "compile_file": (
        "running the C++ compiler",
        [_KEEP_CACHE],
    ),
    "additional_fake_tensor_prop": ("propagating the shapes of the graph", []),
    # torch.compiler.nested_compile_region does not help: compiles of dynamic sizes can take longer, or raise.
    "bytecode_tracing": ("Dynamo tracing Python code", []),
    "build_guards": ("Dynamo building guards", []),
    "aot_trace_joint_graph": ("AOTAutograd tracing forward and backward", []),
    "backend_compile": ("the backend, including its imports", []),
    "create_aot_dispatcher_function": ("AOTAutograd, including its imports", []),
    "compiled_autograd": ("compiled autograd capturing the backward", []),
    "compile_fx_aot": ("AOTInductor, including its imports", []),
    "fullgraph_capture": ("capturing the whole graph for export or ahead-of-time compile", []),
    "GraphLowering.run": ("Inductor lowering the graph", []),
    "GraphLowering.codegen": ("Inductor generating kernel code", []),
    "Scheduler.codegen": ("Inductor generating kernel code", []),
    "PyCodeCache.load_by_key_path": ("loading generated code", []),
    "vllm_backend": ("vLLM's backend compiling the pieces", []),
    "inductor_import": ("importing Inductor, once in a process", []),
    "GraphLowering.compile_to_fn": (
        "compiling and loading the generated code",
        [_KEEP_CACHE],
    ),
    "cpp_wrapper_compile": (
        "compiling the generated C++ wrapper",
        [_KEEP_CACHE],
    ),
    "offload_constants_spill": ("moving constants from the GPU to make room for autotuning", []),
    "offload_constants_restore": ("moving constants back to the GPU", []),
    "AotCodeCompiler.compile": ("compiling the generated C++ code to a library", []),
    "Scheduler.__init__": ("Inductor deciding what to fuse", []),
    "gc": (
        "Python garbage collection after a compile",
        [Remedy("Turn it off.", "torch._dynamo.config.run_gc_after_compile = False")],
    ),
}

_ATTEMPT: tuple[str, list[Remedy]] = (
    "Dynamo generating bytecode, with imports",
    [],
)


def findings(facts: Facts) -> Iterator[Finding]:
    yield from _slow_spans(facts)
    yield from _guard_checks(facts)


def _slow_spans(facts: Facts) -> Iterator[Finding]:
    total = facts.compile_us
    if not total:
        return
    own, compiling = facts.timeline.own_times(facts.compile_spans)
    for name, us in sorted(own.items(), key=lambda item: -item[1]):
        if us < _LEAST_SPAN_US or us < _LEAST_SHARE * total:
            break
        compiles, longest = array("i"), []
        for span in facts.timeline.named(name):
            if compiling[span.number] and span.duration_us is not None:
                compiles.append(span.compile_index)
                longest.append((-span.duration_us, span.number))
                if len(longest) >= 2 * MAX_EVIDENCE:
                    longest = nsmallest(MAX_EVIDENCE, longest)
        what, remedies = _SPANS.get(name) or (_ATTEMPT if name.startswith("compile_attempt_") else ("", []))
        if _KEEP_CACHE in remedies and any(span.name == AOT_SPAN for span in facts.once(ahead_of_time)):
            remedies = [remedy for remedy in remedies if remedy != _KEEP_CACHE]
        if not remedies and us < _LEAST_WITHOUT_FIX_US:
            continue
        yield Finding(
            "slow-span",
            "info",
            f"{code(name)} took {duration(us)} of {duration(total)} compile time"
            + (f": {what}" if what else ""),
            (name,),
            _how_summed(facts, compiles),
            compiles=array("i", sorted(compiles)),
            spans=[number for _, number in sorted(longest)],
            count=len(compiles),
            order=us,
            remedies=remedies,
            details={"span": name, "own_us": us, "share": round(us / total, 4)},
        )


def _how_summed(facts: Facts, compiles: Sequence[int]) -> str:
    """Say over what the time is summed. ``compiles``: that of each span."""
    if len(compiles) == 1:
        return "Self time."
    text = f"Self time, summed over {len(compiles):,} spans."
    if not (unknown := sum(facts.compiles[number]["compile"] is None for number in compiles)):
        return text
    which = "all of them" if unknown == len(compiles) else f"{unknown:,} of them"
    return f"{text} The log does not say to which compiles {which} belong."


def _guard_checks(facts: Facts) -> Iterator[Finding]:
    groups: dict[FunctionKey, list[GuardTreesRow]] = {}
    for tree in facts.table("guard_trees"):
        if 0 < (tree["latency_us"] or 0) <= _MOST_PER_GUARD_US * (tree["guard_count"] or 0):
            groups.setdefault(facts.function_key(facts.number_of(tree)), []).append(tree)
    for (file, name, line), all_trees in groups.items():
        # One that takes much longer than the others of the function shows what else the machine did.
        most_us = 2 * median_low(tree["latency_us"] or 0 for tree in all_trees)
        trees = [tree for tree in all_trees if _LEAST_CHECK_US <= (tree["latency_us"] or 0) <= most_us]
        if not trees:
            continue
        worst = max(trees, key=lambda tree: tree["latency_us"] or 0)
        latency_us = worst["latency_us"] or 0
        who = _function(facts, (file, name, line), trees)
        yield Finding(
            "guard-cost",
            "info",
            f"Checking {_guards(worst)} of {who} took {duration(latency_us)}",
            (),
            "torch checks the guards before each call. It measured this once, right after the compile, so a"
            f" busy machine distorts it. {_slow_guards(facts, worst)}",
            (name, file and facts.short(file), line),
            [facts.number_of(tree) for tree in trees],
            [tree["event"] for tree in trees],
            count=len(trees),
            details={"latency_us": latency_us, "guard_count": worst["guard_count"]},
        )


def _slow_guards(facts: Facts, tree: GuardTreesRow) -> str:
    """Return the guards that take the time, Python expressions; the most common kinds without these."""
    guards = facts.table("guards")
    rows = [row for number in tree["guards"] if (row := guards[number])["kind"] == _PYTHON_GUARD]
    if rows:
        texts = list(dict.fromkeys(code(shortened(row["text"]) or "") for row in rows))[:_MOST_SHOWN]
        more = [f"{len(rows) - len(texts):,} more"] if len(rows) > len(texts) else []
        run = "runs" if len(rows) == 1 else "run"
        which = listed([*texts, *more], _MOST_SHOWN + 1)
        return f"{plural(len(rows), 'guard')} {run} in Python, which is slow: {which}."
    most = sorted(tree["counts"].items(), key=lambda item: -item[1])[:3]
    return f"The most common are {listed([f'{code(kind)} ({count:,})' for kind, count in most])}."


def _guards(tree: GuardTreesRow) -> str:
    return "the one guard" if tree["guard_count"] == 1 else f"the {plural(tree['guard_count'], 'guard')}"


def _function(facts: Facts, function: FunctionKey, trees: Sequence[GuardTreesRow]) -> str:
    if is_generated(function[0]):
        return "code generated by torch"
    return shown_function(facts, function, map(facts.number_of, trees))
