"""Limits for connections of a client: number, duration, size."""

import contextlib
import resource
import select
import socket
import subprocess
import sys

import pytest
from running_server import running
from starlette.responses import PlainTextResponse
from tlparse_bundle.serve.http import connections
from tlparse_bundle.serve.http.app import create_app
from tlparse_bundle.serve.http.connections import Limits
from waiting import HANG_S, until

SOON = Limits(connections=200, at_once=64, head_seconds=0.1, idle_seconds=0.1)
LATE = Limits(connections=3, at_once=8, head_seconds=HANG_S, idle_seconds=HANG_S)
HEAD = b"GET /bundles/out/manifest.json HTTP/1.1\r\nHost: 127.0.0.1\r\n"


def faults(capsys):
    """Return the lines on stderr, except those of servers of other tests that end meanwhile."""
    return [line for line in capsys.readouterr().err.splitlines() if not line.startswith("INFO: ")]


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=HANG_S)


def answer(sock):
    """Return all data until the server ends the connection, and whether it reset it."""
    data = b""
    with contextlib.suppress(ConnectionResetError):
        while piece := sock.recv(65_536):
            data += piece
    return data


# ---- slow


@pytest.mark.parametrize("begin", [b"", b"GET / HT", HEAD, HEAD + b"X: "])
def test_a_head_that_never_ends_ends_the_connection(begin, bundle):
    with running(create_app({"out": bundle}), SOON) as port, connect(port) as sock:
        sock.sendall(begin)
        assert answer(sock) == b""


def test_a_head_that_comes_byte_by_byte_ends_the_connection(bundle):
    with running(create_app({"out": bundle}), SOON) as port, connect(port) as sock:
        with contextlib.suppress(ConnectionError):
            while not select.select([sock], [], [], 0.01)[0]:
                sock.sendall(b"G")
        assert b"200" not in answer(sock)


def test_a_second_request_that_never_ends_ends_the_connection(bundle):
    with running(create_app({"out": bundle}), SOON) as port, connect(port) as sock:
        sock.sendall(HEAD + b"\r\n")
        assert sock.recv(15) == b"HTTP/1.1 200 OK"
        sock.sendall(b"GET / HTTP/1.1\r\n")
        assert b"HTTP/1.1" not in answer(sock)


def test_an_idle_connection_ends(bundle):
    with running(create_app({"out": bundle}), SOON) as port, connect(port) as sock:
        sock.sendall(HEAD + b"\r\n")
        assert answer(sock).startswith(b"HTTP/1.1 200 OK")


def test_a_body_that_never_ends_is_not_waited_for(bundle):
    with running(create_app({"out": bundle}), LATE) as port, connect(port) as sock:
        sock.sendall(HEAD + b"Content-Length: 1000000\r\n\r\n")
        assert answer(sock).startswith(b"HTTP/1.1 413 ")


# ---- large


@pytest.mark.parametrize(
    "request_",
    [
        b"GET /" + b"a" * 300_000,
        HEAD + b"X: " + b"a" * 300_000,
        HEAD + b"X: a\r\n" * 50_000,
        b"\0" * 100,
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00",
    ],
    ids=["address", "header", "headers", "zeros", "no host", "tls"],
)
def test_invalid_or_huge_requests_get_a_short_answer_or_none(request_, bundle, capsys):
    with running(create_app({"out": bundle}), SOON) as port:
        with connect(port) as sock:
            with contextlib.suppress(ConnectionError):
                sock.sendall(request_)
            found = answer(sock)
        assert found == b"" or (
            found.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 431 "))
            and b"nosniff" in found
            and len(found) < 1000
        )
        with connect(port) as sock:  # it still runs
            sock.sendall(HEAD + b"Connection: close\r\n\r\n")
            assert answer(sock).startswith(b"HTTP/1.1 200 OK")
    assert faults(capsys) == []


