"""The viewers on jobs with many problems: headline, findings, marks, runs and groups; all words are the
bundle's.
"""

import json
import re
import shutil

import pytest
from conftest import FIXTURES
from playwright.sync_api import expect
from test_web_multirank import cell, view  # noqa: F401
from tlparse_bundle import Bundle
from tlparse_bundle.redact.policy import policy
from tlparse_bundle.redact.redact import redact

JOBS = sorted(
    path.name for path in (FIXTURES / "jobs").iterdir() if path.is_dir() and path.name != "__pycache__"
)
# Row, column, and the text of the matrix cell.
MARKS = {
    "absent_caller": ("rank 2", "sync", "·∅ never began"),
    "inside_compile": ("rank 2", "sync", "◌ unfinished"),
    "all_unfinished": ("ranks 0–3", "block", "◌ unfinished"),
    "all_failed": ("ranks 0–3", "loss", "✖ failed on all ranks"),
    "backend_fails_one": ("rank 1", "block", "✖ failed"),
    "extra_then_hang": ("rank 2", "exchange", "B⇎ mismatched collective"),
    "other_reduce_op": ("rank 3", "reduce", "B⇎ mismatched collective"),
    "pipeline_broken": ("rank 3", "head_stage", "⇏ missing collective"),
    "other_group": ("rank 1", "reduce", "A⇉ different process group"),
    "one_short": ("rank 3", "step [0/3]", "·∅ never began"),
}


@pytest.fixture
def job(bundle_of):
    """Return job(name): its bundle."""
    return lambda name: bundle_of(FIXTURES / "jobs" / name)


def plain(text):
    return text.replace("`", "")


def verdict(page):
    return page.get_by_role("region", name="Summary")


@pytest.mark.parametrize("name", JOBS)
def test_the_first_screen_agrees_with_the_bundle(view, job, name):
    page = view(job(name))
    bundle = Bundle.open(job(name))
    findings = bundle.rank_table("rank_findings")
    expect(page.get_by_role("heading", level=1)).to_have_text(plain(bundle.job["text"]))
    more = verdict(page).get_by_role("button", name=re.compile("^[0-9]+ more$"))
    while more.count():
        more.first.click()
    cards = verdict(page).get_by_role("article")
    expect(cards).to_have_count(len(findings))
    for card, finding in zip(cards.all(), findings, strict=True):
        expect(card.get_by_role("heading")).to_contain_text(plain(finding["title"]))
        for paragraph in filter(None, finding["text"].split("\n\n")):
            expect(card).to_contain_text(plain(paragraph))
    if name in MARKS:
        the_matrix_says_where_a_rank_stands(page, *MARKS[name])


def test_the_marks_are_those_of_jobs():
    assert MARKS.keys() <= set(JOBS)


def the_matrix_says_where_a_rank_stands(page, row, column, words):
    expect(cell(page, row, column)).to_contain_text(words)
    sign, said = re.search(r"([^\w\s·])?\s?([a-z ]+)$", words).groups()
    legend = page.get_by_role("list", name="Legend").get_by_role("listitem")
    expect(legend.filter(has_text=re.compile(rf"{re.escape(sign or '')}\s*.*{said}"))).to_have_count(1)


def test_the_legend_only_explains_visible_marks(view, job):
    page = view(job("healthy8"))
    legend = page.get_by_role("list", name="Legend").get_by_role("listitem")
    expect(legend).to_have_text(
        [
            "A same on all ranks that compiled it",
            "▸ ranks with equal cells, with their number: click to expand",
        ]
    )
    page = view(job("other_reduce_op"))
    expect(legend).to_contain_text(
        [
            "A same as most ranks",
            "B different graphs or code",
            "letters in different columns are unrelated",
            "⇎ mismatched collective",
        ]
    )
    signs = set(re.findall(r"[^\w\s·–▸\[\]/,.:’']", " ".join(page.get_by_role("gridcell").all_inner_texts())))
    assert signs and all(legend.filter(has_text=sign).count() == 1 for sign in signs)


def test_runs_are_named_and_the_compared_one_is_marked(view, job):
    page = view(job("restart"))
    runs = page.get_by_role("region", name="Runs", exact=True)
    expect(runs.get_by_role("heading")).to_have_text(
        "2 runs in these logs. To compare a different run: tlparse-bundle LOGS OUT --run 1 --overwrite"
    )
    rows = runs.get_by_role("row")
    expect(rows).to_have_count(3)
    expect(rows.nth(1)).to_contain_text(
        re.compile(
            r"1.*2026-11-23 07:21:53.*5\d(\.\d)? s earlier.*ranks 0–3.*2\.13\.0.*restart of the same job"
        )
    )
    expect(rows.nth(2)).to_contain_text(
        re.compile(r"2.*2026-11-23 07:22:44.*ranks 0–3.*2\.13\.0.*compared here")
    )
    expect(rows.nth(2)).to_have_attribute("aria-current", "true")


