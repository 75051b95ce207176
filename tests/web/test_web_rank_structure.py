"""The structure of the job in the multi-rank viewer: the picture, its words and table, and selecting a rank."""

import re

import job_cases
import pytest
from many_ranks import rank_log, write_ranks
from multiplied_jobs import multiply
from pages import address, becomes, expect_address, settle
from playwright.sync_api import expect
from test_web_multirank import view  # noqa: F401
from tlparse_bundle import Bundle, build, discover


@pytest.fixture(scope="session")
def case(once):
    """Return case(name, ranks): the bundle of a case of fixtures/parallel, copied to that many ranks if given."""

    def make(name, ranks=None):
        def fill(folder):
            (folder / "logs").mkdir()
            if ranks:
                multiply(name, ranks, folder / "logs")
            else:
                job_cases.unpack(name, folder / "logs")
            build(discover([folder / "logs"]), folder / "bundle", jobs=1)

        return once(f"structure of {name} {ranks}", fill) / "bundle"

    return make


@pytest.fixture(scope="session")
def thousand(once):
    """The bundle of 1,024 ranks with one compile; rank 700 has a different graph."""

    def make(folder):
        (folder / "logs").mkdir()
        logs = [rank_log(rank, ["layer"], odd="layer" if rank == 700 else None) for rank in range(1024)]
        build(discover([write_ranks(folder / "logs", logs)]), folder / "bundle", jobs=1)

    return once("1,024 ranks", make) / "bundle"


def structure(page):
    return page.get_by_role("region", name="Structure of the job")


def rank(page, number):
    return page.get_by_role("option", name=re.compile(rf"^rank {number}(,|$)"))


def rows_of(page, role):
    """Return the numbers of the ranks of a role by line, top to bottom, as they are on the screen."""
    lines = {}
    for option in page.get_by_role("group", name=re.compile(f"^{role}:")).get_by_role("option").all():
        box = option.bounding_box()
        number = int(re.search(r"\d+", option.get_attribute("aria-label"))[0])
        lines.setdefault(round(box["y"]), []).append((box["x"], number))
    return [[number for _, number in sorted(line)] for _, line in sorted(lines.items())]


def marked(page):
    """Return the severity of each rank that is marked, as a screen reader reads it."""
    names = page.get_by_role("option").evaluate_all("all => all.map((one) => one.ariaLabel)")
    found = (re.fullmatch(r"rank (\d+), (error|warning)", name) for name in names)
    return {int(one[1]): one[2] for one in found if one}


def wanted_marks(folder):
    """Return the severity of each rank with a problem that no other finding causes, from the bundle."""
    marks = {}
    for row in Bundle.open(folder).rank_table("rank_findings"):
        if row["because_of"] is None and row["severity"] != "info":
            for first, last in row["ranks"]:
                for number in range(first, last + 1):
                    if marks.get(number) != "error":
                        marks[number] = row["severity"]
    return marks


def test_two_stages_of_a_mesh_are_two_blocks(view, case):
    page = view(case("mesh_2x2x2_extra"))
    assert rows_of(page, "role 0") == [[0, 1], [2, 3]]
    assert rows_of(page, "role 1") == [[4, 5], [6, 7]]
    assert marked(page) == wanted_marks(case("mesh_2x2x2_extra")) == {4: "error", 6: "warning"}
    expect(rank(page, 4)).to_have_text("✖ 4")
    expect(rank(page, 6)).to_have_text("▲ 6")
    expect(rank(page, 5)).to_have_text("5")
    expect(structure(page)).to_contain_text(
        "2 roles of 4 ranks. Ranks of one role should compile the same code. Process groups: 4 groups of 2 ranks"
        " along axis 0; 4 groups of 2 ranks along axis 1."
    )
    expect(page.get_by_role("list", name="Signs").get_by_role("listitem")).to_have_text(
        [
            re.compile("error: rank 4"),
            re.compile("warning: rank 6"),
            re.compile("axis 0"),
            re.compile("axis 1"),
        ]
    )


