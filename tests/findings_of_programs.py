"""Findings about small programs of fixtures/versions/programs."""

import pytest


@pytest.fixture
def rows(built, root):
    """Return rows(name): the findings of a program, by number."""

    def findings(name):
        (log,) = built(root / f"fixtures/versions/2.13.0/{name}.log.zst").logs
        return log.findings()

    return findings


def of(rows, *words):
    """Return the one finding whose title has all these words."""
    (row,) = [row for row in rows if all(word in row["title"] for word in words)]
    return row


def advice(row):
    """Return the texts of the remedies of a finding."""
    return [remedy["text"] for remedy in row["remedies"]]
