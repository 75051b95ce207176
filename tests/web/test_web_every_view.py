"""Rules for every view: strings are text, addresses can be shared, keys reach everything, axe, narrow
windows, print.
"""

import json
import re
import shutil
from pathlib import Path

import pytest
import traces
from addresses import ADDRESSES, PARTS, hash_of, view_names
from axe import violations_in_both_themes
from pages import address, becomes, go, settle, text_of
from playwright.sync_api import expect
from tlparse_bundle import Bundle
from tlparse_bundle.bundle.schemas import schema, schema_names

EVIL = (
    "javascript:document.title='broken'//\"'><img src=x"
    " onerror=\"document.title='broken'\"><script>document.title='broken'</script>\u202e"
)
KEPT = {
    "id",
    "compile",
    "compiles",
    "follows",
    "entry",
    "limit_compile",
    "graph_compiles",
    "hash",
    "sha256",
    "blob",
    "descriptor",
}  # what refers to something


def test_every_view_has_an_address():
    assert view_names() == {hash.split("&")[0] for hashes in ADDRESSES.values() for hash in hashes} - {
        "nosuchview"
    }


@pytest.fixture(scope="session")
def hostile_bundle(bundle_of, once):
    """Return hostile_bundle(fixture): its bundle with EVIL before every string of the log; built once per
    session, for tests to read.
    """

    def fill(out, fixture):
        shutil.copytree(bundle_of(fixture, "none"), out)
        for log in Bundle.open(out).manifest["logs"]:
            directory = json.loads((out / log["path"]).read_text())
            for name, entry in directory["tables"].items():
                for file in entry["files"]:
                    _rewrite(out / file["path"], _words(schema(name)) if name in schema_names() else set())

    return lambda fixture: (
        once(("hostile", fixture), lambda folder: fill(folder / "bundle", fixture)) / "bundle"
    )


def _words(node):
    """Return the values that a schema lists, which are ours."""
    if isinstance(node, dict):
        own = set(map(str, node.get("enum", []))) | (
            {node["const"]} if isinstance(node.get("const"), str) else set()
        )
        return own.union(*map(_words, node.values()))
    return set().union(*map(_words, node)) if isinstance(node, list) else set()


