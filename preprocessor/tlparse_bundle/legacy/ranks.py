"""Files about several ranks of a tlparse report (--all-ranks-html).

tlparse uses one schedule and one list of estimates per compile id, and graphs of a rank in file system
order. Here all of a compile id are used, in log order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tlparse_bundle.legacy import rust_json
from tlparse_bundle.legacy.directory import Directory, split_ending
from tlparse_bundle.statements.ranks.collective_calls import counts_of_code, counts_of_schedule

_SCHEDULE, _ESTIMATES, _CODE = (
    "inductor_collective_schedule",
    "inductor_runtime_and_tensor_meta",
    "inductor_output_code",
)
_PARITY = "Difference of # of collectives in scheduler and inductor output code and missing wait collectives"
_U64_MAX = 2**64 - 1
_FX_SEED = 0x517CC1B727220A95


class RankFiles:
    """Collects data from the folders of the ranks as they are written, and writes files about all of them."""

    def __init__(self) -> None:
        self._schedules: list[rust_json.Struct] = []
        self._estimates: list[rust_json.Struct] = []

    def add(self, rank: int, directory: Directory) -> None:
        """Add the report of a rank; write its collectives_parity.json."""
        parity = []
        for graph, shown_id, names in _graphs(directory):
            folder = directory.folder / graph
            schedules = [schedule for name in names if (schedule := _schedule(folder, name)) is not None]
            self._schedules += [rust_json.Struct(rank=rank, graph=graph, ops=ops) for ops in schedules if ops]
            for name in names:
                if estimates := _estimates(folder, name):
                    self._estimates.append(rust_json.Struct(rank=rank, graph=graph, ops=estimates))
            codes = [
                (folder / name).read_text(encoding="utf-8", errors="replace")
                for name in names
                if _stem(name).startswith(_CODE)
            ]
            if schedules and codes and (problem := _parity(schedules, codes)):
                parity.append(rust_json.Struct(graph=graph, compile_id=shown_id, **problem))
        directory.write(
            "collectives_parity.json",
            rust_json.pretty(rust_json.Struct(description=_PARITY, graphs=parity)).encode(),
        )

    def write(self, folder: Path) -> None:
        """Write the files about all ranks that have content."""
        files: dict[str, Sequence[dict[str, Any]]] = {
            "collective_schedules.json": self._schedules,
            "runtime_estimations.json": self._estimates,
        }
        if self._estimates:
            files["chromium_trace_with_runtime.json"] = [*_trace(self._estimates)]
        for name, rows in files.items():
            if rows:
                (folder / name).write_bytes(rust_json.pretty(rows).encode())


def _graphs(directory: Directory) -> Iterator[tuple[str, str, list[str]]]:
    """Yield (folder, compile id, names of its files) of each compile id."""
    for shown_id, entries in directory.groups.items():
        # A link can lead anywhere.
        files = [entry["url"].split("/") for entry in entries if entry["url"] in directory.written]
        for graph in dict.fromkeys(parts[0] for parts in files if len(parts) == 2):
            yield graph, shown_id, [parts[1] for parts in files if len(parts) == 2 and parts[0] == graph]


def _stem(name: str) -> str:
    return split_ending(name)[0]


def _json(folder: Path, name: str, prefix: str) -> Any:
    if not name.endswith(".json") or not _stem(name).startswith(prefix):
        return None
    try:
        return rust_json.loads((folder / name).read_bytes())
    except ValueError:
        return None


def _schedule(folder: Path, name: str) -> list[str] | None:
    """Read the operations of a schedule. One without a name, at which tlparse fails, is called 'null'."""
    ops = _json(folder, name, _SCHEDULE)
    return ["null" if op is None else str(op) for op in ops] if type(ops) is list else None


def _estimates(folder: Path, name: str) -> list[rust_json.Struct]:
    value = _json(folder, name, _ESTIMATES)
    ops = value.get("ops") if type(value) is dict else None
    rows = []
    for op in ops if type(ops) is list else ():
        ns = op.get("estimated_runtime_ns") if type(op) is dict else None
        if isinstance(ns, int | float) and type(ns) is not bool:
            label = op.get("name")
            rows.append(
                rust_json.Struct(name=label if type(label) is str else "null", estimated_runtime_ns=float(ns))
            )
    return rows


def _parity(schedules: list[list[str]], codes: list[str]) -> dict[str, int] | None:
    planned = counts_of_schedule(op for ops in schedules for op in ops)
    called, waits = counts_of_code("\n".join(codes))
    offset = sum(abs(planned[kind] - called[kind]) for kind in planned | called)
    missing = max(0, called.total() - waits)
    return {"offset": offset, "missing_waits": missing} if offset or missing else None


def _trace(estimates: Sequence[rust_json.Struct]) -> Iterator[dict[str, Any]]:
    """Yield trace events: a process per rank, a thread per graph, its operations one after the other."""
    ends: dict[tuple[int, str], int] = {}
    for row in estimates:
        rank, graph = row["rank"], row["graph"]
        for op in row["ops"]:
            ns = min(max(int(op["estimated_runtime_ns"]), 0), _U64_MAX)
            start, length = ends.get((rank, graph), 0), max(math.ceil(op["estimated_runtime_ns"] / 1000), 1)
            ends[rank, graph] = start + length
            yield {
                "name": op["name"],
                "ph": "X",
                "ts": start,
                "dur": length,
                "pid": rank,
                "tid": _thread(rank, graph),
                "cat": "runtime",
                "args": {"graph": graph, "rank": rank, "runtime_ns": ns},
            }
    of_rank: dict[int, list[str]] = {}
    for rank, graph in ends:
        of_rank.setdefault(rank, []).append(graph)
    for rank in of_rank:
        yield {"name": "process_name", "ph": "M", "pid": rank, "args": {"name": f"Rank {rank}"}}
        yield {"name": "process_sort_index", "ph": "M", "pid": rank, "args": {"sort_index": rank}}
    for rank, graphs in of_rank.items():
        for place, graph in enumerate(graphs):
            where = {"ph": "M", "pid": rank, "tid": _thread(rank, graph)}
            yield {"name": "thread_name", **where, "args": {"name": f"graph {graph}"}}
            yield {"name": "thread_sort_index", **where, "args": {"sort_index": place}}


def _thread(rank: int, graph: str) -> int:
    """Return the low half of the FxHash of (u32, str), as the Rust crate fxhash computes it."""
    data, words = graph.encode(), [rank]
    for size in (8, 4, 1):
        while len(data) >= size:
            words.append(int.from_bytes(data[:size], "little"))
            data = data[size:]
            if size == 4:
                break
    hash_ = 0
    for word in (*words, 0xFF):
        hash_ = ((hash_ << 5 | hash_ >> 59) & _U64_MAX ^ word) * _FX_SEED & _U64_MAX
    return hash_ & 0xFFFFFFFF
