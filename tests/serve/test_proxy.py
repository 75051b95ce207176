"""The server as a proxy for viewers elsewhere: several places, remote ones, other origins, ranges."""

import shutil

import pytest
from log_builder import log
from starlette.testclient import TestClient
from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.base.remote import RemoteFolder
from tlparse_bundle.serve.http.app import create_app
from tlparse_bundle.serve.http.responses import byte_range

ME = "https://me.github.io"
TEXT = b"0123456789" * 10


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    folder = tmp_path_factory.mktemp("proxy")
    (folder / "dedicated_log_torch_trace_rank_3_x.log").write_bytes(
        log("artifact:a 0/0\n | " + TEXT.decode())
    )
    build(discover([folder]), folder / "out", jobs=1)
    return folder / "out"


@pytest.fixture
def runs(bundle, tmp_path):
    """A folder with a bundle 'first', a folder that is not a bundle, a file, and a link to a bundle outside."""
    folder = tmp_path / "runs"
    shutil.copytree(bundle, folder / "first")
    (folder / "first" / "private.txt").write_text("private")
    (folder / "no bundle").mkdir()
    (folder / "notes.txt").write_text("notes")
    (folder / "outside").symlink_to(bundle)
    shutil.copytree(bundle, folder / ".hidden")
    return folder


def client(*args, **options):
    client = TestClient(
        create_app(*args, **options), base_url="http://127.0.0.1:8000", follow_redirects=False
    )
    client.headers.pop("accept-encoding")
    return client


# ---- several bundles


def test_bundles_of_a_folder_appear_without_a_restart(runs, bundle):
    asked = client({"runs": runs, "single": bundle})
    names = lambda: [row["name"] for row in asked.get("/bundles.json").json()["bundles"]]
    assert names() == ["runs/first", "single"]
    assert asked.get("/bundles/runs/second/manifest.json").status_code == 404
    shutil.copytree(bundle, runs / "second")
    assert names() == ["runs/first", "runs/second", "single"]
    assert asked.get("/bundles/runs/second/manifest.json").json()["format"]["name"] == "tlparse-bundle"
    assert asked.get("/bundles/runs/second/logs/rank_3_x/log.json.zst").json()["rank"] == 3
    shutil.rmtree(runs / "second")
    assert names() == ["runs/first", "single"]


def test_only_files_of_bundles_are_given(runs):
    asked = client({"runs": runs})
    for path in (
        "notes.txt",
        "first/private.txt",
        "outside/manifest.json",
        ".hidden/manifest.json",
        "no bundle/manifest.json",
        "first",
        "first/",
        "",
    ):
        assert asked.get(f"/bundles/runs/{path}").status_code == 404, path


def test_the_list_summarizes_a_bundle(runs):
    (runs / "broken").mkdir()
    (runs / "broken" / "manifest.json").write_text("{}")
    broken, first = client({"runs": runs}).get("/bundles.json").json()["bundles"]
    assert broken == {
        "name": "runs/broken",
        "url": "bundles/runs/broken/",
        "problem": "its manifest.json is not that of a bundle",
    }
    manifest = Bundle.open(runs / "first").manifest
    assert first["url"] == "bundles/runs/first/"
    assert (first["log_count"], first["ranks"]) == (1, [3])
    assert first["compile_count"] == manifest["logs"][0]["summary"]["compile_count"]


def test_the_list_names_the_viewers(bundle, tmp_path):
    (tmp_path / "index.html").write_text(
        '<title>Mine &amp; yours</title><meta name="description" content="Counts">'
    )
    viewers = client({"out": bundle}, {"mine": tmp_path}).get("/bundles.json").json()["viewers"]
    assert viewers[0] == {
        "name": "mine",
        "url": "viewers/mine/",
        "title": "Mine & yours",
        "description": "Counts",
    }
    assert {row["name"]: row["needs"] for row in viewers if "needs" in row} == {
        "multirank": "ranks",
        "provenance": "provenance",
        "compare": "pair",
        "vllm": "vllm",
    }
    assert {"default", "provenance"} < {row["name"] for row in viewers} and not {"lib", "home"} & {
        row["name"] for row in viewers
    }
    assert all(row["description"] for row in viewers)


