"""Pages that follow: new records appear in place, and no action of the reader is lost."""

import json
import os
import re
import shutil
import subprocess
import time

import pytest
import traces
from followed import RECOMPILES, cuts, mark, rows, whole_records
from pages import listed, settle
from playwright.sync_api import expect
from tlparse_bundle import Bundle, build, discover
from torch_python import NO_TORCH, TORCH, has_torch
from waiting import HANG_S, until

IN_A_COMPILE = 0.45  # of the log; three spans are open there


def test_new_records_appear_in_place_and_the_end_is_reported(follow, open_viewer, tmp_path):
    data = RECOMPILES.read_bytes()
    begin, more, rest = cuts(data, 0.2, 0.775, 1)
    follow.write(x=begin)
    page = open_viewer(
        follow.out, "#v=1&view=compiles", errors=True
    )  # at the end the files of states are removed: a reader gets 404, and reads the manifest
    expect(mark(page)).to_contain_text("live")
    known = listed(Bundle.open(follow.out).logs[0])
    expect(rows(page)).to_have_count(1 + len(known))
    rows(page).nth(2).click()
    page.get_by_role("searchbox", name="Filter compiles").fill("program")

    follow.write(x=more)
    fresh = tmp_path / "fresh"
    (tmp_path / "dedicated_log_torch_trace_x.log").write_bytes(begin + more)
    build(discover([tmp_path / "dedicated_log_torch_trace_x.log"]), fresh, jobs=1)
    wanted = [
        compile for compile in Bundle.open(fresh).logs[0].compiles if "program" in (compile.row["file"] or "")
    ]
    assert len(wanted) > len(known)
    expect(rows(page)).to_have_count(1 + len(wanted))
    expect(rows(page).and_(page.locator("[aria-selected=true]"))).to_have_attribute("aria-rowindex", "3")
    expect(page.get_by_role("searchbox", name="Filter compiles")).to_have_value("program")
    expect(page.get_by_role("searchbox", name="Filter compiles")).to_be_focused()
    expect(rows(page).filter(has_text="running")).to_have_count(1)

    follow.write(x=rest)
    follow.end()
    expect(mark(page)).to_contain_text("finished")
    expect(mark(page).get_by_role("button")).to_be_hidden()
    (log,) = Bundle.open(follow.out).logs
    whole = [
        row for name in ("compiles", "limits") for row in log.table(name) if "program" in (row["file"] or "")
    ]
    expect(rows(page)).to_have_count(1 + len(whole))
    expect(rows(page).filter(has_text="running")).to_have_count(0)


def test_the_page_shows_what_a_fresh_build_of_the_same_bytes_shows(follow, open_viewer, tmp_path):
    """Findings, compiles and the timeline, wherever the log is cut, except faults that only its end reveals."""
    data, seen = RECOMPILES.read_bytes(), 0
    path = tmp_path / "prefix" / "dedicated_log_torch_trace_x.log"
    path.parent.mkdir()
    page, other = None, None
    for number, share in enumerate((0.2001, 0.45003, 0.7007, 0.93)):
        end = int(len(data) * share)
        follow.write(x=data[seen:end])
        seen = end
        path.write_bytes(whole_records(data, share))  # the record that is cut waits for its rest
        fresh = tmp_path / f"fresh{number}"
        build(discover([path]), fresh, jobs=1)
        log = Bundle.open(fresh).logs[0]
        page = page or open_viewer(follow.out)
        titles = [
            row["title"].replace("`", "")
            for row in log.findings()
            if row["kind"] not in ("unfinished-compile", "data-problem")
        ]
        page.evaluate("location.hash = '#v=1&view=overview'")
        expect(page.get_by_text(f"{log.row['event_count']:,} records")).to_have_count(1)
        more = page.get_by_role("button", name=re.compile("^Show all|more findings"))
        if more.count():
            more.first.click()
        expect(page.locator(".findings article h2, .findings article h3")).to_contain_text(titles)
        page.evaluate("location.hash = '#v=1&view=compiles'")
        expect(rows(page)).to_have_count(1 + len(listed(log)))
        for one in log.compiles[-2:]:
            expect(rows(page).filter(has_text=f"[{one.key}]")).to_contain_text(one.row["function"] or "")
        page.evaluate("location.hash = '#v=1&view=timeline'")
        most = max(log.table("span_totals"), key=lambda row: row["count"])
        expect(page.get_by_role("main")).to_contain_text(most["name"])
        other = other or open_viewer(fresh)
        expect(other.get_by_role("heading", level=1).first).to_be_visible()


