"""The icon of our pages: browsers request /favicon.ico where a page names none, and log a 404."""

import base64
import re

import pytest
from starlette.testclient import TestClient
from tlparse_bundle import Bundle
from tlparse_bundle.serve.http.app import create_app
from tlparse_bundle.serve.publish.export import export, viewers_of
from tlparse_bundle.serve.publish.fork import fork
from tlparse_bundle.serve.publish.site import write_site
from tlparse_bundle.serve.viewers import ICON, forkable, viewers_folder

LINK = re.compile(r'<link rel="icon" href="([^"]+)"')
SVG = (viewers_folder() / ICON).read_bytes()
TOKEN = "t" * 32


def client_of(bundle, **options):
    return TestClient(create_app({"run": bundle}, **options), base_url="http://127.0.0.1:8000")


@pytest.mark.parametrize("page", [*forkable(), "home", "trend", "open"])
def test_every_page_names_an_icon_that_is_served(page, bundle):
    with client_of(bundle) as client:
        (link,) = LINK.findall(client.get(f"/viewers/{page}/").text)
        icon = client.get(f"/viewers/{page}/{link}")
    assert (icon.status_code, icon.headers["content-type"], icon.content) == (200, "image/svg+xml", SVG)


def test_documents_without_a_page_have_it_too(bundle):
    with client_of(bundle) as client:
        icon = client.get("/favicon.ico")
    assert (icon.status_code, icon.headers["content-type"], icon.content) == (200, "image/svg+xml", SVG)


def test_the_icon_needs_the_token_like_everything_else(bundle):
    with client_of(bundle, token=TOKEN) as client:
        assert client.get("/favicon.ico").status_code == 403
        assert client.get("/favicon.ico", headers={"Authorization": f"Bearer {TOKEN}"}).content == SVG
        assert LINK.findall(client.get("/").text) == ["data:,"], "the page that refuses asks for no icon"


def test_an_exported_file_holds_it(bundle):
    opened = Bundle.open(bundle)
    (link,) = LINK.findall(b"".join(export(opened, viewers_of(opened))).decode())
    assert base64.b64decode(link.removeprefix("data:image/svg+xml;base64,")) == SVG


def test_a_viewer_without_its_icon_is_exported_too(bundle, tmp_path):
    fork("starter", tmp_path / "mine")
    (tmp_path / "mine" / ICON).unlink()
    assert LINK.findall(b"".join(export(Bundle.open(bundle), tmp_path / "mine")).decode()) == ["data:,"]


def test_pages_of_a_site_lead_to_it(bundle, tmp_path):
    write_site([bundle], tmp_path / "site", python=False)
    assert LINK.findall((tmp_path / "site" / "index.html").read_text()) == ["data:,"], "it only leads on"
    for page in (tmp_path / "site" / "viewers").glob("*/index.html"):
        (link,) = LINK.findall(page.read_text())
        assert (page.parent / link).read_bytes() == SVG, page
