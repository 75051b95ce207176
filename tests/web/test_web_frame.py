"""The frame of the viewers: navigation on the left, actions at the top, and a stable position."""

import re

import pytest
from axe import violations_in_both_themes
from pages import becomes, expect_address, go, settle
from playwright.sync_api import expect

VIEWS = "Views"


def views(page):
    return page.get_by_role("navigation", name=VIEWS)


def scrolled(page, selector):
    return page.evaluate("selector => document.querySelector(selector).scrollTop", selector)


def test_the_views_are_grouped_by_question_with_their_counts(show):
    page, _ = show("graph_breaks")
    settle(page)
    names = [text.split("\n")[0] for text in views(page).get_by_role("link").all_inner_texts()]
    assert names[1:] == [
        "Overview",
        "Failures",
        "Graph breaks",
        "Recompiles",
        "Guards",
        "Timeline",
        "Caches",
        "Stack",
        "Compiles",
        "Artifacts",
        "Kernels",
        "Symbols",
        "Tensors",
        "Records",
        "Log anatomy",
        "Diagnostics",
    ]
    expect(views(page).get_by_role("link", name="Graph breaks", exact=True)).to_have_text("Graph breaks6")
    expect(views(page).get_by_role("link", name="Failures", exact=True)).to_have_text("Failures")  # no 0
    expect(views(page).locator("[data-tone=warning]")).to_have_count(1)
    expect(views(page).locator("[data-tone=error]")).to_have_count(0)


def test_views_of_other_viewers_only_with_contents(show):
    page, _ = show("provenance")
    expect(views(page).get_by_role("link", name="Provenance")).to_have_attribute(
        "href", re.compile(r"/provenance/\?")
    )
    expect(views(page).get_by_role("link", name="Ranks", exact=True)).to_have_count(0)


def test_the_focus_stays_on_what_was_clicked_and_arrows_walk(show):
    page, _ = show("recompiles")
    link = views(page).get_by_role("link", name="Compiles", exact=True)
    link.click()
    expect(page.get_by_role("grid", name="Compiles")).to_be_visible()
    expect(link).to_be_focused()
    expect(link).to_have_attribute("aria-current", "page")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect_address(page, "view=artifacts")
    expect(views(page).get_by_role("link", name="Artifacts")).to_be_focused()
    page.keyboard.press("Home")
    expect(views(page).get_by_role("link").first).to_be_focused()


def test_from_a_filter_into_the_list_below_it(show):
    page, _ = show("recompiles", "#v=1&view=compiles")
    field = page.get_by_label("Filter compiles")
    field.focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("grid", name="Compiles").get_by_role("row").nth(1)).to_be_focused()
    go(page, "#v=1&view=stack")
    page.get_by_label("Filter stacks").focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("treeitem").first).to_be_focused()


def test_back_shows_the_same_place_and_the_same_row(page_that, bundle_of, address_of):
    page = page_that(viewport={"width": 900, "height": 420})
    page.goto(address_of(bundle_of("graph_breaks")))
    settle(page)
    page.evaluate("document.querySelector('main').scrollTo(0, 700)")
    becomes(lambda: scrolled(page, "main"), 700)
    page.get_by_role("article").nth(2).get_by_role("heading").get_by_role("link").click()
    expect_address(page, "view=breaks")
    settle(page)
    page.go_back()
    expect(page.get_by_role("list", name="At a glance")).to_be_visible()
    becomes(lambda: scrolled(page, "main"), 700)
    go(page, "#v=1&view=events")
    page.evaluate("document.querySelector('.grid').scrollTo(0, 4500)")
    row = page.get_by_role("row", name="105 ")
    row.click()
    expect(row).to_have_attribute("aria-selected", "true")
    at = scrolled(page, ".grid")
    views(page).get_by_role("link", name="Caches").click()
    settle(page)
    page.go_back()
    expect(row).to_have_attribute("aria-selected", "true")
    becomes(lambda: scrolled(page, ".grid"), at)


