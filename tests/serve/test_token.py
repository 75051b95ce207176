"""Readers need the token that 'serve' printed, and no page of another origin may read.

Nobody else learns which bundles exist.
"""

import re

import pytest
from starlette.testclient import TestClient
from tlparse_bundle.serve.http.access import address_with, base_with
from tlparse_bundle.serve.http.app import create_app

ME = "https://me.github.io"
TOKEN = "aB3-" * 8  # a new one would change test names each time
BASE = "http://127.0.0.1:8000"
THERE = (
    "/",
    "/bundles.json",
    "/bundles/out/manifest.json",
    "/viewers/default",
    "/viewers/default/",
    "/viewers/lib/bundle/bundle.js",
)
NOT_THERE = (
    "/nothing",
    "/bundles/out/nothing.json",
    "/bundles/other/manifest.json",
    "/viewers/nothing",
    "/t/",
    "/t/x/",
    "/t/x/bundles.json",
    "//",
    "/%00",
    "/..%2f",
)


@pytest.fixture
def client_of(bundle):
    """Return client_of(options of create_app): a browser without cookies."""
    return lambda **options: TestClient(
        create_app({"out": bundle}, **options), base_url=BASE, follow_redirects=False
    )


@pytest.fixture
def client(client_of):
    return client_of(token=TOKEN)


def answer_of(response):
    """Return everything observable in a response."""
    return response.status_code, dict(response.headers), response.content


# ---- with it


def test_the_printed_address_gives_the_browser_a_cookie_and_leads_to_the_address_without_it(client):
    entered = client.get(address_with(f"{BASE}/", TOKEN))
    assert (entered.status_code, entered.headers["location"]) == (303, "/")
    assert entered.headers["set-cookie"] == f"tlparse-bundle-8000={TOKEN}; Path=/; HttpOnly; SameSite=Lax"
    assert "no-store" in entered.headers["cache-control"]
    assert client.get("/").headers["location"] == "/viewers/default/?bundle=/bundles/out/"
    for path in THERE:
        assert client.get(path).status_code in (200, 307), path
        assert client.head(path).status_code in (200, 307), path
    assert client.get("/nothing").status_code == 404


def test_a_deep_address_takes_the_token_too(client):
    entered = client.get(f"/viewers/default/?bundle=/bundles/out/&token={TOKEN}&x=%2Fy")
    assert entered.headers["location"] == "/viewers/default/?bundle=/bundles/out/&x=%2Fy"


@pytest.mark.parametrize(
    "path", ["//evil.example/", "/\\evil.example/", "//\\/evil.example", "/http://evil.example/"]
)
def test_it_never_leads_to_another_host(path, client):
    found = client.request("GET", "/", extensions={"target": f"{path}?token={TOKEN}".encode()})
    assert re.match(r"/(?![/\\])", found.headers.get("location", "/"))


@pytest.mark.parametrize("way", ["bearer", "path"])
def test_programs_send_it_in_a_header_or_below_the_path(way, client):
    base, headers = (
        ("", {"Authorization": f"Bearer {TOKEN}"})
        if way == "bearer"
        else (base_with("/", TOKEN).rstrip("/"), {})
    )
    assert (
        client.get(f"{base}/bundles/out/manifest.json", headers=headers).json()["format"]["name"]
        == "tlparse-bundle"
    )
    assert (
        client.get(f"{base}/", headers=headers).headers["location"]
        == f"{base}/viewers/default/?bundle={base}/bundles/out/"
    )
    assert (
        client.get(f"{base}/viewers/default", headers=headers)
        .headers["location"]
        .endswith(f"{base}/viewers/default/")
    )
    assert client.get(f"{base}/viewers/default/", headers=headers).status_code == 200
    assert not client.cookies


def test_the_cookie_of_a_server_on_another_port_stays(client_of):
    one, other = client_of(token=TOKEN), client_of(token="other")
    other.get("/?token=other", headers={"Host": "127.0.0.1:8001"})
    one.cookies = other.cookies
    one.get(f"/?token={TOKEN}")
    assert len(one.cookies) == 2 and one.get("/bundles.json").status_code == 200


