"""The recompiles view of one function: fixes, guards that decided, differences of entries, and the next call."""

import re
from itertools import pairwise

import pytest
from conftest import FIXTURES
from pages import settle
from playwright.sync_api import expect
from tlparse_bundle.base.wording import duration
from tlparse_bundle.guards.history import history
from tlparse_bundle.guards.values import parse_call

CALLS = FIXTURES / "calls"
PLACE = "#v=1&view=recompiles&by=function&item=0"


@pytest.fixture
def of_function(show):
    """Return of_function(fixture of calls): the page at its function, and its log."""

    def open_it(name):
        page, bundle = show(CALLS / name, PLACE)
        settle(page)
        return page, bundle.logs[0]

    return open_it


def part(page, name):
    return page.get_by_role("region", name=name, exact=True)


def tab_to(page, wanted):
    """Press Tab until an element has the focus."""
    for _ in range(300):
        if wanted.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError("Tab does not lead there")


def type_over(page, field, text):
    tab_to(page, field)
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.press("Delete")
    page.keyboard.type(text)


def test_fixes_with_what_they_save_alone_and_together(of_function):
    page, log = of_function("mixed")
    rows = log.table("recompile_fixes")
    useful = [row for row in rows if row["avoided"]]
    assert {row["is_minimum"] for row in useful} == {True, False}
    fixes = part(page, "What each fix would save")
    table = fixes.get_by_role("table")
    expect(table.get_by_role("row")).to_have_count(1 + len(useful))
    for number, row in enumerate(useful, 1):
        line = table.get_by_role("row").nth(number)
        least = "at least " if row["is_minimum"] else ""
        avoided = f"{least}{len(row['avoided'])} of {row['compile_count']}"
        expect(line.get_by_role("cell", name=avoided, exact=True)).to_be_visible()
        expect(line).to_contain_text(f"{duration(row['saved_us'])} of {duration(row['total_us'])}")
    expect(table.get_by_role("rowheader").first).to_have_text("one memory layout of x")
    expect(table.get_by_role("rowheader").last).to_have_text(
        "together: one memory layout of x and a single value of flag"
    )
    fixes.get_by_text(f"{len(rows) - len(useful)} fixes that would avoid no compile alone").click()
    expect(fixes.get_by_role("listitem").filter(has_text="x.size(0) dynamic")).to_be_visible()


@pytest.mark.parametrize(
    ("function", "fix", "avoided"),
    [
        ("nested", "a single value of pair[1]", "at least 1 of 4"),
        ("global_state", "a single value of G['MODE']", "not known"),
    ],
)
def test_a_number_that_the_log_does_not_decide_is_a_minimum_or_not_there(of_function, function, fix, avoided):
    page, _ = of_function(function)
    table = part(page, "What each fix would save").get_by_role("table")
    row = table.get_by_role("row").filter(has=page.get_by_role("rowheader", name=fix, exact=True))
    expect(row).to_contain_text(avoided)


def test_cells_name_the_guard_that_decided_and_the_keys_walk_through_them(of_function):
    page, log = of_function("mixed")
    decided = part(page, "Which guard decided")
    grid = decided.get_by_role("grid", name="Guard that decided, per call and cache entry")
    calls = [row["compile"] for row in log.table("recompiles")] + [log.table("limits")[0]["compile"]]
    expect(grid.get_by_role("rowheader")).to_have_count(len(calls))
    first = grid.get_by_role("row").filter(has=page.get_by_role("rowheader", name="[0/2]"))
    expect(first.get_by_role("gridcell").nth(0)).to_contain_text("n2 → 5 +3")
    expect(first.get_by_role("gridcell").nth(1)).to_contain_text("x.size(0)1 → 4 +5")
    detail = decided.get_by_role("status")
    expect(detail).to_contain_text("The log does not record the input of this call")
    tab_to(page, grid.locator("[tabindex='0']"))
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    (row,) = (
        row for row in log.table("guard_failures") if (row["compile"], row["entry"]) == ("0/15", "0/13")
    )
    expect(detail).to_contain_text("[0/15] against cache entry")
    expect(detail).to_contain_text(f"{len(row['guards'])} guards failed")
    expect(detail.get_by_role("listitem")).to_have_count(len(row["guards"]))
    expect(detail.get_by_role("listitem").filter(has_text="(named by torch)")).to_have_count(1)


