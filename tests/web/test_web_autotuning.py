"""The views of autotuning, CUDA graphs and compile workers."""

import re

from pages import expect_address
from playwright.sync_api import expect

GEMMS = "versions/2.13.0/autotune_gemms.log.zst"
RECORDS = "cuda/cuda_graphs.log.zst"


def rail(page, name):
    return page.get_by_role("navigation", name="Views").get_by_role("link", name=name, exact=True)


def test_the_candidates_of_an_operator_are_bars_with_the_winner_marked(show):
    page, bundle = show(GEMMS, "#v=1&view=autotuning")
    tunings = bundle.logs[0].table("autotunings")
    expect(page.get_by_text(f"{len(tunings)} autotunings")).to_be_visible()
    detail = page.get_by_role("region", name="Autotuning: details")
    expect(detail.get_by_role("heading", level=2).first).to_contain_text(tunings[0]["operator"])
    winner = detail.locator("li.winner")
    expect(winner).to_contain_text(tunings[0]["best"])
    expect(winner).to_contain_text("winner")
    expect(winner.locator(".choice-bar span")).to_be_visible()
    page.get_by_role("row", name=re.compile(tunings[0]["operator"])).first.click()
    expect_address(page, f"item={tunings[0]['id']}")
    page.keyboard.press("ArrowDown")
    expect_address(page, f"item={tunings[1]['id']}")
    expect(detail.locator("li.winner")).to_contain_text(tunings[1]["best"])


def test_it_is_found_from_the_kernels_and_from_the_compile(show):
    page, bundle = show(GEMMS, "#v=1&view=kernels")
    page.get_by_role("main").get_by_role("link", name="Autotuning", exact=True).click()
    expect_address(page, "view=autotuning")
    tuning = bundle.logs[0].table("autotunings")[0]
    page, _ = show(GEMMS, f"#v=1&view=compile&compile={tuning['compile']}")
    summary = page.get_by_role("region", name="Summary")
    expect(summary.get_by_role("link", name="Autotuning 2", exact=True)).to_be_visible()
    summary.get_by_role("link", name=tuning["operator"], exact=True).first.click()
    expect_address(page, "view=autotuning")


def test_views_without_rows_are_not_listed(show):
    page, _ = show("basic_inference", "#v=1&view=kernels")
    expect(rail(page, "Kernels")).to_be_visible()
    for name in ("Autotuning", "CUDA graphs", "Workers"):
        expect(rail(page, name)).to_have_count(0)


def test_cuda_graphs_by_state(show):
    page, _ = show(RECORDS, "#v=1&view=overview")
    rail(page, "CUDA graphs").click()
    expect(page.get_by_text("13 graphs")).to_be_visible()
    page.get_by_label("State").select_option("recorded several times")
    expect(page.get_by_text("4 of 13 graphs")).to_be_visible()
    detail = page.get_by_role("region", name="CUDA graphs: details")
    expect(detail).to_contain_text("was recorded 6 times")
    page.get_by_label("State").select_option("not recorded")
    expect(page.get_by_text("3 of 13 graphs")).to_be_visible()
    page.get_by_role("row", name=re.compile("changes")).click()
    expect(detail).to_contain_text("it changes its input x")


def test_a_skipped_graph_shows_reason_and_line(show):
    page, _ = show("versions/2.13.0/cudagraphs.log.zst", "#v=1&view=cudagraphs")
    detail = page.get_by_role("region", name="CUDA graphs: details")
    expect(detail.locator("figure.source-line")).to_contain_text("return x.sin()")
    expect(detail.locator("pre.reason")).to_contain_text("cpu device")


def test_reports_of_a_worker_and_native_operators(show):
    page, bundle = show("versions/2.15.0/slow_worker.log.zst", "#v=1&view=overview")
    rail(page, "Workers").click()
    reports = bundle.logs[0].table("worker_reports")
    detail = page.get_by_role("region", name="Compile workers: details")
    expect(detail.get_by_role("heading", name=f"{len(reports)} reports")).to_be_visible()
    expect(detail).to_contain_text("took at least")
    page, _ = show("versions/2.15.0/native_ops.log.zst", "#v=1&view=workers")
    expect(page.get_by_role("grid", name="Compile workers")).to_contain_text("aten::topk")
    expect(page.get_by_role("region", name="Compile workers: details")).to_contain_text("CuTeDSL")
