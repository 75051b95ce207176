// The multi-rank viewer: opens the bundle, draws the frame around the views, follows the address.
import { Frame } from "../lib/frame/frame.js";
import { fill, h, typing } from "../lib/page/dom.js";
import { HashState } from "../lib/page/hash-state.js";
import { isLeftOut, LEFT_OUT } from "../lib/page/left-out.js";
import { errorBox, watchErrors } from "../lib/page/load.js";
import { openPageBundle } from "../lib/page/open-bundle.js";
import { bundleName, followLinks, helpButton, inViewer, listAddress, stopped } from "../lib/page/page.js";
import { shareButton } from "../lib/page/share.js";
import { themeButton } from "../lib/page/remember.js";
import { loadModel } from "./data.js";
import { showHelp } from "./help.js";
import { openOverview } from "./overview.js";

/**
 * @typedef {object} Context passed to every view
 * @property {import("./data.js").Model} model
 * @property {HashState} state
 */
/**
 * @typedef {object} View
 * @property {HTMLElement} element
 * @property {string} title for the title of the page
 * @property {(state: Record<string, string>) => void} [update] called when the URL changes within the view
 * @property {(event: KeyboardEvent) => boolean} [key] called for a key outside fields; returns whether it was used
 * @property {() => void} [close]
 * @property {(context: Context) => Promise<() => void>} [grown] called when the bundle has grown; returns a function that updates the view in place. Without it the view reopens
 * @property {() => boolean} [stays] whether the view keeps its state and offers a button instead of updating itself
 */

/** Only the first view loads with the page. @type {Record<string, [string, () => Promise<(context: Context) => Promise<View>>]>} */
const VIEWS = {
  verdict: ["Summary", async () => openOverview],
  compare: ["Compare", async () => (await import("./compare.js")).openCompare],
  collectives: ["Collectives", async () => (await import("./collectives.js")).openCollectives],
  execution: ["Execution order", async () => (await import("./execution.js")).openExecution],
  timeline: ["Timelines", async () => (await import("./timeline.js")).openTimeline],
  details: ["Details", async () => (await import("./details.js")).openDetails],
};
// column: id of a row of rank_compiles; left, right, rank: ranks; open: expanded groups of the matrix
const DEFAULTS = {
  view: "verdict",
  column: "",
  left: "",
  right: "",
  artifact: "",
  pane: "",
  by: "",
  rank: "",
  open: "",
};
const OWN_HEADING = new Set(["compare", "collectives"]); // these views write their heading later

/** @type {Record<string, string>} */
const ICONS = {
  verdict: "ranks",
  compare: "compare",
  collectives: "collectives",
  execution: "order",
  timeline: "timeline",
  details: "compiles",
};

const main = h("main", { id: "main", tabindex: "-1" });
const state = new HashState(DEFAULTS, []);
const frame = new Frame(main, state);
const live = h("span", { class: "live-place" }); // the live mark of a growing bundle
/** @type {View | null} */
let view = null;
let shown = "";
/** @type {import("./data.js").Model | null} the newest state */
let model = null;

watchErrors();
try {
  const bundle = await openPageBundle();
  model = await loadModel(bundle);
  if (model) start(model);
  else without(bundle);
  void import("../lib/live/watch.js").then(({ watch }) =>
    watch(bundle, { main, place: () => live, grown: () => renewed(bundle) }),
  );
} catch (error) {
  stopped(error);
}

/** @param {import("./data.js").Model} first */
function start(first) {
  begin(first.bundle);
  const follow = () => (model ? show(model, state.current) : undefined);
  state.listen(follow);
  document.addEventListener("keydown", keys);
  followLinks(state);
  return follow();
}

/** Show the newer state of a growing bundle. @param {import("../lib/bundle/bundle.js").Bundle} bundle */
async function renewed(bundle) {
  const begun = model !== null,
    mine = view,
    place = shown;
  const now = await loadModel(bundle);
  if (!now) return drawRunningAlone(bundle);
  model = now;
  if (!begun) return start(now);
  drawFrame(bundle, true);
  const context = { model: now, state };
  const { keepPlace, showAged } = await import("../lib/live/keep-place.js");
  if (mine?.stays?.())
    return showAged(main, "New records available", () => {
      shown = "";
      void show(now, state.current);
    });
  const apply = mine?.grown ? await mine.grown(context) : null;
  const opened =
    apply || !Object.hasOwn(VIEWS, place) ? null : await VIEWS[place][1]().then((make) => make(context));
  if (shown !== place || view !== mine || !(apply || opened)) return opened?.close?.();
  const back = keepPlace(main);
  if (apply) apply();
  else if (opened) {
    mine?.close?.();
    view = opened;
    put(opened, place, now);
  }
  back();
}

/** @param {View} opened @param {string} place @param {import("./data.js").Model} of */
function put(opened, place, of) {
  fill(
    main,
    !OWN_HEADING.has(place) &&
      !opened.element.querySelector("h1") &&
      h("h1", { class: "visually-hidden" }, opened.title),
    opened.element,
  );
  opened.update?.(state.current);
  document.title = `${opened.title} · ${of.members.length} ranks · ${bundleName(of.bundle)} · tlparse-bundle`;
}

