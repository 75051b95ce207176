"""What changed in the pieces that vLLM compiles: compiled before and loaded now, or the other way round, more
of them or less.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tlparse_bundle.base.machine_text import tail
from tlparse_bundle.base.wording import code, duration, plural
from tlparse_bundle.statements.facts import total
from tlparse_bundle.statements.kinds.vllm import named, piece_name
from tlparse_bundle.statements.ranks.frames import Frame
from tlparse_bundle.statements.runs.compare.change import Change
from tlparse_bundle.statements.runs.compare.compile_pairs import Pairs
from tlparse_bundle.statements.runs.compare.run import Run

# What a piece cost: code was made for it, or it was had for little.
_CLASSES = {"compiled": "compiled", "inductor_loaded": "compiled", "loaded": "loaded", "reused": "reused"}
_UNKNOWN, _ANY = "unknown", "any"
_HAD = {"loaded": "loaded from the cache", "reused": "reused from another piece"}
_WHICH_PIECES = (
    "model",
    "compile_sizes",
    "compile_ranges_endpoints",
)  # settings that say what vLLM compiles, and for which sizes


class _Piece(NamedTuple):
    base: dict | None
    new: dict | None


def piece_changes(pairs: Pairs) -> Iterator[Change]:
    """Nothing where one of the logs is not of vLLM."""
    sides = [side.first.pieces for side in (pairs.base, pairs.new)]
    if not all(side["backends"] for side in sides):
        return
    settings = list(_setting_changes(*(side["backends"] for side in sides)))
    yield from settings
    because_of = next(
        (change.key for name in _WHICH_PIECES for change in settings if change.details["name"] == name), None
    )
    groups: dict[tuple[str | None, str | None], list[_Piece]] = {}
    for piece in _matched(*sides):
        kinds = tuple(row and _CLASSES.get(row["outcome"], _UNKNOWN) for row in piece)
        if kinds[0] != kinds[1] and _UNKNOWN not in kinds:  # that it failed, a finding tells
            groups.setdefault(
                kinds if None not in kinds else tuple(kind and _ANY for kind in kinds), []
            ).append(piece)
    ahead = any(backend["is_loaded"] for side in sides for backend in side["backends"])
    modes = [_is_ahead(side.first) for side in (pairs.base, pairs.new)]
    if modes[0] != modes[1]:
        yield _mode_change(pairs, modes[1])
    for (before, now), found in groups.items():
        if None in (before, now) and ahead:
            # a start that loads code compiled ahead of time names no pieces: what has no counterpart may be
            # there
            continue
        yield _change(pairs, before, now, found, because_of if None in (before, now) else None, ahead)


def _is_ahead(run: Run) -> bool:
    """Whether vLLM compiles ahead of time: its records have no compile id then."""
    return any(backend["is_loaded"] or backend["compile"] is None for backend in run.pieces["backends"])


def _mode_change(pairs: Pairs, ahead: bool) -> Change:
    sides = [side.first for side in (pairs.base, pairs.new)]
    times = [
        total(backend["capture_time_us"] or backend["duration_us"] for backend in side.pieces["backends"])
        for side in sides
    ]
    both = None not in times
    took = f": {duration(times[1])}, was {duration(times[0])}" if both else ""
    now, before = ("ahead of time", "at the first call of the model")[:: 1 if ahead else -1]
    own = [number for number in _compiles_of(pairs, sides) if not pairs.rows[number].both]
    return Change(
        "vllm",
        "info",
        f"vLLM compiles {now}, and did {before} in the base run{took}",
        change="changed",
        pairs=own,
        cost_us=times[1] - times[0] if both else None,
        details={"base": before, "new": now, "pieces": []},
        key=("vllm", "mode"),
    )


def _compiles_of(pairs: Pairs, sides: Sequence[Run]) -> list[int]:
    """Pairs that a backend belongs to."""
    return sorted(
        {
            known[frame.key]
            for side, known in zip(sides, (pairs.of_base, pairs.of_new))
            for frame in _frames(side, side.pieces["backends"])
        }
    )


def led_by_pieces(changes: Sequence[Change]) -> None:
    """Names those of pieces as the reason of what findings and caches tell of the same pieces."""
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
    pairs: Pairs, before: str | None, now: str | None, found: Sequence[_Piece], because_of, ahead: bool
) -> Change:
    rows = [
        piece.new if piece.new and piece.new["submodule"] is not None else piece.base or piece.new
        for piece in found
    ]
    names = named(rows)
    times = [
        total(row["duration_us"] for row in side if row)
        for side in ([piece.base for piece in found], [piece.new for piece in found])
    ]
    if ahead:  # many are loaded at a time: their times are no sum
        times = [
            total(backend["duration_us"] for backend in side.first.pieces["backends"])
            for side in (pairs.base, pairs.new)
        ]
    cost = None if None in times else times[1] - times[0]
    took = (
        ""
        if cost is None or before is None or now is None
        else f": {duration(times[1])}, was {duration(times[0])}" + (" for all pieces" if ahead else "")
    )
    what = plural(len(found), "piece")
    if before is None or now is None:
        verb, whole = ("more", times[1]) if before is None else ("less", times[0])
        title = f"vLLM has {what} {verb}: {names}"
        cost = None if whole is None else whole if before is None else -whole
    elif now == "compiled":
        title = f"vLLM compiled {names}, {_HAD[before]} before{took}"
    elif before == "compiled":
        title = (
            f"vLLM {'loaded' if now == 'loaded' else 'reused code for'} {what} that"
            f" {'was' if len(found) == 1 else 'were'} compiled before{took}"
        )
    else:
        title = (
            f"{what[0].upper()}{what[1:]} {'is' if len(found) == 1 else 'are'} {_HAD[now]},"
            f" {'was' if len(found) == 1 else 'were'} {_HAD[before]}"
        )
    worse = now == "compiled" or before is None
    return Change(
        "vllm",
        "warning" if now == "compiled" and before is not None else "info",
        title,
        text=_why(before, now, found) if None not in (before, now) else "",
        change=(
            "new"
            if before is None
            else "gone"
            if now is None
            else "worse"
            if worse
            else "better"
            if before == "compiled"
            else "changed"
        ),
        pairs=sorted(set(_pair_numbers(pairs, found))),
        cost_us=cost,
        count=len(found),
        details={"base": before, "new": now, "pieces": [piece_name(row) for row in rows[:50]]},
        key=("vllm", before, now),
        because_of=because_of,
    )


def _why(before: str, now: str, found: Sequence[_Piece]) -> str:
    """What the log tells of the reason."""
    if now != "compiled":
        return ""
    other = [
        piece
        for piece in found
        if None not in (hashes := [row["graph_hash"] for row in piece]) and hashes[0] != hashes[1]
    ]
    lines = [f"The graph of {named([piece.new for piece in other])} is another one."] if other else []
    if before == "reused" and not other:
        lines.append(
            "The base run had the code of an equal piece for it, and a start that reuses code may save none"
            " under the name of the piece."
        )
    return "\n\n".join(lines)


def _matched(base: dict, new: dict) -> Iterator[_Piece]:
    """Pieces of both runs, each once: by backend, submodule and sizes; those without names by their code."""
    waiting: dict[tuple, list[dict]] = {}
    for row in base["pieces"]:
        waiting.setdefault(_name(base, row), []).append(row)
    by_code = {row["code_hash"]: row for row in base["pieces"] if row["code_hash"] is not None}
    taken = set()
    for row in new["pieces"]:
        same = waiting.get(_name(new, row)) if row["submodule"] is not None else None
        old = (
            same.pop(0)
            if same
            else (
                by_code.get(row["code_hash"])
                if row["submodule"] is None or _unnamed(by_code.get(row["code_hash"]))
                else None
            )
        )
        if old is not None and id(old) not in taken:
            taken.add(id(old))
            yield _Piece(old, row)
        else:
            yield _Piece(None, row)
    yield from (_Piece(row, None) for row in base["pieces"] if id(row) not in taken)


def _unnamed(row: dict | None) -> bool:
    return row is not None and row["submodule"] is None


def _name(side: dict, row: dict) -> tuple:
    alike = [
        number
        for number, backend in enumerate(side["backends"])
        if backend["prefix"] == side["backends"][row["backend"]]["prefix"]
    ]
    return (
        side["backends"][row["backend"]]["prefix"],
        alike.index(row["backend"]),
        row["submodule"],
        row["range_start"],
        row["range_end"],
    )


def _pair_numbers(pairs: Pairs, found: Sequence[_Piece]) -> Iterator[int]:
    for side, known, rows in (
        (pairs.base.first, pairs.of_base, [piece.base for piece in found]),
        (pairs.new.first, pairs.of_new, [piece.new for piece in found]),
    ):
        yield from (known[frame.key] for frame in _frames(side, rows))


def _frames(run: Run, rows: Sequence[dict | None]) -> list[Frame]:
    return run.frames_of({row["compile"] for row in rows if row})


def _setting_changes(base: Sequence[dict], new: Sequence[dict]) -> Iterator[Change]:
    """Of backends with the same prefix, each setting once."""
    told = set()
    others = {backend["prefix"]: backend["config"] for backend in reversed(base)}
    for backend in new:
        config, before = backend["config"], others.get(backend["prefix"], {})
        for name in sorted(config.keys() & before.keys() - {"prefix"} - told):
            values = [
                tail(str(value)) if name == "model" else str(value) for value in (before[name], config[name])
            ]
            if values[0] != values[1]:
                told.add(name)
                details = {"config": "vllm", "name": name, "base": values[0], "new": values[1]}
                yield Change(
                    "setting",
                    "info",
                    f"vLLM's {code(name)} is {code(values[1])}, was {code(values[0])}",
                    change="changed",
                    details=details,
                    key=("setting", "vllm", name),
                )
