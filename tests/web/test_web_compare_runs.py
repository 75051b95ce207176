"""Two runs side by side: the first screen, its links, and the sources of a comparison."""

import json
import re
import shutil
from urllib.parse import urlsplit

import pytest
from axe import violations
from click.testing import CliRunner
from conftest import FIXTURES, VIEWERS
from faster_run import SOFTMAX, write_faster_run
from pages import address, becomes, expect_address, go, settle
from plain_server import plain_server
from playwright.sync_api import expect
from tlparse_bundle import Bundle
from tlparse_bundle.cli.main import cli
from tlparse_bundle.serve.publish.comparison_folder import write_comparison
from tlparse_bundle.serve.publish.site import write_site
from tlparse_bundle.statements.runs.compare.document import compare

MARKUP = "<img src=x onerror=document.title='hit'>"


@pytest.fixture(scope="session")
def page_of(bundle_of, address_of):
    """Return page_of(name of a pair): the address of its comparison on our server."""

    def find(name):
        found = [address_of(bundle_of(FIXTURES / "pairs" / name / side)) for side in ("base", "new")]
        (root, base), (_, new) = (one.split("/viewers/default/?bundle=") for one in found)
        return f"{root}/viewers/compare/?base={base}&new={new}"

    return find


def show(page, where, hash=""):
    page.goto(where + hash)
    settle(page)
    return page


def share_menu(page):
    page.get_by_role("button", name="More ways to share").click()
    return page.get_by_role("menu", name="Share")


def test_the_first_screen_is_the_answer(page, page_of):
    """A cause, its effects below it, seconds; both sides are a click away; the keyboard is enough."""
    show(page, page_of("new_break"))
    expect(page.get_by_role("heading", level=1)).to_have_text(
        re.compile(
            r"^Compile time within run-to-run noise\. New: Graph break in forward at program\.py:14, once"
            r" \(\+11\.5 s\)\.$"
        )
    )
    cause = page.get_by_role("list", name="Changes").get_by_role("article").first
    expect(cause).to_contain_text("new Graph break in forward at program.py:14")
    expect(cause).to_contain_text("+11.5 s")
    led = page.get_by_role("list", name="Consequences").get_by_role("article")
    expect(led).to_have_count(2)
    expect(led.first).to_contain_text("torch_dynamo_resume_in_forward_at_14 (program.py:14) is now compiled")
    expect(page.get_by_role("table").get_by_role("row", name="Compile time")).to_have_text(
        re.compile(r"59\.3 s.*1 min 4 s.*\+4\.46 s")
    )
    phases = page.get_by_role("list", name="Compile time by phase")
    expect(phases).to_contain_text("Inductor+5.03 s")
    assert (
        page.evaluate(
            "() => Array.from(document.querySelectorAll('.bars:first-of-type .bar-room > *'), (bar) =>"
            " bar.getBoundingClientRect().width / bar.parentElement.clientWidth).filter((part) => part >"
            " 0.99).length"
        )
        >= 1
    )
    # the finding in the new run, the compile in the base run
    found = cause.get_by_role("link", name="finding in new ›")
    state = dict(part.split("=", 1) for part in urlsplit(found.get_attribute("href")).fragment.split("&"))
    assert state["view"] == "overview" and re.fullmatch("[0-9a-f]{16}", state["item"])
    assert "view=compile" in cause.get_by_role("link", name="base [0/0]").get_attribute("href")
    found.click()
    settle(page)
    expect(page.locator(f"#finding-{state['item']}")).to_have_attribute("aria-current", "true")
    page.go_back()
    settle(page)
    # the compiles, by the keyboard: the largest difference first, then the table is one tab stop
    page.keyboard.press("2")
    rows = page.get_by_role("grid", name="Compiles of both runs").get_by_role("row")
    expect(rows).to_have_count(4)
    expect(rows.nth(1)).to_have_text(re.compile(r"\[0/0\].*\[0/0\].*forward.*−9\.45 s.*different.*different"))
    expect(rows.nth(3)).to_have_text(
        re.compile(r"none\[1/0\]torch_dynamo_resume_in_forward_at_14–11\.5 s–– unknown– unknown")
    )
    page.get_by_role("searchbox", name="Filter compiles").fill("head")
    expect(rows).to_have_count(2)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect_address(page, "view=compile", "left=1/0", "right=2/0")
    expect(page.get_by_role("heading", level=1)).to_have_text("head")
    expect(page.get_by_role("region", name="Summary")).to_contain_text("different id, matched by code")


