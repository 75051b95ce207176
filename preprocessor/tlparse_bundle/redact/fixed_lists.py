"""The fixed lists of structural text, by the name that schemas give in ``x-list``.

Each is a function that returns whether a text is on the list, so that it reveals nothing about the program.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache

from tlparse_bundle.base.diagnostics import CODES
from tlparse_bundle.bundle.schemas import schema_names
from tlparse_bundle.log.events.metric_fields import BY_NAME
from tlparse_bundle.log.events.registry import FAMILIES
from tlparse_bundle.redact.torch_names import functions_below, names, words
from tlparse_bundle.statements.finding import UNLISTED
from tlparse_bundle.statements.ranks.registry import REFERENCE as RANK_KINDS
from tlparse_bundle.statements.registry import MODULES, kinds

_MAX_TEXT = 400  # characters of structural text

_COMPILE = re.compile(
    r"(?:![0-9]{1,9}/)?(?:-|[0-9]{1,9})/(?:-|[0-9]{1,9})(?:_[0-9]{1,9})?(?:@[0-9]{1,9})?|!?aot-[0-9]{1,9}|![0-9]{1,9}(?:@[0-9]{1,9})?"
)
_DEVICE = re.compile(r"(?:cpu|cuda|hip|xpu|mps|meta|hpu|mtia|xla|npu|vulkan|privateuseone)(?::[0-9]{1,4})?")
_VERSION = re.compile(
    r"[0-9]{1,4}(?:\.[0-9]{1,4}){1,2}(?:(?:a|b|rc|\.post)[0-9]{1,3})?(?:a0)?(?:\.dev[0-9]{1,8})?(?:\+(?:cpu|cu[0-9]{2,4}|rocm[0-9.]{1,6}|xpu))?"
)
_TIME = re.compile(r"[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{1,6}")
_LEVEL = re.compile(r"[A-Z]")
_BREAK_ID = re.compile(r"GB[0-9]{4}")
_BREAK_PAGE = re.compile(
    r"https://(?:meta-pytorch\.org|(?:meta-)?pytorch\.github\.io)/compile-graph-break-site/gb/gb[0-9]{4}\.html"
)
_AOT_ID = re.compile(r"[0-9]{1,5}_(?:forward|backward|inference)")
_DTYPES = words("""
    float32 float64 float16 bfloat16 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz
    float8_e8m0fnu float4_e2m1fn_x2 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex32
    complex64 complex128 quint8 qint8 qint32 quint4x2 quint2x4 f16 f32 f64 bf16 i8 i16 i32 i64 u8 u16
    u32 u64 b8 c32 c64 c128 f8e4m3fn f8e5m2 f8e4m3fnuz f8e5m2fnuz f8e8m0fnu f4e2m1fnx2 float double half
    long int short char byte Float Double Half BFloat16 Long Int Short Char Byte Bool ComplexFloat
    ComplexDouble Sym
    """)
# Sizes and conditions on them, as sympy prints them. A number of more than nine digits is not a size.
_SYMBOL = re.compile(r"[suz][0-9]{1,6}|z?uf[0-9]{1,6}|zf[0-9]{1,6}")
_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,6})?|922337203685477580[67]")
_SIZE_WORDS = words("""
    int_oo oo True False None Max Min Mod PythonMod FloorDiv CleanDiv CeilDiv CeilToInt FloorToInt
    TruncToInt IntTrueDiv FloatTrueDiv ToFloat RoundToInt RoundDecimal PowByNatural FloatPow LShift RShift
    BitwiseFn_bitwise_and ModularIndexing Identity Where IsNonOverlappingAndDenseIndicator Eq Ne Lt Le Gt Ge
    And Or Not Abs VR floor ceiling ceil sqrt Piecewise torch.Size
