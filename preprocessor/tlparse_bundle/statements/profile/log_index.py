"""The names under which a profiler trace can mention the compiles, graphs and kernels of a log."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.reader import Log
from tlparse_bundle.log.profiler.recording import Recording

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import CachesRow, GeneratedCodeRow, KernelsRow

GRAPH_CALL = re.compile(r"## Call CompiledFxGraph (\S+) ##")
# torch/_inductor/codegen/cpp.py: what a C++ kernel or a C++ wrapper passes to the profiler.
_RECORDED = re.compile(r'(?:RECORD_FUNCTION\(\s*|RAIIAtenRecordFunctionHandle\s+\w+\(\s*)"([^"\n]{1,2000})"')
_NUMBERED = re.compile(r"graph_\d+_(.+)", re.DOTALL)
# torch/_inductor/codegen/triton.py: above each definition, the file from which the kernel is loaded.
_KERNEL_PATH = re.compile(r"# kernel path: (\S+)|(\w+) = async_compile\.\w+\(", re.MULTILINE)
_GENERATED = re.compile(r"(?:graph_\d+_)?(?:cpp|triton)_\w")
_OPERATOR = re.compile(r"(?:aoti_torch_(?:cpu|cuda|xpu|mps)_)?(\w+?)(?:_out)?\Z")
_GENERATED_KINDS = ("triton", "cpp", "other")


class Code(NamedTuple):
    """A record of generated code."""

    event: int
    compile: str | None
    direction: Literal["forward", "backward", "inference"] | None
    keys: frozenset[str]  # of the FX graph cache
    start_us: int | None  # of its compile


class Candidate(NamedTuple):
    """A kernel of the log."""

    code: Code
    kernel: str


@dataclass(slots=True, frozen=True)
class Evidence:
    """What of a trace occurs in a log."""

    known: int  # distinct keys of the trace that the log has
    total: int  # distinct keys of the trace


def generated_name(name: str) -> str:
    """Return the name of a kernel without the graph number that C++ kernels have in a trace."""
    match = _NUMBERED.fullmatch(name)
    return match[1] if match else name


def _operator_names(kernel: str) -> set[str]:
    """Return names of the operator that a call in generated code runs: 'addmm' of extern_kernels.addmm."""
    return {match[1] for part in kernel.split(".") if (match := _OPERATOR.match(part))}


def looks_generated(name: str) -> bool:
    return _GENERATED.match(name) is not None


def file_keys(path: str) -> tuple[str, str]:
    """Return the path of a kernel's file and its name without extension, the hash of its content."""
    return path, path.replace("\\", "/").rpartition("/")[2].partition(".")[0]


