"""Events: nothing is hidden, and 40,000 rows are as good as 40."""

import json

import pytest
from log_builder import log, record
from pages import becomes, expect_address
from playwright.sync_api import expect

MANY = 40_000


@pytest.fixture(scope="session")
def many():
    """40,000 records: every tenth an artifact, one metadata with a word that occurs once."""
    out = []
    for n in range(MANY):
        if n % 10 == 0:
            out.append(record(f"artifact:part_{n % 7} {n % 50}/0", payload=f"payload {n % 100}"))
        else:
            expr = "a needle" if n == 31_415 else f"s{n} > 3"
            out.append(record(f"guard_added_fast {n % 50}/0 " + json.dumps({"expr": expr})))
    return b"".join(out)


def rows(page):
    """Return the table's row count for screen readers, without the header."""
    return int(page.get_by_role("grid", name="Records").get_attribute("aria-rowcount")) - 1


def test_filters_at_forty_thousand_rows(show, many):
    page, _bundle = show(many, "#v=1&view=events")
    expect(page.get_by_text("40,000 records", exact=True)).to_be_visible()
    drawn = page.get_by_role("grid", name="Records").get_by_role("row")
    assert drawn.count() < 100
    page.get_by_label("Type").select_option("artifact")
    expect(page.get_by_text("4,000 of 40,000 records", exact=True)).to_be_visible()
    assert drawn.count() < 100
    page.get_by_label("Type").select_option("artifact:part_3")
    wanted = sum(1 for n in range(0, MANY, 10) if n % 7 == 3)
    expect(page.get_by_text(f"{wanted:,} of 40,000 records", exact=True)).to_be_visible()
    page.get_by_label("Type").select_option("")
    page.get_by_label("Compile id").fill("17/0")
    expect(page.get_by_text("800 of 40,000 records", exact=True)).to_be_visible()
    becomes(lambda: rows(page), 800)
    assert drawn.count() < 100
    page.get_by_label("Compile id").fill("")
    page.get_by_label("Filter records").fill("NEEDLE")
    expect(page.get_by_text("1 of 40,000 records, names and metadata searched")).to_be_visible()
    expect(page.get_by_role("row", name="31,415 guard_added_fast")).to_be_visible()
    page.get_by_label("Filter records").fill("part_5")
    wanted = sum(1 for n in range(0, MANY, 10) if n % 7 == 5)
    expect(page.get_by_text(f"{wanted:,} of 40,000 records, names and metadata searched")).to_be_visible()
    assert drawn.count() < 100


def test_last_row_and_sorting_at_forty_thousand_rows(show, many):
    page, _ = show(many, "#v=1&view=events")
    grid = page.get_by_role("grid", name="Records")
    grid.get_by_role("row").nth(1).click()
    page.keyboard.press("End")
    expect(page.get_by_role("row", name=f"{MANY - 1:,} ")).to_be_focused()
    expect(page.get_by_role("row", name=f"{MANY - 1:,} ")).to_be_in_viewport()
    expect_address(page, f"event={MANY - 1}")
    grid.get_by_role("columnheader", name="Payload size").get_by_role("button").click()
    expect(grid.get_by_role("columnheader", name="Payload size")).to_have_attribute("aria-sort", "descending")
    page.get_by_role("row", name=f"{MANY - 1:,} ").wait_for(state="attached")
    grid.evaluate("element => { element.scrollTop = 0 }")
    expect(grid.get_by_role("row").nth(1)).to_contain_text("10 B")


def test_record_shows_metadata_with_readable_frames_and_payload(show):
    data = log("""
        str ["/home/user/a.py", 0]
        create_symbol 0/0 {"symbol": "s0", "stack": [{"line": 3, "name": "outer", "filename": 0}, {"line": 9, "name": "inner", "filename": 0, "loc": "x.size(0)"}]}
        artifact:notes 0/0
            | one
            | two
    """)
    page, _ = show(data, "#v=1&view=events&event=1")
    record_pane = page.get_by_role("region", name="Record", exact=True)
    metadata = record_pane.get_by_role("region", name="JSON of create_symbol")
    expect(metadata).to_contain_text('"/home/user/a.py:3 in outer"')
    expect(metadata).to_contain_text('"/home/user/a.py:9 in inner: x.size(0)"')
    expect(record_pane).to_contain_text("line 2")
    page.get_by_role("row", name="2 artifact notes").click()
    expect(record_pane.get_by_role("region", name="Text of notes")).to_contain_text("one")
    record_pane.get_by_role("button", name="Metadata").click()
    expect(record_pane.get_by_role("region", name="JSON of notes")).to_contain_text('"encoding": "string"')


