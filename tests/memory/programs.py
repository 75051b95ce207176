"""Compiled programs of the truth of table memory, and what the allocator does while they run.

    python programs.py NAME FOLDER

Needs torch and a C++ compiler. With TORCH_TRACE set, the log goes there. FOLDER/truth.json gets a row for each
call of generated code: the code's cache key, and what torch.profiler saw of its allocations.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch._inductor.output_code import CompiledFxGraph
from torch.profiler import ProfilerActivity, profile

Program = tuple[Callable[..., Any], tuple[Any, ...], bool]  # function, arguments, whether it trains
PROGRAMS: dict[str, Callable[[], Program]] = {}
OPTIONS: dict[str, dict[str, Any]] = {}  # of torch._inductor.config
DYNAMIC = set[str]()


def program(
    dynamic: bool = False, **options: Any
) -> Callable[[Callable[[], Program]], Callable[[], Program]]:
    def add(make: Callable[[], Program]) -> Callable[[], Program]:
        PROGRAMS[make.__name__] = make
        OPTIONS[make.__name__] = options
        if dynamic:
            DYNAMIC.add(make.__name__)
        return make

    return add


def r(*size: int, dtype: torch.dtype = torch.float32, grad: bool = False) -> torch.Tensor:
    return torch.randn(*size).to(dtype).requires_grad_(grad)


def mlp(*widths: int) -> torch.nn.Sequential:
    layers: list[torch.nn.Module] = []
    for before, after in zip(widths, widths[1:], strict=False):
        layers += [torch.nn.Linear(before, after), torch.nn.GELU()]
    return torch.nn.Sequential(*layers[:-1])


@program()
def pointwise() -> Program:
    return lambda x, y: (x.sin() + y, (x * y).sum(0)), (r(300, 200), r(300, 200)), False


@program()
def linear() -> Program:
    model = mlp(128, 512, 64)
    return lambda x: model(x), (r(256, 128),), False


@program()
def train_mlp() -> Program:
    model = mlp(128, 512, 256, 64)
    return lambda x: model(x).square().mean(), (r(256, 128),), True


@program()
def reductions() -> Program:
    def f(x: torch.Tensor) -> Any:
        x = x - x.mean(1, keepdim=True)
        return x.softmax(-1), x.std(0), x.argmax(1), x.amax((0, 1))

    return f, (r(200, 333),), False


@program()
def views() -> Program:
    def f(x: torch.Tensor) -> Any:
        y = (x + 1).reshape(100, 4, 50).transpose(1, 2)
        return y, y[10:20], (x * 2).t().contiguous() @ y.reshape(100, 200)

    return f, (r(100, 200),), False


@program()
def mutation() -> Program:
    def f(x: torch.Tensor, state: torch.Tensor) -> Any:
        state.mul_(0.9).add_(x.mean(0))
        x.relu_()
        return x @ state.diag()

    return f, (r(128, 64), r(64)), False


@program()
def concatenation() -> Program:
    def f(x: torch.Tensor, y: torch.Tensor) -> Any:
        z = torch.cat([x.sin(), y.cos(), x * y], 1)
        return z @ z.t(), torch.stack([x, y])

    return f, (r(60, 70), r(60, 70)), False


@program()
def chain() -> Program:
    def f(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        for _ in range(6):
            x = (x @ w).tanh()
        return x

    return f, (r(256, 128), r(128, 128)), False


@program()
def embedding() -> Program:
    table = torch.nn.Embedding(1000, 48)
    return lambda i: (table(i).sum(1) ** 2).mean(), (torch.randint(0, 1000, (32, 20)),), True


@program()
def dropout() -> Program:
    w = r(128, 128, grad=True)
    return lambda x: F.dropout(F.relu(x @ w), 0.3).sum(), (r(64, 128),), True


@program()
def half() -> Program:
    w = r(96, 160, dtype=torch.bfloat16)
    return lambda x: ((x @ w).float().exp(), x.sum(0)), (r(64, 96, dtype=torch.bfloat16),), False


@program()
def dtypes() -> Program:
    def f(x: torch.Tensor, i: torch.Tensor) -> Any:
        return x > 0, (x * 10).to(torch.uint8), x.double() + 1, i.to(torch.int16) + 1, x.half(), i.bool()

    return f, (r(111, 37), torch.randint(0, 9, (111, 37))), False


@program()
def convolution() -> Program:
    conv = torch.nn.Conv2d(3, 16, 3, padding=1)
    return lambda x: F.relu(conv(x)).mean((2, 3)), (r(4, 3, 32, 32),), False


@program()
def train_convolution() -> Program:
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.ReLU())
    return lambda x: model(x).square().sum(), (r(4, 3, 20, 20),), True


@program()
def attention() -> Program:
    def f(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(2, 64, 128) * 2

    return f, (r(2, 4, 64, 32), r(2, 4, 64, 32), r(2, 4, 64, 32)), False


@program()
def train_attention() -> Program:
    w = r(64, 192, grad=True)

    def f(x: torch.Tensor) -> torch.Tensor:
        q, k, v = (x @ w).view(2, 32, 3, 4, 16).permute(2, 0, 3, 1, 4)
        return F.scaled_dot_product_attention(q, k, v, is_causal=True).sum()

    return f, (r(2, 32, 64),), True


@program()
def batched() -> Program:
    def f(x: torch.Tensor, y: torch.Tensor) -> Any:
        z = torch.bmm(x, y)
        return z.softmax(-1), torch.baddbmm(z, x, y)

    return f, (r(8, 30, 40), r(8, 40, 50)), False


@program()
def layer_norm() -> Program:
    model = torch.nn.Sequential(
        torch.nn.Linear(64, 64), torch.nn.LayerNorm(64), torch.nn.SiLU(), torch.nn.Linear(64, 32)
    )
    return lambda x: model(x).sum(), (r(100, 64, grad=True),), True


@program()
def multi_output() -> Program:
    def f(x: torch.Tensor) -> Any:
        values, indices = torch.topk(x, 5)
        return values * 2, indices, torch.sort(x.sin())[0], x.cumsum(0)

    return f, (r(64, 200),), False


@program()
def many_outputs() -> Program:
    def f(x: torch.Tensor) -> Any:
        parts = [part * 2 for part in x.split(10)]
        return parts, {"sum": sum(parts), "first": parts[0].t()}

    return f, (r(60, 50),), False


@program(dynamic=True)
def dynamic_batch() -> Program:
    w = r(64, 128)
    return lambda x: ((x @ w).relu().sum(1), x + 1), (r(77, 64),), False


@program(dynamic=True)
def train_dynamic() -> Program:
    model = mlp(32, 64, 16)
    return lambda x: model(x).square().mean(), (r(53, 32),), True


@program(dynamic=True)
def dynamic_both() -> Program:
    def f(x: torch.Tensor) -> Any:
        y = torch.cat([x, x], 0).softmax(1)
        return y, y.reshape(-1)[: x.shape[0]] + 1, y.sum(0)

    return f, (r(45, 67),), False


@program(cpp_wrapper=True)
def cpp_pointwise() -> Program:
    return lambda x, y: (x.sin() + y, (x * y).sum(0)), (r(300, 200), r(300, 200)), False


@program(cpp_wrapper=True)
def cpp_linear() -> Program:
    model = mlp(128, 256, 64)
    return lambda x: model(x), (r(100, 128),), False


@program(cpp_wrapper=True)
def cpp_train() -> Program:
    model = mlp(64, 128, 32)
    return lambda x: model(x).square().mean(), (r(64, 64),), True


@program(cpp_wrapper=True, dynamic=True)
def cpp_dynamic() -> Program:
    w = r(64, 128)
    return lambda x: ((x @ w).relu().sum(1), x.t() + 1), (r(77, 64),), False


@program()
def conditional() -> Program:
    def f(x: torch.Tensor) -> torch.Tensor:
        x = x * 2
        return torch.cond(x.sum() > 0, lambda y: (y.sin() @ y.t(),), lambda y: (y.cos() @ y.t(),), (x,))[0]

    return f, (r(64, 80),), False


@program()
def nested_region() -> Program:
    @torch.compiler.nested_compile_region
    def block(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return (x @ w).relu()

    def f(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return block(block(x, w), w) + 1

    return f, (r(64, 64), r(64, 64)), False


@program(graph_partition=True)
def partitioned() -> Program:
    def f(x: torch.Tensor) -> Any:
        y = x.sin() @ x.t()
        return y.relu().sum(1), torch.bincount(y.flatten().abs().long() % 7, minlength=7), y + 1

    return f, (r(50, 60),), False


@program(memory_planning=True, memory_pool="intermediates")
def memory_pool() -> Program:
    def f(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        for _ in range(4):
            x = (x @ w).softmax(1) + x
        return x

    return f, (r(80, 64), r(64, 64)), False


@program()
def donated() -> Program:
    def f(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        for _ in range(3):
            x = torch.sigmoid(torch.sin(x @ w).exp())
        return x.sum()

    return f, (r(128, 128, grad=True), r(128, 128, grad=True)), True


@program()
def empty_and_scalars() -> Program:
    def f(x: torch.Tensor, n: torch.Tensor) -> Any:
        return x.new_zeros(0, 5), torch.full((30, 20), 3.0), torch.arange(77), n * 2, x.sum() + n

    return f, (r(20, 30), torch.tensor(3.0)), False


@program()
def scatter() -> Program:
    def f(x: torch.Tensor, i: torch.Tensor) -> Any:
        y = torch.zeros(50, 40).index_add(0, i, x)
        return y.scatter(0, i[:, None].expand(-1, 40), x), x[i % 7]

    return f, (r(20, 40), torch.randint(0, 50, (20,))), False


@program()
def unbacked() -> Program:
    return lambda x: x.nonzero() + 1, (torch.eye(40),), False


@program()
def channels_last() -> Program:
    return lambda x: (x.to(memory_format=torch.channels_last) * 2, x[..., ::2].contiguous()), (
        r(2, 8, 16, 16),
    ), False  # fmt: skip


@program()
def complex_numbers() -> Program:
    def f(x: torch.Tensor) -> Any:
        y = torch.fft.rfft(x)
        return y.abs(), y * 2

    return f, (r(30, 64),), False


@program()
def optimizer_step() -> Program:
    parameters = [r(100, 50), r(50), r(50, 20)]

    def f(*gradients: torch.Tensor) -> None:
        for p, g in zip(parameters, gradients, strict=True):
            p.sub_(0.1 * g / (g.norm() + 1e-6))

    return f, tuple(r(*p.shape) for p in parameters), False


@program()
def two_graphs() -> Program:
    def f(x: torch.Tensor) -> torch.Tensor:
        y = x.sin() @ x.t()
        torch._dynamo.graph_break()
        return (y.softmax(1) @ x).cumsum(0)

    return f, (r(40, 60),), False


@program()
def checkpointed() -> Program:
    model = mlp(64, 256, 64)

    def f(x: torch.Tensor) -> torch.Tensor:
        return torch.utils.checkpoint.checkpoint(model, x, use_reentrant=False).sum()

    return f, (r(128, 64),), True


@program()
def strided_products() -> Program:
    def f(x: torch.Tensor, y: torch.Tensor) -> Any:
        return x[:, ::2] @ y[::2], x.t()[::2] @ x[:, ::3]

    return f, (r(60, 70), r(70, 40)), False


@program()
def products_of_types() -> Program:
    def f(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor, i: torch.Tensor) -> Any:
        return x @ x.t(), y @ y.t(), z.t() @ z, i @ i.t(), torch.bmm(y[None], y.t()[None])

    types = torch.float64, torch.bfloat16, torch.half, torch.int64
    return f, tuple(r(48, 70).mul(9).to(dtype) for dtype in types), False


@program()
def products_with_bias() -> Program:
    def f(x: torch.Tensor, y: torch.Tensor, rows: torch.Tensor, whole: torch.Tensor) -> Any:
        return (
            torch.addmm(whole, x, y),
            torch.addmm(rows, x, y),
            torch.addmm(whole, x, y, beta=0.5),
            x @ y[:, 0],
        )

    return f, (r(60, 70), r(70, 40), r(60, 1), r(60, 40)), False


@program()
def train_bfloat16() -> Program:
    model = mlp(64, 128, 32).bfloat16()
    return lambda x: model(x).float().square().mean(), (r(48, 64, dtype=torch.bfloat16),), True


@program()
def transformer_block() -> Program:
    model = torch.nn.TransformerEncoderLayer(32, 4, 64, dropout=0.1, batch_first=True)
    return lambda x: model(x).square().mean(), (r(2, 16, 32),), True


def measured(trace: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what the allocator did in each span of generated code, in order of begin."""
    events = sorted(
        (event for event in trace["traceEvents"] if "ts" in event), key=lambda event: float(event["ts"])
    )
    rows = []
    for span in events:
        name = span.get("name", "")
        if span.get("ph") != "X" or not name.startswith("code "):
            continue
        begin, end = float(span["ts"]), float(span["ts"]) + float(span["dur"])
        live: dict[int, int] = {}
        now = peak = freed = count = 0
        for event in events:
            if event.get("name") != "[memory]" or not begin <= float(event["ts"]) <= end:
                continue
            size, address = event["args"]["Bytes"], event["args"]["Addr"]
            if size > 0:
                live[address] = size
                now, count = now + size, count + 1
                peak = max(peak, now)
            elif address in live:
                now -= live.pop(address)
            else:
                freed -= size
        rows.append(
            {
                "key": name.removeprefix("code "),
                "peak_bytes": peak,
                "allocation_count": count,
                "kept_bytes": now,
                "freed_input_bytes": freed,
            }
        )
    return rows


def run(name: str) -> list[dict[str, Any]]:
    """Compile and warm up a program, then measure one call."""
    torch.manual_seed(0)
    function, arguments, trains = PROGRAMS[name]()
    with torch._inductor.config.patch(OPTIONS[name]):
        compiled = torch.compile(function, dynamic=True if name in DYNAMIC else None)

        def step() -> Any:
            result = compiled(*arguments)
            if trains:
                result.backward()
            return result

        for _ in range(2):
            step()
        with profile(activities=[ProfilerActivity.CPU], profile_memory=True, record_shapes=True) as profiler:
            step()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "profile.json"
        profiler.export_chrome_trace(str(path))
        return measured(json.loads(path.read_text()))


def name_calls() -> None:
    """Make each call of generated code a span of the profile that is named by the code's key."""
    call = CompiledFxGraph.__call__

    def named(self: CompiledFxGraph, inputs: Any) -> Any:
        with torch.profiler.record_function(f"code {self.cache_key}"):
            return call(self, inputs)

    CompiledFxGraph.__call__ = named


if __name__ == "__main__":
    name_calls()
    rows = run(sys.argv[1])
    (Path(sys.argv[2]) / "truth.json").write_text(json.dumps(rows, indent=1) + "\n")