def test_a_bad_request_after_a_good_one_is_not_a_fault(bundle, capsys):
    with running(create_app({"out": bundle}), SOON) as port, connect(port) as sock:
        sock.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\nno chunk\r\n" + b"\0" * 1000)
        answer(sock)
    assert faults(capsys) == []


# ---- many


def test_connections_above_the_limit_are_refused(bundle):
    with running(create_app({"out": bundle}), LATE) as port, contextlib.ExitStack() as stack:
        first = [stack.enter_context(connect(port)) for _ in range(3)]
        for sock in first:
            sock.sendall(HEAD + b"\r\n")
            assert sock.recv(15) == b"HTTP/1.1 200 OK"
        for _ in range(5):
            with connect(port) as sock:
                found = answer(sock)
                assert found.startswith(b"HTTP/1.1 503 ") and b"nosniff" in found
        first[0].close()

        def asks_again():
            with connect(port) as sock:
                with contextlib.suppress(ConnectionError):
                    sock.sendall(HEAD + b"Connection: close\r\n\r\n")
                return answer(sock)[:15]

        until(asks_again, b"HTTP/1.1 200 OK")


def test_the_limit_follows_the_number_of_files(monkeypatch):
    given = {}
    monkeypatch.setattr(resource, "getrlimit", lambda which: (64, 64))
    monkeypatch.setattr(resource, "setrlimit", lambda which, limits: given.update(limits=limits))
    few = connections.limits_of_process()
    assert not given and 2 * few.connections + 4 * few.at_once < 64
    monkeypatch.setattr(resource, "getrlimit", lambda which: (64, 4096))
    assert connections.limits_of_process().connections == 512 and given == {"limits": (4096, 4096)}
    for unlimited in (
        (64, resource.RLIM_INFINITY),
        (resource.RLIM_INFINITY,) * 2,
        (1 << 30, 1 << 30),
        (16, 16),
    ):
        monkeypatch.setattr(resource, "getrlimit", lambda which, limits=unlimited: limits)
        assert 2 <= connections.limits_of_process().connections <= 512


def test_120_connections_with_64_files(bundle, root):
    """No traceback, no flood of lines; accepted clients are served, and so are later ones."""
    command = f"ulimit -n 64; exec {sys.executable} -m tlparse_bundle serve --no-token {bundle}"
    environment = {"PYTHONPATH": str(root / "preprocessor"), "PATH": "/usr/bin:/bin"}
    with subprocess.Popen(
        ["sh", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            port = int(process.stdout.readline().strip().rstrip("/").rpartition(":")[2])
            with contextlib.ExitStack() as stack:
                socks = [stack.enter_context(connect(port)) for _ in range(120)]
                for sock in socks:
                    with contextlib.suppress(ConnectionError):
                        sock.sendall(HEAD + b"Connection: close\r\n\r\n")
                answers = [answer(sock) for sock in socks]
            assert any(found.startswith(b"HTTP/1.1 200 OK") for found in answers)
            with connect(port) as sock:
                sock.sendall(HEAD + b"Connection: close\r\n\r\n")
                assert answer(sock).startswith(b"HTTP/1.1 200 OK")
        finally:
            process.terminate()
            _, errors = process.communicate(timeout=HANG_S)
    assert errors.splitlines() == ["Press Ctrl-C to stop."]


# ---- its own name, and headers of proxies


def test_headers_of_proxies_are_ignored_and_no_answer_names_the_server(capsys):
    async def app(scope, receive, send):
        await PlainTextResponse(f"{scope['scheme']} {scope['client'][0]}")(scope, receive, send)

    forwarded = b"X-Forwarded-Proto: https\r\nX-Forwarded-For: 10.1.2.3\r\nConnection: close\r\n\r\n"
    with running(app, LATE) as port, connect(port) as sock:
        sock.sendall(HEAD + forwarded)
        head, _, text = answer(sock).partition(b"\r\n\r\n")
    assert text == b"http 127.0.0.1"
    assert b"\r\nserver:" not in head.lower()
    assert capsys.readouterr() == ("", "")  # nor is there a line for each request
