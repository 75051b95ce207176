"""Everything can be reached and done without a mouse."""

from pages import becomes, settle
from playwright.sync_api import expect


def tab_until(page, wanted, most=40):
    """Press Tab until the focus is on ``wanted``."""
    settle(page)
    for _ in range(most):
        page.keyboard.press("Tab")
        if wanted.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"Tab does not lead to {wanted}")


def test_from_the_overview_to_an_artifact(show):
    page, _ = show("recompiles")
    tab_until(page, page.get_by_role("link", name="Compiles", exact=True))
    page.keyboard.press("Enter")
    grid = page.get_by_role("grid", name="Compiles")
    expect(grid).to_be_visible()
    tab_until(page, grid.get_by_role("row").nth(1))
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("[0/1] grows")
    rail = page.get_by_role("navigation", name="Artifacts")
    tab_until(page, rail.get_by_role("link", name="Summary"))
    link = rail.get_by_role("link", name="dynamo_output_graph")
    for _ in range(20):
        page.keyboard.press("ArrowDown")
        if link.evaluate("element => element === document.activeElement"):
            break
    page.keyboard.press("Enter")
    pane = page.get_by_role("region", name="Text of dynamo_output_graph")
    expect(pane).to_be_visible()
    tab_until(page, pane)


def test_each_tab_stop_is_visible(show):
    page, _ = show("recompiles", "#v=1&view=stack")
    expect(page.get_by_role("treeitem").first).to_be_visible()
    settle(page)
    seen = set()
    for _ in range(30):
        page.keyboard.press("Tab")
        name, outline = page.evaluate(
            """() => { const e = document.activeElement; const s = getComputedStyle(e);
            return [`${e.tagName} ${e.getAttribute('aria-label') ?? e.textContent.slice(0, 30)}`, s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0] }"""
        )
        if name.startswith("BODY"):
            break
        assert outline, f"no visible focus on {name}"
        seen.add(name)
    assert len(seen) >= 10


def test_search_key_goes_to_the_filter_of_each_view(show):
    page, _ = show("recompiles")
    for view, field in [
        ("Stack", "Filter stacks"),
        ("Compiles", "Filter compiles"),
        ("Records", "Filter records"),
        ("Diagnostics", "Filter diagnostics"),
    ]:
        page.get_by_role("link", name=view, exact=True).click()
        expect(page.get_by_label(field)).to_be_visible()
        page.keyboard.press("f")
        expect(page.get_by_label(field)).to_be_focused()
        page.keyboard.type("a/?")
        expect(page.get_by_label(field)).to_have_value("a/?")


def test_help_lists_keys_and_words_and_gives_focus_back(show):
    page, _ = show("recompiles")
    link = page.get_by_role("link", name="Stack", exact=True)
    link.focus()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Help")
    expect(dialog).to_be_visible()
    for word in ["[0/1_2]", "Home, End", "graph break", "unfinished"]:
        expect(dialog).to_contain_text(word)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(link).to_be_focused()


def test_panels_are_resized_with_arrows_and_remembered(show):
    page, _ = show("recompiles", "#v=1&view=stack")
    bar = page.get_by_role("separator", name="Width of the tree")
    settle(page)
    before = page.get_by_role("region", name="Stacks").bounding_box()["width"]
    bar.focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    after = page.get_by_role("region", name="Stacks").bounding_box()["width"]
    assert before - after > 50
    page.reload()
    expect(page.get_by_role("tree")).to_be_visible()
    becomes(lambda: abs(page.get_by_role("region", name="Stacks").bounding_box()["width"] - after) < 2)
