"""Calls compiled functions with random inputs and records which calls compiled. Needs torch.

    TORCH_TRACE=DIR python calls_program.py PROGRAM CALLS_JSON [--calls 100] [--seed 1]

Writes a list of objects, one per call: its inputs by name (tensors as {size, stride, dtype, requires_grad},
other sources by the name that guards give them), and ``compiled``: how many compiles the call triggered.
"""

from __future__ import annotations

import argparse
import json
import random

import torch
import torch._dynamo.config as config
from torch._dynamo.utils import counters

MODE = "sum"
SCALE = 2


def mixed(x, y, n, flag):
    z = x * 2 + y
    if n > 3:
        z = z + n
    return z.relu() if flag else z


def mixed_inputs(chance):
    x = tensor(chance, sizes=(1, 2, 4, 8), views=True)
    y = tensor(chance, rank=0) if chance.random() < 0.1 else torch.ones(x.shape)
    return {"x": x, "y": y, "n": chance.choice((1, 2, 5)), "flag": chance.random() < 0.3}


def text_and_none(x, how, mask=None):
    if mask is not None:
        x = x * mask
    return x.mean() if how == "mean" else x.sum() if how == "sum" else x.abs()


def text_and_none_inputs(chance):
    how = chance.choice(("mean", "sum", "max", "it's # odd  # here"))
    mask = None if chance.random() < 0.5 else torch.ones(())
    return {"x": tensor(chance, sizes=(2, 4)), "how": how, "mask": mask}


def tensors_in_a_list(xs, weights):
    total = xs[0] * weights[0]
    for x, weight in zip(xs[1:], weights[1:], strict=True):
        total = total + x.sum() * weight
    return total


def tensors_in_a_list_inputs(chance):
    number = chance.choice((1, 2, 3))
    return {
        "xs": [tensor(chance, rank=1, sizes=(2, 3)) for _ in range(number)],
        "weights": [chance.choice((1, 2, 3)) for _ in range(number)],
    }


def options_in_a_dict(x, options):
    x = x * options["scale"]
    return x.relu() if options.get("relu") else x.sin()


def options_in_a_dict_inputs(chance):
    relu = {"relu": chance.random() < 0.5} if chance.random() < 0.7 else {}
    return {"x": tensor(chance, sizes=(2, 4, 8)), "options": {"scale": chance.choice((1, 2, 3)), **relu}}


def sizes_that_relate(x, y):
    if x.size(0) == y.size(0):
        return x.sum() + y.sum()
    return x.sum() * 2 if x.size(0) % 4 == 0 else y.sum()


def sizes_that_relate_inputs(chance):
    return {
        "x": tensor(chance, rank=1, sizes=(1, 2, 4, 5, 6, 8, 12)),
        "y": tensor(chance, rank=1, sizes=(1, 2, 4, 5, 8)),
    }


def floats(x, factor, power):
    return (x * factor) ** power


def floats_inputs(chance):
    factor, power = chance.choice((0.5, 1.0, 2.5, 3.25)), chance.choice((1, 2, 3.0))
    return {"x": tensor(chance, rank=1, sizes=(3, 4)), "factor": factor, "power": power}


def global_state(x, k):
    return x * SCALE + k if MODE == "sum" else x - k


def global_state_inputs(chance):
    global MODE, SCALE
    MODE, SCALE = chance.choice(("sum", "difference")), chance.choice((2, 2, 3))
    inputs = {"x": tensor(chance, rank=1, sizes=(2, 4)), "k": chance.choice((1, 7, 9))}
    return {**inputs, "G['MODE']": MODE, "G['SCALE']": SCALE}


def dtypes_and_views(x):
    return x * 2 + 1


def dtypes_and_views_inputs(chance):
    dtypes = (torch.float32, torch.float64, torch.int64, torch.bfloat16)
    rank = chance.choice((0, 1, 2, 3))
    return {"x": tensor(chance, rank=rank, sizes=(1, 2, 4), views=True, dtypes=dtypes, grads=(True, False))}


def nested(x, pair):
    (a, b), name = pair
    return x * a + b if name == "scale" else x - a