def test_another_job_is_not_an_attempt(view, job):
    page = view(job("two_jobs"))
    rows = page.get_by_role("region", name="Runs", exact=True).get_by_role("row")
    expect(rows.nth(1)).to_contain_text("compared here")
    expect(rows.nth(2)).to_contain_text(re.compile("later.*ranks 0 and 1 of 2.*different job"))


def test_one_run_has_no_table(view, job):
    page = view(job("healthy8"))
    expect(page.get_by_role("region", name="Runs", exact=True)).to_have_count(0)


def test_many_runs_are_folded(view, job, tmp_path):
    folder = shutil.copytree(job("restart"), tmp_path / "bundle")
    rewrite(
        folder,
        lambda it: it.update(
            run=20,
            runs=[
                {
                    **it["runs"][0],
                    "start_epoch_us": None if n == 3 else 1_700_000_000_000_000 + n * 3_600_000_000 * 30,
                }
                for n in range(40)
            ],
        ),
    )
    page = view(folder)
    runs = page.get_by_role("region", name="Runs", exact=True)
    expect(runs.get_by_role("row")).to_have_count(1 + 6 + 1)
    expect(runs.get_by_role("heading")).to_contain_text("--run N")
    expect(runs.get_by_role("row").nth(1)).to_contain_text("24 days earlier")
    expect(runs.get_by_role("row").last).to_contain_text("compared here")
    runs.get_by_role("button", name="33 more").click()
    expect(runs.get_by_role("row")).to_have_count(41)
    expect(runs.get_by_role("row").nth(21)).to_contain_text("30.0 h later")


def rewrite(folder, change):
    """Change the job in the manifest of a bundle."""
    manifest = json.loads((folder / "manifest.json").read_text())
    change(manifest["job"])
    (folder / "manifest.json").write_text(json.dumps(manifest))


@pytest.fixture
def without_findings(bundle_of, tmp_path):
    """Return a redacted bundle without findings."""
    redact(Bundle.open(bundle_of("ranks_killed")), tmp_path / "bundle", policy(drop=["findings"]))
    return tmp_path / "bundle"


def test_findings_that_were_left_out_are_not_missing(view, without_findings):
    page = view(without_findings)
    expect(page.get_by_role("heading", level=1)).to_have_text("4 ranks")
    expect(verdict(page)).to_contain_text("Not included in this redacted bundle. There may have been some.")
    expect(page.get_by_role("gridcell").first).to_be_visible()
    page.get_by_role("link", name="Collectives").click()
    expect(page.get_by_role("region", name="Schedule 1")).to_be_visible()


def test_the_default_viewer_where_findings_were_left_out(show, without_findings):
    page, _ = show(without_findings)
    expect(page.get_by_role("main")).to_contain_text(
        "All ranks: the findings are not included in this redacted bundle."
    )
    expect(page.get_by_role("main")).to_contain_text(
        "Findings. Not included in this redacted bundle. There may have been some."
    )


@pytest.mark.parametrize(
    ("name", "rows"),
    {
        "healthy8": [re.compile("0.*ranks 0–7.*match")],
        "pipeline": [re.compile("1.*ranks 0 and 1.*match"), re.compile("2.*ranks 2 and 3.*match")],
        "pipeline_broken": [re.compile(r"2.*ranks 2 and 3.*missing on some ranks.*call 2: rank 2: all_reduce \(sum\) f32 \(32, 8\) in head_stage \[0/0\]; rank 3: none"), re.compile("1.*ranks 0 and 1.*match")],
        "other_shape": [re.compile(r"0.*ranks 0–3.*mismatch, will hang or fail.*call 1: ranks 0, 1 and 3: all_reduce \(sum\) f32 \(16, 8\).*rank 2: all_reduce \(sum\) f32 \(17, 8\)")],
        "other_reduce_op": [re.compile(r"0.*ranks 0–3.*mismatch, wrong results.*\(sum\).*rank 3: all_reduce \(max\)")],
    }.items(),
)  # fmt: skip
def test_calls_by_process_group(view, job, name, rows):
    page = view(job(name), "#v=1&view=collectives")
    table = page.get_by_role("region", name="Calls by process group").get_by_role("row")
    expect(table).to_have_count(1 + len(rows))
    expect(table).to_have_text([re.compile("Process group"), *rows])


def test_different_caches_are_not_called_the_same(view, job):
    page = view(job("cached_before"), "#v=1&view=details")
    rows = page.get_by_role("region", name="Caches").get_by_role("row")
    expect(rows.nth(1)).to_contain_text(re.compile("ranks 0–2.*aot_autograd hit.*fx_graph hit"))
    expect(rows.nth(2)).to_contain_text(re.compile("rank 3.*aot_autograd miss.*fx_graph miss"))
    page = view(job("healthy8"), "#v=1&view=details")
    expect(page.get_by_role("region", name="Caches")).to_have_count(0)
    expect(page.get_by_role("main")).to_contain_text("Same on ranks 0–7: 2 × fx_graph disabled.")


