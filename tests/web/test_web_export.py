"""The export report."""

from playwright.sync_api import expect


def detail(page):
    return page.get_by_role("region", name="Export report: details")


def test_the_error_of_the_export_and_its_fix(show):
    page, _ = show("export_dtrace", "#v=1&log=fixture0")
    page.get_by_role("link", name="Export", exact=True).click()
    grid = page.get_by_role("grid", name="Export report")
    expect(grid.get_by_role("row", name="exported export")).to_have_count(1)
    expect(grid.get_by_role("row", name="failed export")).to_have_count(1)
    expect(grid.get_by_role("row", name="data-dependent")).to_have_count(1)
    page.get_by_role("row", name="failed export 2").click()
    detail(page).get_by_role("link", name="zuf0 > 0.0", exact=True).click()
    for text in [
        "data-dependent condition",
        "program.py:33 in forward",
        "return x + 1 if x.sum().item() > 0 else x",
        "torch.cond",
        "export 2 (failed)",
    ]:
        expect(detail(page)).to_contain_text(text)
    page.go_back()
    expect(detail(page).get_by_role("article")).to_contain_text(
        "The export stopped at a data-dependent condition"
    )


def test_the_program_that_an_export_left(show):
    page, _bundle = show("export_dtrace", "#v=1&view=export")
    page.get_by_role("row", name="exported export 1").click()
    link = detail(page).get_by_role("link", name="exported program")
    expect(link).to_have_attribute("href", "#v=1&view=compile&compile=-&artifact=exported_program")
    link.click()
    expect(page.get_by_role("region", name="Artifact")).to_contain_text("class GraphModule")


def test_a_condition_on_sizes_with_its_variables(show):
    page, _ = show("export_dtrace", "#v=1&view=export&log=fixture0&type=guard_evaluated")
    for text in [
        "2*s77 > 5",
        "x.size()[0]",
        "torch.Size([s77])",
        "program.py:28",
        "state it with torch._check(…)",
    ]:
        expect(detail(page)).to_contain_text(text)


def test_draft_export_lists_kernels(show):
    page, _ = show("export_dtrace", "#v=1&view=export&log=fixture1")
    page.get_by_role("row", name="no fake kernel fixture.no_fake.default").click()
    expect(detail(page)).to_contain_text('torch.library.register_fake("fixture::no_fake")')
    page.keyboard.press("ArrowDown")
    expect(detail(page)).to_contain_text("Dtypes torch.float64 and torch.float32 are not equal!")
    page.get_by_label("Kind").select_option("assumed")
    page.get_by_role("row", name="assumed u0 > 2 is True").click()
    for text in ["The export assumes that u0 > 2 is True", "if count > 2:", "state it with torch._check(…)"]:
        expect(detail(page)).to_contain_text(text)


def test_only_logs_with_exports_have_the_view_in_the_bar(show):
    page, _ = show("dynamic_shapes")
    expect(page.get_by_role("link", name="Tensors", exact=True)).to_contain_text("Tensors")
    expect(page.get_by_role("link", name="Export", exact=True)).to_have_count(0)
    page.goto(page.url.split("#")[0] + "#v=1&view=export")
    expect(page.get_by_role("heading", name="No exports")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("TORCH_DTRACE")
