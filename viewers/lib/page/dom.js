// Builds elements. Data becomes text, never markup.
import { count } from "./format.js";

const LONG = 10_000; // characters of one text outside a <pre>: nobody reads more, and its layout takes seconds

const MANY = 10_000; // children built at once: lib/list shows longer lists

/** @param {string} text */
export const cut = (text) =>
  text.length > LONG ? `${text.slice(0, LONG)}… (${count(text.length - LONG)} more characters)` : text;

/**
 * h("button", { class: "quiet", onclick: go, "aria-label": "Next" }, "›")
 * Props: 'class', 'dataset', 'style' (an object), 'on…' listeners. true sets an empty attribute; null and
 * false omit it.
 * @param {string} tag @param {Record<string, any> | null} [props]
 * @param {...any} children text, numbers, nodes, and arrays of these
 * @returns {any} the element
 */
export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name === "style")
      for (const [key, v] of Object.entries(value)) element.style.setProperty(key, String(v));
    else
      element.setAttribute(
        name,
        value === true ? "" : name === "href" || name === "value" ? String(value) : cut(String(value)),
      );
  }
  append(element, children);
  return element;
}

/**
 * Append children. Flattens nested arrays; skips undefined, null and false.
 * @param {Element} parent @param {any[]} children
 */
export function append(parent, children) {
  const verbatim = parent.tagName === "PRE";
  const flat = children.flat(Infinity);
  const left = flat.length - MANY;
  if (left > 0) flat.splice(MANY, left, more(parent, left));
  for (const child of flat) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(
      child instanceof Node ? child : document.createTextNode(verbatim ? String(child) : cut(String(child))),
    );
  }
}

/** Build the text that replaces children past the limit. @param {Element} parent @param {number} left */
function more({ tagName }, left) {
  const text = `… and ${count(left)} more`;
  if (tagName === "TBODY") return h("tr", null, h("td", { colspan: 99 }, text));
  return h(
    { SELECT: "option", UL: "li", OL: "li", DL: "dt" }[tagName] ?? "span",
    tagName === "SELECT" ? { disabled: true } : null,
    text,
  );
}

/** @param {Element} parent @param {...any} children */
export function fill(parent, ...children) {
  parent.replaceChildren();
  append(parent, children);
  return parent;
}

/** Run something after the next paint. @param {() => void} run */
export const afterPaint = (run) => void requestAnimationFrame(() => setTimeout(run));

/** Return the width of a monospace character, in pixels. @param {Element} element contains the text */
export function characterWidth(element) {
  const probe = h("span", { class: "code-probe" }, "0".repeat(100));
  element.append(probe);
  const width = probe.getBoundingClientRect().width / 100 || 8;
  probe.remove();
  return width;
}

/** Return whether a key press goes to a text field. @param {KeyboardEvent} event */
export function typing(event) {
  const target = /** @type {HTMLElement} */ (event.target);
  return (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    ["INPUT", "TEXTAREA", "SELECT"].includes(target?.tagName)
  );
}

/**
 * Debounce: run only the last call, after a pause.
 * @template {any[]} A @param {(...args: A) => void} run @param {number} ms
 */
export function debounce(run, ms) {
  let timer = 0;
  return (/** @type {A} */ ...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...args), ms);
  };
}

const ROWS = ":is([role=row], [role=treeitem], [role=option])[tabindex='0']";

/** Let ↓ move the focus from a filter to the nearest list around it. @param {KeyboardEvent} event */
function intoList(event) {
  if (event.key !== "ArrowDown" || event.defaultPrevented) return;
  let around = /** @type {HTMLElement | null} */ (event.target)?.parentElement;
  while (around && !around.querySelector(ROWS)) around = around.parentElement?.closest("main *") ?? null;
  const row = /** @type {HTMLElement | null | undefined} */ (around?.querySelector(ROWS));
  if (!row) return;
  event.preventDefault();
  row.focus();
}

/**
 * Build a search field that calls back when the typing pauses, as long as it is in the page.
 * @param {string} label @param {string} placeholder @param {(text: string) => void} onsearch
 * @param {Record<string, any>} [props]
 */
export function searchField(label, placeholder, onsearch, props = {}) {
  const tell = debounce(() => field.isConnected && onsearch(field.value), 120);
  const field = h("input", {
    "type": "search",
    "class": "filter",
    "spellcheck": "false",
    "aria-label": label,
    placeholder,
    "oninput": tell,
    ...props,
  });
  field.addEventListener("keydown", intoList);
  return field;
}

// Text with code between backticks, as torch and the preprocessor write it.

/** @param {string} text */
export function rich(text) {
  const parts = text.split("`");
  if (parts.length % 2 === 0) parts.push(`\`${parts.pop()}`); // an unpaired backtick
  if (parts.length % 2 === 0) parts.splice(-2, 2, parts.slice(-2).join("")); // stays in the text before it
  return parts.map((part, i) => (i % 2 ? h("code", null, part) : part));
}

/** Remove the backticks, for names and titles. @param {string} text */
export const plain = (text) => text.replaceAll("`", "");
