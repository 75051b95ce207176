// What time it is where the bundle grows, and texts on the page that go with it.
import { count, time } from "../page/format.js";

/** The longest that a log is quiet before the page says so. */
export const QUIET_US = 30_000_000;
const SAME_MS = 2_000; // clocks that differ by less are taken as equal

let aheadMs = 0;
/** @type {number | null} the clocks of the page stand at it */
let stopped = null;

/** The clock of the other machine is so far ahead. @param {number | null} ms */
export function setAhead(ms) {
  aheadMs = ms === null || Math.abs(ms) < SAME_MS ? 0 : ms;
}

/** Microseconds since 1970, by the clock of the machine that follows the logs. */
export const now = () => (Date.now() + aheadMs) * 1_000;

/** The clocks of the page stand still, or go on. @param {number | null} us */
export const stopAt = (us) => {
  stopped = us;
};

const HOURS = 7_200; // seconds, from which on they are told in hours

/** "12 s", "3 min 4 s", "3 h 20 min": whole seconds, never less than none. @param {number} us */
function whole(us) {
  const seconds = Math.max(0, Math.floor(us / 1e6));
  if (seconds >= HOURS)
    return `${count(Math.floor(seconds / 3600))} h ${Math.floor((seconds % 3600) / 60)} min`;
  return seconds === 0 ? "0 s" : time(seconds * 1e6);
}

/** Since a moment. @param {number} us */
export const since = (us) => whole((stopped ?? now()) - us);

/** Brings all of them up to date: clocks have data-since, what is to be said of a quiet log has data-quiet. @param {ParentNode} root */
export function tick(root) {
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-since]"))) {
    const text = since(Number(element.dataset.since));
    if (element.textContent !== text) element.textContent = text;
  }
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-quiet]"))) {
    element.hidden = (stopped ?? now()) - Number(element.dataset.quiet) < QUIET_US;
  }
}
