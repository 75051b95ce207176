"""The cache table: lookups in compile caches, their outcomes, and differences between keys."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from itertools import compress
from operator import ne
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict

from tlparse_bundle.log.event import TIMELINE, Event
from tlparse_bundle.log.json_text import parse_json
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.table import ParseCache, TableContext, place_of
from tlparse_bundle.tables.text.record_values import count_or_none

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import CachesRow

    _Cache = Literal["fx_graph", "aot_autograd", "pgo", "precompile"]
    _Outcome = Literal["hit", "miss", "bypass", "disabled", "get", "put", "error", "key"]

    class _Fields(TypedDict):
        key: str | None
        detail: str | None
        guard: str | None
        reason: str | None
        exception_type: str | None
        field: str | None
        time_saved_us: int | None
        time_taken_us: int | None


MAX_TEXT = 20_000  # characters
MAX_EARLIER = 8  # earlier keys of a cache that a miss is compared with
MAX_COMPONENTS = 10_000  # of one key that are compared
_MAX_HASHES = 8_000
MAX_DIFFERENT = 50  # names of components that a row has

_STATES: dict[str, _Outcome] = {"hit": "hit", "miss": "miss", "bypass": "bypass"}
# Artifact name -> (cache, outcome). With an outcome of None it is cache_state of the payload.
_CACHE_ARTIFACTS: dict[str, tuple[_Cache, _Outcome | None]] = {
    "fx_graph_cache_hit": ("fx_graph", "hit"),
    "fx_graph_cache_miss": ("fx_graph", "miss"),
    "fx_graph_cache_bypass": ("fx_graph", "bypass"),
    "fx_graph_cache_hash": ("fx_graph", None),  # older torch
    "fx_graph_bundled_cache_hit": ("fx_graph", "hit"),
    "aotautograd_cache_hit": ("aot_autograd", "hit"),
    "aotautograd_cache_miss": ("aot_autograd", "miss"),
    "aotautograd_cache_bypass": ("aot_autograd", "bypass"),
    "aotautograd_cache_hash": ("aot_autograd", None),  # older torch
    "aotautograd_cache_pickle_failure": ("aot_autograd", "error"),
    "precompile_cache_bypass": ("precompile", "bypass"),
    "dynamo_cache_entries": ("precompile", "put"),
    "dynamo_cache_bypass": ("precompile", "bypass"),
    "dynamo_cache_exception": ("precompile", "error"),
}
# torch/_dynamo/pgo.py: a get is written only when a state was found.
_CODE_STATE = re.compile(r"(get|put)_(?:extra_)?(local|remote)_code_state")
# render_code_state: 'file:line:function:', sources indented below.
_CODE_OBJECT = re.compile(rb"^\S.*:$", re.MULTILINE)
_NO_COMPONENT = -1  # in place of a hash; no hash is -1
_MAX_REMEMBERED = 32  # payloads, each with the hashes of its components
# FxGraphCachePickler.debug_lines (torch/_inductor/codecache.py): '[hash] field: value', field 'name' or
# 'name[key]'.
# Older torch split the text of the graph into lines, which are not components. [0-9a-z] is what hashes are
# made of, and found faster than \w.
_COMPONENT = re.compile(r"\[(?:[0-9a-z]{8,100}|\w{8,100})\] ([^:\n]{1,300}):(?= )")


class _Reading(NamedTuple):
    """The contents of a payload."""

    is_object: bool
    state: _Outcome | None
    entry_count: int | None
    component_count: int | None
    fields: _Fields
    components: set[int]  # hashes of '[hash] field:', which are compared much faster than text


class _Key(NamedTuple):
    event: int
    key: str
    components: set[int]


class Caches:
    name = "caches"
    types = frozenset(("artifact", TIMELINE))
    # The only record that it is disabled (torch/_inductor/compile_fx.py).
    timeline = frozenset(("fx_graph_cache_disabled",))

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._rows: Rows[CachesRow] = Rows()
        self._field_of: dict[int, str] = {}  # hash of a component -> its field
        self._field_names: dict[str, str] = {}
        self._max_hashes = _MAX_HASHES
        self._last_components: list[Any] = []  # the newest ones, and their hashes
        self._last_hashes: list[int] = []
        self._read = ParseCache(self._reading, _MAX_REMEMBERED)
        self._earlier: dict[str, deque[_Key]] = {}

    @staticmethod
    def reads(event: Event) -> bool:
        return event.type == "artifact" and (
            event.name in _CACHE_ARTIFACTS or "_code_state" in (event.name or "")
        )

    @staticmethod
    def wants(event: Event) -> bool:
        span = event.trace_event
        if span is None:
            return Caches.reads(event)
        return span["ph"] == "i" and span["name"] in Caches.timeline

    def observe(self, event: Event) -> None:
        name = event.name
        if event.type == TIMELINE:
            if event.trace_event is not None and self.wants(event):
                self._rows.append(_row(event, event.trace_event["name"], "fx_graph", "disabled", _fields({})))
            return
        if name is None:
            return
        artifact = _CACHE_ARTIFACTS.get(name)
        if artifact is not None:
            self._observe_cache(event, name, *artifact)
        elif "_code_state" in name and (state := _CODE_STATE.fullmatch(name)):
            row = _row(event, name, "pgo", "get" if state[1] == "get" else "put", _fields({}))
            row["remote"] = state[2] == "remote"
            row["component_count"] = len(_CODE_OBJECT.findall(event.payload or b""))
            self._rows.append(row)

    def _observe_cache(self, event: Event, name: str, cache: _Cache, outcome: _Outcome | None) -> None:
        reading = self._read(event.hash, event)
        if not reading.is_object:
            self._diagnostics.add(
                "table-parse",
                f"{name}: not a JSON object",
                line=event.line,
                byte_offset=event.byte_offset,
                event_index=event.index,
            )
        row = _row(event, name, cache, outcome or reading.state or "key", reading.fields)
        row["component_count"] = reading.component_count
        if name == "dynamo_cache_entries" and reading.component_count is None:
            row["component_count"] = reading.entry_count
        if row["key"] is not None:
            self._compare(row, cache, _Key(event.index, row["key"], reading.components))
        self._rows.append(row)

    def _reading(self, event: Event) -> _Reading:
        try:
            value = parse_json(event.payload or b"", for_table=False)
        except ValueError:
            value = None
        info = value if type(value) is dict else {}
        state, components = info.get("cache_state"), info.get("components")
        components = components if type(components) is list else []
        return _Reading(
            type(value) is dict,
            _STATES.get(state) if type(state) is str else None,
            count_or_none(info.get("num_entries")),
            len(components) or None,
            _fields(info),
            self._hashes(components[:MAX_COMPONENTS]) if type(info.get("key")) is str else set(),
        )

    def _hashes(self, components: list[Any]) -> set[int]:
        """Return hashes of the components. About 600 settings repeat from key to key, so only changed ones
        are hashed.
        """
        if len(self._field_of) > self._max_hashes:
            kept: set[int] = set()
            kept.update(*(key.components for keys in self._earlier.values() for key in keys))
            self._field_of = {number: field for number, field in self._field_of.items() if number in kept}
            self._max_hashes = max(_MAX_HASHES, 2 * len(self._field_of))
            self._last_components, self._last_hashes = [], []
            self._read.clear()
        if not components:
            return set()
        # Compare from the end, since the graph and a varying number of inputs come first.
        count = len(components)
        before = ([None] * count + self._last_components)[-count:]
        hashes = ([_NO_COMPONENT] * count + self._last_hashes)[-count:]
        for place in compress(range(count), map(ne, components, before)):
            hashes[place] = self._hash(components[place])
        self._last_components, self._last_hashes = components, hashes
        numbers = set(hashes)
        numbers.discard(_NO_COMPONENT)
        return numbers

    def _hash(self, text: Any) -> int:
        match = _COMPONENT.match(text) if type(text) is str else None
        if match is None:
            return _NO_COMPONENT
        head, field = match.group(0, 1)
        number = hash(head)
        self._field_of[number] = self._field_names.setdefault(field, field)
        return number

    def _compare(self, row: CachesRow, cache: str, new: _Key) -> None:
        """Store the key; for a miss, set the difference from the most similar earlier key."""
        earlier = self._earlier.setdefault(cache, deque(maxlen=MAX_EARLIER))
        same = next((key for key in earlier if key.key == new.key), None)
        if row["outcome"] in ("miss", "key"):
            closest = same
            if closest is None and new.components:
                candidates = [key for key in earlier if key.components]
                closest = max(
                    candidates,
                    key=lambda key: (_shared(new.components, key.components), key.event),
                    default=None,
                )
            if closest is not None:
                different: list[str] = []
                if closest.components is not new.components:
                    different = sorted(
                        set(map(self._field_of.__getitem__, closest.components ^ new.components))
                    )
                row["closest_event"] = closest.event
                row["different_count"] = len(different)
                row["different"] = different[:MAX_DIFFERENT]
        if same is None:
            earlier.append(new)

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        yield "caches", self._rows


def _shared(one: set[int], other: set[int]) -> int:
    """Return the number of common elements.

    Keys are usually nearly equal, so counting the missing ones takes half the time.
    """
    return 0 if one.isdisjoint(other) else len(one) - len(one - other)


def _row(event: Event, name: str, cache: _Cache, outcome: _Outcome, fields: _Fields) -> CachesRow:
    return {
        **place_of(event),
        "cache": cache,
        "outcome": outcome,
        "name": name,
        "remote": None,
        **fields,
        "component_count": None,
        "closest_event": None,
        "different_count": None,
        "different": [],
    }


def _fields(info: dict[str, Any]) -> _Fields:
    reason = next(
        (
            info[key]
            for key in ("cache_bypass_reason", "_reason", "error", "missing_backend")
            if info.get(key) is not None
        ),
        None,
    )
    return {
        "key": _text(info.get("key")),
        "detail": _text(info.get("cache_status_detailed")),
        "guard": _text(info.get("cache_status_guard_expr")),
        "reason": _text(reason),
        "exception_type": _text(info.get("cache_bypass_exception_type")),
        "field": _text(info.get("field")),
        "time_saved_us": _microseconds(info, ("time_saved_ns", 1e-3), ("time_saved_ms", 1e3)),
        "time_taken_us": _microseconds(info, ("time_taken_ns", 1e-3)),
    }


def _microseconds(info: dict[str, Any], *times: tuple[str, float]) -> int | None:
    """Return the first recorded time, in microseconds. Each candidate has a key and its unit in
    microseconds.
    """
    for key, factor in times:
        value = info.get(key)
        if (type(value) is int or type(value) is float) and 0 <= value * factor < 1e12:
            return int(value * factor)
    return None


def _text(value: Any) -> str | None:
    return value[:MAX_TEXT] if type(value) is str else None
