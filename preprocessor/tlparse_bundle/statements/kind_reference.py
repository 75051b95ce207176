from typing import NamedTuple


class KindReference(NamedTuple):
    """What the documentation says about a kind of finding: its title, what it means, what to do, and when it
    does not apply.
    """

    title: str
    meaning: str
    fix: str
    not_when: str