def test_ranks_that_are_all_alike_are_one_row_without_signs(view, case):
    page = view(case("ddp"))
    assert rows_of(page, "role 0") == [[0, 1, 2, 3]]
    assert marked(page) == {}
    expect(page.get_by_role("list", name="Signs")).to_have_count(0)
    expect(structure(page)).to_contain_text("1 role: all 4 ranks should compile the same code.")


@pytest.mark.parametrize(
    "name", ["order_2x4", "order_circle", "other_options", "pp_late", "killed", "fsdp_tp"]
)
def test_the_marks_are_the_findings_of_the_bundle(view, case, name):
    page = view(case(name))
    assert marked(page) == wanted_marks(case(name))


def test_the_axes_of_a_mesh_have_directions(view, case):
    page = view(case("order_2x4"))
    assert rows_of(page, "role 0") == [[0, 1, 2, 3], [4, 5, 6, 7]], "the longer axis is across"
    rank(page, 6).click()
    expect(page.get_by_role("group", name="Selected rank")).to_contain_text("no findings")
    expect(page.get_by_role("region", name="Summary").get_by_role("article")).to_have_count(0)


def test_a_rank_without_a_log_is_in_the_picture(view, tmp_path):
    logs = [rank_log(number, ["layer"], odd=None) for number in range(4)]
    folder = write_ranks(tmp_path, logs)
    next(path for path in folder.iterdir() if "rank_2" in path.name).unlink()
    page = view(folder)
    expect(page.get_by_role("option", name="rank 2, warning, no log")).to_be_visible()
    expect(structure(page)).to_contain_text("Rank 2: no log.")


def test_the_table_has_the_same_data(view, case):
    page = view(case("mesh_2x2x2_extra"))
    structure(page).get_by_text("As a table").press("Enter")
    rows = page.get_by_role("region", name="Roles and ranks").get_by_role("row")
    expect(rows).to_have_count(9)
    expect(rows.nth(1)).to_have_text(
        re.compile(r"role 0rank 0.*axis 0: ranks 0 and 1.*axis 1: ranks 0 and 2.*none")
    )
    expect(rows.nth(7)).to_have_text(re.compile(r"role 1rank 6.*warning: Only rank 6 compiled average_twice"))


def test_a_click_shows_the_findings_of_one_rank(view, case):
    page = view(case("mesh_2x2x2_extra"))
    cards = page.get_by_role("region", name="Summary").get_by_role("article")
    everything = cards.count()
    rank(page, 4).click()
    expect_address(page, "rank=4")
    expect(rank(page, 4)).to_have_attribute("aria-selected", "true")
    chosen = page.get_by_role("group", name="Selected rank")
    expect(chosen).to_contain_text(re.compile(r"Rank 4\s*2 findings"))
    expect(cards).to_have_count(2)
    expect(chosen.get_by_role("link", name="overview ›")).to_have_attribute(
        "href", re.compile("default/.*log=.*rank_4")
    )
    page.reload()
    settle(page)
    expect(cards).to_have_count(2)
    expect(rank(page, 4)).to_have_attribute("aria-selected", "true")
    chosen.get_by_role("link", name="show all ranks").click()
    expect(cards).to_have_count(everything)
    expect(page.get_by_role("option", selected=True)).to_have_count(0)
    rank(page, 5).click()
    expect(cards).to_have_text([re.compile("roles")])
    rank(page, 6).click()
    expect(cards.first).to_contain_text("rank 4 has no matching call")  # rank 6 waits
    page.go_back()
    expect(cards).to_have_text([re.compile("roles")])


def test_the_picture_has_one_tab_stop_and_arrow_keys(view, case):
    page = view(case("mesh_2x2x2_extra"))
    assert page.locator("[role=option][tabindex='0']").count() == 1
    rank(page, 0).focus()
    for key, at in {
        "ArrowRight": 1,
        "ArrowDown": 3,
        "End": 3,
        "Home": 2,
        "Control+End": 7,
        "ArrowUp": 5,
        "ArrowLeft": 4,
        "Control+Home": 0,
    }.items():
        page.keyboard.press(key)
        expect(rank(page, at)).to_be_focused()
        expect(rank(page, at)).to_have_attribute("tabindex", "0")
    page.keyboard.press("ArrowUp")
    expect(rank(page, 0)).to_be_focused()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    expect(rank(page, 6)).to_be_focused()
    assert page.locator("[role=option][tabindex='0']").count() == 1
    page.keyboard.press("Enter")
    expect_address(page, "rank=6")
    expect(rank(page, 6)).to_be_focused()
    page.keyboard.press("Escape")
    becomes(lambda: "rank=" in address(page), False)


