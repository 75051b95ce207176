"""Bundles that reach a page in other ways: dropped or chosen from disk, from another origin, from a list."""

import functools
import http.server
import shutil
import threading

import pytest
from conftest import VIEWERS
from playwright.sync_api import expect

UNZIP = VIEWERS / "lib" / "vendor" / "fflate.js"


@pytest.fixture
def hosted(tmp_path):
    """hosted(folder): the address of a folder on a plain server, as of a static host."""
    servers = []

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    def start(folder):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def empty_page(page_with_errors, hosted):
    """The default viewer without a bundle: it asks the server for 'bundle/' in vain, and then the user."""
    page_with_errors.goto(hosted(VIEWERS) + "/default/")
    expect(page_with_errors.get_by_role("heading", name="Open a bundle")).to_be_visible()
    return page_with_errors


@pytest.fixture
def zipped(bundle_of, tmp_path):
    """zipped(codec): a zip of a bundle, with its folder in it."""
    if not UNZIP.exists():
        pytest.skip(f"{UNZIP} is missing: install the checkout with Node present")

    def make(codec="zstd"):
        folder = bundle_of("graph_breaks", codec)
        return shutil.make_archive(tmp_path / "run", "zip", folder.parent, folder.name)

    return make


def drop(page, *paths):
    """Drops real files or folders on the page, as the mouse does."""
    session = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, "x": 300, "y": 300, "data": data})


def shows_the_bundle(page):
    expect(page.get_by_role("heading", level=1)).to_contain_text("compile")
    page.get_by_role("link", name="Compiles", exact=False).first.click()
    page.locator("main a", has_text="[0/0]").first.click()
    page.get_by_role("navigation", name="Artifacts").get_by_role("link", name="dynamo_output_graph").first.click()
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


def test_what_is_no_bundle_is_said_and_the_next_may_be_one(empty_page, tmp_path, zipped):
    (tmp_path / "holiday").mkdir()
    (tmp_path / "holiday" / "photo.jpg").write_bytes(b"jpeg")
    empty_page.get_by_label("Folder").set_input_files(tmp_path / "holiday")
    expect(empty_page.get_by_role("alert")).to_contain_text("holiday holds no manifest.json")
    (tmp_path / "broken.zip").write_bytes(b"PK no zip")
    empty_page.get_by_label("Zip").set_input_files(tmp_path / "broken.zip")
    expect(empty_page.get_by_role("alert")).to_contain_text("The zip could not be read")
    empty_page.get_by_label("Zip").set_input_files(zipped())
    expect(empty_page.get_by_role("heading", level=1)).to_contain_text("compile")


def test_a_missing_file_of_a_dropped_folder_is_named(empty_page, bundle_of, tmp_path):
    shutil.copytree(bundle_of("graph_breaks"), tmp_path / "half")
    shutil.rmtree(tmp_path / "half" / "logs")
    empty_page.get_by_label("Folder").set_input_files(tmp_path / "half")
    expect(empty_page.get_by_role("alert").first).to_contain_text("Take the whole folder")
