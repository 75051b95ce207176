"""Parts of generated programs: arguments, surroundings and modes, each with random values.

Runs with the standard library and torch alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from program_values import MODULES, POINT, Holder, Mode, Settings, half, ordered, twice

Draw = Callable[[Any], dict[str, Any]]  # a random.Random: values by name


@dataclass
class Part:
    """What one feature adds to a program. ``lines``: of the function, which add to ``out``; ``before``: of the
    file; ``in_init``: of the module's ``__init__``. ``draw`` returns arguments by name; ``set`` changes the
    surroundings and returns what it set, by source.
    """

    parameters: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    in_init: tuple[str, ...] = ()
    draw: Draw | None = None
    set: Callable[[Any, Any, Any], dict[str, Any]] | None = None  # chance, namespace, module
    needs: str = ""  # "module", "dynamic" (sizes are not marked static), "" for any program
    options: dict[str, Any] = field(default_factory=dict)


def tensor(chance, rank=2, sizes=(2, 3, 4, 8), dtypes=(torch.float32,), grads=(False,), views=False):
    size = [chance.choice(sizes) for _ in range(rank)]
    dtype = chance.choice(dtypes)
    value = torch.ones(size, dtype=dtype)
    if views and rank:
        kind = chance.choice(("plain", "plain", "transposed", "strided", "expanded"))
        if kind == "transposed":
            value = torch.ones(size[::-1], dtype=dtype).permute(*range(rank)[::-1])
        elif kind == "strided":
            value = torch.ones([*size[:-1], size[-1] * 2], dtype=dtype)[..., ::2]
        elif kind == "expanded":
            value = torch.ones([1, *size[1:]], dtype=dtype).expand(size)
    if dtype.is_floating_point and chance.choice(grads):
        value = value.detach().requires_grad_()
    return value


FLOATS = (torch.float32, torch.float64, torch.bfloat16)


def tensors(name: str) -> list[Part]:
    """Tensor arguments and what code does with their sizes."""
    other = f"{name}2"

    def one(*lines: str, **options: Any) -> Part:
        return Part((name,), lines, draw=lambda chance: {name: tensor(chance, **options)})

    def two(*lines: str, first: dict[str, Any], second: dict[str, Any]) -> Part:
        return Part(
            (name, other),
            lines,
            draw=lambda chance: {name: tensor(chance, **first), other: tensor(chance, **second)},
        )

    def several_ranks(chance):
        return {name: tensor(chance, rank=chance.choice((0, 1, 2, 3)), sizes=(1, 2, 4), grads=(True, False))}

    def same_or_not(chance):
        first = tensor(chance, rank=1, sizes=(2, 4))
        return {name: first, other: first if chance.random() < 0.5 else torch.ones(first.shape)}

    def broadcast(chance):
        size = chance.choice((2, 3, 4))
        return {name: torch.ones(size, chance.choice((1, size))), other: torch.ones(chance.choice((1, size)))}

    def marked(chance):
        value = tensor(chance, sizes=(2, 3, 5, 7))
        mark = chance.choice((None, "dynamic", "weak", "static"))
        if mark == "dynamic":
            torch._dynamo.mark_dynamic(value, 0)
        elif mark == "weak":
            torch._dynamo.maybe_mark_dynamic(value, chance.choice((0, 1)))
        elif mark == "static":
            torch._dynamo.mark_static(value, 1)
        return {name: value}

    def always_marked(chance):
        value = tensor(chance, sizes=(2, 3, 5, 7))
        torch._dynamo.mark_dynamic(value, 0)
        return {name: value}

    def unbacked(chance):
        value = tensor(chance, sizes=(0, 1, 2, 5))
        torch._dynamo.decorators.mark_unbacked(value, 0)
        return {name: value}

    def class_of(chance):
        value = tensor(chance, rank=1, sizes=(2, 4))
        return {name: torch.nn.Parameter(value) if chance.random() < 0.5 else value}

    return [
        one(f"out = out + {name}.sum()", rank=1, sizes=(0, 1, 2, 3, 7)),
        one(f"out = out + ({name} * 2).sum()", sizes=(1, 2, 4), views=True),
        one(f"out = out + {name}.float().sum()", dtypes=(*FLOATS, torch.int64), sizes=(2, 4)),
        one(f"out = out + {name}.sum()", rank=1, sizes=(2, 4), grads=(True, False), dtypes=FLOATS),
        Part((name,), (f"out = out + {name}.sum()",), draw=several_ranks),
        one(f"if {name}.size(0) > 5:", "    out = out + 1", f"out = out + {name}.sum()", sizes=(2, 4, 6, 9)),
        one(f"out = out + {name}.sum() * ({name}.size(0) % 2)", rank=1, sizes=(1, 2, 3, 4, 5, 8)),
        one(f"if {name}.numel() // 3 >= 4:", "    out = out * 2", f"out = out + {name}.mean()", sizes=(2, 3, 5, 8)),
        one(f"out = out + {name}.size(0) * {name}.shape[-1] + {name}.sum()", sizes=(2, 3, 6)),
        one(f"if {name}.shape[-1] in (2, 4):", "    out = out - 1", f"out = out + {name}.sum()", sizes=(2, 3, 4, 5)),
        one(f"out = out + {name}.reshape(-1, 2).sum(0).sum()", sizes=(2, 4, 6)),
        one(f"out = out + {name}.view(-1).sum() if {name}.is_contiguous() else out", sizes=(2, 3, 4), views=True),
        one(f"for i in range({name}.size(0)):", f"    out = out + {name}[i].sum() * i", rank=1, sizes=(1, 2, 3)),
        one(f"a, b = {name}.chunk(2)", "out = out + a.sum() - b.mean()", rank=1, sizes=(2, 4, 5, 8)),
        one(f"out = out + torch.arange({name}.size(0)).sum() + len({name})", rank=1, sizes=(1, 2, 5, 6)),
        one(f"if {name}.dtype == torch.float32 and {name}.dim() == 2:", "    out = out + 1", f"out = out + {name}.sum()", dtypes=(torch.float32, torch.float64)),
        one(f"if {name}.requires_grad:", "    out = out + 1", f"out = out + {name}.sum()", grads=(True, False), sizes=(2, 4)),
        two(f"if {name}.size(0) == {other}.size(0):", "    out = out + 1", f"out = out + {name}.sum() + {other}.sum()", first={"rank": 1, "sizes": (2, 4, 5)}, second={"sizes": (2, 4, 6)}),
        two(f"out = out + ({name}.size(0) + {other}.size(0)) * {name}.sum()", first={"rank": 1, "sizes": (1, 2, 4)}, second={"rank": 1, "sizes": (2, 3)}),
        two(f"if {name}.size(0) * 2 > {other}.size(0) + 3:", "    out = out - 3", f"out = out + {name}.sum() + {other}.sum()", first={"rank": 1, "sizes": (2, 4, 7)}, second={"rank": 1, "sizes": (2, 3, 8)}),
        two(f"out = out + torch.cat([{name}, {other}]).sum()", first={"rank": 1, "sizes": (1, 2, 4)}, second={"rank": 1, "sizes": (0, 2, 3)}),
        Part((name, other), (f"out = out + ({name} + {other}).sum()",), draw=broadcast),
        Part((name, other), (f"out = out + ({name} * 2 + {other}).sum()",), draw=same_or_not),
        Part((name, other), (f"if {name} is {other}:", "    out = out + 1", f"out = out + ({name} - {other}).sum()"), draw=same_or_not),
        Part((name,), (f"out = out + {name}.sum()",), draw=marked, needs="dynamic"),
        Part((name,), (f"out = out + {name}.sum()",), draw=always_marked, needs="dynamic"),
        Part((name,), (f"out = out + {name}.sum()",), draw=unbacked, needs="dynamic"),
        Part((name,), (f"out = out + {name}.sum()",), draw=class_of),
    ]  # fmt: skip


def constants(name: str) -> list[Part]:
    """Numbers, texts, flags and other single values."""

    def one(values: tuple[Any, ...], *lines: str, before: tuple[str, ...] = (), default: str = "") -> Part:
        return Part((name + default,), lines, before, draw=lambda chance: {name: chance.choice(values)})

    branch = (f"if {name} > 3:", "    out = out * 2", f"out = out + {name}")
    return [
        one((0, 1, 2, 5, 9), f"out = out + {name}"),
        one((2, 3, 5, 9, -4), *branch),
        one((1, 2, 3), f"for _ in range({name}):", "    out = out + 1"),
        one((1, 2, 4, 6), f"out = out + torch.ones({name}, 2).sum()"),
        one((2, 3, 4, 6), f"if {name} % 2 == 0:", "    out = out - 1", f"out = out * {name}"),
        one((2, 5, 70000, 2**40), f"out = out + {name} // 2"),
        one((3, 4, 7), f"out = out + [1, 2, 3, 4, 5, 6, 7, 8][{name}]"),
        one((True, False), f"out = out + 1 if {name} else out - 1"),
        one((True, False, None), f"if {name} is None:", "    out = out + 5", f"elif {name}:", "    out = out * 3"),
        one((1, True, 2), f"out = out + {name}"),
        one((0.5, 1.5, 2.0, 0.0), f"out = out * {name}"),
        one((0.5, 1.5, -2.25), f"if {name} > 1:", "    out = out + 1", f"out = out * {name}"),
        one((0.5, 2, 3, 1.0), f"out = out * {name}"),
        one((float("inf"), 1.0, float("nan"), 2.0), f"out = out * {name}"),
        one((0.1, 0.2, 0.3), f"out = torch.nn.functional.dropout(out, {name}, False)"),
        one(("mean", "sum", "it's"), f"out = out + 1 if {name} == 'mean' else out - 1"),
        one(("a", "b", "c"), f"out = out + len({name}) + (1 if {name}.startswith('a') else 2)"),
        one((None, 2, 3), f"out = out if {name} is None else out + {name}", default="=None"),
        one((2, 3, 3), f"out = out + {name}", default="=3"),
        one((torch.float32, torch.float64), f"out = out + torch.ones(2, dtype={name}).sum()"),
        one((torch.device("cpu"), torch.device("meta"), "cpu"), f"out = out + 1 if torch.device({name}).type == 'cpu' else out"),
        one((1 + 2j, 2j), f"out = out + ({name} * 2).real"),
        one((slice(0, 1), slice(0, 2), slice(None, None, 2)), f"out = out + torch.ones(4)[{name}].sum()"),
        one((range(2), range(3), range(1, 3)), f"for i in {name}:", "    out = out + i"),
        one((torch.Size([2, 3]), torch.Size([2, 4]), torch.Size([2])), f"out = out + torch.ones({name}).sum()"),
        one((b"ab", b"abc"), f"out = out + len({name})"),
    ]  # fmt: skip


def containers(name: str) -> list[Part]:
    """Lists, tuples, dicts and objects of tensors and of numbers."""

    def part(
        draw_one: Callable[[Any], Any], *lines: str, before: tuple[str, ...] = (), parameter: str = ""
    ) -> Part:
        return Part((parameter or name,), lines, before, draw=lambda chance: {name: draw_one(chance)})

    def small(chance):
        return tensor(chance, rank=1, sizes=(2, 3))

    def keys(chance, values):
        chosen = [key for key in ("a", "b", "c") if chance.random() < 0.6] or ["a"]
        if chance.random() < 0.3:
            chosen.reverse()
        return {key: values(chance) for key in chosen}

    return [
        part(lambda c: [small(c) for _ in range(c.choice((1, 2, 3)))], f"for t in {name}:", "    out = out + t.sum()"),
        part(lambda c: tuple(small(c) for _ in range(c.choice((1, 2)))), f"out = out + {name}[0].sum() + len({name})"),
        part(lambda c: [c.choice((1, 2, 5)) for _ in range(c.choice((1, 2)))], f"out = out + sum({name})"),
        part(lambda c: (c.choice((2, 3, 4)), c.choice((0.5, 2.0))), f"a, b = {name}", "out = out * a + b"),
        part(lambda c: c.choice(([], [1], [1, 2])), f"if {name}:", f"    out = out + {name}[-1]"),
        part(lambda c: [c.choice((None, 2)), c.choice((None, small(c)))], f"out = out + 1 if {name}[0] is None else out", f"out = out + 1 if {name}[1] is None else out + {name}[1].sum()"),
        part(lambda c: keys(c, small), f"for t in {name}.values():", "    out = out + t.sum()"),
        part(lambda c: keys(c, small), f"if 'b' in {name}:", f"    out = out + {name}['b'].sum()"),
        part(lambda c: keys(c, lambda _: c.choice((1, 2))), f"for k, v in {name}.items():", "    out = out + v if k != 'b' else out - v"),
        part(lambda c: keys(c, lambda _: c.choice((0.5, 2.5))), f"out = out * {name}.get('a', 1.0)"),
        part(lambda c: keys(c, lambda _: c.choice((1, 2))), f"out = out + len({name})"),
        part(lambda c: {c.choice((1, 2)): 3, 5: c.choice((4, 6))}, f"out = out + {name}[5] + {name}.get(1, 0)"),
        part(lambda c: {"x": {"deep": [small(c), c.choice((1, 2))]}, "y": c.choice(("p", "q"))}, f"out = out + {name}['x']['deep'][0].sum() * {name}['x']['deep'][1]", f"out = out + 1 if {name}['y'] == 'p' else out"),
        part(lambda c: [[small(c), small(c)], [small(c)]][: c.choice((1, 2))], f"for row in {name}:", "    for t in row:", "        out = out + t.sum()"),
        part(lambda c: c.choice(({1, 2}, {1, 3}, {2})), f"out = out + 1 if 1 in {name} else out - 1"),
        part(lambda c: c.choice((frozenset("ab"), frozenset("b"))), f"out = out + 1 if 'a' in {name} else out - 1"),
        part(lambda c: tuple(small(c) for _ in range(c.choice((0, 1, 2)))), f"for t in {name}:", "    out = out + t.sum()", parameter=f"*{name}"),
        part(lambda c: keys(c, lambda _: c.choice((2, 3))), f"out = out + {name}.get('a', 0) + {name}.get('b', 1)", parameter=f"**{name}"),
        part(lambda c: POINT(small(c), c.choice((1, 2, 3))), f"out = out + {name}.x.sum() * {name}.n", before=("from program_values import POINT",)),
        part(lambda c: Settings(c.choice((1, 2)), c.choice(("a", "b")), c.choice((None, 0.5))), f"out = out * {name}.scale if {name}.how == 'a' else out + {name}.scale", f"out = out if {name}.extra is None else out * {name}.extra"),
        part(lambda c: Holder(small(c), [c.choice((1, 2))]), f"out = out + {name}.value.sum() * {name}.numbers[0] + {name}.doubled()"),
        part(lambda c: c.choice((Mode.FAST, Mode.SLOW)), f"out = out + 1 if {name} is Mode.FAST else out - 1", before=("from program_values import Mode",)),
        part(lambda c: c.choice((torch.relu, torch.sin, torch.nn.functional.gelu)), f"out = {name}(out)"),
        part(lambda c: c.choice((twice, half)), f"out = {name}(out)"),
        part(lambda c: c.choice(MODULES), f"out = {name}(out)"),
        part(lambda c: c.choice((torch.nn.ReLU, dict, int)), f"out = out + 1 if {name} is int else out - 1"),
        part(lambda c: ordered(keys(c, lambda _: c.choice((1, 2)))), f"for k, v in {name}.items():", "    out = out + v"),
    ]  # fmt: skip


def surroundings(number: int) -> list[Part]:
    """Globals, closures and attributes of modules."""
    name = f"OPTION_{number}"

    def of_global(values: Callable[[Any], Any], *lines: str) -> Part:
        def change(chance, space, _):
            space[name] = values(chance)
            return {f"G['{name}']": space[name]}

        return Part((), lines, (f"{name} = None",), set=change)

    def of_module(
        first: str, values: Callable[[Any], Any], *lines: str, attribute: str = f"option_{number}"
    ) -> Part:
        def change(chance, _, module):
            value = values(chance)
            setattr(module, attribute, value)
            return {f"self.{attribute}": value}

        return Part((), lines, in_init=(first,) if first else (), set=change, needs="module")

    def train(chance, _, module):
        module.train(chance.random() < 0.5)
        return {"self.training": module.training, "self.inner.training": module.training}

    def attribute(part: str) -> str:
        return f"self.option_{number}" + part

    return [
        of_global(lambda c: c.choice((1, 2, 3)), f"out = out * {name}"),
        of_global(lambda c: c.choice((0.5, 2.5)), f"out = out * {name}"),
        of_global(lambda c: c.choice((True, False)), f"if {name}:", "    out = out + 1"),
        of_global(lambda c: c.choice(("sum", "other")), f"if {name} == 'sum':", "    out = out + 1"),
        of_global(lambda c: [1, 2, 3][: c.choice((1, 2, 3))], f"out = out + sum({name})"),
        of_global(lambda c: {"scale": c.choice((1, 2, 3)), "how": c.choice("ab")}, f"out = out * {name}['scale']", f"out = out + 1 if {name}['how'] == 'a' else out"),
        of_global(lambda c: c.choice((None, 1)), f"out = out if {name} is None else out + {name}"),
        of_global(lambda c: tensor(c, rank=1, sizes=(2, 4)), f"out = out + {name}.sum()"),
        of_global(lambda c: c.choice((twice, half)), f"out = {name}(out)"),
        of_global(lambda c: (c.choice((1, 2)), "x"), f"out = out * {name}[0]"),
        of_module("", lambda c: c.choice((1, 2, 3)), f"out = out * {attribute('')}"),
        of_module("", lambda c: c.choice((0.5, 2.5)), f"out = out * {attribute('')}"),
        of_module("", lambda c: c.choice((True, False)), f"out = out + 1 if {attribute('')} else out"),
        of_module("", lambda c: [1, 2, 3][: c.choice((1, 2, 3))], f"for k in {attribute('')}:", "    out = out + k"),
        of_module("", lambda c: c.choice(("a", "b", None)), f"out = out + 1 if {attribute('')} == 'a' else out"),
        of_module("", lambda c: {"k": c.choice((1, 2))}, f"out = out + {attribute('')}['k']"),
        Part((), ("out = out * 2 if self.training else self.inner(out.reshape(1, 1)).sum()",), in_init=("self.inner = torch.nn.Linear(1, 1)",), set=train, needs="module"),
        of_module(f"self.register_buffer('option_{number}', torch.ones(2))", lambda c: tensor(c, rank=1, sizes=(2, 3)), f"out = out + {attribute('')}.sum()"),
        of_module(f"self.option_{number} = None", lambda c: c.choice(MODULES), f"out = {attribute('')}(out)"),
    ]  # fmt: skip


def modes() -> list[Part]:
    """States of torch that guards check."""

    def state(values: tuple[Any, ...], change: Callable[[Any], Any], source: str) -> Part:
        def set_it(chance, *_):
            value = chance.choice(values)
            change(value)
            return {source: value}

        return Part((), set=set_it)

    return [
        state((True, False), torch.set_grad_enabled, "torch.is_grad_enabled()"),
        state((torch.float32, torch.float64), torch.set_default_dtype, "torch.get_default_dtype()"),
        state((1, 2), torch.set_num_threads, "torch.get_num_threads()"),
        state((True, False), torch.use_deterministic_algorithms, "torch.are_deterministic_algorithms_enabled()"),
        state((True, False), lambda on: torch.set_autocast_enabled("cpu", on), "torch.is_autocast_enabled('cpu')"),
        state((None, "cpu"), torch.set_default_device, "torch.get_default_device()"),
    ]  # fmt: skip
