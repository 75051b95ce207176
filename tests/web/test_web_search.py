"""Global search: names while typing, text of artifacts in a worker."""

import re

import pytest
from log_builder import record
from pages import becomes, expect_address, settle
from playwright.sync_api import expect


def found(page):
    return page.get_by_role("region", name="Matches in text")


def search(page, text):
    expect(page.get_by_role("main")).not_to_be_empty()
    page.keyboard.press("/")
    expect(page.get_by_label("Search everywhere")).to_be_focused()
    page.keyboard.type(text)


def test_names_by_kind_while_typing(show):
    page, _ = show("recompiles", "#v=1&view=stack")
    search(page, "gr")
    page.keyboard.type("ows")
    expect(page).to_have_url(re.compile("#v=1&view=search&q=grows$"))
    names = page.get_by_role("region", name="Names", exact=True)
    expect(names.get_by_role("heading", name="Compiles and functions 2")).to_be_visible()
    expect(page.get_by_label("Search everywhere")).to_be_focused()  # also in the new view
    page.get_by_label("Search everywhere").fill("size mismatch")
    expect(names.get_by_role("heading", name="Failures, recompiles, restarts")).to_be_visible()
    page.get_by_label("Search everywhere").fill("guards_str")
    expect(names.get_by_role("heading", name="Artifacts 1")).to_be_visible()
    expect(names.get_by_role("heading", name="Records 1")).to_be_visible()
    page.get_by_label("Search everywhere").fill("program.py")
    expect(names.get_by_role("heading", name="Files 1")).to_be_visible()
    page.keyboard.press("ArrowDown")
    for _ in range(20):
        if page.evaluate("document.activeElement.textContent").endswith("/program.py"):
            break
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("grid", name="Compiles")).to_be_visible()
    page.go_back()
    expect(names.get_by_role("heading", name="Files 1")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("tree")).to_be_visible()


def test_diagnostics_are_found(show):
    page, bundle = show("nonascii")
    code = next(iter(bundle.logs[0].row["diagnostics"]), None) or pytest.skip(
        "the fixture has no diagnostics"
    )
    search(page, code)
    expect(
        page.get_by_role("region", name="Names", exact=True).get_by_role("heading", name="Diagnostics")
    ).to_be_visible()


def test_text_leads_to_the_line(show):
    page, bundle = show("train_step")
    search(page, "aten.addmm")
    first = found(page).locator(".search-line").first
    expect(first).to_be_visible()
    expected = {
        a.sha256
        for c in bundle.logs[0].compiles
        for a in c.artifacts
        if a.sha256 and "aten.addmm" in a.text()
    }
    expect(
        page.get_by_role("status").filter(has_text=f"in {len(expected)} texts")
    ).to_be_visible()  # equal texts once
    expect(found(page).locator(".head")).to_have_count(len(expected))
    number = first.locator(".number").inner_text().replace(",", "")
    text = first.locator("code").inner_text()
    first.click()
    marked = page.locator(".code-line.marked")
    expect(marked).to_be_in_viewport()
    expect(marked).to_contain_text(text.strip(" …"))
    expect(page).to_have_url(re.compile(f"line={number}$"))


def test_line_of_laid_out_json(show):
    data = record('artifact:facts 0/0 {"encoding": "json"}', payload='{"a": [1, 2], "wanted": "needle"}')
    page, _ = show(data, "#v=1&view=search&q=needle")
    found(page).locator(".search-line").click()
    expect(page.locator(".code-line.marked")).to_contain_text('"wanted": "needle"')


MANY = "\n".join(f"{'needle' if n % 2 else 'hay'} {n}" for n in range(6_000))


