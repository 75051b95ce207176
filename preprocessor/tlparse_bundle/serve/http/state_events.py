"""Notifies pages of new states of growing bundles: server-sent events, one stream per page.

It only polls the manifest, so any process may grow the bundle. Pages get the newest state only, so
nothing queues up.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import NamedTuple

import anyio
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Message, Receive, Scope, Send

from tlparse_bundle.bundle.json_codec import dumps, loads
from tlparse_bundle.bundle.layout import FORMAT_NAME, MANIFEST
from tlparse_bundle.serve.bundle_places import Stored
from tlparse_bundle.serve.catalogue import Bundles

EVENTS = ".events"  # after the address of a bundle: where its page receives new states
# Header of a manifest response, which makes the page not poll.
LIVE = {"Tlparse-Bundle-Live": "events"}
# In the scope of a request whose answer ends with the connection: nobody waits for it when the server ends
ENDLESS = "tlparse_bundle.endless"
_LOOK_S = 0.2
_LOOK_ELSEWHERE_S = 3.0
_HEARTBEAT_S = 15.0
_SEND_S = 60.0  # a page that takes nothing for so long is gone, or asleep: it asks again when it wakes
_MOST_STREAMS = 128
_MAX_MANIFEST = 64 << 20
_QUICK = 256 << 10  # bytes that are read and parsed at once
_Tell = Callable[[bytes], Awaitable[None]]  # sends a piece to the page


class State(NamedTuple):
    counter: int | None
    growing: bool


class News:
    """State streams. ``pause``: interval for polling a local manifest; ``heartbeat``: interval of
    keep-alives.
    """

    def __init__(self, bundles: Bundles, pause: float = _LOOK_S, heartbeat: float = _HEARTBEAT_S):
        self._bundles = bundles
        self._pause, self._heartbeat = pause, heartbeat
        # By the name of a bundle, with the version of its manifest.
        self._states: dict[str, tuple[str, State]] = {}
        self._streams = 0

    async def answer(self, request: Request, name: str) -> Response:
        """Return the stream of a bundle. For a finished bundle, the answer ends the EventSource."""
        state = await self._state(name)
        if state is None:
            return PlainTextResponse("Bundle not found.\n", 404)
        if not state.growing:
            return Response(status_code=204)
        if self._streams >= _MOST_STREAMS:
            return PlainTextResponse("Too many pages are following this bundle.\n", 503, {"Retry-After": "5"})
        return _Stream(lambda tell: self._tell(name, tell))

    async def _tell(self, name: str, tell: _Tell) -> None:
        last_sent: State | None = None
        quiet = 0.0
        pause = _LOOK_ELSEWHERE_S if self._bundles.is_remote(name) else self._pause
        self._streams += 1
        try:
            while True:
                # May be missing while it is replaced.
                state = await self._state(name) or last_sent
                if state is not None and state != last_sent:
                    await tell(b"data: " + dumps(state._asdict()) + b"\n\n")
                    last_sent, quiet = state, 0.0
                    if not state.growing:
                        return
                elif quiet >= self._heartbeat:
                    await tell(b":\n\n")
                    quiet = 0.0
                await anyio.sleep(pause)
                quiet += pause
        finally:
            self._streams -= 1

    async def _state(self, name: str) -> State | None:
        """Return the current state; the last one if the manifest cannot be read; None without one."""
        path = f"{name}/{MANIFEST}"
        if self._bundles.is_remote(name):
            return await to_thread.run_sync(self._read, name, path, abandon_on_cancel=True)
        path_and_file = self._bundles.file(path)
        if path_and_file is None:
            return None
        stored = path_and_file[1]
        if (stored.size or 0) > _QUICK and self._states.get(name, ("",))[0] != stored.tag:
            return await to_thread.run_sync(self._parsed, name, stored, abandon_on_cancel=True)
        return self._parsed(name, stored)

    def _read(self, name: str, path: str) -> State | None:
        path_and_file = self._bundles.file(path)
        return self._parsed(name, path_and_file[1]) if path_and_file else None

    def _parsed(self, name: str, stored: Stored) -> State | None:
        last = self._states.get(name)
        if last and last[0] == stored.tag:
            return last[1]
        try:
            with stored.open(_MAX_MANIFEST) as stream:
                state = state_of(loads(stream.read(_MAX_MANIFEST)))
        except (OSError, ValueError):
            return last and last[1]
        if state is not None:
            self._states[name] = (stored.tag, state)
        return state


def state_of(manifest: object) -> State | None:
    """Return the state in a manifest; None for other files."""
    form = manifest.get("format") if isinstance(manifest, dict) else None
    if not isinstance(manifest, dict) or not isinstance(form, dict) or form.get("name") != FORMAT_NAME:
        return None
    live = manifest.get("live")
    counter = live.get("counter") if isinstance(live, dict) else None
    return State(counter if type(counter) is int else None, manifest.get("growing") is True)


class _Stream(Response):
    """``run`` is given a function that sends a piece, and goes on until the page leaves, or has nothing more
    to hear.
    """

    media_type = "text/event-stream"

    def __init__(self, run: Callable[[_Tell], Awaitable[None]]):
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._run = run

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope[ENDLESS] = True
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        if scope["method"] != "HEAD":
            async with anyio.create_task_group() as group:
                group.start_soon(self._until_gone, receive, group.cancel_scope)
                with suppress(OSError, TimeoutError):
                    await self._run(lambda data: self._sent(send, data))
                group.cancel_scope.cancel()
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _until_gone(self, receive: Receive, scope: anyio.CancelScope) -> None:
        message: Message = {"type": ""}
        while message["type"] != "http.disconnect":
            message = await receive()
        scope.cancel()

    async def _sent(self, send: Send, data: bytes) -> None:
        with anyio.fail_after(_SEND_S):
            await send({"type": "http.response.body", "body": data, "more_body": True})
