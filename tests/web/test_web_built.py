"""Pages whose modules the package build has put into few files: they show the same, from a server and in a site."""

import shutil
import subprocess

import pytest
from conftest import DECODER, VIEWERS
from log_builder import record
from pages import asked
from plain_server import plain_server
from playwright.sync_api import expect
from tlparse_bundle.serve import viewers
from tlparse_bundle.serve.catalogue import url_names
from tlparse_bundle.serve.http import app
from tlparse_bundle.serve.publish import site

MANY = 30  # the sources of a page are 50 files and more, also without those that are loaded ahead
pytestmark = pytest.mark.skipif(
    not (VIEWERS / "node_modules" / "rolldown").exists() or not DECODER.exists(),
    reason="rolldown is missing: run 'npm ci' in viewers/",
)


@pytest.fixture(scope="module")
def built_viewers(tmp_path_factory):
    """Return the viewers of a wheel."""
    folder = tmp_path_factory.mktemp("package") / "viewers"
    shutil.copytree(VIEWERS, folder, ignore=shutil.ignore_patterns("node_modules", "python"))
    subprocess.run(["node", VIEWERS / "build.mjs", folder / viewers.BUILT], check=True, capture_output=True)
    return folder


@pytest.mark.parametrize("server", ["serve", "site"])
def test_they_load_few_files_and_show_the_same(
    page, bundle_of, served, servers, built_viewers, tmp_path, monkeypatch, server
):
    large = record("artifact:big 0/0", payload="\n".join(f"{n} {n * n}" for n in range(200_000)))
    bundles = {
        "graph_breaks": bundle_of("graph_breaks"),
        "provenance": bundle_of("provenance"),
        "large": bundle_of(large),
    }
    names = dict(zip(bundles, url_names(bundles.values()) if server == "site" else bundles, strict=True))
    for module in (viewers, app, site):
        monkeypatch.setattr(module, "viewers_folder", lambda: built_viewers)
    if server == "serve":
        root = served(bundles)
    else:
        site.write_site([*bundles.values()], tmp_path / "site", python=False)
        root = servers.enter_context(plain_server(tmp_path / "site"))

    def scripts(viewer, bundle, hash, seen):
        before = len(asked(page))
        page.goto("about:blank")
        page.goto(f"{root}/viewers/{viewer}/?bundle=/bundles/{names[bundle]}/#v=1{hash}")
        expect(seen).to_be_visible()
        return [url for url in asked(page)[before:] if url.endswith(".js")]

    assert len(scripts("default", "graph_breaks", "", page.get_by_role("heading", level=1))) < MANY
    assert len(scripts("default", "graph_breaks", "&view=stack", page.get_by_role("tree"))) < MANY
    assert len(scripts("provenance", "provenance", "", page.locator(".pane-code .code-line").first)) < MANY
    # Workers decode the payload and search it.
    hash = "&view=compile&compile=0/0&artifact=big"
    loaded = scripts("default", "large", hash, page.get_by_text("200,000 lines"))
    assert any("/built/default/" in url for url in loaded) and len(page.workers) == (server == "site")
    found = page.locator(".search-line").first
    scripts("default", "large", "&view=search&q=199999&in=all", found)
    expect(found).to_contain_text("199999 39999600001")
