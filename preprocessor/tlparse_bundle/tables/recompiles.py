"""The recompiles: which guard of which earlier compile failed, what changed, and what was the root cause."""

from __future__ import annotations

import re

from tlparse_bundle.tables.break_text import parse_break
from tlparse_bundle.tables.cascades import Cascades, Recompile, resumed_function, sort_of
from tlparse_bundle.tables.guard_text import parse_reason, read_reasons, remedy
from tlparse_bundle.tables.json_list import JsonList
from tlparse_bundle.tables.table import TableContext
from tlparse_bundle.tables.texts import RECOMPILE_LIMIT, cut, payload_text, text_or_none, unexpected
from tlparse_bundle.trace.event import Event

_MAX_REASONS = 1000  # of one recompile: torch writes one for each entry of the cache
_MAX_VALUES = 1000  # of one cause
# torch/_dynamo/convert_frame.py, _compile: the type, or the first line of the message, says so.
_LIMIT_REASON = re.compile(r".*(?:recompile limit exceeded|(?:recompile|cache_size)_limit)", re.IGNORECASE)
_RECOMPILE_ERROR = re.compile(r"Recompiling function ")  # torch/_dynamo/guards.py, under error_on_recompile
_FAILED_GUARD = re.compile(r"^ *- (?=!?\d)", re.MULTILINE)
_CONVERT_FRAME = "torch/_dynamo/convert_frame.py"  # its frames end the stacks of older releases


class _Frame:
    """One code object, between two torch._dynamo.reset()."""

    __slots__ = (
        "index", "compiled_autograd_id", "frame_id", "function", "file", "first_line", "resumes_frame_index", "limit_compile_index",
        "compiles", "recompiles",
    )  # fmt: skip

    def __init__(self, index: int, compiled_autograd_id: int | None, frame_id: int):
        self.index = index
        self.compiled_autograd_id, self.frame_id = compiled_autograd_id, frame_id
        self.function: str | None = None
        self.file: str | None = None
        self.first_line: int | None = None
        self.resumes_frame_index: int | None = None
        self.limit_compile_index: int | None = None
        self.compiles: dict[int | None, int] = {}  # frame_compile_id -> compile_index
        self.recompiles: dict[int | None, Recompile] = {}

    def table(self, limit_compile_index: int | None) -> dict:
        return {
            "compiled_autograd_id": self.compiled_autograd_id,
            "frame_id": self.frame_id,
            "function": self.function,
            "file": self.file,
            "first_line": self.first_line,
            "compile_indexes": list(self.compiles.values()),
            "limit_compile_index": self.limit_compile_index if limit_compile_index is None else limit_compile_index,
            "resumes_frame_index": self.resumes_frame_index,
        }