def test_a_viewer_of_ones_own_is_served_and_nothing_beside_it(bundle, tmp_path):
    (tmp_path / "secret.txt").write_text("secret")
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "index.html").write_text("<title>mine</title>")
    (mine / "link.txt").symlink_to(tmp_path / "secret.txt")
    (mine / ".env").write_text("secret")
    asked = client({"out": bundle}, {"mine": mine})
    assert asked.get("/").headers["location"] == "/viewers/mine/?bundle=/bundles/out/"
    assert asked.get("/viewers/mine").headers["location"] == "/viewers/mine/"
    assert asked.get("/viewers/mine/").text == "<title>mine</title>"
    assert asked.get("/viewers/default/").status_code == 200
    for path in ("link.txt", ".env", "..%2fsecret.txt", "%2e%2e/secret.txt"):
        assert asked.get(f"/viewers/mine/{path}").status_code == 404


def test_the_start_page_of_several_is_the_list(runs, bundle):
    assert client({"runs": runs}).get("/").headers["location"] == "/viewers/home/"
    assert client({"a": bundle, "b": bundle}).get("/").headers["location"] == "/viewers/home/"
    assert client({"a": bundle}).get("/viewers/home/").status_code == 200


# ---- other origins


@pytest.fixture(scope="module")
def open_client(bundle):
    return client({"out": bundle}, allow_origins=[ME])


MANIFEST = "/bundles/out/manifest.json"


def test_an_allowed_origin_may_read(open_client):
    response = open_client.get(MANIFEST, headers={"Origin": ME})
    assert response.headers["access-control-allow-origin"] == ME
    assert (
        "origin" in response.headers["vary"].lower() and "accept-encoding" in response.headers["vary"].lower()
    )
    assert "content-range" in response.headers["access-control-expose-headers"].lower()
    assert "access-control-allow-credentials" not in response.headers


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "http://me.github.io",
        "https://me.github.io:444",
        "https://me.github.io.evil.example",
        "https://x.me.github.io",
        "null",
        "*",
        "",
    ],
)
def test_any_other_origin_may_not(origin, open_client):
    for response in (
        open_client.get(MANIFEST, headers={"Origin": origin}),
        open_client.options(MANIFEST, headers={"Origin": origin, "Access-Control-Request-Method": "GET"}),
    ):
        assert "access-control-allow-origin" not in response.headers
        assert response.status_code == 403


def test_preflight_and_private_network(open_client):
    ask = {
        "Origin": ME,
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "range",
        "Access-Control-Request-Private-Network": "true",
    }
    response = open_client.options(MANIFEST, headers=ask)
    assert response.status_code == 200
    assert response.headers["access-control-allow-private-network"] == "true"
    assert response.headers["access-control-allow-origin"] == ME
    assert "Range" in response.headers["access-control-allow-headers"]
    refused = open_client.options(MANIFEST, headers=ask | {"Access-Control-Request-Method": "PUT"})
    assert refused.status_code == 400


def test_the_host_is_checked_for_allowed_origins_too(open_client):
    assert open_client.get(MANIFEST, headers={"Origin": ME, "Host": "me.github.io"}).status_code == 400


# ---- ranges and conditions


@pytest.mark.parametrize(
    "header, expected",
    [
        ("bytes=0-9", range(10)), ("bytes=95-", range(95, 100)), ("bytes=-5", range(95, 100)), ("bytes=90-1000", range(90, 100)), ("bytes=-1000", range(100)),
        ("bytes=100-", range(0)), ("bytes=-0", range(0)), ("bytes=5-4", None), ("bytes=-", None), ("bytes=0-1,3-4", None), ("lines=0-1", None), ("bytes=a-b", None), ("", None),
    ],
)  # fmt: skip
def test_byte_range(header, expected):
    found = byte_range(header, 100)
    assert (found is None) == (expected is None) and list(found or ()) == list(expected or ())


def test_a_range_of_a_payload(open_client, bundle):
    path = next(str(path.relative_to(bundle)) for path in bundle.glob("blobs/*/*"))
    full = open_client.get(f"/bundles/out/{path}")
    assert full.content == TEXT and full.headers["accept-ranges"] == "bytes"
    part = open_client.get(
        f"/bundles/out/{path}", headers={"Range": "bytes=10-19", "Accept-Encoding": "gzip"}
    )
    assert (part.status_code, part.content, part.headers["content-range"]) == (
        206,
        TEXT[10:20],
        "bytes 10-19/100",
    )
    assert "content-encoding" not in part.headers
    beyond = open_client.get(f"/bundles/out/{path}", headers={"Range": "bytes=100-"})
    assert (beyond.status_code, beyond.headers["content-range"]) == (416, "bytes */100")
    etag = full.headers["etag"]
    assert (
        open_client.get(f"/bundles/out/{path}", headers={"Range": "bytes=0-1", "If-Range": etag}).status_code
        == 206
    )
    assert (
        open_client.get(
            f"/bundles/out/{path}", headers={"Range": "bytes=0-1", "If-Range": '"old"'}
        ).status_code
        == 200
    )


