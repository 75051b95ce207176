"""Every screen has an address, and the back button goes back."""

import re

import pytest
from pages import address, expect_address, settle
from playwright.sync_api import expect

PLACES = [
    (
        "#v=1&view=stack&q=limited&problems=1",
        lambda p: expect(p.get_by_label("Filter stacks")).to_have_value("limited"),
    ),
    (
        "#v=1&view=stack&compile=0/1",
        lambda p: expect(p.get_by_role("treeitem", name="[0/1]")).to_have_attribute("aria-selected", "true"),
    ),
    (
        "#v=1&view=compiles&sort=-time&q=any_dtype",
        lambda p: expect(p.get_by_role("grid").get_by_role("row")).to_have_count(4),
    ),
    (
        "#v=1&view=compile&compile=2/1&artifact=recompile_reasons",
        lambda p: expect(p.get_by_role("region", name="Text of recompile_reasons")).to_be_visible(),
    ),
    (
        "#v=1&view=events&type=artifact&event=5",
        lambda p: expect(p.get_by_role("region", name="Record", exact=True)).to_contain_text("record 5"),
    ),
    ("#v=1&view=diagnostics", lambda p: expect(p.get_by_role("grid", name="Diagnostics")).to_be_visible()),
]


@pytest.mark.parametrize("place, there", PLACES, ids=[place for place, _ in PLACES])
def test_address_round_trip(show, place, there):
    page, _ = show("recompiles", place)
    there(page)
    settle(page)
    assert address(page).endswith(place), "looking does not change the address"
    page.reload()
    there(page)
    page.get_by_role("link", name="Overview").click()
    expect(page.get_by_role("region", name="Findings")).to_be_visible()
    page.go_back()
    there(page)
    settle(page)
    assert address(page).endswith(place)


def test_defaults_are_left_out_and_unknown_keys_kept(show):
    page, _ = show("recompiles", "#v=1&view=overview&future=a%20b&q=")
    page.get_by_role("link", name="Stack", exact=True).click()
    expect(page).to_have_url(re.compile("#v=1&future=a%20b&view=stack$"))
    page.get_by_role("treeitem", name="[0/1]").click()
    expect(page).to_have_url(re.compile("#v=1&future=a%20b&view=stack&compile=0/1$"))
    page.get_by_role("link", name="Overview").click()
    expect(page).to_have_url(re.compile("#v=1&future=a%20b$"))  # the overview is the default


def test_typing_is_one_step_back(show):
    page, _ = show("recompiles", "#v=1")
    page.get_by_role("link", name="Compiles", exact=True).click()
    page.get_by_label("Filter compiles").press_sequentially("grows")
    expect(page.get_by_text("2 of 13 rows")).to_be_visible()
    expect_address(page, "q=grows")  # so few rows also fit an earlier input
    page.go_back()
    expect(page.get_by_role("region", name="Findings")).to_be_visible()
    page.go_forward()
    expect(page.get_by_label("Filter compiles")).to_have_value("grows")


WRONG = [
    ("#v=1&view=nonsense", "No view 'nonsense'"),
    ("#v=1&log=nobody", "No log 'nobody' in this bundle"),
    ("#v=1&view=compile&compile=99/9", "No compile 99/9 in this log"),
    ("#v=1&view=events&event=999999", "This log has no record 999,999"),
    ("#v=1&view=compile&compile=0/0&artifact=nothing", "[0/0] has no nothing"),
]  # fmt: skip


def test_wrong_addresses_are_reported(show, blank):
    for place, words in WRONG:
        page, _ = show("recompiles", place)
        expect(page.get_by_text(words)).to_be_visible()
        page.get_by_role("link", name="Stack", exact=True).first.click()
        page.goto(blank)
