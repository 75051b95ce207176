// The list of jumps: one item per run, with a link to the comparison.
import { h } from "../lib/page/dom.js";
import { plural } from "../lib/page/format.js";
import { sign, tone } from "./chart.js";
import { began, compareAddress, runAddress } from "./data.js";

/** @typedef {import("./data.js").Trend} Trend @typedef {import("./data.js").Jump} Jump */

const PHASES = /^(?:dynamo|aot|inductor|backward)_time_us$/;

/** @param {Trend} trend @param {Jump[]} jumps */
export const jumpList = (trend, jumps) =>
  h(
    "ol",
    { class: "jumps" },
    jumps.map((jump) => h("li", null, item(trend, jump))),
  );

/** @param {import("./data.js").Run} run */
const versions = (run) => run.torch_versions.join(", ") || "unknown";

/** Capitalize the first letter. @param {string} text */
const large = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {Trend} trend @param {Jump} jump */
function item(trend, jump) {
  const { changes } = jump,
    run = trend.runs[jump.run_index],
    base = trend.runs[jump.base_run_index];
  const all = changes.some(({ is_worse }) => is_worse)
    ? true
    : changes.every(({ is_worse }) => is_worse === false)
      ? false
      : null;
  const main = changes.filter(({ metric }) => !PHASES.test(metric)),
    phases = changes.filter(({ metric }) => PHASES.test(metric));
  const [first, ...others] = main.length ? main : phases;
  const address = runAddress(run),
    compare = compareAddress(trend, jump);
  return [
    h(
      "h3",
      null,
      h("span", { "class": `sign ${tone(all)}`, "aria-hidden": "true" }, sign(first)),
      h(
        "span",
        { class: "visually-hidden" },
        { worse: "worse: ", better: "better: ", neutral: "" }[tone(all)],
      ),
      large(first.text),
    ),
    others.length > 0 && h("p", null, others.map(({ text }) => text).join(", ")),
    main.length > 0 &&
      phases.length > 0 &&
      h("p", { class: "dim" }, phases.map(({ text }) => text).join(", ")),
    h(
      "p",
      null,
      jump.confirmed
        ? "at "
        : `${jump.run_count === 1 ? "in the last run only, possibly an outlier" : `in the last ${plural(jump.run_count, "run")}, too few to confirm`}: `,
      began(run),
      " UTC, ",
      address ? h("a", { href: address }, run.name) : run.name,
      run.commit && [", commit ", h("code", null, run.commit)],
      versions(base) !== versions(run) && `, torch ${versions(base)} → ${versions(run)}`,
    ),
    h(
      "p",
      null,
      compare
        ? h("a", { href: compare }, `Compare with the previous run, ${base.name}`)
        : h("code", null, `tlparse-bundle compare ${base.name} ${run.name}`),
    ),
  ];
}