@pytest.mark.parametrize("form", ["{}", "W/{}", '"x", {}', "*"])
def test_conditions(form, open_client):
    etag = open_client.get(MANIFEST).headers["etag"]
    assert open_client.get(MANIFEST, headers={"If-None-Match": form.format(etag)}).status_code == 304


# ---- elsewhere


@pytest.mark.parametrize(
    "url",
    [
        "https://user:secret@host.example/out",
        "https://secret@host.example/out",
        "s3://key:secret@bucket/out",
        "https://host.example/out?key=secret",
    ],
)
def test_a_url_with_credentials_is_refused_without_repeating_them(url):
    for open_it in (RemoteFolder, Bundle.open, lambda url: create_app({"out": url})):
        with pytest.raises(BundleError, match="contains a password or a key") as caught:
            open_it(url)
        assert "secret" not in str(caught.value)


@pytest.fixture
def memory(bundle):
    fsspec = pytest.importorskip("fsspec", reason="reading from URLs needs fsspec")
    files = fsspec.filesystem("memory")
    files.put(str(bundle), "/runs/first", recursive=True)
    yield files
    files.rm("/runs", recursive=True)


def test_a_folder_of_bundles_elsewhere(memory, bundle):
    asked = client({"runs": "memory://runs"})
    assert [row["name"] for row in asked.get("/bundles.json").json()["bundles"]] == ["runs/first"]
    memory.put(str(bundle), "/runs/second", recursive=True)
    response = asked.get("/bundles/runs/second/manifest.json")
    assert response.json() == Bundle.open(bundle).manifest
    assert (
        asked.get(
            "/bundles/runs/second/manifest.json", headers={"If-None-Match": response.headers["etag"]}
        ).status_code
        == 304
    )
    for path in (
        "third/manifest.json",
        "../first/manifest.json",
        "first/blobs/00/" + "0" * 64,
        "first/logs/x/nothing.json",
        "first/logs/a%3Fb/log.json",
    ):
        assert asked.get(f"/bundles/runs/{path}").status_code == 404, path


def test_remote_errors_give_no_traceback_and_no_details(memory, monkeypatch):
    asked = client({"runs": "memory://runs"})
    path = next(path for path in memory.find("/runs/first") if "log.json" in path)

    def fail(self, path, **options):
        raise RuntimeError("AccessDenied for key AKIA-secret")

    monkeypatch.setattr(type(memory), "cat_file", fail)
    response = asked.get(f"/bundles{path}")
    assert response.status_code == 502 and "secret" not in response.text
    with pytest.raises(BundleError, match="RuntimeError: AccessDenied"):
        Bundle.open("memory://runs/first")


def test_bundles_on_a_web_server(runs, bundle, hosted):
    """One bundle, and a folder of bundles that the server lists as a page of links."""
    pytest.importorskip("aiohttp", reason="reading from web servers needs aiohttp")

    url = f"{hosted(runs.parent)}/runs"
    asked = client({"one": f"{url}/first", "runs": f"{url}/"})
    assert {"one", "runs/first"} <= {row["name"] for row in asked.get("/bundles.json").json()["bundles"]}
    for name in ("one", "runs/first"):
        assert asked.get(f"/bundles/{name}/manifest.json").json() == Bundle.open(bundle).manifest
        assert asked.get(f"/bundles/{name}/logs/rank_3_x/log.json.zst").json()["rank"] == 3
    for path in (
        "one/private.txt",
        "one/nothing.json",
        "runs/notes.txt",
        "one/../../secret.txt",
        "runs/third/manifest.json",
    ):
        assert asked.get(f"/bundles/{path}").status_code == 404, path


def test_a_bundle_on_an_s3_server(bundle, s3):
    s3.mkdir("proxied")
    s3.put(str(bundle), "proxied/runs/first", recursive=True)
    asked = client({"runs": "s3://proxied/runs", "one": "s3://proxied/runs/first"})
    assert [row["name"] for row in asked.get("/bundles.json").json()["bundles"]] == ["runs/first", "one"]
    own = [path for path in bundle.rglob("*") if path.is_file()]
    for path in own:
        response = asked.get(f"/bundles/one/{path.relative_to(bundle)}", headers={"Accept-Encoding": "zstd"})
        assert response.status_code == 200 and response.headers.get("content-encoding") == (
            "zstd" if path.suffix == ".zst" else None
        )
    assert Bundle.open("s3://proxied/runs/first").logs[0].rank == 3
    s3.put(str(bundle), "proxied/runs/second", recursive=True)
    assert asked.get("/bundles/runs/second/manifest.json").status_code == 200
