"""The small viewers of docs/how-to/viewers.md: each opens, agrees with the bundle, is accessible and short."""

import re
import shutil

import pytest
import traces
from axe import violations_in_both_themes
from conftest import ROOT, VIEWERS
from playwright.sync_api import expect
from tlparse_bundle import Bundle

NAMES = re.findall(
    r"^\| `(\w+)` \|", (ROOT / "docs" / "how-to" / "viewers.md").read_text(encoding="utf-8"), re.MULTILINE
)


def test_they_exist_and_are_short():
    assert len(NAMES) >= 4
    for name in NAMES:
        assert len((VIEWERS / name / "main.js").read_text(encoding="utf-8").splitlines()) < 200


@pytest.fixture
def look(page, address_of):
    """Return look(viewer, bundle, hash): the page of a viewer."""

    def open_it(name, bundle, place=""):
        page.goto(address_of(bundle).replace("/default/", f"/{name}/").split("#")[0] + place)
        return page

    return open_it


def test_letter(look, bundle_of):
    place = bundle_of("ranks_extra_break")
    page = look("letter", place)
    bundle = Bundle.open(place)
    expect(page.get_by_role("region", name="All ranks")).to_contain_text(bundle.job["text"].replace("`", ""))
    for log in bundle.logs:
        expect(page.get_by_role("region", name=log.source)).to_contain_text(
            log.row["summary"]["text"].replace("`", "")
        )
    assert violations_in_both_themes(page) == []


def test_bytes(look, bundle_of):
    place = bundle_of("recompiles")
    page = look("bytes", place)
    kinds = Bundle.open(place).logs[0].directory["kinds"]
    largest = max(kinds, key=lambda kind: kind["size_bytes"])
    boxes = page.get_by_role("list", name="Kinds of records").get_by_role("listitem")
    expect(boxes.first).to_contain_text(largest["name"] or largest["type"])
    assert boxes.count() <= len(kinds)
    assert violations_in_both_themes(page) == []


def test_strip(look, bundle_of):
    place = bundle_of("recompiles")
    page = look("strip", place)
    expect(page.get_by_role("heading", level=1)).to_contain_text(
        f"{Bundle.open(place).logs[0].summary['compile_count']} compiles"
    )
    again = next(
        one
        for one in Bundle.open(place).logs[0].compiles
        if one.row["recompile_reason"] and one.row["total_us"]
    )
    page.get_by_role("link", name=f"{again.key} {again.row['function']},").click()
    expect(page.get_by_role("region", name="Compile")).to_contain_text(
        again.row["recompile_reason"].split("\n")[0][:40]
    )
    assert violations_in_both_themes(page) == []


@pytest.mark.parametrize("name", ["letter", "bytes", "strip"])
def test_strings_of_a_log_are_text(look, bundle_of, tmp_path, name):
    evil = "<img src=x onerror=\"document.title='broken'\">"
    out = tmp_path / "hostile"
    shutil.copytree(bundle_of("recompiles", "none"), out)
    log = Bundle.open(out).logs[0]
    for table, key in (("compiles", "function"), ("findings", "title")):
        (file,) = log.files(table)
        traces.rewrite(
            out, file["path"], lambda rows, key=key: [{**row, key: row[key] and evil} for row in rows]
        )
    page = look(name, out)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    if name == "letter":
        expect(page.locator("main")).to_contain_text(evil)
    assert page.locator("img").count() == 0 and page.title() != "broken"