""")
# An operand, what can follow one, or what can come before one.
_SIZE_TOKEN = re.compile(
    r"(?P<operand>[\w.]+)|, | (?:[-+*/%&|]|//|[<>=!]=|[<>]) |\*\*?|//?|(?P<sign>[-~])|[()\[\]{}]|,(?=\))"
)
_OPERATOR = re.compile(r"(?:[A-Za-z_]\w{0,80}\.){0,6}[A-Za-z_]\w{0,80}")
_NAMESPACES = words("""
    torch ops aten prims prim prims_torch inductor quantized mkldnn mkl onednn _c10d_functional
    c10d_functional _c10d_functional_autograd c10d higher_order rngprims quantized_decomposed bucketing
    streams symm_mem fsdp profiler Tensor _C _nn nn functional special linalg fft sparse _foreach
    operator _operator math builtins extern_kernels _tensor autograd Function utils _pytree sym_size
    sym_numel _higher_order_ops debugprims debug_ops _quantized functional_ops _prims _refs
    """)  # fmt: skip
_OVERLOADS = frozenset(("default", "out"))
_CALLS = frozenset(("getattr", "getitem", "placeholder", "output", "get_attr", "torch.Size"))
_MODULE = re.compile(
    r"self\.(?:submod|subgraph|partition|graph|true_graph|false_graph|cond_fn|body_graph|wrap_body|repeated_subgraph)_[0-9]{1,5}"
)
_KERNEL = re.compile(
    r"(cpp|triton)_(?:poi_|per_|red_|tem_|for_|split_scan_)?fused_([A-Za-z0-9_]{0,300}?)_?[0-9]{1,5}|kernel[0-9]{0,5}|async_compile"
)
_COLLECTIVES = words("""
    all_reduce all_gather all_gather_into_tensor all_gather_into_tensor_out reduce_scatter
    reduce_scatter_tensor all_to_all all_to_all_single broadcast wait_tensor barrier isend irecv send
    recv scatter gather reduce sum avg product min max premul_sum band bor bxor mean AG RS AR AllGather
    ReduceScatter AllReduce SUM AVG PRODUCT MIN MAX
    _all_gather_base _reduce_scatter_base _broadcast_oop _reduce_oop all_gather_single all_gather_v
    all_gather_into_tensor_coalesced all_to_all_v_single all_reduce_barrier allreduce_coalesced
    reduce_scatter_single reduce_scatter_v reduce_scatter_tensor_coalesced coalesced
    gloo nccl ncclx rccl rcclx xccl mccl hccl mpi ucc
    """)
_WORDS = words("""
    hit miss bypass full_miss guard_miss disabled error loaded saved empty get put key compute
    collective fx_graph aot_autograd pgo precompile fx_graph_cache aot_autograd_cache edge_list svg
    range_refined_to_singleton eval runtime_assert aotautograd dynamo joint forward backward inference
    post_grad code non_alias alias_of_input is_input alias_of_intermediate
    alias_of_intermediate_save_as_output alias_of_intermediate_base_is_user_output unsafe_view_alias
    custom_function_view size stride rank dtype device requires_grad dispatch_keys shape value flag type
    identity length keys aliasing global_state mode guard other FULL PIECEWISE NONE FULL_AND_PIECEWISE
    FULL_DECODE_ONLY GraphModule graph backend joint_graph NoOpEliminationPass RMSNormQuantFusionPass
    ActivationQuantFusionPass FixFunctionalizationPass PostCleanupPass AttnFusionPass
    SequenceParallelismPass AsyncTPPass AllReduceFusionPass RMSNormFusionPass SiluMulQuantFusionPass
    QKNormRoPEFusionPass miss_no_key stale fallback fx inductor eager compiled reused failed unknown
    unfinished inductor_loaded not_found queued running querying_cache compiling cutedsl triton flydsl
    cache_hit
    """)
_PARTS = re.compile(r"[ ,/]+")
_PLACEHOLDERS = words("""
    all gather reduce scatter forward inference backward joint pre post grad fx aot autograd after before
    recompute decompose miss hit bypass disabled saved wrapper functional outer inner compiled runtime
    prologue epilogue pass passes graph pattern matcher group batch fusion 0 1 2 3 4 5 6 7 8 9
