"""The comparison of two sides, each of one or several bundles, as a document (schema: comparison)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tlparse_bundle import __version__
from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.reader import Bundle, Log
from tlparse_bundle.statements.ranks.frames import Frame
from tlparse_bundle.statements.runs.compare import causes, effects
from tlparse_bundle.statements.runs.compare.cache_lookups import Lookup
from tlparse_bundle.statements.runs.compare.change import (
    AnyLog,
    BundleRow,
    Change,
    ComparedLog,
    Comparison,
    CompileRow,
    FrameRow,
    LogRow,
    LoneLog,
    LookupRow,
    PartRow,
    SpanRow,
    compared,
    rows,
)
from tlparse_bundle.statements.runs.compare.changed_settings import give_reasons, setting_changes
from tlparse_bundle.statements.runs.compare.compile_pairs import Compared, Pairs, Side
from tlparse_bundle.statements.runs.compare.headline import summary
from tlparse_bundle.statements.runs.compare.memory_peaks import memory_changes
from tlparse_bundle.statements.runs.compare.moved_code import move_changes
from tlparse_bundle.statements.runs.compare.net_result import counts
from tlparse_bundle.statements.runs.compare.noise import total_noise_us
from tlparse_bundle.statements.runs.compare.run import PHASES, Run, Texts
from tlparse_bundle.statements.runs.compare.run_times import RunTimes

FORMAT = {"name": "tlparse-comparison", "major": 1, "minor": 1}
_MAX_SPANS = 200


def compare(
    base: Sequence[tuple[str, Bundle]],
    new: Sequence[tuple[str, Bundle]],
    ranks: tuple[int, int] | None = None,
) -> dict[str, Any]:
    """Compare the bundles of two sides, given as (display name, bundle).

    The first bundle represents its side; the others only add times, to measure noise. ``ranks``: compare this
    rank of base with that rank of new, instead of equal ranks. Raise BundleError if a bundle is damaged or
    has no findings (redacted), or if no log is in both.
    """
    logs: list[AnyLog] = []
    pairs = (
        paired_logs(base[0][1].logs, new[0][1].logs)
        if ranks is None
        else [(_of_rank(base[0], ranks[0]), _of_rank(new[0], ranks[1]))]
    )
    for ours, theirs in pairs:
        logs.append(
            _one_sided(ours, theirs) if ours is None or theirs is None else _log(base, new, ours, theirs)
        )
    if not compared(logs):
        raise BundleError(
            "the bundles have no log in common",
            hint="They hold logs of different ranks. --ranks A,B compares rank A of BASE with rank B of NEW.",
            code="not-found",
        )
    bundles = {"base": [_bundle(*one) for one in base], "new": [_bundle(*one) for one in new]}
    growing = [side for side, rows in bundles.items() if any(row["state"] is not None for row in rows)]
    document: Comparison = {
        "format": FORMAT,
        "made_by": f"tlparse-bundle {__version__}",
        "base": bundles["base"],
        "new": bundles["new"],
        "summary": summary(logs, growing),
        "logs": logs,
    }
    return dict(document)


def _bundle(name: str, bundle: Bundle) -> BundleRow:
    return {
        "name": name,
        "state": bundle.manifest["live"]["counter"] if bundle.manifest.get("growing") else None,
    }


def paired_logs(base: Sequence[Log], new: Sequence[Log]) -> list[tuple[Log | None, Log | None]]:
    """Return pairs of logs of equal ranks, in order. Single logs are a pair, whatever their ranks."""
    if len(base) == len(new) == 1:
        return [(base[0], new[0])]
    waiting: dict[int | None, list[Log]] = {}
    for log in base:
        waiting.setdefault(log.rank, []).append(log)
    pairs: list[tuple[Log | None, Log | None]] = []
    for log in new:
        same = waiting.get(log.rank)
        pairs.append((same.pop(0) if same else None, log))
    return [*pairs, *((log, None) for logs in waiting.values() for log in logs)]


def _of_rank(side: tuple[str, Bundle], rank: int) -> Log:
    name, bundle = side
    own = next((log for log in bundle.logs if log.rank == rank), None)
    if own is None:
        ranks = (
            ", ".join(sorted({str(log.rank) for log in bundle.logs if log.rank is not None}, key=int))
            or "none"
        )
        raise BundleError(
            f"{name} has no log of rank {rank}", hint=f"Its ranks are: {ranks}", code="not-found"
        )
    return own


def _one_sided(base: Log | None, new: Log | None) -> LoneLog:
    log = new or base
    return {
        "base": None if base is None else _side(base, base.summary),
        "new": None if new is None else _side(new, new.summary),
        "rank": None if log is None else log.rank,
        "noise": None,
        "compile_us": None,
        "unchanged_us": None,
        "counts": [],
        "phases": [],
        "spans": [],
        "compiles": [],
        "changes": [],
        "run_time": None,
    }


def _side(log: Log, summary: dict[str, Any], ends_early: str | None = None) -> LogRow:
    return {
        "id": log.id,
        "source": log.source,
        "torch_version": log.row["torch_version"],
        "text": summary["text"],
        "not_recorded": summary["not_recorded"],
        "ends_early": ends_early,
    }


def _log(
    base: Sequence[tuple[str, Bundle]], new: Sequence[tuple[str, Bundle]], ours: Log, theirs: Log
) -> ComparedLog:
    texts = Texts()
    sides = []
    for bundles, log in ((base, ours), (new, theirs)):
        others = [
            (name, other) for name, bundle in bundles[1:] for other in bundle.logs if other.rank == log.rank
        ][: len(bundles) - 1]
        sides.append(
            Side([Run(bundles[0][0], log, texts), *(Run(name, other, texts) for name, other in others)])
        )
    runs = [side.first for side in sides]
    texts.common = runs[0].payloads & runs[1].payloads
    pairs = Pairs(*sides)
    run_times = RunTimes(pairs)
    noise, unchanged_us = pairs.noise, pairs.unchanged_us
    return {
        "base": _side(ours, runs[0].summary, runs[0].ends_early),
        "new": _side(theirs, runs[1].summary, runs[1].ends_early),
        "rank": theirs.rank,
        "noise": {
            "speed": round(noise.speed, 3),
            "factor": round(noise.factor, 3),
            "least_us": noise.least_us,
            "measured": noise.measured,
            "total_us": total_noise_us(*([run.summary["compile_us"] for run in side.runs] for side in sides)),
        },
        "compile_us": {"base": runs[0].summary["compile_us"], "new": runs[1].summary["compile_us"]},
        "unchanged_us": {"base": unchanged_us[0], "new": unchanged_us[1]},
        "counts": counts(*runs),
        "phases": [
            {"phase": phase, "base_us": runs[0].phases[phase], "new_us": runs[1].phases[phase]}
            for phase in PHASES
        ],
        "spans": _spans(*runs),
        "compiles": [_compile(row) for row in pairs.rows],
        "changes": rows(_changes(pairs, run_times)),
        "run_time": run_times.row(),
    }


def _changes(pairs: Pairs, run_times: RunTimes) -> list[Change]:
    environment = [
        *causes.torch_changes(pairs),
        *setting_changes(pairs),
        *causes.backend_changes(pairs),
    ]
    of_vllm = pairs.base.first.pieces.backends and pairs.new.first.pieces.backends
    if of_vllm:
        # imported only if needed: slow
        from tlparse_bundle.statements.runs.compare.vllm_pieces import (
            link_to_pieces,
            piece_changes,
        )

        environment += piece_changes(pairs)
    environment += move_changes(pairs.moves, pairs.moved_places)
    findings = list(causes.finding_changes(pairs))
    graphs = [*causes.graph_changes(pairs, findings), *causes.training_changes(pairs)]
    compiles = list(effects.compile_changes(pairs, findings))
    roots = [*environment, *findings, *graphs]
    caches = effects.cache_changes(pairs, roots)
    code = list(effects.code_changes(pairs, roots))
    memory = memory_changes(pairs, (*roots, *code))
    changes = [*roots, *compiles, *caches, *code, *memory, *run_times.changes((*roots, *code))]
    if of_vllm:
        link_to_pieces(changes)
    changes += effects.time_changes(pairs, tuple(changes))
    give_reasons(changes)
    for change in reversed(changes):  # effects first
        if change.cost_us is None and change.key is not None:
            led = [
                number
                for other in changes
                if other.because_of == change.key and other.cost_us is not None
                for number in other.pairs
            ]
            change.cost_us = pairs.cost_us(led)
    return changes


def _compile(row: Compared) -> CompileRow:
    base, new = row.pair
    return {
        "base": None if base is None else _frame(base),
        "new": None if new is None else _frame(new),
        "function": row.pair.frame.function,
        "base_us": row.base_us,
        "new_us": row.new_us,
        "graph": row.graph,
        "code": row.code,
        "lookups": [_lookup(lookup) for lookup in row.lookups],
    }


def _lookup(lookup: Lookup) -> LookupRow:
    different: list[PartRow] | None = None
    if lookup.different is not None:
        different = [
            {
                "part": name,
                "base": None if base is None else base.value,
                "new": None if new is None else new.value,
            }
            for name, (base, new) in lookup.different.items()
        ]
    return {
        "cache": lookup.cache,
        "base": lookup.base["outcome"],
        "new": lookup.new["outcome"],
        "different": different,
    }


def _frame(frame: Frame) -> FrameRow:
    return {"compile": frame.key, "file": frame.filename, "line": frame.first_line}


def _spans(base: Run, new: Run) -> list[SpanRow]:
    """Return totals by span name, longest first."""
    names = sorted(
        {**new.spans, **base.spans},
        key=lambda name: -max(run.spans.get(name, (0, 0))[0] for run in (base, new)),
    )
    totals = (
        (name, base.spans.get(name, (0, 0)), new.spans.get(name, (0, 0))) for name in names[:_MAX_SPANS]
    )
    return [
        {"name": name, "base_us": ours[0], "new_us": theirs[0], "base_count": ours[1], "new_count": theirs[1]}
        for name, ours, theirs in totals
    ]
