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
  root.addEventListener("scroll", (event) => {
    const element = /** @type {HTMLElement} */ (event.target);
    if (!(element instanceof HTMLElement)) return;
    const places = entries.get(now) ?? new Map();
    places.set(nameOf(root, element), [element.scrollTop, element.scrollLeft]);
    entries.delete(now);
    entries.set(now, places);
    if (entries.size > KEPT) entries.delete(/** @type {number} */ (entries.keys().next().value));
  }, { capture: true, passive: true });
  const moved = () => { run++; }; // the person scrolls: what is not in place yet stays where it is
  root.addEventListener("wheel", moved, { passive: true });
  root.addEventListener("pointerdown", moved);
  root.addEventListener("keydown", moved);
}

/** The history went to another entry: scrolls to where it was left, as soon as there is enough to scroll. @param {HTMLElement} root */
export function restoreScrolling(root) {
  if (history.state === null) { // an address that was typed
    history.replaceState(nextEntry(), "");
    return entered();
  }
  now = numberOf(history.state);
  const left = new Map(entries.get(now) ?? []);
  const mine = ++run;
  const until = performance.now() + WAIT_MS;
  const step = () => {
    if (mine !== run) return;
    for (const [name, [top, side]] of left) {
      const element = elementOf(root, name);
      if (!element || element.scrollHeight - element.clientHeight < top) continue;
      element.scrollTo(side, top);
      left.delete(name);
    }
    if (left.size > 0 && performance.now() < until) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
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
const alike = (root, classes) => /** @type {HTMLElement[]} */ ([...root.getElementsByClassName(classes)]).filter((element) => element.className === classes);
