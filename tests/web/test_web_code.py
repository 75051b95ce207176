"""The code pane: folding, values of FX graphs, marked lines, the table of a graph, files."""

import re

import pytest
from log_builder import record
from pages import becomes, expect_address
from playwright.sync_api import expect

GRAPH = """class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[8, 4][4, 1]cpu", y: "f32[8, 4][4, 1]cpu"):
        # File: /home/user/model.py:26 in forward, code: z = (x + y).sin()
        add: "f32[8, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(x, y, alpha = 1);  x = y = None
        sin: "f32[8, 4][4, 1]cpu" = torch.ops.aten.sin.default(add)

        # File: /home/user/model.py:27 in forward, code: return z * add
        mul: "f16[8, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(sin, add);  sin = add = None
        return (mul,)

    class inner(torch.nn.Module):
        def forward(self, add: "i64[3][1]cpu"):
            neg: "i64[3][1]cpu" = torch.ops.aten.neg.default(add);  add = None
            return (neg,)
"""
PLACE = "#v=1&view=compile&compile=0/0&artifact="


@pytest.fixture
def graph(show):
    page, _ = show(record("aot_joint_graph 0/0", payload=GRAPH), PLACE + "aot_joint_graph")
    expect(page.get_by_text("15 lines")).to_be_visible()
    return page


def pane(page, name="aot_joint_graph"):
    return page.get_by_role("region", name=f"Text of {name}", exact=True)


def find_word(page, line, word, name="aot_joint_graph"):
    """Return the position of a word in a line (from 1)."""
    return pane(page, name).locator(".code-line .text").nth(line - 1).evaluate(
        """(element, word) => {
          const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
          for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            const at = node.textContent.indexOf(word);
            if (at < 0) continue;
            const range = document.createRange();
            range.setStart(node, at); range.setEnd(node, at + word.length);
            const { x, y, width, height } = range.getBoundingClientRect();
            return { x: x + width / 2, y: y + height / 2 };
          }
        }""", word)  # fmt: skip


def click_word(page, line, word, name="aot_joint_graph"):
    place = find_word(page, line, word, name)
    page.mouse.click(place["x"], place["y"])


def test_a_value_shows_its_facts_and_uses(graph):
    click_word(graph, 8, "sin")
    value = graph.get_by_role("status", name="Value")
    for fact in [
        "sin",
        "dtype f32",
        "shape [8, 4]",
        "stride [4, 1]",
        "device cpu",
        "from torch.ops.aten.sin.default",
        "1 use",
        "model.py:26",
        "z = (x + y).sin()",
    ]:
        expect(value).to_contain_text(fact)
    marked = pane(graph).locator(".value")
    expect(marked).to_have_count(2)
    expect(pane(graph).locator(".definition")).to_have_text("sin")
    graph.get_by_role("button", name="Definition").click()
    expect_address(graph, "line=5")


def test_an_input_whose_line_ends_in_a_comment_is_defined_there(show):
    """AOTAutograd writes the origin of each input after it."""
    page, bundle = show("train_step", PLACE + "aot_forward_graph")
    lines = (
        next(it for it in bundle.logs[0].compile("0/0").artifacts if it.name == "aot_forward_graph")
        .text()
        .split("\n")
    )
    line, name = next(
        (number, match[1])
        for number, line in enumerate(lines, 1)
        if (match := re.match(r'\s+(\w+): "[^"]*",?\s+# PlainAOTInput', line))
    )
    expect(page.get_by_text(f"{len(lines)} lines")).to_be_visible()
    place = find_word(page, line, name, "aot_forward_graph")
    page.mouse.click(place["x"], place["y"])
    value = page.get_by_role("status", name="Value")
    expect(value).to_contain_text("dtype f32")
    expect(value).not_to_contain_text("not defined in this function")