def test_of_a_failed_compile_a_part_of_the_input_is_known(show):
    page, bundle = show(
        FIXTURES / "versions/2.13.0/several_changes.log.zst", PLACE.replace("item=0", "item=7")
    )
    (row,) = (
        row for row in bundle.logs[0].table("guard_failures") if row["compile"] == "7/3" and row["is_nearest"]
    )
    assert row["not_evaluated"] and not row["is_input_known"]
    grid = part(page, "Which guard decided").get_by_role("grid")
    line = grid.get_by_role("row").filter(has=page.get_by_role("rowheader", name="[7/3]"))
    line.get_by_role("gridcell").first.click()
    detail = part(page, "Which guard decided").get_by_role("status")
    expect(detail).to_contain_text(
        "The compile of this call failed, so the log records only a part of its input."
    )


def test_entries_differ_in_coloured_cells(of_function):
    page, log = of_function("mixed")
    table = part(page, "What differs between the cache entries").get_by_role("table")
    expect(table.get_by_role("columnheader")).to_have_count(1 + len(log.table("guard_trees")))
    row = table.get_by_role("row").filter(has=page.get_by_role("rowheader", name="x.size", exact=True))
    cells = row.get_by_role("cell")
    expect(cells.nth(0)).to_have_text("[2, 1]")
    expect(cells.nth(1)).to_have_text("[1, any] (changed)")
    colors = cells.evaluate_all("all => all.map((cell) => getComputedStyle(cell).backgroundColor)")
    assert colors[0] != colors[1]
    texts = cells.all_text_contents()
    for (before, after), color in zip(pairwise(texts), colors[1:], strict=True):
        differ = before.removesuffix(" (changed)") != after.removesuffix(" (changed)")
        assert after.endswith(" (changed)") == differ
        assert (color == colors[1]) == differ
    expect(table.get_by_role("rowheader", name="2 <= x.size()[1]", exact=True)).to_be_visible()
    expect(table.get_by_role("rowheader", name="x.dtype", exact=True)).to_have_count(0)


def test_would_this_call_recompile_by_keyboard_alone(of_function):
    page, log = of_function("loops")
    past = history(log, "loops")
    parts = part(page, "Would the next call recompile?")
    form = parts.get_by_role("form", name="Inputs of the next call")
    x, steps = (form.get_by_role("textbox", name=name) for name in ("x (tensor)", "steps"))
    answer = parts.get_by_role("status")
    expect(answer).to_contain_text(f"Matches cache entry [{past.entries[-1].compile}]: no recompile.")
    page.locator("body").press("Tab")
    asked = set()
    for tensor, number in (
        ("f64[3, 4]", "3"),
        ("f32[3, 4]", "3"),
        ("f32[3, 4]", "9"),
        ("f32[1, 4]", "2"),
        ("f32[3, 4][1, 3]", "2"),
        ("f32[3, 4] requires_grad", "2"),
        ("f32[2, 4]", "2.0"),
    ):
        type_over(page, x, tensor)
        type_over(page, steps, number)
        wanted = past.next_call(parse_call(f"x={tensor}, steps={number}"))
        assert wanted.certain
        asked.add(wanted.recompiles)
        if wanted.recompiles:
            expect(answer).to_contain_text("Recompiles: no cache entry fits. The closest entry is")
            for failure in wanted.failed[:1]:
                line = parts.get_by_role("list", name="Cache entries, newest first").get_by_role("listitem")
                outcome = failure.outcome
                expect(line.filter(has_text=f"[{failure.entry}]").first).to_contain_text(
                    outcome.expected.replace("L['steps']", "steps")
                )
        else:
            expect(answer).to_contain_text(f"Matches cache entry [{wanted.entry}]: no recompile.")
    assert asked == {True, False}
    tab_to(page, parts.get_by_role("button", name="Reset to the last call"))
    page.keyboard.press("Enter")
    expect(x).to_be_focused()
    expect(answer).to_contain_text(f"Matches cache entry [{past.entries[-1].compile}]")


def test_a_bad_value_is_explained_at_its_field(of_function):
    page, _ = of_function("loops")
    parts = part(page, "Would the next call recompile?")
    x = parts.get_by_role("textbox", name="x (tensor)")
    expect(x).not_to_have_attribute("aria-invalid", "true")
    type_over(page, x, "f31[3]")
    expect(x).to_have_attribute("aria-invalid", "true")
    expect(x).to_have_accessible_description(re.compile("Unknown dtype 'f31'. Use one of: b8, u8"))
    expect(parts.get_by_role("status")).to_have_text("Correct x to get an answer.")
    type_over(page, x, "f32[3, 4][1]")
    expect(x).to_have_accessible_description(re.compile("2 sizes and 1 strides"))
    type_over(page, x, "f32[3, 4]")
    expect(x).not_to_have_attribute("aria-invalid", "true")