/** @param {import("../lib/bundle/bundle.js").Bundle} bundle */
function without(bundle) {
  const ranks = new Set(bundle.logs.map((log) => log.rank).filter((rank) => rank !== null));
  begin(bundle);
  drawFrame(bundle, false);
  if (bundle.manifest.growing) return void drawRunningAlone(bundle);
  if (isLeftOut(bundle, "ranks"))
    return void fill(main, h("div", { class: "page" }, h("h1", null, "Ranks"), h("p", null, LEFT_OUT)));
  fill(
    main,
    h(
      "div",
      { class: "page" },
      h("h1", null, "Nothing to compare"),
      h(
        "p",
        null,
        ranks.size === 1
          ? `This bundle only has logs of rank ${[...ranks][0]}.`
          : ranks.size === 0
            ? "The logs of this bundle do not record a rank."
            : "This bundle was built without rank analyses.",
      ),
      h("p", null, "Record all ranks into one folder and build a bundle from it:"),
      h(
        "pre",
        { class: "padded" },
        "TORCH_TRACE=/tmp/trace torchrun --nproc-per-node 8 train.py\ntlparse-bundle /tmp/trace out/ --overwrite --open",
      ),
    ),
  );
}

/** Show a growing bundle that does not have two ranks yet. @param {import("../lib/bundle/bundle.js").Bundle} bundle */
async function drawRunningAlone(bundle) {
  if (!bundle.manifest.growing) return without(bundle);
  const { runningNow } = await import("../lib/live/running.js");
  fill(
    main,
    h(
      "div",
      { class: "page" },
      h("h1", null, "Nothing to compare yet"),
      runningNow(bundle, { href: (log) => inViewer(bundle, "default", { log }) }),
      h("p", null, "The comparison starts when the logs of two ranks have records."),
    ),
  );
}

/** @param {import("./data.js").Model} of @param {Record<string, string>} current */
async function show(of, current) {
  const open = Object.hasOwn(VIEWS, current.view) ? VIEWS[current.view] : null;
  if (current.view === shown && view) {
    view.update?.(current);
    return;
  }
  shown = current.view;
  view?.close?.();
  view = null;
  fill(main);
  drawFrame(of.bundle, true);
  main.className = `view-${open ? current.view : "none"}`;
  const place = current.view;
  try {
    if (!open)
      throw new Error(`Unknown view '${current.view}'. Available views: ${Object.keys(VIEWS).join(", ")}.`);
    const timer = setTimeout(
      () =>
        shown === place &&
        fill(main, h("p", { class: "loading", role: "status" }, `Loading ${open[0].toLowerCase()} …`)),
      120,
    );
    const opened = await open[1]()
      .then((make) => make({ model: of, state }))
      .finally(() => clearTimeout(timer));
    if (shown !== place) return;
    view = opened;
    put(opened, place, of);
    if (model !== of) void renewed(of.bundle); // the bundle grew in the meantime
  } catch (error) {
    if (shown === place)
      fill(
        main,
        h("h1", { class: "visually-hidden" }, "Error"),
        errorBox(error, () => {
          shown = "";
          void show(model ?? of, state.current);
        }),
      );
  }
}

/** @param {import("../lib/bundle/bundle.js").Bundle} bundle */
function begin(bundle) {
  fill(frame.where, h("span", { class: "viewer-name" }, "Ranks"));
  fill(frame.tools, live, shareButton({ bundle, viewer: "multirank" }), themeButton(), helpButton(showHelp));
  fill(document.body, frame.elements);
}

/** @param {import("../lib/bundle/bundle.js").Bundle} bundle @param {boolean} views whether the bundle has rank tables */
function drawFrame(bundle, views) {
  const one = inViewer(bundle, "default", { log: bundle.logs[0]?.id ?? "" }),
    home = listAddress();
  frame.draw({
    name: bundleName(bundle),
    home: home ?? state.link({}),
    homeTitle: home ? "All bundles" : "Summary",
    here: state.current.view,
    groups: [
      ...(views
        ? [
            {
              title: "Ranks",
              items: Object.entries(VIEWS).map(([id, [title]]) => ({
                id,
                title,
                icon: ICONS[id],
                href: state.link({ view: id }),
              })),
            },
          ]
        : []),
      ...(one
        ? [{ title: "One rank", items: [{ id: "one", title: "Overview", icon: "overview", href: one }] }]
        : []),
    ],
  });
}

/** @param {KeyboardEvent} event */
function keys(event) {
  if (typing(event) || document.querySelector("dialog[open]")) return;
  const nth = Object.keys(VIEWS)[Number(event.key) - 1];
  if (event.key === "?") showHelp();
  else if (nth) state.go(state.link({ view: nth }));
  else if (!view?.key?.(event)) return;
  event.preventDefault();
}
