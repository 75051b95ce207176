"""Files that the server gives, and requests that it refuses."""

import asyncio
import gzip
import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.parse
import urllib.request

import pytest
import zstandard
from log_builder import log
from loops import run
from starlette.testclient import TestClient
from tlparse_bundle import BundleError, build, discover
from tlparse_bundle.serve.catalogue import url_names
from tlparse_bundle.serve.http import server as server_module
from tlparse_bundle.serve.http.app import create_app
from tlparse_bundle.serve.http.server import listen, ssh_hint
from waiting import HANG_S, until

TEXT = b"<script>alert(1)</script>"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    folder = tmp_path_factory.mktemp("serve")
    (folder / "secret.txt").write_text("secret")
    (folder / "dedicated_log_torch_trace_x.log").write_bytes(log("artifact:a 0/0\n | " + TEXT.decode()))
    build(discover([folder]), folder / "out", jobs=1)
    (folder / "out" / "link").symlink_to(folder / "secret.txt")
    (folder / "out" / "folder_link").symlink_to(folder)
    (folder / "out" / ".hidden").write_text("hidden")
    return folder / "out"


@pytest.fixture(scope="module")
def client(bundle):
    app = create_app({"out": bundle})
    with TestClient(app, base_url="http://127.0.0.1:8000", follow_redirects=False) as client:
        client.headers.pop("accept-encoding")
        yield client


@pytest.fixture(scope="module")
def blob(bundle):
    (path,) = bundle.glob("blobs/*/*.zst")
    return path


def get_raw(client, path, **headers):
    """Return a response without the client's own decoding."""
    with client.stream("GET", path, headers=headers) as response:
        response.raw = b"".join(response.iter_raw())
        return response


def ask(app, path):
    """Return status and body for a path that no client has normalized."""
    raw, decoded = path.encode(), urllib.parse.unquote(path)
    scope = {"type": "http", "http_version": "1.1", "method": "GET", "scheme": "http", "root_path": "", "query_string": b"",
             "path": decoded, "raw_path": raw, "headers": [(b"host", b"localhost")], "server": ("localhost", 80), "client": None}  # fmt: skip
    sent = []

    async def receive():
        return {"type": "http.request"}

    async def send(message):
        sent.append(message)

    run(app(scope, receive, send))
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent)


# ---- who may ask


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:1234", "localhost", "localhost:9"])
def test_this_machine_may_ask(host, client):
    assert client.get("/bundles/out/manifest.json", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost.evil.example", "0.0.0.0", ""],
)
def test_another_host_is_refused(host, client):
    response = client.get("/bundles/out/manifest.json", headers={"Host": host})
    assert response.status_code == 400 and b"tlparse" not in response.content


def test_no_other_origin_may_read(client):
    response = client.get("/bundles/out/manifest.json", headers={"Origin": "https://evil.example"})
    assert not any(name.startswith("access-control-") for name in response.headers)
    assert response.headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_nothing_can_be_changed(method, client):
    assert client.request(method, "/bundles/out/manifest.json").status_code == 405


# ---- encodings


@pytest.mark.parametrize(
    "accepted,encoding",
    [
        ("zstd", "zstd"),
        ("gzip, deflate, br, zstd", "zstd"),
        ("gzip;q=1.0, zstd;q=0.5", "zstd"),
        ("ZSTD", "zstd"),
        ("zstd;q=0, gzip", "gzip"),
        ("zstd;q=0.0, gzip;q=0.001", "gzip"),
        ("zstd ; q=0.000 , gzip", "gzip"),
        ("gzip", "gzip"),
        ("gzip;q=0", None),
        ("identity", None),
        ("br", None),
        ("", None),
    ],
)
def test_the_encoding_is_the_best_that_the_browser_takes(accepted, encoding, client, blob, bundle):
    response = get_raw(client, f"/bundles/out/{blob.relative_to(bundle)}", **{"Accept-Encoding": accepted})
    assert response.headers.get("content-encoding") == encoding
    decode = {"zstd": zstandard.decompress, "gzip": gzip.decompress, None: bytes}[encoding]
    assert decode(response.raw) == TEXT
    assert "accept-encoding" in response.headers["vary"].lower()
    assert int(response.headers["content-length"]) == len(response.raw)


