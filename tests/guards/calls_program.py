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


def text_and_none(x, how, mask=None):
    if mask is not None:
        x = x * mask
    return x.mean() if how == "mean" else x.sum() if how == "sum" else x.abs()


def tensors_in_a_list(xs, weights):
    total = xs[0] * weights[0]
    for x, weight in zip(xs[1:], weights[1:], strict=True):
        total = total + x.sum() * weight
    return total


def options_in_a_dict(x, options):
    x = x * options["scale"]
    return x.relu() if options.get("relu") else x.sin()


def sizes_that_relate(x, y):
    if x.size(0) == y.size(0):
        return x.sum() + y.sum()
    return x.sum() * 2 if x.size(0) % 4 == 0 else y.sum()


def floats(x, factor, power):
    return (x * factor) ** power


def global_state(x, k):
    return x * SCALE + k if MODE == "sum" else x - k


def dtypes_and_views(x):
    return x * 2 + 1


def nested(x, pair):
    (a, b), name = pair
    return x * a + b if name == "scale" else x - a


def loops(x, steps):
    for _ in range(steps):
        x = x + 1
    return x


def ranges(x, start, stop):
    return x[start:stop] * 2 if stop > start else x


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 4)
        self.depth = 1

    def forward(self, x):
        for _ in range(self.depth):
            x = torch.relu(x)
        return self.linear(x) if self.training else self.linear(x) * 2


def tensor(chance, *, rank=2, sizes=(1, 2, 3, 4, 6, 8), views=False, dtypes=(torch.float32,), grads=(False,)):
    size = [chance.choice(sizes) for _ in range(rank)]
    dtype = chance.choice(dtypes)
    value = torch.ones(size, dtype=dtype)
    if views and rank == 2 and chance.random() < 0.3:
        value = torch.ones(size[::-1], dtype=dtype).t()
    if dtype.is_floating_point and chance.choice(grads):
        value.requires_grad_()
    return value


def program(name, chance):
    """Return (function to call, function that makes the inputs of a call, further state by source)."""
    t = tensor
    if name == "mixed":

        def make():
            x = t(chance, sizes=(1, 2, 4, 8), views=True)
            y = t(chance, rank=0) if chance.random() < 0.1 else torch.ones(x.shape)
            return {"x": x, "y": y, "n": chance.choice((1, 2, 5)), "flag": chance.random() < 0.3}

        return mixed, make
    if name == "text_and_none":
        return text_and_none, lambda: {
            "x": t(chance, sizes=(2, 4)),
            "how": chance.choice(("mean", "sum", "max", "it's # odd  # here")),
            "mask": None if chance.random() < 0.5 else torch.ones(()),
        }
    if name == "tensors_in_a_list":

        def make():
            number = chance.choice((1, 2, 3))
            return {
                "xs": [t(chance, rank=1, sizes=(2, 3)) for _ in range(number)],
                "weights": [chance.choice((1, 2, 3)) for _ in range(number)],
            }

        return tensors_in_a_list, make
    if name == "options_in_a_dict":
        return options_in_a_dict, lambda: {
            "x": t(chance, sizes=(2, 4, 8)),
            "options": {
                "scale": chance.choice((1, 2, 3)),
                **({"relu": chance.random() < 0.5} if chance.random() < 0.7 else {}),
            },
        }
    if name == "sizes_that_relate":
        return sizes_that_relate, lambda: {
            "x": t(chance, rank=1, sizes=(1, 2, 4, 5, 6, 8, 12)),
            "y": t(chance, rank=1, sizes=(1, 2, 4, 5, 8)),
        }
    if name == "floats":
        return floats, lambda: {
            "x": t(chance, rank=1, sizes=(3, 4)),
            "factor": chance.choice((0.5, 1.0, 2.5, 3.25)),
            "power": chance.choice((1, 2, 3.0)),
        }
    if name == "global_state":

        def make():
            global MODE, SCALE
            MODE, SCALE = chance.choice(("sum", "difference")), chance.choice((2, 2, 3))
            return {
                "x": t(chance, rank=1, sizes=(2, 4)),
                "k": chance.choice((1, 7, 9)),
                "G['MODE']": MODE,
                "G['SCALE']": SCALE,
            }

        return global_state, make
    if name == "dtypes_and_views":
        return dtypes_and_views, lambda: {
            "x": t(
                chance,
                rank=chance.choice((0, 1, 2, 3)),
                sizes=(1, 2, 4),
                views=True,
                dtypes=(torch.float32, torch.float64, torch.int64, torch.bfloat16),
                grads=(True, False),
            ),
        }
    if name == "nested":
        return nested, lambda: {
            "x": t(chance, rank=1, sizes=(2, 4)),
            "pair": ((chance.choice((1, 2)), chance.choice((1.5, 2))), chance.choice(("scale", "shift"))),
        }
    if name == "loops":
        return loops, lambda: {"x": t(chance, sizes=(2, 3, 4)), "steps": chance.choice((1, 2, 3, 4))}
    if name == "ranges":
        return ranges, lambda: {
            "x": t(chance, rank=1, sizes=(8, 9, 12, 16)),
            "start": chance.choice((0, 1, 2)),
            "stop": chance.choice((2, 4, 7)),
        }
    if name == "module":
        net = Net()

        def make():
            net.train(chance.random() < 0.5)
            net.depth = chance.choice((1, 2))
            return {
                "x": torch.ones(chance.choice((1, 2, 4, 8)), 8),
                "self.training": net.training,
                "self.depth": net.depth,
            }

        return net.forward, make
    raise SystemExit(f"unknown program {name!r}: use one of {', '.join(PROGRAMS)}")


PROGRAMS = ("mixed", "text_and_none", "tensors_in_a_list", "options_in_a_dict", "sizes_that_relate", "floats",
            "global_state", "dtypes_and_views", "nested", "loops", "ranges", "module")  # fmt: skip


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
    parser.add_argument("program")
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
    function, make = program(asked.program, chance)
    compiled = torch.compile(function, backend="eager", dynamic=dynamic)
    calls = []
    for _ in range(asked.calls):
        inputs = make()
        before = counters["frames"]["ok"]
        compiled(**{name: value for name, value in inputs.items() if name.isidentifier()})
        calls.append({**described(inputs), "compiled": counters["frames"]["ok"] - before})
    with open(asked.out, "w") as stream:
        json.dump(calls, stream)


if __name__ == "__main__":
    main()
