"""Names cut in the middle: the end stays visible, and the whole name can be read aloud, copied and found."""

from axe import violations

NAMES = [
    "/home/user/a_project_with_a_long_name/benchmarks/s05_failures.py:1234",
    "triton_poi_fused__to_copy_add_mul_native_dropout_12",
    "short.py:3",
    "\U0001f600" * 20,
]
PROBE = """async (names) => {
  const { cutMiddle } = await import("/viewers/lib/page/cut-middle.js");
  const box = document.createElement("p");
  box.style.setProperty("width", "220px");
  for (const name of names) {
    const row = document.createElement("a");
    row.href = "#";
    row.style.setProperty("display", "block");
    row.append(cutMiddle(name));
    box.append(row);
  }
  document.querySelector("main").replaceChildren(box);
}"""
# The whole text, the part that shrinks last, the part that never shrinks, and whether all fits the row's
# width.
SEEN = """(all) => all.map((cut) => {
  const { name = "", end = "" } = cut.querySelector(".cut-end")?.dataset ?? {};
  return [cut.textContent, name, end, cut.offsetWidth <= 220 && cut.offsetHeight < 30];
})"""


def test_the_end_of_a_name_stays(page_that, bundle_of, address_of):
    page = page_that(bypass_csp=True)
    page.goto(address_of(bundle_of("basic_inference")))
    page.get_by_role("heading", level=1).first.wait_for()
    page.evaluate(PROBE, NAMES)
    seen = page.locator(".cut-middle").evaluate_all(SEEN)
    parts = [["s05_failures", ".py:1234"], ["", "_dropout_12"], ["short", ".py:3"], ["", "\U0001f600" * 6]]
    assert seen == [[name, *part, True] for name, part in zip(NAMES, parts, strict=True)]
    for name in NAMES:
        assert page.get_by_role("link", name=name, exact=True).count() == 1, "read aloud once, in one piece"
    copied = page.evaluate(
        "(() => { getSelection().selectAllChildren(document.querySelector('main p')); return"
        " String(getSelection()) })()"
    )
    assert [line for line in copied.split("\n") if line] == NAMES
    assert page.evaluate(
        "(() => { getSelection().removeAllRanges(); return find('long_name/benchmarks/s05_failures.py:1234')"
        " })()"
    )
    assert [
        line
        for line in violations(page, "light")
        if "contrast" in line.split(":")[0] or "aria" in line.split(":")[0]
    ] == []  # by the name of the rule
