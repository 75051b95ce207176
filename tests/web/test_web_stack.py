"""The stack trie: every compile is there, the keyboard is that of a tree."""

import json
import time

import pytest
from log_builder import record
from playwright.sync_api import expect

TREE = {"name": "Stacks of the compiles"}


def label(compile):
    return f"[{compile.key}] {compile.row['function'] or '(unknown function)'} {compile.status}"


@pytest.mark.parametrize("fixture", ["graph_breaks", "recompiles", "dynamo_reset", "failures", "train_step", "compiled_autograd"])
def test_every_compile_id_is_found_by_name(show, fixture):
    page, bundle = show(fixture, "#v=1&view=stack")
    compiles = [c for c in bundle.logs[0].compiles if c.id is not None and c.status]
    assert compiles
    for compile in compiles:
        role = "treeitem" if compile.row["stack_index"] is not None else "link"
        expect(page.get_by_role(role, name=label(compile), exact=True)).to_be_visible()


def test_walking_shows_the_compile_beside_the_tree(show):
    page, bundle = show("recompiles", "#v=1&view=stack")
    items = page.get_by_role("treeitem", name="[")
    items.first.click()
    detail = page.get_by_role("region", name="Selection")
    rows = [c for c in bundle.logs[0].compiles if c.row["stack_index"] is not None]
    expect(detail.get_by_role("heading", level=2)).to_contain_text(f"[{rows[0].key}]")
    page.keyboard.press("ArrowDown")
    expect(detail.get_by_role("heading", level=2)).to_contain_text(f"[{rows[1].key}]")
    expect(detail).to_contain_text("Why it was compiled again")
    assert f"compile={rows[1].key}" in page.url
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"[{rows[1].key}]")
    page.go_back()
    expect(page.get_by_role("treeitem", name=label(rows[1]))).to_have_attribute("aria-selected", "true")


def test_keyboard_of_a_tree(show):
    page, bundle = show("recompiles", "#v=1&view=stack")
    tree = page.get_by_role("tree", **TREE)
    expect(tree.locator("[role=treeitem][tabindex='0']")).to_have_count(1)
    tree.locator("[tabindex='0']").focus()
    focused = page.locator("[role=treeitem]:focus")
    page.keyboard.press("Home")
    first = focused.get_attribute("aria-label")
    total = tree.get_by_role("treeitem").count()
    page.keyboard.press("ArrowLeft")
    expect(focused).to_have_attribute("aria-expanded", "false")
    assert tree.get_by_role("treeitem").count() < total
    page.keyboard.press("ArrowRight")
    expect(focused).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowRight")
    expect(focused).to_have_attribute("aria-level", "2")
    page.keyboard.press("ArrowLeft")
    expect(focused).to_have_attribute("aria-label", first)
    page.keyboard.press("End")
    expect(focused).to_have_attribute("aria-posinset", focused.get_attribute("aria-setsize"))
    page.keyboard.press("Home")
    roots = tree.locator("[role=treeitem][aria-level='1']")
    for _ in range(roots.count()):
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowDown")
    expect(tree.get_by_role("treeitem")).to_have_count(roots.count())
    page.keyboard.press("*")
    expect(tree.get_by_role("treeitem")).to_have_count(total)
    page.keyboard.type("limited")
    expect(focused).to_have_accessible_name("limited program.py:26")


def test_problems_and_filter(show):
    page, bundle = show("graph_breaks", "#v=1&view=stack")
    compiles = [c for c in bundle.logs[0].compiles if c.row["stack_index"] is not None]
    bad = [c for c in compiles if c.status in ("break", "error", "missing") or c.row["recompile_reason"] or c.row["graph_break_count"]]
    assert 0 < len(bad) < len(compiles)
    found = page.get_by_role("treeitem", name="[")
    expect(found).to_have_count(len(compiles))
    page.get_by_label("Only problems").check()
    expect(found).to_have_count(len(bad))
    page.get_by_label("Only problems").uncheck()
    page.keyboard.press("Tab")
    page.get_by_label("Filter stacks").fill("prints_once")
    wanted = [c for c in compiles if "prints_once" in (c.row["function"] or "")]
    expect(found).to_have_count(len(wanted))
    expect(page.get_by_text(f"{len(wanted)} of {len(compiles)} compiles")).to_be_visible()


def test_chain_reads_like_a_traceback(show):
    page, bundle = show("train_step", "#v=1&view=stack")
    (compile,) = (c for c in bundle.logs[0].compiles if c.row["stack_index"] is not None)
    frames = compile.stack
    expect(page.get_by_role("treeitem", name=label(compile))).to_be_visible()
    names = [item.get_attribute("aria-label").split(" ")[0] for item in page.get_by_role("treeitem").all()]
    assert names[: len(frames)] == [frame["name"] for frame in frames]
    lefts = {round(item.locator("b").first.bounding_box()["x"]) for item in page.get_by_role("treeitem").all()[: len(frames)]}
    assert len(lefts) == 1, "frames without a fork stand at one depth"


def test_ten_thousand_nodes_and_deep_stacks_stay_quick(show):
    page, bundle = show(wide_and_deep())
    assert len(bundle.logs[0].stacks["stacks"]["parent_index"]) > 10_000
    page.evaluate("document.title = ''")
    start = time.monotonic()
    page.get_by_role("link", name="Stack", exact=True).click()
    expect(page.get_by_role("tree", **TREE)).to_be_visible()
    expect(page).to_have_title("Stack · dedicated_log_torch_trace_made.log · tlparse-bundle")
    assert time.monotonic() - start < 5
    assert page.get_by_role("treeitem").count() < 500, "only what is in sight is in the page"
    page.get_by_label("Filter stacks").fill("leaf_1999")
    expect(page.get_by_role("treeitem", name="[1999/0] leaf_1999 missing")).to_be_attached()


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
