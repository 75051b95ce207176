// Links that are one stop of the Tab key; arrows move between them.

const STEPS = /** @type {Record<string, number>} */ ({
  ArrowRight: 1,
  ArrowDown: 1,
  ArrowLeft: -1,
  ArrowUp: -1,
});

/**
 * Make the links of an element one stop, the current one or else the first.
 * @template {HTMLElement} T @param {T} element @returns {T}
 */
export function oneStop(element) {
  const links = /** @type {HTMLElement[]} */ ([...element.querySelectorAll("a")]);
  const stop = (/** @type {HTMLElement | undefined} */ chosen) => {
    for (const link of links) link.tabIndex = link === chosen ? 0 : -1;
  };
  stop(links.find((link) => link.hasAttribute("aria-current")) ?? links[0]);
  element.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    const at = links.indexOf(/** @type {any} */ (document.activeElement));
    if (!step || at < 0) return;
    event.preventDefault();
    const next = links[Math.max(0, Math.min(links.length - 1, at + step))];
    stop(next);
    next.focus();
  });
  return element;
}
