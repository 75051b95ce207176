"""Number of clicks from the first screen to common answers."""

from pages import expect_address, settle
from playwright.sync_api import expect


def findings(page):
    return page.get_by_role("list", name="Findings", exact=True)


def views(page):
    return page.get_by_role("navigation", name="Views")


def test_cause_and_fix_of_a_recompile_without_a_click(show):
    page, _ = show("recompiles")
    card = findings(page).get_by_role("article", name="grows recompiled once")
    expect(card).to_contain_text("x.size(0) changed from 4 to 5")
    expect(card).to_contain_text("torch._dynamo.mark_dynamic(x, 0)")
    expect(card.get_by_role("button", name="Copy")).to_be_visible()


def test_cost_and_fix_without_a_click(show):
    page, _ = show("transformer")
    card = findings(page).get_by_role("article").first
    expect(card).to_contain_text("compile_file took 23.7 s of 30.5 s")
    expect(card).to_contain_text("TORCHINDUCTOR_CACHE_DIR")
    expect(card).to_be_in_viewport()


def test_a_failure_without_a_click_and_its_stack_with_one(show):
    page, _ = show("failures")
    card = findings(page).get_by_role("article", name="has_wrong_shapes failed to compile")
    expect(card).to_contain_text("a and b must have same reduction dim")
    card.get_by_role("heading").get_by_role("link").click()  # 1
    detail = page.get_by_role("region", name="Failures: details")
    expect(detail).to_contain_text("Full traceback")
    expect(detail).to_contain_text("/home/user/project/program.py:28")
    torch = detail.get_by_text("frames of torch").first
    torch.click()
    expect(detail).to_contain_text("torch/_dynamo/convert_frame.py")
    message = detail.get_by_text("RuntimeError when making fake tensor call").filter(visible=True)
    assert message.count() <= 2, "once in the card, once as torch wrote it"


def test_the_odd_rank_without_a_click(show):
    page, _ = show("ranks_extra_break")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Graph break only on rank 1, in block")
    expect(views(page).get_by_role("link", name="Ranks", exact=True)).to_have_text("Ranks3")


def test_changed_guards_with_two(show):
    page, _ = show("recompiles")
    card = findings(page).get_by_role("article", name="grows recompiled once")
    card.get_by_role("link", name="compare guards").click()  # 1
    expect_address(page, "view=compare", "artifact=dynamo_cpp_guards_str")
    expect(page.get_by_role("main")).to_contain_text("size")


def test_the_kernel_of_a_line_with_two(show):
    page, _ = show("provenance")
    views(page).get_by_role("link", name="Provenance").click()  # 1
    page.get_by_role("region", name="User source: text").locator(
        '.code-line:has(.gutter[data-number="17"])'
    ).click()  # 2
    expect(page.get_by_role("status").filter(has_text="←")).to_contain_text(
        "cpp_fused__softmax_add_mul_sigmoid_0"
    )


def test_a_link_to_share_with_one(page_that, bundle_of, address_of):
    page = page_that(permissions=["clipboard-read", "clipboard-write"])
    page.goto(address_of(bundle_of("recompiles")) + "#v=1&view=recompiles")
    settle(page)
    page.get_by_role("button", name="Share", exact=True).click()  # 1
    expect(page.get_by_text("Link copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
