// Entry point of the provenance viewer: opens the bundle, shows the chosen graph, follows the URL.
import { Frame } from "../lib/frame/frame.js";
import { fill, h, typing } from "../lib/page/dom.js";
import { copyable, RECORD_PROVENANCE } from "../lib/page/hand-over.js";
import { HashState } from "../lib/page/hash-state.js";
import { isLeftOut, LEFT_OUT } from "../lib/page/left-out.js";
import { loader, watchErrors } from "../lib/page/load.js";
import { openPageBundle } from "../lib/page/open-bundle.js";
import { bundleName, followLinks, helpButton, inViewer, listAddress, stopped } from "../lib/page/page.js";
import { picker } from "../lib/page/picker.js";
import { shareButton } from "../lib/page/share.js";
import { themeButton } from "../lib/page/remember.js";
import { graphsOf, textsOf, timesOf } from "./data.js";
import { showHelp } from "./help.js";
import { buildModel } from "./model.js";
import { measuredOf } from "./heat.js";
import { PANES, graphView } from "./view.js";

// hide: hidden panes; pin: 'post:12', a pane and a line, or 'kernel:3'; kernels, sync, colors: '0' is off; types, wrap: '1' is on; sort: of the kernels
const DEFAULTS = {
  log: "",
  compile: "",
  graph: "",
  pin: "",
  hide: "",
  kernels: "",
  sync: "",
  types: "",
  wrap: "",
  colors: "",
  sort: "",
};

const state = new HashState(DEFAULTS, ["log"]);
const main = h("main", { id: "main", tabindex: "-1" });
const frame = new Frame(main, state, { folded: true }); // four panes need the space
const load = loader(main);
const live = h("span", { class: "live-place" }); // the live mark of a growing bundle
/** @type {ReturnType<typeof graphView> | null} */
let view = null;
let shown = "";
/** @type {{log: any, known: any, graph: any} | null} what is shown, and the state of the log that it is of */
let drawn = null;
let go = (/** @type {number} */ _by) => {};

watchErrors();
try {
  const bundle = await openPageBundle();
  const follow = () => show(bundle, state.current);
  state.listen(follow);
  document.addEventListener("keydown", keys);
  followLinks(state);
  follow();
  void import("../lib/live/watch.js").then(({ watch }) =>
    watch(bundle, { main, place: () => live, grown: () => renewed(bundle) }),
  );
} catch (error) {
  stopped(error);
}

/** @param {import("../lib/bundle/bundle.js").Bundle} bundle @param {Record<string, string>} current */
async function show(bundle, current) {
  const place = JSON.stringify([current.log, current.compile, current.graph]);
  if (place === shown && view) {
    drawSwitches();
    view.update(current);
    return;
  }
  shown = place;
  view = null;
  const log = await logOf(bundle, current);
  if (shown !== place) return;
  if (!document.body.contains(main)) {
    fill(
      frame.tools,
      live,
      shareButton({ bundle, viewer: "provenance" }),
      themeButton(),
      helpButton(showHelp),
    );
    fill(document.body, frame.elements);
    header(bundle, log ?? null, null, null);
  }
  await load(
    "the provenance",
    async (signal) => {
      if (!log)
        throw new Error(
          `Unknown log '${current.log}'. Available logs: ${bundle.logs.map((l) => l.id).join(", ")}.`,
        );
      const known = await graphsOf(log);
      if (!known || !known.graphs.length) return { log, known, graph: null, content: null };
      const graph = choose(known.graphs, current);
      if (!graph) return { log, known, graph: null, content: null };
      const texts = await textsOf(log, graph.row, signal);
      const kernels = buildModel(known.table, graph.row).kernels;
      const times = await timesOf(log, graph, known.graphs, kernels).catch(() => kernels.map(() => null));
      const measured = await measuredOf(log, graph.row.code_event).catch(() => null);
      return {
        log,
        known,
        graph,
        content: { table: known.table, row: graph.row, texts, times, measured, state },
      };
    },
    (loaded) => {
      if (shown === place) draw(bundle, loaded, current);
    },
  );
}

/** Show the newer state of a growing bundle. Redraws the graph only if it has changed. @param {import("../lib/bundle/bundle.js").Bundle} bundle */
async function renewed(bundle) {
  const before = drawn,
    place = shown;
  const log = await logOf(bundle, state.current);
  if (!log || log === before?.log) return;
  if (before !== null && before.log?.id === log.id) await log.prepare(before.log);
  const known = await graphsOf(log);
  if (shown !== place) return;
  const was = before?.graph ?? null;
  const graph = was && known?.graphs.find(({ id, key }) => id === was.id && key === was.key);
  if (before && known && graph && JSON.stringify(graph.row) === JSON.stringify(was.row)) {
    drawn = { log, known, graph };
    if (known.graphs.length !== before.known.graphs.length) header(bundle, log, known, graph);
    return;
  }
  if (before && !before.graph && !known?.graphs.length) return;
  const { keepPlace } = await import("../lib/live/keep-place.js");
  const back = keepPlace(main);
  shown = "";
  await show(bundle, state.current);
  back();
}

