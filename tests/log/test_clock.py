"""Times of records, and the year and zone that the log does not record."""

import datetime as dt

import pytest
from tlparse_bundle.log.clock import Clock


def times(*texts):
    clock = Clock()
    return [clock.time_us(text.encode()[:13], text.encode()[14:]) for text in texts]


def epoch_us(*parts):
    return int(dt.datetime(*parts, tzinfo=dt.UTC).timestamp()) * 1_000_000


def test_times_count_from_the_first_record():
    assert times("0401 23:59:59.500000", "0402 00:00:00.000001", "0401 23:59:59.499000") == [
        0,
        500_001,
        -1000,
    ]


@pytest.mark.parametrize(
    "text",
    [
        "0001 00:00:00",
        "1301 00:00:00",
        "0100 00:00:00",
        "0132 00:00:00",
        "0230 00:00:00",
        "0431 00:00:00",
        "0101 24:00:00",
        "0101 00:60:00",
        "0101 00:00:61",
    ],
)
def test_invalid_times_are_none(text):
    assert Clock().time_us(text.encode(), b"000000") is None


def test_new_year_in_a_leap_year_has_366_days():
    day = 86_400_000_000
    assert times("0228 00:00:00.000000", "0229 00:00:00.000000", "0301 00:00:00.000000")[-1] == 2 * day
    leap = times("0229 00:00:00.000000", "1231 00:00:00.000000", "0101 00:00:00.000000")
    assert leap[2] - leap[1] == day
    common = times("0228 00:00:00.000000", "1231 00:00:00.000000", "0101 00:00:00.000000")
    assert common[2] - common[1] == day


def test_two_new_years():
    assert (
        times(
            "1231 23:59:59.000000",
            "0101 00:00:00.000000",
            "0701 00:00:00.000000",
            "1231 23:59:59.000000",
            "0101 00:00:00.000000",
        )[-1]
        == (365 * 86_400 + 1) * 1_000_000
    )


@pytest.mark.parametrize(
    "local,utc,year,offset",
    [
        ("0401 14:00:00", (2024, 4, 1, 12, 0, 0), 2024, 120),
        ("0401 08:30:00", (2024, 4, 1, 12, 0, 0), 2024, -210),
        ("0401 17:45:00", (2024, 4, 1, 12, 0, 0), 2024, 345),
        ("0101 01:00:00", (2023, 12, 31, 23, 0, 0), 2024, 120),
        ("1231 20:00:00", (2024, 1, 1, 1, 0, 0), 2023, -300),
        ("0229 12:00:00", (2024, 2, 29, 12, 0, 0), 2024, 0),
    ],
)
def test_year_and_zone_from_a_chromium_event(local, utc, year, offset):
    clock = Clock()
    clock.time_us(local.encode(), b"000000")
    assert clock.anchor(epoch_us(*utc) + 700, 0)
    assert (clock.year, clock.utc_offset_minutes) == (year, offset)
    assert clock.origin_epoch_us == epoch_us(*utc)


def test_a_machine_whose_clock_begins_in_1970():
    """One without a battery, for example."""
    clock = Clock()
    clock.time_us(b"0101 00:00:00", b"000000")
    assert clock.anchor(1, 0) and (clock.year, clock.origin_epoch_us) == (1970, 0)


def test_29_february_of_a_year_that_has_none():
    clock = Clock()
    clock.time_us(b"0229 12:00:00", b"000000")
    assert not clock.anchor(epoch_us(2023, 3, 1, 12, 0, 0), 0) and clock.year is None


def test_an_event_may_be_two_minutes_from_a_quarter_hour_and_15_hours_from_utc():
    def offset(hours, seconds):
        clock = Clock()
        clock.time_us(b"0401 12:00:00", b"000000")
        shifted_us = epoch_us(2024, 4, 1, 12, 0, 0) - round(hours * 3600 + seconds) * 1_000_000
        return clock.utc_offset_minutes if clock.anchor(shifted_us, 0) else None

    assert (offset(0, 119), offset(0, -119), offset(0, 120), offset(0, -120)) == (0, 0, None, None)
    assert (offset(15, 0), offset(-15, 0), offset(15.25, 0), offset(-15.25, 0)) == (900, -900, None, None)


def test_an_event_of_another_day_is_ignored():
    clock = Clock()
    clock.time_us(b"0401 12:00:00", b"000000")
    assert not clock.anchor(epoch_us(2024, 6, 1, 12, 0, 0), 0)
    assert not clock.anchor(0, 0) and not clock.anchor(1e300, 0) and not clock.anchor(-5.5, 0)
    assert clock.table() == {
        "origin": "04-01 12:00:00.000000",
        "origin_epoch_us": None,
        "year": None,
        "utc_offset_minutes": None,
    }


def test_no_record_no_clock():
    clock = Clock()
    assert not clock.anchor(epoch_us(2024, 4, 1, 12, 0, 0), 0)
    assert set(clock.table().values()) == {None}
