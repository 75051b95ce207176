"""Coroutines in tests that are not coroutines themselves."""

import asyncio
from concurrent.futures import ThreadPoolExecutor


def run(coroutine):
    """What it gives.

    In a thread of its own: Playwright keeps a loop running in that of the tests, once a browser was used.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()
