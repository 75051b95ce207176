"""Findings of the bundle: every page shows the same cards, and adds no words."""

import json
import re
import shutil

import pytest
import traces
from click.testing import CliRunner
from conftest import FIXTURES
from pages import listed, settle
from playwright.sync_api import expect
from tlparse_bundle import Bundle
from tlparse_bundle.base.wording import duration
from tlparse_bundle.cli.main import cli
from tlparse_bundle.redact.policy import policy
from tlparse_bundle.redact.redact import redact

SHOWN = 10  # before "all …"
WITH_TRUTH = sorted(
    path.parent.name for path in FIXTURES.glob("*/truth.json") if path.parent.name != "huggingface"
)  # six logs, of which outputs show five
EVERY_KIND = (
    *("recompiles", "graph_breaks", "failures", "killed", "caches", "export_dtrace", "dynamic_shapes", "nonascii", "aoti", "fork_children"),
    *("overlap_scheduling", "ranks_extra_break", "ranks_execution_order", "ranks_killed", "ranks_straggler", "ranks_missing_collective", "provenance_graphs"),
)  # fmt: skip
TEXTS = [f"recompile_reasons.{name}" for name in ("guard", "expected", "actual")]
LEFT_OUT = "Findings. Not included in this redacted bundle. There may have been some."


def plain(text):
    return text.replace("`", "")


def heading(page):
    return page.get_by_role("heading", level=1)


def cards(place):
    return place.get_by_role("article")


def most_to_say(bundle):
    def weight(log):
        return (
            log.summary["findings"]["error"],
            log.summary["findings"]["warning"],
            log.summary["compile_us"] or 0,
        )

    return max(bundle.logs, key=weight)


@pytest.fixture
def changed(bundle_of, tmp_path):
    """Return changed(fixture, change, text): a copy of its bundle; change(rows) returns new findings for its
    first log.

    ``text``: its headline.
    """

    def make(fixture, change, text=None):
        folder = tmp_path / "bundle"
        shutil.copytree(bundle_of(fixture, "none"), folder)
        log = Bundle.open(folder).logs[0]
        rows = change(log.findings())
        path = f"logs/{log.id}/findings.jsonl"
        (folder / path).write_bytes(traces.written(path, rows))

        def list_them(directory):
            directory["tables"]["findings"] = {
                "rows": len(rows),
                "files": [{"path": path, "rows": len(rows)}],
            }

        def tell(manifest):
            manifest["logs"][0]["summary"]["text"] = text or log.summary["text"]

        traces.rewrite(folder, log.row["path"], list_them)
        traces.rewrite(folder, "manifest.json", tell)
        return folder

    return make


def output_of(*arguments):
    """Return a command's output on both streams, and its standard output alone. Lines are not folded."""
    done = CliRunner().invoke(
        cli, [str(argument) for argument in arguments], catch_exceptions=False, env={"COLUMNS": "100"}
    )
    assert done.exit_code == 0, done.output
    return done.output, done.stdout


def words(text):
    """Return text without marks and line ends of terminal and Markdown."""
    return " ".join(text.replace("\\", "").replace("`", "").split())


