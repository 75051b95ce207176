"""The example view of CONTRIBUTING.md opens and shows the rows of its table."""

import sys

import traces
from playwright.sync_api import expect
from tlparse_bundle import Bundle
from worked_examples import run, worked_copy


def test_the_view_of_the_example_shows_its_table(once, page, tmp_path):
    copy = worked_copy(once)
    out, report = tmp_path / "out", tmp_path / "report.html"
    trace = traces.ROOT / "fixtures" / "basic_inference" / "trace"
    run(copy, sys.executable, "-m", "tlparse_bundle", trace, out, "-q", "--no-open")
    run(copy, sys.executable, "-m", "tlparse_bundle", "export", out, report)
    page.goto(report.as_uri())
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Buffers").click()
    expect(page.get_by_role("heading", name="Buffers", level=1)).to_be_visible()
    (row,) = Bundle.open(out).logs[0].table("buffers")
    shown = f"{row['buffer_count']} buffers in record {row['event']}"
    expect(page.get_by_role("main").get_by_role("listitem")).to_have_text(shown)
