"""The multi-rank viewer on real programs: the first screen and its links."""

import json
import re
from pathlib import Path

import pytest
from conftest import ROOT
from pages import address, becomes, expect_address, settle
from playwright.sync_api import expect

SCENARIOS = ["other_shape", "extra_break", "execution_order", "missing_collective", "killed", "straggler"]
# The reason, which the first screen must show beside the rank and the compile.
REASONS = {
    "other_shape": ["input x of block", "(17, 8) instead of", "(16, 8)"],
    "extra_break": ["Graph break only on rank 1", "print("],
    "execution_order": [
        "Different execution order",
        "step 5 of rank 3 was block [1/0]",
        "instead of embed [0/0]",
    ],
    "missing_collective": [
        "1 fewer all_reduce",
        "At position 2, all_gather_into_tensor instead of all_reduce",
    ],
    "killed": ["is still compiling", "Ranks 0–2 finished it", "wait for rank 3"],
    "straggler": ["took 2", " s to compile block", "The other ranks wait"],
}


def truth(name):
    return json.loads((ROOT / "fixtures" / f"ranks_{name}" / "truth.json").read_text())["ranks"]


@pytest.fixture
def view(page, bundle_of, address_of):
    """Return view(source, hash): the multi-rank viewer."""

    def open_it(source, hash="#v=1", server="serve"):
        folder = (
            source if isinstance(source, Path) and (source / "manifest.json").exists() else bundle_of(source)
        )
        page.goto(address_of(folder, server).replace("/default/", "/multirank/") + hash)
        expect(page.get_by_role("button", name="Help")).to_be_visible()
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        settle(page)
        return page

    return open_it


def cell(page, row, column):
    """Return a cell of the matrix, by the names of its row and column."""
    names = page.get_by_role("columnheader").all_inner_texts()
    at = next(i for i, name in enumerate(names) if name.startswith(column))
    rows = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name=row))
    return rows.get_by_role("gridcell").nth(at - 1)


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_first_screen_names_rank_compile_and_reason(view, name):
    known = truth(name)
    page = view(f"ranks_{name}")
    (rank,) = known["differs"]
    expect(page.get_by_role("heading", level=1)).to_contain_text(re.compile(rf"[Rr]ank {rank}\b"))
    first = page.get_by_role("region", name="Summary").get_by_role("article").first
    expect(first).to_contain_text(re.compile(rf"[Rr]ank {rank}\b"))
    expect(first).to_contain_text(f"{known['function']} [{known['compile']}")
    for words in REASONS[name]:
        expect(first).to_contain_text(words)
    others = {
        int(n)
        for n in re.findall(
            r"(?:(?<!of )\b[Rr]ank|\bof rank(?= \d was)) (\d)(?! ›)",
            page.get_by_role("region", name="Summary").inner_text(),
        )
    }
    assert others == {rank}, "no other rank is accused"
    the_matrix_marks_the_cell(page, name, known)


def the_matrix_marks_the_cell(page, name, known):
    odd = f"rank {known['differs'][0]}"
    marked = page.locator(".matrix-cell.marked")
    expect(cell(page, odd, known["function"])).to_have_class(re.compile("marked"))
    expect(marked).to_have_count(2 if name == "extra_break" else 1)
    same = {"execution_order", "straggler", "killed"}
    expect(cell(page, odd, known["function"])).to_have_text(re.compile("^A" if name in same else "^B"))


def test_healthy_ranks_have_no_warning(view):
    page = view("ranks_healthy")
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "All 4 ranks agree on what was compiled (4 compiles). The order of collectives agrees on all ranks."
    )
    expect(page.get_by_role("region", name="Summary").get_by_role("article")).to_have_count(0)
    expect(page.get_by_role("rowheader")).to_have_count(1)
    expect(page.get_by_role("rowheader")).to_contain_text("ranks 0–3")
    expect(page.locator(".matrix-cell.marked")).to_have_count(0)
    becomes(page.get_by_role("gridcell").all_inner_texts, ["A"] * 4)


@pytest.mark.parametrize("server", ["serve", "static"])
def test_a_shifted_id_is_the_same_compile(view, server):
    page = view("ranks_extra_break", server=server)
    expect(cell(page, "rank 1", "reduce")).to_have_text("A")
    expect(cell(page, "ranks 0, 2 and 3", "block, resumed at")).to_have_text("·")
    cell(page, "rank 1", "reduce").click()
    expect(page.get_by_role("main")).to_contain_text("[2/0] ›")
    expect(page.get_by_role("main")).to_contain_text("[3/0] ›")
    expect(page.get_by_role("link", name="dynamo_output_graph same")).to_have_attribute(
        "aria-current", "true"
    )


