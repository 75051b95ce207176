"""Bundles from other places: dropped or chosen from disk, from another origin, from a list."""

import shutil

import pytest
from axe import violations_in_both_themes
from conftest import DECODER, NO_DECODER, VIEWERS
from pages import settle
from playwright.sync_api import expect
from tlparse_bundle.serve.http.access import base_with
from tlparse_bundle.serve.publish.fork import fork
from tlparse_bundle.serve.publish.site import write_site

UNZIP = VIEWERS / "lib" / "vendor" / "fflate.js"


@pytest.fixture
def empty_page(page_with_errors, hosted):
    """The default viewer without a bundle: it requests 'bundle/' in vain, and then asks the user."""
    page_with_errors.goto(hosted(VIEWERS) + "/default/")
    expect(page_with_errors.get_by_role("heading", name="Open a bundle")).to_be_visible()
    return page_with_errors


@pytest.fixture
def zipped(bundle_of, tmp_path):
    """Return zipped(codec): a zip of a bundle, with its folder in it."""
    if not UNZIP.exists():
        pytest.skip(f"{UNZIP} is missing: install the checkout with Node present")

    def make(codec="zstd"):
        folder = bundle_of("graph_breaks", codec)
        return shutil.make_archive(tmp_path / "run", "zip", folder.parent, folder.name)

    return make


def drop(page, *paths):
    """Drop real files or folders on the page, as the mouse does."""
    session = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, "x": 300, "y": 300, "data": data})


def shows_the_bundle(page):
    expect(page.get_by_role("heading", level=1)).to_contain_text("compile")
    page.get_by_role("link", name="Compiles", exact=True).first.click()
    page.locator("main a", has_text="[0/0]").first.click()
    page.get_by_role("navigation", name="Artifacts").get_by_role(
        "link", name="dynamo_output_graph"
    ).first.click()
    expect(page.get_by_role("region", name="Text of dynamo_output_graph")).to_contain_text("GraphModule")


def test_a_folder_is_dropped(empty_page, bundle_of):
    drop(empty_page, bundle_of("graph_breaks"))
    shows_the_bundle(empty_page)


def test_a_zip_is_dropped(empty_page, zipped):
    drop(empty_page, zipped())
    shows_the_bundle(empty_page)


def test_a_folder_is_chosen_by_keyboard_users(empty_page, bundle_of):
    empty_page.get_by_label("Folder").set_input_files(bundle_of("graph_breaks"))
    shows_the_bundle(empty_page)


@pytest.mark.parametrize("codec", ["zstd", "gzip", "none"])
def test_a_zip_is_chosen_and_searched(empty_page, zipped, codec):
    empty_page.get_by_label("Zip").set_input_files(zipped(codec))
    expect(empty_page.get_by_role("heading", level=1)).to_contain_text("compile")
    empty_page.goto(empty_page.url.split("#")[0] + "#v=1&view=search&q=GraphModule&in=all")
    expect(empty_page.locator("main")).to_contain_text("class GraphModule(torch.nn.Module)")


def test_a_file_that_is_not_a_bundle_is_reported_and_the_next_may_be_one(empty_page, tmp_path, zipped):
    (tmp_path / "holiday").mkdir()
    (tmp_path / "holiday" / "photo.jpg").write_bytes(b"jpeg")
    empty_page.get_by_label("Folder").set_input_files(tmp_path / "holiday")
    expect(empty_page.get_by_role("alert")).to_contain_text(
        "holiday is not a bundle (it has no manifest.json)"
    )
    (tmp_path / "broken.zip").write_bytes(b"PK no zip")
    empty_page.get_by_label("Zip").set_input_files(tmp_path / "broken.zip")
    expect(empty_page.get_by_role("alert")).to_contain_text("The zip could not be read")
    empty_page.get_by_label("Zip").set_input_files(zipped())
    expect(empty_page.get_by_role("heading", level=1)).to_contain_text("compile")


def test_a_missing_file_of_a_dropped_folder_is_named(empty_page, bundle_of, tmp_path):
    shutil.copytree(bundle_of("graph_breaks"), tmp_path / "half")
    shutil.rmtree(tmp_path / "half" / "logs")
    empty_page.get_by_label("Folder").set_input_files(tmp_path / "half")
    expect(empty_page.get_by_role("alert").first).to_contain_text("Choose the whole folder")


# ---- from another origin


@pytest.fixture
def fork_for(tmp_path):
    """Return fork_for(origin): the default viewer for its own host, allowed to read from the origin."""

    def make(origin):
        fork("default", tmp_path / "mine")
        page = tmp_path / "mine" / "index.html"
        text = page.read_text()
        assert text.count("connect-src 'self'") == 1
        page.write_text(text.replace("connect-src 'self'", f"connect-src 'self' {origin}"))
        return tmp_path / "mine"

    return make


@pytest.mark.parametrize("token", [None, "a" * 32], ids=["no token", "token"])
def test_a_viewer_of_another_origin_reads_through_the_proxy(
    page, token, bundle_of, served, hosted, tmp_path, fork_for
):
    viewer = hosted(tmp_path / "mine")
    proxy = served({"run": bundle_of("graph_breaks")}, allow_origins=[viewer], token=token)
    fork_for(proxy)
    bundles = base_with(f"{proxy}/", token) + "bundles"
    page.goto(f"{viewer}/?bundle={bundles}/run/")
    shows_the_bundle(page)
    page.goto(f"{viewer}/?bundle={bundles}/run/#v=1&view=search&q=GraphModule&in=all")  # by a worker
    expect(page.locator("main")).to_contain_text("class GraphModule(torch.nn.Module)")


