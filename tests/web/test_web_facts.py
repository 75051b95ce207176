"""Known facts of each fixture are at most three clicks from the first screen."""

import json

import pytest
from conftest import FIXTURES
from pages import expect_address, go, settle
from playwright.sync_api import expect
from provenance_graphs import key_of

MOST_CLICKS = 3


def known_pairs(fixture):
    (truth,) = json.loads((FIXTURES / fixture / "truth.json").read_text())["logs"].values()
    return truth["facts"]["known_pairs"]


def link(name):
    return "link", name


def row(name):
    return "row", name


# Fixture, the question, the clicks (role and accessible name), and text on the final page.
FACTS = [
    ("basic_inference", "is anything wrong?", [], ["1 function, 1 compile", "No failures, graph breaks or recompiles"]),
    ("basic_inference", "how large is the graph?", [link("[0/0] scaled_relu_sum ok")], ["4 ops", "2 inputs"]),
    ("train_step", "what code was made for the backward?", [link("[0/0] forward ok"), link("inductor_output_code (backward)")], ["inductor_output_code (backward)", "def call("]),
    ("graph_breaks", "which lines broke the graph?", [], ["6 graph breaks at 5 places", 'program.py:17: print("in the middle")', "program.py:24", "program.py:30", "largest = x.max().item()", "program.py:36", "if x.sum() > 0:"]),
    ("graph_breaks", "why can item() not be traced, and what helps?", [link("Unsupported Tensor.item() call")], ["largest = x.max().item()", "torch._dynamo.config.capture_scalar_outputs = True", "GB0124", "[5/0]"]),
    ("graph_breaks", "which compile does the branch break?", [link("Data-dependent branching")], ["if x.sum() > 0:", "branches_on_tensor", "[7/0]"]),
    ("graph_breaks", "which break occurs twice?", [link("Graph breaks"), row("program.py:43")], ["inside a call", "2 occurrences", "[10/0]", "[11/0]"]),
    ("graph_breaks", "what became of the function that prints last?", [link("empty 1")], ["torch_dynamo_resume_in_prints_last", "[4/0]"]),
    ("recompiles", "why did each function recompile?", [], ["7 recompiles (4 causes)", "x.size(0) changed from 4 to 5", "flag changed from False to True", "x.dtype had values such as Float, Double and Int", "x.size(0) had values such as 2, 3, 4 and 5"]),
    ("recompiles", "what helps?", [], ["Mark the dimension as dynamic before the call", "torch._dynamo.maybe_mark_dynamic(x, 0)"]),
    ("recompiles", "on which line is the flag looked at?", [link("flag changed from False to True")], ["program.py:16", "return x * 2 if flag else x * 3", "[1/0]"]),
    ("recompiles", "which function reached the limit, and when?", [link("limited hit")], ["hit the recompile limit (4)", "[3/4]", "now run eager"]),
    ("recompiles", "which guards failed for 2/2?", [link("[2/2] any_dtype ok")], ["tensor 'x' dtype mismatch. expected Double, actual Int", "tensor 'x' dtype mismatch. expected Float, actual Int"]),
    ("failures", "what failed, and on which line?", [], ["5 failures", 'program.py:17: print("not allowed")', "BackendCompilerFailed", "this backend always fails é", "program.py:28: return x @ y"]),
    ("failures", "which shapes do not fit?", [link("a and b must have same reduction dim")], ["a and b must have same reduction dim, but got [2, 3] X [2, 3]", "return x @ y", "has_wrong_shapes"]),
    ("failures", "which node of the graph could not be run?", [link("shape '[5]' is invalid")], ["While executing %reshape", "Called from", "program.py"]),
    ("killed", "in which compile did the process end?", [], ["1 compile did not end", "never_finishes", "in backend_compile", "[1/0]"]),
    ("caches", "why was the cache not asked?", [link("1 AOTAutograd cache bypass")], ["Unsupported call_function target", "bypasses", "BypassAOTAutogradCache"]),
    ("caches", "which part of the key was new?", [link("Caches"), row("[1/0] FX graph miss")], ["Compared with the closest earlier key: 1 of 635 components differ", "gm the graph itself"]),
    ("caches", "what did the warm caches save?", [link("process 7110"), link("Caches"), row("[0/0] AOTAutograd hit")], ["Time saved", "9.92 s"]),
    ("transformer", "how many tensors go in?", [link("[0/0] forward ok")], ["25 inputs", "Lazy backward"]),
    ("ranks4", "which collectives has rank 2 more?", [link("rank 2 · "), link("[1/0] gathers ok"), link("inductor_collective_schedule")], ["all_reduce", "all_gather"]),
    ("nonascii", "which line broke the graph?", [], ["größe_日本", "program.py:14", "émoji 😀"]),
    ("fork_children", "what did the forked child compile?", [link("process 7126")], ["only_in_fork", "[1/0]"]),
    ("dynamo_reset", "what is the second 1/0?", [link("[1/0_1@2] only_after empty")], ["only_after", "empty", "Graph break", 'print("breaks")']),
    ("compiled_autograd", "where does step break?", [], ["program.py:18", "loss.backward()", "Unsupported Tensor.backward() call"]),
    ("export_dtrace", "which line branches on data?", [link("fixture0")], ["2 exports", "The export stopped at a data-dependent condition", "program.py:33: return x + 1 if x.sum().item() > 0 else x"]),
    ("export_dtrace", "which operator has no fake kernel?", [], ["fixture.no_fake.default cannot be exported: it has no fake kernel"]),
    ("dynamic_shapes", "which guard does a symbol have?", [("link", "Symbols"), ("gridcell", "[1/0]")], ["s77 > 3"]),
    ("provenance", "which kernels has two_kernels?", [link("[1/0] two_kernels ok"), link("inductor_output_code")], ["cpp_fused_add_sin_0", "extern_kernels.mm"]),
    ("aoti", "was anything compiled by Dynamo?", [], ["1 AOTInductor compile, 21 s"]),
    ("dynamic_shapes", "which symbol was specialised, and where?", [], ["x.size(1) was specialized to 7 in specializes", "program.py:11", "if x.shape[1] == 7:", "range refined to singleton"]),
    ("precompile", "why has the warm compile no metrics?", [link("process 6901"), link("unfinished 1"), row("packaged")], ["packaged", "unfinished"]),
    ("ddp_split", "into which graphs was the model cut?", [link("[1/0] inner ok"), link("optimize_ddp_split_graph")], ["submod_0", "submod_1"]),
    ("memory_budget", "what could be computed again?", [link("[0/0] inner ok"), link("min_cut_information")], ["addmm"]),
    ("overlap_scheduling", "what failed?", [], ["InductorError", "No module named 'triton'", "communicates"]),
    ("wrappers", "which side effect is replayed?", [link("[1/0] forward ok"), link("dynamo_side_effects")], ["calls"]),
    ("ranks_healthy", "do the ranks agree?", [link("Compare the ranks")], ["4 ranks agree on what was compiled (4 compiles)"]),
    ("ranks_killed", "which rank died, and in which compile?", [link("Compare the ranks")], ["Rank 3 is still compiling reduce [2/0]"]),
    ("regions", "is the region compiled once?", [link("[0/0] nested ok"), link("dynamo_output_graph")], ["invoke_subgraph"]),
]  # fmt: skip


