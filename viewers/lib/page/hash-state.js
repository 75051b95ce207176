// The state of a page lives in the hash of its address, so that every screen can be linked.
//
// #v=1&view=compile&compile=0/1. Defaults are left out, keys that nobody knows are kept. Below: where each entry of the history was scrolled to.

export const VERSION = 1;

/** @typedef {Record<string, string>} State */

/** @param {string} hash @returns {State} */
export function parse(hash) {
  return Object.fromEntries(new URLSearchParams(hash.replace(/^#/, "").replace(/\+/g, "%2B")));
}

/** @param {State} state @param {State} defaults @returns {string} */
export function format(state, defaults) {
  const parts = [`v=${VERSION}`];
  for (const [key, value] of Object.entries(state)) {
    if (key === "v" || value === (defaults[key] ?? "") || value === undefined || value === null) continue;
    parts.push(`${encode(key)}=${encode(String(value))}`);
  }
  return `#${parts.join("&")}`;
}

/** Like encodeURIComponent, but leaves what is harmless and reads better: '0/1_2', '!1/0/0', '@2'. @param {string} text */
const encode = (text) =>
  encodeURIComponent(text.toWellFormed?.() ?? text).replace(/%(2F|40|3A|2C)/g, decodeURIComponent);

export class HashState {
  /**
   * @param {State} defaults every key that the page knows, with its default
   * @param {string[]} global keys that stay when the view changes
   */
  constructor(defaults, global) {
    this.defaults = defaults;
    this.global = global;
    /** @type {((state: State) => void)[]} */
    this.listeners = [];
    /** @type {(() => void)[]} */
    this.returns = [];
    this.raw = parse(location.hash);
    const changed = () => {
      this.raw = parse(location.hash);
      this.notify();
      for (const listener of this.returns) listener();
    };
    window.addEventListener("popstate", changed);
  }

  /** @returns {State} every known key has a value */
  get current() {
    return { ...this.defaults, ...this.raw };
  }

  /** The address of another view: global and unknown keys stay. @param {State} state */
  link(state) {
    const kept = Object.entries(this.raw).filter(
      ([key]) => this.global.includes(key) || !(key in this.defaults),
    );
    return format({ ...Object.fromEntries(kept), ...state }, this.defaults);
  }

  /** The address with some keys changed. @param {State} patch */
  patched(patch) {
    return format({ ...this.raw, ...patch }, this.defaults);
  }

  /** Goes to an address of this page; the back button returns. @param {string} hash */
  go(hash) {
    if (hash === location.hash) return;
    history.pushState(nextEntry(), "", hash);
    entered();
    this.raw = parse(hash);
    this.notify();
  }

  /** Notes a change that is not worth a step of the back button, such as typing. @param {State} patch @param {boolean} [tell] */
  replace(patch, tell = false) {
    const hash = this.patched(patch);
    if (hash !== location.hash) history.replaceState(history.state, "", hash);
    this.raw = parse(hash);
    if (tell) this.notify();
  }

  /** @param {(state: State) => void} listener */
  listen(listener) {
    this.listeners.push(listener);
  }

  /** Back, forward, or another address typed: called after the others have heard of it. @param {() => void} listener */
  onreturn(listener) {
    this.returns.push(listener);
  }

  notify() {
    for (const listener of this.listeners) listener(this.current);
  }
}

// Where the page was scrolled to, for each entry of the history: Back shows the same place again.
//
// A scrolled element is known by its class and by how many of that class stand before it, so that views need not take part.
const KEPT = 60; // entries of the history
const WAIT_MS = 1_500; // what is loaded later than that is not scrolled any more

/** @typedef {Map<string, [number, number]>} Places */

/** @type {Map<number, Places>} */
const entries = new Map();
if (history.state === null) history.replaceState({ entry: 0 }, "");
let now = numberOf(history.state);
let newest = now;
let run = 0;

/** @param {any} state of the history */
function numberOf(state) {
  return typeof state?.entry === "number" ? state.entry : 0;
}

/** The state of the next entry of the history. */
export const nextEntry = () => ({ entry: newest + 1 });

/** A new entry has begun. */
export function entered() {
  now = newest = numberOf(history.state);
  run++;
}

/** Notes where elements below root are scrolled to. @param {HTMLElement} root */
export function rememberScrolling(root) {
  root.addEventListener(
    "scroll",
    (event) => {
      const element = /** @type {HTMLElement} */ (event.target);
      if (!(element instanceof HTMLElement)) return;
      const places = entries.get(now) ?? new Map();
      places.set(nameOf(root, element), [element.scrollTop, element.scrollLeft]);
      entries.delete(now);
      entries.set(now, places);
      if (entries.size > KEPT) entries.delete(/** @type {number} */ (entries.keys().next().value));
    },
    { capture: true, passive: true },
  );
  const moved = () => {
    run++;
  }; // the person scrolls: what is not in place yet stays where it is
  root.addEventListener("wheel", moved, { passive: true });
  root.addEventListener("pointerdown", moved);
  root.addEventListener("keydown", moved);
}

/** The history went to another entry: scrolls to where it was left, as soon as there is enough to scroll. @param {HTMLElement} root */
export function restoreScrolling(root) {
  if (history.state === null) {
    // an address that was typed
    history.replaceState(nextEntry(), "");
    return entered();
  }
  now = numberOf(history.state);
  requestAnimationFrame(putBack(root));
}

/** What is shown was drawn anew: scrolls to where it was, now and when more of it is there. @param {HTMLElement} root */
export const scrollAgain = (root) => putBack(root)();

/** @param {HTMLElement} root */
function putBack(root) {
  const left = new Map(entries.get(now) ?? []);
  const mine = ++run;
  const until = performance.now() + WAIT_MS;
  return function step() {
    if (mine !== run) return;
    for (const [name, [top, side]] of left) {
      const element = elementOf(root, name);
      if (!element || element.scrollHeight - element.clientHeight < top) continue;
      element.scrollTo(side, top);
      left.delete(name);
    }
    if (left.size > 0 && performance.now() < until) requestAnimationFrame(step);
  };
}

/** @param {HTMLElement} root @param {HTMLElement} element */
function nameOf(root, element) {
  if (element === root) return "";
  return `${element.className} ${alike(root, element.className).indexOf(element)}`;
}

/** @param {HTMLElement} root @param {string} name */
function elementOf(root, name) {
  if (name === "") return root;
  const at = name.lastIndexOf(" ");
  return alike(root, name.slice(0, at))[Number(name.slice(at + 1))];
}

/** @param {HTMLElement} root @param {string} classes @returns {HTMLElement[]} */
const alike = (root, classes) =>
  /** @type {HTMLElement[]} */ ([...root.getElementsByClassName(classes)]).filter(
    (element) => element.className === classes,
  );
