"""A redacted bundle in the viewers: it is marked, all views open, and a removed payload is reported."""

import json
import re
import zipfile

import pytest
from axe import violations_in_both_themes
from conftest import FIXTURES
from pages import go, settle
from playwright.sync_api import expect
from tlparse_bundle import Bundle
from tlparse_bundle.cli.share import redacted_bundles
from tlparse_bundle.redact.policy import CLASSES, PARTS, PRESETS, policy
from tlparse_bundle.redact.redact import redact
from tlparse_bundle.serve.publish.site import write_site


@pytest.fixture(scope="module")
def few_parts(bundle_of, tmp_path_factory):
    """A bundle of four ranks with every optional part removed."""
    out = tmp_path_factory.mktemp("few") / "bundle"
    redact(Bundle.open(bundle_of("ranks4")), out, policy("share-with-vendor", drop={*PARTS} - {"metrics"}))
    return out


@pytest.fixture(scope="module")
def shared(bundle_of, tmp_path_factory):
    """Return shared(fixture, preset): the bundle redacted with the preset."""

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
    compile = next(c for c in bundle.logs[0].compiles if c.artifacts)
    artifact = next(a for a in compile.artifacts if a.name.startswith("dynamo_output_graph"))
    go(page, f"#v=1&view=compile&compile={compile.key}&artifact={artifact.name}")
    settle(page)
    expect(page.get_by_text("This payload is not included: the bundle is redacted.").first).to_be_visible()


@pytest.mark.parametrize("viewer", ["multirank", "provenance"])
def test_the_other_viewers_open_it(page, served, shared, viewer):
    base = served({"shared": shared("ranks4", "share-with-public")})
    page.goto(f"{base}/viewers/{viewer}/?bundle=/bundles/shared/")
    settle(page)
    expect(page.get_by_text("Redacted", exact=True)).to_be_visible()


@pytest.fixture
def choice_dialog(page_that, served, bundle_of):
    """Return choice_dialog(fixture): (the page, the dialog that selects parts), opened with the keyboard."""

    def open_it(fixture):
        page = page_that(bypass_csp=True)
        base = served({"private": bundle_of(fixture)})
        page.goto(f"{base}/viewers/default/?bundle=/bundles/private/")
        settle(page)
        page.get_by_role("button", name="More ways to share").focus()
        page.keyboard.press("Enter")
        item = page.get_by_role("menuitem", name="Choose what to include …")
        expect(page.get_by_role("menuitem", name="Copy link to this view")).to_be_focused()
        page.keyboard.press("End")
        expect(item).to_be_focused()
        page.keyboard.press("Enter")
        choice_dialog = page.get_by_role("dialog", name="Choose what to include")
        expect(choice_dialog).to_be_visible()
        return page, choice_dialog

    return open_it


def ticked(choice_dialog):
    boxes = choice_dialog.locator("input[type=checkbox]").all()
    return {box.get_attribute("value") for box in boxes if box.is_checked()}, {
        box.get_attribute("value") for box in boxes
    }


def taken(page, choice_dialog, path):
    with page.expect_download() as download:
        choice_dialog.get_by_role("button", name="Download").click()
    expect(choice_dialog.get_by_role("status")).to_contain_text("Saved as redacted.")
    download.value.save_as(path)
    return download.value.suggested_filename


def test_the_dialog_offers_the_options_of_the_command(choice_dialog):
    page, choice = choice_dialog("failures")
    expect(choice.get_by_role("radio", name="Anyone")).to_be_focused()
    every = {*CLASSES, *PARTS} - {"verbatim", "text"}
    for name, preset in (("Anyone", "share-with-public"), ("A vendor", "share-with-vendor")):
        choice.get_by_role("radio", name=name).check()
        assert ticked(choice) == (every - PRESETS[preset], every)
    choice.get_by_text("Page sections: 19 of 19").click()
    choice.get_by_role("checkbox", name="Caches").uncheck()
    expect(choice.get_by_text("Page sections: 18 of 19")).to_be_visible()
    expect(choice.get_by_role("radio", name="Custom")).to_be_checked()
    choice.get_by_role("checkbox", name="Caches").check()
    expect(choice.get_by_role("radio", name="A vendor")).to_be_checked()
    assert violations_in_both_themes(page) == []
    choice.get_by_role("button", name="Preview").click()
    preview = choice.get_by_label("Preview", exact=True).filter(has_text="Removed:")
    expect(preview).to_contain_text("Preset share-with-vendor. Removed:")
    expect(preview).to_contain_text("failures.source_line: 2 different, such as 'print(\"not allowed\")'")
    page.keyboard.press("Escape")
    expect(choice).to_have_count(0)
    expect(page.get_by_role("button", name="More ways to share")).to_be_focused()


