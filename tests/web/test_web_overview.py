"""The first screen answers what ran, and what went wrong."""

import json
import re
import shutil

from conftest import FIXTURES
from log_builder import log, record
from pages import expect_address, listed
from playwright.sync_api import expect


def heading(page):
    return page.get_by_role("heading", level=1)


def findings(page):
    return page.get_by_role("region", name="Findings")


def card(page, title):
    """Return the finding with this title."""
    return findings(page).get_by_role("article", name=title.replace("`", ""), exact=True)


def test_nothing_wrong_is_an_answer(show):
    page, bundle = show("basic_inference")
    compiles = bundle.logs[0].compiles
    assert {c.status for c in compiles} == {"ok"}
    expect(heading(page)).to_contain_text(f"1 function, {len(compiles)} compile, ")
    expect(heading(page)).to_contain_text("No failures, graph breaks or recompiles")
    name = page.url.split("/bundles/")[1].split("/")[0]
    expect(page).to_have_title(f"Overview · {name} · tlparse-bundle")


def test_failures_with_function_place_line_reason_and_link(show):
    page, bundle = show("failures")
    (log,) = bundle.logs
    rows = log.table("failures")
    failed = [row for row in rows if row["kind"] == "compile"]
    others = [row for row in rows if row["kind"] not in ("compile", "exception")]
    assert len(failed) == 3 and len(others) == 2
    expect(heading(page)).to_contain_text(f" {len(failed) + len(others)} failures.")
    compiles = {compile.key: compile for compile in log.compiles}
    lines = {row["compile"]: row for row in rows if row["kind"] == "exception"}
    for row in failed:
        compile = compiles[row["compile"]]
        item = (
            findings(page)
            .get_by_role("listitem")
            .filter(has=page.get_by_role("link", name=f"[{compile.key}] {compile.row['function']} failed"))
        )
        expect(item).to_contain_text(
            row["type"].removeprefix("Torch")
        )  # not the error that wraps the program's
        expect(item).to_contain_text(f"program.py:{row['line']}" if row["line"] else "program.py")
        expect(item).to_contain_text(lines[row["compile"]]["source_line"] or compile.row["function"])
    findings(page).get_by_role("link", name=f"[{failed[0]['compile']}] ").click()
    expect(page.get_by_role("region", name="Summary")).to_contain_text(failed[0]["reason"].split("\n")[0])


def test_graph_breaks_by_place_with_the_hint_of_the_log(show):
    page, bundle = show("graph_breaks")
    rows = bundle.logs[0].table("graph_breaks")
    times = sum(row["count"] for row in rows)
    assert times > len(rows) > 1
    expect(heading(page)).to_contain_text(f" {times} graph breaks at {len(rows)} places.")
    for row in rows:
        item = findings(page).get_by_role("article").filter(has_text=f"program.py:{row['line']}")
        expect(item).to_have_count(1)
        expect(item).to_contain_text(row["source_line"])
        expect(item).to_contain_text(row["hints"][0].replace("`", "")[:60])
    (twice,) = (row for row in rows if row["count"] == 2)
    expect(findings(page)).to_contain_text(f"At program.py:{twice['line']}: {twice['source_line']}, twice")


def test_recompiles_by_root_cause(show):
    page, bundle = show("recompiles")
    (log,) = bundle.logs
    causes, codes = log.table("recompile_causes"), log.table("code_objects")
    assert len(log.table("recompiles")) == 7 and len(causes) == 4
    expect(heading(page)).to_contain_text("7 recompiles (4 causes), 1 function hit the recompile limit.")
    for cause in causes:
        function = codes[cause["code_object"]]["function"]
        item = (
            findings(page)
            .get_by_role("article")
            .filter(has=page.get_by_role("heading", name=f"{function} recompiled"))
        )
        for value in cause["values"]:
            expect(item).to_contain_text(str(value))
        for key in cause["compiles"]:
            expect(item.get_by_role("link", name=f"[{key}]")).to_be_visible()
    grows = findings(page).get_by_role("article").filter(has_text="grows")
    expect(grows).to_contain_text("x.size(0) changed from 4 to 5")
    expect(grows).to_contain_text("torch._dynamo.maybe_mark_dynamic(x, 0)")
    limited = findings(page).get_by_role("article").filter(has_text="hit the recompile limit")
    expect(limited).to_have_count(1)
    expect(limited).to_contain_text("limited")
    expect(limited.get_by_role("link", name="[3/4]")).to_be_visible()


