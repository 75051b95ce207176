"""The vLLM viewer: pieces, outcomes, equal graphs, cold beside warm, ranks, passes, and facts not recorded."""

import json
import re
import shutil

import pytest
from axe import violations_in_both_themes
from log_builder import record
from playwright.sync_api import expect

FIXTURE = "fixtures/vllm"
WARM_JIT = "rank_0_siqwkmpf"


@pytest.fixture(scope="module")
def folder_of(root, tmp_path_factory):
    """Return folder_of(names): a folder with the logs of these fixtures."""
    made = {}

    def make(*names):
        if names not in made:
            made[names] = tmp_path_factory.mktemp("vllm")
            for name in names:
                shutil.copytree(root / FIXTURE / name, made[names] / name)
        return made[names]

    return make


@pytest.fixture
def view(page, bundle_of, address_of, folder_of):
    def open_it(*names, hash="#v=1"):
        page.goto(address_of(bundle_of(folder_of(*names))).replace("/default/", "/vllm/") + hash)
        return page

    return open_it


def cell(page, name):
    return page.get_by_role("table", name="Pieces").get_by_role("button", name=re.compile(name))


def test_a_start_at_a_glance(view):
    page = view("llama-cold")
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "45.1 s to compile: 12 pieces, 10 compiled, 2 reused"
    )
    parts = page.get_by_role("list", name="Parts")
    expect(parts).to_contain_text(re.compile(r"Dynamo.*1\.92 s.*Inductor.*38\.6 s"))
    rows = page.get_by_role("table", name="Pieces").get_by_role("row")
    expect(rows).to_have_count(4)  # a head, and three graphs of four submodules
    expect(cell(page, r"^submod_0 · 1 token: 14\.6 s compiled")).to_be_visible()
    settings = page.get_by_role("list", name="Settings")
    expect(settings.get_by_role("listitem").filter(has_text="compile_sizes")).to_contain_text("unusual")
    expect(settings.get_by_role("listitem").filter(has_text=re.compile("^mode 3"))).not_to_contain_text(
        "unusual"
    )


def test_equal_graphs_are_distinguished_and_a_piece_names_its_code(view):
    page = view("llama-cold")
    page.get_by_role("button", name="submod_2 … submod_4").click()
    cell(page, r"^submod_4 · 1–64 tokens: \d.* reused").click()
    piece = page.get_by_role("region", name="submod_4 · 1–64 tokens")
    expect(piece).to_contain_text("No artifacts")
    piece.get_by_role("link", name="submod_2 · 1–64 tokens").click()
    chosen = page.get_by_role("region", name="submod_2 · 1–64 tokens")
    artifacts = chosen.get_by_role("list", name="Artifacts")
    expect(artifacts.get_by_role("listitem")).to_have_count(14)
    artifacts.get_by_role("link", name="inductor_output_code").click()
    expect(page).to_have_url(re.compile(r"/default/.*artifact=inductor_output_code"))
    expect(page.locator(".code")).to_contain_text("5_inference")  # the sixth graph that was compiled


def test_warm_beside_cold_shows_recompiled_pieces(view):
    page = view("llama-jit-cold", "llama-jit-warm")
    expect(page.get_by_role("table", name="Starts").get_by_role("row")).to_have_count(3)
    page.get_by_role("link", name=f"rank 0 · {WARM_JIT}").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("1 compiled, 10 loaded, 1 reused")
    page.get_by_role("link", name="compare ›").click()
    page.get_by_role("button", name="submod_2 … submod_4").click()
    page.get_by_role("button", name="Outcome").click()
    again = cell(page, r"^submod_4 · 1–64 tokens: 3\.61 s compiled")
    expect(again).to_contain_text("compared: reused")
    again.click()
    expect(page.get_by_role("region", name="submod_4 · 1–64 tokens")).to_contain_text("In the compared log")
    expect(page.get_by_role("list", name="Findings")).to_contain_text(
        "Warm start compiled submod_4 for 1–64 tokens in 3.61 s and loaded 10 pieces"
    )


def test_a_warm_start_without_names_gets_them_by_code(view):
    page = view("llama-cold", "llama-warm")
    page.get_by_role("link", name="rank 0 · rank_0_3xdomr5i").click()
    expect(cell(page, "loaded")).to_have_count(10)
    cell(page, r"^submod_4 · 8 tokens: not recorded loaded").click()
    expect(page.get_by_role("region", name="submod_4 · 8 tokens")).to_contain_text(
        "from log rank_0_glgunwvh, which has a piece with the same code"
    )