def test_a_hosted_viewer_reads_below_the_token(client_of):
    client = client_of(token=TOKEN, allow_origins=[ME])
    page = {"Origin": ME, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}
    path = f"{base_with('/', TOKEN)}bundles/out/manifest.json"
    asked = client.options(
        path,
        headers={
            **page,
            "Access-Control-Request-Method": "GET",
            "Access-Control-Request-Headers": "authorization",
        },
    )
    assert asked.status_code == 200 and "Authorization" in asked.headers["access-control-allow-headers"]
    found = client.get(path, headers=page)
    assert found.status_code == 200 and found.headers["access-control-allow-origin"] == ME
    refused = client.get("/bundles/out/manifest.json", headers=page)
    assert (
        refused.status_code == 403 and refused.headers["access-control-allow-origin"] == ME
    )  # so the page can report it


def test_without_a_token_all_is_as_open_as_it_was(client_of):
    client = client_of()
    assert client.get("/bundles/out/manifest.json").status_code == 200
    assert client.get("/?token=x").headers["location"] == "/viewers/default/?bundle=/bundles/out/"


# ---- without it


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "OPTIONS"])
def test_without_it_every_answer_is_the_same(method, client):
    answers = [answer_of(client.request(method, path)) for path in (*THERE, *NOT_THERE)]
    assert answers[0][0] == 403 and all(answer == answers[0] for answer in answers)
    assert method == "HEAD" or b"printed in the terminal" in answers[0][2]


@pytest.mark.parametrize(
    "wrong",
    ["", "x", TOKEN[:-1], TOKEN + "x", TOKEN.swapcase(), "é", "\udcff", "x" * 5000, "%00"],
    ids=lambda text: ascii(text)[:20],
)
def test_a_wrong_token_is_like_no_token(wrong, client):
    raw = wrong.encode("utf-8", "surrogateescape")
    refused = answer_of(client.get("/nothing"))
    assert answer_of(client.get("/bundles.json", headers={"Authorization": b"Bearer " + raw})) == refused
    assert (
        answer_of(client.get("/bundles.json", headers={"Cookie": b"tlparse-bundle-8000=" + raw})) == refused
    )
    assert answer_of(client.request("GET", "/", extensions={"target": b"/bundles.json?token=x"})) == refused
    assert client.get("/bundles.json", headers={"Authorization": TOKEN}).status_code == 403
    assert client.get("/bundles.json", headers={"Cookie": f"tlparse-bundle-8001={TOKEN}"}).status_code == 403


def test_the_cookie_of_an_earlier_server_does_not_open_the_next(client_of):
    client = client_of(token="earlier")
    client.get("/?token=earlier")
    later = client_of(token=TOKEN)
    later.cookies = client.cookies
    refused = later.get("/bundles.json")
    assert refused.status_code == 403 and "started again has a new one" in refused.text
    later.get(f"/?token={TOKEN}")
    assert later.get("/bundles.json").status_code == 200


# ---- pages of other origins


FOREIGN = [
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
    {
        "Sec-Fetch-Site": "same-site",
        "Sec-Fetch-Mode": "no-cors",
        "Sec-Fetch-Dest": "image",
    },  # another port of this machine
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:8001"},
]


@pytest.mark.parametrize("allowed", [(), (ME,)], ids=["", "another may"])
@pytest.mark.parametrize("token", [None, TOKEN], ids=["no token", "token"])
@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_a_foreign_page_cannot_detect_bundles(headers, token, allowed, client_of):
    """Neither by events of elements nor by redirects, even with the cookie."""
    client = client_of(token=token, allow_origins=allowed)
    client.get(f"/?token={TOKEN}")
    answers = [answer_of(client.get(path, headers=headers)) for path in (*THERE, *NOT_THERE)]
    assert all(answer == answers[0] for answer in answers)
    status, sent, _ = answers[0]
    assert status == 403 and "access-control-allow-origin" not in sent


def test_a_link_of_a_foreign_page_leads_here(client_of):
    """Like the cookie; the foreign page cannot read the opened page."""
    client = client_of(token=TOKEN)
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert client.get("/viewers/default/", headers=link).status_code == 403
    assert client.get(f"/?token={TOKEN}", headers=link).status_code == 303
    found = client.get("/viewers/default/", headers=link)
    assert found.status_code == 200 and found.headers["cross-origin-opener-policy"] == "same-origin"
    assert client.post("/viewers/default/", headers=link).status_code == 403


def test_pages_of_this_server_and_addresses_that_a_person_types_are_not_foreign(client_of):
    client = client_of()
    for headers in (
        {"Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": "same-origin", "Origin": BASE},
        {},
    ):
        assert client.get("/bundles/out/manifest.json", headers=headers).status_code == 200
