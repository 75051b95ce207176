"""The view of measured times, and what the page of a compile says about them."""

import re

import pytest
from axe import violations_in_both_themes
from pages import expect_address
from playwright.sync_api import expect
from tlparse_bundle import Bundle

LINES = "profiler/lines"


def test_one_click_from_the_overview_to_the_most_expensive_lines(show):
    page, bundle = show(LINES, "#v=1&view=overview")
    (log,) = bundle.logs
    page.get_by_role("navigation").get_by_role("link", name="Run time", exact=True).click()
    lines = page.get_by_role("region", name="5 most expensive source lines")
    items = lines.locator("ol").first.locator("> li")
    expect(items).to_have_count(5)
    rows = [row for row in log.table("line_times") if row["file"] is not None]
    assert len(rows) > 5
    for item, row in zip(items.all(), rows, strict=False):
        expect(item).to_contain_text(row["code"])
        expect(item).to_contain_text(f"program.py:{row['line']}")
        expect(item).to_contain_text(f"in {row['count']} calls")
        kernels = item.get_by_role("list", name=f"Kernels of line {row['line']}")
        text = f"{row['kernels'][0]} {row['kernels_us'][0] / 1000:.3g}"
        expect(kernels.get_by_role("listitem").first).to_contain_text(text)
    lines.get_by_text(f"{len(rows) - 5} more line").click()
    expect(lines.get_by_text(rows[5]["code"])).to_be_visible()


def test_a_kernel_leads_to_its_code(show):
    page, bundle = show(LINES, "#v=1&view=runtime")
    kernels = page.get_by_role("region", name="Kernels by measured time")
    name = next(row["kernel"] for row in bundle.logs[0].table("kernel_calls") if row["kind"] == "generated")
    kernels.get_by_role("link", name=name).click()
    expect_address(page, "view=compile")
    expect(page.get_by_role("main")).to_contain_text(name)


def test_kernels_and_regions_have_the_numbers_of_the_tables(show):
    page, bundle = show("profiler/breaks", "#v=1&view=runtime")
    (log,) = bundle.logs
    kernels = page.get_by_role("table").first.get_by_role("row")
    expect(kernels).to_have_count(1 + len(log.table("kernel_calls")))
    row = next(row for row in log.table("kernel_calls") if row["call_bytes"] is not None)
    rate = row["call_bytes"] * row["count"] / row["total_us"] / 1e3
    text = f"{rate:.0f} GB/s" if rate >= 100 else f"{rate:#.3g} GB/s"
    expect(
        page.get_by_role("region", name="Kernels: table").get_by_role("row", name=row["kernel"])
    ).to_contain_text(text)
    expect(page.get_by_text("build with --peak GB/s=RATE")).to_be_visible()
    regions = page.get_by_role("region", name="Compiled regions: table").get_by_role("row")
    expect(regions).to_have_count(3)
    expect(regions.nth(1)).to_contain_text(re.compile(r"\[0/0_1\]\s*f\s*4"))
    expect(page.get_by_text("runs eager for").first).to_be_visible()
    expect(page.get_by_role("region", name="Profiler traces")).to_contain_text(
        f"{sum(row['joined_count'] for row in log.table('profiles'))} kernel calls"
    )


def test_a_step_as_a_flame_graph(show):
    page, bundle = show("profiler/steps", "#v=1&view=runtime")
    rows = bundle.logs[0].table("step_tree")
    region = page.get_by_role("region", name="One step")
    expect(region).to_contain_text(f"ProfilerStep#1 of steps.json.gz: {rows[0]['total_us'] / 1000:.3g} ms")
    chart = region.get_by_role("application", name="Flame graph of a step")
    chart.focus()
    said = region.get_by_role("status")
    for row in rows[1:3]:
        page.keyboard.press("n")
        expect(said).to_contain_text(f"{row['name']}, {row['total_us'] / 1000:.3g} ms in 1 call")
    region.get_by_text("ranges by self time").click()
    table = region.get_by_role("region", name="Ranges of the step").get_by_role("row")
    longest = max((row for row in rows if row["kind"] == "range"), key=lambda row: row["self_us"])
    expect(table.nth(1)).to_contain_text(longest["name"])
    expect(table.nth(1).get_by_role("cell").nth(3)).to_have_text(f"{longest['self_us'] / 1000:.3g} ms")