def test_misses_of_a_cache_lead_to_their_rows(show, built):
    page, _ = show(
        built(FIXTURES / "pairs" / "line_changed" / "new").folder
    )  # with the cache of an earlier run
    findings(page).get_by_role("link", name="1 FX graph cache miss").click()
    rows = page.get_by_role("grid", name="Caches").get_by_role("row")
    expect(rows).to_have_count(1 + 1)


def test_counts_are_beside_the_names_of_the_views(show):
    page, _ = show("graph_breaks")
    views = page.get_by_role("navigation", name="Views")
    expect(views.get_by_role("link", name="Graph breaks", exact=True)).to_have_text("Graph breaks6")
    expect(views.get_by_role("link", name="Recompiles", exact=True)).to_have_text("Recompiles")


def test_compile_time_is_the_sum_of_its_parts(show):
    page, bundle = show("train_step")
    (row,) = (c.row for c in bundle.logs[0].compiles if c.row["total_us"])
    parts = [row[f"{phase}_us"] for phase in ("dynamo", "aot", "inductor", "backward")]
    assert all(parts) and sum(parts) == row["total_us"]
    shares = [f"{100 * us / sum(parts):.{1 if us * 10 < sum(parts) else 0}f} %" for us in parts]
    expect(page.get_by_role("img", name="Dynamo")).to_have_accessible_name(
        "of {} in the metrics: Dynamo {}, AOTAutograd {}, Inductor {}, Lazy backward {}".format(
            seconds(sum(parts)), *shares
        )
    )


def test_a_backend_other_than_inductor_is_not_called_aotautograd(show, built):
    page, _ = show(built(FIXTURES / "versions/2.13.0/hints.log.zst").folder)  # backend "eager"
    expect(page.get_by_role("img", name="Dynamo")).to_have_accessible_name(re.compile(r"Dynamo .*, Backend "))


def seconds(us):
    value, unit = (us / 1e3, "ms") if us < 1e6 else (us / 1e6, "s")
    places = 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{float(f'{value:.{places}f}'):,g} {unit}"


def test_picker_keeps_the_view(show):
    page, bundle = show("ranks4", "#v=1&view=compiles")
    assert [log.rank for log in bundle.logs] == [0, 1, 2, 3]
    expect(page.get_by_role("grid", name="Compiles")).to_be_visible()
    page.get_by_label("Log", exact=True).select_option(label=f"rank 2 · {bundle.logs[2].id}")
    expect(page.get_by_role("grid", name="Compiles").get_by_role("row")).to_have_count(
        1 + len(listed(bundle.logs[2]))
    )
    expect_address(page, f"log={bundle.logs[2].id}", "view=compiles")
    page.get_by_role("link", name="Overview").click()
    table = page.get_by_role("region", name="Logs")
    expect(table.get_by_role("row")).to_have_count(6)  # with the head and the totals
    expect(table.get_by_role("link", name="rank 2")).to_have_attribute("aria-current", "true")
    table.get_by_role("link", name="rank 3").click()
    expect(page.get_by_role("main")).to_contain_text(bundle.logs[3].source)


