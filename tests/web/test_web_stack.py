"""The stack trie: every compile is in it, with the keyboard of a tree."""

import json
import re

import pytest
from log_builder import record
from pages import becomes, expect_address, settle
from playwright.sync_api import expect

TREE = {"name": "Stacks of the compiles"}


def label(compile):
    return f"[{compile.key}] {compile.row['function'] or '(unknown function)'} {compile.status}"


def row(compile):
    """Return the start of the row's name: the time follows."""
    return f"{compile.status} [{compile.key}] {compile.row['function'] or '(unknown function)'}"


@pytest.mark.parametrize(
    "fixture", ["graph_breaks", "recompiles", "dynamo_reset", "failures", "train_step", "compiled_autograd"]
)
def test_every_compile_id_is_found_by_name(show, fixture):
    page, bundle = show(fixture, "#v=1&view=stack")
    compiles = bundle.logs[0].compiles
    assert compiles
    for compile in compiles:
        item = (
            page.get_by_role("treeitem", name=row(compile))
            if compile.row["stack"] is not None
            else page.get_by_role("link", name=label(compile), exact=True)
        )
        expect(item).to_be_visible()


def test_walking_shows_the_compile_beside_the_tree(show):
    page, bundle = show("recompiles", "#v=1&view=stack")
    items = page.locator("[role=treeitem].is-compile")
    items.first.click()
    detail = page.get_by_role("region", name="Selection")
    rows = [c for c in bundle.logs[0].compiles if c.row["stack"] is not None]
    expect(detail.get_by_role("heading", level=2)).to_contain_text(f"[{rows[0].key}]")
    page.keyboard.press("ArrowDown")
    expect(detail.get_by_role("heading", level=2)).to_contain_text(f"[{rows[1].key}]")
    expect(detail).to_contain_text("Recompile reason")
    expect_address(page, f"compile={rows[1].key}")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"[{rows[1].key}]")
    page.go_back()
    expect(page.get_by_role("treeitem", name=row(rows[1]))).to_have_attribute("aria-selected", "true")


def test_keyboard_of_a_tree(show):
    page, _bundle = show("recompiles", "#v=1&view=stack")
    tree = page.get_by_role("tree", **TREE)
    expect(tree.locator("[role=treeitem][tabindex='0']")).to_have_count(1)
    tree.locator("[tabindex='0']").focus()
    focused = page.locator("[role=treeitem]:focus")
    page.keyboard.press("Home")
    first = focused.inner_text()
    total = tree.get_by_role("treeitem").count()
    page.keyboard.press("ArrowLeft")
    expect(focused).to_have_attribute("aria-expanded", "false")
    assert tree.get_by_role("treeitem").count() < total
    page.keyboard.press("ArrowRight")
    expect(focused).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowRight")
    expect(focused).to_have_attribute("aria-level", "2")
    page.keyboard.press("ArrowLeft")
    becomes(focused.inner_text, first)
    page.keyboard.press("End")
    becomes(lambda: focused.get_attribute("aria-posinset") == focused.get_attribute("aria-setsize"))
    page.keyboard.press("Home")
    roots = tree.locator("[role=treeitem][aria-level='1']")
    for _ in range(roots.count()):
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowDown")
    expect(tree.get_by_role("treeitem")).to_have_count(roots.count())
    page.keyboard.press("*")
    expect(tree.get_by_role("treeitem")).to_have_count(total)
    page.evaluate("performance.now = () => 1e9")  # however late, the next letter belongs to those before
    page.keyboard.type("limited")
    expect(focused).to_have_accessible_name(re.compile("^limited program.py:26 "))


def test_problems_and_filter(show):
    page, bundle = show("graph_breaks", "#v=1&view=stack")
    (log,) = bundle.logs
    compiles = {compile.key: compile.row for compile in log.compiles}
    attempts = [
        {**compiles[row["compile"]], **row} for row in log.table("attempts") if row["stack"] is not None
    ]
    bad = [
        row
        for row in attempts
        if compiles[row["compile"]]["status"] in ("failed", "skipped", "unfinished")
        or row["attempt_count"] > 1
        or row["recompile_reason"]
        or row["graph_break_count"]
    ]
    assert len(compiles) < len(attempts) and 0 < len(bad) < len(attempts)
    found = page.locator("[role=treeitem].is-compile")
    expect(found).to_have_count(len(attempts))
    page.get_by_label("Only problems").check()
    expect(found).to_have_count(len(bad))
    page.get_by_label("Only problems").uncheck()
    page.keyboard.press("Tab")
    page.get_by_label("Filter stacks").fill("prints_once")
    wanted = [row for row in attempts if "prints_once" in (row["function"] or "")]
    expect(found).to_have_count(len(wanted))
    expect(page.get_by_text(f"{len(wanted)} of {len(attempts)} attempts")).to_be_visible()


