"""Every answer has the headers that keep a browser safe, and requests are small."""

import http.client

import pytest
from running_server import running
from starlette.testclient import TestClient
from tlparse_bundle.serve.http import app as app_module
from tlparse_bundle.serve.http.access import SECURITY
from tlparse_bundle.serve.http.app import create_app
from waiting import HANG_S, until

ME = "https://me.github.io"
PREFLIGHT = {"Origin": ME, "Access-Control-Request-Method": "GET"}


@pytest.fixture(scope="module")
def client(bundle):
    client = TestClient(
        create_app({"out": bundle}, allow_origins=[ME]),
        base_url="http://127.0.0.1:8000",
        follow_redirects=False,
    )
    with client:
        yield client


def has_all(response):
    return (
        SECURITY.items() <= {name: response.headers.get(name) for name in SECURITY}.items()
        and "cache-control" in response.headers
    )


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/bundles/out/manifest.json", {}, 200),
        ("HEAD", "/bundles/out/manifest.json", {}, 200),
        ("GET", "/bundles/out/manifest.json", {"Range": "bytes=0-1"}, 206),
        ("GET", "/bundles/out/manifest.json", {"If-None-Match": "*"}, 304),
        ("GET", "/bundles/out/manifest.json", {"Range": "bytes=99999-"}, 416),
        ("GET", "/bundles.json", {}, 200),
        ("GET", "/", {}, 307),
        ("GET", "/viewers/default", {}, 307),
        ("GET", "/nothing", {}, 404),
        ("GET", "/bundles/out/nothing", {}, 404),
        ("GET", "/viewers/nothing", {}, 404),
        ("POST", "/bundles.json", {}, 405),
        ("GET", "/", {"Host": "evil.example"}, 400),
        ("GET", "/", {"Host": "127.0.0.1:8000 evil"}, 400),
        ("GET", "/", {"Host": "127.0.0.1:x"}, 400),
        ("OPTIONS", "/", PREFLIGHT, 200),
        ("OPTIONS", "/", PREFLIGHT | {"Access-Control-Request-Method": "PUT"}, 400),
        ("OPTIONS", "/", {}, 405),
        ("GET", "/", {"Sec-Fetch-Site": "cross-site"}, 403),
        ("GET", "/" + "a" * 9000, {}, 414),
        ("GET", "/?" + "a" * 9000, {}, 414),
        ("GET", "/", {f"x{i}": "" for i in range(150)}, 431),
        ("GET", "/", {"x": "a" * 20_000}, 431),
        ("GET", "/", {"Content-Length": "1"}, 413),
        ("GET", "/", {"Transfer-Encoding": "chunked"}, 413),
    ],
    ids=lambda value: str(value)[:40],
)
def test_every_answer_has_the_headers(method, path, headers, status, client):
    response = client.request(method, path, headers=headers)
    assert response.status_code == status and has_all(response)


def test_without_a_token_too(bundle):
    client = TestClient(create_app({"out": bundle}, token="x"), base_url="http://127.0.0.1:8000")
    assert all(
        has_all(response)
        for response in (client.get("/"), client.post("/"), client.get("/?token=x", follow_redirects=False))
    )


def test_a_fault_is_a_line_for_the_page_and_a_traceback_for_the_terminal(bundle, monkeypatch, capsys):
    monkeypatch.setattr(app_module, "viewers_with", lambda own: 1 / 0)
    with running(create_app({"out": bundle})) as port:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=HANG_S)
        connection.request("GET", "/bundles.json")
        response = connection.getresponse()
        body = response.read()
        connection.close()
        said = []
        until(lambda: said.append(capsys.readouterr().err) or "ZeroDivisionError" in "".join(said))
    assert response.status == 500 and has_all(response)
    assert body.count(b"\n") == 1 and b"Error" not in body
    assert "".join(said).count("Traceback") == 1


@pytest.mark.parametrize(
    "header",
    [
        "bytes=0-" + "9" * 5000,
        "bytes=" + "9" * 5000 + "-",
        "bytes=-" + "9" * 5000,
        "bytes=" + "0" * 5000 + "-1",
        "bytes=٣-٤",
        "bytes=0-" + "9" * 18,
    ],
)
def test_numbers_of_any_length_in_a_range(header, client):
    response = client.get("/bundles/out/manifest.json", headers={"Range": header.encode()})
    assert response.status_code in (200, 206) and response.json()["format"]["name"] == "tlparse-bundle"
