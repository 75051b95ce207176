"""Artifacts open as torch wrote them, and the page holds only the visible part of large ones."""

import base64
import hashlib
import json
import re
from collections import Counter
from functools import cache

import pytest
from log_builder import log, record
from pages import becomes, expect_address, go
from playwright.sync_api import expect
from provenance_graphs import key_of


def address(artifacts, artifact):
    """Return the name, with '@2' for its second artifact, as the viewer writes it."""
    nth = [a.event for a in artifacts if a.name == artifact.name].index(artifact.event) + 1
    return artifact.name if nth == 1 else f"{artifact.name}@{nth}"


def shown_text(page, name):
    """Return the lines in the page, put together. Short texts are complete there."""
    lines = page.get_by_role("region", name=f"Text of {name}", exact=True).locator(".code-line .text")
    expect(lines.first).to_be_visible()
    return "\n".join(lines.evaluate_all("all => all.map((line) => line.textContent)"))


def expect_text(page, name, text):
    """Wait until the whole text is in the page."""
    becomes(lambda: shown_text(page, name), text)


# Downloads handed to the browser, instead of the saving: Chromium drops the eleventh download of a second.
SAVED = """() => {
  const blobs = {}, create = URL.createObjectURL;
  URL.createObjectURL = (blob) => { const url = create.call(URL, blob); blobs[url] = blob; return url; };
  HTMLAnchorElement.prototype.click = function () {
    if (this.download) window.saved = new Promise((done) => { const reader = new FileReader(); reader.onload = () => done([this.download, reader.result.split(",")[1]]); reader.readAsDataURL(blobs[this.href]); });
  };
}"""


@pytest.mark.parametrize("fixture", ["train_step", "graph_breaks", "nonascii"])
def test_artifacts_of_every_name_open_and_are_the_payload(show, fixture):
    """The first two of a name in a log, and those of a name that a compile has more than once."""
    page, bundle = show(fixture)
    seen = 0
    opened = Counter()
    attempts = {}
    for artifact in bundle.logs[0].artifacts:
        attempts.setdefault(key_of(artifact.row), []).append(artifact)
    for name, artifacts in attempts.items():
        for artifact in artifacts:
            part = address(artifacts, artifact)
            opened[artifact.name] += 1
            if artifact.sha256 is None or (opened[artifact.name] > 2 and part == artifact.name):
                continue
            place = f"#v=1&view=compile&compile={name}&artifact={part}"
            page.evaluate("hash => { location.hash = hash }", place)
            pane = page.get_by_role("region", name=f"Text of {artifact.name}", exact=True)
            expect(page.get_by_role("link", name="record", exact=True)).to_have_attribute(
                "href", f"#v=1&view=events&event={artifact.event}"
            )
            if seen == 0:
                with page.expect_download() as download:
                    page.get_by_role("button", name="Download").click()
                assert download.value.path().read_bytes() == artifact.bytes(), place
                page.evaluate(SAVED)
            saved, data = page.get_by_role("button", name="Download").evaluate(
                "button => { button.click(); return saved; }"
            )
            assert saved and base64.b64decode(data) == artifact.bytes(), place
            if artifact.language != "json":
                first = artifact.text().split("\n")[0]
                expect(pane.locator(".code-line .text").first).to_have_text(first, use_inner_text=True)
            seen += 1
    assert seen > 10


def test_short_text_is_there_in_full(show):
    text = "first\n\n  indented\ttab\n" + "é" * 30 + "\nlast \u2028 line"
    page, _ = show(
        log("") + record("artifact:notes 0/0", payload=text), "#v=1&view=compile&compile=0/0&artifact=notes"
    )
    expect_text(page, "notes", text)


def test_artifact_is_reached_by_clicks(show):
    page, bundle = show("train_step")
    page.get_by_role("link", name="Compiles", exact=True).click()
    page.get_by_role("grid", name="Compiles").get_by_role("link", name="[0/0]").click()
    page.get_by_role("navigation", name="Artifacts").get_by_role("link", name="aot_joint_graph").click()
    (artifact,) = (a for a in bundle.logs[0].artifacts if a.name == "aot_joint_graph")
    expect(page.get_by_role("region", name="Text of aot_joint_graph")).to_contain_text(
        artifact.text().split("\n")[0]
    )
    expect_text(page, "aot_joint_graph", artifact.text())


