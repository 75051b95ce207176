// The Share button: a click copies the link, and the arrow opens a menu with other ways to share.
import { append, fill, h } from "./dom.js";
import { download, fetched } from "./hand-over.js";
import { bundleName } from "./page.js";

/** @typedef {import("../bundle/bundle.js").Bundle} Bundle */

const SERVER = "Tlparse-Bundle-Share"; // a response header: the exports that this server offers
const NOTE_MS = 2_500;
export const SHARE_WITH_CARE = "Traces contain source code and paths. Share them with care.";
export const ONE_FILE = "This page is a single file. Share the file itself.";
let made = 0;

/**
 * Build the share menu of a viewer's top bar.
 * @param {{bundle: Bundle, viewer: string}} options viewer: the name of its folder @returns {HTMLElement}
 */
export function shareButton({ bundle, viewer }) {
  const { redacted } = bundle.manifest;
  const note =
    redacted &&
    h("span", { class: "tag share-redacted", title: `Removed: ${redacted.dropped.join(", ")}` }, "Redacted");
  return shareMenu(async (hand) => ways(bundle, viewer, await offered(bundle), hand), note);
}

/**
 * Builds menu items.
 * @typedef {{item: (title: string, about: string, run: () => unknown) => HTMLElement, link: (opens: string)
 *   => HTMLElement, save: (fileName: string, make: () => Promise<Blob>) => void}} Hand
 */

/**
 * Build the button and its menu.
 * @param {(hand: Hand) => Promise<any>} offer returns the content of the menu when it opens
 * @param {any} [note] goes before the button @returns {HTMLElement}
 */
export function shareMenu(offer, note = null) {
  const id = `share-${++made}`;
  const status = h("span", { "class": "share-note", "aria-live": "polite" });
  const menu = h("div", { "class": "share-menu", id, "role": "menu", "aria-label": "Share", "hidden": true });
  const copy = h(
    "button",
    { class: "tool share-copy", onclick: () => copyLink(status), title: "Copy the link to this view" },
    "Share",
  );
  const arrow = h(
    "button",
    {
      "class": "tool share-more",
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
    keepOnScreen(menu);
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
    link: (opens) => hand.item("Copy link to this view", `Opens this view ${opens}`, () => copyLink(status)),
    save: (fileName, make) => void save(status, fileName, make),
  };
  const root = h(
    "span",
    { class: "share-box", onkeydown: keys, onfocusout: left },
    note,
    copy,
    arrow,
    menu,
    status,
  );
  addEventListener("pointerdown", outside);
  return root;
}

/**
 * @typedef {{html: boolean, zip: boolean, redact?: boolean}} Offered the exports that the bundle's server, or
 *   this page, can write
 */

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
    ? "on machines that can reach the server"
    : id
      ? "in this browser, until you remove the bundle"
      : "on machines that have the file";
  const page = id
    ? async () => (await import("./stored-files.js")).pageOf(id)
    : () => fetched(`${beside(bundle, "html")}?viewer=${encodeURIComponent(viewer)}`);
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
      item("Save as one file", "An HTML page that includes the viewers and opens from disk", () =>
        save(`${name}.html`, page),
      ),
    can.zip && item("Download bundle", "A zip of the bundle's files", zip),
    can.redact &&
      !bundle.manifest.redacted &&
      item("Choose what to include …", "Leave out source code, names or payloads before you share", include),
    h(
      "p",
      { class: "dim", role: "presentation" },
      made
        ? SHARE_WITH_CARE
        : source.viewers
          ? ONE_FILE
          : [
              "To save it as one file: ",
              h("code", null, `tlparse-bundle export ${/^[\w.-]+$/.test(name) ? name : "OUT"} report.html`),
            ],
    ),
  ];
}

/**
 * Return the URL of an export of the bundle on its server.
 * @param {Bundle} bundle @param {"html" | "zip" | "preview"} kind
 */
const beside = ({ source }, kind) => /** @type {URL} */ (source.url).href.replace(/\/$/, `.${kind}`);

/** @param {HTMLElement} note @param {string} fileName @param {() => Promise<Blob>} make */
async function save(note, fileName, make) {
  show(note, "Writing the file …", true);
  try {
    download(fileName, await make());
    show(note, "Saved");
  } catch (error) {
    const { message, hint } = /** @type {Error & {hint?: string}} */ (error);
    show(note, (hint ? `${message}. ${hint}` : message).slice(0, 500), true);
  }
}

/** Copy the URL of this page, including its state. @param {HTMLElement} note */
async function copyLink(note) {
  const link = location.href;
  try {
    await navigator.clipboard.writeText(link);
    show(note, "Link copied");
  } catch {
    // no clipboard without https or localhost
    const field = h("input", {
      "type": "text",
      "readonly": true,
      "value": link,
      "aria-label": "Link to this view",
    });
    show(note, ["Copy this link: ", field], true);
    field.select();
  }
}

/**
 * Move a popup that is aligned with the button's right edge back onto the screen.
 * @param {HTMLElement} element
 */
function keepOnScreen(element) {
  element.style.removeProperty("translate");
  const { left, width } = element.getBoundingClientRect();
  if (width && left < 8) element.style.setProperty("translate", `${8 - left}px`);
}

const timers = new WeakMap();

/**
 * Show a message beside the button.
 * @param {HTMLElement} note @param {any} what
 * @param {boolean} [stays] until the next message; otherwise for NOTE_MS
 */
function show(note, what, stays = false) {
  clearTimeout(timers.get(note));
  fill(note, what);
  keepOnScreen(note);
  if (!stays)
    return void timers.set(
      note,
      setTimeout(() => fill(note), NOTE_MS),
    );
  if (what !== "Writing the file …")
    append(note, [
      " ",
      h("button", { "class": "tool", "aria-label": "Close", "onclick": () => fill(note) }, "×"),
    ]);
}