def test_a_real_run_is_followed_in_a_browser(follow, open_viewer, tmp_path):
    """The first compile is on the page before the second starts."""
    if not has_torch():
        pytest.skip(NO_TORCH)
    program = tmp_path / "train.py"
    program.write_text("""
import torch
@torch.compile
def first(x):
    return x.sin() + 1
@torch.compile
def second(x):
    return torch.nn.functional.softmax(x @ x, dim=-1)
first(torch.ones(64, 64))
input()
second(torch.ones(64, 64))
""")
    environment = {
        **os.environ,
        "TORCH_TRACE": str(follow.logs),
        "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache"),
    }
    with subprocess.Popen(
        [TORCH, str(program)], stdin=subprocess.PIPE, env=environment, text=True
    ) as process:
        until(lambda: (follow.out / "manifest.json").exists())
        page = open_viewer(follow.out, "#v=1&view=compiles")
        expect(rows(page).filter(has_text="first")).to_have_count(1)
        expect(page.get_by_role("main")).not_to_contain_text("running")
        expect(rows(page).filter(has_text="second")).to_have_count(0)
        process.stdin.write("go on\n")
        process.stdin.flush()
        expect(rows(page).filter(has_text="second")).to_have_count(1)
        process.stdin.close()
        assert process.wait(HANG_S) == 0
    follow.end()
    expect(mark(page)).to_contain_text("finished")


def test_a_comparison_of_a_growing_run_is_marked_and_rebuilt_at_a_click(follow, new_page, served, bundle_of):
    begin, rest = cuts(RECOMPILES.read_bytes(), 0.45, 1)
    follow.write(x=begin)
    page = new_page()
    page.goto(
        f"{served({'base': bundle_of('recompiles'), 'now': follow.out})}/viewers/compare/?base=/bundles/base/&new=/bundles/now/"
    )
    expect(page.get_by_role("list", name="Notes")).to_contain_text("The new run is still being recorded.")
    expect(mark(page)).to_have_text("the new run is live")
    expect(page.get_by_role("heading", level=1)).not_to_contain_text(
        "did not end"
    )  # an open compile is not a fault
    follow.write(x=rest)
    expect(mark(page)).to_contain_text("the new run has new records")
    page.keyboard.press("2")
    mark(page).get_by_role("button", name="Compare again").click()
    (log,) = Bundle.open(follow.out).logs
    compared = len(log.compiles) + len(log.table("limits"))
    expect(mark(page)).to_have_text("the new run is live")
    expect(page.get_by_role("grid", name="Compiles of both runs").get_by_role("row")).to_have_count(
        1 + compared
    )
    follow.end()
    expect(mark(page)).to_contain_text("the new run has ended")
    mark(page).get_by_role("button", name="Compare again").click()
    expect(page.get_by_role("grid", name="Compiles of both runs")).to_be_visible()
    expect(mark(page)).to_have_count(0)


def test_an_open_compile_is_first_with_spans_and_clock_and_is_not_a_fault(follow, open_viewer):
    data = RECOMPILES.read_bytes()
    follow.write(x=whole_records(data, IN_A_COMPILE))
    (live,) = json.loads((follow.out / "manifest.json").read_bytes())["live"]["logs"]
    (compile,) = live["running"]
    assert any(
        row["kind"] == "unfinished-compile" for row in Bundle.open(follow.out).logs[0].table("findings")
    )
    page = open_viewer(follow.out)
    running = page.get_by_role("region", name="Running now")
    expect(page.locator(".overview > *").first).to_have_attribute("aria-label", "Running now")
    expect(running.get_by_role("link", name=f"[{compile['compile']}] {compile['function']}")).to_be_visible()
    expect(running).to_contain_text(" › ".join(span["name"] for span in compile["spans"]))
    clock = running.get_by_role("timer").first
    expect(clock).to_have_text(re.compile(r"^\d+ s$"))  # as if it ran now: the log is an old one
    expect(page.locator(".finding[data-kind=unfinished-compile]")).to_have_count(0)
    expect(page.get_by_text("unfinished")).to_have_count(0)
    page.get_by_role("navigation").get_by_role("link", name="Failures").click()
    expect(page.get_by_role("heading", name="No failures")).to_be_visible()


