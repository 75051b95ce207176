"""The timeline: spans as a chart and as a table, with search, selection, links and download."""

import json

from log_builder import record
from pages import address, becomes, expect_address, settle
from playwright.sync_api import expect

CHART = {"name": "Timeline"}


def spans_of(bundle):
    return bundle.logs[0].table("spans")


def totals_of(bundle):
    """Return sums of spans by name."""
    return {row["name"]: row for row in bundle.logs[0].table("span_totals")}


def chart_of(page):
    chart = page.get_by_role("application", **CHART)
    expect(chart).to_be_visible()
    settle(page)
    return chart


def selected(page):
    return page.get_by_role("region", name="Selection").get_by_role("heading", level=2)


def hash_of(page):
    return dict(part.split("=", 1) for part in address(page).split("#")[1].split("&"))


def settled(page, key, value=True):
    """Return the parts of the address once it has, or lacks, a key, and no change is pending."""
    page.wait_for_function("([key, there]) => location.hash.includes(`&${key}=`) === there", arg=[key, value])
    settle(page)
    return hash_of(page)


def test_table_of_names_shows_where_the_time_went(show):
    page, bundle = show("train_step", "#v=1&view=timeline")
    totals = totals_of(bundle)
    grid = page.get_by_role("grid", name="Times by span")
    assert len(totals) > 10
    expect(grid.get_by_role("row")).to_have_count(len(totals) + 1)
    expect(grid.get_by_role("row").nth(1)).to_have_accessible_name(
        max(totals, key=lambda name: totals[name]["self_us"])
    )
    row = grid.get_by_role("row", name="dynamo", exact=True)
    expect(row.get_by_role("gridcell").nth(1)).to_have_text(str(totals["dynamo"]["count"]))
    row.click()
    expect(page.get_by_label("Find spans by name")).to_have_value('"dynamo"')
    expect(page.get_by_text(f"{totals['dynamo']['count']} found")).to_be_visible()


def test_a_click_selects_a_span_and_its_address_shows_it_again(show):
    page, bundle = show("train_step", "#v=1&view=timeline")
    table = spans_of(bundle)
    box = chart_of(page).bounding_box()
    first_row = 20 + 18 * bool(bundle.logs[0].table("instants")) + 9
    page.mouse.move(box["x"] + 30, box["y"] + first_row)
    tip = page.locator(".flame-tip")
    expect(tip).to_contain_text("dynamo")
    expect(tip).to_contain_text("[0/0]")
    expect(tip).to_contain_text("self time")
    page.mouse.click(box["x"] + 30, box["y"] + first_row)
    expect(selected(page)).to_have_text("dynamo")
    span = next(row for row in table if row["name"] == "dynamo")
    assert settled(page, "span")["span"] == str(span["begin_event"])
    detail = page.get_by_role("region", name="Selection")
    expect(detail.get_by_role("link", name=f"begin {span['begin_event']}")).to_be_visible()
    expect(detail.get_by_role("link", name=f"end {span['end_event']}")).to_be_visible()
    expect(detail.get_by_role("heading", name="Arguments")).to_be_visible()
    page.goto(address(page))
    page.reload()
    expect(selected(page)).to_have_text("dynamo")