def test_chain_reads_like_a_traceback(show):
    page, bundle = show("train_step", "#v=1&view=stack")
    (compile,) = (c for c in bundle.logs[0].compiles if c.row["stack"] is not None)
    frames = compile.stack
    expect(page.get_by_role("treeitem", name=row(compile))).to_be_visible()
    settle(page)
    names = [item.locator("b").first.inner_text() for item in page.get_by_role("treeitem").all()]
    assert names[: len(frames)] == [frame["function"] for frame in frames]
    lefts = {
        round(item.locator("b").first.bounding_box()["x"])
        for item in page.get_by_role("treeitem").all()[: len(frames)]
    }
    assert len(lefts) == 1, "frames without a fork have one depth"


def test_of_ten_thousand_nodes_and_deep_stacks_the_page_has_few(show):
    page, bundle = show(wide_and_deep())
    assert len(bundle.logs[0].stacks) > 10_000
    page.evaluate("document.title = ''")
    page.get_by_role("link", name="Stack", exact=True).click()
    expect(page.get_by_role("tree", **TREE)).to_be_visible()
    expect(page).to_have_title(re.compile("^Stack · .+ · tlparse-bundle$"))
    assert page.get_by_role("treeitem").count() < 500, "only what is in sight is in the page"
    page.get_by_label("Filter stacks").fill("leaf_1999")
    expect(page.get_by_role("treeitem", name="unfinished [1999/0] leaf_1999")).to_be_attached()


def wide_and_deep():
    """2,000 compiles, each below six frames of its own, and one that is 3,000 frames deep."""
    out = [record('str ["/home/user/a.py", 0]')]
    frame = lambda name, line: {"line": line, "name": name, "filename": 0}
    for n in range(2_000):
        stack = [frame("main", 1), *(frame(f"step_{n}_{i}", i) for i in range(6)), frame(f"leaf_{n}", n)]
        out.append(record(f"dynamo_start {n}/0 " + json.dumps({"stack": stack})))
    deep = [frame(f"deep_{i}", i) for i in range(3_000)]
    out.append(record("dynamo_start 2000/0 " + json.dumps({"stack": deep})))
    return b"".join(out)


def test_flame_shows_the_same_selection_and_time(show):
    page, bundle = show("recompiles", "#v=1&view=stack")
    page.get_by_role("treeitem", name="[0/1]").click()
    page.get_by_role("button", name="Flame").click()
    chart = page.get_by_role("application", name="Flame graph of the stacks")
    expect(chart).to_be_visible()
    expect_address(page, "shape=flame", "compile=0/1")
    heading = page.get_by_role("region", name="Selection").get_by_role("heading", level=2)
    expect(heading).to_contain_text("[0/1]")
    chart.focus()
    page.keyboard.press("Shift+ArrowUp")
    expect(heading).to_have_text("grows")
    page.keyboard.press("Shift+ArrowDown")
    expect(heading).to_contain_text("[0/0]")
    page.keyboard.press("Shift+ArrowRight")
    expect(heading).to_contain_text("[0/1]")
    whole = sum(c.row["total_us"] or 0 for c in bundle.logs[0].compiles if c.row["stack"] is not None)
    one = next(c for c in bundle.logs[0].compiles if c.key == "0/1").row["total_us"]
    expect(page.get_by_role("status")).to_contain_text(f"{round(100 * one / whole, 1):g} % of total")
    page.reload()
    expect(heading).to_contain_text("[0/1]")
    chart.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("[0/1]")


def test_flame_by_number_has_compiles_without_a_time(show):
    page, bundle = show("killed", "#v=1&view=stack&shape=flame")
    stacked = [c for c in bundle.logs[0].compiles if c.row["stack"] is not None]
    timeless = [c for c in stacked if not c.row["total_us"]]
    assert 0 < len(timeless) < len(stacked)
    expect(page.get_by_text(f"{len(timeless)} compile without a compile time")).to_be_visible()
    page.get_by_label("Box width").select_option(label="number of compiles")
    expect(page.get_by_text(f"{len(stacked)} compiles", exact=True)).to_be_visible()
    expect(page.get_by_text("Not shown:")).to_be_hidden()


@pytest.mark.parametrize("kind, one", [("by file", "program.py"), ("by package", "torch")])
def test_frames_are_put_together(show, kind, one):
    page, _bundle = show("compiled_autograd", "#v=1&view=stack")
    rows = page.get_by_role("treeitem")
    expect(rows.first).to_be_visible()
    before = rows.count()
    compiles = page.locator("[role=treeitem].is-compile").count()
    page.get_by_label("Group frames").select_option(label=kind)
    expect(page.get_by_role("treeitem", name=re.compile(rf"^{one}( |$)")).first).to_be_visible()
    becomes(lambda: rows.count() < before)
    expect(page.locator("[role=treeitem].is-compile")).to_have_count(compiles)
    page.get_by_role("treeitem", name=re.compile(rf"^{one}( |$)")).first.click()
    expect(page.get_by_role("region", name="Selection").get_by_role("heading", level=2)).to_have_text(one)


def test_generated_code_leads_to_its_source(show):
    page, _bundle = show("compiled_autograd", "#v=1&view=stack")
    page.get_by_role("treeitem", name="<eval_with_key>.5").click()
    page.get_by_role("link", name="Source of <eval_with_key>.5").click()
    pane = page.get_by_role("region", name="Text of <eval_with_key>.5")
    expect(pane).to_be_visible()
    expect_address(page, "line=")
