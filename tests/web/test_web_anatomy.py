"""The size of the log by kind, place and compile."""

from pages import expect_address
from playwright.sync_api import expect


def detail(page, what):
    return page.get_by_role("region", name=f"Log by {what}: the selected one")


def size(n):
    return f"{n / 1e3:.3g} kB" if n >= 1000 else f"{n} B"


def test_by_kind_largest_first_with_its_compiles(show):
    page, bundle = show("transformer")
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Log anatomy").click()
    log = bundle.logs[0]
    kinds = sorted(log.directory["kinds"], key=lambda kind: -kind["size_bytes"])
    rows = page.get_by_role("grid", name="Log by kind of record").get_by_role("row")
    for row, kind in zip(rows.all()[1:4], kinds, strict=False):
        expect(row).to_contain_text(kind["name"] or kind["type"])
        expect(row).to_contain_text(size(kind["size_bytes"]))
    distinct = sum(kind["distinct_payload_size_bytes"] for kind in log.table("kinds"))
    expect(page.get_by_role("main")).to_contain_text(f"distinct payloads {size(distinct)}")
    rows.nth(1).click()
    expect(detail(page, "kind of record")).to_contain_text("[0/0]")


def test_by_place_and_by_compile(show):
    page, bundle = show("transformer", "#v=1&view=anatomy")
    log = bundle.logs[0]
    page.get_by_role("button", name="By call site").click()
    origin = max(log.table("origins"), key=lambda row: row["size_bytes"])
    expect(detail(page, "call site in torch").get_by_role("heading", level=2)).to_have_text(
        f"{origin['path']}:{origin['line']}"
    )
    page.get_by_role("button", name="By compile").click()
    expect_address(page, "by=compile")
    page.get_by_role("row", name="[0/0] forward").click()
    cells = detail(page, "compile").get_by_role("region", name="By kind").get_by_role("row")
    expect(cells).to_have_count(1 + sum(row["compile"] == "0/0" for row in log.table("kind_compiles")))
    detail(page, "compile").get_by_role("link", name="show", exact=True).click()
    expect(page.get_by_role("grid", name="Records")).to_be_visible()


def test_the_records_of_a_kind(show):
    page, _ = show("transformer", "#v=1&view=anatomy&item=describe_tensor")
    detail(page, "kind of record").get_by_role("link", name="show", exact=True).click()
    expect(page.get_by_text("25 of 316 records")).to_be_visible()