def test_the_page_of_a_compile_says_what_it_costs(show):
    page, _ = show("profiler/breaks", "#v=1&view=compile&compile=0/0")
    expect(page.get_by_role("heading", name="Run time")).to_be_visible()
    expect(page.get_by_text(re.compile("4 calls took .* on the host, guard lookup"))).to_be_visible()
    expect(page.get_by_text("ran eager at graph breaks")).to_be_visible()
    page.get_by_role("heading", name="Run time").get_by_role("link").click()
    expect_address(page, "view=runtime")


def test_a_log_without_source_lines_says_how_to_record_them(show):
    page, _ = show("profiler/same_names", "#v=1&view=runtime")
    expect(page.get_by_role("region", name="Most expensive source line")).to_contain_text(
        "tlparse-bundle run --provenance --profile -- python train.py"
    )


def test_a_log_without_a_trace_has_no_such_view(show):
    page, _ = show("basic_inference", "#v=1&view=overview")
    expect(page.get_by_role("navigation").get_by_role("link", name="Kernels")).to_be_visible()
    expect(page.get_by_role("navigation").get_by_role("link", name="Run time")).to_have_count(0)
    page.goto(page.url.split("#")[0] + "#v=1&view=runtime")
    expect(page.get_by_text("No measured times")).to_be_visible()


@pytest.mark.parametrize("width", [1024, 1440, 1920])
def test_nothing_is_wider_than_the_page(show, width):
    page, _ = show(LINES, "#v=1&view=runtime")
    page.set_viewport_size({"width": width, "height": 900})
    expect(page.get_by_role("heading", name="Kernels by measured time")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_it_can_be_used_by_everybody(page_that, bundle_of, address_of):
    page = page_that(bypass_csp=True)
    page.goto(address_of(bundle_of(LINES)) + "#v=1&view=runtime")
    expect(page.get_by_role("heading", name="Kernels by measured time")).to_be_visible()
    assert violations_in_both_themes(page) == []


def test_provenance_shows_the_time_of_each_line(page_that, bundle_of, address_of):
    bundle = Bundle.open(bundle_of(LINES))
    (log,) = bundle.logs
    page = page_that()
    page.goto(address_of(bundle_of(LINES)).replace("/default/", "/provenance/") + "#v=1")
    total = sum(row["kernel_us"] for row in log.table("profiles"))
    expect(page.get_by_label("Coverage")).to_contain_text(
        f"share of measured kernel time {total / 1000:.3g} ms"
    )
    source = page.get_by_role("region", name="User source: text").locator(".code-line")
    for row in log.table("line_times"):
        line = source.filter(has_text=row["code"])
        share = f"{100 * row['share']:.{1 if row['share'] < 0.1 else 0}f} %"
        expect(line.locator(".heat")).to_have_text(share)
        expect(line.get_by_title(f"in {row['count']} kernel calls, {share} of measured")).to_be_visible()
    code = page.get_by_role("region", name="Generated code: text").locator(".code-line")
    (kernel,) = [row for row in log.table("kernel_calls") if "softmax" in row["name"]]
    call = code.filter(has_text=f"{kernel['kernel']}(").filter(has=page.locator(".heat-bar"))
    expect(call).to_have_count(1)
    expect(call).to_contain_text(f"{100 * kernel['total_us'] / total:.0f} %")
    products = [row for row in log.table("kernel_calls") if row["kernel"] == "extern_kernels.mm"]
    assert len(products) == 3
    for row in products:
        line = code.nth(row["call_line"] - 1)
        expect(line.get_by_title("This call of extern_kernels.mm: ")).to_contain_text(
            f"{100 * row['total_us'] / total:.{1 if row['total_us'] < total / 10 else 0}f} %"
        )
