"""Compare: two compiles artifact by artifact, line by line; all compiles of a function."""

import re
from urllib.parse import urlsplit

import pytest
from log_builder import record
from pages import expect_address
from playwright.sync_api import expect

PLACE = "#v=1&view=compare&left={}&right={}"


def test_from_a_compile_to_the_one_before(show):
    page, bundle = show("recompiles", "#v=1&view=compile&compile=0/1")
    page.get_by_role("link", name="compare with [0/0]").click()
    log = bundle.logs[0].id
    expect_address(page, f"left={log}/0/0&right={log}/0/1")
    table = page.get_by_role("region", name="Summary")
    expect(table.get_by_role("row", name="Recompile reason")).to_contain_text(
        "≠ 0/0: tensor 'x' size mismatch at index 0. expected 4, actual 5"
    )
    rail = page.get_by_role("navigation", name="Artifacts")
    hashes = [{a.name: a.sha256 for a in bundle.logs[0].compile(key).artifacts} for key in ("0/0", "0/1")]
    for name in hashes[0].keys() | hashes[1].keys():
        left, right = hashes[0].get(name), hashes[1].get(name)
        word = (
            "only right"
            if name not in hashes[0]
            else "only left"
            if name not in hashes[1]
            else "same"
            if left is not None and left == right
            else "differs"
        )
        expect(rail.get_by_role("link", name=f"{name} ")).to_contain_text(word)


def test_differences_are_shown_line_by_line(show):
    page, bundle = show("recompiles")
    log = bundle.logs[0].id
    page.evaluate("hash => { location.hash = hash }", PLACE.format(f"{log}/0/0", f"{log}/0/1"))
    page.get_by_role("navigation", name="Artifacts").get_by_role("link", name="dynamo_cpp_guards_str").click()
    page.get_by_role("button", name="By line").click()
    expect_address(page, "by=line")
    diff = page.get_by_role("region", name="Difference of dynamo_cpp_guards_str")
    expect(page.get_by_text("3 changes", exact=True)).to_be_visible()
    page.keyboard.press("n")
    expect(page.get_by_text("change 1 of 3", exact=True)).to_be_visible()
    expect(diff.locator(".here").first).to_contain_text("TENSOR_MATCH")
    page.keyboard.press("Shift+N")
    expect(page.get_by_text("change 3 of 3", exact=True)).to_be_visible()
    page.get_by_role("button", name="Next change").click()
    expect(page.get_by_text("change 1 of 3", exact=True)).to_be_visible()
    expect(diff).not_to_contain_text("TREE_GUARD_MANAGER")  # equal lines far away are folded
    diff.get_by_role("button", name="5 equal lines").click()
    expect(diff.get_by_text("TREE_GUARD_MANAGER")).to_have_count(2)
    page.get_by_role("button", name="Unified").click()
    expect_address(page, "pane=unified")
    diff.get_by_role("button", name="5 equal lines").or_(
        diff.get_by_text("TREE_GUARD_MANAGER")
    ).first.wait_for()
    expect(diff.get_by_text("TREE_GUARD_MANAGER")).to_have_count(1)
    page.reload()
    expect(page.get_by_role("button", name="Unified")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="⇄ Swap").click()
    expect_address(page, f"left={log}/0/1&right={log}/0/0")


LEFT = [f"line {n}" for n in range(30_000)]
RIGHT = [*LEFT[:100], "new", *LEFT[100:20_000], *LEFT[20_007:29_999], "changed at the end"]


def test_large_texts(show):
    data = record("artifact:text 0/0", payload="\n".join(LEFT)) + record(
        "artifact:text 0/1", payload="\n".join(RIGHT)
    )
    page, bundle = show(data)
    log = bundle.logs[0].id
    page.evaluate(
        "hash => { location.hash = hash }", PLACE.format(f"{log}/0/0", f"{log}/0/1") + "&artifact=text"
    )
    diff = page.get_by_role("region", name="Difference of text")
    expect(page.get_by_text("3 changes", exact=True)).to_be_visible()
    marks = [("new", "+"), ("line 20000", "−"), ("changed at the end", "~")]
    for text, sign in marks:
        page.keyboard.press("n")
        here = diff.locator(".here").first
        expect(here).to_contain_text(text)
        expect(here.locator(".diff-sign")).to_have_text(sign)
    assert diff.locator(".code-line").count() < 400
    expect(diff.get_by_role("button", name="19,894 equal lines")).to_be_attached()
    for n in (97, 101):
        expect(diff.get_by_text(f"line {n}", exact=True)).to_have_count(2)


def test_all_compiles_of_a_function(show):
    page, _bundle = show("recompiles", "#v=1&view=compile&compile=0/1")
    page.get_by_role("link", name="compare with [0/0]").click()
    page.get_by_role("link", name="All compiles of grows").click()
    rows = page.get_by_role("region", name="All compiles of grows").get_by_role("row")
    expect(rows).to_have_count(3)
    expect(rows.nth(1)).to_contain_text("L_x_ f32[4, 2]")
    expect(rows.nth(2)).to_contain_text("≠ L_x_ f32[s77, 2]")
    expect(rows.nth(2)).to_contain_text("expected 4, actual 5")
    expect(rows.nth(2)).to_contain_text("≠ different")
    rows.nth(2).get_by_role("link", name="compare with the previous compile").click()
    expect(page.get_by_role("region", name="Summary")).to_be_visible()


def test_compiles_of_two_logs(show):
    page, bundle = show("ranks4")
    first, second = bundle.logs[0].id, bundle.logs[1].id
    page.evaluate("hash => { location.hash = hash }", PLACE.format(f"{first}/0/0", f"{second}/0/0"))
    rail = page.get_by_role("navigation", name="Artifacts")
    expect(rail.get_by_role("link", name="dynamo_output_graph")).to_contain_text("same")
    page.get_by_label("Log on the right").select_option(bundle.logs[2].id)
    expect(page).to_have_url(re.compile(f"right={bundle.logs[2].id}/0/0"))
    rail.get_by_role("link", name="dynamo_output_graph").click()
    expect(page.get_by_text("No difference")).to_be_visible()


@pytest.mark.parametrize("left", ["", "nolog/9/9", "9/9"])
def test_missing_artifacts_are_reported(show, left):
    page, bundle = show("recompiles")
    page.evaluate("hash => { location.hash = hash }", PLACE.format(left, f"{bundle.logs[0].id}/0/1"))
    expect(page.get_by_role("region", name="Difference")).to_contain_text("on the left")
    page.get_by_label("Compile on the left").fill("0/0")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Summary")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("region", name="Difference")).to_contain_text("on the left")


def test_another_bundle_on_this_host(show, new_page, bundle_of, address_of):
    page, bundle = show("recompiles")
    log = bundle.logs[0].id
    other = urlsplit(address_of(bundle_of("recompiles"))).query.removeprefix("bundle=")
    page.evaluate(
        "hash => { location.hash = hash }", PLACE.format(f"{log}/0/0", f"{log}/0/0") + f"&other={other}"
    )
    expect(page.get_by_text(f"right: {other}")).to_be_visible()
    expect(
        page.get_by_role("navigation", name="Artifacts").get_by_role("link", name="dynamo_output_graph")
    ).to_contain_text("same")
    foreign = PLACE.format(f"{log}/0/0", f"{log}/0/0") + "&other=https://example.com/b/"
    refused = new_page(errors=True)
    refused.goto(address_of(bundle_of("recompiles")) + foreign)
    expect(refused.get_by_role("alert")).to_contain_text("is on a different host")