def test_same_artifact_of_the_next_compile(show):
    page, bundle = show("recompiles", "#v=1&view=compile&compile=0/0&artifact=dynamo_output_graph")
    graphs = {a.compile: a.text() for a in bundle.logs[0].artifacts if a.name == "dynamo_output_graph"}
    assert graphs["0/0"] != graphs["0/1"]
    pane = page.get_by_role("region", name="Text of dynamo_output_graph")
    expect(pane).to_contain_text(graphs["0/0"].split("\n")[-2].strip())
    page.keyboard.press("]")
    expect(page.get_by_role("heading", level=1)).to_contain_text("[0/1]")
    expect(page.get_by_role("link", name="dynamo_output_graph")).to_have_attribute("aria-current", "true")
    expect_text(page, "dynamo_output_graph", graphs["0/1"])
    page.keyboard.press("[")
    expect(page.get_by_role("heading", level=1)).to_contain_text("[0/0]")
    page.get_by_role("button", name="Next compile").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("[0/1]")


def test_stack_and_metrics_of_a_compile(show):
    page, bundle = show("train_step", "#v=1&view=compile&compile=0/0")
    compile = bundle.logs[0].compile("0/0")
    page.get_by_role("navigation", name="Artifacts").get_by_role("link", name="Stack").click()
    frames = page.get_by_role("region", name="Stack").get_by_role("listitem")
    expect(frames).to_have_count(len(compile.stack))
    expect(frames.last).to_contain_text("forward")
    page.get_by_role("link", name="Metrics", exact=True).click()
    metrics = page.get_by_role("region", name="Metrics")
    for name, value in compile.metrics.items():
        if value not in (None, ""):
            expect(metrics.get_by_text(name, exact=True)).to_be_attached()


def test_json_is_laid_out_and_can_be_seen_as_written(show):
    written = '{"b":[1,{"x":12345678901234567890}],"a":"{\\"not\\": [split]}","e":{},"n":[]}'
    data = record('artifact:facts 0/0 {"encoding": "json"}', payload=written)
    page, _ = show(data, "#v=1&view=compile&compile=0/0&artifact=facts")
    pretty = page.get_by_role("button", name="Pretty")
    expect(pretty).to_have_attribute("aria-pressed", "true")
    laid_out = shown_text(page, "facts")
    assert json.loads(laid_out) == json.loads(written)
    assert "12345678901234567890" in laid_out and laid_out.count("\n") > 6
    pretty.click()
    expect_text(page, "facts", written)


def test_artifact_without_payload_shows_its_metadata(show):
    data = log('artifact:bare 0/0 {"encoding": "json", "extra": "kept"}')
    page, _ = show(data, "#v=1&view=compile&compile=0/0&artifact=bare")
    expect(page.get_by_role("region", name="JSON of bare")).to_contain_text('"extra": "kept"')


def test_links_are_links_only_for_the_web(show):
    urls = {
        "https://example.com/x?y=1": True,
        "javascript:alert(1)": False,
        "data:text/html,x": False,
        "": False,
    }
    page, _ = show(
        b"".join(
            log(f"link 0/{n} " + json.dumps({"name": "profile", "url": url})) for n, url in enumerate(urls)
        )
    )
    for n, (url, web) in enumerate(urls.items()):
        go(page, f"#v=1&view=compile&compile=0/{n}&artifact=profile")
        main = page.get_by_role("main")
        expect(main.get_by_role("region", name="JSON of")).to_contain_text(json.dumps(url))
        links = main.locator("a:not([href^='#'])")
        expect(links).to_have_count(1 if web else 0)
        if web:
            expect(links).to_have_attribute("href", url)
            expect(links).to_have_attribute("rel", "noopener noreferrer")


@cache
def long_lines():
    return "\n".join(
        f"line {n} of the text: x_{n} = relu({n}) # {'needle' if n % 30_000 == 7 else 'hay'}"
        for n in range(100_000)
    )


@pytest.fixture
def long_text(show):
    page, _ = show(
        record("artifact:long 0/0", payload=long_lines()), "#v=1&view=compile&compile=0/0&artifact=long"
    )
    expect(page.get_by_text("100,000 lines")).to_be_visible()
    return page