def test_records_without_metadata_and_without_id(show):
    page, _ = show(
        log("aot_joint_graph 0/0\n    | graph\nchromium_event\n    | {}"), "#v=1&view=events&event=0"
    )
    page.get_by_role("button", name="Metadata").click()
    expect(page.get_by_role("region", name="JSON of aot_joint_graph")).to_contain_text(
        '"aot_joint_graph": {}'
    )
    page.get_by_role("link", name="Compiles", exact=True).click()
    page.get_by_role("grid").get_by_role("link", name="no compile id").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("records without a compile id")


def test_types_of_a_real_log_count_right(show):
    page, bundle = show("train_step", "#v=1&view=events")
    counts = {}
    for event in bundle.logs[0].events():
        counts[event.type] = counts.get(event.type, 0) + 1
    assert len(counts) > 10
    for kind, n in counts.items():
        page.get_by_label("Type").select_option(kind)
        expect(page.get_by_text(f"{n:,} of {sum(counts.values()):,} record")).to_be_visible()


def test_a_million_rows_scroll_to_the_end(show):
    """The grid alone: so many rows are taller than a browser allows an element to be.

    Work depends on the visible part.
    """
    page, _ = show("basic_inference")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.evaluate("""async () => {
        window.cells = window.keys = 0;
        const { Grid } = await import("/viewers/lib/list/grid.js");
        const grid = new Grid({ label: "Million", columns: [{ id: "n", title: "N", width: "6rem", number: true, cell: (i) => (window.cells++, i), sort: (i) => (window.keys++, i) }], name: (i) => `row ${i}` });
        const box = document.createElement("div");
        box.style.cssText = "height: 400px; display: flex; flex-direction: column";
        box.append(grid.element);
        document.querySelector("main").replaceChildren(box);
        grid.show(Uint32Array.from({ length: 1_000_000 }, (_, i) => i));
    }""")
    grid = page.get_by_role("grid", name="Million")
    grid.get_by_role("row", name="row 0", exact=True).click()
    page.keyboard.press("End")
    expect(page.get_by_role("row", name="row 999999", exact=True)).to_be_in_viewport()
    expect(page.get_by_role("row", name="row 999999", exact=True)).to_be_focused()
    grid.evaluate("element => { element.scrollTop = element.scrollHeight / 2 }")
    expect(grid.get_by_role("row").nth(15)).to_be_in_viewport()
    grid.get_by_role("button", name="N").click()
    page.evaluate("document.querySelector('[aria-label=Million]').scrollTop = 0")
    expect(page.get_by_role("row", name="row 999999", exact=True)).to_be_in_viewport()
    assert page.evaluate("cells") < 2_000, "rows are drawn when they are in sight"
    assert page.evaluate("keys") == 1_000_000, "each is asked once for what to sort by"


@pytest.mark.parametrize("values", [3, 40, 400], ids=["few values", "some", "many"])
@pytest.mark.parametrize("words", [False, True], ids=["numbers", "words"])
def test_equal_rows_keep_their_order_and_unknown_values_come_last(show, words, values):
    page, _ = show("basic_inference")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    found = page.evaluate(
        """async ([words, values]) => {
        const { Grid } = await import("/viewers/lib/list/grid.js");
        const value = (i) => i * 7 % values;
        const key = (i) => (i % 11 === 5 ? null : i % 11 === 6 ? undefined : words ? `name ${value(i)}` : value(i));
        const orders = ["", "key", "-key"].map((sort) => {
            const grid = new Grid({ label: "Any", columns: [{ id: "key", title: "Key", width: "6rem", cell: (i) => i, sort: key }], name: String, sort });
            grid.show(Array.from({ length: 400 }, (_, i) => i));
            return Array.from(grid.order);
        });
        return [orders, Array.from({ length: 400 }, (_, i) => key(i) ?? null)];
    }""",
        [words, values],
    )
    (plain, up, down), keys = found
    known = [i for i in plain if keys[i] is not None]
    unknown = [i for i in plain if keys[i] is None]
    assert plain == list(range(400)) and unknown
    assert up == sorted(known, key=lambda i: keys[i]) + unknown
    assert down == sorted(known, key=lambda i: keys[i], reverse=True) + unknown
