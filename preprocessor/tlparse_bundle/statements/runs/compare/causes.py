"""Changes that can cause other changes: torch, the backend, findings and the program."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tlparse_bundle.base.machine_text import tail
from tlparse_bundle.base.wording import code, function_name, listed, plural
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
from tlparse_bundle.statements.statement import Place

_MAX_GRAPH = 4_000_000  # bytes of a graph that is compared
_SIGNATURE = re.compile(  # torch/fx/graph.py, print_readable
    rb"^    def forward\(self,? ?([^\n]{0,200000}?)\):$", re.MULTILINE
)
_INPUT = re.compile(rb'(\w{1,300}) ?: "([^"\n]{1,300})"')
_CALL = re.compile(rb"^ +\w+(?:: \"[^\"\n]*\")? = ([A-Za-z_][\w.]{0,200})\(", re.MULTILINE)
_STRIDES = re.compile(r"(\[[^\]]*\]).*")
# Reported as cache changes, with the differences of the keys.
_OF_CACHES = frozenset(("cache-miss", "cache-bypass"))
_OF_THE_END = frozenset(("unfinished-compile", "data-problem"))  # kinds of logs that end early
_LEAD_TO_GRAPHS = frozenset(("graph-break", "failure", "recompile", "specialization"))
_STEPS = {
    "inductor": "Inductor",
    "aot_autograd": "AOTAutograd only (like `aot_eager`)",
    "dynamo": "Dynamo only (like `eager`)",
}
_PURPOSES = {True: "for training", False: "for inference"}


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


def backend_changes(pairs: Pairs) -> Iterator[Change]:
    """Yield compiles that end at a different compiler step, since the log does not record backend names."""
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
            text="The log does not record backend names. These are the last steps that the compiles reached.",
            change="changed",
            pairs=numbers,
            cost_us=pairs.cost_us(numbers),
            count=len(numbers),
            details={"base": before, "new": now},
            key=("backend", before, now),
        )


def finding_changes(pairs: Pairs) -> Iterator[Change]:
    """Yield findings that are new, gone, worse or better."""
    base, new = pairs.base.first, pairs.new.first
    same_wording = pairs.same_wording and not base.ends_early and not new.ends_early
    changes = [
        _finding(pairs, matched)
        for matched in changed_findings(base, new, same_wording, pairs.moves)
        if matched.row["kind"] not in _OF_CACHES and _is_reached(pairs, matched)
    ]
    breaks = [change for change in changes if change.details["kind"] == "graph-break"]
    for change in changes:
        if change.details["kind"] == "recompile" and change.change in (NEW, GONE):
            change.because_of = next((one.key for one in breaks if _is_after(change, one)), None)
    yield from changes


def _is_after(recompile: Change, graph_break: Change) -> bool:
    """Return whether a recompile is of code after a graph break that came or went with it."""
    pairs = set(recompile.pairs)
    return bool(pairs) and recompile.change == graph_break.change and pairs <= set(graph_break.pairs)


def _is_reached(pairs: Pairs, matched: Matched) -> bool:
    """Return whether the other log, if it ends early, reached the compiles of the finding."""
    in_new = matched.change in (NEW, WORSE)
    row = (matched.new if in_new else matched.base) or matched.row
    own, other = (pairs.new, pairs.base) if in_new else (pairs.base, pairs.new)
    if row["kind"] in _OF_THE_END or other.first.ends_early is None:
        return True
    numbers = pairs.numbers_of(own, row["compiles"])
    return bool(numbers) and all(pairs.rows[number].both and pairs.ended(number) for number in numbers)


def _finding(pairs: Pairs, matched: Matched) -> Change:
    row, base, new = matched.row, matched.base, matched.new
    numbers = _pairs_of(pairs, matched)
    counts = ""
    if base and new and base["count"] != new["count"]:
        counts = f" ({plural(new['count'], 'time')}, was {base['count']:,})"
    remedies = [remedy["text"] for remedy in row["remedies"]] if new else []
    one_sided = [number for number in numbers if not pairs.rows[number].both]
    return Change(
        "finding",
        row["severity"] if new else "info",
        row["title"] + counts,
        text="\n\n".join([row["text"], *remedies]) if matched.change != GONE else "",
        place=(row["function"], row["file"], row["line"]),
        change="changed" if matched.change == "same" else matched.change,
        pairs=numbers,
        cost_us=pairs.cost_us(one_sided) if matched.change in (NEW, GONE) else None,
        count=row["count"],
        base_finding_index=matched.base_index,
        new_finding_index=matched.new_index,
        details={"kind": row["kind"], "fingerprint": row["fingerprint"]},
        key=("finding", row["kind"], row["fingerprint"]),
    )


def _pairs_of(pairs: Pairs, matched: Matched) -> list[int]:
    """Return the compiles of a finding; of a graph break, also the rest of the function and its callers."""
    numbers: set[int] = set()
    for side, row in ((pairs.base, matched.base), (pairs.new, matched.new)):
        numbers.update(pairs.numbers_of(side, row["compiles"]) if row else ())
    if matched.row["kind"] == "graph-break":
        functions = {matched.row["function"]}
        for side, row in ((pairs.base, matched.base), (pairs.new, matched.new)):
            functions |= {frame.function for frame in side.first.frames_of(row["compiles"])} if row else set()
        numbers |= {
            number
            for number, compared in enumerate(pairs.rows)
            if not compared.both and any(is_rest_of(compared.pair.frame, function) for function in functions)
        }
    return sorted(numbers)


def is_rest_of(frame: Frame, function: str | None) -> bool:
    """Return whether a frame is a resume function of ``function``."""
    rest = function_of(frame.function)
    return rest != frame.function and rest == function_of(function)


def graph_changes(pairs: Pairs, findings: Sequence[Change]) -> Iterator[Change]:
    """Yield one change for each function that captured a different graph."""
    broken: dict[str | None, Change] = {}
    for change in findings:
        if change.details["kind"] in _LEAD_TO_GRAPHS and change.place[0]:
            broken.setdefault(function_of(change.place[0]), change)
    breaks = [change for change in findings if change.details["kind"] == "graph-break"]
    groups: dict[Place, dict[int, tuple[Frame, Frame]]] = {}
    for number, row in enumerate(pairs.rows):
        if row.both and row.graph == OTHER:
            groups.setdefault(_place_of(row.both[1]), {})[number] = row.both
    for place, frames in groups.items():
        earlier = (change for change in breaks if not frames.keys().isdisjoint(change.pairs))
        yield _graph_change(pairs, place, frames, broken.get(function_of(place[0])) or next(earlier, None))


def _graph_change(
    pairs: Pairs, place: Place, frames: Mapping[int, tuple[Frame, Frame]], cause: Change | None
) -> Change:
    """Return the change of a function. ``frames``: compiles with different graphs, by number of the pair."""
    function, file, line = place
    base, new = pairs.base.first, pairs.new.first
    base_size = sum(base.compile(frame)["graph_node_count"] or 0 for frame, _ in frames.values())
    new_size = sum(new.compile(frame)["graph_node_count"] or 0 for _, frame in frames.values())
    what = (
        "a different graph was captured"
        if len(frames) == 1
        else f"{len(frames):,} different graphs were captured"
    )
    if base_size and new_size and base_size != new_size:
        what += f": {plural(new_size, 'node')}, was {base_size:,}"
    first = next(iter(frames.values()))
    return Change(
        "graph",
        "info",
        f"{function_name(function)}{_where(file, line)}: {what}",
        text=difference(base.graph_text(first[0]), new.graph_text(first[1]))
        if pairs.same_torch
        else "Different versions of torch can capture different graphs from the same code.",
        place=(function, file and tail(file), line),
        change="changed",
        pairs=list(frames),
        count=len(frames),
        details={"base_nodes": base_size or None, "new_nodes": new_size or None},
        key=("graph", *place),
        because_of=cause and cause.key,
    )


def _place_of(frame: Frame) -> Place:
    return frame.function, frame.filename, frame.first_line


def _where(file: str | None, line: int | None) -> str:
    return "" if file is None else f" ({tail(file)}{'' if line is None else f':{line}'})"


def training_changes(pairs: Pairs) -> Iterator[Change]:
    """Yield functions that were compiled with a backward graph in only one run."""
    if not pairs.same_torch:
        return  # names of graphs differ between releases
    groups: dict[tuple[Place, bool], list[int]] = {}
    for number, row in enumerate(pairs.rows):
        if row.both:
            base, new = row.both
            before, now = pairs.base.first.is_training(base), pairs.new.first.is_training(new)
            if before is not None and now is not None and before != now:
                groups.setdefault((_place_of(new), now), []).append(number)
    for ((function, file, line), is_training), numbers in groups.items():
        before_words, now_words = _PURPOSES[not is_training], _PURPOSES[is_training]
        yield Change(
            "graph",
            "info",
            f"{function_name(function)}{_where(file, line)} is compiled {now_words}, was {before_words}",
            text=f"AOTAutograd built {'a' if is_training else 'no'} backward graph.",
            place=(function, file and tail(file), line),
            change="changed",
            pairs=numbers,
            count=len(numbers),
            details={"base": before_words, "new": now_words},
            key=("training", function, file, line),
        )


def difference(base: bytes, new: bytes) -> str:
    """Return sentences about the inputs and calls that differ between two graphs; empty if none do."""
    if max(len(base), len(new)) > _MAX_GRAPH:
        return ""
    inputs = _inputs(_inputs_of(base), _inputs_of(new))
    calls = _calls(Counter(_CALL.findall(base)), Counter(_CALL.findall(new)))
    return " ".join(filter(None, [*inputs, calls]))


def _inputs_of(text: bytes) -> dict[str, str]:
    """Return types of inputs by name."""
    signature = _SIGNATURE.search(text)
    inputs = _INPUT.findall(signature[1]) if signature else ()
    return {name.decode(): type_.decode("utf-8", "replace") for name, type_ in inputs}


def _inputs(base: Mapping[str, str], new: Mapping[str, str]) -> Iterator[str]:
    if len(base) != len(new) and base and new:
        yield f"{plural(len(new), 'input')}, was {len(base):,}."
    parts = []
    for name in new:
        if name in base and base[name] != new[name]:
            before, now = (_STRIDES.sub(r"\1", type_) for type_ in (base[name], new[name]))
            if before == now:
                before, now = base[name], new[name]
            parts.append(f"{code(name)} is {code(now)} (was {code(before)})")
    if parts:
        yield f"Changed {'input' if len(parts) == 1 else 'inputs'}: {listed(parts)}."


def _calls(base: Counter[bytes], new: Counter[bytes]) -> str:
    names = [name for name in {**new, **base} if base[name] != new[name]]
    parts = [f"{code(name.decode())} {base[name]:,} → {new[name]:,}" for name in names]
    return f"Calls: {listed(parts)}." if parts else ""
