"""A few kills; scripts/fuzz --kills does many."""

import sys

import pytest

from fuzz import kills

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def test_a_few_kills():
    said = []
    assert (
        kills.main(
            7, 3, ("build several", "build one", "merge", "restore", "site", "export", "legacy"), said.append
        )
        == 0
    ), said
