"""Composes a random program, calls it with random inputs and records which calls compiled.

    TORCH_TRACE=DIR python generated_programs.py SEED CALLS_JSON [--calls 60]
    TORCH_TRACE=DIR python generated_programs.py FIRST-LAST FOLDER [--calls 60]

Runs with a Python that has torch. Writes the form of fixtures/calls: one object per call with its inputs by
name, surroundings by source, and ``compiled``: how many cache entries of the program it added. With several
seeds it writes log, calls.json and program.txt to a folder for each; folders that exist are left as they are.
"""

from __future__ import annotations

import argparse
import enum
import importlib.util
import inspect
import json
import os
import random
import sys
import tempfile
import traceback
import types
from pathlib import Path
from typing import Any

import torch
import torch._dynamo.config as config
import torch._logging._internal
from program_features import Part, constants, containers, modes, surroundings, tensors
from program_values import POINT, Holder, Settings
from torch._dynamo.eval_frame import _debug_get_cache_entry_list

MARKS = ("dynamic", "weak_dynamic", "unbacked", "strict_unbacked", "static")
LIMITS = ("recompile_limit", "cache_size_limit")  # the latter until torch 2.5


class Program:
    """The text of a program, its parts, and how it is compiled."""

    def __init__(self, seed: int):
        chance = self.chance = random.Random(seed)
        self.kind = chance.choice(("function", "function", "module", "closure"))
        self.dynamic = chance.choice((None, None, None, True, False))
        self.breaks = chance.random() < 0.15
        self.fullgraph = not self.breaks and chance.random() < 0.2
        limit = chance.choice((3, 8, 16, 16, 32))
        self.limit = 64 if self.fullgraph else limit  # with fullgraph, torch raises at the limit
        self.changes = chance.uniform(0.2, 0.9)  # how often a call changes an input
        self.config = self._config()
        self.parts = self._parts()
        self.source = self._source()

    def _config(self) -> dict[str, Any]:
        options = (
            {"automatic_dynamic_shapes": False},
            {"assume_static_by_default": False},
            {"specialize_int": True},
            {"specialize_float": True},
            {"allow_unspec_int_on_nn_module": True},
            {"inline_inbuilt_nn_modules": False},
            {"guard_nn_modules": False},
        )
        chosen = self.chance.choice(options) if self.chance.random() < 0.3 else {}
        return {name: value for name, value in chosen.items() if hasattr(config, name)}

    def _parts(self) -> list[Part]:
        chance = self.chance
        families = (tensors, constants, containers)
        number = chance.choice((1, 2, 2, 3, 3, 4))
        parts = [chance.choice(chance.choice(families)(f"a{place}")) for place in range(number)]
        parts += [chance.choice(surroundings(place)) for place in range(chance.choice((0, 0, 1, 2)))]
        if chance.random() < 0.2:
            parts.append(chance.choice(modes()))
        if chance.random() < 0.5:  # a tensor argument makes most programs more like real ones
            parts.insert(0, chance.choice(tensors("x")))
        static = self.dynamic is False or not config.assume_static_by_default
        return [
            part
            for part in parts
            if part.needs in ("", self.kind) or (part.needs == "dynamic" and not static)
        ] or [constants("a0")[0]]

    def _source(self) -> str:
        places = {"*": 2, "**": 4}
        parameters = [parameter for part in self.parts for parameter in part.parameters]

        def order(parameter: str) -> int:
            stars = len(parameter) - len(parameter.lstrip("*"))
            return places["*" * stars] if stars else int("=" in parameter)

        parameters.sort(key=order)
        body = [line for part in self.parts for line in part.lines]
        if self.breaks:
            body.insert(self.chance.randint(0, sum(not line.startswith(" ") for line in body)), "")
            body = _with_break(self.chance, [line for line in body if line])
        body = ["out = torch.zeros(())", *body, "return out"]
        before = dict.fromkeys(line for part in self.parts for line in part.before)
        lines = ["import torch", *before]
        if self.kind == "module":
            lines += ["class Net(torch.nn.Module):", "    def __init__(self):", "        super().__init__()"]
            lines += [f"        {line}" for part in self.parts for line in part.in_init]
            lines += [f"    def forward({', '.join(['self', *parameters])}):"]
            return "\n".join([*lines, *(f"        {line}" for line in body), ""])
        if self.kind == "closure":
            lines += ["def make():", "    offset = 1", f"    def program({', '.join(parameters)}):"]
            lines += [f"        {line}" for line in [*body[:-1], "return out + offset"]]
            lines += ["    def change(value):", "        nonlocal offset", "        offset = value"]
            return "\n".join([*lines, "    return program, change", ""])
        return "\n".join(
            [*lines, f"def program({', '.join(parameters)}):", *(f"    {line}" for line in body), ""]
        )


def _with_break(chance: random.Random, body: list[str]) -> list[str]:
    """Insert a graph break before one of the outer lines."""
    ends = ("elif", "else")
    places = [place for place, line in enumerate(body) if not line.startswith((" ", *ends))]
    place = chance.choice(places)
    return [*body[:place], "torch._dynamo.graph_break()", *body[place:]]


