// The viewer: draws the frame and opens the view in the address.
import { afterPaint, fill, h, typing } from "../../lib/page/dom.js";
import { HashState } from "../../lib/page/hash-state.js";
import { errorBox } from "../../lib/page/load.js";
import { bundleName, followLinks } from "../../lib/page/page.js";
import { openingLog } from "../shared/model.js";
import { Shell, focusSearch, showHelp } from "./shell.js";
import { VIEWS, loaderOf } from "./views.js";

/**
 * @typedef {object} Context passed to every view
 * @property {import("../../lib/bundle/bundle.js").Bundle} bundle
 * @property {import("../../lib/bundle/log.js").Log} log
 * @property {HashState} state
 */
/**
 * @typedef {object} View
 * @property {HTMLElement} element
 * @property {string} title part of the page title
 * @property {(state: Record<string, string>) => void | Promise<void>} [update] called when the address changes within the same view and log
 * @property {() => HTMLElement | null} [search] its filter or find box, the target of the key f
 * @property {(event: KeyboardEvent) => boolean} [key] handles a key pressed outside fields; true when it was used
 * @property {() => void} [close]
 * @property {(context: Context) => Promise<() => void>} [grown] returns a function that shows a newer state of the log in place. Without it, the view is reopened when its log has changed
 * @property {(context: Context) => boolean} [stays] true when the view must not be redrawn on its own after its log has grown
 */

const OWN_HEADING = new Set(["compile", "compare"]); // these write their heading after loading
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
loaderOf(state.current.view)?.().catch(() => {}); // preloaded in parallel with the bundle; show() reports errors
/** @type {View | null} */
let view = null;
let shown = "";
/** @type {import("../../lib/bundle/log.js").Log | null} the state of the log on screen */
let shownLog = null;

/** Open the first view, and return what lib/live/watch.js needs to follow a growing bundle. @param {import("../../lib/bundle/bundle.js").Bundle} bundle */
export async function start(bundle) {
  let shell = await begin(bundle),
    hasLogs = bundle.logs.length > 0;
  return {
    main,
    place: () => /** @type {Element} */ (shell.live),
    grown: async (/** @type {import("../../lib/live/watch.js").Change} */ change) => {
      if (hasLogs) return renewed(bundle, shell, change);
      hasLogs = bundle.logs.length > 0;
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
            h("p", { role: "status" }, "Records appear here as the program writes them."),
          )
        : h(
            "div",
            { class: "page" },
            h("h1", null, "No logs in this bundle"),
            h(
              "p",
              null,
              "Record a program and build its bundle with ",
              h("code", null, "tlparse-bundle run -- python train.py"),
              ", or record it with ",
              h("code", null, "TORCH_TRACE=/tmp/trace python train.py"),
              " and build the bundle with ",
              h("code", null, "tlparse-bundle build /tmp/trace OUT"),
              ".",
            ),
          ),
    );
    return shell;
  }
  const follow = () => show(bundle, shell, state.current); // shows its own errors
  state.listen(follow);
  document.addEventListener("keydown", (event) => keys(event, shell));
  followLinks(state);
  await follow();
  afterPaint(() => {
    shell.share();
    void welcome();
  });
  return shell;
}

/** Explain words where the pointer is, and on the first visit the most important ones. */
async function welcome() {
  const explained = import("./glossary.js");
  document.addEventListener("pointerover", async (event) => (await explained).explain(event));
  const { introduction } = await import("./introduction.js");
  const line = introduction(showHelp);
  if (line) document.body.append(line);
}

/**
 * Show a newer state of the bundle, and keep the reader's place.
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
    return; // another view is opening
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
  // Screen readers need a heading; views without a visible one get a hidden one.
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
  if (within) main.focus({ preventScroll: true }); // the focused element is gone: the keyboard continues in the new view
  main.className = `view-${open ? current.view : "none"}`;
  try {
    if (!log)
      throw new Error(
        `No log '${current.log}' in this bundle. Its logs: ${bundle.logs.map((l) => l.id).join(", ")}.`,
      );
    if (!open) throw new Error(`No view '${current.view}'. The views: ${VIEWS.join(", ")}.`);
    const timer = setTimeout(
      () =>
        shown === place &&
        fill(main, h("p", { class: "loading", role: "status" }, `Loading ${current.view} of ${log.id} …`)),
      120,
    );
    const opened = await openView(bundle, log, current.view, open).finally(() => clearTimeout(timer));
    if (shown !== place) return;
    view = opened;
    shownLog = log;
    put(opened, current.view);
    await update(opened, bundle, log, state.current);
    if (bundle.log(log.id) !== log) void renewed(bundle, shell, { ranks: false, logs: new Set() }); // it grew while the view opened
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

/** Update a view, and the page title before and after: some views know their title only once they have loaded. @param {View} mine @param {import("../../lib/bundle/bundle.js").Bundle} bundle @param {any} log @param {Record<string, string>} current */
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
