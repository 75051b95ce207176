// Draws the frame around the views and follows the URL.
import { Frame } from "../lib/frame/frame.js";
import { fill, h, typing } from "../lib/page/dom.js";
import { HashState } from "../lib/page/hash-state.js";
import { errorBox } from "../lib/page/load.js";
import { followLinks, helpButton } from "../lib/page/page.js";
import { picker } from "../lib/page/picker.js";
import { themeButton } from "../lib/page/remember.js";
import { openChanges } from "./changes.js";
import { openingPair, pairOrder, roots } from "./changes-data.js";
import { inDefault, SIDES } from "./places.js";
import { pairName } from "./words.js";

/**
 * @typedef {object} Context passed to every view
 * @property {import("./places.js").Run} run
 * @property {number} pair position of the pair of logs that is shown
 * @property {HashState} state
 */
/**
 * @typedef {object} View
 * @property {HTMLElement} element
 * @property {string} title for the title of the page
 * @property {(state: Record<string, string>) => void | Promise<void>} [update] the address changed, the view and the pair of logs did not
 * @property {(event: KeyboardEvent) => boolean} [key] a key outside fields; true when it was used
 * @property {() => void} [close]
 */

/** Only the first view loads with the page. @type {Record<string, () => Promise<(context: Context) => Promise<View>>>} */
const VIEWS = {
  changes: async () => openChanges,
  compiles: async () => (await import("./compiles.js")).openCompiles,
  compile: async () => (await import("./compile.js")).openCompile,
  timeline: async () => (await import("./timeline.js")).openTimeline,
};
const TITLES = { changes: "Changes", compiles: "Compiles", timeline: "Timeline" };
const ICONS = { changes: "compare", compiles: "compiles", timeline: "timeline" };
// log: position of the pair of logs; left, right: keys of a compile on both sides; part: an artifact, or what a view shows of it
const DEFAULTS = {
  view: "changes",
  log: "",
  left: "",
  right: "",
  part: "",
  by: "",
  pane: "",
  q: "",
  sort: "",
  only: "",
  change: "",
  width: "",
  span: "",
};

const main = h("main", { id: "main", tabindex: "-1" });
const state = new HashState(DEFAULTS, ["log"]);
const frame = new Frame(main, state);
/** @type {View | null} */
let view = null;
let shown = "";

/** @param {import("./places.js").Run} run */
export function start(run) {
  const shared = h("span"),
    live = h("span", { class: "live-place" });
  fill(frame.tools, live, shared, themeButton(), helpButton(showHelp));
  fill(document.body, frame.elements);
  const follow = () => show(run, state.current);
  state.listen(follow);
  document.addEventListener("keydown", keys);
  followLinks(state);
  void show(run, state.current).then(async () => {
    // after the first screen
    const sides = SIDES.filter((side) => run.document[side].some((bundle) => bundle.state !== null));
    if (sides.length) fill(live, (await import("./live-runs.js")).liveRuns(run, sides));
    shared.replaceWith((await import("./share.js")).shareComparison(run));
  });
}

async function showHelp() {
  (await import("./help.js")).showHelp();
}

/** Return the pair that the URL names; -1 when it names none. @param {import("./places.js").Run} run @param {string} text */
function pairOf({ document: { logs } }, text) {
  const at = /^\d+$/.test(text) ? Number(text) : -1;
  return logs[at]?.base && logs[at].new ? at : -1;
}

/** @param {import("./places.js").Run} run @param {Record<string, string>} current */
async function show(run, current) {
  const asked = pairOf(run, current.log);
  const pair = asked < 0 ? openingPair(run.document) : asked;
  const place = `${pair} ${current.view}`;
  if (place === shown && view) return void view.update?.(current);
  shown = place;
  view?.close?.();
  view = null;
  fill(main);
  draw(run, pair, current);
  main.className = `view-${Object.hasOwn(VIEWS, current.view) ? current.view : "none"}`;
  try {
    if (!Object.hasOwn(VIEWS, current.view))
      throw new Error(`Unknown view '${current.view}'. Available views: ${Object.keys(TITLES).join(", ")}.`);
    const timer = setTimeout(
      () => shown === place && fill(main, h("p", { class: "loading", role: "status" }, "Loading …")),
      120,
    );
    const opened = await VIEWS[current.view]()
      .then((make) => make({ run, pair, state }))
      .finally(() => clearTimeout(timer));
    if (shown !== place) return;
    view = opened;
    fill(
      main,
      !opened.element.querySelector("h1") && h("h1", { class: "visually-hidden" }, opened.title),
      opened.element,
    );
    await opened.update?.(state.current);
    document.title = `${opened.title} · ${names(run)} · tlparse-bundle`;
  } catch (error) {
    if (shown === place)
      fill(
        main,
        h("h1", { class: "visually-hidden" }, "Error"),
        errorBox(error, () => {
          shown = "";
          void show(run, state.current);
        }),
      );
  }
}

/** @param {import("./places.js").Run} run */
function names({ document: { base, new: other } }) {
  return `${base[0].name} → ${other[0].name}`;
}

/** @param {import("./places.js").Run} run @param {number} pair @param {Record<string, string>} current */
function draw(run, pair, current) {
  const { logs } = run.document;
  const pairs = pairOrder(run.document);
  fill(
    frame.where,
    h("span", { class: "viewer-name gives" }, names(run)),
    pairs.length > 1 &&
      picker({
        label: "Logs",
        value: String(pair),
        onpick: (log) => state.go(state.patched({ log, left: "", right: "", change: "", span: "" })),
        items: pairs.map((at) => ({
          value: String(at),
          text: `${pairName(logs[at])}${logs[at].changes.length ? "" : ", no changes"}`,
        })),
      }),
  );
  const runs = SIDES.flatMap((which) => {
    const href = inDefault(run, which, { log: logs[pair]?.[which]?.id ?? "" });
    return href
      ? [{ id: which, title: `${which}: ${run.document[which][0].name}`, icon: "overview", href }]
      : [];
  });
  frame.draw({
    name: "Comparison",
    home: run.home ?? state.link({}),
    homeTitle: run.home ? "All bundles" : "Changes",
    here: current.view === "compile" ? "compiles" : current.view,
    groups: [
      {
        title: "",
        items: Object.entries(TITLES).map(([id, title]) => ({
          id,
          title,
          icon: ICONS[/** @type {"changes"} */ (id)],
          href: state.link({ view: id }),
          count: id === "changes" ? roots(run.document).length : 0,
        })),
      },
      ...(runs.length ? [{ title: "Runs", items: runs }] : []),
    ],
  });
}

/** @param {KeyboardEvent} event */
function keys(event) {
  if (typing(event) || document.querySelector("dialog[open]")) return;
  const nth = Object.keys(TITLES)[Number(event.key) - 1];
  if (event.key === "?") void showHelp();
  else if (nth) state.go(state.link({ view: nth }));
  else if (!view?.key?.(event)) return;
  event.preventDefault();
}
