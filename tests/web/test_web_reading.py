"""The first visit, the words of the pages, and their order for a keyboard and a screen reader."""

import re

import pytest
from addresses import view_names
from axe import violations
from conftest import VIEWERS
from pages import becomes, go, settle
from playwright.sync_api import expect

TABS = 5  # to the first finding, after the skip link


@pytest.mark.parametrize("fixture", ["recompiles", "caches", "ranks_missing_collective"])
def test_the_first_finding_is_a_few_tabs_away(show, fixture):
    page, _ = show(fixture)
    settle(page)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    finding = page.get_by_role("main").get_by_role("article").first.get_by_role("link").first
    for _ in range(TABS):
        page.keyboard.press("Tab")
        if finding.evaluate("link => link === document.activeElement"):
            break
    expect(finding).to_be_focused()


def test_arrows_move_between_the_tiles(show):
    page, _ = show("recompiles")
    tiles = page.get_by_role("list", name="At a glance").get_by_role("link")
    tiles.first.focus()
    page.keyboard.press("ArrowRight")
    expect(tiles.nth(1)).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(tiles.nth(1)).to_be_focused()


def read_aloud(page, roles):
    """Return the parts of the page with these roles and their names, in the order of the accessibility tree."""
    found = []
    for line in page.locator("body").aria_snapshot().splitlines():
        match = re.match(r"^ *- '?(\w+)(?: \"(.*?)\"(?=[ :'\[]|$))?(?: \[level=(\d)\])?", line)
        if match and match[1] in roles:
            found.append(" ".join(filter(None, (match[1] + (match[3] or ""), match[2]))))
    return found


def test_a_screen_reader_hears_the_overview_in_order(show):
    page, _ = show("recompiles")
    settle(page)
    heard = read_aloud(page, ("navigation", "banner", "main", "heading", "figure", "table"))
    first = [
        "navigation Views",
        "banner",
        "main",
        "heading1 4 functions, 11 compiles, 695 ms. 7 recompiles (4 causes), 1 function hit the recompile limit.",
        "figure Compiles over the run",
        "heading2 Findings",
        "heading3 warning: limited recompiled 3 times: x.size(0) had values such as 2, 3, 4 and 5",
    ]
    assert heard[: len(first)] == first
    assert heard[-2:] == ["heading2 Compiles", "table"]


def test_a_screen_reader_hears_a_compile_in_order(show):
    page, _ = show("recompiles", "#v=1&view=compile&compile=0/1")
    settle(page)
    heard = read_aloud(page, ("navigation", "banner", "main", "region", "heading"))
    assert heard[:5] == ["navigation Views", "banner", "main", "heading1 [0/1] grows", "navigation Artifacts"]
    assert heard[heard.index("region Summary") :] == [
        "region Summary",
        "heading2 136 ms compile time",
        "heading2 warning: grows recompiled once: x.size(0) changed from 4 to 5",
        "heading2 Guards",
        "heading2 Caches",
        "heading2 Symbols 1",
        "heading2 Input tensors 1",
        "heading2 Artifacts",
        "heading3 Dynamo",
        "heading3 AOTAutograd",
        "heading3 Metrics and run time",
    ]


def test_a_first_visit_explains_ids_and_phases_until_it_is_dismissed(new_page, blank, bundle_of, address_of):
    page = new_page(bypass_csp=True)
    page.goto(blank)
    page.evaluate("sessionStorage.firstVisit = 1")
    page.goto(address_of(bundle_of("recompiles")))
    line = page.get_by_role("complementary", name="Introduction")
    expect(line).to_contain_text("[0/1] is a compile id")
    for phase in ("Dynamo", "AOTAutograd", "Inductor"):
        expect(line).to_contain_text(phase)
    settle(page)
    assert violations(page, "light") == []
    line.get_by_role("button", name="Dismiss").click()
    expect(line).to_have_count(0)
    page.reload()
    settle(page)
    expect(line).to_have_count(0)


def test_labels_are_explained_and_help_begins_with_the_view(show):
    page, _ = show("recompiles")
    label = page.get_by_role("list", name="At a glance").get_by_text("recompiles", exact=True)
    label.hover()
    becomes(
        lambda: label.get_attribute("title"),
        "A compile of a function that was compiled before, after a guard failed.",
    )
    go(page, "#v=1&view=timeline")
    header = page.get_by_role("columnheader", name="Self time")
    expect(header).to_have_attribute("title", "Without nested spans")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Help")
    expect(dialog.get_by_role("heading").nth(1)).to_have_text("About this view")
    expect(dialog).to_contain_text("What the compiler did and when, as nested spans.")
    expect(dialog).to_contain_text("A place that Dynamo cannot capture")


def test_every_view_says_in_two_sentences_what_it_shows():
    text = (VIEWERS / "default" / "frame" / "about.js").read_text()
    about = dict(re.findall(r'^  (\w+):\s+"(.*)",$', text, re.MULTILINE))
    assert about.keys() == view_names()
    assert {view for view, words in about.items() if len(re.findall(r"\.(?: |$)", words)) != 2} == set()
