"""What a table is, and what it may use."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from tlparse_bundle.base.diagnostics import Diagnostics
from tlparse_bundle.log.event import Event
from tlparse_bundle.log.stacks import StackTable
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.tally import Tally


@dataclass(frozen=True, slots=True)
class TableContext:
    """What tables may use: the stacks of the log, its diagnostics, and the counts of its events.

    Stacks and counts may be some events ahead of the event that a table sees.
    """

    stacks: StackTable
    diagnostics: Diagnostics
    tally: Tally


class Table(Protocol):
    """One table of one log. It sees the events in file order, and is written at the end. Lists that grow
    with the log are JsonLists, as values of ``table()`` or of objects in it.

    ``name`` is the name of the file and of the schema; ``types`` are the event types that it wants
    to see, None for all. What it needs of the timeline, where nearly all events are, is as a rule no event
    but a Span: a method ``observe_span(span)`` gets them all. More of it lets a log be read with less work:
    ``timeline``, a set, names the events of the timeline that it wants to see, among those of its types. It
    may also be shown those that another table names. A static method ``wants(event)`` is false for other
    events that it does not need; a method ``settle()`` does what is to be done once of what was seen, before
    a log that still grows is written as it is;
    ``blobs``: true when the field 'blob' of its rows is the number of a blob (``Event.blob_index``), for
    which its path is written;
    ``reads(event)``, which must follow from type and name of an event with a payload, where it does not look
    at the payload (which may be None then).
    """

    name: str
    types: frozenset[str] | None

    def __init__(self, context: TableContext): ...

    def observe(self, event: Event) -> None: ...

    def tables(self) -> Iterable[tuple[str, Rows]]:
        """The tables by name, each with its rows; a table of no rows is not written.

        ``name`` stands for them where they are made.
        """
        ...
