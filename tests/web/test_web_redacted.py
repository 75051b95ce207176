"""A redacted bundle in the viewers: it says so, all views open, and a payload that is not there is said."""

import json
import zipfile

import pytest
from axe import violations_in_both_themes
from pages import go, settle
from playwright.sync_api import expect
from tlparse_bundle import Bundle
from tlparse_bundle.redact.policy import policy
from tlparse_bundle.redact.redact import redact


@pytest.fixture(scope="module")
def few_parts(bundle_of, tmp_path_factory):
    """A bundle of four ranks of which nothing was kept that could go."""
    out = tmp_path_factory.mktemp("few") / "bundle"
    redact(Bundle.open(bundle_of("ranks4")), out, policy(keep=["metrics"]))
    return out


@pytest.fixture(scope="module")
def shared(bundle_of, tmp_path_factory):
    """shared(fixture, preset): the bundle as the preset leaves it."""

    def make(fixture, preset):
        out = tmp_path_factory.mktemp("shared") / "bundle"
        redact(Bundle.open(bundle_of(fixture)), out, policy(preset))
        return out

    return make


@pytest.mark.parametrize("preset", ["share-with-public", "share-with-vendor"])
def test_each_view_of_a_redacted_bundle_opens(show, shared, preset):
    page, bundle = show(shared("graph_breaks", preset))
    expect(page.get_by_text("Redacted", exact=True)).to_be_visible()
    links = page.get_by_role("navigation", name="Views").get_by_role("link")
    for href in {link.get_attribute("href") for link in links.all()}:
        if href and href.startswith("#"):
            go(page, href)
            settle(page)
            expect(page.get_by_role("main")).to_be_visible()
            assert "prints_once" not in page.locator("main").inner_text()
    compile = next(c for c in bundle.logs[0].compiles if c.artifacts and c.id)
    artifact = next(a for a in compile.artifacts if a.name.startswith("dynamo_output_graph"))
    go(page, f"#v=1&view=compile&compile={compile.key}&artifact={artifact.name}")
    settle(page)
    if preset == "share-with-public":
        expect(page.get_by_text("This payload is not included: the bundle is redacted.").first).to_be_visible()
    else:
        expect(page.get_by_role("main")).to_contain_text("class GraphModule")


@pytest.mark.parametrize("viewer", ["multirank", "provenance"])
def test_the_other_viewers_open_it(page, served, shared, viewer):
    base = served({"shared": shared("ranks4", "share-with-public")})
    page.goto(f"{base}/viewers/{viewer}/?bundle=/bundles/shared/")
    settle(page)
    expect(page.get_by_text("Redacted", exact=True)).to_be_visible()


def test_the_share_menu_makes_a_redacted_bundle(page_that, served, bundle_of, tmp_path):
    page = page_that(bypass_csp=True)
    base = served({"private": bundle_of("failures")})
    page.goto(f"{base}/viewers/default/?bundle=/bundles/private/")
    settle(page)
    expect(page.get_by_text("Redacted", exact=True)).to_have_count(0)
    page.get_by_role("button", name="More ways to share").click()
    expect(page.get_by_role("menuitem", name="Download for anyone")).to_be_visible()
    assert violations_in_both_themes(page) == []
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="Download for anyone").click()
    assert download.value.suggested_filename == "redacted.zip"
    with zipfile.ZipFile(download.value.path()) as archive:
        names = archive.namelist()
        manifest = json.loads(archive.read("redacted/manifest.json"))
    assert manifest["redacted"]["preset"] == "share-with-public"
    assert not [name for name in names if "private" in name]
    assert page.request.get(f"{base}/bundles/private.zip?preset=mine").status == 400


GONE = "Not included: the bundle is redacted."


def test_a_view_whose_part_is_gone_says_so(show, few_parts):
    """An empty list would say that there was none."""
    page, _ = show(few_parts)
    expect(page.get_by_role("main")).to_contain_text(f"Findings. {GONE}")
    for view in ("failures", "breaks", "recompiles", "guards", "timeline", "caches", "kernels", "symbols", "tensors", "anatomy"):
        go(page, f"#v=1&view={view}")
        expect(page.get_by_role("main")).to_contain_text(GONE)
    for view in ("stack", "compiles", "events", "diagnostics", "compile&compile=0/0"):  # what always stays
        go(page, f"#v=1&view={view}")
        settle(page)
        expect(page.get_by_role("main")).not_to_contain_text("Not included")
        expect(page.get_by_role("main")).to_contain_text("compilation_metrics" if view[:2] == "ev" else "clock" if view[0] == "d" else "fn_1")


@pytest.mark.parametrize("viewer", ["multirank", "provenance", "vllm", "letter", "bytes"])
def test_another_viewer_whose_part_is_gone_says_so(page, address_of, few_parts, viewer):
    page.goto(address_of(few_parts).replace("/default/", f"/{viewer}/").split("#")[0])
    expect(page.get_by_text(GONE).first).to_be_visible()


@pytest.mark.parametrize(("viewer", "says"), [("strip", "fn_2, ok"), ("starter", "Choose a compile")])
def test_small_viewers_open_it(page, address_of, few_parts, viewer, says):
    page.goto(address_of(few_parts).replace("/default/", f"/{viewer}/").split("#")[0])
    expect(page.locator("body")).to_contain_text(says)
