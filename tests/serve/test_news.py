"""News of a growing bundle: who receives which, and that nobody else does."""

import json
import os
import shutil
import socket

import pytest
from running_server import running
from starlette.testclient import TestClient
from tlparse_bundle.serve.catalogue import Bundles
from tlparse_bundle.serve.http import state_events
from tlparse_bundle.serve.http.app import create_app
from tlparse_bundle.serve.http.connections import server_of
from tlparse_bundle.serve.http.state_events import News, state_of
from waiting import HANG_S, until

ME = "https://me.github.io"
BASE = "http://127.0.0.1:8000"


@pytest.fixture
def growing(bundle, tmp_path):
    """Return grow(counter, growing): the folder of a bundle whose manifest has this state."""
    out = tmp_path / "out"
    shutil.copytree(bundle, out)
    manifest = json.loads((out / "manifest.json").read_bytes())

    def grow(counter, growing=True):
        said = {"growing": True, "live": {"counter": counter}} if growing else {}
        (tmp_path / "next").write_text(json.dumps(manifest | said))
        os.replace(tmp_path / "next", out / "manifest.json")
        return out

    return grow


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Look at manifests without waiting."""
    monkeypatch.setattr(News.__init__, "__defaults__", (0.01, HANG_S))


class Listener:
    """A page that listens to events."""

    def __init__(self, port, name="out"):
        self.sock = socket.create_connection(("127.0.0.1", port), timeout=HANG_S)
        self.sock.sendall(f"GET /bundles/{name}.events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        self.file = self.sock.makefile("rb")
        self.head = b"".join(iter(self.file.readline, b"\r\n"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.sock.close()

    def next(self):
        """Return the data of the next event; None at the end of the stream."""
        for line in self.file:
            if line.startswith(b"data: "):
                return json.loads(line[6:])
        return None


def test_a_page_hears_of_each_state_and_of_the_end(growing):
    app = create_app({"out": growing(1)})
    with running(app) as port, Listener(port) as page:
        assert (
            page.head.startswith(b"HTTP/1.1 200")
            and b"content-type: text/event-stream" in page.head.lower()
            and b"no-store" in page.head
        )
        assert page.next() == {"counter": 1, "growing": True}
        growing(2)
        assert page.next() == {"counter": 2, "growing": True}
        growing(3, growing=False)
        assert page.next() == {"counter": None, "growing": False}
        assert page.next() is None
    client = TestClient(app, base_url=BASE)
    assert client.get("/bundles/out.events").status_code == 204, "an EventSource does not ask again"
    assert client.get("/bundles/none.events").status_code == 404


def test_a_page_that_did_not_listen_hears_the_newest_state_alone(growing):
    with running(create_app({"out": growing(1)})) as port:
        with Listener(port) as page:
            assert page.next()["counter"] == 1
        for counter in range(2, 30):
            growing(counter)
        with Listener(port) as one, Listener(port) as other:
            assert one.next()["counter"] == other.next()["counter"] == 29


def test_a_bundle_that_is_gone_for_a_moment_is_waited_for(growing):
    out = growing(4)
    with running(create_app({"out": out})) as port, Listener(port) as page:
        assert page.next()["counter"] == 4
        (out / "manifest.json").unlink()
        growing(1)
        assert page.next() == {"counter": 1, "growing": True}


def test_a_sign_of_life_comes_when_nothing_else_does(growing, monkeypatch):
    monkeypatch.setattr(News.__init__, "__defaults__", (0.01, 0.05))
    with running(create_app({"out": growing(1)})) as port, Listener(port) as page:
        assert page.next()["counter"] == 1
        assert any(line.rstrip().endswith(b":") for line in page.file)


def test_a_page_that_leaves_or_takes_nothing_is_let_go(growing, monkeypatch):
    monkeypatch.setattr(state_events, "_MOST_STREAMS", 1)
    with running(create_app({"out": growing(1)})) as port:
        with Listener(port) as page:
            assert page.next()
            with Listener(port) as refused:
                assert refused.head.startswith(b"HTTP/1.1 503")

        def again():
            with Listener(port) as page:
                return page.head[:12]

        until(again, b"HTTP/1.1 200")


def test_the_server_ends_while_pages_listen(growing):
    """At once and without a message: whoever ended the server broke nothing off."""
    import threading

    from tlparse_bundle.serve.http.connections import Limits
    from tlparse_bundle.serve.http.server import listen

    sock = listen(0)
    server = server_of(create_app({"out": growing(1)}), Limits(connections=20, at_once=8, end_seconds=HANG_S))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
    port = sock.getsockname()[1]
    thread.start()
    with Listener(port) as page:
        assert page.next()
        server.should_exit = True
        thread.join(HANG_S)
        assert not thread.is_alive()
        assert page.next() is None


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 400),
        ({"Origin": "https://evil.example"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Cookie": ""}, 403),
        ({"Authorization": "Bearer wrong"}, 403),
        ({"Authorization": "Bearer right"}, 200),
        ({"Authorization": "Bearer right", "Origin": ME}, 200),
        ({"Authorization": "Bearer right", "Origin": "https://evil.example"}, 403),
    ],
)
def test_others_receive_none(headers, status, growing):
    client = TestClient(create_app({"out": growing(1)}, token="right", allow_origins=[ME]), base_url=BASE)
    there = client.head("/bundles/out.events", headers=headers)
    assert there.status_code == status
    if status != 200:
        assert client.head("/bundles/none.events", headers=headers).status_code == status, (
            "nor learns what there is"
        )


def test_the_manifest_names_the_event_stream(growing):
    client = TestClient(create_app({"out": growing(1)}, allow_origins=[ME]), base_url=BASE)
    answer = client.get("/bundles/out/manifest.json", headers={"Origin": ME})
    assert answer.headers["tlparse-bundle-live"] == "events" and answer.headers["cache-control"] == "no-cache"
    assert "Tlparse-Bundle-Live" in answer.headers["access-control-expose-headers"]
    assert client.get("/bundles.json").json()["bundles"][0]["growing"] is True


def test_a_state_that_cannot_be_read_is_the_one_before(growing):
    out = growing(7)
    from tlparse_bundle.serve.bundle_places import open_place

    heard = News(Bundles({"out": open_place(out)}))
    known = heard._bundles.file
    assert heard._parsed("out", known("out/manifest.json")[1]) == (7, True)
    (out / "manifest.json").write_text('{"format": {"na')
    assert heard._parsed("out", known("out/manifest.json")[1]) == (7, True)
    (out / "manifest.json").write_text("[]")
    assert heard._parsed("out", known("out/manifest.json")[1]) is None


@pytest.mark.parametrize("manifest", [None, [], {}, {"format": "x"}, {"format": {"name": "other"}}])
def test_an_invalid_manifest_has_no_state(manifest):
    assert state_of(manifest) is None


@pytest.mark.parametrize("live", [None, [], {}, {"counter": "9"}, {"counter": True}, {"counter": None}])
def test_an_invalid_counter_is_not_sent(live):
    assert state_of({"format": {"name": "tlparse-bundle"}, "growing": True, "live": live}) == (None, True)
