"""Bundles and logs on malicious web servers: redirects, sizes, delays."""

import http.server
import threading
from contextlib import contextmanager, suppress

import pytest

pytest.importorskip("aiohttp", reason="reading from web servers needs aiohttp")

from tlparse_bundle import Bundle, BundleError, discover
from tlparse_bundle.base import remote_http
from tlparse_bundle.base.remote import RemoteFile, RemoteFolder
from waiting import HANG_S


@contextmanager
def web_server(answer):
    """Return the address of a server whose responses ``answer(handler)`` writes, and the requested paths."""
    asked, ended = [], threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            with suppress(ConnectionError):
                answer(self)

        do_HEAD = do_GET

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads, server.ended = True, ended
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        ended.set()
        server.shutdown()
        server.server_close()


@pytest.fixture
def web(servers):
    return lambda answer: servers.enter_context(web_server(answer))


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(remote_http.Patience, "seconds", 0.3)


def sends(handler, body=b"", status=200, **headers):
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


def without_end(handler, piece, pause):
    """Send until the test ends."""
    while not handler.server.ended.wait(pause):
        handler.wfile.write(piece)
        handler.wfile.flush()


# ---- where it leads


def refusal(url):
    with pytest.raises(BundleError) as caught:
        Bundle.open(url)
    return caught.value.message


@pytest.mark.parametrize(
    "there",
    [
        "http://{secret}/out/manifest.json",
        "http://localhost:{port}/x",
        "http://127.0.0.1:1/",
        "//169.254.169.254/latest/",
        "ftp://127.0.0.1/",
        "file:///etc/passwd",
        "https://127.0.0.1:{port}/",
    ],
)
def test_another_host_port_or_scheme_is_not_followed(there, web, bundle, hosted):
    secret, asked_there = web(lambda handler: sends(handler, (bundle / "manifest.json").read_bytes()))
    url, asked = web(lambda handler: sends(handler, status=302, Location=target()))

    def target():
        return there.format(secret=secret.removeprefix("http://"), port=url.rpartition(":")[2])

    message = refusal(f"{url}/out")
    assert "server redirects to" in message and "pass a URL there" in message
    assert asked == ["/out/manifest.json"] and not asked_there


def test_a_log_that_leads_elsewhere_is_not_followed(web):
    secret, asked_there = web(lambda handler: sends(handler, b"V0101 secret"))
    url, _ = web(lambda handler: sends(handler, status=307, Location=f"{secret}/x"))
    with pytest.raises(BundleError, match=f"redirects to {secret}; pass a URL there"):
        discover([f"{url}/dedicated_log_torch_trace_x.log"])
    for do in (
        lambda: RemoteFolder(url).info("x"),
        lambda: RemoteFile(f"{url}/x").open(),
        lambda: RemoteFolder(url).folders(),
        lambda: RemoteFolder(url).files(),
    ):
        with pytest.raises(OSError, match="server redirects to"):
            do()
    assert not asked_there


def test_another_place_on_the_same_server_is_followed(web, bundle):
    def answer(handler):
        if handler.path.startswith("/old/"):
            return sends(handler, status=301, Location=handler.path.replace("/old/", "/new/"))
        return sends(handler, (bundle / handler.path.removeprefix("/new/")).read_bytes())

    url, asked = web(answer)
    assert Bundle.open(f"{url}/old").logs[0].id == "x"
    assert asked[:2] == ["/old/manifest.json", "/new/manifest.json"]


def test_a_redirect_loop(web):
    url, asked = web(lambda handler: sends(handler, status=302, Location=handler.path + "x"))
    assert "more than 5 times" in refusal(f"{url}/out")
    assert len(asked) == 6


def test_links_out_of_the_folder_are_ignored(web):
    page = (
        '<a href="a.log">a</a> <a href="http://127.0.0.1:1/out/b.log">b</a> <a href="/c.log">c</a> <a'
        ' href="../d.log">d</a> <a href="e/../../e.log">e</a> <a href="?C=N">f</a> <a href="sub/">g</a> <a'
        ' href="./">h</a>'
    )
    url, asked = web(
        lambda handler: sends(
            handler, page.encode() if handler.path == "/out/" else b"", Content_Type="text/html"
        )
    )
    assert list(RemoteFolder(f"{url}/out").files()) == ["a.log"]
    assert all(path.startswith("/out/") for path in asked)


@pytest.mark.parametrize(
    "page",
    [b'<a href="x/">x</a>', b"".join(b'<a href="%d/">x</a>' % i for i in range(3000))],
    ids=["deep", "wide"],
)
def test_folders_without_end(page, web):
    url, asked = web(lambda handler: sends(handler, page, Content_Type="text/html"))
    with pytest.raises(OSError, match="more than 2,000 folders"):
        RemoteFolder(f"{url}/logs").files()
    assert len(asked) < 50


