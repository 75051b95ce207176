"""Tensors that are inputs of compiles."""

from playwright.sync_api import expect


def detail(page):
    return page.get_by_role("region", name="Tensors: details")


def test_shapes_memory_and_inputs_of_the_graph(show):
    page, bundle = show("dynamic_shapes")
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Tensors").click()
    rows = bundle.logs[0].table("tensors")
    expect(page.get_by_text(f"{len(rows)} tensors")).to_be_visible()
    page.get_by_label("Flag").select_option("shared")
    expect(page.get_by_text("3 of 7 tensors")).to_be_visible()
    page.get_by_role("row", name="[3/0] x (4,)").click()
    for text in [
        "32 B",
        "shared with 2 other tensors",
        "storage offset 4",
        "l_x_",
        "(s77,)",
        "torch.float32",
    ]:
        expect(detail(page)).to_contain_text(text)
    inputs = detail(page).get_by_role("region", name="Graph inputs").get_by_role("row")
    expect(inputs).to_have_count(3)
    detail(page).get_by_role("link", name="its symbols").click()
    expect(page.get_by_text("2 of 7 rows")).to_be_visible()


def test_parameters_of_a_model(show):
    page, _bundle = show("transformer", "#v=1&view=tensors&status=parameter")
    expect(page.get_by_text("24 of 25 tensors")).to_be_visible()
    page.get_by_label("Filter tensors").fill("norm1")
    expect(page.get_by_text("4 of 25 tensors")).to_be_visible()
    expect(detail(page)).to_contain_text("l_self_modules_layers_modules_0_modules_norm1_parameters_")


def test_the_compile_has_its_inputs(show):
    page, _ = show("transformer", "#v=1&view=compile&compile=0/0")
    page.get_by_role("link", name="Input tensors 25").click()
    expect(page.get_by_text("25 tensors")).to_be_visible()


def test_an_empty_view_describes_its_contents(show):
    page, _ = show("export_dtrace", "#v=1&view=tensors&log=fixture1")
    expect(page.get_by_role("heading", name="No tensors")).to_be_visible()


def test_modules_of_a_compile_fold_equal_blocks(show):
    page, bundle = show("transformer", "#v=1&view=compile&compile=0/0")
    part = page.get_by_role("region", name="Modules")
    rows = bundle.logs[0].table("modules")
    expect(part.get_by_role("heading")).to_have_text(f"Modules {len(rows)}")
    expect(part.locator("summary").first).to_have_text(
        f"self Transformer · {rows[0]['parameter_count']:,} parameters"
    )
    blocks = part.locator("summary", has_text="Block")
    expect(blocks).to_have_count(1)
    expect(blocks).to_contain_text("0–1 Block · 2 equal · 2,224 parameters each")
    expect(part.get_by_text("qkv")).to_have_count(0)
    blocks.click()
    expect(part.locator(".module-leaf", has_text="qkv")).to_have_text(
        "qkv Linear weight (48, 16) bias (48,) · 816 parameters"
    )
