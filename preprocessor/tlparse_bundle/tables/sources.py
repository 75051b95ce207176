"""The source table: generated code by name, links, graphs that were split, bytecode before and after."""

from __future__ import annotations

import re
from functools import lru_cache

from tlparse_bundle.events.registry import describe
from tlparse_bundle.tables.json_list import JsonList
from tlparse_bundle.tables.remembered import Remembered
from tlparse_bundle.tables.table import TableContext
from tlparse_bundle.tables.texts import cut, payload_text, text_or_none, unexpected
from tlparse_bundle.trace.event import Event
from tlparse_bundle.trace.json_text import parse_json

MAX_FUNCTIONS = 200  # of one code
MAX_MESSAGES = 500  # of one record of side effects
MAX_CONFIG = 500_000  # bytes of one configuration
MAX_CONFIGS = 200  # different ones

# At the beginning of a line, which '^' would look for at every character.
_FUNCTION = re.compile(r"def (?:(?<![^\n]def )|(?<=async def )(?<![^\n]async def ))(\w{1,200})\(")
_BYTECODE = re.compile(r"(.+)_(ORIGINAL|MODIFIED)_BYTECODE\Z", re.DOTALL)
_SAFE_URL = re.compile(r"https?://[^\s\x00-\x1f]+\Z", re.IGNORECASE)
_SEPARATOR = "=" * 40  # torch/_dynamo/side_effects.py
_INSTRUCTION = re.compile(r"^[ 0-9>\-]*?\b\d+ [A-Z][A-Z_]+\b", re.MULTILINE)
_CONFIG = "torch._functorch.config"
_AUTOGRAD = {
    "compiled_autograd_graph": "event_index",
    "compiled_autograd_graph_pre_reordering": "pre_reordering_event_index",
    "compiled_autograd_compile_reasons": "reasons_event_index",
}


