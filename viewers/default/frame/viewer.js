// Draws the frame around the views and follows the address.
import { afterPaint, fill, h, typing } from "../../lib/page/dom.js";
import { HashState } from "../../lib/page/hash-state.js";
import { errorBox } from "../../lib/page/load.js";
import { bundleName, followLinks } from "../../lib/page/page.js";
import { openingLog } from "../shared/model.js";
import { Shell, focusSearch, showHelp } from "./shell.js";
import { VIEWS, loaderOf } from "./views.js";

/**
 * @typedef {object} Context what every view gets
 * @property {import("../../lib/bundle/bundle.js").Bundle} bundle
 * @property {import("../../lib/bundle/log.js").Log} log
 * @property {HashState} state
 */
/**
 * @typedef {object} View
 * @property {HTMLElement} element
 * @property {string} title for the title of the page
 * @property {(state: Record<string, string>) => void | Promise<void>} [update] the address changed, the view and the log did not
 * @property {() => HTMLElement | null} [search] its own filter or find box, what 'f' goes to
 * @property {(event: KeyboardEvent) => boolean} [key] a key outside of fields; true when it was used
 * @property {() => void} [close]
 * @property {(context: Context) => Promise<() => void>} [grown] there is a newer state of the log or of the bundle: what it gives shows it in place. Without it the view is opened anew, where its log has changed
 * @property {(context: Context) => boolean} [stays] whether it is not drawn anew by itself when its log has grown
 */

const OWN_HEADING = new Set(["compile", "compare"]); // they write it when they know what they show
const DEFAULTS = {
  view: "overview",
  log: "",
  compile: "",
  artifact: "",
  line: "",
  event: "",
  q: "",
  type: "",
  status: "",
  sort: "",
  problems: "",
  torch: "",
  closed: "",
  stack: "",
  pane: "",
  span: "",
  range: "",
  by: "",
  shape: "",
  group: "",
  other: "",
  in: "",
  item: "",
  open: "",
  guard: "",
  left: "",
  right: "",
  width: "",
  hue: "",
};

const main = h("main", { id: "main", tabindex: "-1" });
const state = new HashState(DEFAULTS, ["log"]);
loaderOf(state.current.view)?.().catch(() => {}); // beside the bundle; show() tells when it fails
/** @type {View | null} */
let view = null;
let shown = "";
/** @type {import("../../lib/bundle/log.js").Log | null} the state of the log that is shown */
let shownLog = null;

/** Done when the first view is there. What it gives is for the one who follows a bundle that grows. @param {import("../../lib/bundle/bundle.js").Bundle} bundle */
export async function start(bundle) {
  let shell = await begin(bundle),
    begun = bundle.logs.length > 0;
  return {
    main,
    place: () => /** @type {Element} */ (shell.live),
    grown: async (/** @type {import("../../lib/live/watch.js").Change} */ change) => {
      if (begun) return renewed(bundle, shell, change);
      begun = bundle.logs.length > 0;
      shell = await begin(bundle);
    },
  };
}

/** @param {import("../../lib/bundle/bundle.js").Bundle} bundle */
async function begin(bundle) {
  const shell = new Shell(bundle, state, main, () => view?.search?.() ?? null);
  if (bundle.logs.length === 0) {
    shell.draw(null);
    afterPaint(() => shell.share());
    fill(
      main,
      bundle.manifest.growing
        ? h(
            "div",
            { class: "page" },
            h("h1", null, "No records yet"),
            h("p", { role: "status" }, "What the program writes appears here by itself."),
          )
        : h(
            "div",
            { class: "page" },
            h("h1", null, "This bundle holds no logs"),
            h(
              "p",
              null,
              "Record one with ",
              h("code", null, "TORCH_TRACE=/tmp/trace python train.py"),
              " and build the bundle again: ",
              h("code", null, "tlparse-bundle build /tmp/trace OUT"),
              ".",
            ),
          ),
    );
    return shell;
  }
  const follow = () => show(bundle, shell, state.current); // tells itself what goes wrong
  state.listen(follow);
  document.addEventListener("keydown", (event) => keys(event, shell));
  followLinks(state);
  await follow();
  afterPaint(() => shell.share());
  return shell;
}

/**
 * The bundle has a newer state: the frame and the view show it, and nothing is lost on the way.
 * @param {import("../../lib/bundle/bundle.js").Bundle} bundle @param {Shell} shell @param {import("../../lib/live/watch.js").Change} change
 */
