"""Limits on the number of connections, and on the time and size of request headers."""

from __future__ import annotations

import asyncio
import errno
import http
import logging
import socket
import sys
from typing import Any, NamedTuple

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from tlparse_bundle.serve.http.access import NO_STORE, SECURITY
from tlparse_bundle.serve.http.state_events import ENDLESS

_BACKLOG = 128  # connections that wait to be accepted; they are not files of the process yet
_OWN_FILES = 24  # files that the process has open without any connection
_MAX_FILES = 8192
_FILES_OF_WINDOWS = 512  # that its select() watches
_MAX_CONNECTIONS = 512
_HEAD_BYTES = 16_384
# While a thread compares two bundles, the files of the page wait for their turn each time.
_TURN_SECONDS = 0.0005
_NO_FILES = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_log = logging.getLogger("uvicorn.error")


class Limits(NamedTuple):
    connections: int
    at_once: int  # connections that are accepted before the others get their turn
    head_seconds: float = 15.0  # to send the head of a request
    idle_seconds: float = 5.0  # between two requests
    end_seconds: int = 2  # for answers under way, when the server ends


def limits_of_process() -> Limits:
    """Return the connection limit: the process's file limit, raised as far as allowed, at two files each."""
    try:
        import resource
    except ImportError:  # Windows
        return _limits(_FILES_OF_WINDOWS)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    possible = _MAX_FILES if hard == resource.RLIM_INFINITY else min(hard, _MAX_FILES)
    if soft != resource.RLIM_INFINITY and soft < possible:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (possible, hard))
            soft = possible
        except (OSError, ValueError):  # some systems allow less than they say
            pass
    return _limits(_MAX_FILES if soft == resource.RLIM_INFINITY else min(soft, _MAX_FILES))


def _limits(files: int) -> Limits:
    at_once = 64 if files >= 1024 else 4
    return Limits(
        min(max((files - _OWN_FILES - 4 * at_once) // 2, 2), _MAX_CONNECTIONS), at_once
    )  # it takes some turns to end what is too much


def run_app(app: ASGIApp, sock: socket.socket, limits: Limits) -> None:
    """Serve until a signal ends it."""
    sys.setswitchinterval(_TURN_SECONDS)
    server_of(app, limits).run(sockets=[sock])


def server_of(app: ASGIApp, limits: Limits) -> uvicorn.Server:
    config = uvicorn.Config(
        app,
        http=_connection_type(limits),
        ws="none",
        lifespan="off",
        log_level="error",  # a line for each bad request would be a flood that anybody can make
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=limits.at_once,
        timeout_keep_alive=limits.idle_seconds,  # type: ignore[arg-type]  # it takes fractions, too
        timeout_graceful_shutdown=limits.end_seconds,
        h11_max_incomplete_event_size=_HEAD_BYTES,
    )
    return _Server(config)


def _connection_type(limits: Limits) -> type[_Connection]:
    """Return the class of which uvicorn creates an object per connection."""
    return type("Connection", (_Connection,), {"limits": limits})


class _Server(uvicorn.Server):
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().set_exception_handler(_Faults())
        await super().startup(sockets=sockets)
        for sock in sockets or ():
            # asyncio uses one number for the backlog and for connections accepted at once.
            sock.listen(_BACKLOG)


class _Faults:
    """Handler of event loop errors. It reports once that files are exhausted, since accepting is retried."""

    def __init__(self) -> None:
        self._logged = False

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if not (isinstance(error, OSError) and error.errno in _NO_FILES):
            loop.default_exception_handler(context)
        elif not self._logged:
            self._logged = True
            _log.error("No more connections can be accepted for now: %s", error.strerror)


class _Connection(H11Protocol):
    """uvicorn's connection, with limits on the number, and on the time and size of request headers."""

    limits: Limits

    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **options)
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections:
            self._end(503, "Too many connections.\n")
        else:
            self._head_timer = self.loop.call_later(self.limits.head_seconds, transport.abort)

    def data_received(self, data: bytes) -> None:
        # h11 bounds what it still waits for, not what comes at once.
        for at in range(0, len(data), _HEAD_BYTES):
            if self.transport.is_closing():
                return
            super().data_received(data[at : at + _HEAD_BYTES])
        if not self._is_waiting():
            self._stop_timer()
        elif self._head_timer is None and self.timeout_keep_alive_task is None:
            self._head_timer = self.loop.call_later(self.limits.head_seconds, self.transport.abort)

    def on_response_complete(self) -> None:
        self._stop_timer()
        super().on_response_complete()

    def shutdown(self) -> None:
        super().shutdown()
        if not self._is_waiting() and self.scope.get(ENDLESS):
            self.transport.close()  # else the server would wait for it, and then say that it broke it off

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        if self._is_waiting():
            self._end(400, "The request is not HTTP, or its headers are too large.\n")
        else:  # an answer is under way
            self.transport.abort()

    def _is_waiting(self) -> bool:
        """Return whether no request is in progress."""
        return self.cycle is None or self.cycle.response_complete

    def _stop_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _end(self, status: int, text: str) -> None:
        fields = {
            **SECURITY,
            "Cache-Control": NO_STORE,
            "Content-Type": "text/plain; charset=utf-8",
            "Content-Length": str(len(text)),
            "Connection": "close",
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self.transport.write(
            f"HTTP/1.1 {status} {http.HTTPStatus(status).phrase}\r\n{head}\r\n{text}".encode()
        )
        self.transport.close()
