// Picks one of many: a native select for a short list, a field with a filtered list for a long one.
import { fill, h } from "./dom.js";
import { count } from "./format.js";

/** @typedef {{value: string, text: string}} Item */

const SHORT = 40; // most items of a native select
const MOST = 100; // items listed below the field at once
let made = 0;

/**
 * @param {{label: string, items: Item[], value: string, onpick: (value: string) => void}} options
 * @returns {HTMLElement}
 */
export function picker({ label, items, value, onpick }) {
  if (items.length > SHORT) return combobox({ label, items, value, onpick });
  return h(
    "select",
    { "aria-label": label, "onchange": (/** @type {any} */ event) => onpick(event.target.value) },
    items.map((item) => h("option", { value: item.value, selected: item.value === value }, item.text)),
  );
}

/**
 * Return the items that match a text, best first: an equal number comes before one that contains it.
 * @param {Item[]} items @param {string} text
 */
export function matching(items, text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return items;
  const rank = (/** @type {string} */ name) => {
    const words = name.split(/[^\p{L}\p{N}]+/u);
    return words.includes(wanted) ? 0 : words.some((word) => word.startsWith(wanted)) ? 1 : 2;
  };
  const matches = items
    .map((item) => ({ item, name: item.text.toLowerCase() }))
    .filter(({ name }) => name.includes(wanted))
    .map(({ item, name }) => ({ item, at: rank(name) }));
  return matches.sort((a, b) => a.at - b.at).map(({ item }) => item);
}

/**
 * @param {{label: string, items: Item[], value: string, onpick: (value: string) => void}} options
 * @returns {HTMLElement}
 */
function combobox({ label, items, value, onpick }) {
  const id = `picker-${++made}`;
  const chosen = Math.max(
    0,
    items.findIndex((item) => item.value === value),
  );
  const name = items[chosen]?.text ?? "";
  let matches = items,
    active = -1;

  const list = h("ul", {
    "class": "picker-list",
    id,
    "role": "listbox",
    "aria-label": label,
    "hidden": true,
  });
  const field = h("input", {
    "type": "text",
    "class": "picker-field",
    "role": "combobox",
    "spellcheck": "false",
    "autocomplete": "off",
    "value": name,
    "title": `${name}: type to filter ${count(items.length)} items`,
    "aria-label": label,
    "aria-controls": id,
    "aria-expanded": "false",
    "aria-autocomplete": "list",
  });

  const activate = (/** @type {number} */ index) => {
    list.children[active]?.setAttribute("aria-selected", "false");
    active = matches.length ? Math.max(0, Math.min(index, Math.min(matches.length, MOST) - 1)) : -1;
    const option = list.children[active];
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    if (option) field.setAttribute("aria-activedescendant", option.id);
    else field.removeAttribute("aria-activedescendant");
  };
  const open = (/** @type {string} */ text) => {
    matches = matching(items, text);
    const at = text ? 0 : Math.max(0, chosen - MOST / 2); // around the chosen one
    if (!text) matches = [...items.slice(at), ...items.slice(0, at)].slice(0, items.length);
    fill(
      list,
      matches
        .slice(0, MOST)
        .map((item, i) =>
          h(
            "li",
            {
              "role": "option",
              "id": `${id}-${i}`,
              "aria-selected": "false",
              "dataset": { value: item.value },
              "class": item.value === value ? "here" : null,
            },
            item.text,
          ),
        ),
      matches.length > MOST &&
        h(
          "li",
          { role: "presentation", class: "dim" },
          `and ${count(matches.length - MOST)} more. Type to filter.`,
        ),
      !matches.length && h("li", { role: "presentation", class: "dim" }, "No match"),
    );
    list.hidden = false;
    field.setAttribute("aria-expanded", "true");
    activate(text ? 0 : matches.findIndex((item) => item.value === value));
  };
  const close = () => {
    list.hidden = true;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
    field.value = name;
  };
  const pick = (/** @type {string | undefined} */ wanted) => {
    if (wanted === undefined) return;
    close();
    if (wanted !== value) onpick(wanted);
  };
  const keys = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Escape" && list.hidden) return;
    if (event.key === "Escape") close();
    else if (event.key === "Enter" && !list.hidden) pick(matches[active]?.value);
    else if (["ArrowDown", "ArrowUp", "PageDown", "PageUp"].includes(event.key)) {
      if (list.hidden) open("");
      else
        activate(
          active +
            { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[/** @type {"ArrowDown"} */ (event.key)],
        );
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  field.addEventListener("keydown", keys);
  field.addEventListener("input", () => open(field.value));
  field.addEventListener("focus", () => field.select());
  field.addEventListener("click", () => list.hidden && open(""));
  field.addEventListener("blur", close);
  list.addEventListener("pointerdown", (/** @type {Event} */ event) => event.preventDefault()); // the field keeps the focus
  list.addEventListener("click", (/** @type {Event} */ event) =>
    pick(/** @type {HTMLElement} */ (event.target).closest("li")?.dataset.value),
  );
  return h("span", { class: "picker" }, field, list);
}
