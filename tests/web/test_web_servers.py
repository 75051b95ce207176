"""Both servers, all codecs; and messages about broken bundles."""

import json
import re
import shutil

import pytest
from conftest import DECODER
from pages import WAIT_MS, asked, settle
from playwright.sync_api import expect


@pytest.mark.parametrize("server", ["serve", "static"])
@pytest.mark.parametrize("codec", ["zstd", "gzip", "none"])
def test_artifact_over_each_server_in_each_codec(show, server, codec):
    page, bundle = show(
        "train_step",
        "#v=1&view=compile&compile=0/0&artifact=inductor_output_code",
        codec=codec,
        server=server,
    )
    artifact = next(
        a for c in bundle.logs[0].compiles for a in c.artifacts if a.name == "inductor_output_code"
    )
    expect(page.get_by_role("region", name="Text of inductor_output_code")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    assert download.value.path().read_bytes() == artifact.bytes()


def test_large_blob_is_decoded_in_a_worker(show):
    from log_builder import record

    text = "\n".join(f"{n} {n * n}" for n in range(300_000))
    page, _ = show(
        record("artifact:big 0/0", payload=text),
        "#v=1&view=compile&compile=0/0&artifact=big",
        server="static",
    )
    expect(page.get_by_text("300,000 lines")).to_be_visible()
    assert len(page.workers) == 1


def test_decoder_is_only_fetched_when_needed(show):
    for codec, server, wanted in [
        ("zstd", "serve", False),
        ("gzip", "static", False),
        ("zstd", "static", True),
    ]:
        page, _ = show("basic_inference", codec=codec, server=server)
        before = len(asked(page))
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_contain_text("compile")
        assert any("fzstd" in url for url in asked(page)[before:]) is wanted, (codec, server)


def test_first_screen_of_a_log_fetches_little(show):
    page, _ = show("transformer")
    sizes = []
    page.on(
        "response",
        lambda response: (
            sizes.append(int(response.headers.get("content-length", 0)))
            if "/bundles/" in response.url
            else None
        ),
    )
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_contain_text("compile")
    settle(page)
    assert 0 < sum(sizes) < 100_000


def test_missing_decoder_lists_three_ways_out(page_with_errors, bundle_of, address_of):
    page = page_with_errors
    page.route("**/vendor/fzstd.js", lambda route: route.fulfill(status=404))
    page.goto(address_of(bundle_of("basic_inference"), "static"))
    alert = page.get_by_role("alert")
    for words in ["tlparse-bundle serve", "--codec gzip", "npm"]:
        expect(alert).to_contain_text(words)


@pytest.fixture
def broken(bundle_of, address_of, tmp_path, page_with_errors):
    """Return broken(change, hash): the page on a copy of a bundle that ``change(folder)`` has damaged."""

    def open_it(change, hash=""):
        folder = tmp_path / "bundle"
        shutil.copytree(bundle_of("basic_inference", "none"), folder)
        change(folder)
        page_with_errors.goto(address_of(folder) + hash)
        return page_with_errors

    return open_it


def manifest_with(**changes):
    def change(folder):
        path = folder / "manifest.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    return change


def test_other_major_version_is_refused_with_both_numbers(broken):
    page = broken(manifest_with(format={"name": "tlparse-bundle", "major": 3, "minor": 5}))
    expect(page.get_by_role("alert")).to_contain_text("format version 3.5; this viewer reads version 2")


def test_other_format_is_refused(broken):
    page = broken(manifest_with(format={"name": "speedscope", "major": 1, "minor": 0}))
    expect(page.get_by_role("alert")).to_contain_text('its format is "speedscope"')


def test_unknown_fields_of_a_newer_minor_version_are_ignored(broken):
    page = broken(manifest_with(format={"name": "tlparse-bundle", "major": 2, "minor": 99}, news={"x": 1}))
    expect(page.get_by_role("heading", level=1)).to_contain_text("compile")


def test_missing_bundle(page_with_errors, bundle_of, address_of):
    page_with_errors.goto(address_of(bundle_of("basic_inference")).replace("/bundles/", "/bundles/not-"))
    expect(page_with_errors.get_by_role("alert")).to_contain_text("404")
    expect(page_with_errors.get_by_role("alert")).to_contain_text(
        "'?bundle=' must name the folder that contains manifest.json"
    )


def test_manifest_that_is_not_json(broken):
    page = broken(lambda folder: (folder / "manifest.json").write_text("<html>not found</html>"))
    expect(page.get_by_role("alert")).to_contain_text('It starts with "<html>not found</html>"')


ARTIFACT = "#v=1&view=compile&compile=0/0&artifact=dynamo_output_graph"


def test_damaged_blob_is_an_error_with_both_hashes(broken):
    hashes = []

    def damage(folder):
        for blob in folder.glob("blobs/*/*"):
            hashes.append(blob.name)
            blob.write_bytes(b"X" + blob.read_bytes()[1:])

    alert = broken(damage, ARTIFACT).get_by_role("alert")
    expect(alert).to_contain_text("is damaged: its content has the SHA-256")
    expect(alert).to_contain_text(re.compile("instead of (" + "|".join(hashes) + ")"))


def test_missing_blob_names_the_request_and_stays(broken):
    page = broken(lambda folder: shutil.rmtree(folder / "blobs"), ARTIFACT)
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("the server answered 404")
    expect(alert).to_contain_text("/blobs/")
    expect(alert).to_contain_text("tlparse-bundle validate")
    expect(alert.get_by_role("button", name="Try again")).to_be_visible()
    expect(
        page.get_by_role("navigation", name="Artifacts").get_by_role("link", name="dynamo_output_graph")
    ).to_be_visible()


def test_page_from_disk_explains_itself(browser):
    page = browser.new_page()
    page.set_default_timeout(WAIT_MS)
    page.goto((DECODER.parents[2] / "default" / "index.html").as_uri())
    expect(page.get_by_text("This page needs a web server")).to_be_visible()
    page.close()