def nested_inputs(chance):
    numbers = chance.choice((1, 2)), chance.choice((1.5, 2))
    return {"x": tensor(chance, rank=1, sizes=(2, 4)), "pair": (numbers, chance.choice(("scale", "shift")))}


def loops(x, steps):
    for _ in range(steps):
        x = x + 1
    return x


def loops_inputs(chance):
    return {"x": tensor(chance, sizes=(2, 3, 4)), "steps": chance.choice((1, 2, 3, 4))}


def ranges(x, start, stop):
    return x[start:stop] * 2 if stop > start else x


def ranges_inputs(chance):
    start, stop = chance.choice((0, 1, 2)), chance.choice((2, 4, 7))
    return {"x": tensor(chance, rank=1, sizes=(8, 9, 12, 16)), "start": start, "stop": stop}


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 4)
        self.depth = 1

    def forward(self, x):
        for _ in range(self.depth):
            x = torch.relu(x)
        return self.linear(x) if self.training else self.linear(x) * 2


NET = Net()


def module_inputs(chance):
    NET.train(chance.random() < 0.5)
    NET.depth = chance.choice((1, 2))
    x = torch.ones(chance.choice((1, 2, 4, 8)), 8)
    return {"x": x, "self.training": NET.training, "self.depth": NET.depth}


def tensor(chance, *, rank=2, sizes=(1, 2, 3, 4, 6, 8), views=False, dtypes=(torch.float32,), grads=(False,)):
    size = [chance.choice(sizes) for _ in range(rank)]
    dtype = chance.choice(dtypes)
    is_view = views and rank == 2 and chance.random() < 0.3
    value = torch.ones(size[::-1], dtype=dtype).t() if is_view else torch.ones(size, dtype=dtype)
    if dtype.is_floating_point and chance.choice(grads):
        value.requires_grad_()
    return value


PROGRAMS = {
    "mixed": (mixed, mixed_inputs),
    "text_and_none": (text_and_none, text_and_none_inputs),
    "tensors_in_a_list": (tensors_in_a_list, tensors_in_a_list_inputs),
    "options_in_a_dict": (options_in_a_dict, options_in_a_dict_inputs),
    "sizes_that_relate": (sizes_that_relate, sizes_that_relate_inputs),
    "floats": (floats, floats_inputs),
    "global_state": (global_state, global_state_inputs),
    "dtypes_and_views": (dtypes_and_views, dtypes_and_views_inputs),
    "nested": (nested, nested_inputs),
    "loops": (loops, loops_inputs),
    "ranges": (ranges, ranges_inputs),
    "module": (NET.forward, module_inputs),
}


def described(value):
    if isinstance(value, torch.Tensor):
        return {
            "size": list(value.shape),
            "stride": list(value.stride()),
            "dtype": str(value.dtype),
            "requires_grad": value.requires_grad,
        }
    if isinstance(value, (list, tuple)):
        return [described(item) for item in value]
    return {key: described(item) for key, item in value.items()} if isinstance(value, dict) else value


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", choices=PROGRAMS)
    parser.add_argument("out")
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dynamic", choices=("None", "True", "False"), default="None")
    parser.add_argument("--limit", type=int, default=64)
    asked = parser.parse_args()
    chance = random.Random(asked.seed)
    torch.manual_seed(0)
    for option in ("recompile_limit", "cache_size_limit"):
        if hasattr(config, option):
            setattr(config, option, asked.limit)
    dynamic = {"None": None, "True": True, "False": False}[asked.dynamic]
    function, make_inputs = PROGRAMS[asked.program]
    compiled = torch.compile(function, backend="eager", dynamic=dynamic)
    calls = []
    for _ in range(asked.calls):
        inputs = make_inputs(chance)
        before = counters["frames"]["ok"]
        compiled(**{name: value for name, value in inputs.items() if name.isidentifier()})
        calls.append({**described(inputs), "compiled": counters["frames"]["ok"] - before})
    with open(asked.out, "w") as stream:
        json.dump(calls, stream)


if __name__ == "__main__":
    main()
