"""The first screen answers: what ran, and what went wrong."""

import json
import shutil

from log_builder import log, record
from playwright.sync_api import expect


def heading(page):
    return page.get_by_role("heading", level=1)


def test_nothing_wrong_is_an_answer(show):
    page, bundle = show("basic_inference")
    compiles = [c for c in bundle.logs[0].compiles if c.id is not None]
    assert {c.status for c in compiles} == {"ok"}
    expect(heading(page)).to_contain_text(f"{len(compiles)} compile")
    expect(page.get_by_role("region", name="What went wrong")).to_contain_text("no failures, no graph breaks, no recompiles")
    expect(page).to_have_title("Overview · dedicated_log_torch_trace_fixture0.log · tlparse-bundle")


def test_failures_with_function_place_reason_and_link(show):
    page, bundle = show("failures")
    failed = [c for c in bundle.logs[0].compiles if c.row["failure"]]
    assert failed
    wrong = page.get_by_role("region", name="What went wrong")
    expect(wrong.get_by_role("heading", name=f"{len(failed)} failures")).to_be_visible()
    for compile in failed:
        row = compile.row
        item = wrong.get_by_role("listitem").filter(has=page.get_by_role("link", name=f"[{compile.key}] {row['function']} error"))
        expect(item).to_contain_text(row["failure"]["type"])
        expect(item).to_contain_text(f"program.py:{row['failure']['line'] or row['first_line']}")
    wrong.get_by_role("link", name=f"[{failed[0].key}] ").click()
    expect(heading(page)).to_have_text(f"[{failed[0].key}] {failed[0].row['function']}")
    expect(page.get_by_role("region", name="Summary")).to_contain_text(failed[0].row["failure"]["reason"][:60])


def test_graph_breaks_grouped_by_place(show):
    page, bundle = show("graph_breaks")
    reasons = [a.text() for c in bundle.logs[0].compiles for a in c.artifacts if a.name == "dynamo_graph_break_reason"]
    places = {text.split("\n")[0].rsplit("/", 1)[1] for text in reasons}
    assert len(reasons) > len(places) > 1
    wrong = page.get_by_role("region", name="What went wrong")
    expect(wrong.get_by_role("heading", name=f"{len(reasons)} graph breaks at {len(places)} places")).to_be_visible()
    for place in places:
        expect(wrong.get_by_role("listitem").filter(has_text=place)).to_have_count(1)


def test_recompiles_grouped_by_function(show):
    page, bundle = show("recompiles")
    again = [c for c in bundle.logs[0].compiles if c.row["recompile_reason"] is not None]
    assert len(again) > 3
    functions = {c.row["function"] for c in again}
    wrong = page.get_by_role("region", name="What went wrong")
    expect(wrong.get_by_role("heading", name=f"{len(again)} recompiles of {len(functions)} functions")).to_be_visible()
    for compile in again:
        link = wrong.get_by_role("link", name=f"[{compile.key}] {compile.row['function']} {compile.status}")
        expect(link.last).to_be_visible()
        expect(wrong).to_contain_text(compile.row["recompile_reason"].split("\n")[0].split(": ", 1)[1][:60])


def test_compile_time_is_the_sum_of_its_parts(show):
    page, bundle = show("train_step")
    rows = [c.row for c in bundle.logs[0].compiles if c.row["compile_time_us"]]
    assert len(rows) == 1 and rows[0]["backward_time_us"]
    expect(page.get_by_role("img", name="Dynamo")).to_have_accessible_name(
        "Dynamo {}, AOTAutograd {}, Inductor {}, backward, later {}".format(
            *(
                seconds(us)
                for us in (
                    rows[0]["compile_time_us"] - rows[0]["backend_time_us"],
                    rows[0]["backend_time_us"] - rows[0]["inductor_time_us"],
                    rows[0]["inductor_time_us"],
                    rows[0]["backward_time_us"],
                )
            )
        )
    )