class Caller:
    """A program that is loaded and compiled."""

    def __init__(self, program: Program, folder: Path):
        self.program = program
        path = folder / "generated.py"
        path.write_text(program.source)
        spec = importlib.util.spec_from_file_location("generated", path)
        assert spec and spec.loader
        self.space = importlib.util.module_from_spec(spec)
        sys.modules["generated"] = self.space
        spec.loader.exec_module(self.space)
        self.change = self.module = None
        if program.kind == "module":
            self.module = self.space.Net()
            function = self.module.forward
        elif program.kind == "closure":
            function, self.change = self.space.make()
        else:
            function = self.space.program
        self.signature = inspect.signature(function)
        self.code = function.__code__
        for name, value in {**program.config, **dict.fromkeys(LIMITS, program.limit)}.items():
            if hasattr(config, name):
                setattr(config, name, value)
        target = self.module if program.kind == "module" and program.chance.random() < 0.5 else function
        self.compiled = torch.compile(
            target, backend="eager", dynamic=program.dynamic, fullgraph=program.fullgraph
        )
        self.kept: list[Any] = []  # entries seen, whose ids are not used again
        self.last: dict[int, tuple[dict[str, Any], dict[str, Any]]] = {}

    def inputs(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Draw the next call; change the surroundings. Return its arguments and what is set, by source."""
        chance, arguments, outside = self.program.chance, {}, {}
        for place, part in enumerate(self.program.parts):
            if place not in self.last or chance.random() < self.program.changes:
                drawn = part.draw(chance) if part.draw else {}
                changed = part.set(chance, vars(self.space), self.module) if part.set else {}
                self.last[place] = drawn, changed
            arguments.update(self.last[place][0])
            outside.update(self.last[place][1])
        if self.change:
            outside["offset"] = chance.choice((1, 1, 1, 2))
            self.change(outside["offset"])
        return arguments, outside

    def call(self, arguments: dict[str, Any]) -> None:
        """Pass the arguments as the signature says; leave out some that have their default value."""
        positional, by_name, some = [], {}, {}
        packed = any(kind.kind is kind.VAR_POSITIONAL for kind in self.signature.parameters.values())
        for name, parameter in self.signature.parameters.items():
            value = arguments[name]
            if parameter.kind is parameter.VAR_POSITIONAL:
                positional += value
            elif parameter.kind is parameter.VAR_KEYWORD:
                some = value
            elif packed or parameter.default is parameter.empty:
                positional.append(value)
            elif value != parameter.default:
                by_name[name] = value
        self.compiled(*positional, **by_name, **some)

    def new_entries(self) -> int:
        """Return how many cache entries of the program are new."""
        seen = {id(entry) for entry in self.kept}
        new = [entry for entry in _codes(self.code) if id(entry) not in seen]
        self.kept += new
        return len(new)


def _codes(code: types.CodeType) -> list[Any]:
    return [entry.code for entry in _debug_get_cache_entry_list(code)]


def described(value: Any, objects: dict[int, int]) -> Any:
    """Return a value as JSON. ``objects`` numbers the tensors of a call, so that the same one has one number."""
    if isinstance(value, torch.Tensor):
        marks = {name: sorted(getattr(value, f"_dynamo_{name}_indices", ())) for name in MARKS}
        marks = {name: dimensions for name, dimensions in marks.items() if dimensions}
        return {
            "size": list(value.shape),
            "stride": list(value.stride()),
            "dtype": str(value.dtype),
            "requires_grad": value.requires_grad,
            "class": type(value).__name__,
            "object": objects.setdefault(id(value), len(objects)),
            "marks": marks,
        }
    if isinstance(value, POINT):
        return described(value._asdict(), objects)
    if isinstance(value, (Settings, Holder)):
        return described(vars(value), objects)
    if isinstance(value, (list, tuple)):
        return [described(item, objects) for item in value]
    if isinstance(value, dict):
        return {key: described(item, objects) for key, item in value.items()}
    if isinstance(value, (int, float, str, type(None))) and not isinstance(value, enum.Enum):
        return value
    if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
        return value.__name__
    return str(value) if isinstance(value, enum.Enum) else repr(value)


def record(program: Program, number: int) -> list[dict[str, Any]]:
    """Call a program and return what each call passed and how often it compiled."""
    calls = []
    with tempfile.TemporaryDirectory() as folder:
        caller = Caller(program, Path(folder))
        for place in range(number):
            arguments, outside = caller.inputs()
            stated = described({**arguments, **outside}, {})
            error = None
            try:
                caller.call(arguments)
            except Exception as raised:  # the call may fail in torch; its compile counts
                error = f"{type(raised).__name__}: {raised}"[:300]
            calls.append({"i": place, **stated, "compiled": caller.new_entries()})
            if error:
                calls[-1]["error"] = error
    return calls


def write(seed: int, out: Path, number: int) -> None:
    """Record the program of a seed; write its text beside the calls."""
    torch.manual_seed(0)
    program = Program(seed)
    how = f"{program.kind}, dynamic={program.dynamic}, limit={program.limit}, {program.config or 'default config'}"
    out.with_name("program.txt").write_text(f"# {how}\n{program.source}")
    out.write_text(json.dumps(record(program, number)))


def write_each(seeds: range, folder: Path, number: int) -> None:
    """Record the programs of seeds, each in a process that has imported torch already."""
    for seed in seeds:
        own = folder / str(seed)
        if (own / "calls.json").exists():
            continue
        own.mkdir(parents=True, exist_ok=True)
        child = os.fork()
        if child == 0:
            handler = torch._logging._internal.LOG_TRACE_HANDLER
            assert handler is not None and handler.stream is None
            handler.root_dir = str(own)  # nothing is written yet: the log begins with the first compile
            status = 1
            try:
                write(seed, own / "calls.json", number)
                status = 0
            except Exception:
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(status)
        os.waitpid(child, 0)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("seeds", help="a seed, or the first and the last: 0-29")
    parser.add_argument("out", type=Path)
    parser.add_argument("--calls", type=int, default=60)
    asked = parser.parse_args()
    first, separator, last = asked.seeds.partition("-")
    if separator:
        write_each(range(int(first), int(last) + 1), asked.out, asked.calls)
    else:
        write(int(first), asked.out, asked.calls)


if __name__ == "__main__":
    main()
