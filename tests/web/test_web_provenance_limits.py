"""The provenance viewer with large, hostile and narrow content, in both themes, on a plain server."""

import json
import re

import pytest
from axe import violations_in_both_themes
from log_builder import record
from long_provenance import long_provenance
from pages import address, becomes, settle
from playwright.sync_api import expect
from test_web_look import BACKGROUND, contrast, luminance, rgb
from test_web_provenance import body, lit, view  # noqa: F401 (a fixture)

EVIL = "<img src=x onerror=\"document.title='broken'\"><script>document.title='broken'</script>"


def log_of(pre, post, code, mapping, stacks):
    return b"".join([
        record("artifact:before_pre_grad_graph 0/0", payload=pre), record("artifact:inductor_post_grad_graph 0/0", payload=post),
        record("inductor_output_code 0/0", payload=code),
        record("artifact:inductor_provenance_tracking_node_mappings 0/0", payload=json.dumps(mapping)),
        record("artifact:inductor_provenance_tracking_kernel_stack_traces 0/0", payload=json.dumps(stacks)),
    ])  # fmt: skip


LARGE = long_provenance()


def test_fifty_thousand_lines(view):
    page = view(LARGE)
    expect(body(page, "code")).to_be_visible()
    assert LARGE.count(b"\n") > 50_000 and page.locator(".code-line").count() < 600
    page.goto(address(page) + "&pin=kernel:1990")
    expect(body(page, "post").locator(".pinned")).to_have_count(1)
    becomes(lambda: lit(page, "source"), ["x1990 = f1990(x)"])
    becomes(lambda: "k1990.run(buf1990)" in lit(page, "code"))
    assert page.locator(".code-line").count() < 600
    page.keyboard.press("n")
    expect(page.locator(".code-line.cursor.pinned")).to_have_count(1)


def test_panes_scroll_together(view):
    page = view(LARGE)
    page.evaluate(
        "performance.now = () => 1e9"
    )  # a late scroll event of a wheel turn also counts as the user's
    body(page, "post").hover()
    for _ in range(12):
        page.mouse.wheel(0, 2_000)
    middle = (
        "element => { const box = element.getBoundingClientRect(); const row ="
        " document.elementFromPoint(box.x + 60, box.y + box.height / 2).closest('.code-line'); return"
        " row?.textContent ?? '' }"
    )

    def number(pane):
        found = re.search(r"(?:\b[nxk]|buf)(\d+)", body(page, pane).evaluate(middle))
        return int(found[1]) if found else -1

    page.wait_for_function("document.querySelector('.pane-code .virtual').scrollTop > 100000")
    becomes(
        lambda: (
            number("post") > 300
            and all(abs(number(pane) - number("post")) < 12 for pane in ("source", "pre", "code"))
        )
    )
    page.get_by_role("button", name="Scroll together").click()
    settle(page)
    top = "element => element.scrollTop"
    before = {pane: body(page, pane).evaluate(top) for pane in ("post", "code")}
    body(page, "post").hover()
    page.mouse.wheel(0, 3_000)
    becomes(lambda: body(page, "post").evaluate(top) > before["post"])
    settle(page)
    assert body(page, "code").evaluate(top) == before["code"]


def test_hostile_strings_are_text(view):
    file = f"/home/{EVIL}.py"
    graph = (
        f'class M(torch.nn.Module):\n    # File: {file}:3 in {EVIL}, code: {EVIL}\n    relu: "{EVIL}" ='
        f" torch.relu({EVIL})\n"
    )
    kernel = f"{EVIL}:1"
    stacks = {kernel: [f'  File "{file}", line 3, in {EVIL}\n    {EVIL}\n']}
    names = {"relu": ["relu"]}
    code = f"def call(args):\n    # [Provenance debug handles] {kernel}\n    {EVIL}(x)\n"
    page = view(
        log_of(
            graph,
            graph,
            code,
            {"preToPost": names, "cppCodeToPost": {kernel: ["relu"]}, "version": 2.0},
            stacks,
        ),
        "#v=1&pin=kernel:0",
    )
    expect(body(page, "post").locator(".pinned")).to_have_count(1)
    for pane in ("source", "pre", "post", "code"):
        expect(body(page, pane)).to_contain_text("<img src=x onerror=")
    expect(page.get_by_role("grid", name="Kernels")).to_contain_text("<img src=x")
    assert page.locator("img, script:not([src])").count() == 0
    assert "broken" not in page.title()


def test_odd_addresses(view, blank):
    odd = [
        f"#v=1&compile={EVIL}&pin={EVIL}",
        "#v=1&pin=post:999999&hide=pre,nonsense",
        "#v=1&pin=kernel:99&graph=-1",
        "#v=1&pin=source:-1&sync=x",
    ]
    for hash in odd:
        page = view("provenance", hash)
        expect(page.get_by_role("main")).to_be_visible()
        assert page.locator("img").count() == 0, hash
        page.goto(blank)


def test_bundle_without_the_log(page_with_errors, bundle_of, address_of):
    page_with_errors.goto(
        address_of(bundle_of("provenance")).replace("/default/", "/provenance/") + "#v=1&log=none"
    )
    expect(page_with_errors.get_by_role("alert")).to_contain_text("Unknown log 'none'")