class LogIndex:
    """Kernels and compiles of a log by the names that a trace has for them."""

    def __init__(self, log: Log):
        self.by_file: dict[str, list[Candidate]] = {}
        self.by_record: dict[str, list[Candidate]] = {}
        self.by_name: dict[str, list[Candidate]] = {}
        self.by_operator: dict[tuple[int, str], list[Candidate]] = {}  # by code and name of the operator
        self.by_graph_key: dict[str, list[Code]] = {}
        self.compiles: dict[str, list[tuple[str, int | None]]] = {}  # by compile id: key and start
        self.repeated: list[int] = []  # starts of compiles whose id another compile has, too
        self._read(log)

    def _read(self, log: Log) -> None:
        starts: dict[str, int | None] = {}
        ahead: list[tuple[int, str]] = []  # ahead-of-time compiles by first event, whose records have no id
        for row in rows_of(log, "compiles"):
            key = row["compile"]
            if row["kind"] == "ahead_of_time":
                ahead.append((row["first_event"], key))
            starts[key] = row["start_epoch_us"]
            self.compiles.setdefault(key.partition("@")[0], []).append((key, row["start_epoch_us"]))
        for same in self.compiles.values():
            if len(same) > 1:
                self.repeated += [start for _, start in same if start is not None]
        self.repeated.sort()
        rows = {row["event"]: row for row in rows_of(log, "generated_code")}
        keys = _graph_keys(rows.values(), rows_of(log, "caches"))
        ahead.sort()
        compile_of = {event: row["compile"] or _before(ahead, event) for event, row in rows.items()}
        self.codes = {
            event: Code(
                event,
                compile_of[event],
                row["direction"],
                frozenset(keys.get(event, ())),
                starts.get(compile_of[event] or ""),
            )
            for event, row in rows.items()
        }
        for code in self.codes.values():
            for key in code.keys:
                self.by_graph_key.setdefault(key, []).append(code)
        kernels: dict[int, list[KernelsRow]] = {}
        for kernel in rows_of(log, "kernels"):
            kernels.setdefault(kernel["code_event"], []).append(kernel)
        artifacts = {artifact.event: artifact for artifact in log.artifacts if artifact.event in rows}
        wrappers = self._wrappers(rows, kernels)
        for event, row in rows.items():
            artifact = artifacts.get(event)
            text = ""
            if artifact is not None and not artifact.is_left_out:
                text = artifact.text() or ""
            self._add_code(self.codes[wrappers.get(event, event)], row, text, kernels.get(event, []))

    def _wrappers(
        self, rows: Mapping[int, GeneratedCodeRow], kernels: Mapping[int, Sequence[KernelsRow]]
    ) -> dict[int, int]:
        """Return the wrapper of each record that only defines its kernels, as AOTInductor writes them."""
        last: dict[str | None, int] = {}  # by compile
        wrappers: dict[int, int] = {}
        for event, row in sorted(rows.items()):
            compile = self.codes[event].compile
            if row["role"] == "wrapper":
                last[compile] = event
            elif row["role"] == "kernel" and compile in last:
                called = {kernel["name"] for kernel in kernels.get(last[compile], ())}
                if {kernel["name"] for kernel in kernels.get(event, ())} <= called:
                    wrappers[event] = last[compile]
        return wrappers

    def _add_code(self, code: Code, row: GeneratedCodeRow, text: str, kernels: Sequence[KernelsRow]) -> None:
        own = [kernel["name"] for kernel in kernels if kernel["kind"] in _GENERATED_KINDS]
        for name in own:
            _add(self.by_name, name, Candidate(code, name))
            for key in file_keys(row["filename"]) if row["filename"] else ():
                _add(self.by_file, key, Candidate(code, name))
        for kernel in kernels:
            if kernel["kind"] not in _GENERATED_KINDS:
                for name in _operator_names(kernel["name"]):
                    same = self.by_operator.setdefault((code.event, name), [])
                    same.append(Candidate(code, kernel["name"]))
        path: str | None = None
        for match in _KERNEL_PATH.finditer(text):
            if match[1] is not None:
                path = match[1]
            elif path is not None:
                for key in file_keys(path):
                    _add(self.by_file, key, Candidate(code, match[2]))
                path = None
        names = {kernel["name"] for kernel in kernels}
        for record in dict.fromkeys(match[1] for match in _RECORDED.finditer(text)):
            if generated_name(record) in names:
                _add(self.by_record, record, Candidate(code, generated_name(record)))

    def evidence(self, recording: Recording) -> Evidence:
        """Return how many of the names in a trace that identify code occur in the log."""
        known, every = set[str](), set[str]()
        for name in recording.names:
            match = GRAPH_CALL.fullmatch(name.text)
            if match:
                key, has = match[1], match[1] in self.by_graph_key
            elif name.file is not None:
                key = file_keys(name.file)[1]
                has = key in self.by_file
            elif name.text in self.by_record or _NUMBERED.fullmatch(name.text):
                key, has = name.text, name.text in self.by_record
            else:
                continue
            every.add(key)
            if has:
                known.add(key)
        return Evidence(len(known), len(every))

    def compiles_of(self, compile_id: str, time_us: float | None) -> tuple[str, ...]:
        """Return the compiles that a region with this id can be, at a time since 1970 if that is known."""
        same = self.compiles.get(compile_id) or self.compiles.get(compile_id.partition("_")[0]) or []
        if len(same) > 1 and time_us is not None and all(start is not None for _, start in same):
            begun = [(start or 0, key) for key, start in same if (start or 0) <= time_us]
            return (max(begun)[1],) if begun else ()
        return tuple(key for key, _ in same)

    def epoch(self, time_us: float | None) -> int:
        """Return a number that is equal for times between the same compiles with a repeated id."""
        return -1 if time_us is None else bisect_right(self.repeated, time_us)


def narrowed(
    candidates: Sequence[Candidate], graph: str | None, compiles: Collection[str], time_us: float | None
) -> list[Candidate]:
    """Return the candidates that fit the graph, the region and the time of an event."""
    left = [
        one
        for one in candidates
        if time_us is None or one.code.start_us is None or one.code.start_us <= time_us
    ]
    if graph is not None:
        left = [one for one in left if graph in one.code.keys] or [one for one in left if not one.code.keys]
    if len(left) > 1 and compiles:
        left = [one for one in left if one.code.compile in compiles] or left
    return left


def _before(ahead: Sequence[tuple[int, str]], event: int) -> str | None:
    """Return the last ahead-of-time compile that began before an event."""
    place = bisect_right([first for first, _ in ahead], event)
    return ahead[place - 1][1] if place else None


def _add(index: dict[str, list[Candidate]], key: str, candidate: Candidate) -> None:
    same = index.setdefault(key, [])
    if candidate not in same:
        same.append(candidate)


def _graph_keys(codes: Iterable[GeneratedCodeRow], caches: Iterable[CachesRow]) -> dict[int, set[str]]:
    """Return the keys of the FX graph cache of each code: torch logs its lookup right after the code."""
    events: dict[tuple[str | None, int | None], list[int]] = {}
    for code in codes:
        if code["role"] == "output":
            events.setdefault((code["compile"], code["attempt"]), []).append(code["event"])
    keys: dict[int, set[str]] = {}
    for row in caches:
        if row["cache"] != "fx_graph" or row["key"] is None:
            continue
        own = events.get((row["compile"], row["attempt"]), [])
        place = bisect_right(own, row["event"])
        if place and own[place - 1] not in keys:
            keys[own[place - 1]] = {row["key"]}
    return keys


def rows_of(log: Log, name: str) -> list[Any]:
    """Return the rows of a table; none where a redacted bundle lacks it."""
    try:
        rows: list[Any] = log.table(name)
    except BundleError:
        return []
    return rows
