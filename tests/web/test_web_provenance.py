"""The provenance viewer: known pairs followed through all panes in both directions, pins, keys, links."""

import json
import re

import pytest
from conftest import ROOT
from pages import address, becomes, go, settle
from playwright.sync_api import expect

FIXTURES = ["provenance", "provenance_training", "provenance_aoti", "provenance_graphs"]
TITLES = {
    "source": "User source",
    "pre": "Pre-grad graph",
    "post": "Post-grad graph",
    "code": "Generated code",
    "bodies": "Kernel bodies",
}


def facts(name):
    (truth,) = json.loads((ROOT / "fixtures" / name / "truth.json").read_text())["logs"].values()
    return truth["facts"]


@pytest.fixture
def view(page, bundle_of, address_of):
    """Return view(source, hash): the provenance viewer."""

    def open_it(source, hash="#v=1", server="serve"):
        page.goto(address_of(bundle_of(source), server).replace("/default/", "/provenance/") + hash)
        expect(page.get_by_role("button", name="Help")).to_be_visible()
        settle(page)
        return page

    return open_it


def body(page, pane):
    return page.get_by_role("region", name=f"{TITLES[pane]}: text")


def line(page, pane, text, nth=0):
    return body(page, pane).locator(".code-line").filter(has_text=text).nth(nth)


def lit(page, pane, mark="pinned"):
    """Return the texts of the highlighted lines."""
    return [text.strip() for text in body(page, pane).locator(f".code-line.{mark} .text").all_inner_texts()]


def nodes(texts):
    return {re.match(r"\w+", text)[0] for text in texts}


def graph_hash(known):
    graph = "" if known["graph"] == 1 else f"&graph={known['graph']}"
    return f"#v=1&compile={known['compile']}{graph}"


def source_line(page, number):
    return body(page, "source").locator(f'.code-line:has(.gutter[data-number="{number}"])')


@pytest.mark.parametrize("name", FIXTURES)
def test_from_the_source_line_to_the_kernel_and_back(view, name):
    page = view(name)
    for known in facts(name)["known_pairs"]:
        go(page, graph_hash(known))
        follow(page, known)
        page.keyboard.press("Escape")
        becomes(lambda: lit(page, "post"), [])


def follow(page, known):
    source_line(page, known["source"]).click()
    expect(source_line(page, known["source"])).to_have_class(re.compile("pinned"))
    becomes(lambda: set(known["pre"]) - nodes(lit(page, "pre")), set())
    becomes(lambda: set(known["post"]) - nodes(lit(page, "post")), set())
    becomes(
        lambda: any(known["call"] in text for text in lit(page, "code"))
    )  # the call is marked and visible
    expect(page.get_by_role("status").filter(has_text="←")).to_contain_text(
        re.compile(rf"program\.py:(\d+, )*{known['source']}\b")
    )

    page.keyboard.press("Escape")
    becomes(lambda: lit(page, "post"), [])
    kernel = page.get_by_role("row", name=f"kernel {known['kernel']}", exact=True)
    kernel.click()
    expect(page).to_have_url(re.compile("pin=kernel"))
    expect(source_line(page, known["source"])).to_have_class(re.compile("pinned"))
    becomes(lambda: set(known["post"]) - nodes(lit(page, "post")), set())
    becomes(lambda: any(known["call"] in text for text in lit(page, "code")))
    expect(page.get_by_role("status").filter(has_text="←")).to_contain_text(f"kernel {known['kernel']} ← ")


def test_from_each_pane_to_all_others(view):
    page = view("provenance", "#v=1&compile=1/0")
    expected = {"source": {"before = x.sin() + 1"}, "pre": {"sin", "before"}, "post": {"sin", "add"}}
    for pane, text in [
        ("source", "before ="),
        ("code", "cpp_fused_add_sin_0(arg0_1"),
        ("code", "tmp0.sin()"),
    ]:
        line(page, pane, text).click()
        becomes(lambda: set(lit(page, "source")), expected["source"])
        becomes(
            lambda: (nodes(lit(page, "pre")), nodes(lit(page, "post"))), (expected["pre"], expected["post"])
        )
        becomes(lambda: "cpp_fused_add_sin_0(arg0_1, buf0)" in lit(page, "code"))
        page.keyboard.press("Escape")
    for pane, text in [("pre", "before:"), ("post", "add:")]:
        line(page, pane, text).click()
        becomes(lambda: (nodes(lit(page, "pre")), nodes(lit(page, "post"))), ({"before"}, {"add"}))
        becomes(lambda: set(lit(page, "source")), expected["source"])
        page.keyboard.press("Escape")


