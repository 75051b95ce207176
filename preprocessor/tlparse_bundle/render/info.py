"""Overview of a bundle on one screen."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.base.wording import duration, listed, plural
from tlparse_bundle.bundle.growing import is_growing, log_now, running_in
from tlparse_bundle.bundle.reader import Bundle, Log
from tlparse_bundle.bundle.row_objects import Compile
from tlparse_bundle.render.running import still_growing
from tlparse_bundle.statements.finding import weight

_MAX_LOGS = 40
_MAX_COMPILES = 40
_MAX_HEADLINES = 5
_NOT_COMPILES = {
    "limits": ("refused compile", "refused compiles"),
    "captures": ("capture", "captures"),
}
RUNNING, UNFINISHED = "running", "unfinished"


def headlines(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return the headlines of logs, those with the most errors first. ``rows``: their manifest rows."""
    rows = sorted(rows, key=lambda row: weight(row["summary"]), reverse=True)
    lines = [
        (f"{shown(row['id'])}: " if len(rows) > 1 else "") + shown(row["summary"]["text"])
        for row in rows[:_MAX_HEADLINES]
    ]
    if len(rows) > _MAX_HEADLINES:
        lines.append(f"… and {plural(len(rows) - _MAX_HEADLINES, 'more log')}")
    return lines


def as_dict(bundle: Bundle) -> dict[str, Any]:
    """Return the manifest, the summary over all ranks, and the compile table of each log."""
    return {
        "ok": True,
        "manifest": bundle.manifest,
        "ranks": bundle.job,
        "compiles": {log.id: [c.row for c in log.compiles] for log in bundle.logs},
    }


def as_text(bundle: Bundle) -> str:
    manifest = bundle.manifest
    version = manifest["format"]
    producer = manifest["producer"]
    growing = still_growing(manifest)
    lines = [
        *([shown(growing), ""] if growing else []),
        (
            f"format {version['major']}.{version['minor']}, built by {shown(producer['name'])}"
            f" {shown(producer['version'])}, codec {manifest['codec']}"
        ),
        "",
        *_job(bundle),
        *headlines([log_now(manifest, row) for row in manifest["logs"]]),
        *(
            f"{shown(code)}: {shown(message)}"
            for code, messages in manifest.get("diagnostics", {}).items()
            for message in messages
        ),
        "",
    ]
    several = len(bundle.logs) > 1
    names = ("log", "rank", *(("process", "start (UTC)") if several else ()))
    rows = [(*names, "torch", "events", "compiles", "compile time", "statuses", "diagnostics")]
    for log in bundle.logs[:_MAX_LOGS]:
        row, numbers = log.row, log.row["summary"]
        counted = " ".join(f"{count:,} {status}" for status, count in statuses(log).items()) or "-"
        diagnostics = " ".join(f"{count} {code}" for code, count in row["diagnostics"].items()) or "-"
        rank = "-" if log.rank is None else str(log.rank)
        rows.append(
            (
                log.id,
                rank,
                *((_process(row["pid"]), _moment(numbers["start_epoch_us"])) if several else ()),
                row["torch_version"] or "-",
                f"{row['event_count']:,}",
                f"{numbers['compile_count']:,}",
                _time(numbers["compile_us"]),
                counted,
                diagnostics,
            )
        )
    if sums := manifest.get("totals"):
        counts = (f"{sums['event_count']:,}", f"{sums['compile_count']:,}", _time(sums["compile_us"]))
        rows.append(("total", "", "", "", "", *counts, "", ""))
    lines += _columns(rows)
    if len(bundle.logs) > _MAX_LOGS:
        lines.append(f"… {len(bundle.logs) - _MAX_LOGS} more logs; --json prints all")
    if len(bundle.logs) == 1:
        lines += ["", *_compiles(bundle)]
    return "\n".join(lines)


def _job(bundle: Bundle) -> list[str]:
    """Return the headline over all ranks, if there are several."""
    return [] if bundle.job is None else [shown(bundle.job["text"])]


def statuses(log: Log) -> dict[str, int]:
    """Return the number of compiles by status. In a growing bundle, open compiles are running."""
    counts = dict(log.row["summary"]["statuses"])
    running = (
        sum(status_now(compile) == RUNNING for compile in log.compiles)
        if is_growing(log.bundle.manifest)
        else 0
    )
    if running:
        counts = {
            **{status: count for status, count in counts.items() if status != UNFINISHED},
            RUNNING: running,
        }
        if log.row["summary"]["statuses"][UNFINISHED] > running:
            counts[UNFINISHED] = log.row["summary"]["statuses"][UNFINISHED] - running
    return counts


def status_now(compile: Compile) -> str:
    """Return the status of a compile. In a growing bundle, an open compile is running."""
    log = compile.log
    return (
        RUNNING
        if compile.status == UNFINISHED and compile.key in running_in(log.bundle.manifest, log.id)
        else compile.status
    )


def _compiles(bundle: Bundle) -> list[str]:
    log = bundle.logs[0]
    rows = [("compile", "status", "function", "at", "time", "attempts", "artifacts")]
    for c in log.compiles[:_MAX_COMPILES]:
        place = f"{c.row['file']}:{c.row['line']}" if c.row["file"] else "-"
        artifacts = "-" if c.row["artifact_count"] is None else str(c.row["artifact_count"])
        rows.append(
            (
                c.key,
                status_now(c),
                c.row["function"] or "-",
                place,
                _time(c.row["total_us"]),
                str(c.row["attempt_count"]),
                artifacts,
            )
        )
    lines = _columns(rows)
    if len(log.compiles) > _MAX_COMPILES:
        lines.append(f"… {len(log.compiles) - _MAX_COMPILES} more compiles; --json prints all")
    others = [
        plural(len(log.table(name)), *nouns)
        for name, nouns in _NOT_COMPILES.items()
        if not log.is_missing(name) and log.table(name)
    ]
    return [*lines, "", f"Not counted as compiles: {listed(others)}."] if others else lines


def _process(pid: int | None) -> str:
    return "-" if pid is None else str(pid)


def _moment(epoch_us: int | None) -> str:
    """Return '2026-11-23 07:21:53', in UTC."""
    return "-" if epoch_us is None else f"{dt.datetime.fromtimestamp(epoch_us // 1_000_000, dt.UTC):%F %T}"


def _time(us: int | None) -> str:
    return "-" if us is None else duration(us)


def _columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    texts = [tuple(map(shown, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    return [
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in texts
    ]
