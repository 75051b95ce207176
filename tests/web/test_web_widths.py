"""No line number, label or unit is clipped or hidden, in any table or list of any viewer, at usual window widths; and no
text is squeezed beside an empty area.

Painted text is measured: pieces of text nodes, and ``::before`` and ``::after``. A number is whole when it is
inside all clipping boxes around it and not covered by the "…" of one. Lists may scroll down, not to the side.
"""

import shutil
from itertools import chain

import pytest
from conftest import FIXTURES
from pages import go, settle
from tlparse_bundle import Bundle

WIDTHS = (1024, 1440, 1920)
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
        const start = box.left + (i && styles[0] ? parseFloat(styles[0].width) : 0);
        const from = start + advance(text.slice(0, -number.length), style), to = start + advance(text, style); // with kerning
        const room = style.overflowX === "visible" ? Infinity : start + parseFloat(style.width);
        const name = node.closest(".cut-middle")?.textContent ?? text;
        found.push([name, to <= room + 1 && whole({ left: from, right: to, top: box.top, bottom: box.bottom }, node)]);
      });
      continue;
    }
    const element = node.parentElement;
    if (!/:\d/.test(node.data) || element.closest(".code, pre, .search-line, option, .treemap") || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
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
# Columns of text that are narrower than 45 characters, and cut or wrapped, beside an empty area of more than 30 % of the
# width: [how much is empty, the column, one of its texts]. A column is every block with the same left edge and width;
# the area is as high as the column.
SQUEEZED = r"""() => {
  const main = document.querySelector("main");
  const frame = main.getBoundingClientRect();
  const right = frame.left + main.clientWidth, width = main.clientWidth;
  const visible = (e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !e.closest(".visually-hidden, .cut-whole");
  const painted = [], blocks = new Map();
  const pen = document.createElement("canvas").getContext("2d");
  const shown = (rect, element) => {   // the part that its clipping boxes leave
    let { left, right, top, bottom } = rect;
    for (let box = element; box && box !== document.body; box = box.parentElement) {
      const style = getComputedStyle(box);
      if (style.overflowX === "visible" || style.display === "inline" || style.display === "contents") continue;
      const at = box.getBoundingClientRect();
      left = Math.max(left, at.left); right = Math.min(right, at.right); top = Math.max(top, at.top); bottom = Math.min(bottom, at.bottom);
    }
    return right - left > 1 && bottom - top > 1 ? { left, right, top, bottom } : null;
  };
  const block = (e) => { while (["inline", "contents"].includes(getComputedStyle(e).display)) e = e.parentElement; return e; };
  const walk = document.createTreeWalker(main, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    if (node instanceof Element) {
      if (!visible(node)) continue;
      const style = getComputedStyle(node);
      const drawn = ["svg", "canvas", "IMG", "INPUT", "SELECT", "BUTTON", "TEXTAREA"].includes(node.tagName) || (node.childElementCount === 0 && !node.textContent && style.backgroundColor !== "rgba(0, 0, 0, 0)") || node.classList.contains("cut-middle");
      const rect = drawn && shown(node.getBoundingClientRect(), node);
      if (rect) painted.push(rect);
      continue;
    }
    const e = node.parentElement;
    if (!node.data.trim() || !visible(e)) continue;
    const range = document.createRange(); range.selectNodeContents(node);
    const rects = [...range.getClientRects()].filter((r) => r.width > 0).map((r) => shown(r, e)).filter(Boolean);
    painted.push(...rects);
    const b = block(e), s = getComputedStyle(b);
    if (/^pre/.test(s.whiteSpace) && s.whiteSpace !== "pre-wrap" || e.closest(".code, pre, svg, button, select, option, thead, .treemap, .boxes")) continue;
    const known = blocks.get(b) ?? { rects: [], text: "" };
    known.rects.push(...rects); known.text += node.data; blocks.set(b, known);
  }
  const columns = new Map();
  for (const [b, { rects, text }] of blocks) {
    if (rects.length === 0) continue;
    const s = getComputedStyle(b);
    pen.font = `${s.fontWeight} ${s.fontSize} ${s.fontFamily}`;
    const inner = b.clientWidth - parseFloat(s.paddingLeft) - parseFloat(s.paddingRight);
    const sum = text.replace(/\s+/g, " ").trim();
    const length = pen.measureText(sum).width;
    const lines = new Set(rects.map((r) => Math.round(r.bottom / 6))).size;
    const cut = s.textOverflow === "ellipsis" && b.scrollWidth > b.clientWidth;
    const flows = lines > 1 && s.whiteSpace !== "nowrap" && length > inner;
    const key = `${Math.round(b.getBoundingClientRect().left)} ${Math.round(inner)} ${b.tagName}.${b.className}`;
    const column = columns.get(key) ?? { top: Infinity, bottom: -Infinity, squeezed: [] };
    column.top = Math.min(column.top, ...rects.map((r) => r.top));
    column.bottom = Math.max(column.bottom, ...rects.map((r) => r.bottom));
    if ((cut || flows) && (inner * sum.length) / length < 45) column.squeezed.push([Math.round((inner * sum.length) / length), sum.slice(0, 80)]);
    columns.set(key, column);
  }
  const wrong = [];
  for (const [key, { top, bottom, squeezed }] of columns) {
    if (squeezed.length === 0) continue;
    const spans = painted.filter((r) => r.bottom > top + 1 && r.top < bottom - 1).map((r) => [Math.max(frame.left, r.left), Math.min(right, r.right)]).sort((x, y) => x[0] - y[0]);
    let at = frame.left, gap = 0;
    for (const [l, r] of [...spans, [right, right]]) { gap = Math.max(gap, l - at); at = Math.max(at, r); }
    if (gap > 0.3 * width) wrong.push([`${Math.round((100 * gap) / width)} % empty`, key, squeezed.length, squeezed[0]]);
  }
  return wrong;
}"""


# Names of lists that are wider than their place: their rows should have two lines.
SIDEWAYS = """async () => {
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return [...document.querySelectorAll("main [role=grid]")].filter((grid) => grid.checkVisibility() && !grid.closest(".matrix")
    && [...grid.querySelectorAll("[role=row]")].some((row) => row.scrollWidth > grid.clientWidth + 1)).map((grid) => grid.getAttribute("aria-label"));
}"""


def clipped(page, at):
    """Return elements with a clipped line number, number or label at one of the widths, columns of squeezed text, and
    lists that are too wide for a phone, with the address; and the number of places checked.
    """
    wrong, seen = [], 0
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        found = page.evaluate(MEASURE)
        seen += len(found)
        wrong += [f"{at} at {width}: {text}" for text, whole in found if not whole]
        wrong += [f"{at} at {width}: cut {text!r}" for text in page.evaluate(CUT)]
        wrong += [f"{at} at {width}: squeezed {column}" for column in page.evaluate(SQUEEZED)]
    page.set_viewport_size({"width": 390, "height": 800})
    wrong += [f"{at} on a phone: {name} scrolls to the side" for name in page.evaluate(SIDEWAYS)]
    page.set_viewport_size({"width": WIDTHS[-1], "height": 900})
    return wrong, seen


RANKS = ("verdict", "matrix", "collectives", "execution", "timeline", "details")
RUNS = ("changes", "compiles", "timeline", "compile&left=0/0&right=0/0", "compile&left=1/0&right=1/0")
EVERY = "every view in the rail"
VIEWS = [  # viewer, fixture, views
    ("default", "recompiles", [
        EVERY, "compile&compile=0/1", "compile&compile=0/1&artifact=dynamo_output_graph&pane=table", "recompiles&by=function&item=3",
        "compare", "compare&left={log}/0/0&right={log}/0/1&artifact=~frame", "search&q=grows",
    ]),
    ("default", "failures", [EVERY, "compile&compile=0/0"]),
    ("default", "transformer", [EVERY, "anatomy&by=origin", "compile&compile=0/0"]),
    ("default", "graph_breaks", ["breaks", "stack&problems=1"]),
    ("default", "caches", ["overview", "artifacts", "caches"]),
    ("default", "dynamic_shapes", ["symbols", "tensors&item=112", "guards"]),
    ("default", "export_dtrace", ["export"]),
    ("default", "ranks4", ["overview"]),
    ("default", "profiler/breaks", ["runtime"]),
    ("default", "versions/2.15.0/slow_worker.log.zst", ["workers"]),
    ("default", "cuda/cuda_graphs.log.zst", ["cudagraphs"]),
    ("default", "versions/2.13.0/autotune_gemms.log.zst", ["autotuning", "kernels"]),
    *(("provenance", name, ["", "&pin=kernel:0"]) for name in ("provenance", "provenance_aoti", "provenance_training")),
    *(("multirank", name, RANKS) for name in ("ranks_missing_collective", "ranks_killed", "jobs/pipeline_broken")),
    *(("compare", f"pairs/{name}", RUNS) for name in ("new_break", "line_changed", "other_inputs")),
    *(("letter", name, [""]) for name in ("failures", "recompiles", "transformer")),
    *((viewer, name, [""]) for viewer in ("strip", "bytes", "starter") for name in ("failures", "recompiles", "transformer")),
    *(("vllm", f"vllm/{name}", ["", "&piece=0"]) for name in ("llama-fail", "llama-warm", "passes-cold")),
]  # fmt: skip
SHORT = ("recompiles", "provenance")  # these logs as they are; the others with longer names
WITHOUT = [  # they show no line number yet
    ("default", "profiler/breaks"), ("letter", "transformer"),
    *(row[:2] for row in VIEWS if row[0] in ("vllm", "strip", "bytes", "starter")),
]  # fmt: skip
LONG = "training_of_the_language_model/pretraining_with_a_curriculum.py"


@pytest.fixture(scope="session")
def renamed(once):
    """Return renamed(logs): the same logs of a program with a longer name."""

    def fill(out, logs):
        shutil.copytree(logs, out)
        for log in out.rglob("*.log"):
            log.write_bytes(log.read_bytes().replace(b"project/program.py", b"project/" + LONG.encode()))

    return lambda logs: once(("renamed", logs), lambda folder: fill(folder / "logs", logs)) / "logs"


def rail(page):
    """Return the views that the rail links to, without other viewers."""
    links = page.get_by_role("navigation", name="Views").locator("a[href^='#']")
    return [link.get_attribute("data-view") for link in links.all()]


@pytest.mark.parametrize(("viewer", "fixture", "views"), VIEWS)
def test_no_number_or_label_is_clipped(new_page, bundle_of, address_of, renamed, viewer, fixture, views):
    logs = FIXTURES / fixture
    logs = logs / "trace" if (logs / "trace").exists() else logs
    sides = [logs / "base", logs / "new"] if viewer == "compare" else [logs]
    folders = [bundle_of(side if fixture in SHORT or side.is_file() else renamed(side)) for side in sides]
    where, *beside = (address_of(folder).replace("/default/", f"/{viewer}/") for folder in folders)
    if beside:
        where = f"{where.replace('?bundle=', '?base=')}&new={beside[0].split('?bundle=')[1]}"
    page, wrong, seen = new_page(), [], 0
    page.goto(where)
    settle(page)
    for view in chain.from_iterable(rail(page) if view is EVERY else [view] for view in views):
        log = Bundle.open(folders[0]).logs[0].id
        hash = "#v=1" + (view if view[:1] in ("", "&") else f"&view={view}".format(log=log))
        go(page, hash)
        found, number = clipped(page, f"{viewer} {fixture} {hash}")
        wrong += found
        seen += number
    assert seen > 0 or (viewer, fixture) in WITHOUT, f"{viewer} shows line numbers of {fixture}"
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("viewer", ["home", "trend", "open"])
def test_no_number_or_label_is_clipped_in_the_lists_of_bundles(new_page, served, bundle_of, renamed, viewer):
    bundles = {
        name: bundle_of(renamed(FIXTURES / name / "trace"))
        for name in ("failures", "recompiles", "graph_breaks")
    }
    page = new_page()
    page.goto(f"{served(bundles)}/viewers/{viewer}/")
    settle(page)
    wrong, _ = clipped(page, viewer)
    assert not wrong, "\n".join(wrong)