def test_hover_previews_and_a_pin_stays(view):
    page = view("provenance", "#v=1&compile=1/0")
    line(page, "post", "mm:").hover()
    becomes(lambda: (lit(page, "source", "preview"), lit(page, "source")), (["product = before @ w"], []))
    line(page, "post", "mm:").click()
    line(page, "post", "cos:").hover()
    becomes(
        lambda: (lit(page, "source", "preview"), lit(page, "source")),
        (["return product.cos() * 3"], ["product = before @ w"]),
    )  # the pin stays
    page.get_by_role("heading", name="Provenance").hover()
    becomes(lambda: (lit(page, "source", "preview"), lit(page, "source")), ([], ["product = before @ w"]))
    line(page, "post", "mm:").click()
    expect(body(page, "source").locator(".pinned")).to_have_count(0)


def test_every_pin_is_an_address(view, page):
    view("provenance", "#v=1&compile=1/0")
    line(page, "pre", "product:").click()
    expect(page.get_by_role("link", name="Link to this pin")).to_have_attribute(
        "href", re.compile("pin=pre(%3A|:)11")
    )
    before = address(page)
    page.goto("about:blank")
    page.goto(before)
    expect(body(page, "source").locator(".pinned")).to_have_count(1)
    becomes(lambda: lit(page, "source"), ["product = before @ w"])
    page.get_by_role("button", name="Unpin").click()
    expect(body(page, "source").locator(".pinned")).to_have_count(0)
    page.go_back()
    expect(body(page, "source").locator(".pinned")).to_have_count(1)


