"""Tables of dumped code, links, DDP splits, compiled autograd captures, side effects, bytecode and
configurations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from tlparse_bundle.log.event import Event
from tlparse_bundle.log.events.registry import describe
from tlparse_bundle.log.json_text import parse_json
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.table import ParseCache, TableContext, place_of
from tlparse_bundle.tables.text.record_values import (
    cut,
    payload_json,
    payload_text,
    text_or_none,
    unexpected,
)

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import (
        AutogradCapturesRow,
        BytecodeRow,
        DdpSplitsRow,
        FunctorchConfigsRow,
        LinksRow,
        SideEffectsRow,
        SourcesRow,
    )
    from tlparse_bundle.tables.table import RecordPlace

    _CaptureField = Literal["graph_event", "pre_reordering_event", "reasons_event"]

    class _CodeFields(TypedDict):
        line_count: int
        functions: list[str]


MAX_FUNCTIONS = 200  # of one code
MAX_MESSAGES = 500  # of one record of side effects
MAX_CONFIG = 500_000  # bytes of one configuration

# At the beginning of a line, which '^' would look for at every character.
_FUNCTION = re.compile(r"def (?:(?<![^\n]def )|(?<=async def )(?<![^\n]async def ))(\w{1,200})\(")
_BYTECODE = re.compile(r"(.+)_(ORIGINAL|MODIFIED)_BYTECODE\Z", re.DOTALL)
_SAFE_URL = re.compile(r"https?://[^\s\x00-\x1f]+\Z", re.IGNORECASE)
_SEPARATOR = "=" * 40  # torch/_dynamo/side_effects.py
_INSTRUCTION = re.compile(r"^[ 0-9>\-]*?\b\d+ [A-Z][A-Z_]+\b", re.MULTILINE)
_CONFIG = "torch._functorch.config"
_AUTOGRAD: dict[str, _CaptureField] = {
    "compiled_autograd_graph": "graph_event",
    "compiled_autograd_graph_pre_reordering": "pre_reordering_event",
    "compiled_autograd_compile_reasons": "reasons_event",
}


class Sources:
    name = "sources"
    types = frozenset(
        (
            "artifact",
            "dump_file",
            "link",
            "optimize_ddp_split_graph",
            "optimize_ddp_split_child",
            "compiled_autograd_graph",
        )
    )

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._code = ParseCache(_code)
        self._config = ParseCache(_config, 16)
        self._sources: Rows[SourcesRow] = Rows()
        self._links: Rows[LinksRow] = Rows()
        self._parts: Rows[DdpSplitsRow] = Rows()
        # By compile: event of the split graph, and number of its parts so far.
        self._open_splits: dict[int, tuple[int | None, int]] = {}
        self._captures: list[AutogradCapturesRow] = []
        self._open_captures: dict[int, AutogradCapturesRow] = {}
        self._side_effects: Rows[SideEffectsRow] = Rows()
        self._bytecode: list[BytecodeRow] = []
        self._open_bytecode: dict[tuple[int, str], BytecodeRow] = {}
        self._configs: Rows[FunctorchConfigsRow] = Rows()

    @staticmethod
    def wants(event: Event) -> bool:
        return event.type != "artifact" or (event.name is not None and _is_source(event.name))

    reads = wants

    def observe(self, event: Event) -> None:
        if not self.wants(event):
            return
        place = place_of(event)
        if event.type == "dump_file":
            self._sources.append(
                {
                    **place,
                    "kind": "dump_file",
                    "name": text_or_none(event.name),
                    **self._code(event.hash, event),
                }
            )
        elif event.type == "link":
            value = event.value if type(event.value) is dict else {}
            url = text_or_none(value.get("url"))
            self._links.append(
                {
                    **place,
                    "name": text_or_none(event.name),
                    "url": url,
                    "safe": url is not None and _SAFE_URL.match(url) is not None,
                }
            )
        elif event.type == "optimize_ddp_split_graph":
            self._open_splits[event.compile_index] = event.index, 0
        elif event.type == "optimize_ddp_split_child":
            # None: the record of the graph was lost.
            split_event, position = self._open_splits.get(event.compile_index, (None, 0))
            self._open_splits[event.compile_index] = split_event, position + 1
            self._parts.append(
                {**place, "split_event": split_event, "position": position, "name": text_or_none(event.name)}
            )
        else:
            self._observe_artifact(event, place, event.type if event.name is None else event.name)

    def _observe_artifact(self, event: Event, place: RecordPlace, name: str) -> None:
        if name in _AUTOGRAD:
            self._observe_capture(event, name)
        elif name == "dynamo_side_effects":
            messages = [
                cut(part.strip())
                for part in re.split(rf"(?m)^{_SEPARATOR}$", payload_text(event))[:MAX_MESSAGES]
            ]
            self._side_effects.append({**place, "messages": [message for message in messages if message]})
        elif name.endswith("_BYTECODE") and (match := _BYTECODE.match(name)):
            self._observe_bytecode(event, match[1], is_original=match[2] == "ORIGINAL")
        elif name == _CONFIG:
            config = self._config(event.hash, event)
            if config is None:
                unexpected(self._diagnostics, event, "not a configuration")
            self._configs.append({**place, "config": config})
        elif event.payload is not None and describe("artifact", name, None).language == "python":
            self._sources.append(
                {**place, "kind": "code", "name": cut(name), **self._code(event.hash, event)}
            )

    def _observe_capture(self, event: Event, name: str) -> None:
        """Observe a capture: compiled autograd writes the reasons, the graph before reordering, and the
        graph.
        """
        field = _AUTOGRAD[name]
        capture = self._open_captures.get(event.compile_index)
        if capture is None or capture[field] is not None:
            capture = self._open_captures[event.compile_index] = {
                "compile": event.compile,
                "attempt": event.attempt,
                "graph_event": None,
                "pre_reordering_event": None,
                "reasons_event": None,
                "reasons": [],
            }
            self._captures.append(capture)
        capture[field] = event.index
        if field == "reasons_event":
            reasons = payload_json(event)
            if type(reasons) is list:
                capture["reasons"] = [cut(reason) for reason in reasons[:MAX_MESSAGES] if type(reason) is str]
            else:
                unexpected(self._diagnostics, event, "not a list of reasons")

    def _observe_bytecode(self, event: Event, function: str, is_original: bool) -> None:
        key = event.compile_index, function
        row = self._open_bytecode.get(key)
        if row is None or row["original_event" if is_original else "modified_event"] is not None:
            row = self._open_bytecode[key] = {
                "compile": event.compile,
                "attempt": event.attempt,
                "function": cut(function),
                "original_event": None,
                "modified_event": None,
                "original_instruction_count": None,
                "modified_instruction_count": None,
            }
            self._bytecode.append(row)
        count = sum(1 for _ in _INSTRUCTION.finditer(payload_text(event)))
        if is_original:
            row["original_event"], row["original_instruction_count"] = event.index, count
        else:
            row["modified_event"], row["modified_instruction_count"] = event.index, count

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        yield "sources", self._sources
        yield "links", self._links
        yield "ddp_splits", self._parts
        yield "autograd_captures", Rows(self._captures)
        yield "side_effects", self._side_effects
        yield "bytecode", Rows(self._bytecode)
        yield "functorch_configs", self._configs


@lru_cache(256)
def _is_source(name: str) -> bool:
    if name in _AUTOGRAD or name in ("dynamo_side_effects", _CONFIG) or _BYTECODE.match(name):
        return True
    return describe("artifact", name, None).language == "python"


def _code(event: Event) -> _CodeFields:
    text = payload_text(event)
    functions = [match[1] for match in islice(_FUNCTION.finditer(text), MAX_FUNCTIONS)]
    return {"line_count": text.count("\n") + 1 if text else 0, "functions": functions}


def _config(event: Event) -> dict[str, Any] | None:
    """Return the configuration in a payload; None when it is not an object, or too large."""
    try:
        value = parse_json(event.payload) if event.payload and len(event.payload) <= MAX_CONFIG else None
    except ValueError:
        value = None
    return value if type(value) is dict else None
