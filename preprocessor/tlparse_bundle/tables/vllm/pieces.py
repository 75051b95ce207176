"""Backends and pieces of vLLM, assembled at the end of a log."""

from __future__ import annotations

from collections.abc import Iterable

from tlparse_bundle.tables.vllm.records import (
    BACKEND_SPAN,
    CAPTURE_SPANS,
    CODE,
    END_SPANS,
    LAST,
    LOAD_SPAN,
    START_SPAN,
    Backend,
    Loads,
    Observation,
    Piece,
)

_MAX_EQUAL = 8


class _Scope:
    """Open records of one compile id, or of none."""

    def __init__(self) -> None:
        self.backend: int | None = None
        self.piece: Piece | None = None
        self.target: Piece | None = None  # what a record belongs to: the piece, unless its graph says another
        self.open: dict[str, int] = {}  # begins of spans


class Pieces:
    def __init__(self, records: Iterable[Observation]):
        self.backends: list[Backend] = []
        self.pieces: list[Piece] = []
        self.events: list[Observation] = []
        self._scopes: dict[int, _Scope] = {}
        self._captures: list[tuple[str, int]] = []
        self._failed: list[Piece] = []
        self._loads = Loads()
        observers = {
            "event": self._observe_event,
            "config": self._observe_config,
            "start": self._observe_start,
            "split": self._observe_split,
            "submodule": self._observe_submodule,
            "code": self._observe_code,
            "artifact": self._observe_artifact,
            "failure": self._observe_failure,
            "B": self._observe_begin,
            "E": self._observe_end,
        }
        for record in records:
            observers[record.kind](self._scopes.setdefault(record.compile_index, _Scope()), record)

    def _observe_event(self, scope: _Scope, record: Observation) -> None:
        self.events.append(record)

    def _observe_config(self, scope: _Scope, record: Observation) -> None:
        self._end(scope)
        self._add_backend(scope, record)

    def _add_backend(self, scope: _Scope, record: Observation) -> int:
        """Add a backend that starts with a record; return its number."""
        backend = Backend(record, record.compile_index, self.events[-1].name if self.events else None)
        backend.start_us = scope.open.get(BACKEND_SPAN)
        if self._captures:
            backend.capture_us = self._captures[-1][1], None
        number = scope.backend = len(self.backends)
        self.backends.append(backend)
        return number

    def _backend_of(self, scope: _Scope) -> Backend | None:
        return None if scope.backend is None else self.backends[scope.backend]

    def _observe_start(self, scope: _Scope, record: Observation) -> None:
        self._end(scope, record)
        backend = scope.backend
        if backend is None:  # the record of its settings is missing
            backend = self._add_backend(scope, record)
            self.backends[backend].config = None
        piece = Piece(backend, record.compile_index, record, scope.open.get(START_SPAN))
        scope.piece = scope.target = piece
        self.pieces.append(piece)

    def _end(self, scope: _Scope, by: Observation | None = None) -> None:
        """End the open piece, if any, with a record or a timeline event."""
        piece, scope.piece, scope.target = scope.piece, None, None
        if piece is None or by is None:
            return
        piece.ended, piece.passed = True, by.name != BACKEND_SPAN
        if by.kind in ("B", "E"):
            piece.end_us = by.time_us
        elif piece.start is not None:
            piece.record_us = max(0, by.time_us - piece.start.time_us)

    def _observe_split(self, scope: _Scope, record: Observation) -> None:
        backend = self._backend_of(scope)
        if backend is not None and backend.split is None:
            backend.split = record.event

    def _observe_submodule(self, scope: _Scope, record: Observation) -> None:
        backend = self._backend_of(scope)
        if backend is None or scope.piece is None:
            return
        scope.piece.records.append(record)
        shape, names = record.value
        submodule = scope.piece.submodule
        if submodule is not None:
            backend.graphs.setdefault(submodule, (record.event, shape))
            backend.named.setdefault(names, set()).add(submodule)

    def _observe_code(self, scope: _Scope, record: Observation) -> None:
        backend = self._backend_of(scope)
        if backend is None or backend.ended:
            self._add_loaded(record)
            return
        backend.code = record.event
        self._end(scope, record)

    def _add_loaded(self, record: Observation) -> None:
        """Add the backend and the pieces that a different process compiled ahead of time."""
        backend = Backend(
            None,
            record.compile_index,
            self.events[-1].name if self.events else None,
            code=record.event,
            ended=True,
        )
        backend.start_us, backend.end_us = self._loads.first_us, self._loads.last_us
        for piece in self._loads.take(len(self.backends), record.compile_index):
            self.pieces.append(piece)
        self.backends.append(backend)

    def _observe_artifact(self, scope: _Scope, record: Observation) -> None:
        backend, piece = self._backend_of(scope), scope.piece
        if piece is None:
            if backend is None or backend.ended:
                self._loads.add(record)
            return
        if record.name == "before_pre_grad_graph" and record.value and backend is not None:
            self._check(scope, piece, backend, record)
        if scope.target is not None:
            scope.target.records.append(record)
        if record.name == LAST:
            scope.target = piece

    def _check(self, scope: _Scope, piece: Piece, backend: Backend, record: Observation) -> None:
        """Find the piece of a graph by its argument names, which are those of its layer."""
        fits = backend.named.get(record.value)
        if not fits or piece.submodule in fits:
            return
        others = (
            earlier
            for earlier in reversed(self.pieces)
            if earlier.backend == scope.backend and earlier.submodule in fits and earlier.first(CODE) is None
        )
        other = next(others, None)
        lookup = (
            piece.records.pop()
            if piece.records and piece.records[-1].name.startswith("aotautograd_cache_")
            else None
        )
        if other is not None and lookup is not None:
            other.records.append(lookup)
        scope.target = other

    def _observe_failure(self, scope: _Scope, record: Observation) -> None:
        for piece in self._failed:
            piece.failure = record.event
        self._failed = []

    def _observe_begin(self, scope: _Scope, record: Observation) -> None:
        if record.name in CAPTURE_SPANS:
            self._captures.append((record.name, record.time_us))
        if record.name in END_SPANS:
            self._end(scope, record)
        if record.name == LOAD_SPAN:
            self._loads.begin(record)
        scope.open[record.name] = record.time_us

    def _observe_end(self, scope: _Scope, record: Observation) -> None:
        begin_us = scope.open.pop(record.name, None)
        length_us = None if begin_us is None else max(0, record.time_us - begin_us)
        backend = self._backend_of(scope)
        if record.name in CAPTURE_SPANS:
            self._end_capture(record)
        elif record.name == BACKEND_SPAN and backend is not None:
            piece = scope.piece
            self._end(scope, record)
            backend.ended, backend.end_us = True, record.time_us
            if piece is not None and piece.outcome(backend) == "failed":
                self._failed.append(piece)
        elif record.name == "inductor_compile" and scope.target is not None and length_us is not None:
            scope.target.inductor_us = (scope.target.inductor_us or 0) + length_us
        elif record.name == LOAD_SPAN:
            self._loads.end(record)
            if scope.target is not None and length_us is not None:
                scope.target.load_us = length_us
        elif record.name == "CompiledArtifact.save" and backend is not None and length_us is not None:
            backend.save_us = (backend.save_us or 0) + length_us

    def _end_capture(self, record: Observation) -> None:
        while self._captures:
            name, begin_us = self._captures.pop()
            if name == record.name:
                for backend in self.backends:
                    if backend.capture_us == (begin_us, None):
                        backend.capture_us = begin_us, record.time_us
                return

    def equals(self) -> list[list[int]]:
        """Return, per piece, earlier compiled pieces of its backend with an equal graph and range."""
        equal: dict[tuple[int, str, tuple[int, int]], list[int]] = {}
        rows: list[list[int]] = []
        for index, piece in enumerate(self.pieces):
            backend, fields = self.backends[piece.backend], piece.fields
            shape = None if fields.submodule is None else backend.graphs.get(fields.submodule, (0, None))[1]
            if shape is None or fields.range is None:
                rows.append([])
                continue
            earlier = equal.setdefault((piece.backend, shape, fields.range), [])
            rows.append(list(earlier))
            if len(earlier) < _MAX_EQUAL and piece.first(CODE) is not None:
                earlier.append(index)
        return rows