def test_names_belong_to_their_function(graph):
    click_word(graph, 13, "add")
    expect(graph.get_by_role("status", name="Value")).to_contain_text("dtype i64")
    expect(pane(graph).locator(".value")).to_have_count(2)
    click_word(graph, 4, "add")
    expect(graph.get_by_role("status", name="Value")).to_contain_text("2 uses")
    expect(pane(graph).locator(".value")).to_have_count(3)


def test_value_under_the_pointer(graph):
    place = find_word(graph, 8, "mul")
    graph.mouse.move(place["x"], place["y"])
    expect(graph.get_by_role("status", name="Value")).to_contain_text("dtype f16")
    expect(pane(graph).locator(".value")).to_have_count(0)


def test_values_by_keys(graph):
    graph.get_by_label("Find in this text").fill(":8")
    expect(pane(graph).locator(".marked")).to_contain_text("mul")
    graph.keyboard.press("Escape")
    expect(pane(graph)).to_be_focused()
    value = graph.get_by_role("status", name="Value")
    for name in ["mul", "sin", "add"]:
        graph.keyboard.press("ArrowRight")
        expect(value.locator("b")).to_have_text(name)
    graph.keyboard.press("d")
    expect(pane(graph).locator(".marked")).to_contain_text("aten.add.Tensor")
    for line in [5, 8, 4]:
        graph.keyboard.press("n")
        expect(graph).to_have_url(re.compile(f"line={line}$"))
    graph.keyboard.press("Shift+N")
    expect(graph).to_have_url(re.compile("line=8$"))
    graph.keyboard.press("Escape")
    expect(pane(graph).locator(".value")).to_have_count(0)


def test_generated_code_is_read_as_in_an_editor(show):
    page, bundle = show("train_step", PLACE + "inductor_output_code@2")
    lines = (
        [it for it in bundle.logs[0].compile("0/0").artifacts if it.name == "inductor_output_code"][1]
        .text()
        .split("\n")
    )
    code = pane(page, "inductor_output_code")
    value = page.get_by_role("status", name="Value")
    number = lambda start: 1 + next(i for i, line in enumerate(lines) if line.strip().startswith(start))
    kernel = "cpp_fused_sum_threshold_backward_1"
    called, defined = number(f"{kernel}("), number(f"{kernel} = ")

    # The second result has its own name.
    rail = page.get_by_role("navigation", name="Artifacts")
    expect(rail.locator("[aria-current]")).to_contain_text("inductor_output_code (backward)")
    expect(page.get_by_role("region", name="Artifact", exact=True).locator(".artifact-head")).to_contain_text(
        "inductor_output_code (backward)"
    )
    assert [name for name in rail.get_by_role("link").all_inner_texts() if "@" in name] == []
    for name in (
        "inductor_output_code (forward)",
        "fx_graph_runnable (backward)",
        "inductor_post_grad_graph (forward)",
    ):
        expect(rail.get_by_role("link", name=name)).to_have_count(1)

    # The outline leads to the definition of a kernel, this to its call, and back.
    page.get_by_role("button", name="Outline").click()
    options = page.get_by_role("listbox", name="Outline of this text").get_by_role("option")
    becomes(lambda: [name.split("\n")[-1] for name in options.all_inner_texts()],
            ["cpp_fused_sum_0", kernel, "Runner", "__init__", "recursively_apply_fns", "call", "get_args", "benchmark_compiled_module"])  # fmt: skip
    page.get_by_label("Filter the outline").fill("backward_1")
    expect(options).to_have_count(1)
    page.keyboard.press("Enter")
    expect_address(page, f"line={defined}")
    expect(code).to_be_focused()
    for fact in ["C++ kernel", "1 call in line", f"lines {defined}–"]:
        expect(value).to_contain_text(fact)
    value.get_by_role("button", name=str(called)).click()
    expect_address(page, f"line={called}")
    code.focus()
    page.keyboard.press("d")
    expect_address(page, f"line={defined}")
    page.keyboard.press("d")
    expect_address(page, f"line={called}")

    # Buffers and arguments belong to their function, declarations to their kernel.
    click_word(page, called, "buf3", "inductor_output_code")
    expect(value).to_contain_text("in the memory of buf0")
    assert sum("buf3" in line for line in lines) == 4, "a definition, two uses, and 'del'"
    expect(value).to_contain_text("2 uses")
    page.keyboard.press("d")
    expect_address(page, f"line={number('buf3 = ')}")
    page.keyboard.press("ArrowRight")
    expect(value).to_contain_text("dtype float32 shape [3, 8] stride [8, 1] device cpu")
    place = find_word(page, called, "relu", "inductor_output_code")
    page.mouse.click(place["x"], place["y"], button="left")
    expect(value).to_contain_text("input dtype float32 shape [3, 8]")
    page.get_by_label("Find in this text").fill(f":{defined + 15}")
    expect(code.locator(".marked")).to_contain_text("auto tmp4")
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    expect(value.locator("b")).to_have_text("tmp4")
    expect(value).to_contain_text("1 use")
    page.keyboard.press("Escape")
    expect(code.locator(".value")).to_have_count(0)


