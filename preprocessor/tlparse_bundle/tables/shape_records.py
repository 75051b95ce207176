"""Shared parsing of symbolic shape records (torch/fx/experimental/symbolic_shapes.py, ShapeEnv)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Any, TypedDict

from tlparse_bundle.base.diagnostics import Diagnostics
from tlparse_bundle.log.event import Event
from tlparse_bundle.tables.text.record_values import text_of

if TYPE_CHECKING:

    class StackFields(TypedDict):
        stack: int | None
        user_stack: int | None

    class FrameContext(TypedDict):
        loc: str | None
        locals: dict[str, list[str | None]]
        symbol_sources: dict[str, str | None]


MAX_NAMES = 200  # of local variables, of symbols, and of values in one variable

_NAME = re.compile(r"[^\W\d]\w*")

Scope = tuple[tuple[int | None, int | None, int | None], int]  # a frame compile, and its occurrence


def names_in(expression: str) -> list[str]:
    """Return the distinct names in an expression, in order of first use."""
    return list(dict.fromkeys(_NAME.findall(expression)))


def fields_of(event: Event, diagnostics: Diagnostics, *texts: str) -> dict[str, Any] | None:
    """Return the metadata of the event, or None when it is not an object.

    Adds a diagnostic for that, and for each of ``texts`` that is not text.
    """
    value = event.value
    if type(value) is not dict:
        unexpected(event, diagnostics, "is not an object")
        return None
    wrong = [name for name in texts if type(value.get(name)) is not str]
    if wrong:
        unexpected(event, diagnostics, f"{', '.join(wrong)} is not a string")
    return value


def unexpected(event: Event, diagnostics: Diagnostics, what: str) -> None:
    diagnostics.add(
        "table-parse",
        f"{event.type}: {what}",
        line=event.line,
        byte_offset=event.byte_offset,
        event_index=event.index,
    )


def scope_of(event: Event) -> Scope | None:
    """Return the scope of a symbol name: a frame compile with all attempts, or all records without an id.

    Every trace has its own ShapeEnv with unique names; each new attempt creates them again.
    """
    return event.compile_id and (event.compile_id.frame_compile, event.occurrence)


def stacks_of(value: dict[str, Any]) -> StackFields:
    """Return the stacks of a row, as decoded in the metadata."""
    stack, user_stack = value.get("stack_index"), value.get("user_stack_index")
    return {
        "stack": stack if type(stack) is int else None,
        "user_stack": user_stack if type(user_stack) is int else None,
    }


def frame_context(value: dict[str, Any]) -> FrameContext | None:
    """Return where a condition was evaluated: source, locals, symbol sources; None when not recorded.

    ShapeEnv._find_frame_locals writes {variable: [text or null]}, one per leaf; torch 2.6 wrote
    {variable: text}.
    """
    frame = value.get("frame_locals")
    frame = frame if type(frame) is dict else {}
    local_values: dict[str, list[str | None]] = {
        text_of(name): [text_of(leaf) for leaf in (leaves[:MAX_NAMES] if type(leaves) is list else [leaves])]
        for name, leaves in _items(frame.get("locals"))
    }
    sources: dict[str, str | None] = {
        text_of(name): text_of(source)
        for key in (value.get("symbol_to_sources"), frame.get("symbols"))
        for name, source in _items(key)
    }
    context: FrameContext = {
        "loc": text_of(frame.get("loc")),
        "locals": local_values,
        "symbol_sources": sources,
    }
    return context if any(context.values()) else None


def _items(value: Any) -> Iterable[tuple[str, Any]]:
    return islice(value.items(), MAX_NAMES) if type(value) is dict else ()


class Definitions:
    """Newest record that defined an expression or an unbacked symbol.

    torch uses Python ids (expression_created.result_id, create_unbacked_symbol.node_id), which later
    objects can reuse, so the newest earlier definition counts.
    """

    def __init__(self) -> None:
        self._events: dict[int | str, int] = {}

    def observe(self, event: Event) -> None:
        """Define the object of a record of DEFINING."""
        if type(event.value) is dict:
            object_id = event.value.get("result_id" if event.type == "expression_created" else "node_id")
            if (
                type(object_id) is int or type(object_id) is str
            ):  # text: of 2**53 or more (see log/envelope.py)
                self._events[object_id] = event.index

    def find(self, object_id: Any) -> int | None:
        """Return the event of the newest definition; None when the log has none, as for constants and backed
        symbols.
        """
        return self._events.get(object_id) if type(object_id) in (int, str) else None


DEFINING = frozenset(("expression_created", "create_unbacked_symbol"))
