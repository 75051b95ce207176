"""HTML of bundles and logs for notebooks: headlines and findings, escaped, without scripts or colors.

Notebooks typeset formulas in HTML, except in elements of the classes of ``_BEGIN``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.base.wording import plural

_MAX_LOGS = 40
_MAX_FINDINGS = 5
_SIGNS = {"error": "✖", "warning": "▲"}
_BEGIN = '<div class="tex2jax_ignore mathjax_ignore">'
_DIM = '<span style="opacity: 0.7">'


class Part(NamedTuple):
    """A log, or all ranks together. ``findings`` can raise BundleError."""

    name: str
    headline: str
    findings: Callable[[], Sequence[Mapping[str, Any]]]


def overview_html(title: str, ranks: Part | None, logs: Sequence[Part]) -> str:
    """Return the headline and findings of all ranks, or of an only log; else the headlines of the logs."""
    parts = [f"<p>{_DIM}{escape(title)}</span></p>"]
    if ranks is not None:
        parts += _overview(ranks.headline, ranks.findings)
    if len(logs) == 1:
        parts += _overview(logs[0].headline, logs[0].findings)
    else:
        parts += [
            f"<p>{_DIM}{escape(shown(log.name))}</span> {_rich(log.headline)}</p>" for log in logs[:_MAX_LOGS]
        ]
        if len(logs) > _MAX_LOGS:
            parts.append(f"<p>… and {plural(len(logs) - _MAX_LOGS, 'more log')}</p>")
    return f"{_BEGIN}{''.join(parts)}</div>"


def _overview(headline: str, read: Callable[[], Sequence[Mapping[str, Any]]]) -> list[str]:
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