def test_between_compiles_the_last_record_and_silence_are_shown(follow, open_viewer):
    follow.write(x=RECOMPILES.read_bytes())
    page = open_viewer(follow.out)
    running = page.get_by_role("region", name="Running now")
    expect(running).to_contain_text(re.compile(r"No compile open; last record: \w+ of \[.*\], \d+ s ago\."))


def test_clocks_run_unless_the_page_is_paused(follow, open_viewer):
    follow.write(x=RECOMPILES.read_bytes())
    page = open_viewer(follow.out)
    clock = page.get_by_role("region", name="Running now").get_by_role("timer")
    before = clock.inner_text()
    expect(clock).not_to_have_text(before)


def test_a_list_of_bundles_marks_growing_ones(follow, open_viewer):
    begin, more = cuts(RECOMPILES.read_bytes(), 0.3, 0.9)
    follow.write(x=begin)
    page = open_viewer(follow.out, viewer="home")
    row = page.get_by_role("row").filter(has_text="live")
    expect(row).to_contain_text(f"{len(Bundle.open(follow.out).logs[0].compiles)} compiles so far")
    follow.write(x=more)
    expect(row).to_contain_text(f"{len(Bundle.open(follow.out).logs[0].compiles)} compiles so far")


def test_silence_in_a_compile_is_reported_after_half_a_minute(follow, open_viewer):
    follow.write(x=whole_records(RECOMPILES.read_bytes(), IN_A_COMPILE))
    manifest = json.loads((follow.out / "manifest.json").read_bytes())
    follow.kill()
    (live,) = manifest["live"]["logs"]
    kind = live["last_record"]["kind"]
    page = open_viewer(follow.out)
    expect(page.get_by_role("region", name="Running now")).to_be_visible()
    expect(page.get_by_text("No record for")).to_be_hidden()
    live["read_epoch_us"] -= 31_000_000
    manifest["live"]["counter"] += 1
    (follow.out / "manifest.json").write_text(json.dumps(manifest))
    expect(page.get_by_text(re.compile(rf"No record for \d+ s; the last was {kind}"))).to_be_visible()


def test_the_page_can_be_paused_and_resumed(follow, open_viewer):
    begin, more = cuts(RECOMPILES.read_bytes(), 0.3, 0.8)
    follow.write(x=begin)
    page = open_viewer(follow.out, "#v=1&view=compiles")
    known = len(listed(Bundle.open(follow.out).logs[0]))
    expect(rows(page)).to_have_count(1 + known)
    page.get_by_role("button", name="Pause").click()
    expect(mark(page)).to_contain_text("paused · state of")
    follow.write(x=more)
    page.get_by_role("link", name="Stack").click()  # a different view has the same state
    page.go_back()
    expect(rows(page)).to_have_count(1 + known)
    page.get_by_role("button", name="Resume").click()
    expect(rows(page)).to_have_count(1 + len(listed(Bundle.open(follow.out).logs[0])))
    expect(mark(page)).to_contain_text("live")


def test_scrolling_open_details_and_a_selection_stay_on_the_overview(follow, open_viewer):
    begin, more, rest = cuts(RECOMPILES.read_bytes(), 0.8, 0.9, 1)
    follow.write(x=begin)
    page = open_viewer(follow.out, viewport={"width": 1000, "height": 500})
    main = page.locator("main")
    details = page.locator(".findings details").first
    details.locator("summary").click()
    main.evaluate("(element) => element.scrollTo(0, 400)")
    follow.write(x=more)
    records = Bundle.open(follow.out).manifest["logs"][0]["event_count"]
    expect(page.get_by_text(f"{records:,} records")).to_have_count(1)
    expect(details).to_have_attribute("open", "")
    assert main.evaluate("(element) => element.scrollTop") == 400
    # A selection is not removed; updates come when nothing is selected any more.
    page.evaluate("getSelection().selectAllChildren(document.querySelector('main h1'))")
    follow.write(x=rest)
    expect(mark(page)).to_have_attribute("data-how", "waits")
    expect(page.get_by_text(f"{records:,} records")).to_have_count(1)
    page.evaluate("getSelection().removeAllRanges()")
    expect(page.get_by_text(f"{records:,} records")).to_have_count(0)


