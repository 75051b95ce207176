"""The newest attempts of recent compile ids, for records that name an id only in their payload."""

from __future__ import annotations

from tlparse_bundle.log.event import Event

_MOST = 10_000  # ids, about 500 bytes each


class NewestAttempts:
    """Compile and attempt by compile id, as torch writes it without the attempt; old ids are forgotten."""

    def __init__(self) -> None:
        self._newest: dict[str, tuple[str | None, int | None]] = {}

    def note(self, event: Event) -> None:
        """Remember the compile id of a record."""
        if event.compile_id is None:
            return
        compile_id = str(event.compile_id._replace(attempt=0))
        self._newest.pop(compile_id, None)  # so that it becomes the newest
        self._newest[compile_id] = event.compile, event.attempt
        if len(self._newest) > _MOST:
            del self._newest[next(iter(self._newest))]

    def of(self, compile_id: object) -> tuple[str | None, int | None]:
        """Return (compile, attempt) of a compile id; (None, None) when it is unknown."""
        return self._newest.get(compile_id, (None, None)) if type(compile_id) is str else (None, None)