def test_keys_zoom_move_walk_and_open(show):
    page, _bundle = show("train_step", "#v=1&view=timeline")
    chart_of(page).focus()
    page.keyboard.press("+")
    page.keyboard.press("+")
    start, end = map(int, settled(page, "range")["range"].split("-"))
    page.keyboard.press("ArrowRight")
    page.wait_for_function("old => !location.hash.includes(old)", arg=f"{start}-{end}")
    moved = list(map(int, settled(page, "range")["range"].split("-")))
    assert moved[0] > start and abs((moved[1] - moved[0]) - (end - start)) <= 2
    page.keyboard.press("0")
    settled(page, "range", False)
    page.keyboard.press("n")
    expect(selected(page)).to_have_text("dynamo")
    page.keyboard.press("Shift+ArrowDown")
    expect(selected(page)).to_have_text("entire_frame_compile")
    expect(
        page.get_by_role("status").filter(has_text="entire_frame_compile, ")
    ).to_be_attached()  # another one shows that arguments load
    page.keyboard.press("Shift+ArrowUp")
    expect(selected(page)).to_have_text("dynamo")
    page.keyboard.press("n")
    page.keyboard.press("N")
    expect(selected(page)).to_have_text("dynamo")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("[0/0]")
    page.go_back()
    expect(selected(page)).to_have_text("dynamo")
    chart_of(page).focus()
    page.keyboard.press("Escape")
    expect(selected(page)).to_have_text("compile_file")  # the one with the most self time
    expect(page.get_by_role("region", name="Selection")).to_contain_text(
        "Longest span of the name with the most self time"
    )


def test_wheel_and_range_picture_choose_the_visible_part(show):
    page, _bundle = show("train_step", "#v=1&view=timeline")
    box = chart_of(page).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 60)
    page.mouse.wheel(0, -400)
    start, end = map(int, settled(page, "range")["range"].split("-"))
    assert 0 < start < end
    page.get_by_role("button", name="Show all").click()
    settled(page, "range", False)
    small = page.locator(".flame-range").bounding_box()
    page.mouse.move(small["x"] + small["width"] * 0.25, small["y"] + 20)
    page.mouse.down()
    page.mouse.move(small["x"] + small["width"] * 0.5, small["y"] + 20, steps=4)
    page.mouse.up()
    quarter_to_half = """() => {
        const found = /&range=(\\d+)-(\\d+)/.exec(location.hash);
        return found && Math.abs((found[2] - found[1]) / found[1] - 1) < 0.05;
    }"""
    page.wait_for_function(quarter_to_half)  # while the pointer moves the address has parts of it
    low, high = map(int, settled(page, "range")["range"].split("-"))
    page.goto(address(page))
    page.reload()
    chart_of(page)
    expect(page.locator(".flame-mark")).to_be_visible()
    assert hash_of(page)["range"] == f"{low}-{high}"


def test_search_and_compile_filter(show):
    page, bundle = show("recompiles", "#v=1&view=timeline")
    table = spans_of(bundle)
    page.get_by_label("Find spans by name").fill("build_guards")
    wanted = [row for row in table if "build_guards" in row["name"]]
    expect(page.get_by_text(f"{len(wanted)} found")).to_be_visible()
    page.keyboard.press("Enter")
    expect(selected(page)).to_have_text("build_guards")
    page.get_by_label("Find spans by name").fill("")
    page.get_by_role("button", name="Compiles", exact=True).click()
    grid = page.get_by_role("grid", name="Compiles in the timeline")
    compile = next(c for c in bundle.logs[0].compiles if c.key == "0/1")
    grid.get_by_role("row", name=f"[0/1] {compile.row['function']}").click()
    expect_address(page, "&compile=0/1")
    own = [row for row in table if row["compile"] == "0/1"]
    moments = [row for row in bundle.logs[0].table("instants") if row["compile"] == "0/1"]
    expect(page.get_by_text(f"{len(own) + len(moments)} found")).to_be_visible()
    page.get_by_role("button", name="Times by span").click()
    counts = page.get_by_role("grid", name="Times by span").locator(
        "[role=row]:not(.grid-header) > :nth-child(2)"
    )
    becomes(lambda: sum(map(int, counts.all_inner_texts())), len(own))
    page.get_by_role("button", name="only [0/1]").click()
    becomes(lambda: "compile" in hash_of(page), False)


