"""What vLLM's records say of its pieces, put together at the end of a log."""

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
    Piece,
    Seen,
)

_MAX_EQUAL = 8


class _Scope:
    """What is open among the records of one compile id, or of none."""

    def __init__(self) -> None:
        self.backend: int | None = None
        self.piece: Piece | None = None
        self.target: Piece | None = None  # what a record belongs to: the piece, unless its graph says another
        self.open: dict[str, int] = {}  # begins of spans


class Pieces:
    def __init__(self, seen: Iterable[Seen]):
        self.backends: list[Backend] = []
        self.pieces: list[Piece] = []
        self.events: list[Seen] = []
        self._scopes: dict[int, _Scope] = {}
        self._captures: list[tuple[str, int]] = []
        self._failed: list[Piece] = []
        self._loads = Loads()
        for one in seen:
            getattr(self, f"_{one.kind}")(self._scopes.setdefault(one.compile_index, _Scope()), one)

    def _event(self, scope: _Scope, seen: Seen) -> None:
        self.events.append(seen)

    def _config(self, scope: _Scope, seen: Seen) -> None:
        self._end(scope)
        backend = Backend(seen, seen.compile_index, self.events[-1].name if self.events else None)
        backend.start_us = scope.open.get(BACKEND_SPAN)
        if self._captures:
            backend.capture_us = self._captures[-1][1], None
        scope.backend = len(self.backends)
        self.backends.append(backend)

    def _backend_of(self, scope: _Scope) -> Backend | None:
        return None if scope.backend is None else self.backends[scope.backend]

    def _start(self, scope: _Scope, seen: Seen) -> None:
        self._end(scope, seen)
        if scope.backend is None:  # the record of its settings is missing
            self._config(scope, seen)
            self.backends[-1].config = None
        scope.piece = scope.target = Piece(
            scope.backend, seen.compile_index, seen, scope.open.get(START_SPAN)
        )
        self.pieces.append(scope.piece)

    def _end(self, scope: _Scope, by: Seen | None = None) -> None:
        """The piece is over, by a record or a moment of the timeline."""
        piece, scope.piece, scope.target = scope.piece, None, None
        if piece is None or by is None:
            return
        piece.ended, piece.passed = True, by.name != BACKEND_SPAN
        if by.kind in ("B", "E"):
            piece.end_us = by.time_us
        else:
            piece.record_us = max(0, by.time_us - piece.start.time_us)

    def _split(self, scope: _Scope, seen: Seen) -> None:
        backend = self._backend_of(scope)
        if backend is not None and backend.split is None:
            backend.split = seen.index

    def _submodule(self, scope: _Scope, seen: Seen) -> None:
        backend = self._backend_of(scope)
        if backend is None or scope.piece is None:
            return
        scope.piece.seen.append(seen)
        shape, names = seen.value
        submodule = scope.piece.submodule
        if submodule is not None:
            backend.graphs.setdefault(submodule, (seen.index, shape))
            backend.named.setdefault(names, set()).add(submodule)

    def _code(self, scope: _Scope, seen: Seen) -> None:
        backend = self._backend_of(scope)
        if backend is None or backend.ended:
            self._loaded(seen)
            return
        backend.code = seen.index
        self._end(scope, seen)

    def _loaded(self, seen: Seen) -> None:
        """What was compiled ahead of time by another process is ready."""
        backend = Backend(
            None,
            seen.compile_index,
            self.events[-1].name if self.events else None,
            code=seen.index,
            ended=True,
        )
        backend.start_us, backend.end_us = self._loads.first_us, self._loads.last_us
        for piece in self._loads.take(len(self.backends), seen.compile_index):
            self.pieces.append(piece)
        self.backends.append(backend)

    def _artifact(self, scope: _Scope, seen: Seen) -> None:
        backend = self._backend_of(scope)
        if scope.piece is None:
            if backend is None or backend.ended:
                self._loads.add(seen)
            return
        if seen.name == "before_pre_grad_graph" and seen.value:
            self._check(scope, backend, seen)
        if scope.target is not None:
            scope.target.seen.append(seen)
        if seen.name == LAST:
            scope.target = scope.piece

    def _check(self, scope: _Scope, backend: Backend, seen: Seen) -> None:
        """The graph says whose it is: its arguments have the names of its layer."""
        fits = backend.named.get(seen.value)
        if not fits or scope.piece.submodule in fits:
            return
        others = (
            piece
            for piece in reversed(self.pieces)
            if piece.backend == scope.backend and piece.submodule in fits and piece.first(CODE) is None
        )
        other = next(others, None)
        asked = (
            scope.piece.seen.pop()
            if scope.piece.seen and scope.piece.seen[-1].name.startswith("aotautograd_cache_")
            else None
        )
        if other is not None and asked is not None:
            other.seen.append(asked)
        scope.target = other

    def _failure(self, scope: _Scope, seen: Seen) -> None:
        for piece in self._failed:
            piece.failure = seen.index
        self._failed = []

    def _B(self, scope: _Scope, seen: Seen) -> None:
        if seen.name in CAPTURE_SPANS:
            self._captures.append((seen.name, seen.time_us))
        if seen.name in END_SPANS:
            self._end(scope, seen)
        if seen.name == LOAD_SPAN:
            self._loads.begin(seen)
        scope.open[seen.name] = seen.time_us

    def _E(self, scope: _Scope, seen: Seen) -> None:
        begin_us = scope.open.pop(seen.name, None)
        length_us = None if begin_us is None else max(0, seen.time_us - begin_us)
        backend = self._backend_of(scope)
        if seen.name in CAPTURE_SPANS:
            self._end_capture(seen)
        elif seen.name == BACKEND_SPAN and backend is not None:
            piece = scope.piece
            self._end(scope, seen)
            backend.ended, backend.end_us = True, seen.time_us
            if piece is not None and piece.outcome(backend) == "failed":
                self._failed.append(piece)
        elif seen.name == "inductor_compile" and scope.target is not None and length_us is not None:
            scope.target.inductor_us = (scope.target.inductor_us or 0) + length_us
        elif seen.name == LOAD_SPAN:
            self._loads.end(seen)
            if scope.target is not None and length_us is not None:
                scope.target.load_us = length_us
        elif seen.name == "CompiledArtifact.save" and backend is not None and length_us is not None:
            backend.save_us = (backend.save_us or 0) + length_us

    def _end_capture(self, seen: Seen) -> None:
        while self._captures:
            name, begin_us = self._captures.pop()
            if name == seen.name:
                for backend in self.backends:
                    if backend.capture_us == (begin_us, None):
                        backend.capture_us = begin_us, seen.time_us
                return

    def equals(self) -> list[list[int]]:
        """For each piece the earlier ones of its backend, not reused themselves, with an equal graph and the
        same range; the first ones.
        """
        found: dict[tuple, list[int]] = {}
        rows = []
        for index, piece in enumerate(self.pieces):
            backend = self.backends[piece.backend]
            shape = backend.graphs.get(piece.submodule, (0, None))[1] if piece.submodule is not None else None
            if shape is None or piece.start.value["range"] is None:
                rows.append([])
                continue
            earlier = found.setdefault((piece.backend, shape, piece.start.value["range"]), [])
            rows.append(list(earlier))
            if len(earlier) < _MAX_EQUAL and piece.first(CODE) is not None:
                earlier.append(index)
        return rows