def test_the_default_viewer_opens_on_all_ranks(page_that, bundle_of, address_of):
    page = page_that(viewport={"width": 1024, "height": 768})
    for source in (FIXTURES / "jobs" / "absent_caller", FIXTURES / "jobs" / "two_jobs", "ranks4"):
        folder = bundle_of(source)
        bundle = Bundle.open(folder)
        page.goto(address_of(folder))
        first = page.get_by_role("list", name="Findings of all ranks").get_by_role("article").first
        for theme in ("dark", "light"):
            page.emulate_media(color_scheme=theme)
            expect(page.get_by_role("heading", level=1)).to_have_text(plain(bundle.job["text"]))
            expect(first).to_be_in_viewport()
            expect(first.get_by_role("heading")).to_contain_text(
                plain(bundle.rank_table("rank_findings")[0]["title"])
            )
            assert page.get_by_role("banner").bounding_box()["height"] == 48, f"one row: {source}, {theme}"
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{source}, {theme}"
        first.get_by_role("link").click()
        expect(page).to_have_url(re.compile("/multirank/"))
        expect(page.get_by_role("heading", level=1)).to_have_text(plain(bundle.job["text"]))


def test_a_log_that_was_asked_for_comes_first(show, job):
    page, bundle = show(job("absent_caller"), "#v=1&log=rank_2_fixture0")
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "1 function, 1 compile, 11.8 s. No failures, graph breaks or recompiles."
    )
    expect(page.get_by_role("main")).to_contain_text("All ranks: " + plain(bundle.job["text"]))
    expect(page.get_by_role("link", name="Compare the ranks ›")).to_be_visible()


def test_the_bar_is_one_row(page, job, address_of):
    for width in (720, 1024, 1700):
        page.set_viewport_size({"width": width, "height": 700})
        page.goto(address_of(job("absent_caller")))
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        views = page.get_by_role("navigation", name="Views")
        views.get_by_role("link", name="Records", exact=True).click()
        expect(page.get_by_role("grid", name="Records")).to_be_visible()
        bar = page.get_by_role("banner")
        assert bar.bounding_box()["height"] == 48, width
        assert bar.evaluate(
            "bar => bar.scrollWidth <= bar.clientWidth && [...bar.querySelectorAll('button, input,"
            " select')].every((one) => one.scrollWidth <= one.clientWidth + 1)"
        ), width


@pytest.fixture
def crowd(bundle_of, tmp_path):
    """A bundle that lists 1,024 ranks; some can be opened, and are the same log."""
    folder = shutil.copytree(bundle_of("ranks_healthy", "none"), tmp_path / "bundle")
    manifest = json.loads((folder / "manifest.json").read_text())
    row = manifest["logs"][0]
    for n in (0, 517, 518, 1023):
        copy = shutil.copytree(folder / "logs" / row["id"], folder / "logs" / f"log_{n:04}")
        directory = copy / "log.json"
        directory.write_text(directory.read_text().replace(f"logs/{row['id']}/", f"logs/log_{n:04}/"))
    manifest["logs"] = [
        {**row, "id": f"log_{n:04}", "rank": n, "path": row["path"].replace(row["id"], f"log_{n:04}")}
        for n in range(1024)
    ]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def test_a_rank_of_many_is_found_by_its_number(show, crowd):
    page, _ = show(crowd, "#v=1&view=compiles")
    expect(page.get_by_role("grid", name="Compiles")).to_be_visible()
    assert page.locator("option").count() < 100, "no list of the browser with 1,024 entries"
    field = page.get_by_role("combobox", name="Log")
    expect(field).to_have_value("rank 0 · log_0000")
    field.focus()
    page.keyboard.type("517")
    options = page.get_by_role("listbox", name="Log").get_by_role("option")
    expect(options).to_have_text(["rank 517 · log_0517"])
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("log=log_0517"))
    expect(field).to_have_value("rank 517 · log_0517")
    expect(field).to_be_focused()
    page.keyboard.type("7")  # replaces the text in the field; the whole number comes first
    expect(options.first).to_have_text("rank 7 · log_0007")
    assert options.count() <= 100
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    expect(field).to_have_attribute("aria-activedescendant", options.first.get_attribute("id"))
    page.keyboard.press("Escape")
    expect(page.get_by_role("listbox", name="Log")).to_have_count(0)
    expect(field).to_have_value("rank 517 · log_0517")
    page.keyboard.press("ArrowDown")
    expect(options.and_(page.locator("[aria-selected=true]"))).to_have_text("rank 517 · log_0517")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("log=log_0518"))
    expect(field).to_have_value("rank 518 · log_0518")
    page.keyboard.type("nobody")
    expect(page.get_by_role("listbox", name="Log")).to_have_text("No match")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("log=log_0518"))


def test_a_rank_of_many_is_picked_with_the_mouse(show, crowd):
    page, _ = show(crowd)
    field = page.get_by_role("combobox", name="Log")
    field.click()
    expect(page.get_by_role("listbox", name="Log")).to_be_in_viewport()
    field.fill("1023")
    page.get_by_role("option", name="rank 1023").click()
    expect(page).to_have_url(re.compile("log=log_1023"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("4 functions, 4 compiles")
    expect(field).to_have_value("rank 1023 · log_1023")
