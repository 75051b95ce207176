"""What dominates the memory peak of generated code, and saved values that recomputation could drop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tlparse_bundle.base.wording import code, function_name, listed, plural, size
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.finding import Finding, KindReference, Remedy
from tlparse_bundle.statements.source_places import is_of_program
from tlparse_bundle.statements.statement import Place

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import MemoryBuffersRow, MemoryRow, PartitionCandidatesRow

KINDS = ("memory-peak", "saved-recomputable")
REFERENCE = {
    "memory-peak": KindReference(
        title="Memory peak",
        meaning="One line of the program makes up a large part of the memory that the generated code of a "
        "function has allocated at its peak: at least 30 % of a peak of 100 MB or more. The peak is computed "
        "from the code; inputs are not counted.",
        fix="Make the intermediate results of that line smaller: process the data in chunks, use a smaller "
        "type, or an operator that does not write the whole result, such as scaled_dot_product_attention.",
        not_when="If memory is not the limit of the program, there is nothing to fix.",
    ),
    "saved-recomputable": KindReference(
        title="Saved values that could be recomputed",
        meaning="With a memory budget, AOTAutograd's partitioner decides which values the forward saves for "
        "the backward. It saved 100 MB or more that it could have recomputed.",
        fix="Lower torch._functorch.config.activation_memory_budget: the backward recomputes more, and takes "
        "longer.",
        not_when="If the saved values fit into memory, recomputing them only costs time.",
    ),
}
_LEAST_BYTES = 100_000_000
_LEAST_SHARE = 0.3
_MOST_NAMED = 3

_Groups = dict[Place | str, list["MemoryBuffersRow"]]


def findings(facts: Facts) -> Iterator[Finding]:
    peaks: dict[Place, MemoryRow] = {}  # by function: of the code with the largest peak
    for row in facts.table("memory"):
        place = facts.place_of(facts.number_of(row))
        if row["known_peak_bytes"] >= max(_LEAST_BYTES, _peak_of(peaks.get(place))):
            peaks[place] = row
    if peaks:
        yield from _peaks(facts, peaks)
    yield from _saved(facts)


def _peak_of(row: MemoryRow | None) -> int:
    return 0 if row is None else row["known_peak_bytes"] + 1


def _peaks(facts: Facts, peaks: Mapping[Place, MemoryRow]) -> Iterator[Finding]:
    buffers: dict[int, list[MemoryBuffersRow]] = {row["code_event"]: [] for row in peaks.values()}
    for buffer in facts.table("memory_buffers"):
        own = buffers.get(buffer["code_event"])
        if own is not None and buffer["role"] != "input" and buffer["bytes"]:
            own.append(buffer)
    for place, row in peaks.items():
        live = [buffer for buffer in buffers[row["code_event"]] if _is_live(buffer, row)]
        groups: _Groups = {}
        for buffer in live:
            groups.setdefault(_group(facts, buffer), []).append(buffer)
        if groups:
            largest = max(groups, key=lambda name: _bytes(groups[name]))
            if _bytes(groups[largest]) >= _LEAST_SHARE * row["known_peak_bytes"]:
                yield _peak(facts, place, row, largest, groups[largest])


def _is_live(buffer: MemoryBuffersRow, row: MemoryRow) -> bool:
    step, last = row["peak_step"] or 0, buffer["last_step"]
    on_device = buffer["device"] in (row["device"], None)
    return on_device and buffer["first_step"] <= step and (last is None or last > step)


def _group(facts: Facts, buffer: MemoryBuffersRow) -> Place | str:
    """Return the line of the program that a buffer comes from, else its own name."""
    if buffer["file"] is None or not is_of_program(buffer["file"]):
        return buffer["name"]
    return buffer["function"], facts.short(buffer["file"]), buffer["line"]


def _bytes(buffers: Sequence[MemoryBuffersRow]) -> int:
    return sum(buffer["bytes"] or 0 for buffer in buffers)


def _peak(
    facts: Facts, place: Place, row: MemoryRow, group: Place | str, buffers: list[MemoryBuffersRow]
) -> Finding:
    total, peak = _bytes(buffers), row["known_peak_bytes"]
    buffers = sorted(buffers, key=lambda buffer: -(buffer["bytes"] or 0))
    is_line = not isinstance(group, str)
    source = buffers[0]["source_line"] if is_line else None
    what = (code(source) if source else "One line") if is_line else f"Buffer {code(str(group))}"
    shapes = [
        f"{buffer['dtype']} {buffer['shape']}".replace("'", "") for buffer in buffers if buffer["shape"]
    ]
    exact = "" if row["peak_bytes"] is not None else " at least"
    text = (
        f"At its peak the generated code has{exact} {size(peak)} allocated, {size(total)} of it in"
        f" {plural(len(buffers), 'buffer') + ' of this line' if is_line else 'this buffer'}:"
        f" {listed([code(shape) for shape in dict.fromkeys(shapes)], _MOST_NAMED)}."
    )
    if row["is_hint"]:
        text += " Sizes are those of the first call."
    return Finding(
        "memory-peak",
        "info",
        f"{what} makes up {round(100 * total / peak)} % of the memory peak of {function_name(place[0])}",
        (place[0] or "", source or ""),
        text,
        group if not isinstance(group, str) else place,
        [facts.number_of(row)],
        [row["code_event"]],
        details={
            "peak_bytes": peak,
            "is_exact": row["peak_bytes"] is not None,
            "bytes": total,
            "device": row["device"],
            "source_line": source,
            "names": [buffer["name"] for buffer in buffers[:20]],
        },
        placed=False,
    )


def _saved(facts: Facts) -> Iterator[Finding]:
    partitions = {row["event"]: row for row in facts.table("partitions")}
    groups: dict[int, list[PartitionCandidatesRow]] = {}
    for row in facts.table("partition_candidates") if partitions else ():
        if row["saved"] and not row["recomputed"] and row["memory_bytes"]:
            groups.setdefault(row["partition_event"], []).append(row)
    for event, rows in groups.items():
        total = round(sum(row["memory_bytes"] or 0 for row in rows))
        partition = partitions.get(event)
        if partition is None or total < _LEAST_BYTES:
            continue
        number = facts.number_of(partition)
        name = function_name(facts.compiles[number]["function"])
        largest = sorted(rows, key=lambda row: -(row["memory_bytes"] or 0))
        budget = partition["memory_budget"]
        values = listed(
            [f"{code(row['node'])} ({size(round(row['memory_bytes'] or 0))})" for row in largest], _MOST_NAMED
        )
        yield Finding(
            "saved-recomputable",
            "info",
            f"{name} saves {size(total)} for its backward that could be recomputed",
            (),
            f"With a memory budget of {budget}, the partitioner saved {values}."
            " It could have recomputed them.",
            facts.place_of(number),
            [number],
            [event],
            remedies=[
                Remedy(
                    "Lower the budget if the backward runs out of memory. It then recomputes more.",
                    f"torch._functorch.config.activation_memory_budget = {_lower(budget)}",
                )
            ],
            details={
                "bytes": total,
                "memory_budget": budget,
                "nodes": [row["node"] for row in largest[:100]],
            },
        )


def _lower(budget: float | None) -> float:
    return round((0.5 if budget is None else budget) / 2, 3)