/** Return the log that the URL names, the shown log of a growing bundle, or the first with provenance. @param {import("../lib/bundle/bundle.js").Bundle} bundle @param {Record<string, string>} current */
async function logOf(bundle, current) {
  if (current.log !== "") return bundle.log(current.log);
  return (drawn?.graph && bundle.log(drawn.log.id)) || firstWithGraphs(bundle);
}

/** Return the first log with provenance. @param {import("../lib/bundle/bundle.js").Bundle} bundle */
async function firstWithGraphs(bundle) {
  for (const log of bundle.logs.slice(0, 8))
    if ((await graphsOf(log).catch(() => null))?.graphs.length) return log;
  return bundle.logs[0];
}

/** @param {import("./data.js").Graph[]} graphs @param {Record<string, string>} current */
function choose(graphs, current) {
  if (current.compile === "") return graphs[0];
  const fits = graphs.filter((graph) => graph.key === current.compile);
  return fits.find((graph) => graph.id === (current.graph || "1")) ?? fits[0];
}

/** @param {any} bundle @param {any} loaded @param {Record<string, string>} current */
function draw(bundle, { log, known, graph, content }, current) {
  drawn = { log, known, graph };
  header(bundle, log, known, graph);
  document.title = [graph?.label, bundleName(bundle), "Provenance · tlparse-bundle"]
    .filter(Boolean)
    .join(" · ");
  if (!content) {
    fill(main, empty(bundle, known, current));
    return;
  }
  view = graphView(content);
  view.switches.append(
    h("span", { "class": "switches", "role": "group", "aria-label": "Panes" }, switches()),
  );
  fill(main, view.element);
  view.update(state.current);
}

/** @param {import("../lib/bundle/bundle.js").Bundle} bundle @param {any} known @param {Record<string, string>} current */
function empty(bundle, known, current) {
  if (!known && isLeftOut(bundle, "provenance"))
    return h("div", { class: "page" }, h("h1", null, "Provenance"), h("p", null, LEFT_OUT));
  const title = known?.graphs.length
    ? `No provenance recorded for compile ${current.compile}`
    : "No provenance recorded";
  return h(
    "div",
    { class: "page" },
    h("h1", null, title),
    h(
      "p",
      null,
      "Provenance maps lines of your program to graph nodes, kernels and generated code. To record it: ",
      copyable(RECORD_PROVENANCE),
    ),
    h(
      "p",
      null,
      "This also works for AOTInductor packages. Without ",
      h("code", null, "run"),
      ", set ",
      h("code", null, "INDUCTOR_PROVENANCE=1"),
      " and ",
      h("code", null, "TORCHINDUCTOR_FORCE_DISABLE_CACHES=1"),
      ": cached code has no provenance.",
    ),
    known?.graphs.length > 0 &&
      h(
        "ul",
        null,
        known.graphs
          .slice(0, 40)
          .map((/** @type {any} */ graph) =>
            h("li", null, h("a", { href: state.link({ compile: graph.key, graph: graph.id }) }, graph.label)),
          ),
      ),
  );
}

/** @param {any} bundle @param {any} log @param {any} known @param {any} graph */
function header(bundle, log, known, graph) {
  const graphs = known?.graphs ?? [];
  const at = graphs.indexOf(graph);
  const open = (/** @type {any} */ other) =>
    other &&
    state.go(state.patched({ compile: other.key, graph: other.id === "1" ? "" : other.id, pin: "" }));
  go = (by) => open(graphs[at + by]);
  const button = (/** @type {string} */ sign, /** @type {string} */ name, /** @type {number} */ by) =>
    h(
      "button",
      {
        "class": "tool",
        "aria-label": name,
        "title": name,
        "disabled": !graphs[at + by],
        "onclick": () => go(by),
      },
      sign,
    );
  const kept = /** @type {Record<string, string>} */ (state.current.log && log ? { log: log.id } : {});
  const inDefault = (
    /** @type {string} */ id,
    /** @type {string} */ title,
    /** @type {Record<string, string>} */ more,
  ) => {
    const href = inViewer(bundle, "default", { ...more, ...kept });
    return href === null ? [] : [{ id, title, icon: id, href }];
  };
  const ranks = bundle.manifest.rank_tables ? inViewer(bundle, "multirank") : null,
    home = listAddress();
  frame.draw({
    name: bundleName(bundle),
    home: home ?? state.link({}),
    homeTitle: home ? "All bundles" : "Provenance",
    here: "provenance",
    groups: [
      { title: "", items: inDefault("overview", "Overview", {}) },
      {
        title: "Code",
        items: [
          ...(graph
            ? inDefault("compiles", graph.row.compile === null ? "The log" : `Compile [${graph.key}]`, {
                view: "compile",
                compile: graph.key,
              })
            : inDefault("compiles", "Compiles", { view: "compiles" })),
          ...inDefault("kernels", "Kernels", { view: "kernels" }),
          { id: "provenance", title: "Provenance", icon: "provenance", href: location.href },
        ],
      },
      { title: "Ranks", items: ranks ? [{ id: "ranks", title: "Ranks", icon: "ranks", href: ranks }] : [] },
    ].filter(({ items }) => items.length > 0),
  });
  const again = /** @type {HTMLElement | null} */ (document.activeElement)?.getAttribute("aria-label");
  fill(
    frame.where,
    h("h1", { class: "viewer-name" }, "Provenance"),
    bundle.logs.length > 1 &&
      log &&
      picker({
        label: "Log",
        value: log.id,
        onpick: (id) => state.go(state.link({ log: id })),
        items: bundle.logs.map((/** @type {any} */ l) => ({
          value: l.id,
          text: l.rank === null ? l.id : `rank ${l.rank} · ${l.id}`,
        })),
      }),
    graphs.length > 0 &&
      h(
        "select",
        {
          "aria-label": "Graph",
          "class": "graph-picker gives",
          "onchange": (/** @type {any} */ e) => open(graphs[e.target.selectedIndex - (graph ? 0 : 1)]),
        },
        !graph && h("option", null, "Choose a graph"),
        graphs.map((/** @type {any} */ g) => h("option", { selected: g === graph }, g.label)),
      ),
    graphs.length > 1 && [button("‹", "Previous graph ([)", -1), button("›", "Next graph (])", 1)],
  );
  if (again)
    /** @type {HTMLElement | null} */ (
      frame.where.querySelector(`[aria-label="${CSS.escape(again)}"]`)
    )?.focus();
}

