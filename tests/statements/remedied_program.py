"""Runs functions with one problem each, or the same functions with the fix that the finding offers applied.

    python remedied_program.py before|after

Runs with a Python that has torch. Each problem is a function of its own, named like its case.
"""

import contextlib
import logging
import sys
import threading
import time

import numpy as np
import torch
import torch._dynamo
from torch._dynamo import config

FIXED = sys.argv[1] == "after"
LOGGER, LOCK = logging.getLogger("program"), threading.Lock()
LIBRARY = torch.library.Library("shop", "DEF")
LIBRARY.define("tax(Tensor x) -> Tensor")
LIBRARY.impl("tax", lambda x: x * 2, "CPU")
COUNT = 0


@torch.library.custom_op("shop::discount", mutates_args=())
def discount(x: torch.Tensor) -> torch.Tensor:
    return x - 1


@torch.library.custom_op("shop::price", mutates_args=())
def price(x: torch.Tensor) -> torch.Tensor:
    return x * 2


@price.register_fake
def _(x):
    return torch.empty_like(x)


if FIXED:
    torch.library.register_fake("shop::tax")(torch.empty_like)
    torch.library.register_fake("shop::discount")(torch.empty_like)
    torch.library.register_autograd(
        "shop::price", lambda ctx, grad: grad * 2, setup_context=lambda *_, **__: None
    )


def prints(x):
    if not FIXED:
        print("hello")
    return x + 1


def reorders(x):
    y = x * 2
    print("value", y)
    return y + 1


def warns(x):
    LOGGER.warning("careful")
    return x + 1


def reads_item(x):
    return x / x.sum().item()


def finds_nonzero(x):
    return x.nonzero() + 1


def branches(x):
    if FIXED:
        return torch.cond(x.sum() > 0, lambda y: y + 1, lambda y: y - 1, (x,))
    return x + 1 if x.sum() > 0 else x - 1


def helper(x):
    return x * 2


def calls_disabled(x):
    return (helper if FIXED else torch.compiler.disable(helper))(x) + 1


def takes_time(x, begin=None):
    return x * 2, begin if FIXED else time.time()


def locks(x):
    if FIXED:
        return x.sin()
    with LOCK:
        return x.sin()


def inserts_break(x):
    x = x + 1
    if not FIXED:
        torch._dynamo.graph_break()
    return x * 2


def taxes(x):
    return torch.ops.shop.tax(x) + 1


def discounts(x):
    return discount(x) + 1


def trains(x):
    return price(x).sum()


def runs_backward(x):
    loss = (x * 2).sum()
    if not FIXED:
        loss.backward()
    return loss


def maps_item(x):
    def pick(a):
        total = a.sum()
        return torch.where(total > 0, total, a.mean()) if FIXED else total if total.item() > 0 else a.mean()

    return torch.func.vmap(pick)(x)


def compares_marked(x):
    return x[:2] if x.shape[0] > 5 else x


def fixes_size(x):
    return x + torch.ones(x.shape[0] if FIXED else 4)


def sees_arrays(a):
    return np.sin(a) + 1


def counts(x, count):
    return x + (count if FIXED else COUNT)


class Recurrent(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.LSTM(2, 2)

    def forward(self, recurrent_input):
        return self.inner(recurrent_input)[0]


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 2

    def forward(self, counted_input):
        self.calls += 1
        return counted_input * self.calls


def run(function, *calls, backend="eager", settings=None, dynamic=None):
    """Call a compiled function; the fix may be settings, or ``dynamic``."""
    with config.patch(settings) if FIXED and settings else contextlib.nullcontext():
        compiled = torch.compile(function, backend=backend, dynamic=dynamic if FIXED else None)
        for arguments in calls:
            try:
                compiled(*arguments)
            except Exception as error:
                print(getattr(function, "__name__", function), type(error).__name__)


ONES = (torch.ones(3),)
for plain in (prints, branches, calls_disabled, locks, inserts_break, taxes, discounts):
    run(plain, ONES)
run(takes_time, (*ONES, time.time() if FIXED else None))
run(reorders, ONES, settings={"reorderable_logging_functions": {print}})
run(warns, ONES, settings={"ignore_logging_functions": {LOGGER.warning}})
run(reads_item, ONES, settings={"capture_scalar_outputs": True})
run(finds_nonzero, ONES, settings={"capture_dynamic_output_shape_ops": True})
run(trains, (torch.ones(3, requires_grad=True),), backend="aot_eager")
run(runs_backward, (torch.ones(3, requires_grad=True),))
run(maps_item, (torch.ones(3, 2),), backend="aot_eager")
marked = torch.ones(9)
(torch._dynamo.maybe_mark_dynamic if FIXED else torch._dynamo.decorators.mark_unbacked)(marked, 0)
run(compares_marked, (marked,))
run(fixes_size, (torch.ones(5 if FIXED else 4),), dynamic=True) if FIXED else torch.compile(
    fixes_size, backend="eager", dynamic=True
)(torch.ones(4))
run(sees_arrays, (np.ones(3),), (np.ones(4),), dynamic=True)
for COUNT in (1, 2, 3):
    run(counts, (torch.ones(2), torch.tensor(COUNT)))
run(Recurrent(), (torch.ones(4, 1, 2),), settings={"allow_rnn": True})
run(Counter(), ONES, ONES, ONES, settings={"allow_unspec_int_on_nn_module": True})

parameter = torch.nn.Parameter(torch.ones(2))
optimizer = torch.optim.SGD([parameter], lr=torch.tensor(0.1) if FIXED else 0.1)
update = torch.compile(lambda: optimizer.step(), backend="eager")
for rate in (0.1, 0.05, 0.02):
    if FIXED:
        optimizer.param_groups[0]["lr"].fill_(rate)
    else:
        optimizer.param_groups[0]["lr"] = rate
    parameter.grad = torch.ones(2)
    update()
