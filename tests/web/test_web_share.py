"""Sharing the current view: a link, one file, a zip. An open page whose bundle is rebuilt."""

import os
import shutil
import zipfile

import pytest
from axe import violations_in_both_themes
from conftest import ROOT, VIEWERS
from pages import address, expect_address, go, settle
from playwright.sync_api import expect
from tlparse_bundle.serve.publish.site import write_site

# Puts the button into an otherwise empty page, with a bundle that it opens.
PUT = """async ([url, viewer]) => {
  const [{ shareButton }, { openBundle }] = await Promise.all(["page/share.js", "bundle/bundle.js"].map((name) => import(new URL(`../lib/${name}`, location.href).href)));
  document.body.replaceChildren(shareButton({ bundle: await openBundle(url), viewer }));
}"""
NAME = """async ([url]) => {
  const [{ bundleName }, { openBundle }] = await Promise.all(["page/page.js", "bundle/bundle.js"].map((name) => import(new URL(`../lib/${name}`, location.href).href)));
  return bundleName(await openBundle(url));
}"""


@pytest.fixture
def hang(bundle_of, tmp_path):
    """A bundle of four ranks with the name 'night run', which tests may change."""
    return shutil.copytree(bundle_of(ROOT / "fixtures" / "jobs" / "extra_then_hang"), tmp_path / "night run")


