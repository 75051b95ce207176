"""Symbols: sources, guards, specializations, conditions that torch could not decide."""

import pytest
from pages import expect_address
from playwright.sync_api import expect


def detail(page):
    return page.get_by_role("region", name="Symbols: the selected one")


def test_every_symbol_is_a_row_with_its_source(show):
    page, bundle = show("dynamic_shapes", "#v=1&view=symbols")
    symbols = bundle.logs[0].table("symbols")
    grid = page.get_by_role("grid", name="Symbols")
    expect(grid).to_have_attribute("aria-rowcount", str(1 + len(symbols)))
    for symbol in symbols:
        page.goto(page.url.split("#")[0] + f"#v=1&view=symbols&item={symbol['event']}")
        expect(detail(page).get_by_role("heading", level=2)).to_contain_text(symbol["name"])


def test_where_and_why_a_symbol_was_specialized(show):
    page, _ = show("dynamic_shapes")
    page.get_by_role("link", name="Symbols").first.click()
    page.get_by_label("Kind").select_option("specialized")
    expect(page.get_by_text("1 of 7 rows")).to_be_visible()
    for text in [
        "was specialized to 7 in specializes",
        "range refined to singleton",
        "x.size()[1]",
        "program.py:11 in specializes",
        "if x.shape[1] == 7:",
        "Eq(s27, 7)",
    ]:
        expect(detail(page)).to_contain_text(text)


def test_guards_with_the_line_of_the_program(show):
    page, _ = show("dynamic_shapes", "#v=1&view=symbols")
    page.get_by_label("Filter rows").fill("s77 > 3")
    expect(page.get_by_role("row", name="[1/0] s77 backed")).to_be_visible()
    expect(detail(page)).to_contain_text("s77 > 3")
    expect(detail(page)).to_contain_text("if x.shape[0] > 3:")
    page.get_by_label("Filter rows").fill("torch._check")
    page.get_by_label("Filter rows").fill("n = x[0].item()")
    expect(detail(page)).to_contain_text("u0 >= 2")
    expect(detail(page)).to_contain_text("torch._check(n < 100)")


def test_an_undecided_condition_and_how_it_was_made(show):
    page, _ = show("export_dtrace", "#v=1&view=symbols&log=fixture0&type=error")
    for text in [
        "Data-dependent: zuf0 > 0.0",
        "program.py:33",
        "return x + 1 if x.sum().item() > 0 else x",
        "torch.cond",
    ]:
        expect(detail(page)).to_contain_text(text)
    detail(page).get_by_text("Origin of the condition").click()
    tree = detail(page).get_by_role("list", name="Expression")
    expect(tree).to_contain_text("zuf0 > 0.0")
    expect(tree.get_by_role("listitem")).to_have_count(3)  # the comparison, the symbol, the number
    page.goto(page.url.split("#")[0] + "#v=1&view=symbols&log=fixture1&type=assumed")
    expect(detail(page)).to_contain_text("Assumed: u0 > 2 is True")


def test_by_keyboard_and_by_address(show):
    page, _ = show("dynamic_shapes", "#v=1&view=symbols")
    page.get_by_role("row", name="[0/0] s77 backed").click()
    page.keyboard.press("ArrowDown")
    expect(detail(page)).to_contain_text("was specialized to 7 in specializes")
    expect_address(page, "item=25")
    page.reload()
    expect(detail(page)).to_contain_text("was specialized to 7 in specializes")


def test_an_empty_view_describes_its_contents(show):
    page, _ = show("failures", "#v=1&view=symbols")
    expect(page.get_by_role("heading", name="No symbols")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("dynamic=True")


@pytest.mark.parametrize("most", [1, 200])
def test_tree_of_an_expression_is_bounded(show, most):
    page, _ = show("export_dtrace", "#v=1&view=symbols")
    tree = page.evaluate(
        """async (most) => {
      const { expressionTree } = await import(new URL("tables/symbol-data.js", location.href.split("?")[0]));
      const rows = [...Array(40).keys()].map((i) => ({
        event: i, compile: null, attempt: null, method: i ? "add" : null, result: "x", arguments: i ? ["x", "x"] : [], argument_events: i ? [i - 1, i - 1] : [], stack: null, user_stack: null }));
      let nodes = 0, cut = 0;
      const walk = (node) => { nodes++; cut += node.cut; node.children.forEach(walk); };
      walk(expressionTree(rows, 39, most));
      return { nodes, cut, none: expressionTree(rows, 99) };
    }""",
        most,
    )
    assert tree["none"] is None and tree["cut"] > 0
    assert tree["nodes"] <= 3 * most
