// Links or buttons that are one stop of the Tab key; arrows move between them.

const STEPS = /** @type {Record<string, number>} */ ({
  ArrowRight: 1,
  ArrowDown: 1,
  ArrowLeft: -1,
  ArrowUp: -1,
});

/** @param {Element} element @returns {HTMLElement[]} */
const within = (element) => [
  .../** @type {NodeListOf<HTMLElement>} */ (element.querySelectorAll("a, button")),
];

/** Make one of them the stop: the current one, or else the first. @param {Element} element @param {HTMLElement} [chosen] */
export function stopAt(element, chosen) {
  const all = within(element);
  const stop = chosen ?? all.find((one) => one.hasAttribute("aria-current")) ?? all[0];
  for (const one of all) one.tabIndex = one === stop ? 0 : -1;
}

/** @template {HTMLElement} T @param {T} element @returns {T} */
export function oneStop(element) {
  stopAt(element);
  element.addEventListener("keydown", (event) => {
    const all = within(element);
    const step = STEPS[event.key];
    const at = all.indexOf(/** @type {any} */ (document.activeElement));
    if (!step || at < 0) return;
    event.preventDefault();
    const next = all[Math.max(0, Math.min(all.length - 1, at + step))];
    stopAt(element, next);
    next.focus();
  });
  return element;
}