def test_keyboard_only(view):
    page = view("provenance", "#v=1&compile=1/0")
    body(page, "pre").focus()
    page.keyboard.press("m")
    page.keyboard.press("m")
    becomes(lambda: [text.split()[0] for text in lit(page, "post", "preview")][:1], ["add:"])
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Unpin")).to_be_visible()
    walked = []
    for _ in range(6):
        page.keyboard.press("n")
        walked.append(page.evaluate("document.activeElement.getAttribute('aria-label')").split(":")[0])
    source, pre, post, code, _ = TITLES.values()
    assert walked == [
        source,
        pre,
        post,
        code,
        code,
        source,
    ], "the call and the kernel's own code; then in a circle"
    page.keyboard.press("N")
    expect(body(page, "code")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Unpin")).to_be_hidden()
    for key, title in zip("1234", TITLES.values(), strict=False):
        page.keyboard.press(key)
        expect(page.get_by_role("region", name=title, exact=True)).to_have_count(0)
        page.keyboard.press(key)
        expect(page.get_by_role("region", name=title, exact=True)).to_be_visible()
    page.keyboard.press("k")
    expect(page.get_by_role("grid", name="Kernels")).to_be_hidden()
    page.keyboard.press("k")
    expect(page.get_by_role("grid", name="Kernels")).to_be_visible()
    page.keyboard.press("[")
    expect(page.get_by_role("combobox", name="Graph")).to_have_value(re.compile("backward"))
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Help")
    for word in ["counterpart", "dashed", "[ ]", "Esc"]:
        expect(dialog).to_contain_text(word)
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("sigmoid")
    expect(page.locator("mark.current")).to_have_count(1)


def visible_text(page, pane):
    """Return the text of the first line that the pane shows, without what is folded."""
    return body(page, pane).evaluate(
        """body => { const top = body.getBoundingClientRect().top;
        return [...body.querySelectorAll('.code-line')].find((line) => line.getBoundingClientRect().top >= top - 1).innerText.trim(); }"""
    )


def test_panes_open_at_the_calls_with_operators_in_sight(view):
    page = view("provenance")
    page.set_viewport_size({"width": 1440, "height": 900})
    becomes(lambda: visible_text(page, "code"), "def call(self, args):")
    operators = """body => { const right = body.getBoundingClientRect().right, seen = [];
      for (const text of body.querySelectorAll('.text')) {
        const at = text.textContent.indexOf('torch.ops.aten.');
        if (at < 0) continue;
        const walk = document.createTreeWalker(text, NodeFilter.SHOW_TEXT), range = document.createRange();
        for (let node = walk.nextNode(), from = 0; node; from += node.data.length, node = walk.nextNode())
          if (at + 20 < from + node.data.length) { range.setStart(node, Math.max(0, at + 19 - from)); range.setEnd(node, Math.max(1, at + 20 - from)); break; }
        seen.push(range.getBoundingClientRect().right <= right);
      }
      return seen; }"""
    post = body(page, "post")
    becomes(lambda: set(post.evaluate(operators)), {True})
    page.keyboard.press("t")
    expect(page.get_by_role("button", name="Types")).to_have_attribute("aria-pressed", "true")
    becomes(lambda: False in post.evaluate(operators))

    for comment in ("# [Provenance debug handles] extern_kernels.addmm:1", "# Topologically Sorted"):
        line(page, "code", comment).click()
        becomes(lambda: nodes(lit(page, "post")), {"addmm"})
        page.keyboard.press("Escape")
        becomes(lambda: lit(page, "post"), [])


def test_one_find_bar_for_all_panes(view):
    page = view("provenance")
    field = page.get_by_role("searchbox", name="Find in all panes")
    status = page.locator(".find-panes .find-status")
    numbers = page.locator(".pane-head .find-status")
    body(page, "post").focus()
    page.keyboard.press("ControlOrMeta+f")
    expect(field).to_be_focused()
    page.keyboard.type("sigmoid")
    found = [len(re.findall("sigmoid", text)) for text in page.locator(".prov-pane .code").all_inner_texts()]
    assert all(found[:3]), "the panes show all of these texts, the code a part"
    expect(numbers.nth(2)).to_have_text(f"1 of {found[2]}")  # the search starts in the active pane
    expect(page.locator("mark.current")).to_have_count(1)
    assert [numbers.nth(n).inner_text() for n in (0, 1)] == [str(found[0]), str(found[1])]
    code = int(numbers.nth(3).inner_text())
    total = sum(found[:3]) + code
    expect(status).to_have_text(f"{sum(found[:2]) + 1} of {total}")
    for _ in range(found[2] + code):
        page.keyboard.press("Enter")
    expect(status).to_have_text(f"1 of {total}")
    expect(numbers.nth(0)).to_have_text(f"1 of {found[0]}")
    page.keyboard.press("Shift+Enter")
    expect(status).to_have_text(f"{total} of {total}")
    expect(page.locator(".pane-code mark.current")).to_be_in_viewport()
    expect(page.locator("mark.current")).to_have_count(1)
    page.get_by_role("button", name="Match case").click()
    field.fill("SIGMOID")
    expect(status).to_have_text("not found")
    field.fill("(")
    page.get_by_role("button", name="Regular expression").click()
    expect(status).to_contain_text("not a regular expression")
    field.fill("soft.ax")
    expect(status).to_contain_text(re.compile(r"^\d+ of \d+$"))
    field.press("Escape")
    expect(page.locator("mark")).to_have_count(0)
    expect(body(page, "post")).to_be_focused()
    top = body(page, "post").evaluate("body => body.getBoundingClientRect().top")
    assert top < 120, "little above the first line"


def test_lines_of_one_source_line_have_one_color(view):
    page = view("provenance")
    color = "element => getComputedStyle(element).background"
    of = lambda pane, text: line(page, pane, text).evaluate(color)
    first, second = (source_line(page, number).evaluate(color) for number in (16, 17))
    assert first != second
    assert {
        of("pre", "torch.sigmoid(linear)"),
        of("post", "addmm: "),
        of("code", "extern_kernels.addmm("),
    } == {first}
    assert of("post", "amax: ") == second
    assert "gradient" in of("code", "cpp_fused__softmax_add_mul_sigmoid_0(")  # of both lines
    plain = of("pre", "return (softmax")
    assert plain not in (first, second)
    page.keyboard.press("c")
    expect(page.get_by_role("button", name="Colors")).to_have_attribute("aria-pressed", "false")
    assert source_line(page, 16).evaluate(color) == plain == of("code", "extern_kernels.addmm(")


def test_coverage_is_shown(view):
    page = view("provenance")
    shown = page.locator(".coverage")
    expect(shown).to_contain_text("post-grad nodes in kernels 9 of 10 (90 %)")
    expect(shown).to_contain_text("kernels mapped 2 of 2 (100 %)")
    page.get_by_role("combobox", name="Graph").select_option(index=1)
    expect(shown).to_contain_text("post-grad nodes in kernels 11 of 13 (84 %)")
    expect(shown).to_contain_text("with source 3 of 3 (100 %)")
    expect(shown).to_contain_text(
        "the generated code names the nodes of all kernels, lines with the same source line are shown in the"
        " pre-grad graph"
    )


def test_a_backward_without_mapping_goes_by_the_code_and_source_lines(view):
    page = view("provenance_training", "#v=1&compile=0/0&graph=2")
    page.get_by_role("row", name="kernel extern_kernels.mm:2", exact=True).click()
    becomes(lambda: lit(page, "source"), ["hidden = self.up(x)"])
    becomes(lambda: (nodes(lit(page, "pre")), nodes(lit(page, "post"))), ({"hidden"}, {"mm"}))
    expect(body(page, "pre").locator(".loose").first).to_be_visible()
    expect(body(page, "post").locator(".loose")).to_have_count(0)
    page.get_by_role("row", name="kernel cpp_fused_sum_1:3", exact=True).click()
    becomes(lambda: nodes(lit(page, "post")), {"sum_2"})
    line(page, "pre", "sum_1").click()
    becomes(lambda: nodes(lit(page, "post")), {"unsqueeze", "expand"})
    expect(body(page, "post").locator(".loose").first).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="←")).to_contain_text("by source line")