def test_a_compile_on_both_sides(page, page_of):
    """Causes of cache misses, the graph by node, guards by source; lines link to both sides."""
    show(page, page_of("line_changed"), "#v=1&view=compile&left=1/0&right=1/0")
    summary = page.get_by_role("region", name="Summary")
    expect(summary.get_by_role("region", name="Caches")).to_contain_text("FX graph: hit → miss")
    keys = page.get_by_role("region", name="Different parts of the FX graph cache key")
    expect(keys.get_by_role("row").nth(1)).to_have_text(
        re.compile(r"gm.*sin = torch.*tanh = torch", re.DOTALL)
    )
    expect(summary.get_by_role("region", name="Changes").get_by_role("article")).to_have_count(4)
    artifacts = page.get_by_role("navigation", name="Artifacts")
    artifacts.get_by_role("link", name="dynamo_output_graph").click()
    shown = page.get_by_role("region", name="Difference", exact=True)
    expect(shown).to_contain_text("1 changed node")
    expect(shown).to_contain_text("target sin → tanh")
    line = shown.get_by_role("link", name="line 6 on the left")
    assert (
        "run" in line.get_attribute("href")
        and "line=6" in line.get_attribute("href")
        and line.get_attribute("href")
        != shown.get_by_role("link", name="line 6 on the right").get_attribute("href")
    )
    artifacts.get_by_role("link", name="dynamo_cpp_guards_str").click()
    expect(shown).to_contain_text("No differences.")
    artifacts.get_by_role("link", name="inductor_output_code").click()
    expect(shown.get_by_role("button", name="By meaning")).to_have_attribute("aria-pressed", "true")
    go(page, "#v=1&view=compile&left=9/0&right=9/0")
    expect(page.get_by_role("main")).to_contain_text("Compile not found in these logs.")


def test_both_timelines_in_one(page, page_of, bundle_of):
    """The flame chart and the table agree; sums are those of the logs; one compile alone."""
    show(page, page_of("slower_pass"), "#v=1&view=timeline")
    table = page.get_by_role("grid", name="Spans of both runs")
    expect(table.get_by_role("row").filter(has_text="post_grad_custom_post_pass").first).to_have_text(
        re.compile(r"3\.57 ms27\.5 s\+27\.5 sslower8 → 8")
    )
    spans = [
        Bundle.open(bundle_of(FIXTURES / "pairs" / "slower_pass" / side)).logs[0].table("spans")
        for side in ("base", "new")
    ]
    roots = [
        sum(row["duration_us"] or 0 for row in one if row["parent"] is None and row["name"] == "dynamo")
        for one in spans
    ]
    page.get_by_role("searchbox", name="Filter spans").fill("dynamo")
    row = table.get_by_role("row").filter(has_text=re.compile("^dynamo(?! in)")).first
    expect(row).to_contain_text(f"+{(roots[1] - roots[0]) / 1e6:.1f} s")
    flame = page.get_by_role("application", name="Spans of both runs")
    flame.focus()
    page.keyboard.press("n")
    expect(page.get_by_role("status").filter(has_text="slower")).to_have_count(1)
    page.get_by_role("button", name="Width: base").click()
    expect_address(page, "width=base")
    expect(page.get_by_role("button", name="Width: base")).to_be_focused()
    go(page, "#v=1&view=timeline&left=0/0&right=0/0")
    expect(page.get_by_role("heading", level=1)).to_have_text("Timeline of [0/0] f0")
    expect(table.get_by_role("row").filter(has_text="post_grad_custom_post_pass").first).to_contain_text(
        "1 → 1"
    )


