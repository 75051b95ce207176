"""The page of runs over time: jumps in words with links to comparisons, lines with keyboard access, all as a
table.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys

import pytest
from axe import violations
from conftest import FIXTURES
from made_runs import DAY_US, FIRST_US, made_runs
from pages import expect_address, settle
from plain_server import plain_server
from playwright.sync_api import expect
from tlparse_bundle.serve.publish.site import write_site
from waiting import HANG_S

NAME = "<img src=x>&amp;"  # a label is text, whatever it contains


def rows(seed, count, jump_at, ratio):
    draw = random.Random(seed)
    for number in range(count):
        took = int(40e6 * (1 + draw.gauss(0, 0.02)) * (ratio if number >= jump_at else 1))
        yield {
            "compile_us": took,
            "phase_times_us": None,
            "graph_break_count": None if number == 3 else 6 + (number >= jump_at),
            "recompile_count": 3,
            "torch_version": "2.13.0" if number < jump_at else "2.14.0",
        }


@pytest.fixture(scope="module")
def nightly(bundle_of, tmp_path_factory):
    """Two series of runs, one of them slower from its 20th on, and something that is not a bundle."""
    folder = tmp_path_factory.mktemp("trend") / "nightly"
    manifest = json.loads((bundle_of("train_step") / "manifest.json").read_text())
    made_runs(folder, manifest, rows(1, 40, 20, 1.5), label="bert", name="bert-{:02d}")
    made_runs(
        folder,
        manifest,
        [*rows(2, 29, 99, 1), {"compile_us": 90_000_000, "phase_times_us": None}],
        label=NAME,
        name="other-{:02d}",
    )
    (folder / "broken").mkdir()
    (folder / "broken" / "manifest.json").write_text("[]")
    return folder


def test_jumps_with_their_places_and_links(page, served, nightly):
    base = served({"nightly": nightly})
    page.goto(f"{base}/viewers/home/")
    page.get_by_role("link", name="Over time").click()
    expect(page.get_by_role("heading", name="40 runs of bert")).to_be_visible()
    jump = page.locator(".jumps > li")
    expect(jump).to_have_count(1)
    expect(jump.get_by_role("heading")).to_contain_text(
        re.compile(
            r"worse: Compile time rose from 4\d(\.\d)? s to (1 min|59(\.\d)? s|5\d|6\d).* between bert-19 and bert-20"
        )
    )
    expect(jump).to_contain_text("graph breaks 6 → 7")
    expect(jump).to_contain_text(
        "at 2026-03-21 02:00 UTC, nightly/bert-20, commit 0000014, torch 2.13.0 → 2.14.0"
    )
    expect(jump.get_by_role("link", name="nightly/bert-20")).to_have_attribute(
        "href", re.compile(r"/viewers/default/\?bundle=%2Fbundles%2Fnightly%2Fbert-20%2F$")
    )
    expect(page.get_by_text("Unchanged in all runs that record it: compiles 1, recompiles 3")).to_be_visible()
    expect(page.locator(".chart")).to_have_count(2)
    expect(page.locator(".chart[data-metric=graph_break_count] .mark.worse")).to_have_count(1)
    assert (
        page.locator(".chart[data-metric=graph_break_count] .line").get_attribute("d").count("M") == 2
    )  # a gap where it is unknown

    line = page.get_by_role("slider", name="graph breaks, run by run")
    line.focus()
    expect(line).to_have_attribute(
        "aria-valuetext", "7, 2026-04-09 02:00 UTC, nightly/bert-39, commit 0000027"
    )
    page.keyboard.press("Home")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(line).to_have_attribute("aria-valuetext", re.compile("^unknown, 2026-03-04"))
    expect(page.locator(".chart[data-metric=compile_us] .point-details")).to_contain_text(
        "nightly/bert-03"
    )  # all lines point at one run
    page.locator(".chart[data-metric=compile_us] .plot").hover(position={"x": 0, "y": 5})
    expect(line).to_have_attribute("aria-valuenow", "1")
    chart = page.locator(".chart[data-metric=graph_break_count]")
    expect(chart.locator(".ticks")).to_have_text("70")  # 7 at the top, 0 at the bottom
    expect(page.locator(".chart[data-metric=compile_us] .ticks")).to_contain_text(re.compile(r"1 min|\d s"))
    line.focus()
    page.keyboard.press("End")
    line.click(position={"x": line.bounding_box()["width"] - 1, "y": 5})
    line.hover(position={"x": 1, "y": 5})  # what was clicked stays, so that its links can be reached
    expect(line).to_have_attribute("aria-valuenow", "40")
    for name, address in (
        ("Open this run", r"nightly%2Fbert-39%2F$"),
        ("Compare with nightly/bert-38", r"base=.*bert-38%2F&new=.*bert-39%2F$"),
    ):
        expect(chart.get_by_role("link", name=name)).to_have_attribute("href", re.compile(address))

    page.get_by_text("40 runs as a table").click()
    table = page.get_by_role("region", name="Runs")
    expect(table.get_by_role("rowheader")).to_have_count(40)
    expect(table.get_by_role("row").nth(37).get_by_role("cell").nth(5)).not_to_have_text("–")
    expect(table.get_by_role("row").filter(has_text="nightly/bert-03")).to_contain_text("unknown")
    page.get_by_text("1 bundle skipped").click()
    expect(page.get_by_text("nightly/broken/manifest.json is not the manifest of a bundle")).to_be_visible()

    page.get_by_label("Series").select_option(NAME)
    expect(page.get_by_role("heading", name=f"30 runs of {NAME}")).to_be_visible()
    expect(page.get_by_role("heading", name="No jumps")).to_be_visible()
    expect(page.locator(".jumps > li")).to_contain_text(
        "in the last run only, possibly an outlier: 2026-03-30"
    )
    expect_address(page, "#v=1&series=%3Cimg%20src%3Dx%3E%26amp%3B")
    page.go_back()
    expect(page.get_by_role("heading", name="40 runs of bert")).to_be_visible()


def test_a_jump_leads_to_the_comparison_where_there_is_a_page_for_it(page, served, nightly, tmp_path):
    (tmp_path / "compare").mkdir()
    (tmp_path / "compare" / "index.html").write_text(
        '<!doctype html><html lang="en"><title>compare</title><link rel="icon"'
        ' href="data:,"><h1>compare</h1></html>'
    )
    base = served({"nightly": nightly}, {"compare": tmp_path / "compare"})
    page.goto(f"{base}/viewers/trend/#v=1&series=bert")
    page.get_by_role("link", name="Compare with the previous run, nightly/bert-19").click()
    expect(page.get_by_role("heading", name="compare")).to_be_visible()
    assert (
        page.url
        == f"{base}/viewers/compare/?base=%2Fbundles%2Fnightly%2Fbert-19%2F&new=%2Fbundles%2Fnightly%2Fbert-20%2F"
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_everybody_can_use_it(page_that, served, nightly, theme):
    page = page_that(color_scheme=theme, bypass_csp=True, viewport={"width": 400, "height": 800})
    page.goto(f"{served({'nightly': nightly})}/viewers/trend/")
    page.get_by_text("40 runs as a table").click()
    settle(page)
    assert violations(page, theme) == []
    assert page.evaluate("document.querySelector('main').scrollWidth <= 400")


def rewritten(document, value, modified):
    """Write a new version of the document for a plain server, which distinguishes versions by the second."""
    document.write_text(json.dumps(value))
    os.utime(document, (modified, modified))


def test_a_folder_on_a_plain_server_with_little_in_it(page, tmp_path, nightly, bundle_of):
    """One run, and one without a time; without bundles beside the page it shows commands instead of links."""

    def written(*folders):
        command = [
            sys.executable,
            "-m",
            "tlparse_bundle",
            "trend",
            *folders,
            "--out",
            tmp_path / "page",
            "--overwrite",
        ]
        subprocess.run(command, check=True, capture_output=True, timeout=HANG_S)

    manifest = json.loads((bundle_of("train_step") / "manifest.json").read_text())
    made_runs(tmp_path / "one", manifest, [{}])
    made_runs(tmp_path / "old", manifest, [{"start_epoch_us": None}])
    written(nightly, tmp_path / "one", tmp_path / "old")
    with plain_server(tmp_path / "page") as address:
        page.goto(f"{address}/")
        expect(page.get_by_role("heading", name="40 runs of bert")).to_be_visible()
        expect(page.get_by_text("tlparse-bundle compare nightly/bert-19 nightly/bert-20")).to_be_visible()
        expect(page.get_by_role("link", name="nightly/bert-20")).to_have_count(0)
        page.get_by_label("Series").select_option("one")
        expect(page.get_by_text("Too few runs to detect jumps")).to_be_visible()
        expect(page.get_by_text("Unchanged in all runs that record it: compile time 11.9 s")).to_be_visible()
        page.get_by_label("Series").select_option("old")
        expect(page.get_by_text("1 run without a start time")).to_be_visible()
        document = tmp_path / "page" / "trend.json"
        rewritten(
            document,
            {**json.loads(document.read_text()), "runs": [], "series": [], "jumps": [], "latest": []},
            2_000_000_000,
        )
        page.reload()
        expect(page.get_by_role("heading", name="No runs yet")).to_be_visible()
        rewritten(document, {"format": {"name": "other"}}, 2_000_000_001)
        page.reload()
        expect(page.get_by_role("alert")).to_contain_text("is not a trend document that this page can read")


def test_in_a_site_a_jump_leads_to_its_comparison(page, bundle_of, tmp_path):
    """The runs around the jump are far apart in the list, and other comparisons were requested."""
    folders = []
    for side, names in (("base", "vwxyz"), ("new", "abcde")):
        for name in names:
            folders.append(
                shutil.copytree(
                    bundle_of(FIXTURES / "pairs" / "new_break" / side), tmp_path / "nightly" / name
                )
            )
            manifest = json.loads((folders[-1] / "manifest.json").read_text())
            manifest["logs"][0]["summary"]["start_epoch_us"] = FIRST_US + len(folders) * DAY_US
            (folders[-1] / "manifest.json").write_text(json.dumps(manifest))
    write_site(sorted(folders), tmp_path / "site", python=False, compare=[("a", "b")])
    trend = json.loads((tmp_path / "site" / "trend.json").read_text())
    assert {
        (
            trend["runs"][jump["base_run_index"]]["name"],
            trend["runs"][jump["run_index"]]["name"],
            jump["comparison_url"],
        )
        for jump in trend["jumps"]
    } == {("z", "a", "comparisons/z/a/")}
    with plain_server(tmp_path / "site") as address:
        page.goto(f"{address}/viewers/trend/")
        page.get_by_role("link", name="Compare with the previous run, z").first.click()
        settle(page)
        expect(page.get_by_role("heading", level=1)).to_contain_text(
            "New: Graph break in forward at program.py:14"
        )
        assert (
            page.url
            == f"{address}/viewers/compare/?base=%2Fbundles%2Fz%2F&new=%2Fbundles%2Fa%2F&comparison=%2Fcomparisons%2Fz%2Fa%2F"
        )


def test_a_killed_run_is_not_part_of_a_line(page, served, bundle_of, tmp_path):
    manifest = json.loads((bundle_of("train_step") / "manifest.json").read_text())
    folder = tmp_path / "nightly"
    made_runs(
        folder,
        manifest,
        [
            (
                {"compile_us": 40_000_000 + number}
                if number != 4
                else {"compile_us": 9_000_000, "unfinished_count": 1}
            )
            for number in range(9)
        ],
    )
    page.goto(f"{served({'nightly': folder})}/viewers/trend/")
    drawn = page.locator(".chart[data-metric=compile_us]")
    expect(drawn.locator(".early")).to_have_count(1)
    assert [
        drawn.locator(f".{name}").get_attribute("d").count("M") for name in ("line", "dots", "early")
    ] == [1, 8, 1]
    page.get_by_role("slider", name="compile time, run by run").focus()
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
    expect(drawn).to_contain_text("ends inside a compile")
    expect(page.locator(".chart[data-metric=unfinished_count] .dots")).to_have_count(1)
    page.get_by_text("9 runs as a table").click()
    expect(page.get_by_role("row").filter(has_text="ends inside a compile")).to_have_count(1)