def test_fold_a_function_by_key_and_by_mouse(graph):
    lines = pane(graph).locator(".code-line")
    graph.get_by_label("Find in this text").fill(":13")
    expect(pane(graph).locator(".marked")).to_contain_text("neg")
    graph.keyboard.press("Escape")
    expect(pane(graph)).to_be_focused()
    graph.keyboard.press("z")
    expect(lines).to_have_count(
        13
    )  # from "def forward" of the inner graph, its 2 lines are gone; the last line is empty
    expect(pane(graph).locator(".folded")).to_have_attribute("data-note", "⋯ 2 lines")
    pane(graph).locator(".folded").click()
    expect(lines).to_have_count(15)
    pane(graph).locator(".fold").nth(1).click()
    expect(lines).to_have_count(8)
    graph.get_by_label("Find in this text").fill("mul.Tensor")
    expect(pane(graph).locator("mark.current").first).to_be_visible()  # a match is unfolded
    expect(lines).to_have_count(15)


def test_guard_tree_folds_to_an_overview(show):
    page, bundle = show("transformer", PLACE + "dynamo_cpp_guards_str")
    text = next(a.text() for a in bundle.logs[0].artifacts if a.name == "dynamo_cpp_guards_str")
    guards = pane(page, "dynamo_cpp_guards_str")
    page.get_by_role("button", name="Fold").click()
    top = [line for line in text.split("\n") if not line.startswith("| |")]
    expect(guards.locator(".code-line")).to_have_count(len(top))
    expect(guards.locator(".t-keyword").filter(has_text="RootGuardManager")).to_have_count(1)
    page.get_by_role("button", name="Fold").click()
    expect(page.get_by_role("button", name="Fold")).to_have_attribute("aria-pressed", "false")


def test_several_lines_have_an_address_and_are_copied(new_page, bundle_of, address_of):
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(
        address_of(bundle_of(record("aot_joint_graph 0/0", payload=GRAPH)))
        + PLACE
        + "aot_joint_graph&line=3-5"
    )
    expect(pane(page).locator(".marked")).to_have_count(3)
    page.get_by_role("button", name="Copy 3 lines").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    becomes(lambda: page.evaluate("navigator.clipboard.readText()"), "\n".join(GRAPH.split("\n")[2:5]))
    pane(page).locator(".gutter").nth(6).click()
    pane(page).locator(".gutter").nth(8).click(modifiers=["Shift"])
    expect(page).to_have_url(re.compile("line=7-9$"))
    pane(page).focus()
    page.keyboard.press("Shift+ArrowDown")
    expect(page).to_have_url(re.compile("line=7-10$"))


