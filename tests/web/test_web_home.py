"""The page that lists bundles: sorting, filter, summaries, and the viewers with contents."""

import os
import shutil

import pytest
from conftest import ROOT
from pages import expect_address, settle
from playwright.sync_api import expect

DAYS = {"failures": 3, "graph_breaks": 1, "provenance": 2, "hang": 4}  # the build time of each


@pytest.fixture(scope="module")
def runs(bundle_of, tmp_path_factory):
    """A folder of four bundles, and something that is not a bundle."""
    folder = tmp_path_factory.mktemp("list") / "runs"
    for name, day in DAYS.items():
        shutil.copytree(
            bundle_of(ROOT / "fixtures" / "jobs" / "extra_then_hang" if name == "hang" else name),
            folder / name,
        )
        os.utime(folder / name / "manifest.json", (day * 86_400,) * 2)
    (folder / "broken").mkdir()
    (folder / "broken" / "manifest.json").write_text("[]")
    return folder


def names(page):
    return [name.removeprefix("runs/") for name in page.get_by_role("rowheader").all_inner_texts()]


def shows(page, *wanted):
    expect(page.get_by_role("rowheader")).to_have_text([f"runs/{name}" for name in wanted])


def test_the_newest_first_and_any_column_by_mouse_and_keyboard(page, served, runs):
    base = served({"runs": runs})
    page.goto(f"{base}/viewers/home/")
    shows(page, "hang", "failures", "provenance", "graph_breaks", "broken")
    built = page.get_by_role("columnheader", name="Built")
    expect(built).to_have_attribute("aria-sort", "descending")
    built.get_by_role("button").focus()
    page.keyboard.press("Enter")
    shows(page, "graph_breaks", "provenance", "failures", "hang", "broken")
    expect(built).to_have_attribute("aria-sort", "ascending")
    expect(built.get_by_role("button")).to_be_focused()
    expect_address(page, "#v=1&sort=built")
    orders = {
        "Findings": ["failures", "hang", "graph_breaks", "provenance", "broken"],
        "Compile time": ["hang", "provenance", "graph_breaks", "failures", "broken"],
        "Compiles": ["graph_breaks", "hang", "failures", "provenance", "broken"],
        "Logs": ["hang", "failures", "graph_breaks", "provenance", "broken"],
        "Bundle": ["broken", "failures", "graph_breaks", "hang", "provenance"],
    }
    for title, order in orders.items():
        page.get_by_role("columnheader", name=title, exact=True).get_by_role("button").click()
        shows(page, *order)
    sizes = {
        name: sum(path.stat().st_size for path in (runs / name).rglob("*") if path.is_file()) for name in DAYS
    }
    page.get_by_role("columnheader", name="Size").get_by_role("button").click()
    shows(page, *sorted(sizes, key=sizes.get, reverse=True), "broken")
    page.go_back()
    shows(page, *orders["Bundle"])


def test_the_filter_is_in_the_address(page, served, runs):
    base = served({"runs": runs})
    page.goto(f"{base}/viewers/home/")
    field = page.get_by_role("searchbox", name="Filter bundles")
    field.fill("rank 3 2.13")
    shows(page, "hang")
    expect(page.get_by_role("status").filter(has_text="1 of 5")).to_be_visible()
    expect_address(page, "#v=1&q=rank%203%202.13")
    page.reload()
    shows(page, "hang")
    expect(field).to_have_value("rank 3 2.13")
    field.fill("nothing like it")
    expect(page.get_by_text("No bundle matches the filter.")).to_be_visible()


def test_a_row_summarizes_problems_and_offers_viewers_with_contents(page, served, runs):
    base = served({"runs": runs})
    page.goto(f"{base}/viewers/home/#v=1&sort=name")
    settle(page)

    def row(name):
        return page.get_by_role("row").filter(has=page.get_by_role("rowheader", name=f"runs/{name}"))

    expect(row("hang")).to_contain_text("rank 2 calls")  # the rank findings, not those of one log
    expect(row("hang").locator(".chip-error")).to_have_text("✖ 1 error")
    expect(row("hang")).to_contain_text("4 ranks")
    expect(row("failures").locator(".chip-error")).to_have_text("✖ 5 errors")
    expect(row("graph_breaks")).to_contain_text("1970-01-02")
    offered = {name: row(name).locator(".viewer-links a").all_inner_texts() for name in DAYS}
    assert offered == {
        "failures": ["default"],
        "graph_breaks": ["default"],
        "provenance": ["default", "provenance"],
        "hang": ["default", "multirank"],
    }
    expect(row("broken")).to_contain_text("its manifest.json is not that of a bundle")
    page.get_by_role("button", name="Switch between light and dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.evaluate("localStorage.clear()")
    row("hang").get_by_role("link", name="multirank").click()
    expect(page.get_by_role("link", name="Collectives", exact=True)).to_be_visible()


def test_an_empty_list_explains_the_next_step(page, served, tmp_path):
    (tmp_path / "runs").mkdir()
    page.goto(served({"runs": tmp_path / "runs"}))
    expect(page.get_by_role("heading", level=1)).to_have_text("No bundles yet")
    expect(page.get_by_role("main")).to_contain_text("TORCH_TRACE=/tmp/trace python train.py")


@pytest.mark.parametrize("width", [1440, 1024, 640, 400])
def test_nothing_is_wider_than_the_page(page_that, served, runs, width):
    page = page_that(viewport={"width": width, "height": 700})
    page.goto(f"{served({'runs': runs})}/viewers/home/")
    settle(page)
    assert page.evaluate(
        "[document.documentElement.scrollWidth, document.querySelector('.scroll').scrollWidth -"
        " document.querySelector('.scroll').clientWidth]"
    ) == [width, 0]
    clipped = page.evaluate(
        "Array.from(document.querySelectorAll('.scroll *')).filter((e) => e.getClientRects().length &&"
        " e.getBoundingClientRect().right > innerWidth).length"
    )
    assert clipped == 0


def test_two_bundles_are_compared(page, served, runs):
    """Boxes select them, and the older one is base; a list without a comparing server has no boxes."""
    base = served({"runs": runs})
    page.goto(f"{base}/viewers/home/")
    boxes = page.get_by_role("checkbox")
    expect(boxes).to_have_count(4)  # a broken bundle cannot be compared
    hint = page.get_by_role("status").filter(has_text="compare")
    expect(hint).to_have_text("Choose two bundles to compare them.")
    page.get_by_role("checkbox", name="Compare runs/provenance").focus()
    page.keyboard.press("Space")
    expect(hint).to_have_text("Choose a second bundle to compare with runs/provenance.")
    page.get_by_role("checkbox", name="Compare runs/graph_breaks").check()
    link = page.get_by_role("link", name="Compare ")
    expect(link).to_have_text("Compare runs/graph_breaks → runs/provenance")
    page.get_by_role("checkbox", name="Compare runs/failures").check()  # the first of three is deselected
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(2)
    expect(link).to_have_text("Compare runs/graph_breaks → runs/failures")
    page.get_by_role("columnheader", name="Compiles", exact=True).get_by_role("button").click()
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(2)
    page.get_by_role("button", name="Swap").click()
    expect(page.get_by_role("button", name="Swap")).to_be_focused()
    link.click()
    settle(page)
    expect_address(
        page, "/viewers/compare/?base=%2Fbundles%2Fruns%2Ffailures%2F&new=%2Fbundles%2Fruns%2Fgraph_breaks%2F"
    )
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.get_by_role("link", name="Comparison").click()
    expect_address(page, "/viewers/home/")
