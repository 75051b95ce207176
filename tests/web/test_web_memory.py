"""The view of memory."""

import re

from pages import expect_address
from playwright.sync_api import expect

LARGE = "versions/2.13.0/large_activations.log.zst"


def detail_of(page):
    return page.get_by_role("region", name="Memory: details")


def test_forward_and_backward_of_a_compile_are_together(show):
    page, bundle = show(LARGE, "#v=1&view=memory")
    forward, backward = bundle.logs[0].table("memory")
    detail = detail_of(page)
    expect(detail.get_by_role("heading", name="Forward on cpu")).to_be_visible()
    expect(detail.get_by_role("heading", name="Backward on cpu")).to_be_visible()
    expect(detail).to_contain_text(f"Peak 538 MB at line {forward['peak_line']}")
    expect(detail).to_contain_text(
        f"Peak 403 MB at line {backward['peak_line']}. With what the forward saved: 671 MB"
    )
    expect(detail.get_by_role("heading", name="Saved for the backward")).to_be_visible()
    expect(detail.get_by_text("makes up 75 % of the memory peak")).to_be_visible()
    expect(detail.get_by_text("saves 268.4 MB for its backward")).to_be_visible()


def test_the_slider_moves_over_the_lines_of_the_code(show):
    page, bundle = show(LARGE, "#v=1&view=memory")
    forward = bundle.logs[0].table("memory")[0]
    code = detail_of(page).locator(".memory-code").first
    slider, readout = code.get_by_role("slider"), code.locator(".memory-readout")
    expect(readout).to_contain_text(f"Line {forward['peak_line']}: 538 MB in 7 buffers ▲ peak")
    cells = code.locator(".treemap-cell")
    expect(cells).to_have_count(7)
    slider.focus()
    page.keyboard.press("Home")
    expect(readout).to_contain_text("134 MB in 1 buffer")
    expect(readout).not_to_contain_text("peak")
    expect(cells).to_have_count(1)
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"^line \d+: 134 MB$"))
    page.keyboard.press("ArrowRight")
    expect(readout).to_contain_text("268 MB in 2 buffers")
    code.locator(".memory-curve").click(position={"x": 2, "y": 60})
    expect(readout).to_contain_text("134 MB in 1 buffer")


def test_a_line_and_a_buffer_lead_to_the_generated_code(show):
    page, bundle = show(LARGE, "#v=1&view=memory")
    forward = bundle.logs[0].table("memory")[0]
    code = detail_of(page).locator(".memory-code").first
    code.get_by_role("link", name=f"Line {forward['peak_line']}", exact=True).click()
    expect_address(page, f"line={forward['peak_line']}")
    expect(page.get_by_role("main")).to_contain_text("empty_strided_cpu")
    page.go_back()
    first = next(row for row in bundle.logs[0].table("memory_buffers") if row["name"] == "buf0")
    code.locator(".treemap-cell").first.click()
    expect_address(page, f"line={first['first_line']}")


def test_the_table_has_the_same_buffers(show):
    page, bundle = show(LARGE, "#v=1&view=memory")
    log = bundle.logs[0]
    forward = log.table("memory")[0]
    own = [
        row
        for row in log.table("memory_buffers")
        if row["code_event"] == forward["code_event"] and row["role"] != "input"
    ]
    code = detail_of(page).locator(".memory-code").first
    code.get_by_text(f"{len(own)} buffers as a table").click()
    expect(code.get_by_role("row")).to_have_count(len(own) + 1)
    expect(code.locator("tr.here")).to_have_count(7)
    expect(code.get_by_role("row", name=re.compile("buf11 4 B output"))).to_be_visible()


def test_an_unknown_peak_says_why(show):
    page, _ = show("memory/multi_output", "#v=1&view=memory")
    detail = detail_of(page)
    expect(detail).to_contain_text("Peak at least 106 kB")
    detail.get_by_text("The exact peak is not known").click()
    expect(detail).to_contain_text(
        "An operator may allocate more than the code shows. torch.ops.aten.topk.default"
    )


def test_a_kernel_without_comments_has_the_source_line_of_its_provenance(show):
    page, bundle = show("provenance", "#v=1&view=memory")
    log = bundle.logs[0]
    events = {row["id"]: row["code_event"] for row in log.table("provenance_groups")}
    sources = {row["id"]: row for row in log.table("provenance_sources")}
    known = {
        (events[row["group"]], line): sources[row["sources"][0][-1]]
        for row in log.table("provenance_kernels")
        for line in row["call_lines"]
        if row["sources"]
    }
    buffer, source = next(
        (row, known[row["code_event"], row["kernel_line"]])
        for row in log.table("memory_buffers")
        if row["file"] is None and (row["code_event"], row["kernel_line"]) in known
    )
    (compile,) = (row["compile"] for row in log.table("memory") if row["code_event"] == buffer["code_event"])
    page, _ = show("provenance", f"#v=1&view=memory&item={compile}")
    expect(detail_of(page).locator(".memory-buffers").first).to_be_visible()
    for summary in detail_of(page).get_by_text(re.compile(r"buffers? as a table")).all():
        summary.click()
    row = detail_of(page).get_by_role("row", name=re.compile(rf"^{buffer['name']}\b")).first
    expect(row).to_contain_text(f":{source['line']} {source['code']}")


def test_a_log_without_generated_code_does_not_list_the_view(show):
    page, _ = show("graph_breaks", "#v=1&view=overview")
    rail = page.get_by_role("navigation", name="Views")
    expect(rail.get_by_role("link", name="Kernels", exact=True)).to_be_visible()
    expect(rail.get_by_role("link", name="Memory", exact=True)).to_have_count(0)
