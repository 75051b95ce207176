"""What may lead to other changes: torch, its settings, the backend, what the findings tell, the program
itself.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from tlparse_bundle.base.wording import code, function_name, listed, plural, times
from tlparse_bundle.bundle.json_codec import dumps
from tlparse_bundle.model.functions import function_of
from tlparse_bundle.statements.ranks.frames import Frame
from tlparse_bundle.statements.runs.compare.change import Change
from tlparse_bundle.statements.runs.compare.compile_pairs import OTHER, Pairs
from tlparse_bundle.statements.runs.compare.matched_findings import (
    GONE,
    NEW,
    WORSE,
    Matched,
    changed_findings,
)
from tlparse_bundle.statements.runs.compare.run import Run
from tlparse_bundle.statements.source_places import normalised, tail
from tlparse_bundle.statements.statement import Place

MAX_GRAPH = 4_000_000  # bytes of a graph that is looked at
_SIGNATURE = re.compile(
    rb"^    def forward\(self,? ?([^\n]{0,200000}?)\):$", re.MULTILINE
)  # torch/fx/graph.py, print_readable
_INPUT = re.compile(rb'(\w{1,300}) ?: "([^"\n]{1,300})"')
_CALL = re.compile(rb"^ +\w+(?:: \"[^\"\n]*\")? = ([A-Za-z_][\w.]{0,200})\(", re.MULTILINE)
_STRIDES = re.compile(r"(\[[^\]]*\]).*")
# Words of names of settings of the process and its place, not of what is compiled.
_OF_THE_PLACE = frozenset(("dir", "path", "pid", "port", "upload"))
MAX_VALUE = 200  # characters
# Told by the caches themselves, with what differs in the keys.
_TOLD_ELSEWHERE = frozenset(("cache-miss", "cache-bypass"))
_OF_THE_END = frozenset(("unfinished-compile", "data-problem"))  # tell that a log ends early
_MODULES = {
    "inductor_config": "torch._inductor.config",
    "dynamo_config": "torch._dynamo.config",
    "functorch_config": "torch._functorch.config",
}


_STEPS = {
    "inductor": "Inductor",
    "aot_autograd": "AOTAutograd without Inductor (as with `aot_eager`)",
    "dynamo": "Dynamo alone (as with `eager`)",
}


def torch_changes(pairs: Pairs) -> Iterator[Change]:
    base, new = pairs.base.first.torch_version, pairs.new.first.torch_version
    if base and new and base != new:
        yield Change(
            "torch",
            "info",
            f"torch {code(new)}, was {code(base)}",
            change="changed",
            details={"base": base, "new": new},
            key="torch",
        )


def setting_changes(pairs: Pairs) -> Iterator[Change]:
    if pairs.base.first.torch_version != pairs.new.first.torch_version:
        return  # each release has defaults of its own
    for setting in changed_settings(pairs.base.first, pairs.new.first):
        name = f"{_MODULES.get(setting.config, setting.config)}.{setting.name}"
        details = {"config": setting.config, "name": setting.name, "base": setting.base, "new": setting.new}
        yield Change(
            "setting",
            "info",
            f"{code(name)} is {code(setting.new)}, was {code(setting.base)}",
            change="changed",
            details=details,
            key=("setting", setting.config, setting.name),
        )


def backend_changes(pairs: Pairs) -> Iterator[Change]:
    """Compiles that end at another step of the compiler: the log does not record the name of the backend."""
    groups: dict[tuple[str, str], list[int]] = {}
    for number, row in enumerate(pairs.rows):
        if row.reached:
            groups.setdefault(row.reached, []).append(number)
    for (before, now), numbers in groups.items():
        names = list(
            dict.fromkeys(function_name(pairs.rows[number].pair.frame.function) for number in numbers)
        )
        yield Change(
            "backend",
            "info",
            f"Different backend for {listed(names)}: {_STEPS[now]}, was {_STEPS[before]}",
            text="The log does not record the name of a backend. These are the last steps that the compiles"
            " reached.",
            change="changed",
            pairs=numbers,
            cost_us=pairs.cost_us(numbers),
            count=len(numbers),
            details={"base": before, "new": now},
            key=("backend", before, now),
        )


def finding_changes(pairs: Pairs) -> Iterator[Change]:
    base, new = pairs.base.first, pairs.new.first
    same_words = base.torch_version == new.torch_version and not base.ends_early and not new.ends_early
    changes = [
        _finding(pairs, found)
        for found in changed_findings(base, new, same_words)
        if found.row["kind"] not in _TOLD_ELSEWHERE and _is_known(pairs, found)
    ]
    breaks = [change for change in changes if change.details["kind"] == "graph-break"]
    for change in changes:
        if change.details["kind"] == "recompile" and change.change in (
            NEW,
            GONE,
        ):  # of what is compiled behind a break
            cause = next(
                (
                    one
                    for one in breaks
                    if one.change == change.change and change.pairs and set(change.pairs) <= set(one.pairs)
                ),
                None,
            )
            change.because_of = cause and cause.key
    yield from changes


def _is_known(pairs: Pairs, found: Matched) -> bool:
    """Whether the other log, if it ends early, got as far as what the finding is about."""
    own, other, row, at = (
        (pairs.new.first, pairs.base.first, found.new or found.row, pairs.of_new)
        if found.change in (NEW, WORSE)
        else (pairs.base.first, pairs.new.first, found.base or found.row, pairs.of_base)
    )
    if row["kind"] in _OF_THE_END or other.ends_early is None:
        return True
    numbers = [at[frame.key] for frame in own.frames_of(row["compiles"])]
    return bool(numbers) and all(pairs.rows[number].both and pairs.ended(number) for number in numbers)


def _finding(pairs: Pairs, found: Matched) -> Change:
    row = found.row
    ours = pairs.base.first.frames_of(found.base["compiles"]) if found.base else []
    theirs = pairs.new.first.frames_of(found.new["compiles"]) if found.new else []
    numbers = {*(pairs.of_base[frame.key] for frame in ours), *(pairs.of_new[frame.key] for frame in theirs)}
    if (
        row["kind"] == "graph-break"
    ):  # what is compiled after it, too: the rest of the function, and of those that called it
        functions = {row["function"], *(frame.function for frame in (*ours, *theirs))}
        numbers |= {
            number
            for number, compared in enumerate(pairs.rows)
            if not compared.both and any(is_rest_of(compared.pair.frame, function) for function in functions)
        }
    counts = (
        f"{plural(found.new['count'], 'time')}, was {found.base['count']:,}"
        if found.base and found.new and found.base["count"] != found.new["count"]
        else ""
    )
    remedies = [remedy["text"] for remedy in row["remedies"]] if found.new else []
    return Change(
        "finding",
        row["severity"] if found.new else "info",
        row["title"] + (f" ({counts})" if counts else ""),
        text="\n\n".join([row["text"], *remedies]) if found.change != GONE else "",
        place=(row["function"], row["file"], row["line"]),
        change="changed" if found.change == "same" else found.change,
        pairs=sorted(numbers),
        cost_us=(
            pairs.cost_us([number for number in numbers if not pairs.rows[number].both])
            if found.change in (NEW, GONE)
            else None
        ),
        count=row["count"],
        base_finding_index=found.base_index,
        new_finding_index=found.new_index,
        details={"kind": row["kind"], "fingerprint": row["fingerprint"]},
        key=("finding", row["kind"], row["fingerprint"]),
    )


def is_rest_of(frame: Frame, function: str | None) -> bool:
    """Whether a frame is the rest of a function, or of a rest of it, in which a graph broke."""
    rest = function_of(frame.function)
    return rest != frame.function and rest == function_of(function)


def graph_changes(pairs: Pairs, findings: list[Change]) -> Iterator[Change]:
    """Functions that captured another graph, each once."""
    broken: dict[str | None, Change] = {}
    for change in findings:
        if (
            change.details["kind"] in ("graph-break", "failure", "recompile", "specialization")
            and change.place[0]
        ):
            broken.setdefault(function_of(change.place[0]), change)
    runs = (pairs.base.first, pairs.new.first)
    groups: dict[Place, dict[int, tuple[Frame, Frame]]] = {}
    for number, row in enumerate(pairs.rows):
        if row.both and row.graph == OTHER:
            frame = row.both[1]
            place = (frame.function, frame.filename, frame.first_line)
            groups.setdefault(place, {})[number] = row.both
    for (function, file, line), both in groups.items():
        numbers = list(both)
        sizes = [
            sum(run.compile(frames[side])["graph_node_count"] or 0 for frames in both.values())
            for side, run in enumerate(runs)
        ]
        size = (
            f": {plural(sizes[1], 'node')}, was {sizes[0]:,}" if all(sizes) and sizes[0] != sizes[1] else ""
        )
        what = "another graph was captured" if len(both) == 1 else f"{len(both):,} other graphs were captured"
        cause = broken.get(function_of(function)) or next(
            (
                change
                for change in findings
                if change.details["kind"] == "graph-break" and not set(numbers).isdisjoint(change.pairs)
            ),
            None,
        )
        why = (
            "Another version of torch may capture another graph of the same code."
            if runs[0].torch_version != runs[1].torch_version
            else difference(
                *(run.graph_text(frame) for run, frame in zip(runs, both[numbers[0]], strict=True))
            )
        )
        yield Change(
            "graph",
            "info",
            f"{function_name(function)}{_place(file, line)}: {what}{size}",
            text=why,
            place=(function, file and tail(file), line),
            change="changed",
            pairs=numbers,
            count=len(both),
            details={"base_nodes": sizes[0] or None, "new_nodes": sizes[1] or None},
            key=("graph", function, file, line),
            because_of=cause and cause.key,
        )


def _place(file: str | None, line: int | None) -> str:
    return "" if file is None else f" ({tail(file)}{'' if line is None else f':{line}'})"


def training_changes(pairs: Pairs) -> Iterator[Change]:
    """Functions that were compiled with a backward graph in one run and without in the other."""
    if pairs.base.first.torch_version != pairs.new.first.torch_version:
        return  # each has names of its own for the graphs
    groups: dict[tuple[Place, bool], list[int]] = {}
    for number, row in enumerate(pairs.rows):
        if row.both:
            base, new = row.both
            before, now = pairs.base.first.is_training(base), pairs.new.first.is_training(new)
            if before is not None and now is not None and before != now:
                place = (new.function, new.filename, new.first_line)
                groups.setdefault((place, now), []).append(number)
    for ((function, file, line), now), numbers in groups.items():
        words = ("for inference", "for training")
        yield Change(
            "graph",
            "info",
            f"{function_name(function)}{_place(file, line)} is compiled {words[now]}, was {words[not now]}",
            text=f"AOTAutograd made {'a' if now else 'no'} backward graph of it.",
            place=(function, file and tail(file), line),
            change="changed",
            pairs=numbers,
            count=len(numbers),
            details={"base": words[not now], "new": words[now]},
            key=("training", function, file, line),
        )


class Setting(NamedTuple):
    """A setting that changed. ``base`` and ``new``: values as JSON."""

    config: str
    name: str
    base: str
    new: str


def changed_settings(base: Run, new: Run) -> list[Setting]:
    """Settings that both runs record with different values, by name.

    A setting of one release only is no change of anybody's.
    """
    sides = [_settings(run) for run in (base, new)]
    found = []
    for config in sorted(sides[0].keys() & sides[1].keys()):
        ours, theirs = sides[0][config], sides[1][config]
        for name in sorted(ours.keys() & theirs.keys()):
            if dumps(ours[name]) == dumps(theirs[name]):
                continue
            one, two = _text(ours[name]), _text(theirs[name])
            if one != two and _OF_THE_PLACE.isdisjoint(re.split(r"[._]", name)):
                found.append(Setting(config, name, one, two))
    return found


def _settings(run: Run) -> dict[str, dict[str, Any]]:
    """By configuration: the settings that the first compile was made with."""
    found: dict[str, dict[str, Any]] = {}
    for config in run.configs:
        if config["base"] is None and type(config["value"]) is dict:
            found.setdefault(config["field"], config["value"])
    return found


def _text(value: Any) -> str:
    """The same on another machine."""
    return normalised(dumps(value).decode())[:MAX_VALUE]


def difference(base: bytes, new: bytes) -> str:
    """Sentences; empty where neither inputs nor calls tell it."""
    if max(len(base), len(new)) > MAX_GRAPH:
        return ""
    return " ".join(
        filter(
            None,
            [
                _inputs(*map(_inputs_of, (base, new))),
                _calls(*(Counter(_CALL.findall(text)) for text in (base, new))),
            ],
        )
    )


def _inputs_of(text: bytes) -> dict[str, str]:
    found = _SIGNATURE.search(text)
    return (
        {name.decode(): type_.decode("utf-8", "replace") for name, type_ in _INPUT.findall(found[1])}
        if found
        else {}
    )


def _inputs(base: dict[str, str], new: dict[str, str]) -> str:
    parts = []
    for name in new.keys() & base.keys():
        if base[name] != new[name]:
            short = [_STRIDES.sub(r"\1", type_) for type_ in (base[name], new[name])]
            before, now = short if short[0] != short[1] else (base[name], new[name])
            parts.append((list(new).index(name), f"{code(name)} is {code(now)} (was {code(before)})"))
    counts = (
        ""
        if len(base) == len(new) or not base or not new
        else f"It has {plural(len(new), 'input')}, was {len(base):,}."
    )
    return " ".join(
        filter(
            None,
            [
                counts,
                listed([text for _, text in sorted(parts)])
                and f"Of its inputs {listed([text for _, text in sorted(parts)])}.",
            ],
        )
    )


def _calls(base: Counter[bytes], new: Counter[bytes]) -> str:
    names = [name for name in {**new, **base} if base[name] != new[name]]
    parts = [
        f"{code(name.decode())} {times(new[name]) if new[name] else 'no more'} (was"
        f" {times(base[name]) if base[name] else 'not there'})"
        for name in names
    ]
    return f"It calls {listed(parts)}." if parts else ""
