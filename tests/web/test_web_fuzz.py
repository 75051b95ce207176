"""A short run of the page fuzzer: bundles with earlier faults, and some that are the same in every run."""

import sys

import pytest
from fuzz.pages import Pages, kept

CASES = [
    "small-zstd:1:pages",
    "ranks-none:2:pages",
    "failures-gzip:3:pages",
    "pairs/line_changed/new-zstd:2:pages",
]


@pytest.mark.skipif(sys.platform != "linux", reason="it looks at processes in /proc")
@pytest.mark.parametrize("name", [*CASES, *kept()])
def test_hostile_bundle(name, browser):
    with Pages(browser) as pages:
        assert pages.run(name) == []
