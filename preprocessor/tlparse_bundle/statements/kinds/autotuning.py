"""Time that autotuning took, operators for which it changed nothing, and candidates that failed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.wording import code, duration, first_line, listed, plural
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.finding import Finding, KindReference, Remedy

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import AutotuneChoicesRow, AutotuningsRow

KINDS = ("autotune",)
REFERENCE = {
    "autotune": KindReference(
        title="Autotuning",
        meaning="Inductor spent at least 0.1 s on benchmarking kernels to pick the fastest. The text names "
        "operators for which a library call won, so that the benchmark changed nothing, and candidates that "
        "failed.",
        fix="Keep the compile cache between runs. It stores the fastest kernels. Where library calls always "
        "win, leave the other candidates out.",
        not_when="If the program runs much longer than it compiles, autotuning pays off.",
    ),
}
_LEAST_US = 100_000
_FIELDS = {  # of the metrics (torch/_dynamo/utils.py: CompilationMetrics)
    "compile_time_autotune_time_us": "Autotuning",
    "runtime_triton_autotune_time_us": "Autotuning during the first calls",
}
_AT_COMPILE_TIME = "compile_time_autotune_time_us"
_GEMM = re.compile("mm|linear")  # the operators of max_autotune_gemm_backends
_MOST_OPERATORS = 3
_MOST_DETAILS = 100


def findings(facts: Facts) -> Iterator[Finding]:
    times: dict[str, list[tuple[float, int, int]]] = {
        name: [] for name in _FIELDS
    }  # each with its compile and event
    for row in facts.metrics_with(*_FIELDS):
        for name, rows in times.items():
            time_us = row["values"].get(name)
            if isinstance(time_us, int | float) and type(time_us) is not bool and time_us > 0:
                rows.append((time_us, facts.number_of(row), row["event"]))
    for name, rows in times.items():
        tunings = list(facts.table("autotunings")) if name == _AT_COMPILE_TIME else []
        us = round(sum(time_us for time_us, _, _ in rows)) or sum(map(_us, tunings))
        if us >= _LEAST_US:
            yield _finding(facts, name, us, rows, tunings)


def _finding(
    facts: Facts,
    name: str,
    us: int,
    rows: Sequence[tuple[float, int, int]],
    tunings: Sequence[AutotuningsRow],
) -> Finding:
    compiles = [compile_index for _, compile_index, _ in rows] or [facts.number_of(row) for row in tunings]
    kept = [row for row in tunings if row["best_kind"] == "extern" and (row["choice_count"] or 0) > 1]
    texts = [
        "Inductor benchmarks several kernels for an operation and keeps the fastest.",
        _won_by_library(tunings, kept),
        _failures(facts, tunings),
    ]
    remedies = [
        Remedy(
            "Keep the compile cache between runs (`TORCHINDUCTOR_CACHE_DIR`). It stores the fastest kernels."
        )
    ]
    if kept and len(kept) == len(tunings) and all(_GEMM.search(row["operator"]) for row in kept):
        remedies.append(
            Remedy(
                "A library call won everywhere. Leave the other candidates out.",
                'torch._inductor.config.max_autotune_gemm_backends = "ATEN"',
            )
        )
    return Finding(
        "autotune",
        "info",
        f"{_FIELDS[name]} took {duration(us)} in {plural(len(set(compiles)), 'compile')}",
        (name,),
        "\n\n".join(filter(None, texts)),
        compiles=compiles,
        events=[event for _, _, event in rows] or [_event(row) for row in tunings],
        count=len(rows) or len(tunings),
        cost_us=us,
        cost_of="autotuning",
        remedies=remedies,
        details={
            "when": "compile" if name == _AT_COMPILE_TIME else "run",
            "field": name,
            "operators": _operators(tunings),
        },
    )


def _us(row: AutotuningsRow) -> int:
    return (row["duration_us"] or 0) + (row["precompile_us"] or 0)


def _event(row: AutotuningsRow) -> int:
    event = row["precompile_event"] if row["end_event"] is None else row["end_event"]
    assert event is not None  # a row has one of them
    return event


def _won_by_library(tunings: Sequence[AutotuningsRow], kept: Sequence[AutotuningsRow]) -> str | None:
    """Return where the candidates of Inductor were in vain, with the time they took."""
    if not kept:
        return None
    known = sum(row["best"] is not None for row in tunings)
    which = "the only benchmark" if known == 1 else f"{len(kept):,} of {known:,} benchmarks"
    names = listed([_operator(row) for row in _distinct(kept)], _MOST_OPERATORS)
    return (
        f"In {which} ({duration(sum(map(_us, kept)))}) a library call won, which also runs without"
        f" autotuning: {names}."
    )


def _distinct(tunings: Sequence[AutotuningsRow]) -> list[AutotuningsRow]:
    """Return one row for each operator and shapes, the longest first."""
    rows: dict[tuple[str, str | None], AutotuningsRow] = {}
    for row in sorted(tunings, key=_us, reverse=True):
        rows.setdefault((row["operator"], row["shapes"]), row)
    return list(rows.values())


def _operator(row: AutotuningsRow) -> str:
    shapes = f"({row['shapes']})" if row["shapes"] else ""
    return code(f"{row['operator']}{shapes}")


def _failures(facts: Facts, tunings: Sequence[AutotuningsRow]) -> str | None:
    if not any(row["failed_count"] for row in tunings):
        return None
    failed = [row for row in facts.table("autotune_choices") if row["position"] is None]
    errors = Counter(map(_error, failed)).most_common()
    return (
        f"{plural(len(failed), 'candidate')} did not compile: "
        + listed([f"{error} ({count:,})" for error, count in errors])
        + "."
    )


def _error(failed: AutotuneChoicesRow) -> str:
    error = failed["error"] or ""
    if "out of resource" in error:  # OutOfResources of Triton; torch's OutOfMemoryError is of shared memory
        named = (name for name in ("tensor memory", "threads") if name in error)
        return f"not enough {next(named, 'shared memory')} on the GPU"
    return code(failed["error_type"] or first_line(failed["error"], 80) or "unknown error")


def _operators(tunings: Sequence[AutotuningsRow]) -> list[dict[str, Any]]:
    groups: dict[str, list[AutotuningsRow]] = {}
    for row in tunings:
        groups.setdefault(row["operator"], []).append(row)
    return [
        {
            "operator": operator,
            "count": len(rows),
            "us": sum(map(_us, rows)),
            "library_count": sum(row["best_kind"] == "extern" for row in rows),
            "failed_count": sum(row["failed_count"] for row in rows),
        }
        for operator, rows in sorted(groups.items(), key=lambda item: -sum(map(_us, item[1])))
    ][:_MOST_DETAILS]