def test_a_viewer_explains_an_old_token(page_with_errors, bundle_of, served, hosted, tmp_path, fork_for):
    viewer = hosted(tmp_path / "mine")
    proxy = served({"run": bundle_of("graph_breaks")}, allow_origins=[viewer], token="a" * 32)
    fork_for(proxy)
    page_with_errors.goto(f"{viewer}/?bundle={base_with(proxy, 'old')}bundles/run/")
    expect(page_with_errors.get_by_role("alert")).to_contain_text("open the URL that it printed")


def test_an_origin_that_was_not_allowed_reads_nothing(
    page_with_errors, bundle_of, served, hosted, tmp_path, fork_for
):
    page = page_with_errors
    proxy = served({"run": bundle_of("graph_breaks")}, allow_origins=["https://me.github.io"])
    fork_for(proxy)
    viewer = hosted(tmp_path / "mine")
    page.goto(f"{viewer}/?bundle={proxy}/bundles/run/")
    expect(page.get_by_role("alert")).to_contain_text("(Failed to fetch)")
    for mode in ("cors", "no-cors"):
        read = (
            "async ([url, mode]) => { try { return (await (await fetch(url, { mode })).text()).length } catch"
            " (error) { return String(error) } }"
        )
        assert page.evaluate(read, [f"{proxy}/bundles/run/manifest.json", mode]) in (
            0,
            "TypeError: Failed to fetch",
        )


def test_a_page_reports_an_address_that_its_policy_forbids(page, bundle_of, served):
    address = served({"run": bundle_of("graph_breaks")})
    page.goto(f"{address}/viewers/default/?bundle=http://localhost:1/bundles/run/")
    expect(page.get_by_role("alert")).to_contain_text("add http://localhost:1 to connect-src")


def test_a_bundle_on_an_s3_server_is_viewed(page, bundle_of, served, s3):
    s3.mkdir("viewed")
    s3.put(str(bundle_of("graph_breaks")), "viewed/runs/first", recursive=True)
    page.goto(served({"runs": "s3://viewed/runs"}))
    page.get_by_role("row", name="runs/first").get_by_role("link", name="default").click()
    shows_the_bundle(page)


# ---- lists and sites


def test_the_list_leads_to_each_bundle_and_viewer(page, bundle_of, served, tmp_path):
    shutil.copytree(bundle_of("graph_breaks"), tmp_path / "runs" / "a run & more")
    shutil.copytree(bundle_of("provenance"), tmp_path / "runs" / "second")
    (tmp_path / "runs" / "broken").mkdir()
    (tmp_path / "runs" / "broken" / "manifest.json").write_text("[]")
    address = served({"runs": tmp_path / "runs"})
    page.goto(address)
    expect(page.get_by_role("heading", level=1)).to_have_text("3 bundles")
    row = page.get_by_role("row", name="runs/a run & more")
    for words in ("2.13.0", "7 functions, 14 compiles"):
        expect(row).to_contain_text(words)
    expect(page.get_by_role("row", name="runs/broken")).to_contain_text("is not that of a bundle")
    row.get_by_role("link", name="default").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("compile")
    page.go_back()
    page.get_by_role("row", name="runs/second").get_by_role("link", name="provenance").click()
    expect(page.get_by_role("heading", name="Provenance")).to_be_visible()


def test_the_list_and_the_open_page_are_accessible(new_page, bundle_of, served, hosted):
    served_list, opener = new_page(bypass_csp=True), new_page(errors=True, bypass_csp=True)
    served_list.goto(served({"a": bundle_of("graph_breaks"), "b": bundle_of("provenance")}))
    expect(served_list.get_by_role("heading", level=1)).to_have_text("2 bundles")
    settle(served_list)
    opener.goto(hosted(VIEWERS) + "/starter/")
    expect(opener.get_by_role("heading", name="Open a bundle")).to_be_visible()
    for page in (served_list, opener):
        assert violations_in_both_themes(page) == []


@pytest.mark.parametrize("codec", ["zstd", "gzip"])
def test_a_site_on_a_plain_server(page, bundle_of, hosted, tmp_path, codec):
    if codec == "zstd" and not DECODER.exists():
        pytest.skip(NO_DECODER)
    write_site([bundle_of("graph_breaks", codec), bundle_of("provenance", codec)], tmp_path / "site")
    page.goto(hosted(tmp_path) + "/site/")  # below the root of the host, like pages of a project
    expect(page.get_by_role("heading", level=1)).to_have_text("2 bundles")
    page.get_by_role("link", name="default").first.click()
    shows_the_bundle(page)


def test_a_site_of_one_bundle_opens_at_once(page, bundle_of, hosted, tmp_path):
    write_site([bundle_of("graph_breaks", "gzip")], tmp_path / "site")
    page.goto(hosted(tmp_path) + "/site/")
    shows_the_bundle(page)
