// The command palette: a filtered list of places and settings.
import { fill, h } from "../page/dom.js";
import { count } from "../page/format.js";
import { icon } from "./frame.js";

/**
 * @typedef {object} Entry
 * @property {string} text
 * @property {string} [about] dim text beside it
 * @property {string} group heading: "Views", "Compiles"
 * @property {string} [icon]
 * @property {string} [href] target
 * @property {() => void} [run] or the action
 */

const MOST = 60; // rows shown
let made = 0;

/**
 * Return the entries that contain every word, those that start with the words first.
 * @param {Entry[]} entries @param {string} text @returns {Entry[]}
 */
function fitting(entries, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries;
  const rank = (/** @type {Entry} */ entry) => {
    const name = entry.text.toLowerCase(),
      searched = `${name} ${(entry.about ?? "").toLowerCase()} ${entry.group.toLowerCase()}`;
    if (!words.every((word) => searched.includes(word))) return -1;
    return name === words.join(" ")
      ? 3
      : name.startsWith(words[0])
        ? 2
        : words.every((word) => name.includes(word))
          ? 1
          : 0;
  };
  return entries
    .map((entry) => ({ entry, at: rank(entry) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => b.at - a.at)
    .map(({ entry }) => entry);
}

/**
 * Open the palette. The focus returns to its place on close.
 * @param {{entries: Entry[], more?: Promise<Entry[]>, search?: (text: string) => string, go: (href: string)
 *   => void}} options more: entries that load later; search: address of the full-text search
 */
export function openPalette({ entries, more, search, go }) {
  if (document.querySelector("dialog.palette[open]")) return;
  const id = `palette-${++made}`;
  let all = entries,
    shown = /** @type {Entry[]} */ ([]),
    active = 0;
  const list = h("ul", { "class": "palette-list", "role": "listbox", id, "aria-label": "Results" });
  const field = h("input", {
    "type": "text",
    "class": "palette-field",
    "role": "combobox",
    "spellcheck": "false",
    "autocomplete": "off",
    "placeholder": "A view, compile, function, artifact or setting",
    "aria-label": "Go to",
    "aria-controls": id,
    "aria-expanded": "true",
    "aria-autocomplete": "list",
  });
  const dialog = /** @type {HTMLDialogElement} */ (
    h("dialog", { "class": "palette", "aria-label": "Go to" }, field, list)
  );

  const mark = (/** @type {number} */ index) => {
    const rows = list.querySelectorAll("[role=option]");
    rows[active]?.setAttribute("aria-selected", "false");
    active = Math.max(0, Math.min(index, rows.length - 1));
    rows[active]?.setAttribute("aria-selected", "true");
    rows[active]?.scrollIntoView({ block: "nearest" });
    if (rows[active]) field.setAttribute("aria-activedescendant", rows[active].id);
    else field.removeAttribute("aria-activedescendant");
  };
  const draw = () => {
    const text = field.value.trim();
    const matches = fitting(all, text);
    shown = matches.slice(0, MOST);
    if (search && text)
      shown.push({
        text: `Search all text for “${text}”`,
        group: "Search",
        icon: "search",
        href: search(text),
      });
    const groups = [...new Set(shown.map(({ group }) => group))];
    shown = groups.flatMap((group) => shown.filter((entry) => entry.group === group));
    let at = 0;
    fill(
      list,
      groups.map((group) => [
        h("li", { class: "palette-group", role: "presentation" }, group),
        shown
          .filter((entry) => entry.group === group)
          .map((entry) =>
            h(
              "li",
              { "role": "option", "id": `${id}-${at}`, "aria-selected": "false", "dataset": { at: at++ } },
              icon(entry.icon ?? ""),
              h("span", { class: "palette-text" }, entry.text),
              entry.about && h("span", { class: "dim palette-about" }, entry.about),
            ),
          ),
      ]),
      matches.length > MOST &&
        h(
          "li",
          { class: "dim palette-more", role: "presentation" },
          `and ${count(matches.length - MOST)} more. Type to filter.`,
        ),
      shown.length === 0 && h("li", { class: "dim palette-more", role: "presentation" }, "No match"),
    );
    mark(0);
  };
  const take = (/** @type {number} */ index) => {
    const entry = shown[index];
    if (!entry) return;
    dialog.close();
    if (entry.run) entry.run();
    else if (entry.href?.startsWith("#")) go(entry.href);
    else if (entry.href) location.assign(entry.href);
  };
  field.addEventListener("input", draw);
  field.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (step) mark(active + step);
    else if (event.key === "Enter") take(active);
    else return;
    event.preventDefault();
  });
  list.addEventListener("pointerdown", (/** @type {Event} */ event) => event.preventDefault()); // the field keeps the focus
  list.addEventListener("click", (/** @type {Event} */ event) => {
    const row = /** @type {HTMLElement | null} */ (
      /** @type {HTMLElement} */ (event.target).closest("[role=option]")
    );
    if (row) take(Number(row.dataset.at));
  });
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  draw();
  more?.then(
    (late) => {
      all = [...entries, ...late];
      if (dialog.isConnected) draw();
    },
    () => {},
  ); // the views report read errors
}