def test_table_of_a_graph(graph):
    graph.get_by_role("button", name="Table", exact=True).click()
    expect_address(graph, "pane=table")
    grid = graph.get_by_role("grid", name="Nodes of aot_joint_graph")
    rows = grid.get_by_role("row")
    expect(rows).to_have_count(1 + 9)  # 2 inputs, 3 calls, output; 1 input, 1 call, output
    add = grid.get_by_role("row", name="add torch.ops.aten.add.Tensor")
    becomes(
        # A narrow row has its names in the first line, and its numbers at the beginning of the second.
        lambda: add.get_by_role("gridcell").all_inner_texts()[:8],
        ["GraphModule", "add", "call_function", "4", "2", "torch.ops.aten.add.Tensor", "[8, 4]", "f32"],
    )
    grid.get_by_role("button", name="Users").click()
    expect(rows.nth(1)).to_contain_text("aten.add")
    graph.get_by_label("Op", exact=True).select_option("output")
    expect(rows).to_have_count(1 + 2)
    graph.get_by_label("Op", exact=True).select_option("")
    graph.get_by_label("Filter nodes").fill("aten.sin")
    expect(graph.get_by_text("1 of 9 nodes")).to_be_visible()
    rows.nth(1).click()
    graph.keyboard.press("Enter")
    expect(pane(graph).locator(".marked")).to_contain_text("sin")
    expect_address(graph, "line=5")
    graph.go_back()
    expect(grid).to_be_visible()


@pytest.mark.parametrize(
    "name", ["fx_graph_runnable", "aot_joint_graph", "dynamo_cpp_guards_str", "torch._functorch.config"]
)
def test_file_names(show, name):
    page, bundle = show("transformer", PLACE + name)
    text = next(a.text() for a in bundle.logs[0].artifacts if a.name == name)
    ending = {"fx_graph_runnable": "py", "aot_joint_graph": "py", "torch._functorch.config": "json"}.get(
        name, "txt"
    )
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    assert download.value.suggested_filename == f"{name}_0_0.{ending}"
    data = download.value.path().read_text()
    assert data == text
    if ending == "py":
        compile(data, name, "exec")


BIG = "class GraphModule(torch.nn.Module):\n    def forward(self, v_0: \"f32[4][1]cpu\"):\n" + "\n".join(
    f'        v_{n}: "f32[4][1]cpu" = torch.ops.aten.sin.default(v_{n - 1});  v_{n - 1} = None' for n in range(1, 70_000)) + "\n        return (v_69999,)\n"  # fmt: skip


def test_a_large_graph_is_read_in_slices(show):
    """5 MB: the page holds only the visible part, and stays responsive while it builds the table.

    (benchmarks/viewer.py measures the times.)
    """
    assert len(BIG) > 5_000_000
    page, _ = show(record("aot_joint_graph 0/0", payload=BIG), PLACE[: PLACE.index("&artifact")])
    expect(page.get_by_role("link", name="aot_joint_graph").first).to_be_visible()
    page.get_by_role("navigation", name="Artifacts").get_by_role("link", name="aot_joint_graph").click()
    expect(page.get_by_text("70,003 lines")).to_be_visible()
    page.evaluate(
        """() => {  // a clock that goes on by 1 ms whenever it is asked, and how often the page may do other things
      let now = 0;
      performance.now = () => now++;
      const wait = setTimeout;
      window.pauses = 0;
      window.setTimeout = (run, ms, ...more) => { if (!ms) pauses++; return wait(run, ms, ...more); };
    }"""
    )
    page.get_by_role("button", name="Table", exact=True).click()
    expect(page.get_by_text("70,001 nodes")).to_be_visible()
    assert page.get_by_role("grid", name="Nodes of aot_joint_graph").get_by_role("row").count() < 200
    assert page.evaluate("pauses") >= 70_000 / 64 / 20, (
        "it looks at the clock every 64 lines, and pauses after some of those"
    )
    page.get_by_role("button", name="Text", exact=True).click()
    click_word(page, 7, "v_5")
    expect(page.get_by_role("status", name="Value")).to_contain_text("1 use")
    assert pane(page).locator(".code-line").count() < 400
