"""Guards of each compile: what they check, where they come from, and the cost of one check."""

from __future__ import annotations

import hashlib
import re
from array import array
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict

from tlparse_bundle.bundle.json_codec import dumps
from tlparse_bundle.guards.condition_json import condition_json
from tlparse_bundle.guards.conditions import dict_lengths
from tlparse_bundle.guards.predicates import MANAGER, NODE, Predicate, flat_predicate, manager, predicate
from tlparse_bundle.log.event import Event
from tlparse_bundle.log.json_text import parse_json
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.table import ParseCache, TableContext, place_of
from tlparse_bundle.tables.text.record_values import payload_text, text_of, unexpected

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import GuardsRow, GuardTreesRow

    class _TreeFields(TypedDict):
        form: Literal["tree", "list"]
        guard_count: int
        latency_us: float | None
        guards: list[int]
        payload_lines: list[int]
        manager_count: int
        counts: dict[str, int]


_MAX_LISTED = 5000  # guards of one record that are listed; all are counted
_MAX_LINE = 4000  # characters of a line that are read
_MAX_REMEMBERED = 1000  # characters of a line that is remembered
_MAX_RECENT = 4096  # lines of trees whose guard is remembered
_MAX_KINDS = 256  # torch has some fifty
_PLACE = re.compile(r"(?:^|# )(?P<file>[^#]*?):(?P<line>\d{1,9}) in (?P<function>\S+)")
# At the beginning of a line, which '^' would look for at every character.
_LATENCY = re.compile(r"Guard latency = (?<![^\n]Guard latency = )(?P<us>\d{1,12}(?:\.\d{1,9})?) us")

_Above = tuple[str | None, str | None]  # source and type of a manager


class _Node(NamedTuple):
    """A line of a guard tree."""

    kind: str
    depth: int
    manager: _Above | None  # None for a guard
    rest: str


@lru_cache(4096)
def _node(line: str) -> _Node | None:
    """Parse a line of a guard tree; return None for other lines. Cached, since compiles of a function share
    most lines.
    """
    node = NODE.match(line)
    if node is None:
        return None
    kind, rest, depth = node["kind"].strip(), node["text"] or "", len(node["indent"]) // 2
    return _Node(kind, depth, manager(rest) if MANAGER.match(kind) else None, rest)


