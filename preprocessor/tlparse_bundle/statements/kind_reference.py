"""The reference entry of a kind of finding (docs/reference/findings.md)."""

from typing import NamedTuple


class KindReference(NamedTuple):
    """A kind's title, its meaning, its fix, and when it does not apply."""

    title: str
    meaning: str
    fix: str
    not_when: str
