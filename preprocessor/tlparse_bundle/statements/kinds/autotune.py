"""Time spent on trying out kernels."""

from __future__ import annotations

from collections.abc import Iterator

from tlparse_bundle.base.wording import duration, plural
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.finding import Finding, Remedy

KINDS = ("autotune",)
_FIELDS = {
    "compile_time_autotune_time_us": "while compiling",
    "runtime_triton_autotune_time_us": "at the first calls",
}
_LEAST_US = 100_000


def findings(facts: Facts) -> Iterator[Finding]:
    """From the metrics (torch/_dynamo/utils.py: CompilationMetrics)."""
    times: dict[str, list[tuple]] = {name: [] for name in _FIELDS}  # each with its compile and event
    for row in facts.metrics_with(*_FIELDS):
        for name, rows in times.items():
            time_us = row["values"].get(name)
            if type(time_us) in (int, float) and time_us > 0:
                rows.append((time_us, facts.number_of(row), row["event"]))
    for name, when in _FIELDS.items():
        rows = times[name]
        us = round(sum(time_us for time_us, _, _ in rows))
        if us >= _LEAST_US:
            yield Finding(
                "autotune",
                "info",
                f"{duration(us)} went into trying out kernels {when}, in {plural(len(rows), 'compile')}",
                (name,),
                "Inductor measures several kernels for one operation and keeps the fastest.",
                compiles=[compile_index for _, compile_index, _ in rows],
                events=[event_index for _, _, event_index in rows],
                count=len(rows),
                cost_us=us,
                cost_of="time of the measurements, as torch adds it up",
                remedies=[
                    Remedy(
                        "Keep the compile cache between runs (`TORCHINDUCTOR_CACHE_DIR`): it holds what was"
                        " found to be fastest."
                    )
                ],
                details={"when": "compile" if name.startswith("compile") else "run", "field": name},
            )
