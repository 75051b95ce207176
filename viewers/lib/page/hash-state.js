// The state of a page lives in the hash of its address, so that every screen can be linked.
//
// #v=1&view=compile&compile=0/1. Defaults are left out, keys that nobody knows are kept.

import { entered, nextEntry } from "./scroll-memory.js";

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
const encode = (text) => encodeURIComponent(text.toWellFormed?.() ?? text).replace(/%(2F|40|3A|2C)/g, decodeURIComponent);

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
    const kept = Object.entries(this.raw).filter(([key]) => this.global.includes(key) || !(key in this.defaults));
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