def test_without_a_graph_or_code(view):
    only = record("artifact:inductor_provenance_tracking_node_mappings 0/0", payload='{"version": 2.0}')
    page = view(only)
    for title in ("Pre-grad graph", "Post-grad graph", "Generated code", "User source"):
        expect(page.get_by_role("region", name=title, exact=True).locator("p")).not_to_be_empty()


PARTLY = log_of(
    "class G(torch.nn.Module):\n    def forward(self, x):\n        # File: /m.py:5 in f, code: y = x.sum() @ w\n        before = x.sum()\n",
    "class G(torch.nn.Module):\n    def forward(self, x):\n        # File: /m.py:5 in f, code: y = x.sum() @ w\n"
    "        summed: 'f32' = torch.ops.aten.sum.default(x)\n        mm: 'f32' = torch.ops.aten.mm.default(summed, x)\n        return (mm,)\n",
    "# AOT ID: ['0_backward']\ndef call(args):\n    x, = args\n    if x:\n        # [Provenance debug handles] cpp_fused_sum_0:1\n        cpp_fused_sum_0(x, buf0)\n"
    "        # Topologically Sorted Source Nodes: [mm], Original ATen: [aten.mm]\n        # [Provenance debug handles] extern_kernels.mm:2\n        extern_kernels.mm(buf0, x, out=buf1)\n    return (buf1,)\n",
    {"version": 2.0}, {name: ['  File "/m.py", line 5, in f\n    y = x.sum() @ w\n'] for name in ("cpp_fused_sum_0:1", "extern_kernels.mm:2")},
)  # fmt: skip


def test_nodes_unknown_from_the_code_go_by_source_line(view):
    page = view(PARTLY)
    expect(page.locator(".coverage")).to_contain_text(
        "the generated code names the nodes of 1 of 2 kernels, lines with the same source line are shown for the"
        " rest"
    )
    page.get_by_role("row", name="kernel cpp_fused_sum_0:1", exact=True).click()
    becomes(
        lambda: [text.split(":")[0] for text in lit(page, "post")], ["summed"]
    )  # not mm, whose kernel the code shows
    expect(body(page, "post").locator(".loose")).to_have_count(1)
    expect(page.get_by_role("status").filter(has_text="←")).to_contain_text("by source line")
    page.get_by_role("row", name="kernel extern_kernels.mm:2", exact=True).click()
    becomes(lambda: [text.split(":")[0] for text in lit(page, "post")], ["mm"])
    expect(body(page, "post").locator(".loose")).to_have_count(0)


@pytest.mark.parametrize("server", ["serve", "static"])
def test_on_both_servers(view, server):
    page = view("provenance", "#v=1&pin=post:9", server)
    expect(body(page, "source").locator(".pinned")).to_have_count(1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_themes(page_that, bundle_of, address_of, scheme):
    page = page_that(color_scheme=scheme)
    page.goto(address_of(bundle_of("provenance")).replace("/default/", "/provenance/") + "#v=1&pin=post:9")
    expect(body(page, "post").locator(".pinned")).to_have_count(1)
    assert (luminance(rgb(page.evaluate(BACKGROUND))) < 0.1) == (scheme == "dark")
    for selector in (
        ".unmapped .text",
        ".pinned .text",
        ".gutter",
        ".coverage .dim",
        ".chain",
        ".grid-header",
        ".t-string",
    ):
        colors = page.locator(selector).first.evaluate(
            """element => { const own = getComputedStyle(element).color;
            let at = element; while (at && getComputedStyle(at).backgroundColor === 'rgba(0, 0, 0, 0)') at = at.parentElement;
            return [own, getComputedStyle(at).backgroundColor] }"""
        )
        assert contrast(*map(rgb, colors)) >= 4.5, f"{selector} in {scheme}: {colors}"
    page.get_by_role("button", name="Switch between light and dark").click()
    becomes(lambda: luminance(rgb(page.evaluate(BACKGROUND))) < 0.1, scheme != "dark")


def test_narrow_window(page_that, bundle_of, address_of):
    page = page_that(viewport={"width": 360, "height": 900})
    page.goto(address_of(bundle_of("provenance")).replace("/default/", "/provenance/"))
    expect(body(page, "source")).to_be_visible()
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_bars_are_moved_with_arrows_and_remembered(view):
    page = view("provenance")
    bar = page.get_by_role("separator", name="Width of User source")
    pane = page.get_by_role("region", name="User source", exact=True)
    before = pane.bounding_box()["width"]
    bar.focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    after = pane.bounding_box()["width"]
    assert before - after > 30
    page.reload()
    expect(pane).to_be_visible()
    becomes(lambda: abs(pane.bounding_box()["width"] - after) < 2)


def test_no_axe_violations(page_that, bundle_of, address_of):
    page = page_that(bypass_csp=True)
    for fixture, hash in [
        ("provenance", "#v=1&pin=post:9"),
        ("provenance_training", "#v=1&compile=0/0&graph=2"),
        ("train_step", "#v=1"),
    ]:
        page.goto(address_of(bundle_of(fixture)).replace("/default/", "/provenance/") + hash)
        expect(page.get_by_role("main").locator(".code-line, h1").first).to_be_visible()
        settle(page)
        assert violations_in_both_themes(page) == [], fixture