def test_a_thousand_ranks(page_that, address_of, thousand):
    page = page_that(viewport={"width": 1024, "height": 768})
    page.goto(address_of(thousand).replace("/default/", "/multirank/"))
    settle(page)
    assert page.get_by_role("option").count() == 1024
    assert marked(page) == {700: "warning"}
    lines = rows_of_fast(page)
    assert [len(line) for line in lines] == [64] * 16
    expect(structure(page).get_by_text("640–703", exact=True)).to_be_visible()
    expect(page.get_by_role("list", name="Signs")).to_contain_text("warning: rank 700")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    rank(page, 700).hover()
    expect(rank(page, 700)).to_have_attribute("title", re.compile("rank 700, role 0, warning"))
    rank(page, 700).click()
    expect(page.get_by_role("group", name="Selected rank")).to_contain_text("1 finding")
    page.keyboard.press("ArrowDown")
    expect(rank(page, 764)).to_be_focused()
    structure(page).get_by_text("As a table").click()
    expect(page.get_by_role("region", name="Roles and ranks").get_by_role("row")).to_have_count(3)


def rows_of_fast(page):
    """Return the ranks of each line on the screen."""
    places = page.get_by_role("option").evaluate_all(
        "all => all.map((one) => [Math.round(one.getBoundingClientRect().y), Number(one.dataset.rank)])"
    )
    lines = {}
    for y, number in places:
        lines.setdefault(y, []).append(number)
    return [lines[y] for y in sorted(lines)]


@pytest.mark.parametrize("width", [480, 1024, 1440, 1920])
def test_it_fits_every_width(page_that, case, address_of, width):
    page = page_that(viewport={"width": width, "height": 800})
    page.goto(address_of(case("mesh_2x2x2_extra", 64)).replace("/default/", "/multirank/"))
    settle(page)
    assert page.get_by_role("option").count() == 64
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert structure(page).evaluate("one => one.scrollWidth <= one.clientWidth"), (
        "it does not scroll sideways"
    )
    assert marked(page) == wanted_marks(case("mesh_2x2x2_extra", 64))


def test_the_order_across_process_groups(view, case):
    page = view(case("order_circle"), "#v=1&view=collectives")
    part = page.get_by_role("region", name="Order across process groups")
    expect(part).to_contain_text("ranks wait for each other in a circle: the job will hang")
    expect(part.get_by_role("listitem")).to_have_text(
        [
            re.compile(r"ranks 0 and 3: all_reduce .* in step \[1/0\], process group 3 along axis 0"),
            re.compile(
                r"ranks 1 and 2: all_reduce .* in step_dp_first \[1/0\], process group 2 along axis 1"
            ),
        ]
    )
    table = page.get_by_role("region", name="Calls by process group").get_by_role("row")
    expect(table.nth(1)).to_have_text(re.compile(r"3\s*0\s*ranks 0 and 1"))


def test_transfers_without_a_counterpart(view, case):
    page = view(case("ring_wrong_peer"), "#v=1&view=collectives")
    part = page.get_by_role("region", name="Sends and receives without a counterpart")
    expect(part.get_by_role("listitem")).to_have_text(
        ["rank 1: isend to rank 2 in to_next [0/0]", "rank 2: irecv from rank 3 in to_next [0/0]"]
    )


def test_settings_that_differ(view, case):
    page = view(case("other_options"), "#v=1&view=details")
    rows = page.get_by_role("region", name="Settings that differ").get_by_role("row")
    expect(rows).to_have_text(
        [
            re.compile("Setting"),
            re.compile(r"inductor_config\.epilogue_fusion.*ranks 0, 1 and 3.*true"),
            re.compile(r"rank 2.*false"),
            re.compile(r"inductor_config\.max_fusion_size.*ranks 0, 1 and 3.*64"),
            re.compile(r"rank 2.*1"),
        ]
    )
