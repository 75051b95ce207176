"""Jobs of compile workers that take long or do not end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tlparse_bundle.base.wording import code, duration, function_name, plural
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.finding import Finding, KindReference, Remedy

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import WorkerReportsRow

KINDS = ("slow-worker",)
REFERENCE = {
    "slow-worker": KindReference(
        title="Slow compile worker",
        meaning="A compile worker of Inductor worked on one job for longer than the interval of torch's "
        "watchdog. The title has the last reported phase of the longest job.",
        fix="`queued`: use more workers, or fewer processes on the machine. `compiling`: the compiler is "
        "slow or stuck with this kernel. `querying_cache`: the cache is slow.",
        not_when="Large kernels can take minutes to compile. A later run with the same cache is spared it.",
    ),
}
# What a worker does in a phase (torch/_inductor/compile_worker/watchdog.py), and what helps.
_PHASES: dict[str | None, tuple[str, list[Remedy]]] = {
    "queued": (
        "waiting for a free worker",
        [
            Remedy(
                "Compile in more processes if the machine has the cores.", "TORCHINDUCTOR_COMPILE_THREADS=32"
            )
        ],
    ),
    "running": ("running", []),
    "querying_cache": ("querying the compile cache", []),
    "compiling": (
        "compiling a kernel",
        [Remedy("Keep the compile cache between runs (`TORCHINDUCTOR_CACHE_DIR`).")],
    ),
    None: ("in an unknown phase", []),
}


def findings(facts: Facts) -> Iterator[Finding]:
    groups: dict[str | None, list[list[WorkerReportsRow]]] = {}  # reports by job, by compile
    for reports in _jobs(facts):
        groups.setdefault(reports[0]["compile"], []).append(reports)
    for jobs in groups.values():
        yield _finding(facts, jobs)


def _jobs(facts: Facts) -> list[list[WorkerReportsRow]]:
    """Return the reports of each job. A pool numbers its jobs from 0, so a new pool repeats numbers."""
    jobs: list[list[WorkerReportsRow]] = []
    newest: dict[tuple[str | None, int | None], list[WorkerReportsRow]] = {}
    for row in facts.table("worker_reports"):
        key = row["compile"], row["job"]
        reports = newest.get(key)
        if reports is None or (row["elapsed_us"] or 0) < (reports[-1]["elapsed_us"] or 0):
            reports = newest[key] = []
            jobs.append(reports)
        reports.append(row)
    return jobs


def _finding(facts: Facts, jobs: list[list[WorkerReportsRow]]) -> Finding:
    last = max((reports[-1] for reports in jobs), key=lambda row: row["elapsed_us"] or 0)
    number = facts.number_of(last)
    compile = facts.compiles[number]
    is_open = compile["frame_id"] is not None and compile["status"] == "unfinished"
    of = "" if last["compile"] is None else f" of {function_name(compile['function'])}"
    doing, remedies = _PHASES.get(last["phase"]) or (code(last["phase"] or ""), [])
    waits = (
        f"{plural(len(jobs), 'compile worker job')}{of} {'has' if len(jobs) == 1 else 'have'} not ended"
        if is_open
        else f"{plural(len(jobs), 'compile worker job')}{of} took at least {duration(last['elapsed_us'])}"
    )
    since = f" for {duration(last['phase_elapsed_us'])}" if last["phase_elapsed_us"] is not None else ""
    after = f" after {duration(last['elapsed_us'])}" if is_open else ""
    pid = last["worker_pid"]
    where = f" in process {pid}" if pid is not None else ""
    if is_open and pid is not None:
        remedies = [
            Remedy("If the process still runs, look at what it does.", f"ps -o pid,etime,cmd --ppid {pid}"),
            *remedies,
        ]
    return Finding(
        "slow-worker",
        "warning" if is_open else "info",
        f"{waits}{after}: {doing}{since}" if is_open else f"{waits}, last seen {doing}",
        (is_open, last["phase"]),
        f"Job {last['job']}{where}, at its last report: {doing}{since}, {duration(last['elapsed_us'])} after"
        " it was submitted. torch reports a job while it runs, and does not record its end.",
        facts.place_of(number),
        [facts.number_of(reports[-1]) for reports in jobs],
        [row["event"] for reports in jobs for row in reports],
        count=len(jobs),
        order=last["elapsed_us"],
        remedies=remedies,
        key=("slow-worker", last["compile"]) if is_open else None,  # see unfinished.py
        details={
            "ended": not is_open,
            "job": last["job"],
            "phase": last["phase"],
            "elapsed_us": last["elapsed_us"],
            "phase_elapsed_us": last["phase_elapsed_us"],
            "worker_pid": pid,
        },
    )