def test_every_fixture_is_asked_about():
    fixtures = {path.parent.name for path in FIXTURES.glob("*/truth.json")} - {"huggingface"}  # for redaction
    of_ranks = {
        name for name in fixtures if name.startswith("ranks_")
    }  # differences between them: test_web_multirank
    assert {fixture for fixture, *_ in FACTS} | {fixture for fixture, _ in PAIRS} | of_ranks == fixtures


# Which line became which kernel: a pair of each graph of the fixtures with provenance. (All pairs:
# test_web_provenance.)
PAIRS = list(
    {
        (name, pair["compile"], pair["graph"]): (name, pair)
        for name in ("provenance", "provenance_training", "provenance_aoti", "provenance_graphs")
        for pair in known_pairs(name)
    }.values()
)


@pytest.mark.parametrize("fixture", dict.fromkeys(fixture for fixture, _ in PAIRS))
def test_the_kernel_of_a_line(show, fixture):
    """Three clicks: the provenance viewer, the graph, the line."""
    page, bundle = show(fixture)
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Provenance").click()
    expect_address(page, "/provenance/")
    for pair in (pair for name, pair in PAIRS if name == fixture):
        go(page, "#v=1")
        line_leads_to_kernel(page, bundle.logs[0], pair)


def line_leads_to_kernel(page, log, pair):
    rows = log.table("provenance_groups")
    of_compile = [i for i, row in enumerate(rows) if key_of(row) == pair["compile"]]
    picker = page.get_by_role("combobox", name="Graph")
    expect(picker.locator("option")).to_have_count(len(rows))
    if of_compile[pair["graph"] - 1]:
        picker.select_option(index=of_compile[pair["graph"] - 1])
    source = page.get_by_role("region", name="User source: text")
    source.locator(f'.code-line:has(.gutter[data-number="{pair["source"]}"])').click()
    expect(page.get_by_role("status").filter(has_text="←")).to_contain_text(pair["kernel"])
    expect(
        page.get_by_role("region", name="Generated code: text")
        .locator(".code-line.pinned")
        .filter(has_text=pair["call"])
        .first
    ).to_be_visible()


@pytest.mark.parametrize("fixture", dict.fromkeys(fixture for fixture, *_ in FACTS))
def test_facts_are_found(show, fixture):
    page, _ = show(fixture)
    for _, question, clicks, answers in (fact for fact in FACTS if fact[0] == fixture):
        assert len(clicks) <= MOST_CLICKS
        go(page, "#v=1")  # each starts on the first screen
        main = page.get_by_role("main")
        for role, name in clicks:
            settle(page)  # otherwise the first link of a name may not exist yet, and another one be the first
            page.get_by_role(role, name=name).first.click()
        for answer in answers:
            expect(main, question).to_contain_text(answer)