def test_narrow_pages_have_icons_then_a_drawer(new_page, bundle_of, address_of):
    page = new_page(viewport={"width": 1000, "height": 700})
    page.goto(address_of(bundle_of("failures")))
    settle(page)
    assert views(page).bounding_box()["width"] == 56
    expect(views(page).get_by_role("link", name="Failures")).to_have_attribute("title", "Failures")
    page.set_viewport_size({"width": 400, "height": 700})
    button = page.get_by_role("button", name=VIEWS)
    expect(views(page)).to_be_hidden()
    button.focus()
    page.keyboard.press("Enter")
    expect(views(page).get_by_role("link", name="Overview")).to_be_focused()
    page.keyboard.press("Escape")
    expect(views(page)).to_be_hidden()
    expect(button).to_be_focused()
    button.click()
    views(page).get_by_role("link", name="Failures").click()
    expect(page.get_by_role("grid", name="Failures")).to_be_visible()
    expect(views(page)).to_be_hidden()
    page.set_viewport_size({"width": 1280, "height": 700})
    expect(views(page)).to_be_visible()
    assert views(page).bounding_box()["width"] == 208


def test_the_palette_leads_everywhere(show):
    page, _bundle = show("recompiles")
    link = views(page).get_by_role("link", name="Caches")
    link.focus()
    page.keyboard.press("Control+k")
    dialog = page.get_by_role("dialog", name="Go to")
    field = dialog.get_by_role("combobox", name="Go to")
    expect(field).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(link).to_be_focused()

    def jump(text, name):
        page.get_by_role("button", name="Go to").click()
        expect(field).to_be_focused()
        page.keyboard.type(text)
        expect(dialog.get_by_role("option", selected=True)).to_contain_text(name)
        page.keyboard.press("Enter")
        expect(dialog).to_have_count(0)

    jump("anatomy", "Log anatomy")
    expect_address(page, "view=anatomy")
    jump("0/1 grows", "[0/1] grows")
    expect_address(page, "view=compile&compile=0/1")
    jump("aot_inference 0/0", "aot_inference_graph")
    expect_address(page, "compile=0/0&artifact=aot_inference_graph")
    jump("light and dark", "Switch between light and dark")
    jump("no such thing", "Search all text for “no such thing”")
    expect_address(page, "view=search&q=no%20such%20thing")


def test_axe_finds_nothing_in_drawer_palette_and_components(page_that, bundle_of, address_of):
    page = page_that(bypass_csp=True, viewport={"width": 600, "height": 800})
    address = address_of(bundle_of("recompiles"))
    page.goto(address)
    settle(page)
    page.get_by_role("button", name=VIEWS).click()
    assert violations_in_both_themes(page) == []
    expect(views(page)).to_be_visible()  # it was open all the time
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("option", name="[0/0] grows").first).to_be_attached()
    assert violations_in_both_themes(page) == []
    page.goto(address.replace("/default/", "/lib/components.html"))
    settle(page)
    assert violations_in_both_themes(page) == []


def test_every_component_is_shown_in_both_themes(page, bundle_of, address_of):
    page.goto(address_of(bundle_of("recompiles")).replace("/default/", "/lib/components.html"))
    for title in ["Colors", "Views", "Findings", "Tables", "Tracebacks", "Code"]:
        light, dark = (
            page.get_by_role("region", name=f"{title}, {theme}", exact=True) for theme in ("light", "dark")
        )
        expect(light).to_be_visible()
        assert page.evaluate(
            "e => getComputedStyle(e).backgroundColor", light.element_handle()
        ) != page.evaluate("e => getComputedStyle(e).backgroundColor", dark.element_handle())
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.get_by_role("region", name="Findings, dark")).to_contain_text("limited recompiled 3 times")


def test_help_begins_at_its_beginning(page_that, bundle_of, address_of):
    page = page_that(viewport={"width": 900, "height": 420})
    page.goto(address_of(bundle_of("recompiles")))
    settle(page)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Help")
    expect(dialog.get_by_role("heading", name="Help")).to_be_in_viewport()
    assert page.evaluate("document.querySelector('dialog').scrollTop") == 0


MOVING = (
    "() => Array.from(document.querySelectorAll('*')).filter((e) => ['transitionDuration',"
    " 'animationDuration'].some((kind) => parseFloat(getComputedStyle(e)[kind]))).length"
)


@pytest.mark.parametrize(
    "viewer, fixture",
    [("default", "failures"), ("multirank", "ranks_extra_break"), ("provenance", "provenance")],
)
def test_nothing_moves_for_those_who_asked_for_it(new_page, bundle_of, address_of, viewer, fixture):
    page = new_page(viewport={"width": 400, "height": 700}, reduced_motion="reduce")
    page.goto(address_of(bundle_of(fixture)).replace("/default/", f"/{viewer}/"))
    settle(page)
    assert page.evaluate(MOVING) == 0
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate(MOVING) > 0, "or this test sees nothing"