class Guards:
    name = "guards"
    types = frozenset(("dynamo_cpp_guards_str", "dynamo_guards"))

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._trees: Rows[GuardTreesRow] = Rows()
        self._guards: Rows[GuardsRow] = Rows()
        self._ids: dict[bytes, int] = {}  # of guards, by the hash of their row
        self._recent: dict[tuple[_Node, str, _Above], int] = {}
        self._read = ParseCache(self._parse)

    def observe(self, event: Event) -> None:
        if event.type == "dynamo_guards" and event.payload and event.payload.split() == [b"[", b"]"]:
            return  # torch 2.4 and 2.5 write it beside each tree
        fields, complaint = self._read(event.hash and (event.type, event.hash), event)
        if complaint is not None:
            unexpected(self._diagnostics, event, complaint)
        self._trees.append({**place_of(event), **fields})

    def _parse(self, event: Event) -> tuple[_TreeFields, str | None]:
        """Return the fields of a row of 'guard_trees', and the problem with the payload."""
        text = payload_text(event)
        if event.type == "dynamo_guards":
            return self._list(text)
        return self._tree(text)

    def _list(self, text: str) -> tuple[_TreeFields, str | None]:
        """Read [{code, stack, user_stack}], which torch 2.13 writes for aliasing guards only."""
        try:
            guards = parse_json(text)
        except ValueError:
            guards = None
        items = guards if type(guards) is list else []
        counts: dict[str, int] = {}
        ids = array("q")
        for item in items:
            code = item.get("code") if type(item) is dict else None
            guard = flat_predicate(code[:_MAX_LINE] if type(code) is str else "")
            kind = _count(counts, guard.kind)
            if len(ids) < _MAX_LISTED:
                ids.append(self._id(guard, kind, 0))
        fields: _TreeFields = {
            "form": "list",
            "guard_count": len(items),
            "latency_us": None,
            "guards": ids.tolist(),
            "payload_lines": list(range(1, len(ids) + 1)),  # each on a line, below a bracket
            "manager_count": 0,
            "counts": counts,
        }
        return fields, None if type(guards) is list else "not a list of guards"

    def _tree(self, text: str) -> tuple[_TreeFields, str | None]:
        counts: dict[str, int] = {}
        managers = 0
        above: list[_Above] = []  # of the managers above, by depth
        ids, lines = array("q"), array("q")
        dicts: dict[str | None, tuple[int, int, int]] = {}  # by source: guards before, line and depth
        keys: list[str] = []  # guards on keys of dicts
        for number, line in enumerate(text.split("\n")):
            node = _node(line) if len(line) <= _MAX_REMEMBERED else _node.__wrapped__(line[:_MAX_LINE])
            if node is None:
                continue
            del above[node.depth :]
            around = above[-1] if above else (None, None)
            if node.manager is not None:
                managers += 1
                source, type_name = node.manager
                own = (around[0] if source is None else source, type_name)
                above += [around] * (node.depth - len(above)) + [own]
                if node.kind.startswith("Dict"):
                    dicts[own[0]] = len(ids), number, node.depth
                continue
            if node.kind == "DICT_LENGTH":
                dicts.pop(around[0], None)
            if node.rest.startswith("list("):
                keys.append(f"+- {node.kind}: {node.rest}")
            kind = _count(counts, node.kind)
            if len(ids) < _MAX_LISTED:
                ids.append(self._tree_id(node, kind, around))
                lines.append(number)
        lengths = [one for one in dict_lengths("\n".join(keys)) if one[0] in dicts]
        # From the last one, so that the numbers of guards before the others stay right.
        for source, length in reversed(lengths[: _MAX_LISTED - len(ids)]):
            before, number, depth = dicts[source]
            guard = Predicate("DICT_LENGTH", source, f"len({source}) == {length}")
            ids.insert(before, self._id(guard, guard.kind, depth))
            lines.insert(before, number)
        latency = _LATENCY.search(text)
        fields: _TreeFields = {
            "form": "tree",
            "guard_count": sum(counts.values()),
            "latency_us": float(latency["us"]) if latency else None,
            "guards": ids.tolist(),
            "payload_lines": lines.tolist(),
            "manager_count": managers,
            "counts": counts,
        }
        return fields, None if managers or counts else "not a tree of guards"

    def _tree_id(self, node: _Node, kind: str, above: _Above) -> int:
        key = (node, kind, above)
        number = self._recent.get(key)
        if number is None:
            if len(self._recent) >= _MAX_RECENT:
                self._recent.clear()
            number = self._id(predicate(node.kind, node.rest, above), kind, node.depth)
            self._recent[key] = number
        return number

    def _id(self, guard: Predicate, kind: str, depth: int) -> int:
        """Return the id of a guard. Equal ones of a log have one row."""
        place = _PLACE.search(guard.comment or "")
        row: GuardsRow = {
            "id": len(self._guards),
            "kind": text_of(kind),
            "source": None if guard.source is None else text_of(guard.source),
            "text": guard.text,
            "expected": None if guard.expected is None else text_of(guard.expected),
            "can_be_evaluated": guard.can_be_evaluated,
            "condition": condition_json(guard),
            "depth": depth,
            "file": text_of(place["file"]) if place else None,
            "line": int(place["line"]) if place else None,
            "function": text_of(place["function"]) if place else None,
        }
        key = hashlib.sha256(dumps({**row, "id": None})).digest()[:16]
        if key not in self._ids:
            self._ids[key] = row["id"]
            self._guards.append(row)
        return self._ids[key]

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        yield "guard_trees", self._trees
        yield "guards", self._guards


def _count(counts: dict[str, int], kind: str) -> str:
    """Count a kind; return the name under which it counts."""
    if kind not in counts and len(counts) >= _MAX_KINDS:
        kind = "OTHER"
    counts[kind] = counts.get(kind, 0) + 1
    return kind
