"""Large files: decoded in bounded pieces in parallel; and folder entries that are not files of a bundle."""

import http.client
import os
import shutil
import subprocess
import sys

import pytest
import zstandard
from running_server import running
from starlette.testclient import TestClient
from tlparse_bundle.bundle import codecs
from tlparse_bundle.serve.http import responses
from tlparse_bundle.serve.http.app import create_app
from waiting import HANG_S

LARGE = bytes(range(256)) * (5 << 12)  # 5 MB and 20 pieces
PATH = "/bundles/out/logs/x/compiles.jsonl"


@pytest.fixture
def bundle(bundle, tmp_path):
    shutil.copytree(bundle, tmp_path / "out")
    return tmp_path / "out"


@pytest.fixture
def client(bundle):
    client = TestClient(create_app({"out": bundle}), base_url="http://127.0.0.1:8000")
    client.headers.pop("accept-encoding")
    return client


def table(bundle, content, ending=".zst"):
    path = bundle / "logs" / "x" / f"compiles.jsonl{ending}"
    path.write_bytes(codecs.codec_of(path.name).encode(content) if isinstance(content, bytes) else content)
    return PATH + ending


# ---- encodings, ranges


@pytest.mark.parametrize("ending", [".zst", ".gz", ""])
@pytest.mark.parametrize("accepted", ["identity", "gzip", "zstd"])
def test_a_large_file_comes_whole(ending, accepted, client, bundle):
    path = table(bundle, LARGE, ending)
    response = client.get(path, headers={"Accept-Encoding": accepted})
    assert response.content == LARGE
    again = client.get(path, headers={"Accept-Encoding": accepted, "If-None-Match": response.headers["etag"]})
    assert again.status_code == 304
    head = client.head(path, headers={"Accept-Encoding": accepted})
    assert head.content == b"" and head.headers["etag"] == response.headers["etag"]


@pytest.mark.parametrize("ending", [".zst", ".gz", ""])
@pytest.mark.parametrize(
    "span", ["0-0", "1048575-1048576", "3000000-", "-3000000", "4000000-99999999", "0-5242879"]
)
def test_a_range_of_a_large_file(ending, span, client, bundle):
    first, _, last = span.partition("-")
    wanted = LARGE[-int(last) :] if not first else LARGE[int(first) : int(last) + 1 if last else None]
    response = client.get(
        table(bundle, LARGE, ending), headers={"Range": f"bytes={span}", "Accept-Encoding": "identity"}
    )
    assert (response.status_code, response.content) == (206, wanted)
    assert response.headers["content-range"].endswith(f"/{len(LARGE)}") and int(
        response.headers["content-length"]
    ) == len(wanted)
    assert (
        client.get(table(bundle, LARGE, ending), headers={"Range": f"bytes={len(LARGE)}-"}).status_code == 416
    )


# ---- bounds


