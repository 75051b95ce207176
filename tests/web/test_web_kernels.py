"""Kernels in the generated code."""

import re

from pages import expect_address
from playwright.sync_api import expect


def detail(page):
    return page.get_by_role("region", name="Kernels: details")


def test_kernels_by_kind_and_their_lines(show):
    page, bundle = show("transformer")
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Kernels").click()
    kernels = bundle.logs[0].table("kernels")
    expect(page.get_by_text(f"{len(kernels)} kernels and calls")).to_be_visible()
    page.get_by_label("Kind").select_option("extern")
    extern = [kernel for kernel in kernels if kernel["kind"] == "extern"]
    expect(page.get_by_text(f"{len(extern)} of {len(kernels)} kernels and calls")).to_be_visible()
    expect(detail(page)).to_contain_text(extern[0]["name"])
    expect(detail(page)).to_contain_text(extern[0]["source_nodes"][0])
    page.get_by_label("Filter kernels and calls").fill("gelu_view_5")
    page.get_by_label("Kind").select_option("")
    (gelu,) = (kernel for kernel in kernels if kernel["name"] == "cpp_fused_gelu_view_5")
    link = detail(page).get_by_role("link", name=f"line {gelu['line']}", exact=True)
    expect(link).to_have_attribute("href", re.compile("artifact=inductor_output_code"))
    link.click()
    expect(page.get_by_role("region", name="Artifact")).to_contain_text("cpp_fused_gelu_view_5 = ")
    expect_address(page, f"line={gelu['line']}")


def test_the_compile_has_its_kernels_with_source_lines(show):
    page, _ = show("transformer", "#v=1&view=compile&compile=0/0")
    summary = page.get_by_role("region", name="Summary")
    expect(summary).to_contain_text("tlparse-bundle run --provenance -- python train.py")
    expect(summary.get_by_role("row", name="cpp_fused_native_layer_norm_0")).to_contain_text("program.py:26")
    summary.get_by_role("link", name="cpp_fused_native_layer_norm_0").click()
    expect(detail(page).get_by_role("heading", level=2)).to_have_text("cpp_fused_native_layer_norm_0")
    expect(detail(page)).to_contain_text("x = x + self.attention(self.norm1(x))")
    page.evaluate(
        "Object.assign(navigator.clipboard, { writeText: async (text) => { window.copied = text; } })"
    )
    detail(page).get_by_role("button", name="Copy").click()
    expect(detail(page).get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("copied") == "tlparse-bundle run --provenance -- python train.py"
    detail(page).get_by_role("link", name="Kernels of program.py:26").click()
    expect(page.get_by_text("of 24 kernels and calls")).to_be_visible()
    expect(page.get_by_role("row", name="cpp_fused_native_layer_norm_0")).to_be_visible()
    page, _ = show("provenance", "#v=1&view=compile&compile=0/0")
    expect(summary.get_by_role("heading", name="Kernels and calls")).to_be_visible()
    # torch records both lines of this kernel; the code alone has one.
    fused = summary.get_by_role("row", name="cpp_fused__softmax_add_mul_sigmoid_0")
    expect(fused).to_contain_text("program.py:17 and 1 more")
    expect(summary.get_by_text("run --provenance")).to_have_count(0)


def test_an_empty_view_describes_its_contents(show):
    page, _ = show("dynamic_shapes", "#v=1&view=kernels")
    expect(page.get_by_role("heading", name="No kernels")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("inductor_output_code")


def test_operators_come_from_the_provenance_if_any(show):
    """train_step has C++ kernels without provenance, the fixture provenance those with it."""
    for fixture, has_operators in [("train_step", False), ("provenance", True)]:
        page, bundle = show(fixture, "#v=1&view=kernels")
        kernel = next(kernel for kernel in bundle.logs[0].table("kernels") if kernel["kind"] == "cpp")
        assert kernel["aten_ops"] == []
        page.get_by_label("Filter kernels and calls").fill(kernel["name"])
        expect(detail(page).get_by_role("heading", level=2)).to_have_text(kernel["name"])
        expect(detail(page).get_by_role("link", name="Provenance ›")).to_have_count(int(has_operators))
        expect(detail(page).get_by_text("torch doesn't record the operators of a C++ kernel")).to_have_count(
            int(not has_operators)
        )
