"""One screen about a bundle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from tlparse_bundle.findings.finding import weight
from tlparse_bundle.findings.words import duration, listed, plural
from tlparse_bundle.read.compile_counts import REFUSED, RESTARTED, compile_counts
from tlparse_bundle.read.growing import log_now, still_growing
from tlparse_bundle.read.reader import Bundle
from tlparse_bundle.shown import shown

_MAX_LOGS = 40
_MAX_COMPILES = 40
_MAX_HEADLINES = 5


def size(size_bytes: int) -> str:
    """A size for people: 1.2 MB (decimal units)."""
    value = float(size_bytes)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    raise AssertionError


def headlines(rows: Sequence[dict]) -> list[str]:
    """What logs say, by their rows of the manifest: a line for each, those with most to say first."""
    rows = sorted(rows, key=lambda row: weight(row["summary"]), reverse=True)
    lines = [(f"{shown(row['id'])}: " if len(rows) > 1 else "") + shown(row["summary"]["text"]) for row in rows[:_MAX_HEADLINES]]
    if len(rows) > _MAX_HEADLINES:
        lines.append(f"… and {plural(len(rows) - _MAX_HEADLINES, 'more log')}")
    return lines


def as_dict(bundle: Bundle) -> dict[str, Any]:
    """The manifest, the summary over all ranks, and the compile table of each log."""
    job = bundle.ranks("findings")
    return {"ok": True, "manifest": bundle.manifest, "ranks": job and job["summary"], "compiles": {log.id: [c.row for c in log.compiles] for log in bundle.logs}}


def as_text(bundle: Bundle) -> str:
    manifest = bundle.manifest
    version = manifest["format"]
    producer = manifest["producer"]
    growing = still_growing(manifest)
    lines = [*([shown(growing), ""] if growing else []), f"format {version['major']}.{version['minor']}, made by {shown(producer['name'])} {shown(producer['version'])}, codec {manifest['codec']}", "", *_job(bundle), *headlines([log_now(manifest, row) for row in manifest["logs"]]), *(f"{shown(code)}: {shown(message)}" for code, messages in manifest.get("diagnostics", {}).items() for message in messages), ""]
    rows = [("log", "rank", "torch", "events", "compiles", "compile time", "statuses", "diagnostics")]
    for log in bundle.logs[:_MAX_LOGS]:
        row, numbers, counted = log.row, log.row["summary"], compile_counts(log)
        statuses = " ".join(f"{count:,} {status}" for status, count in counted.statuses.items()) or "-"
        found = " ".join(f"{count} {code}" for code, count in row["diagnostics"].items()) or "-"
        rank = "-" if log.rank is None else str(log.rank)
        rows.append(
            (log.id, rank, row["torch_version"] or "-", f"{row['event_count']:,}", f"{counted.compile_count:,}", _time(numbers["compile_time_us"]), statuses, found)
        )
    lines += _columns(rows)
    if len(bundle.logs) > _MAX_LOGS:
        lines.append(f"… {len(bundle.logs) - _MAX_LOGS} more logs; --json shows all")
    if len(bundle.logs) == 1:
        lines += ["", *_compiles(bundle)]
    return "\n".join(lines)


def _job(bundle: Bundle) -> list[str]:
    """The headline over all ranks."""
    found = bundle.ranks("findings")
    return [] if found is None else [shown(found["summary"]["text"])]


def _compiles(bundle: Bundle) -> list[str]:
    log = bundle.logs[0]
    compiles, counted = [c for c in log.compiles if c.id is not None], compile_counts(log)
    statuses = Counter(counted.rows[c.index] for c in compiles)
    rows = [("compile", "status", "function", "at", "time", "artifacts")]
    for c in compiles[:_MAX_COMPILES]:
        place = f"{c.row['filename']}:{c.row['first_line']}" if c.row["filename"] else "-"
        rows.append((c.key, counted.rows[c.index] or "-", c.row["function"] or "-", place, _time(c.row["compile_time_us"]), str(c.row["artifact_count"])))
    lines = _columns(rows)
    if statuses[RESTARTED] or statuses[REFUSED]:
        parts = [f"{statuses[status]:,} {status}" for status in (RESTARTED, REFUSED) if statuses[status]]
        lines = [f"{plural(len(compiles), 'compile id')}, of which {listed(parts)}: these are not counted as compiles.", "", *lines]
    if len(compiles) > _MAX_COMPILES:
        lines.append(f"… {len(compiles) - _MAX_COMPILES} more compiles; --json shows all")
    return lines


def _time(us: int | None) -> str:
    return "-" if us is None else duration(us)


def _columns(rows: list[tuple[str, ...]]) -> list[str]:
    rows = [tuple(map(shown, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in rows]