@pytest.mark.parametrize("fixture", EVERY_KIND)
def test_all_outputs_agree(show, bundle_of, tmp_path, fixture):
    """The command that builds, info, report in each format, --json, and the first screen."""
    folder = bundle_of(fixture)
    findings = {log.id: log.findings() for log in Bundle.open(folder).logs}
    summaries = {log.id: log.summary for log in Bundle.open(folder).logs}
    texts, titles = (
        [row["text"] for row in summaries.values()],
        [row["title"] for rows in findings.values() for row in rows],
    )
    job, of_ranks = Bundle.open(folder).job, Bundle.open(folder).rank_table("rank_findings")
    if job is not None:  # rank findings come first
        texts.insert(0, job["text"])
        titles[:0] = [row["title"] for row in of_ranks]

    built, built_json = output_of(
        "build", FIXTURES / fixture / "trace", tmp_path / "out", "--json", "--jobs", 1
    )
    assert {row["id"]: row["summary"] for row in json.loads(built_json)["logs"]} == summaries
    assert all(text in built for text in texts) and len(findings) <= 5
    assert [
        line[4:].split(" (in ")[0] for line in built.split("\n") if line.startswith(("  ✖", "  !", "  ·"))
    ] == [title for title in titles if title in built][:3] or len(findings) > 1
    info, _ = output_of("info", folder)
    assert all(text in info for text in texts)
    for log_id, summary in summaries.items():
        row = next(line for line in info.split("\n") if line.startswith(f"{log_id} "))
        time = summary["compile_us"]
        assert (
            f" {summary['compile_count']:,} " in row and f" {'-' if time is None else duration(time)} " in row
        )
    info, report = (
        json.loads(output_of(*arguments)[1])
        for arguments in (("info", folder, "--json"), ("report", folder, "--format", "json"))
    )
    assert {row["id"]: row["summary"] for row in info["manifest"]["logs"]} == summaries
    assert info["ranks"] == job
    assert report["ranks"] == (job and {"summary": job, "findings": of_ranks})
    assert {
        row["id"]: {"summary": row["summary"], "findings": row["findings"]} for row in report["logs"]
    } == {log_id: {"summary": summaries[log_id], "findings": rows} for log_id, rows in findings.items()}
    for form in ("text", "markdown", "github"):
        report = words(output_of("report", folder, "--format", form)[0].replace("%25", "%"))
        assert [text for text in (*texts, *titles) if words(text) not in report] == []

    page, bundle = show(fixture)
    opened = most_to_say(bundle).id
    expect(heading(page)).to_have_text(plain((job or summaries[opened])["text"]))
    if job is not None:
        expect(page.get_by_role("heading", level=2).filter(has_text=opened)).to_contain_text(
            plain(summaries[opened]["text"])
        )
    settle(page)
    place = page.get_by_role("region", name="Findings")
    shown = cards(place).evaluate_all(
        "articles => articles.map((article) => [article.ariaLabel, article.textContent])"
    )
    assert [label for label, _ in shown] == [plain(row["title"]) for row in findings[opened][:SHOWN]]
    for row, (label, text) in zip(findings[opened], shown, strict=False):
        parts = [*(remedy["text"] for remedy in row["remedies"]), row["cost_of"], row["file"]]
        assert [
            part for part in parts if part and " ".join(plain(part).split()) not in " ".join(text.split())
        ] == [], label


def test_every_kind_of_finding_is_among_those_of_the_outputs(bundle_of):
    kinds = {
        fixture: {row["kind"] for row in (*bundle.rank_table("rank_findings"), *bundle.table("findings"))}
        for fixture, bundle in ((name, Bundle.open(bundle_of(name))) for name in WITH_TRUTH)
    }
    assert set().union(*kinds.values()) - set().union(*(kinds[name] for name in EVERY_KIND)) == set()


def column(page, title):
    """Return the cell of a row below the header with this title."""
    titles = page.get_by_role("columnheader").all_inner_texts()
    before = titles[: next(number for number, text in enumerate(titles) if text.startswith(title))]
    return len(before) - sum(text.startswith("Bundle") for text in before)


def test_the_list_of_bundles_agrees(page, served, bundle_of):
    page.goto(served({fixture: bundle_of(fixture) for fixture in WITH_TRUTH}))
    for fixture in WITH_TRUTH:
        bundle = Bundle.open(bundle_of(fixture))
        summaries = [log.summary for log in bundle.logs]
        row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name=fixture, exact=True))
        expect(row).to_contain_text(
            plain((bundle.job or most_to_say(bundle).summary)["text"])
        )  # rank findings come before those of one log
        expect(row.get_by_role("cell").nth(column(page, "Compiles"))).to_have_text(
            f"{sum(summary['compile_count'] for summary in summaries):,}"
        )


