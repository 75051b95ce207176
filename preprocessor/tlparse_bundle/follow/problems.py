"""What is wrong with the logs or the place while it lasts, and what has happened to a log: said in each
state.
"""

from __future__ import annotations

from collections.abc import Sequence

_MAX = 100


class Problems:
    def __init__(self) -> None:
        self._of: dict[tuple[str, str], str] = {}
        self._groups: dict[str, Sequence[dict]] = {}

    def note(self, code: str, about: str, message: str) -> bool:
        """Say this of a log, or of nothing in particular; an empty message takes it back.

        Whether that is new.
        """
        if self._of.get((code, about), "") == message:
            return False
        if message:
            self._of[code, about] = message
        else:
            del self._of[code, about]
        return True

    def replace(self, group: str, rows: Sequence[dict]) -> bool:
        """Say these instead of those that the group had."""
        if list(self._groups.get(group, ())) == list(rows):
            return False
        self._groups[group] = rows
        return True

    def rows(self) -> list[dict]:
        said = [{"code": code, "message": message} for (code, _), message in self._of.items()]
        return [*said, *(row for rows in self._groups.values() for row in rows)][:_MAX]