def test_logs_without_ranks_have_process_start_and_totals(show):
    page, bundle = show("caches")
    expect(page.get_by_label("Log", exact=True)).to_contain_text("process 6995 · 07:20:18")
    rows = page.get_by_role("region", name="Logs").get_by_role("row")
    expect(rows).to_have_count(4)
    expect(rows.nth(2)).to_contain_text("process 7110")
    expect(rows.nth(2)).to_contain_text("2026-11-21 07:20:33")
    expect(rows.nth(2)).to_contain_text("100 %, 3 of 3")
    expect(rows.nth(3)).to_contain_text("50 %, 3 of 6")
    expect(rows.nth(3)).to_contain_text(f"{bundle.manifest['totals']['event_count']}")
    page, _ = show("export_dtrace")  # two logs of one process
    expect(page.get_by_label("Log", exact=True)).to_contain_text("process 7140 · fixture0")


def test_bundle_without_logs(show, bundle_of, tmp_path):
    folder = tmp_path / "bundle"
    shutil.copytree(bundle_of("basic_inference"), folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"logs": []}))
    page, _ = show(folder)
    expect(heading(page)).to_have_text("No logs in this bundle")
    expect(page.get_by_text("tlparse-bundle run -- python train.py")).to_be_visible()


def test_empty_log_explains_how_to_record(show):
    page, _ = show(b"the process printed this, and no record\n")
    expect(heading(page)).to_contain_text("No compiles in this log.")
    expect(page.get_by_text("tlparse-bundle run -- python train.py")).to_be_visible()
    for view, title in [("Stack", "No stacks"), ("Compiles", "No compiles"), ("Records", "No records")]:
        page.get_by_role("link", name=view, exact=True).click()
        expect(heading(page)).to_have_text(title)


def test_damaged_log_is_reported(show):
    data = log("""
        str ["a.py", 0]
        dynamo_start 0/0 {"stack": [{"line": 1, "name": "f", "filename": 0}]}
        > this is not a record
        artifact:notes 0/0
            | payload
    """)
    data += record("artifact:bad 0/0", payload="other", md5="0" * 32)
    page, bundle = show(data)
    rows = bundle.logs[0].table("diagnostics")
    warnings = [row for row in rows if row["severity"] == "warning"]
    assert len(warnings) >= 2
    views = page.get_by_role("navigation", name="Views")
    expect(views.get_by_role("link", name="Diagnostics")).to_have_text(f"Diagnostics{len(warnings)}")
    views.get_by_role("link", name="Diagnostics").click()
    for row in warnings:
        expect(page.get_by_role("link", name=row["code"], exact=True)).to_be_visible()
    page.get_by_role("link", name="payload-md5", exact=True).click()
    grid = page.get_by_role("grid", name="Diagnostics")
    expect(grid.get_by_role("row")).to_have_count(2)
    expect(grid.get_by_role("row").nth(1)).to_contain_text("payload-md5")
    (bad,) = (row for row in rows if row["code"] == "payload-md5")
    grid.get_by_role("link", name=str(bad["event"])).click()
    expect(page.get_by_role("region", name="Record", exact=True)).to_contain_text(f"record {bad['event']}")


def test_equal_recompile_reasons_are_one_line(show):
    data = b"".join(
        record(
            f"compilation_metrics 0/{n} "
            + json.dumps(
                {"co_name": "f", "recompile_reason": f"0/{n - 1}: tensor 'x' rank mismatch" if n else None}
            )
        )
        for n in range(40)
    )
    page, _ = show(data)
    again = findings(page).get_by_role("article").filter(has_text="f recompiled")
    expect(again).to_have_count(1)
    expect(again).to_contain_text("f recompiled 39 times")
    expect(again).to_contain_text("x.dim()")
    expect(again).to_contain_text("and 27 more")


def test_numbers_that_this_torch_does_not_record_are_not_zero(show):
    page, bundle = show(FIXTURES / "versions" / "2.4.1" / "recompiles.log.zst")
    assert bundle.logs[0].row["summary"]["recompile_count"] is None
    tiles = page.get_by_role("list", name="At a glance").get_by_role("link")
    for noun in ("recompiles", "graph breaks"):
        expect(tiles.filter(has_text=noun)).to_contain_text(f"– {noun}")
        expect(tiles.filter(has_text=noun)).to_have_class("tile")  # no color
        expect(tiles.filter(has_text=noun)).to_contain_text("not recorded")
