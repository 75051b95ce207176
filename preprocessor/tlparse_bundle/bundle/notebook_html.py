"""HTML of bundles and logs for notebooks: headlines and findings, escaped, without scripts or colors.

Notebooks typeset formulas in HTML, except in elements of the classes of ``_BEGIN``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.base.wording import plural

if TYPE_CHECKING:
    from tlparse_bundle.bundle.reader import Bundle, Log

_MAX_LOGS = 40
_MAX_FINDINGS = 5
_SIGNS = {"error": "✖", "warning": "▲"}
_BEGIN = '<div class="tex2jax_ignore mathjax_ignore">'
_DIM = '<span style="opacity: 0.7">'


def bundle_html(bundle: Bundle) -> str:
    """Return the headline and findings of all ranks, or of an only log; else the headlines of the logs."""
    parts = [f"<p>{_DIM}{escape(repr(bundle))}</span></p>"]
    if bundle.job is not None:
        parts += _overview(bundle.job["text"], lambda: bundle.rank_table("rank_findings"))
    if len(bundle.logs) == 1:
        parts.append(_log(bundle.logs[0]))
    else:
        parts += [_row(log) for log in bundle.logs[:_MAX_LOGS]]
        if len(bundle.logs) > _MAX_LOGS:
            parts.append(f"<p>… and {plural(len(bundle.logs) - _MAX_LOGS, 'more log')}</p>")
    return f"{_BEGIN}{''.join(parts)}</div>"


def log_html(log: Log) -> str:
    """Return the headline and findings of a log."""
    return f"{_BEGIN}<p>{_DIM}{escape(shown(log.id))}</span></p>{_log(log)}</div>"


def _log(log: Log) -> str:
    return "".join(_overview(log.summary["text"], log.findings))


def _row(log: Log) -> str:
    name = log.id if log.rank is None else f"rank {log.rank}"
    return f"<p>{_DIM}{escape(shown(name))}</span> {_rich(log.summary['text'])}</p>"


def _overview(headline: str, read: Any) -> list[str]:
    parts = [f"<p><strong>{_rich(headline)}</strong></p>"]
    try:
        rows = [row for row in read() if row["because_of"] is None]
    except BundleError as error:  # left out of a redacted bundle, or damaged
        return [*parts, f"<p>{escape(shown(error.message))}</p>"]
    parts += [_finding(row) for row in rows[:_MAX_FINDINGS]]
    if len(rows) > _MAX_FINDINGS:
        parts.append(f"<p>… and {plural(len(rows) - _MAX_FINDINGS, 'more finding')}: bundle.show()</p>")
    return parts


def _finding(row: Mapping[str, Any]) -> str:
    file, line = row["file"], row["line"]
    place = (
        "" if file is None else f" {_DIM}{escape(shown(file if line is None else f'{file}:{line}'))}</span>"
    )
    return f"<p>{_SIGNS.get(row['severity'], '●')} {_rich(row['title'])}{place}{_remedy(row['remedies'])}</p>"


def _remedy(remedies: Sequence[Mapping[str, Any]]) -> str:
    return f"<br>→ {_rich(remedies[0]['text'])}" if remedies else ""


def _rich(text: str) -> str:
    """Return text with code in backticks as HTML."""
    parts = shown(text).split("`")
    if len(parts) % 2 == 0:  # an unmatched backtick
        parts[-2:] = ["`".join(parts[-2:])]
    return "".join(
        f"<code>{escape(part)}</code>" if number % 2 else escape(part) for number, part in enumerate(parts)
    )
