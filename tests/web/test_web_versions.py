"""A log of an older torch: missing facts are shown as not recorded, and not as "none"."""

import pytest
from conftest import FIXTURES
from pages import go
from playwright.sync_api import expect


@pytest.fixture
def shown(show):
    return lambda name: show(FIXTURES / "versions" / f"{name}.log.zst")[0]


def heading(page, name):
    expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()


def test_views_without_records_report_it(shown):
    page = shown("2.3.1/recompiles")
    tiles = page.get_by_role("list", name="At a glance")
    expect(tiles.get_by_role("listitem").filter(has_text="not recorded")).to_have_count(4)
    for view, title in (
        ("failures", "Failures"),
        ("breaks", "Graph breaks"),
        ("recompiles", "Recompile reasons"),
        ("caches", "Cache lookups"),
        ("symbols", "Symbols"),
    ):
        go(page, f"#v=1&view={view}")
        heading(page, f"{title}: not recorded")
        expect(page.get_by_role("main")).to_contain_text("There may have been some.")
    go(page, "#v=1&view=recompiles")
    expect(page.get_by_role("main")).to_contain_text("9 recompiles, according to the compile ids")


def test_graph_breaks_that_leave_traces(shown):
    page = shown("2.5.1/breaks")
    go(page, "#v=1&view=breaks")
    heading(page, "Graph breaks: not recorded")
    parts = page.get_by_role("main").get_by_role("list")
    expect(parts.get_by_role("listitem")).to_have_count(7)
    expect(parts.get_by_role("listitem").first).to_contain_text("f_print at breaks.py:10")
    parts.get_by_role("link", name="[1/0]").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("torch_dynamo_resume_in_f_print_at_10")
    page.go_back()
    page.get_by_role("link", name="Restarts and their reasons").click()
    expect(page.get_by_role("grid")).to_contain_text("f_print")


def test_a_newer_log_has_none(shown):
    page = shown("2.15.0/killed")
    go(page, "#v=1&view=breaks")
    heading(page, "No graph breaks")


def test_who_wrote_a_record(shown):
    """Before 2.5 the prefix of a record has the id of the thread."""
    page = shown("2.4.1/killed")
    go(page, "#v=1&view=events&event=0")
    expect(page.get_by_role("main")).to_contain_text("thread 1")
    expect(page.get_by_role("main")).not_to_contain_text("process 1")