def test_without_the_header_a_file_comes_decoded(client, blob, bundle):
    assert get_raw(client, f"/bundles/out/{blob.relative_to(bundle)}").raw == TEXT


def test_text_of_viewers_is_compressed(client):
    plain = get_raw(client, "/viewers/lib/page/dom.js", **{"Accept-Encoding": "identity"})
    packed = get_raw(client, "/viewers/lib/page/dom.js", **{"Accept-Encoding": "gzip"})
    assert "content-encoding" not in plain.headers and packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.raw) == plain.raw and len(packed.raw) < len(plain.raw) / 2
    tags = {answer.headers["etag"] for answer in (plain, packed)}
    assert len(tags) == 2
    for accepted, answer in (("identity", plain), ("gzip", packed)):
        headers = {"Accept-Encoding": accepted, "If-None-Match": answer.headers["etag"]}
        assert get_raw(client, "/viewers/lib/page/dom.js", **headers).status_code == 304
    part = get_raw(client, "/viewers/lib/page/dom.js", **{"Accept-Encoding": "gzip", "Range": "bytes=3-9"})
    assert part.status_code == 206 and part.raw == plain.raw[3:10] and "content-encoding" not in part.headers


@pytest.mark.parametrize("codec", ["gzip", "none"])
def test_bundles_of_other_codecs(codec, bundle, tmp_path):
    build(
        discover([bundle.parent / "dedicated_log_torch_trace_x.log"]), tmp_path / "out", jobs=1, codec=codec
    )
    client = TestClient(create_app({"out": tmp_path / "out"}), base_url="http://localhost")
    (path,) = (path.relative_to(tmp_path / "out") for path in (tmp_path / "out" / "logs").rglob("log.json*"))
    for accepted in ("gzip", "zstd", "identity"):
        response = client.get(f"/bundles/out/{path}", headers={"Accept-Encoding": accepted})
        assert response.json()["id"] == "x"
        assert response.headers.get("content-encoding") == ("gzip" if codec == accepted == "gzip" else None)


# ---- types and headers


def test_types(client, blob, bundle, root):
    types = {
        "/bundles/out/manifest.json": "application/json; charset=utf-8",
        "/bundles/out/logs/x/log.json.zst": "application/json; charset=utf-8",
        "/bundles/out/logs/x/artifacts.jsonl.zst": "application/jsonl; charset=utf-8",
        "/bundles/out/logs/x/verbatim/0000.log.zst": "text/plain; charset=utf-8",
        f"/bundles/out/{blob.relative_to(bundle)}": "text/plain; charset=utf-8",
        "/viewers/default/index.html": "text/html; charset=utf-8",
        "/viewers/lib/bundle/bundle.js": "text/javascript; charset=utf-8",
        "/viewers/default/style.css": "text/css; charset=utf-8",
    }
    for path, expected in types.items():
        response = client.get(path)
        assert (response.status_code, response.headers["content-type"]) == (200, expected), path
        assert response.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in response.headers["content-security-policy"]
        assert "unsafe" not in response.headers["content-security-policy"].replace(
            "'wasm-unsafe-eval'", ""
        )  # which runs no text


def test_a_payload_never_comes_as_a_page(client, blob, bundle):
    response = client.get(f"/bundles/out/{blob.relative_to(bundle)}", headers={"Accept": "text/html"})
    assert response.content == TEXT and response.headers["content-type"].startswith("text/plain")


def test_blobs_are_cached_permanently_and_the_rest_is_revalidated(client, blob, bundle):
    assert "immutable" in client.get(f"/bundles/out/{blob.relative_to(bundle)}").headers["cache-control"]
    for path in (
        "/bundles/out/manifest.json",
        "/bundles/out/logs/x/log.json.zst",
        "/viewers/lib/bundle/bundle.js",
    ):
        assert client.get(path).headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("accepted", ["zstd", "gzip", "identity"])
