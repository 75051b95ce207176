"""The table of compiles."""

import json

from log_builder import record
from pages import becomes, expect_address, listed, settle
from playwright.sync_api import expect


def made(count):
    """Return ``count`` compiles with metrics: times fall, every third is a recompile, every fifth failed."""
    out = [record('str ["/home/user/a.py", 0]')]
    for n in range(count):
        out.append(
            record(
                f"dynamo_start {n}/0 " + json.dumps({"stack": [{"line": n, "name": f"f{n}", "filename": 0}]})
            )
        )
        metrics = {
            "co_name": f"f{n}", "co_filename": "/home/user/a.py", "co_firstlineno": n, "graph_op_count": n, "guard_count": 1,
            "dynamo_cumulative_compile_time_us": 1_000_000 - n, "restart_reasons": [],
            "fail_type": "Broken" if n % 5 == 0 else None, "fail_reason": "because" if n % 5 == 0 else None,
        }  # fmt: skip
        out.append(record(f"compilation_metrics {n}/0 " + json.dumps(metrics)))
    return b"".join(out)


def ids(page):
    return page.get_by_role("grid", name="Compiles").get_by_role("link").all_inner_texts()


def test_three_thousand_rows_sort_and_filter(show):
    page, bundle = show(made(3_000), "#v=1&view=compiles")
    grid = page.get_by_role("grid", name="Compiles")
    expect(grid).to_have_attribute("aria-rowcount", str(1 + len(listed(bundle.logs[0]))))
    assert grid.get_by_role("row").count() < 100
    grid.get_by_role("button", name="Ops").click()
    becomes(lambda: ids(page)[:3], ["[2999/0]", "[2998/0]", "[2997/0]"])
    expect_address(page, "sort=-ops")
    grid.get_by_role("button", name="Ops").click()
    becomes(lambda: ids(page)[:1], ["[0/0]"])
    expect(grid.get_by_role("columnheader", name="Ops")).to_have_attribute("aria-sort", "ascending")
    page.get_by_label("Status").select_option("failed")
    expect(page.get_by_text("600 of 3,001 rows")).to_be_visible()
    page.get_by_label("Filter compiles").fill("f299")
    expect(page.get_by_text("2 of 3,001 rows")).to_be_visible()
    page.go_back()
    expect(page.get_by_label("Status")).to_have_value("")


def test_rows_agree_with_the_bundle(show):
    page, bundle = show("failures", "#v=1&view=compiles")
    for compile in bundle.logs[0].compiles:
        row = page.get_by_role(
            "row", name=f"[{compile.key}] {compile.row['function'] or '(unknown function)'} "
        )
        expect(row).to_contain_text(compile.status)
        expect(row).to_contain_text(
            "–" if compile.row["guard_count"] is None else str(compile.row["guard_count"])
        )
        if compile.row["failure_type"]:
            expect(row).to_contain_text(compile.row["failure_type"])


def test_enter_opens_the_selected_row(show):
    page, _ = show("recompiles", "#v=1&view=compiles")
    page.get_by_role("row", name="[1/1] flagged").click()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("[1/0] flagged")


def in_order(text, *parts):
    """Assert that all parts are in the text, in this order."""
    places = [text.find(part) for part in parts]
    assert -1 not in places, f"missing: {[part for part, at in zip(parts, places, strict=True) if at < 0]}"
    assert places == sorted(places), text


def test_the_page_of_a_compile_reads_from_the_compile_to_its_artifacts(show):
    """Findings of the whole run are one link."""
    page, bundle = show("provenance", "#v=1&view=compile&compile=1/0")
    settle(page)
    summary = page.get_by_role("region", name="Summary")
    (whole,) = (row for row in bundle.logs[0].findings() if row["file"] is None)
    assert whole["compiles"] == ["0/0", "1/0"]
    in_order(
        summary.aria_snapshot(),
        "term: Called from",
        "term: Why compiled",
        "First compile of this function.",
        'compile time" [level=2]',
        "Dynamo",
        "term: Graph",
        "term: Guards in the metrics",
        "1 finding of the whole run also names this compile",
        'heading "Guards" [level=2]',
        'heading "Input tensors',
        'heading "Kernels and calls',
        'heading "Artifacts" [level=2]',
        'heading "Dynamo" [level=3]',
        "Graph that Dynamo captured, before any backend.",
        'heading "Inductor" [level=3]',
    )
    expect(summary.get_by_role("article")).to_have_count(0)
    summary.get_by_role("link", name="1 finding of the whole run").click()
    expect_address(page, f"item={whole['fingerprint']}")


def test_a_recompile_says_why_before_all_else(show):
    page, _ = show("recompiles", "#v=1&view=compile&compile=3/3")
    settle(page)
    in_order(
        page.get_by_role("region", name="Summary").aria_snapshot(),
        "Recompile:",
        "tensor 'x' size mismatch at index 0. expected 4, actual 5",
        "guard failures of 2 older cache entries",
        "compile time",
        "article",
    )