def test_a_group_opens(view):
    page = view("ranks_healthy")
    head = page.get_by_role("rowheader")
    head.click()
    expect(head).to_have_count(5)
    becomes(lambda: [text.strip() for text in head.all_inner_texts()[1:]], [f"rank {n}" for n in range(4)])
    expect_address(page, "open=0")
    page.reload()
    expect(head).to_have_count(5)
    expect(head.first).to_have_attribute("aria-expanded", "true")
    head.first.click()
    expect(head).to_have_count(1)


def test_compare_shows_the_shape(view):
    page = view("ranks_other_shape")
    page.get_by_role("link", name="compare ›").first.click()
    expect(page.get_by_role("heading", name="Compare", level=1)).to_be_visible()
    difference = page.get_by_role("region", name="Difference of dynamo_output_graph")
    expect(difference.get_by_role("listitem").first).to_contain_text("size=[16 → 17, 8]")
    expect(difference.get_by_role("link", name="on the right").first).to_have_attribute(
        "href", re.compile("default/.*log=rank_2.*artifact=dynamo_output_graph.*line=")
    )
    page.get_by_role("button", name="By line").click()
    expect_address(page, "by=line")
    changed = page.locator(".diff-changed")
    expect(changed.first).to_contain_text("f32[16, 8]")
    expect(changed.first).to_contain_text("f32[17, 8]")
    for side, rank in (("left", "0"), ("right", "2")):
        expect(page.get_by_label(f"Rank on the {side}")).to_have_value(rank)
    page.get_by_role("link", name="inductor_output_code").click()
    expect(page.get_by_role("region", name="Difference of inductor_output_code")).to_be_visible()
    page.get_by_label("Rank on the right").select_option("3")
    expect(page.get_by_role("link", name="inductor_output_code same")).to_be_visible()
    here = address(page)
    page.goto("about:blank")
    page.goto(here)
    expect(page.get_by_role("link", name="inductor_output_code same")).to_have_attribute(
        "aria-current", "true"
    )
    expect(page.get_by_label("Rank on the right")).to_have_value("3")


def test_addresses_are_not_a_difference(view):
    page = view("ranks_healthy", "#v=1&view=compare")
    expect(page.get_by_role("link", name="before_pre_grad_graph only addresses differ")).to_be_visible()
    expect(page.get_by_role("link", name="inductor_output_code same")).to_be_visible()


def test_schedules_are_aligned(view):
    page = view("ranks_missing_collective")
    page.get_by_role("link", name="collectives ›").first.click()
    expect(page.get_by_role("region", name="Schedule 1")).to_be_visible()
    settle(page)
    rows = page.get_by_role("region", name="Schedule 1").get_by_role("row").all_inner_texts()
    cells = [re.split(r"\s+", row.strip()) for row in rows[1:]]
    assert cells == [
        ["0", "all_reduce", "0", "all_reduce"],
        ["1", "wait_tensor", "1", "wait_tensor"],
        ["2", "all_reduce", "–"],
        ["3", "wait_tensor", "–"],
        ["4", "all_gather_into_tensor", "2", "all_gather_into_tensor"],
        ["5", "wait_tensor", "3", "wait_tensor"],
    ]
    expect(page.locator("tr.first")).to_contain_text("all_reduce")


def test_the_order_of_execution(view):
    page = view("ranks_execution_order")
    page.get_by_role("link", name="execution order ›").first.click()
    expect(page.get_by_role("main")).to_contain_text("Rank 3 differs from position 4.")
    first = page.locator("tr.first")
    expect(first).to_contain_text("embed [0/0]")


def test_timelines_of_the_straggler(view):
    page = view("ranks_straggler")
    page.get_by_role("link", name="timeline ›").click()
    chart = page.get_by_role("application", name="Compiles of each rank over time")
    expect(chart).to_be_visible()
    expect(page.locator(".lane-names .here")).to_have_text("rank 1")
    expect(page.get_by_role("row").filter(has_text="block").first).to_contain_text("rank 1")
    for _ in range(20):
        chart.press("n")
        heading = page.get_by_role("region", name="Selected compile").get_by_role("heading")
        settle(page)  # one more key would lead past it
        if heading.inner_text().startswith("rank 1 · block"):
            break
    expect(heading).to_have_text("rank 1 · block [1/0]")
    expect(page.get_by_role("region", name="Selected compile")).to_contain_text("slowest rank 1")
    chart.press("Enter")
    expect(page).to_have_url(re.compile(r"/default/.*compile=1(%2F|/)0&log=rank_1_fixture\d"))


