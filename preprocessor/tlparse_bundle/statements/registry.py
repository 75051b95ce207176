"""The kinds of findings. To add one, write a module and list it here, or register an entry point.

A module has ``KINDS``, the kinds it yields, and ``findings(facts)``, which yields Findings.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.plugins import Guard, Loaded, need, plugins
from tlparse_bundle.bundle.json_codec import dumps
from tlparse_bundle.bundle.schema_check import Check, compile_schema
from tlparse_bundle.bundle.schemas import schema
from tlparse_bundle.statements.attempt_list import RowList
from tlparse_bundle.statements.chains import chained
from tlparse_bundle.statements.export_table import export_calls
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.failure_groups import is_suppressed
from tlparse_bundle.statements.finding import UNLISTED, Finding, bounded
from tlparse_bundle.statements.kinds import (
    autotuning,
    caches,
    collectives,
    compile_workers,
    cudagraphs,
    data_problems,
    eager,
    exports,
    failures,
    fallbacks,
    graph_breaks,
    memory,
    native_compiles,
    recompiles,
    run_time,
    specializations,
    times,
    unfinished,
    vllm,
)
from tlparse_bundle.statements.summary import summary
from tlparse_bundle.statements.thread_settings import explain_threads

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import FindingsRow

NAME = "findings"  # of the table
ENTRY_POINTS = "tlparse_bundle.findings"
MODULES = (
    unfinished,
    failures,
    recompiles,
    graph_breaks,
    eager,
    exports,
    specializations,
    cudagraphs,
    caches,
    compile_workers,
    native_compiles,
    times,
    autotuning,
    fallbacks,
    memory,
    run_time,
    collectives,
    data_problems,
    vllm,
)


def findings_of(facts: Facts, compiles: RowList) -> tuple[dict[str, Any], list[FindingsRow], list[str]]:
    """Return the summary of a log (schema: manifest, 'summary'), its findings (schema: findings), and the
    faults of plug-ins.

    ``compiles``: rows of that table.
    """
    plugin_findings, faults = _plugin_findings(facts)
    findings = [*(finding for module in MODULES for finding in module.findings(facts)), *plugin_findings]
    for finding in findings:
        explain_threads(facts, finding)
    fatal = _fatal(facts, findings)
    if fatal is not None:
        fatal.is_fatal = True
    findings = chained(findings)
    listed = bounded(findings)
    _tell_apart(listed)
    places = {
        finding.key: number
        for number, finding in reversed(list(enumerate(listed)))
        if finding.key is not None
    }
    rows = [
        finding.row(
            number,
            facts.short.text,
            facts.key_of,
            places.get(finding.because_of) if finding.because_of is not None else None,
        )
        for number, finding in enumerate(listed)
    ]
    return summary(facts, findings, compiles), rows, faults


def _tell_apart(findings: Sequence[Finding]) -> None:
    """Number the findings of functions with one name, such as methods of several classes of a file."""
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.fingerprint(), []).append(finding)
    for group in groups.values():
        for ordinal, finding in enumerate(sorted(group, key=lambda one: one.place[2] or 0)):
            finding.ordinal = ordinal


def _fatal(facts: Facts, findings: Sequence[Finding]) -> Finding | None:
    """Return the error that ended the program or the log: nothing was compiled after it. None without one."""
    last = max(
        (finding for finding in findings if _may_end(finding)),
        key=lambda finding: _end(facts, finding),
        default=None,
    )
    return (
        last
        if last is not None and _end(facts, last) >= _last_begin(facts) and not _was_handled(facts, last)
        else None
    )


def _may_end(finding: Finding) -> bool:
    if finding.kind == "export-failure":
        return finding.details["problem"] in ("no_program", "data_dependent_error")
    return finding.kind in ("failure", "unfinished-compile") or (
        finding.kind == "recompile-limit" and finding.details["raised"]
    )


def _end(facts: Facts, finding: Finding) -> float:
    """Return the last event of a finding; infinity for a compile that is open at the end of the log."""
    if finding.kind == "unfinished-compile" and facts.compiles[finding.compiles[-1]]["metrics_event"] is None:
        return math.inf
    return max(finding.events, default=-1)


def _last_begin(facts: Facts) -> int:
    """Return the first event of the last compile or export; -1 without one."""
    frames = (facts.compiles[frame.rows[0]]["first_event"] for frame in facts.frames)
    exports = (call["event"] for call in facts.once(export_calls))
    return max((*frames, *exports), default=-1)


def _was_handled(facts: Facts, finding: Finding) -> bool:
    """Whether torch did not raise the error: the function runs eager, or its backward is compiled later."""
    if finding.kind != "failure":
        return False
    return finding.details["phase"] == "eager_backward" or (
        finding.details["phase"] == "compile" and is_suppressed(facts, finding.compiles[-1])
    )


def kinds(modules: Sequence[Any] = MODULES) -> list[str]:
    """Return the built-in kinds of findings."""
    return [*(kind for module in modules for kind in module.KINDS), UNLISTED]


def plugin_kinds() -> list[str]:
    """Return the kinds of findings of plug-ins."""
    return [kind for plugin in _plugins().plugins for kind in plugin.object.KINDS]


def _plugins() -> Loaded:
    return plugins(ENTRY_POINTS, _module)


def _module(module: Any) -> Any:
    """Return a module of a plug-in. Raises TypeError or ValueError unless it has the interface of MODULES."""
    need(module, "findings", of="the plug-in")
    if type(module.KINDS) not in (tuple, list) or not all(
        type(kind) is str and kind for kind in module.KINDS
    ):
        raise TypeError("KINDS is not a tuple of names")
    ours = sorted({*kinds()} & {*module.KINDS})
    if ours:
        raise ValueError(f"tlparse-bundle has the kind {ours[0]!r} itself")
    return module


def _plugin_findings(facts: Facts) -> tuple[list[Finding], list[str]]:
    """Return the findings of plug-ins and the faults. A plug-in with a fault contributes none."""
    loaded = _plugins()
    findings: list[Finding] = []
    faults = [*loaded.faults]
    for plugin in loaded.plugins:
        guard = Guard(plugin)
        findings += guard(_checked, plugin.object, facts) or ()
        faults += [guard.fault] if guard.fault else []
    return findings, faults


def _checked(module: Any, facts: Facts) -> list[Finding]:
    """Return the findings of a plug-in's module. Raises an exception when one is not a valid row."""
    findings: list[Finding] = []
    highest: dict[str, int] = {}
    for finding in module.findings(facts):
        if not isinstance(finding, Finding):
            raise TypeError(f"findings() gave {type(finding).__name__!r}, not Finding")
        if finding.kind not in module.KINDS:
            raise ValueError(
                f"findings() gave a Finding of the kind {finding.kind!r}, which KINDS does not have"
            )
        if type(finding.title) is not str or type(finding.text) is not str:
            raise TypeError("title or text of a Finding is not str")
        finding.compiles, finding.events, finding.spans = (
            list(finding.compiles),
            list(finding.events),
            list(finding.spans),
        )
        if not all(type(number) is int and 0 <= number < len(facts.compiles) for number in finding.compiles):
            raise ValueError(
                f"a Finding names compile {max(finding.compiles)}, and the log has {len(facts.compiles)}"
            )
        row = finding.row(0, facts.short.text, facts.key_of, None)
        _row_check()(row, highest)
        dumps(row)
        hash((finding.key, finding.because_of))
        if finding.order is not None and type(finding.order) is not int:
            raise TypeError(f"order is {type(finding.order).__name__!r}, not int")
        findings.append(finding)
    if highest.get("event", -1) >= facts.directory["event_count"]:
        raise ValueError(
            f"a Finding names event {highest['event']}, and the log has {facts.directory['event_count']}"
        )
    return findings


@cache
def _row_check() -> Check:
    return compile_schema(schema(NAME), {"events": "event"}.get, closed=True)
