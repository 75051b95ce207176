// The clock of the machine that writes the bundle, and the durations on the page that follow it.
import { count, time } from "../page/format.js";

/** Time without records before the page reports it. */
export const QUIET_US = 30_000_000;
const SAME_MS = 2_000; // smaller clock differences are ignored

let aheadMs = 0;
/** @type {number | null} the page's clocks are stopped at this time */
let stopped = null;

/** Set how far the other machine's clock is ahead. @param {number | null} ms */
export function setAhead(ms) {
  aheadMs = ms === null || Math.abs(ms) < SAME_MS ? 0 : ms;
}

/** Return microseconds since 1970 on the machine that follows the logs. */
export const now = () => (Date.now() + aheadMs) * 1_000;

/** Stop the page's clocks at a time, or let them run. @param {number | null} us */
export const stopAt = (us) => {
  stopped = us;
};

const HOURS = 7_200; // seconds; longer durations are in hours

/** "12 s", "3 min 4 s", "3 h 20 min": whole seconds, at least 0. @param {number} us */
function inWholeSeconds(us) {
  const seconds = Math.max(0, Math.floor(us / 1e6));
  if (seconds >= HOURS)
    return `${count(Math.floor(seconds / 3600))} h ${Math.floor((seconds % 3600) / 60)} min`;
  return seconds === 0 ? "0 s" : time(seconds * 1e6);
}

/** Return the time since a moment. @param {number} us */
export const since = (us) => inWholeSeconds((stopped ?? now()) - us);

/** Update all clocks (data-since) and the notes about quiet logs (data-quiet). @param {ParentNode} root */
export function tick(root) {
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-since]"))) {
    const text = since(Number(element.dataset.since));
    if (element.textContent !== text) element.textContent = text;
  }
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-quiet]"))) {
    element.hidden = (stopped ?? now()) - Number(element.dataset.quiet) < QUIET_US;
  }
}