class Sources:
    name = "sources"
    types = frozenset(("artifact", "dump_file", "link", "optimize_ddp_split_graph", "optimize_ddp_split_child", "compiled_autograd_graph"))

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._code = Remembered(_code)
        self._dumps = JsonList()
        self._codes = JsonList()
        self._links = JsonList()
        self._splits: list[dict] = []
        self._open_splits: dict[int, dict] = {}  # by compile
        self._captures: list[dict] = []
        self._open_captures: dict[int, dict] = {}
        self._side_effects = JsonList()
        self._bytecode: list[dict] = []
        self._open_bytecode: dict[tuple, dict] = {}
        self._configs = JsonList()
        self._config_values = JsonList()
        self._config_numbers: dict[str, int | None] = {}  # by the hash of the payload

    @staticmethod
    def wants(event: Event) -> bool:
        return event.type != "artifact" or event.name is not None and _is_source(event.name)

    reads = wants

    def observe(self, event: Event) -> None:
        if not self.wants(event):
            return
        place = {"event_index": event.index, "compile_index": event.compile_index}
        if event.type == "dump_file":
            self._dumps.append({**place, "name": text_or_none(event.name), **self._code(event.hash, event)})
        elif event.type == "link":
            value = event.value if type(event.value) is dict else {}
            url = text_or_none(value.get("url"))
            self._links.append(
                {**place, "name": text_or_none(event.name), "url": url, "safe": url is not None and _SAFE_URL.match(url) is not None}
            )
        elif event.type == "optimize_ddp_split_graph":
            split = self._open_splits[event.compile_index] = {**place, "parts": []}
            self._splits.append(split)
        elif event.type == "optimize_ddp_split_child":
            split = self._open_splits.get(event.compile_index)
            if split is None:  # its graph was lost
                split = self._open_splits[event.compile_index] = {"event_index": None, "compile_index": event.compile_index, "parts": []}
                self._splits.append(split)
            split["parts"].append({"event_index": event.index, "name": text_or_none(event.name)})
        else:
            self._observe_artifact(event, place, event.type if event.name is None else event.name)

    def _observe_artifact(self, event: Event, place: dict, name: str) -> None:
        if name in _AUTOGRAD:
            self._observe_capture(event, name)
        elif name == "dynamo_side_effects":
            messages = [cut(part.strip()) for part in re.split(rf"(?m)^{_SEPARATOR}$", payload_text(event))[:MAX_MESSAGES]]
            self._side_effects.append({**place, "messages": [message for message in messages if message]})
        elif name.endswith("_BYTECODE") and (match := _BYTECODE.match(name)):
            self._observe_bytecode(event, *match.groups())
        elif name == _CONFIG:
            self._configs.append({**place, "config_index": self._config(event)})
        elif event.payload is not None and describe("artifact", name, None).language == "python":
            self._codes.append({**place, "name": cut(name), **self._code(event.hash, event)})

    def _observe_capture(self, event: Event, name: str) -> None:
        """Compiled autograd writes the reasons, the graph before it was reordered, and the graph."""
        column = _AUTOGRAD[name]
        capture = self._open_captures.get(event.compile_index)
        if capture is None or capture[column] is not None:
            capture = self._open_captures[event.compile_index] = {
                "event_index": None,
                "compile_index": event.compile_index,
                "pre_reordering_event_index": None,
                "reasons_event_index": None,
                "reasons": [],
            }
            self._captures.append(capture)
        capture[column] = event.index
        if column == "reasons_event_index":
            try:
                reasons = parse_json(event.payload or b"")
            except ValueError:
                reasons = None
            if type(reasons) is list:
                capture["reasons"] = [cut(reason) for reason in reasons[:MAX_MESSAGES] if type(reason) is str]
            else:
                unexpected(self._diagnostics, event, "no list of reasons")

    def _observe_bytecode(self, event: Event, function: str, which: str) -> None:
        key, column = (event.compile_index, function), f"{which.lower()}_event_index"
        row = self._open_bytecode.get(key)
        if row is None or row[column] is not None:
            row = self._open_bytecode[key] = {"compile_index": event.compile_index, "function": cut(function)}
            row |= {
                "original_event_index": None,
                "modified_event_index": None,
                "original_instruction_count": None,
                "modified_instruction_count": None,
            }
            self._bytecode.append(row)
        row[column] = event.index
        row[f"{which.lower()}_instruction_count"] = sum(1 for _ in _INSTRUCTION.finditer(payload_text(event)))

    def _config(self, event: Event) -> int | None:
        key = event.hash or ""
        if key not in self._config_numbers:
            try:
                value = parse_json(event.payload or b"") if event.payload and len(event.payload) <= MAX_CONFIG else None
            except ValueError:
                value = None
            if type(value) is not dict:
                unexpected(self._diagnostics, event, "no configuration")
                self._config_numbers[key] = None
            elif len(self._config_values) >= MAX_CONFIGS:
                return None
            else:
                self._config_numbers[key] = len(self._config_values)
                self._config_values.append(value)
        return self._config_numbers[key]

    def table(self) -> dict:
        return {
            "dump_files": self._dumps,
            "codes": self._codes,
            "links": self._links,
            "ddp_splits": self._splits,
            "autograd_captures": self._captures,
            "side_effects": self._side_effects,
            "bytecode": self._bytecode,
            "configs": self._configs,
            "config_values": self._config_values,
        }


@lru_cache(256)
def _is_source(name: str) -> bool:
    known = name in _AUTOGRAD or name in ("dynamo_side_effects", _CONFIG) or _BYTECODE.match(name) is not None
    return known or describe("artifact", name, None).language == "python"


def _code(event: Event) -> dict:
    text = payload_text(event)
    functions = [match[1] for match, _ in zip(_FUNCTION.finditer(text), range(MAX_FUNCTIONS))]
    return {"line_count": text.count("\n") + 1 if text else 0, "functions": functions}
