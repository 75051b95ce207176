"""The guards of each compile: how many of which sort, on what, and how long one check takes."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache

from tlparse_bundle.format.json_codec import dumps
from tlparse_bundle.tables.columns import Columns, Interner, Strings, text_of
from tlparse_bundle.tables.json_list import JsonList
from tlparse_bundle.tables.remembered import Remembered
from tlparse_bundle.tables.table import TableContext
from tlparse_bundle.tables.texts import payload_text, unexpected
from tlparse_bundle.trace.event import Event
from tlparse_bundle.trace.json_text import parse_json

_MAX_ROWS = 5000  # guards of one tree that get a row; all are counted
_MAX_LINE = 4000  # characters of a line in which kind, place and source are looked for
_MAX_REMEMBERED = 1000  # characters of a line that is remembered
_MAX_KINDS = 256  # torch has some fifty
# torch/_dynamo/guards.py, GuardManagerWrapper.__str__: '| ' for each level, then '+- ' and a node.
_NODE = re.compile(r"(?P<indent>(?:\| )*)\+- (?P<kind>[^:(]{1,60})(?:: (?P<text>.*))?$")
_MANAGER = re.compile(r"(?:\w*Manager$|KeyValueManager pair)")
_SOURCE = re.compile(r"(?:^|: )source=(?P<source>.*?)(?:, (?:accessed_by|type)=|$)")
_PLACE = re.compile(r"  # (?P<file>[^#]*?):(?P<line>\d{1,9}) in (?P<function>\S+)")
# At the beginning of a line, which '^' would look for at every character.
_LATENCY = re.compile(r"Guard latency = (?<![^\n]Guard latency = )(?P<us>\d{1,12}(?:\.\d{1,9})?) us")


@lru_cache(4096)
def _node(line: str) -> tuple[bool, str, int, str | None, tuple[str, int, str] | None] | None:
    """(is a manager, kind, depth, source of a manager, place of a guard) of a line of a tree.

    Compiles of one function have most of their lines in common.
    """
    node = _NODE.match(line)
    if node is None:
        return None
    kind, rest, depth = node["kind"].strip(), node["text"] or "", len(node["indent"]) // 2
    if _MANAGER.match(kind):
        found = _SOURCE.search(rest)
        return True, kind, depth, text_of(found["source"]) if found else None, None
    place = _PLACE.search(rest)
    return False, kind, depth, None, (text_of(place["file"]), int(place["line"]), text_of(place["function"])) if place else None


class Guards:
    name = "guards"
    types = frozenset(("dynamo_cpp_guards_str", "dynamo_guards"))

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._trees = JsonList()
        self._lists: dict[bytes, int] = {}
        self._list_rows = JsonList()
        self._guards = Columns("kind_index", "source_index", "place_index", "depth", "payload_line")
        self._kinds, self._sources, self._places = Strings(), Strings(), Interner()
        self._read = Remembered(self._reading)

    def observe(self, event: Event) -> None:
        if event.type == "dynamo_guards" and event.payload and event.payload.split() == [b"[", b"]"]:
            return  # torch 2.4 and 2.5 write it beside each tree
        cells, complaint = self._read(event.hash and (event.type, event.hash), event)
        if complaint is not None:
            unexpected(self._diagnostics, event, complaint)
        self._trees.append({"event_index": event.index, "compile_index": event.compile_index, **cells})

    def _reading(self, event: Event) -> tuple[dict, str | None]:
        """(cells of a row of 'trees', what is wrong with the payload)."""
        text, complaint, latency = payload_text(event), None, None
        if event.type == "dynamo_guards":
            guards = _guards(text)
            if guards is None:
                complaint = "not a list of guards"
            guard_count, counts, managers = len(guards or ()), {}, 0
            # torch writes them on a line each, below a bracket; of their kind and source it says nothing.
            rows = [(-1, -1, -1, 0, number + 1) for number in range(min(guard_count, _MAX_ROWS))]
        else:
            rows, counts, managers = self._tree(text)
            guard_count, latency = sum(counts.values()), _LATENCY.search(text)
            if not managers and not counts:
                complaint = "no tree of guards"
        cells = {
            "form": "list" if event.type == "dynamo_guards" else "tree",
            "guard_count": guard_count,
            "latency_us": float(latency["us"]) if latency else None,
            "list_index": self._intern(rows, counts, managers),
        }
        return cells, complaint

    def _intern(self, rows: list[tuple], counts: dict[str, int], managers: int) -> int:
        """Equal lists, as those of one function compiled for other sizes are, are stored once."""
        key = hashlib.sha256(dumps([rows, counts, managers])).digest()
        number = self._lists.get(key)
        if number is None:
            number = self._lists[key] = len(self._list_rows)
            self._list_rows.append({"first_guard": len(self._guards), "row_count": len(rows), "manager_count": managers, "counts": counts})
            for kind, source, place, depth, line in rows:
                self._guards.add(kind_index=kind, source_index=source, place_index=place, depth=depth, payload_line=line)
        return number

    def _tree(self, text: str) -> tuple[list[tuple], dict[str, int], int]:
        rows, counts, managers = [], {}, 0
        sources: list[str | None] = []  # of the managers above, by depth
        for number, line in enumerate(text.split("\n")):
            node = _node(line) if len(line) <= _MAX_REMEMBERED else _node.__wrapped__(line[:_MAX_LINE])
            if node is None:
                continue
            is_manager, kind, depth, own_source, place = node
            del sources[depth:]
            source = sources[-1] if sources else None
            if is_manager:
                managers += 1
                sources += [source] * (depth - len(sources)) + [source if own_source is None else own_source]
                continue
            kind = kind if kind in counts or len(counts) < _MAX_KINDS else "OTHER"
            counts[kind] = counts.get(kind, 0) + 1
            if len(rows) < _MAX_ROWS:
                rows.append((self._kinds(kind), self._sources(source), self._places(place), depth, number))
        return rows, counts, managers

    def table(self) -> dict:
        places = self._places.table()
        return {
            "trees": self._trees,
            "lists": self._list_rows,
            "guards": self._guards.table(),
            "kinds": self._kinds.table(),
            "sources": self._sources.table(),
            "places": {
                "file": [place[0] for place in places],
                "line": [place[1] for place in places],
                "function": [place[2] for place in places],
            },
        }


def _guards(text: str) -> list | None:
    """[{code, stack, user_stack}]: in torch 2.13 of guards about aliasing only, in older releases of all. None when it is not one."""
    try:
        guards = parse_json(text)
    except ValueError:
        return None
    return guards if type(guards) is list else None
