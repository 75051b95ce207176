"""Printed pages: everything below each other, no controls, dark on white."""

from pages import go
from playwright.sync_api import expect


def test_print_shows_all_and_no_controls(page_that, bundle_of, address_of):
    page = page_that(color_scheme="dark", viewport={"width": 760, "height": 500})
    page.goto(address_of(bundle_of("recompiles")))
    for view in ("overview", "compile&compile=0/1", "timeline"):
        go(page, f"#v=1&view={view}")
        expect(page.get_by_role("navigation", name="Views")).to_be_visible()
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        it_prints(page)
        page.emulate_media(media="screen")


def it_prints(page):
    page.emulate_media(media="print", color_scheme="dark")
    expect(page.get_by_role("navigation", name="Views")).to_be_hidden()
    for control in page.get_by_role("main").get_by_role("button").all() + page.get_by_role("searchbox").all():
        if not control.evaluate("e => Boolean(e.closest('.tabs, [role=grid], th, .as-link'))"):
            expect(control).to_be_hidden()
    main = page.get_by_role("main")
    assert main.evaluate(
        "e => e.clientHeight >= e.scrollHeight - 1 && getComputedStyle(e).overflowY === 'visible'"
    ), "nothing is cut off"
    assert main.evaluate("e => e.scrollWidth <= document.documentElement.clientWidth"), "nor at the side"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