class Recompiles:
    name = "recompiles"
    types = frozenset(("dynamo_start", "artifact", "compilation_metrics"))

    def __init__(self, context: TableContext):
        self._stacks = context.stacks
        self._diagnostics = context.diagnostics
        self._compiles = context.tally.compiles
        self._frames: list[_Frame] = []
        self._newest: dict[tuple, _Frame] = {}
        self._by_name: dict[tuple, _Frame] = {}
        self._cascades = Cascades()
        self._rows = JsonList()
        # What is known of a row only later:
        self._caused_by: dict[int, int] = {}
        self._at_limit: set[int] = set()
        # torch 2.5 writes nothing of a compile that the limit refused but why it was to be compiled again.
        self._asked: dict[int, tuple[int, _Frame]] = {}  # row of each compile with reasons and, so far, neither start nor metrics
        self._is_old = False  # 2.6 and later write metrics of it, too; theirs have start_time_us

    @staticmethod
    def wants(event: Event) -> bool:
        return event.type != "artifact" or event.name in ("recompile_reasons", "dynamo_graph_break_reason")

    reads = wants

    def observe(self, event: Event) -> None:
        if not self.wants(event):
            return
        frame = self._frame(event)
        if event.type == "artifact":
            if event.name == "recompile_reasons":
                self._observe_reasons(event, frame)
            elif frame is not None and event.compile_id.frame_compile_id in frame.recompiles:
                parsed = parse_break(payload_text(event))
                if parsed is not None:
                    self._cascades.graph_break(frame.recompiles[event.compile_id.frame_compile_id], parsed[1])
        elif frame is not None and type(event.value) is dict:
            self._asked.pop(event.compile_index, None)
            if event.type == "dynamo_start":
                self._observe_start(event, frame)
            else:
                self._observe_metrics(event, frame, event.value)

    def _frame(self, event: Event) -> _Frame | None:
        """The frame of an event, its compile noted; None when it has no frame id."""
        cid = event.compile_id
        if cid is None or cid.frame_id is None:
            return None
        key = (cid.compiled_autograd_id, cid.frame_id)
        frame = self._newest.get(key)
        known = frame and frame.compiles.get(cid.frame_compile_id)
        if known is not None and self._compiles[known].occurrence != event.occurrence:
            frame = None  # a reset: the id stands for another code object now
        if frame is None:
            frame = self._newest[key] = _Frame(len(self._frames), *key)
            self._frames.append(frame)
        frame.compiles.setdefault(cid.frame_compile_id, event.compile_index)
        return frame

    def _observe_start(self, event: Event, frame: _Frame) -> None:
        stack_index = event.value.get("stack_index")
        frames = []
        row = stack_index if type(stack_index) is int else -1
        while row >= 0:
            file, line, function, _ = self._stacks.innermost(row)
            if file is None or not file.replace("\\", "/").endswith(_CONVERT_FRAME):
                frames.append((file, line, function))
            row = self._stacks.parent(row)
        if frames:
            file, line, function = frames[0]
            self._name(frame, function, file, line)
        recompile = frame.recompiles.get(event.compile_id.frame_compile_id)
        cause = self._cascades.start(frame.function, frame.file, frames[:0:-1], recompile)
        if cause is not None:
            self._caused_by[recompile.row] = cause.row

    def _name(self, frame: _Frame, function: str, file: str | None, line: int | None) -> None:
        if frame.function is None:
            frame.function, frame.file, frame.first_line = cut(function), cut(file), line
            resumed = resumed_function(function)
            known = self._by_name.get((file, resumed)) if resumed else None
            frame.resumes_frame_index = None if known is None else known.index
        self._by_name[file, function] = frame

    def _observe_reasons(self, event: Event, frame: _Frame | None) -> None:
        text = payload_text(event)
        reasons, understood = read_reasons(text)
        if not understood:
            unexpected(self._diagnostics, event, "not one text or list of texts, each beginning with a compile id")
        recompile = self._add(event, frame, reasons, None if understood else text)
        if frame is not None:
            self._asked[event.compile_index] = recompile.row, frame

    def _add(self, event: Event, frame: _Frame | None, reasons: list[str], text: str | None) -> Recompile:
        parsed = []
        for reason in map(parse_reason, reasons[:_MAX_REASONS]):
            parsed.append({"failed_compile_id": reason.pop("failed_compile_id"), "failed_compile_index": None, **reason})
            parsed[-1]["failed_compile_index"] = self._failed(parsed[-1]["failed_compile_id"])
        recompile = Recompile(len(self._rows), sort_of(parsed, event.index))
        self._rows.append(
            {
                "compile_index": event.compile_index,
                "event_index": event.index,
                "frame_index": None if frame is None else frame.index,
                "limit": False,
                "caused_by": None,
                "reasons": parsed,
                "text": cut(text),
            }
        )
        if frame is not None:
            frame.recompiles[event.compile_id.frame_compile_id] = recompile
        return recompile

    def _failed(self, compile_id: str | None) -> int | None:
        """The newest compile with that id (torch._guards.CompileId)."""
        parts = compile_id.split("/") if compile_id else []
        autograd = int(parts.pop(0)[1:]) if parts and parts[0].startswith("!") else None
        if len(parts) != 2:
            return None
        frame = self._newest.get((autograd, int(parts[0])))
        return frame and frame.compiles.get(int(parts[1]))

    def _observe_metrics(self, event: Event, frame: _Frame, metrics: dict) -> None:
        self._is_old = self._is_old or "start_time" in metrics and "start_time_us" not in metrics
        function, file, line = (metrics.get(key) for key in ("co_name", "co_filename", "co_firstlineno"))
        if type(function) is str:
            self._name(frame, function, file if type(file) is str else None, line if type(line) is int else None)
        recompile = frame.recompiles.get(event.compile_id.frame_compile_id)
        reason, fail_reason = text_or_none(metrics.get("recompile_reason")), metrics.get("fail_reason")
        if recompile is None and reason is not None:
            recompile = self._add(event, frame, [reason], None)
        if metrics.get("fail_type") is None:
            return
        message = fail_reason if type(fail_reason) is str else ""
        if recompile is None and _RECOMPILE_ERROR.match(message):
            _, *reasons = _FAILED_GUARD.split(message)
            recompile = self._add(event, frame, [text.rstrip("\n") for text in reasons], None)
        if RECOMPILE_LIMIT.search(str(metrics["fail_type"])) or _LIMIT_REASON.match(message[:400].partition("\n")[0]):
            recompile = recompile or self._add(event, frame, [], None)
            self._at_limit.add(recompile.row)
            frame.limit_compile_index = frame.compiles[event.compile_id.frame_compile_id]

    def table(self) -> dict:
        causes: dict[tuple, dict] = {}
        of_rows: list[dict] = []
        recompiles = JsonList()
        # A log that grows may have the start of the last one yet to come: nothing is noted of it here.
        refused = {compile_index: asked for compile_index, asked in self._asked.items() if self._is_old}
        at_limit = self._at_limit.union(row for row, _ in refused.values())
        limits = {frame.index: compile_index for compile_index, (_, frame) in refused.items()}
        for number, row in enumerate(self._rows):
            row["limit"], row["caused_by"] = number in at_limit, self._caused_by.get(number)
            is_root = row["caused_by"] is None
            cause = self._cause(number, row, causes) if is_root else of_rows[row["caused_by"]]  # which stands before it
            cause["count" if is_root else "cascade_count"] += 1
            of_rows.append(cause)
            recompiles.append({**row, "cause_index": cause["row"]})
        return {
            "recompiles": recompiles,
            "frames": JsonList(frame.table(limits.get(frame.index)) for frame in self._frames),
            "causes": JsonList({key: value for key, value in cause.items() if key != "row"} for cause in causes.values()),
        }

    def _cause(self, number: int, row: dict, causes: dict[tuple, dict]) -> dict:
        """The first reason is that of the newest entry of the cache: it says what changed since the last compile."""
        reason = row["reasons"][0] if row["reasons"] else None
        change = reason["change"] if reason else {"kind": "other", "index": None, "expected": None, "actual": None}
        key = (row["frame_index"], reason and reason["source"], change["kind"], change["index"])
        if change["kind"] == "other":
            key += (reason and reason["guard"],)
        cause = causes.get(key)
        if cause is None:
            cause = causes[key] = {
                "row": len(causes),
                "frame_index": row["frame_index"],
                "source": reason and reason["source"],
                "kind": change["kind"],
                "index": change["index"],
                "guard": reason and reason["guard"],
                "values": [],
                "count": 0,
                "cascade_count": 0,
                "recompile_indexes": [],
                "remedy": reason and remedy(reason),
            }
        cause["recompile_indexes"].append(number)
        for value in (change["expected"], change["actual"]):
            if value is not None and cause["values"][-1:] != [value] and len(cause["values"]) < _MAX_VALUES:
                cause["values"].append(value)
        return cause
