"""Malformed bundles: a sentence in place of the data, nothing hangs, and no other requests."""

import hashlib
import json
import shutil

import pytest
import traces
from fuzz.mutations import bomb, claiming
from pages import asked, go, settle
from playwright.sync_api import expect

LOG = "logs/fixture0"
HUGE = 10**15


@pytest.fixture
def spoilt(bundle_of, address_of, tmp_path, page_that):
    """Return spoilt(path, change, hash, codec): the page on a copy of a bundle with ``change`` applied to one
    file.
    """

    def open_it(
        path, change, hash="", *, fixture="basic_inference", codec="none", server="serve", errors=False
    ):
        folder = tmp_path / "bundle"
        shutil.copytree(bundle_of(fixture, codec), folder)
        if isinstance(change, bytes):
            (folder / path).write_bytes(change)
        else:
            traces.rewrite(folder, path, change)
        page = page_that(errors)
        page.goto(address_of(folder, server) + hash)
        settle(page)
        return page

    return open_it


def put(*place):
    """Return a change that sets the value at the place given by the other arguments."""
    *keys, last, value = place

    def change(document):
        for key in keys:
            document = document[key]
        document[last] = value

    return change


def alert(page):
    return page.get_by_role("alert")


def test_a_cycle_of_stacks_does_not_hang(spoilt):
    page = spoilt(f"{LOG}/stacks.jsonl", put(0, "parent", 0), "#v=1&view=compile&compile=0/0")
    expect(page.get_by_role("main")).to_contain_text("row 0 has the id 0 and the parent 0")
    go(page, "#v=1&view=compiles")
    expect(page.get_by_role("heading", level=1)).to_have_text("Compiles")
    expect(alert(page)).to_have_count(0)


def test_a_cycle_of_spans_does_not_hang(spoilt):
    page = spoilt(
        f"{LOG}/spans.jsonl",
        lambda rows: [row | {"parent": {1: 2, 2: 1}.get(row["id"], row["parent"])} for row in rows],
        "#v=1&view=timeline",
    )
    expect(alert(page)).to_contain_text("parent: row 1 is its own ancestor")


@pytest.mark.parametrize(
    ("path", "change", "view", "words"),
    [
        (f"{LOG}/log.json", put("event_count", HUGE), "overview", "the log has 1000000000000000 events"),
        (f"{LOG}/log.json", put("tables", "events", "files", 0, "rows", HUGE), "overview", "the files of events have events up to 999999999999999"),
        (f"{LOG}/spans.jsonl", put(0, "lane", HUGE), "timeline", "row 0.lane: 1000000000000000, but has only"),
        (f"{LOG}/compiles.jsonl", put(0, "compile", None), "overview", "[0].compile is null, not a text"),
        (f"{LOG}/compiles.jsonl", put(0, []), "overview", "[0] is an array, not an object"),
        (f"{LOG}/artifacts.jsonl", put(0, "event", 99_999), "compile&compile=0/0", "[0].event is 99999, not an integer from 0 to"),
        (f"{LOG}/artifacts.jsonl", put(0, "name", None), "compile&compile=0/0", "[0].name is null, not a text"),
        (f"{LOG}/artifacts.jsonl", put(0, "offset", "x"), "compile&compile=0/0", '[0].offset is "x", not an integer of at least 0'),
        (f"{LOG}/events.jsonl", put(0, "line", 1e300), "events", "[0].line is 1e+300"),
        (f"{LOG}/events.jsonl", put(0, "event", 7), "events", "it begins with event 7, but log.json has 0"),
        (f"{LOG}/diagnostics.jsonl", put(0, {"event": None, "code": "x"}), "diagnostics", "[0].severity is missing"),
        ("manifest.json", put("descriptors", None), "overview", "descriptors is null, not an object"),
        ("manifest.json", put("logs", 0, "id", "../x"), "overview", "logs[0].id is"),
    ],
)  # fmt: skip
def test_malformed_files_are_reported_in_a_sentence(spoilt, path, change, view, words):
    page = spoilt(path, change, f"#v=1&view={view}")
    expect(alert(page).first).to_contain_text(words)
    expect(alert(page).first).to_contain_text("tlparse-bundle validate")


