"""Recompiles: guard failures per cache entry, changes, and recompiles that follow others in a call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.key_numbers import KeyNumbers
from tlparse_bundle.log.event import Event
from tlparse_bundle.model.compiles import ASKED
from tlparse_bundle.model.functions import function_of, resume_function
from tlparse_bundle.tables.code_objects import CodeObject, CodeObjects, Recompile
from tlparse_bundle.tables.rows import JsonList, Rows
from tlparse_bundle.tables.table import TableContext, place_of
from tlparse_bundle.tables.text.breaks import parse_break
from tlparse_bundle.tables.text.guard_failures import parse_reason, read_reasons
from tlparse_bundle.tables.text.record_values import (
    RECOMPILE_LIMIT,
    Frame,
    cut,
    payload_text,
    text_or_none,
    unexpected,
)

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import RecompileReasonsRow
    from tlparse_bundle.tables.table import RecordPlace
    from tlparse_bundle.tables.text.guard_failures import ReasonFields

    class _Request(RecordPlace):
        """A record that requests a recompile."""

        code_object: int | None
        text: str | None

    class RequestRow(_Request):
        """Data from which ``statements.derived_tables`` builds a row of recompiles."""

        follows: str | None
        at_limit: bool


_Caller = tuple[str | None, int, str]  # file, line, function
_Name = tuple[str | None, str | None]  # file and function

_SHAPES = frozenset(("size", "stride", "rank", "shape"))
_MAX_OPEN = 256
_MAX_REASONS = 1000  # of one recompile: torch writes one for each entry of the cache
# torch/_dynamo/convert_frame.py, _compile: the type, or the first line of the message, says so.
_LIMIT_REASON = re.compile(r".*(?:recompile limit exceeded|(?:recompile|cache_size)_limit)", re.IGNORECASE)
_RECOMPILE_ERROR = re.compile(r"Recompiling function ")  # torch/_dynamo/guards.py, under error_on_recompile
_FAILED_GUARD = re.compile(r"^ *- (?=!?\d)", re.MULTILINE)
_CONVERT_FRAME = "torch/_dynamo/convert_frame.py"  # its frames end the stacks of older releases


class Recompiles:
    name = "recompiles"
    types = frozenset(("dynamo_start", "artifact", "compilation_metrics"))

    def __init__(self, context: TableContext):
        self._stacks = context.stacks
        self._diagnostics = context.diagnostics
        self._code_objects = CodeObjects()
        self._newest = KeyNumbers()  # code object of each pair of compiled autograd id and frame id
        self._by_name: dict[_Name, int] = {}  # id of a code object
        self._calls = RunningCalls()
        self._reasons: Rows[RecompileReasonsRow] = Rows()
        self._requests: JsonList[_Request] = JsonList()
        # Set later, by number:
        self._follows: dict[int, int] = {}
        self._at_limit: set[int] = set()
        # torch 2.5 only logs the recompile reason of a refused compile.
        # These compiles have reasons but no start or metrics yet.
        self._open: dict[str | None, tuple[int, int]] = {}  # the request and the code object
        self._is_old = False  # 2.6 and later write metrics of it, too; theirs have start_time_us

    @staticmethod
    def wants(event: Event) -> bool:
        return event.type != "artifact" or event.name in ("recompile_reasons", "dynamo_graph_break_reason")

    reads = wants

    def observe(self, event: Event) -> None:
        if not self.wants(event):
            return
        code = self._code_object(event)
        if event.type == "artifact":
            if event.name == "recompile_reasons":
                self._observe_reasons(event, code)
            elif code is not None and (recompile := code.recompile_of(event)) is not None:
                parsed = parse_break(payload_text(event))
                if parsed is not None:
                    self._calls.graph_break(recompile, parsed[1])
        elif code is not None and type(event.value) is dict:
            self._open.pop(event.compile, None)
            if event.type == "dynamo_start":
                self._observe_start(event, code)
            else:
                self._observe_metrics(event, code, event.value)

    def _code_object(self, event: Event) -> CodeObject | None:
        """Return the code object of an event and note its compile; None when it has no frame id."""
        cid = event.compile_id
        if cid is None or cid.frame_id is None:
            return None
        key = _key(cid.compiled_autograd_id, cid.frame_id)
        code = self._code_object_of(key)
        if (
            code is not None
            and code.occurrences.get(cid.frame_compile_id, event.occurrence) != event.occurrence
        ):
            code = None  # a reset: the id stands for a different code object now
        if code is None:
            code = self._code_objects.add(cid.compiled_autograd_id, cid.frame_id)
            self._newest[key] = code.id
        code.occurrences.setdefault(cid.frame_compile_id, event.occurrence)
        return code

    def _code_object_of(self, key: str) -> CodeObject | None:
        number = self._newest.get(key)
        return None if number is None else self._code_objects[number]

    def _observe_start(self, event: Event, code: CodeObject) -> None:
        stack_index = event.value.get("stack_index")
        frames: list[_Caller] = []
        row = stack_index if type(stack_index) is int else -1
        while row >= 0:
            file, line, function, _ = self._stacks.innermost(row)
            if file is None or not file.replace("\\", "/").endswith(_CONVERT_FRAME):
                frames.append((file, line, function))
            row = self._stacks.parent(row)
        if frames:
            file, line, function = frames[0]
            self._name(code, function, file, line)
        recompile = code.recompile_of(event)
        leader = self._calls.start(code.function, code.file, frames[:0:-1], recompile)
        if leader is not None and recompile is not None:
            self._follows[recompile.row] = leader.row

    def _name(self, code: CodeObject, function: str, file: str | None, line: int | None) -> None:
        if code.function is None:
            code.function, code.file, code.first_line = cut(function), cut(file), line
            part = resume_function(function)
            code.resumes = self._by_name.get((file, part.function)) if part else None
        self._by_name[file, function] = code.id

    def _observe_reasons(self, event: Event, code: CodeObject | None) -> None:
        text = payload_text(event)
        reasons, understood = read_reasons(text)
        if not understood:
            unexpected(
                self._diagnostics,
                event,
                "not one string or a list of strings that each start with a compile id",
            )
        recompile = self._add(event, code, reasons, None if understood else text)
        if code is not None:
            self._open[event.compile] = recompile.row, code.id

    def _add(self, event: Event, code: CodeObject | None, reasons: list[str], text: str | None) -> Recompile:
        place = place_of(event)
        parsed = [parse_reason(reason) for reason in reasons[:_MAX_REASONS]]
        self._reasons.extend(
            {**place, "position": position, **reason, "entry": self._entry(reason["entry"])}
            for position, reason in enumerate(parsed)
        )
        actual = [reason["actual"] for reason in parsed if reason["actual"] is not None]
        recompile = Recompile(len(self._requests), sort_of(parsed, event.index), actual)
        self._requests.append({**place, "code_object": None if code is None else code.id, "text": cut(text)})
        if code is not None and event.compile_id is not None:
            code.recompiles[event.compile_id.frame_compile_id] = recompile
        return recompile

    def _entry(self, compile_id: str | None) -> str | None:
        """Return the key of the newest compile with an id as torch._guards.CompileId writes it."""
        parts = compile_id.split("/") if compile_id else []
        autograd = int(parts.pop(0)[1:]) if parts and parts[0].startswith("!") else None
        if len(parts) != 2:
            return None
        code = self._code_object_of(_key(autograd, int(parts[0])))
        return None if code is None else code.compile(int(parts[1]))

    def _observe_metrics(self, event: Event, code: CodeObject, metrics: dict[str, Any]) -> None:
        self._is_old = self._is_old or ("start_time" in metrics and "start_time_us" not in metrics)
        function, file, line = (metrics.get(key) for key in ("co_name", "co_filename", "co_firstlineno"))
        if type(function) is str:
            self._name(
                code, function, file if type(file) is str else None, line if type(line) is int else None
            )
        recompile = code.recompile_of(event)
        reason, fail_reason = text_or_none(metrics.get("recompile_reason")), metrics.get("fail_reason")
        if recompile is None and reason is not None:
            recompile = self._add(event, code, [reason], None)
        if metrics.get("fail_type") is None:
            return
        message = fail_reason if type(fail_reason) is str else ""
        if recompile is None and _RECOMPILE_ERROR.match(message):
            _, *reasons = _FAILED_GUARD.split(message)
            recompile = self._add(event, code, [text.rstrip("\n") for text in reasons], None)
        if RECOMPILE_LIMIT.search(str(metrics["fail_type"])) or _LIMIT_REASON.match(
            message[:400].partition("\n")[0]
        ):
            recompile = recompile or self._add(event, code, [], None)
            self._at_limit.add(recompile.row)
            if event.compile_id is not None:
                code.limit = code.compile(event.compile_id.frame_compile_id)

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        """Yield the reasons and the code objects, and the requests (``ASKED``), from which
        ``statements.derived_tables`` derives the recompiles.
        """
        # The start of the last one may still follow in a growing log, so it is not noted.
        refused = dict(self._open) if self._is_old else {}
        at_limit = self._at_limit.union(number for number, _ in refused.values())
        limits = {code: key for key, (_, code) in refused.items()}
        yield ASKED, Rows(self._rows(at_limit))
        yield "recompile_reasons", self._reasons
        yield "code_objects", Rows(code.row(limits.get(code.id)) for code in self._code_objects)

    def _rows(self, at_limit: set[int]) -> Iterator[RequestRow]:
        for number, row in enumerate(self._requests):
            leader = self._follows.get(number)  # an earlier row
            yield {
                **row,
                "follows": None if leader is None else self._requests[leader]["compile"],
                "at_limit": number in at_limit,
            }


class _Open:
    """A recompile whose call may still be running."""

    def __init__(self, recompile: Recompile, name: _Name, callers: list[_Caller]):
        self.recompile = recompile
        self.name = name
        self.callers = callers
        self.inlined: set[_Name] = set()
        self.followed: set[_Name] = set()
        self.resumed: dict[str, int | None] = {}  # recompile of each resume function that started since


class RunningCalls:
    """The calls of recompiles that can still be running, with the recompiles that follow in them."""

    def __init__(self) -> None:
        self._open: list[_Open] = []

    def start(
        self, function: str | None, file: str | None, callers: list[_Caller], recompile: Recompile | None
    ) -> Recompile | None:
        """Note the start of a frame compile, and return the recompile that it follows."""
        self._open = [
            p for p in self._open if len(p.callers) < len(callers) and callers[: len(p.callers)] == p.callers
        ]
        name = (file, function_of(function))
        if function is not None and resume_function(function) is not None:
            # A call runs a resume function once: its next recompile belongs to a later call.
            row = None if recompile is None else recompile.row
            self._open = [
                p for p in self._open if p.name != name or p.resumed.setdefault(function, row) == row
            ]
        if recompile is None:
            return None
        leader = None
        for earlier in reversed(self._open):
            below = callers[len(earlier.callers)]
            calls = name in earlier.inlined or (below[0], function_of(below[2])) == earlier.name
            continues = name == earlier.name and resume_function(function) is not None
            # The second one of a function can be of a later call, for which the caller did not compile.
            values = earlier.recompile.actual
            is_later = (file, function) in earlier.followed and not any(
                value in values for value in recompile.actual
            )
            if (calls or continues) and earlier.recompile.sort == recompile.sort and not is_later:
                leader = earlier.recompile
                earlier.followed.add((file, function))
                break
        self._open = [*self._open[-_MAX_OPEN:], _Open(recompile, name, callers)]
        return leader

    def graph_break(self, recompile: Recompile, frames: Iterable[Frame]) -> None:
        """The compile of ``recompile`` breaks; ``frames`` lead there through functions that it inlined."""
        earlier = next((p for p in reversed(self._open) if p.recompile.row == recompile.row), None)
        if earlier is None:
            return
        names = [(frame.file, function_of(frame.function)) for frame in frames]
        if earlier.name in names:
            last = len(names) - 1 - names[::-1].index(earlier.name)
            earlier.inlined.update(names[last + 1 :])


def sort_of(reasons: list[ReasonFields], event_index: int) -> object:
    """Return the sort of a recompile, from its rows of 'recompile_reasons'."""
    if not reasons:
        return event_index  # equal to none
    first = reasons[0]
    if first["change"] in _SHAPES:
        return "shape"
    values = [first["expected"], first["actual"]]
    return [first["change"], first["guard"] if values == [None, None] else values]


def _key(compiled_autograd_id: int | None, frame_id: int) -> str:
    """Return the key of a code object, with the characters of a compile key."""
    return str(frame_id) if compiled_autograd_id is None else f"!{compiled_autograd_id}/{frame_id}"