def test_ranks_and_no_change(page, page_of):
    """Common changes of ranks appear once, with the ranks; a rank without changes is named; so are two equal
    runs.
    """
    show(page, page_of("new_break_on_a_rank"))
    expect(page.get_by_role("heading", level=1)).to_have_text(
        re.compile(r"^49\.2 s more compile time: .*New: Graph break in embed at program\.py:18, once\.$")
    )
    expect(page.get_by_role("table").get_by_role("row", name="Compile time, all logs")).to_have_text(
        re.compile(r"1 min 27 s.*2 min 16 s.*\+49\.2 s")
    )
    expect(page.get_by_role("list", name="Changes").get_by_role("article").first).to_contain_text("on rank 1")
    logs = page.get_by_label("Logs")
    expect(logs.get_by_role("option")).to_have_text(
        ["rank 1 · rank_1_fixture0", "rank 0 · rank_0_fixture0, no changes"]
    )
    page.keyboard.press("2")
    rows = page.get_by_role("grid").get_by_role("row")
    expect(rows).to_have_count(4)
    logs.select_option("0")
    expect(rows).to_have_count(3)
    show(page, page_of("nothing_changed"))
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "53.9 s less compile time: unchanged compiles ran 2× faster, so the machine probably differs. No other"
        " change."
    )
    expect(page.get_by_role("region", name="Changes")).to_contain_text("Compared: torch and its settings")
    expect(page.get_by_role("table").get_by_role("row", name="Compiles")).to_have_text(
        re.compile("5.*5.*5 in both")
    )
    menu = share_menu(page)
    expect(menu.get_by_role("menuitem")).to_have_count(2)
    expect(menu.get_by_role("menuitem", name="Copy link to this view")).to_be_focused()
    with page.expect_download() as download:
        menu.get_by_role("menuitem", name="Save as one file").click()
    text = download.value.path().read_text()
    assert (
        download.value.suggested_filename.endswith(".html")
        and 'data-viewers="compare default' in text
        and 'data-file="comparison.json"' in text
        and 'data-file="new/manifest.json"' in text
    )
    show(page, page_of("dynamic_on"))  # with the backend eager
    phases = page.get_by_role("list", name="Compile time by phase")
    expect(phases).to_contain_text("Backend")
    expect(phases).not_to_contain_text("AOTAutograd")


def test_totals_are_shown_with_the_net_result(page, page_of):
    """The different numbers are those of the first line, and no sentence contradicts them."""
    show(page, page_of("backend_changed"))
    heading, table = (
        page.get_by_role("heading", level=1),
        page.get_by_role("region", name="Comparison totals"),
    )
    expect(heading).to_have_text(
        re.compile(r"^36\.1 s less compile time\. Different backend for scale and loss")
    )
    expect(table.get_by_role("row", name="Compile time")).to_have_text(
        re.compile(r"38\.6 s.*2\.5 s.*−36\.1 s")
    )
    expect(table.get_by_role("row", name="Generated code files")).to_have_text(re.compile(r"4.*0.*−4"))
    boxes = heading.bounding_box(), table.bounding_box()
    assert abs(boxes[0]["y"] - boxes[1]["y"]) < 20 and boxes[1]["x"] > boxes[0]["x"] + boxes[0]["width"] / 2
    expect(page.get_by_role("main")).not_to_contain_text("vary by")