@pytest.mark.parametrize(
    "path",
    [
        "../secret",
        "x/../../secret",
        "%2e%2e/secret",
        "x/%2E%2e/%2e%2e/secret",
        "..\\secret",
        "%2e%2e%5csecret",
    ],
)
def test_no_path_leads_out_of_a_folder(path, web):
    url, asked = web(lambda handler: sends(handler, b"secret"))
    with pytest.raises(BundleError, match="points outside"):
        RemoteFolder(f"{url}/out").read(path, 100)
    assert not asked


# ---- how much it sends


@pytest.mark.parametrize("length", [None, "10", "100000000000"], ids=["no length", "short", "huge"])
def test_a_body_without_end(length, web):
    def answer(handler):
        sends(handler, **({"Content_Length": length} if length else {}))
        without_end(handler, bytes(1 << 20), 0)

    url, _ = web(answer)
    if length == "10":
        try:
            assert RemoteFolder(url).read("x", 1 << 22) == bytes(10)
        except OSError as error:  # bytes after the body may arrive with it
            assert len(str(error)) < 500 and "\n" not in str(error)
        return
    with pytest.raises(OSError, match="more than 4,194,304 bytes"):
        RemoteFolder(url).read("x", 1 << 22)


def test_a_compressed_body_is_not_decompressed(web):
    url, _ = web(lambda handler: sends(handler, b"\x1f\x8b not unpacked", Content_Encoding="gzip"))
    assert RemoteFolder(url).read("x", 100) == b"\x1f\x8b not unpacked"


def test_a_range_without_end(web, monkeypatch):
    """A log is read in ranges: a server that sends more than requested is cut off."""
    monkeypatch.setattr(remote_http, "MAX_BYTES", 1 << 23)

    def answer(handler):
        if handler.command == "HEAD":
            return sends(handler, Content_Length=str(1 << 40), Accept_Ranges="bytes")
        handler.send_response(206)
        handler.end_headers()
        without_end(handler, bytes(1 << 20), 0)

    url, _ = web(answer)
    with pytest.raises(OSError, match="more than 8,388,608 bytes"):
        RemoteFile(f"{url}/x.log").open().read(100)


def test_a_log_on_a_bucket_has_the_same_bound():
    fsspec = pytest.importorskip("fsspec")
    fsspec.filesystem("memory").pipe_file("/bounds/x", bytes(101))
    fsspec.filesystem("memory").pipe_file("/bounds/empty", b"")
    folder = RemoteFolder("memory://bounds")
    assert folder.read("x", 101) == bytes(101) and folder.read("empty", 5) == b""
    with pytest.raises(OSError, match="more than 100 bytes"):
        folder.read("x", 100)
    with pytest.raises(FileNotFoundError):
        folder.read("nothing", 100)


# ---- how long it takes


@pytest.mark.parametrize("way", ["silence", "head", "body", "pieces"])
def test_a_server_that_never_responds(way, web, impatient):
    def answer(handler):
        if way == "head":
            handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
            without_end(handler, b"X: y\r\n", 0.02)
        elif way == "silence":
            handler.server.ended.wait(HANG_S)
        else:
            sends(handler, Content_Length="1000000")
            without_end(handler, b"{" if way == "pieces" else b"", 0.02)

    url, _ = web(answer)
    message = refusal(f"{url}/out")
    assert ("did not respond within" if way in ("silence", "head") else "sends too slowly") in message


@pytest.mark.parametrize("size", [None, 1 << 20])
def test_a_log_that_never_arrives(size, web, impatient):
    def answer(handler):
        sends(handler, **({"Content_Length": str(size)} if size else {}))
        if handler.command == "GET":
            without_end(handler, b"V", 0.02)

    url, _ = web(answer)
    with pytest.raises((OSError, BundleError), match="sends too slowly"):
        stream = RemoteFile(f"{url}/x.log").open()
        while stream.read(1 << 20):
            pass


@pytest.mark.parametrize("status", [404, 500, 403])
def test_a_refusal_by_the_server_is_reported_in_a_sentence(status, web):
    url, _ = web(lambda handler: sends(handler, status=status))
    assert f"{url}/out/manifest.json cannot be read" in refusal(f"{url}/out")


def test_an_answer_that_ends_too_early(web):
    url, _ = web(lambda handler: sends(handler, b"{", Content_Length="100"))
    assert "cannot be read" in refusal(f"{url}/out")