def test_a_bundle_opens_on_the_log_with_most_to_say(show, tmp_path):
    """Neither on the empty log nor on the largest."""
    for name, fixture in [("0_empty", None), ("1_fails", "failures"), ("2_large", "transformer")]:
        data = next((FIXTURES / fixture / "trace").glob("*.log*")).read_bytes() if fixture else b"no record\n"
        (tmp_path / f"dedicated_log_torch_trace_{name}.log").write_bytes(data)
    page, bundle = show(tmp_path)
    logs = {log.id: log for log in bundle.logs}  # in the order of their starts
    fails, large = (next(log for id, log in logs.items() if name in id) for name in ("fails", "large"))
    assert [next(log.events(), None) is None for log in (fails, large)] == [False, False]
    expect(heading(page)).to_have_text(plain(fails.summary["text"]))
    table = page.get_by_role("region", name="Logs")
    for log in bundle.logs:
        expect(table).to_contain_text(plain(log.summary["text"]))
    page.get_by_role("link", name="Compiles", exact=True).click()
    expect(page.get_by_role("grid", name="Compiles").get_by_role("row")).to_have_count(1 + len(listed(fails)))
    page.get_by_role("link", name="Overview", exact=True).click()
    row = (
        page.get_by_role("region", name="Logs")
        .get_by_role("row")
        .filter(has_text=plain(large.summary["text"]))
    )
    row.get_by_role("link").click()
    expect(heading(page)).to_have_text(plain(large.summary["text"]))


def test_a_bundle_without_findings(show, bundle_of, tmp_path):
    folder = tmp_path / "bundle"
    redact(
        Bundle.open(bundle_of("recompiles", "none")),
        folder,
        policy("share-with-vendor", keep=TEXTS, drop=["findings"]),
    )
    page, bundle = show(folder)
    expect(page.get_by_text(LEFT_OUT)).to_be_visible()
    expect(heading(page)).to_have_text(re.compile(r"log_[a-z2-7]{8}\.log"))
    expect(page.get_by_role("main")).to_contain_text("Slowest")
    page.get_by_role("link", name="Recompiles", exact=True).click()
    codes = bundle.logs[0].table("code_objects")
    expect(page.get_by_role("grid", name="Recompiled functions").get_by_role("row")).to_have_count(
        1 + len(codes)
    )
    for view, label in [
        ("failures", "Failures"),
        ("caches", "Caches"),
        ("guards", "Guards of the compiles"),
        ("symbols", "Symbols"),
    ]:
        page.evaluate("view => { location.hash = `#v=1&view=${view}` }", view)
        settle(page)
        expect(page.get_by_role("grid", name=label, exact=True)).to_be_visible()
        expect(page.get_by_role("alert")).to_have_count(0)
    page.evaluate("location.hash = '#v=1&view=compile&compile=0/1'")
    expect(page.get_by_role("region", name="Summary")).to_contain_text(
        "tensor 'x' size mismatch at index 0. expected 4, actual 5"
    )


HOSTILE = '<img src=x onerror="document.title=1"> `<b>bold</b>` [link](javascript:alert(1))'


def made_up(rows, **changes):
    return {
        **rows[0],
        "kind": "of-another-package", "fingerprint": "00000000000000aa", "title": "Made up in `some_function`", "text": "First.\n\nSecond `code`.",
        "function": "some_function", "file": "made.py", "line": 7, "count": 3, "cost_us": 1_500_000, "cost_of": "time of nothing", "because_of": None,
        "remedies": [{"text": "Do `this`.", "code": "this()", "source": "torch"}], "details": {"anything": [1, {"a": None}]}, **changes,
    }  # fmt: skip


