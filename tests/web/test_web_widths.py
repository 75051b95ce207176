"""No line number, label or unit is clipped or hidden, in any table or list of any viewer, at usual window widths.

Painted text is measured: pieces of text nodes, and ``::before`` and ``::after``. A number is whole when it is
inside all clipping boxes around it and not covered by the "…" of one. Lists may scroll down, not to the side.
"""

import shutil
from itertools import product

import pytest
from conftest import FIXTURES
from pages import go, settle
from tlparse_bundle import Bundle

WIDTHS = (1024, 1280, 1440, 1920)
# Of each visible place "name.py:41": [its text, whether the number is whole]. Source code scrolls to the side
# and is left out.
MEASURE = r"""async () => {
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))); // the window has its new size
  const PLACE = /[\w>)]\.(?:py|pyx|pyi|cpp|cc|h|c|cu)(:\d+(?:, \d+)*)/g, END = /^[^:]*(:\d+(?:, \d+)*(?: and \d+ more)?)$/;
  const pen = document.createElement("canvas").getContext("2d");
  const advance = (text, style) => { pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`; return pen.measureText(text).width; };
  const whole = (rect, element) => {
    let fixed = false;
    for (let box = element; box && box !== document.documentElement; box = box.parentElement) {
      const style = getComputedStyle(box);
      if (style.overflowX === "visible" && style.overflowY === "visible") continue;
      if (style.display === "inline" || style.display === "contents") continue;
      const at = box.getBoundingClientRect();
      const left = at.left + box.clientLeft, right = left + box.clientWidth;
      const dots = style.textOverflow === "ellipsis" && box.scrollWidth > box.clientWidth ? advance("…", style) : 0;
      if (rect.left < left - 1 || rect.right > right - dots + 1) return false;
      const scrolls = ["auto", "scroll"].includes(style.overflowY);
      if (scrolls) rect = at; // it can be scrolled to
      else if (rect.top < at.top - 2 || rect.bottom > at.bottom + 2) return false;
    }
    return rect.right <= innerWidth + 1 && rect.left >= -1;
  };
  const found = [];
  const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    if (node instanceof Element) {
      // A piece that a pseudo-element draws: its text is an attribute, its box has the width that was left for it.
      const styles = ["::before", "::after"].map((which) => getComputedStyle(node, which)).map((style) => (style.content.startsWith('"') && parseFloat(style.width) >= 0 ? style : null));
      styles.forEach((style, i) => {
        const text = style && JSON.parse(style.content);
        const number = text && (END.exec(text) ?? [])[1];
        if (!number || !node.checkVisibility({ visibilityProperty: true })) return;
        const box = node.getBoundingClientRect();
        const from = box.left + (i && styles[0] ? parseFloat(styles[0].width) : 0) + advance(text.slice(0, -number.length), style);
        const to = from + advance(number, style);
        const room = style.overflowX === "visible" ? Infinity : from - advance(text.slice(0, -number.length), style) + parseFloat(style.width);
        const name = node.closest(".cut-middle")?.textContent ?? text;
        found.push([name, to <= room + 1 && whole({ left: from, right: to, top: box.top, bottom: box.bottom }, node)]);
      });
      continue;
    }
    const element = node.parentElement;
    if (!/:\d/.test(node.data) || element.closest(".code, pre, .search-line, option") || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (getComputedStyle(element).webkitTextFillColor === "rgba(0, 0, 0, 0)" || element.closest(".visually-hidden")) continue;
    for (const match of node.data.matchAll(PLACE)) {
      const range = document.createRange();
      range.setStart(node, match.index + match[0].length - match[1].length);
      range.setEnd(node, match.index + match[0].length);
      const rects = [...range.getClientRects()];
      found.push([node.data.slice(Math.max(0, match.index - 40), match.index + match[0].length), rects.length > 0 && rects.every((rect) => whole(rect, element))]);
    }
  }
  return found;
}"""


# Texts of visible numbers, units, labels and headings that their box cuts.
CUT = """() => [...document.querySelectorAll("main :is(.number, .tile, .tile *, .status, .legend, .finding-cost, button, th, dt, h1, h2, h3, [role=columnheader])")]
  .filter((box) => box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).display !== "inline" && getComputedStyle(box).overflowX !== "visible"
    && box.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !box.closest(".visually-hidden, .code, pre, .treemap"))
  .map((box) => box.innerText)"""


def clipped(page, at):
    """Return elements with a clipped line number, number or label at one of the widths, with the address; and
    the number of places checked.
    """
    wrong, seen = [], 0
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        found = page.evaluate(MEASURE)
        seen += len(found)
        wrong += [f"{at} at {width}: {text}" for text, whole in found if not whole]
        wrong += [f"{at} at {width}: cut {text!r}" for text in page.evaluate(CUT)]
    return wrong, seen


