"""What an earlier follower left in the place: it stays readable until this one has read as far."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

from tlparse_bundle import __version__
from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.bundle import layout
from tlparse_bundle.follow.growing_folder import Place
from tlparse_bundle.follow.growing_log import GrowingLog
from tlparse_bundle.follow.growing_stream import sha256_of
from tlparse_bundle.follow.state import Problems
from tlparse_bundle.log.log_file import LogFile, open_log, unreadable

_BLOCK_BYTES = 1 << 20


class Resumed:
    """``counter`` is that of the last state."""

    def __init__(self, place: Place, codec: str, problems: Problems):
        self._place = place
        self._problems = problems
        # The sources of the logs that it has, by id, until they were read again.
        self._rows: dict[str, dict[str, Any]] = {}
        self._checked = False
        self._other = False
        self.counter = max(place.states(), default=0)
        old, place.old = place.old, None
        if old is None:
            return
        self.counter = max(self.counter, old["live"]["counter"])
        made_by = (old["producer"], old["codec"], old["format"]["minor"])
        self._other = made_by != (
            {"name": "tlparse-bundle", "version": __version__},
            codec,
            layout.FORMAT_MINOR,
        )
        self._rows = {row["id"]: row["source"] for row in old["logs"]}

    def check(self, logs: Sequence[LogFile]) -> None:
        """Before any log is begun: whether they still begin with what the bundle has.

        Raises BundleError when one is gone.
        """
        rows = {} if self._checked else self._rows
        self._checked = True
        found = {log.id: log for log in logs}
        missing = sorted(rows.keys() - found.keys())
        if missing:
            names = ", ".join(shown(rows[log_id]["name"]) for log_id in missing[:5])
            raise BundleError(
                f"{shown(self._place.called)} holds what was followed of {names}, which is gone",
                hint="Choose another place, or use --overwrite to begin anew.",
                code="exists",
            )
        if self._other:
            self._give_up("it was written by another version, or with another codec")
            return
        for log_id, source in rows.items():
            if not _begins_with(found[log_id], source):
                self._give_up(f"{shown(source['name'])} is no longer what was read of it")
                return

    def caught_up(self, logs: Mapping[str, GrowingLog]) -> bool:
        """Whether as much was read as the bundle has; from then on a state may take its place."""
        if any(
            log_id not in logs or logs[log_id].read_bytes < source["size_bytes"]
            for log_id, source in self._rows.items()
        ):
            return False
        self._rows = {}
        return True

    def _give_up(self, why: str) -> None:
        self._rows, self._other = {}, False
        self._place.clear()
        self._problems.note(
            "begun-anew", "", f"The bundle that was in {shown(self._place.called)} was removed: {why}"
        )


def _begins_with(log: LogFile, source: Mapping[str, Any]) -> bool:
    if log.compression is None:
        try:
            return bool(sha256_of(log, source["size_bytes"]) == source["sha256"])
        except OSError as error:
            raise unreadable(log.path, error) from None
    digest, left = hashlib.sha256(), source["size_bytes"]
    with closing(open_log(log)) as stream:
        while left and (data := stream.read(min(left, _BLOCK_BYTES))):
            digest.update(data)
            left -= len(data)
    return bool(not left and digest.hexdigest() == source["sha256"])
