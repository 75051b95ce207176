"""Changes of the pieces that vLLM compiles: compiled, loaded or reused differently, added or removed."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tlparse_bundle.base.machine_text import tail
from tlparse_bundle.base.wording import code, duration, large, plural
from tlparse_bundle.statements.facts import total
from tlparse_bundle.statements.kinds.vllm import named, piece_name
from tlparse_bundle.statements.ranks.frames import Frame
from tlparse_bundle.statements.runs.compare.change import Change, Direction
from tlparse_bundle.statements.runs.compare.changed_settings import value_words
from tlparse_bundle.statements.runs.compare.compile_pairs import Pairs
from tlparse_bundle.statements.runs.compare.run import Pieces, Run
from tlparse_bundle.statements.settings import MAX_WORD

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import VllmBackendsRow, VllmPiecesRow

# Classes of outcomes by cost.
_CLASSES = {"compiled": "compiled", "inductor_loaded": "compiled", "loaded": "loaded", "reused": "reused"}
_UNKNOWN, _ANY = "unknown", "any"
# By outcome in the new run.
_TITLES = {
    "new": "vLLM has {count} more {noun}{name}",
    "gone": "vLLM has {count} fewer {noun}{name}",
    "compiled": "vLLM compiled {one_or_count} that the base run {before}{took}",
    "loaded": "vLLM loaded {pieces} that the base run compiled{took}",
    "reused": "vLLM reused code for {pieces} that the base run compiled{took}",
    "other": "vLLM {now} {pieces} that the base run {before}",
}
_Name = tuple[str | None, int, str | None, int | None, int | None]
_HAD = {"loaded": "loaded from the cache", "reused": "reused"}
_WHICH_PIECES = (
    "model",
    "compile_sizes",
    "compile_ranges_endpoints",
)  # settings that select the model and the sizes


class _Piece(NamedTuple):
    base: VllmPiecesRow | None
    new: VllmPiecesRow | None

    @property
    def rows(self) -> tuple[VllmPiecesRow, VllmPiecesRow] | None:
        """The piece in each run; None if one run lacks it."""
        return None if self.base is None or self.new is None else (self.base, self.new)

    @property
    def named(self) -> VllmPiecesRow:
        """The piece in the new run, unless only the base run has its name."""
        if self.new is not None and (self.new["submodule"] is not None or self.base is None):
            return self.new
        assert self.base is not None  # a piece is in one of the runs
        return self.base


def piece_changes(pairs: Pairs) -> Iterator[Change]:
    """Yield changes of settings, mode and pieces if both logs are of vLLM."""
    sides = [side.first.pieces for side in (pairs.base, pairs.new)]
    if not all(side.backends for side in sides):
        return
    settings = list(_setting_changes(*(side.backends for side in sides)))
    yield from settings
    because_of = next(
        (change.key for name in _WHICH_PIECES for change in settings if change.details["name"] == name), None
    )
    groups: dict[tuple[str | None, str | None], list[_Piece]] = {}
    for piece in _matched(*sides):
        before, now = (row and _CLASSES.get(row["outcome"] or "", _UNKNOWN) for row in piece)
        if before != now and _UNKNOWN not in (before, now):  # failures are findings
            both = piece.rows is not None
            groups.setdefault((before, now) if both else (before and _ANY, now and _ANY), []).append(piece)
    ahead = any(backend["is_loaded"] for side in sides for backend in side.backends)
    modes = [_is_ahead(side.first) for side in (pairs.base, pairs.new)]
    if modes[0] != modes[1]:
        yield _mode_change(pairs, modes[1])
    for (before, now), members in groups.items():
        if None in (before, now) and ahead:
            # Loading code that was compiled ahead of time logs no pieces, so nothing is known to be missing.
            continue
        yield _change(pairs, before, now, members, because_of if None in (before, now) else None, ahead)


def _is_ahead(run: Run) -> bool:
    """Return whether vLLM compiles ahead of time: then its records have no compile id."""
    return any(backend["is_loaded"] or backend["compile"] is None for backend in run.pieces.backends)


def _mode_change(pairs: Pairs, ahead: bool) -> Change:
    base_us, new_us = (
        total(backend["capture_time_us"] or backend["duration_us"] for backend in side.first.pieces.backends)
        for side in (pairs.base, pairs.new)
    )
    cost_us = None if base_us is None or new_us is None else new_us - base_us
    now, before = ("ahead of time", "at the first call of the model")[:: 1 if ahead else -1]
    return Change(
        "vllm",
        "info",
        f"vLLM compiles {now}, was {before}{_took(base_us, new_us)}",
        change="changed",
        pairs=[number for number in _compiles_of_backends(pairs) if not pairs.rows[number].both],
        cost_us=cost_us,
        details={"base": before, "new": now, "pieces": []},
        key=("vllm", "mode"),
    )


def _took(base_us: int | None, new_us: int | None) -> str:
    return "" if base_us is None or new_us is None else f": {duration(new_us)}, was {duration(base_us)}"


def _compiles_of_backends(pairs: Pairs) -> list[int]:
    """Return the numbers of the pairs with a backend."""
    return sorted(
        {
            numbers[frame.key]
            for side, numbers in ((pairs.base, pairs.of_base), (pairs.new, pairs.of_new))
            for frame in _frames(side.first, side.first.pieces.backends)
        }
    )


def link_to_pieces(changes: Sequence[Change]) -> None:
    """Set changes of pieces as causes of findings and cache changes about the same pieces."""
    for change in changes:
        if change.because_of is None and (
            change.kind == "cache"
            or (change.kind == "finding" and change.details["kind"].startswith("vllm-"))
        ):
            good = change.change in ("gone", "better")
            cause = next(
                (
                    one
                    for one in changes
                    if one.kind == "vllm"
                    and (one.change in ("gone", "better")) == good
                    and (not one.pairs or not change.pairs or not set(one.pairs).isdisjoint(change.pairs))
                ),
                None,
            )
            change.because_of = cause and cause.key


def _change(
    pairs: Pairs,
    before: str | None,
    now: str | None,
    pieces: Sequence[_Piece],
    because_of: Hashable,
    ahead: bool,
) -> Change:
    rows = [piece.named for piece in pieces]
    sides = [[piece.base for piece in pieces if piece.base], [piece.new for piece in pieces if piece.new]]
    base_us, new_us = (total(row["duration_us"] for row in side) for side in sides)
    if ahead:  # pieces load in parallel, so their times cannot be added
        base_us, new_us = (
            total(backend["duration_us"] for backend in side.first.pieces.backends)
            for side in (pairs.base, pairs.new)
        )
    direction: Direction
    if before is None:
        direction, cost_us = "new", new_us
        title = _TITLES["new"]
    elif now is None:
        direction, cost_us = "gone", None if base_us is None else -base_us
        title = _TITLES["gone"]
    else:
        direction = "worse" if now == "compiled" else "better" if before == "compiled" else "changed"
        cost_us = None if base_us is None or new_us is None else new_us - base_us
        title = _TITLES[now if "compiled" in (before, now) else "other"]
    took = _took(base_us, new_us)
    return Change(
        "vllm",
        "warning" if direction == "worse" else "info",
        title.format(
            pieces=plural(len(pieces), "piece"),
            count=f"{len(pieces):,}",
            noun="piece" if len(pieces) == 1 else "pieces",
            name=f": {named(rows)}" if len(rows) == 1 else "",
            one_or_count=named(rows) if len(rows) == 1 else f"{len(rows):,} pieces",
            now=_HAD.get(now or ""),
            before=_HAD.get(before or ""),
            took=took and took + (" for all pieces" if ahead else ""),
        ),
        text=" ".join(
            filter(
                None,
                [
                    f"{large(named(rows))}." if len(rows) > 1 else "",
                    _why(before, pieces) if direction == "worse" else "",
                ],
            )
        ),
        change=direction,
        pairs=sorted(set(_pair_numbers(pairs, pieces))),
        cost_us=cost_us,
        count=len(pieces),
        details={"base": before, "new": now, "pieces": [piece_name(row) for row in rows[:50]]},
        key=("vllm", before, now),
        because_of=because_of,
    )


def _why(before: str | None, pieces: Sequence[_Piece]) -> str:
    """Return why pieces are compiled now; empty if unknown."""
    other = [
        new
        for base, new in filter(None, (piece.rows for piece in pieces))
        if None not in (base["graph_hash"], new["graph_hash"]) and base["graph_hash"] != new["graph_hash"]
    ]
    if other:
        return f"The graph of {named(other)} is different."
    if before == "reused":
        return (
            "The base run reused the code of an equal piece. A start that reuses code may not save it under"
            " the name of this piece."
        )
    return ""


def _matched(base: Pieces, new: Pieces) -> Iterator[_Piece]:
    """Yield the pieces of both runs once, matched by backend, submodule and sizes, or by code if unnamed."""
    waiting: dict[_Name, list[VllmPiecesRow]] = {}
    for row in base.pieces:
        waiting.setdefault(_name(base, row), []).append(row)
    by_code = {row["code_hash"]: row for row in base.pieces if row["code_hash"] is not None}
    taken = set()
    for row in new.pieces:
        same = waiting.get(_name(new, row)) if row["submodule"] is not None else None
        of_code = by_code.get(row["code_hash"] or "")
        nameless = row["submodule"] is None or (of_code is not None and of_code["submodule"] is None)
        old = same.pop(0) if same else of_code if nameless else None
        if old is not None and id(old) not in taken:
            taken.add(id(old))
            yield _Piece(old, row)
        else:
            yield _Piece(None, row)
    yield from (_Piece(row, None) for row in base.pieces if id(row) not in taken)


def _name(side: Pieces, row: VllmPiecesRow) -> _Name:
    prefix = side.backends[row["backend"]]["prefix"]
    alike = [number for number, backend in enumerate(side.backends) if backend["prefix"] == prefix]
    number = alike.index(row["backend"])
    return prefix, number, row["submodule"], row["range_start"], row["range_end"]


def _pair_numbers(pairs: Pairs, pieces: Sequence[_Piece]) -> Iterator[int]:
    base = [piece.base for piece in pieces if piece.base]
    new = [piece.new for piece in pieces if piece.new]
    yield from (pairs.of_base[frame.key] for frame in _frames(pairs.base.first, base))
    yield from (pairs.of_new[frame.key] for frame in _frames(pairs.new.first, new))


def _frames(run: Run, rows: Sequence[VllmPiecesRow] | Sequence[VllmBackendsRow]) -> list[Frame]:
    return run.frames_of({row["compile"] for row in rows if row["compile"] is not None})


def _setting_changes(base: Sequence[VllmBackendsRow], new: Sequence[VllmBackendsRow]) -> Iterator[Change]:
    """Yield changed settings of backends with the same prefix, each once."""
    listed: set[str] = set()
    others = {backend["prefix"]: backend["config"] for backend in reversed(base)}
    for backend in new:
        config, before = backend["config"], others.get(backend["prefix"], {})
        for name in sorted(config.keys() & before.keys() - {"prefix"} - listed):
            old, now = (
                tail(str(value)) if name == "model" else str(value) for value in (before[name], config[name])
            )
            if old != now:
                listed.add(name)
                yield Change(
                    "setting",
                    "info",
                    f"vLLM's {value_words(name, old, now)}",
                    text=f"It is {code(now)}, was {code(old)}." if max(len(now), len(old)) > MAX_WORD else "",
                    change="changed",
                    details={"config": "vllm", "name": name, "base": old, "new": now},
                    key=("setting", "vllm", name),
                )
