"""What the command line shows while and after it builds, on stderr."""

from __future__ import annotations

import sys

import click

from tlparse_bundle.build.build import BuildResult
from tlparse_bundle.cli.say import say, shown
from tlparse_bundle.read.info import duration, size


class Bar:
    """A bar by bytes on a terminal; one line elsewhere; nothing when hidden."""

    def __init__(self, size_bytes: int, log_count: int, *, hidden: bool):
        self._label = f"{log_count} log{'s' if log_count != 1 else ''}, {size(size_bytes)}"
        self._hidden = hidden
        terminal = sys.stderr.isatty()
        self._bar = click.progressbar(length=max(1, size_bytes), label=self._label, file=sys.stderr, hidden=hidden or not terminal, width=30)
        self._plain = not hidden and not terminal

    def __enter__(self) -> Bar:
        if self._plain:
            say(f"Reading {self._label}", err=True)
        self._bar.__enter__()
        return self

    def __exit__(self, *error) -> None:
        self._bar.__exit__(*error)

    def advance(self, size_bytes: int) -> None:
        self._bar.update(size_bytes)


def print_summary(result: BuildResult) -> None:
    """Say what was built and what was found on the way."""
    logs = result.manifest["logs"]
    raw_bytes = sum(log["source"]["size_bytes"] for log in logs)
    ranks = sum(log["rank"] is not None for log in logs)
    compiles = sum(log["compile_count"] for log in logs)
    compile_us = sum(log["compile_time_us"] for log in logs)
    lines = [
        f"{shown(result.path)}: {sum(log['event_count'] for log in logs):,} events and {compiles:,} compiles"
        f" ({duration(compile_us)}) of {len(logs):,} log{'s' if len(logs) != 1 else ''}"
        + (f", {ranks:,} with a rank" if ranks else ""),
        f"{size(raw_bytes)} of logs became {size(result.stored_bytes)} in {result.file_count:,} files",
    ]
    totals: dict[str, int] = {}
    for log in logs:
        for code, count in log["diagnostics"].items():
            totals[code] = totals.get(code, 0) + count
    about = result.manifest["diagnostic_codes"]
    for code in sorted(totals, key=lambda code: (about[code]["severity"] != "warning", code)):
        lines.append(f"{about[code]['severity']}: {totals[code]:,} × {code}: {about[code]['meaning']}")
    say("\n".join(lines), err=True)


def damage(manifest: dict) -> str:
    """Which logs have which warnings, a line for each log that has any; empty when none has."""
    about = manifest["diagnostic_codes"]
    lines = []
    for log in manifest["logs"]:
        found = [f"{count:,} × {code}" for code, count in log["diagnostics"].items() if about[code]["severity"] == "warning"]
        if found:
            lines.append(f"  {shown(log['source']['name'])}: {', '.join(found)}")
    return "\n".join(lines)
