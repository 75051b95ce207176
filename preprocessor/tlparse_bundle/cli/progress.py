"""Progress and summary of a build, on stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any

import click

from tlparse_bundle.base.plugins import PLUGIN_FAILED
from tlparse_bundle.base.wording import plural, size
from tlparse_bundle.cli.output import say, shown
from tlparse_bundle.pipeline.build import BuildResult
from tlparse_bundle.pipeline.log_writer import FIRST_FINDINGS
from tlparse_bundle.render.info import headlines
from tlparse_bundle.statements.finding import ERROR, stage
from tlparse_bundle.statements.statement import severity_of

_MAX_FAULTS = 10  # printed errors of plug-ins
_PROFILES = "profile-"  # begins the codes of diagnostics about profiler traces


class Bar:
    """A progress bar on a terminal, one line elsewhere, nothing if hidden."""

    def __init__(self, size_bytes: int, log_count: int, *, hidden: bool):
        self._label = f"{plural(log_count, 'log')}, {size(size_bytes)}"
        self._hidden = hidden
        terminal = sys.stderr.isatty()
        self._bar = click.progressbar(
            length=max(1, size_bytes),
            label=self._label,
            file=sys.stderr,
            hidden=hidden or not terminal,
            width=30,
        )
        self._plain = not hidden and not terminal

    def __enter__(self) -> Bar:
        if self._plain:
            say(f"Reading {self._label}", err=True)
        self._bar.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._bar.__exit__(kind, error, traceback)

    def advance(self, size_bytes: int) -> None:
        self._bar.update(size_bytes)


def print_summary(result: BuildResult) -> None:
    """Print the headlines of the logs, the first findings, sizes and warnings."""
    logs = result.manifest["logs"]
    raw_bytes = sum(log["source"]["size_bytes"] for log in logs)
    events = sum(log["event_count"] for log in logs)
    lines = [
        *_headlines(result),
        (
            f"{shown(result.path)}: {plural(events, 'event')} from {plural(len(logs), 'log')};"
            f" {size(raw_bytes)} → {size(result.stored_bytes)} in {plural(result.file_count, 'file')}"
        ),
    ]
    totals: dict[str, int] = {}
    for log in logs:
        for code, count in log["diagnostics"].items():
            totals[code] = totals.get(code, 0) + count
    about = result.manifest["diagnostic_codes"]
    for code, messages in result.manifest.get("diagnostics", {}).items():
        if code.startswith(_PROFILES):
            lines += [f"warning: {shown(message)}" for message in messages[:_MAX_FAULTS]]
    lines += [f"warning: {shown(fault)}" for fault in result.plugin_faults[:_MAX_FAULTS]]
    if len(result.plugin_faults) > _MAX_FAULTS:
        lines.append(f"warning: {plural(len(result.plugin_faults) - _MAX_FAULTS, 'more plug-in error')}")
    for code in sorted(
        code for code in totals if about[code]["severity"] == "warning" and code != PLUGIN_FAILED
    ):
        lines.append(f"warning: {totals[code]:,} × {code}: {about[code]['meaning']}")
    say("\n".join(lines), err=True)


def _headlines(result: BuildResult) -> Iterator[str]:
    """Yield the headline of all ranks, those of the logs, and the first distinct findings."""
    job = result.manifest.get("job")
    if job is not None:
        yield shown(job["text"])
        for row in result.job_findings[:FIRST_FINDINGS]:
            if row["because_of"] is None and row["title"] not in job["text"]:
                yield f"  {severity_of(row).sign} {shown(row['title'])}"
    yield from headlines(result.manifest["logs"])
    logs_with: dict[str, list[Mapping[str, Any]]] = {}
    first: dict[str, int] = {}  # the best position of each in any log
    for findings in result.findings.values():
        for position, finding in enumerate(findings):
            logs_with.setdefault(finding["fingerprint"], []).append(finding)
            first[finding["fingerprint"]] = min(position, first.get(finding["fingerprint"], position))
    groups = list(logs_with.values())
    if len(result.findings) > 1:  # those of one log are in order
        groups.sort(key=lambda group: _order(group, first[group[0]["fingerprint"]]))
    for group in groups[:FIRST_FINDINGS]:
        yield f"  {severity_of(group[0]).sign} {shown(group[0]['title'])}" + (
            f" (in {plural(len(group), 'log')})" if len(group) > 1 else ""
        )


def _order(group: Sequence[Mapping[str, Any]], first: int) -> tuple[int, int, int]:
    """Sort errors in the order of their logs, then the rest by total cost."""
    place = stage(group[0]["kind"], group[0]["severity"], group[0]["details"])
    return place, first if place == ERROR else 0, -sum(finding["cost_us"] or 0 for finding in group)


def warnings(manifest: Mapping[str, Any]) -> str:
    """Return one line for each log with warnings, and one for those of the bundle; empty without any."""
    about = manifest["diagnostic_codes"]
    lines = []
    for log in manifest["logs"]:
        counts = [
            f"{count:,} × {code}"
            for code, count in log["diagnostics"].items()
            if about[code]["severity"] == "warning"
        ]
        if counts:
            lines.append(f"  {shown(log['source']['name'])}: {', '.join(counts)}")
    for what, is_profile in (("comparison of ranks", False), ("profiler traces", True)):
        counts = [
            f"{len(messages):,} × {code}"
            for code, messages in manifest.get("diagnostics", {}).items()
            if about[code]["severity"] == "warning" and code.startswith(_PROFILES) == is_profile
        ]
        lines += [f"  {what}: {', '.join(counts)}"] if counts else []
    return "\n".join(lines)