def test_without_our_server(page_with_errors, bundle_of, tmp_path):
    """A folder on any server; a site with its prepared comparisons; invalid documents."""
    page = page_with_errors
    folders = [bundle_of(FIXTURES / "pairs" / "config_changed" / side) for side in ("base", "new")]
    base, new = map(Bundle.open, folders)
    document = compare([("last week", base)], [(MARKUP, new)])
    document["summary"]["notes"] = [MARKUP]
    document["logs"][0]["changes"][0] |= {"title": f"`{MARKUP}` {MARKUP}", "text": MARKUP, "file": MARKUP}
    write_comparison(document, base, new, tmp_path / "folder")
    names = ["day-1", "day-2", "day-3"]
    for name, folder in zip(names, (*folders, folders[0]), strict=True):
        (tmp_path / "runs").mkdir(exist_ok=True)
        shutil.copytree(folder, tmp_path / "runs" / name)
    write_site([tmp_path / "runs" / name for name in names], tmp_path / "site", python=False)
    pair = document["logs"][0]
    bad = {
        "is not JSON": "{",
        'its format is "other"': json.dumps(document | {"format": {"name": "other", "major": 1, "minor": 0}}),
        "has format version 2": json.dumps(document | {"format": document["format"] | {"major": 2}}),
        "logs[0].compiles is null, not an array": json.dumps(
            document | {"logs": [pair | {"compiles": None}]}
        ),
        "because_of is 7, which is not an earlier change": json.dumps(
            document | {"logs": [pair | {"changes": [pair["changes"][0] | {"because_of": 7}]}]}
        ),
        "pair_indexes refers to a missing compile": json.dumps(
            document | {"logs": [pair | {"changes": [pair["changes"][0] | {"pair_indexes": [99]}]}]}
        ),
    }
    for number, text in enumerate(bad.values()):
        (tmp_path / f"bad{number}").mkdir()
        (tmp_path / f"bad{number}" / "comparison.json").write_text(text)
    (tmp_path / "viewers").symlink_to(VIEWERS)
    ranks = [
        pair | {"rank": rank, "changes": [pair["changes"][0] | {"cost_us": cost, "because_of": None}]}
        for rank, cost in ((0, 1_000), (1, 9_000_000), (3, -1_000))
    ]
    (tmp_path / "ranks").mkdir()
    (tmp_path / "ranks" / "comparison.json").write_text(json.dumps(document | {"logs": ranks}))
    with plain_server(tmp_path) as host:
        show(page, f"{host}/folder/")
        expect_address(page, "/folder/viewers/compare/")
        expect(page.get_by_role("main")).to_contain_text(f"{MARKUP} {MARKUP}")
        expect(page.locator("main img, nav img, header img")).to_have_count(0)
        inductor = (
            page.get_by_role("list", name="Compile time by phase")
            .get_by_role("listitem")
            .filter(has_text="Inductor")
        )
        expect(inductor).to_have_text(
            re.compile(r"^Inductor\+2\.87 sbase0 µsnew2\.87 s$")
        )  # every cache hit in base: no compile reached Inductor, and 0 has no bar
        expect(inductor.locator(".bar-room > *")).to_have_count(1)
        page.get_by_role("link", name="new [0/0]").first.click()
        settle(page)
        expect_address(page, "/folder/viewers/default/?bundle=%2Ffolder%2Fnew%2F")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        show(
            page, f"{host}/viewers/compare/?comparison=/ranks/"
        )  # the same change on three ranks is listed once, where it weighs most
        expect(page.get_by_role("list", name="Changes").get_by_role("article")).to_have_text(
            re.compile(r"\+9 s.*on ranks 0, 1 and 3, showing rank 1", re.DOTALL)
        )
        for number, words in enumerate(bad):
            page.goto(f"{host}/viewers/compare/?comparison=/bad{number}/")
            expect(page.get_by_role("alert")).to_contain_text(words)
        show(page, f"{host}/site/")
        expect_address(page, "/site/viewers/home/")
        for name in names[:2]:
            page.get_by_role("checkbox", name=f"Compare {name}").check()
        expect(page.get_by_role("button", name="Swap")).to_have_count(
            0
        )  # the other way round they were not compared
        page.get_by_role("link", name="Compare day-1 → day-2").click()
        settle(page)
        expect(page.get_by_role("heading", level=1)).to_contain_text("max_fusion_size is 32, was 64")
        expect(page.get_by_role("link", name="base: day-1")).to_have_attribute(
            "href", re.compile(r"/site/viewers/default/\?bundle=%2Fsite%2Fbundles%2Fday-1%2F")
        )
        go(page, "#v=1&view=compile&left=0/0&right=0/0&part=dynamo_output_graph")
        expect(page.get_by_role("region", name="Difference", exact=True)).to_contain_text("No difference")
        page.get_by_role("link", name="Comparison").click()
        settle(page)
        for name in (names[0], names[2]):
            page.get_by_role("checkbox", name=f"Compare {name}").check()
        notice = page.get_by_role("status").filter(has_text="no comparison")
        expect(notice).to_have_text(
            re.compile(
                "This site has no comparison of day-[13] and day-[13].*tlparse-bundle compare day-[13]"
                " day-[13] --open"
            )
        )
        page.goto(
            f"{host}/site/viewers/compare/?base=/site/bundles/{names[0]}/&new=/site/bundles/{names[1]}/"
        )
        expect(page.get_by_role("alert")).to_contain_text("write the site with '--compare BASE NEW'")
        page.goto(f"{host}/viewers/compare/?base=/site/bundles/{names[0]}/&new=/elsewhere/")
        expect(page.get_by_role("alert")).to_contain_text("is not a bundle of this server")