def seconds(us):
    value, unit = (us / 1e3, "ms") if us < 1e6 else (us / 1e6, "s")
    places = 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{float(f'{value:.{places}f}'):,g} {unit}"


def test_picker_keeps_the_view(show):
    page, bundle = show("ranks4", "#v=1&view=compiles")
    assert [log.rank for log in bundle.logs] == [0, 1, 2, 3]
    expect(page.get_by_role("grid", name="Compiles")).to_be_visible()
    page.get_by_label("Log", exact=True).select_option(label=f"rank 2 · {bundle.logs[2].id}")
    expect(page.get_by_role("grid", name="Compiles").get_by_role("row")).to_have_count(1 + len(bundle.logs[2].compiles))
    assert f"log={bundle.logs[2].id}" in page.url and "view=compiles" in page.url
    page.get_by_role("link", name="Overview").click()
    table = page.get_by_role("region", name="Logs")
    expect(table.get_by_role("row")).to_have_count(5)
    expect(table.get_by_role("link", name="rank 2")).to_have_attribute("aria-current", "true")
    table.get_by_role("link", name="rank 3").click()
    expect(page.get_by_role("main")).to_contain_text(bundle.logs[3].source)


def test_bundle_without_logs(show, bundle_of, tmp_path):
    folder = tmp_path / "bundle"
    shutil.copytree(bundle_of("basic_inference"), folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"logs": []}))
    page, _ = show(folder)
    expect(heading(page)).to_have_text("This bundle holds no logs")
    expect(page.get_by_text("TORCH_TRACE=")).to_be_visible()


def test_empty_log_says_how_to_record(show):
    page, _ = show(b"the process printed this, and no record\n")
    expect(heading(page)).to_have_text("No compiles in this log")
    expect(page.get_by_text("TORCH_TRACE=")).to_be_visible()
    for view, title in [("Stack", "No stacks"), ("Compiles", "No compiles"), ("Events", "No records")]:
        page.get_by_role("link", name=view, exact=True).click()
        expect(heading(page)).to_have_text(title)


def test_damaged_log_is_told(show):
    data = log("""
        str ["a.py", 0]
        dynamo_start 0/0 {"stack": [{"line": 1, "name": "f", "filename": 0}]}
        > this is no record
        artifact:notes 0/0
            | payload
    """)
    data += record("artifact:bad 0/0", payload="other", md5="0" * 32)
    page, bundle = show(data)
    rows = bundle.logs[0].table("diagnostics")["diagnostics"]
    warnings = [row for row in rows if row["severity"] == "warning"]
    assert len(warnings) >= 2
    for row in warnings:
        expect(page.get_by_role("link", name=row["code"], exact=True)).to_be_visible()
    page.get_by_role("link", name="payload-md5", exact=True).click()
    grid = page.get_by_role("grid", name="Diagnostics")
    expect(grid.get_by_role("row")).to_have_count(2)
    expect(grid.get_by_role("row").nth(1)).to_contain_text("payload-md5")
    (bad,) = (row for row in rows if row["code"] == "payload-md5")
    grid.get_by_role("link", name=str(bad["event_index"])).click()
    expect(page.get_by_role("region", name="Record", exact=True)).to_contain_text(f"record {bad['event_index']}")


def test_equal_recompile_reasons_are_one_line(show):
    data = b"".join(
        record(f"compilation_metrics 0/{n} " + json.dumps({"co_name": "f", "recompile_reason": f"0/{n - 1}: tensor 'x' rank mismatch" if n else None}))
        for n in range(40)
    )
    page, _ = show(data)
    wrong = page.get_by_role("region", name="What went wrong")
    expect(wrong.get_by_text("39 recompiles of 1 function")).to_be_visible()
    expect(wrong.get_by_text("tensor 'x' rank mismatch")).to_have_count(1)
    expect(wrong).to_contain_text("and 27 more")
