// Handing on what one sees: a click copies the link, the arrow beside it has the other ways.
import { append, fill, h } from "./dom.js";
import { asked, download } from "./hand-over.js";
import { bundleName } from "./page.js";

/** @typedef {import("../bundle/bundle.js").Bundle} Bundle */

const SERVER = "Tlparse-Bundle-Share"; // the header by which our server says what it makes of a bundle
const TOLD_MS = 2_500;
export const MIND = "Traces contain source code and paths. Share them with care.";
export const ONE_FILE = "This page is a single file. Share the file itself.";
let made = 0;

/** For the bar of a viewer. @param {{bundle: Bundle, viewer: string}} what the name of the viewer is that of its folder @returns {HTMLElement} */
export function shareButton({ bundle, viewer }) {
  const { redacted } = bundle.manifest;
  const note =
    redacted &&
    h(
      "span",
      { class: "tag hand-on-note", title: `Left out, or under other names: ${redacted.dropped.join(", ")}` },
      "Redacted",
    );
  return handOn(async (hand) => ways(bundle, viewer, await offered(bundle), hand), note);
}

/** What a way to share is made with. @typedef {{item: (title: string, about: string, run: () => unknown) => HTMLElement, link: (opens: string) => HTMLElement, save: (fileName: string, make: () => Promise<Blob>) => void}} Hand */

