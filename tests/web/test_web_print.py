"""On paper: everything below each other, no controls, dark on white."""

import pytest
from pages import settle
from playwright.sync_api import expect


@pytest.mark.parametrize("view", ["overview", "compile&compile=0/1", "timeline"])
def test_print_shows_all_and_no_controls(new_page, bundle_of, address_of, view):
    page = new_page(color_scheme="dark", viewport={"width": 760, "height": 500})
    page.goto(address_of(bundle_of("recompiles")) + f"#v=1&view={view}")
    expect(page.get_by_role("navigation", name="Views")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    settle(page)
    page.emulate_media(media="print", color_scheme="dark")
    expect(page.get_by_role("navigation", name="Views")).to_be_hidden()
    for control in page.get_by_role("main").get_by_role("button").all() + page.get_by_role("searchbox").all():
        if not control.evaluate("e => Boolean(e.closest('.tabs, [role=grid], .as-link'))"):
            expect(control).to_be_hidden()
    main = page.get_by_role("main")
    assert main.evaluate("e => e.clientHeight >= e.scrollHeight - 1 && getComputedStyle(e).overflowY === 'visible'"), "nothing is cut off"
    assert main.evaluate("e => e.scrollWidth <= document.documentElement.clientWidth"), "nor at the side"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
