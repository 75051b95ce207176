// The panes of one graph, which mark and scroll to counterparts together.
import { fill, h } from "../lib/page/dom.js";
import { plural } from "../lib/page/format.js";
import { placeLink } from "../lib/page/place-link.js";
import { chain } from "./chain.js";
import { lineColors } from "./colors.js";
import { columns } from "./columns.js";
import { FindInPanes } from "./find-panes.js";
import { codeHeat, heatLegend, sourceHeat } from "./heat.js";
import { kernelGrid, share, showCoverage } from "./kernel-list.js";
import { LinePane } from "./line-pane.js";
import { addComments, buildModel, byLineAlone, follow, kernelsOfCode, mappedIn } from "./model.js";
import { sourceText } from "./source-text.js";

/** @typedef {import("./model.js").PaneName} PaneName */
/** @typedef {import("./model.js").Place} Place */

export const PANES = /** @type {[PaneName, string][]} */ ([
  ["source", "User source"],
  ["pre", "Pre-grad graph"],
  ["post", "Post-grad graph"],
  ["code", "Generated code"],
  ["bodies", "Kernel bodies"],
]);
const NAMES = PANES.map(([name]) => name);
const PIN = /^(source|pre|post|code|bodies|kernel):(\d{1,9})$/;
const MISSING = {
  source: "Source lines not recorded. tlparse-bundle run --provenance records them.",
  pre: "Pre-grad graph not recorded.",
  post: "Post-grad graph not recorded.",
  code: "Generated code not recorded.",
  bodies: "Kernel bodies not recorded.",
};