def test_no_more_than_some_pieces_are_in_memory(bundle, root):
    """200 MB for a client that decodes nothing, from a server with less than half as much memory."""
    path = PATH + ".zst"
    with open(bundle / path.removeprefix("/bundles/out/"), "wb") as file:
        file.write(zstandard.ZstdCompressor(write_content_size=True).compress(bytes(200 << 20)))
    code = f"""if True:
        import resource
        from starlette.testclient import TestClient
        from tlparse_bundle.serve.http.app import create_app
        client = TestClient(create_app({{"out": {str(bundle)!r}}}), base_url="http://127.0.0.1")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(client.head({path!r}, headers={{"Accept-Encoding": "identity"}}).status_code)
        part = client.get({path!r}, headers={{"Accept-Encoding": "identity", "Range": "bytes=200000000-200000009"}})
        print(part.status_code, len(part.content))
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60_000)
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(root / "preprocessor")},
        timeout=HANG_S,
    )
    assert done.stdout.split() == ["200", "206", "10", "True"], done.stderr


@pytest.mark.parametrize(
    "data",
    [
        zstandard.ZstdCompressor(write_content_size=True).compress(bytes(1 << 20))[:-9],
        b"\x28\xb5\x2f\xfd\xe0" + (1 << 40).to_bytes(8, "little") + b"\x01\x00\x00",  # 1 TB, it says
        b"no zstd",
        b"",
    ],
    ids=["cut", "huge", "other", "empty"],
)
def test_undecodable_files_are_reported_in_a_sentence(data, client, bundle):
    (bundle / "logs" / "x" / "compiles.jsonl.zst").write_bytes(data)
    for headers in ({"Accept-Encoding": "identity"}, {"Accept-Encoding": "gzip"}, {"Range": "bytes=0-1"}):
        response = client.get(PATH + ".zst", headers=headers)
        assert response.status_code == 502 and "cannot be read" in response.text
    assert (
        client.head(PATH + ".zst", headers={"Accept-Encoding": "zstd"}).status_code == 200
    )  # the client that decodes it checks it


def test_a_file_that_holds_more_than_any_may(client, bundle, monkeypatch):
    path = table(bundle, LARGE)
    monkeypatch.setattr(responses, "MAX_FILE_BYTES", 1 << 20)
    assert client.get(path, headers={"Accept-Encoding": "identity"}).status_code == 502


def test_an_error_in_the_middle_ends_the_connection(bundle, capsys):
    """So no client takes the part for the whole."""
    good = os.urandom(3 << 20)
    frame = bytearray(zstandard.ZstdCompressor(write_content_size=True).compress(good))
    frame[-200_000:-100_000] = bytes(100_000)
    del frame[-50_000:]
    (bundle / "logs" / "x" / "compiles.jsonl.zst").write_bytes(frame)
    with running(create_app({"out": bundle})) as port:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=HANG_S)
        connection.request("GET", PATH + ".zst")
        response = connection.getresponse()
        assert response.status == 200
        with pytest.raises(http.client.IncompleteRead):
            response.read()
        connection.close()
    assert "Traceback" not in capsys.readouterr().err


def test_others_are_served_while_a_large_file_is_decoded(bundle):
    """The client reads nothing of its response, so it never ends."""
    path = table(bundle, bytes(100 << 20))
    with running(create_app({"out": bundle})) as port:
        slow = [http.client.HTTPConnection("127.0.0.1", port, timeout=HANG_S) for _ in range(4)]
        for connection in slow:
            connection.request("GET", path)
        quick = http.client.HTTPConnection("127.0.0.1", port, timeout=HANG_S)
        quick.request("GET", "/bundles/out/manifest.json")
        assert quick.getresponse().status == 200
        assert all(connection.getresponse().status == 200 for connection in slow)
        for connection in (*slow, quick):
            connection.close()


# ---- entries that are not files


def test_links_and_pipes_in_a_bundle_are_not_given(client, bundle, tmp_path):
    (tmp_path / "secret").write_text("secret")
    tables = bundle / "logs" / "x"
    for name in ("compiles", "events", "spans"):
        (tables / f"{name}.jsonl.zst").unlink(missing_ok=True)
    os.mkfifo(tables / "compiles.jsonl")
    (tables / "events.jsonl").symlink_to(tmp_path / "secret")
    (tables / "spans.jsonl").symlink_to(tables / "log.json.zst")  # out of the bundle or not
    (tables / "graphs.jsonl").mkdir()
    (bundle / "logs" / "y").symlink_to(tables)
    for path in ("x/compiles.jsonl", "x/events.jsonl", "x/spans.jsonl", "x/graphs.jsonl", "y/log.json.zst"):
        response = client.get(f"/bundles/out/logs/{path}")
        assert response.status_code in (404, 502) and "secret" not in response.text, path


def test_a_pipe_in_place_of_a_manifest(bundle):
    (bundle / "manifest.json").unlink()
    os.mkfifo(bundle / "manifest.json")
    client = TestClient(create_app({"out": bundle, "runs": bundle.parent}), base_url="http://127.0.0.1")
    assert client.get("/bundles.json").json()["bundles"] == []
    assert client.get("/bundles/out/manifest.json").status_code == 404


def test_a_file_that_becomes_a_link_between_the_look_and_the_reading(client, bundle, tmp_path, monkeypatch):
    (tmp_path / "secret").write_text("secret" * 100)
    target = bundle / "logs" / "x" / "artifacts.jsonl.zst"
    quick = responses.is_quick

    def swapped(*arguments):
        target.unlink()
        target.symlink_to(tmp_path / "secret")
        return quick(*arguments)

    monkeypatch.setattr("tlparse_bundle.serve.http.app.is_quick", swapped)
    assert (
        client.get("/bundles/out/logs/x/artifacts.jsonl.zst", headers={"Accept-Encoding": "zstd"}).status_code
        == 502
    )
