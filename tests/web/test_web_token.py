"""The token in a real browser: the printed address opens the viewer, however it is reached; other pages learn
nothing.
"""

from contextlib import ExitStack
from html import escape

import pytest
from pages import settle
from playwright.sync_api import expect
from tlparse_bundle.cli.browser import say_address
from tlparse_bundle.serve import notebook
from tlparse_bundle.serve.http.access import address_with

TOKEN = "aB3-" * 8


@pytest.fixture
def base(served, bundle_of):
    return served({"run": bundle_of("graph_breaks")}, token=TOKEN)


def is_open(page, base):
    expect(page.get_by_role("heading", level=1)).to_contain_text("compile")
    settle(page)
    address, _, _ = page.url.partition("#")
    assert address == f"{base}/viewers/default/?bundle=/bundles/run/"


def test_the_printed_address_opens_the_bundle_and_stays_open(page, base):
    page.goto(address_with(f"{base}/", TOKEN))
    is_open(page, base)
    page.reload()
    is_open(page, base)
    second = page.context.new_page()  # a tab, or a bookmark
    second.goto(f"{base}/viewers/default/?bundle=/bundles/run/#v=1&view=compiles")
    expect(second.locator("main")).to_contain_text("[0/0]")


def test_the_file_that_a_browser_gets_opens_the_bundle(page, base, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    with ExitStack() as kept:
        say_address(f"{base}/", TOKEN, port=0, opened=kept)
        (address,) = opened
        assert address.startswith("file:///") and TOKEN not in address
        page.goto(address)
        is_open(page, base)


def test_without_the_token_a_page_explains_the_next_step(page_with_errors, base):
    page_with_errors.goto(f"{base}/viewers/default/?bundle=/bundles/run/")
    expect(page_with_errors.get_by_role("heading", name="Not allowed")).to_be_visible()
    expect(page_with_errors.get_by_text("printed in the terminal")).to_be_visible()


def site_of(tmp_path, hosted, html):
    """Return a page on another site: 'localhost' is not '127.0.0.1'."""
    (tmp_path / "index.html").write_text(
        f"<!doctype html><link rel=icon href=data:,><title>elsewhere</title>{html}"
    )
    return hosted(tmp_path).replace("127.0.0.1", "localhost") + "/index.html"


def test_a_link_on_another_site_opens_the_bundle(page, base, hosted, tmp_path):
    """Such as a notebook server's terminal, or a chat."""
    deep = f"{base}/viewers/default/?bundle=/bundles/run/#v=1&view=compiles"
    links = f'<a href="{address_with(base + "/", TOKEN)}">printed</a> <a href="{deep}">deep</a>'
    page.goto(site_of(tmp_path, hosted, links))
    page.get_by_role("link", name="printed").click()
    is_open(page, base)
    page.goto(site_of(tmp_path, hosted, links))
    page.get_by_role("link", name="deep").click()
    expect(page.locator("main")).to_contain_text("[0/0]")
    assert page.url == deep


@pytest.mark.parametrize("token", [None, TOKEN], ids=["no token", "token"])
def test_a_page_elsewhere_cannot_tell_which_files_exist(
    token, page_with_errors, served, bundle_of, hosted, tmp_path
):
    page = page_with_errors
    base = served({"run": bundle_of("graph_breaks")}, token=token)
    page.goto(address_with(f"{base}/", token))
    is_open(page, base)
    page.goto(site_of(tmp_path, hosted, ""))
    ask = """async (url) => {
      const out = [];
      for (const name of ["script", "img", "link", "iframe", "object", "video"]) {
        const element = document.createElement(name);
        if (name === "link") element.rel = "stylesheet";
        const event = new Promise((done) => { element.onload = () => done("load"); element.onerror = () => done("error"); });
        element[{ link: "href", object: "data" }[name] ?? "src"] = url;
        document.body.append(element);
        out.push(`${name} ${await event}`);
      }
      for (const mode of ["cors", "no-cors"]) out.push(await fetch(url, { mode, credentials: "include" }).then((r) => `${r.type} ${r.status}`, String));
      return out;
    }"""
    there, not_there = (
        page.evaluate(ask, f"{base}/{path}")
        for path in ("bundles/run/manifest.json", "bundles/run/nothing.json")
    )
    assert there == not_there
    for path in ("viewers/default", "viewers/lib/bundle/bundle.js", "bundles/other/manifest.json"):
        assert page.evaluate(ask, f"{base}/{path}") == there
    window = """async (url) => {
      const opened = open(url), closed = () => opened.closed;
      while (!closed()) await new Promise((next) => setTimeout(next, 10)); // the browser takes it away
      let length;
      try { length = opened.length; } catch (error) { length = String(error); }
      return [length, history.length];
    }"""
    assert (
        len(
            {
                str(page.evaluate(window, f"{base}/{path}"))
                for path in ("bundles/run/manifest.json", "nothing", "viewers/default", "")
            }
        )
        == 1
    )
    assert not any(answer.startswith(("basic", "cors 2")) for answer in there)


def test_a_notebook_shows_the_viewer_in_a_frame(new_page, hosted, tmp_path, bundle_of):
    """The notebook is on another site, so the frame gets no cookie."""
    address = notebook.served(str(bundle_of("graph_breaks"))).frame
    page = new_page(color_scheme="dark")
    page.goto(site_of(tmp_path, hosted, f'<iframe src="{escape(address)}" width=1000 height=700></iframe>'))
    viewer = page.frame_locator("iframe")
    expect(viewer.get_by_role("heading", level=1)).to_contain_text("graph breaks")
    viewer.get_by_role("link", name="Graph breaks").first.click()
    expect(viewer.get_by_role("grid", name="Graph breaks")).to_be_visible()