""")


def is_listed(name: str, text: str) -> bool:
    """Return whether a text is on a list. Too long a text is on none."""
    return len(text) <= _MAX_TEXT and LISTS[name](text)


def _fullmatch(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.fullmatch(text) is not None


def _is_operator(text: str) -> bool:
    """Whether it is an operator of torch or Python: its namespaces, name and overload are known."""
    if _OPERATOR.fullmatch(text) is None:
        return False
    if text in _CALLS or _MODULE.fullmatch(text):
        return True
    *before, last = text.split(".")
    operators, overloads = names("operators"), names("overloads")
    if last in operators and all(part in _NAMESPACES for part in before):
        return True
    is_overload = bool(before) and before[-1] in operators and (last in _OVERLOADS or last in overloads)
    return is_overload and all(part in _NAMESPACES for part in before[:-1])


def _is_size(text: str) -> bool:
    """Whether it is a size or a condition, of nothing but symbols, short numbers and words of sympy."""
    end, after_operand = 0, False
    while end < len(text):
        token = _SIZE_TOKEN.match(text, end)
        if token is None:
            return False
        end = token.end()
        operand = token["operand"]
        if operand is not None:
            is_known = operand in _SIZE_WORDS or _SYMBOL.fullmatch(operand) or _NUMBER.fullmatch(operand)
            if after_operand or not is_known:
                return False
        elif token["sign"] is not None and after_operand:
            return False
        after_operand = operand is not None
    return bool(text)


@cache
def _operator_parts() -> frozenset[str]:
    return names("operators") | {name.strip("_") for name in names("operators")}


def _is_kernel(text: str) -> bool:
    """Whether Inductor made the name of a kernel, of nothing but operators of torch."""
    match = _KERNEL.fullmatch(text)
    if match is None:
        return False
    tokens = [token for token in (match[2] or "").split("_") if token]
    reached = [True] + [False] * len(tokens)
    for end in range(1, len(tokens) + 1):
        reached[end] = any(
            reached[start] and "_".join(tokens[start:end]) in _operator_parts()
            for start in range(max(0, end - 8), end)
        )
    return reached[-1]


@cache
def _record_names() -> tuple[frozenset[str], re.Pattern[str]]:
    """Return the names of artifacts, and a pattern of those with a part that varies."""
    keys = [kind.key.removeprefix("artifact:") for family in FAMILIES for kind in family.KINDS]
    varying = [
        re.escape(key.partition(":")[2] or key).replace(r"\*", r"(\w{0,60})") for key in keys if "*" in key
    ]
    return frozenset((*keys, *names("artifacts"), *_types())), re.compile("|".join(varying))


@cache
def _types() -> frozenset[str]:
    keys = (kind.key for family in FAMILIES for kind in family.KINDS)
    more = ("damaged_record", "untyped_record", "fresh_compile", "aot_cache_hit")
    return frozenset((*(key for key in keys if ":" not in key), *names("types"), *more))


def _is_artifact(text: str) -> bool:
    known, varying = _record_names()
    if text in known or text in names("spans") or text in _SPANS or _is_numbered(text):
        return True
    match = varying.fullmatch(text)
    return match is not None and all(
        part is None or part in known or all(word in _PLACEHOLDERS for word in part.split("_") if word)
        for part in match.groups()
    )


def _is_numbered(text: str) -> bool:
    """Whether it is the name of a record with a number, or of a part of a graph that was split."""
    head, _, number = text.rpartition("_")
    is_number = number.isascii() and number.isdigit() and len(number) <= 5
    return is_number and (head in _record_names()[0] or head in _SPLIT)


_SPLIT = ("submod", "vllm_submod", "optimize_ddp_split_child_submod")


def _is_span(text: str) -> bool:
    if text in names("spans") or text in _SPANS or text in _record_names()[0]:
        return True
    match = _VARYING_SPAN.fullmatch(text)
    return match is not None and (match[1] is None or match[1] in functions_below("torch/_inductor/"))


# Spans with a number, and those of one pass of Inductor, which has the name of its function.
_VARYING_SPAN = re.compile(
    r"compile_attempt_[0-9]{1,4}|pass\.[a-z_]{1,40}_passes\.(?:pass_pattern_[0-9]{1,4}|([A-Za-z_]\w{0,80}))"
)
# Spans of versions of torch that name them otherwise than by a constant, and those that findings look for.
_SPANS = words("""
    OutputGraph.call_user_compiler Inductor codecache gc autotune fx_graph_cache_hit fx_graph_cache_miss
    fx_graph_cache_bypass fx_graph_cache_disabled autograd_cache_hit autograd_cache_miss
    autograd_cache_bypass autograd_cache_saved Start End compilation_metrics aotautograd_cache_hit
    aotautograd_cache_miss aotautograd_cache_bypass pgo_get_remote_code_state pgo_put_remote_code_state
    triton_bundle_end triton_bundle_start chromium_event compile_fx.<locals>.fw_compiler_base
    compile_fx.<locals>.bw_compiler cudagraphify create_aot_dispatcher_function
    inductor_codecache_torch_key fx_graph_cache_load static_triton_bundle
    """)


@cache
def _exceptions() -> frozenset[str]:
    full = names("exceptions")
    return full | {name.rpartition(".")[2] for name in full}


@cache
def _finding_kinds() -> frozenset[str]:
    return frozenset((*kinds(MODULES), *RANK_KINDS, UNLISTED))


@cache
def _descriptors() -> frozenset[str]:
    keys = (kind.key for family in FAMILIES for kind in family.KINDS)
    return frozenset((*keys, "artifact:*json", "artifact:*text"))


def _all_words(text: str) -> bool:
    if _AOT_ID.fullmatch(text):
        return True
    return all(part in _WORDS or part in _COLLECTIVES for part in _PARTS.split(text) if part)


LISTS: Mapping[str, Callable[[str], bool]] = {
    "artifacts": _is_artifact,
    "break pages": _fullmatch(_BREAK_PAGE),
    "breaks": lambda text: text in names("breaks") or _BREAK_ID.fullmatch(text) is not None,
    "collectives": lambda text: text in _COLLECTIVES or _is_operator(text),
    "compiles": _fullmatch(_COMPILE),
    "descriptors": lambda text: text in _descriptors(),
    "devices": _fullmatch(_DEVICE),
    "diagnostics": lambda text: text in CODES,
    "dtypes": lambda text: text.removeprefix("torch.") in _DTYPES,
    "exceptions": lambda text: text in _exceptions() or _BREAK_ID.fullmatch(text) is not None,
    "findings": lambda text: text in _finding_kinds(),
    "guards": lambda text: text in names("guards") or text == "OTHER",
    "levels": _fullmatch(_LEVEL),
    "metrics": lambda text: text in BY_NAME,
    "operators": lambda text: _is_operator(text.replace("::", ".", 1)) or _is_kernel(text),
    "policy": lambda text: False,
    "producer": lambda text: text == "tlparse-bundle",
    "settings": lambda text: text in names("settings"),
    "sizes": _is_size,
    "spans": _is_span,
    "tables": lambda text: text in schema_names() or text in ("manifest.job", "manifest.logs"),
    "times": _fullmatch(_TIME),
    "types": lambda text: text in _types(),
    "versions": _fullmatch(_VERSION),
    "words": _all_words,
}