def test_an_unknown_kind_is_shown_like_the_others(show, changed):
    folder = changed(
        "recompiles",
        lambda rows: [*rows, made_up(rows, id=len(rows), compiles=["0/1"], events=[41], because_of=0)],
    )
    page, bundle = show(folder)
    card = cards(page.get_by_role("region", name="Findings")).filter(
        has=page.get_by_role("heading", name="Made up in some_function")
    )
    for text in [
        "made.py:7",
        "3 times",
        "1.5 s time of nothing",
        "First.",
        "Second code.",
        "torch",
        "Do this.",
        "this()",
        "of another package",
    ]:
        expect(card).to_contain_text(text)
    for link in ["[0/1]", "record 41", plain(bundle.logs[0].findings()[0]["title"])]:
        expect(card.get_by_role("link", name=link)).to_be_visible()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    card.get_by_role("button", name="Copy").click()
    expect(card.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "this()"


def test_hostile_words_are_text(show, changed):
    def change(rows):
        return [
            made_up(
                rows,
                title=HOSTILE,
                text=HOSTILE,
                function=HOSTILE,
                file=HOSTILE,
                cost_of=HOSTILE,
                kind=HOSTILE,
                remedies=[{"text": HOSTILE, "code": HOSTILE, "source": "tlparse-bundle"}],
            )
        ]

    page, _ = show(changed("basic_inference", change, HOSTILE))
    expect(heading(page)).to_have_text(plain(HOSTILE))
    card = cards(page.get_by_role("region", name="Findings"))
    expect(card.get_by_role("heading")).to_contain_text(plain(HOSTILE))
    assert card.get_by_text(plain(HOSTILE)).count() > 3
    assert page.locator("main img, main b:has-text('bold'), main a[href^='javascript']").count() == 0


def test_of_many_the_first_are_shown_and_all_when_asked(show, changed):
    def change(rows):
        return [made_up(rows, id=n, title=f"number {n}", fingerprint=f"{n:016x}") for n in range(31)]

    folder = changed("basic_inference", change)
    page, _ = show(folder)
    place = page.get_by_role("region", name="Findings")
    expect(cards(place)).to_have_count(SHOWN)
    place.get_by_role("button", name="Show all 31").click()
    expect(cards(place)).to_have_count(31)
    expect(place.get_by_role("button", name="Show all 31")).to_have_count(0)
    page, _ = show(
        folder, f"#v=1&view=overview&item={30:016x}"
    )  # the address names one of those below the button
    expect(page.get_by_role("listitem").and_(page.locator("[aria-current]"))).to_contain_text("number 30")


@pytest.mark.parametrize(
    "fixture",
    [
        *(
            "recompiles",
            "graph_breaks",
            "failures",
            "killed",
            "caches",
            "export_dtrace",
            "dynamic_shapes",
            "aoti",
        ),
        *(f"versions/2.13.0/{name}.log.zst" for name in ("autotune_gemms", "fallbacks")),
        *(f"cuda/{name}.log.zst" for name in ("cuda_graphs", "kernels")),
        *(f"versions/2.15.0/{name}.log.zst" for name in ("native_ops", "stuck_worker", "worker_dies")),
    ],
)
def test_titles_lead_to_the_rows_that_show_them(show, fixture):
    page, bundle = show(fixture)
    log = most_to_say(bundle)
    for row in log.findings()[:SHOWN]:
        link = (
            page.get_by_role("region", name="Findings")
            .get_by_role("heading", name=plain(row["title"]), exact=False)
            .get_by_role("link")
            .first
        )
        link.click()
        settle(page)
        main = page.get_by_role("main")
        expect(main).not_to_contain_text("There is no ")
        if row["kind"] == "slow-span" or row["details"].get("when") == "run":  # in the timeline
            expect(main).to_contain_text("found")
        else:
            expect(
                cards(main).filter(has=page.get_by_role("heading", name=plain(row["title"]))).first
            ).to_be_visible()
        page.go_back()
        expect(heading(page)).to_have_text(plain(log.summary["text"]))


def test_the_page_of_a_compile_shows_the_findings_about_it(show):
    page, bundle = show("recompiles", "#v=1&view=compile&compile=3/2")
    (log,) = bundle.logs
    about = [plain(row["title"]) for row in log.findings() if "3/2" in row["compiles"]]
    assert about
    settle(page)
    shown = cards(page.get_by_role("region", name="Summary"))
    assert [article.get_attribute("aria-label") for article in shown.all()] == about


def test_the_list_of_bundles_shows_the_summary(page, served, bundle_of):
    new = bundle_of("recompiles")
    page.goto(f"{served({'new': new, 'other': bundle_of('killed')})}/viewers/home/")
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="new"))
    summary = Bundle.open(new).logs[0].summary
    expect(row).to_contain_text(plain(summary["text"]))
    expect(row.get_by_role("cell").nth(column(page, "Compiles"))).to_have_text(str(summary["compile_count"]))
