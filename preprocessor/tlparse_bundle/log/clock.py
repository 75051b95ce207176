"""Converts local times without year and zone into microseconds since the first record."""

from __future__ import annotations

import datetime as dt
from typing import Any

_DAY_US = 86_400_000_000
_DAYS_OF_MONTH = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DAYS_BEFORE_MONTH = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)


class Clock:
    """Converts record times, and derives year and UTC offset from one chromium event.

    glog prefixes carry neither; chromium events carry microseconds since the epoch
    (torch/_dynamo/utils.py, ChromiumEventLogger).
    """

    def __init__(self) -> None:
        self.origin: str | None = None
        self.year: int | None = None
        self.utc_offset_minutes: int | None = None
        self.origin_epoch_us: int | None = None
        self._origin_us = 0  # since the day before 1 January of a year without 29 February
        self._last_us = 0
        self._year_us = 0  # added once the log has passed New Year
        self._leap = False
        self._seconds: dict[bytes, int] = {}

    def time_us(self, date_time: bytes, micros: bytes) -> int | None:
        """Return microseconds since the first record; None for an invalid time."""
        start_us = self._seconds.get(date_time)
        if start_us is None:
            start_us = self._parse(date_time)
            if start_us is None:
                return None
            self._seconds[date_time] = start_us
            if len(self._seconds) > 100_000:
                self._seconds.clear()
        us = start_us + int(micros) + self._year_us
        if self.origin is None:
            text = date_time.decode()
            self.origin = f"{text[:2]}-{text[2:4]} {text[5:]}.{micros.decode()}"
            self._origin_us = self._last_us = us
        back_us = self._last_us - us
        if back_us > 180 * _DAY_US:  # 31 December, then 1 January
            year_us = (366 if self._leap else 365) * _DAY_US
            self._year_us += year_us
            us += year_us
        elif self._year_us:
            year_us = (366 if self._leap else 365) * _DAY_US
            if 0 <= back_us + year_us < _DAY_US:  # another thread, still before midnight
                us -= year_us
        self._last_us = us
        return us - self._origin_us

    def _parse(self, text: bytes) -> int | None:
        month, day = int(text[:2]), int(text[2:4])
        hour, minute, second = int(text[5:7]), int(text[8:10]), int(text[11:13])
        if not (
            1 <= month <= 12
            and 1 <= day <= _DAYS_OF_MONTH[month - 1]
            and hour < 24
            and minute < 60
            and second <= 60
        ):
            return None
        self._leap = self._leap or (month, day) == (2, 29)
        days = _DAYS_BEFORE_MONTH[month - 1] + day + (self._leap and month > 2)
        return ((days * 24 + hour) * 60 + minute) * 60_000_000 + second * 1_000_000

    def anchor(self, epoch_us: float, time_us: int) -> bool:
        """Set year and offset, given that the record at ``time_us`` was written at ``epoch_us``.

        Returns False when they don't agree within 15 hours and a multiple of 15 minutes.
        """
        if self.origin is None or not 0 < epoch_us < 4e15:
            return False
        utc = dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=epoch_us)
        for year in (utc.year, utc.year - 1, utc.year + 1):
            try:
                origin = dt.datetime.strptime(f"{year}-{self.origin}", "%Y-%m-%d %H:%M:%S.%f")
            except ValueError:  # 29 February of another year
                continue
            offset_s = (origin + dt.timedelta(microseconds=time_us) - utc).total_seconds()
            quarter_hours = round(offset_s / 900)
            if abs(quarter_hours) <= 60 and abs(offset_s - quarter_hours * 900) < 120:
                self.year = year
                self.utc_offset_minutes = quarter_hours * 15
                local_us = (origin - dt.datetime(1970, 1, 1)) // dt.timedelta(microseconds=1)
                self.origin_epoch_us = local_us - self.utc_offset_minutes * 60_000_000
                return True
        return False

    def last_epoch_us(self) -> int | None:
        """Return the time of the last record in microseconds since 1970; None when not recorded."""
        return (
            None if self.origin_epoch_us is None else self.origin_epoch_us + self._last_us - self._origin_us
        )

    def table(self) -> dict[str, Any]:
        """Return the 'clock' of the log directory (schema: log)."""
        return {
            "origin": self.origin,
            "origin_epoch_us": self.origin_epoch_us,
            "year": self.year,
            "utc_offset_minutes": self.utc_offset_minutes,
        }