def test_an_input_that_is_not_stated_makes_the_answer_uncertain(of_function):
    page, log = of_function("loops")
    parts = part(page, "Would the next call recompile?")
    type_over(page, parts.get_by_role("textbox", name="steps"), " ")
    assert not history(log, "loops").next_call(parse_call("x=f32[3, 4]")).certain
    expect(parts.get_by_role("status")).to_contain_text(
        "if the guards below hold that the log does not decide"
    )
    expect(parts.get_by_role("list", name="Cache entries, newest first")).to_contain_text(
        "fits if these hold:"
    )


def test_globals_are_as_the_last_compile_saw_them(of_function):
    page, log = of_function("global_state")
    parts = part(page, "Would the next call recompile?")
    expect(parts.get_by_role("status")).to_contain_text("Matches cache entry")
    mode = parts.get_by_role("textbox", name="G['MODE']")
    expect(mode).to_be_hidden()
    tab_to(page, parts.locator("summary"))
    page.keyboard.press("Enter")
    type_over(page, mode, "'other'")
    expect(parts.get_by_role("status")).to_contain_text("Recompiles: no cache entry fits.")
    assert history(log, "global_state").next_call({"G['MODE']": "other"}).recompiles


def test_at_the_recompile_limit_a_call_runs_eager(of_function):
    page, _ = of_function("dtypes_and_views")
    parts = part(page, "Would the next call recompile?")
    type_over(page, parts.get_by_role("textbox", name="x (tensor)"), "c64[5, 7, 9]")
    expect(parts.get_by_role("status")).to_contain_text(
        "Runs eager: no cache entry fits, and the recompile limit is reached."
    )


def test_a_cause_has_the_parts_of_its_function(show):
    page, bundle = show("recompiles", "#v=1&view=recompiles")
    finding = next(
        row for row in bundle.logs[0].findings() if row["title"].startswith("`limited` recompiled")
    )
    page.get_by_role("row").filter(has_text="limited recompiled").click()
    for name in (
        "What each fix would save",
        "Which guard decided",
        "What differs between the cache entries",
        "Would the next call recompile?",
        "All compiles of limited",
    ):
        expect(part(page, name)).to_be_visible()
    assert finding["count"] == 3


MANY = """async (length) => {
  const { decidedTable } = await import("/viewers/default/recompiles/decided.js");
  const { fill } = await import("/viewers/lib/page/dom.js");
  const names = Array.from({ length }, (_, i) => `0/${i}`);
  const model = {
    compiles: names.map((id) => ({ id, key: id, compile: id, status: "ok", function: "f", total_us: 5 })),
    byCompile: new Map(names.map((name, i) => [name, i])),
    byAttempt: new Map(),
  };
  const reason = (entry) => ({ entry, guard: "x == 1", source: "x", change: "value", dimension: null, expected: 1, actual: 2 });
  const at = new Map(names.map((name, i) => [name, { compile: name, reasons: names.slice(0, i).reverse().map(reason) }]));
  const about = { model, at, state: { link: () => "#v=1" } };
  fill(document.querySelector("main"), decidedTable(about, { compiles: names }, null));
}"""


def test_a_function_with_hundreds_of_compiles_shows_the_newest(page_that, bundle_of, address_of):
    page = page_that(bypass_csp=True)
    page.goto(address_of(bundle_of("basic_inference")))
    settle(page)
    page.evaluate(MANY, 300)
    grid = page.get_by_role("grid", name="Guard that decided, per call and cache entry")
    expect(grid.get_by_role("rowheader")).to_have_count(30)
    expect(grid.get_by_role("rowheader").last).to_contain_text("[0/299]")
    expect(grid.get_by_role("columnheader").last).to_have_text("[0/298]")
    expect(page.get_by_role("main")).to_contain_text(
        "The newest 30 of 299 calls and 30 of 299 cache entries. The table guard_failures has all of them."
    )
    page.evaluate(MANY, 20)
    expect(grid.get_by_role("rowheader")).to_have_count(19)
    expect(page.get_by_role("main")).not_to_contain_text("The newest")


def test_the_reason_that_a_cause_names_is_shown(show):
    """torch checks the global state first: the newest entry fails it, an earlier one fails the flag."""
    page, _ = show(FIXTURES / "versions" / "2.13.0" / "nearest.log.zst", "#v=1&view=recompiles&by=function")
    page.get_by_role("row").filter(has_text="flagged").click()
    settle(page)
    expect(page.get_by_role("listitem").filter(has_text=re.compile(r"^\W*\[4/2\]")).last).to_contain_text(
        "flag == True in cache entry"
    )