@pytest.mark.parametrize(
    "path",
    [
        "//127.0.0.1:9/x",
        "../../bundles.json",
        "data:application/json,{}",
        "/bundles.json",
        "manifest.json?x",
        "logs/%2e%2e/%2e%2e/x.json",
        "logs/other/log.json",
        "x" * 5000,
    ],
)
@pytest.mark.parametrize(
    "place",
    [
        ("manifest.json", "logs", 0, "path"),
        (f"{LOG}/log.json", "tables", "compiles", "files", 0, "path"),
        (f"{LOG}/log.json", "tables", "events", "files", 0, "path"),
    ],
    ids=lambda place: place[2],
)
def test_nothing_but_files_of_the_bundle_is_asked_for(spoilt, path, place):
    file, *keys = place
    page = spoilt(file, put(*keys, path), "#v=1&view=events")
    expect(alert(page).first).to_contain_text("is damaged: it names")
    own = page.url.partition("?bundle=")[2].partition("#")[0]
    assert all(
        f"{own}manifest.json" in url or f"{own}logs/fixture0/" in url or "/viewers/" in url
        for url in asked(page)
    )


@pytest.mark.parametrize("codec", ["zstd", "gzip"])
@pytest.mark.parametrize("server", ["serve", "static"])
def test_a_file_that_unpacks_without_end_is_refused(spoilt, codec, server):
    path = f"{LOG}/compiles.jsonl{'.zst' if codec == 'zstd' else '.gz'}"
    page = spoilt(path, bomb(path), "#v=1&view=overview", codec=codec, server=server, errors=True)
    expect(alert(page).first).to_contain_text(path)


def test_a_file_that_claims_to_be_enormous_is_refused(spoilt):
    page = spoilt(f"{LOG}/compiles.jsonl.zst", claiming(2**40), codec="zstd", server="static")
    expect(alert(page).first).to_contain_text("more than 256,000,000 bytes")


def test_a_blob_is_not_larger_than_the_bundle_says(bundle_of, address_of, tmp_path, page):
    folder = tmp_path / "bundle"
    shutil.copytree(bundle_of("basic_inference", "zstd"), folder)
    for blob in (folder / "blobs").rglob("*.zst"):
        blob.write_bytes(claiming(2**40) if len(blob.name) % 2 else bomb("x.zst"))
    page.goto(address_of(folder, "static") + "#v=1&view=compile&compile=0/0&artifact=inductor_output_code")
    expect(alert(page)).to_contain_text("the limit for such a file")


def test_a_blob_with_another_content_is_not_searched(bundle_of, address_of, tmp_path, page):
    folder = tmp_path / "bundle"
    shutil.copytree(bundle_of("basic_inference", "none"), folder)
    for blob in (folder / "blobs").rglob("*"):
        if blob.is_file():
            blob.write_bytes(b"needle " * (blob.stat().st_size // 7) + b" " * (blob.stat().st_size % 7))
            assert hashlib.sha256(blob.read_bytes()).hexdigest() != blob.name
    page.goto(address_of(folder) + "#v=1&view=search&q=needle&in=text")
    settle(page)
    expect(page.get_by_role("main")).to_contain_text("is damaged")
    expect(page.get_by_text("needle needle")).to_have_count(0)


def test_a_file_that_is_given_out_as_two_tables_has_to_look_like_both(spoilt):
    page = spoilt(
        f"{LOG}/log.json",
        put("tables", "stacks", "files", 0, "path", f"{LOG}/compiles.jsonl"),
        "#v=1&view=compile&compile=0/0",
    )
    expect(page.get_by_role("main")).to_contain_text("[0].id is missing")


def test_a_failure_after_an_event_is_reported(spoilt):
    page = spoilt(f"{LOG}/stacks.jsonl", lambda document: None, errors=True)
    page.evaluate(
        "document.querySelector('main').addEventListener('click', () => null.x, { once: true });"
        " document.querySelector('main').click()"
    )
    expect(alert(page)).to_contain_text("this is a bug in the viewer")
    alert(page).get_by_text("Where").click()
    expect(alert(page)).to_contain_text("TypeError")
    alert(page).get_by_role("button", name="Close").click()
    expect(alert(page)).to_have_count(0)


def test_ranks_without_end_are_refused(bundle_of, address_of, tmp_path, page):
    folder = tmp_path / "bundle"
    shutil.copytree(bundle_of("ranks4", "none"), folder)
    target = folder / "ranks" / "rank_compiles.jsonl"
    first, *rest = target.read_text().splitlines(keepends=True)
    target.write_text("".join([json.dumps({**json.loads(first), "ranks": [[0, HUGE]]}) + "\n", *rest]))
    page.goto(address_of(folder).replace("/default/", "/multirank/"))
    expect(alert(page)).to_contain_text("[0].ranks is an array, not ascending ranges of ranks")