def test_a_hundred_thousand_lines(long_text):
    page = long_text
    pane = page.get_by_role("region", name="Text of long")
    lines = pane.locator(".code-line")
    assert lines.count() < 200
    pane.evaluate("element => { element.scrollTop = element.scrollHeight }")
    expect(pane.get_by_text("line 99999 of")).to_be_visible()
    assert lines.count() < 200
    page.keyboard.press("f")
    page.keyboard.type("needle")
    expect(page.get_by_text("1 of 4", exact=True)).to_be_visible()
    expect(pane.locator("mark.current")).to_have_text("needle")
    for n in (30_007, 60_007, 90_007, 7):
        page.keyboard.press("Enter")
        expect(pane.get_by_text(f"line {n} of")).to_be_in_viewport()
    page.keyboard.press("Shift+Enter")
    expect(page.get_by_text("4 of 4", exact=True)).to_be_visible()
    assert lines.count() < 200


COPIED = """() => { addEventListener("copy", (event) => { window.copied = event.clipboardData.getData("text/plain"); }, { once: true }); }"""


def copied(page):
    """Return the text that Ctrl+C puts on the clipboard."""
    page.evaluate(COPIED)
    page.keyboard.press("Control+C")
    return page.evaluate("window.copied")


def test_keys_of_the_browser_apply_to_the_whole_text(long_text):
    page = long_text
    pane = page.get_by_role("region", name="Text of long")
    field = page.get_by_label("Find in this text")
    pane.locator(".code-line .text").nth(5).click()
    page.keyboard.press("Control+A")
    expect(page.get_by_text("all 100,000 lines selected")).to_be_visible()
    expect(pane).to_have_class(re.compile("all-selected"))
    assert copied(page) == long_lines()
    page.keyboard.press("Escape")
    expect(page.get_by_text("all 100,000 lines selected")).to_have_count(0)

    # A selection with the mouse continues beyond the painted lines, from the 6th character of the second line
    start, end = (pane.locator(".code-line .text").nth(n).bounding_box() for n in (1, 9))
    width = (
        pane.locator(".code-line .text")
        .nth(1)
        .evaluate(
            "e => { const r = document.createRange(); r.setStart(e.firstChild, 0); r.setEnd(e.firstChild, 1);"
            " return r.getBoundingClientRect().width }"
        )
    )
    page.mouse.move(start["x"] + 5 * width, start["y"] + 9)
    page.mouse.down()
    page.mouse.move(end["x"] + 6 * width, end["y"] + 9)
    assert page.evaluate("String(getSelection())").startswith("1 of the text"), "the browser selects, too"
    pane.evaluate("element => { element.scrollTop = 50_000 * 18 }")
    expect(pane.get_by_text("line 50001 of")).to_be_visible()
    page.mouse.move(end["x"] + 7 * width, end["y"] + 9)
    page.mouse.up()
    lines = long_lines().split("\n")
    last = page.evaluate(
        """() => { const row = getSelection().focusNode.parentElement.closest(".code-line"); return Number(row.querySelector(".gutter").dataset.line) }"""
    )
    assert last > 40_000
    expected = "\n".join([lines[1][5:], *lines[2 : last - 1], lines[last - 1][:7]])
    assert copied(page) == expected
    pane.evaluate("element => { element.scrollTop = 80_000 * 18 }")
    expect(pane.get_by_text("line 80001 of")).to_be_visible()
    assert copied(page) == expected, "what is selected stays so when its rows are out of sight"

    pane.evaluate(
        "element => { element.scrollTop = 0; return new Promise((drawn) => requestAnimationFrame(() =>"
        " requestAnimationFrame(drawn))) }"
    )  # rows are redrawn
    pane.get_by_text("line 7 of", exact=False).first.dblclick(position={"x": 7 * width, "y": 9})
    page.wait_for_function("String(getSelection()).trim() === 'of'")
    page.keyboard.press("Control+F")
    expect(field).to_be_focused()
    expect(field).to_have_value("of")
    expect(
        page.get_by_text("8 of 10,000 or more", exact=True)
    ).to_be_visible()  # in the line of the selection
    page.keyboard.press("F3")
    expect(page.get_by_text("9 of 10,000 or more", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    expect(pane).to_be_focused()
    page.evaluate(
        "() => { window.taken = []; addEventListener('keydown', (event) => { if (event.key.toLowerCase() ==="
        " 'f') taken.push(event.defaultPrevented); }) }"
    )
    page.keyboard.press("Control+F")
    page.keyboard.press("Control+F")
    assert page.evaluate("taken") == [True, False], "from the field the browser's own find is one key away"
    field.fill("NEEDLE")
    expect(page.get_by_text("1 of 4", exact=True)).to_be_visible()
    page.keyboard.press("Shift+F3")
    expect(page.get_by_text("4 of 4", exact=True)).to_be_visible()

    # the key comes before the browser has reported a selection
    begins = pane.evaluate("""pane => {
      const text = document.createTreeWalker(pane.querySelector(".text"), NodeFilter.SHOW_TEXT).nextNode();
      pane.focus();
      getSelection().setBaseAndExtent(text, 0, text, 3);
      pane.dispatchEvent(new KeyboardEvent("keydown", { key: "f", ctrlKey: true, bubbles: true, cancelable: true }));
      return text.data.slice(0, 3);
    }""")
    expect(field).to_have_value(begins)


def test_find_whole_words_expressions_and_case(long_text):
    page = long_text
    pane = page.get_by_role("region", name="Text of long")
    field = page.get_by_label("Find in this text")
    case, word, pattern = (
        page.get_by_role("button", name=name) for name in ("Match case", "Whole words", "Regular expression")
    )
    status = page.locator(".find-status")
    field.fill("X_3000")
    expect(status).to_have_text("1 of 11")
    case.click()
    expect(case).to_have_attribute("aria-pressed", "true")
    expect(status).to_have_text("not found")
    field.fill("x_3000")
    word.click()
    expect(status).to_have_text("1 of 1")
    word.click()
    pattern.click()
    field.fill(r"x_\d*7 = .*# needle$")
    expect(status).to_have_text("2 of 4")  # the first one after the previous match
    current = pane.locator("mark.current")
    becomes(lambda: "".join(current.all_inner_texts()), "x_30007 = relu(30007) # needle")
    field.fill("relu(")
    expect(status).to_have_text(re.compile("^not a regular expression: .*group"))
    expect(field).to_have_attribute("aria-invalid", "true")
    field.fill(r"x_(\d|\d\d)+!")  # tries all ways to read the digits: never ends, but with only a few digits
    expect(status).to_have_text("not found")
    expect(field).not_to_have_attribute("aria-invalid", "true")


def test_an_endless_expression_does_not_block_the_page(show):
    text = "\n".join([*["ab"] * 500, "a" * 200, "ab"])
    page, _ = show(record("artifact:hard 0/0", payload=text), "#v=1&view=compile&compile=0/0&artifact=hard")
    expect(page.get_by_text("502 lines")).to_be_visible()
    page.get_by_role("button", name="Regular expression").click()
    page.get_by_label("Find in this text").fill("^(a+)+b$")
    page.get_by_role("button", name="Wrap").click()  # the page still responds
    expect(page.get_by_role("button", name="Wrap")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".find-status")).to_have_text(re.compile("stopped after line .*is too slow"))
    page.get_by_label("Find in this text").fill("^a+b$")
    expect(page.locator(".find-status")).to_have_text("1 of 501")


def test_line_has_an_address(long_text):
    page = long_text
    page.get_by_label("Find in this text").fill(":54321")
    expect(page.locator(".code-line.marked")).to_contain_text("line 54320 of")
    expect_address(page, "line=54321")
    page.reload()
    expect(page.locator(".code-line.marked")).to_contain_text("line 54320 of")
    expect(page.locator(".code-line.marked")).to_be_in_viewport()


def test_wrap_shows_the_whole_line(show):
    line = " ".join(f"word{n}" for n in range(2_000))
    page, _ = show(
        record("artifact:wide 0/0", payload=f"before\n{line}\nafter"),
        "#v=1&view=compile&compile=0/0&artifact=wide",
    )
    pane = page.get_by_role("region", name="Text of wide")
    wide = "element => element.scrollWidth > element.clientWidth + 1"
    expect(pane.locator(".code-line").nth(2)).to_be_attached()
    becomes(lambda: pane.evaluate(wide))
    field = page.get_by_label("Find in this text")
    field.fill("word1999")
    expect(pane.locator("mark.current")).to_be_in_viewport(ratio=1)
    assert pane.evaluate("element => element.scrollLeft") > 0
    field.fill("")
    field.press_sequentially(":3")  # no search for ':' on the way
    expect(pane.locator(".marked")).to_contain_text("after")
    becomes(lambda: pane.evaluate("element => element.scrollLeft"), 0)
    page.get_by_role("button", name="Wrap").click()
    expect(page.get_by_role("button", name="Wrap")).to_have_attribute("aria-pressed", "true")
    becomes(lambda: pane.evaluate(wide), False)
    becomes(lambda: "".join(shown_text(page, "wide").split("\n")), f"before{line}after")
    becomes(
        lambda: [
            n
            for n in pane.locator(".gutter").evaluate_all("all => all.map((g) => g.dataset.line)")
            if n.isdigit()
        ],
        ["1", "2", "3"],
    )


def test_copy_takes_the_whole_text(new_page, bundle_of, address_of):
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    folder = bundle_of(record("artifact:long 0/0", payload=long_lines()))
    page.goto(address_of(folder) + "#v=1&view=compile&compile=0/0&artifact=long")
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == long_lines()
    page.get_by_label("Find in this text").fill("zzz")
    page.get_by_role("region", name="Text of long").focus()
    page.evaluate("navigator.clipboard.writeText('')")
    page.keyboard.press("Control+A")
    page.keyboard.press("Control+C")
    assert page.evaluate("navigator.clipboard.readText()") == long_lines()


def test_equal_text_elsewhere_is_named(show):
    data = log("""
        artifact:graph 0/0
            | same
        artifact:graph 0/1
            | same
        artifact:graph 0/2
            | other
    """)
    page, _ = show(data, "#v=1&view=compile&compile=0/0&artifact=graph")
    header = page.get_by_role("region", name="Artifact", exact=True)
    expect(header.get_by_text("same text in")).to_be_visible()
    expect(header.get_by_role("link", name="[0/1]")).to_be_visible()
    expect(header.get_by_role("link", name="[0/2]")).to_have_count(0)


def test_the_index_has_every_artifact_of_every_compile(show):
    """Everything is on the page, for the search of the browser."""
    page, bundle = show("recompiles", "#v=1&view=artifacts")
    (log,) = bundle.logs
    artifacts = log.table("artifacts")
    index = page.get_by_role("region", name="All artifacts")
    expect(page.get_by_role("status").filter(has_text=f"{len(artifacts)} artifacts")).to_be_visible()
    items = index.get_by_role("listitem")
    expect(items).to_have_count(len(artifacts))
    named = items.locator(":scope > a").all_inner_texts()
    assert Counter(name.split(" (")[0] for name in named) == Counter(row["name"] for row in artifacts)
    headings = index.get_by_role("heading", level=2).all_inner_texts()
    assert {h.split("]")[0] + "]" for h in headings if h[0] == "["} == {
        f"[{row['compile']}]" if not row["attempt"] else f"[{row['compile']}_{row['attempt']}]"
        for row in artifacts
        if row["compile"]
    }
    seen, repeated = set(), 0
    for row in artifacts:
        repeated += row["sha256"] in seen
        seen |= {row["sha256"]} - {None}
    expect(index.get_by_text("Same as")).to_have_count(repeated)

    first = items.locator(":scope > a").first
    first.focus()
    page.keyboard.press("ArrowDown")
    expect(items.locator(":scope > a").nth(1)).to_be_focused()
    page.keyboard.press("End")
    expect(items.locator(":scope > a").last).to_be_focused()

    graph = next(row for row in artifacts if row["name"] == "dynamo_output_graph")
    with page.expect_download() as saved:
        index.get_by_role("button", name=f"Download {graph['name']} of [{graph['compile']}]").click()
    assert hashlib.sha256(saved.value.path().read_bytes()).hexdigest() == graph["sha256"]

    page.get_by_label("Filter artifacts").fill("guards_str")
    wanted = sum("guards_str" in row["name"] for row in artifacts)
    expect(items).to_have_count(wanted)
    items.locator(":scope > a").first.click()
    expect(page.get_by_role("region", name=re.compile("^Text of dynamo_cpp_guards_str"))).to_be_visible()
    events = [row["event"] for row in artifacts]
    here = next(row for row in artifacts if row["name"] == "dynamo_cpp_guards_str")
    after = artifacts[events.index(here["event"]) + 1]
    page.get_by_role("link", name="Next artifact").click()
    expect_address(page, f"artifact={after['name']}")
    page.get_by_role("link", name="Previous artifact").click()
    expect_address(page, "artifact=dynamo_cpp_guards_str")
