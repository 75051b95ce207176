"""Ten questions that people bring, each answered on the first screen or one click away."""

import os
import shutil

import pytest
from conftest import FIXTURES
from pages import expect_address, settle
from playwright.sync_api import expect

MOST = 1  # clicks


class Reader:
    """Someone at the first screen of a bundle, whose clicks are counted."""

    def __init__(self, page):
        self.page, self.clicks = page, 0
        self.main = page.get_by_role("main")
        self.findings = page.get_by_role("list", name="Findings", exact=True)

    def click(self, place):
        self.clicks += 1
        place.click()
        settle(self.page)

    def click_view(self, name):
        self.click(
            self.page.get_by_role("navigation", name="Views").get_by_role("link", name=name, exact=True)
        )

    def card(self, name):
        return self.findings.get_by_role("article", name=name)


def why_does_it_recompile(reader):
    card = reader.card("grows recompiled once")
    expect(card).to_contain_text("x.size(0) changed from 4 to 5")
    expect(card).to_contain_text("torch._dynamo.maybe_mark_dynamic(x, 0)")
    expect(card.get_by_role("button", name="Copy")).to_be_visible()


def which_line_breaks_the_graph_and_what_do_i_change(reader):
    card = reader.findings.get_by_role("article").first
    expect(card).to_contain_text('program.py:43: print("inside a called function")')
    expect(card).to_contain_text("torch._dynamo.config.reorderable_logging_functions")
    expect(card).to_be_in_viewport()


def where_did_the_time_go(reader):
    tile = reader.page.get_by_role("list", name="At a glance").get_by_role("link").first
    expect(tile).to_contain_text("Inductor 61 %")
    card = reader.findings.get_by_role("article").first
    expect(card).to_contain_text("compile_file took 23.7 s of 30.5 s")
    expect(card).to_contain_text("TORCHINDUCTOR_CACHE_DIR")
    expect(card).to_be_in_viewport()


def which_kernel_came_from_my_line(reader):
    reader.click_view("Provenance")
    kernels = reader.page.get_by_role("grid", name="Kernels")
    expect(kernels.get_by_role("row", name="cpp_fused__softmax_add_mul_sigmoid_0")).to_contain_text(
        "program.py:16, 17"
    )


def what_changed_since_yesterday(reader):
    row = reader.page.get_by_role("row", name="today")
    reader.click(row.get_by_role("link", name="changes"))
    expect_address(reader.page, "yesterday", "today")
    expect(reader.page.get_by_role("heading", level=1)).to_contain_text(
        "Graph break in forward at program.py:14"
    )


def is_rank_3_different(reader):
    heading = reader.page.get_by_role("heading", level=1)
    expect(heading).to_contain_text(
        "On rank 2, reduce [2/0] schedules 1 fewer all_reduce. Ranks 0, 1 and 3 agree."
    )


def did_the_cache_hit(reader):
    expect(reader.page.get_by_role("link", name="cache hits")).to_contain_text("3 misses, 0 hits, 1 bypass")


def which_guard_failed_with_which_values(reader):
    card = reader.card("grows recompiled once")
    expect(card).to_contain_text("Guard failure: tensor 'x' size mismatch at index 0. expected 4, actual 5")


def give_me_the_generated_code(reader):
    slowest = reader.page.get_by_role("row").filter(has=reader.page.get_by_role("link", name="[0/0] forward"))
    expect(slowest.get_by_role("link", name="runnable")).to_be_visible()
    reader.click(slowest.get_by_role("link", name="code"))
    expect(reader.page.get_by_role("region", name="Text of inductor_output_code")).to_contain_text(
        "async_compile"
    )


def give_me_something_to_run(reader):
    reader.click(reader.page.get_by_role("link", name="runnable").first)
    code = reader.page.get_by_role("region", name="Text of fx_graph_runnable")
    expect(code).to_contain_text("import torch")


def where_do_the_dynamic_sizes_come_from(reader):
    reader.click_view("Symbols")
    expect(reader.page.get_by_role("grid", name="Symbols").get_by_role("row").nth(1)).to_contain_text(
        "x.size()[0]"
    )
    expect(reader.page.get_by_role("region", name="Symbols: details")).to_contain_text("if x.shape[1] == 7:")


QUESTIONS = {  # by first screen: a tab is opened once for each
    "recompiles": [why_does_it_recompile, which_guard_failed_with_which_values],
    "graph_breaks": [which_line_breaks_the_graph_and_what_do_i_change],
    "transformer": [where_did_the_time_go],
    "provenance": [which_kernel_came_from_my_line, give_me_the_generated_code, give_me_something_to_run],
    "ranks_missing_collective": [is_rank_3_different],
    "caches": [did_the_cache_hit],
    "dynamic_shapes": [where_do_the_dynamic_sizes_come_from],
}


@pytest.mark.parametrize("question", [question for questions in QUESTIONS.values() for question in questions])
def test_the_answer_is_one_click_away(show, question):
    page, _ = show(next(name for name, questions in QUESTIONS.items() if question in questions))
    reader = Reader(page)
    question(reader)
    assert reader.clicks <= MOST


def test_what_changed_is_one_click_away(page, served, bundle_of, tmp_path):
    for day, (name, side) in enumerate({"yesterday": "base", "today": "new"}.items(), 1):
        shutil.copytree(bundle_of(FIXTURES / "pairs" / "new_break" / side), tmp_path / "runs" / name)
        os.utime(tmp_path / "runs" / name / "manifest.json", (day * 86_400,) * 2)
    page.goto(f"{served({'runs': tmp_path / 'runs'})}/viewers/home/")
    reader = Reader(page)
    what_changed_since_yesterday(reader)
    assert reader.clicks <= MOST


def test_a_failure_without_a_click_and_its_stack_with_one(show):
    page, _ = show("failures")
    reader = Reader(page)
    card = reader.card("has_wrong_shapes failed to compile")
    expect(card).to_contain_text("a and b must have same reduction dim")
    reader.click(card.get_by_role("heading").get_by_role("link"))
    detail = page.get_by_role("region", name="Failures: details")
    expect(detail).to_contain_text("Full traceback")
    expect(detail).to_contain_text("/home/user/project/program.py:28")
    torch = detail.get_by_text("frames of torch").first
    torch.click()
    expect(detail).to_contain_text("torch/_dynamo/convert_frame.py")
    message = detail.get_by_text("RuntimeError when making fake tensor call").filter(visible=True)
    assert message.count() <= 2, "once in the card, once as torch wrote it"
    assert reader.clicks <= MOST


def test_a_link_to_share_with_one(page_that, bundle_of, address_of):
    page = page_that(permissions=["clipboard-read", "clipboard-write"])
    page.goto(address_of(bundle_of("recompiles")) + "#v=1&view=recompiles")
    settle(page)
    page.get_by_role("button", name="Share", exact=True).click()  # 1
    expect(page.get_by_text("Link copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