def test_an_artifact_that_is_read_stays_while_the_log_grows(follow, open_viewer):
    begin, more = cuts(RECOMPILES.read_bytes(), 0.5, 0.9)
    follow.write(x=begin)
    page = open_viewer(follow.out, "#v=1&view=compile&compile=0/0&artifact=dynamo_output_graph")
    code = page.locator(".code").first
    expect(code).to_be_visible()
    page.evaluate("window.kept = document.querySelector('.code')")
    of = page.get_by_text(re.compile(r"^\d+ of \d+$"))
    before = of.inner_text()
    follow.write(x=more)
    expect(of).not_to_have_text(before)
    assert page.evaluate("kept.isConnected")


def test_ranks_that_appear_later_are_shown(follow, open_viewer):
    data = RECOMPILES.read_bytes()
    half = whole_records(data, IN_A_COMPILE)
    follow.write(rank_0_a=half)
    page = open_viewer(follow.out, viewer="multirank")
    expect(page.get_by_role("heading", name="Nothing to compare yet")).to_be_visible()
    follow.write(rank_1_a=half)
    expect(page.get_by_role("grid")).to_contain_text("ranks 0 and 1")
    running = page.get_by_role("region", name="Running now")
    expect(running).to_contain_text("ranks 0 and 1 · 2")
    follow.write(rank_2_a=whole_records(data, 0.3))
    expect(page.get_by_role("grid")).to_contain_text("rank 2")
    expect(running).to_contain_text("rank 2")


def test_provenance_of_graphs_that_come_is_listed(follow, open_viewer):
    data = next((traces.ROOT / "fixtures" / "provenance_training" / "trace").glob("*.log")).read_bytes()
    follow.write(x=data[: len(data) // 20])
    page = open_viewer(follow.out, viewer="provenance")
    expect(page.get_by_role("heading", name="No provenance recorded")).to_be_visible()
    follow.write(x=data[len(data) // 20 :])
    expect(page.get_by_role("combobox", name="Graph")).to_be_visible()


def test_a_lost_server_is_reported(follow, new_page, tmp_path):
    from conftest import run_app
    from tlparse_bundle.serve.http.app import create_app

    follow.write(x=RECOMPILES.read_bytes()[:100_000])
    page = new_page(errors=True)
    with run_app(create_app({"run": follow.out})) as address:
        page.goto(f"{address}/viewers/default/?bundle=/bundles/run/")
        expect(mark(page)).to_contain_text("live")
    expect(mark(page)).to_contain_text("no answer")
    expect(page.get_by_role("heading", level=1).first).to_be_visible()


def test_a_plain_server_is_polled(follow, new_page, servers):
    from conftest import _static

    begin, more = cuts(RECOMPILES.read_bytes(), 0.3, 0.8)
    follow.write(x=begin)
    page = new_page()
    page.goto(servers.enter_context(_static(follow.out)) + "#v=1&view=compiles")
    expect(mark(page)).to_contain_text("live")
    follow.write(x=more)
    expect(rows(page)).to_have_count(1 + len(listed(Bundle.open(follow.out).logs[0])))


def test_two_states_in_one_second_are_two_for_a_plain_server_too(follow, new_page, servers):
    """Such a server identifies a state by the second in which it was written."""
    from conftest import _static

    begin, more = cuts(RECOMPILES.read_bytes(), 0.3, 0.8)
    manifest, second = follow.out / "manifest.json", time.time() + 3600
    follow.write(x=begin)
    os.utime(manifest, (second, second))
    page = new_page()
    page.goto(servers.enter_context(_static(follow.out)) + "#v=1&view=compiles")
    expect(mark(page)).to_contain_text("live")
    settle(page)
    follow.write(x=more)
    os.utime(manifest, (second, second))
    expect(rows(page)).to_have_count(1 + len(listed(Bundle.open(follow.out).logs[0])))


def test_a_copy_of_a_growing_bundle_shows_its_time(follow, tmp_path, new_page, bundle_of):
    from tlparse_bundle.serve.publish.export import export, viewers_of

    follow.write(x=RECOMPILES.read_bytes()[:100_000])
    copy = tmp_path / "copy"
    shutil.copytree(follow.out, copy)
    bundle = Bundle.open(copy)
    (tmp_path / "report.html").write_bytes(b"".join(export(bundle, viewers_of(bundle))))
    page = new_page()
    page.goto((tmp_path / "report.html").as_uri())
    expect(mark(page)).to_contain_text("not finished")