def test_one_file(page, bundle_of, tmp_path):
    """It opens from disk: the comparison, both timelines, artifacts, and both bundles in the default viewer,
    each with its own.
    """
    sides = {
        side: Bundle.open(bundle_of(FIXTURES / "pairs" / "line_changed" / side)) for side in ("base", "new")
    }
    document = compare(*([(side, bundle)] for side, bundle in sides.items()))
    write_comparison(document, sides["base"], sides["new"], tmp_path / "folder")
    report = tmp_path / "changes.html"
    assert CliRunner().invoke(cli, ["export", str(tmp_path / "folder"), str(report)]).exit_code == 0
    show(page, report.as_uri())
    expect(page.get_by_role("heading", level=1)).to_have_text(document["summary"]["text"].replace("`", ""))
    expect(share_menu(page)).to_contain_text("This page is a single file")
    page.keyboard.press("Escape")
    page.keyboard.press("3")
    settle(page)
    expect(page.get_by_role("grid", name="Spans of both runs").get_by_role("row").nth(1)).to_be_visible()
    go(page, "#v=1&view=compile&left=1/0&right=1/0&part=dynamo_output_graph")
    expect(page.get_by_role("region", name="Difference", exact=True)).to_contain_text("target sin → tanh")
    for side, word in (("base", "sin"), ("new", "tanh")):
        show(page, report.as_uri(), "#v=1&view=compile&left=1/0&right=1/0")
        page.get_by_role("banner").or_(page.get_by_role("main")).get_by_role(
            "link", name=f"{side} [1/0] ›"
        ).first.click()
        settle(page)
        expect_address(page, f"?viewer=default&folder={side}%2F#v=1")
        go(page, "#v=1&view=compile&compile=1/0&artifact=dynamo_output_graph")
        expect(
            page.get_by_role("region", name="dynamo_output_graph").or_(page.get_by_role("main")).first
        ).to_contain_text(f"l_x_.{word}()")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_and_narrow_pages(page_that, page_of, theme):
    page = page_that(color_scheme=theme, bypass_csp=True)
    where = page_of("line_changed")
    found = []
    show(page, where)
    for hash in (
        "changes",
        "compiles",
        "timeline",
        "compile&left=1/0&right=1/0",
        "compile&left=1/0&right=1/0&part=dynamo_output_graph",
    ):
        go(page, f"#v=1&view={hash}")
        found += [f"{hash}: {violation}" for violation in violations(page, theme)]
    assert not found, "\n".join(found)
    for width, height in ((400, 800), (640, 400)):  # the second is 200 % of 1280 × 800
        page.set_viewport_size({"width": width, "height": height})
        for hash in ("changes", "compiles", "timeline", "compile&left=1/0&right=1/0"):
            go(page, f"#v=1&view={hash}")
            becomes(lambda: page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0)
            assert page.get_by_role("heading", level=1).count() == 1, address(page)


def test_measured_run_times(page, bundle_of, address_of, tmp_path):
    """Source lines and kernels that changed, matched although their names differ, with their times."""
    write_faster_run(tmp_path)
    base, new = bundle_of("profiler/lines"), bundle_of(tmp_path / "trace")
    (root, base_url), (_, new_url) = (
        address_of(one).split("/viewers/default/?bundle=") for one in (base, new)
    )
    show(page, f"{root}/viewers/compare/?base={base_url}&new={new_url}")
    times = page.get_by_role("region", name="Measured run time", exact=True)
    kernel = times.get_by_role("region", name="Kernels", exact=True).get_by_role("row").nth(1)
    expect(kernel).to_contain_text(f"faster{SOFTMAX} → cpp_fused__softmax_masked_fill_4 [0/0]")
    line = times.get_by_role("region", name="Source lines", exact=True).get_by_role("row").nth(1)
    expect(line).to_contain_text("weights = scores.masked_fill(mask, -1e9).softmax(1) program.py:280")
    document = compare([("base", Bundle.open(base))], [("new", Bundle.open(new))])
    row = document["logs"][0]["run_time"]["kernels"][0]
    for cell, us in ((2, row["base_us"]), (3, row["new_us"])):
        expect(kernel.get_by_role("cell").nth(cell)).to_have_text(f"{us / 1000:.3g} ms")
    times.get_by_text("unchanged", exact=False).first.wait_for()
    assert violations(page, "light") == []