def test_unended_spans_are_marked(show):
    page, bundle = show("killed", "#v=1&view=timeline")
    table = spans_of(bundle)
    open_spans = [row for row in table if row["repair"] == "unended"]
    assert open_spans
    detail = page.get_by_role("region", name="Selection")
    expect(detail).to_contain_text(f"{len(open_spans)} spans never ended")
    page.goto(address(page) + f"&span={open_spans[0]['begin_event']}")
    expect(selected(page)).to_have_text(open_spans[0]["name"])
    expect(detail).to_contain_text("No end recorded: the process stopped")
    expect(detail).to_contain_text("never ended")
    expect(detail).to_contain_text("no end recorded")


def test_download_is_what_torch_wrote(show):
    page, bundle = show("transformer", "#v=1&view=timeline")
    table = spans_of(bundle)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download trace").click()
    events = json.loads(download.value.path().read_text())
    assert download.value.suggested_filename.endswith("-timeline.json")
    phases = [event["ph"] for event in events]
    assert phases.count("B") == len(table) and phases.count("i") + phases.count("I") == len(
        bundle.logs[0].table("instants")
    )
    expect(page.get_by_role("region", name="Selection")).to_contain_text("ui.perfetto.dev")


def test_threads_that_overlap_get_lanes_and_names_stay_text(show):
    hostile = "<img src=x onerror=alert(1)>"
    parts = [("B", "outer", 1_000), ("B", hostile, 2_000), ("E", "outer", 5_000), ("E", hostile, 9_000)]
    log = b"".join(
        record(
            "chromium_event 0/0",
            payload=json.dumps(
                {
                    "name": name,
                    "ts": 1_700_000_000_000_000 + at,
                    "args": {"compile_id": "0/0"},
                    "ph": phase,
                    "cat": "dynamo_timed",
                    "tid": 0,
                    "pid": 0,
                }
            ),
        )
        for phase, name, at in parts
    )
    page, bundle = show(log, "#v=1&view=timeline")
    assert {row["lane"] for row in spans_of(bundle)} == {0, 1}
    chart_of(page).focus()
    page.keyboard.press("n")
    page.keyboard.press("n")
    expect(selected(page)).to_have_text(hostile)
    expect(page.get_by_role("region", name="Selection")).to_contain_text("Overlaps a span in another lane")


def test_without_a_timeline_the_view_describes_its_contents(show):
    page, _ = show("export_dtrace", "#v=1&view=timeline")
    expect(page.get_by_role("heading", name="No timeline")).to_be_visible()
    expect(page.get_by_text("but not for torch.export")).to_be_visible()


def test_three_hundred_thousand_spans_draw_by_pixels(show):
    """Drawing and lookup depend on the width of the picture."""
    page, _ = show("train_step", "#v=1&view=timeline")
    chart_of(page)
    took = page.evaluate("""async () => {
      const { timelineOf, litRows } = await import("/viewers/default/timeline/data.js");
      const { inSight } = await import("/viewers/lib/flame/data.js");
      const spans = Array.from({ length: 300000 }, (_, i) => ({ id: i, name: "abcdefg"[i % 7], start_epoch_us: 1e15 + i * 10, duration_us: 9, compile: "0/0", attempt: 0, parent: null,
        lane: 0, repair: null, begin_event: 2 * i, end_event: 2 * i + 1 }));
      const line = timelineOf(spans, [], [], { compiles: [{ id: "0/0", key: "0/0", compile: "0/0" }], byAttempt: new Map([["0/0 0", 0]]) });
      let drawn = 0, reads = 0;
      const counted = (values) => new Proxy(values, { get: (all, key) => { reads++; return all[key]; } });
      const flame = { ...line.flame, from: counted(line.flame.from), to: counted(line.flame.to) };
      for (const row of flame.rows) inSight(flame, row, 0, flame.end / 1000, 1000, () => drawn++);
      const lit = litRows(line, "c", -1).reduce((sum, row) => sum + row.length, 0);
      return { drawn, reads, lit };
    }""")
    assert 900 <= took["drawn"] <= 1100, "one box a pixel"
    assert took["lit"] == len(range(2, 300_000, 7))
    assert took["reads"] < 30_000, "a search by halves for each pixel, not all 300,000 spans"
