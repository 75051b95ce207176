// The table of runs in the logs, with the command that compares a different run.
import { words } from "../lib/bundle/ranks.js";
import { append, h } from "../lib/page/dom.js";
import { count, plural, time } from "../lib/page/format.js";

/** @typedef {NonNullable<import("../../schema/bundle.d.ts").Manifest["job"]>} Job */

const MOST = 6; // runs shown at first, in addition to the compared one
const HOUR_US = 3_600_000_000,
  DAY_US = 24 * HOUR_US;
const TITLES = ["Run", "Start (UTC)", "Relative to compared run", "Ranks", "torch", "Relation"];

/** Build the table of runs; null when there is only one. @param {Job} job */
export function runsPart({ runs, run: own }) {
  if (runs.length < 2) return null;
  const start = runs[own - 1]?.start_epoch_us ?? null;
  const row = (/** @type {number} */ number) => {
    const {
      ranks,
      start_epoch_us: began,
      torch_versions: versions,
      world_size: size,
      attempt,
    } = runs[number - 1];
    const here = number === own;
    return h(
      "tr",
      { "class": here ? "here" : null, "aria-current": here ? "true" : null },
      h("th", { scope: "row" }, String(number)),
      h("td", null, began === null ? "–" : moment(began)),
      h("td", null, here || began === null || start === null ? "" : relative(began - start)),
      h("td", null, words(ranks), size !== null && h("span", { class: "dim" }, ` of ${count(size)}`)),
      h("td", null, versions.join(", ") || "–"),
      h(
        "td",
        null,
        here ? h("b", null, "compared here") : attempt ? "restart of the same job" : "different job",
      ),
    );
  };
  const all = runs.map((_, i) => i + 1);
  const shown = all.filter((number) => number <= MOST || number === own);
  const body = h("tbody", null, shown.map(row));
  const more = () => {
    body.replaceChildren();
    append(body, all.map(row));
    button.remove();
  };
  const button = h("button", { class: "tool", onclick: more }, `${count(all.length - shown.length)} more`);
  const others = all.filter((number) => number !== own);
  return h(
    "section",
    { "class": "runs", "aria-label": "Runs" },
    h(
      "h2",
      null,
      plural(runs.length, "run"),
      " ",
      h(
        "span",
        { class: "dim" },
        "in these logs. To compare a different run: ",
        h("code", null, `tlparse-bundle LOGS OUT --run ${others.length === 1 ? others[0] : "N"} --overwrite`),
      ),
    ),
    h(
      "div",
      { "class": "table-box", "tabindex": "0", "role": "region", "aria-label": "Table of runs" },
      h(
        "table",
        { class: "plain" },
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            TITLES.map((title) => h("th", { scope: "col" }, title)),
          ),
        ),
        body,
      ),
    ),
    shown.length < all.length && button,
  );
}

/** Format a time such as "2026-11-23 07:21:53". @param {number} us */
function moment(us) {
  const date = new Date(us / 1_000);
  return Number.isNaN(date.getTime()) ? "–" : date.toISOString().slice(0, 19).replace("T", " ");
}

/** Format an offset such as "51 s earlier". @param {number} us */
function relative(us) {
  const size = Math.abs(us);
  if (size < 1_000_000) return "at the same time";
  const length =
    size < 2 * HOUR_US
      ? time(size)
      : size < 2 * DAY_US
        ? `${(size / HOUR_US).toFixed(1)} h`
        : plural(Math.round(size / DAY_US), "day");
  return `${length} ${us < 0 ? "earlier" : "later"}`;
}
