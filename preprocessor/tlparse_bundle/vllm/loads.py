"""Pieces of vLLM that are loaded as they were compiled ahead of time, by several threads at once."""

from __future__ import annotations

from tlparse_bundle.vllm.records import CODE, GRAPH, LAST, LOAD, LOADED, POST_GRAD, Piece, Seen


class Loads:
    """Pieces that are loaded by several threads: their records are mixed, and their order says nothing.

    What a load writes when its code is there follows at once, so that one of each is one load's. The graph it had written
    before is found by its arguments, which no other has; the load then began with the next event.
    """

    def __init__(self) -> None:
        self._reset()

    def _reset(self) -> None:
        self.first_us: int | None = None
        self.last_us: int | None = None
        self._group: list[Seen] = []
        self._open_count = 0  # loads that have begun to write
        self._mixed = False
        self._wrapper_follows = False  # the last load ended, and nothing else was written since
        self._groups: list[list[Seen]] = []
        self._ends: dict[int, int] = {}  # moment of the end, by number of the group
        self._graphs: list[tuple[Seen, int | None]] = []  # and the begin of their loads
        self._pending: Seen | None = None

    def add(self, seen: Seen) -> None:
        if seen.name != LAST:
            self._wrapper_follows = False
        if seen.name == GRAPH:
            self._graphs.append((seen, None))
        elif seen.name == LAST:
            if self._wrapper_follows and self._groups:
                self._groups[-1].append(seen)
            self._wrapper_follows = False
        elif seen.name in LOAD:
            self._of_load(seen)

    def _of_load(self, seen: Seen) -> None:
        if seen.name == LOAD[0]:
            self._open_count += 1
            if self._open_count > 1:  # of two loads at once only the code is sure
                self._mixed = True
                self._groups += [[one] for one in self._group if one.name == CODE]
                self._group = []
        if self._mixed:
            if seen.name == CODE:
                self._groups.append([seen])
        elif not self._group or LOAD.index(seen.name) > LOAD.index(self._group[-1].name):
            self._group.append(seen)
        if seen.name == LOADED:
            if any(one.name == CODE for one in self._group):
                self._groups.append(self._group)
            self._group = []
            self._open_count = max(0, self._open_count - 1)
            self._mixed = self._mixed and self._open_count > 0

    def begin(self, seen: Seen) -> None:
        self._wrapper_follows = False
        self.first_us = seen.time_us if self.first_us is None else self.first_us
        if self._graphs and self._graphs[-1][0].index == seen.index - 1:
            self._graphs[-1] = self._graphs[-1][0], seen.time_us

    def end(self, seen: Seen) -> None:
        self.last_us = seen.time_us
        if self._groups and self._groups[-1][-1].name == LOADED and self._groups[-1][-1].index == seen.index - 1:
            self._ends[len(self._groups) - 1] = seen.time_us
            self._wrapper_follows = True

    def take(self, backend: int, compile_index: int) -> list[Piece]:
        pieces = []
        by_arguments: dict[str, list[tuple[Seen, int | None]]] = {}
        for graph, begin_us in self._graphs:
            if graph.value:
                by_arguments.setdefault(graph.value, []).append((graph, begin_us))
        for number, group in enumerate(self._groups):
            piece = Piece(backend, compile_index, seen=list(group), ended=True, end_us=self._ends.get(number))
            arguments = next((one.value for one in group if one.name == POST_GRAD), None)
            fits = by_arguments.get(arguments, []) if arguments else []
            if len({graph.hash for graph, _ in fits}) == 1:
                piece.graph = fits[0][0].hash
            if len(fits) == 1:
                graph, piece.begin_us = fits[0]
                piece.seen.insert(0, graph)
                if piece.begin_us is not None and piece.end_us is not None:
                    piece.load_us = max(0, piece.end_us - piece.begin_us)
            pieces.append(piece)
        self._reset()
        return pieces