def test_a_line_leads_where_the_lines_that_it_calls_lead(view):
    page = view("provenance_training", "#v=1&compile=0/0&graph=2")
    source_line(page, 11).click()  # in gate
    becomes(lambda: nodes(lit(page, "pre")), {"tanh", "gated"})
    callee = lit(page, "post")
    source_line(page, 21).click()  # calls gate
    becomes(lambda: nodes(lit(page, "pre")), {"tanh", "gated"})
    assert lit(page, "post") == callee and len(callee) > 3


def test_the_bodies_of_aotinductor_have_a_pane(view):
    page = view("provenance_aoti")
    kernel = page.get_by_role("row", name=re.compile(r"^kernel cpp_fused\w+:\d+$")).first
    name = kernel.get_attribute("aria-label").split()[1].split(":")[0]
    kernel.click()
    becomes(lambda: any(f"{name}(" in text for text in lit(page, "bodies")))
    page.keyboard.press("Escape")
    line(page, "bodies", f"{name}(").click()
    becomes(lambda: any(f"{name}(" in text for text in lit(page, "code")))
    becomes(lambda: len(lit(page, "post")) > 0)
    page.wait_for_url(re.compile("pin=bodies"))
    page.get_by_role("button", name="Hide Kernel bodies").click()
    expect(body(page, "bodies")).to_be_hidden()
    go(view("provenance"), "#v=1")
    expect(page.get_by_role("button", name="Kernel bodies")).to_have_count(0)


def test_empty_state_explains_how_to_record(view):
    page = view("train_step")
    expect(page.get_by_role("heading", name="No provenance recorded")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("tlparse-bundle run --provenance -- python train.py")
    page = view("provenance", "#v=1&compile=7/7")
    expect(page.get_by_role("heading", name="No provenance recorded for compile 7/7")).to_be_visible()
    page.get_by_role("link", name="two_kernels").click()
    expect(body(page, "code")).to_be_visible()


@pytest.mark.parametrize(
    ("fixture", "there"), [("provenance", True), ("train_step", False), ("caches", False)]
)
def test_the_compile_page_leads_here(show, fixture, there):
    page, _ = show(fixture, "#v=1&view=compile&compile=0/0")
    rail = page.get_by_role("navigation", name="Artifacts")
    expect(rail.get_by_role("link", name="Summary")).to_be_visible()
    link = rail.get_by_role("link", name="Provenance ›")
    expect(link).to_have_count(int(there))
    if there:
        link.click()
        expect(page.get_by_role("combobox", name="Graph")).to_have_value(re.compile(r"\[0/0\] forward"))
        page.get_by_role("navigation", name="Views").get_by_role("link", name="Compile [0/0]").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("[0/0] forward")