async function renewed(bundle, shell, { ranks }) {
  const { log: id, view: name } = state.current;
  const log = id === "" ? openingLog(bundle) : bundle.log(id);
  const open = loaderOf(name),
    place = shown,
    before = shownLog,
    mine = view;
  if (log && before && before !== log) await log.prepare(before);
  if (ranks) shell.countRanks();
  shell.draw(log ?? null);
  setTitle(bundle, log);
  if (
    place !== `${name} ${log?.id}` ||
    shown !== place ||
    !log ||
    !open ||
    (!mine && main.querySelector(".loading"))
  )
    return; // it was on its way elsewhere
  const context = { bundle, log, state };
  const { keepPlace, showAged } = await import("../../lib/live/keep-place.js");
  if (mine?.grown) {
    const apply = await mine.grown(context);
    if (shown !== place || view !== mine) return;
    const back = keepPlace(main);
    apply();
    back();
  } else if (log !== before && mine?.stays?.(context)) {
    return showAged(main, "The log has grown", () => {
      shown = "";
      void show(bundle, shell, state.current);
    });
  } else if (log !== before) {
    const opened = await open().then((view) => view(context));
    if (shown !== place || view !== mine) return opened.close?.();
    const back = keepPlace(main);
    mine?.close?.();
    view = opened;
    put(opened, name);
    const done = update(opened, bundle, log, state.current);
    back();
    await done;
  }
  shownLog = log;
}

/** @param {View} opened @param {string} name of the view */
function put(opened, name) {
  // Every page has a heading; where a view shows none, those who do not see the page still hear one.
  const heading =
    !OWN_HEADING.has(name) &&
    !opened.element.querySelector("h1") &&
    h("h1", { class: "visually-hidden" }, opened.title);
  fill(main, heading, opened.element);
}

/** @param {import("../../lib/bundle/bundle.js").Bundle} bundle @param {any} log @param {string} name @param {NonNullable<ReturnType<typeof loaderOf>>} open @returns {Promise<View>} */
async function openView(bundle, log, name, open) {
  const instead =
    bundle.manifest.redacted && (await import("../shared/left-out.js")).leftOutPage(bundle, name);
  return instead || (await open())({ bundle, log, state });
}

/** @param {import("../../lib/bundle/bundle.js").Bundle} bundle @param {Shell} shell @param {Record<string, string>} current */
async function show(bundle, shell, current) {
  const log = current.log === "" ? openingLog(bundle) : bundle.log(current.log);
  const open = loaderOf(current.view);
  const place = `${current.view} ${log?.id}`;
  shell.draw(log ?? null);
  if (place === shown && view) {
    return update(view, bundle, log, current);
  }
  shown = place;
  view?.close?.();
  view = shownLog = null;
  const within = main !== document.activeElement && main.contains(document.activeElement);
  fill(main);
  if (within) main.focus({ preventScroll: true }); // what had the focus is gone: the keyboard goes on at the new view
  main.className = `view-${open ? current.view : "none"}`;
  try {
    if (!log)
      throw new Error(
        `This bundle has no log '${current.log}'. It has: ${bundle.logs.map((l) => l.id).join(", ")}.`,
      );
    if (!open) throw new Error(`There is no view '${current.view}'. There are: ${VIEWS.join(", ")}.`);
    const timer = setTimeout(
      () =>
        shown === place &&
        fill(
          main,
          h("p", { class: "loading", role: "status" }, `Loading the ${current.view} of ${log.id} …`),
        ),
      120,
    );
    const opened = await openView(bundle, log, current.view, open).finally(() => clearTimeout(timer));
    if (shown !== place) return;
    view = opened;
    shownLog = log;
    put(opened, current.view);
    await update(opened, bundle, log, state.current);
    if (bundle.log(log.id) !== log) void renewed(bundle, shell, { ranks: false, logs: new Set() }); // it grew meanwhile
  } catch (error) {
    if (shown !== place) return;
    fill(
      main,
      h("h1", { class: "visually-hidden" }, "Error"),
      errorBox(error, () => {
        shown = "";
        show(bundle, shell, state.current);
      }),
    );
    setTitle(bundle, log);
  }
}

/** Some views know their title only when they have read what the address asks for. @param {View} mine @param {import("../../lib/bundle/bundle.js").Bundle} bundle @param {any} log @param {Record<string, string>} current */
async function update(mine, bundle, log, current) {
  const done = mine.update?.(current);
  setTitle(bundle, log);
  await done;
  if (view === mine) setTitle(bundle, log);
}

/** @param {import("../../lib/bundle/bundle.js").Bundle} bundle @param {any} log */
function setTitle(bundle, log) {
  document.title = [
    view?.title,
    bundle.logs.length > 1 ? log?.id : null,
    bundleName(bundle),
    "tlparse-bundle",
  ]
    .filter(Boolean)
    .join(" · ");
}

/** @param {KeyboardEvent} event @param {Shell} shell */
function keys(event, shell) {
  if (
    event.key.toLowerCase() === "k" &&
    (event.ctrlKey || event.metaKey) &&
    !event.altKey &&
    !event.shiftKey &&
    !document.querySelector("dialog[open]")
  ) {
    event.preventDefault();
    void shell.jump();
    return;
  }
  if (typing(event) || document.querySelector("dialog[open]")) return;
  if (event.key === "?") showHelp();
  else if (event.key === "/") focusSearch();
  else if (event.key === "f" && view?.search?.()) view.search()?.focus();
  else if (!view?.key?.(event)) return;
  event.preventDefault();
}