def test_a_file_that_the_browser_has_is_not_sent_again(accepted, client):
    path, headers = "/bundles/out/logs/x/log.json.zst", {"Accept-Encoding": accepted}
    etag = get_raw(client, path, **headers).headers["etag"]
    again = get_raw(client, path, **headers, **{"If-None-Match": etag})
    assert (again.status_code, again.raw, again.headers["etag"]) == (304, b"", etag)
    assert get_raw(client, path, **headers, **{"If-None-Match": '"other"'}).status_code == 200


def test_each_encoding_has_a_tag_of_its_own(client):
    tags = {
        get_raw(client, "/bundles/out/logs/x/log.json.zst", **{"Accept-Encoding": accepted}).headers["etag"]
        for accepted in ("zstd", "gzip", "identity")
    }
    assert len(tags) == 3


def test_head_has_no_body(client):
    response = client.head("/bundles/out/manifest.json")
    assert (response.status_code, response.content) == (200, b"") and int(
        response.headers["content-length"]
    ) > 100


def test_the_start_page_leads_to_the_viewer_with_the_first_bundle(client):
    response = client.get("/")
    assert response.headers["location"] == "/viewers/default/?bundle=/bundles/out/"
    assert client.get(response.headers["location"]).text.lower().startswith("<!doctype html>")


def test_a_viewer_without_slash_is_redirected_with_its_query(client):
    assert (
        client.get("/viewers/default?bundle=/bundles/out/")
        .headers["location"]
        .endswith("/viewers/default/?bundle=/bundles/out/")
    )


# ---- paths


@pytest.mark.parametrize("base", ["/bundles/out/", "/viewers/"])
@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt", "%2e%2e/secret.txt", "..%2fsecret.txt", "%2e%2e%2fsecret.txt", "logs/../../secret.txt", "logs/%2e%2e/%2e%2e/secret.txt",
        "/etc/passwd", "%2fetc%2fpasswd", "//etc/passwd", "..", "%2e%2e", "../..", "%2e%2e/%2e%2e/etc", "..%5c..%5csecret.txt", "C:/secret.txt",
        "link", "folder_link/secret.txt", ".hidden", "./.hidden", "x%00y", "%00", "a" * 5000, "a/" * 2000, "%ff%fe", "nothing", "logs", "logs/", "blobs/", "", ".",
    ],
)  # fmt: skip
def test_nothing_else_is_given(base, path, client):
    status, body = ask(client.app, base + path)
    assert status == 404
    for word in (b"secret\n", b"root:", b"hidden\n", b"format", b"Traceback"):
        assert word not in body


@pytest.mark.parametrize(
    "path", ["/bundles/other/manifest.json", "/bundles/", "/docs", "/schema/log.schema.json"]
)
def test_unknown_places(path, client):
    assert client.get(path).status_code == 404


def test_names_of_bundles_are_unique_and_safe(tmp_path):
    paths = [tmp_path / "a" / "out", tmp_path / "b" / "out", tmp_path / "sp ace?#", tmp_path / ".hidden"]
    assert list(url_names(paths)) == ["out", "out-2", "sp_ace__", "hidden"]


# ---- the real server


def test_a_taken_port_is_reported_in_a_sentence():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(BundleError, match=f"port {other.getsockname()[1]} is taken"):
            listen(other.getsockname()[1])


def test_the_default_port_is_the_first_that_is_free(monkeypatch):
    with listen(0) as taken:
        monkeypatch.setattr(server_module, "DEFAULT_PORT", taken.getsockname()[1])
        with listen() as next_one:
            assert 0 < next_one.getsockname()[1] - server_module.DEFAULT_PORT < server_module._NEXT
        monkeypatch.setattr(server_module, "_NEXT", 1)
        with listen() as any_one:
            assert any_one.getsockname()[1] != server_module.DEFAULT_PORT
    with listen() as first:  # it is free again
        assert first.getsockname()[1] == server_module.DEFAULT_PORT


def test_it_listens_on_this_machine_only():
    with listen(0) as sock:
        assert sock.getsockname()[0] == "127.0.0.1"


