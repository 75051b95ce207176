"""Valid but enormous bundles: long names, long lists, deep stacks.

A page shows what anyone would read of them.
"""

import shutil

import pytest
import traces
from pages import go, settle
from playwright.sync_api import expect

LOG = "logs/fixture0"


@pytest.fixture
def enormous(bundle_of, address_of, tmp_path, page):
    """Return enormous({path: change}, hash): the page on a bundle with changed tables."""

    def open_it(changes, hash):
        folder = tmp_path / "bundle"
        shutil.copytree(bundle_of("basic_inference", "none"), folder)
        for path, change in changes.items():
            traces.rewrite(folder, f"{LOG}/{path}", change)
        page.goto(address_of(folder) + hash)
        settle(page)
        return page

    return open_it


def test_names_of_ten_million_characters_are_cut(enormous):
    def change(rows):
        for row in rows:
            row["function"], row["recompile_reason"] = ("f" * 999 + " ") * 10_000, "\u202e\x1b[31m" * 100_000

    page = enormous({"compiles.jsonl": change}, "#v=1&view=compile&compile=0/0")
    expect(page.get_by_role("heading", level=1)).to_contain_text("(9,990,000 more characters)")
    go(page, "#v=1&view=compiles")
    go(page, "#v=1&view=overview")
    assert page.evaluate("document.body.innerText.length") < 1_000_000


def test_half_a_million_artifacts_of_one_compile(enormous):
    def change(rows):
        counts["rows"] = len(rows) + 500_000
        rows += [rows[-1]] * 500_000

    def directory(document):
        entry = document["tables"]["artifacts"]
        entry["rows"] = entry["files"][0]["rows"] = counts["rows"]

    counts = {}
    page = enormous({"artifacts.jsonl": change, "log.json": directory}, "#v=1&view=compiles")
    for key in page.evaluate(
        "[...document.querySelectorAll('[href*=\"compile=\"]')].map((link) => link.hash)"
    ):
        go(page, key)
    assert page.locator("*").count() < 100_000


def test_a_stack_of_a_hundred_thousand_frames(enormous):
    depths = {}

    def stacks(rows):
        first = len(rows)
        rows += [{**rows[0], "id": id, "parent": id - 1} for id in range(first, first + 100_000)]
        depths["last"] = first + 99_999

    def directory(document):
        entry = document["tables"]["stacks"]
        entry["rows"] = entry["files"][0]["rows"] = depths["last"] + 1

    def attempts(rows):
        for row in rows:
            row["stack"] = depths["last"]

    page = enormous(
        {"stacks.jsonl": stacks, "log.json": directory, "attempts.jsonl": attempts},
        "#v=1&view=compile&compile=0/0&artifact=~stack",
    )
    expect(page.get_by_text("The innermost 2,000 of")).to_be_visible()


def test_two_hundred_thousand_kinds(enormous):
    def change(directory):
        directory["kinds"] += [{**directory["kinds"][0], "name": f"k{n}"} for n in range(200_000)]

    page = enormous({"log.json": change}, "#v=1&view=events")
    assert page.get_by_role("combobox", name="Type").locator("option").count() < 3_000


def test_nested_metadata(enormous):
    deep = inner = {}
    for _ in range(900):
        inner["a"] = inner = {}

    def change(rows):
        for n, row in enumerate(rows):
            row["metadata"] = {"x": "DEEP"} if n else deep

    page = enormous({"metadata.jsonl": change}, "#v=1&view=events&event=1")
    expect(page.get_by_role("alert")).to_have_count(0)


def test_metadata_nested_too_deep_is_refused(enormous, tmp_path):
    page = enormous({}, "#v=1&view=overview")
    path = tmp_path / "bundle" / LOG / "metadata.jsonl"
    rows = traces.parsed(path.name, path.read_bytes())
    rows[0]["metadata"] = {"x": "DEEP"}
    path.write_text(traces.written(path.name, rows).decode().replace('"DEEP"', "[" * 50_000 + "]" * 50_000))
    page.evaluate("location.hash = '#v=1&view=events&event=1'")
    expect(page.get_by_role("alert")).to_contain_text("[0].metadata is more than 2000 objects in one another")