def test_alone_it_has_none(view):
    page = view("llama-warm")
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "17.9 s to load precompiled code: 10 pieces, 10 loaded"
    )
    expect(page.get_by_role("table", name="Pieces")).to_have_count(0)
    expect(page.get_by_role("list", name="Unnamed pieces").get_by_role("button")).to_have_count(10)
    expect(page.get_by_role("main")).not_to_contain_text("submod_")
    expect(page.get_by_role("main")).to_contain_text("vLLM does not log settings when it loads")


def test_passes_that_change_nothing_are_folded(view):
    page = view("passes-cold", hash="#v=1&piece=0")
    expect(page.get_by_role("table", name="Passes that changed the graph").get_by_role("row")).to_have_count(
        4
    )
    idle = page.get_by_text("4 passes without changes")
    expect(page.get_by_role("link", name="UnsafeCloneEliminationPass", exact=True)).to_be_hidden()
    idle.click()
    expect(page.get_by_role("link", name="UnsafeCloneEliminationPass", exact=True)).to_be_visible()


def test_ranks_are_side_by_side(view):
    page = view("llama-tp2-cold", hash="#v=1&beside=rank_1_hxr_le8a")
    expect(page.get_by_role("table", name="Starts").get_by_role("row")).to_have_count(3)
    expect(cell(page, r"^submod_0 · 1 token: 11\.4 s compiled")).to_contain_text("compared: compiled 10.8 s")


def test_the_failed_piece(view):
    page = view("llama-fail", hash="#v=1&by=outcome&piece=0")
    expect(cell(page, r"^submod_0 · 1 token: 993 ms failed")).to_be_visible()
    expect(page.get_by_role("region", name="submod_0 · 1 token")).to_contain_text("Its compile failed.")


def test_other_viewers_link_here_if_there_are_pieces(page, bundle_of, address_of, folder_of):
    page.goto(address_of(bundle_of(folder_of("llama-fail"))))
    page.get_by_role("link", name="vLLM", exact=True).click()
    expect(page).to_have_url(re.compile("/vllm/"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("1 failed")
    page.goto(address_of(bundle_of("recompiles")))
    expect(page.get_by_role("link", name="Tensors")).to_have_text(re.compile(r"\d"))  # all is there
    expect(page.get_by_role("link", name="vLLM", exact=True)).to_have_count(0)


def test_a_log_without_vllm(page, bundle_of, address_of):
    page.goto(address_of(bundle_of("recompiles")).replace("/default/", "/vllm/"))
    expect(page.get_by_role("heading", name="No vLLM records in this log")).to_be_visible()


def test_axe_finds_nothing(page_that, bundle_of, address_of, folder_of):
    page = page_that(bypass_csp=True)
    base = address_of(bundle_of(folder_of("llama-jit-cold", "llama-jit-warm"))).replace("/default/", "/vllm/")
    found = []
    for hash in (f"#v=1&piece=3&beside={WARM_JIT}", "#v=1&by=outcome&open=submod_2"):
        page.goto("about:blank")
        page.goto(base + hash)
        expect(page.get_by_role("heading", name="Settings")).to_be_visible()
        found += violations_in_both_themes(page)
    assert not found, "\n".join(found)


def test_strings_of_a_log_are_text(page, bundle_of, address_of):
    """Names, settings and ranges that vLLM would never write."""
    bad = '<img src=x onerror="window.hacked=1">'
    start = {"submod_name": bad, "compile_range_start": 1, "compile_range_end": 2**52, "is_single_size": "no"}
    data = b"".join([
        record("artifact:vllm_compilation_config", payload=json.dumps({"prefix": bad, "model": bad, "mode": [bad], "__proto__": bad, "x" * 300: bad * 20})),
        record("artifact:vllm_piecewise_compile_start", payload=json.dumps(start)), record(f"graph_dump:vllm_submod_{'y' * 200}", payload=bad),
        record("artifact:vllm_piecewise_compile_start", payload="[]"), record("artifact:vllm_execution_code", payload=bad),
    ])  # fmt: skip
    page.goto(
        address_of(bundle_of(data)).replace("/default/", "/vllm/") + "#v=1&piece=0&open=,,&beside=none&by=odd"
    )
    expect(page.get_by_role("region", name=bad)).to_be_visible()
    expect(
        page.get_by_role("list", name="Settings").get_by_role("listitem").filter(has_text="model")
    ).to_contain_text(bad)
    assert page.evaluate("window.hacked") is None