/** Build the buttons that show and hide panes. */
function switches() {
  const { hide, kernels, sync, types, wrap, colors } = state.current;
  const button = (
    /** @type {string} */ id,
    /** @type {string} */ text,
    /** @type {boolean} */ on,
    /** @type {string} */ key,
    /** @type {() => void} */ run,
  ) =>
    h(
      "button",
      {
        "class": "tool",
        "dataset": { id },
        "aria-pressed": String(on),
        "title": `${text} (${key})`,
        "onclick": run,
      },
      text,
    );
  return [
    ...(view?.here ?? PANES).map(([name, title], i) =>
      button(name, title, !hide.split(",").includes(name), String(i + 1), () => view?.toggle(name)),
    ),
    button("kernels", "Kernels", kernels !== "0", "k", () => flip("kernels")),
    button("sync", "Scroll together", sync !== "0", "s", () => flip("sync")),
    button("colors", "Colors", colors !== "0", "c", () => flip("colors")),
    button("types", "Types", types === "1", "t", () => turn("types")),
    button("wrap", "Wrap", wrap === "1", "w", () => turn("wrap")),
  ];
}

function drawSwitches() {
  const root = document.querySelector(".switches");
  const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset.id;
  if (root) fill(root, switches());
  if (focused) /** @type {HTMLElement | null} */ (root?.querySelector(`[data-id="${focused}"]`))?.focus();
}

/** @param {"kernels" | "sync" | "colors"} key on unless '0' */
const flip = (key) => state.replace({ [key]: state.current[key] === "0" ? "" : "0" }, true);

/** @param {"types" | "wrap"} key off unless '1' */
const turn = (key) => state.replace({ [key]: state.current[key] === "1" ? "" : "1" }, true);

/** @param {KeyboardEvent} event */
function keys(event) {
  if (view && !document.querySelector("dialog[open]") && findKey(event, view.finder)) {
    event.preventDefault();
    return;
  }
  if (typing(event) || document.querySelector("dialog[open]")) return;
  const { key } = event;
  if (key === "?") showHelp();
  else if (key === "[" || key === "]") go(key === "]" ? 1 : -1);
  else if (!view) return;
  else if (key === "n" || key === "N") view.step(key === "n" ? 1 : -1);
  else if (key === "Escape") view.unpin();
  else if (key === "k") flip("kernels");
  else if (key === "s") flip("sync");
  else if (key === "c") flip("colors");
  else if (key === "t" || key === "w") turn(key === "t" ? "types" : "wrap");
  else if (key === "/") view.finder.focus();
  else if (view.here[Number(key) - 1]) view.toggle(view.here[Number(key) - 1][0]);
  else return;
  event.preventDefault();
}

/** Take Ctrl+F in a pane, and F3; a second Ctrl+F is the browser's. @param {KeyboardEvent} event @param {import("./find-panes.js").FindInPanes} finder */
function findKey(event, finder) {
  const { key } = event;
  if (key === "F3" && finder.field.value) finder.step(event.shiftKey ? -1 : 1);
  else if (
    key.toLowerCase() === "f" &&
    event.ctrlKey !== event.metaKey &&
    !event.altKey &&
    !event.shiftKey &&
    document.activeElement?.closest(".prov-pane")
  )
    finder.focus();
  else return false;
  return true;
}