def test_unselected_parts_are_not_in_the_zip(choice_dialog, tmp_path):
    page, choice = choice_dialog("failures")
    choice.get_by_role("radio", name="A vendor").check()
    choice.get_by_role("checkbox", name="Source code").check()
    choice.get_by_text("Page sections").click()
    choice.get_by_role("checkbox", name="Timeline").uncheck()
    assert taken(page, choice, tmp_path / "redacted.zip") == "redacted.zip"
    with zipfile.ZipFile(tmp_path / "redacted.zip") as archive:
        archive.extractall(tmp_path / "got")
    manifest = json.loads((tmp_path / "got" / "redacted" / "manifest.json").read_bytes())
    assert manifest["redacted"]["dropped"] == ["payloads", "text", "metadata", "verbatim", "timeline"]
    assert "stacks.code" in manifest["redacted"]["kept"]
    log = Bundle.open(tmp_path / "got" / "redacted").logs[0]
    assert 'print("not allowed")' in {row["source_line"] for row in log.table("failures")}
    assert not {"prints_in_fullgraph", "attempt"} & {row["function"] for row in log.table("stacks")}
    assert not [
        path
        for path in (tmp_path / "got").rglob("*")
        if "private" in path.name or path.name.startswith("spans")
    ]


def test_unselected_parts_are_not_in_the_page(choice_dialog, tmp_path):
    page, choice = choice_dialog("failures")
    choice.get_by_role("radio", name="One HTML page").check()
    assert taken(page, choice, tmp_path / "redacted.html") == "redacted.html"
    page.goto((tmp_path / "redacted.html").as_uri())
    settle(page)
    expect(page.get_by_role("main")).not_to_contain_text("prints_in_fullgraph")
    expect(page.get_by_text("Redacted", exact=True)).to_be_visible()
    page.get_by_role("button", name="More ways to share").click()
    expect(page.get_by_role("menuitem", name="Copy link to this view")).to_be_visible()
    expect(page.get_by_role("menuitem", name="Choose what to include …")).to_have_count(0)


def test_invalid_words_are_refused(page_with_errors, served, bundle_of):
    base = served({"private": bundle_of("failures")})
    for query in ("preset=mine", "drop=everything"):
        for kind in ("zip", "html", "preview"):
            assert page_with_errors.request.get(f"{base}/bundles/private.{kind}?{query}").status == 400


GONE = "Not included in this redacted bundle. There may have been some."


def test_a_view_reports_its_removed_part(show, few_parts):
    """An empty list would claim that there was none."""
    page, _ = show(few_parts)
    expect(page.get_by_role("main")).to_contain_text(f"Findings. {GONE}")
    for view in (
        "failures",
        "breaks",
        "recompiles",
        "guards",
        "timeline",
        "caches",
        "kernels",
        "symbols",
        "tensors",
        "anatomy",
    ):
        go(page, f"#v=1&view={view}")
        expect(page.get_by_role("main")).to_contain_text(GONE)
    for view in ("stack", "compiles", "events", "diagnostics", "compile&compile=0/0"):  # what always stays
        go(page, f"#v=1&view={view}")
        settle(page)
        expect(page.get_by_role("main")).not_to_contain_text("Not included")
        expect(page.get_by_role("main")).to_contain_text(
            "compilation_metrics"
            if view[:2] == "ev"
            else "year"
            if view[0] == "d"
            else re.compile("fn_[a-z2-7]{8}")
        )


@pytest.mark.parametrize("viewer", ["multirank", "provenance", "vllm", "letter", "bytes"])
def test_another_viewer_reports_its_removed_part(page, address_of, few_parts, viewer):
    page.goto(address_of(few_parts).replace("/default/", f"/{viewer}/").split("#")[0])
    expect(page.get_by_text(GONE).first).to_be_visible()


@pytest.mark.parametrize(
    ("viewer", "says"), [("strip", re.compile("fn_[a-z2-7]{8}, ok")), ("starter", "Choose a compile")]
)
def test_small_viewers_open_it(page, address_of, few_parts, viewer, says):
    page.goto(address_of(few_parts).replace("/default/", f"/{viewer}/").split("#")[0])
    expect(page.locator("body")).to_contain_text(says)


@pytest.fixture(scope="module")
def redacted_site(bundle_of, tmp_path_factory):
    """A site of a run and the one before it, redacted together."""
    folder = tmp_path_factory.mktemp("site")
    sides = [bundle_of(FIXTURES / "pairs" / "new_break" / side) for side in ("base", "new")]
    with redacted_bundles(sides, (), "share-with-public") as (bundles, pairs):
        write_site(bundles, folder / "public", compare=pairs, python=False)
    return folder / "public"


def test_a_comparison_of_redacted_bundles(page, hosted, redacted_site):
    page.goto(
        f"{hosted(redacted_site)}/viewers/compare/?base=/bundles/bundle_1/&new=/bundles/bundle_2/&comparison=/comparisons/bundle_1/bundle_2/"
    )
    settle(page)
    expect(page.get_by_role("main")).to_contain_text(
        re.compile(r"Graph break in fn_[a-z2-7]{8} at .*file_[a-z2-7]{8}\.py:14")
    )
    expect(page.get_by_role("main")).not_to_contain_text("program.py")


def test_redacted_bundles_over_time(page, hosted, redacted_site):
    page.goto(f"{hosted(redacted_site)}/viewers/trend/")
    settle(page)
    expect(page.get_by_role("main")).to_contain_text("2 runs")
