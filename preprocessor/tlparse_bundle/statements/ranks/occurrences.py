"""Graph breaks, restarts, recompiles and guards of some ranks only; failures of some or all ranks."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict

from tlparse_bundle.base.machine_text import ADDRESS, tail
from tlparse_bundle.base.wording import code, first_line
from tlparse_bundle.statements.ranks.comparison import Comparison, RankTable, Tables
from tlparse_bundle.statements.ranks.frames import Frames
from tlparse_bundle.statements.ranks.rank_finding import Finder, RankFinding
from tlparse_bundle.statements.ranks.rank_sets import ranks_in
from tlparse_bundle.statements.ranks.wording import Templates, Words, all_ranks, size
from tlparse_bundle.statements.statement import KindReference, SeverityName
from tlparse_bundle.statements.torch_messages import taken_apart

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import (
        GraphBreakRecordsRow,
        RankOccurrencesRow,
        RecompileReasonsRow,
    )

Kind = Literal["failure", "graph_break", "restart", "recompile", "guard"]
KINDS: tuple[Kind, ...] = ("failure", "graph_break", "restart", "recompile", "guard")
MAX_TEXT = 2000  # characters
MAX_GUARD_ROWS = 1000
_ADDRESS = re.compile(ADDRESS + r"|\b\d{9,}\b|\b(?<=cuda:)\d+")
# torch/_dynamo/output_graph.py, install_global: numbers that differ between processes.
_GLOBAL_NUMBER = re.compile(r"___?\d+\b")
_SIZE = re.compile(r"\b\d+\b")
_COMPILE_ID = re.compile(r"^(!\d+/)?\d+/\d+(_\d+)?: ")


class Occurrence(NamedTuple):
    kind: Kind
    frame: int | None
    text: str
    type: str | None
    file: str | None
    line: int | None


class OccurrencesDigest(TypedDict):
    rows: list[list[Any]]  # the cells of each Occurrence
    guards: list[str | None]  # hash of the guards of each frame


class Occurrences:
    name = "occurrences"

    def digest(self, frames: Frames) -> OccurrencesDigest:
        return {
            "rows": [list(row) for row in (*_failures(frames), *_graph_breaks(frames), *_recompiles(frames))],
            "guards": _guard_hashes(frames),
        }

    def tables(
        self, comparison: Comparison, digests: Sequence[OccurrencesDigest], tables: Tables
    ) -> Iterator[RankTable]:
        rows = _partial(comparison, digests) + _partial_guards(comparison, digests)
        yield (
            "rank_occurrences",
            sorted(
                rows,
                key=lambda row: (
                    KINDS.index(row["kind"]),
                    -1 if row["rank_compile"] is None else row["rank_compile"],
                ),
            ),
        )


def _failures(frames: Frames) -> list[Occurrence]:
    return [
        Occurrence(
            "restart" if row["kind"] == "restart" else "failure",
            frames.number_of(row),
            (row["reason"] or "")[:MAX_TEXT],
            row["type"],
            row["file"],
            row["line"],
        )
        for row in frames.table("failures")
        if row["kind"] in ("backward", "restart") or (row["kind"] == "compile" and _has_failed(frames, row))
    ]


def _has_failed(frames: Frames, row: Mapping[str, Any]) -> bool:
    """Return whether the compile of a failure failed; a graph break alone leaves such a record, too."""
    number = frames.number_of(row)
    return number is None or frames.compiles[number]["status"] not in ("ok", "skipped", "empty")


def _graph_breaks(frames: Frames) -> list[Occurrence]:
    first: dict[int, GraphBreakRecordsRow] = {}
    for record in frames.table("graph_break_records"):
        first.setdefault(record["graph_break"], record)
    rows = []
    for row in frames.table("graph_breaks"):
        text = ": ".join(filter(None, (row["reason"], row["source_line"])))
        rows.append(
            Occurrence(
                "graph_break",
                frames.number_of(first[row["id"]]),
                text[:MAX_TEXT],
                row["gb_id"],
                row["file"],
                row["line"],
            )
        )
    return rows


def _recompiles(frames: Frames) -> list[Occurrence]:
    """Return recompiles, including those that torch refused at the limit."""
    reasons = {row["compile"]: row for row in frames.table("recompile_reasons") if row["position"] == 0}
    rows = [(row["event"], row["compile"], row["text"]) for row in frames.table("recompiles")]
    for limit in frames.table("limits"):
        failed = reasons.get(limit["compile"])
        event = limit["first_event"] if failed is None else failed["event"]
        rows.append((event, limit["compile"], limit["recompile_reason"]))
    return [
        _recompile(frames.number(compile), text, reasons.get(compile))
        for _, compile, text in sorted(rows, key=lambda row: row[0])
    ]


def _recompile(frame: int | None, text: str | None, reason: RecompileReasonsRow | None) -> Occurrence:
    if reason is None:
        return Occurrence("recompile", frame, _COMPILE_ID.sub("", text or "")[:MAX_TEXT], None, None, None)
    text = _COMPILE_ID.sub("", reason["guard"] or text or "")
    return Occurrence("recompile", frame, text[:MAX_TEXT], reason["change"], reason["file"], reason["line"])


def _guard_lists(frames: Frames) -> dict[int, list[int]]:
    """Return the guards in the last guard tree of each frame with one."""
    trees = ((frames.number_of(tree), tree) for tree in frames.table("guard_trees"))
    return {number: tree["guards"] for number, tree in trees if tree["form"] == "tree" and number is not None}


def _guard_hashes(frames: Frames) -> list[str | None]:
    """Return the hash of the guards of each frame."""
    guards = _guards(frames)
    hashes = {frame: _guard_hash([guards[id_] for id_ in ids]) for frame, ids in _guard_lists(frames).items()}
    return [hashes.get(frame) for frame in range(len(frames))]


def _guards_of(frames: Frames, frame: int) -> set[tuple[str, str]]:
    """Return the guards of a frame as (kind, source)."""
    guards = _guards(frames)
    return {guards[id_] for id_ in _guard_lists(frames).get(frame, ())}


def _guards(frames: Frames) -> list[tuple[str, str]]:
    """Return (kind, source) of each guard of the log, by its id."""
    return [
        (row["kind"], _GLOBAL_NUMBER.sub("_*", row["source"] or "")) for row in frames.log.stream("guards")
    ]


def _guard_hash(guards: list[tuple[str, str]]) -> str | None:
    return hashlib.sha256(repr(sorted(guards)).encode()).hexdigest()[:16] if guards else None


def _identity(row: Occurrence) -> tuple[str, str, str | None, str, int | None]:
    """Return a key that is equal on all ranks for the same occurrence."""
    kind, _, text, type_, file, line = row
    if kind == "failure":  # one failure may name a different size on each rank
        text = _SIZE.sub("#", text)
    return kind, _ADDRESS.sub("*", text), type_, (file or "").replace("\\", "/").rpartition("/")[2], line


def _partial(comparison: Comparison, digests: Sequence[OccurrencesDigest]) -> list[RankOccurrencesRow]:
    """Return occurrences that some members lack, and all failures.

    Graph breaks are compared over the whole log, the rest by column.
    """
    everyone = set(range(len(comparison.members)))
    by_identity: dict[tuple[Any, ...], tuple[Occurrence, int | None, list[int]]] = {}
    for members in comparison.alike(digests):
        order = comparison.orders[comparison.kind[members[0]]]
        seen = set()
        for row in map(Occurrence._make, digests[members[0]]["rows"]):
            column = None if row.frame is None else order[row.frame]
            key = (_identity(row), None if row.kind == "graph_break" else column)
            if key not in seen:
                seen.add(key)
                by_identity.setdefault(key, (row, column, []))[2].extend(members)
    broken = {column for row, column, _ in by_identity.values() if row.kind == "graph_break"}
    rows = []
    for row, column, members in by_identity.values():
        if row.kind == "restart" and column in broken:
            continue  # most graph breaks restart the compile
        expected = everyone if column is None else comparison.part(column)
        having = expected if row.kind == "graph_break" or column is None else comparison.having(column)
        others = set(having) - set(members) or expected - set(members)
        if others or row.kind == "failure":
            rows.append(_shown(comparison, row, column, sorted(members), sorted(others)))
    return rows


def _shown(
    comparison: Comparison, row: Occurrence, column: int | None, members: list[int], others: list[int]
) -> RankOccurrencesRow:
    return {
        "kind": row.kind,
        "rank_compile": column,
        "compile": None if column is None else comparison.key(members, column),
        "ranks": comparison.ranks(members),
        "others": comparison.ranks(others),
        "text": row.text,
        "type": row.type,
        "file": row.file,
        "line": row.line,
    }


def _partial_guards(comparison: Comparison, digests: Sequence[OccurrencesDigest]) -> list[RankOccurrencesRow]:
    """Return the guards that differ in a column among ranks with the same graph."""
    rows: list[RankOccurrencesRow] = []
    for column, groups in comparison.by_column(digests, lambda digest, frame: digest["guards"][frame]):
        usual = groups[0][1]
        graph = comparison.graph(usual[0], column)
        for _, members in groups[1:]:
            if len(rows) < MAX_GUARD_ROWS and comparison.graph(members[0], column) == graph:
                here, there = (
                    _guards_of(opened, cell)
                    for opened, cell in _opened(comparison, column, (members[0], usual[0]))
                )
                for guards, with_, without in (
                    (here - there, members, usual),
                    (there - here, usual, members),
                ):
                    rows += [
                        _shown(
                            comparison,
                            _guard(f"{kind}: {source}" if source else kind),
                            column,
                            with_,
                            without,
                        )
                        for kind, source in sorted(guards)
                    ]
    return rows[:MAX_GUARD_ROWS]


def _guard(text: str) -> Occurrence:
    return Occurrence("guard", None, text[:MAX_TEXT], None, None, None)


def _opened(comparison: Comparison, column: int, members: Sequence[int]) -> list[tuple[Frames, int]]:
    return [(comparison.opened(member), comparison.cells[member][column]) for member in members]


_SEVERITY: dict[Kind, SeverityName] = {
    "failure": "error",
    "graph_break": "warning",
    "restart": "warning",
    "recompile": "warning",
    "guard": "info",
}


def findings(finder: Finder) -> Iterator[RankFinding]:
    guards: set[tuple[int | None, str]] = set()
    for row in finder.table("rank_occurrences"):
        if row["kind"] == "guard":  # one finding for all guards of a column
            key = row["rank_compile"], str(row["ranks"])
            if key in guards:
                continue
            guards.add(key)
        kind, ranks, others = row["kind"], row["ranks"], row["others"]
        lacking = kind != "failure" and len(ranks_in(ranks)) > len(ranks_in(others))
        if lacking:
            ranks, others = others, ranks
        if lacking and kind in ("recompile", "restart"):
            continue  # reported as a missing compile or a different graph
        details = {
            "text": row["text"],
            "type": row["type"],
            "file": row["file"],
            "line": row["line"],
            "lacking": lacking,
        }
        yield finder.finding(
            "failed-everywhere" if kind == "failure" and not row["others"] else kind.replace("_", "-"),
            "info" if kind == "recompile" and row["type"] == "size" else _SEVERITY[kind],
            ranks,
            "rank_occurrences",
            details,
            others=others,
            column=row["rank_compile"],
        )


def _graph_break(words: Words) -> str:
    if words.details["lacking"]:
        reason = f"{_place(words)}{_quoted(words)}"
        return f"No graph break on {words.ranks}, unlike the others, in {words.theirs}{reason}"
    return f"Graph break only on {words.ranks}, in {words.mine}{_place(words)}{_quoted(words)}"


def _guard_differs(words: Words) -> str:
    guard = "Missing guard" if words.details["lacking"] else "Guard only"
    return f"{guard} on {words.ranks}, in {words.mine}{_quoted(words)}"


def _failed_everywhere(words: Words) -> str:
    ranks = all_ranks(size(words.finding.ranks))
    return f"{ranks} failed to compile {words.mine}: {_problem(words)}{_place(words)}"


def _problem(words: Words) -> str:
    """Return "`TypeError: message`" with the first meaningful line of the message."""
    message = first_line(taken_apart(words.details["text"])[0])
    kind = (words.details["type"] or "").rpartition(".")[2]
    if not kind and not message:
        return "no message recorded"
    return code(": ".join(filter(None, [kind if not message.startswith(kind) else None, message])))


def _place(words: Words) -> str:
    file, line = words.details["file"], words.details["line"]
    return f" at {code(tail(file).rpartition('/')[2] + (':' + str(line) if line else ''))}" if file else ""


def _quoted(words: Words) -> str:
    return f": {code(first_line(words.details['text']))}" if words.details["text"] else ""


TEMPLATES: Templates = {
    "failed-everywhere": _failed_everywhere,
    "failure": lambda words: (
        f"{words.ranks} failed to compile {words.mine}: {_problem(words)}{_place(words)}"
    ),
    "graph-break": _graph_break,
    "restart": lambda words: f"{words.ranks} restarted {words.mine}{_quoted(words)}",
    "recompile": lambda words: f"{words.ranks} recompiled {words.mine}{_quoted(words)}",
    "guard": _guard_differs,
}

REFERENCE: dict[str, KindReference] = {
    "failed-everywhere": KindReference(
        "Failed on all ranks",
        "The same compile failed on every rank with the same error.",
        "Fix the error: it does not depend on the rank.",
        "An error on some ranks only is reported as `failure`.",
    ),
    "failure": KindReference(
        "Failed on some ranks",
        "A compile failed on some ranks only.",
        "Look for what differs on these ranks: inputs, environment, device.",
        "The same error on all ranks is reported as `failed-everywhere`.",
    ),
    "graph-break": KindReference(
        "Graph break on some ranks",
        "A graph broke at a place on some ranks only, so these ranks compile more and smaller graphs.",
        "Remove the cause of the break, such as a `print`, or make all ranks run the same code there.",
        "A graph break on all ranks is a finding of each log.",
    ),
    "restart": KindReference(
        "Restart on some ranks",
        "Dynamo restarted a compile on some ranks only, for a reason other than a graph break in that "
        "compile.",
        "Look at the reason of the restart and at the inputs of these ranks.",
        "Restarts of compiles with a graph break that differs between ranks are not listed.",
    ),
    "recompile": KindReference(
        "Recompile on some ranks",
        "A guard failed on some ranks only, which triggered a recompile there.",
        "Make the values that the guard checks equal on all ranks, or mark the dimension dynamic.",
        "A recompile on most ranks that the others lack is not reported as this kind.",
    ),
    "guard": KindReference(
        "Different guards",
        "Ranks with the same graph have different guards in a compile. Details name the first of them.",
        "Usually nothing. If recompiles differ too, compare the values that the guard checks.",
        "Ranks with different graphs are not compared for this.",
    ),
}