def test_answers_do_not_wait_for_an_acknowledgement():
    """A page has about a hundred small files; 40 ms for each would be seconds."""

    async def no_delay():
        accepted = asyncio.get_running_loop().create_future()
        server = await asyncio.start_server(lambda _, writer: accepted.set_result(writer), sock=listen(0))
        async with server:
            _, client = await asyncio.open_connection(*server.sockets[0].getsockname())
            writer = await accepted
            option = writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            writer.close()
            client.close()
            return option

    assert run(no_delay())


def test_the_hint_for_remote_machines(monkeypatch):
    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    assert ssh_hint("http://127.0.0.1:81/") is None
    monkeypatch.setenv("SSH_CONNECTION", "1.2.3.4 5 6.7.8.9 22")
    assert ssh_hint("http://127.0.0.1:81/?token=x").startswith("ssh -N -L 81:127.0.0.1:81 ")


def test_serve_prints_its_url_serves_and_ends_with_ctrl_c(bundle, root):
    environment = {**os.environ, "PYTHONPATH": str(root / "preprocessor")}
    command = [sys.executable, "-m", "tlparse_bundle", "serve", str(bundle), "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            url = process.stdout.readline().strip()
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{32}", url)
            browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            with browser.open(url, timeout=HANG_S) as response:
                assert response.url.endswith("/viewers/default/?bundle=/bundles/out/")
            with browser.open(
                url.partition("?")[0] + "bundles/out/manifest.json", timeout=HANG_S
            ) as response:
                assert json.load(response)["format"]["name"] == "tlparse-bundle"
            process.send_signal(signal.SIGINT)
            rest, errors = process.communicate(timeout=HANG_S)
        finally:
            process.kill()
    assert (process.returncode, rest) == (0, "")
    assert "Traceback" not in errors and "Press Ctrl-C" in errors


@pytest.fixture
def serving(root, tmp_path):
    """Yield serving(arguments): output of the command from its first line, while it serves; ends it with a
    signal.
    """
    started = []

    def serve_it(*arguments):
        environment = {**os.environ, "PYTHONPATH": str(root / "preprocessor"), "TMPDIR": str(tmp_path)}
        command = [sys.executable, "-m", "tlparse_bundle", "serve", *map(str, arguments)]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=tmp_path
        )
        started.append(process)
        return process, process.stdout.readline().strip()

    yield serve_it
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_trace_is_served_from_a_bundle_that_goes_away_with_the_server(number, serving, bundle, tmp_path):
    (tmp_path / "run 7").mkdir()
    (tmp_path / "run 7" / "dedicated_log_torch_trace_x.log").write_bytes(log("artifact:a 0/0\n | text"))
    process, url = serving("run 7", bundle, "--port", "0")
    base = url.partition("?")[0] + f"t/{url.partition('=')[2]}/"
    with urllib.request.urlopen(f"{base}bundles.json", timeout=HANG_S) as response:
        assert [row["name"] for row in json.load(response)["bundles"]] == ["run_7", "out"]
    assert len(list(tmp_path.rglob("manifest.json"))) == 1
    process.send_signal(number)
    _, errors = process.communicate(timeout=HANG_S)
    assert (
        "run 7 is a trace." in errors
        and "to keep it: tlparse-bundle 'run 7'" in errors
        and "Traceback" not in errors
    )
    until(lambda: [path.name for path in tmp_path.iterdir()] == ["run 7"])


def test_an_empty_folder_may_get_bundles_later(serving, bundle, tmp_path):
    (tmp_path / "runs").mkdir()
    _process, url = serving("runs", "--port", "0")
    base = url.partition("?")[0] + f"t/{url.partition('=')[2]}/"
    for there in ([], ["runs/new"]):
        with urllib.request.urlopen(f"{base}bundles.json", timeout=HANG_S) as response:
            assert [row["name"] for row in json.load(response)["bundles"]] == there
        (tmp_path / "new").mkdir(exist_ok=True)
        (tmp_path / "new" / "manifest.json").write_bytes((bundle / "manifest.json").read_bytes())
        if not there:
            (tmp_path / "new").rename(tmp_path / "runs" / "new")