/** Return the first line of the function that calls the kernels, or 1. @param {string} code */
function firstLineOf(code) {
  const at = code.search(/^\s*def call\(|^[^(\n]*::run_impl\(|^\s*void inductor_entry_impl\(/m);
  return at < 0 ? 1 : code.slice(0, at).split("\n").length + Number(/^\s*\n/.test(code.slice(at)));
}

/** @param {string} text @returns {Place | null} */
function parsePin(text) {
  const match = text.match(PIN);
  return match && { pane: /** @type {any} */ (match[1]), key: Number(match[2]) };
}

/**
 * @param {{table: any, row: any, texts: Record<"pre" | "post" | "code" | "bodies", string | null>, times: (number | null)[],
 *   measured: import("./heat.js").Measured | null, state: import("../lib/page/hash-state.js").HashState}} content
 */
export function graphView({ table, row, texts, times, measured, state }) {
  const model = buildModel(table, row);
  addComments(model, texts.code ?? "");
  const source = sourceText(model);
  const postLines = (texts.post ?? "").split("\n");
  /** @type {Place | null} */
  let pin = null;
  /** @type {Place | null} */
  let preview = null;
  let walked = -1;
  let quiet = 0; // scrolling that the user did not cause
  /** @type {Map<PaneName, [line: number, height: number]>} panes to scroll along, one for each frame */
  const waiting = new Map();

  const panes = /** @type {Record<PaneName, LinePane>} */ (
    Object.fromEntries(
      PANES.map(([name, title]) => [
        name,
        new LinePane({
          name,
          title,
          onpreview: (line) => {
            preview = line === null ? null : placeAt(name, line);
            paint();
          },
          onpin: (line) => togglePin(placeAt(name, line)),
          onscroll: () => scrolled(name),
          onhide: () => toggle(name),
        }),
      ]),
    )
  );
  const here = PANES.filter(([name]) => name !== "bodies" || row.bodies_event !== null);
  const board = columns(here.map(([name]) => panes[name].section));
  const status = h("p", { class: "chain", role: "status" });
  const walk = h("span", { class: "dim walk" });
  const unpin = h("button", { class: "tool", onclick: () => togglePin(null), title: "Unpin (Esc)" }, "Unpin");
  const link = h("a", { title: "Link to this pinned line" }, "Link to this pin");
  const drawer = h("section", { "class": "drawer", "aria-label": "Kernel list" });
  const coverage = h("p", { "class": "coverage", "aria-label": "Coverage" });
  const finder = new FindInPanes(
    here.map(([name]) => panes[name]),
    () => here.filter(([name]) => visible(name)).map(([name]) => panes[name]),
    (searching) => board.element.classList.toggle("searching", searching),
  );
  const switches = h("div", { class: "pane-tools" }, finder.element);
  const element = h(
    "div",
    { class: "fill" },
    switches,
    board.element,
    drawer,
    h(
      "div",
      { class: "bottom" },
      status,
      h("span", { class: "spring" }),
      walk,
      h(
        "button",
        {
          "class": "tool",
          "aria-label": "Previous counterpart",
          "title": "Previous counterpart (N)",
          "onclick": () => step(-1),
        },
        "‹",
      ),
      h(
        "button",
        {
          "class": "tool",
          "aria-label": "Next counterpart",
          "title": "Next counterpart (n)",
          "onclick": () => step(1),
        },
        "›",
      ),
      link,
      unpin,
    ),
  );

  const openKernel = (/** @type {number} */ k) => {
    togglePin({ pane: "kernel", key: k }, true);
  };
  const grid = kernelGrid(model, postLines, source.short, times, {
    sort: state.current.sort,
    onsort: (sort) => state.replace({ sort }),
    onselect: openKernel,
    onopen: (k) => {
      openKernel(k);
      panes.code.body.focus();
    },
  });
  const noKernels =
    "No kernels recorded: the graph needs none, or its code came from a cache without provenance.";
  fill(drawer, coverage, model.kernels.length ? grid.element : h("p", { class: "padded dim" }, noKernels));

  /** @param {PaneName} name @param {number} line @returns {Place | null} */
  function placeAt(name, line) {
    const key = name === "source" ? (source.keys[line - 1] ?? -1) : line;
    return key < 0 ? null : { pane: name, key };
  }

  /** Lines of each pane. @param {import("./model.js").Found} found @returns {Record<PaneName, Set<number>>} */
  function linesOf(found) {
    return {
      source: new Set([...found.source].map((s) => source.lineOf.get(s) ?? 0)),
      pre: found.pre,
      post: found.post,
      code: found.code,
      bodies: found.bodies,
    };
  }

  /** Return the counterparts of a place and the place itself, so that a pin without counterparts is visible. @param {Place | null} place */
  function lit(place) {
    if (!place) return null;
    const lines = linesOf(follow(model, place));
    if (place.pane !== "kernel")
      lines[place.pane].add(place.pane === "source" ? (source.lineOf.get(place.key) ?? 0) : place.key);
    return lines;
  }

  function paint() {
    const kept = lit(pin),
      seen = lit(preview);
    const none = new Set();
    for (const name of NAMES) {
      panes[name].mark({ pinned: kept?.[name] ?? none, preview: seen?.[name] ?? none, loose: loose(name) });
    }
    const place = preview ?? pin;
    const text = place && chain(model, place, postLines, source.short);
    const hint = place
      ? "No counterpart recorded for this line."
      : "Hover over a line to see its counterparts. Click to pin it.";
    fill(
      status,
      h("span", null, text?.head ?? hint),
      text && h("span", null, placeLink(text.first?.file, text.first?.line ?? null, text.lines), text.about),
    );
    status.title = text?.full ?? "";
    unpin.hidden = link.hidden = pin === null;
    link.href = location.hash;
    const total = counterparts().length;
    walk.textContent =
      pin && total ? (walked < 0 ? plural(total, "counterpart") : `${walked + 1} of ${total}`) : "";
  }

  /** @param {PaneName} name */
  function loose(name) {
    const pane = pin?.pane ?? preview?.pane;
    const inCode = (/** @type {string | undefined} */ one) =>
      one === "kernel" || one === "code" || one === "bodies";
    if (
      pane === undefined ||
      pane === name ||
      (inCode(pane) && inCode(name)) ||
      pane === "source" ||
      name === "source"
    )
      return false;
    if (model.byLine.pre && [pane, name].includes("pre")) return true;
    return (inCode(pane) || inCode(name)) && byLineAlone(model, /** @type {Place} */ (pin ?? preview));
  }

  /** @param {Place | null} place @param {boolean} [always] also when it is pinned already */
  function togglePin(place, always = false) {
    const same = place && pin && place.pane === pin.pane && place.key === pin.key;
    if (same && always) return;
    state.go(state.patched({ pin: !place || same ? "" : `${place.pane}:${place.key}` }));
  }

  /** @param {PaneName} name */
  function toggle(name) {
    const hidden = new Set(state.current.hide.split(",").filter(Boolean));
    if (!hidden.delete(name)) hidden.add(name);
    if (here.some(([n]) => !hidden.has(n)))
      state.replace({ hide: NAMES.filter((n) => hidden.has(n)).join(",") }, true);
  }

  const visible = (/** @type {string} */ name) =>
    here.some(([n]) => n === name) && !state.current.hide.split(",").includes(name);

  /** List the counterparts of the pin, pane by pane; only the first line of kernel code. @returns {[PaneName, number][]} */
  function counterparts() {
    const place = pin ?? preview;
    if (!place) return [];
    const found = follow(model, place);
    const lines = linesOf(found);
    lines.code = new Set(
      [...found.kernels].flatMap((k) => [
        ...model.kernels[k].calls,
        ...(model.kernels[k].definition ?? []).slice(0, 1),
      ]),
    );
    lines.bodies = new Set([...found.kernels].flatMap((k) => (model.kernels[k].body ?? []).slice(0, 1)));
    return NAMES.filter(visible).flatMap((name) =>
      [...lines[name]].sort((a, b) => a - b).map((line) => /** @type {[PaneName, number]} */ ([name, line])),
    );
  }

  /** @param {number} by */
  function step(by) {
    const places = counterparts();
    if (!places.length) return;
    walked = walked < 0 ? (by > 0 ? 0 : places.length - 1) : (walked + by + places.length) % places.length;
    const [name, line] = places[walked];
    quiet = performance.now();
    for (const other of NAMES)
      if (other !== name && panes[other].cursor) {
        panes[other].cursor = 0;
        panes[other].repaint();
      }
    panes[name].moveTo(line);
    panes[name].body.focus({ preventScroll: true });
    panes[name].section.scrollIntoView({ block: "nearest" });
    paint();
  }

  /** Scroll the other panes along with this one. @param {PaneName} name */
  function scrolled(name) {
    if (state.current.sync === "0" || performance.now() - quiet < 150) return;
    const anchor = panes[name].anchor();
    const place = anchor && placeAt(name, anchor.line);
    if (!anchor || !place) return;
    const lines = linesOf(follow(model, place));
    const idle = waiting.size === 0;
    for (const other of NAMES) {
      const line = firstCall(other, lines[other]);
      if (other !== name && visible(other) && line) waiting.set(other, [line, anchor.height]);
    }
    if (idle) requestAnimationFrame(alignNext);
  }

  /** Scroll one of the panes that wait: all in one frame would take too long. */
  function alignNext() {
    const [next] = waiting;
    if (!next) return;
    const [name, [line, height]] = next;
    waiting.delete(name);
    panes[name].align(line, height);
    requestAnimationFrame(alignNext);
  }

  /** Return the line to show. In generated code, prefer the call over the kernel definition. @param {PaneName} name @param {Set<number>} lines */
  function firstCall(name, lines) {
    const sorted = [...lines].sort((a, b) => a - b);
    return (
      (name === "code" ? sorted.find((line) => model.maps.callToKernels.has(line)) : undefined) ?? sorted[0]
    );
  }

  /** Scroll the other panes to the counterparts of the pin. */
  function showPinned() {
    const lines = lit(pin);
    if (!pin || !lines) return;
    quiet = performance.now();
    for (const name of NAMES) {
      const line = name === pin.pane && pin.pane !== "source" ? pin.key : firstCall(name, lines[name]);
      if (line) panes[name].reveal(line);
    }
    const kernels =
      pin.pane === "kernel"
        ? [pin.key]
        : pin.pane === "code" || pin.pane === "bodies"
          ? kernelsOfCode(model, pin.key, pin.pane)
          : [...follow(model, pin).kernels];
    if (kernels.length && grid.selected !== kernels[0])
      grid.list.activate(Array.prototype.indexOf.call(grid.order, kernels[0]));
  }

  const tintOf = lineColors(model, source);
  for (const name of NAMES) panes[name].tint = (line) => tintOf(name, line);
  const language =
    row.code_language === "cpp" && !/^\s*(import|from) /m.test((texts.code ?? "").slice(0, 400))
      ? "cpp"
      : "python";
  panes.source.heat = sourceHeat(model, source.lineOf, measured);
  panes.code.heat = codeHeat(model, measured);
  panes.source.show(
    model.sources.length ? source.text : null,
    "python",
    MISSING.source,
    (line) => source.keys[line - 1] >= 0,
    source.labels,
  );
  panes.pre.show(texts.pre, "fx", MISSING.pre, mappedIn(model, "pre"));
  panes.post.show(texts.post, "fx", MISSING.post, mappedIn(model, "post"));
  panes.code.show(texts.code, language, MISSING.code, mappedIn(model, "code"));
  panes.bodies.show(texts.bodies, "cpp", MISSING.bodies, mappedIn(model, "bodies"));
  showCoverage(row, coverage, model.byLine);
  if (measured) coverage.append(heatLegend(measured));
  panes.source.note.textContent = `${plural(model.sources.length, "line")} recorded`;
  panes.pre.note.textContent = row.pre_node_count
    ? `${share(row.pre_in_post_count, row.pre_node_count)} nodes in post-grad graph`
    : "";
  panes.post.note.textContent = row.post_node_count
    ? `${share(row.post_in_kernel_count, row.post_node_count)} nodes in kernels`
    : "";
  panes.code.note.textContent = row.kernel_count
    ? `${share(row.kernel_in_post_count, row.kernel_count)} kernels mapped`
    : "";
  let shownPin = "";
  const start = firstLineOf(texts.code ?? "");
  let opened = false;
  return {
    element,
    step,
    toggle,
    panes,
    switches,
    here,
    /** @param {Record<string, string>} current */
    update(current) {
      board.show((i) => visible(here[i][0]));
      drawer.hidden = current.kernels === "0";
      board.element.classList.toggle("types-folded", current.types !== "1");
      board.element.classList.toggle("colored", current.colors !== "0");
      for (const name of NAMES) panes[name].setWrap(current.wrap === "1");
      if (!opened) panes.code.align(start, 0);
      opened = true;
      pin = parsePin(current.pin);
      if (current.pin !== shownPin) {
        shownPin = current.pin;
        walked = -1;
        showPinned();
      }
      paint();
    },
    unpin: () => togglePin(null),
    finder,
  };
}
