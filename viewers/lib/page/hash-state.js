// The state of a page is in the hash of its URL, so every screen has a link.
//
// #v=1&view=compile&compile=0/1. Defaults are omitted, unknown keys are kept. Below: the scroll positions of
// each history entry.

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

/**
 * Encode like encodeURIComponent, but keep harmless characters for readability: '0/1_2', '!1/0/0', '@2'.
 * @param {string} text
 */
const encode = (text) =>
  encodeURIComponent(text.toWellFormed?.() ?? text).replace(/%(2F|40|3A|2C)/g, decodeURIComponent);

export class HashState {
  /**
   * @param {State} defaults all keys of the page, with their defaults
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

  /** Return the address of a different view; global and unknown keys stay. @param {State} state */
  link(state) {
    const kept = Object.entries(this.raw).filter(
      ([key]) => this.global.includes(key) || !(key in this.defaults),
    );
    return format({ ...Object.fromEntries(kept), ...state }, this.defaults);
  }

  /** Return the address with some keys changed. @param {State} patch */
  patched(patch) {
    return format({ ...this.raw, ...patch }, this.defaults);
  }

  /** Go to an address of this page, as a new history entry. @param {string} hash */
  go(hash) {
    if (hash === location.hash) return;
    history.pushState(nextEntry(), "", hash);
    entered();
    this.raw = parse(hash);
    this.notify();
  }

  /**
   * Store a change without a new history entry, such as typing.
   * @param {State} patch @param {boolean} [tell] call the listeners
   */
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

  /**
   * Add a listener for back, forward and typed addresses, called after the others.
   * @param {() => void} listener
   */
  onreturn(listener) {
    this.returns.push(listener);
  }

  notify() {
    for (const listener of this.listeners) listener(this.current);
  }
}

// Scroll positions of each history entry, which Back restores.
//
// A scrolled element is identified by its class and its index within that class, so views need no code for
// it.
const KEPT = 60; // history entries
const WAIT_MS = 1_500; // content that loads later is not scrolled

/** @typedef {Map<string, [number, number]>} Places */

/** @type {Map<number, Places>} */
const entries = new Map();
if (history.state === null) history.replaceState({ entry: 0 }, "");
let now = numberOf(history.state);
let newest = now;
let run = 0;

/** @param {any} state history state */
function numberOf(state) {
  return typeof state?.entry === "number" ? state.entry : 0;
}

/** Return the state for the next history entry. */
export const nextEntry = () => ({ entry: newest + 1 });

/** Start a new history entry. */
export function entered() {
  now = newest = numberOf(history.state);
  run++;
}

/** Store the scroll positions of the elements below root. @param {HTMLElement} root */
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
  }; // the user scrolls, so positions that are not restored yet are dropped
  root.addEventListener("wheel", moved, { passive: true });
  root.addEventListener("pointerdown", moved);
  root.addEventListener("keydown", moved);
}

/**
 * Restore the scroll positions after a history step, as soon as the content is tall enough.
 * @param {HTMLElement} root
 */
export function restoreScrolling(root) {
  if (history.state === null) {
    // an address that was typed
    history.replaceState(nextEntry(), "");
    return entered();
  }
  now = numberOf(history.state);
  requestAnimationFrame(putBack(root));
}

/**
 * Restore the scroll positions after a redraw, now and when more content has loaded.
 * @param {HTMLElement} root
 */
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
