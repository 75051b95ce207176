"""Waiting for something to happen instead of for time to pass. Nothing here measures how fast it comes."""

import time

# Ends a test that hangs. What works is far from it, however busy the machine is.
HANG_S = 600


def until(read, wanted=True, seconds=HANG_S):
    """Asks ``read()`` again and again, until it gives ``wanted``; fails with what it gave last."""
    end = time.monotonic() + seconds
    while (found := read()) != wanted and time.monotonic() < end:
        time.sleep(0.02)
    assert found == wanted, f"{found!r} instead of {wanted!r}"