/** The button and what hangs below it. @param {(hand: Hand) => Promise<any>} offer what the menu holds, when it is opened @param {any} [note] stands before the button @returns {HTMLElement} */
export function handOn(offer, note = null) {
  const id = `hand-on-${++made}`;
  const told = h("span", { "class": "hand-on-told", "aria-live": "polite" });
  const menu = h("div", {
    "class": "hand-on-menu",
    id,
    "role": "menu",
    "aria-label": "Share",
    "hidden": true,
  });
  const copy = h(
    "button",
    { class: "tool hand-on-copy", onclick: () => copyLink(told), title: "Copy the link to this view" },
    "Share",
  );
  const arrow = h(
    "button",
    {
      "class": "tool hand-on-more",
      "aria-label": "More ways to share",
      "title": "More ways to share",
      "aria-haspopup": "menu",
      "aria-expanded": "false",
      "aria-controls": id,
      "onclick": () => (menu.hidden ? void open() : close(true)),
    },
    h("span", { "aria-hidden": "true" }, "▾"),
  );

  const items = () => /** @type {HTMLElement[]} */ ([...menu.querySelectorAll("[role=menuitem]")]);
  const open = async () => {
    fill(menu, h("p", { class: "dim", role: "presentation" }, "…"));
    menu.hidden = false;
    arrow.setAttribute("aria-expanded", "true");
    fill(menu, await offer(hand));
    inSight(menu);
    if (!menu.hidden) items()[0]?.focus();
  };
  const close = (/** @type {boolean} */ back) => {
    menu.hidden = true;
    arrow.setAttribute("aria-expanded", "false");
    if (back) arrow.focus();
  };
  const keys = (/** @type {KeyboardEvent} */ event) => {
    if (menu.hidden && !(event.key === "ArrowDown" && event.target === arrow)) return;
    const all = items(),
      at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    if (event.key === "Escape") close(true);
    else if (event.key === "Tab") return close(false);
    else if (menu.hidden) void open();
    else if (event.key === "ArrowDown") all[(at + 1) % all.length]?.focus();
    else if (event.key === "ArrowUp") all.at(Math.max(at, 0) - 1)?.focus();
    else if (event.key === "Home") all[0]?.focus();
    else if (event.key === "End") all.at(-1)?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const left = (/** @type {FocusEvent} */ event) => {
    if (!menu.hidden && event.relatedTarget && !root.contains(/** @type {Node} */ (event.relatedTarget)))
      close(false);
  };
  const outside = (/** @type {Event} */ event) => {
    if (!root.isConnected) removeEventListener("pointerdown", outside);
    else if (!menu.hidden && !root.contains(/** @type {Node} */ (event.target))) close(false);
  };
  /** @type {Hand} */
  const hand = {
    item: (title, about, run) =>
      h(
        "button",
        {
          role: "menuitem",
          tabindex: "-1",
          onclick: () => {
            close(true);
            void run();
          },
        },
        h("span", null, title),
        h("span", { class: "dim" }, about),
      ),
    link: (opens) =>
      hand.item("Copy link to this view", `Opens exactly this, ${opens}`, () => copyLink(told)),
    save: (fileName, make) => void save(told, fileName, make),
  };
  const root = h(
    "span",
    { class: "hand-on", onkeydown: keys, onfocusout: left },
    note,
    copy,
    arrow,
    menu,
    told,
  );
  addEventListener("pointerdown", outside);
  return root;
}

/** @typedef {{html: boolean, zip: boolean, redact?: boolean}} Offered what the server of the bundle makes of it when it is asked, or this page itself */

/** @param {Bundle} bundle @returns {Promise<Offered>} */
async function offered({ source }) {
  if (source.stored) return { html: true, zip: true };
  if (source.url?.origin !== location.origin) return { html: false, zip: false };
  const response = await fetch(new URL("manifest.json", source.url), {
    method: "HEAD",
    cache: "no-store",
  }).catch(() => null);
  const kinds = (response?.headers.get(SERVER) ?? "").split(",").map((kind) => kind.trim());
  return { html: kinds.includes("html"), zip: kinds.includes("zip"), redact: kinds.includes("redact") };
}

/** @param {Bundle} bundle @param {string} viewer @param {Offered} can @param {Hand} hand */
function ways(bundle, viewer, can, { item, link, save }) {
  const name = bundleName(bundle);
  const { source } = bundle,
    made = can.html || can.zip,
    id = source.stored;
  const opens = source.url
    ? "where the server can be reached"
    : id
      ? "in this browser, until the bundle is removed here"
      : "where the file is";
  const page = id
    ? async () => (await import("./stored-files.js")).pageOf(id)
    : () => asked(`${beside(bundle, "html")}?viewer=${encodeURIComponent(viewer)}`);
  const zip = () =>
    id
      ? save(`${name}.zip`, async () => (await import("./stored-files.js")).zipOf(id))
      : h("a", { href: beside(bundle, "zip"), download: `${name}.zip` }).click();
  const include = async () =>
    (await import("./include.js")).chooseWhatToInclude({
      page: beside(bundle, "html"),
      zip: beside(bundle, "zip"),
      preview: beside(bundle, "preview"),
      viewer,
    });
  return [
    link(opens),
    can.html &&
      item("Save as one file", "An HTML page with its viewers; opens from disk", () =>
        save(`${name}.html`, page),
      ),
    can.zip && item("Download bundle", "A zip of its files", zip),
    can.redact &&
      !bundle.manifest.redacted &&
      item("Choose what to include …", "Without source code, names, payloads: to share with others", include),
    h(
      "p",
      { class: "dim", role: "presentation" },
      made
        ? MIND
        : source.viewers
          ? ONE_FILE
          : [
              "To save it as one file: ",
              h("code", null, `tlparse-bundle export ${/^[\w.-]+$/.test(name) ? name : "OUT"} report.html`),
            ],
    ),
  ];
}

/** Where our server has what it makes of the bundle. @param {Bundle} bundle @param {"html" | "zip" | "preview"} kind */
const beside = ({ source }, kind) => /** @type {URL} */ (source.url).href.replace(/\/$/, `.${kind}`);

/** @param {HTMLElement} told @param {string} fileName @param {() => Promise<Blob>} make */
async function save(told, fileName, make) {
  tell(told, "Making the file …", true);
  try {
    download(fileName, await make());
    tell(told, "Saved");
  } catch (error) {
    const { message, hint } = /** @type {Error & {hint?: string}} */ (error);
    tell(told, (hint ? `${message}. ${hint}` : message).slice(0, 500), true);
  }
}

/** The address of this page, with its state. @param {HTMLElement} told */
async function copyLink(told) {
  const link = location.href;
  try {
    await navigator.clipboard.writeText(link);
    tell(told, "Link copied");
  } catch {
    // no clipboard without https or localhost
    const field = h("input", {
      "type": "text",
      "readonly": true,
      "value": link,
      "aria-label": "The link to this view",
    });
    tell(told, ["Copy it: ", field], true);
    field.select();
  }
}

/** What hangs below the button ends where the button does; where that is too far to the left it is moved. @param {HTMLElement} element */
function inSight(element) {
  element.style.removeProperty("translate");
  const { left, width } = element.getBoundingClientRect();
  if (width && left < 8) element.style.setProperty("translate", `${8 - left}px`);
}

const timers = new WeakMap();

/** Says it beside the button, for a moment or until something else is said. @param {HTMLElement} told @param {any} what @param {boolean} [stays] */
function tell(told, what, stays = false) {
  clearTimeout(timers.get(told));
  fill(told, what);
  inSight(told);
  if (!stays)
    return void timers.set(
      told,
      setTimeout(() => fill(told), TOLD_MS),
    );
  if (what !== "Making the file …")
    append(told, [
      " ",
      h("button", { "class": "tool", "aria-label": "Close", "onclick": () => fill(told) }, "×"),
    ]);
}