def test_many_lines_are_counted_and_shown_when_asked(show):
    data = (
        record("artifact:many 0/0", payload=MANY)
        + record("artifact:copy 0/1", payload=MANY)
        + record("artifact:one 0/2", payload="a needle, or two: needle")
    )
    page, _ = show(data, "#v=1&view=search&q=NEEDLE")
    expect(page.get_by_role("status").filter(has_text="3,001 lines in 2 texts")).to_be_visible()
    expect(found(page)).to_contain_text("3,000 lines, 20 shown, in 1 more artifact")
    expect(found(page).locator(".search-line")).to_have_count(21)
    page.get_by_role("button", name="Show all 3,001 lines").click()
    expect(page.get_by_role("button", name="Show all 3,001 lines")).to_have_count(0)
    expect_address(page, "in=all")
    last = found(page).get_by_text("a needle, or two")
    becomes(
        lambda: (
            found(page).evaluate("element => { element.scrollTop = element.scrollHeight }")
            or last.is_visible()
        )
    )  # the list grows for a while
    assert found(page).locator(".search-row").count() < 400


def test_large_logs_are_searched_when_asked_and_can_be_stopped(show):
    payloads = [("x" * 99 + "\n") * 50_000 + f"needle {n}" for n in range(5)]
    page, _ = show(
        b"".join(record(f"artifact:big{n} 0/{n}", payload=text) for n, text in enumerate(payloads)),
        "#v=1&view=search&q=needle",
    )
    expect(page.get_by_text("25 MB of text")).to_be_visible()
    expect(found(page).locator(".search-line")).to_have_count(0)
    page.get_by_role("button", name="Search the text").click()
    expect(page.get_by_role("status").filter(has_text="5 lines in 5 texts")).to_be_visible()
    search(page, "needle 3")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="1 line in 1 text")).to_be_visible()
    # A search that runs until it is stopped, on any machine: its end is never reported.
    page.evaluate(
        """() => { const Real = Worker; window.Worker = class extends Real {
        set onmessage(listen) { super.onmessage = (event) => { if (!event.data.done) listen(event); }; } }; }"""
    )
    page.get_by_label("Search everywhere").fill("xx")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("status").filter(has_text="stopped")).to_be_visible()


def test_all_logs_at_once(show):
    page, bundle = show("ranks4", "#v=1&view=search&q=all_ranks_reduce")
    page.get_by_label("in all 4 logs").check()
    for log in bundle.logs:
        expect(page.get_by_role("heading", name=f"{log.id}: Compiles and functions")).to_be_visible()
    expect_address(page, "by=logs")
    page.get_by_role("region", name="Names", exact=True).get_by_role("link").last.click()
    expect_address(page, f"log={bundle.logs[-1].id}")


def test_slash_twice_and_f_lead_to_the_filter_of_the_view(show):
    page, _ = show("recompiles", "#v=1&view=compiles")
    for keys in ["//", "f"]:
        expect(page.get_by_role("grid", name="Compiles")).to_be_visible()
        page.evaluate("document.activeElement.blur()")
        for key in keys:
            page.keyboard.press(key)
        expect(page.get_by_label("Filter compiles")).to_be_focused()


def test_no_match_is_reported(show):
    page, _ = show("basic_inference", "#v=1&view=search&q=zzzzzz")
    expect(page.get_by_text("No names contain “zzzzzz”.")).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="0 lines in 0 texts")).to_be_visible()
    names, texts = (
        page.get_by_role("region", name=name).bounding_box() for name in ("Names", "Text of artifacts")
    )
    assert texts["width"] == names["width"], "the text does not have the whole width"
    page.get_by_label("Search everywhere").fill("z")
    expect(page.get_by_text("Type at least two characters")).to_be_visible()


def test_the_match_of_a_long_line_is_in_sight(show):
    page, _ = show("recompiles", "#v=1&view=search&q=grows")
    expect(page.get_by_role("status").filter(has_text="lines in")).to_be_visible()
    settle(page)
    pane = found(page).bounding_box()
    marks = found(page).locator(".search-line mark")
    expect(marks.nth(10)).to_be_attached()
    # At once: the list is redrawn while it grows.
    ends = marks.evaluate_all("marks => marks.map((mark) => mark.getBoundingClientRect().right)")
    assert max(ends) <= pane["x"] + pane["width"]
