"""Reads the dump of one rank: the calls in its Flight Recorder, as rows.

The fields are those of torch/csrc/distributed/c10d/FlightRecorder.hpp, which PyTorch documents in its Flight
Recorder tutorial. Nothing in a dump is trusted: wrong types make an entry unreadable, never an exception.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tlparse_bundle.bundle.json_codec import JSONDecodeError, loads
from tlparse_bundle.bundle.regular_file import read_regular
from tlparse_bundle.log.flight_recorder.plain_pickle import BadPickle, read_plain_pickle

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import (
        FlightRecorderCallsRow,
        FlightRecorderDumpsRow,
        FlightRecorderStacksFrames,
    )

MAX_BYTES = 128 << 20
DEFAULT_GROUP = "default_pg"  # torch/distributed/distributed_c10d.py: description of the group of all ranks
_MAX_TEXT, _MAX_FRAMES, _MAX_TENSORS, _MAX_RANKS, _MAX_GROUPS = 1000, 200, 512, 100_000, 10_000
_MAX_NUMBER, _MAX_DIGITS = 1 << 53, 16
_RANK = re.compile(r"rank[_-]?(\d{1,7})(?!\d)", re.IGNORECASE)
_LAST_NUMBER = re.compile(r"(?<!\d)(\d{1,7})$")
_ENDING = re.compile(r"\.(json|pkl|pickle|bin|trace|log)$", re.IGNORECASE)
_VERSION = re.compile(r"\d{1,4}\.\d{1,4}")
_NAME = re.compile(
    r"(?:(?P<backend>\w{1,20}):)?(?P<operation>\w{1,60})"
    r"(?: (?P<first>\d{1,7})(?P<way>->|<-)(?P<second>\d{1,7}))?"
)
_STATES: tuple[Literal["scheduled", "started", "completed"], ...] = ("scheduled", "started", "completed")
_MAJOR = "2."


class BadDump(ValueError):
    """A file that is not a dump, or whose rank is unknown."""


class RecordedGroup(NamedTuple):
    """What a rank recorded about a process group."""

    rank: int
    group: str
    description: str
    ranks: tuple[int, ...] | None  # its members; None: not recorded
    last_enqueued: int | None = None
    last_started: int | None = None
    last_completed: int | None = None


class Dump(NamedTuple):
    """The dump of a rank. ``stack`` of a call is a number in ``stacks``, without equal ones."""

    row: FlightRecorderDumpsRow
    groups: list[RecordedGroup]
    calls: list[FlightRecorderCallsRow]
    stacks: list[list[FlightRecorderStacksFrames]]
    problems: list[str]


def rank_of_name(name: str) -> int | None:
    """Return the rank in the name of a dump: after "rank", or its last number."""
    stem = _ENDING.sub("", name)
    found = [*_RANK.finditer(stem)] or [*_LAST_NUMBER.finditer(stem)]
    return int(found[-1][1]) if found else None


def read_dump(path: Path, most_calls: int) -> Dump:
    """Return the dump in a file with its last ``most_calls`` calls. Raise BadDump or OSError."""
    rank = rank_of_name(path.name)
    if rank is None:
        raise BadDump("its name does not end with the number of a rank, as in nccl_trace_rank_0")
    data = read_regular(path.parent, path.name, MAX_BYTES)
    is_json = data.lstrip()[:1] in (b"{", b"[")
    try:
        value = loads(data) if is_json else read_plain_pickle(data)
    except JSONDecodeError as error:
        raise BadDump(f"it is not valid JSON: {error}") from None
    except RecursionError:
        raise BadDump("it is nested too deeply") from None
    except BadPickle as error:
        raise BadDump(f"it is not a plain pickle: {error}") from None
    entries = value.get("entries") if isinstance(value, dict) else None
    if not isinstance(entries, list):
        raise BadDump("it has no list 'entries', so it is not a Flight Recorder dump")
    return _Reader(rank, path.name, "json" if is_json else "pickle", value).dump(entries, most_calls)


class _Reader:
    def __init__(self, rank: int, name: str, form: Any, value: Mapping[Any, Any]):
        self._rank, self._name, self._form, self._value = rank, name, form, value
        self._stacks: dict[tuple[tuple[str, str, int | None], ...], int] = {}
        self._numbers: dict[str, str] = {}  # of groups by name: the keys of pg_status
        self.problems: list[str] = []

    def dump(self, entries: Sequence[Any], most_calls: int) -> Dump:
        kept = entries[-most_calls:]
        calls, unread, first = [], 0, ""
        for number, entry in enumerate(kept, len(entries) - len(kept)):
            call = self._call(entry)
            if isinstance(call, str):
                unread += 1
                first = first or f"entry {number} {call}"
            else:
                calls.append(call)
        if unread:
            self.problems.append(f"{unread:,} of {len(entries):,} entries were left out: {first}")
        calls.sort(key=lambda call: call["record"])
        version = str(self._value.get("version"))
        if not version.startswith(_MAJOR):
            self.problems.append("its format version is not 2.x, so parts may be misread")
        row: FlightRecorderDumpsRow = {
            "rank": self._rank,
            "log": None,
            "file": self._name,
            "format": self._form,
            "version": version if _VERSION.fullmatch(version) else None,
            "entry_count": len(entries),
            "call_count": len(calls),
            "stacks": any(call["stack"] is not None for call in calls),
        }
        stacks: list[list[FlightRecorderStacksFrames]] = [
            [{"function": function, "file": file, "line": line} for function, file, line in frames]
            for frames in self._stacks
        ]
        return Dump(row, [*self._groups(calls)], calls, stacks, self.problems)

    def _call(self, entry: Any) -> FlightRecorderCallsRow | str:
        """Return a call, or what is wrong with the entry."""
        if not isinstance(entry, dict):
            return "is not an object"
        group = entry.get("process_group")
        name = _NAME.fullmatch(_text(entry.get("profiling_name")) or "")
        record, sequence = _count(entry.get("record_id")), _count(entry.get("collective_seq_id"))
        if not isinstance(group, (list, tuple)) or len(group) != 2 or None in map(_text, group):
            return "has no process_group with name and description"
        if name is None:
            return "has no profiling_name such as nccl:all_reduce"
        if record is None or sequence is None:
            return f"has no {'record_id' if record is None else 'collective_seq_id'}"
        self._numbers[_text(group[0]) or ""] = str(_count(entry.get("pg_id")))
        state = next((state for state in _STATES if state == entry.get("state")), None)
        completed = _microseconds(entry.get("time_discovered_completed_ns"))
        retired = entry.get("retired") if isinstance(entry.get("retired"), bool) else None
        is_p2p = entry.get("is_p2p") is True or name["operation"] in ("send", "recv")
        source, destination = name["first"], name["second"]
        if name["way"] == "<-":
            source, destination = destination, source
        return {
            "rank": self._rank,
            "record": record,
            "group": _text(group[0]) or "",
            "description": _text(group[1]) or "",
            "backend": name["backend"],
            "operation": name["operation"],
            "p2p": is_p2p,
            "sequence": (_count(entry.get("p2p_seq_id")) or 0) if is_p2p else sequence,
            "source": None if source is None else int(source),
            "destination": None if destination is None else int(destination),
            "input_sizes": _sizes(entry.get("input_sizes")),
            "input_dtypes": _texts(entry.get("input_dtypes")),
            "output_sizes": _sizes(entry.get("output_sizes")),
            "output_dtypes": _texts(entry.get("output_dtypes")),
            "state": state,
            # gloo does not update the state; its calls are retired when they end.
            "finished": state == "completed"
            or completed is not None
            or (name["backend"] == "gloo" and retired is True),
            "created_epoch_us": _microseconds(entry.get("time_created_ns")),
            "started_epoch_us": _microseconds(entry.get("time_discovered_started_ns")),
            "completed_epoch_us": completed,
            "duration_us": _milliseconds(entry.get("duration_ms")),
            "timeout_ms": _count(entry.get("timeout_ms")),
            "stack": self._stack(entry.get("frames")),
            "origin": None,
            "compile": None,
            "rank_compile": None,
            "joined_by": None,
            "function": None,
            "file": None,
            "line": None,
        }

    def _stack(self, frames: Any) -> int | None:
        """Return the number of a stack."""
        if not isinstance(frames, (list, tuple)) or not frames:
            return None
        stack = tuple(
            (_text(frame.get("name")) or "", _text(frame.get("filename")) or "", _count(frame.get("line")))
            for frame in frames[:_MAX_FRAMES]
            if isinstance(frame, dict)
        )
        return self._stacks.setdefault(stack, len(self._stacks)) if stack else None

    def _groups(self, calls: Sequence[FlightRecorderCallsRow]) -> Iterator[RecordedGroup]:
        names = {call["group"]: call["description"] for call in calls}
        members: dict[str, tuple[int, ...]] = {}
        config, status = _object(self._value.get("pg_config")), _object(self._value.get("pg_status"))
        for group in [*map(_object, config.values())][:_MAX_GROUPS]:
            name, ranks = _text(group.get("name")), _ranks(group.get("ranks"))
            if name and ranks:
                members[name] = ranks
                names.setdefault(name, _text(group.get("desc")) or "")
            elif ranks and len(config) == 1 and [*names.values()] == [DEFAULT_GROUP]:
                members[next(iter(names))] = ranks  # gloo does not name its only group
        for name, description in names.items():
            last = _object(status.get(self._numbers.get(name)))
            yield RecordedGroup(
                self._rank,
                name,
                description,
                members.get(name),
                *(
                    _counted(last.get(f"last_{what}_collective"))
                    for what in ("enqueued", "started", "completed")
                ),
            )


def _object(value: Any) -> dict[Any, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return value[:_MAX_TEXT] if isinstance(value, str) else None


def _texts(value: Any) -> list[str]:
    return (
        [text for text in map(_text, value[:_MAX_TENSORS]) if text is not None]
        if isinstance(value, (list, tuple))
        else []
    )


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < _MAX_NUMBER else None


def _counted(value: Any) -> int | None:
    """Return a count, which JSON has as text; None for -1, which stands for none."""
    if isinstance(value, str):
        return int(value) if value.isascii() and value.isdecimal() and len(value) < _MAX_DIGITS else None
    return _count(value)


def _microseconds(value: Any) -> int | None:
    """Return a time in nanoseconds as microseconds; None for 0, which stands for none."""
    return value // 1000 if type(value) is int and 0 < value < 1 << 63 else None


def _milliseconds(value: Any) -> int | None:
    """Return a duration in milliseconds as microseconds."""
    return (
        round(value * 1000) if isinstance(value, (int, float)) and 0 <= value < _MAX_NUMBER / 1000 else None
    )


def _sizes(value: Any) -> list[list[int]]:
    if not isinstance(value, (list, tuple)):
        return []
    return [
        [size if (size := _count(part)) is not None else -1 for part in sizes[:_MAX_TENSORS]]
        for sizes in value[:_MAX_TENSORS]
        if isinstance(sizes, (list, tuple))
    ]


def _ranks(value: Any) -> tuple[int, ...] | None:
    """Return ranks from text such as "[0, 1]", or a list."""
    if isinstance(value, str) and re.fullmatch(r"[\[\]\d, ]*", value[: _MAX_RANKS * 8]):
        ranks = [int(number) for number in re.findall(r"\d{1,7}", value[: _MAX_RANKS * 8])]
    elif isinstance(value, (list, tuple)):
        ranks = [rank for rank in value if _count(rank) is not None]
    else:
        return None
    return tuple(sorted(set(ranks[:_MAX_RANKS]))) or None
