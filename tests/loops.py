"""Run coroutines in synchronous tests."""

import asyncio
from concurrent.futures import ThreadPoolExecutor


def run(coroutine):
    """Run a coroutine and return its result.

    Uses a new thread, because Playwright keeps a loop running in that of the tests once a browser was used.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()