def test_timelines_of_the_killed(view):
    page = view("ranks_killed", "#v=1&view=timeline&rank=3")
    chart = page.get_by_role("application")
    selected = page.get_by_role("region", name="Selected compile")
    for _ in range(20):
        chart.press("n")
        settle(page)
        if selected.get_by_role("heading").inner_text().startswith("rank 3 · reduce"):
            break
    expect(selected).to_contain_text("Never finished: the log ends at")


def test_details(view):
    page = view("ranks_extra_break", "#v=1&view=details")
    rows = page.get_by_role("region", name="On some ranks only").get_by_role("row")
    expect(rows.nth(1)).to_contain_text("graph break")
    expect(rows.nth(1)).to_contain_text("ranks 0, 2 and 3")


def test_there_and_back(page, bundle_of, address_of):
    page.goto(address_of(bundle_of("ranks_killed")))
    expect(page.get_by_role("heading", level=1)).to_contain_text("Rank 3 is still compiling reduce [2/0]")
    page.get_by_role("link", name="Compare the ranks ›").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Rank 3 is still compiling reduce [2/0]")
    page.get_by_role("link", name="[2/0] of rank 3 ›").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("reduce")
    expect(page).to_have_url(re.compile("log=rank_3_fixture"))
    expect(page.get_by_role("main")).to_contain_text("unfinished")
    views = page.get_by_role("navigation", name="Views")
    views.get_by_role("link", name="Ranks", exact=True).click()
    views.get_by_role("link", name="Overview").click()
    expect(page.get_by_role("paragraph").filter(has_text="All ranks:")).to_contain_text(
        "Rank 3 is still compiling"
    )


def test_no_link_without_ranks(show):
    page, _ = show("killed")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator(".ranks-link")).to_have_count(0)


def test_a_bundle_of_one_rank(view):
    page = view("killed")
    expect(page.get_by_role("main")).to_contain_text("Nothing to compare")
    expect(page.get_by_role("main")).to_contain_text("TORCH_TRACE=")


def test_keys(view):
    page = view("ranks_other_shape")
    grid = page.get_by_role("grid")
    grid.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    settle(page)
    here = page.locator(f"#{grid.get_attribute('aria-activedescendant')}")
    expect(here).to_have_class(re.compile("g1 .*marked .*here"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Difference of dynamo_output_graph")).to_contain_text("f32[17, 8]")
    page.locator("body").press("]")
    expect(page.get_by_label("Compile", exact=True)).to_have_value("2")
    page.locator("body").press("[")
    expect(page.get_by_label("Compile", exact=True)).to_have_value("1")
    page.locator("body").press("3")
    expect(page.get_by_role("heading", name="Collectives")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Compare")).to_be_visible()
    page.locator("body").press("?")
    expect(page.get_by_role("dialog", name="Help")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Help")).to_have_count(0)


def test_keys_open_a_group(view):
    page = view("ranks_healthy")
    grid = page.get_by_role("grid")
    grid.focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#matrix--1")).to_contain_text("ranks 0–3")
    page.keyboard.press("Enter")
    expect(page.get_by_role("rowheader")).to_have_count(5)
    page.keyboard.press("ArrowDown")
    expect(page.locator("#matrix--1")).to_have_text("rank 0")


@pytest.mark.parametrize(
    "view_name", ["verdict", "compare", "collectives", "execution", "timeline", "details"]
)
def test_every_view_has_an_address(view, view_name):
    page = view("ranks_missing_collective", f"#v=1&view={view_name}")
    expect(page.get_by_role("navigation", name="Views").locator("[aria-current=page]")).to_have_count(1)
    expect(page.locator(".loading")).to_have_count(0)
    text = page.get_by_role("main").inner_text()
    page.reload()
    expect(page.get_by_role("main")).to_have_text(re.compile(re.escape(text.strip().split("\n")[0])))


def test_an_unknown_view(page_with_errors, bundle_of, address_of):
    page_with_errors.goto(
        address_of(bundle_of("ranks_healthy")).replace("/default/", "/multirank/") + "#v=1&view=nothing"
    )
    expect(page_with_errors.get_by_role("alert")).to_contain_text("Unknown view 'nothing'")


def test_every_fixture_of_ranks_is_asked_about():
    assert {f"ranks_{name}" for name in [*SCENARIOS, "healthy"]} == {
        path.parent.name for path in ROOT.glob("fixtures/ranks_*/truth.json")
    }