def _rewrite(path: Path, words: set):
    def evil(value, key=None):
        if isinstance(value, dict):
            return {name: evil(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [evil(item, key) for item in value]
        return EVIL + value if isinstance(value, str) and key not in KEPT and value not in words else value

    path.write_bytes(traces.written(path.name, evil(traces.parsed(path.name, path.read_bytes()))))


@pytest.mark.parametrize("fixture, hashes", PARTS)
def test_every_string_is_shown_as_text(show, hostile_bundle, fixture, hashes):
    page, bundle = show(
        hostile_bundle(fixture)
    )  # a script that runs, or a report of the policy, also fails the test
    for hash in hashes:
        go(page, hash_of(hash, bundle.logs[0].id))
        closed = page.locator("main details:not([open]) > summary:visible")
        while closed.count():  # a fold can hold more of them
            closed.first.click()
        assert page.locator("img, script:not([src]), [onerror]").count() == 0, hash
        assert page.locator("[href^='javascript' i], [src^='javascript' i]").count() == 0, hash
        assert not page.title().startswith("broken"), hash
        if (
            hash.split("&")[0]
            in (
                "overview",
                "failures",
                "breaks",
                "recompiles",
                "symbols",
                "tensors",
                "kernels",
                "caches",
                "export",
                "stack",
                "autotuning",
                "cudagraphs",
                "workers",
            )
            and hash != "overview"
        ):
            expect(page.get_by_role("main")).to_contain_text("<img src=x onerror")


@pytest.mark.parametrize("fixture", ["provenance", "provenance_training", "provenance_aoti"])
def test_every_string_of_provenance_is_text(page, hostile_bundle, address_of, fixture):
    page.goto(address_of(hostile_bundle(fixture)).replace("/default/", "/provenance/") + "#v=1&pin=kernel:0")
    expect(page.get_by_role("grid", name="Kernels")).to_contain_text("<img src=x onerror=")
    expect(page.get_by_role("region", name="User source: text")).to_contain_text("<img src=x onerror=")
    assert page.locator("img, script:not([src]), [onerror]").count() == 0
    assert page.locator("[href^='javascript' i]").count() == 0
    assert not page.title().startswith("broken")


STYLES = (
    "() => Array.from(document.styleSheets, (sheet) => [sheet.media.mediaText, ...Array.from(sheet.cssRules,"
    " (rule) => rule.cssText)])"
)


@pytest.mark.parametrize("fixture, hashes", PARTS)
def test_an_address_shows_the_same_in_a_new_window_and_in_an_exported_file(
    show, page_that, new_page, blank, bundle_of, address_of, fixture, hashes
):
    """In a new window also after selecting, sorting and filtering; in the file with the same styles in the
    same order.
    """
    page, bundle = show(fixture)
    other, exported = page_that(color_scheme="light"), new_page()
    exported.goto(address_of(bundle_of(fixture), "export"))
    here, there = (
        re.search(r"([^/]+?)(\.html|/)(#|$)", one.url)[1] for one in (page, exported)
    )  # the bundle has the name of its file there
    for hash in hashes:
        for one in (page, exported):
            go(one, hash_of(hash, bundle.logs[0].id))
        becomes(
            lambda hash=hash: (hash, f" · {text_of(exported)}".replace(f" · {there} · ", f" · {here} · ", 1)),
            (hash, f" · {text_of(page)}"),
        )
        grid = page.get_by_role("main").get_by_role("grid").first
        if grid.count() and grid.get_by_role("row").count() > 3:
            grid.get_by_role("columnheader").locator("button").last.click()
            grid.get_by_role("row").nth(3).click()
            settle(page)
        place = address(page)
        other.goto(blank)
        other.goto(place)
        settle(other)
        becomes(lambda place=place: (place, text_of(other)), (place, text_of(page)))
    assert exported.evaluate(STYLES) == page.evaluate(STYLES) != []


CLICKS = """(() => { const add = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (type, ...rest) { if (type === 'click' && this instanceof Element) this.dataset.clickable = ''; return add.call(this, type, ...rest); }; })()"""
# Clickable elements without keyboard focus, with the keys that do the same.
SAME_BY_KEY = {
    "twist": "← → in the tree", "code": "the marks and folds of a line: arrows, z, and the values with the keys of the pane",
    "virtual": "rows: arrows", "fold": "z", "ruler": "+ − in a chart", "treemap-cell": "links in the table of the same buffers",
    "artifact-index": "the buttons of its rows, which arrows reach",
}  # fmt: skip


def expect_keys_reach_it(page, hash):
    """Check that every clickable element can be focused, or a key does the same; a list is one stop."""
    found = page.evaluate(
        """same => Array.from(document.querySelectorAll('[data-clickable], main a'), (e) => e)
        .filter((e) => e.offsetParent !== null && e.tabIndex < 0 && !e.hasAttribute('tabindex') && !same.some((name) => e.classList.contains(name))).map((e) => e.outerHTML.slice(0, 120))""",
        list(SAME_BY_KEY),
    )
    assert found == [], hash
    stops = page.evaluate(
        """() => Array.from(document.querySelectorAll('main [role=grid], main [role=tree]'), (e) => [e.getAttribute('aria-label'), Math.min(1, e.querySelectorAll('[role=gridcell], [role=treeitem]').length), e.querySelectorAll('[role=row][tabindex="0"], [role=treeitem][tabindex="0"]').length])"""
    )
    assert all(stop == rows for _, rows, stop in stops), f"{hash}: one tab stop for each list: {stops}"


def expect_it_fits(page, hash):
    """Check that nothing is wider than the window, and that printed parts are below each other."""
    assert page.evaluate("document.documentElement.scrollWidth") <= 360, hash
    assert page.get_by_role("main").evaluate("element => element.scrollWidth") <= 360, hash
    page.emulate_media(media="print")
    expect(page.get_by_role("navigation", name="Views")).to_be_hidden()
    assert page.get_by_role("main").evaluate(
        "e => e.clientHeight >= e.scrollHeight - 1 && getComputedStyle(e).overflowY === 'visible'"
    ), hash
    page.emulate_media(media="screen")


@pytest.mark.parametrize("fixture, hashes", PARTS)
def test_keys_and_axe_and_narrow_windows_and_print(new_page, bundle_of, address_of, fixture, hashes):
    """All views in a wide window, light and dark, then in a narrow one."""
    page = new_page(bypass_csp=True)
    page.add_init_script(CLICKS)
    folder = bundle_of(fixture)
    page.goto(address_of(folder))
    places = [hash_of(hash, Bundle.open(folder).logs[0].id) for hash in hashes]
    found = []
    for place in places:
        go(page, place)
        expect_keys_reach_it(page, place)
        found += [f"{place} {violation}" for violation in violations_in_both_themes(page)]
    assert not found, "\n".join(found)
    page.set_viewport_size({"width": 360, "height": 700})
    for place in places:
        go(page, place)
        expect_it_fits(page, place)
