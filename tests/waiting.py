"""Wait for an event instead of for time to pass. Nothing here measures speed."""

import time

# Ends a test that hangs. Working code is far from this limit, even on a busy machine.
HANG_S = 600


def until(read, wanted=True, seconds=HANG_S):
    """Poll ``read()`` until it returns ``wanted``; fail with its last result."""
    end = time.monotonic() + seconds
    while (found := read()) != wanted and time.monotonic() < end:
        time.sleep(0.02)
    assert found == wanted, f"{found!r} instead of {wanted!r}"