def test_a_click_copies_the_link_and_the_menu_has_the_rest(new_page, served, hang, tmp_path):
    base = served({"runs": tmp_path})
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"{base}/viewers/home/#v=1&q=x")
    settle(page)
    page.evaluate(PUT, [f"{base}/bundles/runs/night%20run/", "multirank"])
    page.get_by_role("button", name="Share", exact=True).click()
    expect(page.get_by_text("Link copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == address(page)

    arrow, menu = (
        page.get_by_role("button", name="More ways to share"),
        page.get_by_role("menu", name="Share"),
    )
    arrow.focus()
    page.keyboard.press("Enter")
    items = ["Copy link to this view", "Save as one file", "Download bundle", "Choose what to include …"]
    for item in [*items, items[0]]:  # round and round
        expect(menu.get_by_role("menuitem", name=item)).to_be_focused()
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(arrow).to_be_focused()
    expect(arrow).to_have_attribute("aria-expanded", "false")

    page.keyboard.press("ArrowDown")
    with page.expect_download() as download:
        menu.get_by_role("menuitem", name="Download bundle").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        assert {name.partition("/")[2] for name in archive.namelist()} == {
            path.relative_to(hang).as_posix() for path in hang.rglob("*") if path.is_file()
        }
    shutil.copy(download.value.path(), tmp_path / "taken.zip")

    arrow.click()
    with page.expect_download() as download:
        menu.get_by_role("menuitem", name="Save as one file").click()
    assert download.value.suggested_filename == "night run.html"
    shutil.copy(download.value.path(), tmp_path / "night run.html")
    page.goto((tmp_path / "night run.html").as_uri())  # it opens the shared view
    expect(page.get_by_role("link", name="Collectives", exact=True)).to_be_visible()
    page.goto(f"{(tmp_path / 'night run.html').as_uri()}?viewer=default#v=1&view=compiles")
    settle(page)
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Ranks", exact=True).click()
    expect(page.get_by_role("link", name="Collectives", exact=True)).to_be_visible()
    expect_address(page, "?viewer=multirank")
    page.go_back()
    expect_address(page, "?viewer=default#v=1&view=compiles")
    assert page.evaluate("() => document.body.dataset.viewers") == "multirank default"


def test_the_zip_can_be_dropped_on_a_page(page_with_errors, served, hosted, hang, tmp_path):
    base, page = served({"runs": tmp_path}), page_with_errors
    (tmp_path / "taken.zip").write_bytes(
        page.context.request.get(f"{base}/bundles/runs/night%20run.zip").body()
    )
    page.goto(hosted(VIEWERS) + "/multirank/")
    page.get_by_label("Zip").set_input_files(tmp_path / "taken.zip")
    expect(page.get_by_role("link", name="Collectives", exact=True)).to_be_visible()


def test_without_a_server_for_files_the_menu_names_the_commands(page, hosted, hang, tmp_path):
    write_site([hang], tmp_path / "site")
    base = hosted(tmp_path / "site")
    page.goto(f"{base}/viewers/home/")
    settle(page)
    page.evaluate(PUT, [f"{base}/bundles/night_run/", "default"])
    page.get_by_role("button", name="More ways to share").click()
    menu = page.get_by_role("menu", name="Share")
    expect(menu).to_contain_text("tlparse-bundle export night_run report.html")
    expect(menu.get_by_role("menuitem")).to_have_text(
        ["Copy link to this viewOpens exactly this, where the server can be reached"]
    )
    assert menu.bounding_box()["x"] >= 8  # the button is at the left edge
    page.mouse.click(5, 700)
    expect(menu).to_be_hidden()


def test_the_menu_and_the_notice_are_accessible(page_that, served, hang):
    page = page_that(bypass_csp=True)
    base = served({"night": hang})
    page.goto(f"{base}/viewers/default/?bundle=/bundles/night/")
    settle(page)
    page.evaluate(
        PUT.replace("document.body.replaceChildren(", "document.querySelector('header').append("),
        [f"{base}/bundles/night/", "default"],
    )
    built_again(hang)
    page.evaluate("dispatchEvent(new Event('focus'))")
    expect(page.get_by_text("This bundle was rebuilt at ")).to_be_visible()
    page.get_by_role("button", name="More ways to share").last.click()
    expect(page.get_by_role("menuitem").first).to_be_focused()
    assert violations_in_both_themes(page) == []
    expect(page.get_by_role("menuitem").first).to_be_focused()  # the menu was open all the time


def built_again(folder):
    """Rebuild the same bundle, which gives a new manifest file."""
    manifest = folder / "manifest.json"
    os.utime(manifest, (1_795_442_700, 1_795_442_700))


def test_an_open_page_reports_that_its_bundle_was_rebuilt(page, served, hang, tmp_path):
    base = served({"night": hang})
    with page.expect_response(lambda response: response.request.method == "HEAD"):
        page.goto(f"{base}/viewers/default/?bundle=/bundles/night/#v=1&view=compiles&q=emb")
    settle(page)
    notice = page.get_by_text("This bundle was rebuilt at ")
    expect(notice).to_have_count(0)
    built_again(hang)
    page.evaluate("dispatchEvent(new Event('focus'))")  # like a user who returns from the terminal
    expect(notice).to_contain_text(
        page.evaluate(
            "new Date(1795442700000).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })"
        )
    )
    go(page, "#v=1&view=failures")
    expect(notice).to_be_visible()
    page.evaluate("window.before = true")
    page.get_by_role("button", name="Reload", exact=True).click()
    page.wait_for_function("!window.before")
    settle(page)
    expect_address(page, "#v=1&view=failures")
    expect(notice).to_have_count(0)


def test_a_lost_server_is_not_a_fault_of_the_page(new_page, served, hang):
    page = new_page(errors=True)
    faults = []
    page.on("pageerror", lambda error: faults.append(error))
    base = served({"night": hang})
    with page.expect_response(lambda response: response.request.method == "HEAD"):
        page.goto(f"{base}/viewers/provenance/?bundle=/bundles/night/")
    settle(page)
    page.route("**/manifest.json", lambda route: route.abort())
    with page.expect_event("requestfailed"):
        page.evaluate("dispatchEvent(new Event('focus'))")
    page.unroute("**/manifest.json")
    built_again(hang)
    page.evaluate("dispatchEvent(new Event('focus'))")  # there again
    expect(page.get_by_text("This bundle was rebuilt at ")).to_be_visible()
    page.get_by_role("button", name="Not now").click()
    expect(page.get_by_text("This bundle was rebuilt at ")).to_have_count(0)
    assert faults == []


def test_a_bundle_has_the_name_of_its_folder(page_with_errors, served, hang, tmp_path):
    page, base = page_with_errors, served({"runs": tmp_path})
    page.goto(f"{base}/viewers/home/")
    assert page.evaluate(NAME, [f"{base}/bundles/runs/night%20run/"]) == "night run"
    page.goto(f"{base}/viewers/default/?bundle=/bundles/runs/nothing/")
    page.get_by_role("link", name="All bundles").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("1 bundle")
    page.goto(f"{base}/viewers/default/?bundle=/wrong/")
    expect(page.get_by_role("link", name="All bundles")).to_have_attribute("href", f"{base}/viewers/home/")


def test_an_open_page_looks_by_itself_and_on_any_server(page, hosted, hang):
    """A static host sends a date instead of a tag."""
    watch = """async (url) => {
      const [{ watchRebuilt }, { openBundle }] = await Promise.all(["page/rebuilt.js", "bundle/bundle.js"].map((name) => import(new URL(`../lib/${name}`, location.href).href)));
      watchRebuilt(await openBundle(url), { everyMs: 20 });
    }"""
    write_site([hang], hang.parent / "site")
    base = hosted(hang.parent / "site")
    page.goto(f"{base}/viewers/home/")
    settle(page)
    with page.expect_response(lambda response: response.request.method == "HEAD"):
        page.evaluate(watch, f"{base}/bundles/night_run/")
    built_again(hang.parent / "site" / "bundles" / "night_run")
    expect(page.get_by_text("This bundle was rebuilt at ")).to_be_visible()