RANKS = ("verdict", "collectives", "execution", "details")
RUNS = ("changes", "compiles", "timeline", "compile&left=0/0&right=0/0", "compile&left=1/0&right=1/0")
VIEWS = [  # viewer, fixture, views; the viewers in the last line show no line number of these logs yet
    ("default", "recompiles", [
        "overview", "stack", "compiles", "compile&compile=0/1", "compile&compile=0/1&artifact=dynamo_output_graph&pane=table", "recompiles",
        "recompiles&by=function&item=3", "guards", "compare", "compare&left={log}/0/0&right={log}/0/1&artifact=~frame", "search&q=grows",
    ]),
    ("default", "graph_breaks", ["breaks", "stack&problems=1"]),
    ("default", "failures", ["failures", "compiles"]),
    ("default", "caches", ["overview", "artifacts", "caches"]),
    ("default", "dynamic_shapes", ["symbols", "tensors&item=112", "guards"]),
    ("default", "export_dtrace", ["export"]),
    ("default", "transformer", ["kernels", "anatomy&by=origin", "compile&compile=0/0"]),
    *(("provenance", name, ["", "&pin=kernel:0"]) for name in ("provenance", "provenance_aoti")),
    *(("multirank", name, RANKS) for name in ("ranks_missing_collective", "ranks_killed", "jobs/pipeline_broken")),
    *(("compare", f"pairs/{name}", RUNS) for name in ("new_break", "line_changed")),
    ("letter", "failures", [""]), ("letter", "recompiles", [""]),
    ("vllm", "vllm/llama-fail", ["", "&piece=0"]), ("strip", "recompiles", [""]), ("bytes", "recompiles", [""]), ("starter", "recompiles", [""]),
]  # fmt: skip
SHORT = ("recompiles", "failures", "provenance")  # these logs unchanged, too
WITHOUT = ("vllm", "strip", "bytes", "starter")
LONG = "training_of_the_language_model/pretraining_with_a_curriculum.py"


@pytest.fixture(scope="session")
def renamed(once):
    """Return renamed(logs): the same logs of a program with a longer name."""

    def fill(out, logs):
        shutil.copytree(logs, out)
        for log in out.rglob("*.log"):
            log.write_bytes(log.read_bytes().replace(b"project/program.py", b"project/" + LONG.encode()))

    return lambda logs: once(("renamed", logs), lambda folder: fill(folder / "logs", logs)) / "logs"


@pytest.mark.parametrize("viewer", dict.fromkeys(viewer for viewer, *_ in VIEWS))
def test_no_number_or_label_is_clipped(new_page, bundle_of, address_of, renamed, viewer):
    page, wrong = new_page(), []
    for (_, fixture, views), name in product((row for row in VIEWS if row[0] == viewer), ("short", "long")):
        if name == "short" and fixture not in SHORT:
            continue
        logs = FIXTURES / fixture / "trace" if (FIXTURES / fixture / "trace").exists() else FIXTURES / fixture
        folders = [
            bundle_of(renamed(side) if name == "long" else side)
            for side in ([logs / "base", logs / "new"] if viewer == "compare" else [logs])
        ]
        where, *beside = (address_of(folder).replace("/default/", f"/{viewer}/") for folder in folders)
        if beside:
            where = f"{where.replace('?bundle=', '?base=')}&new={beside[0].split('?bundle=')[1]}"
        page.goto(where)
        settle(page)
        seen = 0
        for view in views:
            hash = "#v=1" + (
                view
                if view[:1] in ("", "&")
                else f"&view={view}".format(log=Bundle.open(folders[0]).logs[0].id)
            )
            go(page, hash)
            found, number = clipped(page, f"{viewer} {fixture} {hash} ({name} names)")
            wrong += found
            seen += number
        assert seen > 0 or viewer in WITHOUT, f"{viewer} of {fixture} shows line numbers"
    assert wrong == []


@pytest.mark.parametrize("viewer", ["home", "trend"])
def test_no_number_or_label_is_clipped_in_the_lists_of_bundles(new_page, served, bundle_of, renamed, viewer):
    bundles = {
        name: bundle_of(renamed(FIXTURES / name / "trace"))
        for name in ("failures", "recompiles", "graph_breaks")
    }
    page = new_page()
    page.goto(f"{served(bundles)}/viewers/{viewer}/")
    settle(page)
    wrong, _ = clipped(page, viewer)
    assert wrong == []
