"""Runs and their changes in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tlparse_bundle.findings.words import duration
from tlparse_bundle.trend.metrics import BY_KEY, MICROSECONDS

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def day(start_epoch_us: int | None) -> str:
    """'2026-11-03 02:10', in UTC."""
    return "unknown" if start_epoch_us is None else f"{_EPOCH + timedelta(microseconds=start_epoch_us):%Y-%m-%d %H:%M}"


def value(key: str, number: float | None) -> str:
    """A number of a metric with its unit; '–' when it is unknown."""
    if number is None:
        return "–"
    if BY_KEY[key].unit == MICROSECONDS:
        return duration(number)
    return f"{number:,.1f}".removesuffix(".0")


def step(key: str, before: float, after: float) -> str:
    """'41.2 s → 63 s (+53 %)'."""
    share = f" ({100 * (after - before) / before:+.0f}\u00a0%)".replace("-", "−") if before and BY_KEY[key].unit == MICROSECONDS else ""
    return f"{value(key, before)} → {value(key, after)}{share}"
